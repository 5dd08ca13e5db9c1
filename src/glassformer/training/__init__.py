"""Training: from a request to a run folder."""
