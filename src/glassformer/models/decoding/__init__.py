"""Decoding: from logits for the next id to whole sequences."""
