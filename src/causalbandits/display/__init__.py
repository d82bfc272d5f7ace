"""How results are shown to people: numbers without noise, sheets as text or HTML, and what a notebook can do."""
