"""Orders stay sealed until every side is in: nobody reads them by leaving, joining, or taking
another side.

The situation is the same in each game: Ann leads the game and plays Red; Ben plays Blue in some
cases; Eve watches.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters.discord.render import render_message as render_discord
from adapters.discord.request import DiscordRequest
from adapters.slack.render import render_message as render_slack
from bot.commands.dispatch import load_shared_registry
from bot.ui.reply.reply import Reply
from bot.verification.check_file import check
from tests.forging import rechained
from tests.playing import Channel
from tests.random_play import exported_text
from tools import verify_log

GAMES = ("lnlt", "ucn", "baps", "nhis")
SECRET = "march to A1"


class Table:
    """A channel of one game, and everything that all could read in it."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.public: list[Reply] = []

    async def play(self, *lines: str) -> Reply:
        """Play lines such as `Ann: game join Red`, and return the answer to the last one; none
        may be refused.
        """
        for line in lines:
            reply = await self.say(line)
            assert not reply.error, f"{line}: {reply.format_text()}"
        return reply

    async def say(self, line: str) -> Reply:
        """Return the answer to a line such as `Ben: order open`, which may be a refusal."""
        name, _, command = line.partition(": ")
        reply = await self.channel.say(name, command)
        self.public += [
            one for one in (reply.announce, None if reply.private else reply) if one is not None
        ]
        return reply

    def count_public(self, text: str) -> int:
        """Return how many public messages hold a text, as either platform gets them."""
        found = 0
        for reply in self.public:
            on_discord = json.dumps(
                render_discord(
                    reply, DiscordRequest(1, "", 1, 2, 2, 1), load_shared_registry()
                ).body
            )
            on_slack = repr(render_slack(reply, "T1", load_shared_registry()))
            assert (text in on_discord) == (text in on_slack)
            found += text in on_discord
        return found


async def begin(game: str, sides: str = "Red, Blue") -> Table:
    table = Table(await Channel.fresh())
    await table.play(f'Ann: game start {game} "Test" sides="{sides}"', "Ann: game join Red")
    return table


async def verified(channel: Channel) -> dict[str, Any]:
    """Return the exported log, which both verifiers find sound."""
    log: dict[str, Any] = json.loads(await exported_text(channel))
    assert [*check(log).faults] == []
    assert verify_log.check(log).faults == []
    return log


@pytest.mark.parametrize("game", GAMES)
async def test_orders_wait_for_a_side_that_nobody_plays_yet(game: str) -> None:
    table = await begin(game)
    own = await table.play(f'Ann: order write "{SECRET}"')
    assert own.announce is not None
    assert own.announce.title == "Orders for turn 1: Red is in, nobody plays Blue"
    assert "Nobody plays Blue: /order open opens them now." in own.format_text()
    assert (table.count_public(SECRET), len((await table.channel.game()).orders)) == (0, 1)

    await table.play("Ben: game join Blue", "Ben: order write hold")
    assert (table.count_public(SECRET), (await table.channel.game()).orders) == (1, {})
    await verified(table.channel)


async def test_a_player_alone_opens_their_own_orders_when_they_say_so() -> None:
    table = await begin("lnlt")
    opened = await table.play(f'Ann: order write "{SECRET}"', "Ann: order open")
    assert opened.title == "Ann opens the orders for turn 1"
    assert opened.format_body() == [f"Red: {SECRET}", "Not in: Blue."]
    await verified(table.channel)


async def test_a_game_master_who_never_played_opens_early_and_all_are_told_who_did() -> None:
    table = Table(await Channel.fresh())
    await table.play(
        'Gus: game start lnlt "Test" sides="Red, Blue"', "Ann: game join Red", "Ben: game join Blue"
    )
    opened = await table.play(f'Ann: order write "{SECRET}"', "Gus: order open")
    assert not opened.private
    assert opened.first_line == "Gus opens the orders for turn 1 · Red"
    assert opened.mention == ("console:ann", "console:ben")
    await verified(table.channel)


