"""Stages: what every number of a pass is called, how it is worked, kept, read and written. Facts, without torch."""
