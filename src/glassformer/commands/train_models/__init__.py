"""Commands around training: train, compare, evaluate, describe, doctor."""
