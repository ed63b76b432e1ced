"""The comparison of an after-action page with the log inside it: rows, head sentence, rosters and
losses.

The log was checked before. If an event has the hash of its first line, the log proves every letter
of that line. For other events it proves the dice, the stored result and the new states. Nothing
proves the names of persons.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from html.parser import HTMLParser
from itertools import chain
from typing import Any

from bot.game.events import find_undone_events
from bot.rules.cards import count_all_hand_cards
from bot.rules.proof.chain import DELETED, SAID, SOMEONE, fill_marks, hash_first_line
from bot.rules.text.names import insert_sides

Json = Mapping[str, Any]
MOST_DICE = 14
_VOID = ("meta", "link", "br", "input", "img", "hr")
_FACTS = re.compile(r'FACTS = "([0-9a-f]{64})"')


class _Node:
    """An element of a page, with its children: elements and texts."""

    def __init__(self, tag: str, attrs: dict[str, str]) -> None:
        self.tag = tag
        self.attrs = attrs
        self.children = list[Any]()

    def find_all(self, selector: str) -> Iterator[_Node]:
        """Yield the elements inside with this class, tag or `#id`, in their order."""
        for child in self.children:
            if isinstance(child, _Node):
                id = "#" + child.attrs.get("id", "")
                classes = child.attrs.get("class", "").split()
                if selector in (child.tag, id, *classes):
                    yield child
                yield from child.find_all(selector)

    def text(self, selector: str = "") -> str:
        """Return the words inside, or those of the selected elements, with `|` between them."""
        if selector:
            return "|".join(node.text() for node in self.find_all(selector))
        return " ".join(self.raw().split())

    def raw(self) -> str:
        """Return the text inside with all its spaces."""
        pieces = [child.raw() if isinstance(child, _Node) else child for child in self.children]
        return "".join(pieces)


class _PageReader(HTMLParser):
    """A parser that builds the tree of a page. `open[0]` is its root."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open = [_Node("", {})]
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = _Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if any(node.tag == tag for node in self.open[1:]):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


