"""Files of other tools, in and out: what was trained here for them, and what was trained there for us."""
