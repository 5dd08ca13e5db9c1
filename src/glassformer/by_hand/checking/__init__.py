"""Checking: one document from its first statement to its findings."""
