"""The first line of a played sequence: what happened to whom, and who did it; with how grave it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.answers.fared import Fared, with_more
from bot.answers.typed import a, spoken
from bot.answers.wording import NO_EFFECT, Result, Wording, wording_of
from bot.interface.reply.parts import Group
from bot.interface.reply.tone import GAME, HURT, NOTHING
from bot.rules.sequence.sequence import Fate
from bot.rules.text.names import bare, joined, men_of
from bot.systems.catalog import Sequence

YOU = "you"
"""Who does what the command line is asked for."""
COUNTED = 3
"""So many results are counted."""


@dataclass(frozen=True, slots=True)
class News:
    """The first line, in bold and in plain letters, and its tone."""

    title: str
    by: str
    tone: str


def news(sequence: Sequence, came: Fared, headline: str, actors: Iterable[str], who: str) -> News:
    """The first line of what `actors` did, or `who` where nobody acts; the `headline` where no fates are known."""
    wording, acting = came.wording, tuple(actors)
    units = {fate.unit for fate in came.fates}
    if units - {*wording.types} == {*acting} or (wording.has_one_party and units.issuperset(acting)):
        acting = ()  # the title names them
    by = cause(sequence, acting, who)
    if not came.fates:
        tone = NOTHING if headline == NO_EFFECT else wording.tone(headline)
        return News(headline[:1].upper() + headline[1:], by, tone)
    title = _counted(came) if came.is_counted else came.named
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
    if len(came.alike) == 1 and _word(came.wording, came.alike[0]) == NO_EFFECT:
        return []
    made = []
    for alike in came.alike:
        word, result = _word(came.wording, alike), came.wording.results.get(alike[0].token)
        names = joined(spoken(came.wording.types, [fate.unit for fate in alike]))
        is_grave = result is not None and (result.tone == HURT or result.bold)
        made.append(Group(word[:1].upper() + word[1:], names, is_grave))
    return made


def _word(wording: Wording, alike: list[Fate]) -> str:
    """What came to these: an order as it is given, `rush the enemy`; with what is added it goes by their number."""
    token, more = alike[0].token, alike[0].more
    result = wording.results.get(token)
    if result is None or not more or "{more}" not in result.many:
        return with_more(_bare_word(wording, token), more)
    verb, blank, rest = more.partition(" ")
    many = len(alike) > 1
    return with_more(_of(len(alike), wording, token), f"{bare(verb) if many else verb}{blank}{rest}")


def _bare_word(wording: Wording, token: str) -> str:
    result = wording.results.get(token)
    return token.replace("-", " ") if result is None else result.word


def _counted(came: Fared) -> str:
    """`5 of 9 VC killed, 2 wounded`: at most three results. Beyond that harm is summed by severity, of the rest those
    that one looks out for are named; units without effect are not counted where others suffered."""
    size, stem = len(came.fates), men_of(came.stem) if came.stem else "units"
    told = _summed(came)
    if not told:
        return f"{NO_EFFECT} on {f'{size} {stem}' if stem else joined(fate.unit for fate in came.fates)}"
    (number, first), *others = told
    if stem:
        line = f"{number} of {size} {stem} {first}" if number < size else f"All {number} {stem} {first}"
    else:
        line = f"{came.stem}: {f'{number} of {size}' if number < size else f'all {number}'} {first}"
    return "".join([line, *(f", {count} {word}" for count, word in others)])


def _summed(came: Fared) -> list[tuple[int, str]]:
    """How many came to which result, worst first, at most three."""
    results, word_of = came.wording.results, _bare_word
    tokens = [fate.token for alike in came.alike for fate in alike]
    if len({word_of(came.wording, token) for token in tokens} - {NO_EFFECT}) > COUNTED:
        tokens = [_mildly(results, token) for token in tokens]
    counts = Counter(token for token in tokens if word_of(came.wording, token) != NO_EFFECT)
    order = [*counts]
    if len(order) > COUNTED and came.wording.tone(order[0]) == GAME:
        order.sort(key=lambda token: (not results[token].bold, token != "none", -counts[token]))
        order = order[:COUNTED]
    told = [(counts[token], _of(counts[token], came.wording, token)) for token in order]
    while len(told) > COUNTED:
        (more, mild), (most, mildest) = told[-2:]
        told[-2:] = [(more + most, f"{mild} or {mildest}")]
    return told


def _mildly(results: Mapping[str, Result], token: str) -> str:
    """A result as grave without what is added: wounded of `wounded-twice-suppressed`."""
    alike = (part for part in token.split("-") if part in results and results[part].tone == results[token].tone)
    return next(alike, token)


def _of(count: int, wording: Wording, token: str) -> str:
    """The word behind a number: behind 1 `rushes the enemy` where that of several is `rush the enemy`."""
    result = wording.results.get(token)
    return with_more(_bare_word(wording, token), "") if count > 1 or result is None else result.one
