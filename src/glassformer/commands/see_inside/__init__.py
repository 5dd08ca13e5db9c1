"""Commands that show: studio, look."""
