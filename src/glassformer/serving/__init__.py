"""Trained models for other programs, over HTTP."""
