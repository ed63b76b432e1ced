"""The registry of all commands, those of the games included, from which adapters register,
complete, document and run them.

The names of the games are known from the start. A game's sequences and tables are only read if a
command of the game is looked up.
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
from bot.rulesets import game_keys
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
"""The `complete` of an option that takes a game: its values are the games that can be started."""
ALL_COMMANDS = phrase("For all commands: `/help`")
MAX_REGISTRIES = 64
"""Maximum number of registries over the games of a server that one registry keeps."""
CUTOFF = 0.85
"""Minimum similarity (0 to 1) of several words to a printed name."""
SHORT: Mapping[str, Path] = {"undo": ("game", "undo"), "redo": ("game", "redo")}
"""Commands that can be typed by their last word alone, if no game or group has that name."""


class Registry:
    """The commands by path, for a set of games."""

    def __init__(self, games: Mapping[str, System], shared_commands: Iterable[CommandSpec]) -> None:
        """`shared_commands` are those that every game has, in the order of help."""
        self.games = games
        self._shared = tuple(shared_commands)
        titles = {id: game.title for id, game in games.items() if game.base is None}
        self._fixed = {spec.path: _fill_in_games(spec, titles) for spec in self._shared}
        self._families: dict[str, dict[Path, CommandSpec]] = {}
        self._with_other_games = LRUCache[int, Registry](MAX_REGISTRIES)
        for path, spec in self._fixed.items():
            self._families.setdefault(path[0], {})[path] = spec

    def with_games(self, games: Mapping[str, System]) -> "Registry":
        """Return the registry of the same shared commands over other games.

        The last MAX_REGISTRIES of them are cached.
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
        """Yield every command of every game. This reads all games."""
        for name in self.top_names:
            yield from self.list_below((name,))

    def list_below(self, path: Path) -> Iterator[CommandSpec]:
        """Yield the commands with a path that begins with `path`, which is not empty."""
        for spec in self._load_family(path[0]).values():
            if spec.path[: len(path)] == path:
                yield spec

    def list_children(self, path: Path) -> tuple[str, ...]:
        """Return the words that may follow `path`, in order; top-level names for ()."""
        if not path:
            return self.top_names
        depth = len(path)
        children = (spec.path[depth] for spec in self.list_below(path) if len(spec.path) > depth)
        return tuple(dict.fromkeys(children))

    def get(self, path: Path) -> CommandSpec | None:
        """Return the command with exactly this path, or None."""
        return self._load_family(path[0]).get(path) if path else None

    def has_shared_command(self, name: str) -> bool:
        """Return whether a top-level name is that of a command, or group, that every game has."""
        return any(path[0] == name for path in self._fixed)

    def list_printed_names(self, name: str) -> tuple[str, ...]:
        """Return the printed names of the tables of a command such as `lnlt-table`, folded; () for
        any other command.
        """
        game = self.games.get(name.removesuffix(TABLE)) if name.endswith(TABLE) else None
        return tuple(game.table_names) if game is not None else ()

    def describe_name(self, name: str) -> str:
        """Return what a top-level name is for: `Lock 'n Load Tactical: tables`."""
        game = self.games.get(name.removesuffix(TABLE))
        if game is not None:
            return f"{game.title}: {'tables' if name.endswith(TABLE) else 'combat sequences'}"
        spec = self.get((name,))
        return spec.summary if spec is not None else GROUPS[name]

    def get_title(self, spec: CommandSpec) -> str:
        """Return the title of the table or sequence that a command plays; "" for any other."""
        game = self.games.get(spec.system)
        if game is None:
            return ""
        targets = game.sequences if spec.family == "sequence" else game.tables
        target = targets.get(spec.target)
        return target.title if target else ""

    def find(self, words: Sequence[str]) -> tuple[CommandSpec, int]:
        """Return the command that `words` begin with, and how many words its path took.

        The group of a table may be left out. A table is also found by its printed names, several
        words long. Raises UserError with the nearest spelling if there is none.
        """
        folded = [word_key(word) for word in words[:4]]
        name = folded[0] if folded else ""
        family = self._load_family(name)
        if not family:
            short = self.get(SHORT.get(name, ()))
            if short is not None:
                return short, 1
            raise self._build_unknown_command_error(name)
        is_table = name.endswith(TABLE)
        table = self._find_by_name(name, words) if is_table else None
        if table is not None:
            return table
        for length in range(min(3, len(folded)), 0, -1):
            spec = family.get(tuple(folded[:length]))
            if spec is not None:
                return spec, length
        if is_table and len(folded) > 1:
            for path, spec in family.items():
                if path[-1] == folded[1]:
                    return spec, 2
        raise self._build_unknown_word_error(words, folded)

    def _build_unknown_command_error(self, name: str) -> UserError:
        """Return the error for a top-level name that no command has, with the reason if it is a
        pack that could not be loaded.
        """
        pack = name.removesuffix(TABLE)
        reason = get_exclusion_reason(pack)
        if reason:
            message = f"The pack {pack} is not loaded."
            return UserError(message, hint=reason, code="unknown-command")
        hint = self.hint_elsewhere(name) or self._build_hint(name, self.top_names)
        message = f'There is no command "{name[:40]}".'
        return UserError(message, hint=hint, code="unknown-command")

    def _build_unknown_word_error(self, words: Sequence[str], folded: Sequence[str]) -> UserError:
        """Return the error for words that begin with the name of a group, but with no command.

        `folded` are the first words, folded. The hint has the nearest command; if no further word
        was typed, the message lists the choices.
        """
        name, second, third = (*folded, "", "")[:3]
        group = self.list_children((name, second)) if second else ()
        if not second or (group and not third):
            choices = group or self.list_children((name,))
            return UserError(
                f"Choose one: {_join_few(choices)}",
                hint=Typed(f"/help {name}"),
                code="unknown-command",
            )
        parent = f"{name} {second}" if group else name
        word = third if group else second
        following = words[2:] if group else words[1:]
        printed_names = self.list_printed_names(name)
        hint = _hint_printed(following, printed_names)
        if not hint and not group:
            hint = self._hint_sibling(name, second) or self._hint_of_game(name, second)
        if not hint:
            ids = [path[-1] for path in self._load_family(name)]
            help_hint = phrase("`/help {name}` lists them all.", name=name)
            hint = self._build_hint(word, [*ids, *printed_names], help_hint)
        return UserError(f'/{parent} has no "{word[:40]}".', hint=hint, code="unknown-command")

    def _find_by_name(self, name: str, words: Sequence[str]) -> tuple[CommandSpec, int] | None:
        """Return the table with the printed name that follows `name`, and how many words that took.

        None if no printed name follows, or an id that is at least as long. Raises UserError for a
        name that several tables have.
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
            message = f'{len(ids)} tables are called "{title[:40]}".'
            raise UserError(message, hint=commands, code="several-tables")
        path = next(path for path in family if path[-1] == ids[0])
        return family[path], start + count

    def _hint_sibling(self, name: str, word: str) -> str:
        """Return a hint with the right command if a table was asked for as a sequence, or a
        sequence as a table; else "".
        """
        game = self.games.get(name.removesuffix(TABLE))
        if game is None:
            return ""
        is_table = name.endswith(TABLE)
        if is_table and word in game.sequences:
            return phrase("It is a combat sequence: `/{id} {word}`", id=game.id, word=word)
        if not is_table and word in game.tables:
            return phrase(
                "It is a table: `/{id}{table} {word}`", id=game.id, table=TABLE, word=word
            )
        return ""

    def _hint_of_game(self, name: str, word: str) -> str:
        """Return a hint with the first command of a group that takes a game, if `word` is one;
        else "": for `seek lnlt` it is `/seek game lnlt`.
        """
        if word not in self.games:
            return ""
        for spec in self.list_below((name,)):
            if any(option.complete == "system" for option in spec.options):
                command = " ".join(spec.path)
                return phrase("Did you mean `/{command} {game}`?", command=command, game=word)
        return ""

    def hint_elsewhere(self, name: str) -> str:
        """Return a hint to commands that end with this name: `undo` is /game undo, and
        `melee-odds` may be a table of lnlt. "" if there is none.
        """
        id, _, sequence = name.partition("-")
        if id not in self.games:
            id, _, sequence = _BETWEEN.sub(" ", name).partition(" ")
        if id in self.games and sequence in self.games[id].sequences:
            return suggest_names(name, [f"{id} {sequence}"])
        commands = [" ".join(path) for path in self._fixed if len(path) > 1 and path[-1] == name]
        for id, game in self.games.items():
            if name in game.sequences:
                commands.append(f"{id} {name}")
        for id, game in self.games.items():
            if name in list(game.tables):
                commands.append(f"{id}{TABLE} {name}")
        return suggest_names(name, commands[:4]) if commands else ""

    def _build_hint(self, word: str, names: Sequence[str], fallback: str = ALL_COMMANDS) -> str:
        """Return a hint with the name nearest to a word, or `fallback` if none is near."""
        return did_you_mean(word, names) or fallback

    def _load_family(self, name: str) -> Mapping[Path, CommandSpec]:
        """Return the commands with this top-level name, by path; {} for an unknown name.

        The commands of a game are built the first time, which reads its sequences or tables.
        """
        game = self.games.get(name.removesuffix(TABLE))
        if name not in self._families and game is not None:
            is_sequence = name == game.id
            specs = _build_sequence_specs(game) if is_sequence else _build_table_specs(game)
            self._families[name] = {spec.path: spec for spec in specs}
        return self._families.get(name, {})


def _hint_printed(words: Sequence[str], names: Sequence[str]) -> str:
    """Return a hint to the printed names that the first words are near to, or "".

    As many words as possible are compared, at least two. They may be the beginning of a name, or
    misspelt.
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


