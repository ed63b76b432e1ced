"""One command: once, in order, stored before it is shown."""
