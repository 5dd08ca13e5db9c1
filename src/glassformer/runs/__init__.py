"""Runs: a trained model on the disk with all that belongs to it."""
