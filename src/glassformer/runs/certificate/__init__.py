"""The certificate: what is promised of a model, tried on its own weights."""
