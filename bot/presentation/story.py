"""The log as a story: by turn and phase, who did what to whom and what came of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.presentation.events import CARDS, QUIET, NameOf, describe_event, describe_turn_and_phase
from bot.ui.reply.reply import HURT

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoryLine:
    """One thing that happened: its number, its sentence, its dice; `grave`: somebody was hurt or
    lost, `undone`: it was taken back."""

    number: int
    sentence: str
    dice: str
    grave: bool
    undone: bool


@dataclass(slots=True)
class Chapter:
    """A phase of a turn, or a whole turn, with what happened in it; `heading` is empty before
    the first.
    """

    heading: str
    told: list[StoryLine] = field(default_factory=list)


def build_chapters(
    events: Iterable[Event],
    name_of: NameOf,
    texts: Mapping[int, str],
    sides: tuple[str, ...],
    undone: Iterable[int] = (),
    heading: str = "",
) -> list[Chapter]:
    """The chapters of `events`, which are in order; `texts` are those written with them, `heading`
    is where they begin.

    What is no part of a story is left out: settings, texts for the dice, who took what back."""
    gone = frozenset(undone)
    chapters = [Chapter(heading)]
    for event in events:
        where = describe_turn_and_phase(event)
        if event["kind"] != "next" and event["kind"] not in QUIET:
            chapters[-1].told.append(
                _build_story_line(event, name_of, texts, sides, undone=event["number"] in gone)
            )
        if where and event["number"] not in gone:
            chapters.append(Chapter(where))
    return [
        chapter
        for chapter in chapters
        if chapter.told or (chapter.heading and chapter is chapters[-1])
    ]


def _build_story_line(
    event: Event, name_of: NameOf, texts: Mapping[int, str], sides: tuple[str, ...], *, undone: bool
) -> StoryLine:
    found = describe_event(event, name_of, texts.get(event["number"], ""), sides)
    dice = "".join(
        f"[{die['value']}]" for die in event.get("dice", ())[:40] if event["kind"] not in CARDS
    )
    by_hand = " by hand" if event.get("hand") else ""
    return StoryLine(
        event["number"], found.sentence, f"{dice}{by_hand}", found.tone == HURT, undone
    )
