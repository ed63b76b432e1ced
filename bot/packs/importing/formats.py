"""Tables of other programs: rollable tables of Foundry VTT, decks of SealDice."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from html import unescape
from itertools import pairwise
from math import gcd
from typing import Any

from bot.packs.importing.figures import MOST_SIDES, Span, can_be_rolled, format_key, is_rising
from bot.packs.importing.table_draft import (
    MOST_ENTRIES,
    MOST_TABLES,
    TableDraft,
    build_one_column,
    clean_title,
    make_import_error,
    read_all_readable,
)
from bot.packs.importing.weights import assign_spans, has_sum_row

# -- a rollable table of Foundry VTT, as its export writes it (JSON): a formula, and results with
# ranges

FOUNDRY, FOUNDRY_CARDS = "a rollable table of Foundry VTT", "cards of Foundry VTT"
_FORMULA = re.compile(r"(\d{0,2})d(\d{1,4})(?:\s*([+-])\s*(\d{1,4}))?", re.IGNORECASE)
_LINK = re.compile(r"@[A-Za-z]+\[[^\]\n]{0,200}\](?:\{([^}\n]{0,200})\})?")
_INLINE = re.compile(r"\[\[(?:/[a-z]+\s+)?([^\]\n]{1,100})\]\](?:\{([^}\n]{0,200})\})?")
_BREAK = re.compile(r"<\s*(?:br|/p|/li|/h\d|/tr|/div)\b[^<>]{0,200}>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{1,500}>")


def is_foundry(data: Any) -> bool:
    """Return whether parsed JSON is a rollable table, or a list of them."""
    first = data[0] if isinstance(data, list) and data else data
    return isinstance(first, Mapping) and isinstance(first.get("results"), list)


_OF_FOUNDRY = frozenset(
    "text description name documentUuid documentId documentCollection drawn".split()
)


def has_foundry_results(data: Any) -> bool:
    """Return whether a result of a table has a key that Foundry writes, and ranges as it does."""
    first = data[0] if isinstance(data, list) else data
    results = [result for result in first["results"] if isinstance(result, Mapping)]
    if any(isinstance(result.get("range"), str) for result in results):
        return False
    return any(not _OF_FOUNDRY.isdisjoint(result) for result in results)


def read_foundry(data: Any) -> list[TableDraft]:
    """The tables. Raises UserError for one with a result that cannot be read."""
    tables = data if isinstance(data, list) else [data]
    return [
        _read_foundry_table(
            table, {clean_title(one.get("name")) for one in tables if isinstance(one, Mapping)}
        )
        for table in tables
    ]


def _read_foundry_table(table: Any, names: set[str]) -> TableDraft:
    if not is_foundry(table) or isinstance(table, list):
        raise make_import_error("One of these has no results, so it is not a rollable table.")
    title = str(table.get("name") or "Table")
    questions = list[str]()
    results = [result for result in table["results"] if isinstance(result, Mapping)]
    if len(results) != len(table["results"]):
        raise make_import_error(f"{title[:40]} has a result that is not written as Foundry does.")
    dice, added = read_formula(str(table.get("formula") or ""), questions)
    if dice or any(result.get("range") for result in results):
        entries = [
            (_read_range(result, number), result) for number, result in enumerate(results, 1)
        ]
    else:
        entries = _assign_weighted_spans(results, title, questions)
    last = _find_last_figure(entries)
    if not dice and not table.get("formula"):
        dice = f"1d{last}" if last > 1 else ""
    elif dice.startswith("1d") and not added and 1 < last < int(dice[2:]):
        questions.append(f"its formula is {dice} and its last row {last}: read as 1d{last}")
        dice = f"1d{last}"
    if table.get("replacement") is False:
        questions.append("Foundry draws each result once; here every roll has all of them")
    texts = _merge_entries(
        [(span, _format_result(result, questions, names)) for span, result in entries], questions
    )
    about = _strip_markup(str(table.get("description") or ""))[:300]
    return build_one_column(title, FOUNDRY, dice, texts, questions, added=added, notes=about)


def read_formula(formula: str, questions: list[str]) -> tuple[str, int]:
    """Return the dice of a formula, and what it always adds; none for another sum, which is
    asked about.
    """
    found = _FORMULA.fullmatch("".join(formula.split()))
    if found:
        count = int(found[1] or 1)
        sides = int(found[2])
        if can_be_rolled(count, sides):
            return f"{count}d{sides}", int(f"{found[3]}{found[4]}") if found[3] else 0
    if formula:
        questions.append(
            f"its formula {formula[:60]} is not read; say under rolls which dice it has"
        )
    return "", 0


def _read_range(result: Mapping[str, Any], number: int) -> Span:
    found = result.get("range")
    if (
        not isinstance(found, list)
        or len(found) != 2
        or not all(type(end) is int and abs(end) < 10**5 for end in found)
    ):
        raise make_import_error(f"Result {number} has no range of two whole numbers.")
    return found[0], found[1]


def _assign_weighted_spans(
    results: list[Mapping[str, Any]], title: str, questions: list[str]
) -> list[tuple[Span, Mapping[str, Any]]]:
    """Results without ranges one after the other, as wide as their weights."""
    weights = list[Fraction]()
    for number, result in enumerate(results, 1):
        weight = result.get("weight", 1)
        if type(weight) not in (int, float) or not 0 < weight <= 10_000:
            raise make_import_error(f"Result {number} has neither a range nor a weight.")
        weights.append(Fraction(str(weight)))
    label = str(results[-1].get("text") or results[-1].get("name") or "") if results else ""
    if has_sum_row([label], weights):
        weights.pop()
        questions.append(
            f'the result "{label[:20]}" is left out: its weight is the sum of the others'
        )
    _, spans = assign_spans(weights or [Fraction(0)], title)
    return list(zip(spans, results, strict=False))


def _find_last_figure(entries: list[tuple[Span, Mapping[str, Any]]]) -> int:
    """The highest figure, where they are 1, 2, 3 ... without a gap and one die has them; else 0."""
    ends = sorted({((low or 0), (high or 0)) for (low, high), _ in entries})
    whole = all(
        low == before + 1 for (_, before), (low, _) in zip(((0, 0), *ends), ends, strict=False)
    )
    return ends[-1][1] if ends and whole and ends[-1][1] <= MOST_SIDES else 0


def _merge_entries(entries: list[tuple[Span, str]], questions: list[str]) -> list[tuple[Span, str]]:
    """The entries in the order of their figures; where several answer one figure, all that they
    say in one.
    """
    found = sorted(entries, key=lambda entry: entry[0][0] or 0)
    if is_rising([span for span, _ in found]) or len(found) > MOST_ENTRIES:
        return found
    found = []
    ends = sorted(
        {(low or 0) for (low, _), _ in entries} | {(high or 0) + 1 for (_, high), _ in entries}
    )
    for first, behind in pairwise(ends):
        said = [text for (low, high), text in entries if (low or 0) <= first <= (high or 0)]
        if len(said) > 1:
            questions.append(
                f"{len(said)} results have {format_key((first, behind - 1))}: read as one, with ; between them"
            )
        if said:
            found.append(((first, behind - 1), "; ".join(dict.fromkeys(said))))
    return found


def _format_result(result: Mapping[str, Any], questions: list[str], names: set[str]) -> str:
    """What a result says: its name and description (13 and later), or its text; another document by
    its name, which is marked where it is a table of those in the file, called by `names`."""
    name = str(result.get("name") or "")
    said = str(result.get("text") or result.get("description") or "")
    pieces = [_strip_markup(piece) for piece in dict.fromkeys((name, said)) if piece]
    text = ": ".join(piece for piece in pieces if piece)
    if (
        text in names
        and "RollTable" in f"{result.get('documentUuid')} {result.get('documentCollection')}"
    ):
        questions.append(f"<{text}> is drawn from the table of that name: look it up, too")
        return f"<{text}>"
    if result.get("documentUuid") or result.get("documentId") or result.get("documentCollection"):
        questions.append(
            f"{text[:60] or 'a result'} is a link in Foundry; here it is its name alone"
        )
    return text


def _strip_markup(text: str) -> str:
    """Foundry's HTML, links and inline rolls as plain text."""
    text = _TAG.sub("", _BREAK.sub(" ", text))
    text = _LINK.sub(lambda found: found[1] or "", text)
    text = _INLINE.sub(lambda found: found[2] or found[1], text)
    return " ".join(unescape(text).split())


