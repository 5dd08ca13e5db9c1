"""The studio: the four promises as one page in a browser on this machine."""
