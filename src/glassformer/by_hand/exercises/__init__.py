"""Exercises: workings made up, slips planted in them, sheets to fill in."""
