"""What an after-action page shows, held against the log inside it: rows, head sentence, rosters and
losses.

The log was checked before. A first line whose hash is in its event is proved to the letter; of an
event from before that there are its dice, its stored result and the states that it led to. Names of
persons are those in the file.
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
    def __init__(self, tag: str, attrs: dict[str, str]) -> None:
        self.tag, self.attrs, self.inside = tag, attrs, list[Any]()

    def find_all(self, what: str) -> Iterator[_Node]:
        """The nodes inside with this class, tag or `#id`, in order."""
        for one in self.inside:
            if isinstance(one, _Node):
                names = (
                    one.tag,
                    "#" + one.attrs.get("id", ""),
                    *one.attrs.get("class", "").split(),
                )
                if what in names:
                    yield one
                yield from one.find_all(what)

    def text(self, what: str = "") -> str:
        """The words inside, or inside the nodes called so."""
        if what:
            return "|".join(one.text() for one in self.find_all(what))
        return " ".join(self.raw().split())

    def raw(self) -> str:
        """The text inside, as it is."""
        return "".join(one.raw() if isinstance(one, _Node) else one for one in self.inside)


class _PageReader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open = [_Node("", {})]
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = _Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].inside.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if any(node.tag == tag for node in self.open[1:]):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


class ExpectedPage:
    """What a page of a log has to show; `lost` are the states in which a unit is out of the
    game.
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
        self.ends: list[tuple[int, dict[str, Any]]] = []
        self.held: list[tuple[int, dict[str, int]]] = []
        self.tracks: dict[int, dict[str, Any]] = {}
        for body in self.bodies:
            after = body.get("after") or {}
            self.units |= after.get("units") or {}
            self.first = {
                **{key: unit for key, unit in (after.get("units") or {}).items() if unit},
                **self.first,
            }
            self.game |= after.get("game") or {}
            turn = self.game.get("turn", 0)
            self.cards |= after.get("cards") or {}
            at = -1 if self.ends and self.ends[-1][0] == turn else len(self.ends)
            held = dict.fromkeys(self.held[-1][1] if self.held else (), 0) | count_all_hand_cards(
                self.cards
            )
            self.ends[at:], self.held[at:] = [(turn, dict(self.units))], [(turn, held)]
            self.tracks[turn] = dict(self.game.get("tracks") or {})
        declared = ((body.get("after") or {}).get("game") or {} for body in self.bodies)
        self.sides = next((list(game["sides"]) for game in declared if game.get("sides")), [])
        self.sides = self.sides or sorted(
            {unit.get("side", "") for unit in self.units.values() if unit} - {""}
        )

    def get_first_line(self, body: Json, shown: str) -> str | None:
        """What the row of an event has to begin with; None where nothing proves its words."""
        if SAID not in body:
            return None
        words = self.texts.get((body["number"], SAID))
        if words is None:  # not in the file: what is shown has to be it, as far as no name is in it
            return shown if hash_first_line(shown) == body[SAID] else ""
        name = self.names.get
        text = self.texts.get
        return " ".join(
            fill_marks(
                words, lambda who: name(who, SOMEONE), lambda at, key: text((at, key), DELETED)
            ).split()
        )

    def build_row(self, body: Json, shown: str) -> dict[str, Any]:
        """The parts of an event's row; those that nothing proves are missing."""
        at = body["number"]
        opened = self.texts.get((body["number"], "sealed"))
        held = {**body, **json.loads(opened)} if opened else body
        dice = [str(die["value"]) for die in held.get("dice") or ()]
        tags = ["taken back"] * (at in self.undone) + ["real dice"] * bool(held.get("hand"))
        tags += ["sealed"] * ("sealed" in body)
        tags += ["loss"] * (at not in self.undone and bool(self.list_lost_units(held)))
        parts: dict[str, Any] = {
            "no": f"#{at}",
            "sd": held.get("side", ""),
            "who": self.names.get(held["who"], SOMEONE),
            "tag": "|".join(tags),
            "dice": ["dice", *dice[:MOST_DICE], *(["…"] if dice[MOST_DICE:] else [])]
            if dice
            else [],
        }
        line = self.get_first_line(body, shown)
        return parts | (
            {"log": format_logged_result(held, self.sides)}
            if line is None
            else {"line": line, "log": ""}
        )

    def list_lost_units(self, body: Json) -> list[str]:
        """Who is out of the game by it."""
        parts = ("before", "after") if body["kind"] in ("sequence", "roll", "reveal") else ("", "")
        before, after = ((body.get(part) or {}).get("units") or {} for part in parts)
        return [unit["name"] for key, unit in after.items()
                if unit and before.get(key) and self.is_out(unit) and not self.is_out(before[key])]  # fmt: skip

    def is_out(self, unit: Json | None) -> bool:
        """Return whether a unit is out of the game."""
        return unit is None or unit.get("state", "") in self.lost

    def count_units(self, side: str) -> tuple[int, int]:
        """(lost, all) units of a side."""
        own = [unit for unit in self.units.values() if unit and unit.get("side", "") == side]
        return sum(map(self.is_out, own)), len(own)

    def build_sentence_pattern(self) -> str:
        """The sentence at the head, as a pattern: the name of a phase is not in the log."""
        winner = self.game.get("winner")
        turn = self.game.get("turn", 0)
        won = "A draw. " if winner == "draw" else f"{winner} won. " if winner else ""
        where = (
            f"Ended in turn {turn}"
            if self.game.get("ended")
            else f"Turn {turn}, \0"
            if turn
            else "Free play"
        )
        counts = [(side, *self.count_units(side)) for side in self.sides]
        lost = ", ".join(
            f"{side} lost {gone or 'none'} of {every} units"
            for side, gone, every in counts
            if every
        )
        return re.escape(f"{won}{where}. {lost}." if lost else f"{won}{where}.").replace(
            "\0", "[^.]*"
        )

    def list_losses(self) -> list[list[str]]:
        """Who was lost in each turn, by side."""
        found = []
        earlier = dict[str, Any]()
        for turn, end in self.ends:
            rows = [[unit["name"] for key, unit in end.items() if unit and unit.get("side", "") == side
                     and self.is_out(unit) and not self.is_out(earlier.get(key, self.first[key]))]
                    for side in self.sides]  # fmt: skip
            earlier = end
            if turn:
                found.append([", ".join(names) for names in rows])
        return found

    def list_hand_sizes(self) -> list[list[str]]:
        """Return how many cards were in each hand at the end of each turn; of a game without turns
        now.
        """
        told = [held for at, held in self.held if at] or [held for _, held in self.held[-1:]]
        seats = sorted({*chain.from_iterable(held for _, held in self.held)})
        return [[str(held.get(seat, 0)) for seat in seats] for held in told]


