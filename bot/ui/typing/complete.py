"""Choices for an option while it is typed: its words, roster units, unit types and numbers,
modifiers, and dice with a live check.

A choice replaces the whole value, as platforms want it. It holds at most 100 characters, so handles
replace the names of roster units that do not fit.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple
from zoneinfo import available_timezones

from bot.rules.cards import STANDARD
from bot.rules.expression.model import GUIDE
from bot.rules.expression.sum_parser import find_fault
from bot.rules.inputs.loadout import LOADOUT
from bot.rules.inputs.options import OWN, TARGETS, Option
from bot.rules.inputs.unit_selectors import list_fired_weapons
from bot.rules.inputs.units import MAX_UNITS, RosterUnit, UnitWords
from bot.rules.text.normalize import comparison_key, normalize_text, word_key
from bot.rulesets.system import System, is_lost, refuses_lost_unit
from bot.ui.finding import search
from bot.ui.help_topics import TOPICS
from bot.ui.registry import TABLE, Registry
from bot.ui.spec import CommandSpec
from bot.ui.typing.macro import Macro, complete_command, complete_gap_values, list_macro_names

MAX_CHOICES = 25
MAX_LENGTH = 100
UNITS_BEFORE_GROUPS = 4
"""Number of single units that are offered before groups of units."""
ACTING = (
    "attackers",
    "units",
    "unit",
    "name",
    "shooters",
    "firers",
    "a",
    "crew",
    "attacker",
    "shooter",
    "firer",
)
"""Options for units that act: the player's own side is offered first. Units of all other options
are targets.
"""
OF_MACROS = ("macro", "values", "command")
"""Options about macros, which need the macros of the player who types."""
OF_ENABLED = ("topic", "enabled", "find")
"""Options that name systems: only those that are enabled are offered."""
OF_ROLLS = ("odds", "compare", "secret")
"""Flags that are no modifiers."""


class CompletionChoice(NamedTuple):
    """One choice: the text shown, and the value that it stands for. Platforms allow at most 100
    characters each.
    """

    name: str
    value: str


class Reason(NamedTuple):
    """The reason why a unit cannot be in a list: in a few words, and in a sentence.

    `is_final`: the unit cannot be there with others either. `is_for_number`: the unit lacks a
    number that a field of the form can give.
    """

    brief: str
    message: str
    is_final: bool = True
    is_for_number: bool = False


class CompletionContext(NamedTuple):
    """The state of a channel and its game that choices are made from, for the player who types."""

    roster: tuple[RosterUnit, ...] = ()
    sides: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    own_side: str = ""
    """The player's side."""
    system: str = ""
    """The id of the channel's rule set."""
    games: tuple[CompletionChoice, ...] = ()
    """The games played in the channel, loaded only for an option about them."""
    status: str = ""
    """The game's name, turn, phase and the side to play; "" without a game."""
    enabled: tuple[str, ...] | None = None
    """The rule sets that may be played; None for all."""
    packs: tuple[CompletionChoice, ...] = ()
    """The packs of the server, loaded only for an option about them."""
    decks: tuple[str, ...] = ()
    """The decks of the game."""
    cards_in_play: tuple[tuple[str, str], ...] = ()
    """Pairs of a deck and a card in play."""
    macros: tuple[Macro, ...] = ()
    """The macros that the player can run, loaded only for an option about them."""
    options: tuple[str, ...] = ()
    """The options that a side is asked to choose from."""
    sealed: tuple[int, ...] = ()
    """The events of the sealed rolls that the player may open."""
    game: System | None = None
    """The channel's rule set."""
    on_call: frozenset[str] = frozenset()
    """The handles of the units that the drawn card or chit calls to act."""
    reasons: Mapping[str, Mapping[str, Reason]] = {}
    """By option and handle, why units cannot be in a list of the command in the open form."""


def keep_usable_context(context: CompletionContext, spec: CommandSpec) -> CompletionContext:
    """Return the context without the roster, cards and reasons if the command belongs to another
    system than the channel's game; else the context as it is.
    """
    if spec.system and context.system not in ("", spec.system):
        return context._replace(roster=(), cards_in_play=(), reasons={})
    return context


class _CompletionRequest(NamedTuple):
    """An option that is being typed, and all that its choices depend on.

    `typed` is its value so far; `values` are the options of the command that are set already.
    """

    spec: CommandSpec
    option: Option
    typed: str
    registry: Registry
    context: CompletionContext
    values: Mapping[str, object]

    @property
    def part(self) -> str:
        return comparison_key(self.typed)

    @property
    def game(self) -> System | None:
        return self.registry.games.get(self.context.system)


