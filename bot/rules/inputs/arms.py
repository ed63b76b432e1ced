"""Units with several weapons in a list of those who fire: one item for each weapon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bot.rules.inputs.loadout import LOADOUT, WEAPON, carried
from bot.rules.inputs.many import name_end
from bot.rules.inputs.units import Roster, UnitWords, split_items


def fired(name: str, numbers: Mapping[str, Any], repeat: str, rest: str = "") -> Iterator[tuple[str, str]]:
    """(weapon, item) for each weapon that the unit called `name` can fire: `1st Squad weapon=smg n=2`."""
    for word, count in carried(numbers).items():
        many = f"{repeat}={count}" if count > 1 and repeat else ""
        yield word, " ".join(filter(None, (name, f"{WEAPON}={word}", many, rest)))


def all_fired(text: str, words: UnitWords, roster: Roster) -> str:
    """A list in which each roster unit with a loadout fires all of it, unless a weapon is typed behind its name."""
    if LOADOUT not in words.keys or not words.repeat or not any(unit.numbers.get(LOADOUT) for unit in roster.values()):
        return text
    out = []
    for item in filter(None, map(str.strip, split_items(text))):
        end = name_end(item, roster)
        unit = roster.get(" ".join(item[:end].strip("\"'\u201c\u201d").split()).casefold())
        rest = item[end:].strip()
        keys = {word.partition("=")[0].casefold() for word in rest.split()}
        if unit is None or not unit.numbers.get(LOADOUT) or keys & {WEAPON, words.repeat}:
            out.append(item)
        else:
            out += [fire for _, fire in fired(item[:end], unit.numbers, words.repeat, rest)]
    return "; ".join(out)
