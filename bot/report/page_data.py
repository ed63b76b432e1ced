"""A game read once from its export, with everything that a page shows of it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bot.game.decks import describe_card_counts, format_card_counts, list_open_cards
from bot.game.events import COMBAT, find_undone_events
from bot.game.losses import Losses, count_losses
from bot.game.luck import NO_SIDE
from bot.game.phases import describe_whose_go
from bot.game.sides import format_possessive
from bot.game.state import DRAW, Game, Json, unit_from_json
from bot.presentation.events import (
    CARDS,
    TEXTS,
    describe_event,
    describe_initiative,
    get_event_title,
    list_track_changes,
)
from bot.report.event_odds import list_sides
from bot.report.luck import Course, RareRoll, compute_luck, find_rarest_rolls
from bot.report.units import HURT, LOST, build_counter, list_unit_changes
from bot.rules import cards
from bot.rules.inputs.decks import list_faces
from bot.rules.inputs.tracks import Track
from bot.rules.proof.chain import DELETED, SAID, fill_marks
from bot.rules.text.names import insert_sides
from bot.rulesets.catalog import get_systems
from bot.rulesets.system import System
from bot.verification.check_page import format_logged_result
from bot.verification.follows.cards import list_closed_hands

FILTERS = {
    **dict.fromkeys(COMBAT, "combat"),
    **dict.fromkeys(("roll", "table", "sealed", "reveal"), "rolls"),
    **dict.fromkeys(CARDS, "cards"),
    "unit": "units",
}
"""Under which kind a reader finds an event; everything else is about the game."""
MOST_DECIDED = 3
MANY = 400
"""Events from which all turns but the last are folded."""
MANY_BEFORE = 6
"""Events before the first roll from which they are folded."""


@dataclass(slots=True)
class LogRow:
    """One event of the log."""

    number: int
    kind: str
    filter: str
    side: str
    who: str
    head: str
    what: str
    dice: list[tuple[object, int]]  # value, sides
    hand: bool
    sealed: bool
    undone: bool
    units: list[str]
    full: str  # its results with all names, where its first line only counts them
    logged: str  # what the log has of an event that does not keep its first line
    lines: list[Json]
    luck: Json
    weight: str  # "lost", "hurt" or nothing
    taken: list[str]  # who left the fight


@dataclass(slots=True)
class Loss:
    """What a side lost in a turn, by name."""

    gone: list[str]
    hurt: list[str]


@dataclass(slots=True)
class Phase:
    """A phase and its events."""

    title: str
    rows: list[LogRow] = field(default_factory=list)


@dataclass(slots=True)
class Turn:
    """A turn: its phases, what each side lost in it, and the units, the sizes of hands and the
    tracks at its end.
    """

    number: int
    phases: list[Phase] = field(default_factory=list)
    losses: dict[str, Loss] = field(default_factory=dict)
    end: dict[str, Json | None] = field(default_factory=dict)
    hands: dict[str, int] = field(default_factory=dict)
    tracks: Json = field(default_factory=dict)


class Story:
    """An export read from its first event to its last."""

    def __init__(self, export: Json, facts: Mapping[int, Json]) -> None:
        self.export = export
        self.facts = facts
        self.names: dict[str, str] = {
            row["person"]: row["name"] for row in export.get("persons", ())
        }
        self.texts: dict[int, dict[str, str]] = {}
        for row in export.get("texts", ()):
            self.texts.setdefault(row["event"], {})[row["key"]] = row["text"]
        self.game: Json = {}
        self.units: dict[str, Json | None] = {}
        self.cards: dict[str, int] = {}
        self.seats: list[str] = []
        self.moved: set[int] = set()
        self.first: dict[str, Json] = {}
        self.counters: dict[int, dict[str, Json]] = {}
        self.changes: dict[int, list[str]] = {}
        self.rows: list[LogRow] = []
        self.turns: list[Turn] = []
        self.undone = find_undone_events([event["body"] for event in export["events"]])
        self.system: System | None = get_systems().get(
            str(export.get("system") or _get_system_id(export))
        )
        self.phase_titles = {
            p["name"]: p.get("title", p["name"]) for p in self._get_system_words("phases")
        }
        self.sides = list_sides(export)
        self._read_events()
        if not self.sides:
            self.sides = sorted(
                {str(unit.get("side") or "") for unit in self.first.values()} - {""}
            )
        self._count_losses()
        self.luck: dict[str, Course] = {
            whose: compute_luck(self.rows, whose) for whose in self._list_luck_owners()
        }

    def _get_system_words(self, key: str) -> list[Any]:
        return list(self.system.game.get(key) or ()) if self.system is not None else []

    def name_of(self, person: str) -> str:
        """The name of a person of the log."""
        return self.names.get(person, "someone")

    def _read_events(self) -> None:
        for event in self.export["events"]:
            body = event["body"]
            after = body.get("after") or {}
            for key, unit in (after.get("units") or {}).items():
                self.units[key] = unit
                if unit:
                    drawn = build_counter(unit, self.first.setdefault(key, unit), self.system)
                    self.counters.setdefault(body["number"], {})[key] = drawn
            if body["kind"] != "start" and (
                changed := [*list_unit_changes(body, self.system), *list_track_changes(body)]
            ):
                self.changes[body["number"]] = changed
            fresh = after.get("game") or {}
            before = self.game.get("turn", 0)
            self.game |= fresh
            self._begin_turn_or_phase(before, fresh, body["kind"])
            if moved := after.get("cards"):
                self.cards |= moved
                self.moved |= {body["number"]} if body["kind"] not in ("undo", "redo") else set()
                self.seats = sorted({*self.seats, *cards.count_all_hand_cards(self.cards)})
            row = self._build_row(body)
            self.rows.append(row)
            self.turns[-1].phases[-1].rows.append(row)
        if self.turns:
            self._end_turn()
            self._separate_setup(self.turns[0], self.turns[0].phases[0].rows)

    def _end_turn(self) -> None:
        turn = self.turns[-1]
        turn.end = dict(self.units)
        turn.hands = cards.count_all_hand_cards(self.cards)
        turn.tracks = dict(self.game.get("tracks") or {})

    def _separate_setup(self, first: Turn, rows: list[LogRow]) -> None:
        """What came before the first roll or phase as a block of its own: a reader comes for the
        fight.
        """
        done = next(
            (at for at, row in enumerate(rows) if row.dice or row.sealed or row.kind == "next"),
            len(rows),
        )
        if first.number and done > MANY_BEFORE and len(first.phases) + len(rows) > 1 + done:
            first.phases[0].rows = rows[done:]
            first.phases = [phase for phase in first.phases if phase.rows]
            self.turns.insert(0, Turn(0, [Phase("Setting up", rows[:done])]))

    def _begin_turn_or_phase(self, turn_before: int, fresh: Json, kind: str) -> None:
        """Begin the turn and the phase that an event leads to."""
        turn = self.game.get("turn", 0)
        if not self.turns or turn != turn_before:
            if self.turns:
                self._end_turn()
            self.turns.append(Turn(turn))
        is_new = ("phase" in fresh or "turn_of" in fresh) and kind in (
            "start",
            "next",
            "pass",
            "undo",
            "redo",
        )
        if not self.turns[-1].phases or is_new:
            self.turns[-1].phases.append(Phase(self.phase_title()))

    def phase_title(self) -> str:
        """The present phase in words."""
        name = str(self.game.get("phase") or "")
        title = self.phase_titles.get(name, name.replace("-", " ").capitalize()) or "Play"
        return f"{self.game['turn_of']}: {title}" if self.game.get("turn_of") else title

    def _build_row(self, body: Json) -> LogRow:
        number = body["number"]
        sealed = "sealed" in body
        texts = self.texts.get(number, {})
        if "sealed" in texts:
            body = {**body, **json.loads(texts["sealed"])}
        facts = self.facts.get(number, {})
        first = self._build_first_line(texts)
        head, what = self._describe_event(body, facts)
        full = texts.get("text", "")
        logged = "" if first else format_logged_result(body, self.sides)
        if first:
            full = (
                head
                if head.startswith(title := first.partition(" · ")[0]) and head != title
                else full
            )
            head, _, what = first.rpartition(" · ") if " · " in first else (first, "", "")
        after = (body.get("after") or {}).get("units") or {}
        used = [unit["name"] for unit in body.get("used") or ()]
        weight, taken = self._find_harm(body)
        touched = [unit["name"] if unit else key for key, unit in after.items()]
        return LogRow(
            number=number,
            kind=body["kind"],
            filter=FILTERS.get(body["kind"], "game"),
            side=body.get("side", ""),
            who=self.name_of(body["who"]),
            head=head,
            what=what,
            dice=[
                (shows, die["sides"])
                for shows, die in zip(list_faces(body), body.get("dice") or (), strict=True)
            ],
            hand=bool(body.get("hand")),
            sealed=sealed,
            undone=number in self.undone,
            units=list(dict.fromkeys([*used, *touched])),
            full=full,
            logged=logged,
            lines=facts.get("lines") or [],
            luck=facts.get("luck") or {},
            weight=weight,
            taken=taken,
        )

    def _describe_event(self, body: Json, facts: Json) -> tuple[str, str]:
        """The news of an event and what it was, where the log does not keep its first line: (`Squad
        4 is eliminated`, `PT-76 fires`)."""
        if "told" in facts:
            return describe_initiative(
                body, insert_sides(facts["told"], tuple(self.sides)), tuple(self.sides)
            ), facts["by"]
        text = self.texts.get(body["number"], {}).get(TEXTS.get(body["kind"], "label"), "")
        found = describe_event(body, self.name_of, text, tuple(self.sides))
        if found.acts:
            return found.sentence, facts.get("title") or get_event_title(body)
        return found.title, found.by.removeprefix(self.name_of(body["who"])).lstrip(", ")

    def _build_first_line(self, texts: Mapping[str, str]) -> str:
        """The first line of the answer, with today's names; nothing where the log does not keep
        it.
        """
        deleted = fill_marks(
            texts.get(SAID, ""),
            self.name_of,
            lambda at, key: self.texts.get(at, {}).get(key, DELETED),
        )
        return " ".join(deleted.split())

    def _find_harm(self, body: Json) -> tuple[str, list[str]]:
        """How heavy a result is, "lost", "hurt" or nothing, and who left the fight by it."""
        if body["kind"] not in (*COMBAT, "roll", "reveal"):
            return "", []
        before, after = ((body.get(name) or {}).get("units") or {} for name in ("before", "after"))
        found = ""
        taken = []
        for key, unit in after.items():
            was = before.get(key)
            if unit and was and self._get_unit_status(unit, was) != self._get_unit_status(was, was):
                found = "hurt"
                if self._get_unit_status(unit, was) == LOST:
                    taken.append(unit["name"])
        return ("lost" if taken else found), taken

    def _count_losses(self) -> None:
        """Differences between the ends of turns, so that undo needs no special case."""
        earlier: dict[str, Json | None] = {}
        for turn in self.turns:
            for side in self.sides:
                turn.losses[side] = self._compute_loss(side, earlier, turn.end)
            earlier = turn.end

    def _compute_loss(
        self, side: str, earlier: Mapping[str, Json | None], now: Mapping[str, Json | None]
    ) -> Loss:
        found = Loss([], [])
        for key, unit in now.items():
            first = self.first.get(key)
            if first is None or ((unit or first).get("side") or "") != side:
                continue
            was = earlier.get(key, first)
            now_is = self._get_unit_status(unit, first)
            was_is = self._get_unit_status(was, first)
            if unit is not None and now_is != was_is:
                found.gone += [unit["name"]] if now_is == LOST else []
                found.hurt += [unit["name"]] if now_is == HURT else []
        return found

    def _get_unit_status(self, unit: Json | None, first: Json) -> str:
        return (
            str(build_counter(unit, first, self.system)["standing"]) if unit is not None else LOST
        )

    def drawn(self, key: str) -> tuple[Json, Json]:
        """A unit as it is now, and as it came into the game."""
        first = self.first[key]
        return build_counter(self.units[key] or first, first, self.system), build_counter(
            first, first, self.system
        )

    def _list_luck_owners(self) -> list[str]:
        """List whose luck is counted: the sides, and whoever else a roll counts for, as in free
        play.
        """
        counted = {row.luck["side"] for row in self.rows if row.luck}
        sides = list_sides(self.export)
        return [*sides, *sorted(counted - {*sides}, key=self.who_is)]

    def who_is(self, whose: str) -> str:
        """Return the name of a side, or in free play of the person who rolled."""
        if not whose:
            return NO_SIDE
        return whose if whose in self.sides else self.name_of(whose)

    def shade(self, side: str) -> str:
        """The class of what is in the colours of a side."""
        return f"side-{self.sides.index(side) % 4}" if side in self.sides else "side-x"

    def losses_of(self, side: str) -> Losses:
        """Count the losses of a side so far."""
        units = [
            unit_from_json(unit) for unit in self.units.values() if unit and _get_side(unit) == side
        ]
        types = {key: unit["type"] for key, unit in self.first.items()}
        return count_losses(units, types, self.system)

    def left(self, side: str) -> str:
        """Return `5 of 8`: the units of a side that have not left the fight."""
        losses = self.losses_of(side)
        return f"{losses.total - len(losses.lost)} of {losses.total}"

    def players(self, side: str) -> list[str]:
        """Who plays it."""
        return [
            self.name_of(who)
            for who, theirs in (self.game.get("players") or {}).items()
            if theirs == side
        ]

    def headline(self) -> str:
        """`US won. Ended in turn 6. US lost 3 of 8 units, NVA lost 8 of 8 units.`"""
        turn = self.game.get("turn", 0)
        winner = self.game.get("winner")
        parts = []
        for side in self.sides:
            losses = self.losses_of(side)
            if losses.total:
                parts.append(f"{side} lost {len(losses.lost) or 'none'} of {losses.total} units")
        where = f"Turn {turn}, {self.phase_title()}" if turn else "Free play"
        if self.game.get("ended"):
            where = f"Ended in turn {turn}"
        won = "A draw. " if winner == DRAW else f"{winner} won. " if winner else ""
        return f"{won}{where}. {', '.join(parts)}." if parts else f"{won}{where}."

    def whose_go(self) -> str:
        """Return `US to play`, or where the game is when that is nobody's in particular."""
        go = tuple(self.game.get("go") or ())
        sides = tuple(self.game.get("sides") or ())
        return (
            describe_whose_go(replace(Game(""), go=go, sides=sides, led=self.game.get("led", "")))
            or self.phase_title()
        )

    def closing(self) -> str:
        """The words that the game ended with, "" for none."""
        ends = (row.number for row in reversed(self.rows) if row.kind == "end" and not row.undone)
        return self.texts.get(next(ends, 0), {}).get("text", "") if self.game.get("ended") else ""

    def turning_points(self) -> list[LogRow]:
        """What decided the game: the events that took most units out of the fight, then those
        worth most.
        """
        lost = [row for row in self.rows if row.taken and not row.undone]
        most = sorted(lost, key=lambda row: (-len(row.taken), -row.luck.get("got", 0)))[
            :MOST_DECIDED
        ]
        return sorted(most, key=lambda row: row.number)

    def shots(self) -> tuple[list[RareRoll], list[RareRoll]]:
        """The least likely successes and the least likely failures."""
        return find_rarest_rolls(self.rows)

    def scores(self) -> list[tuple[float, str]]:
        """What results are worth, in words: (3, `eliminated, destroyed`)."""
        every: Mapping[str, Any] = (
            (self.system.game.get("scores") or {}) if self.system is not None else {}
        )
        by_points: dict[float, list[str]] = {}
        for word, points in (every.get("*") or {}).items():
            if points:
                by_points.setdefault(points, []).append(word.replace("-", " "))
        return [(points, ", ".join(names)) for points, names in sorted(by_points.items())]

    def score_tracks(self) -> list[Track]:
        """Return the tracks of sides that are the score."""
        tracks = self.system.tracks.values() if self.system is not None and self.sides else ()
        return [track for track in tracks if track.wins and track.by_side]

    def score_now(self, track: Track, side: str) -> int:
        """Return the value of a track that is the score."""
        return int(track.get_value(self.game.get("tracks") or {}, side))

    def score_rows(self, track: Track) -> list[tuple[int, list[tuple[str, int, int]]]]:
        """Return each turn with the sides and their values at its end, and how long the bar of
        each is, in percent of the longest.
        """
        turns = [turn for turn in self.turns if turn.number]
        values = {
            turn.number: [int(track.get_value(turn.tracks, side)) for side in self.sides]
            for turn in turns
        }
        largest = max((abs(value) for row in values.values() for value in row), default=0)
        return [
            (number, [(side, value, round(100 * max(0, value) / max(1, largest)))
                      for side, value in zip(self.sides, row, strict=True)])
            for number, row in values.items()
        ]  # fmt: skip

    def deck_lines(self) -> Iterator[tuple[str, str, list[str]]]:
        """(its name, where its cards are that all can see, which of them lie open where) of each
        deck. Nothing of it reads a closed card."""
        own = self.system.decks if self.system is not None else {}
        for id, declared in (self.game.get("decks") or {}).items():
            deck = cards.deck_from_json(declared)
            title, names = (own[id].title, own[id].names) if id in own else (id, {})
            called = {
                card: names.get(card) or self._get_card_name(id, card) for card, _ in deck.cards
            }
            counts = describe_card_counts(deck, cards.count_places(id, self.cards), self.whose_hand)
            held = {seat: cards.count_known_cards(id, seat, self.cards) for seat in self.seats}
            opened = [
                (self.whose_hand(seat), format_card_counts(called, some.items()))
                for seat, some in held.items()
                if any(some.values())
            ]
            lying = [*list_open_cards(id, deck, cards.set_counts(self.cards, {}), called), *opened]
            yield title, counts, [f"{label}: {told}" for label, told in lying]

    def _get_card_name(self, id: str, card: str) -> str:
        """How a card is called; one whose word was deleted by its number."""
        if (found := cards.WORD.fullmatch(card)) is None:
            return cards.format_card_name(id, card)
        return self.texts.get(int(found[1]), {}).get(found[2]) or f"card {found[2][1:]}"

    def whose_hand(self, seat: str) -> str:
        """`VC's hand`, `Anna's hand`."""
        return format_possessive(self.name_of(seat[1:]) if seat.startswith("@") else seat, "hand")

    def still_closed(self) -> list[str]:
        """A line for each hand, and each known end of a pile, that holds closed cards."""
        decks = self.game.get("decks") or {}
        return [
            *list_closed_hands(
                replace(Game(""), decks=decks, cards=cards.set_counts(self.cards, {}))
            )
        ]

    def card_rows(self) -> list[tuple[int, LogRow]]:
        """(turn, event) of what was drawn, played and moved, the newest first."""
        every = (
            (turn.number, row) for turn in self.turns for phase in turn.phases for row in phase.rows
        )
        return [(turn, row) for turn, row in every if row.number in self.moved and not row.undone][
            ::-1
        ]


def _get_side(unit: Json) -> str:
    return str(unit.get("side") or "")


def _get_system_id(export: Json) -> str:
    return next((row["body"]["system"] for row in export["events"] if "system" in row["body"]), "")
