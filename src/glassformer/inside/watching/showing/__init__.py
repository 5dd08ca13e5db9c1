"""Showing what was watched: tokens as text, steps of writing as one matrix, next-token answers. It runs no model."""
