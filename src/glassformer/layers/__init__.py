"""Layers: attention and what stands around it. They know tensors, no text."""
