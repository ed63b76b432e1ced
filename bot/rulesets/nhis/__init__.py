"""No Honor in Surrender: the sequences of the player aid card."""

HOMES = {"damage": "results", "morale": "results"}
"""The file of each sequence that shares one: `plan_damage` is in results. Each other sequence has
a file of its own name.
"""
MARKS = {"fire": ("fired",)}
"""Markers that a sequence can put on the attacker, by sequence; only those that last for a turn."""
