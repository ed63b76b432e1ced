"""What can be typed next: enumerations, roster units, unit types and numbers, modifier words, dice
with a live check.

A choice replaces the whole value, as platforms want it; it holds at most 100 characters, so roster
units stand by their handles where their names do not fit.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
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
from bot.rulesets.catalog import list_lost_states
from bot.rulesets.system import System
from bot.ui.finding import search
from bot.ui.help_topics import TOPICS
from bot.ui.registry import TABLE, Registry
from bot.ui.spec import CommandSpec
from bot.ui.typing.macro import Macro, complete_command, complete_gap_values, list_macro_names

MAX_CHOICES = 25
MAX_LENGTH = 100
FIRST = 4
"""So many units are offered one by one before those that are named many at once."""
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
"""Options that name who acts: the player's own side is offered first. All other units are
targets.
"""
OF_MACROS = ("macro", "values", "command")
"""Options about macros, of which only who types has some."""
OF_ENABLED = ("topic", "enabled", "find")
"""Options that name systems: only those that are enabled are offered."""
OF_ROLLS = ("odds", "compare", "secret")
"""Flags that are no modifiers."""


class CompletionChoice(NamedTuple):
    """One choice: what is shown and the value that it stands for, both at most 100 characters."""

    name: str
    value: str


class Reason(NamedTuple):
    """Why a unit cannot be in a list: in a few words, and in a sentence.

    `is_final`: it cannot be there with others either. `is_for_number`: it lacks a number that a
    field of the form can give.
    """

    brief: str
    message: str
    is_final: bool = True
    is_for_number: bool = False


class CompletionContext(NamedTuple):
    """What a channel knows that can be completed: roster, sides, players, the side of who is
    typing, the id of its system, and (`game`) what that is.

    `standing` says where its game is: name, turn, phase, and whose go it is; empty where none is
    played. `games` are those that were played there, where an option asks for one; `enabled` the
    systems that may be (None: all); `packs` those that its server has, where an option asks for
    one; `macros` those that who types can run, likewise; `decks` are those of the game, `lying` its
    cards in play, each with its deck, `options` what a side is asked to choose from, `sealed` the
    numbers of the sealed rolls that who is typing may open, `on_call`
    the handles of the units that the drawn card or chit calls to act. `reasons` say,
    by option and handle, why units cannot be in a list of the command whose form is shown.
    """

    roster: tuple[RosterUnit, ...] = ()
    sides: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    own_side: str = ""
    system: str = ""
    games: tuple[CompletionChoice, ...] = ()
    status: str = ""
    enabled: tuple[str, ...] | None = None
    packs: tuple[CompletionChoice, ...] = ()
    decks: tuple[str, ...] = ()
    cards_in_play: tuple[tuple[str, str], ...] = ()
    macros: tuple[Macro, ...] = ()
    options: tuple[str, ...] = ()
    sealed: tuple[int, ...] = ()
    game: System | None = None
    on_call: frozenset[str] = frozenset()
    reasons: Mapping[str, Mapping[str, Reason]] = {}


def keep_usable_context(known: CompletionContext, spec: CommandSpec) -> CompletionContext:
    """What of it a command can use: another system than the game's touches no roster."""
    if spec.system and known.system not in ("", spec.system):
        return known._replace(roster=(), cards_in_play=(), reasons={})
    return known


def complete_option(
    spec: CommandSpec,
    name: str,
    typed: str,
    registry: Registry,
    known: CompletionContext,
    given: Mapping[str, object],
) -> tuple[CompletionChoice, ...]:
    """Choices for one option while it is typed, at most 25, the best first; none over the limit of
    100 characters: a value that was cut would be a wrong value."""
    typed = str(restore_choice_values(spec, {name: normalize_text(typed)})[name])
    choices = _list_choices(
        spec,
        name,
        typed,
        registry,
        keep_usable_context(known, spec),
        restore_choice_values(spec, given),
    )
    return tuple(choice for choice in choices if choice.value and len(choice.value) <= MAX_LENGTH)[
        :MAX_CHOICES
    ]


