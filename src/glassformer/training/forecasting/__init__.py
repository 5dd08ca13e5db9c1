"""What a run will cost, before it begins: time, memory, and what its end takes. Nothing here trains what is kept."""
