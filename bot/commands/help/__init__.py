"""Help, from the definitions that run."""
