"""What `/find` looks through, and which of it somebody means: tables, sequences, scenarios and
words of units of the games, topics of help and commands.

All of it comes from the files of the games and from the program. Nothing that a channel remembers
is searched, so no hand, order or sealed roll can be found.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from weakref import WeakKeyDictionary

from bot.rules.errors import find_near
from bot.rules.inputs.options import Option
from bot.rules.tables.printed_edges import list_ranges
from bot.rules.text.normalize import comparison_key
from bot.rulesets.system import System
from bot.ui.help_topics import TOPICS
from bot.ui.registry import TABLE, Registry
from bot.ui.spec import CommandSpec

MOST = 10
"""Hits that one answer lists."""
MAX_WORDS = 12
"""Words that are looked for."""
UNIT = "unit"
"""The word between a game and a word of its units: `ucn unit hesitant`."""
SCENARIO = "scenario"
"""The word between a game and one of its scenarios: `lnlt scenario ford`."""
_WORD = re.compile(r"\d+\+|[^\W_]+")
_FILLERS = frozenset(("a", "an", "the", "of", "for", "table", "tables", "chart"))
"""Words that say nothing about what is looked for, if there are others."""
_CUTOFF = 0.75
"""How near a word must be to a known one to be read as that."""


class FindableKind(StrEnum):
    """What a target is, in the order in which equally good hits are listed."""

    TABLE = "table"
    SEQUENCE = "sequence"
    WORD = "word"
    SCENARIO = "scenario"
    TOPIC = "topic"


@dataclass(frozen=True, slots=True)
class Findable:
    """Something that can be found.

    `key` names it alone and can be typed after `/find`: `lnlt-table dct`, `lnlt fire`, `ucn unit
    hesitant`. `game` is empty for what belongs to no game. `names` are its printed names, folded,
    and `values` those of its rows and columns; `words` are the single words of its names, `more`
    those of its values and summary.
    """

    kind: FindableKind
    game: str
    key: str
    title: str
    about: str
    names: frozenset[str]
    words: frozenset[str]
    more: frozenset[str]
    values: frozenset[str] = frozenset()
    needs_game: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A target that was found; the smaller the `rank`, the surer it is."""

    target: Findable
    rank: int


@dataclass(frozen=True, slots=True)
class Finding:
    """What a search found: hits in the order in which they are listed, the only one that can be
    meant, if any, and the words that were read instead of misspelt ones.
    """

    hits: tuple[Hit, ...] = ()
    sure: Findable | None = None
    corrected: str = ""


KEY, NAME, WORDS, VALUE, STARTS, WITHIN = range(6)
"""The ranks: its key; a whole name; whole words of a name; a value as printed; starts of words of a
name; words of its values and summary.
"""


def search(
    text: str,
    registry: Registry,
    games: Collection[str],
    played: str = "",
    *,
    own_play: bool = False,
) -> Finding:
    """Return what `text` finds in these games, and in help; the game that is played goes first.

    `own_play` leaves out what is of no use without a game. Words that nothing has are read as the
    nearest known ones.
    """
    targets = [
        target
        for target in list_targets(registry, games)
        if not (own_play and (target.needs_game or target.kind is FindableKind.SCENARIO))
    ]
    only, words = _read_game(read_words(text)[:MAX_WORDS], registry, games)
    if only:
        targets = [target for target in targets if target.game == only]
    found = _find(words, targets, played)
    if found.hits or not words:
        return found
    nearest = _correct(words, targets)
    if nearest == words:
        return found
    found = _find(nearest, targets, played)
    return Finding(found.hits, None, " ".join(nearest)) if found.hits else found


def list_targets(registry: Registry, games: Collection[str]) -> Iterator[Findable]:
    """Yield all that can be found in these games, then in help."""
    for id, game in registry.games.items():
        if id in games:
            yield from _list_game_targets(game)
    for id, game in registry.games.items():
        if id in games:
            yield _build_game_target(game)
    yield from _list_topic_targets()
    for spec in _list_fixed_commands(registry):
        yield _build_command_target(spec)


def _find(words: Sequence[str], targets: Sequence[Findable], played: str) -> Finding:
    hits = [
        Hit(target, rank) for target in targets if (rank := _rank_target(words, target)) is not None
    ]
    if any(hit.rank <= NAME for hit in hits):
        hits = [hit for hit in hits if hit.rank != WITHIN]
    order = {
        game: index for index, game in enumerate(dict.fromkeys([played, *_list_games(targets)]))
    }
    kinds = list(FindableKind)
    hits.sort(key=lambda hit: (hit.rank, order[hit.target.game], kinds.index(hit.target.kind)))
    return Finding(tuple(hits), _choose(hits, played))