def _list_choices(
    spec: CommandSpec,
    name: str,
    typed: str,
    registry: Registry,
    known: CompletionContext,
    given: Mapping[str, object],
) -> Iterable[CompletionChoice]:
    option = spec.find_option(name)
    game = registry.games.get(spec.system)
    if name == "mods" and (option is None or option.type == "mods"):
        return _complete_modifiers(spec, typed, given)
    if option is None:
        return ()
    if option.complete in OF_MACROS:
        return _list_macros(option, typed, known, str(given.get("name") or ""), registry)
    if option.type == "units" and game is not None:
        elsewhere = {
            str(given.get(other.name) or "") for other in spec.options if other.type == "units"
        } - {typed}
        return _complete_unit_list(
            game.words[option.units or "units"], typed, known, option, "; ".join(elsewhere)
        )
    if option.complete in ("track", "track-value"):
        tracks = registry.games[known.system].tracks if known.system in registry.games else {}
        track = tracks.get(comparison_key(str(given.get("name") or "")))
        return _match_words(
            tracks if option.complete == "track" else track.words if track is not None else (),
            typed,
        )
    if option.complete == "rule":
        return _list_rules(registry.games.get(known.system), typed)
    if option.in_play:
        part = comparison_key(typed)
        cards = list_words_now(option, known)
        return [
            CompletionChoice(option.labels[one], one)
            for one in cards
            if part in comparison_key(f"{one} {option.labels[one]}")
        ]
    if option.many:
        return _complete_unit_list(None, typed, known, option, "")
    return _list_simple_choices(option, typed, registry, known, str(given.get("system") or ""))


def _list_simple_choices(
    option: Option, typed: str, registry: Registry, known: CompletionContext, system: str
) -> Iterable[CompletionChoice]:
    part = comparison_key(typed)
    played = registry.games.get(known.system)
    if values := ("yes", "no") if option.type == "bool" else option.values:
        return _match_words(values, typed)
    if option.type == "unit" or option.complete == "unit":
        reasons = known.reasons.get(option.name, {})
        ranked = sorted(
            known.roster,
            key=lambda unit: (is_out(unit, known), rank_able_first(unit, option, known)),
        )
        named = [
            unit
            for unit in ranked
            if part in comparison_key(unit.name) or part in comparison_key(unit.handle)
        ]
        return [
            CompletionChoice(format_unit_choice(unit, reasons.get(unit.handle)), unit.name)
            for unit in named
        ]
    if option.type == "dice":
        return _list_dice(typed)
    if option.complete == "zone":
        return [CompletionChoice(name, name) for name in find_zones(typed)[:MAX_CHOICES]]
    if option.complete == "sealed":
        return [
            CompletionChoice(f"#{number}", str(number))
            for number in known.sealed
            if part in str(number)
        ]
    if option.complete == "game":
        return [choice for choice in known.games if part in comparison_key(choice.name)]
    if option.complete == "pack":
        return [
            choice
            for choice in known.packs
            if part in comparison_key(f"{choice.name} {choice.value}")
        ]
    if option.complete == "systems":
        return _complete_several_words(registry.games, typed)
    if option.complete in ("topic", "find"):
        offer = _list_topics if option.complete == "topic" else _offer_findable
        return offer(typed, registry, known)
    if option.complete == "stats":
        return _complete_stats(typed, played)
    if option.complete == "scenario":
        return _list_scenarios(typed, registry, system)
    units = played.game["units"] if played is not None else {}
    words: Sequence[str] = {
        "unit-type": played.words["units"].types if played is not None else (),
        "side": known.sides,
        "state": (*(units.get("states") or ()), *(units.get("markers") or ())),
        "winner": (*known.sides, "draw") if known.sides else (),
        "player": known.players,
        "choice": known.options,
        "deck": tuple(dict.fromkeys((*known.decks, *STANDARD))),
    }.get(option.complete, ())
    return _match_words(words, typed)


