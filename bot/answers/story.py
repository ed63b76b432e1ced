"""The log as a story: by turn and phase, who did what to whom and what came of it; and as files have it."""

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bot.answers.events import CARDS, QUIET, NameOf, retold, where_of
from bot.game.events import ROLLS
from bot.game.state import Json
from bot.interface.reply.reply import HURT

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that happened: its number, its sentence, its dice; `grave`: somebody was hurt or lost, `undone`: it was
    taken back."""

    number: int
    sentence: str
    dice: str
    grave: bool
    undone: bool


@dataclass(slots=True)
class Chapter:
    """A phase of a turn, or a whole turn, with what happened in it; `heading` is empty before the first."""

    heading: str
    told: list[Told] = field(default_factory=list)


def story(
    events: Iterable[Event],
    name_of: NameOf,
    texts: Mapping[int, str],
    sides: tuple[str, ...],
    undone: Iterable[int] = (),
    heading: str = "",
) -> list[Chapter]:
    """The chapters of `events`, which are in order; `texts` are those written with them, `heading` is where they begin.

    What is no part of a story is left out: settings, texts for the dice, who took what back."""
    gone, chapters = frozenset(undone), [Chapter(heading)]
    for event in events:
        where = where_of(event)
        if event["kind"] != "next" and event["kind"] not in QUIET:
            chapters[-1].told.append(_told(event, name_of, texts, sides, undone=event["number"] in gone))
        if where and event["number"] not in gone:
            chapters.append(Chapter(where))
    return [chapter for chapter in chapters if chapter.told or (chapter.heading and chapter is chapters[-1])]


def _told(event: Event, name_of: NameOf, texts: Mapping[int, str], sides: tuple[str, ...], *, undone: bool) -> Told:
    found = retold(event, name_of, texts.get(event["number"], ""), sides)
    dice = "".join(f"[{die['value']}]" for die in event.get("dice", ())[:40] if event["kind"] not in CARDS)
    by_hand = " by hand" if event.get("hand") else ""
    return Told(event["number"], found.sentence, f"{dice}{by_hand}", found.tone == HURT, undone)


COLUMNS = ("event", "time", "who", "side", "kind", "command", "label", "inputs", "dice", "result", "told", "marks")


@dataclass(frozen=True, slots=True)
class Beside:
    """What has to be known beside some events to write them out: the names of persons, the sides of the game, the
    texts written with these events, which of them are undone, and what was sealed in those that are open now."""

    names: Mapping[str, str]
    sides: tuple[str, ...]
    texts: Mapping[int, str] = field(default_factory=dict)
    undone: Collection[int] = ()
    opened: Mapping[int, str] = field(default_factory=dict)

    def name_of(self, person: str) -> str:
        """The name of a person."""
        return self.names.get(person, "someone")


def csv_lines(bodies: Sequence[str], beside: Beside) -> str:
    """One line per roll, table and sequence; sealed ones once they have been opened."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for event in map(json.loads, bodies):
        number = event["number"]
        if is_sealed := number in beside.opened:
            event = {**event, **json.loads(beside.opened[number])}
        if event["kind"] in (*ROLLS, "choice"):
            writer.writerow(_row(event, beside, is_sealed=is_sealed))
    return out.getvalue()


def csv_head() -> str:
    """The line with the names of the columns."""
    return f"{','.join(COLUMNS)}\n"


def _row(event: Json, beside: Beside, *, is_sealed: bool) -> list[object]:
    number = event["number"]
    label = beside.texts.get(number, "")
    marked = {"hand": event.get("hand"), "undone": number in beside.undone, "sealed": is_sealed}
    marks = [word for word, is_set in marked.items() if is_set]
    typed = {**event.get("inputs", {}), **event.get("read", {})}
    inputs = " ".join(f"{key}={value}" for key, value in typed.items())
    dice = " ".join(str(die["value"]) for die in event.get("dice", ()))
    cells = [beside.name_of(event["who"]), event["side"], event["kind"], event.get("command", "choose"), label, inputs]
    result = str(event.get("result", ""))
    told = retold(event, beside.name_of, label, beside.sides).sentence
    return [number, time_text(event["at"]), *map(_cell, cells), dice, _cell(result), _cell(told), " ".join(marks)]


def _cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "@", "-", "\t") else text


def story_lines(bodies: Sequence[str], beside: Beside) -> str:
    """The story of some events as lines of Markdown, each with its line break; it goes on with the next events."""
    lines = []
    for chapter in story(map(json.loads, bodies), beside.name_of, beside.texts, beside.sides, beside.undone):
        lines += ["", f"## {plain(chapter.heading)}", ""] if chapter.heading else []
        for told in chapter.told:
            sentence = plain(told.sentence)
            said = f"~~{sentence}~~ (undone)" if told.undone else f"**{sentence}**" if told.grave else sentence
            lines.append(f"- #{told.number} {said}{f' {plain(told.dice)}' if told.dice else ''}")
    return "".join(f"{line}\n" for line in lines)


def plain(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", text)


def time_text(at: int) -> str:
    """A time as files have it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
