"""Morale and task checks: below the morale level passes, equal pins, above breaks, and a 12 always breaks."""

from __future__ import annotations

CASUALTY = 12
REDUCED = "An unmodified 12: casualty reduction (A10.31)."


def morale_check(dr: int, drm: int, morale: int) -> str:
    """`pass`, `pin` or `break` for an Original DR of 2-12 and the sum of its modifiers.

    Source: A10.31. An unmodified 12 breaks whatever the modifiers.
    """
    if dr == CASUALTY or dr + drm > morale:
        return "break"
    return "pin" if dr + drm == morale else "pass"


def task_check(dr: int, drm: int, morale: int) -> str:
    """`ok`, or `pin` where an Original DR of 2-12 and its modifiers exceed the morale level. Source: A7.8 (PTC)."""
    return "pin" if dr + drm > morale else "ok"
