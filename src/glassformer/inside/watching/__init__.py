"""Looking inside a PyTorch model that knows nothing of us: attention is caught as it runs, and rebuilt on our core."""
