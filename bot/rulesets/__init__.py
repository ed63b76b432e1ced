"""The systems: their files, and the sequences that are Python."""
