"""What is kept of a server, a channel or a person beside its game."""
