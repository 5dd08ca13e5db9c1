"""Tables in notes: found in Markdown and LaTeX, and read for what they say."""
