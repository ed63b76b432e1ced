"""Turns and phases: whose go it is, what is due, the board."""