def format_logged_result(body: Json, sides: list[str]) -> str:
    """What an event from before answers were kept has in the log: its result, and the states
    that it led to.
    """
    before, after = ((body.get(part) or {}).get("units") or {} for part in ("before", "after"))
    states = [
        f"{unit['name']}: {unit.get('state') or 'no state'}"
        for key, unit in sorted(after.items())
        if unit and before.get(key) and before[key].get("state") != unit.get("state")
    ]
    result = insert_sides(" ".join(str(body.get("result", "")).split()), tuple(sides))
    return "; ".join([*([f"as logged: {result}"] if result else []), *states])


def find_page_faults(page: str, log: Json, lost: frozenset[str]) -> tuple[list[str], list[int]]:
    """Compare what the page shows with its log.

    Returns a line for each difference, and the events whose sentences nothing proves.
    """
    tree = _PageReader(page).open[0]
    due = ExpectedPage(log, lost)
    faults = []
    unproved = []
    rows = list(tree.find_all("ev"))
    made = _FACTS.search(page)
    if [row.attrs.get("id") for row in rows] != [f"e{body['number']}" for body in due.bodies]:
        faults.append("The page shows other events than its log has.")
    for node, body in zip(rows, due.bodies, strict=False):
        summary = next(node.find_all("summary"), node)
        line = " · ".join(filter(None, (summary.text("res"), summary.text("by"))))
        want = due.build_row(body, line)
        have: dict[str, Any] = {
            name: summary.text(name) for name in ("no", "sd", "who", "tag", "log")
        }
        have |= {
            "line": line,
            "dice": [word for one in summary.find_all("dice") for word in one.text().split()],
        }
        if wrong := [name for name, value in want.items() if have[name] != value]:
            faults.append(
                f"Event {body['number']}: the page shows something else than its log ({_WORDS[wrong[0]]})."
            )
        if "line" not in want:
            unproved.append(body["number"])
    faults += [*_find_head_faults(tree, due), *_find_list_faults(tree, due)]
    facts = "".join(one.raw() for one in tree.find_all("#facts")).strip()
    if made is None or sha256(facts.encode()).hexdigest() != made[1]:
        faults.append("The odds and traces in the page are not those that it was made with.")
    return faults, unproved


_WORDS = {"no": "its number", "sd": "its side", "who": "who did it", "tag": "its marks", "dice": "its dice",
          "log": "its result", "line": "its words"}  # fmt: skip