def complete_option(
    spec: CommandSpec,
    name: str,
    typed: str,
    registry: Registry,
    context: CompletionContext,
    values: Mapping[str, object],
) -> tuple[CompletionChoice, ...]:
    """Return the choices for an option while it is typed: at most 25, the best first.

    `values` are the options of the command that are set already. A choice with a value over 100
    characters is left out: cut short it would be a wrong value.
    """
    normalized = {name: normalize_text(typed)}
    typed = str(restore_choice_values(spec, normalized)[name])
    values = restore_choice_values(spec, values)
    context = keep_usable_context(context, spec)
    choices = _list_choices(spec, name, typed, registry, context, values)
    fitting = (choice for choice in choices if choice.value and len(choice.value) <= MAX_LENGTH)
    return tuple(islice(fitting, MAX_CHOICES))


def _list_choices(
    spec: CommandSpec,
    name: str,
    typed: str,
    registry: Registry,
    context: CompletionContext,
    values: Mapping[str, object],
) -> Iterable[CompletionChoice]:
    """Return all choices for an option, of any length; none for an unknown one."""
    option = spec.find_option(name)
    if name == "mods" and (option is None or option.type == "mods"):
        return _complete_modifiers(spec, typed, values)
    if option is None:
        return ()
    request = _CompletionRequest(spec, option, typed, registry, context, values)
    if option.complete in OF_MACROS:
        return _list_macros(request)
    if option.type == "units" and spec.system in registry.games:
        return _complete_command_units(request)
    if option.complete in _STATE_LISTERS:
        return _STATE_LISTERS[option.complete](request)
    if option.in_play:
        return _list_cards_in_play(request)
    if option.many:
        return _complete_unit_list(None, typed, context, option, "")
    return _list_simple_choices(request)


def _list_simple_choices(request: _CompletionRequest) -> Iterable[CompletionChoice]:
    """Return the choices for an option with a single value: its own words, else what its type or
    `complete` says.
    """
    option = request.option
    words = ("yes", "no") if option.type == "bool" else option.values
    if words:
        return _match_words(words, request.typed)
    if option.type == "unit" or option.complete == "unit":
        return _list_single_units(request)
    if option.type == "dice":
        return _list_dice(request.typed)
    if option.complete in _LISTERS:
        return _LISTERS[option.complete](request)
    return _match_words(_list_game_words(option.complete, request), request.typed)


def _list_game_words(kind: str, request: _CompletionRequest) -> Sequence[str]:
    """Return the words of the game for an option's `complete`: its sides, players, decks, states
    and so on.

    Returns () for any other kind, and for words of a game if there is none.
    """
    context = request.context
    game = request.game
    units = game.game["units"] if game is not None else {}
    words: Mapping[str, Sequence[str]] = {
        "unit-type": game.words["units"].types if game is not None else (),
        "side": context.sides,
        "state": (*(units.get("states") or ()), *(units.get("markers") or ())),
        "winner": (*context.sides, "draw", "none") if context.sides else (),
        "player": context.players,
        "choice": context.options,
        "deck": tuple(dict.fromkeys((*context.decks, *STANDARD))),
    }
    return words.get(kind, ())


def _complete_command_units(request: _CompletionRequest) -> list[CompletionChoice]:
    """Complete a list of units in a command of a game; units in its other lists are left out."""
    option = request.option
    unit_lists = (other.name for other in request.spec.options if other.type == "units")
    elsewhere = {str(request.values.get(name) or "") for name in unit_lists} - {request.typed}
    game = request.registry.games[request.spec.system]
    return _complete_unit_list(
        game.words[option.units or "units"],
        request.typed,
        request.context,
        option,
        "; ".join(elsewhere),
    )


def _list_track_names(request: _CompletionRequest) -> list[CompletionChoice]:
    """Return the tracks of the game that match what was typed; [] without a game."""
    game = request.game
    return _match_words(game.tracks if game is not None else (), request.typed)


def _list_track_words(request: _CompletionRequest) -> list[CompletionChoice]:
    """Return the words that the track named in the option `name` can stand at and that match what
    was typed; [] for a track of numbers or an unknown one, or without a game.
    """
    game = request.game
    name = comparison_key(str(request.values.get("name") or ""))
    track = game.tracks.get(name) if game is not None else None
    return _match_words(track.words if track is not None else (), request.typed)


def _list_cards_in_play(request: _CompletionRequest) -> list[CompletionChoice]:
    """Return the cards in play that the option takes, or all its cards if none is in play."""
    option = request.option
    return [
        CompletionChoice(option.labels[card], card)
        for card in list_words_now(option, request.context)
        if request.part in comparison_key(f"{card} {option.labels[card]}")
    ]


