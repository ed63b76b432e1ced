"""The state of a log up to an event, for the checks of the next one."""

import json
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from bot.game.event_kinds import find_content_faults, shorten_value
from bot.game.events import apply
from bot.game.sides import Seats
from bot.game.state import Game
from bot.rules.proof.chain import to_canonical
from bot.rulesets.rule_sets import RuleSets

Event = Mapping[str, Any]
GameFields = Mapping[str, Any]
"""The fields of the game that an event changes, with their new values."""


@dataclass(slots=True)
class Past:
    """A log up to an event: the state of the game, the events, their authors, and sealed contents.

    Persons are ids. "Here" means since the last import, so on the host that wrote the rest.
    """

    game: Game
    contents: Mapping[int, Event]
    """The contents of sealed events that are in the file, by event."""
    systems: RuleSets
    """The rule sets here, with all packs of the file."""
    bodies: dict[int, Event] = field(default_factory=dict)
    """All events so far, by number."""
    authors: set[str] = field(default_factory=set)
    authors_here: set[str] = field(default_factory=set)
    """The authors since the last import. An account that claimed a person counts as that person."""
    authors_before: set[str] = field(default_factory=set)
    """The authors up to the last import."""
    claims: dict[str, str] = field(default_factory=dict)
    """The persons of an imported log, by the person under whom their account wrote before."""
    erased: set[str] = field(default_factory=set)
    """Persons who had their names and texts deleted."""
    erased_here: set[str] = field(default_factory=set)
    imported_at: int = 0
    """The last event that imported the log, 0 for none."""
    promised_at: int = 0
    """The event that promised the seed in force."""
    undone_by_agreement: dict[int, bool] = field(default_factory=dict)
    """Of each event that was undone, whether another player agreed to the last undo of it."""
    seats: Seats = field(default_factory=Seats)

    def get_patch(self, event: Event, name: str, part: str) -> Mapping[str, Any]:
        """Return a part of a patch (`units`, `game` or `cards`), {} if there is none.

        `name` is `before` or `after`.
        """
        patch: Mapping[str, Any] = event.get(name, {}).get(part, {})
        return patch

    def list_authors_until(self, number: int) -> set[str]:
        """Return the authors of the events up to and with this one."""
        return {event["who"] for event in self.bodies.values() if event["number"] <= number}

    def list_persons_of(self, author: str) -> set[str]:
        """Return a person, and the persons under whom the same account wrote before a claim."""
        claimants = {claimant for claimant, person in self.claims.items() if person == author}
        return {author, *claimants}

    def add(self, event: Event) -> None:
        """Add the next event. Raises ValueError if it does not follow the state."""
        self.game = apply(self.game, event)
        number = event["number"]
        kind = event["kind"]
        author = event["who"]
        self.bodies[number] = event
        self.seats.note(event)
        self.authors.add(author)
        if kind == "import":
            self.imported_at = number
            self.authors_here = set()
            self.erased_here = set()
            self.authors_before = set(self.authors)
        claimant = event.get("own", "")
        if claimant:  # the person under whom the same account wrote before
            self.authors_here.discard(claimant)
            self.claims[claimant] = author
        self.authors_here.add(author)
        if kind == "privacy":
            self.erased_here |= self.list_persons_of(author)
            self.erased |= self.erased_here
        if "commitment" in event.get("secret", {}):
            self.promised_at = number
        if kind == "undo":
            self.undone_by_agreement[event["event"]] = "asked" in event


def read_sealed_contents(
    texts: Mapping[int, str],
) -> tuple[dict[int, Event], list[tuple[int, str]]]:
    """Parse the contents of sealed events from their texts by event.

    Return the contents by event, and the faults as (event, fault). A content with a fault is left
    out.
    """
    contents = dict[int, Event]()
    faults = list[tuple[int, str]]()
    for number, text in texts.items():
        content = _parse_content(text)
        if content is None:
            faults.append((number, "what was sealed in it cannot be read."))
            continue
        content_faults = list(find_content_faults(content))
        faults += [(number, fault) for fault in content_faults]
        if not content_faults:
            contents[number] = content
    return contents, faults


def _parse_content(text: str) -> Event | None:
    """Parse the JSON object in a text. Return None unless it is in canonical form.

    Other JSON could be read in two ways.
    """
    try:
        content = json.loads(text)
        is_canonical = to_canonical(content) == text
    except (ValueError, TypeError, RecursionError):
        return None
    return content if is_canonical and isinstance(content, Mapping) else None


def find_missing_faults(
    past: Past, texts: AbstractSet[tuple[int, str]]
) -> Iterator[tuple[int, str]]:
    """Yield (event, fault) for each text that a whole log needs but the file does not hold.

    These are players' texts for the dice, and orders and sealed rolls that were opened. A text may
    be missing only if its author had their data deleted, or if an order or roll from before an
    import was opened after it. Otherwise a cheat could drop a text and put
    another in its place. `texts` are the (event, key) of the texts in the file.
    """
    imported_at = 0
    for number, event in past.bodies.items():
        if event["kind"] == "import":
            imported_at = number
        adds_text = "secret" in event and "text" in event.get("texts", {})
        if adds_text and (number, "text") not in texts and not _may_be_erased(past, number):
            yield (
                number,
                "its words for the dice are not in the file, though nobody had them deleted.",
            )
        for opened in _list_missing_contents(past, event, texts):
            if opened >= imported_at and not _may_be_erased(past, opened):
                yield (
                    number,
                    f"it opens #{opened}, which is not in the file, though nobody had it deleted.",
                )


def _list_missing_contents(
    past: Past, event: Event, texts: AbstractSet[tuple[int, str]]
) -> Iterator[int]:
    """Yield the sealed orders and rolls that an event opens without their texts in the file."""
    for order in event.get("reads", ()):
        keys = past.bodies.get(order, {}).get("texts", ())
        if not {(order, key) for key in keys} <= texts:
            yield order
    for roll in event.get("opens", ()):
        if roll not in past.contents:
            yield roll


def _may_be_erased(past: Past, number: int) -> bool:
    """Return whether the texts of an event may have been deleted for its author's privacy.

    Texts from before the last import may be, once any player had their data deleted.
    """
    if past.erased and number < past.imported_at:
        return True
    return past.bodies.get(number, {}).get("who") in past.erased


def find_words_problem(event: Event, words: str) -> str:
    """Return a fault if the result of an event is not `words`, the only right one; else ""."""
    if event["result"] == words:
        return ""
    return f"its words are not any that Grognard writes: {shorten_value(event['result'])}."
