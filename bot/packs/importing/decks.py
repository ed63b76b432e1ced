"""Decks out of a spreadsheet (a row for each card), a list of SealDice (a text for each), or cards
of Foundry VTT.
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
from bot.rulesets.deck_file import LONGEST
from bot.rulesets.deck_keys import AFTER, CARD

_COUNT = ("count", "copies", "qty", "quantity", "how many")
_NAME = ("name", "card", "chit")
_NUMBER = re.compile(r"[-+]?\d{1,9}(\.\d{1,6})?")
KINDS = ("deck", "hand", "pile")
"""The types that cards of Foundry VTT may have."""
_TEXT_AFTER_NAME = re.compile(r"(?<![^\S\n])[^\S\n]*+[\n:：|｜].*", re.DOTALL)
"""The text of an entry after the name of its card."""
_POINT_ZERO = re.compile(r"[.,]0{1,2}$")
"""The decimals that a spreadsheet gives a whole number."""
_FLAGS = {"yes": "true", "true": "true", "x": "true", "no": "false", "false": "false"}


class ImportedDeck(NamedTuple):
    """A deck from another program: the format that it is from, its title, and the text of its file.

    `questions` are the guesses to look at again; `understood` says in one line how it was read.
    """

    format: str
    title: str
    text: str
    questions: list[str]
    understood: str


def read_deck_sheet(text: str, title: str) -> ImportedDeck | None:
    """Return the deck of a sheet, None if the text is no sheet with headings of a deck.

    A deck has a count and an id or name, and no heading twice. Raises UserError for a cell that a
    deck cannot have, such as a count that is not a number.
    """
    try:
        rows = read_rows(text)
    except UserError:
        return None
    heads = [_name_column(cell) for cell in rows[0]] if rows else []
    has_repeated_heads = len({*heads}) < len(heads)
    if "count" not in heads or not {"id", "name"} & {*heads} or has_repeated_heads:
        return None
    questions = list[str]()
    if "type" in heads:
        questions.append(LOOKS_LIKE_ROSTER)
    card_rows = fill_dittos(rows, questions)[1:]
    card_rows = _drop_sum_row(heads, card_rows, questions)
    return _build_deck("a spreadsheet", title, heads, card_rows, questions)


def _drop_sum_row(
    heads: Sequence[str], rows: list[list[str]], questions: list[str]
) -> list[list[str]]:
    """Return the rows of cards without a last one that is the sum of the counts above it, which
    adds a question.
    """
    names = [row[heads.index("name" if "name" in heads else "id")] for row in rows]
    counts = [row[heads.index("count")] or "1" for row in rows]
    if not has_sum_row(names, read_weights(counts)):
        return rows
    questions.append(
        f'the row "{names[-1][:20]}" is left out: {counts[-1]} is the sum of the others'
    )
    return rows[:-1]


def read_deck_list(data: Any, name: str) -> ImportedDeck:
    """Return the deck of the list `name` of SealDice: a card for each different entry, as often as
    the weights of the entry say. The text after the name of a card is left out, which adds a
    question.

    Raises UserError if there is no such list, or if two cards have one name.
    """
    title, entries, questions = find_list(data, name)
    counts = Counter[str]()
    for weight, text in entries:
        counts[text] += weight
    names = {text: " ".join(_TEXT_AFTER_NAME.sub("", text.strip()).split()) for text in counts}
    for card_name, count in Counter(names.values()).items():
        if count > 1:
            raise make_import_error(
                f'{count} cards in {title[:40]} are called "{card_name[:40]}": there is no way to tell them apart.'
            )
    shortened = [text for text, card_name in names.items() if card_name != " ".join(text.split())]
    if shortened:
        questions.append(
            f"{len(shortened)} of {len(names)} cards keep only their name: card texts are not copied"
        )
    rows = [[card_name, str(counts[text])] for text, card_name in names.items()]
    title = clean_title(title[:1].upper() + title[1:])
    return _build_deck(SEALDICE, title, ["name", "count"], rows, questions)


def is_cards(data: Any) -> bool:
    """Return whether parsed JSON is cards of Foundry VTT: a deck, a hand or a pile."""
    cards = data.get("cards") if isinstance(data, Mapping) else None
    if not isinstance(cards, list):
        return False
    return data.get("type") in KINDS or any(isinstance(card, Mapping) for card in cards)


def read_foundry_deck(data: Any, title: str) -> ImportedDeck:
    """Return the deck of cards of Foundry VTT, with the suit and value of each.

    Cards with the same name, suit and value become one with a count. If only their names are the
    same, suit and value are added to them. Raises UserError for anything that Foundry does not
    write.
    """
    questions = list[str]()
    counts = Counter[_FoundryCard]()
    for number, card in enumerate(data["cards"], 1):
        counts[_read_card(card, number)] += 1
    if not counts:
        raise make_import_error(
            "It has no cards.", "Export the deck itself: Recall returns its cards to it."
        )
    kind = data.get("type")
    if kind in KINDS[1:]:
        questions.append(f"in Foundry it is a {kind}: cards not in it now are left out")
    name_counts = Counter(comparison_key(card.name) for card in counts)
    rows = []
    for card, count in counts.items():
        name = card.name
        if name_counts[comparison_key(name)] > 1:
            name = " ".join(filter(None, card))
        rows.append([name, str(count), card.suit, card.value])
    heads = ["name", "count", "suit", "value"]
    title = clean_title(data.get("name"), title)
    return _build_deck(FOUNDRY_CARDS, title, heads, rows, questions)


class _FoundryCard(NamedTuple):
    """The name, suit and value of a card of Foundry VTT; suit and value may be ""."""

    name: str
    suit: str
    value: str


def _read_card(card: Any, number: int) -> _FoundryCard:
    """Return the name, suit and value of a card.

    A card without a name has that of its visible face, or of its first one. Raises UserError, with
    the `number` of the card, if there is no name, or if Foundry does not write a card so.
    """
    faces = (card.get("faces") or []) if isinstance(card, Mapping) else None
    if not isinstance(faces, list) or not all(isinstance(face, Mapping) for face in faces):
        raise make_import_error(f"Card {number} is not in Foundry's format.")
    name = _clean_if_text(card.get("name"), "A name")
    if not name and faces:
        index = card.get("face")
        if type(index) is not int or not 0 <= index < len(faces):
            index = 0
        name = _clean_if_text(faces[index].get("name"), "A name")
    if not name:
        raise make_import_error(f"Card {number} has no name.")
    value = card.get("value")
    if value is None or isinstance(value, bool):
        value = ""
    return _FoundryCard(
        name, _clean_if_text(card.get("suit"), "A suit"), clean_text(str(value), "A value")
    )


def _clean_if_text(text: Any, subject: str) -> str:
    """Return a text in one line, "" for any other value. Raises UserError about the `subject` for
    one that is too long.
    """
    return clean_text(text, subject) if isinstance(text, str) else ""


def _build_deck(
    format: str,
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    questions: list[str],
) -> ImportedDeck:
    """Return a deck with a card for each row. `heads` name the columns.

    Raises UserError for a count that is not a number, an `after` that is no place, or a text that is
    too long.
    """
    columns = {head: [row[index] for row in rows] for index, head in enumerate(heads)}
    facts = {
        head: _format_values(head, cells, questions)
        for head, cells in columns.items()
        if head not in CARD
    }
    name_cells = columns.get("name", columns.get("id", []))
    names = [_clean_card_name(cell, questions) for cell in name_cells]
    slugs = [make_slug(cell, max_length=LONGEST) for cell in columns.get("id", names)]
    ids = make_unique(slugs, "card")
    lines = [f"title: {_quote(title)}", "cards:"]
    card_count = 0
    for row, (id, name) in enumerate(zip(ids, names, strict=True)):
        card = {"id": _quote(id)}
        if name != id:
            card["name"] = _quote(name)
        card |= _read_count_and_after(columns, row)
        card_count += int(card.get("count", "1"))
        card |= {key: values[row] for key, values in facts.items() if values and values[row]}
        entries = ", ".join(f"{key}: {value}" for key, value in card.items())
        lines.append(f"  - {{{entries}}}")
    kinds = format_count(len(names), "kind")
    understood = f"a deck of {format_count(card_count, 'card')}, {kinds}"
    text = "\n".join(lines) + "\n"
    return ImportedDeck(format, title, text, list(dict.fromkeys(questions)), understood)


def _name_column(cell: str) -> str:
    """Return the key of a column by its heading: "count" and "name" for words that mean these,
    else the heading in lower case with underscores.
    """
    heading = comparison_key(cell)
    if heading in _COUNT:
        return "count"
    if heading in _NAME:
        return "name"
    return make_slug(heading, "_", 24)


def _read_count_and_after(columns: Mapping[str, Sequence[str]], row: int) -> dict[str, str]:
    """Return the `count` of a card, and `after`: where it goes after it was played.

    Keys with an empty cell are missing. Raises UserError for a count that is no whole number, and
    for an `after` that is not in AFTER.
    """
    count = _POINT_ZERO.sub("", open_signs(columns["count"][row]))
    destination = comparison_key(columns["after"][row]) if "after" in columns else ""
    values: dict[str, str] = {}
    if count:
        if not count.isdecimal() or len(count) >= 10:
            quoted_count = clean_text(count, "A count")[:20]
            raise make_import_error(
                f"Row {row + 2}: the count {quoted_count} is not a whole number."
            )
        values["count"] = str(int(count))
    if destination:
        if destination not in AFTER:
            quoted_word = clean_text(destination, "A word")[:20]
            raise make_import_error(
                f"Row {row + 2}: `after` cannot be {quoted_word}; use one of {', '.join(AFTER)}."
            )
        values["after"] = destination
    return values


def _format_values(head: str, cells: Sequence[str], questions: list[str]) -> list[str]:
    """Return the cells of an author's own column as YAML: numbers, true and false, or texts, if
    all of them are. Empty cells are "".

    A column that is too long for a deck, or has no name, is left out: this returns [] then, and
    adds a question about the column unless it is empty.
    """
    filled = [cell for cell in cells if cell]
    fault = _find_column_fault(head, filled)
    if fault:
        if filled:
            questions.append(f"column {head or '(no heading)'} is left out: {fault}")
        return []
    if all(_NUMBER.fullmatch(cell) for cell in filled):
        return list(map(_format_number, cells))
    if all(comparison_key(cell) in _FLAGS for cell in filled):
        return [_FLAGS.get(comparison_key(cell), "") for cell in cells]
    return [cell and _quote(cell) for cell in cells]


def _find_column_fault(head: str, cells: Sequence[str]) -> str:
    """Return why a deck cannot have a column, "" if it can.

    The heading must begin with a letter, and no cell may be longer than LONGEST. `cells` are those
    that are not empty.
    """
    if not head[:1].isalpha():
        return "no name"
    if any(len(cell) > LONGEST for cell in cells):
        return f"it has texts longer than {LONGEST} characters, and card texts are not copied"
    return ""


def _format_number(cell: str) -> str:
    """Format a number as YAML, "" as "": `+3` is 3, `02` is 2."""
    if not cell:
        return ""
    return str(float(cell)) if "." in cell else str(int(cell))


def _clean_card_name(cell: str, questions: list[str]) -> str:
    """Return the name of a card without commas and semicolons, which separate cards, and cut to the
    length that a name may have. A name that changes adds a question.
    """
    text = clean_text(cell, "A name")
    name = re.sub(r"(?<!\s)\s*+[,;]\s*", " - ", text)[:LONGEST].strip(" -")
    if name != cell:
        questions.append(
            f"{cell[:LONGEST]} is called {name}: names have no commas and at most {LONGEST} characters"
        )
    return name


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
