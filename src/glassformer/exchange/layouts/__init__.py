"""The layouts of other tools: which of our tensors is which of theirs, and what each can hold."""
