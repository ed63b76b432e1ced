"""Helpers of tests/adapters/test_taps.py, which other tests use as well."""

from __future__ import annotations

MOST = {
    "first shot, typed": {"Discord": (5, 15), "Slack": (1, 25)},
    "first shot, by form": {"Discord": (9, 0), "Slack": (11, 0)},
    "same shot again": {"Discord": (1, 0), "Slack": (1, 0)},
    "another target": {"Discord": (2, 0), "Slack": (2, 0)},
    "one modifier changed": {"Discord": (3, 0), "Slack": (5, 0)},
    "terrain changed": {"Discord": (4, 0)},
    "hand over": {"Discord": (1, 0)},
    "wrong name mended": {"Discord": (1, 0)},
    "odds, from a card": {"Discord": (5, 0)},
    "look-up": {"Discord": (5, 24)},
    "its whole table": {"Discord": (1, 0)},
    "an order by post": {"Discord": (3, 37)},
    "first shot with a number": {"Discord": (9, 1)},
    "twelve units added": {"Discord": (6, 41)},
    "second volley, three are out": {"Discord": (1, 0)},
    "the end and its report": {"Discord": (2, 0)},
    "undo with consent": {"Discord": (2, 0), "Slack": (2, 0)},
    "a turn without fire": {"Discord": (6, 0), "Slack": (6, 0)},
    "twelve random orders": {"Discord": (3, 16), "Slack": (1, 40)},
    "twelve men firing": {"Discord": (5, 25), "Slack": (1, 60)},
}
"""The most taps and characters that each may cost on each platform."""
