"""Combat sequences that draw, beside closed cards: nothing of them tells which card is in a hand,
and none is drawn without a record."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from bot.app import App
from bot.commands import closed_piles as commands
from bot.commands.play import odds
from bot.execution.promises import NOTE
from bot.game import decks
from bot.game.ledger import Ledger
from bot.rules.dice import Die, RolledDie
from bot.storage.base import StoreError
from bot.storage.sqlite import TemporaryStore
from tests.closed_cards.two_worlds_helpers import Given, World
from tests.closed_cards.two_worlds_of_sequences_helpers import (
    CAMP,
)
from tests.fresh import fresh_app, fresh_store, run
from tests.packs.conftest import PackMaker
from tests.packs.draws_helpers import CHANCES, FILES, MARCH, SEQUENCES
from tests.playing import Channel

FOG = "  - {id: fog, count: 9, ap: 1, side: both, after: back}\n  - {id: mud, count: 9, ap: 2, side: both}\n"
DECK = CHANCES.replace("  - {id: guide", f"{FOG}  - {{id: guide")
"""All that sequences draw comes between the two cards that differ, so that it has another face
in each world.
"""


@pytest.fixture(autouse=True)
def pack(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> Path:
    path = make_pack(
        {**FILES, "decks/chances.yaml": DECK, "sequences.yaml": SEQUENCES + MARCH + CAMP}
    )
    use_packs(path.parent)
    return path


STARTS = (
    ("Anna", "game start few scenario=ford"),
    ("Anna", "game join Reds"),
    ("Bob", "game join Blues"),
)
FIGHTS = (
    "few chance units=Blue",
    "few pair n=1",
    "few march unit=Blue",
    "few camp",
    "few ask units=Blue",
)
ODDS = (*(f"{line} odds" for line in FIGHTS), "few chance units=Blue compare")
REFUSED = (
    "few camp hand=guide",
    "few camp hand=quiet",
    "few camp hand=rain",
    "few camp secret",
    "few camp rounds=2",
)
LOOKS = (
    "deck show chances",
    "log 30",
    "game export",
    "game stats",
    "game status",
    "hand",
    "privacy export",
)
TRIES = (*ODDS, *FIGHTS, *ODDS, *REFUSED, "choose go", "game undo", "game redo", *LOOKS)
GIVES_BACK = (("Anna", "game undo"), ("Bob", "game undo"))
SPECIAL = ("quiet", "guide")
"""The card that is closed in one world, and in the other; sequences draw neither of them."""


class Chosen(Given):
    """Faces that were arranged; sequences draw what is the same card in both worlds, whatever
    face that takes.
    """

    def draw(self, die: Die) -> int | str:
        if die.pile is None or not die.sides:
            return super().draw(die)
        free = [card for card, _ in die.pile.pile.next if card not in SPECIAL]
        assert free, "only cards that differ are left: the next one would tell of them rightly"
        return int(die.pile.face(free[-1]))


class Table(World):
    """A world in which the holder fights, too: all see that, and what they share of odds that
    they alone see.
    """

    async def act(self, name: str, line: str) -> None:
        source = Ledger.create_dice_source
        with patch.object(
            Ledger,
            "create_dice_source",
            lambda ledger: Chosen(self.faces.get(ledger.next_number, ()), source(ledger)),
        ):
            reply = await self.channel.say(name, line)
            assert "reference" not in reply.format_text(), line
            self.note(f"{name}: {line}", reply, hides=name == "Anna")
            for label in ("Share", "Odds"):
                action = next((one.action for one in reply.buttons if one.label == label), "")
                if action and not (label == "Odds" and name == "Anna"):
                    told = await self.channel.press(name, action)
                    self.note(f"{name} presses {label}", told, hides=False)


async def played(faces: tuple[int, ...], lines: tuple[tuple[str, str], ...]) -> list[str]:
    clock = count(1_800_000_000, 7)
    world = Table(Channel(await fresh_app(lambda: float(next(clock)), lambda: 0.0)), {})
    for name, line in STARTS:
        await world.channel.do(name, line)
    # behind the event that declares the deck
    world.faces = {(await world.channel.game()).number + 2: faces}
    for name, line in lines:
        await world.act(name, line)
    return world.seen


def seen(faces: tuple[int, ...], lines: tuple[tuple[str, str], ...]) -> list[str]:
    with patch("os.urandom", Random(26).randbytes):
        return run(played(faces, lines))


TRIED = tuple((name, line) for line in TRIES for name in ("Bob", "Dora", "Anna"))
DRAWS, LOOKED = ("Anna", "deck draw chances 2 me"), ("Anna", "deck peek 2 chances")
LATER = tuple(
    (name, line) for line in (*ODDS, *REFUSED, *LOOKS) for name in ("Bob", "Dora", "Anna")
)
"""What may be tried where the next card is the one that differs."""
WORLDS: dict[str, tuple[tuple[str, str], ...]] = {
    "in a hand": (DRAWS, *TRIED),
    "in a hand, others played": (DRAWS, ("Anna", "deck play rain chances"), *TRIED),
    "given": (
        DRAWS,
        ("Anna", "deck give all Blues chances"),
        *((n, line) for n, line in TRIED if n != "Bob"),
    ),
    "put back": (DRAWS, ("Anna", "deck return all chances"), *TRIED),
    "put at the bottom": (DRAWS, ("Anna", "deck return all chances bottom"), *TRIED),
    "put on top": (DRAWS, ("Anna", "deck return all chances top"), *LATER),
    "undone": (DRAWS, *GIVES_BACK, *TRIED),
    "looked at": (LOOKED, *LATER),
    "looked at, the first of two is drawn": (LOOKED, ("Bob", "few camp"), *LATER),
    "looked at, the first of two is drawn and back": (
        LOOKED,
        ("Bob", "few camp"),
        *GIVES_BACK[::-1],
        *LATER,
    ),
    "looked at, held and back": (LOOKED, ("Anna", "deck draw chances 2 me"), *GIVES_BACK, *LATER),
    "looked at, shuffled": (LOOKED, ("Anna", "deck shuffle chances"), *TRIED),
    "looked at, undone": (LOOKED, *GIVES_BACK, *TRIED),
}


@pytest.mark.slow_sample(3)
@pytest.mark.sample(1)
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", WORLDS)
def test_no_sequence_nor_its_odds_tell_which_card_is_closed(name: str) -> None:
    """Rain and then quiet in one world, rain and the only guide in the other."""
    first, second = seen((5, 1), WORLDS[name]), seen((5, 24), WORLDS[name])
    for here, there in zip(first, second, strict=False):
        assert here == there
    assert len(first) == len(second)
    counted = ["lost 17%"] if name.endswith("drawn and back") else ["lost 21%", "lost 22%"]
    assert any(odds in part for part in first for odds in counted), (
        "odds that count all that is not seen"
    )


MOVES = ("deck discard all chances", "deck discard mud chances", "deck shuffle chances", "deck return all chances",
         "deck return mud chances top", "deck return fog chances bottom", "few pair n=0", "deck discard fog chances",
         "game undo", "game redo", "roll 2d6")  # fmt: skip
HELD = ("deck play rain chances", "deck return all chances", "game undo", "few camp")
"""What the holder may do, which shows the card to nobody."""


def walk(seed: int) -> tuple[tuple[str, str], ...]:
    """A random evening of sequences among cards that are held, known and put back."""
    chance, lines = Random(seed), list[tuple[str, str]]()
    for _ in range(30):
        name = chance.choice(("Anna", "Bob", "Bob", "Dora"))
        lines.append(
            (
                name,
                chance.choice(
                    (*FIGHTS, *FIGHTS, *ODDS, *LOOKS, *(HELD if name == "Anna" else MOVES))
                ),
            )
        )
        lines += [(name, "choose go")] if "ask" in lines[-1][1] else []
        lines += [("Anna", "game undo")] if lines[-1] == ("Bob", "game undo") else []
    return (DRAWS, *lines)


@pytest.mark.slow_sample(5)
@pytest.mark.sample(1)
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "seed", [seed if seed < 1 else pytest.param(seed, marks=pytest.mark.slow) for seed in range(24)]
)
def test_random_evenings_of_sequences_stay_the_same_whatever_is_closed(seed: int) -> None:
    lines = walk(seed)
    for here, there in zip(seen((5, 1), lines), seen((5, 24), lines), strict=True):
        assert here == there, lines


@pytest.mark.slow
def test_the_attack_would_see_odds_that_know_a_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three leaks made by hand: odds for others by the true pile, an open face, what is shared
    of private odds.
    """
    lines = WORLDS["in a hand"]
    honest = decks.get_visible_pile
    with monkeypatch.context() as bent:
        bent.setattr(
            commands,
            "get_visible_pile",
            lambda id, game, hands, _: honest(id, game, hands, decks.EVERYTHING),
        )
        assert seen((5, 1), lines) != seen((5, 24), lines)
    with monkeypatch.context() as bent:
        bent.setattr(RolledDie, "is_closed", property(lambda _: False))
        assert seen((5, 1), lines) != seen((5, 24), lines)
    with monkeypatch.context() as bent:
        boxed = odds.add_share_button
        bent.setattr(odds, "add_share_button", lambda context, reply, _=None: boxed(context, reply))
        assert seen((5, 1), lines) != seen((5, 24), lines)


