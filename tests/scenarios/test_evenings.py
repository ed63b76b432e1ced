"""Three evenings played to their end on Discord and on Slack, and what the digits in their public
text prove.

Six turns of Lock 'n Load from its beginners' scenario, twelve men a side in baps, three rounds of
Ultracombat Normandy with pinned elements. Dice fall as they do, so a unit that cannot act any more
is refused, in one of `EXPECTED`'s words. `GROGNARD_EVENINGS=FOLDER` keeps every answer's payload
there, to be drawn and looked at.
"""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from bot.verification.check_file import check_file, collect_heads, format_summary
from tests.adapters.discord.process import running as running_discord
from tests.adapters.slack.conftest import settle, stand_in
from tests.adapters.slack.process import running as running_slack
from tests.scenarios.evening import Table, keep, on_discord, on_slack
from tests.scenarios.evenings_helpers import (
    ended,
    ford,
    other,
    phases_on,
    taken_back,
)
from tests.standins.discord import DiscordStandIn
from tests.standins.taps import DiscordThumb, SlackThumb
from tools import verify_log

Story = Callable[[Table], Awaitable[None]]
Place = Callable[[Path], AbstractAsyncContextManager[Table]]


async def twelve(table: Table) -> None:
    """baps: twelve men a side fire volleys, until ammunition and men run out."""
    started = await table.say(
        "Greta", "game start", system="baps", name="Village", sides="US, German"
    )
    await table.press("Anna", started, "Join US")
    await table.press("Ben", started, "Join German")
    await table.say(
        "Anna", "unit add", name="GI 1..12", type="soldier", side="US", stats="weapon=rifle-semi"
    )
    await table.say(
        "Ben",
        "unit add",
        name="Landser 1..12",
        type="soldier",
        side="German",
        stats="weapon=rifle-bolt",
    )
    await table.say("Anna", "unit add", name="Sgt Cole", type="leader", side="US", stats="lr=2")
    await table.say("Greta", "game board")
    for turn in range(1, 5):
        await other(table, "Anna", "baps leader-points", unit="Sgt Cole")
        await other(table, "Anna", "baps random-order", unit="GI 1..12")
        await other(table, "Ben", "baps random-order", unit="Landser 1..12")
        for who, mine, yours in (("Anna", "GI", "Landser"), ("Ben", "Landser", "GI")):
            fire = {
                "attackers": f"{mine} 1..12",
                "range": 12 - 2 * turn,
                "targets": f"{yours} 1..9",
            }
            await other(table, who, "baps fire", **fire, odds=True)
            shot = await other(table, who, "baps fire", **fire, cover="light")
            if shot.error:
                button = next(
                    (one for one in shot.buttons if one.startswith(("Fire with", "Fire without"))),
                    "",
                )
                if button:
                    shot = await table.press(who, shot, button, maybe=True)
            if "Again" in shot.buttons:
                await table.press(who, shot, "Again", maybe=True)
            if turn == 1 and "Undo" in shot.buttons:
                latest = [one for one in table.seen if "Undo" in one.buttons][-1]
                await taken_back(table, latest, who, "Ben" if who == "Anna" else "Anna")
            await other(table, who, "baps morale-check", unit=f"{mine} 3", men=5, grade="veteran")
            await other(table, who, "baps melee", a=f"{mine} 10", b=f"{yours} 12")
            await other(table, who, "baps heroic-action", unit=f"{mine} 9")
        for path in ("unit list", "game status", "log", "game stats"):
            await table.say("Anna", path)
        for unit in ("us1", "us9", "germ1"):
            await table.say("Anna", "unit show", name=unit)
        while f"Turn {turn + 1}" not in table.seen[-1].text:
            await phases_on(table, 1)
    await ended(table, "German")