# -- a deck of SealDice, or of Dice! and SinaNya: lists of texts by names, some of them weighed

SEALDICE = "a SealDice deck"
_WEIGHT = re.compile(r"::(\d{1,9})::")
_DRAWN = re.compile(r"\{[$%]?([^{}\n]{1,60})\}")
_CODE = re.compile(r"\[[^\[\]\n]{1,200}\]")
_ABOUT = ("title", "author", "authors", "version", "license", "brief", "desc", "date", "name")
_NO_DECKS = (
    "default",
    "info",
    "update_urls",
    "_updateUrls",
    "_storeID",
    "_etag",
    "_keys",
    "_export",
    "_exports",
)
_NAMES = ("player", "self")
"""What stands for a person: no decks."""


def is_deck(data: Any) -> bool:
    """Return whether parsed JSON, YAML or TOML is a deck: lists of texts by their names."""
    return isinstance(data, Mapping) and any(True for _ in _list_decks(data))


def read_toml(text: str) -> Any:
    """A TOML text as it is built; nothing where it is none."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None


def read_deck(data: Mapping[str, Any]) -> tuple[list[TableDraft], list[str]]:
    """A table for each list that can be one; what is wrong with another is asked about. Raises
    UserError for none.
    """
    found = list(_list_decks(data))
    if len(found) > MOST_TABLES:
        raise make_import_error(
            f"The deck has {len(found)} lists; at most {MOST_TABLES} are read at once."
        )
    names = {name for name, _, _ in found}
    return read_all_readable(found, lambda deck: _build_deck_draft(*deck, names))


def find_list(data: Any, name: str) -> tuple[str, list[tuple[int, str]], list[str]]:
    """The list that is called so, its entries with their weights, and what to look at again. Raises
    UserError that says which there are."""
    found = (
        {key.strip().lstrip("_"): cards for key, cards, _ in _list_decks(data)}
        if isinstance(data, Mapping)
        else {}
    )
    if not found:
        raise make_import_error(
            "This is no deck of SealDice, so it has no list.",
            "A sheet or cards of Foundry VTT need no list.",
        )
    if (cards := found.get(name.strip().lstrip("_"))) is None:
        more = f" and {len(found) - 20} more" if len(found) > 20 else ""
        raise make_import_error(
            f'It has no list "{name[:40]}".',
            f"It has {', '.join(key[:40] for key in [*found][:20])}{more}.",
        )
    entries = [
        (weight, _DRAWN.sub(_format_reference, text))
        for weight, text in map(_read_entry, cards)
        if weight
    ]
    return name.strip().lstrip("_"), entries, list(_list_questions(cards, True, {*found}))


def read_about(data: Mapping[str, Any]) -> dict[str, str]:
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
    return {
        key: found
        for key, names in named.items()
        if (found := next((said[n] for n in names if n in said), ""))
    }


def _list_decks(data: Mapping[Any, Any]) -> Iterator[tuple[str, list[str], bool]]:
    """Each list by its name, and whether what is drawn goes back."""
    if (
        isinstance(data.get("default"), list)
        and isinstance(data.get("command"), str)
        and _are_texts(data["default"])
    ):
        yield data["command"], data["default"], True
    inside = data.get("decks") if isinstance(data.get("decks"), Mapping) else {}
    assert isinstance(inside, Mapping)
    for name, value in {**data, **inside}.items():
        key = str(name)
        if key in _NO_DECKS or key.lstrip("_") in _ABOUT or key.startswith("_update"):
            continue
        if isinstance(value, list) and value and _are_texts(value):
            yield key, value, True
        elif (
            isinstance(value, Mapping)
            and isinstance(value.get("options"), list)
            and _are_texts(value["options"])
        ):
            yield key, value["options"], value.get("replace", True) is not False


def _are_texts(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(item, str) for item in items)


def _read_entry(card: str) -> tuple[int, str]:
    """The weight of an entry, and its text."""
    found = _WEIGHT.match(card)
    return (int(found[1]), card[found.end() :]) if found else (1, card)


def _build_deck_draft(name: str, cards: list[str], kept: bool, names: set[str]) -> TableDraft:
    weighed = [_read_entry(card) for card in cards]
    texts = [text for _, text in weighed]
    drawn = [(weight, text) for weight, text in weighed if weight]
    if not drawn:
        raise make_import_error(f"{name[:40]} has no entries that could be drawn.")
    common = gcd(*(weight for weight, _ in drawn))
    questions = _list_questions(texts, kept, names)
    entries: list[tuple[Span, str]] = []
    last = 0
    for weight, text in drawn:
        entries.append(((last + 1, last + weight // common), _DRAWN.sub(_format_reference, text)))
        last += weight // common
    if last > MOST_SIDES:
        raise make_import_error(
            f"The weights of {name[:40]} add up to {last:,}; a die has at most {MOST_SIDES:,} sides."
        )
    return build_one_column(
        name.lstrip("_"), SEALDICE, f"1d{max(last, 2)}", _whole(entries, last), questions
    )


def _whole(entries: list[tuple[Span, str]], last: int) -> list[tuple[Span, str]]:
    """A list of one card is read whatever the die shows."""
    return entries if last > 1 else [((1, 2), entries[0][1])]


def _format_reference(found: re.Match[str]) -> str:
    return f"<{found[1].strip().lstrip('_')}>"


def _list_questions(texts: list[str], kept: bool, names: set[str]) -> Iterator[str]:
    others = {found.strip() for text in texts for found in _DRAWN.findall(text)}
    for other in sorted(others & names):
        yield f"<{other.lstrip('_')}> is drawn from the table of that name: look it up, too"
    if strange := sorted(others - names - set(_NAMES)):
        yield f"<{strange[0][:40]}> is worked out in SealDice; here it is a text"
    if found := next((code[0] for text in texts if (code := _CODE.search(text))), ""):
        yield f"{found[:40]} is rolled or shown in SealDice; here it is a text"
    if not kept:
        yield "its cards are drawn once each; here every roll has all of them"
