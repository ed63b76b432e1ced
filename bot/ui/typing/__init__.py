"""Commands as text: read, completed, explained."""