class ExpectedPage:
    """The contents that the page of a log must show.

    `lost` are the states of units that are out of the game.
    """

    def __init__(self, log: Json, lost: frozenset[str]) -> None:
        self.log = log
        self.lost = lost
        self.bodies = [row["body"] for row in log["events"]]
        self.names = {row["person"]: row["name"] for row in log.get("persons", ())}
        self.texts = {(row["event"], row["key"]): row["text"] for row in log.get("texts", ())}
        self.undone = find_undone_events(self.bodies)
        self.units: dict[str, Any] = {}
        self.game: dict[str, Any] = {}
        self.first: dict[str, Any] = {}
        self.cards: dict[str, int] = {}
        self.turn_ends: list[tuple[int, dict[str, Any]]] = []
        self.hands: list[tuple[int, dict[str, int]]] = []
        self.tracks: dict[int, dict[str, Any]] = {}
        for body in self.bodies:
            self._read_changes(body.get("after") or {})
        self.sides = self._list_sides()

    def _read_changes(self, patch: Json) -> None:
        """Update units, game, cards and tracks by a patch, and their values at the end of a turn."""
        units = patch.get("units") or {}
        self.units |= units
        for key, unit in units.items():
            if unit:
                self.first.setdefault(key, unit)
        self.game |= patch.get("game") or {}
        turn = self.game.get("turn", 0)
        self.cards |= patch.get("cards") or {}
        earlier_seats = self.hands[-1][1] if self.hands else {}
        hands = dict.fromkeys(earlier_seats, 0) | count_all_hand_cards(self.cards)
        if self.turn_ends and self.turn_ends[-1][0] == turn:
            self.turn_ends.pop()
            self.hands.pop()
        self.turn_ends.append((turn, dict(self.units)))
        self.hands.append((turn, hands))
        self.tracks[turn] = dict(self.game.get("tracks") or {})

    def _list_sides(self) -> list[str]:
        """List the sides of the game, in their order when first set.

        In free play, list those of the units in alphabetical order.
        """
        for body in self.bodies:
            game = (body.get("after") or {}).get("game") or {}
            if game.get("sides"):
                return list(game["sides"])
        return sorted({unit.get("side", "") for unit in self.units.values() if unit} - {""})

    def get_first_line(self, body: Json, page_line: str) -> str | None:
        """Return the line that the row of an event must begin with, or None if nothing proves it.

        `page_line` is the line in the page. If the file lacks the text, return that line if it has
        the hash of the event, else "".
        """
        if SAID not in body:
            return None
        text = self.texts.get((body["number"], SAID))
        if text is None:
            is_proved = hash_first_line(page_line) == body[SAID]
            return page_line if is_proved else ""
        line = fill_marks(
            text,
            lambda person: self.names.get(person, SOMEONE),
            lambda number, key: self.texts.get((number, key), DELETED),
        )
        return " ".join(line.split())

    def build_row(self, body: Json, page_line: str) -> dict[str, Any]:
        """Build the parts of an event's row by their class. Unproved parts are missing.

        Of the first line (`line`) and the logged result (`log`) a row shows one. `page_line` is the
        first line in the page.
        """
        number = body["number"]
        content_text = self.texts.get((number, "sealed"))
        content = {**body, **json.loads(content_text)} if content_text else body
        parts: dict[str, Any] = {
            "no": f"#{number}",
            "sd": content.get("side", ""),
            "who": self.names.get(content["who"], SOMEONE),
            "tag": "|".join(self._list_tags(body, content)),
            "dice": _list_shown_dice(content),
        }
        line = self.get_first_line(body, page_line)
        if line is None:
            parts["log"] = format_logged_result(content, self.sides)
        else:
            parts["line"] = line
            parts["log"] = ""
        return parts

    def _list_tags(self, body: Json, content: Json) -> list[str]:
        """List the tags of an event. `content` is its body with what was sealed in it."""
        is_undone = body["number"] in self.undone
        tags = []
        if is_undone:
            tags.append("taken back")
        if content.get("hand"):
            tags.append("real dice")
        if "sealed" in body:
            tags.append("sealed")
        if not is_undone and self.list_lost_units(content):
            tags.append("loss")
        return tags

    def list_lost_units(self, body: Json) -> list[str]:
        """List the names of the units that were in the game before an event and are out after it.

        Only a roll, a sequence and the opening of a sealed roll count: for any other event return
        []. Units that were removed from the roster do not count. `body` is the event with its
        patch.
        """
        if body["kind"] not in ("sequence", "roll", "reveal"):
            return []
        units_before = (body.get("before") or {}).get("units") or {}
        units_after = (body.get("after") or {}).get("units") or {}
        names = []
        for key, unit in units_after.items():
            old_unit = units_before.get(key)
            if unit and old_unit and self.is_out(unit) and not self.is_out(old_unit):
                names.append(unit["name"])
        return names

    def is_out(self, unit: Json | None) -> bool:
        """Return whether a unit is out of the game: it has a lost state, or was removed (None)."""
        return unit is None or unit.get("state", "") in self.lost

    def count_units(self, side: str) -> tuple[int, int]:
        """Return how many units of a side are lost at the end of the log, and how many it has.

        Units that were removed from the roster do not count.
        """
        units = [unit for unit in self.units.values() if unit and unit.get("side", "") == side]
        return sum(map(self.is_out, units)), len(units)

    def build_sentence_pattern(self) -> str:
        """Build a regular expression for the sentence at the head of the page.

        The log does not hold the title of a phase, so any title fits.
        """
        turn = self.game.get("turn", 0)
        if self.game.get("ended"):
            pattern = re.escape(f"{self._describe_winner()}Ended in turn {turn}")
        elif turn:
            pattern = re.escape(f"{self._describe_winner()}Turn {turn}, ") + "[^.]*"
        else:
            pattern = re.escape(f"{self._describe_winner()}Free play")
        losses = []
        for side in self.sides:
            lost, total = self.count_units(side)
            if total:
                losses.append(f"{side} lost {lost or 'none'} of {total} units")
        ending = f". {', '.join(losses)}." if losses else "."
        return pattern + re.escape(ending)

    def _describe_winner(self) -> str:
        """Return the sentence about the winner with a space after it, or ""."""
        winner = self.game.get("winner")
        if winner == "draw":
            return "A draw. "
        return f"{winner} won. " if winner else ""

    def list_losses(self) -> list[list[str]]:
        """List the units that were lost in each turn: for each side their names, joined.

        The time before the first turn has no row.
        """
        rows = []
        units_before = dict[str, Any]()
        for turn, units in self.turn_ends:
            cells = []
            for side in self.sides:
                names = []
                for key, unit in units.items():
                    if not unit or unit.get("side", "") != side or not self.is_out(unit):
                        continue
                    if not self.is_out(units_before.get(key, self.first[key])):
                        names.append(unit["name"])
                cells.append(", ".join(names))
            units_before = units
            if turn:
                rows.append(cells)
        return rows

    def list_hand_sizes(self) -> list[list[str]]:
        """List the number of cards in each hand at the end of each turn, as the page shows them.

        A game without turns has one row, for now.
        """
        rows = [hands for turn, hands in self.hands if turn]
        rows = rows or [hands for _, hands in self.hands[-1:]]
        seats = sorted({*chain.from_iterable(hands for _, hands in self.hands)})
        return [[str(hands.get(seat, 0)) for seat in seats] for hands in rows]


