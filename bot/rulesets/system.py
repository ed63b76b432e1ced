"""The rule set of a game: tables/<system>/game.yaml, sequences.yaml and one YAML file per table,
each read when first used.
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
from bot.rules.shapes import check_shape
from bot.rules.tables.compile import check_examples, compile_table
from bot.rules.tables.table import CHAIN, Table, Tables
from bot.rulesets.around_sequence import (
    ANYWAY,
    read_bans,
    read_cautions,
    read_landings,
    read_rides,
)
from bot.rulesets.bears import read_bears
from bot.rulesets.game_file import check_buttons, check_game
from bot.rulesets.game_keys import LED_BY, UNITS
from bot.rulesets.sequence_keys import PARTS as SEQUENCE_PARTS
from bot.rulesets.solo_rules import check_solo_sequences
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
    from bot.rules.inputs.units import Roster, RosterUnit, UnitWords
    from bot.rules.sequence.effects import Effects
    from bot.rules.sequence.sequence import Choice, Plan, Play
    from bot.rulesets.optional_rules import OptionalRule

T = TypeVar("T")
SCENARIOS = "scenarios"
"""The folder of a system with its scenarios, one file for each."""
DECKS = "decks"
"""The folder of a system with its decks, one file for each."""
STEPS = "steps"
"""The folder of a system with its declared sequences, one file for each."""
SHARED = "steps/shared"
"""The file with lists, formulas and blocks for all declared sequences."""
SHARED_NAME = "shared"
"""The name of that file in its folder."""
ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
TABLES = os.path.join(
    ROOT if os.path.isdir(os.path.join(ROOT, "tables")) else os.path.dirname(ROOT), "tables"
)
"""The folder of all tables: inside the package in a wheel, next to it in a checkout."""
TEXT_KEYS = (
    "title", "source", "summary", "dice", "odds_by", "notes", "state", "verb", "cause", "repeats",
)  # fmt: skip
"""The keys of a sequence that hold a text."""
MAPPING_KEYS = ("inputs", "outputs", "example", "rounds", "odds_row")
"""The keys of a sequence that hold a mapping."""
SHARES = ("lists", "formulas", "blocks")
"""The keys of a declared sequence's file that all sequences of a game share."""
DEEPEST = 5
"""The most tables that may be rolled one after another."""
ROLL = "Roll"
"""The verb of a sequence without one: its first line has the `cause` instead."""
NO_ACTS = (ROLL, "Check", "Count", "Settle")
"""The verbs of sequences in which units do nothing of their own accord: something befalls them."""
FIRES = ("Fire", "Shoot", "Attack")
"""The verbs of sequences that fire."""
ATTACKS = (*FIRES, "Fight")
"""The verbs of sequences that are done to somebody else."""
LUCK_OF_UNITS = "units"
"""The `luck` of a sequence whose scores are those of its units, whoever rolls for them."""
LUCK_OF_FIRST = "first"
"""The `luck` of a sequence whose scores are those of its first unit."""