def list_words_now(option: Option, known: CompletionContext) -> tuple[str, ...]:
    """The words of an option; where it takes a card in play and some are, those."""
    there = dict.fromkeys(
        card
        for deck, card in known.cards_in_play
        if deck in option.in_play and card in option.values
    )
    return (*there,) or option.values


def _list_macros(
    option: Option, typed: str, known: CompletionContext, name: str, registry: Registry
) -> list[CompletionChoice]:
    if option.complete == "command":
        return _match_words(complete_command(registry, typed), typed.removeprefix("/")) or [
            CompletionChoice(typed, typed)
        ]
    found = (
        list_macro_names(known.macros, typed)
        if option.complete == "macro"
        else complete_gap_values(known.macros, name, typed)
    )
    return [
        CompletionChoice(shown[:MAX_LENGTH], value)
        for shown, value in found
        if len(value) <= MAX_LENGTH
    ]


def _list_rules(played: System | None, typed: str) -> list[CompletionChoice]:
    """The optional rules of the game that is played, on and off."""
    part = comparison_key(typed)
    rules = played.rules if played is not None else {}
    found = {
        f"{name}={on}": f"{rule.title}: {on}"
        for name, rule in rules.items()
        for on in ("on", "off")
    }
    return [
        CompletionChoice(label[:MAX_LENGTH], value)
        for value, label in found.items()
        if part in value or part in comparison_key(label)
    ]


def _list_scenarios(typed: str, registry: Registry, system: str) -> list[CompletionChoice]:
    """What is ready to play: of the system that was chosen and its extensions, else of all."""
    games = [game for game in registry.games.values() if system in ("", game.id, game.home)]
    named = {
        id: f"{id}: {title}" if system else f"{game.id} {id}: {title}"
        for game in games
        for id, title in game.scenarios.items()
    }
    return [
        CompletionChoice(shown, id)
        for id, shown in named.items()
        if comparison_key(typed) in comparison_key(shown)
    ]


def _list_topics(
    typed: str, registry: Registry, known: CompletionContext
) -> list[CompletionChoice]:
    """What help knows something about: names, then the commands below them, then words anywhere
    in one.
    """
    enabled = known.enabled
    games = [game for game in registry.games if enabled is None or game in enabled]
    fixed = [name for name in registry.top_names if name.removesuffix(TABLE) not in registry.games]
    names = [*games, *(game + TABLE for game in games), *TOPICS, *fixed]
    part = comparison_key(typed).removeprefix("/").strip()
    if not part:
        return _match_words(names, "")
    below = [
        " ".join(spec.path)
        for name in fixed
        for spec in registry.list_below((name,))
        if len(spec.path) > 1
    ]
    below += [f"{game} {id}" for game in games for id in registry.games[game].sequences]
    below += [f"{game}{TABLE} {id}" for game in games for id in registry.games[game].tables]
    below += [
        f"{game}{TABLE} {name}"
        for game in games
        if part.startswith(f"{game}{TABLE}")
        for name in registry.games[game].table_names
        if name not in list(registry.games[game].tables)
    ]
    found = _match_words((*names, *below), part)
    return sorted(
        found,
        key=lambda choice: (
            not choice.value.startswith(part),
            f" {part}" not in f" {choice.value}",
        ),
    )


def _offer_findable(
    typed: str, registry: Registry, known: CompletionContext
) -> list[CompletionChoice]:
    """Return what `/find` finds so far, each by the key that opens just this."""
    games = registry.games if known.enabled is None else known.enabled
    hits = search(typed, registry, games, known.system).hits[:MAX_CHOICES]
    targets = [hit.target for hit in hits]
    return [
        CompletionChoice(f"{target.title}: {target.key}"[:MAX_LENGTH], target.key)
        for target in targets
    ]


def _match_words(words: Iterable[str], typed: str) -> list[CompletionChoice]:
    """Words that begin with what was typed, then those that hold it."""
    part = comparison_key(typed)
    found = [word for word in words if part in comparison_key(word)]
    found.sort(key=lambda word: not comparison_key(word).startswith(part))
    return [CompletionChoice(word[:MAX_LENGTH], word[:MAX_LENGTH]) for word in found]


