"""What proves that a number is wrong: its other readings, what stands around it, what the rest of the notes shows."""