def _list_games(targets: Iterable[Findable]) -> Iterator[str]:
    """Yield the game of each target, and "" last."""
    last = False
    for target in targets:
        if target.game:
            yield target.game
        else:
            last = True
    if last:
        yield ""


def _choose(hits: Sequence[Hit], played: str) -> Findable | None:
    """Return the only target that can be meant: the one with this key, the only hit at all, or
    the only one of that name or with that value in the game that is played. If that game has no
    hits, all others count.
    """
    if not hits:
        return None
    if len(hits) == 1 or hits[0].rank == KEY:
        return hits[0].target
    here = [hit for hit in hits if played and hit.target.game == played]
    nearer = here or list(hits)
    best = [hit for hit in nearer if hit.rank == nearer[0].rank]
    is_exact = best[0].rank in (NAME, VALUE)
    return best[0].target if is_exact and len(best) == 1 else None


def _rank_target(words: Sequence[str], target: Findable) -> int | None:
    """Return how surely these words mean the target, or None if they do not."""
    if not words:
        return None
    name = "-".join(words)
    if name == fold_name(target.key):
        return KEY
    if name in target.names:
        return NAME
    stems = _get_stems([word for word in words if word not in _FILLERS] or words)
    if stems <= target.words:
        return WORDS
    if name in target.values:
        return VALUE
    if all(any(word.startswith(stem) for word in target.words) for stem in stems):
        return STARTS
    if stems <= target.words | target.more:
        return WITHIN
    return None


def _read_game(
    words: list[str], registry: Registry, games: Collection[str]
) -> tuple[str, list[str]]:
    """Return the game that the words begin with, if more follow, and the words to look for."""
    if len(words) < 2 or words[0] not in registry.games or words[0] not in games:
        return "", words
    game = words[0]
    rest = words[2:] if words[1] == TABLE.strip("-") and len(words) > 2 else words[1:]
    key = fold_name(" ".join(words))
    is_key = any(
        fold_name(target.key) == key for target in _list_game_targets(registry.games[game])
    )
    return game, words if is_key else rest


def _correct(words: Sequence[str], targets: Iterable[Findable]) -> list[str]:
    """Return the words, each that no target has as the nearest one in a name."""
    known = sorted(
        {word for target in targets for name in target.names for word in name.split("-")}
    )
    spelled = []
    for word in words:
        is_known = any(other.startswith(_get_stem(word)) for other in known)
        near = [] if is_known else find_near(word, known, _CUTOFF)
        spelled.append(near[0] if near else word)
    return spelled


# -- how names are compared


def read_words(text: str) -> list[str]:
    """Return the words and figures of a text, in lower case.

    >>> read_words("Rifle (bolt-action), 13+")
    ['rifle', 'bolt', 'action', '13+']
    """
    return _WORD.findall(comparison_key(text))


def fold_name(text: str) -> str:
    """Return a name in the form in which names are compared.

    >>> fold_name("Damage check: Calculation")
    'damage-check-calculation'
    """
    return "-".join(read_words(text))