def _list_single_units(request: _CompletionRequest) -> list[CompletionChoice]:
    """Return the roster units with a name or handle that holds what was typed, the likeliest
    first.
    """
    option = request.option
    context = request.context
    reasons = context.reasons.get(option.name, {})
    choices = []
    for unit in sorted(
        context.roster,
        key=lambda unit: (is_lost(unit, context.game), rank_able_first(unit, option, context)),
    ):
        names = (comparison_key(unit.name), comparison_key(unit.handle))
        if any(request.part in name for name in names):
            label = format_unit_choice(unit, reasons.get(unit.handle))
            choices.append(CompletionChoice(label, unit.name))
    return choices


def _list_time_zones(request: _CompletionRequest) -> list[CompletionChoice]:
    return [CompletionChoice(name, name) for name in find_zones(request.typed)[:MAX_CHOICES]]


def _list_sealed_rolls(request: _CompletionRequest) -> list[CompletionChoice]:
    numbers = map(str, request.context.sealed)
    return [CompletionChoice(f"#{number}", number) for number in numbers if request.part in number]


def _list_games(request: _CompletionRequest) -> list[CompletionChoice]:
    games = request.context.games
    return [choice for choice in games if request.part in comparison_key(choice.name)]


def _list_packs(request: _CompletionRequest) -> list[CompletionChoice]:
    """Return the server's packs with an id or title that holds what was typed."""
    packs = request.context.packs
    return [
        choice
        for choice in packs
        if request.part in comparison_key(f"{choice.name} {choice.value}")
    ]


def list_words_now(option: Option, context: CompletionContext) -> tuple[str, ...]:
    """Return the words that an option takes at present.

    For an option about cards in play these are the cards of its decks that are in play, or all its
    words if none is; for any other option all its words.
    """
    cards = dict.fromkeys(
        card
        for deck, card in context.cards_in_play
        if deck in option.in_play and card in option.values
    )
    return tuple(cards) or option.values


def _list_macros(request: _CompletionRequest) -> list[CompletionChoice]:
    """Return the choices for an option about macros: a macro's name, the values of its gaps, or
    the command that it holds (as typed if no command fits).
    """
    typed = request.typed
    kind = request.option.complete
    if kind == "command":
        commands = complete_command(request.registry, typed)
        choices = _match_words(commands, typed.removeprefix("/"))
        return choices or [CompletionChoice(typed, typed)]
    macros = request.context.macros
    if kind == "macro":
        pairs = list_macro_names(macros, typed)
    else:
        pairs = complete_gap_values(macros, str(request.values.get("name") or ""), typed)
    return [
        CompletionChoice(label[:MAX_LENGTH], value)
        for label, value in pairs
        if len(value) <= MAX_LENGTH
    ]


def _list_rules(request: _CompletionRequest) -> list[CompletionChoice]:
    """Return two choices for each optional rule of the game, on and off, if they hold what was
    typed; [] without a game.
    """
    game = request.game
    part = request.part
    choices = []
    for name, rule in game.rules.items() if game is not None else ():
        for switch in ("on", "off"):
            value = f"{name}={switch}"
            label = f"{rule.title}: {switch}"
            if part in value or part in comparison_key(label):
                choices.append(CompletionChoice(label[:MAX_LENGTH], value))
    return choices


def _list_scenarios(request: _CompletionRequest) -> list[CompletionChoice]:
    """Return the scenarios that hold what was typed: of the system in the option `system` and of
    its extensions, or of all systems if none is chosen.
    """
    system = str(request.values.get("system") or "")
    labels = {}
    for game in request.registry.games.values():
        if system not in ("", game.id, game.home):
            continue
        for id, title in game.scenarios.items():
            labels[id] = f"{id}: {title}" if system else f"{game.id} {id}: {title}"
    return [
        CompletionChoice(label, id)
        for id, label in labels.items()
        if request.part in comparison_key(label)
    ]


def _list_topics(request: _CompletionRequest) -> list[CompletionChoice]:
    """Return the topics of help: names only, until something is typed.

    Then also the commands below the names. Those that begin with what was typed come first, then
    those with a word that begins so.
    """
    registry = request.registry
    enabled = request.context.enabled
    games = [game for game in registry.games if enabled is None or game in enabled]
    fixed = [name for name in registry.top_names if name.removesuffix(TABLE) not in registry.games]
    names = [*games, *(game + TABLE for game in games), *TOPICS, *fixed]
    part = request.part.removeprefix("/").strip()
    if not part:
        return _match_words(names, "")
    choices = _match_words((*names, *_list_topics_below(part, games, fixed, registry)), part)
    return sorted(
        choices,
        key=lambda choice: (
            not choice.value.startswith(part),
            f" {part}" not in f" {choice.value}",
        ),
    )


