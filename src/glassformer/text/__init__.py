"""Text: from files to samples, tokens and padded batches. It knows no torch and no model."""
