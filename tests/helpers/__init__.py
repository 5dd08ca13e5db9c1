"""What several tests stand on: small models and runs, reference answers, visitors, killers."""
