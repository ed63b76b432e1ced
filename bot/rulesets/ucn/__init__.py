"""Ultracombat Normandy: its combat sequences."""

HOMES = {"interrupt": "shoot"}
"""Files that plan several sequences, by sequence: `plan_interrupt` is in shoot. All others have
a file of their own.
"""
MARKS = {"shoot": ("activated",), "interrupt": ("activated",)}
"""Markers that a sequence may put on the attackers, by sequence, once a turn."""
