"""What a formula of a declared sequence may call, and the values that it works with."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.units import MAX_UNITS, Unit
from bot.rules.sequence.sequence import parts_of
from bot.rules.tables.answer_words import describe_answer
from bot.rules.tables.formula import FUNCTIONS
from bot.rules.tables.table import Answer, Table, Tables
from bot.rules.text.names import joined, numbered

NONE = "none"
"""What is not there, everywhere in a declared sequence: a unit left out, a blank on the card, a
roll not made.
"""
MOST_TEXT = 2_000
MOST_NUMBER = 10**9
MOST_DICE = 200
MOST_ROWS = 2_000
"""How many rows of a table are remembered for each set of its inputs."""
UNWORKABLE = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)
"""What Python raises where a formula makes no sense of its values, such as a word less 1."""
NUMBER = (int, float)
LISTS = (list, tuple)
OF_UNITS = ("type", "word", "name", "state", "side")
"""What every unit has; further numbers and flags are those of its game."""


class Listed(list[Any]):
    """A list of a file, as states of odds hold it: they tell it apart by which one it is."""

    __hash__ = object.__hash__  # type: ignore[assignment]


class Words(dict[str, Any]):
    """The same of words by their names."""

    __hash__ = object.__hash__  # type: ignore[assignment]


def held(value: Any) -> Any:
    """A value of a file with the lists and words in it as states of odds hold them."""
    if isinstance(value, Mapping):
        return Words({key: held(one) for key, one in value.items()})
    if isinstance(value, list):
        return Listed(map(held, value))
    return tuple(map(held, value)) if isinstance(value, tuple) else value


class Open:
    """A value that only dice will decide."""

    def __str__(self) -> str:
        return "open "


OPEN = Open()


class Senseless(ValueError):
    """What a function cannot make sense of, in plain words."""


def unworkable(error: Exception, where: str = "", values: str = "") -> UserError:
    """The error that a player sees of one of these: where in the file, and with which values. No
    words of Python.
    """
    why = ": these values do not go together"
    if isinstance(error, Senseless):
        why = f": {error}"
    elif isinstance(error, ZeroDivisionError):
        why = ": it divides by 0"
    elif isinstance(error, KeyError) and "." in str(error):
        why = f": nothing has set {str(error)[:80]}"
    where = f"{where}: " if where else ""
    return UserError(f"{where}The steps cannot be worked out{why}{values}.", code="card-refuses")


class Row:
    """What a table said. It is compared by itself, which is quick, as there is one for each
    question.
    """

    __slots__ = ("_answer", "_given", "out", "parts", "table", "text", "texts", "totals")

    def __init__(self, answer: Answer, table: Table, given: Mapping[str, Any]) -> None:
        self._answer = answer
        self._given = given
        self.table = table
        self.out: Mapping[str, Any] = {**held(table.constants), **held(answer.out)}
        self.parts, self.totals = (
            parts_of(answer.parts),
            tuple([part.total for part in answer.parts]),
        )
        self.text = answer.text
        self.texts = table.texts

    def has(self, output: str) -> bool:
        """Return whether its table has this output or constant."""
        return output == "text" or output in self.table.outputs or output in self.table.constants

    def describe(self) -> str:
        """Return in one line what the table answered, with its text if the line lacks it."""
        text = describe_answer(self.table, self._given, self._answer)
        if "text" in self.table.outputs and self.text and self.text not in text:
            text = f"{text}, {self.text}"
        return text


class Reader:
    """A table as formulas ask it. The same question gives the same row, so that states that hold
    it are compared.
    """

    def __init__(self, tables: Tables, id: str) -> None:
        self._tables = tables
        self._id = id
        self.by = lru_cache(None)(self._by)

    @property
    def table(self) -> Table:
        """The table."""
        return self._tables[self._id]

    def _by(self, names: tuple[str, ...]) -> Callable[..., Row]:
        """A function of the values of these inputs, in this order."""

        @lru_cache(MOST_ROWS, typed=True)  # True is no 1 here
        def row(*values: Any) -> Row:
            given = dict(zip(names, values, strict=True))
            return Row(self.table(**given), self.table, given)

        return row


def of(thing: Any, name: str, default: Any = ..., example: str = "5") -> Any:
    """`thing.name` of a unit or of what a table said; none where there is no such thing.

    Raises UserError for a number that the unit lacks, unless there is a `default`; its hint shows
    the `example`.
    """
    if thing.__class__ is Row:
        if name == "text":
            return thing.text
        return thing.out.get(name, NONE if default is ... else default)
    if thing.__class__ is not Unit:
        return NONE if default is ... else default
    if name in OF_UNITS:
        return getattr(thing, name)
    value = thing.numbers.get(name)
    if value is not None:
        return value
    if name in thing.flags:
        return True
    return thing.number(name, example=example) if default is ... else default


def of_any(answer: Any, output: str, default: Any) -> Any:
    """Return an output of an answer that may not be there, or may be of a table without it."""
    if answer.__class__ is Row and answer.has(output):
        return of(answer, output)
    return default


def describe(answer: Any) -> str:
    """Return an answer in a line; none if there is no answer."""
    return answer.describe() if answer.__class__ is Row else NONE


def has(unit: Any, word: str) -> bool:
    """Return whether a unit bears the flag or the marker `word`."""
    return isinstance(unit, Unit) and (word in unit.flags or word in unit.marks)


def parts(answer: Row, total: str | None = None) -> tuple[tuple[str, Any], ...]:
    """The named modifiers of a table's answer, those of one total or all."""
    if total is None:
        return answer.parts
    return tuple(
        [part for part, own in zip(answer.parts, answer.totals, strict=True) if own == total]
    )


