"""Decoding: from scores for the next id to whole sequences."""
