"""The rooms of the studio: what each page may ask for."""
