"""Games go on under the dice protocol that they began with; each new seed begins under the newest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.audit.check_file import check
from bot.game.ledger import Ledger
from bot.game.state import from_json, to_json
from bot.interface.spec import Command, Place
from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.proof.fair import dice_of
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides
from tools import verify_log

Json = dict[str, Any]
ROLL = "roll 10d10"


@pytest.fixture
def earlier(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Seeds are promised as by releases that knew only the first protocol, until it is undone."""
    promise = Ledger.fresh_secret

    def promised(ledger: Ledger, *args: Any) -> Json:
        return {name: value for name, value in promise(ledger, *args).items() if name != "protocol"}

    monkeypatch.setattr(Ledger, "fresh_secret", promised)
    return monkeypatch


async def export_of(channel: Channel) -> Json:
    log: Json = json.loads((await channel.do("Anna", "game export")).files[0].text)
    return log


def is_sound(log: Json, dice: int) -> bool:
    """Whether both verifiers find nothing wrong, and so many dice were computed again."""
    found = check(log)
    return found.faults == () and found.dice == dice and verify_log.check(log)[0] == []


def used(log: Json) -> list[int]:
    """By which protocol the dice of each roll follow from the seeds."""
    seeds = {row["epoch"]: bytes.fromhex(row["seed"]) for row in log["seeds"] if "seed" in row}
    found, epoch = [], 0
    for event in log["events"]:
        body = event["body"]
        if dice := body.get("dice"):
            shown = [die["value"] for die in dice]
            found += [
                protocol
                for protocol in (1, 2)
                if _faces(protocol, seeds[epoch], log["game"], body["number"], len(dice)) == shown
            ]
        epoch = body.get("secret", {}).get("epoch", epoch)
    return found


def _faces(protocol: int, seed: bytes, game: str, event: int, count: int) -> list[int | str]:
    return dice_of(protocol, seed, game, event).draw_all(Die("", 10), count)


async def test_a_new_game_begins_under_protocol_2() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", ROLL, "roll 3d10 secret")
    assert (await channel.game()).protocol == 2
    (sealed,) = (await channel.game()).sealed
    await channel.do("Anna", f"game reveal {sealed}", "fair reveal", ROLL, "fair reveal")
    log = await export_of(channel)
    assert [body["secret"]["protocol"] for body in _promises(log)] == [2, 2, 2]
    assert used(log) == [2, 2]
    assert is_sound(log, 23)


async def test_free_play_begins_under_protocol_2() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", ROLL, "fair reveal")
    log = await export_of(channel)
    assert log["events"][0]["body"]["free"] is True
    assert used(log) == [2]
    assert is_sound(log, 10)


async def test_an_older_game_goes_on_under_its_own_until_its_seed_is_revealed(earlier: pytest.MonkeyPatch) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", ROLL)
    earlier.undo()  # the bot is updated
    await channel.do("Bob", ROLL)
    await channel.do("Anna", "game undo", ROLL)
    assert (await channel.game()).protocol == 1
    await channel.do("Anna", "fair reveal", ROLL, "fair reveal")
    assert (await channel.game()).protocol == 2
    log = await export_of(channel)
    assert used(log) == [1, 1, 1, 2]
    assert is_sound(log, 40)


async def test_a_stored_state_of_an_earlier_release_is_under_protocol_1(earlier: pytest.MonkeyPatch) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    state = to_json(await channel.game())
    assert "protocol" not in state, "an older process reads it as well, while processes are updated one by one"
    assert from_json(state) == await channel.game()


async def test_a_game_with_what_only_a_newer_release_knows_is_left_to_it() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    state = to_json(await channel.game())
    with pytest.raises(UserError, match="newer Grognard") as refused:
        from_json({**state, "weather_of_tomorrow": "rain"})
    assert refused.value.code == "newer-game"


async def test_an_imported_game_goes_on_under_protocol_2(earlier: pytest.MonkeyPatch) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", ROLL, "fair reveal")
    file = (await channel.do("Anna", "game export")).files[0].text
    earlier.undo()
    other = Channel(await fresh_app(), Place("console:other", "console"), "o")
    command = Command(("game", "import"), {"file": file}, other.who("Anna"), other.place, "import")
    assert not (reply := await other.app.run(command)).error, reply.text()
    await other.do("Anna", ROLL, "fair reveal")
    log = await export_of(other)
    assert used(log) == [1, 2]
    assert is_sound(log, 20)


async def test_real_dice_take_no_words() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "roll 8d10 hand=1,2,3,4,5,6,7,8", ROLL, "fair reveal")
    log = await export_of(channel)
    assert used(log) == [2]
    assert check(log).by_hand == 8
    assert is_sound(log, 10)


async def test_texts_are_part_of_the_words() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'fair add "my own luck"')
    await channel.do("Bob", ROLL)
    await channel.do("Anna", "fair reveal")
    log = await export_of(channel)
    assert is_sound(log, 10)
    assert used(log) == [], "without the text they would be others"


def _promises(log: Json) -> list[Json]:
    return [event["body"] for event in log["events"] if "commitment" in event["body"].get("secret", {})]
