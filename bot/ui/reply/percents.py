"""Chances as percents, `3%` or `<1%`, and their changes as percentage points."""

from math import floor


def format_percent(chance: float) -> str:
    """Return a chance (0 to 1) in whole percents. One that is not quite impossible or certain is
    never shown as 0 or 100.
    """
    if 0 < chance < 0.01:
        return "<1%"
    if 0.99 < chance < 1:
        return ">99%"
    return f"{floor(chance * 100 + 0.5)}%"


def format_points(difference: float) -> str:
    """Return the change of a chance (-1 to 1) in whole percentage points: `+30`, `\u221213`, or
    `<+1` for a smaller one; "" if there is no change.
    """
    points = floor(abs(difference) * 100 + 0.5)
    if points:
        return f"+{points}" if difference > 0 else f"\u2212{points}"
    if not difference:
        return ""
    return "<+1" if difference > 0 else "<\u22121"


def format_rounded_points(chance: float, difference: float) -> str:
    """Return the change that led to `chance`, by `difference`, in the form of format_points. It is
    the difference between the whole percents that are shown: 81% and 90% are 9 apart.

    Near 0 and 1, and if the shown percents are equal, it is the rounded `difference`.
    """
    previous = chance - difference
    if not 0.01 <= chance <= 0.99 or not 0.01 <= previous <= 0.99:
        return format_points(difference)
    points = floor(chance * 100 + 0.5) - floor(previous * 100 + 0.5)
    return format_points(points / 100) if points else format_points(difference)
