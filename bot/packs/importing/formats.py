"""Tables of other programs: rollable tables of Foundry VTT, decks of SealDice."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from html import unescape
from itertools import pairwise
from math import gcd
from typing import Any, NamedTuple

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
    """Return whether parsed JSON is a rollable table, or a list that begins with one."""
    table = data[0] if isinstance(data, list) and data else data
    return isinstance(table, Mapping) and isinstance(table.get("results"), list)


_OF_FOUNDRY = frozenset(
    "text description name documentUuid documentId documentCollection drawn".split()
)
"""Keys of a result that only Foundry writes."""


def has_foundry_results(data: Any) -> bool:
    """Return whether the results of the first table have a key that Foundry writes, and no range
    that is a text. `data` has to be a table or a list of them.
    """
    table = data[0] if isinstance(data, list) else data
    results = [result for result in table["results"] if isinstance(result, Mapping)]
    if any(isinstance(result.get("range"), str) for result in results):
        return False
    return any(not _OF_FOUNDRY.isdisjoint(result) for result in results)


def read_foundry(data: Any) -> list[TableDraft]:
    """Return the tables of a file, which is one table or a list of them.

    Raises UserError for a list item that is no table, and for a result that cannot be read.
    """
    tables = data if isinstance(data, list) else [data]
    titles = {clean_title(table.get("name")) for table in tables if isinstance(table, Mapping)}
    return [_read_foundry_table(table, titles) for table in tables]


def _read_foundry_table(table: Any, titles: set[str]) -> TableDraft:
    """Return the draft of one table. `titles` are those of all tables in the file. Raises
    UserError.
    """
    results = _list_results(table)
    title = str(table.get("name") or "Table")
    formula = str(table.get("formula") or "")
    questions = list[str]()
    dice, added = read_formula(formula, questions)
    if dice or any(result.get("range") for result in results):
        spans = [_read_range(result, number) for number, result in enumerate(results, 1)]
    else:
        spans = _assign_weighted_spans(results, title, questions)
    if not added:
        dice = _choose_die(dice, bool(formula), spans, questions)
    if table.get("replacement") is False:
        questions.append("Foundry draws each result only once; here every roll uses all of them")
    entries = [
        (span, _format_result(result, questions, titles))
        for span, result in zip(spans, results, strict=False)
    ]
    entries = _merge_entries(entries, questions)
    description = _strip_markup(str(table.get("description") or ""))[:300]
    return build_one_column(
        title, FOUNDRY, dice, entries, questions, added=added, notes=description
    )


def _list_results(table: Any) -> list[Mapping[str, Any]]:
    """Return the results of a table. Raises UserError for anything but a table, and for a result
    that is no object.
    """
    if not is_foundry(table) or isinstance(table, list):
        raise make_import_error("One of these has no results, so it is not a rollable table.")
    results = [result for result in table["results"] if isinstance(result, Mapping)]
    if len(results) != len(table["results"]):
        title = str(table.get("name") or "Table")
        raise make_import_error(f"{title[:40]} has a result that is not in Foundry's format.")
    return results


def _choose_die(dice: str, has_formula: bool, spans: Sequence[Span], questions: list[str]) -> str:
    """Return the dice that choose a row: those of the formula (`dice`), or a die for the results.

    That die has the figures of the results as its faces. It is taken if the table has no formula,
    or if the formula has a single die with more faces, which adds a question. Without a formula and
    such a die the dice are "", as they are for a formula that could not be read.
    """
    highest = _find_last_figure(spans)
    if not dice and not has_formula:
        return f"1d{highest}" if highest > 1 else ""
    if dice.startswith("1d") and 1 < highest < int(dice[2:]):
        questions.append(
            f"its formula is {dice} but its last row is {highest}: read as 1d{highest}"
        )
        return f"1d{highest}"
    return dice


def read_formula(formula: str, questions: list[str]) -> tuple[str, int]:
    """Return the dice of a formula, and the number that it always adds: ("2d6", 1) for `2d6+1`.

    For any other formula, and for dice that cannot be rolled, this is ("", 0), which adds a
    question unless the formula is empty.
    """
    match = _FORMULA.fullmatch("".join(formula.split()))
    if match:
        count = int(match[1] or 1)
        sides = int(match[2])
        added = int(f"{match[3]}{match[4]}") if match[3] else 0
        if can_be_rolled(count, sides):
            return f"{count}d{sides}", added
    if formula:
        questions.append(f"its formula {formula[:60]} could not be read; give its dice under rolls")
    return "", 0


def _read_range(result: Mapping[str, Any], number: int) -> Span:
    """Return the lowest and highest figure of a result. Raises UserError, with the `number` of the
    result, if it has no range of two whole numbers below 100,000.
    """
    limits = result.get("range")
    if isinstance(limits, list) and len(limits) == 2:
        if all(type(limit) is int and abs(limit) < 10**5 for limit in limits):
            return limits[0], limits[1]
    raise make_import_error(f"Result {number} has no range given as two whole numbers.")


def _assign_weighted_spans(
    results: list[Mapping[str, Any]], title: str, questions: list[str]
) -> list[Span]:
    """Return spans for results without ranges, one after the other, each as wide as its weight.

    A last result that is the sum of the others gets no span, which adds a question. Raises
    UserError.
    """
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
    return spans


def _find_last_figure(spans: Sequence[Span]) -> int:
    """Return the highest figure if the spans cover 1, 2, 3 ... without a gap, in any order, and a
    die can have that many faces; else 0.
    """
    highest = 0
    for low, high in sorted({(low or 0, high or 0) for low, high in spans}):
        if low != highest + 1:
            return 0
        highest = high
    return highest if highest <= MOST_SIDES else 0


def _merge_entries(entries: list[tuple[Span, str]], questions: list[str]) -> list[tuple[Span, str]]:
    """Return the entries in the order of their figures.

    If several have the same figure, their texts become one, which adds a question. Spans that
    overlap are cut into pieces for this. More than MOST_ENTRIES are only put in order.
    """
    ordered = sorted(entries, key=lambda entry: entry[0][0] or 0)
    if is_rising([span for span, _ in ordered]) or len(ordered) > MOST_ENTRIES:
        return ordered
    closed = [(low or 0, high or 0, text) for (low, high), text in entries]
    borders = {low for low, _, _ in closed} | {high + 1 for _, high, _ in closed}
    merged = list[tuple[Span, str]]()
    for start, next_start in pairwise(sorted(borders)):
        span = (start, next_start - 1)
        texts = [text for low, high, text in closed if low <= start <= high]
        if len(texts) > 1:
            questions.append(
                f"{len(texts)} results share {format_key(span)}: read as one, separated by semicolons"
            )
        if texts:
            merged.append((span, "; ".join(dict.fromkeys(texts))))
    return merged


def _format_result(result: Mapping[str, Any], questions: list[str], titles: set[str]) -> str:
    """Return the text of a result: its name and description (as Foundry 13 and later have them), or
    its text.

    A link to another document becomes the name of that document, which adds a question. A link to
    one of the tables in the file, by its title, becomes `<title>`.
    """
    name = str(result.get("name") or "")
    description = str(result.get("text") or result.get("description") or "")
    pieces = [_strip_markup(piece) for piece in dict.fromkeys((name, description)) if piece]
    text = ": ".join(piece for piece in pieces if piece)
    uuid = result.get("documentUuid")
    collection = result.get("documentCollection")
    if text in titles and "RollTable" in f"{uuid} {collection}":
        questions.append(f"<{text}> is drawn from the table of that name: look it up, too")
        return f"<{text}>"
    if uuid or result.get("documentId") or collection:
        questions.append(
            f"{text[:60] or 'a result'} is a link in Foundry; only its name is kept here"
        )
    return text


def _strip_markup(text: str) -> str:
    """Return Foundry's HTML as plain text. Links and inline rolls become their label."""
    text = _BREAK.sub(" ", text)
    text = _TAG.sub("", text)
    text = _LINK.sub(lambda link: link[1] or "", text)
    text = _INLINE.sub(lambda roll: roll[2] or roll[1], text)
    return " ".join(unescape(text).split())