async def causeway(table: Table) -> None:
    """Ultracombat Normandy, *The Causeway*: three rounds of fire that pins."""
    started = await table.say("Greta", "game start", system="ucn", scenario="causeway")
    await table.press("Anna", started, "Join US")
    await table.press("Ben", started, "Join German")
    await table.say("Greta", "game board")
    for round_ in range(1, 4):
        await other(table, "Anna", "unit edit", name="us2", stats="+pinned")
        await other(table, "Ben", "unit edit", name="germ2", stats="+pinned")
        await other(table, "Anna", "ucn morale", unit="us2")
        await other(table, "Ben", "ucn morale", unit="germ2")
        for who, mine, yours in (("Anna", "us", "germ"), ("Ben", "germ", "us")):
            await other(table, who, "ucn spot", unit=f"{mine}1", target_concealed=True)
            own = await table.able(mine)
            for firer, choice in ((own[0], 0), (f"{mine}2", -1), (f"{mine}3", 0)):
                target = (await table.able(yours))[choice]
                fire = {"shooters": firer, "target": target, "target_in_cover": True}
                await other(table, who, "ucn shoot", **fire, odds=True)
                shot = await other(table, who, "ucn shoot", **fire)
                if round_ == 2 and firer == own[0] and not shot.error:
                    await taken_back(table, shot, who, "Ben" if who == "Anna" else "Anna")
            await other(table, who, "ucn react", unit=f"{mine}1")
        await other(table, "Anna", "ucn grenade-assault", target="germ1", occupants=5)
        await other(table, "Ben", "ucn melee", unit="germ1", target="us1")
        await other(table, "Anna", "ucn attack-vehicle", skill=12, pen=8, target="germ4")
        for path in ("unit list", "game status", "log", "game stats"):
            await table.say("Anna", path)
        for unit in ("us1", "us2", "germ4"):
            await table.say("Ben", "unit show", name=unit)
        while (
            f"Turn {round_ + 1}" not in table.seen[-1].text
            and f"Round {round_ + 1}" not in table.seen[-1].text
        ):
            await phases_on(table, 1)
    await ended(table, "US")


@pytest.mark.slow_sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("platform", "story"),
    [(on_discord, ford), (on_slack, twelve), (on_discord, causeway), (on_slack, ford)],
)
async def test_an_evening_is_played_to_its_end_and_proves_itself(
    platform: Place, story: Story, tmp_path: Path
) -> None:
    name = f"{getattr(platform, '__name__', '')}-{getattr(story, '__name__', '')}"
    async with platform(tmp_path) as table:
        try:
            await story(table)
        finally:
            keep(table, name)
        path = tmp_path / "game.json"
        path.write_bytes(await table.platform.log_of("Greta"))
        public = table.platform.public()
    if folder := os.environ.get("GROGNARD_EVENINGS"):
        (Path(folder) / name / "game.json").write_bytes(path.read_bytes())
    heads = collect_heads((), (public,), lambda: "")
    events = json.loads(path.read_text())["events"]
    found = check_file(path, heads)
    shown = verify_log.parse_heads(heads)
    covered = max(head.number or 0 for head in shown)
    print(
        f"{name}: {len(shown)} heads, to #{covered} of {len(events)} events, {len(table.seen)} answers"
    )
    print(*found.faults, *format_summary(found), sep="\n")
    assert found.status == 0
    assert covered > 0.9 * len(events)


NEWCOMER = 16
"""The most taps that a first shot may cost, from *Start a game* to the result, without a letter
typed.
"""


@pytest.mark.slow
async def test_a_newcomers_first_shot_on_discord(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running_discord(discord, tmp_path):
        anna, table = DiscordThumb(discord.user("Anna")), discord.channel("table")
        hello = await (await anna.person.slash(table, "help")).answer()
        form = await anna.press(hello, "Start")
        started = await (await anna.submit(form, {"Scenario": "lnlt/ford"})).answer()
        await (await anna.press(started, "Join US")).answer()
        won = await (await anna.press(started, "Initiative")).answer()
        card = await (await anna.press(won, "Next phase")).answer()
        form = await anna.press(card, "Fire")
        fired = await (
            await anna.submit(form, {"Who's firing": ["us1"], "Targets": ["vc1"]})
        ).answer()
        assert not fired.ephemeral, fired.text
        taps, letters = anna.spent()
        print(
            f"Discord: {taps} taps, {letters} characters, {len(anna.person.sees(table))} messages, 2 forms"
        )
        assert taps <= NEWCOMER
        assert not letters


@pytest.mark.slow
async def test_a_newcomers_first_shot_on_slack(tmp_path: Path) -> None:
    slack = await stand_in("socket")
    try:
        home, one, _, games = settle(slack)
        anna = SlackThumb(one)
        async with running_slack(slack, tmp_path, home):
            hello = await (await one.slash(games, "/grognard", "help")).answer()
            view = await (await anna.press(hello, "Start")).modal()
            await anna.submit(view, {"scenario": "lnlt/ford"})
            started = await one.wait_for(games, "The Ford at Dawn")
            await (await anna.press(started, "Join US")).answer()
            won = await (await anna.press(started, "Initiative")).answer(
                where=lambda one: "initiative" in one.text
            )
            card = await (await anna.press(won, "Next phase")).answer(
                where=lambda one: "Operations" in one.text
            )
            view = await (await anna.press(card, "Fire")).modal()
            await anna.submit(view, {"attackers": ["us1"], "targets": ["vc1"]})
            fired = await one.wait_for(games, "Local 1")
            assert fired.ephemeral_for is None, fired.text
            taps, letters = anna.spent()
            print(
                f"Slack: {taps} taps, {letters} characters, {len(one.sees(games))} messages, 2 forms"
            )
            assert taps <= NEWCOMER
            assert not letters
    finally:
        await slack.stop()
