"""What a formula of a declared sequence may call, and the values that it works with."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.units import MAX_UNITS, Unit
from bot.rules.sequence.sequence import list_modifiers
from bot.rules.tables.answer_words import describe_answer
from bot.rules.tables.formula import FUNCTIONS
from bot.rules.tables.table import Answer, Table, Tables
from bot.rules.text.names import join_names, number_repeated

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


class FileList(list[Any]):
    """A list of a file, as states of odds hold it: they tell it apart by which one it is."""

    __hash__ = object.__hash__  # type: ignore[assignment]


class FileWords(dict[str, Any]):
    """The same of words by their names."""

    __hash__ = object.__hash__  # type: ignore[assignment]


def make_hashable(value: Any) -> Any:
    """A value of a file with the lists and words in it as states of odds hold them."""
    if isinstance(value, Mapping):
        return FileWords({key: make_hashable(one) for key, one in value.items()})
    if isinstance(value, list):
        return FileList(map(make_hashable, value))
    return tuple(map(make_hashable, value)) if isinstance(value, tuple) else value


class Open:
    """A value that only dice will decide."""

    def __str__(self) -> str:
        return "open "


OPEN = Open()


class Senseless(ValueError):
    """What a function cannot make sense of, in plain words."""


def make_unworkable_error(error: Exception, where: str = "", values: str = "") -> UserError:
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


class TableAnswer:
    """What a table said. It is compared by itself, which is quick, as there is one for each
    question.
    """

    __slots__ = ("_answer", "_given", "out", "parts", "table", "text", "texts", "totals")

    def __init__(self, answer: Answer, table: Table, given: Mapping[str, Any]) -> None:
        self._answer = answer
        self._given = given
        self.table = table
        self.out: Mapping[str, Any] = {
            **make_hashable(table.constants),
            **make_hashable(answer.out),
        }
        self.parts, self.totals = (
            list_modifiers(answer.parts),
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


class TableReader:
    """A table as formulas ask it. The same question gives the same row, so that states that hold
    it are compared.
    """

    def __init__(self, tables: Tables, id: str) -> None:
        self._tables = tables
        self._id = id
        self.by = lru_cache(None)(self._build_reader)

    @property
    def table(self) -> Table:
        """The table."""
        return self._tables[self._id]

    def _build_reader(self, names: tuple[str, ...]) -> Callable[..., TableAnswer]:
        """A function of the values of these inputs, in this order."""

        @lru_cache(MOST_ROWS, typed=True)  # True is no 1 here
        def row(*values: Any) -> TableAnswer:
            given = dict(zip(names, values, strict=True))
            return TableAnswer(self.table(**given), self.table, given)

        return row


def get_attribute(thing: Any, name: str, default: Any = ..., example: str = "5") -> Any:
    """`thing.name` of a unit or of what a table said; none where there is no such thing.

    Raises UserError for a number that the unit lacks, unless there is a `default`; its hint shows
    the `example`.
    """
    if thing.__class__ is TableAnswer:
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


def get_output(answer: Any, output: str, default: Any) -> Any:
    """Return an output of an answer that may not be there, or may be of a table without it."""
    if answer.__class__ is TableAnswer and answer.has(output):
        return get_attribute(answer, output)
    return default


def describe(answer: Any) -> str:
    """Return an answer in a line; none if there is no answer."""
    return answer.describe() if answer.__class__ is TableAnswer else NONE


def has(unit: Any, word: str) -> bool:
    """Return whether a unit bears the flag or the marker `word`."""
    return isinstance(unit, Unit) and (word in unit.flags or word in unit.marks)


def list_answer_parts(answer: TableAnswer, total: str | None = None) -> tuple[tuple[str, Any], ...]:
    """The named modifiers of a table's answer, those of one total or all."""
    if total is None:
        return answer.parts
    return tuple(
        [part for part, own in zip(answer.parts, answer.totals, strict=True) if own == total]
    )


def get_note(answer: TableAnswer, key: str) -> str:
    """The note that the table has for a word, none where it has none."""
    return answer.texts.get(key, NONE)


def add_up(items: Iterable[Any]) -> Any:
    """The sum of numbers, or of named parts."""
    return sum([item[1] if item.__class__ is tuple else item for item in items])


def format_value(value: Any) -> str:
    """A value as a text shows it: a unit by its word."""
    if value.__class__ is str:
        return value
    return value.word if value.__class__ is Unit else str(value)


def join_text(*pieces: Any) -> str:
    """The pieces in a row, cut where they are too long."""
    return "".join([piece if piece.__class__ is str else format_value(piece) for piece in pieces])[
        :MOST_TEXT
    ]


def multiply(one: Any, other: Any) -> Any:
    """A product that cannot grow without end, however often it is multiplied. Raises Senseless."""
    value = (
        one * other
        if one.__class__ is int and other.__class__ is int
        else _number(one) * _number(other)
    )
    if abs(value) > MOST_NUMBER:
        raise Senseless("a number grows too large")
    return value


def divide(one: Any, other: Any) -> Any:
    """Return a quotient, of numbers as large as a product may be. Raises Senseless."""
    return _check_size(one / other)


