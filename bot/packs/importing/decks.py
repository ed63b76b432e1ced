"""A deck out of a spreadsheet (a row for each card), a list of SealDice (a text for each), or
cards of Foundry VTT.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bot.packs.importing.blocks import read_rows
from bot.packs.importing.formats import FOUNDRY_CARDS, SEALDICE, find_list
from bot.packs.importing.table_draft import (
    LOOKS_LIKE_ROSTER,
    clean_text,
    clean_title,
    make_import_error,
    make_slug,
    make_unique,
)
from bot.packs.importing.weights import has_sum_row, read_weights
from bot.rules.errors import UserError
from bot.rules.text.ditto import fill_dittos
from bot.rules.text.names import format_count
from bot.rules.text.normalize import comparison_key, open_signs
from bot.rulesets.deck_file import AFTER, CARD_KEYS, LONGEST

_COUNT = ("count", "copies", "qty", "quantity", "how many")
_NAME = ("name", "card", "chit")
_NUMBER = re.compile(r"[-+]?\d{1,9}(\.\d{1,6})?")
KINDS = ("deck", "hand", "pile")
"""What cards of Foundry VTT may be."""
_BEHIND = re.compile(r"(?<![^\S\n])[^\S\n]*+[\n:：|｜].*", re.DOTALL)
"""What an entry of a list says behind the name of its card."""
_POINT_ZERO = re.compile(r"[.,]0{1,2}$")
"""The decimals that a spreadsheet gives a whole number."""
_FLAGS = {"yes": "true", "true": "true", "x": "true", "no": "false", "false": "false"}


class ImportedDeck(NamedTuple):
    """A deck: the format that it is from, its title, its file, what to look at again, and in one
    line how it was read.
    """

    format: str
    title: str
    text: str
    asked: list[str]
    understood: str


def read_deck_sheet(text: str, title: str) -> ImportedDeck | None:
    """The deck of a sheet; None for a sheet whose heads are not those of a deck. Raises UserError
    for a count that is none."""
    try:
        rows = read_rows(text)
    except UserError:
        return None
    heads = [_name_column(cell) for cell in rows[0]] if rows else []
    if "count" not in heads or not {"id", "name"} & {*heads} or len({*heads}) < len(heads):
        return None
    asked = list[str]()
    if "type" in heads:
        asked.append(LOOKS_LIKE_ROSTER)
    cards = _drop_sum_row(heads, fill_dittos(rows, asked)[1:], asked)
    return _build_deck("a spreadsheet", title, heads, cards, asked)


def _drop_sum_row(heads: Sequence[str], rows: list[list[str]], asked: list[str]) -> list[list[str]]:
    """Return the rows of cards without a last one that is the sum of the counts above it."""
    names = [row[heads.index("name" if "name" in heads else "id")] for row in rows]
    counts = [row[heads.index("count")] or "1" for row in rows]
    if not has_sum_row(names, read_weights(counts)):
        return rows
    asked.append(f'the row "{names[-1][:20]}" is left out: {counts[-1]} is the sum of the others')
    return rows[:-1]


def read_deck_list(data: Any, name: str) -> ImportedDeck:
    """The deck of a list of SealDice, a card for each entry, as many as it weighs. Raises UserError
    for a list that is not there, or whose cards nobody could tell apart."""
    title, entries, asked = find_list(data, name)
    counts = Counter[str]()
    for weight, text in entries:
        counts[text] += weight
    names = {text: " ".join(_BEHIND.sub("", text.strip()).split()) for text in counts}
    for said, times in Counter(names.values()).items():
        if times > 1:
            raise make_import_error(
                f'{times} cards of {title[:40]} are called "{said[:40]}": nobody could tell them apart.'
            )
    if cut := [said for text, said in names.items() if said != " ".join(text.split())]:
        asked.append(
            f"{len(cut)} of {len(names)} cards have their name alone: the text on a card stays on it"
        )
    rows = [[said, str(counts[text])] for text, said in names.items()]
    return _build_deck(
        SEALDICE, clean_title(title[:1].upper() + title[1:]), ["name", "count"], rows, asked
    )


def is_cards(data: Any) -> bool:
    """Return whether parsed JSON is cards of Foundry VTT: a deck, a hand or a pile."""
    cards = data.get("cards") if isinstance(data, Mapping) else None
    return isinstance(cards, list) and (
        data.get("type") in KINDS or any(isinstance(card, Mapping) for card in cards)
    )


def read_foundry_deck(data: Any, title: str) -> ImportedDeck:
    """The deck of cards of Foundry VTT, with suit and value of each; alike ones are counted. Raises
    UserError for what is not written as Foundry does."""
    asked = list[str]()
    counts = Counter[tuple[str, str, str]]()
    for number, card in enumerate(data["cards"], 1):
        counts[_read_card(card, number)] += 1
    if not counts:
        raise make_import_error(
            "It has no cards.", "Export the deck itself: its cards come back into it with Recall."
        )
    if (kind := data.get("type")) in KINDS[1:]:
        asked.append(f"in Foundry it is a {kind}: what is not in it now is left out")
    often = Counter(comparison_key(name) for name, _, _ in counts)
    rows = []
    for (name, suit, value), times in counts.items():
        known = (
            name
            if often[comparison_key(name)] == 1
            else " ".join(filter(None, (name, suit, value)))
        )
        rows.append([known, str(times), suit, value])
    return _build_deck(
        FOUNDRY_CARDS,
        clean_title(data.get("name"), title),
        ["name", "count", "suit", "value"],
        rows,
        asked,
    )


def _read_card(card: Any, number: int) -> tuple[str, str, str]:
    """Name, suit and value of a card; the name of the face that it shows, or of its first one,
    where it has none.
    """
    faces = (card.get("faces") or []) if isinstance(card, Mapping) else None
    if not isinstance(faces, list) or not all(isinstance(face, Mapping) for face in faces):
        raise make_import_error(f"Card {number} is not written as Foundry does.")
    shown = at if type(at := card.get("face")) is int and 0 <= at < len(faces) else 0
    names = (card.get("name"), *(face.get("name") for face in faces[shown : shown + 1]))
    name = next(
        (
            said
            for said in (clean_text(name, "A name") for name in names if isinstance(name, str))
            if said
        ),
        "",
    )
    if not name:
        raise make_import_error(f"Card {number} has no name.")
    suit = card.get("suit")
    value = card.get("value")
    said = "" if value is None or isinstance(value, bool) else str(value)
    return (
        name,
        clean_text(suit, "A suit") if isinstance(suit, str) else "",
        clean_text(said, "A value"),
    )


def _build_deck(
    format: str, title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], asked: list[str]
) -> ImportedDeck:
    """The file of a deck. Raises UserError for a count that is none."""
    columns = {head: [row[at] for row in rows] for at, head in enumerate(heads)}
    own = {
        head: _format_values(head, cells, asked)
        for head, cells in columns.items()
        if head not in CARD_KEYS
    }
    names = [_clean_card_name(cell, asked) for cell in columns.get("name", columns.get("id", []))]
    ids = make_unique((make_slug(cell, most=LONGEST) for cell in columns.get("id", names)), "card")
    lines = [f"title: {_quote(title)}", "cards:"]
    for at, (id, name) in enumerate(zip(ids, names, strict=True)):
        said = {
            "id": _quote(id),
            **({"name": _quote(name)} if name != id else {}),
            **_read_count_and_after(columns, at),
        }
        said |= {key: found[at] for key, found in own.items() if found and found[at]}
        lines.append(f"  - {{{', '.join(f'{key}: {value}' for key, value in said.items())}}}")
    counts = [
        int(_read_count_and_after(columns, row).get("count", "1")) for row in range(len(names))
    ]
    understood = (
        f"a deck of {format_count(sum(counts), 'card')}, {format_count(len(names), 'kind')}"
    )
    return ImportedDeck(format, title, "\n".join(lines) + "\n", [*dict.fromkeys(asked)], understood)


def _name_column(cell: str) -> str:
    """What a column is, by its head."""
    said = comparison_key(cell)
    return "count" if said in _COUNT else "name" if said in _NAME else make_slug(said, "_", 24)


def _read_count_and_after(columns: Mapping[str, Sequence[str]], at: int) -> dict[str, str]:
    """Return how many there are of a card, and where it goes after, as far as that is said."""
    count = _POINT_ZERO.sub("", open_signs(columns["count"][at]))
    after = comparison_key(columns["after"][at]) if "after" in columns else ""
    if count and not (count.isdecimal() and len(count) < 10):
        raise make_import_error(
            f"Row {at + 2}: the count is {clean_text(count, 'A count')[:20]}, which is no whole number."
        )
    if after and after not in AFTER:
        raise make_import_error(
            f"Row {at + 2}: after is {clean_text(after, 'A word')[:20]}; it may be {', '.join(AFTER)}."
        )
    return {**({"count": str(int(count))} if count else {}), **({"after": after} if after else {})}


def _format_values(head: str, cells: Sequence[str], asked: list[str]) -> list[str]:
    """The cells of a column of its own as YAML, "" for what is not said; none where they are too
    long for a deck.
    """
    filled = [cell for cell in cells if cell]
    if not head[:1].isalpha() or any(len(cell) > LONGEST for cell in filled):
        why = (
            f"has more than {LONGEST} characters: the text on a card stays on it"
            if head[:1].isalpha()
            else "no name"
        )
        asked += [f"column {head or '(no head)'} is left out: {why}"] if filled else []
        return []
    if all(_NUMBER.fullmatch(cell) for cell in filled):
        return [cell and str(float(cell) if "." in cell else int(cell)) for cell in cells]
    if all(comparison_key(cell) in _FLAGS for cell in filled):
        return [_FLAGS.get(comparison_key(cell), "") for cell in cells]
    return [cell and _quote(cell) for cell in cells]


def _clean_card_name(cell: str, asked: list[str]) -> str:
    """A name without what separates cards, as long as one may be."""
    name = re.sub(r"(?<!\s)\s*+[,;]\s*", " - ", clean_text(cell, "A name"))[:LONGEST].strip(" -")
    if name != cell:
        asked.append(
            f"{cell[:LONGEST]} is called {name}: names have no commas, and at most {LONGEST} characters"
        )
    return name


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