def _list_topics_below(
    part: str, games: Sequence[str], fixed: Sequence[str], registry: Registry
) -> Iterator[str]:
    """Yield the commands of several words: of the groups `fixed`, then the games' sequences and
    tables. Tables have their printed names as well once `part` begins with their command.
    """
    for name in fixed:
        for spec in registry.list_below((name,)):
            if len(spec.path) > 1:
                yield " ".join(spec.path)
    for game in games:
        for id in registry.games[game].sequences:
            yield f"{game} {id}"
    for game in games:
        for id in registry.games[game].tables:
            yield f"{game}{TABLE} {id}"
    for game in games:
        if part.startswith(f"{game}{TABLE}"):
            tables = list(registry.games[game].tables)
            for printed_name in registry.games[game].table_names:
                if printed_name not in tables:
                    yield f"{game}{TABLE} {printed_name}"


def _list_findable(request: _CompletionRequest) -> list[CompletionChoice]:
    """Return the hits of `/find` for what was typed; the value of each opens that hit alone."""
    context = request.context
    registry = request.registry
    games = registry.games if context.enabled is None else context.enabled
    hits = search(request.typed, registry, games, context.system).hits[:MAX_CHOICES]
    targets = [hit.target for hit in hits]
    return [
        CompletionChoice(f"{target.title}: {target.key}"[:MAX_LENGTH], target.key)
        for target in targets
    ]


def _match_words(words: Iterable[str], typed: str) -> list[CompletionChoice]:
    """Return the words that begin with what was typed, then those that hold it."""
    part = comparison_key(typed)
    matches = [word for word in words if part in comparison_key(word)]
    matches.sort(key=lambda word: not comparison_key(word).startswith(part))
    return [CompletionChoice(word[:MAX_LENGTH], word[:MAX_LENGTH]) for word in matches]


def _complete_systems(request: _CompletionRequest) -> list[CompletionChoice]:
    """Complete the last word of a list of systems, without those already in it."""
    earlier, space, part = request.typed.rpartition(" ")
    unused = [system for system in request.registry.games if system not in earlier.split()]
    lines = (f"{earlier}{space}{choice.value}" for choice in _match_words(unused, part))
    return [CompletionChoice(line, line) for line in lines]


def _complete_stats(request: _CompletionRequest) -> list[CompletionChoice]:
    """Complete the last word of a unit's numbers, state and markers; [] without a game.

    States and markers may be typed bare, as players say them.
    """
    game = request.game
    if game is None:
        return []
    units = game.game["units"]
    states = list(units.get("states") or ())
    markers = list(units.get("markers") or ())
    head, space, part = request.typed.rpartition(" ")
    pieces = [f"{key}=" for key in game.words["units"].keys]
    pieces += [f"state={state}" for state in states]
    pieces += [f"marker=+{marker}" for marker in markers]
    if part:
        pieces += [*states, *markers]
    pieces += _list_number_words(part, game.words["units"])
    folded = comparison_key(part)
    lines = [
        f"{head}{space}{piece}" for piece in pieces if piece.startswith(folded) and piece != part
    ]
    return [CompletionChoice(line, line) for line in lines if len(line) <= MAX_LENGTH]


def _list_number_words(part: str, words: UnitWords) -> list[str]:
    """Return `key=word` for each word that the number named in `part` takes, whatever follows the
    equals sign; [] if `part` names no number that takes words.

    If it takes several words, those before the last separator are kept.
    """
    key, equals, value = part.partition("=")
    option = words.keys.get(word_key(key)) if equals else None
    if option is None or not option.values:
        return []
    kept_length = 0
    if option.type == "mods":
        kept_length = max(value.rfind(mark) for mark in ",+x") + 1
    return [f"{key}={value[:kept_length]}{word}" for word in option.values]


def format_unit_choice(unit: RosterUnit, reason: Reason | None = None) -> str:
    """Return the text of a unit in a list of choices: `Rifle 2 (us2, rifle, pinned, has fired)`,
    cut to MAX_LENGTH.

    The brackets hold its handle, type, state if it has one, and `reason`, if it cannot be chosen,
    in a few words, unless that is the state.
    """
    state = f", {unit.state}" if unit.state else ""
    if reason is not None and reason.brief != unit.state:
        state += f", {reason.brief}"
    return f"{unit.name} ({unit.handle}, {unit.type}{state})"[:MAX_LENGTH]


_DESCRIPTION = re.compile(r" \((?:[^\s(),;]+\d, [^;()]*|\d{1,2} units)\)")


def restore_choice_values(spec: CommandSpec, options: Mapping[str, object]) -> dict[str, object]:
    """Return the options with values in place of the texts that choices show.

    Some clients send the text shown (CompletionChoice.name) instead of the value.
    """
    return {
        name: _restore_choice_value(spec.find_option(name), name, value)
        for name, value in options.items()
    }