def _complete_several_words(words: Iterable[str], typed: str) -> list[CompletionChoice]:
    """The words so far, and one more behind them."""
    before, space, part = typed.rpartition(" ")
    rest = [word for word in words if word not in before.split()]
    return [
        CompletionChoice(line, line)
        for choice in _match_words(rest, part)
        if (line := f"{before}{space}{choice.value}")
    ]


def _complete_stats(typed: str, played: System | None) -> list[CompletionChoice]:
    """Numbers, state and markers so far, with the last word completed."""
    if played is None:
        return []
    units = played.game["units"]
    pieces = [f"{key}=" for key in played.words["units"].keys]
    pieces += [f"state={state}" for state in units.get("states") or ()]
    pieces += [f"marker=+{marker}" for marker in units.get("markers") or ()]
    head, space, part = typed.rpartition(" ")
    if part:  # bare words, as players say them
        pieces += [*(units.get("states") or ()), *(units.get("markers") or ())]
    key, equals, begun = part.partition("=")
    if (
        equals
        and (option := played.words["units"].keys.get(word_key(key))) is not None
        and option.values
    ):
        done = (
            begun[: max(begun.rfind(mark) for mark in ",+x") + 1] if option.type == "mods" else ""
        )
        pieces += [f"{key}={done}{value}" for value in option.values]
    found = [piece for piece in pieces if piece.startswith(comparison_key(part)) and piece != part]
    return [
        CompletionChoice(line, line)
        for piece in found
        if len(line := f"{head}{space}{piece}") <= MAX_LENGTH
    ]


def format_unit_choice(unit: RosterUnit, reason: Reason | None = None) -> str:
    """Return a unit as a choice shows it: name, handle, type, state, and why it cannot be chosen."""
    state = f", {unit.state}" if unit.state else ""
    if reason is not None and reason.brief != unit.state:
        state += f", {reason.brief}"
    return f"{unit.name} ({unit.handle}, {unit.type}{state})"[:MAX_LENGTH]


_DESCRIPTION = re.compile(r" \((?:[^\s(),;]+\d, [^;()]*|\d{1,2} units)\)")


def restore_choice_values(spec: CommandSpec, options: Mapping[str, object]) -> dict[str, object]:
    """Options with the values of choices where what those show came instead, which some clients
    send.
    """
    return {
        name: _restore_choice_value(spec.find_option(name), name, value)
        for name, value in options.items()
    }


def _restore_choice_value(option: Option | None, name: str, value: object) -> object:
    if name == "mods" and isinstance(value, str):
        return value.partition(" (")[0]
    if option is None or not isinstance(value, str):
        return value
    if option.type in ("units", "unit") or option.complete == "unit":
        return _DESCRIPTION.sub("", value)
    if option.type == "dice":
        examples = (
            example for example, what in GUIDE if value == f"{example}  {what}"[:MAX_LENGTH]
        )
        return next(examples, value.partition(" : ")[0])
    return value


def _complete_modifiers(
    spec: CommandSpec, typed: str, given: Mapping[str, object]
) -> list[CompletionChoice]:
    """The list so far with one more word: the last word completed, those already there hidden."""
    own = spec.find_option("mods")
    flags = [
        option.name for option in spec.options if option.type == "bool" and option.name not in given
    ]
    words = [
        *(own.values if own is not None else ()),
        *(flag for flag in flags if flag not in OF_ROLLS),
    ]
    *before, last = typed.replace(",", " ").split(" ") if typed else [""]
    before = [word for word in before if word]
    start = " ".join(before)
    rest = _match_words([word for word in words if word not in before], last)
    found = [*([last] if last and last in words else ()), *(choice.value for choice in rest)]
    lines = dict.fromkeys(f"{start} {word}".strip() for word in found)
    return [CompletionChoice(_add_modifier_value(spec, line), line) for line in lines]


