"""Commands that put a trained model to use: predict, serve, certify."""
