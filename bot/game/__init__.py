"""What a channel remembers: the state of its game, the events that explain it, and the rules of
undo and roster.
"""
