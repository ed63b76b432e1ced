"""How seldom Python looks for values that hold each other: a command leaves none, and looking takes time."""

import gc

OFTEN_ENOUGH = 70_000
"""Values made beyond those let go: more than 500 commands hold that are at work at once. With less, each of them paid
for looking at the values of all others."""


def collect_seldom() -> None:
    """From here on what is loaded stays, and no collection looks at it again; new values are looked at now and then."""
    gc.freeze()
    gc.set_threshold(OFTEN_ENOUGH, 20, 20)
    gc.enable()
