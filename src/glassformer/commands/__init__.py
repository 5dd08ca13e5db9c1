"""The commands, one file each: what a command takes, and how its answer is shown or written."""