ORDER = f'Ann: order write "{SECRET}"'
ATTACKS = {
    "a stranger": ([ORDER], "Eve", "not-player"),
    "the side that is not in": (["Ben: game join Blue", ORDER], "Ben", "not-all-in"),
    "the side that is in, while the other has a player": (["Ben: game join Blue", ORDER], "Ann", "not-all-in"),
    "whoever left": (["Ben: game join Blue", ORDER, "Ben: game leave"], "Ben", "not-player"),
    "whoever changed sides": (
        ["Ben: game join Blue", ORDER, "Ben: game leave", "Ben: game join Red"], "Ben", "not-all-in",
    ),
    "whoever changed sides and wrote": (
        ["Ben: game join Blue", ORDER, "Ben: game leave", "Ben: game join Red", "Ben: order write x"],
        "Ben", "not-all-in",
    ),
    "somebody new on the side": ([ORDER, "Eve: game join Red", "Eve: order write x"], "Eve", "not-all-in"),
    "a master who left": (
        ["Ben: game join Blue", f'Ben: order write "{SECRET}"', "Ann: game leave"], "Ann", "not-all-in",
    ),
    "a master who left before": (
        ["Ann: game leave", "Ben: game join Blue", f'Ben: order write "{SECRET}"'], "Ann", "not-all-in",
    ),
    "a friend, once the third side has left": (
        ["Ben: game join Blue", "Cid: game join Green", ORDER, "Ben: order write x", "Cid: game leave"],
        "Ben", "not-all-in",
    ),
}  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("attack", ATTACKS)
async def test_nobody_reads_orders_by_leaving_joining_or_changing_sides(
    attack: str, game: str
) -> None:
    """Each attempt is refused and shows nothing; both verifiers find a log that holds such an
    opening.
    """
    lines, opener, code = ATTACKS[attack]
    table = await begin(
        game, "Red, Blue, Green" if "Cid: game join Green" in lines else "Red, Blue"
    )
    await table.play(*lines)
    reply = await table.say(f"{opener}: order open")
    assert (reply.private, reply.code) == (True, code), reply.format_text()
    assert table.count_public(SECRET) == 0
    has_written_it = any(line.startswith(f"{opener}: ") and SECRET in line for line in lines)
    assert (SECRET in (await table.say(f"{opener}: order show")).format_text()) == has_written_it

    log = await verified(table.channel)
    forged = await open_by_force(log, table.channel, opener)
    faults = check(forged).faults
    assert any("not every side has written" in fault for fault in faults), faults


async def open_by_force(log: dict[str, Any], channel: Channel, opener: str) -> dict[str, Any]:
    """Return the log with an opening by somebody behind its last event."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    game = loaded.game
    persons = {row.name: row.person for row in loaded.persons.values()}
    who = persons.get(opener, "e" * 16)
    written = {game.players[by] for by in game.orders.values() if by in game.players}
    body = {
        "number": game.number + 1, "at": log["events"][-1]["body"]["at"], "who": who, "behind": game.last,
        "side": game.players.get(who, ""), "kind": "orders", "reads": sorted(map(int, game.orders)),
        "result": f"of {' and '.join(side for side in game.sides if side in written)}",
        "before": {"game": {"orders": dict(game.orders)}}, "after": {"game": {"orders": {}}},
    }  # fmt: skip
    log["events"].append({"number": body["number"], "body": body, "hash": ""})
    return rechained(log)


@pytest.mark.parametrize(
    ("typed", "hours"),
    [("2d", 48), ("36h", 36), ("1w", 168), ("90m", 1.5), ("1.5d", 36), ("90 minutes", 1.5)],
)
async def test_a_deadline_is_typed_in_the_usual_units_of_time(typed: str, hours: float) -> None:
    table = await begin("lnlt")
    now = 1_000_000_000.0
    table.channel.app._clock = table.channel.app.executor._clock = lambda: now
    await table.play(ORDER, f'Ann: order deadline "{typed}"')
    assert (await table.channel.game()).orders_due - now == hours * 3600


async def test_the_deadline_opens_them_for_players_only_though_a_side_has_nobody() -> None:
    table = await begin("lnlt")
    await table.play("Ben: game join Blue", ORDER, "Ben: game leave", "Ann: order deadline 1h")
    due = (await table.channel.game()).orders_due
    table.channel.app._clock = table.channel.app.executor._clock = lambda: due + 1.0
    assert (await table.say("Eve: order open")).code == "not-player"
    assert (await table.play("Ann: order open")).title == "Ann opens the orders for turn 1"
    await verified(table.channel)
