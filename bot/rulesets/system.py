"""What a game is: tables/<system>/game.yaml, sequences.yaml and one YAML file per table, each
read when first used.
"""

from __future__ import annotations

import importlib
import os
import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from bot.rules.cards import PLAY, SETTLED
from bot.rules.errors import Slip, TableError, UserError, did_you_mean, name_row_of_errors
from bot.rules.inputs.options import InputReader, Option, TokenLists, build_option
from bot.rules.tables.compile import check_examples, compile_chart
from bot.rules.tables.table import CHAIN, Table, Tables
from bot.rulesets.around_sequence import (
    ANYWAY,
    read_bans,
    read_cautions,
    read_landings,
    read_rides,
)
from bot.rulesets.bears import read_bears
from bot.rulesets.game_file import LED_BY, check_buttons, check_game
from bot.rulesets.table_names import fold_name, list_names
from bot.rulesets.yaml_cache import read_yaml

if TYPE_CHECKING:
    # a lookup takes 0.10 s without them, 0.18 s with what reads inputs and plays sequences
    from bot.rules.declared.compile_context import Path
    from bot.rules.declared.declared import Declared
    from bot.rules.dice import Source
    from bot.rules.inputs.decks import GameDeck
    from bot.rules.inputs.input_values import Given
    from bot.rules.inputs.tracks import Track
    from bot.rules.inputs.units import Roster, UnitWords
    from bot.rules.sequence.effects import Effects
    from bot.rules.sequence.sequence import Choice, Plan, Play
    from bot.rulesets.optional_rules import OptionalRule

T = TypeVar("T")
SCENARIOS = "scenarios"
"""The folder of a system with those that are ready to play."""
DECKS = "decks"
"""The folder of a system with its decks, one file for each."""
STEPS, SHARED = "steps", "steps/shared"
"""The folder of a system with the sequences that are declared, one file for each, and in it the
file with lists, formulas and blocks for all of them."""
ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
TABLES = os.path.join(
    ROOT if os.path.isdir(os.path.join(ROOT, "tables")) else os.path.dirname(ROOT), "tables"
)
"""In a wheel they are inside the package, in a checkout beside it."""
SEQUENCE_KEYS = {
    "title", "source", "summary", "inputs", "outputs", "dice", "odds_by", "odds_row", "example", "notes", "state",
    "group", "modifiers", "verb", "cause", "common", "procedure", "rounds",
    "steps", "bans", "rides", "lands", "repeats", "bears", "acts", "phases", "cautions",
}  # fmt: skip
SHARES = ("lists", "formulas", "blocks")
"""What the sequences of a game share."""
DEEPEST = 5
"""The most tables that may be rolled one after another."""
ROLL = "Roll"
"""The verb of a sequence that names none: its first line has the `cause` instead."""
NO_ACTS = (ROLL, "Check", "Count", "Settle")
"""The verbs of sequences in which units do nothing of their own accord: something befalls them."""
FIRES = ("Fire", "Shoot", "Attack")
"""The verbs of sequences that fire."""
ATTACKS = (*FIRES, "Fight")
"""Of all that are done to somebody else."""


