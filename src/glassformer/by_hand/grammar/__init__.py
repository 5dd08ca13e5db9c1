"""Grammar: mathematics as people write it, as tokens and trees."""
