"""Whatever is played: undo restores exactly, so does redo, and the log alone explains the state."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.game.events import NEVER_UNDONE, replay
from bot.game.state import from_json, get_undoable_content, to_json
from bot.rules.dice import d6
from bot.rules.proof.chain import SAID
from bot.rules.proof.fair import Stream
from bot.verification.check_games import audit_games
from bot.verification.export import export_game
from tests.forging import verify
from tests.fresh import run
from tests.game.properties_helpers import (
    bodies,
)
from tests.playing import Channel, two_sides

PERSONS = ("Anna", "Bob", "Carl")
LINES = (
    "roll 2d6+1",
    "roll 4d6kh3 label=fate",
    "roll d20 secret",
    'lnlt fire attackers="us1; us2" targets="vc1; vc2; vc3" adjacent',
    'lnlt fire attackers="vc1" targets="us1"',
    'lnlt fire attackers="squad fp=4" targets="squad morale=4"',
    'lnlt melee attackers="us1 fp=2" defenders="vc1 fp=1"',
    'lnlt rally units="vc1" rallier=other',
    'lnlt morale-check units="us1; vc1" secret',
    "lnlt morale-check units=us3 hand=6,6",
    "unit edit us1 state=shaken marker=+moved",
    "unit edit vc2 morale=6 fp=none",
    "unit edit vc1 side=US",
    "unit remove vc2",
    'unit add "Late 1..2" half-squad stats="morale=4"',
    "game next",
    "game initiative VC",
    "game initiative",
    "game pass",
    "game pass done",
    "game plan 5 rain",
    "game settings answers=compact",
    "game settings hand_dice=no",
    "game leave",
    "game join US",
    "game undo",
    "game redo",
    "game reveal 12",
    "fair add text",
    "fair reveal",
    "again",
    "log 5",
    "privacy delete confirm",
)
played = st.lists(
    st.tuples(st.sampled_from(PERSONS), st.sampled_from(LINES)), min_size=1, max_size=18
)


async def turned(channel: Channel, what: str) -> bool:
    """Undo, or redo, with the consent of whoever may give it; False where that cannot be done."""
    for name in PERSONS:
        command = f"game {what}"
        if what == "undo":  # of the last event, be it one that undo passes over
            reply = await channel.undo_last(name)
        else:
            reply = await channel.say(name, command, manager=True)
        if reply.error:
            continue
        if "asks to" not in reply.title:
            return True
        action = reply.buttons[0].action
        for other in PERSONS:
            if other != name and not (await channel.press(other, action)).error:
                return True
    return False


@settings(max_examples=10)
@given(played)
def test_undo_restores_and_redo_brings_back(lines: list[tuple[str, str]]) -> None:
    assert_undo_and_redo(lines)


@pytest.mark.slow
@settings(max_examples=60)
@given(played)
def test_undo_restores_and_redo_brings_back_in_many_games(lines: list[tuple[str, str]]) -> None:
    assert_undo_and_redo(lines)


def assert_undo_and_redo(lines: list[tuple[str, str]]) -> None:
    """Type the lines; after each event, undo it and bring it back, and compare the states."""

    async def play() -> None:
        channel = await Channel.fresh()
        await two_sides(channel)
        for name, line in lines:
            before, count = await channel.content(), (await channel.game()).number
            reply = await channel.say(name, line)
            game = await channel.game()
            if reply.error or game.number == count:
                assert await channel.content() == before, "nothing happened, so nothing changed"
                continue
            last = (await bodies(channel))[-1]
            if last["kind"] in (*NEVER_UNDONE, "undo", "redo"):
                continue
            after = await channel.content()
            if await turned(channel, "undo"):
                assert await channel.content() == before
                assert await turned(channel, "redo")
                assert await channel.content() == after

    run(play())


@settings(max_examples=10)
@given(played)
def test_the_log_explains_the_state_and_the_chain_is_whole(lines: list[tuple[str, str]]) -> None:
    assert_log_explains_state(lines)


@pytest.mark.slow
@settings(max_examples=60)
@given(played)
def test_the_log_explains_the_state_of_many_games(lines: list[tuple[str, str]]) -> None:
    assert_log_explains_state(lines)


def assert_log_explains_state(lines: list[tuple[str, str]]) -> None:
    """Type the lines, replay the log and compare it with the state; audit the whole store."""

    async def play() -> None:
        channel = await Channel.fresh()
        await two_sides(channel)
        for name, line in lines:
            await channel.say(name, line)
        game = await channel.game()
        assert to_json(replay(game.id, await bodies(channel))) == to_json(game)
        assert to_json(from_json(json.loads(json.dumps(to_json(game))))) == to_json(game)
        assert (await audit_games(channel.app.store)) == (1, [])

    run(play())


@settings(max_examples=15)
@given(played)
def test_an_export_without_its_seed_predicts_nothing(lines: list[tuple[str, str]]) -> None:
    """Two games with the same words and other seeds have nothing of the dice to come in their
    exports.
    """

    async def play() -> None:
        channel = await Channel.fresh()
        await two_sides(channel)
        for name, line in lines:
            await channel.say(name, line)
        loaded = await channel.app.games.load_current(channel.place.key)
        assert loaded is not None
        store, row = channel.app.store, loaded.row
        parts = (
            await store.load_events(row),
            await store.load_seeds(row),
            await store.load_texts(row),
            await store.load_persons(row),
        )
        text = json.dumps(export_game(loaded.game.id, *parts))
        assert loaded.seed.seed.hex() not in text
        assert verify(json.loads(text)).faults == ()
        for sealed in loaded.game.sealed:
            for kept in parts[2]:
                assert kept.event != sealed or kept.key == SAID or kept.salt not in text
        game, seed = loaded.game, loaded.seed
        ahead = Stream(seed.seed, game.id, game.number + 1, game.digest)
        guess = Stream(bytes.fromhex(seed.commitment), game.id, game.number + 1)
        dice = [d6("x")] * 60
        assert [ahead.draw(die) for die in dice] != [guess.draw(die) for die in dice]

    run(play())


def test_content_leaves_out_the_bookkeeping() -> None:
    async def play() -> None:
        channel = await Channel.fresh()
        await channel.do("Anna", "roll d6")
        assert "number" not in get_undoable_content(await channel.game())

    run(play())