def _restore_choice_value(option: Option | None, name: str, value: object) -> object:
    """Return the value of the choice that shows this text; any other value as it is."""
    if name == "mods" and isinstance(value, str):
        return value.partition(" (")[0]
    if option is None or not isinstance(value, str):
        return value
    if option.type in ("units", "unit") or option.complete == "unit":
        return _DESCRIPTION.sub("", value)
    if option.type == "dice":
        examples = (
            example
            for example, explanation in GUIDE
            if value == f"{example}  {explanation}"[:MAX_LENGTH]
        )
        return next(examples, value.partition(" : ")[0])
    return value


def _complete_modifiers(
    spec: CommandSpec, typed: str, values: Mapping[str, object]
) -> list[CompletionChoice]:
    """Complete the last word of a list of modifiers and flags, without those already in it.

    Flags in `values` are left out, as are those that say how to roll.
    """
    words = _list_modifier_words(spec, values)
    *earlier_words, last_word = typed.replace(",", " ").split(" ")
    earlier_words = [word for word in earlier_words if word]
    unused = [word for word in words if word not in earlier_words]
    matches = [choice.value for choice in _match_words(unused, last_word)]
    if last_word and last_word in words:
        matches.insert(0, last_word)
    start = " ".join(earlier_words)
    lines = dict.fromkeys(f"{start} {word}".strip() for word in matches)
    return [CompletionChoice(_add_modifier_value(spec, line), line) for line in lines]


def _list_modifier_words(spec: CommandSpec, values: Mapping[str, object]) -> list[str]:
    """Return the modifiers of a command, then its flags, without those in `values` and those that
    say how to roll.
    """
    option = spec.find_option("mods")
    words = list(option.values) if option is not None else []
    flags = [option.name for option in spec.options if option.type == "bool"]
    return words + [flag for flag in flags if flag not in values and flag not in OF_ROLLS]


def _add_modifier_value(spec: CommandSpec, line: str) -> str:
    """Return a list of modifiers with the label and value of its last word, if there is room:
    `adjacent night (Night, target unlit −3)`.
    """
    word = line.rpartition(" ")[2]
    option = spec.find_option(word) or spec.find_option("mods")
    label = f"{line} ({option.format_word(word)})" if option is not None else line
    return label if len(label) <= MAX_LENGTH else line


def _complete_unit_list(
    words: UnitWords | None, typed: str, context: CompletionContext, option: Option, elsewhere: str
) -> list[CompletionChoice]:
    """Complete the last item of a list of units: a roster unit, several at once, a unit type, a
    number or a flag.

    Units that are already in the list, or in `elsewhere`, the command's other lists, are not
    offered again. Without `words` units go by their names alone, and those that have left the fight
    are offered last.
    """
    separators = ";" if "=" in typed else ";,"
    item_start = max(typed.rfind(mark) + 1 for mark in separators)
    earlier = typed[:item_start]
    item = typed[item_start:].lstrip()
    part = _get_prefix_key(item.strip(_NAME_QUOTES))
    used_items = f"{earlier};{elsewhere}".replace(",", ";").split(";")
    used_names = {_strip_item(used_item) for used_item in used_items}
    alive = _list_units_in_play(option, context)
    out = [unit for unit in context.roster if is_lost(unit, context.game)] if words is None else []
    units = _drop_named_units((*alive, *out), used_names)
    choices = _match_units(units, item, words, context.reasons.get(option.name, {}))
    groups = list_unit_groups(
        part, context.roster, alive, context.own_side, acting=takes_own_units(option)
    )
    choices[UNITS_BEFORE_GROUPS:UNITS_BEFORE_GROUPS] = groups
    if words is not None:
        choices += [(unit_type, unit_type) for unit_type in words.types if part in unit_type]
        if " " in item:
            choices += _list_unit_words(words, item)
    if not choices and item:
        choices = [(item, item)]
    return _put_after(f"{earlier} " if earlier else "", choices, context.roster)


def _list_units_in_play(option: Option, context: CompletionContext) -> list[RosterUnit]:
    """Return the roster units that have not left the fight, or that are in a state that the option
    is about; the likeliest first.
    """
    units = [unit for unit in context.roster if not refuses_lost_unit(option, unit, context.game)]
    units.sort(key=lambda unit: rank_able_first(unit, option, context))
    return units


def _drop_named_units(units: Iterable[RosterUnit], names: set[str]) -> list[RosterUnit]:
    """Return the units of which neither the name, as a comparison key, nor the handle is in
    `names`.
    """
    return [unit for unit in units if names.isdisjoint((comparison_key(unit.name), unit.handle))]