def _add_modifier_value(spec: CommandSpec, line: str) -> str:
    """A list of modifiers with what its last word means and adds: `adjacent night (Night, target
    unlit −3)`.
    """
    word = line.rpartition(" ")[2]
    option = spec.find_option(word) or spec.find_option("mods")
    shown = f"{line} ({option.format_word(word)})" if option is not None else line
    return shown if len(shown) <= MAX_LENGTH else line


def _complete_unit_list(
    words: UnitWords | None, typed: str, known: CompletionContext, option: Option, elsewhere: str
) -> list[CompletionChoice]:
    """The list so far with its last item completed: a roster unit, several at once, a unit type, a
    number or a flag.

    Units that are in the list, or `elsewhere` in the command, are not offered again. Without
    `words` units go by their names alone, those that have left the fight too.
    """
    cut = max(typed.rfind(mark) + 1 for mark in (";", "," if "=" not in typed else ";"))
    before = typed[:cut]
    last = typed[cut:].lstrip()
    start = f"{before} " if before else ""
    part = _get_prefix_key(last.strip(_NAME_QUOTES))
    taken = {_strip_item(item) for item in f"{before};{elsewhere}".replace(",", ";").split(";")}
    alive = [
        unit for unit in known.roster if not is_out(unit, known) or unit.state in option.likely
    ]
    alive.sort(key=lambda unit: rank_able_first(unit, option, known))
    reasons = known.reasons.get(option.name, {})
    gone = [unit for unit in known.roster if is_out(unit, known)] if words is None else []
    units = [
        unit for unit in (*alive, *gone) if not {comparison_key(unit.name), unit.handle} & taken
    ]
    found: list[tuple[str, str]] = []
    for unit in units:
        if part in comparison_key(unit.name) or unit.handle.startswith(part):
            found += (
                [(format_unit_choice(unit, reasons.get(unit.handle)), unit.name)]
                if part != comparison_key(unit.name) or not last.endswith(" ")
                else []
            )
            if unit.handle not in reasons:
                found += _list_weapons(unit, words)
    many = list_unit_groups(
        part, known.roster, alive, known.own_side, acting=takes_own_units(option)
    )
    found[FIRST:FIRST] = many
    if words is not None:
        found += [(type_, type_) for type_ in words.types if part in type_]
        if " " in last:
            found += _list_unit_words(words, last)
    if not found and last:
        found = [(last, last)]
    return _put_after(start, found, known.roster)


_NAME_QUOTES = "\"'\u201c\u201d\u2018\u2019"


def _list_weapons(unit: RosterUnit, words: UnitWords | None) -> list[tuple[str, str]]:
    """Each weapon of a unit that carries several, where the list is of those who fire."""
    if words is None or not words.repeat or not unit.numbers.get(LOADOUT):
        return []
    return [
        (f"{unit.name}: {weapon}", item)
        for weapon, item in list_fired_weapons(unit.name, unit.numbers, words.repeat)
    ]


def _get_prefix_key(text: str) -> str:
    """Return the key of a name that is not typed to its end: a space there counts."""
    return comparison_key(text) + (" " if text.endswith(" ") else "")


def _strip_item(item: str) -> str:
    return comparison_key(item.strip().strip(_NAME_QUOTES))


def _list_unit_words(words: UnitWords, last: str) -> list[tuple[str, str]]:
    """Numbers and flags that may follow in an item, without those that it has."""
    head, _, part = last.rpartition(" ")
    there = {token.partition("=")[0] for token in head.split()}
    pieces = [f"{key}=" for key in words.keys] + list(words.flags)
    left = [
        piece
        for piece in pieces
        if piece.rstrip("=") not in there and piece.startswith(comparison_key(part))
    ]
    return [(f"{head} {piece}", f"{head} {piece}") for piece in left]


