"""The log as a story: one chapter for each turn and phase, one sentence for each event."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.presentation.events import (
    QUIET,
    NameOf,
    describe_event,
    describe_turn_and_phase,
    format_dice,
)
from bot.rulesets.rule_sets import RuleSets
from bot.ui.reply.reply import HURT

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoryLine:
    """One event of the story: its number, sentence and dice.

    `grave`: a unit was hurt or lost. `undone`: the event was undone.
    """

    number: int
    sentence: str
    dice: str
    grave: bool
    undone: bool


@dataclass(slots=True)
class Chapter:
    """A phase of a turn, or a whole turn, with its events; `heading` is empty before the first."""

    heading: str
    told: list[StoryLine] = field(default_factory=list)


def build_chapters(
    events: Iterable[Event],
    systems: RuleSets,
    name_of: NameOf,
    texts: Mapping[int, str],
    sides: tuple[str, ...],
    undone: Iterable[int] = (),
    heading: str = "",
) -> list[Chapter]:
    """Build the chapters of `events`, which are in order: each turn and phase begins one. Chapters
    without a line are left out, except the last one if it has a heading.

    `texts` are the texts written with events, by event number. `heading` is that of the first
    chapter. Events in `undone` are marked so, and begin no chapter. Settings, undos and other
    events that are no part of a story are left out.
    """
    undone_numbers = frozenset(undone)
    chapters = [Chapter(heading)]
    for event in events:
        turn_and_phase = describe_turn_and_phase(event)
        is_undone = event["number"] in undone_numbers
        if event["kind"] != "next" and event["kind"] not in QUIET:
            line = _build_story_line(event, systems, name_of, texts, sides, undone=is_undone)
            chapters[-1].told.append(line)
        if turn_and_phase and not is_undone:
            chapters.append(Chapter(turn_and_phase))
    return [
        chapter
        for chapter in chapters
        if chapter.told or (chapter.heading and chapter is chapters[-1])
    ]


def _build_story_line(
    event: Event,
    systems: RuleSets,
    name_of: NameOf,
    texts: Mapping[int, str],
    sides: tuple[str, ...],
    *,
    undone: bool,
) -> StoryLine:
    """Return an event as a line of the story, with at most 40 of its dice; events about cards
    without any. `texts` has the text shown with each event.
    """
    text = describe_event(event, systems, name_of, texts.get(event["number"], ""), sides)
    dice = format_dice(event, systems)
    if event.get("hand"):
        dice += " by hand"
    return StoryLine(event["number"], text.sentence, dice, text.tone == HURT, undone)
