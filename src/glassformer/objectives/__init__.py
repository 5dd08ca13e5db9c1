"""Objectives: where text meets models; what there is to learn, to predict and to score."""
