"""A game as its page shows it, computed from its export in one pass."""

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
from bot.game.state import Game, Json, unit_from_json
from bot.presentation.events import (
    CARDS,
    TEXTS,
    describe_event,
    describe_initiative,
    describe_past_outcome,
    get_event_title,
    list_named_faces,
    list_track_changes,
)
from bot.report.event_odds import list_sides
from bot.report.luck import Course, RareRoll, compute_luck, find_rarest_rolls
from bot.report.units import HURT, LOST, build_counter, list_unit_changes
from bot.rules import cards
from bot.rules.inputs.tracks import Track
from bot.rules.proof.chain import DELETED, SAID, fill_marks
from bot.rules.text.names import insert_sides
from bot.rulesets.rule_sets import RuleSets
from bot.verification.check_page import format_logged_result
from bot.verification.follows.cards import list_closed_hands

FILTERS = {
    **dict.fromkeys(COMBAT, "combat"),
    **dict.fromkeys(("roll", "table", "sealed", "reveal"), "rolls"),
    **dict.fromkeys(CARDS, "cards"),
    "unit": "units",
}
"""The filter of the log that an event of each kind belongs to. All other kinds belong to `game`."""
PHASE_KINDS = ("start", "next", "pass", "undo", "redo")
"""Kinds of events that may begin a new phase."""
MOST_DECIDED = 3
MANY = 400
"""Events of a log from which the page folds all turns but the last."""
MANY_BEFORE = 6
"""Events before the first roll from which the page folds them."""


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
    full: str  # the results with all names, if the first line only counts them
    logged: str  # the logged result of an event without a first line
    lines: list[Json]
    luck: Json
    weight: str  # "lost", "hurt" or nothing
    taken: list[str]  # the units that left the fight


@dataclass(slots=True)
class Loss:
    """The names of the units that a side lost in a turn, and of those that were hurt."""

    gone: list[str]
    hurt: list[str]


@dataclass(slots=True)
class Phase:
    """A phase and its events."""

    title: str
    rows: list[LogRow] = field(default_factory=list)


@dataclass(slots=True)
class Turn:
    """A turn: its phases, the losses of each side, and the units, hand sizes and tracks at its
    end.
    """

    number: int
    phases: list[Phase] = field(default_factory=list)
    losses: dict[str, Loss] = field(default_factory=dict)
    final_units: dict[str, Json | None] = field(default_factory=dict)
    hands: dict[str, int] = field(default_factory=dict)
    tracks: Json = field(default_factory=dict)