_TITLE = re.compile(r"^title:\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)


class Sequence:
    """One combat sequence of a game: its options and how to plan it."""

    def __init__(self, system: System, id: str, data: Mapping[str, Any]) -> None:
        file = f"{system.id}/sequences.yaml"
        with name_row_of_errors(file, id):
            if unknown := set(data) - SEQUENCE_KEYS:
                wrong = min(map(str, unknown))
                hint = did_you_mean(wrong, SEQUENCE_KEYS)
                raise TableError(
                    file,
                    f'a sequence has no key "{wrong[:40]}". {hint}'.rstrip(),
                    row=f"{id} {wrong}",
                )
            for key in (
                "title",
                "source",
                "summary",
                "dice",
                "odds_by",
                "notes",
                "state",
                "verb",
                "cause",
                "repeats",
            ):
                if not isinstance(data.get(key) or "", str):
                    raise TableError(file, f"{key} must be a text; quote it", row=id)
            if not isinstance(data.get("acts", True), bool):
                raise TableError(file, "acts must be yes or no", row=id)
            phases = data.get("phases") or []
            if not isinstance(phases, list) or not all(isinstance(one, str) for one in phases):
                raise TableError(file, "phases must be a list of names", row=id)
            for key in ("inputs", "outputs", "example", "rounds", "odds_row"):
                if not isinstance(data.get(key) or {}, Mapping):
                    raise TableError(file, f"{key} must be a mapping", row=id)
            if missing := [key for key in ("title", "source", "summary") if not data.get(key)]:
                raise TableError(file, f"{missing[0]} is missing", row=id)
        self.system = system
        self.id = id
        self.title: str = data["title"]
        self.source: str = data["source"]
        self.summary: str = data["summary"]
        from bot.rulesets.optional_rules import list_rules_setting

        with name_row_of_errors(file, f"{id}, inputs"):
            specs, whens = _split_key(data.get("inputs") or {}, "when")
            specs, decks = _split_key(specs, "in_play")
            specs, places = _split_key(specs, "used")
            read = {name: build_option(name, spec, system.lists) for name, spec in specs.items()}
            self.inputs: tuple[Option, ...] = _let_one_take_many(
                _add_cards(
                    _label_option(option, system, list_rules_setting(system.rules, id, str(name))),
                    decks.get(name),
                    system,
                    places.get(name, ""),
                )
                for name, option in read.items()
            )
        self.inputs = tuple(
            _attach_condition(option, whens, self.inputs, file, id) for option in self.inputs
        )
        self.outputs, self.odds_row, self.rounds, self.example = [
            cast("Mapping[str, Any]", data.get(key) or {})
            for key in ("outputs", "odds_row", "rounds", "example")
        ]
        self.odds_by, self.notes, self.state, self.group = [
            cast("str", data.get(key) or "") for key in ("odds_by", "notes", "state", "group")
        ]
        self.dice: str = data.get("dice") or "none"
        self.steps: list[Any] = data.get("steps") or []
        self.verb: str = data.get("verb") or ROLL
        self.is_act: bool = bool(data.get("acts", self.verb not in NO_ACTS))
        self.phases: tuple[str, ...] = tuple(phases)
        self.cause: str = data.get("cause") or f"rolls {self.title}"
        self.procedure: tuple[str, ...] = tuple(map(str, data.get("procedure") or ()))
        self.common: tuple[str, ...] = tuple(data.get("common") or ())
        known = {name for option in self.inputs for name in (option.name, *option.values)}
        if strange := set(self.common) - known:
            raise TableError(
                file, f"common names {min(strange)}, which is no input and no word of mods", row=id
            )
        self.bans = read_bans(data, file, id)
        self.cautions = read_cautions(data, file, id)
        self.bears = read_bears(data, self.inputs, file, id)
        self.rides = read_rides(data, file, id)
        self.landings = read_landings(data, file, id)
        self.repeats: str = data.get("repeats") or ""
        if self.bans and ANYWAY not in {option.name for option in self.inputs}:
            raise TableError(
                file, f"what the card forbids needs an input {ANYWAY}", row=f"{id} bans"
            )
        self.modifiers: tuple[str, ...] = tuple(data.get("modifiers") or ())
        if missing := [name for name in self.modifiers if name not in system.readable_tables]:
            hint = did_you_mean(str(missing[0]), system.readable_tables)
            raise TableError(
                file,
                f"the game has no table {missing[0]}. {hint}".rstrip(". "),
                row=f"{id} modifiers",
            )

    @cached_property
    def declaration(self) -> Declared | None:
        """Its steps, where they are declared here or in a file beside the tables; else they are
        Python.

        Raises TableError.
        """
        if not self.steps and self.id not in self.system.ids_with_steps:
            return None
        return load_declared(self.system, self.id)

    @property
    def upkeep_by(self) -> str:
        """The input with the units of its upkeep: `unit`, for which it is played one by one, or the
        list `units`; "" for none, or where it needs more."""
        names = [
            one.name
            for one in self.inputs
            if one.many or (one.name, one.type) == ("units", "units")
        ]
        return (
            names[0]
            if names and all(one.name == names[0] for one in self.inputs if one.is_required)
            else ""
        )

    @cached_property
    def tracks(self) -> tuple[Option, ...]:
        """The tracks that its steps read or change, as inputs that the game fills in:
        `side.points`.
        """
        known = self.system.tracks
        names = self.declaration.tracks if known and self.declaration is not None else ()
        return tuple(
            known[name.partition(".")[2]].build_option(name.partition(".")[0]) for name in names
        )

    @cached_property
    def decks(self) -> Mapping[str, GameDeck]:
        """The decks that its steps draw from, by id; what is left of each is an input that the
        game fills in.
        """
        return self.declaration.decks if self.system.decks and self.declaration is not None else {}

    @cached_property
    def effects(self) -> Effects:
        """Return what this sequence may change, before its first die.

        For steps written in Python, their package declares it as LINKS and MARKS.
        """
        if self.declaration is not None:
            return self.declaration.effects
        from bot.rules.sequence.effects import Effects

        package = importlib.import_module(f"bot.rulesets.{self.system.code}")
        links: Iterable[str] = getattr(package, "LINKS", ())
        marks: Mapping[str, Iterable[str]] = getattr(package, "MARKS", {})
        return Effects(links=frozenset(links), marks=frozenset(marks.get(self.id, ())))

    @cached_property
    def _python_plan(self) -> Callable[[Tables, Given], Plan[Any]]:
        """What plans it where its steps are Python."""
        package = importlib.import_module(f"bot.rulesets.{self.system.code}")
        name = self.id.replace("-", "_")
        home = getattr(package, "HOMES", {}).get(name)
        module = importlib.import_module(f"{package.__name__}.{home or name}")
        return cast(
            "Callable[[Tables, Given], Plan[Any]]",
            getattr(module, f"plan_{name}" if home else "plan"),
        )

    @cached_property
    def choices(self) -> Mapping[str, Choice]:
        """What a side chooses in its middle, by name. Raises TableError."""
        return self.declaration.choices if self.declaration is not None else {}

    def read_inputs(self, raw: Mapping[str, object], roster: Roster) -> Given:
        """The inputs cleaned, and with them what was chosen and what is left of decks, where that
        is known. Raises UserError."""
        reads: dict[str, Callable[[Any], Any]] = {
            name: one.parse_picks for name, one in self.choices.items()
        }
        if self.decks:
            from bot.rules.inputs.decks import DECK, parse_pile

            reads |= {f"{DECK}{id}": partial(parse_pile, made) for id, made in self.decks.items()}
        if reads.keys().isdisjoint(raw):
            return self._reader(raw, roster)
        given = self._reader(
            {name: value for name, value in raw.items() if name not in reads}, roster
        )
        more = {
            name: read(raw[name]) for name, read in reads.items() if raw.get(name) not in (None, "")
        }
        return replace(given, values={**given.values, **more})

    def add_default_choices(self, raw: Mapping[str, object]) -> Mapping[str, object]:
        """The inputs with the `else` of each choice that is not among them."""
        return (
            {**{name: one.otherwise for name, one in self.choices.items()}, **raw}
            if self.choices
            else raw
        )

    @cached_property
    def _reader(self) -> Callable[[Mapping[str, object], Roster], Given]:
        """What cleans its inputs; nothing of it is loaded before somebody plays."""
        from bot.rules.inputs.input_values import read_given

        asked = InputReader((*self.inputs, *self.tracks))
        words = self.system.words
        what = f"{self.system.id} {self.id}"
        return lambda raw, roster: read_given(asked, raw, words, roster, what=what)

    def plan(self, given: Given) -> Plan[Any]:
        """The plan for cleaned inputs. Raises UserError for what the card forbids."""
        try:
            if self.declaration is not None:
                return self.declaration.plan(given)
            plan = self._python_plan(self.system.tables, given)
        except UserError as error:
            error.option = error.option or given.find_option(error)
            raise
        except (ArithmeticError, ValueError, LookupError):
            if not self.system.bounded:
                raise
            raise self._make_no_value_error() from None
        return plan

    def play(self, plan: Plan[Any], source: Source) -> Play:
        """What comes of a plan of this sequence with dice from `source`.

        Raises UserError from the source, and where a card of a pack cannot be read: some are when
        dice have fallen.
        """
        from bot.rules.sequence.sequence import play

        try:
            return play(plan, source)
        except (ArithmeticError, ValueError, LookupError):
            if not self.system.bounded:
                raise
            raise self._make_no_value_error() from None

    def _make_no_value_error(self) -> UserError:
        return UserError(f"A formula of {self.title} has no value here.", code="card-refuses")


MINE = "mine"
"""In the place of a list of decks: those of the side that acts."""
BY_DECK = "after"
USED = (BY_DECK, *(place for place in SETTLED if place != PLAY))
"""Where a card may go once it is used: as its deck says of cards in play, or to a place."""


def _split_key(inputs: Mapping[str, Any], key: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The inputs of a sequence without a key that theirs alone have, and what is behind it of
    each that has it.
    """
    specs = {
        name: dict(spec) if isinstance(spec, Mapping) else spec for name, spec in inputs.items()
    }
    found = {name: spec.pop(key, None) for name, spec in specs.items() if isinstance(spec, dict)}
    return specs, {name: said for name, said in found.items() if said is not None}


def _read_decks(option: Option, decks: Any, system: System) -> list[str]:
    """Return the ids of the decks that an option takes cards of. Raises Slip."""
    ids = [*map(str, decks)] if isinstance(decks, list) else []
    if decks == MINE:
        ids = [id for id, deck in system.decks.items() if deck.owner]
        if not ids:
            raise Slip(f"option {option.name}: in_play is mine, but no deck has an owner")
    if not ids or option.type != "enum":
        raise Slip(
            f"option {option.name}: in_play must be a list of decks, of an input of type enum"
        )
    return ids


def _add_cards(option: Option, decks: Any, system: System, used: Any) -> Option:
    """Return the option with its decks, and with the names of their cards as labels.

    If it lists no values, the cards become its values. Unchanged if `decks` is None. `used` is
    where a card goes once it is used. Raises Slip.
    """
    if used and (decks is None or used not in USED):
        places = ", ".join(USED)
        raise Slip(f"option {option.name}: used is one of {places}, of an input with in_play")
    if decks is None:
        return option
    ids = _read_decks(option, decks, system)
    if strange := [id for id in ids if id not in system.decks]:
        raise Slip(
            f"there is no deck {strange[0][:40]}. {did_you_mean(strange[0], system.decks)}".rstrip()
        )
    names = {card: name for id in ids for card, name in system.decks[id].names.items()}
    if strange := [word for word in option.values if word not in names]:
        raise Slip(
            f"option {option.name} has a word {strange[0]}, which is no card of {', '.join(ids)}"
        )
    values = option.values or tuple(names)
    return replace(option, in_play=tuple(ids), values=values, labels=names, used=used)


def _attach_condition(
    option: Option, whens: Mapping[str, Any], options: tuple[Option, ...], file: str, id: str
) -> Option:
    """The option with what tells whether it counts. Raises TableError for a `when` that cannot
    be told from others.
    """
    if option.name not in whens:
        return option
    when = str(whens[option.name])
    row = f"{id}, inputs {option.name}"
    known = {one.name: one for one in options}
    for name in re.findall(r"[a-z_]\w*", when):
        if name == option.name or name in whens:
            problem = "itself" if name == option.name else f"{name}, which has a when of its own"
            raise TableError(file, f"when hangs on {problem}; let it hang on other inputs", row=row)
        if name in known and known[name].type in ("units", "unit"):
            raise TableError(
                file,
                f"when hangs on numbers, words and flags, and {name} is a list of units",
                row=row,
            )
    words = {
        word: word
        for one in options
        for word in one.values
        if one.type == "enum" and word not in known
    }
    flags = [word for one in options if one.type == "mods" for word in one.values]
    from bot.rules.tables.formula import compile_formula

    formula = compile_formula(when, {*known, *words, *flags}, file, row=row, bounded=True)

    def is_counted(values: Mapping[str, Any]) -> bool:
        ticked = {word: word in (values.get("mods") or ()) for word in flags}
        try:
            return bool(formula({**words, **ticked, **values}))
        except UserError:  # a number that was left out
            return False

    return replace(option, when=when, matters=is_counted, help=f"{option.help} (if {when})")


def _label_option(option: Option, system: System, ruled: tuple[str, ...]) -> Option:
    """The option with the human word that its game has for it, and the rules that set it."""
    labels = system.game.get("labels") or {}
    known = system.game.get("words") or {}
    words = {
        word: said
        for word in option.values
        if (said := labels.get(word) or format_code(word, known))
    }
    label = option.label or labels.get(option.name) or format_code(option.name, known)
    return replace(
        option, label=label, labels=words if option.type in ("mods", "enum") else {}, ruled=ruled
    )


def format_code(code: str, known: Mapping[str, str]) -> str:
    """A code word with its game's own abbreviations: `mol-same-hex` is `MOL same hex`; "" where
    it holds none.
    """
    pieces = code.replace("_", "-").split("-")
    said = " ".join(known.get(piece, piece) for piece in pieces)
    if code in known or not any(piece in known for piece in pieces):
        return known.get(code, "")
    return said if pieces[0] in known else said[:1].upper() + said[1:]


def _let_one_take_many(options: Iterable[Option]) -> tuple[Option, ...]:
    """The inputs, with the one that takes several units to play the sequence for each: `unit`,
    where nobody is shot at.

    One that takes any name as well takes one: a name may look like several.
    """
    listed = tuple(options)
    shot_at = any(
        option.name.startswith("target") and option.type in ("unit", "units") for option in listed
    )
    return tuple(
        replace(
            option,
            many=option.name == "unit" and option.type == "unit" and not (option.free or shot_at),
        )
        for option in listed
    )


class _Tables(Mapping[str, Table]):
    """The tables of a game, each read and compiled when it is first asked for; equal to
    themselves alone.
    """

    __hash__ = object.__hash__

    def __init__(self, system: System) -> None:
        self._system = system
        self._loaded: dict[str, Table] = {}
        self._names = [name for name in system.list_files() if name not in NO_TABLES]

    def __getitem__(self, id: str) -> Table:
        table = self._loaded.get(id)
        if table is None:
            if id not in self._names:
                raise KeyError(id)
            table = self._loaded[id] = self._system.load_table(id)
        return table

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


NO_TABLES = {"game", "sequences"}


class System:
    """One system: its game file, tables and sequences, loaded lazily."""

    bounded = False
    """Whether its files are a stranger's: formulas are then held to limits."""

    def __init__(self, id: str, root: str | os.PathLike[str] = TABLES) -> None:
        self.id, self.folder = id, os.path.join(root, id)
        self.code = id  # whose Python sequences it plays
        self.about: Any = None  # what pack.yaml says of one out of a pack
        self.parent: System | None = None  # the game that a pack has all else of
        self.base: System | None = None  # the game that a pack adds to
        self._loading: tuple[str, ...] = ()

    @property
    def home(self) -> str:
        """The id of the game with whose units it is played: its own, or that of the game that it
        extends.
        """
        return self.id if self.base is None else self.base.id

    def read(self, name: str) -> Any:
        """The content of one of its YAML files, such as `game` or `scenarios/ford`. Raises
        TableError.
        """
        return read_yaml(os.path.join(self.folder, f"{name}.yaml"))

    def text(self, name: str) -> str:
        """One of its YAML files as it is written."""
        with open(os.path.join(self.folder, f"{name}.yaml"), encoding="utf-8") as file:
            return file.read()

    def list_files(self, folder: str = "") -> list[str]:
        """Its YAML files, or those in a folder of it, without `.yaml`, in alphabetical order."""
        within = os.path.join(self.folder, folder)
        files = os.listdir(within) if os.path.isdir(within) else ()
        return sorted(file.removesuffix(".yaml") for file in files if file.endswith(".yaml"))

    @cached_property
    def game(self) -> Mapping[str, Any]:
        """The content of game.yaml. Raises TableError for one that is wrong anywhere."""
        return check_game(self.read("game"), f"{self.id}/game.yaml")

    @property
    def title(self) -> str:
        """The game's name."""
        return str(self.game["title"])

    @property
    def edition(self) -> int | str:
        """The number of its rules: the same inputs and dice give the same outcome while it stays
        the same. A pack's is the SHA-256 of its files."""
        return int(self.game["edition"])

    @property
    def rule_edition(self) -> dict[str, int | str]:
        """What an event says of the rules that it was played under; of an extension also those
        of its game.
        """
        base = self.base
        return {
            "edition": self.edition,
            **({"base": f"{base.id}@{base.edition}"} if base is not None else {}),
        }

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions of packs that a game is played with where this is its system, the one in
        force last.
        """
        return ()

    @property
    def key(self) -> str:
        """By what `system` finds it, and no other version of it."""
        return self.id

    @cached_property
    def loss_keys(self) -> tuple[str, ...]:
        """The keys of the numbers that count what a unit has lost: wounds, casualties."""
        units = self.game["units"]
        return tuple(
            [key for key in units.get("hurt") or () if key in (units.get("attributes") or {})]
        )

    @cached_property
    def lists(self) -> Mapping[str, tuple[str, ...]]:
        """Token lists that options and outputs name."""
        lists = self.game.get("lists") or {}
        found = TokenLists({name: tuple(items) for name, items in lists.items()})
        also = self.game.get("also") or {}
        found.also = {word: tuple(names) for word, names in also.items()}
        return found

    @cached_property
    def ids_with_steps(self) -> frozenset[str]:
        """The sequences whose steps are declared in a file; the others are Python."""
        return frozenset(self.list_files(STEPS))

    @cached_property
    def tables(self) -> Tables:
        """Tables by id."""
        return _Tables(self)

    @cached_property
    def table_names(self) -> Mapping[str, tuple[str, ...]]:
        """Ids of tables by each printed name, folded: title, number on the card, `also`."""
        return list_names(self.tables.values())

    @property
    def readable_tables(self) -> Tables:
        """The tables that its formulas may read: its own, and those of the game that it extends."""
        return self.tables if self.base is None else ChainMap(self.tables, self.base.tables)  # type: ignore[arg-type]

    @property
    def word_texts(self) -> Mapping[str, str]:
        """How its sequences say a word: a pack's as its game.yaml has it; those of the built-in
        games say their own.
        """
        return (self.game.get("words") or {}) if self.bounded else {}

    @cached_property
    def has_sequences(self) -> bool:
        """Return whether it has combat sequences: a pack may have tables alone."""
        return "sequences" in self.list_files()

    @cached_property
    def scenarios(self) -> Mapping[str, str]:
        """The titles of its scenarios by their ids, in alphabetical order; nothing is read but
        their line `title:`.
        """
        titles = {
            name: _TITLE.search(self.text(f"{SCENARIOS}/{name}"))
            for name in self.list_files(SCENARIOS)
        }
        return {name: found[1] if found else name for name, found in titles.items()}

    @cached_property
    def sequences(self) -> Mapping[str, Sequence]:
        """Sequences by id, in the order of their file. Raises TableError."""
        data = (self.read("sequences") if self.has_sequences else {}) or {}
        if not isinstance(data, dict) or not all(isinstance(id, str) for id in data):
            raise TableError(
                f"{self.id}/sequences.yaml", "must be a mapping of sequences by their ids"
            )
        check_buttons(self.game, data, f"{self.id}/game.yaml")
        found = {id: Sequence(self, id, spec) for id, spec in data.items()}
        from bot.rulesets.optional_rules import check_rules

        inputs = {id: sequence.inputs for id, sequence in found.items()}
        check_rules(self.rules, inputs, self.game, f"{self.id}/game.yaml")
        return found

    @cached_property
    def may_ask(self) -> bool:
        """Return whether a sequence of its files may ask a side in its middle, so that it is worth
        loading them to see.
        """
        files = [
            *(["sequences"] if self.has_sequences else []),
            *(f"{STEPS}/{id}" for id in self.ids_with_steps),
        ]
        return self.bounded and any("choose:" in self.text(file) for file in files)

    @cached_property
    def rules(self) -> Mapping[str, OptionalRule]:
        """Its optional rules by name."""
        from bot.rulesets.optional_rules import read_rules

        return read_rules(self.game.get("rules") or {}, f"{self.id}/game.yaml")

    @cached_property
    def tracks(self) -> Mapping[str, Track]:
        """Its tracks by name."""
        if not (said := self.game.get("tracks")):
            return {}
        from bot.rules.inputs.tracks import read_tracks

        return read_tracks(said, f"{self.id}/game.yaml")

    @cached_property
    def decks(self) -> Mapping[str, GameDeck]:
        """Its decks by their ids, in alphabetical order. Raises TableError."""
        names = self.list_files(DECKS)
        cups = {phase.get(LED_BY): phase["name"] for phase in self.game.get("phases") or ()}
        for cup in cups.keys() - {None, *names}:
            problem = f"there is no deck {cup}: it is decks/{cup}.yaml"
            raise TableError(f"{self.id}/game.yaml", problem, row=f"phases {cups[cup]}, {LED_BY}")
        if not names:
            return {}
        from bot.rules.cards import MOST_DECKS
        from bot.rulesets.deck_file import check_cup, read_deck

        if len(names) > MOST_DECKS:
            raise TableError(
                f"{self.id}/{DECKS}/{names[-1]}.yaml",
                f"is one too many: {MOST_DECKS} decks are kept",
            )
        read = {
            id: read_deck(id, self.read(f"{DECKS}/{id}"), f"{self.id}/{DECKS}/{id}.yaml")
            for id in names
        }
        for id in cups.keys() & {*names}:
            check_cup(
                read[id], self.game["units"].get("attributes") or {}, f"{self.id}/{DECKS}/{id}.yaml"
            )
        return read

    @cached_property
    def words(self) -> Mapping[str, UnitWords]:
        """What may be in the game's unit lists: "units", and further lists with words of their
        own.
        """
        units = self.game.get("units") or {}
        file = f"{self.id}/game.yaml"
        with name_row_of_errors(file, "units"):
            lists = {"units": self._build_words(units, {})}
        with name_row_of_errors(file, "unit_lists"):
            for name, more in (self.game.get("unit_lists") or {}).items():
                with name_row_of_errors(file, f"unit_lists {name}"):
                    lists[name] = self._build_words(units, more)
        return lists

    def _build_words(self, units: Mapping[str, Any], more: Mapping[str, Any]) -> UnitWords:
        keys = dict(units.get("attributes") or {}) | dict(more.get("keys") or {})
        flags = dict(units.get("flags") or {}) | dict(more.get("flags") or {})
        types = more.get("types", units["types"])
        options = {key: build_option(key, spec, self.lists) for key, spec in keys.items()}
        named = tuple(units.get("states") or ())
        well = (units.get("well") or named[:1]) if self.bounded else ()
        states = {state: (state,) for state in named if state in flags}
        states |= {state: tuple(items) for state, items in (units.get("state_flags") or {}).items()}
        from bot.rules.inputs.units import UnitWords

        return UnitWords(
            types=tuple(self.lists[types] if isinstance(types, str) else types),
            keys=options,
            flags=flags,
            marks=units.get("marker_flags") or {},
            states=states,
            sound=named[0] if states and named[0] not in states else "",
            fresh=well[0] if len(well) == 1 else "",
            known_states=named,
            reduced=units.get("reduced") or {},
            reduced_states=tuple(units.get("reduced_states") or ()),
            bare=more.get("bare", ""),
            repeat=more.get("repeat", ""),
        )

    def is_own(self, _name: str) -> bool:
        """Return whether one of its YAML files is a stranger's, so that its formulas are held to
        limits.
        """
        return self.bounded

    def load_table(self, id: str) -> Table:
        """Read, compile and check one table. Raises TableError naming file, row and column."""
        file = f"{self.id}/{id}.yaml"
        data = self.read(id)
        if not isinstance(data, dict):
            raise TableError(file, "is not a table")
        if data.get("like"):
            parent = self.read(data["like"]) if data["like"] in list(self.tables) else None
            if not isinstance(parent, dict):
                raise TableError(
                    file, f"there is no table {str(data['like'])[:40]} in this game", row="like"
                )
            if "outputs" in data and data["outputs"] != parent.get("outputs"):
                parent = {**parent, "says": None}  # it may name outputs that are gone
            data = {**parent, **{key: value for key, value in data.items() if key != "like"}}
        expected = f"{self.id if not self.bounded else self.code}/{id}"
        if data.get("id", expected if self.bounded else None) not in (expected, f"{self.id}/{id}"):
            raise TableError(file, f"its id must be {self.id}/{id}")
        data = {**data, "id": f"{self.id}/{id}"}
        table = compile_chart(
            data, file=file, system=self.id, lists=self.lists, bounded=self.is_own(id)
        )
        table = replace(table, game=self.title, words=self.game.get("words") or {})
        if table.group not in list(self.game["groups"]):
            hint = did_you_mean(str(table.group), self.game["groups"])
            raise TableError(
                file,
                f"the game has no group {str(table.group)[:40]}. {hint}".rstrip(". "),
                row="group",
            )
        check_examples(table, data, file)
        if CHAIN not in table.outputs or CHAIN in data["outputs"]:
            return table
        self._loading = (*self._loading, id)
        try:
            return replace(
                table,
                chain={
                    next: self._get_chained_table(table, next, file)
                    for next in table.outputs[CHAIN]
                },
            )
        finally:
            self._loading = self._loading[:-1]

    def _get_chained_table(self, table: Table, id: str, file: str) -> Table:
        """Return table `id`, to be rolled after `table`.

        Raises TableError if it is unknown, needs an input that `table` lacks, leads back to itself,
        or makes the chain too long.
        """
        known = self.readable_tables
        if id not in list(known):
            raise TableError(
                file,
                f"there is no table {id[:40]}. {did_you_mean(id, known)}".strip(),
                row="results",
            )
        if id in self._loading:
            raise TableError(
                file,
                f"{id} leads back to {id}: tables that roll each other never end",
                row="results",
            )
        found = known[id]
        if found.depth >= DEEPEST:
            raise TableError(
                file, f"more than {DEEPEST} tables are rolled one after another", row="results"
            )
        if lacking := next(found.list_lacking_inputs(table), ""):
            problem = f"{id} needs {lacking}, and {table.id}, which leads to it, has no such input"
            raise TableError(file, problem, row="results")
        return found

    def find_table(self, id: str) -> Table:
        """Return the table with this id or printed name. Raises UserError with the nearest name."""
        if id not in list(self.tables):
            ids = self.table_names.get(fold_name(id), ())
            id = ids[0] if len(ids) == 1 else id
        return self._get_named("table", id, self.tables)

    def get_scores(self, id: str) -> Mapping[str, float]:
        """What each result of a sequence is worth for the side that acts; empty where the game
        does not say.
        """
        scores: Mapping[str, Any] = self.game.get("scores") or {}
        found = scores.get(id, scores.get("*")) or {}
        return {str(word): float(value) for word, value in found.items()}

    def find_sequence(self, id: str) -> Sequence:
        """The sequence called `id`. Raises UserError with the nearest name."""
        return self._get_named("sequence", id, self.sequences)

    def _get_named(self, kind: str, id: str, known: Mapping[str, T]) -> T:
        try:
            return known[id]
        except KeyError:
            hint = did_you_mean(id, known) or f"grognard {kind}s {self.id} lists them all."
            raise UserError(
                f'No {kind} "{id[:40]}" in {self.id} ({self.title}).',
                hint=hint,
                code="not-in-system",
            ) from None


@lru_cache(maxsize=1)
def list_builtin_systems() -> Mapping[str, System]:
    """The systems of the house by id, in alphabetical order; nothing is read but folder names."""
    ids = [id for id in os.listdir(TABLES) if os.path.exists(os.path.join(TABLES, id, "game.yaml"))]
    return {id: System(id) for id in sorted(ids)}


def load_declared(system: System, id: str) -> Declared:
    """The sequence `id` of a game, read and checked. Raises TableError naming file, step, line
    and column.
    """
    from bot.rules.declared.compile_context import SequenceHead, Setting
    from bot.rules.declared.declared import Library

    sequence = system.sequences[id]
    shared = _read_shared(system)
    inline = bool(sequence.steps)
    name = "sequences" if inline else f"{STEPS}/{id}"
    source: dict[str, Any] = {"steps": sequence.steps} if inline else _read(system, name)
    merged: dict[str, Any] = {
        key: {**_get_mapping(shared, key), **_get_mapping(source, key)} for key in SHARES
    }
    merged["sequences"] = {id: {key: value for key, value in source.items() if key not in SHARES}}
    classes = system.game["units"].get("classes") or {}
    lists = {word: tuple(items) for word, items in {**system.lists, **classes}.items()}

    def place(path: Path) -> str:
        from bot.rulesets.yaml_file import find_position

        if path[:1] == ("sequences",):
            inside: Path = (id, *path[2:]) if inline else path[2:]
            return find_position(system.text(name).encode(), inside)
        if len(path) > 1 and path[1] in _get_mapping(source, str(path[0])):
            return find_position(system.text(name).encode(), path)
        for one in filter(None, (system, system.parent or system.base)):
            # the pack's own before its parent's
            if SHARED.rpartition("/")[2] in one.ids_with_steps and (
                found := find_position(one.text(SHARED).encode(), path)
            ):
                return f"{found} of {SHARED}.yaml"
        return ""

    led = [phase.get(LED_BY) for phase in system.game.get("phases") or ()]
    decks = {id: made for id, made in system.decks.items() if id not in led}
    setting = Setting(
        f"{system.id}/{name}.yaml",
        system.readable_tables,
        lists,
        system.words,
        place,
        system.tracks,
        system.word_texts,
        decks,
        tuple(system.game["units"].get("markers") or ()),
        _list_results(system, id),
    )
    head = SequenceHead(sequence.inputs, sequence.outputs, sequence.odds_by)
    return Library(merged, setting, {id: head}).load_sequence(id)


def _list_results(system: System, id: str) -> tuple[str, ...]:
    """Return the results of units that the game file has for a sequence."""
    results = system.game.get("results") or {}
    return tuple({**(results.get("*") or {}), **(results.get(id) or {})})


def _read_shared(system: System) -> dict[str, Any]:
    """What the sequences of a game share; a list, formula or block of a pack replaces its
    parent's whole.
    """
    own = _read(system, SHARED) if SHARED.rpartition("/")[2] in system.ids_with_steps else {}
    above = system.parent or system.base
    if above is None:
        return own
    parent = _read_shared(above)
    return {key: {**_get_mapping(parent, key), **_get_mapping(own, key)} for key in SHARES}


def _get_mapping(source: dict[str, Any], key: str) -> dict[str, Any]:
    found = source.get(key) or {}
    return found if isinstance(found, dict) else {}


def _read(system: System, name: str) -> dict[str, Any]:
    data = system.read(name)
    if not isinstance(data, dict):
        raise TableError(f"{system.id}/{name}.yaml", "must be a mapping with steps")
    return data
