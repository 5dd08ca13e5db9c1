"""How large models are, by formula: the arithmetic, a part, a block, each family. The door is models/sizes.py."""