class Story:
    """The state, the log, the turns and the luck of an exported game."""

    def __init__(self, export: Json, facts: Mapping[int, Json], systems: RuleSets) -> None:
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
        self._systems = systems
        self.system = systems.get(str(export.get("system") or _get_system_id(export)))
        self.phase_titles = {
            phase["name"]: phase.get("title", phase["name"]) for phase in self._list_phases()
        }
        self.sides = list_sides(export)
        self._read_events()
        if not self.sides:
            self.sides = sorted({_get_side(unit) for unit in self.first.values()} - {""})
        self._count_losses()
        self.luck: dict[str, Course] = {
            owner: compute_luck(self.rows, owner) for owner in self._list_luck_owners()
        }

    def _list_phases(self) -> list[Any]:
        """List the phases of the rule set, as its file has them; none in free play."""
        if self.system is None:
            return []
        return list(self.system.game.get("phases") or ())

    def name_of(self, person: str) -> str:
        """Return the name of a person of the log."""
        return self.names.get(person, "someone")

    def _read_events(self) -> None:
        """Follow the game event by event, and build its rows, phases and turns."""
        for event in self.export["events"]:
            body = event["body"]
            after = body.get("after") or {}
            self._read_units(body["number"], after.get("units") or {})
            if body["kind"] != "start":
                unit_changes = list_unit_changes(body, self.system)
                changes = [*unit_changes, *list_track_changes(body, self._systems)]
                if changes:
                    self.changes[body["number"]] = changes
            game_changes = after.get("game") or {}
            turn_before = self.game.get("turn", 0)
            self.game |= game_changes
            self._begin_turn_or_phase(turn_before, game_changes, body["kind"])
            self._read_cards(body, after.get("cards"))
            row = self._build_row(body)
            self.rows.append(row)
            self.turns[-1].phases[-1].rows.append(row)
        if self.turns:
            self._end_turn()
            self._separate_setup(self.turns[0], self.turns[0].phases[0].rows)

    def _read_units(self, number: int, units: Mapping[str, Json | None]) -> None:
        """Update the units that event `number` changed, and build their counters."""
        for key, unit in units.items():
            self.units[key] = unit
            if unit:
                first = self.first.setdefault(key, unit)
                counters = self.counters.setdefault(number, {})
                counters[key] = build_counter(unit, first, self.system)

    def _read_cards(self, body: Json, counts: dict[str, int] | None) -> None:
        """Update the counts of cards that an event changed. Remember the event and the hands."""
        if not counts:
            return
        self.cards |= counts
        if body["kind"] not in ("undo", "redo"):
            self.moved.add(body["number"])
        self.seats = sorted({*self.seats, *cards.count_all_hand_cards(self.cards)})

    def _end_turn(self) -> None:
        """Store the units, hand sizes and tracks at the end of the current turn."""
        turn = self.turns[-1]
        turn.final_units = dict(self.units)
        turn.hands = cards.count_all_hand_cards(self.cards)
        turn.tracks = dict(self.game.get("tracks") or {})

    def _separate_setup(self, first_turn: Turn, rows: list[LogRow]) -> None:
        """Move the events before the first roll or phase from `rows` into a block of their own.

        Readers want to see the fight first. A short setup stays in its turn.
        """
        setup_count = len(rows)
        for index, row in enumerate(rows):
            if row.dice or row.sealed or row.kind == "next":
                setup_count = index
                break
        has_more = len(first_turn.phases) + len(rows) > 1 + setup_count
        if first_turn.number and setup_count > MANY_BEFORE and has_more:
            first_turn.phases[0].rows = rows[setup_count:]
            first_turn.phases = [phase for phase in first_turn.phases if phase.rows]
            self.turns.insert(0, Turn(0, [Phase("Setting up", rows[:setup_count])]))

    def _begin_turn_or_phase(self, turn_before: int, game_changes: Json, kind: str) -> None:
        """Begin a new turn or phase if an event of this kind led to one."""
        turn = self.game.get("turn", 0)
        if not self.turns or turn != turn_before:
            if self.turns:
                self._end_turn()
            self.turns.append(Turn(turn))
        changes_phase = "phase" in game_changes or "turn_of" in game_changes
        is_new = changes_phase and kind in PHASE_KINDS
        if not self.turns[-1].phases or is_new:
            self.turns[-1].phases.append(Phase(self.phase_title()))

    def phase_title(self) -> str:
        """Return the current phase in words, after the side whose turn it is: `US: Fire`."""
        name = str(self.game.get("phase") or "")
        title = self.phase_titles.get(name, name.replace("-", " ").capitalize()) or "Play"
        return f"{self.game['turn_of']}: {title}" if self.game.get("turn_of") else title

    def _build_row(self, body: Json) -> LogRow:
        """Build the row of an event.

        A sealed roll that was revealed has its contents in its own row.
        """
        number = body["number"]
        texts = self.texts.get(number, {})
        is_sealed = "sealed" in body
        if "sealed" in texts:
            body = {**body, **json.loads(texts["sealed"])}
        facts = self.facts.get(number, {})
        head, what = self._describe_event(body, facts)
        full = texts.get("text", "")
        logged = ""
        first_line = self._build_first_line(texts)
        if first_line:
            title = first_line.partition(" · ")[0]
            if head.startswith(title) and head != title:
                full = head
            head, what = _split_first_line(first_line)
        else:
            logged = format_logged_result(body, self.sides)
        weight, lost_units = self._find_harm(body)
        return LogRow(
            number=number,
            kind=body["kind"],
            filter=FILTERS.get(body["kind"], "game"),
            side=body.get("side", ""),
            who=self.name_of(body["who"]),
            head=head,
            what=what,
            dice=_list_dice(body, self._systems),
            hand=bool(body.get("hand")),
            sealed=is_sealed,
            undone=number in self.undone,
            units=_list_unit_names(body),
            full=full,
            logged=logged,
            lines=facts.get("lines") or [],
            luck=facts.get("luck") or {},
            weight=weight,
            taken=lost_units,
        )

    def _describe_event(self, body: Json, facts: Json) -> tuple[str, str]:
        """Return the result of an event and its action: (`Squad 4 is eliminated`, `PT-76 fires`).

        A page shows them if the log has no first line for the event.
        """
        sides = tuple(self.sides)
        if "told" in facts:
            answer = insert_sides(facts["told"], sides)
            return describe_initiative(body, answer, sides), facts["by"]
        text_key = TEXTS.get(body["kind"], "label")
        text = self.texts.get(body["number"], {}).get(text_key, "")
        words = describe_event(body, self._systems, self.name_of, text, sides)
        if words.acts:
            return words.sentence, facts.get("title") or get_event_title(body, self._systems)
        return words.title, words.cause.removeprefix(self.name_of(body["who"])).lstrip(", ")

    def _build_first_line(self, texts: Mapping[str, str]) -> str:
        """Return the first line of an answer with today's names, or "" if the log has none."""
        line = fill_marks(
            texts.get(SAID, ""),
            self.name_of,
            lambda number, key: self.texts.get(number, {}).get(key, DELETED),
        )
        return " ".join(line.split())

    def _find_harm(self, body: Json) -> tuple[str, list[str]]:
        """Return ("lost", names) if units left the fight in an event, with the names of these.

        Otherwise return ("hurt", []) if the status of a unit changed, for better or worse. Return
        ("", []) if none did.
        """
        if body["kind"] not in (*COMBAT, "roll", "reveal"):
            return "", []
        units_before = (body.get("before") or {}).get("units") or {}
        units_after = (body.get("after") or {}).get("units") or {}
        weight = ""
        lost_units = []
        for key, unit in units_after.items():
            before = units_before.get(key)
            if not unit or not before:
                continue
            status = self._get_unit_status(unit, before)
            if status != self._get_unit_status(before, before):
                weight = "hurt"
                if status == LOST:
                    lost_units.append(unit["name"])
        return ("lost" if lost_units else weight), lost_units

    def _count_losses(self) -> None:
        """Compute the losses of each side in each turn.

        They are differences between the ends of turns, so undo needs no special case.
        """
        units_before: dict[str, Json | None] = {}
        for turn in self.turns:
            for side in self.sides:
                turn.losses[side] = self._compute_loss(side, units_before, turn.final_units)
            units_before = turn.final_units

    def _compute_loss(
        self,
        side: str,
        units_before: Mapping[str, Json | None],
        units_after: Mapping[str, Json | None],
    ) -> Loss:
        """Return the units of a side that were lost or hurt between two moments."""
        loss = Loss([], [])
        for key, unit in units_after.items():
            first = self.first.get(key)
            if first is None or _get_side(unit or first) != side:
                continue
            status_before = self._get_unit_status(units_before.get(key, first), first)
            status = self._get_unit_status(unit, first)
            if unit is None or status == status_before:
                continue
            if status == LOST:
                loss.gone.append(unit["name"])
            elif status == HURT:
                loss.hurt.append(unit["name"])
        return loss

    def _get_unit_status(self, unit: Json | None, first: Json) -> str:
        """Return the status of a unit as in `build_counter`; LOST for one off the roster."""
        if unit is None:
            return LOST
        return str(build_counter(unit, first, self.system)["standing"])

    def drawn(self, key: str) -> tuple[Json, Json]:
        """Return the counters of a unit: as it is now, and as it entered the game."""
        first = self.first[key]
        current_counter = build_counter(self.units[key] or first, first, self.system)
        return current_counter, build_counter(first, first, self.system)

    def _list_luck_owners(self) -> list[str]:
        """List the sides, then the others that a roll counts for, such as the players in free
        play.
        """
        owners = {row.luck["side"] for row in self.rows if row.luck}
        sides = list_sides(self.export)
        return [*sides, *sorted(owners - {*sides}, key=self.who_is)]

    def who_is(self, owner: str) -> str:
        """Return the name of a side, or in free play of the person who rolled."""
        if not owner:
            return NO_SIDE
        return owner if owner in self.sides else self.name_of(owner)

    def shade(self, side: str) -> str:
        """Return the CSS class for elements in the color of a side."""
        return f"side-{self.sides.index(side) % 4}" if side in self.sides else "side-x"

    def losses_of(self, side: str) -> Losses:
        """Return the present losses of a side: the names of its lost and of its weakened units, and
        the number of all its units.
        """
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
        """Return the names of the players of a side."""
        sides_by_player = self.game.get("players") or {}
        return [
            self.name_of(player)
            for player, player_side in sides_by_player.items()
            if player_side == side
        ]

    def headline(self) -> str:
        """Return `US won. Ended in turn 6. US lost 3 of 8 units, NVA lost 8 of 8 units.`"""
        turn = self.game.get("turn", 0)
        winner = self.game.get("winner") or ""
        outcome = describe_past_outcome(winner, begins_line=True)
        sentences = []
        if outcome:
            sentences.append(f"{outcome}.")
        if self.game.get("ended"):
            sentences.append(f"Ended in turn {turn}.")
        elif turn:
            sentences.append(f"Turn {turn}, {self.phase_title()}.")
        else:
            sentences.append("Free play.")
        side_losses = []
        for side in self.sides:
            losses = self.losses_of(side)
            if losses.total:
                lost = len(losses.lost) or "none"
                side_losses.append(f"{side} lost {lost} of {losses.total} units")
        if side_losses:
            sentences.append(f"{', '.join(side_losses)}.")
        return " ".join(sentences)

    def whose_go(self) -> str:
        """Return `US to play`, or the current phase if it is not the turn of particular sides."""
        game = replace(
            Game(""),
            go=tuple(self.game.get("go") or ()),
            sides=tuple(self.game.get("sides") or ()),
            led=self.game.get("led", ""),
        )
        return describe_whose_go(game) or self.phase_title()

    def closing(self) -> str:
        """Return the last words that a player added when the game ended, or ""."""
        if not self.game.get("ended"):
            return ""
        for row in reversed(self.rows):
            if row.kind == "end" and not row.undone:
                return self.texts.get(row.number, {}).get("text", "")
        return ""

    def turning_points(self) -> list[LogRow]:
        """Return the events that decided the game, in their order.

        These took most units out of the fight. Of events with equally many, the luckiest count.
        """
        decisive = [row for row in self.rows if row.taken and not row.undone]
        decisive.sort(key=lambda row: (-len(row.taken), -row.luck.get("got", 0)))
        return sorted(decisive[:MOST_DECIDED], key=lambda row: row.number)

    def shots(self) -> tuple[list[RareRoll], list[RareRoll]]:
        """Return the least likely successes and the least likely failures."""
        return find_rarest_rolls(self.rows)

    def scores(self) -> list[tuple[float, str]]:
        """List the points for results, each with its results in words: (3, `eliminated, broken`).
        [] if the rule set has none or is unknown. Results without points are left out.
        """
        if self.system is None:
            return []
        scores = self.system.game.get("scores") or {}
        words_by_points: dict[float, list[str]] = {}
        for word, points in (scores.get("*") or {}).items():
            if points:
                words_by_points.setdefault(points, []).append(word.replace("-", " "))
        return [(points, ", ".join(words)) for points, words in sorted(words_by_points.items())]

    def score_tracks(self) -> list[Track]:
        """Return the tracks that decide who wins and have a value for each side; [] in a game
        without sides, or if the rule set is unknown.
        """
        if self.system is None or not self.sides:
            return []
        return [track for track in self.system.tracks.values() if track.wins and track.by_side]

    def score_now(self, track: Track, side: str) -> int:
        """Return the value of a track for a side at the end of the log."""
        return int(track.get_value(self.game.get("tracks") or {}, side))

    def score_rows(self, track: Track) -> list[tuple[int, list[tuple[str, int, int]]]]:
        """Return the values of a track at the end of each turn, for each side.

        A row is (turn, cells), a cell (side, value, length of its bar in percent of the longest).
        """
        values_by_turn: dict[int, list[int]] = {}
        for turn in self.turns:
            if turn.number:
                values = [int(track.get_value(turn.tracks, side)) for side in self.sides]
                values_by_turn[turn.number] = values
        largest = 1
        for values in values_by_turn.values():
            largest = max([largest, *map(abs, values)])
        rows = []
        for number, values in values_by_turn.items():
            cells = []
            for side, value in zip(self.sides, values, strict=True):
                cells.append((side, value, round(100 * max(0, value) / largest)))
            rows.append((number, cells))
        return rows

    def deck_lines(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield the title of each deck, how many of its cards are where, and its open cards.

        The open cards are a line for each place or hand. Nothing reads a closed card.
        """
        for id, deck_json in (self.game.get("decks") or {}).items():
            deck = cards.deck_from_json(deck_json)
            title, card_names = self._get_deck_words(id)
            names = {
                card: card_names.get(card) or self._get_card_name(id, card)
                for card, _ in deck.cards
            }
            counts = describe_card_counts(deck, cards.count_places(id, self.cards), self.whose_hand)
            open_cards = list(list_open_cards(id, deck, cards.set_counts(self.cards, {}), names))
            for seat in self.seats:
                hand = cards.count_known_cards(id, seat, self.cards)
                if any(hand.values()):
                    open_cards.append(
                        (self.whose_hand(seat), format_card_counts(names, hand.items()))
                    )
            yield title, counts, [f"{label}: {text}" for label, text in open_cards]

    def _get_deck_words(self, id: str) -> tuple[str, Mapping[str, str]]:
        """Return the title of a deck and the names of its cards, if the rule set has them."""
        if self.system is not None and id in self.system.decks:
            deck = self.system.decks[id]
            return deck.title, deck.names
        return id, {}

    def _get_card_name(self, id: str, card: str) -> str:
        """Return the name of a card, or `card 3` if its text was deleted."""
        match = cards.WORD.fullmatch(card)
        if match is None:
            return cards.format_card_name(id, card)
        event, key = match.groups()
        return self.texts.get(int(event), {}).get(key) or f"card {key[1:]}"

    def whose_hand(self, seat: str) -> str:
        """Return the label of the hand of a seat: `VC's hand`, `Anna's hand`.

        A seat is a side, or `@` and the id of a person.
        """
        return format_possessive(self.name_of(seat[1:]) if seat.startswith("@") else seat, "hand")

    def still_closed(self) -> list[str]:
        """List what closed cards are left, a line for each hand, and for each end of a pile that
        someone knows.
        """
        decks = self.game.get("decks") or {}
        game = replace(Game(""), decks=decks, cards=cards.set_counts(self.cards, {}))
        return list(list_closed_hands(game))

    def card_rows(self) -> list[tuple[int, LogRow]]:
        """List the events that moved cards, each with its turn, the newest first. Events that were
        undone are left out.
        """
        rows = []
        for turn in self.turns:
            for phase in turn.phases:
                for row in phase.rows:
                    if row.number in self.moved and not row.undone:
                        rows.append((turn.number, row))
        rows.reverse()
        return rows


def _split_first_line(line: str) -> tuple[str, str]:
    """Split the first line of an answer into its result and its action, which may be ""."""
    if " · " not in line:
        return line, ""
    head, _, action = line.rpartition(" · ")
    return head, action


def _list_dice(body: Json, systems: RuleSets) -> list[tuple[object, int]]:
    """List the dice of an event, each as its face and its number of sides. A card has its name."""
    dice = body.get("dice") or ()
    faces = list_named_faces(body, systems)
    return [(face, die["sides"]) for face, die in zip(faces, dice, strict=True)]


def _list_unit_names(body: Json) -> list[str]:
    """List the units that an event used or changed. One off the roster has its key for a name."""
    names = [unit["name"] for unit in body.get("used") or ()]
    units_after = (body.get("after") or {}).get("units") or {}
    for key, unit in units_after.items():
        names.append(unit["name"] if unit else key)
    return list(dict.fromkeys(names))


def _get_side(unit: Json) -> str:
    return str(unit.get("side") or "")


def _get_system_id(export: Json) -> str:
    """Return the id of the rule set of the first event that has one, or "" if none has."""
    bodies = (event["body"] for event in export["events"])
    return next((body["system"] for body in bodies if "system" in body), "")
