"""What is known of a log up to an event, for whoever checks whether the next one follows."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.game.event_kinds import find_content_faults, shorten_value
from bot.game.events import apply
from bot.game.sides import Seats
from bot.game.state import Game
from bot.rules.proof.chain import to_canonical

Event = Mapping[str, Any]
Said = Mapping[str, Any]
"""What an event says that fields of the game are from then on."""


@dataclass(slots=True)
class Past:
    """What is known of a log so far: the state it led to, its events, what was sealed in them,
    who acted.
    """

    now: Game
    contents: Mapping[int, Event]  # of the sealed events whose content is in the file
    bodies: dict[int, Event] = field(default_factory=dict)
    acted: set[str] = field(default_factory=set)
    # one for each account, since the log was last imported
    acted_here: set[str] = field(default_factory=set)
    acted_before: set[str] = field(default_factory=set)  # up to there
    # as whom somebody went on, by who they were before
    claimed: dict[str, str] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)  # their names and texts were deleted
    left_here: set[str] = field(default_factory=set)  # since the log was last imported
    imported_at: int = 0  # the last event that imported it
    promised: int = 0  # the event that promised the seed in force
    # of what was undone: whether by agreement
    agreed: dict[int, bool] = field(default_factory=dict)
    seats: Seats = field(default_factory=Seats)

    def get_patch(self, event: Event, name: str, part: str) -> Mapping[str, Any]:
        """One part of what an event says was there before or after."""
        found: Mapping[str, Any] = event.get(name, {}).get(part, {})
        return found

    def add(self, event: Event) -> None:
        """Move on behind an event. Raises ValueError for one that does not follow."""
        self.now = apply(self.now, event)
        number = event["number"]
        kind = event["kind"]
        who = event["who"]
        self.bodies[number] = event
        self.seats.note(event)
        self.acted.add(who)
        if kind == "import":
            self.imported_at, self.acted_here, self.left_here = number, set(), set()
            self.acted_before = set(self.acted)
        if own := event.get("own", ""):  # the same account as who claims
            self.acted_here.discard(own)
            self.claimed[own] = who
        self.acted_here.add(who)
        if kind == "privacy":
            self.left_here |= {who, *(own for own, by in self.claimed.items() if by == who)}
            self.left |= self.left_here
        if "commitment" in event.get("secret", {}):
            self.promised = number
        if kind == "undo":
            self.agreed[event["event"]] = "asked" in event


def read_sealed_contents(
    texts: Mapping[int, str],
) -> tuple[dict[int, Event], list[tuple[int, str]]]:
    """What was sealed, by event, read from its text; and what is wrong with it."""
    contents = dict[int, Event]()
    faults = list[tuple[int, str]]()
    for number, text in texts.items():
        try:
            found = json.loads(text)
            is_plain = to_canonical(found) == text  # else it could be read in two ways
        except (ValueError, TypeError, RecursionError):
            is_plain = False
        if not is_plain or not isinstance(found, Mapping):
            faults.append((number, "what was sealed in it cannot be read."))
            continue
        wrong = list(find_content_faults(found))
        faults += [(number, line) for line in wrong]
        if not wrong:
            contents[number] = found
    return contents, faults


def find_missing_faults(
    past: Past, texts: Collection[tuple[int, str]]
) -> Iterator[tuple[int, str]]:
    """Behind the last event: what the file has to hold, but does not, though nobody had their texts
    deleted.

    `texts` are (event, key) of those that it holds. Else a cheat would drop a text, and put another
    in its place.
    """
    imported = 0

    def is_deleted(number: int) -> bool:
        return (
            bool(past.left and number < past.imported_at)
            or past.bodies.get(number, {}).get("who") in past.left
        )

    for number, event in past.bodies.items():
        imported = number if event["kind"] == "import" else imported
        added = "secret" in event and "text" in event.get("texts", {})
        if added and (number, "text") not in texts and not is_deleted(number):
            yield number, "its text for the dice is not in the file, though nobody had it deleted."
        for read in event.get("reads", ()):
            wanted = {(read, key) for key in past.bodies.get(read, {}).get("texts", ())}
            if not (wanted <= set(texts) or read < imported or is_deleted(read)):
                yield (
                    number,
                    f"it opens #{read}, which is not in the file, though nobody had it deleted.",
                )
        for opened in event.get("opens", ()):
            stayed = opened < imported  # the content is where it was rolled
            if not (opened in past.contents or stayed or is_deleted(opened)):
                yield (
                    number,
                    f"it opens #{opened}, which is not in the file, though nobody had it deleted.",
                )


def find_words_problem(event: Event, words: str) -> str:
    """What is wrong with the words of an event that can be only these."""
    return (
        ""
        if event["result"] == words
        else f"its words are none that Grognard writes: {shorten_value(event['result'])}."
    )
