"""Play policies in a world many times: results, single runs, sweeps."""
