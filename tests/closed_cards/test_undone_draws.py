"""What was seen of the top and bottom of a pile stays known though it is undone: odds, `/hand`,
`/deck show` and what a sequence reads of the pile all tell it, to whom it was shown and to nobody
else. Random evenings are held against a model that knows nothing of how the bot keeps it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.app import App
from bot.commands.by_post import choose
from bot.rules.cards import SEEN
from bot.rules.inputs.decks import list_faces
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Place
from bot.verification.check_file import check
from tests.bent_logs import agree_on_forgeries
from tests.closed_cards.draws_of_sequences_helpers import CARDS, assert_seen, opened
from tests.closed_cards.two_worlds_of_sequences_helpers import CAMP
from tests.forging import Json, bodies, rechained
from tests.fresh import fresh_app
from tests.packs.conftest import PackMaker
from tests.packs.draws_helpers import FILES, MARCH, SEQUENCES, ford, sound
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tests.seams.undo_helpers import PLACE, Away

pytestmark = pytest.mark.scenes(5)

TWO = """\
two:
  title: Two
  source: "ours"
  summary: Two cards, one after the other.
  outputs: {result: [qq, qr, qg, rq, rr, rg, gq, gr]}
  odds_by: result
  steps:
  - draw: {one: chances}
  - draw: {other: chances}
  - let: {first: one.ap, then: other.ap}
  - let: {quiet: qq if then == 0 else (qr if then == 1 else qg)}
  - let: {rain: rq if then == 0 else (rr if then == 1 else rg)}
  - let: {result: quiet if first == 0 else (rain if first == 1 else (gq if then == 0 else gr))}
    headline: "{result}"
"""
EXAMPLES = f"{CAMP}{TWO}".replace("  steps:", "  example: {}\n  steps:")
NAMES = {"quiet": "All quiet", "rain": "Rain", "guide": "A guide"}
SEATS = {"Anna": "Reds", "Bob": "Blues", "Dora": "@Dora"}
EVERYBODY = "*"


@pytest.fixture(autouse=True)
def same_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run has the same seeds and salts."""
    monkeypatch.setattr("os.urandom", Random(26).randbytes)