def _match_units(
    units: Iterable[RosterUnit],
    item: str,
    words: UnitWords | None,
    reasons: Mapping[str, Reason],
) -> list[tuple[str, str]]:
    """Return (text shown, value) of the units that the last item of a list may mean.

    Able units also offer each of their weapons. A unit that is typed in full, with a space after
    it, offers only the weapons.
    """
    part = _get_prefix_key(item.strip(_NAME_QUOTES))
    choices: list[tuple[str, str]] = []
    for unit in units:
        name = comparison_key(unit.name)
        if part not in name and not unit.handle.startswith(part):
            continue
        if part != name or not item.endswith(" "):
            choices.append((format_unit_choice(unit, reasons.get(unit.handle)), unit.name))
        if unit.handle not in reasons:
            choices += _list_weapons(unit, words)
    return choices


_NAME_QUOTES = "\"'\u201c\u201d\u2018\u2019"


def _list_weapons(unit: RosterUnit, words: UnitWords | None) -> list[tuple[str, str]]:
    """Return (text shown, value) of each weapon of a unit that carries several.

    Only a list of units that fire has such items; [] for any other.
    """
    if words is None or not words.repeat or not unit.numbers.get(LOADOUT):
        return []
    return [
        (f"{unit.name}: {weapon}", item)
        for weapon, item in list_fired_weapons(unit.name, unit.numbers, words.repeat)
    ]


def _get_prefix_key(text: str) -> str:
    """Return the comparison key of an unfinished name: a space at its end counts."""
    return comparison_key(text) + (" " if text.endswith(" ") else "")


def _strip_item(item: str) -> str:
    """Return the comparison key of an item without quotation marks around it."""
    return comparison_key(item.strip().strip(_NAME_QUOTES))


def _list_unit_words(words: UnitWords, item: str) -> list[tuple[str, str]]:
    """Return an item with its last word completed to each number or flag that it does not have
    yet, as (text shown, value), which are the same.
    """
    head, _, part = item.rpartition(" ")
    used = {token.partition("=")[0] for token in head.split()}
    pieces = [f"{key}=" for key in words.keys] + list(words.flags)
    unused = [piece for piece in pieces if piece.rstrip("=") not in used]
    lines = [f"{head} {piece}" for piece in unused if piece.startswith(comparison_key(part))]
    return [(line, line) for line in lines]


def _put_after(
    start: str, choices: Iterable[tuple[str, str]], roster: Sequence[RosterUnit]
) -> list[CompletionChoice]:
    """Return the choices, (text shown, value), with the items typed before them, `start`.

    If a value gets too long with the names of units, their handles replace them.
    """
    handles = {comparison_key(unit.name): unit.handle for unit in roster}
    pieces = [piece.strip() for piece in start.split(";") if piece.strip()]
    start_by_handles = "".join(f"{handles.get(_strip_item(piece), piece)}; " for piece in pieces)
    completed = []
    for label, value in choices:
        prefix = start
        unit = value
        if len(start) + len(value) > MAX_LENGTH:
            prefix = start_by_handles
            unit = handles.get(comparison_key(value), value)
        line = f"{prefix}{unit}"
        full_label = f"{prefix}{label}"
        completed.append(
            CompletionChoice(full_label if len(full_label) <= MAX_LENGTH else line, line)
        )
    return completed


def takes_own_units(option: Option) -> bool:
    """Return whether the units of an option are mostly the player's own; else they are mostly the
    other side's.
    """
    if option.role:
        return option.role != TARGETS
    is_acting = option.name in ACTING and not option.brings  # the crew of a target is not
    return is_acting or OWN in option.likely


def is_likely(unit: RosterUnit, option: Option) -> bool:
    """Return whether a unit is one of those that an option is mostly about; True for all units if
    the option does not say.
    """
    words = {*option.likely} - {OWN}
    return not words or not words.isdisjoint({unit.state, unit.type, *unit.marks})


def rank_unit(unit: RosterUnit, option: Option, context: CompletionContext) -> tuple[bool, bool]:
    """Return the sort key of a unit in the choices of an option.

    First come units of the side that the option takes, of these first the likely ones (is_likely).
    """
    is_own = unit.side == context.own_side
    is_other_side = bool(context.own_side) and is_own != takes_own_units(option)
    return is_other_side, not is_likely(unit, option)


def rank_able_first(
    unit: RosterUnit, option: Option, context: CompletionContext
) -> tuple[bool, ...]:
    """Return the sort key of a unit in the choices of an option, as rank_unit, except that units
    that cannot be in it come last, and units that the drawn card or chit calls to act come first.
    """
    is_refused = unit.handle in context.reasons.get(option.name, {})
    is_on_call = takes_own_units(option) and unit.handle in context.on_call
    return is_refused, not is_on_call, *rank_unit(unit, option, context)


