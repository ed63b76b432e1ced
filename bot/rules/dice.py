"""Dice as values, and the sources of their faces.

A rule never rolls: it names the dice that it needs, and a `Source` provides their faces. So the
same rule works with the game's provable stream, with dice typed by hand and with scripts in tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from bot.rules.errors import DieOwed, Hint, UserError

AVERAGING = (2, 3, 3, 4, 4, 5)
MAX_SIDES = 1_000_000


class Die(NamedTuple):
    """A die that a rule asks for: its label (the purpose of the roll), its sides, and its faces if
    they are not 1..sides.

    `pile` is a `Drawing` of `bot/rules/inputs/decks.py` if the die draws a card. A die with 0 sides
    is not rolled, because the next card is known.
    """

    label: str
    sides: int = 6
    faces: tuple[int | str, ...] | None = None
    pile: Any = None

    def value(self, index: int) -> int | str:
        """Return the face with a number from 1 to `sides`."""
        return index if self.faces is None else self.faces[index - 1]

    def with_value(self, value: int | str) -> RolledDie:
        """Return the rolled die that shows `value`."""
        return RolledDie(self.label, self.sides, value, self.faces, self.pile)

    @property
    def name(self) -> str:
        """The name for players: d6, dA for the averaging die, d[...] for other faces."""
        if self.faces is None:
            return f"d{self.sides}"
        return "dA" if self.faces == AVERAGING else f"d[{','.join(map(str, self.faces))}]"


class RolledDie(NamedTuple):
    """A die after its roll: a `Die` with the value that it shows."""

    label: str
    sides: int
    value: int | str
    faces: tuple[int | str, ...] | None = None
    pile: Any = None

    @property
    def display_value(self) -> object:
        """The value, or the id of the card that the die drew."""
        return self.value if self.pile is None else self.pile.card(self.value)

    @property
    def is_closed(self) -> bool:
        """True if nobody may see the face, because it would reveal which cards are missing from the
        pile.
        """
        return self.pile is not None and self.pile.pile.order is not None

    def to_note(self) -> dict[str, Any]:
        """Return the die as an event of the log stores it, with the card in place of a closed
        face.
        """
        note: dict[str, Any] = {"label": self.label, "sides": self.sides, "value": self.value}
        if self.pile is not None:
            note["deck"] = self.pile.deck.id
            note["to"] = self.pile.goes(int(self.value))
            if self.is_closed:
                note["value"] = self.display_value
        if self.faces is not None:
            note["faces"] = list(self.faces)
        return note


def d6(label: str) -> Die:
    """Return a six-sided die."""
    return Die(label, 6)


def d20(label: str) -> Die:
    """Return a twenty-sided die."""
    return Die(label, 20)


def make_averaging_die(label: str) -> Die:
    """Return an averaging die, with the faces 2 3 3 4 4 5."""
    return Die(label, 6, AVERAGING)


def make_dice(count: int, sides: int, label: str) -> tuple[Die, ...]:
    """Return `count` identical dice under one label: `make_dice(2, 6, "morale check")`."""
    return (Die(label, sides),) * count


class Source(Protocol):
    """A source of faces. Each call draws one die, in the order in which the dice are needed."""

    def draw(self, die: Die) -> int | str:
        """Return the value that `die` shows."""
        ...


ZERO_IS_HIGHEST = (10, 100, 1000)
"""Sides of dice on which 0, 00 or 000 is printed for the highest face."""
FATE_FACES = (-1, 0, 1)
FATE_SIGNS = {"+": 1, "+1": 1, "-": -1}


def read_printed_face(die: Die, value: object) -> object:
    """Return the face for the sign that a real die shows: 10 for 0 on a d10, 1 for + on a fate die.

    Any other value, and any value of a die that draws a card, is returned unchanged.
    """
    if die.pile is not None:
        return value
    if die.faces == FATE_FACES and isinstance(value, str):
        return FATE_SIGNS.get(value, value)
    is_zero = die.faces is None and die.sides in ZERO_IS_HIGHEST and value == 0
    return die.sides if is_zero and isinstance(value, int) else value


TENS_FIRST = "tens-first"
"""The code of an error for a d100 whose units are typed before its tens."""


def _join_tens_and_units(tens: object, units: object) -> int | None:
    """Return the number from 1 to 100 that two ten-sided dice show, None if they cannot.

    The tens may be typed as 3 or 30. Two zeros are 100.
    """
    if not isinstance(tens, int) or not isinstance(units, int) or units not in range(10):
        return None
    if tens not in (*range(10), *range(10, 100, 10)):
        return None
    tens_number = tens if tens >= 10 else tens * 10
    return tens_number + units or 100


class Script:
    """A source of dice whose values are listed in advance, in order: by a test, a line of a batch,
    or by hand. `finish` checks that all of them were used.

    - `named`: cards are listed by id or name. Otherwise a number for a card is the face of its die.
    - `as_printed`: players typed the signs of real dice, see `read_printed_face`.
    - `has_tens_and_units`: a d100 is two of the values: 30 and 7 are 37, 00 and 0 are 100.
    """

    def __init__(
        self,
        values: Sequence[object],
        *,
        named: bool = False,
        as_printed: bool = False,
        has_tens_and_units: bool = False,
    ) -> None:
        self._values = tuple(values)
        self._used = 0
        self._names_cards = named
        self._as_printed = as_printed
        self._has_tens_and_units = has_tens_and_units

    def draw(self, die: Die) -> int | str:
        """Return the next value. Raises DieOwed if none is left, UserError for a face that the die
        does not have.
        """
        if self._used == len(self._values):
            kind = die.name
            if die.pile is not None and self._names_cards:
                kind = f"a card: {die.pile.card_list}"
            raise DieOwed(die.label, kind, self._values)
        value = self._values[self._used]
        if self._has_tens_and_units and die == Die(die.label, 100):
            return self._draw_tens_and_units(die)
        if self._as_printed:
            value = read_printed_face(die, value)
        if die.pile is not None and (self._names_cards or isinstance(value, str)):
            self._used += 1
            return int(die.pile.face(value))
        faces = range(1, die.sides + 1) if die.faces is None else die.faces
        if isinstance(value, bool) or not isinstance(value, int | str) or value not in faces:
            raise self._make_face_error(die, value)
        self._used += 1
        return value

    def _make_face_error(self, die: Die, value: object) -> UserError:
        """Return the error for a face that a die does not have."""
        expected = f"1 to {die.sides}"
        if die.faces is not None:
            expected = ", ".join(map(str, dict.fromkeys(die.faces)))
        typed = str(value)[:20]
        message = (
            f"Die {self._used + 1} ({die.label}) cannot show {typed}: {die.name} shows {expected}."
        )
        hint = ""
        if self._names_cards:
            hint = "Give cards by name and dice by number, in the order asked for, separated by commas."
        return UserError(message, hint=hint, option="hand", code="bad-face")

    def _draw_tens_and_units(self, die: Die) -> int:
        """Return the number from 1 to 100 that the next two values are as tens and units.

        Raises DieOwed if fewer than two are left, UserError for values that are no tens and units.
        """
        pair = self._values[self._used : self._used + 2]
        if len(pair) < 2:
            raise DieOwed(die.label, die.name, self._values)
        self._used += 2
        number = _join_tens_and_units(*pair)
        if number is not None:
            return number
        first, second = pair
        message = f"{first}, {second} are not the tens and units of a d100."
        if _join_tens_and_units(second, first) is None:
            raise UserError(message, option="hand", code="bad-face")
        hint = Hint(f"The tens come first: {second},{first}.")
        hint.wrong = f"{first},{second}"
        hint.right = f"{second},{first}"
        raise UserError(message, hint=hint, option="hand", code=TENS_FIRST)

    def finish(self) -> None:
        """Raise UserError if values are left over."""
        unused = self._values[self._used :]
        if not unused:
            return
        hint = Hint("Leave out the rest." if self._used else "Leave them out.")
        hint.wrong = ",".join(map(str, self._values))
        hint.right = ",".join(map(str, self._values[: self._used]))
        values = ", ".join(str(value)[:20] for value in unused[:8])
        dice_are = "die is" if len(unused) == 1 else "dice are"
        were = "was" if self._used == 1 else "were"
        message = f"{len(unused)} {dice_are} left over ({values}): {self._used} {were} asked for."
        raise UserError(message, hint=hint, option="hand", code="dice-left-over")
