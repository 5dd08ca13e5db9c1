"""Work in turn and together: texts that are answered in batches, and texts that are written side by side."""
