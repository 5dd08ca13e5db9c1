"""What stands in the README of an export. It is read where Glassformer is not."""
