"""Tokens of other tools: their files in all ages, read as tokens of ours, and written back where they must be."""
