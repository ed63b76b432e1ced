"""The search behind `/find`, through the tables, sequences, scenarios and unit words of the games,
help topics and commands.

All of these come from the files of the games and from the program. Nothing that is stored for a
channel is searched, so no hand, order or sealed roll can be found.
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
"""Maximum number of hits that one answer lists."""
MAX_WORDS = 12
"""Maximum number of words that are looked for."""
UNIT = "unit"
"""The word between a game and a word of its units: `ucn unit hesitant`."""
SCENARIO = "scenario"
"""The word between a game and one of its scenarios: `lnlt scenario ford`."""
_WORD = re.compile(r"\d+\+|[^\W_]+")
_FILLERS = frozenset(("a", "an", "the", "of", "for", "table", "tables", "chart"))
"""Words that are ignored if there are others."""
_CUTOFF = 0.75
"""Minimum similarity (0 to 1) of a misspelt word to the one that replaces it."""


class FindableKind(StrEnum):
    """The kind of a target, in the order in which equally good hits are listed."""

    TABLE = "table"
    SEQUENCE = "sequence"
    WORD = "word"
    SCENARIO = "scenario"
    TOPIC = "topic"


@dataclass(frozen=True, slots=True)
class Findable:
    """A target of the search."""

    kind: FindableKind
    game: str
    """The id of the game; "" for a target that belongs to no game."""
    key: str
    """A unique key that can be typed after `/find`: `lnlt-table dct`, `lnlt fire`, `ucn unit
    hesitant`."""
    title: str
    about: str
    """A short description."""
    names: frozenset[str]
    """Its printed names, folded."""
    words: frozenset[str]
    """The single words of its names."""
    more: frozenset[str]
    """The single words of its values and summary."""
    values: frozenset[str] = frozenset()
    """The printed names of its rows and columns."""
    needs_game: bool = False
    """Whether it is of no use in own play."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A target that was found; the smaller the `rank`, the surer it is."""

    target: Findable
    rank: int


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a search: the hits in the order in which they are listed, the only target that
    can be meant, if any, and the corrected words if some were misspelt.
    """

    hits: tuple[Hit, ...] = ()
    sure: Findable | None = None
    corrected: str = ""


KEY, NAME, WORDS, VALUE, STARTS, WITHIN = range(6)
"""The ranks of hits. The words that were typed are: the target's key; a whole name; whole words of
its names; a value as printed; beginnings of words of its names; words of its values and summary.
"""


def search(
    text: str,
    registry: Registry,
    games: Collection[str],
    played: str = "",
    *,
    own_play: bool = False,
) -> Finding:
    """Return the targets in these games, and in help, that `text` may mean, the surest first. Of
    equally sure ones those of the game `played` go first.

    A text that begins with the id of a game is only looked for in that game. `own_play` leaves out
    targets that need a channel's game. If nothing matches, misspelt words are replaced by the
    nearest ones. Without any hit, the finding is empty.
    """
    targets = list(list_targets(registry, games))
    if own_play:
        targets = [target for target in targets if _is_for_own_play(target)]
    game, words = _read_game(read_words(text)[:MAX_WORDS], registry, games)
    if game:
        targets = [target for target in targets if target.game == game]
    finding = _find(words, targets, played)
    if finding.hits or not words:
        return finding
    corrected_words = _correct(words, targets)
    if corrected_words == words:
        return finding
    finding = _find(corrected_words, targets, played)
    if not finding.hits:
        return finding
    return Finding(finding.hits, None, " ".join(corrected_words))


def _is_for_own_play(target: Findable) -> bool:
    return not target.needs_game and target.kind is not FindableKind.SCENARIO


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
    """Return the targets that the words mean as hits, the surest first, those of the game `played`
    before others of equal rank. If a key or a whole name matches, hits of the lowest rank (WITHIN)
    are left out.
    """
    hits = []
    for target in targets:
        rank = _rank_target(words, target)
        if rank is not None:
            hits.append(Hit(target, rank))
    if any(hit.rank <= NAME for hit in hits):
        hits = [hit for hit in hits if hit.rank != WITHIN]
    games = dict.fromkeys([played, *_list_games(targets)])
    game_order = {game: index for index, game in enumerate(games)}
    kinds = list(FindableKind)
    hits.sort(key=lambda hit: (hit.rank, game_order[hit.target.game], kinds.index(hit.target.kind)))
    return Finding(tuple(hits), _choose(hits, played))


def _list_games(targets: Iterable[Findable]) -> Iterator[str]:
    """Yield the game of each target; "" comes last, if some target belongs to no game."""
    has_help = False
    for target in targets:
        if target.game:
            yield target.game
        else:
            has_help = True
    if has_help:
        yield ""


def _choose(hits: Sequence[Hit], played: str) -> Findable | None:
    """Return the only target that can be meant, or None.

    It is the one with this key, or the only hit at all, or the only hit with that name or value in
    the game `played` (in all games, if that one has no hits).
    """
    if not hits:
        return None
    if len(hits) == 1 or hits[0].rank == KEY:
        return hits[0].target
    in_game = [hit for hit in hits if played and hit.target.game == played]
    candidates = in_game or list(hits)
    best = [hit for hit in candidates if hit.rank == candidates[0].rank]
    is_exact = best[0].rank in (NAME, VALUE)
    return best[0].target if is_exact and len(best) == 1 else None


def _rank_target(words: Sequence[str], target: Findable) -> int | None:
    """Return how surely these words mean the target (KEY is the surest), or None if they do not."""
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
    if all(_starts_a_word(stem, target) for stem in stems):
        return STARTS
    if stems <= target.words | target.more:
        return WITHIN
    return None


def _starts_a_word(stem: str, target: Findable) -> bool:
    return any(word.startswith(stem) for word in target.words)


def _read_game(
    words: list[str], registry: Registry, games: Collection[str]
) -> tuple[str, list[str]]:
    """Return the game that the words begin with and the words to look for, without the id of the
    game and, if more follows, the word `table`.

    Returns ("", all words) if they begin with no game of `games`, or if nothing follows. If all
    words together are the key of a target, none is removed.
    """
    if len(words) < 2 or words[0] not in registry.games or words[0] not in games:
        return "", words
    game = words[0]
    key = fold_name(" ".join(words))
    targets = _list_game_targets(registry.games[game])
    if any(fold_name(target.key) == key for target in targets):
        return game, words
    names_table = words[1] == TABLE.strip("-") and len(words) > 2
    return game, words[2:] if names_table else words[1:]


def _correct(words: Sequence[str], targets: Iterable[Findable]) -> list[str]:
    """Return the words, with each one that begins no word of a target's names replaced by the
    nearest word of a name, if one is near (_CUTOFF).
    """
    names = {name for target in targets for name in target.names}
    known_words = sorted({word for name in names for word in name.split("-")})
    corrected = []
    for word in words:
        is_known = any(other.startswith(_get_stem(word)) for other in known_words)
        near = [] if is_known else find_near(word, known_words, _CUTOFF)
        corrected.append(near[0] if near else word)
    return corrected


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
    is_plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural else word


def _get_stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(_get_stem, words))


# -- what there is

_TARGETS: WeakKeyDictionary[System, tuple[Findable, ...]] = WeakKeyDictionary()


def _list_game_targets(game: System) -> tuple[Findable, ...]:
    """Return what can be found within a game: its tables, sequences, words for units, and
    scenarios, but not its page in the help. It is cached, as a game never changes.
    """
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
    """Yield the tables of a game, each with its titles and printed names, and the words and ranges
    of its rows and columns.
    """
    printed_names: dict[str, list[str]] = {}
    for name, ids in game.table_names.items():
        for id in ids:
            printed_names.setdefault(id, []).append(name)
    for table in game.tables.values():
        titles = (table.id, table.title, *table.also)
        names = {*printed_names.get(table.id, ()), *map(fold_name, titles)}
        values = [value for option in table.inputs for value in list_values(option)]
        values += list_ranges(table.printed)
        texts = [table.summary, table.notes, table.source, *values]
        yield Findable(
            FindableKind.TABLE,
            game.id,
            f"{game.id}{TABLE} {table.id}",
            table.title,
            table.source,
            names=frozenset(names),
            words=_get_stems(word for name in (*titles, *names) for word in read_words(name)),
            more=_get_stems(word for text in texts for word in read_words(text)),
            values=frozenset(map(fold_name, values)),
        )


def list_values(option: Option) -> Iterator[str]:
    """Yield the words that an option takes, with their other names and labels."""
    for value in option.values:
        yield value
        yield from option.also.get(value, ())
        if value in option.labels:
            yield option.labels[value]


def _list_sequence_targets(game: System) -> Iterator[Findable]:
    """Yield one target for each sequence of a game, by its id and title."""
    for sequence in game.sequences.values():
        titles = (sequence.id, sequence.title)
        yield Findable(
            FindableKind.SEQUENCE,
            game.id,
            f"{game.id} {sequence.id}",
            sequence.title,
            sequence.source,
            names=frozenset(map(fold_name, titles)),
            words=_get_stems(word for name in titles for word in read_words(name)),
            more=_get_stems(read_words(f"{sequence.summary} {sequence.verb}")),
        )


def list_unit_words(game: System) -> Mapping[str, tuple[str, str]]:
    """Return {word: (kind, meaning)} of the unit types, states, markers and flags of a game.

    The kind is such as "state" or "state and marker"; the meaning is "" if the game does not say. A
    flag is left out if its word has another kind.
    """
    units = game.game["units"]
    kinds: dict[str, list[str]] = {}
    meanings: dict[str, str] = {}
    words_by_kind = {
        "unit type": game.words["units"].types,
        "state": units.get("states") or (),
        "marker": units.get("markers") or (),
        "flag": units.get("flags") or {},
    }
    for kind, words in words_by_kind.items():
        for word in words:
            key = str(word).replace("_", "-")
            if kind == "flag" and key in kinds:
                continue
            kinds.setdefault(key, []).append(kind)
            if isinstance(words, Mapping) and words[word]:
                meanings.setdefault(key, str(words[word]))
    return {key: (" and ".join(kinds[key]), meanings.get(key, "")) for key in kinds}


def _list_word_targets(game: System) -> Iterator[Findable]:
    """Yield one target for each unit type, state, marker and flag of a game."""
    for word, (kind, meaning) in list_unit_words(game).items():
        yield Findable(
            FindableKind.WORD,
            game.id,
            f"{game.id} {UNIT} {word}",
            word.replace("-", " ").capitalize(),
            kind,
            names=frozenset((fold_name(word),)),
            words=_get_stems(read_words(word)),
            more=_get_stems(read_words(meaning)),
        )


def _list_scenario_targets(game: System) -> Iterator[Findable]:
    """Yield one target for each scenario of a game, by its id and title."""
    for id, title in game.scenarios.items():
        yield Findable(
            FindableKind.SCENARIO,
            game.id,
            f"{game.id} {SCENARIO} {id}",
            title,
            SCENARIO,
            names=frozenset((fold_name(id), fold_name(title))),
            words=_get_stems(read_words(f"{id} {title}")),
            more=frozenset((SCENARIO,)),
        )


def _build_game_target(game: System) -> Findable:
    """Return the help page of a game as a target."""
    names = (game.id, game.title)
    return Findable(
        FindableKind.TOPIC,
        game.id,
        f"help {game.id}",
        game.title,
        "game",
        names=frozenset(map(fold_name, names)),
        words=_get_stems(word for name in names for word in read_words(name)),
        more=frozenset(),
    )


@cache
def _list_topic_targets() -> tuple[Findable, ...]:
    """Return the topics of help as targets."""
    return tuple(
        Findable(
            FindableKind.TOPIC,
            "",
            f"help {name}",
            topic.title,
            topic.about,
            names=frozenset((fold_name(name), fold_name(topic.title))),
            words=_get_stems(read_words(f"{name} {topic.title}")),
            more=_get_stems(read_words(topic.about)),
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
    """Return the help page of a command as a target."""
    path = " ".join(spec.path)
    return Findable(
        FindableKind.TOPIC,
        "",
        f"help {path}",
        spec.name,
        spec.title or spec.summary.split(". ")[0],
        names=frozenset((fold_name(path), fold_name(spec.path[-1]))),
        words=_get_stems(read_words(path)),
        more=_get_stems(read_words(f"{spec.title} {spec.summary}")),
        needs_game=spec.needs_game,
    )
