"""No Honor in Surrender: the sequences of the player aid card."""

HOMES = {"damage": "results", "morale": "results"}
"""Files that plan several sequences, by sequence: `plan_flame` is in fire. All others are in a
file of their own.
"""
MARKS = {"fire": ("fired",)}
"""Markers that a sequence may put on who attacks, by sequence; those that are there once a turn."""