class _DeckList(NamedTuple):
    """A list of a deck: its name, its cards as they are written, and whether a card goes back when
    it is drawn.
    """

    name: str
    cards: list[str]
    goes_back: bool


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
"""The names that stand for a person, not for a list."""
_KEYS_OF_ABOUT = {
    "title": ("title", "name"),
    "author": ("authors", "author"),
    "version": ("version",),
    "licence": ("license",),
}
"""The keys under which decks state each of these, the first one that is there counts."""


def is_deck(data: Any) -> bool:
    """Return whether parsed JSON, YAML or TOML is a deck: lists of texts by their names."""
    return isinstance(data, Mapping) and next(_list_decks(data), None) is not None


def read_toml(text: str) -> Any:
    """Return the parsed data of a TOML text, None for any other text."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None


def read_deck(data: Mapping[str, Any]) -> tuple[list[TableDraft], list[str]]:
    """Return a table for each list that can be one, and remarks on the lists that cannot. Raises
    UserError if there is no table, or too many lists.
    """
    lists = list(_list_decks(data))
    if len(lists) > MOST_TABLES:
        raise make_import_error(
            f"The deck has {len(lists)} lists; at most {MOST_TABLES} are read at once."
        )
    names = {deck_list.name for deck_list in lists}
    return read_all_readable(lists, lambda deck_list: _build_deck_draft(deck_list, names))


def find_list(data: Any, name: str) -> tuple[str, list[tuple[int, str]], list[str]]:
    """Return the plain name of the list called `name`, its entries as (weight, text), and questions
    about them. Entries of weight 0 are left out.

    Raises UserError that names the lists there are if none is called so.
    """
    lists = list(_list_decks(data)) if isinstance(data, Mapping) else []
    cards_by_name = {_get_plain_name(deck_list.name): deck_list.cards for deck_list in lists}
    if not cards_by_name:
        raise make_import_error(
            "This is not a SealDice deck, so it has no list.",
            "Sheets and Foundry VTT cards need no list.",
        )
    plain_name = _get_plain_name(name)
    cards = cards_by_name.get(plain_name)
    if cards is None:
        suffix = f" and {len(cards_by_name) - 20} more" if len(cards_by_name) > 20 else ""
        listed_names = ", ".join(key[:40] for key in [*cards_by_name][:20])
        raise make_import_error(
            f'It has no list called "{name[:40]}".', f"Its lists are {listed_names}{suffix}."
        )
    entries = list[tuple[int, str]]()
    for weight, text in map(_read_entry, cards):
        if weight:
            entries.append((weight, _DRAWN.sub(_format_reference, text)))
    return plain_name, entries, list(_list_questions(cards, True, set(cards_by_name)))


def _get_plain_name(name: str) -> str:
    """Return the name of a list without the underscores that hide it in SealDice."""
    return name.strip().lstrip("_")


def read_about(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the title, author, version and licence that a deck states, without those that it does
    not.
    """
    meta = data.get("meta") if isinstance(data.get("meta"), Mapping) else data
    assert isinstance(meta, Mapping)
    stated: dict[str, str] = {}
    for key in _ABOUT:
        value = meta.get(f"_{key}", meta.get(key))
        if isinstance(value, list):
            value = " / ".join(map(str, value))
        if isinstance(value, str | int) and str(value).strip():
            stated[key] = str(value)
    about: dict[str, str] = {}
    for name, keys in _KEYS_OF_ABOUT.items():
        value = next((stated[key] for key in keys if key in stated), "")
        if value:
            about[name] = value
    return about


