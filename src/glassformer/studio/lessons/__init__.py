"""Lessons: a Markdown file whose steps are views that are really there, read, checked, and kept as one page."""
