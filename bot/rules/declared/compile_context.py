"""What sequences are declared for: a game and its file, and the words, names and types of its
formulas.
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
"""Where something is in the file: keys, and positions in lists."""


@dataclass(frozen=True)
class Name:
    """A name in sight: the key under which its value is kept, and its type."""

    key: str
    type: str


Names = dict[str, Name]


@dataclass(frozen=True, slots=True)
class SequenceHead:
    """What a sequence says of itself beside its steps: inputs, outputs, and the output that its
    odds are by.
    """

    inputs: tuple[Option, ...] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)
    odds_by: str = ""


def _nowhere(_path: Path) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Setting:
    """The game that sequences are declared for.

    `lists` hold words, or words by their names. `place` finds a path of the file (`line 12, column
    5`), asked only when something is wrong. `said` is how words are said that are not said as they
    are written. `markers` are those of units, `results` the words that game.yaml has for what
    becomes of a unit.
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
        self, problem: str, where: Path, name: str = "", known: Iterable[str] = ()
    ) -> TableError:
        """The error at `where`, with the nearest of the `known` names."""
        near = did_you_mean(name, list(known)) if name else ""
        file = ", ".join(filter(None, (self.file, self.place(where))))
        return TableError(file, f"{problem}{'. ' + near if near else ''}", row=format_path(where))

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
        """The names under which formulas read the tracks of a game, `track.weather` or
        `side.points`.
        """
        return {
            name: Name(name, "text" if track.words else "number")
            for track in self.tracks.values()
            for name in (
                f"{whose}.{track.name}" for whose in (OWNERS[1:] if track.by_side else OWNERS[:1])
            )
        }

    def build_vocabulary(self) -> tuple[dict[str, str], set[str]]:
        """The attributes of a game's units with their types, and the words of the game that may
        be written bare.
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
        for deck in self.decks.values():
            told = [*deck.said, *(value for said in deck.said.values() for value in said.values())]
            tokens |= {word for word in told if isinstance(word, str) and _TOKEN.fullmatch(word)}
        return units, tokens


def format_path(where: Path) -> str:
    """`morale-check, step 3, let, total`: a path as an author of the file reads it, positions
    from 1.
    """
    said: list[str] = []
    for key in where:
        if isinstance(key, int):
            said.append(
                f"step {key + 1}" if said and said[-1] in ("steps", "else") else f"item {key + 1}"
            )
        else:
            said.append(str(key))
    kept = [
        word
        for at, word in enumerate(said)
        if word != "steps" and not (at == 0 and word == "sequences")
    ]
    return ", ".join(kept)


# -- words and types

NUMBERS = {"int": "number", "number": "number", "bool": "bool"}
"""The types of options, outputs and attributes that are no words."""
FACES = "!"
"""Behind the name of a roll: its single faces."""
SHOWN = "!shown"
"""Behind the name of a roll whose dice have words: what an answer shows of them."""
FACE = "!face"
"""The key of the die at hand in the test of how_many(...)."""
_KINDS = {*NUMBERS, "token", "tokens", "text", "str"}
"""What an output is said to be, beside words of its own."""
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*")


@lru_cache(4096)
def format_name(name: str) -> str:
    """An input as formulas write it: one named `from` is written from_, hyphens are underscores."""
    return f"{name}_" if iskeyword(name) else str(name).replace("-", "_")


ANSWER = "table:"
"""The beginning of the type of an answer; after it the tables that it may be of, by ids."""
FOLLOWS = "?"
"""Before the ids of tables that may not have been asked: the answer may be none."""


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


def merge_types(one: str, other: str) -> str:
    """The type of a value that is one or the other; none goes with every type."""
    if one != other and one.startswith(ANSWER) and other.startswith(ANSWER):
        ids = {*list_answering_tables(one), *list_answering_tables(other)}
        return get_answer_type(ids, may_be_missing(one) or may_be_missing(other))
    if "none" in (one, other):
        kind = other if one == "none" else one
        return (
            get_answer_type(list_answering_tables(kind), follows=True)
            if list_answering_tables(kind)
            else kind
        )
    return one if one == other else "any"


def get_stated_type(said: object) -> str:
    """The type that an output states: `int or none` is a number, `pass | fails` a text; any for
    a list and the like.
    """
    kind = NUMBERS.get(re.split(r"\W", str(said).strip())[0])
    if kind and list_output_words(said) - {"none"}:
        return "any"
    return kind or (
        "text" if not str(said).startswith("list") and list_output_words(said) else "any"
    )


def list_item_outputs(said: object) -> dict[str, str]:
    """The outputs of the items of a list output, by name; nothing for another."""
    kind, _, rest = str(said).partition("{")
    inner, closing, _ = rest.rpartition("}")
    if "list" not in kind or not closing:
        return {}
    pieces = [piece.partition(":") for piece in _split_outputs(inner)]
    return {name.split("(")[0].strip(): kind.strip() for name, _, kind in pieces}


def _split_outputs(text: str) -> list[str]:
    """Return the pieces between commas; one that is in a choice of words (`a, b | c`) separates
    nothing.
    """
    found: list[str] = []
    is_in_choice = False
    for piece in reversed(text.split(",")):
        if found and is_in_choice:
            found[-1] = f"{piece},{found[-1]}"
        else:
            found.append(piece)
        name, colon, _ = piece.partition(":")
        if colon or "|" in piece:
            is_in_choice = "|" in name
    return found[::-1]


def list_output_words(said: object) -> set[str]:
    """The words that an output may be: `pass | fails`, `none, eliminated or shaken-moved`; of a
    list, of its items.
    """
    kinds = (
        list(map(str, said))
        if isinstance(said, list | tuple)
        else list(list_item_outputs(said).values()) or [str(said)]
    )
    kinds = [kind.removeprefix("list of ") for kind in kinds]
    pieces = {
        piece.strip() for kind in kinds for piece in re.split(r"\||,|(?<![\w-])or(?![\w-])", kind)
    }
    return {piece for piece in pieces if _TOKEN.fullmatch(piece) and piece not in _KINDS}


def list_table_words(table: Table) -> set[str]:
    """The words that a table takes and gives."""
    taken = {str(word) for option in table.inputs for word in option.values}
    return taken.union(*(list_output_words(said) for said in table.outputs.values()))


_SPOKEN = {"units": "a list of units", "parts": "a list of named parts", "bool": "a true or false"}
"""Types as an author reads them; the others are called as they are."""


def describe_type(kind: str) -> str:
    """A type as an author reads it."""
    if ids := list_answering_tables(kind):
        return f"an answer of table {' or '.join(ids)}"
    return _SPOKEN.get(kind, f"a {kind}")
