"""Dice as values, and where their faces come from.

A rule never rolls: it says which dice it asks for, and a `Source` answers. The same rule is driven
by the game's provable stream, by dice typed in by hand and by the scripts of tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from bot.rules.errors import DieOwed, Hint, UserError

AVERAGING = (2, 3, 3, 4, 4, 5)
MAX_SIDES = 1_000_000


class Die(NamedTuple):
    """One die that is asked for: what it is for, its sides, and its faces if not 1..sides; the
    `Drawing` of `bot/rules/inputs/decks.py`, if it draws a card. One without sides is not thrown:
    it is known which card comes."""

    label: str
    sides: int = 6
    faces: tuple[int | str, ...] | None = None
    pile: Any = None

    def value(self, index: int) -> int | str:
        """The face that shows when the fair die with the same number of sides shows `index`
        (1..sides).
        """
        return index if self.faces is None else self.faces[index - 1]

    def with_value(self, value: int | str) -> RolledDie:
        """This die on the table, showing `value`."""
        return RolledDie(self.label, self.sides, value, self.faces, self.pile)

    @property
    def name(self) -> str:
        """How a player calls it: d6, dA for the averaging die, d[...] for other faces."""
        if self.faces is None:
            return f"d{self.sides}"
        return "dA" if self.faces == AVERAGING else f"d[{','.join(map(str, self.faces))}]"


class RolledDie(NamedTuple):
    """A die on the table: label, sides, the value that it shows, and its faces if not 1..sides;
    what it drew from.
    """

    label: str
    sides: int
    value: int | str
    faces: tuple[int | str, ...] | None = None
    pile: Any = None

    @property
    def display_value(self) -> object:
        """Its value, or the id of the card that it drew."""
        return self.value if self.pile is None else self.pile.card(self.value)

    @property
    def is_closed(self) -> bool:
        """Return whether its face is shown to nobody: with it everybody could count which cards are
        missing.
        """
        return self.pile is not None and self.pile.pile.order is not None

    def to_note(self) -> dict[str, Any]:
        """As an event of the log keeps it; in the place of a closed face there is the card."""
        note: dict[str, Any] = {"label": self.label, "sides": self.sides, "value": self.value}
        if self.pile is not None:
            note |= {"deck": self.pile.deck.id, "to": self.pile.goes(int(self.value))}
            note |= {"value": self.display_value} if self.is_closed else {}
        return note if self.faces is None else note | {"faces": list(self.faces)}


def d6(label: str) -> Die:
    """A six-sided die."""
    return Die(label, 6)


def d20(label: str) -> Die:
    """A twenty-sided die."""
    return Die(label, 20)


def make_averaging_die(label: str) -> Die:
    """An averaging die, six faces 2 3 3 4 4 5."""
    return Die(label, 6, AVERAGING)


def make_dice(count: int, sides: int, label: str) -> tuple[Die, ...]:
    """`count` alike dice under one label: dice(2, 6, "morale check")."""
    return (Die(label, sides),) * count


class Source(Protocol):
    """Where faces come from. One call is one die, in the order in which the dice are asked for."""

    def draw(self, die: Die) -> int | str:
        """The value that `die` shows."""
        ...


ZERO_IS_HIGHEST = (10, 100, 1000)
"""Sides of dice on which 0, 00 or 000 is printed for the highest face."""
FATE_FACES = (-1, 0, 1)
FATE_SIGNS = {"+": 1, "+1": 1, "-": -1}


def read_printed_face(die: Die, value: object) -> object:
    """Return the face that a player reads off a real die: 0 on a d10 is 10, + on a fate die 1."""
    if die.pile is not None:
        return value
    if die.faces == FATE_FACES and isinstance(value, str):
        return FATE_SIGNS.get(value, value)
    is_zero = die.faces is None and die.sides in ZERO_IS_HIGHEST and value == 0
    return die.sides if is_zero and isinstance(value, int) else value


TENS_FIRST = "tens-first"
"""The code of an error for a d100 whose units are typed before its tens."""


def _join_tens_and_units(tens: object, units: object) -> int | None:
    """Return what two ten-sided dice show on a d100, None if they cannot. 30 and 3 are both 30 of
    the tens, and two zeros are 100."""
    if not isinstance(tens, int) or not isinstance(units, int) or units not in range(10):
        return None
    if tens not in (*range(10), *range(10, 100, 10)):
        return None
    tens_number = tens if tens >= 10 else tens * 10
    return tens_number + units or 100


class Script:
    """Dice given beforehand, in order: by a test, a batch line, or by hand. Must be used up
    exactly. Where cards are `named` each is the id or name of one, else the face of its die.
    Dice `as_printed` are those of players, see `read_printed_face`. A d100 that `has_tens_and_units`
    is two of them: 30 and 7 are 37, 00 and 0 are 100."""

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
        self._named = named
        self._as_printed = as_printed
        self._has_tens_and_units = has_tens_and_units

    def draw(self, die: Die) -> int | str:
        """The next value. Raises DieOwed when none is left, UserError for a face the die does
        not have.
        """
        if self._used == len(self._values):
            cards = f"a card: {die.pile.card_list}" if die.pile is not None and self._named else ""
            raise DieOwed(die.label, cards or die.name, self._values)
        value = self._values[self._used]
        if self._has_tens_and_units and die == Die(die.label, 100):
            return self._draw_tens_and_units(die)
        if self._as_printed:
            value = read_printed_face(die, value)
        if die.pile is not None and (self._named or isinstance(value, str)):
            self._used += 1
            return int(die.pile.face(value))
        possible = range(1, die.sides + 1) if die.faces is None else die.faces
        if isinstance(value, bool) or not isinstance(value, int | str) or value not in possible:
            raise self._no_face(die, value)
        self._used += 1
        return value

    def _no_face(self, die: Die, value: object) -> UserError:
        """Return the error for a face that a die does not have."""
        expected = f"1 to {die.sides}"
        if die.faces is not None:
            expected = ", ".join(map(str, dict.fromkeys(die.faces)))
        shown = str(value)[:20]
        message = (
            f"Die {self._used + 1} ({die.label}) cannot show {shown}: {die.name} shows {expected}."
        )
        hint = ""
        if self._named:
            hint = "Cards by name and dice by number, in the order asked for, with commas."
        return UserError(message, hint=hint, option="hand", code="bad-face")

    def _draw_tens_and_units(self, die: Die) -> int:
        """Return what the next two dice show on a d100. Raises UserError for others."""
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
        hint.wrong, hint.right = f"{first},{second}", f"{second},{first}"
        raise UserError(message, hint=hint, option="hand", code=TENS_FIRST)

    def finish(self) -> None:
        """Raise UserError when dice are left over."""
        left = self._values[self._used :]
        if left:
            shown = ", ".join(str(value)[:20] for value in left[:8])
            hint = Hint("Leave the rest out." if self._used else "Leave them out.")
            hint.wrong, hint.right = (
                ",".join(map(str, values)) for values in (self._values, self._values[: self._used])
            )
            raise UserError(
                f"{len(left)} {'die is' if len(left) == 1 else 'dice are'} left over ({shown}): "
                f"{self._used} {'was' if self._used == 1 else 'were'} asked for.",
                hint=hint,
                option="hand",
                code="dice-left-over",
            )
