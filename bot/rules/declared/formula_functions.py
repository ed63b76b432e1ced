"""The functions that formulas may call, and the values that they work with."""

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
"""The value for anything absent in a declared sequence: a unit left out, a blank on the card, a
roll not made.
"""
MOST_TEXT = 2_000
MOST_NUMBER = 10**9
MOST_DICE = 200
MOST_ROWS = 2_000
"""The number of answers of a table that are cached for each set of inputs."""
UNWORKABLE = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)
"""The Python errors of a formula whose values do not fit, such as a word minus 1."""
NUMBER = (int, float)
LISTS = (list, tuple)
OF_UNITS = ("type", "word", "name", "state", "side")
"""The attributes of every unit; the game adds numbers and flags."""


class FileList(list[Any]):
    """A list of a file that is hashed by identity, for the states of odds."""

    __hash__ = object.__hash__  # type: ignore[assignment]


class FileWords(dict[str, Any]):
    """A mapping of a file that is hashed by identity, for the states of odds."""

    __hash__ = object.__hash__  # type: ignore[assignment]


def make_hashable(value: Any) -> Any:
    """Return a value of a file with all its lists and mappings hashable."""
    if isinstance(value, Mapping):
        return FileWords({key: make_hashable(item) for key, item in value.items()})
    if isinstance(value, list):
        return FileList(map(make_hashable, value))
    return tuple(map(make_hashable, value)) if isinstance(value, tuple) else value


class Open:
    """The value of anything that only dice will decide."""

    def __str__(self) -> str:
        return "open "


OPEN = Open()


class Senseless(ValueError):
    """The error of a function that cannot use its values, in plain words."""


def make_unworkable_error(error: Exception, position: str = "", values: str = "") -> UserError:
    """Return the error that a player sees for one of these errors: the position in the file and the
    values, in no words of Python.
    """
    reason = ": these values do not go together"
    if isinstance(error, Senseless):
        reason = f": {error}"
    elif isinstance(error, ZeroDivisionError):
        reason = ": it divides by 0"
    elif isinstance(error, KeyError) and "." in str(error):
        reason = f": nothing has set {str(error)[:80]}"
    opening = f"{position}: " if position else ""
    unworkable = UserError(
        f"{opening}The steps cannot be worked out{reason}{values}.", code="card-refuses"
    )
    unworkable.position = position
    return unworkable


class TableAnswer:
    """The answer of a table. It is compared by identity, which is fast: equal questions share one
    answer.
    """

    __slots__ = ("_answer", "_given", "out", "parts", "table", "text", "texts", "totals")

    def __init__(self, answer: Answer, table: Table, inputs: Mapping[str, Any]) -> None:
        self._answer = answer
        self._given = inputs
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
    """A table as formulas ask it. Equal questions return the same answer, so that states that hold
    answers can be compared.
    """

    def __init__(self, tables: Tables, id: str) -> None:
        self._tables = tables
        self._id = id
        self.by = lru_cache(None)(self._build_reader)

    @property
    def table(self) -> Table:
        return self._tables[self._id]

    def _build_reader(self, names: tuple[str, ...]) -> Callable[..., TableAnswer]:
        """Return a function from the values of the inputs `names`, in this order, to the answer.

        It returns the same answer object for equal values.
        """

        @lru_cache(MOST_ROWS, typed=True)  # True is no 1 here
        def row(*values: Any) -> TableAnswer:
            inputs = dict(zip(names, values, strict=True))
            return TableAnswer(self.table(**inputs), self.table, inputs)

        return row


def get_attribute(thing: Any, name: str, default: Any = ..., example: str = "5") -> Any:
    """Return `thing.name` of a unit or of a table's answer; none if there is no such thing.

    Raises UserError for a number that the unit lacks, unless there is a `default`. Its hint shows
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
    """Return the named modifiers of a table's answer, those of one total or all."""
    if total is None:
        return answer.parts
    return tuple(
        [
            part
            for part, part_total in zip(answer.parts, answer.totals, strict=True)
            if part_total == total
        ]
    )


def get_note(answer: TableAnswer, key: str) -> str:
    """Return the note that the table has for a word, or none."""
    return answer.texts.get(key, NONE)


def add_up(items: Iterable[Any]) -> Any:
    """Return the sum of numbers, or of the values of named parts."""
    return sum([item[1] if item.__class__ is tuple else item for item in items])


def format_value(value: Any) -> str:
    """Return a value as a text: a unit by its word."""
    if value.__class__ is str:
        return value
    return value.word if value.__class__ is Unit else str(value)


