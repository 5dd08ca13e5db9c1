"""What ran below torch's functions, kernel by kernel: to know what was missed. It rebuilds nothing."""