_Lister = Callable[[_CompletionRequest], Iterable[CompletionChoice]]
_STATE_LISTERS: Mapping[str, _Lister] = {
    "track": _list_track_names,
    "track-value": _list_track_words,
    "rule": _list_rules,
}
"""Functions for options about the state of the game, by the option's `complete`. They go before the
option's own words.
"""
_LISTERS: Mapping[str, _Lister] = {
    "zone": _list_time_zones,
    "sealed": _list_sealed_rolls,
    "game": _list_games,
    "pack": _list_packs,
    "systems": _complete_systems,
    "topic": _list_topics,
    "find": _list_findable,
    "stats": _complete_stats,
    "scenario": _list_scenarios,
}
"""Functions for options without words of their own, by the option's `complete`."""


def _list_dice(typed: str) -> list[CompletionChoice]:
    """Return the examples of the dice guide; once something is typed, just that, shown with its
    fault if it has one.
    """
    if typed.strip():
        label = find_fault(typed) or typed
        return [CompletionChoice(label[:MAX_LENGTH], typed)]
    return [
        CompletionChoice(f"{example}  {explanation}"[:MAX_LENGTH], example)
        for example, explanation in GUIDE
    ]


_NUMBERED = re.compile(r"(.*?)(\d{1,4})")
_RANGE = re.compile(r"(.*?)(\d{1,4})\s*\.\.\s*(\d*)")
MOST = 4
"""Maximum number of ranges that are offered."""


def list_unit_groups(
    part: str,
    roster: Sequence[RosterUnit],
    alive: Sequence[RosterUnit],
    own_side: str,
    *,
    acting: bool,
) -> Iterator[tuple[str, str]]:
    """Yield (text shown, value) of the groups of units that begin with `part`, the best first:
    ranges such as `us1..us4`, then `all`, `all STATE`, sides and hexes.

    `alive` are the units still in play. `acting`: the list is of units that act, so that `all`
    means the player's own side, `own_side`; else it means the other side.
    """
    range_roster = roster if part else _select_side(roster, own_side, is_own=acting)
    yield from _list_ranges(part, range_roster, {unit.name for unit in alive})
    groups = _group_units(alive, _select_side(alive, own_side, is_own=acting))
    for value, units in groups.items():
        if comparison_key(value).startswith(part) and 2 <= len(units) <= MAX_UNITS:
            yield f"{value} ({len(units)} units)", value


def _select_side(
    units: Sequence[RosterUnit], own_side: str, *, is_own: bool
) -> Sequence[RosterUnit]:
    """Return the units of the player's own side, or those of the other sides; all if `own_side` is
    empty.
    """
    if not own_side:
        return units
    return [unit for unit in units if (unit.side == own_side) == is_own]


def _group_units(
    alive: Sequence[RosterUnit], side_units: Sequence[RosterUnit]
) -> dict[str, list[RosterUnit]]:
    """Return the groups that units can be named by, each with its units.

    `side_units` are the units that `all`, `all STATE` and `hex:NUMBER` stand for; there is no `all` if
    they are of several sides. `side:NAME` stands for all units of a side.
    """
    groups: dict[str, list[RosterUnit]] = {}
    if len({unit.side for unit in side_units}) == 1:
        groups["all"] = list(side_units)
        for unit in side_units:
            if unit.state:
                groups.setdefault(f"all {unit.state}", []).append(unit)
    for side in dict.fromkeys(unit.side for unit in (*side_units, *alive) if unit.side):
        groups[f"side:{side}"] = [unit for unit in alive if unit.side == side]
    for unit in side_units:
        hex_number = unit.numbers.get("hex")
        if hex_number:
            groups.setdefault(f"hex:{hex_number}", []).append(unit)
    return groups