def _list_shown_dice(content: Json) -> list[str]:
    """List the words of the dice in a row: at most MOST_DICE values; nothing without dice."""
    values = [str(die["value"]) for die in content.get("dice") or ()]
    if not values:
        return []
    words = ["dice", *values[:MOST_DICE]]
    if len(values) > MOST_DICE:
        words.append("…")
    return words


def format_logged_result(body: Json, sides: list[str]) -> str:
    """Format the stored result of an event and the new states of its units, "" if it has neither.

    A page shows this for events without a first line.
    """
    parts = []
    result = insert_sides(" ".join(str(body.get("result", "")).split()), tuple(sides))
    if result:
        parts.append(f"as logged: {result}")
    units_before = (body.get("before") or {}).get("units") or {}
    units_after = (body.get("after") or {}).get("units") or {}
    for key, unit in sorted(units_after.items()):
        old_unit = units_before.get(key)
        if unit and old_unit and old_unit.get("state") != unit.get("state"):
            parts.append(f"{unit['name']}: {unit.get('state') or 'no state'}")
    return "; ".join(parts)


def find_page_faults(page: str, log: Json, lost: frozenset[str]) -> tuple[list[str], list[int]]:
    """Compare a page with its log. `lost` are the states of units that are out of the game.

    Return a line for each difference, and the events whose sentences nothing proves.
    """
    tree = _PageReader(page).open[0]
    expected = ExpectedPage(log, lost)
    faults = []
    unproved = []
    rows = list(tree.find_all("ev"))
    row_ids = [row.attrs.get("id") for row in rows]
    if row_ids != [f"e{body['number']}" for body in expected.bodies]:
        faults.append("The page does not show the same events as its log.")
    for node, body in zip(rows, expected.bodies, strict=False):
        shown_parts = _read_row(node)
        parts = expected.build_row(body, shown_parts["line"])
        wrong = [name for name, value in parts.items() if shown_parts[name] != value]
        if wrong:
            faults.append(
                f"Event {body['number']}: the page differs from its log ({_WORDS[wrong[0]]})."
            )
        if "line" not in parts:
            unproved.append(body["number"])
    faults += _find_head_faults(tree, expected)
    faults += _find_list_faults(tree, expected)
    facts = "".join(node.raw() for node in tree.find_all("#facts")).strip()
    facts_hash = _FACTS.search(page)
    if facts_hash is None or sha256(facts.encode()).hexdigest() != facts_hash[1]:
        faults.append("The odds and traces on the page are not the ones it was made with.")
    return faults, unproved


def _read_row(row: _Node) -> dict[str, Any]:
    """Return the parts of an event's row in a page, as `ExpectedPage.build_row` names them."""
    summary = next(row.find_all("summary"), row)
    parts: dict[str, Any] = {name: summary.text(name) for name in ("no", "sd", "who", "tag", "log")}
    parts["line"] = " · ".join(filter(None, (summary.text("res"), summary.text("by"))))
    parts["dice"] = []
    for node in summary.find_all("dice"):
        parts["dice"] += node.text().split()
    return parts


_WORDS = {"no": "its number", "sd": "its side", "who": "who did it", "tag": "its marks", "dice": "its dice",
          "log": "its result", "line": "its words"}  # fmt: skip


def _find_score_faults(tree: _Node, expected: ExpectedPage) -> Iterator[str]:
    """Yield a fault for each score that differs from the log.

    Nothing proves the value of a track that the log has not changed yet.
    """
    for node in tree.find_all("points"):
        side = node.attrs.get("data-side", "")
        value = (expected.game.get("tracks") or {}).get(f"{side}/{node.attrs.get('data-track')}")
        if value is not None and not node.text().endswith(f": {value}"):
            yield f"The score of {side} on the page does not match its log."
    turns = [turn for turn in expected.tracks if turn]
    for table in tree.find_all("scores"):
        rows = [row for row in table.find_all("tr") if any(row.find_all("td"))]
        is_right = len(rows) == len(turns)
        for row, turn in zip(rows, turns, strict=False):
            for cell in row.find_all("td"):
                key = f"{cell.attrs.get('data-side')}/{table.attrs.get('data-track')}"
                value = expected.tracks[turn].get(key)
                shown_value = cell.text().replace("\u2212", "-")
                is_right = is_right and (value is None or shown_value == str(value))
        if not is_right:
            yield "The score by turn on the page does not match its log."


