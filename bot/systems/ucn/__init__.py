"""Ultracombat Normandy: its combat sequences."""

HOMES = {"interrupt": "shoot"}
"""Files that plan several sequences, by sequence: `plan_interrupt` is in shoot. All others have a file of their own."""
