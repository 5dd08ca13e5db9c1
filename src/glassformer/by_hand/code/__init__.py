"""Code: a learner's function, run apart and compared with the core."""