def _find_head_faults(tree: _Node, expected: ExpectedPage) -> Iterator[str]:
    """Yield a line for each part of a page above and below its log that differs from the log.

    These are the game's name, the sentence at the head, the counts of units, losses and hands by
    turn, scores and rosters.
    """
    if tree.text("h1") != (" ".join(expected.game.get("name", "").split()) or "Free play"):
        yield "The page and its log name the game differently."
    if not re.fullmatch(expected.build_sentence_pattern(), tree.text("#sum")):
        yield "The sentence at the top of the page does not match its log."
    counts = {side: expected.count_units(side) for side in expected.sides}
    for node in tree.find_all("left"):
        lost, total = counts.get(node.attrs.get("data-side", ""), (0, 0))
        if node.text().split() != f"{total - lost} of {total} units left".split():
            yield f"The page and its log count the units of {node.attrs.get('data-side')} differently."
    shown_losses = [list(map(_read_lost, cells)) for cells in _read_tables(tree, "losses") if cells]
    if shown_losses and shown_losses != expected.list_losses():
        yield "The losses by turn on the page do not match its log."
    hands = _read_tables(tree, "hands")
    if hands and hands[1:] != expected.list_hand_sizes():
        yield "The sizes of hands on the page do not match its log."
    yield from _find_score_faults(tree, expected)
    yield from _find_roster_faults(tree, expected)


def _read_tables(tree: _Node, name: str) -> list[list[str]]:
    """Return the cells of each row of the tables with this class. A row of headings is []."""
    rows = []
    for table in tree.find_all(name):
        for row in table.find_all("tr"):
            rows.append([cell.text() for cell in row.find_all("td")])
    return rows


def _read_lost(cell: str) -> str:
    """Return the lost units in a cell of losses: `A, B` for `A, B; hurt: C`, "" for none."""
    if cell == "none" or cell.startswith("hurt: "):
        return ""
    return cell.partition("; hurt: ")[0]


def _find_roster_faults(tree: _Node, expected: ExpectedPage) -> Iterator[str]:
    """Yield a fault for each unit of the rosters with another name or state than in the log."""
    for roster in tree.find_all("rosters"):
        for node in roster.find_all("li"):
            unit = expected.units.get(node.attrs.get("data-key", ""))
            if not unit:
                continue
            state = _split_words(unit.get("state", ""))
            shown_state = _split_words(node.text("st"))
            if node.text("nm") != unit["name"] or not _fits(shown_state, state, expected.lost):
                yield f"The roster on the page and its log show {unit['name']} differently."


def _find_list_faults(tree: _Node, expected: ExpectedPage) -> Iterator[str]:
    """Yield a line for wrong closing words, and for each wrong entry in a list of events.

    An entry is right if it repeats the result in the event's row, and if it names lost units, those
    that the event put out of the game.
    """
    closing = _get_closing_words(expected)
    if tree.text("closing") != (f"“{closing}”" if closing else ""):
        yield "The closing words on the page do not match its log."
    heads = {"#" + row.attrs.get("id", ""): row.text("res") for row in tree.find_all("ev")}
    losses = {
        f"#e{body['number']}": ", ".join(expected.list_lost_units(body)) for body in expected.bodies
    }
    for node in _list_entries(tree):
        for link in node.children:
            if not isinstance(link, _Node) or link.tag != "a":
                continue
            target = link.attrs.get("href", "")
            if heads.get(target) != link.text() or node.text("out") not in ("", losses.get(target)):
                yield f"A list on the page describes event {target[2:]} differently from its log."


def _get_closing_words(expected: ExpectedPage) -> str:
    """Return the text of the end of a game, or "" if it has not ended or has no such text."""
    end_number = 0
    for body in expected.bodies:
        if body["kind"] == "end" and body["number"] not in expected.undone:
            end_number = body["number"]
    if not end_number or not expected.game.get("ended"):
        return ""
    return " ".join(expected.texts.get((end_number, "text"), "").split())


def _list_entries(tree: _Node) -> Iterator[_Node]:
    """Yield the boxes in the lists of a page: the rare rolls, and what happened just now."""
    for selector in ("shots", "#p-now"):
        for part in tree.find_all(selector):
            yield from part.find_all("div")


def _split_words(words: str) -> set[str]:
    """Return the words of a state, without "and"."""
    return set(re.split(r"[^\w]+", words.replace("_", " "))) - {"", "and"}


def _fits(shown_words: set[str], state_words: set[str], lost: frozenset[str]) -> bool:
    """Return whether the shown words fit the state of a unit in the log.

    The words for a unit in good order may be missing, and further words such as wounds may be there,
    but not words of the `lost` states.
    """
    lost_words: set[str] = set()
    for lost_state in lost:
        lost_words |= _split_words(lost_state)
    unexplained_words = shown_words - state_words
    return state_words - _WELL <= shown_words and not unexplained_words & lost_words


_WELL = {"good", "order", "normal", "working", "ready", "operable", "sound", "none"}
