"""All commands in one place, filled from the games: what adapters register, complete, document and
dispatch.

Names of games are known at once; a game's sequences and tables are read when somebody asks for
them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from cachetools import LRUCache

from bot.rules.errors import UserError, did_you_mean, find_near, suggest_names
from bot.rules.inputs.options import ACTS, CHOSEN, Option
from bot.rules.inputs.tracks import OWNERS
from bot.rules.sequence.sequence import Choice
from bot.rules.text.normalize import comparison_key, word_key
from bot.rules.text.phrase import Phrase, Typed, phrase
from bot.rulesets.around_sequence import ANYWAY
from bot.rulesets.catalog import get_exclusion_reason
from bot.rulesets.system import Sequence as GameSequence
from bot.rulesets.system import System
from bot.rulesets.table_names import MAX_WORDS, fold_name, read_name
from bot.ui.common_options import (
    COMPARE,
    GROUPS,
    PICTURE,
    PRIVATE,
    ROLL_OPTIONS,
    ROUNDS,
    WHOLE,
)
from bot.ui.glossary import ask_side_by_name, explain_options
from bot.ui.spec import CommandSpec, Path

TABLE = "-table"
GAMES = "system"
"""How an option is completed whose values are the games that can be started."""
ALL_COMMANDS = phrase("For all commands: `/help`")
MAX_REGISTRIES = 64
"""Maximum number of registries over the games of a server that one registry keeps."""
CUTOFF = 0.85
"""How near several words must be to a printed name."""
SHORT: Mapping[str, Path] = {"undo": ("game", "undo"), "redo": ("game", "redo")}
"""Commands that can be typed by their last word alone, where no game or group has that name."""


class Registry:
    """Commands by path. `find` takes words as typed, `children` what may follow a path."""

    def __init__(self, games: Mapping[str, System], shared_commands: Iterable[CommandSpec]) -> None:
        """`shared_commands` are those that every game has, in the order of help."""
        self.games = games
        self._shared = tuple(shared_commands)
        ids = tuple(id for id, game in games.items() if game.base is None)
        self._fixed = {spec.path: _fill_in_games(spec, ids) for spec in self._shared}
        self._named: dict[str, dict[Path, CommandSpec]] = {}
        self._with_other_games = LRUCache[int, Registry](MAX_REGISTRIES)
        for path, spec in self._fixed.items():
            self._named.setdefault(path[0], {})[path] = spec

    def with_games(self, games: Mapping[str, System]) -> "Registry":
        """Return the registry of the same shared commands over other games.

        It is kept for as long as few others are asked for.
        """
        if games is self.games:
            return self
        registry = self._with_other_games.get(id(games))
        if registry is None or registry.games is not games:
            registry = Registry(games, self._shared)
            self._with_other_games[id(games)] = registry
        return registry

    @cached_property
    def top_names(self) -> tuple[str, ...]:
        """Top-level names, in the order of help."""
        fixed = dict.fromkeys(path[0] for path in self._fixed)
        fighting = (id for id, game in self.games.items() if game.has_sequences)
        return (*fixed, *fighting, *(game + TABLE for game in self.games))

    def __iter__(self) -> Iterator[CommandSpec]:
        """Every command of every game; reads all of them."""
        for name in self.top_names:
            yield from self.list_below((name,))

    def list_below(self, path: Path) -> Iterator[CommandSpec]:
        """The commands whose path begins with `path`."""
        for known, spec in self._load_family(path[0]).items():
            if known[: len(path)] == path:
                yield spec

    def list_children(self, path: Path) -> tuple[str, ...]:
        """The words that may follow `path`, in order."""
        if not path:
            return self.top_names
        return tuple(
            dict.fromkeys(
                spec.path[len(path)] for spec in self.list_below(path) if len(spec.path) > len(path)
            )
        )

    def get(self, path: Path) -> CommandSpec | None:
        """The command with exactly this path."""
        return self._load_family(path[0]).get(path) if path else None

    def has_shared_command(self, name: str) -> bool:
        """Return whether a top-level name is that of a command, or group, that every game has."""
        return any(path[0] == name for path in self._fixed)

    def list_printed_names(self, name: str) -> tuple[str, ...]:
        """Return the printed names of the tables of a command such as `lnlt-table`, folded."""
        game = self.games.get(name.removesuffix(TABLE)) if name.endswith(TABLE) else None
        return tuple(game.table_names) if game is not None else ()

    def describe_name(self, name: str) -> str:
        """What a top-level name is for: `Lock 'n Load Tactical: tables`."""
        if (game := self.games.get(name.removesuffix(TABLE))) is not None:
            return f"{game.title}: {'tables' if name.endswith(TABLE) else 'combat sequences'}"
        spec = self.get((name,))
        return spec.summary if spec is not None else GROUPS[name]

    def get_title(self, spec: CommandSpec) -> str:
        """The title of the table or sequence that a command plays; "" for any other."""
        game = self.games.get(spec.system)
        played = game and (game.sequences if spec.family == "sequence" else game.tables).get(
            spec.target
        )
        return played.title if played else ""

    def find(self, words: Sequence[str]) -> tuple[CommandSpec, int]:
        """Return the command that `words` begin with, and how many words its path took.

        The group of a table may be left out. A table is also found by its printed names, several
        words long. Raises UserError with the nearest spelling.
        """
        folded = [word_key(word) for word in words[:4]]
        name = folded[0] if folded else ""
        family = self._load_family(name)
        if not family and (short := self.get(SHORT.get(name, ()))) is not None:
            return short, 1
        if not family:
            pack = name.removesuffix(TABLE)
            if why := get_exclusion_reason(pack):
                raise UserError(f"The pack {pack} is left out.", hint=why, code="unknown-command")
            hint = self.hint_elsewhere(name) or self._build_hint(name, self.top_names)
            raise UserError(
                f'There is no command "{name[:40]}".', hint=hint, code="unknown-command"
            )
        if name.endswith(TABLE) and (by_name := self._find_by_name(name, words)) is not None:
            return by_name
        for length in range(min(3, len(folded)), 0, -1):
            if (spec := family.get(tuple(folded[:length]))) is not None:
                return spec, length
        second, third = (*folded[1:3], "", "")[:2]
        if second and name.endswith(TABLE):
            for path, spec in family.items():
                if path[-1] == second:
                    return spec, 2
        group = self.list_children((name, second) if second else (name,))
        within, word = (f"{name} {second}", third) if second and group else (name, second)
        if not word:
            raise UserError(
                f"Choose one: {_join_few(group)}",
                hint=Typed(f"/help {name}"),
                code="unknown-command",
            )
        known = [path[-1] for path in family]
        known += self.list_printed_names(name)
        all_of_them = phrase("`/help {name}` lists them all.", name=name)
        start = 2 if second and group else 1
        hint = (
            _hint_printed(words[start:], self.list_printed_names(name))
            or ("" if group else self._hint_sibling(name, second))
            or self._build_hint(word, known, all_of_them)
        )
        raise UserError(f'/{within} has no "{word[:40]}".', hint=hint, code="unknown-command")

    def _find_by_name(self, name: str, words: Sequence[str]) -> tuple[CommandSpec, int] | None:
        """Return the table whose printed name follows `name`, and how many words that took.

        An id that is at least as long goes first: that is None, as is no name at all. Raises
        UserError for a name that several tables have.
        """
        game = self.games[name.removesuffix(TABLE)]
        family = self._load_family(name)
        if tuple(comparison_key(word) for word in words[:3]) in family:
            return None
        start = 1
        ids, count = read_name(words[start:], game.table_names)
        if count == 0 and len(words) > 1 and word_key(words[1]) in game.game["groups"]:
            start = 2
            ids, count = read_name(words[start:], game.table_names)
        if count == 0:
            return None
        if count == 1 and word_key(words[start]) in list(game.tables):
            return None
        if len(ids) > 1:
            commands = Phrase(*list_commands(Typed(f"/{name} {id}") for id in ids), ".")
            title = " ".join(words[start : start + count])
            message = f'{len(ids)} tables have the name "{title[:40]}".'
            raise UserError(message, hint=commands, code="several-tables")
        path = next(path for path in family if path[-1] == ids[0])
        return family[path], start + count

    def _hint_sibling(self, name: str, word: str) -> str:
        """Where a game's table was asked for as a sequence, or the other way round: the command
        that is meant.
        """
        game = self.games.get(name.removesuffix(TABLE))
        is_table = name.endswith(TABLE)
        if game is not None and is_table and word in game.sequences:
            return phrase("It is a combat sequence: `/{id} {word}`", id=game.id, word=word)
        if game is not None and not is_table and word in game.tables:
            return phrase(
                "It is a table: `/{id}{table} {word}`", id=game.id, table=TABLE, word=word
            )
        return ""

    def hint_elsewhere(self, name: str) -> str:
        """A hint to commands of that name further down: `undo` is /game undo, `melee-odds` a
        table of lnlt.
        """
        game, _, rest = name.partition("-")
        if game not in self.games:
            game, _, rest = _BETWEEN.sub(" ", name).partition(" ")
        if game in self.games and rest in self.games[game].sequences:
            return suggest_names(name, [f"{game} {rest}"])
        found = [" ".join(path) for path in self._fixed if len(path) > 1 and path[-1] == name]
        found += [f"{id} {name}" for id, game_ in self.games.items() if name in game_.sequences]
        found += [
            f"{id}{TABLE} {name}" for id, game_ in self.games.items() if name in list(game_.tables)
        ]
        return suggest_names(name, found[:4]) if found else ""

    def _build_hint(self, word: str, known: Sequence[str], otherwise: str = ALL_COMMANDS) -> str:
        return did_you_mean(word, known) or otherwise

    def _load_family(self, name: str) -> Mapping[Path, CommandSpec]:
        if (
            name not in self._named
            and (game := self.games.get(name.removesuffix(TABLE))) is not None
        ):
            made = _build_sequence_specs(game) if name == game.id else _build_table_specs(game)
            self._named[name] = {spec.path: spec for spec in made}
        return self._named.get(name, {})


def _hint_printed(words: Sequence[str], names: Sequence[str]) -> str:
    """Return a hint to the printed names that the longest start of several words is near to: the
    name without its last words, or misspelt.
    """
    for count in range(min(len(words), MAX_WORDS), 1, -1):
        if not all(words[:count]):
            continue
        typed = " ".join(words[:count])
        name = fold_name(typed)
        longer = [other for other in names if other.startswith(f"{name}-")]
        as_long = [other for other in names if other.count("-") == name.count("-")]
        near = longer[:3] or find_near(name, as_long, CUTOFF)
        if near:
            return suggest_names(typed, near)
    return ""


def _fill_in_games(spec: CommandSpec, ids: tuple[str, ...]) -> CommandSpec:
    """Return the command with the games that can be started, where one of its options is a game."""
    if not any(option.complete == GAMES for option in spec.options):
        return spec
    options = tuple(
        replace(option, values=ids) if option.complete == GAMES else option
        for option in spec.options
    )
    return spec._replace(options=options)


_BETWEEN = re.compile(r"[/.:_]")


def list_commands(commands: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a list of commands: `/a`, `/b` or `/c`."""
    commands = list(commands)
    for index, command in enumerate(commands):
        if index:
            yield " or " if index == len(commands) - 1 else ", "
        yield command


