"""The first line of a played sequence: what happened to whom, and who did it; with how grave it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bot.interface.parts import Group
from bot.interface.tone import HURT, NOTHING
from bot.play.fared import ROOM, Fared, with_more
from bot.play.typed import a, spoken
from bot.play.wording import NO_EFFECT, Result, Wording, wording_of
from bot.rules.names import bare, joined, plural
from bot.rules.quick import quick
from bot.rules.sequence import Fate
from bot.systems.catalog import Sequence

YOU = "you"
"""Who does what the command line is asked for."""
COUNTED = 3
"""So many results are counted beside the worst; what is beyond is counted together."""


@quick
@dataclass(frozen=True, slots=True)
class News:
    """The first line, in bold and in plain letters, and its tone."""

    title: str
    by: str
    tone: str


def news(sequence: Sequence, came: Fared, headline: str, actors: Iterable[str], who: str, most: int = 0) -> News:
    """The first line of what `actors` did, or `who` where nobody acts; the `headline` where no fates are known.

    Where units are counted, at most so many results are, if `most` is given."""
    wording, acting = came.wording, tuple(actors)
    if wording.has_one_party and acting and {fate.unit for fate in came.fates}.issuperset(acting):
        acting = ()
    by = cause(sequence, acting, who)
    if not came.fates:
        tone = NOTHING if headline == NO_EFFECT else wording.tone(headline)
        return News(headline[:1].upper() + headline[1:], by, tone)
    title = _counted(came, most, by) if came.is_counted else came.named
    return News(title[:1].upper() + title[1:], by, wording.tone(came.alike[0][0].token))


def cause(sequence: Sequence, actors: tuple[str, ...], who: str, *, many: bool = False) -> str:
    """Who did it: `US Squads 3 + 4 fire`; where nobody on the map does, the player: `Alice rolls random orders`."""
    wording = wording_of(sequence)
    if not actors or wording.verbs is None:
        return said_by(who, did(sequence, many=many))
    return f"{joined(a(wording.types, actors))} {wording.verbs[len(actors) > 1]}"


def said_by(who: str, did: str) -> str:
    """What a player does; on the command line it is the reader: `you check morale`."""
    if who != YOU:
        return f"{who} {did}"
    verb, blank, rest = did.partition(" ")
    return f"you {bare(verb)}{blank}{rest}"


def did(sequence: Sequence, *, many: bool = False) -> str:
    """What the player does: `rolls a random order`, or for `many` units at once `rolls random orders`."""
    once, _, often = sequence.cause.partition("|")
    return often or once if many else once


def unrolled(by: str, who: str) -> str:
    """The cause where no die was needed: nobody rolls."""
    return f"no roll by {who}" if by.startswith(f"{who} rolls ") else by


def groups(came: Fared) -> list[Group]:
    """A line for each result, worst first, with the units that it came to; none where it came to nothing for all."""
    if len(came.alike) == 1 and _word(came.wording, came.alike[0][0]) == NO_EFFECT:
        return []
    made = []
    for alike in came.alike:
        word, result = _word(came.wording, alike[0]), came.wording.results.get(alike[0].token)
        names = joined(spoken(came.wording.types, [fate.unit for fate in alike]))
        is_grave = result is not None and (result.tone == HURT or result.bold)
        made.append(Group(word[:1].upper() + word[1:], names, is_grave))
    return made


def _word(wording: Wording, fate: Fate) -> str:
    return with_more(_bare_word(wording, fate.token), fate.more)


def _bare_word(wording: Wording, token: str) -> str:
    result = wording.results.get(token)
    return token.replace("-", " ") if result is None else result.word


def _counted(came: Fared, most: int, by: str) -> str:
    """`5 of 9 VC killed, 2 wounded`, with as many results as there is room for beside the cause; units without effect
    are not counted where others suffered."""
    counts: dict[str, int] = {}
    tokens: dict[str, str] = {}
    results = came.wording.results
    for alike in came.alike:
        token = alike[0].token
        word = with_more(_bare_word(came.wording, token), "")
        counts[word], tokens[word] = counts.get(word, 0) + len(alike), token
    size, noun = len(came.fates), plural(came.stem) if came.stem else "units"
    told = [
        (count, _of_one(results.get(tokens[word]), word) if count == 1 else word)
        for word, count in counts.items()
        if word != NO_EFFECT
    ]
    if not told:
        return f"{NO_EFFECT} on {size} {noun}"
    number, first = told[0]
    line = f"{number} of {size} {noun} {first}" if number < size else f"All {number} {noun} {first}"
    room = (ROOM * 3 // 2 if most else ROOM) - len(by)
    for said in range(COUNTED, 1, -1):
        full = line + _others(told[1 : min(most, said) if most else None], said)
        if len(full) <= room:
            return full
    return line + _others(told[1 : 1 if most else None], 1)


def _others(told: list[tuple[int, str]], said: int) -> str:
    """The results beside the worst, those beyond so many counted together."""
    if len(told) > said:
        told = [*told[: said - 1], (sum(count for count, _ in told[said - 1 :]), "otherwise")]
    return "".join([f", {count} {word}" for count, word in told])


def _of_one(result: Result | None, word: str) -> str:
    """The word behind the number 1: `rushes toward the enemy` where that of several is `rush toward the enemy`."""
    says = result.says if result is not None else ""
    is_done = not says.startswith("{} ") or says.startswith("{} is ") or "{more}" in says
    return word if is_done else says.removeprefix("{} ")
