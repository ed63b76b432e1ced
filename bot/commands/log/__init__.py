"""The log: read, searched, counted, taken back, forgotten."""
