"""Programs in notes: what their lines give, worked out from the text alone, beside what they are seen to print."""
