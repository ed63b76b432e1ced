"""The rule sets: their files, and the sequences that are Python."""