def test_the_holder_counts_without_the_card() -> None:
    """What is compared is no empty thing: to the holder both worlds have other odds."""

    async def told(faces: tuple[int, ...]) -> str:
        channel = await Channel.fresh()
        for name, line in STARTS:
            await channel.do(name, line)
        source, number = Ledger.create_dice_source, (await channel.game()).number + 2
        with patch.object(
            Ledger,
            "create_dice_source",
            lambda ledger: Given(faces if ledger.next_number == number else (), source(ledger)),
        ):
            await channel.do(*DRAWS)
        return (await channel.do("Anna", "few chance units='Red 1' odds")).format_text()

    assert run(told((5, 1))) != run(told((5, 24)))


async def test_while_nothing_can_be_saved_no_card_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mere dice are thrown then; a card would come from a pile that nobody knows."""

    async def fails(*_: object, **__: object) -> None:
        raise StoreError(
            "The database cannot grow, because the disk is full. None of it was saved."
        )

    store: TemporaryStore = await fresh_store()
    channel = Channel(App(store))
    for name, line in STARTS:
        await channel.do(name, line)
    await channel.do("Anna", "deck draw chances 6 play")
    monkeypatch.setattr(store, "commit", fails)
    reply = await channel.say("Bob", "few camp")
    assert reply.error, reply.format_text()
    assert NOTE not in reply.lines, reply.format_text()
