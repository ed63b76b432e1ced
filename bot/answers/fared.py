"""How the units of a play fared, sorted once for all that is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.answers.typed import the
from bot.answers.wording import Wording, wording_of
from bot.rules.sequence.sequence import Fate
from bot.rules.text.names import joined, stem_of
from bot.systems.catalog import Sequence

FOLDED = 4
"""From so many units on, those of one result share a line, without the dice of each, and the first line counts them."""
NAMED = 2
"""So many units are named in the first line; more only if they are few, have no name in common, and fit in `ROOM`."""
ROOM = 78  # two lines of a phone


@dataclass(frozen=True, slots=True)
class Fared:
    """The `fates` in their order, and those `alike` together, worst first. Units of one type without a name that fare
    differently are numbered, `squad 1`, `squad 2`; `mixed` says how many there are of each such type.

    `is_counted`: the first line counts the units, so that lines of their own must name them; where it does not, it is
    `named`. `stem` is what the names of three or more have in common.
    """

    wording: Wording
    fates: list[Fate]
    alike: list[list[Fate]]
    mixed: Mapping[str, int]
    is_counted: bool
    stem: str
    named: str


def fared(sequence: Sequence, fates: Iterable[Fate]) -> Fared:
    """What came of the units of one play, or of several plays together."""
    wording, known = wording_of(sequence), [fate for fate in fates if fate.unit]
    if len(known) < 2:
        return Fared(wording, known, [known] if known else [], {}, False, "", _said(wording, known) if known else "")
    mixed = _mixed(wording.types, known)
    if mixed:
        known = _numbered(wording.types, mixed, known)
    alike = _alike(wording.rank, known)
    stem = stem_of([fate.unit for fate in known]) if len(known) > NAMED else ""
    if stem or len(known) >= FOLDED:
        return Fared(wording, known, alike, mixed, True, stem, "")
    named = ", ".join([_said(wording, some) for some in alike])
    return Fared(wording, known, alike, mixed, len(known) > NAMED and len(named) > ROOM, stem, named)


def with_more(words: str, more: str) -> str:
    """The words of a result with what is to be added."""
    if "{more}" in words:
        return words.replace("{more}", more)
    return f"{words}, {more}" if more else words


def _mixed(types: Mapping[str, str], fates: list[Fate]) -> dict[str, int]:
    first: dict[str, tuple[str, str]] = {}
    mixed = set()
    for fate in fates:
        if fate.unit in types:
            how = (fate.token, fate.more)
            if first.setdefault(fate.unit, how) != how:
                mixed.add(fate.unit)
    return {type: sum(fate.unit == type for fate in fates) for type in mixed} if mixed else {}


def _numbered(types: Mapping[str, str], mixed: Mapping[str, int], fates: list[Fate]) -> list[Fate]:
    at = dict.fromkeys(mixed, 0)
    made = []
    for fate in fates:
        if fate.unit in mixed:
            at[fate.unit] += 1
            fate = Fate(f"{types[fate.unit]} {at[fate.unit]}", fate.token, fate.more)
        made.append(fate)
    return made


def _alike(rank: Mapping[str, int], fates: list[Fate]) -> list[list[Fate]]:
    """Fates of the same words together, worst first, else in their order."""
    found: dict[tuple[str, str], list[Fate]] = {}
    for fate in fates:
        found.setdefault((fate.token, fate.more), []).append(fate)
    return sorted(found.values(), key=lambda alike: rank.get(alike[0].token, len(rank)))


def _said(wording: Wording, alike: list[Fate]) -> str:
    """What came of some units alike, in a sentence."""
    first, types, is_one = alike[0], wording.types, len(alike) == 1
    result = wording.results.get(first.token)
    if is_one:
        names = f"the {types[first.unit]}" if first.unit in types else first.unit
    else:
        names = joined(the(types, [fate.unit for fate in alike]))
    if result is None:
        return with_more(f"{names}: {first.token.replace('-', ' ')}", first.more)
    return with_more((result.says if is_one else result.many).replace("{}", names), first.more)
