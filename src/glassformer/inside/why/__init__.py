"""Why this answer: what of a text, and what in the model, carries the margin of the answer over its rival."""
