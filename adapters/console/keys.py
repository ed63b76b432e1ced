"""One letter and Enter for each button and menu under the last answer; a die's face is its own number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.interface.reply import Button, Menu, Reply


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
        """The letters with what they do: `a again   o odds   t other target   1-6 the die`."""
        letters = {key: _label(button.label) for key, button in self.buttons.items() if not key.isdecimal()}
        letters |= {key: _label(menu.short or menu.label) for key, menu in self.menus.items()}
        faces = [key for key in self.buttons if key.isdecimal()]
        told = [f"{letter} {label}" for letter, label in letters.items()]
        return "   ".join([*([f"{faces[0]}-{faces[-1]} the die"] if faces else []), *told])


def keys_of(reply: Reply) -> Keys:
    """A letter for each button, then for each menu: the first of its label that is free, else none."""
    buttons: dict[str, Button] = {}
    menus: dict[str, Menu] = {}

    def free(label: str) -> str:
        if label.isdecimal():
            return label
        return next((key for key in label.casefold() if key.isalpha() and key not in buttons and key not in menus), "")

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
