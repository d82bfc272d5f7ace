"""What every reproduction of a paper needs: studies, claims, evidence, verdicts, figures and a report."""