def _join_few(words: Sequence[str]) -> str:
    return ", ".join(words[:12]) + (", ..." if len(words) > 12 else ".")


def _build_sequence_specs(game: System) -> Iterator[CommandSpec]:
    for sequence in game.sequences.values():
        yield build_sequence_spec(sequence)


def build_sequence_spec(sequence: GameSequence) -> CommandSpec:
    """Return the command of a sequence."""
    game = sequence.system
    options = [ask_side_by_name(option) for option in explain_options(sequence)]
    if sequence.odds_by:
        options += _list_roll_options(sequence)
    if game.may_ask:
        options += map(_build_choice_option, sequence.choices.values())
    path = (game.id, sequence.id)
    return CommandSpec(
        path=path,
        summary=sequence.summary,
        family="sequence",
        options=tuple(options),
        example=format_example(path, sequence.example),
        system=game.id,
        target=sequence.id,
        details=f"Dice: {sequence.dice}. Source: {sequence.source}.",
        title=sequence.title,
        verb=sequence.verb,
        common=sequence.common,
    )


def _list_roll_options(sequence: GameSequence) -> tuple[Option, ...]:
    """Return the options that a sequence with dice has in addition to its inputs.

    `compare` is in no menu if the inputs have nothing to switch on or off; typed, it answers so.
    """
    is_compared = any(map(is_switchable, (*sequence.inputs, *sequence.tracks)))
    options = [
        replace(option, form_only=option.name == COMPARE and not is_compared)
        for option in ROLL_OPTIONS
    ]
    if sequence.rounds:
        options.append(ROUNDS)
    return tuple(options)