def _list_decks(data: Mapping[Any, Any]) -> Iterator[_DeckList]:
    """Yield each list of a deck. Texts about the deck and its settings are none."""
    default = data.get("default")
    command = data.get("command")
    if isinstance(default, list) and isinstance(command, str) and _are_texts(default):
        yield _DeckList(command, default, True)
    inside = data.get("decks") if isinstance(data.get("decks"), Mapping) else {}
    assert isinstance(inside, Mapping)
    for name, value in {**data, **inside}.items():
        key = str(name)
        if key in _NO_DECKS or key.lstrip("_") in _ABOUT or key.startswith("_update"):
            continue
        options = value.get("options") if isinstance(value, Mapping) else None
        if isinstance(value, list) and _are_texts(value):
            yield _DeckList(key, value, True)
        elif isinstance(options, list) and _are_texts(options):
            yield _DeckList(key, options, value.get("replace", True) is not False)


def _are_texts(items: list[Any]) -> bool:
    """Return whether a list has texts, and nothing else."""
    return bool(items) and all(isinstance(item, str) for item in items)


def _read_entry(card: str) -> tuple[int, str]:
    """Return the weight of an entry and its text: (3, "rain") for `::3::rain`."""
    weight = _WEIGHT.match(card)
    return (int(weight[1]), card[weight.end() :]) if weight else (1, card)


