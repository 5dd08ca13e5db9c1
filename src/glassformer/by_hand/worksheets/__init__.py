"""Worksheets: the givens of one attention, worked with the core and written down."""
