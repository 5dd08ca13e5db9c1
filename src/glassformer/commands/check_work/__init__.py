"""Commands that work by hand: explain, check, exercise."""