_TITLE = re.compile(r"^title:\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)


class Sequence:
    """One combat sequence of a game: its options and how to plan it."""

    def __init__(self, system: System, id: str, data: Mapping[str, Any]) -> None:
        """Check the entry `data` of sequences.yaml. Raises TableError for the first fault in it."""
        file = f"{system.id}/sequences.yaml"
        check_shape(data, "sequence", SEQUENCE_PARTS, file, within=id)
        self.system = system
        self.id = id
        texts: dict[str, str] = {key: data.get(key) or "" for key in TEXT_KEYS}
        mappings: dict[str, Mapping[str, Any]] = {key: data.get(key) or {} for key in MAPPING_KEYS}
        self.title: str = data["title"]
        self.source: str = data["source"]
        self.summary: str = data["summary"]
        self.inputs: tuple[Option, ...] = _read_sequence_inputs(system, id, data, file)
        self.outputs = mappings["outputs"]
        self.odds_row = mappings["odds_row"]
        self.rounds = mappings["rounds"]
        self.example = mappings["example"]
        self.odds_by = texts["odds_by"]
        self.notes = texts["notes"]
        self.state = texts["state"]
        self.group: str = data.get("group") or ""
        self.dice = texts["dice"] or "none"
        self.steps: list[Any] = data.get("steps") or []
        self.verb = texts["verb"] or ROLL
        self.is_act: bool = bool(data.get("acts", self.verb not in NO_ACTS))
        self.hits_unit: bool = bool(data.get("hits_unit"))
        self.luck: str = data.get("luck") or ""
        self.phases: tuple[str, ...] = tuple(data.get("phases") or ())
        self.cause = texts["cause"] or f"rolls {self.title}"
        self.procedure: tuple[str, ...] = tuple(map(str, data.get("procedure") or ()))
        self.common: tuple[str, ...] = tuple(data.get("common") or ())
        self._check_common(file)
        self.bans = read_bans(data)
        self.cautions = read_cautions(data)
        self.bears = read_bears(data, self.inputs, file, id)
        self.rides = read_rides(data)
        self.landings = read_landings(data)
        self.repeats = texts["repeats"]
        self._check_bans(file)
        self.modifiers: tuple[str, ...] = tuple(data.get("modifiers") or ())
        self._check_modifiers(file)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the form in which it is sent to another process, which reads it again."""
        return System.find_sequence, (self.system, self.id)

    def _check_common(self, file: str) -> None:
        """Raise TableError if `common` names something that is no input and no value of one."""
        names = {name for option in self.inputs for name in (option.name, *option.values)}
        unknown = set(self.common) - names
        if unknown:
            problem = f"common names {min(unknown)}, which is neither an input nor a word for mods"
            raise TableError(file, problem, row=self.id)

    def _check_bans(self, file: str) -> None:
        """Raise TableError if there are bans but no input with which a player overrides them."""
        if self.bans and ANYWAY not in {option.name for option in self.inputs}:
            problem = f"what the card forbids needs an input {ANYWAY}"
            raise TableError(file, problem, row=f"{self.id} bans")

    def _check_modifiers(self, file: str) -> None:
        """Raise TableError if `modifiers` names a table that the game does not have."""
        tables = self.system.readable_tables
        missing = [name for name in self.modifiers if name not in tables]
        if missing:
            hint = did_you_mean(str(missing[0]), tables)
            problem = f"the game has no table {missing[0]}. {hint}".rstrip(". ")
            raise TableError(file, problem, row=f"{self.id} modifiers")

    @cached_property
    def declaration(self) -> Declared | None:
        """The declared steps, from sequences.yaml or a file of their own; None for Python steps.

        Raises TableError.
        """
        if not self.steps and self.id not in self.system.ids_with_steps:
            return None
        return load_declared(self.system, self.id)

    @property
    def upkeep_by(self) -> str:
        """The input with the units of its upkeep: `unit`, for which it is played one by one, or the
        list `units`.

        "" if there is no such input, or if another input must be typed.
        """
        names = [option.name for option in self.inputs if _takes_upkeep_units(option)]
        if not names:
            return ""
        is_sufficient = all(option.name == names[0] for option in self.inputs if option.is_required)
        return names[0] if is_sufficient else ""

    @cached_property
    def tracks(self) -> tuple[Option, ...]:
        """The tracks that its steps read or change, as inputs: `side.points`.

        The game fills these in. Empty for steps written in Python.
        """
        system_tracks = self.system.tracks
        if not system_tracks or self.declaration is None:
            return ()
        options: list[Option] = []
        for path in self.declaration.tracks:
            scope, _, name = path.partition(".")
            options.append(system_tracks[name].build_option(scope))
        return tuple(options)

    @cached_property
    def decks(self) -> Mapping[str, GameDeck]:
        """The decks that its steps draw from, by id. Empty for steps written in Python.

        The cards that are left in each deck are a further input (`deck.` and its id), which the
        game fills in.
        """
        if not self.system.decks or self.declaration is None:
            return {}
        return self.declaration.decks

    @cached_property
    def effects(self) -> Effects:
        """The possible changes of this sequence, known before its first die.

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
        """The function that plans the sequence if its steps are Python.

        HOMES in the package of the game names the module with `plan_` and the id of the sequence. A
        sequence that is not there has a module of its own with the function `plan`.
        """
        package = importlib.import_module(f"bot.rulesets.{self.system.code}")
        name = self.id.replace("-", "_")
        home = getattr(package, "HOMES", {}).get(name)
        module = importlib.import_module(f"{package.__name__}.{home or name}")
        function = getattr(module, f"plan_{name}" if home else "plan")
        return cast("Callable[[Tables, Given], Plan[Any]]", function)

    @cached_property
    def choices(self) -> Mapping[str, Choice]:
        """The choices that a side makes in the middle of the sequence, by name.

        Empty for steps written in Python. Raises TableError.
        """
        return self.declaration.choices if self.declaration is not None else {}

    def read_inputs(self, raw: Mapping[str, object], roster: Roster) -> Given:
        """Return the cleaned inputs.

        `raw` may also hold choices that were made, and the cards that are left in each deck. Raises
        UserError for a value that does not fit, or that is missing.
        """
        parsers: dict[str, Callable[[Any], Any]] = {
            name: choice.parse_picks for name, choice in self.choices.items()
        }
        if self.decks:
            from bot.rules.inputs.decks import DECK, parse_pile

            for id, deck in self.decks.items():
                parsers[f"{DECK}{id}"] = partial(parse_pile, deck)
        if parsers.keys().isdisjoint(raw):
            return self._reader(raw, roster)
        plain = {name: value for name, value in raw.items() if name not in parsers}
        inputs = self._reader(plain, roster)
        values = {
            name: parse(raw[name])
            for name, parse in parsers.items()
            if raw.get(name) not in (None, "")
        }
        return replace(inputs, values={**inputs.values, **values})

    def add_default_choices(self, raw: Mapping[str, object]) -> Mapping[str, object]:
        """Return the inputs with the `else` of each choice that is not among them."""
        if not self.choices:
            return raw
        defaults = {name: choice.default for name, choice in self.choices.items()}
        return {**defaults, **raw}

    @cached_property
    def _reader(self) -> Callable[[Mapping[str, object], Roster], Given]:
        """The function that cleans typed inputs with the units of a roster.

        It is built when somebody plays, because its modules take time to load.
        """
        from bot.rules.inputs.input_values import read_given

        options = InputReader((*self.inputs, *self.tracks))
        words = self.system.words
        label = f"{self.system.id} {self.id}"
        return lambda raw, roster: read_given(options, raw, words, roster, subject=label)

    def plan(self, inputs: Given) -> Plan[Any]:
        """Return the plan for cleaned inputs.

        Raises UserError for something that the card forbids, or for a formula of a pack that has no
        value for these inputs.
        """
        try:
            if self.declaration is not None:
                return self.declaration.plan(inputs)
            plan = self._python_plan(self.system.tables, inputs)
        except UserError as error:
            error.option = error.option or inputs.find_option(error)
            raise
        except (ArithmeticError, ValueError, LookupError):
            if not self.system.bounded:
                raise
            raise self._make_no_value_error() from None
        return plan

    def play(self, plan: Plan[Any], source: Source) -> Play:
        """Play a plan of this sequence with dice from `source`, and return the result.

        Raises UserError from the source, and for a formula of a pack that has no value for these
        dice: some tables are read only when dice have fallen.
        """
        from bot.rules.sequence.sequence import play

        try:
            return play(plan, source)
        except (ArithmeticError, ValueError, LookupError):
            if not self.system.bounded:
                raise
            raise self._make_no_value_error() from None

    def _make_no_value_error(self) -> UserError:
        return UserError(f"A formula in {self.title} has no value here.", code="card-refuses")


def _read_sequence_inputs(
    system: System, id: str, data: Mapping[str, Any], file: str
) -> tuple[Option, ...]:
    """Return the inputs of a sequence, with labels, decks and conditions. Raises TableError."""
    from bot.rulesets.optional_rules import list_rules_setting

    with name_row_of_errors(file, f"{id}, inputs"):
        specs, conditions = _split_key(data.get("inputs") or {}, "when")
        specs, decks = _split_key(specs, "in_play")
        specs, used = _split_key(specs, "used")
        bare_options = {
            name: build_option(name, spec, system.lists) for name, spec in specs.items()
        }
        options: list[Option] = []
        for name, option in bare_options.items():
            rules = list_rules_setting(system.rules, id, str(name))
            labelled = _label_option(option, system, rules)
            options.append(_add_cards(labelled, decks.get(name), system, used.get(name, "")))
        inputs = _let_one_take_many(options)
    return tuple(_attach_condition(option, conditions, inputs, file, id) for option in inputs)


def _takes_upkeep_units(option: Option) -> bool:
    """Return whether upkeep can put its units into this input: one by one, or all in `units`."""
    return option.many or (option.name == "units" and option.type == "units")


MINE = "mine"
"""The value of `in_play` for the decks of the side that acts."""
BY_DECK = "after"
USED = (BY_DECK, *(place for place in SETTLED if place != PLAY))
"""The places where a used card may go; BY_DECK is the place that its deck has for cards in play."""


def _split_key(inputs: Mapping[str, Any], key: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Split `key` off the input specs: return (specs without it, {input: its value}).

    Inputs without the key are not in the second mapping.
    """
    specs: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for name, spec in inputs.items():
        if isinstance(spec, Mapping):
            spec = dict(spec)
            value = spec.pop(key, None)
            if value is not None:
                values[name] = value
        specs[name] = spec
    return specs, values


def _read_decks(option: Option, decks: Any, system: System) -> list[str]:
    """Return the ids of the decks that an option takes cards of, from its `in_play`.

    Raises Slip if there are none, or if the option is no enum.
    """
    ids = [*map(str, decks)] if isinstance(decks, list) else []
    if decks == MINE:
        ids = [id for id, deck in system.decks.items() if deck.owner]
        if not ids:
            raise Slip(f"option {option.name}: in_play is mine, but no deck has an owner")
    if not ids or option.type != "enum":
        raise Slip(
            f"option {option.name}: in_play must be a list of decks, for an input of type enum"
        )
    return ids


def _add_cards(option: Option, decks: Any, system: System, used: Any) -> Option:
    """Return the option with its decks, and with the names of their cards as labels.

    If it lists no values, the cards become its values. Unchanged if `decks` is None. `used` is the
    place of a card after its use. Raises Slip.
    """
    if used and (decks is None or used not in USED):
        places = ", ".join(USED)
        raise Slip(f"option {option.name}: used must be one of {places}, for an input with in_play")
    if decks is None:
        return option
    ids = _read_decks(option, decks, system)
    for id in ids:
        if id not in system.decks:
            hint = did_you_mean(id, system.decks)
            raise Slip(f"there is no deck {id[:40]}. {hint}".rstrip())
    names = {card: name for id in ids for card, name in system.decks[id].names.items()}
    for word in option.values:
        if word not in names:
            decks_text = ", ".join(ids)
            raise Slip(
                f"option {option.name} has a word {word}, which is not a card in {decks_text}"
            )
    values = option.values or tuple(names)
    return replace(option, in_play=tuple(ids), values=values, labels=names, used=used)


def _attach_condition(
    option: Option, conditions: Mapping[str, Any], options: tuple[Option, ...], file: str, id: str
) -> Option:
    """Return the option with its compiled condition, or unchanged if it has none.

    `conditions` holds the `when` of each input that has one: the option counts only if that formula
    of the other inputs is true. Raises TableError for a `when` that reads itself, an input with a
    condition of its own, or units.
    """
    if option.name not in conditions:
        return option
    condition = str(conditions[option.name])
    row = f"{id}, inputs {option.name}"
    types = {other.name: other.type for other in options}
    _check_condition(option, condition, conditions, types, file, row)
    words: dict[str, str] = {}
    flags: list[str] = []
    for other in options:
        if other.type == "enum":
            words |= {word: word for word in other.values if word not in types}
        elif other.type == "mods":
            flags += other.values
    from bot.rules.tables.formula import compile_formula

    names = {*types, *words, *flags}
    formula = compile_formula(condition, names, file, row=row, bounded=True)

    def is_counted(values: Mapping[str, Any]) -> bool:
        mods = values.get("mods") or ()
        flag_values = {flag: flag in mods for flag in flags}
        try:
            return bool(formula({**words, **flag_values, **values}))
        except UserError:  # a number that was left out
            return False

    help_text = f"{option.help} (if {condition})"
    return replace(option, when=condition, matters=is_counted, help=help_text)


def _check_condition(
    option: Option,
    condition: str,
    conditions: Mapping[str, Any],
    types: Mapping[str, str],
    file: str,
    row: str,
) -> None:
    """Raise TableError if a condition reads its own option, an input with a condition, or units.

    `types` are the types of all inputs by name.
    """
    for name in re.findall(r"[a-z_]\w*", condition):
        if name == option.name or name in conditions:
            problem = "itself" if name == option.name else f"{name}, which has a when of its own"
            raise TableError(
                file, f"when depends on {problem}; let it depend on other inputs", row=row
            )
        if types.get(name) in ("units", "unit"):
            problem = f"when can depend on numbers, words and flags, but {name} is a list of units"
            raise TableError(file, problem, row=row)


def _label_option(option: Option, system: System, rules: tuple[str, ...]) -> Option:
    """Return the option with the game's labels for it and its values, and with the names of the
    optional rules that set it.
    """
    labels = system.game.get("labels") or {}
    abbreviations = system.game.get("words") or {}
    value_labels: dict[str, str] = {}
    if option.type in ("mods", "enum"):
        for value in option.values:
            value_label = labels.get(value) or format_code(value, abbreviations)
            if value_label:
                value_labels[value] = value_label
    label = option.label or labels.get(option.name) or format_code(option.name, abbreviations)
    return replace(option, label=label, labels=value_labels, ruled=rules)


def format_code(code: str, abbreviations: Mapping[str, str]) -> str:
    """Format a code word with the game's own words for its parts: `mol-same-hex` is `MOL same
    hex`.

    `abbreviations` maps parts (or whole codes) to these words. "" if it has none of the parts.
    """
    if code in abbreviations:
        return abbreviations[code]
    parts = code.replace("_", "-").split("-")
    if not any(part in abbreviations for part in parts):
        return ""
    text = " ".join(abbreviations.get(part, part) for part in parts)
    return text if parts[0] in abbreviations else text[:1].upper() + text[1:]


def _let_one_take_many(options: Iterable[Option]) -> tuple[Option, ...]:
    """Return the inputs, where `unit` takes several units to play the sequence for each of them.

    Not if the sequence has targets, or if `unit` takes any name: a name may look like several.
    """
    options = tuple(options)
    has_targets = any(_is_target(option) for option in options)
    inputs: list[Option] = []
    for option in options:
        is_unit = option.name == "unit" and option.type == "unit"
        takes_many = is_unit and not option.free and not has_targets
        inputs.append(replace(option, many=takes_many))
    return tuple(inputs)


def _is_target(option: Option) -> bool:
    return option.name.startswith("target") and option.type in ("unit", "units")


class _Tables(Mapping[str, Table]):
    """The tables of a game, each read and compiled when it is first used.

    Compares by identity.
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
"""The YAML files of a system that are no tables."""


class System:
    """One system: its game file, tables and sequences, loaded lazily."""

    bounded = False
    """True for a pack: a stranger may have written its files, so formulas are held to limits."""

    def __init__(self, id: str, root: str | os.PathLike[str] = TABLES) -> None:
        self.id = id
        self.folder = os.path.join(root, id)
        self.code = id
        """The id of the game with its Python sequences."""
        self.about: Any = None
        """The content of pack.yaml, for a pack."""
        self.parent: System | None = None
        """The game from which a pack inherits all that it does not replace."""
        self.base: System | None = None
        """The game that a pack extends."""
        self._loading: tuple[str, ...] = ()
        """The ids of the tables that are being loaded, a chain of them."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the form in which it is sent to another process, which has its own built-in
        games.
        """
        root = os.path.dirname(self.folder)
        if root == str(TABLES):
            return _get_builtin_system, (self.id,)
        return System, (self.id, root)

    @property
    def home(self) -> str:
        """The id of the game that has the units: its own, or that of the game that it extends."""
        return self.id if self.base is None else self.base.id

    def read(self, name: str) -> Any:
        """Return the content of one of its YAML files, such as `game` or `scenarios/ford`.

        Raises TableError if it is missing or no YAML.
        """
        return read_yaml(os.path.join(self.folder, f"{name}.yaml"))

    def text(self, name: str) -> str:
        """Return the text of one of its YAML files."""
        with open(os.path.join(self.folder, f"{name}.yaml"), encoding="utf-8") as file:
            return file.read()

    def list_files(self, folder: str = "") -> list[str]:
        """Return the names of its YAML files, or of those in a folder of it, without `.yaml`.

        In alphabetical order; empty if there is no such folder.
        """
        path = os.path.join(self.folder, folder)
        files = os.listdir(path) if os.path.isdir(path) else ()
        return sorted(file.removesuffix(".yaml") for file in files if file.endswith(".yaml"))

    @cached_property
    def game(self) -> Mapping[str, Any]:
        """The content of game.yaml. Raises TableError for any fault in it."""
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
        """The edition of the rules as events store it. An extension adds the edition of its game."""
        edition: dict[str, int | str] = {"edition": self.edition}
        if self.base is not None:
            edition["base"] = f"{self.base.id}@{self.base.edition}"
        return edition

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions (hashes) of the packs with which this system is played.

        The one in force is the last. Empty for a built-in game.
        """
        return ()

    @property
    def key(self) -> str:
        """The id or hash with which `RuleSets.find` finds this version and no other."""
        return self.id

    @cached_property
    def loss_keys(self) -> tuple[str, ...]:
        """The attributes of `hurt`: numbers that count the losses of a unit (wounds, casualties)."""
        units = self.game["units"]
        attributes = units.get("attributes") or {}
        return tuple([key for key in units.get("hurt") or () if key in attributes])

    @cached_property
    def lists(self) -> Mapping[str, tuple[str, ...]]:
        """The lists of tokens by the name that options and outputs use."""
        lists = self.game.get("lists") or {}
        token_lists = TokenLists({name: tuple(items) for name, items in lists.items()})
        synonyms = self.game.get("also") or {}
        token_lists.also = {word: tuple(names) for word, names in synonyms.items()}
        return token_lists

    @cached_property
    def ids_with_steps(self) -> frozenset[str]:
        """The ids of the sequences that have their steps in a YAML file."""
        return frozenset(self.list_files(STEPS))

    @cached_property
    def tables(self) -> Tables:
        """Tables by id."""
        return _Tables(self)

    @cached_property
    def table_names(self) -> Mapping[str, tuple[str, ...]]:
        """The ids of tables by each folded printed name: title, number on the card, `also`."""
        return list_names(self.tables.values())

    @property
    def readable_tables(self) -> Tables:
        """The tables that its formulas may read: its own, and those of the game that it extends."""
        return self.tables if self.base is None else ChainMap(self.tables, self.base.tables)  # type: ignore[arg-type]

    @property
    def word_texts(self) -> Mapping[str, str]:
        """The texts of words in the answers of its sequences: `words` of a pack's game.yaml.

        Empty for a built-in game, which has texts of its own.
        """
        return (self.game.get("words") or {}) if self.bounded else {}

    @cached_property
    def has_sequences(self) -> bool:
        """True if it has combat sequences; a pack may have tables alone."""
        return "sequences" in self.list_files()

    @cached_property
    def scenarios(self) -> Mapping[str, str]:
        """The titles of its scenarios by id, in alphabetical order of the ids.

        Only the line `title:` of each file is read; without one, the id is the title.
        """
        titles: dict[str, str] = {}
        for name in self.list_files(SCENARIOS):
            title = _TITLE.search(self.text(f"{SCENARIOS}/{name}"))
            titles[name] = title[1] if title else name
        return titles

    @cached_property
    def sequences(self) -> Mapping[str, Sequence]:
        """Its sequences by id, in the order of their file. Raises TableError for any fault in it."""
        data: Any = None
        if self.has_sequences:
            data = self.read("sequences")
        data = data or {}
        if not isinstance(data, dict) or not all(isinstance(id, str) for id in data):
            raise TableError(
                f"{self.id}/sequences.yaml", "must be a mapping of sequences by their ids"
            )
        check_buttons(self.game, data, f"{self.id}/game.yaml")
        sequences = {id: Sequence(self, id, spec) for id, spec in data.items()}
        from bot.rulesets.optional_rules import check_rules

        inputs = {id: sequence.inputs for id, sequence in sequences.items()}
        check_rules(self.rules, inputs, self.game, f"{self.id}/game.yaml")
        check_solo_sequences(
            self.game,
            {id: sequence.outputs for id, sequence in sequences.items()},
            {id: [option.name for option in options] for id, options in inputs.items()},
            f"{self.id}/game.yaml",
        )
        return sequences

    @cached_property
    def may_ask(self) -> bool:
        """True if a sequence of a pack may ask a side for a choice; always False for a built-in
        game.

        Found in the text of the files, so that they are loaded only if it is worthwhile.
        """
        if not self.bounded:
            return False
        files = [f"{STEPS}/{id}" for id in self.ids_with_steps]
        if self.has_sequences:
            files.insert(0, "sequences")
        return any("choose:" in self.text(file) for file in files)

    @cached_property
    def rules(self) -> Mapping[str, OptionalRule]:
        """Its optional rules by name."""
        from bot.rulesets.optional_rules import read_rules

        return read_rules(self.game.get("rules") or {}, f"{self.id}/game.yaml")

    @cached_property
    def tracks(self) -> Mapping[str, Track]:
        """Its tracks by name."""
        data = self.game.get("tracks")
        if not data:
            return {}
        from bot.rules.inputs.tracks import read_tracks

        return read_tracks(data, f"{self.id}/game.yaml")

    @cached_property
    def decks(self) -> Mapping[str, GameDeck]:
        """Its decks by id, in alphabetical order.

        Raises TableError for a fault in a deck, or for a phase led by a deck that does not exist.
        """
        ids = self.list_files(DECKS)
        phases_by_cup = {
            phase.get(LED_BY): phase["name"] for phase in self.game.get("phases") or ()
        }
        for cup in phases_by_cup.keys() - {None, *ids}:
            problem = f"there is no deck {cup}: it would be decks/{cup}.yaml"
            row = f"phases {phases_by_cup[cup]}, {LED_BY}"
            raise TableError(f"{self.id}/game.yaml", problem, row=row)
        if not ids:
            return {}
        from bot.rules.cards import MOST_DECKS
        from bot.rulesets.deck_file import check_cup, read_deck

        if len(ids) > MOST_DECKS:
            raise TableError(
                f"{self.id}/{DECKS}/{ids[-1]}.yaml",
                f"is one too many: {MOST_DECKS} decks are the limit",
            )
        decks: dict[str, GameDeck] = {}
        for id in ids:
            data = self.read(f"{DECKS}/{id}")
            decks[id] = read_deck(id, data, f"{self.id}/{DECKS}/{id}.yaml")
        attributes = self.game["units"].get("attributes") or {}
        for id in phases_by_cup.keys() & {*ids}:
            check_cup(decks[id], attributes, f"{self.id}/{DECKS}/{id}.yaml")
        return decks

    @cached_property
    def words(self) -> Mapping[str, UnitWords]:
        """The vocabulary of the game's unit lists: "units", and further lists with words of their
        own.
        """
        units = self.game.get("units") or {}
        file = f"{self.id}/game.yaml"
        with name_row_of_errors(file, "units"):
            lists = {"units": self._build_words(units, {})}
        with name_row_of_errors(file, "unit_lists"):
            for name, overrides in (self.game.get("unit_lists") or {}).items():
                with name_row_of_errors(file, f"unit_lists {name}"):
                    lists[name] = self._build_words(units, overrides)
        return lists

    def _build_words(self, units: Mapping[str, Any], overrides: Mapping[str, Any]) -> UnitWords:
        """Return the vocabulary of `units`, with the types, keys and flags of a further list.

        Its `types` replace those of `units`; `keys` and `flags` are added.
        """
        parts: dict[str, Any] = {key: units.get(key) or {} for key in UNITS}
        keys = dict(parts["attributes"]) | dict(overrides.get("keys") or {})
        flags = dict(parts["flags"]) | dict(overrides.get("flags") or {})
        types = overrides.get("types", units["types"])
        options = {key: build_option(key, spec, self.lists) for key, spec in keys.items()}
        state_names = tuple(parts["states"])
        well = (parts["well"] or state_names[:1]) if self.bounded else ()
        states = {state: (state,) for state in state_names if state in flags}
        states |= {state: tuple(items) for state, items in parts["state_flags"].items()}
        has_sound_state = bool(states) and state_names[0] not in states
        from bot.rules.inputs.units import UnitWords

        return UnitWords(
            types=tuple(self.lists[types] if isinstance(types, str) else types),
            keys=options,
            flags=flags,
            marks=parts["marker_flags"],
            states=states,
            sound=state_names[0] if has_sound_state else "",
            fresh=well[0] if len(well) == 1 else "",
            known_states=state_names,
            reduced=parts["reduced"],
            reduced_states=tuple(parts["reduced_states"]),
            bare=overrides.get("bare", ""),
            repeat=overrides.get("repeat", ""),
        )

    def is_own(self, _name: str) -> bool:
        """Return whether a YAML file is a pack's own, so that its formulas are held to limits.

        Here the answer is the same for all files.
        """
        return self.bounded

    def load_table(self, id: str) -> Table:
        """Read, compile and check one table, with the tables that it leads to.

        A table with `like` takes all keys that it lacks from that table. Raises TableError naming
        file, row and column, also if the examples in the file do not come out.
        """
        file = f"{self.id}/{id}.yaml"
        data = self._read_table_data(id, file)
        table = compile_table(
            data, file=file, system=self.id, lists=self.lists, bounded=self.is_own(id)
        )
        table = replace(table, game=self.title, words=self.game.get("words") or {})
        groups = self.game["groups"]
        if table.group not in list(groups):
            hint = did_you_mean(str(table.group), groups)
            problem = f"the game has no group {str(table.group)[:40]}. {hint}".rstrip(". ")
            raise TableError(file, problem, row="group")
        check_examples(table, data, file)
        if CHAIN not in table.outputs or CHAIN in data["outputs"]:
            return table
        self._loading = (*self._loading, id)
        try:
            chain = {
                next_id: self._get_chained_table(table, next_id, file)
                for next_id in table.outputs[CHAIN]
            }
        finally:
            self._loading = self._loading[:-1]
        return replace(table, chain=chain)

    def _read_table_data(self, id: str, file: str) -> dict[str, Any]:
        """Return the content of a table's file, with the keys of the table that it is `like`.

        Raises TableError if it is no table, has the id of another one, or is like an unknown one.
        """
        data = self.read(id)
        if not isinstance(data, dict):
            raise TableError(file, "is not a table")
        model_id = data.get("like")
        if model_id:
            model = self.read(model_id) if model_id in list(self.tables) else None
            if not isinstance(model, dict):
                problem = f"there is no table {str(model_id)[:40]} in this game"
                raise TableError(file, problem, row="like")
            if "outputs" in data and data["outputs"] != model.get("outputs"):
                model = {**model, "says": None}  # it may name outputs that are gone
            data = {**model, **{key: value for key, value in data.items() if key != "like"}}
        own_id = f"{self.id}/{id}"
        inherited_id = f"{self.code}/{id}" if self.bounded else own_id
        table_id = data.get("id", inherited_id if self.bounded else None)
        if table_id not in (inherited_id, own_id):
            raise TableError(file, f"its id must be {own_id}")
        return {**data, "id": own_id}

    def _get_chained_table(self, table: Table, id: str, file: str) -> Table:
        """Return table `id`, to be rolled after `table`.

        Raises TableError if it is unknown, needs an input that `table` lacks, leads back to itself,
        or makes the chain too long.
        """
        tables = self.readable_tables
        if id not in list(tables):
            problem = f"there is no table {id[:40]}. {did_you_mean(id, tables)}".strip()
            raise TableError(file, problem, row="results")
        if id in self._loading:
            problem = f"{id} leads back to {id}: tables that roll on each other would never end"
            raise TableError(file, problem, row="results")
        chained = tables[id]
        if chained.depth >= DEEPEST:
            problem = f"more than {DEEPEST} tables are rolled one after another"
            raise TableError(file, problem, row="results")
        missing_input = next(chained.list_lacking_inputs(table), "")
        if missing_input:
            problem = (
                f"{id} needs {missing_input}, and {table.id}, which leads to it, has no such input"
            )
            raise TableError(file, problem, row="results")
        return chained

    def find_table(self, id: str) -> Table:
        """Return the table with this id or printed name.

        A printed name counts only if it names a single table. Raises UserError with the nearest
        name.
        """
        if id not in list(self.tables):
            ids = self.table_names.get(fold_name(id), ())
            id = ids[0] if len(ids) == 1 else id
        return self._get_named("table", id, self.tables)

    def get_scores(self, id: str) -> Mapping[str, float]:
        """Return the value of each result of a sequence for the side that acts, from `scores`.

        Empty if the game has no scores for it.
        """
        scores_by_sequence: Mapping[str, Any] = self.game.get("scores") or {}
        scores = scores_by_sequence.get(id, scores_by_sequence.get("*")) or {}
        return {str(result): float(score) for result, score in scores.items()}

    def find_sequence(self, id: str) -> Sequence:
        """Return the sequence with this id. Raises UserError with the nearest name."""
        return self._get_named("sequence", id, self.sequences)

    def _get_named(self, kind: str, id: str, items: Mapping[str, T]) -> T:
        """Return the item with this id. Raises UserError with the nearest name if there is none.

        `kind` is the noun for the item in the error.
        """
        try:
            return items[id]
        except KeyError:
            hint = did_you_mean(id, items) or f"grognard {kind}s {self.id} lists them all."
            raise UserError(
                f'No {kind} "{id[:40]}" in {self.id} ({self.title}).',
                hint=hint,
                code="not-in-system",
            ) from None


@lru_cache(maxsize=1)
def list_builtin_systems() -> Mapping[str, System]:
    """Return the built-in systems by id, in alphabetical order. Reads only the names of folders.

    Raises UserError if the folder of all tables cannot be read.
    """
    try:
        names = os.listdir(TABLES)
    except OSError as error:
        raise UserError(
            f"The tables in {TABLES} cannot be read: {error.strerror or error}.",
            hint="Reinstall Grognard, or let its user account read that folder and every file in it.",
            code="unreadable-file",
        ) from None
    ids = [id for id in names if os.path.exists(os.path.join(TABLES, id, "game.yaml"))]
    return {id: System(id) for id in sorted(ids)}


def _get_builtin_system(id: str) -> System:
    return list_builtin_systems()[id]


def load_declared(system: System, id: str) -> Declared:
    """Read and check the declared sequence `id` of a game, with what all its sequences share.

    Raises TableError naming file, step, line and column, and KeyError for an unknown id.
    """
    from bot.rules.declared.compile_context import SequenceHead, Setting
    from bot.rules.declared.declared import Library

    sequence = system.sequences[id]
    shared = _read_shared(system)
    is_inline = bool(sequence.steps)
    name = "sequences" if is_inline else f"{STEPS}/{id}"
    source: dict[str, Any] = {"steps": sequence.steps} if is_inline else _read(system, name)
    library: dict[str, Any] = _merge_shares(shared, source)
    library["sequences"] = {id: {key: value for key, value in source.items() if key not in SHARES}}
    classes = system.game["units"].get("classes") or {}
    lists = {word: tuple(items) for word, items in {**system.lists, **classes}.items()}

    def find_place(path: Path) -> str:
        """Return line and column of a path of the library, in the file that has it; "" if none
        does.
        """
        from bot.rulesets.yaml_file import find_position

        if path[:1] == ("sequences",):
            path_in_file: Path = (id, *path[2:]) if is_inline else path[2:]
            return find_position(system.text(name).encode(), path_in_file)
        if len(path) > 1 and path[1] in _get_mapping(source, str(path[0])):
            return find_position(system.text(name).encode(), path)
        return _find_shared_position(system, path)

    decks = _list_decks_without_cups(system)
    setting = Setting(
        f"{system.id}/{name}.yaml",
        system.readable_tables,
        lists,
        system.words,
        find_place,
        system.tracks,
        system.word_texts,
        decks,
        tuple(system.game["units"].get("markers") or ()),
        _list_results(system, id),
    )
    head = SequenceHead(sequence.inputs, sequence.outputs, sequence.odds_by)
    return Library(library, setting, {id: head}).load_sequence(id)


def _list_decks_without_cups(system: System) -> dict[str, GameDeck]:
    """Return the decks from which sequences may draw: those that lead no phase."""
    cups = [phase.get(LED_BY) for phase in system.game.get("phases") or ()]
    return {id: deck for id, deck in system.decks.items() if id not in cups}


def _find_shared_position(system: System, path: Path) -> str:
    """Return line, column and file of a path in steps/shared.yaml; "" if it is not there.

    A pack's own file goes before that of its game.
    """
    from bot.rulesets.yaml_file import find_position

    for owner in (system, system.parent or system.base):
        if owner is None or SHARED_NAME not in owner.ids_with_steps:
            continue
        position = find_position(owner.text(SHARED).encode(), path)
        if position:
            return f"{position} of {SHARED}.yaml"
    return ""


def _list_results(system: System, id: str) -> tuple[str, ...]:
    """Return the results of units that the game file has for a sequence, those for all sequences
    first.
    """
    results = system.game.get("results") or {}
    return tuple({**(results.get("*") or {}), **(results.get(id) or {})})


def _read_shared(system: System) -> dict[str, Any]:
    """Return the lists, formulas and blocks that the sequences of a game share.

    A list, formula or block of a pack replaces that of its game as a whole.
    """
    shares: dict[str, Any] = {}
    if SHARED_NAME in system.ids_with_steps:
        shares = _read(system, SHARED)
    game = system.parent or system.base
    if game is None:
        return shares
    return _merge_shares(_read_shared(game), shares)


def _merge_shares(inherited: dict[str, Any], shares: dict[str, Any]) -> dict[str, Any]:
    """Return the lists, formulas and blocks of both; those of `shares` replace the inherited ones."""
    return {key: {**_get_mapping(inherited, key), **_get_mapping(shares, key)} for key in SHARES}


def _get_mapping(source: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the mapping at a key, or {} if there is something else."""
    value = source.get(key)
    if not isinstance(value, dict):
        return {}
    return value


def _read(system: System, name: str) -> dict[str, Any]:
    """Return the content of a YAML file. Raises TableError if it is no mapping."""
    data = system.read(name)
    if not isinstance(data, dict):
        raise TableError(f"{system.id}/{name}.yaml", "must be a mapping with steps")
    return data


# -- which units are out of the game

LOST = ("eliminated", "destroyed", "killed", "combat-ineffective", "surrendered")
"""The states of units that are out of the game, if a game names none, and in free play."""


def list_lost_states(system: System | None) -> tuple[str, ...]:
    """Return the states of units that are out of the game; None stands for free play."""
    if system is None:
        return LOST
    return tuple(system.game["units"].get("lost") or LOST)


def is_lost(unit: RosterUnit, system: System | None) -> bool:
    """Return whether the unit's state takes it out of the game, such as `eliminated`.

    Without a system, the states of free play count.
    """
    return unit.state in list_lost_states(system)


def refuses_lost_unit(option: Option, unit: RosterUnit, system: System | None) -> bool:
    """Return whether an option of a sequence refuses a unit because it is out of the game.

    An option takes lost units in the states that its `likely` names: the crew of a destroyed
    vehicle may still have to bail out.
    """
    return is_lost(unit, system) and unit.state not in option.likely