def divide_whole(one: Any, other: Any) -> Any:
    """Return a quotient rounded down, of numbers as large as a product may be. Raises Senseless."""
    return _check_size(one // other)


def _check_size(value: Any) -> Any:
    if not abs(value) <= MOST_NUMBER:
        raise Senseless("a number grows too large")
    return value


def add(one: Any, other: Any) -> Any:
    """A sum of numbers: texts and lists that are added to themselves would grow without end."""
    if one.__class__ is int and other.__class__ is int:
        return one + other
    return _number(one) + _number(other)


def compute_remainder(one: Any, other: Any) -> Any:
    """What is left of a division of numbers: of a text this would be a format."""
    return _number(one) % _number(other)


def _number(value: Any) -> Any:
    if not isinstance(value, NUMBER):
        raise Senseless("only numbers can be reckoned with")
    return value


def build_list(*items: Any) -> tuple[Any, ...]:
    """A list that is written in a formula: lists in it hold no further ones, so that it cannot grow
    without end. Raises Senseless."""
    for item in items:
        if isinstance(item, LISTS) and any(isinstance(below, LISTS) for below in item):
            raise Senseless("lists in lists go too deep")
    return items


def count_passing(faces: tuple[Any, ...], test: Callable[[Any], Any]) -> int:
    """Return how many dice of a roll pass the test."""
    return sum([faces.count(face) for face in set(faces) if test(face)])


def label_unit(units: tuple[Unit, ...], at: int) -> str:
    """The unit's word, numbered by its place in the list where several share it."""
    words = [unit.word for unit in units]
    return f"{words[at]} {at + 1}" if words.count(words[at]) > 1 else words[at]


def label_among_alike(units: tuple[Unit, ...], at: int) -> str:
    """The unit's word, numbered among those that share it."""
    return number_repeated([unit.word for unit in units])[at]


def find_repeated(units: Iterable[Unit]) -> str:
    """The first roster unit that is listed twice, or none."""
    seen: set[str] = set()
    for unit in units:
        if unit.name and unit.name in seen:
            return unit.name
        seen.add(unit.name)
    return NONE


def parse_positions(typed: str, count: int) -> tuple[int, ...]:
    """Positions as they are typed, 1 for the first: `1 3` is (0, 2); all of `count` where nothing
    is typed. Raises UserError."""
    words = () if typed == NONE else str(typed).replace(",", " ").split()
    for word in words:
        if not word.isdecimal() or not 1 <= int(word) <= count:
            raise UserError(f'"{word[:20]}" must be a number from 1 to {count}.', code="bad-value")
    return tuple(dict.fromkeys(int(word) - 1 for word in words)) or tuple(range(count))


def list_numbers(count: int) -> tuple[int, ...]:
    """0, 1, 2 ... so many of them. Raises UserError for more than a list may have."""
    if count > MAX_UNITS:
        raise UserError(
            f"A list has at most {MAX_UNITS} items here, not {count:g}.", code="card-refuses"
        )
    return tuple(range(max(0, count)))


def get_item(items: Any, at: Any) -> Any:
    """`items[at]`, of a list or of words by their names; none past its end."""
    if items.__class__ is dict:
        return items.get(at, NONE)
    if isinstance(items, LISTS):
        return items[at] if 0 <= at < len(items) else NONE
    return items.get(at, NONE) if isinstance(items, Mapping) else NONE


_BY_TYPE: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "any": {"of": get_attribute},
    "bool": {"has": has},
    "parts": {"parts": list_answer_parts},
    "number": {**FUNCTIONS, "sum": add_up, "how_many": count_passing, "number": int},
    "list": {
        "names": lambda items: tuple(name for name, _ in items),
        "numbers": list_numbers,
        "positions": parse_positions,
    },
    "units": {
        "choose": lambda items, places: tuple(items[place] for place in places),
        "rostered": lambda units: tuple(unit for unit in units if unit.name),
        "first": lambda items, count: tuple(items[:count]),
    },
    "text": {
        "noted": get_note,
        "describe": describe,
        "words": lambda value: format_value(value).replace("-", " "),
        "upper": lambda value: format_value(value).upper(),
        "after": lambda value, mark: format_value(value).partition(mark)[2],
        "capital": lambda value: format_value(value)[:1].upper() + format_value(value)[1:],
        "text": join_text,
        "commas": lambda *pieces: join_text(
            ", ".join(format_value(piece) for piece in pieces if piece not in ("", NONE))
        ),
        "signed": lambda number: f"{number:+d}",
        "minus": lambda number: f"{number:g}".replace("-", "−"),
        "called": label_unit,
        "called_among": label_among_alike,
        "joined": lambda units: join_names(
            [format_value(unit) for unit in units if unit not in ("", NONE)]
        ),
        "typed": lambda value: (
            f'"{format_value(value)}"' if " " in format_value(value) else format_value(value)
        ),
        "twice": find_repeated,
    },
}
CALLS = {name: function for some in _BY_TYPE.values() for name, function in some.items()}
"""The functions by name; their arguments and what they are for: docs/packs.md."""
RESULTS = {name: kind for kind, some in _BY_TYPE.items() for name in some}
"""The type of what they give."""