def is_switchable(option: Option) -> bool:
    """Return whether the odds with and without this input can be compared in a menu.

    A flag and a modifier can be switched on or off, a number left at 0, the words of a track
    exchanged, and who acts can change places. An input that only forms have is in no menu, and
    an override of the card changes no odds.
    """
    if option.form_only or option.name == ANYWAY:
        return False
    is_of_track = option.name.partition(".")[0] in OWNERS
    return (
        option.type in ("bool", "mods")
        or (option.type == "units" and option.part == ACTS)
        or (option.type == "int" and option.default == 0)
        or (option.type == "enum" and is_of_track)
    )


def _build_choice_option(choice: Choice) -> Option:
    """What a side chooses in the middle of a sequence, for its odds."""
    told = f"with odds: what is chosen, {', '.join(choice.options)}"
    return Option(choice.name, "str", told, values=choice.options, optional=True, complete=CHOSEN)


def _build_table_specs(game: System) -> Iterator[CommandSpec]:
    tables = list(game.tables.values())
    for table in (
        table for group in game.game["groups"] for table in tables if table.group == group
    ):
        path = (game.id + TABLE, table.group, table.id)
        rolled = {roll.option for roll in table.rolls}
        options = tuple(
            _make_roll_optional(option) if option.name in rolled else option
            for option in table.inputs
        )
        yield CommandSpec(
            path=path,
            summary=table.summary or table.title,
            family="lookup",
            options=(*options, PRIVATE, PICTURE, WHOLE),
            example=format_example(path, table.example),
            system=game.id,
            target=table.id,
            details=f"Source: {table.source}. {table.notes}".strip(),
            title=table.title,
            verb="Look up",
            edges=table.by_edges,
            opens_whole=table.kind == "modifiers" or any(one.is_required for one in options),
        )


def _make_roll_optional(option: Option) -> Option:
    """In chat a table of kind roll rolls by itself when its roll is left out."""
    return Option(option.name, option.type, option.help, option.min, option.max, optional=True)


def format_example(path: Path, example: Mapping[str, Any]) -> str:
    """An example of a game file as it is typed."""
    pieces = ["/" + " ".join(path)]
    for name, value in example.items():
        if value is True:
            pieces.append(name)
        elif value is not False:
            text = str(value)
            pieces.append(f'{name}="{text}"' if " " in text or not text else f"{name}={text}")
    return " ".join(pieces)
