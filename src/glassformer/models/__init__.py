"""Models: what each is made of, built, sized, saved and read from. They know ids, no words."""
