"""A keypad for a die that somebody throws themselves: a button for each face, or a menu for a large die."""

from __future__ import annotations

from bot.interface.reply.parts import Small, Thrown
from bot.interface.reply.reply import Button, Menu, MenuEntry, Reply
from bot.rules.errors import DieOwed

KEYPAD, LISTED = 10, 25
"""Faces that a keypad has at most, and a menu; larger dice are typed."""
LONGEST = 90


def keypad(owed: DieOwed, key: str) -> Reply | None:
    """The keypad for the die that the draft `key` owes next; None for one that can only be typed.

    What was entered so far is in the buttons, `die:KEY:6,1`.
    """
    sides, hand = owed.sides.removeprefix("d"), ",".join(map(str, owed.given))
    faces = range(1, int(sides) + 1) if sides.isdecimal() and int(sides) <= LISTED else range(0)
    if not faces or len(f"die:{key}:{hand},{len(faces)}") > LONGEST:
        return None
    dice = len(owed.given)
    count = f"{dice} {'die' if dice == 1 else 'dice'} in. " if dice else ""
    actions = {str(face): f"die:{key}:{hand},{face}" if hand else f"die:{key}:{face}" for face in faces}
    listed = len(faces) > KEYPAD
    entries = tuple(MenuEntry(action, face) for face, action in actions.items())
    buttons = [] if listed else [Button(action, face) for face, action in actions.items()]
    if hand:
        buttons.append(Button(f"die:{key}:", "Start over"))
    so_far = (Thrown((*owed.given, "?")),) if dice else ()
    return Reply(
        f"{count}Next: {owed.label or 'a die'} ({owed.sides})",
        (*so_far, Small("Nothing is saved until all dice are in.")),
        private=True,
        buttons=tuple(buttons),
        menus=(Menu(f"What the {owed.sides} shows", entries, owed.sides),) if listed else (),
        across=3,
    )
