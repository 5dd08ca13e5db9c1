"""`python -m glassformer` is the command line."""

from glassformer.commands.main import main

main()
