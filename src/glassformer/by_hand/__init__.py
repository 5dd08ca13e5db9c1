"""Hand work, checked: reads worked matrices from notes, reworks them and names the first wrong number."""
