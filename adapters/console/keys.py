"""A letter and Enter for what is done most, the same at any time; a number for the rest under the last answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.interface.reply.reply import Button, Menu, Reply

_WORDS = ("again", "change", "odds", "undo", "other target", "roll it", "what if", "next phase", "pass")
FIXED = dict(zip(_WORDS, "acoutrwnp", strict=True))
"""The letters of buttons and menus, by what these say."""
LINES = {"n": "game next", "p": "game pass", "u": "game undo", "a": "again"}
"""What such a letter does where no button of the last answer has it."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What can be typed for the buttons and menus of an answer."""

    buttons: Mapping[str, Button] = field(default_factory=dict)
    menus: Mapping[str, Menu] = field(default_factory=dict)

    def meant(self, text: str) -> str | Menu | None:
        """The action of what was typed: `a` a button, `t 2` the second entry of a menu. The menu itself for `t`."""
        word, _, number = text.casefold().partition(" ")
        if text.casefold() in self.buttons:
            return self.buttons[text.casefold()].action
        menu = self.menus.get(word)
        if menu is None or not number:
            return menu
        at = int(number) if number.isdecimal() and len(number) < 4 else 0
        return menu.entries[at - 1].action if 0 < at <= len(menu.entries) else None

    def shown(self) -> str:
        """The letters with what they do: `a again   o odds   t other target   1 join US   1-6 the die`."""
        letters = {key: _label(button.label) for key, button in self.buttons.items() if key != button.label}
        letters |= {key: _label(menu.short or menu.label) for key, menu in self.menus.items()}
        faces = [key for key, button in self.buttons.items() if key == button.label]
        told = [f"{letter} {label}" for letter, label in letters.items()]
        return "   ".join([*([f"{faces[0]}-{faces[-1]} the die"] if faces else []), *told])


def keys_of(reply: Reply) -> Keys:
    """The keys of an answer: its letter for what has one, for all else the next number; beside the faces of a die,
    which are their own numbers, the first letter that is free."""
    buttons: dict[str, Button] = {}
    menus: dict[str, Menu] = {}
    labels = [entry.label for menu in reply.menus for entry in menu.entries] + [one.label for one in reply.buttons]
    has_faces = any(map(str.isdecimal, labels))

    def free(label: str) -> str:
        fixed = label if label.isdecimal() else FIXED.get(label.rstrip("….").casefold(), "")
        taken = {*buttons, *menus}
        if fixed and fixed not in taken:
            return fixed
        others = label.casefold() if has_faces else map(str, range(1, 100))
        return next((key for key in others if key.isalnum() and key not in {*taken, *FIXED.values()}), "")

    for button in reply.buttons:
        if key := free(button.label):
            buttons[key] = button
    for menu in reply.menus:
        if all(entry.label.isdecimal() for entry in menu.entries):  # the faces of a large die
            buttons |= {entry.label: Button(entry.action, entry.label) for entry in menu.entries}
        elif key := free(menu.short or menu.label):
            menus[key] = menu
    return Keys(buttons, menus)


def _label(label: str) -> str:
    word = label.rstrip("….")
    return word if word[1:2].isupper() else word[:1].lower() + word[1:]
