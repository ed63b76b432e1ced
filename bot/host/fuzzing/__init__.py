"""`grognard fuzz`: random games of a system, each held against what must be true of every game."""
