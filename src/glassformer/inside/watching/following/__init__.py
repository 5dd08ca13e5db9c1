"""Attention that somebody wrote: recognised call by call, and rebuilt on our core. It knows no modules."""
