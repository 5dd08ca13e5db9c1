"""Notes: files cut into passages, and passages into statements."""
