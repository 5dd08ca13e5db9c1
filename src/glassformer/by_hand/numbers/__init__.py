"""Numbers: printed numbers as intervals, expressions worked out, one held against the other."""
