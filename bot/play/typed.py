"""Units that were typed by their type, without a name: `the squad`, `an armored vehicle`, `squad 1 and squad 2`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache

from bot.rules.names import a_or_an
from bot.rules.phrase import Phrase, Typed
from bot.rules.replacing import replacing
from bot.rules.sequence import Fate, Line
from bot.systems.catalog import Sequence, System

_CODE = re.compile(r"(?<![\w=-])[A-Za-z]+-[a-z]+(?![\w=-])")
_SPELLED = {"afv": "AFV", "mg": "MG", "smc": "SMC", "half-squad": "half-squad", "half-track": "half-track"}
"""Types that are not said as they are typed, without their hyphen."""


@lru_cache(maxsize=16)
def types_of(system: System) -> dict[str, str]:
    """The types of a game's units, each as one says it: `armored-vehicle` is an armored vehicle."""
    types = {type for words in system.words.values() for type in words.types}
    return {type: _SPELLED.get(type, type.replace("-", " ")) for type in types}


def the(sequence: Sequence, names: Iterable[str]) -> list[str]:
    """The names as one speaks of who was just named: `the squad`; two squads stay `squad` twice, to be counted."""
    return _with_article(sequence, names, "the {}".format)


def a(sequence: Sequence, names: Iterable[str]) -> list[str]:
    """The names as one speaks of who was not named before: `a squad`, `an armored vehicle`."""
    return _with_article(sequence, names, a_or_an)


def spoken(sequence: Sequence, names: Iterable[str]) -> list[str]:
    """The names without an article, types as one says them."""
    types = types_of(sequence.system)
    return [types.get(name, name) for name in names]


def _with_article(sequence: Sequence, names: Iterable[str], article: Callable[[str], str]) -> list[str]:
    names = list(names)
    types, count = types_of(sequence.system), Counter(names)
    return [
        name if name not in types else (article(types[name]) if count[name] == 1 else types[name]) for name in names
    ]


_line = replacing(Line)


def numbered(sequence: Sequence, fates: Iterable[Fate]) -> list[Fate]:
    """The fates; where units of one type without a name fare differently they have a number: `squad 1`, `squad 2`."""
    fates = list(fates)
    mixed = _mixed(sequence, fates)
    if not mixed:
        return fates
    at: Counter[str] = Counter()
    made = []
    for fate in fates:
        at[fate.unit] += 1
        made.append(replace(fate, unit=f"{mixed[fate.unit]} {at[fate.unit]}") if fate.unit in mixed else fate)
    return made


def relabelled(sequence: Sequence, fates: Iterable[Fate], lines: Iterable[Line]) -> list[Line]:
    """The lines with units called as the first line calls them: each that begins with a type has the number of its
    unit, as long as every unit has one line of its own."""
    fates, lines = list(fates), list(lines)
    types, mixed = types_of(sequence.system), _mixed(sequence, fates)
    own = Counter(line.label for line in lines)
    units = Counter(fate.unit for fate in fates)
    at: Counter[str] = Counter()
    made = []
    for line in lines:
        head, blank, rest = line.label.partition(" ")
        line = _line(line, result=said(sequence, line.result))
        if head not in types:
            made.append(line)
            continue
        at[head] += not rest
        number = f" {at[head]}" if head in mixed and own[head] == units[head] and at[head] else ""
        made.append(_line(line, label=f"{types[head]}{number}{blank}{rest}"))
    return made


def _mixed(sequence: Sequence, fates: list[Fate]) -> dict[str, str]:
    """The types of which several units fare differently, as one says them."""
    if len({fate.unit for fate in fates}) == len(fates):
        return {}
    types = types_of(sequence.system)
    count = Counter(fate.unit for fate in fates)
    alike = Counter((fate.unit, fate.token, fate.more) for fate in fates)
    return {unit: types[unit] for (unit, _, _), some in alike.items() if unit in types and some < count[unit]}


def said(sequence: Sequence, text: str) -> str:
    """A text with types as one says them; a command to type keeps them as they are typed."""
    if isinstance(text, Phrase | Typed):
        return text
    types = types_of(sequence.system)
    return _CODE.sub(lambda found: types.get(found[0], types.get(found[0].lower(), found[0])), text)
