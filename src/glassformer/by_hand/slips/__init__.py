"""Slips: why a number is wrong, tried until one cause gives it."""
