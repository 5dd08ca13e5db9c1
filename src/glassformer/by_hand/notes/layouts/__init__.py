"""Layouts: matrices and lists that stand over several lines or without brackets, put on one line."""
