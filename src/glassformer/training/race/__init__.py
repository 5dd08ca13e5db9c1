"""The race: several models on equal terms."""