def _put_after(
    start: str, found: Iterable[tuple[str, str]], roster: Sequence[RosterUnit]
) -> list[CompletionChoice]:
    """Return the choices (what is shown, value) with what was typed before them.

    Where the names do not fit, units stand by their handles.
    """
    handles = {comparison_key(unit.name): unit.handle for unit in roster}
    pieces = [piece.strip() for piece in start.split(";") if piece.strip()]
    by_handles = "".join(f"{handles.get(_strip_item(piece), piece)}; " for piece in pieces)
    choices = []
    for name, value in found:
        before = start
        unit = value
        if len(start) + len(value) > MAX_LENGTH:
            before = by_handles
            unit = handles.get(comparison_key(value), value)
        whole = f"{before}{unit}"
        shown = f"{before}{name}"
        choices.append(CompletionChoice(shown if len(shown) <= MAX_LENGTH else whole, whole))
    return choices


def takes_own_units(option: Option) -> bool:
    """Return whether the units of an option are those of who asks; else they are mostly the other
    side's.
    """
    if option.role:
        return option.role != TARGETS
    is_acting = option.name in ACTING and not option.brings  # the crew of a target is not
    return is_acting or OWN in option.likely


def is_likely(unit: RosterUnit, option: Option) -> bool:
    """Return whether a unit is one of those that an option is mostly about; all are where it does
    not say.
    """
    words = {*option.likely} - {OWN}
    return not words or not words.isdisjoint({unit.state, unit.type, *unit.marks})


def is_out(unit: RosterUnit, known: CompletionContext) -> bool:
    """Return whether the unit has left the fight."""
    return unit.state in list_lost_states(known.game)


def rank_unit(unit: RosterUnit, option: Option, known: CompletionContext) -> tuple[bool, bool]:
    """Own units first for those who act, the others' first for targets; of a side those whom the
    option is about.
    """
    return bool(known.own_side) and (unit.side == known.own_side) != takes_own_units(
        option
    ), not is_likely(unit, option)


def rank_able_first(unit: RosterUnit, option: Option, known: CompletionContext) -> tuple[bool, ...]:
    """Return the place of a unit in a list: those that cannot be there come last, and first those
    that the drawn card or chit calls to act.
    """
    is_refused = unit.handle in known.reasons.get(option.name, {})
    is_on_call = takes_own_units(option) and unit.handle in known.on_call
    return is_refused, not is_on_call, *rank_unit(unit, option, known)


def _list_dice(typed: str) -> list[CompletionChoice]:
    if not typed.strip():
        return [
            CompletionChoice(f"{example}  {what}"[:MAX_LENGTH], example) for example, what in GUIDE
        ]
    return [CompletionChoice((find_fault(typed) or typed)[:MAX_LENGTH], typed)]


_NUMBERED = re.compile(r"(.*?)(\d{1,4})")
_RANGE = re.compile(r"(.*?)(\d{1,4})\s*\.\.\s*(\d*)")
MOST = 4
"""So many ranges are offered at once."""


def list_unit_groups(
    part: str,
    roster: Sequence[RosterUnit],
    alive: Sequence[RosterUnit],
    own_side: str,
    *,
    acting: bool,
) -> Iterator[tuple[str, str]]:
    """(what is shown, value) of what begins with `part`, the best first. `alive` are those still in
    play; a list of who acts means one's own side by `all`, any other the other side."""
    theirs = [unit for unit in roster if not own_side or (unit.side == own_side) == acting]
    yield from _list_ranges(part, roster if part else theirs, {unit.name for unit in alive})
    meant = [unit for unit in alive if not own_side or (unit.side == own_side) == acting]
    named: dict[str, list[RosterUnit]] = {}
    if len({unit.side for unit in meant}) == 1:
        named["all"] = meant
        for unit in meant:
            if unit.state:
                named.setdefault(f"all {unit.state}", []).append(unit)
    for side in dict.fromkeys(unit.side for unit in (*meant, *alive) if unit.side):
        named[f"side:{side}"] = [unit for unit in alive if unit.side == side]
    for unit in meant:
        if hex_ := unit.numbers.get("hex"):
            named.setdefault(f"hex:{hex_}", []).append(unit)
    for value, units in named.items():
        if comparison_key(value).startswith(part) and 2 <= len(units) <= MAX_UNITS:
            yield f"{value} ({len(units)} units)", value