def noted(answer: Row, key: str) -> str:
    """The note that the table has for a word, none where it has none."""
    return answer.texts.get(key, NONE)


def total(items: Iterable[Any]) -> Any:
    """The sum of numbers, or of named parts."""
    return sum([item[1] if item.__class__ is tuple else item for item in items])


def said(value: Any) -> str:
    """A value as a text shows it: a unit by its word."""
    if value.__class__ is str:
        return value
    return value.word if value.__class__ is Unit else str(value)


def text(*pieces: Any) -> str:
    """The pieces in a row, cut where they are too long."""
    return "".join([piece if piece.__class__ is str else said(piece) for piece in pieces])[
        :MOST_TEXT
    ]


def times(one: Any, other: Any) -> Any:
    """A product that cannot grow without end, however often it is multiplied. Raises Senseless."""
    value = (
        one * other
        if one.__class__ is int and other.__class__ is int
        else _number(one) * _number(other)
    )
    if abs(value) > MOST_NUMBER:
        raise Senseless("a number grows too large")
    return value


def divided(one: Any, other: Any) -> Any:
    """Return a quotient, of numbers as large as a product may be. Raises Senseless."""
    return _bounded(one / other)


def divided_whole(one: Any, other: Any) -> Any:
    """Return a quotient rounded down, of numbers as large as a product may be. Raises Senseless."""
    return _bounded(one // other)


def _bounded(value: Any) -> Any:
    if not abs(value) <= MOST_NUMBER:
        raise Senseless("a number grows too large")
    return value


def plus(one: Any, other: Any) -> Any:
    """A sum of numbers: texts and lists that are added to themselves would grow without end."""
    if one.__class__ is int and other.__class__ is int:
        return one + other
    return _number(one) + _number(other)


def remainder(one: Any, other: Any) -> Any:
    """What is left of a division of numbers: of a text this would be a format."""
    return _number(one) % _number(other)


def _number(value: Any) -> Any:
    if not isinstance(value, NUMBER):
        raise Senseless("only numbers can be reckoned with")
    return value


def listing(*items: Any) -> tuple[Any, ...]:
    """A list that is written in a formula: lists in it hold no further ones, so that it cannot grow
    without end. Raises Senseless."""
    for item in items:
        if isinstance(item, LISTS) and any(isinstance(below, LISTS) for below in item):
            raise Senseless("lists in lists go too deep")
    return items


def how_many(faces: tuple[Any, ...], test: Callable[[Any], Any]) -> int:
    """Return how many dice of a roll pass the test."""
    return sum([faces.count(face) for face in set(faces) if test(face)])


def called(units: tuple[Unit, ...], at: int) -> str:
    """The unit's word, numbered by its place in the list where several share it."""
    words = [unit.word for unit in units]
    return f"{words[at]} {at + 1}" if words.count(words[at]) > 1 else words[at]


def called_among(units: tuple[Unit, ...], at: int) -> str:
    """The unit's word, numbered among those that share it."""
    return numbered([unit.word for unit in units])[at]


def twice(units: Iterable[Unit]) -> str:
    """The first roster unit that is listed twice, or none."""
    seen: set[str] = set()
    for unit in units:
        if unit.name and unit.name in seen:
            return unit.name
        seen.add(unit.name)
    return NONE


def positions(typed: str, count: int) -> tuple[int, ...]:
    """Positions as they are typed, 1 for the first: `1 3` is (0, 2); all of `count` where nothing
    is typed. Raises UserError."""
    words = () if typed == NONE else str(typed).replace(",", " ").split()
    for word in words:
        if not word.isdecimal() or not 1 <= int(word) <= count:
            raise UserError(f'"{word[:20]}" must be a number from 1 to {count}.', code="bad-value")
    return tuple(dict.fromkeys(int(word) - 1 for word in words)) or tuple(range(count))


def numbers(count: int) -> tuple[int, ...]:
    """0, 1, 2 ... so many of them. Raises UserError for more than a list may have."""
    if count > MAX_UNITS:
        raise UserError(
            f"A list has at most {MAX_UNITS} items here, not {count:g}.", code="card-refuses"
        )
    return tuple(range(max(0, count)))


def item(items: Any, at: Any) -> Any:
    """`items[at]`, of a list or of words by their names; none past its end."""
    if items.__class__ is dict:
        return items.get(at, NONE)
    if isinstance(items, LISTS):
        return items[at] if 0 <= at < len(items) else NONE
    return items.get(at, NONE) if isinstance(items, Mapping) else NONE


_BY_TYPE: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "any": {"of": of},
    "bool": {"has": has},
    "parts": {"parts": parts},
    "number": {**FUNCTIONS, "sum": total, "how_many": how_many, "number": int},
    "list": {
        "names": lambda items: tuple(name for name, _ in items),
        "numbers": numbers,
        "positions": positions,
    },
    "units": {
        "choose": lambda items, places: tuple(items[place] for place in places),
        "rostered": lambda units: tuple(unit for unit in units if unit.name),
        "first": lambda items, count: tuple(items[:count]),
    },
    "text": {
        "noted": noted,
        "describe": describe,
        "words": lambda value: said(value).replace("-", " "),
        "upper": lambda value: said(value).upper(),
        "after": lambda value, mark: said(value).partition(mark)[2],
        "capital": lambda value: said(value)[:1].upper() + said(value)[1:],
        "text": text,
        "commas": lambda *pieces: text(
            ", ".join(said(piece) for piece in pieces if piece not in ("", NONE))
        ),
        "signed": lambda number: f"{number:+d}",
        "minus": lambda number: f"{number:g}".replace("-", "−"),
        "called": called,
        "called_among": called_among,
        "joined": lambda units: joined([said(unit) for unit in units if unit not in ("", NONE)]),
        "typed": lambda value: f'"{said(value)}"' if " " in said(value) else said(value),
        "twice": twice,
    },
}
CALLS = {name: function for some in _BY_TYPE.values() for name, function in some.items()}
"""The functions by name; their arguments and what they are for: docs/packs.md."""
RESULTS = {name: kind for kind, some in _BY_TYPE.items() for name in some}
"""The type of what they give."""
