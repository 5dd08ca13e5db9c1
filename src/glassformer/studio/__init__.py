"""The studio: five rooms (by hand, inside, race, train, lessons) as one page in a browser on this machine."""
