"""The first line of a played sequence: what happened to whom, and who did it; with how grave it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bot.interface.parts import Group
from bot.interface.tone import GRAVITY, HURT, NOTHING
from bot.play.actors import has_one_party
from bot.play.typed import a, numbered, spoken, the
from bot.rules.names import bare, joined, plural, stem_of
from bot.rules.sequence import Fate
from bot.systems.catalog import ROLL, Sequence

NO_EFFECT = "no effect"
FOLDED = 4
"""From so many units on, those of one result share a line, without the dice of each, and the first line counts them."""
YOU = "you"
"""Who does what the command line is asked for."""
BOLD = "bold"
NAMED = 2
"""So many units are named in the first line; more only if they are few, have no name in common, and fit in `ROOM`."""
COUNTED = 3
"""So many results are counted beside the worst; what is beyond is counted together."""
ROOM = 78  # two lines of a phone


@dataclass(frozen=True, slots=True)
class Result:
    """A result in words: `says` of one unit (`{} is shaken`), `many` of several, `word` where units are counted.

    `bold`: what to look out for, though nobody is hurt."""

    word: str
    says: str
    many: str
    tone: str
    bold: bool = False


@dataclass(frozen=True, slots=True)
class News:
    """The first line, in bold and in plain letters, and its tone."""

    title: str
    by: str
    tone: str


@lru_cache(maxsize=256)
def results_of(sequence: Sequence) -> Mapping[str, Result]:
    """The results of a sequence by their tokens, worst first, as `results` of the game.yaml has them."""
    data: Mapping[str, Any] = sequence.system.game.get("results") or {}
    own = data.get(sequence.id) or {}
    found = {**{token: said for token, said in (data.get("*") or {}).items() if token not in own}, **own}
    made = {token: _result(token, spec) for token, spec in found.items()}
    return dict(sorted(made.items(), key=lambda item: GRAVITY.index(item[1].tone)))


def _result(token: str, spec: Mapping[str, str]) -> Result:
    word = spec.get("word", NO_EFFECT if token == "none" else token.replace("-", " "))
    says = spec.get("says", f"{{}}: {word}")
    return Result(word, says, spec.get("many", says), spec.get("tone", NOTHING), spec.get("weight") == BOLD)


def news(
    sequence: Sequence, fates: Iterable[Fate], headline: str, actors: Iterable[str], who: str, most: int = 0
) -> News:
    """The first line of what `actors` did, or `who` where nobody acts; the `headline` where no fates are known.

    Where units are counted, at most so many results are, if `most` is given."""
    results = results_of(sequence)
    fates = numbered(sequence, (fate for fate in fates if fate.unit))
    actors = tuple(actors)
    itself = has_one_party(sequence) and {fate.unit for fate in fates} >= set(actors)
    by = cause(sequence, () if itself else actors, who)
    if not fates:
        return News(
            headline[:1].upper() + headline[1:],
            by,
            NOTHING if headline == "no effect" else _gravest(results, [headline]),
        )
    tone = _gravest(results, (fate.token for fate in fates))
    title = _named(sequence, fates)
    if are_counted(sequence, fates):
        told = (_counted(results, fates, most, said) for said in range(COUNTED, 0, -1))
        room = ROOM * 3 // 2 if most else ROOM
        title = next((line for line in told if len(line) + len(by) <= room), _counted(results, fates, most, 1))
    return News(title[:1].upper() + title[1:], by, tone)


def are_counted(sequence: Sequence, fates: Iterable[Fate]) -> bool:
    """Whether the first line counts the units by their results, so that lines of their own must name them."""
    known = numbered(sequence, (fate for fate in fates if fate.unit))
    if len(known) <= NAMED or len(known) >= FOLDED:
        return len(known) >= FOLDED
    return bool(stem_of(fate.unit for fate in known)) or len(_named(sequence, known)) > ROOM


def cause(sequence: Sequence, actors: tuple[str, ...], who: str, *, many: bool = False) -> str:
    """Who did it: `US Squads 3 + 4 fire`; where nobody on the map does, the player: `Alice rolls random orders`."""
    if not actors or sequence.verb == ROLL:
        return said_by(who, did(sequence, many=many))
    verb = sequence.verb.lower()
    return f"{joined(a(sequence, actors))} {plural(verb) if len(actors) == 1 else verb}"


def said_by(who: str, did: str) -> str:
    """What a player does; on the command line it is the reader: `you check morale`."""
    verb, blank, rest = did.partition(" ")
    return f"you {bare(verb)}{blank}{rest}" if who == YOU else f"{who} {did}"


def did(sequence: Sequence, *, many: bool = False) -> str:
    """What the player does: `rolls a random order`, or for `many` units at once `rolls random orders`."""
    once, _, often = sequence.cause.partition("|")
    return often or once if many else once


def unrolled(by: str, who: str) -> str:
    """The cause where no die was needed: nobody rolls."""
    return f"no roll by {who}" if by.startswith(f"{who} rolls ") else by


def groups(sequence: Sequence, fates: Iterable[Fate]) -> tuple[Group, ...]:
    """A line for each result, worst first, with the units that it came to; none where it came to nothing for all."""
    results = results_of(sequence)
    made = []
    found = _alike(results, numbered(sequence, fates))
    if len(found) == 1 and _word(results, found[0][0])[0] == NO_EFFECT:
        return ()
    for alike in found:
        word, tone = _word(results, alike[0])
        names = joined(spoken(sequence, (fate.unit for fate in alike)))
        made.append(Group(word[:1].upper() + word[1:], names, grave=tone == HURT or _is_bold(results, alike[0])))
    return tuple(made)


def _is_bold(results: Mapping[str, Result], fate: Fate) -> bool:
    return fate.token in results and results[fate.token].bold


def _alike(results: Mapping[str, Result], fates: list[Fate]) -> list[list[Fate]]:
    """Fates of the same words together, worst first, else in their order."""
    found: dict[tuple[str, str], list[Fate]] = {}
    for fate in fates:
        found.setdefault((fate.token, fate.more), []).append(fate)
    order = {token: at for at, token in enumerate(results)}
    return sorted(found.values(), key=lambda alike: order.get(alike[0].token, len(order)))


def _named(sequence: Sequence, fates: list[Fate]) -> str:
    results = results_of(sequence)
    return ", ".join(_said(sequence, results, alike) for alike in _alike(results, fates))


def _said(sequence: Sequence, results: Mapping[str, Result], alike: list[Fate]) -> str:
    names, result = joined(the(sequence, (fate.unit for fate in alike))), results.get(alike[0].token)
    if result is None:
        pattern = f"{{}}: {alike[0].token.replace('-', ' ')}"
    else:
        pattern = result.says if len(alike) == 1 else result.many
    return _with_more(pattern.replace("{}", names), alike[0].more)


def _with_more(words: str, more: str) -> str:
    if "{more}" in words:
        return words.replace("{more}", more)
    return f"{words}, {more}" if more else words


def _word(results: Mapping[str, Result], fate: Fate) -> tuple[str, str]:
    result = results.get(fate.token)
    word = fate.token.replace("-", " ") if result is None else result.word
    return _with_more(word, fate.more), (NOTHING if result is None else result.tone)


def _counted(results: Mapping[str, Result], fates: list[Fate], most: int = 0, said: int = COUNTED) -> str:
    """`5 of 9 VC killed, 2 wounded`; units without effect are not counted where others suffered."""
    stem = stem_of(fate.unit for fate in fates)
    noun = plural(stem) if stem else "units"
    counts: dict[str, int] = {}
    of_one: dict[str, str] = {}
    for alike in _alike(results, fates):
        word, _ = _word(results, Fate("", alike[0].token))
        counts[word] = counts.get(word, 0) + len(alike)
        of_one[word] = _of_one(results.get(alike[0].token), word)
    if [*counts] == [NO_EFFECT]:
        return f"{NO_EFFECT} on {len(fates)} {noun}"
    told = [(count, of_one[word] if count == 1 else word) for word, count in counts.items() if word != NO_EFFECT]
    (number, first), *others = told[: min(most, said) if most else None]
    start = f"{number} of {len(fates)} {noun} {first}" if number < len(fates) else f"All {number} {noun} {first}"
    if len(others) > said:
        others = [*others[: said - 1], (sum(count for count, _ in others[said - 1 :]), "otherwise")]
    return ", ".join([start, *(f"{count} {word}" for count, word in others)])


def _of_one(result: Result | None, word: str) -> str:
    """The word behind the number 1: `rushes toward the enemy` where that of several is `rush toward the enemy`."""
    says = result.says if result is not None else ""
    is_done = not says.startswith("{} ") or says.startswith("{} is ") or "{more}" in says
    return word if is_done else says.removeprefix("{} ")


def _gravest(results: Mapping[str, Result], tokens: Iterable[str]) -> str:
    tones = [results[token].tone for token in tokens if token in results]
    return min(tones, key=GRAVITY.index, default=NOTHING)