def _find_score_faults(tree: _Node, due: ExpectedPage) -> Iterator[str]:
    """Yield what is wrong with tracks that are the score. A track that the log has not changed yet
    is as its game's files say.
    """
    for node in tree.find_all("points"):
        side = node.attrs.get("data-side", "")
        value = (due.game.get("tracks") or {}).get(f"{side}/{node.attrs.get('data-track')}")
        if value is not None and not node.text().endswith(f": {value}"):
            yield f"The score of {side} in the page is not that of its log."
    turns = [turn for turn in due.tracks if turn]
    for table in tree.find_all("scores"):
        rows = [row for row in table.find_all("tr") if any(row.find_all("td"))]
        is_right = len(rows) == len(turns)
        for row, turn in zip(rows, turns, strict=False):
            for cell in row.find_all("td"):
                key = f"{cell.attrs.get('data-side')}/{table.attrs.get('data-track')}"
                value = due.tracks[turn].get(key)
                shown = cell.text().replace("\u2212", "-")
                is_right = is_right and (value is None or shown == str(value))
        if not is_right:
            yield "The score by turn in the page is not that of its log."


def _find_head_faults(tree: _Node, due: ExpectedPage) -> Iterator[str]:
    if tree.text("h1") != (" ".join(due.game.get("name", "").split()) or "Free play"):
        yield "The page shows another name of the game than its log."
    if not re.fullmatch(due.build_sentence_pattern(), tree.text("#sum")):
        yield "The sentence at the head of the page is not what its log comes to."
    counts = {side: due.count_units(side) for side in due.sides}
    for node in tree.find_all("left"):
        gone, every = counts.get(node.attrs.get("data-side", ""), (0, 0))
        if node.text().split() != f"{every - gone} of {every} units left".split():
            yield f"The page counts the units of {node.attrs.get('data-side')} otherwise than its log."
    cells = [
        [cell.text() for cell in row.find_all("td")]
        for one in tree.find_all("losses")
        for row in one.find_all("tr")
    ]
    shown = [["" if cell == "none" or cell.startswith("hurt: ") else cell.partition("; hurt: ")[0] for cell in row]
             for row in cells if row]  # fmt: skip
    if shown and shown != due.list_losses():
        yield "The losses by turn in the page are not those of its log."
    hands = [
        [cell.text() for cell in row.find_all("td")]
        for one in tree.find_all("hands")
        for row in one.find_all("tr")
    ]
    if hands and hands[1:] != due.list_hand_sizes():
        yield "The sizes of hands in the page are not those of its log."
    yield from _find_score_faults(tree, due)
    for node in (one for part in tree.find_all("rosters") for one in part.find_all("li")):
        unit = due.units.get(node.attrs.get("data-key", ""))
        state = _split_words(unit.get("state", "")) if unit else set()
        if unit and (
            node.text("nm") != unit["name"]
            or not _fits(_split_words(node.text("st")), state, due.lost)
        ):
            yield f"The roster in the page shows {unit['name']} otherwise than its log."


def _find_list_faults(tree: _Node, due: ExpectedPage) -> Iterator[str]:
    ends = [
        body["number"]
        for body in due.bodies
        if body["kind"] == "end" and body["number"] not in due.undone
    ]
    words = due.texts.get((ends[-1], "text"), "") if ends and due.game.get("ended") else ""
    if tree.text("closing") != (f"“{' '.join(words.split())}”" if words else ""):
        yield "The closing words in the page are not those of its log."
    heads = {"#" + row.attrs.get("id", ""): row.text("res") for row in tree.find_all("ev")}
    taken = {f"#e{body['number']}": ", ".join(due.list_lost_units(body)) for body in due.bodies}
    for node in (
        one
        for part in ("shots", "#p-now")
        for place in tree.find_all(part)
        for one in place.find_all("div")
    ):
        for link in (one for one in node.inside if isinstance(one, _Node) and one.tag == "a"):
            at = link.attrs.get("href", "")
            if heads.get(at) != link.text() or node.text("out") not in ("", taken.get(at)):
                yield f"A list of the page tells event {at[2:]} otherwise than its log."


def _split_words(words: str) -> set[str]:
    return set(re.split(r"[^\w]+", words.replace("_", " "))) - {"", "and"}


def _fits(shown: set[str], state: set[str], lost: frozenset[str]) -> bool:
    """Return whether these words tell the state of a unit. One that is well may have none; wounds
    that are numbers may be told beside it, but nothing may put it out of the game.
    """
    return state - _WELL <= shown and not (shown - state) & {
        word for one in lost for word in _split_words(one)
    }


_WELL = {"good", "order", "normal", "working", "ready", "operable", "sound", "none"}
