"""Programs that attack the service. Each asks afterwards whether it still answers, and whether a cent is missing."""
