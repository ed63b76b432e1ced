"""A deck of SealDice, or of Dice! and SinaNya, whose files it reads: lists of texts by names, some of them weighed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from math import gcd
from typing import Any

from bot.packs.importing.draft import MOST_TABLES, Draft, one_column, refused
from bot.packs.importing.figures import Span

SOURCE = "a SealDice deck"
_WEIGHT = re.compile(r"::(\d{1,9})::")
_DRAWN = re.compile(r"\{[$%]?([^{}\n]{1,60})\}")
_CODE = re.compile(r"\[[^\[\]\n]{1,200}\]")
_ABOUT = ("title", "author", "authors", "version", "license", "brief", "desc", "date", "name")
_NO_DECKS = ("default", "info", "update_urls", "_updateUrls", "_storeID", "_etag", "_keys", "_export", "_exports")
_NAMES = ("player", "self")
"""What stands for a person: no decks."""


def is_deck(data: Any) -> bool:
    """Whether parsed JSON, YAML or TOML is a deck: lists of texts by their names."""
    return isinstance(data, Mapping) and any(True for _ in _decks(data))


def read_toml(text: str) -> Any:
    """A TOML text as it is built; nothing where it is none."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None


def read_deck(data: Mapping[str, Any]) -> list[Draft]:
    """A table for each list. Raises UserError for one that cannot be one."""
    found = list(_decks(data))
    if len(found) > MOST_TABLES:
        raise refused(f"The deck has {len(found)} lists; at most {MOST_TABLES} are read at once.")
    names = {name for name, _, _ in found}
    return [_table(name, cards, kept, names) for name, cards, kept in found]


def about(data: Mapping[str, Any]) -> dict[str, str]:
    """What the deck says of itself: title, author, version, licence."""
    meta = data.get("meta") if isinstance(data.get("meta"), Mapping) else data
    assert isinstance(meta, Mapping)
    said: dict[str, str] = {}
    for key in _ABOUT:
        value = meta.get(f"_{key}", meta.get(key))
        value = " / ".join(map(str, value)) if isinstance(value, list) else value
        if isinstance(value, str | int) and str(value).strip():
            said[key] = str(value)
    named = {
        "title": ("title", "name"),
        "author": ("authors", "author"),
        "version": ("version",),
        "licence": ("license",),
    }
    return {key: found for key, names in named.items() if (found := next((said[n] for n in names if n in said), ""))}


def _decks(data: Mapping[Any, Any]) -> Iterator[tuple[str, list[str], bool]]:
    """Each list by its name, and whether what is drawn goes back."""
    if isinstance(data.get("default"), list) and isinstance(data.get("command"), str) and _texts(data["default"]):
        yield data["command"], data["default"], True
    inside = data.get("decks") if isinstance(data.get("decks"), Mapping) else {}
    assert isinstance(inside, Mapping)
    for name, value in {**data, **inside}.items():
        key = str(name)
        if key in _NO_DECKS or key.lstrip("_") in _ABOUT or key.startswith("_update"):
            continue
        if isinstance(value, list) and value and _texts(value):
            yield key, value, True
        elif isinstance(value, Mapping) and isinstance(value.get("options"), list) and _texts(value["options"]):
            yield key, value["options"], value.get("replace", True) is not False


def _texts(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(item, str) for item in items)


def _table(name: str, cards: list[str], kept: bool, names: set[str]) -> Draft:
    weights, texts = [], []
    for card in cards:
        found = _WEIGHT.match(card)
        weights.append(int(found[1]) if found else 1)
        texts.append(card[found.end() :] if found else card)
    drawn = [(weight, text) for weight, text in zip(weights, texts, strict=True) if weight]
    if not drawn:
        raise refused(f"{name[:40]} has no entries that could be drawn.")
    common = gcd(*(weight for weight, _ in drawn))
    questions = _questions(texts, kept, names)
    entries: list[tuple[Span, str]] = []
    last = 0
    for weight, text in drawn:
        entries.append(((last + 1, last + weight // common), _DRAWN.sub(_said, text)))
        last += weight // common
    if last > 9_999:
        raise refused(f"The weights of {name[:40]} add up to {last:,}; a die has at most 9,999 sides.")
    return one_column(name.lstrip("_"), SOURCE, f"1d{max(last, 2)}", _whole(entries, last), questions)


def _whole(entries: list[tuple[Span, str]], last: int) -> list[tuple[Span, str]]:
    """A list of one card is read whatever the die shows."""
    return entries if last > 1 else [((1, 2), entries[0][1])]


def _said(found: re.Match[str]) -> str:
    return f"<{found[1].strip().lstrip('_')}>"


def _questions(texts: list[str], kept: bool, names: set[str]) -> Iterator[str]:
    others = {found.strip() for text in texts for found in _DRAWN.findall(text)}
    for other in sorted(others & names):
        yield f"<{other.lstrip('_')}> is drawn from the table of that name: look it up, too"
    if strange := sorted(others - names - set(_NAMES)):
        yield f"<{strange[0][:40]}> is worked out in SealDice; here it is a text"
    if found := next((code[0] for text in texts if (code := _CODE.search(text))), ""):
        yield f"{found[:40]} is rolled or shown in SealDice; here it is a text"
    if not kept:
        yield "its cards are drawn once each; here every roll has all of them"
