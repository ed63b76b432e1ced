"""Combat sequences that draw, beside closed cards: nothing of them tells which card is in a hand, and none is drawn
without a record."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from bot.app import App
from bot.running.unrecorded import NOTE
from bot.stores.base import StoreError
from bot.stores.sqlite import TemporaryStore
from tests.fresh import fresh_app, fresh_store, run
from tests.packs.conftest import PackMaker
from tests.packs.test_draws import FILES, SEQUENCES
from tests.playing import Channel
from tests.test_closed_cards import World

CAMP = """\
camp:
  title: Camp
  source: "ours"
  summary: A card that nobody rolls for.
  outputs: {result: text}
  odds_by: result
  steps:
  - draw: {card: chances}
  - let: {result: card.id}
    headline: "{result}"
"""


@pytest.fixture(autouse=True)
def pack(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> Path:
    path = make_pack({**FILES, "sequences.yaml": SEQUENCES + CAMP})
    use_packs(path.parent)
    return path


STARTS = (("Anna", "game start few scenario=ford"), ("Anna", "game join Reds"), ("Bob", "game join Blues"))
FIGHTS = ("few chance units=Blue", "few pair n=1", "few march unit=Blue", "few camp", "few ask units=Blue")
TRIES = (*FIGHTS, *(f"{line} odds" for line in FIGHTS), "few camp hand=guide", "few camp hand=quiet", "few camp secret",
         "deck show chances", "deck draw events", "log 30", "game export", "game stats", "game status")  # fmt: skip
GIVES_BACK = (("Anna", "game undo"), ("Bob", "game undo"))


async def played(face: int, lines: tuple[tuple[str, str], ...]) -> list[str]:
    clock = count(1_800_000_000, 7)
    world = World(Channel(await fresh_app(lambda: float(next(clock)))), {})
    for name, line in STARTS:
        await world.channel.do(name, line)
    world.faces = {(await world.channel.game()).number + 2: [face]}  # behind the event that declares the deck
    for name, line in lines:
        await world.do(name, line, holder="Anna")
    return world.seen


def seen(face: int, lines: tuple[tuple[str, str], ...]) -> list[str]:
    with patch("os.urandom", Random(26).randbytes):
        return run(played(face, lines))


TRIED = tuple((name, line) for line in TRIES for name in ("Bob", "Dora"))
DRAWS = ("Anna", "deck draw chances to=me")
WORLDS = {
    "in a hand": (DRAWS, *TRIED),
    "undone": (DRAWS, *GIVES_BACK, *TRIED),
    "looked at": (("Anna", "deck peek 1 chances"), *TRIED),
    "looked at, undone": (("Anna", "deck peek 1 chances"), *GIVES_BACK, *TRIED),
}


@pytest.mark.parametrize("name", WORLDS)
def test_no_sequence_nor_its_odds_tell_which_card_is_closed(name: str) -> None:
    """All quiet in one world, the only guide in the other."""
    first, second = seen(1, WORLDS[name]), seen(7, WORLDS[name])
    assert first == second
    refused = any("so combat sequences cannot draw from it" in part for part in first)
    assert refused == ("undone" not in name), "the odds and the fights are refused, or count all seven cards"
    if not refused:
        assert any("1/7" in part or "14.3" in part or "14 %" in part for part in first)


async def test_a_refused_draw_says_why() -> None:
    channel = await Channel.fresh()
    for name, line in (*STARTS, DRAWS):
        await channel.do(name, line)
    assert (await channel.say("Bob", "few camp")).code == "closed-cards"


async def test_while_nothing_can_be_saved_no_card_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mere dice are thrown then; a card would come from a pile that nobody knows."""

    async def fails(*_: object, **__: object) -> None:
        raise StoreError("The database cannot grow: the disk is full. None of it was saved.")

    store: TemporaryStore = await fresh_store()
    channel = Channel(App(store))
    for name, line in STARTS:
        await channel.do(name, line)
    await channel.do("Anna", "deck draw chances 6 play")
    monkeypatch.setattr(store, "commit", fails)
    reply = await channel.say("Bob", "few camp")
    assert reply.error, reply.text()
    assert NOTE not in reply.lines, reply.text()
