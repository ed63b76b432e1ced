"""A deck out of a spreadsheet: a row for each card, with its name, how many there are of it, and columns of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from bot.packs.importing.draft import refused, slug, tidy, unlike
from bot.packs.importing.sheet import cells_of
from bot.rules.errors import UserError
from bot.systems.decks import AFTER, CARD_KEYS, LONGEST

_COUNT = ("count", "copies", "qty", "quantity", "how many")
_NAME = ("name", "card", "chit")
_NUMBER = re.compile(r"[-+]?\d{1,9}(\.\d{1,6})?")
_FLAGS = {"yes": "true", "true": "true", "x": "true", "no": "false", "false": "false"}


def deck_of(text: str, title: str) -> tuple[str, list[str]] | None:
    """The file of a deck, and what to look at again; None for a sheet whose heads are not those of a deck. Raises
    UserError for a count that is none."""
    try:
        rows = cells_of(text)
    except UserError:
        return None
    heads = [_head(cell) for cell in rows[0]] if rows else []
    if "count" not in heads or not {"id", "name"} & {*heads} or len({*heads}) < len(heads):
        return None
    asked = list[str]()
    columns = {head: [row[at] for row in rows[1:]] for at, head in enumerate(heads)}
    own = {head: _values(head, cells, asked) for head, cells in columns.items() if head not in CARD_KEYS}
    names = [_name(cell, asked) for cell in columns.get("name", columns.get("id", []))]
    ids = unlike((slug(cell, most=LONGEST) for cell in columns.get("id", names)), "card")
    lines = [f"title: {_quoted(title)}", "cards:"]
    for at, (id, name) in enumerate(zip(ids, names, strict=True)):
        said = {"id": _quoted(id), **({"name": _quoted(name)} if name != id else {}), **_counted(columns, at)}
        said |= {key: found[at] for key, found in own.items() if found and found[at]}
        lines.append(f"  - {{{', '.join(f'{key}: {value}' for key, value in said.items())}}}")
    return "\n".join(lines) + "\n", [*dict.fromkeys(asked)]


def _head(cell: str) -> str:
    """What a column is, by its head."""
    said = cell.casefold()
    return "count" if said in _COUNT else "name" if said in _NAME else slug(said, "_", 24)


def _counted(columns: Mapping[str, Sequence[str]], at: int) -> dict[str, str]:
    """How many there are of a card, and where it goes after, as far as that is said."""
    count, after = columns["count"][at], columns["after"][at].casefold() if "after" in columns else ""
    if count and not (count.isdecimal() and len(count) < 10):
        raise refused(f"Row {at + 2}: the count is {tidy(count, 'A count')[:20]}, which is no whole number.")
    if after and after not in AFTER:
        raise refused(f"Row {at + 2}: after is {tidy(after, 'A word')[:20]}; it may be {', '.join(AFTER)}.")
    return {**({"count": str(int(count))} if count else {}), **({"after": after} if after else {})}


def _values(head: str, cells: Sequence[str], asked: list[str]) -> list[str]:
    """The cells of a column of its own as YAML, "" for what is not said; none where they are too long for a deck."""
    filled = [cell for cell in cells if cell]
    if not head[:1].isalpha() or any(len(cell) > LONGEST for cell in filled):
        why = f"has more than {LONGEST} characters: the text on a card stays on it" if head[:1].isalpha() else "no name"
        asked += [f"column {head or '(no head)'} is left out: {why}"] if filled else []
        return []
    if all(_NUMBER.fullmatch(cell) for cell in filled):
        return [cell and str(float(cell) if "." in cell else int(cell)) for cell in cells]
    if all(cell.casefold() in _FLAGS for cell in filled):
        return [_FLAGS.get(cell.casefold(), "") for cell in cells]
    return [cell and _quoted(cell) for cell in cells]


def _name(cell: str, asked: list[str]) -> str:
    """A name without what separates cards, as long as one may be."""
    name = re.sub(r"\s*[,;]\s*", " - ", tidy(cell, "A name"))[:LONGEST].strip(" -")
    if name != cell:
        asked.append(f"{cell[:LONGEST]} is called {name}: names have no commas, and at most {LONGEST} characters")
    return name


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