def _fill_in_games(spec: CommandSpec, titles: Mapping[str, str]) -> CommandSpec:
    """Return the command with the games that can be started as the values of its options that take
    a game. `titles` are their titles by id, which may be typed as well.
    """
    if not any(option.complete == GAMES for option in spec.options):
        return spec
    ids = tuple(titles)
    also = {id: (title,) for id, title in titles.items()}
    options = tuple(
        replace(option, values=ids, also=also) if option.complete == GAMES else option
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
    """Return the first 12 words as a list that ends with a full stop, or with dots if there are
    more.
    """
    return ", ".join(words[:12]) + (", ..." if len(words) > 12 else ".")


def _build_sequence_specs(game: System) -> Iterator[CommandSpec]:
    """Yield the commands of a game's sequences."""
    for sequence in game.sequences.values():
        yield build_sequence_spec(sequence)


def build_sequence_spec(sequence: GameSequence) -> CommandSpec:
    """Return the command of a sequence: with its inputs, the options for rolls if it has odds, and
    the choices in its middle if sides may be asked.
    """
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
        is_for_bot=game_keys.ORDER in sequence.outputs and game_keys.CHOSEN in sequence.outputs,
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

    These are flags, modifiers, numbers that are 0 by default, the words of a track, and the list of
    units that act. An input that only forms have is in no menu, and an override of the card changes
    no odds.
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
    """Return the option for the choice of a side in the middle of a sequence, for its odds."""
    help = f"with odds: what is chosen, {', '.join(choice.options)}"
    return Option(choice.name, "str", help, values=choice.options, optional=True, complete=CHOSEN)


def _build_table_specs(game: System) -> Iterator[CommandSpec]:
    """Yield the commands of a game's tables, in the order of their groups. Rolls are optional."""
    tables = list(game.tables.values())
    tables_in_order = [
        table for group in game.game["groups"] for table in tables if table.group == group
    ]
    for table in tables_in_order:
        path = (game.id + TABLE, table.group, table.id)
        roll_names = {roll.option for roll in table.rolls}
        options = [
            _make_roll_optional(option) if option.name in roll_names else option
            for option in table.inputs
        ]
        needs_input = any(option.is_required for option in options)
        yield CommandSpec(
            path=path,
            summary=table.summary or table.title,
            family="lookup",
            options=(*options, PRIVATE, PICTURE, WHOLE),
            example=format_example((path[0], path[-1]), table.example),
            system=game.id,
            target=table.id,
            details=f"Source: {table.source}. {table.notes}".strip(),
            title=table.title,
            verb="Look up",
            edges=table.by_edges,
            opens_whole=table.kind == "modifiers" or needs_input,
        )


def _make_roll_optional(option: Option) -> Option:
    """Return the input of a table as an optional one: the bot rolls it if it is left out."""
    return Option(option.name, option.type, option.help, option.min, option.max, optional=True)


def format_example(path: Path, example: Mapping[str, Any]) -> str:
    """Return the example of a game file as a command: flags that are on by name, other inputs as
    `name=value`, quoted if they hold spaces. Flags that are off are left out.
    """
    pieces = ["/" + " ".join(path)]
    for name, value in example.items():
        if value is True:
            pieces.append(name)
        elif value is not False:
            text = str(value)
            pieces.append(f'{name}="{text}"' if " " in text or not text else f"{name}={text}")
    return " ".join(pieces)
