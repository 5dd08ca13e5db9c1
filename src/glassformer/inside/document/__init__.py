"""The document: a look as one JSON text that a page can draw."""