def _get_stem(word: str) -> str:
    """Return a word without the s of its plural."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _get_stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(_get_stem, words))


# -- what there is

_TARGETS: WeakKeyDictionary[System, tuple[Findable, ...]] = WeakKeyDictionary()


def _list_game_targets(game: System) -> tuple[Findable, ...]:
    """Return all that can be found in a game; made once, as a game never changes."""
    targets = _TARGETS.get(game)
    if targets is None:
        targets = _TARGETS[game] = (
            *_list_table_targets(game),
            *_list_sequence_targets(game),
            *_list_word_targets(game),
            *_list_scenario_targets(game),
        )
    return targets


def _list_table_targets(game: System) -> Iterator[Findable]:
    printed: dict[str, list[str]] = {}
    for name, ids in game.table_names.items():
        for id in ids:
            printed.setdefault(id, []).append(name)
    for table in game.tables.values():
        titles = (table.id, table.title, *table.also)
        names = {*printed.get(table.id, ()), *map(fold_name, titles)}
        values = [value for option in table.inputs for value in list_values(option)]
        values += list_ranges(table.printed)
        texts = [table.summary, table.notes, table.source, *values]
        yield Findable(
            FindableKind.TABLE,
            game.id,
            f"{game.id}{TABLE} {table.id}",
            table.title,
            table.source,
            frozenset(names),
            _get_stems(word for name in (*titles, *names) for word in read_words(name)),
            _get_stems(word for text in texts for word in read_words(text)),
            frozenset(map(fold_name, values)),
        )


def list_values(option: Option) -> Iterator[str]:
    """Yield the words that an option takes, with what the card and people call them."""
    for value in option.values:
        yield value
        yield from option.also.get(value, ())
        if value in option.labels:
            yield option.labels[value]


def _list_sequence_targets(game: System) -> Iterator[Findable]:
    for sequence in game.sequences.values():
        titles = (sequence.id, sequence.title)
        yield Findable(
            FindableKind.SEQUENCE,
            game.id,
            f"{game.id} {sequence.id}",
            sequence.title,
            sequence.source,
            frozenset(map(fold_name, titles)),
            _get_stems(word for name in titles for word in read_words(name)),
            _get_stems(read_words(f"{sequence.summary} {sequence.verb}")),
        )


def list_unit_words(game: System) -> Mapping[str, tuple[str, str]]:
    """Return the unit types, states, markers and flags of a game: what each is, and what it
    means; "" if the game does not say.
    """
    units = game.game["units"]
    kinds: dict[str, list[str]] = {}
    meanings: dict[str, str] = {}
    listed = {
        "unit type": game.words["units"].types,
        "state": units.get("states") or (),
        "marker": units.get("markers") or (),
        "flag": units.get("flags") or {},
    }
    for kind, words in listed.items():
        for word in words:
            key = str(word).replace("_", "-")
            if kind == "flag" and key in kinds:
                continue
            kinds.setdefault(key, []).append(kind)
            if isinstance(words, Mapping) and words[word]:
                meanings.setdefault(key, str(words[word]))
    return {key: (" and ".join(kinds[key]), meanings.get(key, "")) for key in kinds}


def _list_word_targets(game: System) -> Iterator[Findable]:
    for word, (kind, meaning) in list_unit_words(game).items():
        yield Findable(
            FindableKind.WORD,
            game.id,
            f"{game.id} {UNIT} {word}",
            word.replace("-", " ").capitalize(),
            kind,
            frozenset((fold_name(word),)),
            _get_stems(read_words(word)),
            _get_stems(read_words(meaning)),
        )


def _list_scenario_targets(game: System) -> Iterator[Findable]:
    for id, title in game.scenarios.items():
        yield Findable(
            FindableKind.SCENARIO,
            game.id,
            f"{game.id} {SCENARIO} {id}",
            title,
            SCENARIO,
            frozenset((fold_name(id), fold_name(title))),
            _get_stems(read_words(f"{id} {title}")),
            frozenset((SCENARIO,)),
        )


def _build_game_target(game: System) -> Findable:
    names = (game.id, game.title)
    return Findable(
        FindableKind.TOPIC,
        game.id,
        f"help {game.id}",
        game.title,
        "game",
        frozenset(map(fold_name, names)),
        _get_stems(word for name in names for word in read_words(name)),
        frozenset(),
    )


@cache
def _list_topic_targets() -> tuple[Findable, ...]:
    return tuple(
        Findable(
            FindableKind.TOPIC,
            "",
            f"help {name}",
            topic.title,
            topic.about,
            frozenset((fold_name(name), fold_name(topic.title))),
            _get_stems(read_words(f"{name} {topic.title}")),
            _get_stems(read_words(topic.about)),
        )
        for name, topic in TOPICS.items()
    )


def _list_fixed_commands(registry: Registry) -> Iterator[CommandSpec]:
    """Yield the commands that belong to no game."""
    for name in registry.top_names:
        if name.removesuffix(TABLE) not in registry.games:
            yield from registry.list_below((name,))


@cache
def _build_command_target(spec: CommandSpec) -> Findable:
    path = " ".join(spec.path)
    return Findable(
        FindableKind.TOPIC,
        "",
        f"help {path}",
        spec.name,
        spec.title or spec.summary.split(". ")[0],
        frozenset((fold_name(path), fold_name(spec.path[-1]))),
        _get_stems(read_words(path)),
        _get_stems(read_words(f"{spec.title} {spec.summary}")),
        needs_game=spec.needs_game,
    )
