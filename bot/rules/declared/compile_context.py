"""The context in which sequences are compiled: the game and its file, and the words, names and
types of its formulas.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from keyword import iskeyword
from typing import Any

from bot.rules.declared.formula_functions import OF_UNITS
from bot.rules.errors import TableError, did_you_mean
from bot.rules.inputs.decks import GameDeck
from bot.rules.inputs.options import Option
from bot.rules.inputs.tracks import OWNERS, Track
from bot.rules.inputs.units import UnitWords
from bot.rules.tables.table import Table, Tables

Path = tuple[str | int, ...]
"""A position in the file: keys, and positions in lists."""


@dataclass(frozen=True)
class Name:
    """A name that formulas may use: the key of its value, and its type."""

    key: str
    type: str


Names = dict[str, Name]


@dataclass(frozen=True, slots=True)
class SequenceHead:
    """The declaration of a sequence apart from its steps: inputs, outputs, and the output of its
    odds.
    """

    inputs: tuple[Option, ...] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)
    odds_by: str = ""


def _nowhere(_path: Path) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Setting:
    """The game that sequences are declared for.

    Each of `lists` holds words, or values by words. `place` returns the line and column of a path
    of the file (`line 12, column 5`); it is called only for errors. `said` maps words to the way
    they are spoken, if it differs. `markers` are those of units, `results` the results of units
    that game.yaml puts into words.
    """

    file: str
    tables: Tables = field(default_factory=dict)
    lists: Mapping[str, tuple[Any, ...] | Mapping[str, Any]] = field(default_factory=dict)
    words: Mapping[str, UnitWords] = field(default_factory=dict)
    place: Callable[[Path], str] = _nowhere
    tracks: Mapping[str, Track] = field(default_factory=dict)
    said: Mapping[str, str] = field(default_factory=dict)
    decks: Mapping[str, GameDeck] = field(default_factory=dict)
    markers: tuple[str, ...] = ()
    results: tuple[str, ...] = ()

    def make_error(
        self, problem: str, path: Path, name: str = "", candidates: Iterable[str] = ()
    ) -> TableError:
        """Return the error at a path. Its hint is the most similar of `candidates` to `name`."""
        near = did_you_mean(name, list(candidates)) if name else ""
        file = ", ".join(filter(None, (self.file, self.place(path))))
        return TableError(file, f"{problem}{'. ' + near if near else ''}", row=format_path(path))

    @property
    def attributes(self) -> dict[str, Option]:
        """Return the attributes of all units, by name."""
        return {
            name: option for words in self.words.values() for name, option in words.keys.items()
        }

    @property
    def unit_types(self) -> list[str]:
        """Return the types of all units."""
        return [type_ for words in self.words.values() for type_ in words.types]

    @property
    def states(self) -> list[str]:
        """Return the states that a unit may be in."""
        return [
            state for words in self.words.values() for state in (*words.known_states, *words.states)
        ]

    @property
    def marks(self) -> list[str]:
        """Return the markers and flags of units."""
        flags = [flag for words in self.words.values() for flag in words.flags]
        return [*self.markers, *flags]

    def build_track_names(self) -> dict[str, Name]:
        """Return the names under which formulas read the tracks of the game, such as
        `track.weather` or `side.points`.
        """
        names = {}
        for track in self.tracks.values():
            type_ = "text" if track.words else "number"
            owners = OWNERS[1:] if track.by_side else OWNERS[:1]
            for owner in owners:
                name = f"{owner}.{track.name}"
                names[name] = Name(name, type_)
        return names

    def build_vocabulary(self) -> tuple[dict[str, str], set[str]]:
        """Return the types of the attributes of units by name, and the words of the game that
        formulas may use without quotes.
        """
        units = dict.fromkeys(OF_UNITS, "text")
        tokens: set[str] = {
            str(word) for items in self.lists.values() for word in items if isinstance(word, str)
        }
        for words in self.words.values():
            units |= {key: NUMBERS.get(option.type, "any") for key, option in words.keys.items()}
            units |= {flag.replace("-", "_"): "bool" for flag in words.flags}
            tokens |= {*words.types, *words.known_states, *words.states, *words.flags, *words.marks}
            tokens |= {str(word) for option in words.keys.values() for word in option.values}
        tokens |= {word for track in self.tracks.values() for word in track.words}
        return units, tokens | self._list_deck_tokens()

    def _list_deck_tokens(self) -> set[str]:
        """Return the ids and words of cards of the game that formulas may use without quotes."""
        words: list[Any] = []
        for deck in self.decks.values():
            words += deck.said
            for card_values in deck.said.values():
                words += card_values.values()
        return {word for word in words if isinstance(word, str) and _TOKEN.fullmatch(word)}


def format_path(path: Path) -> str:
    """Format a path for the author of the file: `morale-check, step 3, let, total`. Positions count
    from 1.
    """
    words: list[str] = []
    for key in path:
        if isinstance(key, int):
            words.append(
                f"step {key + 1}" if words and words[-1] in ("steps", "else") else f"item {key + 1}"
            )
        else:
            words.append(str(key))
    shown_words = [
        word
        for item_path, word in enumerate(words)
        if word != "steps" and not (item_path == 0 and word == "sequences")
    ]
    return ", ".join(shown_words)


# -- words and types

NUMBERS = {"int": "number", "number": "number", "bool": "bool"}
"""The types of formulas for options, outputs and attributes that are not words."""
FACES = "!"
"""The suffix of the name of a roll's single faces."""
SHOWN = "!shown"
"""The suffix of the name of the marked dice of a roll with words, as the answer shows them."""
FACE = "!face"
"""The key of the current die in the test of how_many(...)."""
_KINDS = {*NUMBERS, "token", "tokens", "text", "str"}
"""The kinds of outputs that are not words of the game."""
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*")


