"""Formats that are no plain text (web pages, Word, reStructuredText, PDF), each written out as notes in Markdown."""
