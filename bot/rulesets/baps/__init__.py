"""Beer and Pretzels Skirmish: the sequences of its two chart cards."""

HOMES = {
    "flame": "fire",
    "blast": "blasts",
    "barrage": "blasts",
    "he_attack": "blasts",
    "he_gun": "blasts",
    "crash": "vehicles",
}
"""Files that plan several sequences, by sequence: `plan_flame` is in fire. All others are in a
file of their own.
"""
LINKS = ("squad",)
"""Attributes that lead to units beyond the inputs which its sequences may change: a man's squad."""
