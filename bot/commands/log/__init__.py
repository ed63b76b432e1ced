"""The log: read, searched, exported and shared."""
