"""The page: the front end, and all of it in one HTML file."""
