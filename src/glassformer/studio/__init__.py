"""The studio: four rooms (by hand, inside, race, train) as one page in a browser on this machine."""