class _Run(NamedTuple):
    """Units numbered without a gap: the text before the number, the first and last number, and the
    numbers of those in play.
    """

    stem: str
    first: int
    last: int
    alive: frozenset[int]

    def build_range(self, first: int, last: int) -> tuple[str, str]:
        """Return (text shown, value) of a part of the run: `us1..3 (3 units)` and `us1..3`."""
        count = sum(1 for number in self.alive if first <= number <= last)
        value = f"{self.stem}{first}..{last}"
        return f"{value} ({count} units)", value

    def complete_range(self, part: str) -> Iterator[tuple[str, str]]:
        """Yield (text shown, value) of each range of this run that begins as `part` does: `us1..4
        (4 units)` and `us1..4`; none if the run does not begin so.

        A range begins with the number in `part`, or the first of the run. It ends with each number
        that begins as the one after `..` does, or else with the last of the run.
        """
        stem = _get_prefix_key(self.stem)
        range_match = _RANGE.fullmatch(part)
        name_match = _NUMBERED.fullmatch(part)
        if range_match is not None:
            first = int(range_match[2])
            if stem == range_match[1] and self.first <= first < self.last:
                for end in self._list_ends(first, range_match[3]):
                    yield self.build_range(first, end)
            return
        if name_match is not None and stem == name_match[1]:
            first = int(name_match[2])
            if self.first <= first < self.last:
                yield self.build_range(first, self.last)
                return
        if stem.startswith(part):
            yield self.build_range(self.first, self.last)

    def _list_ends(self, first: int, digits: str) -> list[int]:
        """Return the ends after `first` that begin with these digits: the number itself first,
        then the largest.
        """
        ends = [end for end in range(first + 1, self.last + 1) if str(end).startswith(digits)]
        ends.sort(key=lambda end: (str(end) != digits, -end))
        return ends


def _list_ranges(
    part: str, roster: Sequence[RosterUnit], alive: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield (text shown, value) of at most MOST ranges that begin with `part`.

    Ranges of handles are only offered once something is typed. `alive` are the names of the units
    in play.
    """
    runs = list(_list_runs({unit.name: unit.name in alive for unit in roster}))
    if part:
        runs += _list_runs({unit.handle: unit.name in alive for unit in roster})
    ranges = (range for run in runs for range in run.complete_range(part))
    yield from islice(ranges, MOST)


def _list_runs(names: dict[str, bool]) -> Iterator[_Run]:
    """Yield the runs of numbered names with at least two units in play, of at most MAX_UNITS names.

    `names` says of each unit whether it is in play.
    """
    stems: dict[str, dict[int, bool]] = {}
    for name, is_alive in names.items():
        match = _NUMBERED.fullmatch(name)
        if match and not match[2].startswith("0"):
            stems.setdefault(match[1], {})[int(match[2])] = is_alive
    for stem, numbers in stems.items():
        run: list[int] = []
        for number in (*sorted(numbers), -1):
            if run and (number != run[-1] + 1 or len(run) == MAX_UNITS):
                alive = frozenset(unit_number for unit_number in run if numbers[unit_number])
                if len(alive) > 1:
                    yield _Run(stem, run[0], run[-1], alive)
                run = []
            run.append(number)


USUAL = (
    "UTC", "Europe/London", "Europe/Berlin", "Europe/Paris", "Europe/Madrid", "Europe/Rome", "Europe/Warsaw",
    "Europe/Athens", "Europe/Helsinki", "America/New_York", "America/Chicago", "America/Denver",
    "America/Los_Angeles", "America/Toronto", "America/Sao_Paulo", "Asia/Tokyo", "Asia/Singapore", "Asia/Kolkata",
    "Australia/Sydney", "Australia/Perth", "Pacific/Auckland",
)  # fmt: skip
"""The time zones that are offered before anything is typed."""


_NO_PLACE = {"localtime", "Factory"}
"""Names of time zones that stand for no place: the host's own, and none."""


@cache
def list_zones() -> tuple[str, ...]:
    """Return the names of all time zones with a continent, and UTC, in order."""
    return tuple(sorted(name for name in available_timezones() if "/" in name or name == "UTC"))


def find_zone(typed: str) -> str:
    """Return the time zone with this name or city, in any case; "" if there is none. A city in
    several zones stands for the first of them.
    """
    word = _fold_zone(typed)
    names = {name.casefold(): name for name in available_timezones() - _NO_PLACE}
    cities = {}
    for name in reversed(list_zones()):
        if not _is_etc(name):
            cities[name.rpartition("/")[2].casefold()] = name
    return names.get(word) or cities.get(word, "")


def find_zones(typed: str) -> list[str]:
    """Return the time zones that hold what was typed; those that begin so, or with a city that
    does, come first. The usual ones if nothing is typed.
    """
    word = _fold_zone(typed)
    if not word:
        return list(USUAL)
    names = [name for name in list_zones() if word in name.casefold()]
    return sorted(
        names, key=lambda name: (_is_etc(name), not _begins_with(name, word), name not in USUAL)
    )


def _begins_with(name: str, word: str) -> bool:
    """Return whether a time zone's name or its city begins with a word."""
    folded = name.casefold()
    return folded.startswith(word) or folded.rpartition("/")[2].startswith(word)


def _is_etc(name: str) -> bool:
    """Return whether a time zone is only a technical name, without a city."""
    return name.partition("/")[0] in ("Etc", "SystemV", "posix", "right")


def _fold_zone(typed: str) -> str:
    """Return a typed time zone in the form in which zones are compared: `europe/new_york`."""
    return comparison_key(typed).replace(" ", "_")
