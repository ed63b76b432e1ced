"""What a declared sequence calls while it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

from bot.rules.declared.calls import LISTS, NONE
from bot.rules.declared.settling import pieced
from bot.rules.dice import AVERAGING, Die
from bot.rules.errors import UserError
from bot.rules.inputs.units import MAX_UNITS

MOST_ROLLS, MOST_DICE = 10_000, 200
UNWORKABLE = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)
"""What Python raises where a formula makes no sense of its values, such as a word less 1."""


def unworkable(error: Exception) -> UserError:
    """The error that a player sees."""
    shown = " ".join(str(error).split())[:120]
    if isinstance(error, KeyError):
        shown = f"nothing has set {shown}"
    return UserError(f"The steps of this sequence cannot be worked out: {shown}.", code="card-refuses")


class Now(NamedTuple):
    """The state: which roll is owed, and the values that are still read after it."""

    owes: str | None
    values: tuple[Any, ...] = ()


class Dice(NamedTuple):
    """The dice of one roll, and where those of each key begin and end."""

    dice: tuple[Die, ...]
    cuts: tuple[tuple[int, int], ...]


class Open:
    """A value that only dice will decide."""

    def __str__(self) -> str:
        return "open "


OPEN = Open()


@lru_cache(maxsize=512)
def dice_of(specs: tuple[tuple[Any, Any, str | tuple[str, ...]], ...]) -> Dice:
    """The dice by count, sides and label of each key, or a label for each. Raises UserError for too many."""
    some: list[tuple[Die, ...]] = []
    for count, faces, name in specs:
        if OPEN in (count, faces):
            raise undecided("the number or sides of its dice")
        labels = (name,) * _whole(count, 0, MOST_DICE) if isinstance(name, str) else name
        die = Die("", 6, AVERAGING) if faces == "A" else Die("", _whole(faces, 1, MOST_ROLLS))
        some.append(tuple([Die(label, die.sides, die.faces) for label in labels]))
    if prod(max(len(dice) * max((die.sides for die in dice), default=1), 1) for dice in some) > MOST_ROLLS:
        raise _too_many_dice()
    ends = [sum(map(len, some[: at + 1])) for at in range(len(some))]
    return Dice(tuple(die for dice in some for die in dice), tuple(zip([0, *ends], ends, strict=False)))


def _too_many_dice() -> UserError:
    return UserError("These are too many dice at once.", code="too-large")


def _whole(written: str, least: int, most: int) -> int:
    if not written.lstrip("-").isdecimal() or int(written) < least:
        raise UserError(f"{written[:20]} cannot be the number of dice or sides.", code="bad-value")
    if int(written) > most:
        raise _too_many_dice()
    return int(written)


def undecided(what: str) -> UserError:
    """The error for what a roll would have to decide."""
    return UserError("A roll cannot decide this part of a sequence.", hint=what, code="card-refuses")


def listed(items: Any) -> tuple[Any, ...]:
    """What a step goes through; nothing for what is no list. Raises UserError for too many."""
    if items is OPEN:
        raise undecided("the list that a step goes through")
    if not isinstance(items, LISTS):
        return ()
    if len(items) > MAX_UNITS:
        raise UserError(f"A list has at most {MAX_UNITS} items here.", code="card-refuses")
    return tuple(items)


def refuse(say: Any, hint: Sequence[Any], option: Any, code: str) -> None:
    """Raise the UserError of a refusal."""
    if OPEN in (say, option, *hint):
        raise undecided("what a refusal says")
    raise UserError(str(say), hint=pieced([str(piece) for piece in hint]), option=str(option) or None, code=code)


Named = tuple[str | None, Any]


def counted(named: Iterable[Named]) -> tuple[tuple[str, Any], ...]:
    """Named parts in a row, those of 0 left out."""
    found: list[tuple[str, Any]] = []
    for word, value in named:
        if word is None:
            found += value
        elif value:
            found.append((word, value))
    return tuple(found)


def total(value: Any) -> Any:
    """The total of a line; None where there is none."""
    return None if value == NONE else value


def added(before: tuple[Any, ...], label: str, value: Any) -> tuple[Any, ...]:
    """Named parts with one more, unless it is 0."""
    return (*before, (label, value)) if value else before


class Unset:
    """What an item has not kept: whoever makes anything of it is shown what is missing."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _missing(self, *_: Any) -> Any:
        raise KeyError(self._name)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __hash__ = __str__ = _missing
    __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __floordiv__ = __neg__ = __iter__ = __len__ = _missing


Kept = tuple[tuple[int, Any], ...]


def own_get(kept: Kept, number: int, called: str) -> Any:
    """What an item of a list has kept; `called` is the list, and the name of the value."""
    for at, value in kept:
        if at == number:
            return value
    listed, _, mine = called.rpartition(" ")
    return Unset(f"{listed}[{number}].{mine}")


def own_drop(kept: Kept, number: int) -> Kept:
    """What the other items have kept."""
    return tuple([pair for pair in kept if pair[0] != number])


def own_set(kept: Kept, number: int, value: Any) -> Kept:
    """What all have kept once this item keeps `value`."""
    if value.__class__ is Unset:
        return kept
    return (*own_drop(kept, number), (number, value))


def or_null(value: Any) -> Any:
    """None, which is null in a log, for what is not there."""
    return None if value == NONE else value


def twice(name: str) -> None:
    """Raise UserError for an output that is told once more."""
    raise UserError(f"The steps of this sequence tell {name} twice.", code="card-refuses")


ADDED, OWN_GET, OWN_SET, OWN_DROP = "added ", "own get ", "own set ", "own drop "
PROGRAM: Mapping[str, Any] = {ADDED: added, OWN_GET: own_get, OWN_SET: own_set, OWN_DROP: own_drop}
"""What programs call beside what formulas call: names that no formula can write."""