@lru_cache(4096)
def format_name(name: str) -> str:
    """Return the name of an input in formulas: `from` becomes `from_`, hyphens become
    underscores.
    """
    return f"{name}_" if iskeyword(name) else str(name).replace("-", "_")


ANSWER = "table:"
"""The prefix of the type of a table's answer; the ids of the possible tables follow."""
FOLLOWS = "?"
"""The mark before the ids if the answer may be none, because no table may have been asked."""


def get_answer_type(ids: Iterable[str], follows: bool = False) -> str:
    """Return the type of an answer of one of these tables."""
    return f"{ANSWER}{FOLLOWS if follows else ''}{'|'.join(sorted(ids))}"


def list_answering_tables(type_: str) -> tuple[str, ...]:
    """Return the ids of the tables that an answer of this type may be of; none for other types."""
    if not type_.startswith(ANSWER):
        return ()
    return tuple(type_.removeprefix(ANSWER).removeprefix(FOLLOWS).split("|"))


def may_be_missing(type_: str) -> bool:
    """Return whether an answer of this type may be none, as no table was asked."""
    return type_.startswith(ANSWER + FOLLOWS)


def merge_types(first: str, second: str) -> str:
    """Return the type of a value that has one of two types. `none` fits every type."""
    if first != second and first.startswith(ANSWER) and second.startswith(ANSWER):
        ids = {*list_answering_tables(first), *list_answering_tables(second)}
        return get_answer_type(ids, may_be_missing(first) or may_be_missing(second))
    if "none" in (first, second):
        kind = second if first == "none" else first
        return (
            get_answer_type(list_answering_tables(kind), follows=True)
            if list_answering_tables(kind)
            else kind
        )
    return first if first == second else "any"


def get_stated_type(spec: object) -> str:
    """Return the formula type of an output as it is declared.

    `int` and `int or none` are a number, `bool` is a type of its own, and words such as `pass |
    fails` are a text. Anything else is any: a list, and a number or bool that may also be a word,
    such as `int or miss`.
    """
    kind = NUMBERS.get(re.split(r"\W", str(spec).strip())[0])
    if kind and list_output_words(spec) - {"none"}:
        return "any"
    return kind or (
        "text" if not str(spec).startswith("list") and list_output_words(spec) else "any"
    )


def list_item_outputs(spec: object) -> dict[str, str]:
    """Return the outputs of the items of a list output by name; empty for any other output."""
    kind, _, content = str(spec).partition("{")
    inner, closing, _ = content.rpartition("}")
    if "list" not in kind or not closing:
        return {}
    pieces = [piece.partition(":") for piece in _split_outputs(inner)]
    return {name.split("(")[0].strip(): kind.strip() for name, _, kind in pieces}


def _split_outputs(text: str) -> list[str]:
    """Return the pieces between commas; one that is in a choice of words (`a, b | c`) separates
    nothing.
    """
    outputs: list[str] = []
    is_in_choice = False
    for piece in reversed(text.split(",")):
        if outputs and is_in_choice:
            outputs[-1] = f"{piece},{outputs[-1]}"
        else:
            outputs.append(piece)
        name, colon, _ = piece.partition(":")
        if colon or "|" in piece:
            is_in_choice = "|" in name
    return outputs[::-1]


def list_output_words(spec: object) -> set[str]:
    """Return the words that a declared output may be: `pass | fails`, `none, eliminated or
    shaken-moved`. For a list, return those of its items.
    """
    kinds = (
        list(map(str, spec))
        if isinstance(spec, list | tuple)
        else list(list_item_outputs(spec).values()) or [str(spec)]
    )
    kinds = [kind.removeprefix("list of ") for kind in kinds]
    pieces = {
        piece.strip() for kind in kinds for piece in re.split(r"\||,|(?<![\w-])or(?![\w-])", kind)
    }
    return {piece for piece in pieces if _TOKEN.fullmatch(piece) and piece not in _KINDS}


def list_table_words(table: Table) -> set[str]:
    """Return the words that a table takes as inputs and gives as outputs."""
    words = {str(word) for option in table.inputs for word in option.values}
    return words.union(*(list_output_words(kind) for kind in table.outputs.values()))


_SPOKEN = {"units": "a list of units", "parts": "a list of named parts", "bool": "a true or false"}
"""Names of types for authors; other types are called by their own name."""


def describe_type(kind: str) -> str:
    """Return the name of a type for an author."""
    if ids := list_answering_tables(kind):
        return f"an answer of table {' or '.join(ids)}"
    return _SPOKEN.get(kind, f"a {kind}")