class _Run(NamedTuple):
    """Units whose numbers follow each other: what is before the number, the first and last, who
    of them is in play.
    """

    stem: str
    first: int
    last: int
    alive: frozenset[int]

    def build_range(self, first: int, last: int) -> tuple[str, str]:
        count = sum(1 for number in self.alive if first <= number <= last)
        value = f"{self.stem}{first}..{last}"
        return f"{value} ({count} units)", value


def _list_ranges(
    part: str, roster: Sequence[RosterUnit], alive: Collection[str]
) -> Iterator[tuple[str, str]]:
    """From the number that is typed, or the first, to the end that is typed, or the last."""
    named = {unit.name: unit.name in alive for unit in roster}
    runs = [
        *_list_runs(named),
        *(_list_runs({unit.handle: unit.name in alive for unit in roster}) if part else ()),
    ]
    begun = _RANGE.fullmatch(part)
    typed = _NUMBERED.fullmatch(part)
    found = list[tuple[str, str]]()
    for run in runs:
        stem = _get_prefix_key(run.stem)
        if begun is not None:
            first = int(begun[2])
            if stem == begun[1] and run.first <= first < run.last:
                ends = [
                    end for end in range(first + 1, run.last + 1) if str(end).startswith(begun[3])
                ]
                ends.sort(key=lambda end: (str(end) != begun[3], -end))
                found += [run.build_range(first, end) for end in ends]
        elif typed is not None and stem == typed[1] and run.first <= int(typed[2]) < run.last:
            found.append(run.build_range(int(typed[2]), run.last))
        elif stem.startswith(part):
            found.append(run.build_range(run.first, run.last))
    yield from found[:MOST]


def _list_runs(names: dict[str, bool]) -> Iterator[_Run]:
    """Runs of several, with those in play (the value)."""
    stems: dict[str, dict[int, bool]] = {}
    for name, is_alive in names.items():
        found = _NUMBERED.fullmatch(name)
        if found and not found[2].startswith("0"):
            stems.setdefault(found[1], {})[int(found[2])] = is_alive
    for stem, numbers in stems.items():
        run: list[int] = []
        for number in (*sorted(numbers), -1):
            if run and (number != run[-1] + 1 or len(run) == MAX_UNITS):
                alive = frozenset(one for one in run if numbers[one])
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
"""What is offered before anything is typed."""


_NO_PLACE = {"localtime", "Factory"}
"""Zones that are the host's own, or none."""


@cache
def list_zones() -> tuple[str, ...]:
    """All zones that have a continent, and UTC; in order."""
    return tuple(sorted(name for name in available_timezones() if "/" in name or name == "UTC"))


def find_zone(typed: str) -> str:
    """The zone meant by its name or its city, whatever the case; "" for none."""
    word = _fold_zone(typed)
    named = {name.casefold(): name for name in available_timezones() - _NO_PLACE}
    cities = {
        known.rpartition("/")[2].casefold(): known
        for known in reversed(list_zones())
        if not _is_etc(known)
    }
    return named.get(word) or cities.get(word, "")


def find_zones(typed: str) -> list[str]:
    """Zones that fit what was typed: those whose city or name begins so first."""
    word = _fold_zone(typed)
    if not word:
        return list(USUAL)
    found = [name for name in list_zones() if word in name.casefold()]
    return sorted(
        found, key=lambda name: (_is_etc(name), not _begins_with(name, word), name not in USUAL)
    )


def _begins_with(name: str, word: str) -> bool:
    return any(
        piece.startswith(word) for piece in (name.casefold(), name.rpartition("/")[2].casefold())
    )


def _is_etc(name: str) -> bool:
    return name.partition("/")[0] in ("Etc", "SystemV", "posix", "right")


def _fold_zone(typed: str) -> str:
    return comparison_key(typed).replace(" ", "_")
