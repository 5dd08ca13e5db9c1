"""Pages of the terminal: what commands show."""
