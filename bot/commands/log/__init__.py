"""The log: read, searched, exported and shared, and the messages that it changes."""
