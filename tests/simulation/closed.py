"""The model of closed cards: who may have seen which, read from what the bot wrote about itself."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from bot.game.loaded_game import HANDS
from bot.rules.cards import (
    ALL,
    ENDS,
    HAND,
    SAW,
    count_at,
    get_current_hands,
    get_last_key,
    set_counts,
)
from bot.rules.inputs.decks import list_faces
from tests.simulation.people import PEOPLE
from tests.simulation.shown import Shown

_WORD = re.compile(r"\bk\d+c\d+x\b")
_CLOSED = re.compile(r"(card|face|from)\.[0-9]+|hands")


class Closed:
    """The cards of one game. Who knows a word is known of all games: one that came from a file
    has the same.
    """

    def __init__(self, opened: set[str], knows: dict[str, set[str]]) -> None:
        self._out: dict[str, int] = {}
        self._decks: dict[str, set[str]] = defaultdict(set)  # ids of the cards of each
        self._players: dict[str, str] = {}
        self._gone: set[str] = set()  # persons who have left the game for good
        self._humans: dict[str, str] = {}  # who a person of the game is
        self._told: dict[int, dict[str, Any]] = {}  # what was in closed hands behind an event
        self._words: dict[
            str, str
        ] = {}  # of cards, by id: those that were typed, and of packs, whose ids they are
        self._open = opened  # words of cards that all have seen at some time
        self._knows = knows  # who was at some time where they saw a card

    def wrote(
        self, bodies: Sequence[dict[str, Any]], texts: Iterable[tuple[int, str, str]], who: str
    ) -> None:
        """One transaction: its events, its texts, and who asked for it."""
        for number, key, text in texts:
            self._told |= {number: json.loads(text)} if key == HANDS else {}
            self._words |= {f"{number}.{key}": text} if _WORD.fullmatch(text) else {}
        for body in bodies:
            patch = body.get("after") or {}
            fields = patch.get("game") or {}
            self._out = set_counts(self._out, patch.get("cards") or {})
            for deck, made in (fields.get("decks") or {}).items():
                self._decks[deck] |= {card["id"] for card in (made or {}).get("cards", ())}
                self._words |= {id: id for id in self._decks[deck] if _WORD.fullmatch(id)}
            self._players = fields.get("players", self._players)
            self._gone |= {body["who"]} if body["kind"] == "privacy" else {body.get("own", "")}
            self._humans.setdefault(body["who"], who)
            self._open |= {
                self._words.get(name.rpartition("/")[2], "")
                for name in self._out
                if f"/{HAND}/" not in name
            }
            if any("deck" in die for die in body.get("dice", ())) and "read" in body:
                # drawn for all to see
                self._open |= {self._words.get(str(one), "") for one in list_faces(body)}
            for deck in self._decks:
                self._look(deck)

    def _look(self, deck: str) -> None:
        """Whoever holds a card has seen it, and who has looked at the end of a pile what is
        there.
        """
        hands = get_current_hands(
            deck, self._out, self._told.get(self._out.get(get_last_key(deck), 0), {})
        )
        saw = {
            seat.removeprefix(SAW): dict(held)
            for seat, held in hands.items()
            if seat.startswith(SAW)
        }
        for seat in count_at(deck, HAND, self._out):
            for draw, card in hands.get(seat, ()):
                seats = (
                    [one for one, drawn in saw.items() if draw in drawn] if seat in ENDS else [seat]
                )
                for one in seats:
                    self._knows[self._words.get(card, "")] |= (
                        set(PEOPLE) if one == ALL else self._sitting(one)
                    )

    def unseated(self) -> list[str]:
        """Return the seats that hold closed cards although nobody sits there.

        A side keeps its hand while somebody plays it; a person keeps one of their own while they play
        no side and have not left the game for good.
        """
        hands = {
            seat for deck in self._decks for seat in count_at(deck, HAND, self._out)
        } - ENDS.keys()
        sides = {*self._players.values()}
        elsewhere = {f"@{person}" for person in (*self._players, *self._gone)}
        return sorted(
            seat for seat in hands if seat in elsewhere or (seat[0] != "@" and seat not in sides)
        )

    def _sitting(self, seat: str) -> set[str]:
        persons = (
            [seat[1:]]
            if seat[0] == "@"
            else [one for one, side in self._players.items() if side == seat]
        )
        return {self._humans[person] for person in persons if person in self._humans}

    def seen(self, shown: Shown) -> list[str]:
        """Words of closed cards in a message for eyes that never saw them. What names all cards
        that nobody has laid open, or all of them that those eyes have not seen, tells of none."""
        eyes = {who for who in PEOPLE if shown.is_seen_by(who)}
        words = set(_WORD.findall(f"{shown.text} {json.dumps(shown.body, default=str)}"))
        found = list[str]()
        for ids in self._decks.values() if words else ():
            closed = {self._words[id] for id in ids if id in self._words} - self._open
            unseen = {word for word in closed if eyes - self._knows[word]}
            if not unseen <= words:
                found += sorted(words & unseen)
        return [*found, *(row for file in shown.files for row in _opened(file))]


def _opened(file: str) -> list[str]:
    """Closed texts in an export of a game in which nothing was opened."""
    if not file.startswith("{") or '"shows"' in file:
        return []
    rows = json.loads(file).get("texts", ())
    return [
        f"{row['event']}.{row['key']} in a file" for row in rows if _CLOSED.fullmatch(row["key"])
    ]