def join_text(*pieces: Any) -> str:
    """Join the pieces as one text of limited length."""
    return "".join([piece if piece.__class__ is str else format_value(piece) for piece in pieces])[
        :MOST_TEXT
    ]


def multiply(first: Any, second: Any) -> Any:
    """Return the product of two numbers.

    Raises Senseless if one is not a number, or if the product is too large, so that no formula can
    grow without limit.
    """
    value = (
        first * second
        if first.__class__ is int and second.__class__ is int
        else _number(first) * _number(second)
    )
    if abs(value) > MOST_NUMBER:
        raise Senseless("a number gets too large")
    return value


def divide(first: Any, second: Any) -> Any:
    """Return a quotient. Raises Senseless if it is larger than a product may be."""
    return _check_size(first / second)


def divide_whole(first: Any, second: Any) -> Any:
    """Return a quotient rounded down. Raises Senseless if it is larger than a product may be."""
    return _check_size(first // second)


def _check_size(value: Any) -> Any:
    """Return a number. Raises Senseless if it is larger than a formula may have."""
    if not abs(value) <= MOST_NUMBER:
        raise Senseless("a number gets too large")
    return value


def add(first: Any, second: Any) -> Any:
    """Return the sum of two numbers. Raises Senseless for texts and lists, which could grow without
    limit.
    """
    if first.__class__ is int and second.__class__ is int:
        return first + second
    return _number(first) + _number(second)


def compute_remainder(first: Any, second: Any) -> Any:
    """Return the remainder of a division. Raises Senseless for a text, for which Python would
    format it.
    """
    return _number(first) % _number(second)


def _number(value: Any) -> Any:
    """Return the value. Raises Senseless if it is not a number."""
    if not isinstance(value, NUMBER):
        raise Senseless("only numbers can be used in arithmetic")
    return value


def build_list(*items: Any) -> tuple[Any, ...]:
    """Return a list that is written in a formula. Raises Senseless for lists three levels deep,
    which could grow without limit.
    """
    for item in items:
        if isinstance(item, LISTS) and any(isinstance(below, LISTS) for below in item):
            raise Senseless("lists are nested too deep")
    return items


def count_passing(faces: tuple[Any, ...], test: Callable[[Any], Any]) -> int:
    """Return how many dice of a roll pass the test."""
    return sum([faces.count(face) for face in set(faces) if test(face)])


def label_unit(units: tuple[Unit, ...], index: int) -> str:
    """Return the unit's word, with its position in the list if several units share the word."""
    words = [unit.word for unit in units]
    return f"{words[index]} {index + 1}" if words.count(words[index]) > 1 else words[index]


def label_among_alike(units: tuple[Unit, ...], index: int) -> str:
    """Return the unit's word, numbered among the units that share it."""
    return number_repeated([unit.word for unit in units])[index]


def find_repeated(units: Iterable[Unit]) -> str:
    """Return the name of the first roster unit that is listed twice, or none."""
    names: set[str] = set()
    for unit in units:
        if unit.name and unit.name in names:
            return unit.name
        names.add(unit.name)
    return NONE


def parse_positions(typed: str, count: int) -> tuple[int, ...]:
    """Parse typed positions, 1 for the first: `1 3` is (0, 2). Without any, return all of `count`.

    Raises UserError for a position that is not a number from 1 to `count`.
    """
    words = () if typed == NONE else str(typed).replace(",", " ").split()
    for word in words:
        if not word.isdecimal() or not 1 <= int(word) <= count:
            raise UserError(f'"{word[:20]}" must be a number from 1 to {count}.', code="bad-value")
    return tuple(dict.fromkeys(int(word) - 1 for word in words)) or tuple(range(count))


def list_numbers(count: int) -> tuple[int, ...]:
    """Return the numbers from 0 to `count` - 1. Raises UserError for more than a list may have."""
    if count > MAX_UNITS:
        raise UserError(
            f"A list has at most {MAX_UNITS} items here, not {count:g}.", code="card-refuses"
        )
    return tuple(range(max(0, count)))


def get_item(items: Any, key: Any) -> Any:
    """Return the item of a list at the index `key`, from 0, or the value of a word in a mapping.

    Return `none` (the text) if there is no such item.
    """
    if items.__class__ is dict:
        return items.get(key, NONE)
    if isinstance(items, LISTS):
        return items[key] if 0 <= key < len(items) else NONE
    return items.get(key, NONE) if isinstance(items, Mapping) else NONE


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
"""The functions by name. docs/pack-keys.md lists their arguments and uses."""
RESULTS = {name: kind for kind, some in _BY_TYPE.items() for name in some}
"""The types of their results, by name."""