@pytest.fixture(autouse=True)
def pack(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> Path:
    path = make_pack({**FILES, "sequences.yaml": SEQUENCES + MARCH + CAMP + TWO})
    use_packs(path.parent)
    return path


@dataclass(eq=False)
class Card:
    """A card somewhere out of the pile. What was seen of it is never taken back."""

    id: str
    draw: str = ""
    seen: set[str] = field(default_factory=set)

    def is_known(self, seat: str) -> bool:
        return not self.seen.isdisjoint({seat, EVERYBODY})


@dataclass
class Table:
    """Where the cards of the deck are; a card that is nowhere is in the pile."""

    open: dict[str, Counter[str]] = field(
        default_factory=lambda: {"play": Counter(), "discard": Counter(), "removed": Counter()}
    )
    hands: dict[str, list[Card]] = field(default_factory=dict)
    top: list[Card] = field(default_factory=list)
    bottom: list[Card] = field(default_factory=list)

    def copied(self) -> Table:
        return Table(
            {place: Counter(some) for place, some in self.open.items()},
            {seat: [*held] for seat, held in self.hands.items()},
            [*self.top],
            [*self.bottom],
        )

    @property
    def pile(self) -> int:
        held = sum(map(len, self.hands.values())) + len(self.top) + len(self.bottom)
        return len(CARDS) - held - sum(some.total() for some in self.open.values())

    def take(self, id: str, *, peeks: bool = False) -> Card:
        """The next card, which is this one; that behind the known top for who `peeks`."""
        if self.top and not peeks:
            card = self.top.pop(0)
        elif not self.pile and self.bottom:
            card = self.bottom.pop(0)
        else:
            if not self.pile:
                self.open["discard"].clear()
            card = Card(id)
        assert card.id == id
        return card

    def unseen(self, seat: str) -> Counter[str]:
        """What somebody at a seat has not seen, wherever it is."""
        seen = [
            card.id
            for card in (
                *self.hands.get(seat, ()),
                *(one for one in self.ends if one.is_known(seat)),
            )
        ]
        return Counter(CARDS) - sum(self.open.values(), Counter(seen))

    @property
    def ends(self) -> list[Card]:
        return [*self.top, *self.bottom]

    def row(self, seat: str) -> list[str]:
        """The order in which the pile comes, to somebody: "?" for one of known place that they
        have not seen.
        """
        top, bottom = (
            [one.id if one.is_known(seat) else "?" for one in end]
            for end in (self.top, self.bottom)
        )
        return [*top, *["_"] * self.pile, *bottom]

    def chances(self, seat: str, draws: int = 2) -> dict[str, Fraction]:
        """How likely it is which cards come next, as somebody can count it."""
        found = Counter[str]()
        for chance, came in _ways(self.unseen(seat), self.row(seat), self.open["discard"], draws):
            found["-".join(came)] += chance  # type: ignore[assignment]
        return dict(found)  # type: ignore[arg-type]


def _ways(
    unseen: Counter[str], row: Sequence[str], joins: Counter[str], draws: int
) -> Iterator[tuple[Fraction, tuple[str, ...]]]:
    if not draws:
        yield Fraction(1), ()
    elif not row:
        if joins:
            yield from _ways(joins, ["_"] * joins.total(), Counter(), draws)
    elif row[0] in NAMES:
        yield from (
            (chance, (row[0], *more)) for chance, more in _ways(unseen, row[1:], joins, draws - 1)
        )
    else:
        for card, count in unseen.items():
            for chance, more in _ways(unseen - Counter([card]), row[1:], joins, draws - 1):
                yield chance * Fraction(count, unseen.total()), (card, *more)


class Model:
    """What everybody has seen, followed event by event: what falls is read from the texts, where
    it goes from here.
    """

    def __init__(self) -> None:
        self.now, self.number = Table(), 0
        self._turns: dict[int, tuple[Table, Table]] = {}

    def add(self, body: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        self.number, kind = body["number"], body["kind"]
        if kind in ("undo", "redo"):
            self._turn_back(*self._turns[body["event"]], is_redo=kind == "redo")
            return
        before = self.now.copied()
        if kind in ("draw", "cards", "sequence"):
            getattr(self, f"_{kind}")(body, texts)
        self._turns[self.number] = before, self.now.copied()

    def _turn_back(self, before: Table, after: Table, *, is_redo: bool) -> None:
        """Undo or redo one event. Others may have moved cards since only if it moved none itself,
        as a card that went back into the pile.
        """
        if before == after:
            return
        source, target = (before, after) if is_redo else (after, before)
        assert self.now == source
        self.now = target.copied()

    def _draw(self, body: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        now, seats, named = (
            self.now,
            body.get("seats", ()),
            body["result"].removeprefix("chances: ").split(", "),
        )
        if body["does"] == "peek":
            for n in range(1, sum(key.startswith("card") for key in texts) + 1):
                card = now.take(texts[f"card.{n}"], peeks=True)
                now.top.append(card)
            for card in now.top[: int(named[0].split()[0])]:
                card.seen.add(SEATS_OF[body["side"]])
            return
        for n, seat in enumerate(seats, 1):
            card = now.take(texts[f"card.{n}"])
            card.seen.add(seat)
            now.hands.setdefault(seat, []).append(Card(card.id, f"{self.number}.{n}"))
        for id in () if seats else named:
            now.take(id).seen.add(EVERYBODY)
            now.open["play"][id] += 1

    def _sequence(self, body: Mapping[str, Any], _: Mapping[str, str]) -> None:
        came = [(die["value"], die["to"]) for die in body["dice"] if "deck" in die]
        if any(not isinstance(card, str) for card, _ in came):
            # nothing is closed: faces, which draw the cards
            came = [
                (card, to) for card, (_, to) in zip(map(str, list_faces(body)), came, strict=True)
            ]
        for id, _ in came:
            self.now.take(id).seen.add(EVERYBODY)
            self.now.open["play"][id] += 1
        for id, to in came:
            self.now.open["play"][id] -= 1
            if to != "back":
                self.now.open[to][id] += 1

    def _cards(self, body: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        now, does, named = (
            self.now,
            body["does"],
            body["result"].removeprefix("chances: ").split(", "),
        )
        if does == "shuffle":
            now.open["discard"].clear()
            now.top, now.bottom = [], []
        elif "seat" in body:
            self._out_of_hand(body, texts, named)
        else:
            before, after = (body[part]["cards"] for part in ("before", "after"))
            for key, count in before.items():
                _, place, card = key.split("/") if key.count("/") == 2 else ("", "", "")
                if place in now.open:
                    now.open[place][card] += after[key] - count
            self._to_end(body.get("to", ""), [Card(card, seen={EVERYBODY}) for card in named])
        for some in now.open.values():
            assert min(some.values(), default=0) >= 0

    def _out_of_hand(
        self, body: Mapping[str, Any], texts: Mapping[str, str], named: list[str]
    ) -> None:
        now, does, held, to = (
            self.now,
            body["does"],
            self.now.hands[body["seat"]],
            body.get("to", ""),
        )
        moved = list[Card]()
        for n in range(1, sum(key.startswith("from") for key in texts) + 1):
            moved.append(next(card for card in held if card.draw == texts[f"from.{n}"]))
            held.remove(moved[-1])
        if does in ("play", "discard"):
            assert [card.id for card in moved] == named
            now.open[does] += Counter(named)
        fresh = [
            Card(card.id, f"{self.number}.{n}", {body["seat"]}) for n, card in enumerate(moved, 1)
        ]
        if does == "give":
            now.hands.setdefault(to, []).extend(fresh)
        else:
            self._to_end(to, fresh)

    def _to_end(self, end: str, cards: list[Card]) -> None:
        if end == "=top":
            self.now.top = [*cards, *self.now.top]
        elif end == "=bottom":
            self.now.bottom = [*self.now.bottom, *cards]


SEATS_OF = {"Reds": "Reds", "Blues": "Blues", "": "@Dora"}


async def followed(channel: Channel, model: Model) -> None:
    """Let the model know what has happened since it looked."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    for row in await channel.app.store.load_events(loaded.row, after=model.number):
        rows = await channel.app.store.load_texts(
            loaded.row, after=row.number - 1, before=row.number + 1
        )
        model.add(row.data, {one.key: one.text for one in rows if one.key != "hands"})


def figures(reply: Reply) -> dict[str, int]:
    """The chances that an answer shows, in percent."""
    ids = {card[0]: card for card in NAMES}
    rows = re.findall(r"^([qrg])([qrg]) .* <?([0-9]+)%", reply.format_text(), re.MULTILINE)
    return {f"{ids[one]}-{ids[other]}": int(percent) for one, other, percent in rows}


def ends_said(reply: Reply, unseen: str, where: tuple[str, str]) -> list[list[str]]:
    """The cards that an answer names on top and at the bottom; none of an end of which nothing
    is known.
    """
    ids = {name: id for id, name in NAMES.items()} | {unseen: "?"}
    rows = dict(
        line.split(": ", 1) for line in reply.format_text().splitlines() if line.startswith(where)
    )
    return [[ids[name] for name in rows[one].split(", ")] if one in rows else [] for one in where]


async def assert_told(channel: Channel, table: Table) -> None:
    """Everybody is told just what they have seen."""
    for name, seat in SEATS.items():
        reply = await channel.say(name, "few two odds")
        due = table.chances(seat)
        if not due:
            assert "too few cards left" in reply.format_text()
            continue
        told = figures(reply)
        assert told.keys() <= due.keys(), (name, told, due)
        for came, chance in due.items():
            assert abs(Fraction(told.get(came, 0), 100) - chance) <= Fraction(1, 100), (
                name,
                came,
                chance,
                reply.format_text(),
            )
        hand = await channel.do(name, "hand")
        ends = ends_said(
            hand, "one you have not seen", ("On top of chances", "At the bottom of chances")
        )
        assert ends == known(table, seat), (name, hand.format_text())
        show = await channel.do(name, "deck show chances")
        assert ends_said(
            show, "a card that not everyone has seen", ("On top", "At the bottom")
        ) == known(table, EVERYBODY)


def known(table: Table, seat: str) -> list[list[str]]:
    rows = [
        [card.id if card.is_known(seat) else "?" for card in end]
        for end in (table.top, table.bottom)
    ]
    return [row if {*row} - {"?"} else [] for row in rows]


LINES = (
    *["deck peek 1 chances", "deck peek 2 chances", "deck peek 3 chances", "few camp", "few two"] * 2,
    "deck draw chances", "deck draw chances 2", "deck draw chances to=me", "deck draw chances 2 me",
    "deck deal 1 chances",
    "deck return {own} chances", "deck return {own} chances top", "deck return {own} chances bottom",
    "deck return {lies} chances top", "deck return {lies} chances bottom", "deck return {lies} chances",
    "deck play {own} chances", "deck discard {own} chances", "deck give {own} {other} chances",
    "deck discard all chances", "deck shuffle chances", *["UNDO"] * 9, *["REDO"] * 5,
)  # fmt: skip


async def evening(seed: int, steps: int) -> tuple[Channel, Model, int]:
    """A random evening, after each step of which everybody is told what they have seen: how many
    cards that were known came back by an undo."""
    channel, model, chance, back = await ford(), Model(), Random(seed), 0
    await channel.do("Anna", "deck draw chances to=me", "deck peek 2 chances")
    await followed(channel, model)
    for _ in range(steps):
        name, other = chance.choice((("Anna", "Bob"), ("Bob", "Anna")))
        own = [card.id for card in model.now.hands.get(SEATS[name], ())]
        lies = [*model.now.open["play"].elements(), *model.now.open["discard"].elements()]
        line = chance.choice(LINES)
        ends = len(model.now.ends)
        if line in ("UNDO", "REDO"):
            for who in (name, other):
                reply = await (
                    channel.undo(who) if line == "UNDO" else channel.say(who, "game redo")
                )
                if reply.error or "asks to" not in reply.title:
                    break
        else:
            words = {
                "own": chance.choice(own or ["rain"]),
                "lies": chance.choice(lies or ["rain"]),
                "other": SEATS[other],
            }
            await channel.say(name, line.format(**words))
        was = model.number
        await followed(channel, model)
        if model.number > was:
            back += line == "UNDO" and len(model.now.ends) > ends
            await assert_told(channel, model.now)
    return channel, model, back


@pytest.mark.slow_sample(2)
@pytest.mark.sample(1)
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "seed", [seed if seed < 1 else pytest.param(seed, marks=pytest.mark.slow) for seed in range(7)]
)
async def test_everybody_is_told_what_they_have_seen_whatever_is_undone(
    seed: int, tmp_path: Path
) -> None:
    channel, _, back = await evening(seed, 60 if seed else 30)
    assert back or seed > 1, "a card that was known came back by an undo"
    await opened(channel, tmp_path)


# -- one after the other


async def undone(
    channel: Channel, name: str = "Anna", other: str = "Bob", what: str = "undo"
) -> Reply:
    """Taken back, or brought back, by agreement."""
    asked = await (channel.undo(name) if what == "undo" else channel.do(name, "game redo"))
    assert "asks to" in asked.title
    return await channel.do(other, f"game {what}")


async def seen_now(channel: Channel, model: Model) -> list[list[str]]:
    """What is known of the ends to each seat, which all answers tell."""
    await followed(channel, model)
    await assert_told(channel, model.now)
    return [model.now.row(seat)[: len(model.now.top)] for seat in SEATS.values()]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "line", ["few camp", "few two", "deck draw chances", "few march unit='Blue; Blue'"]
)
async def test_a_known_top_that_all_saw_is_counted_by_all_when_it_is_back(
    line: str, tmp_path: Path
) -> None:
    channel, model = await ford(), Model()
    await channel.do("Anna", "deck peek 3 chances")
    (*_, stranger) = await seen_now(channel, model)
    assert stranger == ["?", "?", "?"]
    for _ in range(2):
        await channel.do("Bob", line, "roll 2d6")
        await undone(channel, "Bob", "Anna")
        bobs, strangers = (await seen_now(channel, model))[1:]
        assert bobs == strangers != ["?", "?", "?"]
        assert await shared(channel, model)
        await undone(channel, "Bob", "Anna", "redo")
        await seen_now(channel, model)
        await undone(channel, "Anna", "Bob")
        assert (await seen_now(channel, model))[2] == strangers
    await channel.do("Bob", "few two")
    log = await opened(channel, tmp_path)
    (*_, event) = [body for body in bodies(log, "sequence") if body["target"] == "two"]
    assert event["read"]["deck.chances"][0].partition(" | ")[2].startswith(strangers[0]), (
        "what all knew is proved"
    )


async def shared(channel: Channel, model: Model) -> bool:
    """What Anna shares of her odds is what all can count."""
    reply = await channel.do("Anna", "few two odds")
    told = await channel.press(
        "Anna", next(one.action for one in reply.buttons if one.label == "Share")
    )
    due = model.now.chances(EVERYBODY)
    assert not told.private
    return all(
        abs(Fraction(figures(told).get(came, 0), 100) - chance) <= Fraction(1, 100)
        for came, chance in due.items()
    )


async def test_who_drew_a_known_top_into_their_hand_knows_it_when_it_is_back(
    tmp_path: Path,
) -> None:
    """And so does who looked at what others knew; nobody else does."""
    channel, model = await ford(), Model()
    await channel.do("Anna", "deck peek 3 chances")
    await channel.do("Bob", "deck draw chances to=me")
    await undone(channel, "Bob", "Anna")
    assert [row.count("?") for row in await seen_now(channel, model)] == [0, 2, 3]
    await channel.do("Bob", "deck peek 2 chances")
    await undone(channel, "Bob", "Anna")
    assert [row.count("?") for row in await seen_now(channel, model)] == [0, 1, 3]
    await channel.do("Anna", "deck deal 1 chances")
    await undone(channel)
    assert [row.count("?") for row in await seen_now(channel, model)] == [0, 1, 3]
    await channel.do("Anna", "deck shuffle chances", "deck peek 3 chances")
    assert [row.count("?") for row in await seen_now(channel, model)] == [0, 3, 3]
    await opened(channel, tmp_path)


async def test_a_deal_shows_each_side_its_own_card_of_the_top_and_the_bottom(
    tmp_path: Path,
) -> None:
    channel, model = await ford(), Model()
    await channel.do(
        "Anna", "deck draw chances 5 me", "deck peek 1 chances", "deck return all chances bottom"
    )
    await channel.do("Bob", "deck deal 3 chances")
    await undone(channel, "Bob", "Anna")
    await followed(channel, model)
    assert [len(model.now.top), model.now.pile, len(model.now.bottom)] == [1, 1, 5]
    await assert_told(channel, model.now)
    assert [card.is_known("Blues") for card in model.now.ends] == [
        False,
        False,
        True,
        False,
        True,
        False,
    ]
    await opened(channel, tmp_path)


async def test_what_was_at_the_bottom_is_known_on_top_once_somebody_looked(tmp_path: Path) -> None:
    channel, model = await ford(), Model()
    await channel.do(
        "Anna",
        "deck draw chances 7",
        "deck return rain,guide chances bottom",
        "deck peek 1 chances",
    )
    assert await seen_now(channel, model) == [["rain"]] * 3
    await channel.do("Bob", "few camp")
    await undone(channel, "Bob", "Anna")
    assert await seen_now(channel, model) == [["rain"]] * 3
    await channel.do("Bob", "few camp")
    await opened(channel, tmp_path)


async def test_several_decks_at_once_are_known_again(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "deck peek 2 chances", "deck peek 2 events", "few pair n=2")
    await undone(channel)
    await channel.do("Bob", "deck peek 1 events")
    await undone(channel, "Bob", "Anna")
    for deck in ("chances", "events"):
        told = (await channel.do("Dora", f"deck show {deck}")).format_text()
        (line,) = [one for one in told.splitlines() if one.startswith("On top: ")]
        assert "a card that not all" not in line
        assert line.count(",") == 1
    await channel.do("Bob", "few pair n=1")
    read = bodies(await opened(channel, tmp_path), "sequence")[-1]["read"]
    assert not [name for name, row in read.items() if "?" in row[0]], read


async def test_what_came_back_is_told_elsewhere_after_a_restart_and_forgotten_by_an_import(
    make_pack: PackMaker, use_packs: Callable[[Path], None], tmp_path: Path
) -> None:
    use_packs(make_pack({**FILES, "sequences.yaml": SEQUENCES + EXAMPLES}).parent)
    channel, model = await ford(), Model()
    there = Channel(channel.app, Place("console:there", "console"), "there")
    code = (await channel.say("Anna", "game link", manager=True)).title.split()[-1]
    assert not (await there.say("Bob", f"game link {code}", manager=True)).error
    await channel.do("Anna", "deck peek 2 chances", "few camp", "game undo")
    await there.do("Bob", "game undo")
    channel.app = there.app = App(channel.app.store)
    await followed(channel, model)
    await assert_told(channel, model.now)
    await assert_told(there, model.now)
    await sound(channel, tmp_path)
    far = Channel(await fresh_app(), Place("console:far", "console"), "far")
    command = Command(
        ("game", "import"),
        {"file": await exported_text(channel)},
        far.who("Anna"),
        far.place,
        "import",
    )
    assert not (await far.app.run(command)).error
    assert (await far.game()).cards == {}
    assert check(json.loads(await exported_text(far))).faults == ()
    await channel.do("Bob", "few camp")
    await opened(channel, tmp_path)
    assert SEEN not in (await channel.game()).cards


async def test_what_a_manager_agrees_to_take_back_stays_known_too(tmp_path: Path) -> None:
    away = Away()
    channel = Channel(await fresh_app(lambda: away.now), PLACE)
    channel.app.executor.members["console"] = away.is_member
    await two_sides(channel)
    await channel.do("Anna", 'deck make "1..9" cup', "deck peek 2 cup")
    drawn = (await channel.do("Anna", "deck draw cup")).title.removeprefix("Anna draws ")
    asked = await channel.do("Anna", "game undo")
    away.here["console:bob"] = False
    assert (await away.manager(channel, asked.buttons[0].action)).first_line.endswith(
        "Max agreed as manager"
    )
    assert (
        f"On top: {drawn}, a card that not everyone has seen"
        in (await channel.do("Bob", "deck show cup")).format_text()
    )
    assert bodies(await sound(channel, tmp_path), "undo")[0]["by"] == "manager"


async def test_what_is_taken_back_as_its_rules_are_gone_stays_known_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    channel, model = await ford(), Model()
    await channel.do("Anna", "deck peek 2 chances", "few ask units='Red 1'")
    with monkeypatch.context() as gone:
        gone.setattr(choose, "get_event_system", lambda _event, _systems: None)
        assert "is undone" in (await channel.do("Anna", "choose go")).title
    await followed(channel, model)
    assert [card.is_known(EVERYBODY) for card in model.now.top] == [True, False]
    await assert_told(channel, model.now)
    await opened(channel, tmp_path)


# -- forged


async def _forged(*, is_opened: bool) -> Json:
    """A log in which what all saw came back, and another undo behind which nothing is known."""
    channel = await ford()
    await channel.do("Anna", "deck draw chances to=me", "deck peek 2 chances")
    await channel.do("Bob", "few camp")
    await undone(channel, "Bob", "Anna")
    await channel.do("Bob", "deck draw chances to=me")
    await undone(channel, "Bob", "Anna")
    await channel.do("Anna", "few two", "deck draw chances")
    await undone(channel)
    await channel.do("Anna", "deck peek 1 chances", "deck shuffle chances", "game undo")
    if is_opened:
        await channel.do("Anna", "game end confirm", "fair reveal")
    log: Json = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    return log


def _undo(log: Json, at: int = 0) -> Json:
    return bodies(log, "undo")[at]


def _says_nothing(log: Json) -> None:
    for part in ("before", "after"):
        del _undo(log)[part]["cards"][SEEN]


def _says_it_of_an_earlier_one(log: Json) -> None:
    _undo(log, 1)["after"]["cards"][SEEN] = _undo(log)["number"]


def _forgets_the_earlier_one(log: Json) -> None:
    _undo(log, 1)["before"]["cards"][SEEN] = 0


def _says_it_of_a_draw_from_the_pile(log: Json, at: int = 2) -> None:
    body, was = _undo(log, at), _undo(log, 1)["number"]
    for part, number in (("before", was), ("after", body["number"])):
        body.setdefault(part, {}).setdefault("cards", {})[SEEN] = number


def _says_it_of_a_shuffle(log: Json) -> None:
    _says_it_of_a_draw_from_the_pile(log, 3)


def _unsays_it_by_a_sequence(log: Json) -> None:
    body = bodies(log, "sequence")[1]
    for part, at in (("before", _undo(log, 1)["number"]), ("after", 0)):
        body[part]["cards"][SEEN] = at


BENDS = [_says_nothing, _says_it_of_an_earlier_one, _forgets_the_earlier_one, _says_it_of_a_draw_from_the_pile,
         _says_it_of_a_shuffle, _unsays_it_by_a_sequence]  # fmt: skip


@pytest.mark.parametrize("is_opened", [False, True], ids=["closed", "opened"])
async def test_an_undo_that_tells_otherwise_what_was_seen_is_refused(is_opened: bool) -> None:
    assert_seen(await _forged(is_opened=is_opened), BENDS)


async def test_a_top_that_all_had_seen_and_the_log_says_they_had_not_is_seen_once_it_is_open() -> (
    None
):
    log = await _forged(is_opened=True)
    event = bodies(log, "sequence")[1]
    pile, _, row = event["read"]["deck.chances"][0].partition(" | ")
    first, *rest = row.split()
    assert first in NAMES
    deck = Counter(CARDS)
    told = {card: deck[card] for card in NAMES}
    event["read"]["deck.chances"] = [
        f"{' '.join(f'{card}*{count}' if count > 1 else card for card, count in told.items())} / - | ?*2 {rest[-1]}"
    ]
    assert pile != event["read"]["deck.chances"][0].partition(" | ")[0]
    rechained(log)
    faults = check(log).faults
    assert any("card faces it sealed do not match" in fault for fault in faults), faults


@pytest.mark.slow
@pytest.mark.parametrize("is_opened", [False, True], ids=["closed", "opened"])
async def test_the_verifiers_agree_on_forged_logs_with_such_undos(
    tmp_path: Path, is_opened: bool
) -> None:
    agree_on_forgeries(await _forged(is_opened=is_opened), Random(26), tmp_path)