def _build_deck_draft(deck_list: _DeckList, names: set[str]) -> TableDraft:
    """Return the table of one list: a die with a face for each entry, or several by its weight.

    `names` are those of all lists in the deck. Raises UserError for a list without an entry that
    can be drawn, and for weights that no die has.
    """
    name = deck_list.name
    entries = [_read_entry(card) for card in deck_list.cards]
    weighted_entries = [(weight, text) for weight, text in entries if weight]
    if not weighted_entries:
        raise make_import_error(f"{name[:40]} has no entries to draw.")
    divisor = gcd(*(weight for weight, _ in weighted_entries))
    rows: list[tuple[Span, str]] = []
    sides = 0
    for weight, text in weighted_entries:
        span = (sides + 1, sides + weight // divisor)
        rows.append((span, _DRAWN.sub(_format_reference, text)))
        sides += weight // divisor
    if sides > MOST_SIDES:
        raise make_import_error(
            f"The weights of {name[:40]} add up to {sides:,}; a die has at most {MOST_SIDES:,} sides."
        )
    if sides == 1:  # a single card comes up whatever the die shows
        sides = 2
        rows = [((1, 2), rows[0][1])]
    questions = _list_questions([text for _, text in entries], deck_list.goes_back, names)
    return build_one_column(name.lstrip("_"), SEALDICE, f"1d{sides}", rows, questions)


def _format_reference(reference: re.Match[str]) -> str:
    """Format `{_wind}`, a draw from another list, as `<wind>`."""
    return f"<{reference[1].strip().lstrip('_')}>"


def _list_questions(texts: list[str], goes_back: bool, names: set[str]) -> Iterator[str]:
    """Yield questions about what SealDice would do with the texts of a list and a table does not:
    draw from other lists (one of `names`), work out variables and codes, and keep cards out that
    were drawn (unless a drawn card `goes_back`).
    """
    references = {name.strip() for text in texts for name in _DRAWN.findall(text)}
    for name in sorted(references & names):
        yield f"<{name.lstrip('_')}> is drawn from the table of that name: look it up, too"
    variables = sorted(references - names - set(_NAMES))
    if variables:
        yield f"<{variables[0][:40]}> is worked out in SealDice; here it stays as text"
    codes = [code for text in texts for code in _CODE.findall(text)]
    if codes:
        yield f"{codes[0][:40]} is rolled or shown in SealDice; here it stays as text"
    if not goes_back:
        yield "its cards are each drawn only once; here every roll uses all of them"
