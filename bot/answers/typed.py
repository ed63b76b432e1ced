"""Units that were typed by their type, without a name: `the squad`, `an armored vehicle`, `squad 1 and squad 2`.

`types` are those of a game's units, each as one says it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence as Many
from functools import lru_cache

from bot.rules.text.names import a_or_an
from bot.rules.text.phrase import Phrase, Typed
from bot.systems.catalog import System

_CODE = re.compile(r"(?<![\w=-])[A-Za-z]+-[a-z]+(?![\w=-])")
_SPELLED = {"afv": "AFV", "mg": "MG", "smc": "SMC", "half-squad": "half-squad", "half-track": "half-track"}
"""Types that are not said as they are typed, without their hyphen."""


@lru_cache(maxsize=16)
def types_of(system: System) -> Mapping[str, str]:
    """The types of a game's units, each as one says it: `armored-vehicle` is an armored vehicle."""
    types = {type for words in system.words.values() for type in words.types}
    return {type: _SPELLED.get(type, type.replace("-", " ")) for type in types}


def the(types: Mapping[str, str], names: Many[str]) -> list[str]:
    """The names as one speaks of who was just named: `the squad`; two squads stay `squad` twice, to be counted."""
    return [
        name if name not in types else types[name] if names.count(name) > 1 else f"the {types[name]}" for name in names
    ]


def a(types: Mapping[str, str], names: Many[str]) -> list[str]:
    """The names as one speaks of who was not named before: `a squad`, `an armored vehicle`."""
    return [
        name if name not in types else types[name] if names.count(name) > 1 else a_or_an(types[name]) for name in names
    ]


def spoken(types: Mapping[str, str], names: Many[str]) -> list[str]:
    """The names without an article, types as one says them."""
    return [types.get(name, name) for name in names]


def said(types: Mapping[str, str], text: str) -> str:
    """A text with types as one says them; a command to type keeps them as they are typed."""
    if "-" not in text or isinstance(text, Phrase | Typed):
        return text
    return _CODE.sub(lambda found: types.get(found[0], types.get(found[0].lower(), found[0])), text)
