"""A rollable table of Foundry VTT, as its export writes it (JSON): a formula, and results with ranges."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from bot.packs.importing.draft import Draft, one_column, refused
from bot.packs.importing.figures import Span, totals

SOURCE = "a rollable table of Foundry VTT"
_FORMULA = re.compile(r"(\d{0,2})d(\d{1,4})(?:\s*([+-])\s*(\d{1,4}))?", re.IGNORECASE)
_LINK = re.compile(r"@[A-Za-z]+\[[^\]\n]{0,200}\](?:\{([^}\n]{0,200})\})?")
_INLINE = re.compile(r"\[\[(?:/[a-z]+\s+)?([^\]\n]{1,100})\]\](?:\{([^}\n]{0,200})\})?")
_BREAK = re.compile(r"<\s*(?:br|/p|/li|/h\d|/tr|/div)\b[^<>]{0,200}>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{1,500}>")


def is_foundry(data: Any) -> bool:
    """Whether parsed JSON is a rollable table, or a list of them."""
    first = data[0] if isinstance(data, list) and data else data
    return isinstance(first, Mapping) and isinstance(first.get("results"), list)


def read_foundry(data: Any) -> list[Draft]:
    """The tables. Raises UserError for one with a result that cannot be read."""
    return [_table(table) for table in (data if isinstance(data, list) else [data])]


def _table(table: Any) -> Draft:
    if not is_foundry(table) or isinstance(table, list):
        raise refused("One of these is no rollable table: it has no results.")
    title, questions = str(table.get("name") or "Table"), list[str]()
    results = [result for result in table["results"] if isinstance(result, Mapping)]
    if len(results) != len(table["results"]):
        raise refused(f"{title[:40]} has a result that is not written as Foundry does.")
    dice, added = _dice(str(table.get("formula") or ""), questions)
    if dice or any(result.get("range") for result in results):
        entries = [(_range(result, number), result) for number, result in enumerate(results, 1)]
    else:
        entries = _weighed(results)
    if not dice:
        dice = f"1d{_last(entries)}" if _last(entries) > 1 and not table.get("formula") else ""
    if table.get("replacement") is False:
        questions.append("Foundry draws each result once; here every roll has all of them")
    texts = sorted(((span, _text(result, questions)) for span, result in entries), key=_low)
    about = _plain(str(table.get("description") or ""))[:300]
    return one_column(title, SOURCE, dice, texts, questions, added=added, notes=about)


def _dice(formula: str, questions: list[str]) -> tuple[str, int]:
    """The dice of a formula, and what it always adds; none where it is another sum, which is asked about."""
    found = _FORMULA.fullmatch("".join(formula.split()))
    if found:
        count, sides = int(found[1] or 1), int(found[2])
        if 1 <= count <= 40 and sides >= 2 and totals(f"{count}d{sides}")[1] <= 10_000:
            return f"{count}d{sides}", int(f"{found[3]}{found[4]}") if found[3] else 0
    if formula:
        questions.append(f"its formula {formula[:60]} is not read; say under rolls which dice it has")
    return "", 0


def _range(result: Mapping[str, Any], number: int) -> Span:
    found = result.get("range")
    if (
        not isinstance(found, list)
        or len(found) != 2
        or not all(type(end) is int and abs(end) < 10**5 for end in found)
    ):
        raise refused(f"Result {number} has no range of two whole numbers.")
    return found[0], found[1]


def _weighed(results: list[Mapping[str, Any]]) -> list[tuple[Span, Mapping[str, Any]]]:
    """Results without ranges one after the other, as wide as their weights."""
    found: list[tuple[Span, Mapping[str, Any]]] = []
    last = 0
    for number, result in enumerate(results, 1):
        weight = result.get("weight", 1)
        if type(weight) is not int or not 1 <= weight <= 10_000:
            raise refused(f"Result {number} has neither a range nor a weight.")
        found.append(((last + 1, last + weight), result))
        last += weight
    return found


def _last(entries: list[tuple[Span, Mapping[str, Any]]]) -> int:
    """The highest figure, where they are 1, 2, 3 ... without a gap and one die has them; else 0."""
    ends = sorted(((low or 0), (high or 0)) for (low, high), _ in entries)
    whole = all(low == before + 1 for (_, before), (low, _) in zip(((0, 0), *ends), ends, strict=False))
    return ends[-1][1] if ends and whole and ends[-1][1] < 10_000 else 0


def _low(entry: tuple[Span, str]) -> int:
    return entry[0][0] or 0


def _text(result: Mapping[str, Any], questions: list[str]) -> str:
    """What a result says: its name and description (13 and later), or its text; another document by its name."""
    name, said = str(result.get("name") or ""), str(result.get("text") or result.get("description") or "")
    pieces = [_plain(piece) for piece in dict.fromkeys((name, said)) if piece]
    text = ": ".join(piece for piece in pieces if piece)
    if result.get("documentUuid") or result.get("documentId") or result.get("documentCollection"):
        questions.append(f"{text[:60] or 'a result'} is a link in Foundry; here it is its name alone")
    return text


def _plain(text: str) -> str:
    """Foundry's HTML, links and inline rolls as plain text."""
    text = _TAG.sub("", _BREAK.sub(" ", text))
    text = _LINK.sub(lambda found: found[1] or "", text)
    text = _INLINE.sub(lambda found: found[2] or found[1], text)
    return " ".join(unescape(text).split())
