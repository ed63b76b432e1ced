"""Whatever an import takes, every command survives; and what it does not take is refused with
one clear line.
"""

from __future__ import annotations

import json
import random
from typing import Any
from unittest.mock import patch

import pytest

from bot.ui.spec import Command, Place
from tests.bending import ODD, bent
from tests.forging import bodies, copied, rechained
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides
from tests.random_play import exported_text

FILES, FEW, MOST = 60, 10, 300
"""Bent files for each of the four batches; in the quick run a few. Of most bends none is harmless:
there are more files, up to the most, until one is taken.
"""
WORDS = [
    *ODD,
    "Anna",
    "us1",
    "vc1",
    [["x"]],
    {"units": {"x": None}},
    "squad; leader",
    "lnlt fire",
    "2d6",
    "x" * 3000,
]
WENT_WRONG = "not your fault"
GAME = (
    ("Anna", 'roll 2d6+1 label="take that"'),
    ("Anna", "lnlt fire attackers=us1 targets='vc1; squad morale=4' adjacent hand=6,1,5,4"),
    ("Anna", "lnlt melee attackers=us1 defenders=vc2 hand=1,1,1,1"),
    ("Bob", "lnlt morale-check units=vc2 secret"),
    ("Anna", "lnlt-table hero-creation"),
    ("Bob", "unit edit vc2 morale=4 marker=+moved"),
    ("Bob", "game undo"),
    ("Bob", "game redo"),
    ("Anna", "game next"),
    ("Anna", "roll d20 secret"),
    ("Anna", "game initiative US"),
    ("Anna", "game settings answers=compact"),
)
COMMANDS = (
    "log", "log 50", "log unit=us1", 'log unit="Squad 1"', "log side=US", "log kind=sequence", "log kind=roll",
    "game status", "game stats", "unit list", "unit list all", "unit show us1", "fair show", "game export json",
    "game export csv", "game export markdown", "again", "game claim", "game join US", "game undo", "game redo",
    "game undo",
    "unit edit us1 state=shaken", "lnlt fire attackers=us1 targets=vc1", "lnlt fire attackers=us1 targets=vc1 odds",
    "roll 2d6", "game next", "game reveal 11", "fair reveal", "privacy show", "privacy export", "game settings",
    "game leave", "log 50", "game end confirm", "log 50", "game export json", "game export csv", "game export markdown",
    "game stats",
    "privacy delete confirm", "log 50", "game delete",
)  # fmt: skip


async def _exported() -> dict[str, Any]:
    """The file of a small game with something of everything, the same on every run."""
    with patch("os.urandom", random.Random("salt").randbytes):
        return await _played()


async def _played() -> dict[str, Any]:
    channel = Channel(await fresh_app(lambda: 1_700_000_000.0))
    await two_sides(channel)
    for who, line in GAME:
        await channel.do(who, line)
    await channel.do("Bob", "game reveal 11")
    found: dict[str, Any] = json.loads((await channel.do("Anna", "game export")).files[0].text)
    await channel.app.close()
    return found


def of_other_tables(log: dict[str, Any]) -> dict[str, Any]:
    """The log as if played under an older edition: then no outcome can be played again."""
    log = copied(log)
    for body in bodies(log):
        if "edition" in body:
            body["edition"] = 1
    return rechained(log)


def bent_log(draw: random.Random, log: dict[str, Any], *, only_bodies: bool) -> dict[str, Any]:
    """The log bent in one to three places, its chain mostly made whole again."""
    for _ in range(draw.choice([1, 1, 2, 3])):
        if only_bodies:
            log = copied(log)
            event = draw.choice(
                [event for event in log["events"] if isinstance(event["body"], dict)]
            )
            field = draw.choice(
                ["inputs", "out", "result", "target", "command", "used", "acting", ""]
            )
            if field in event["body"]:
                event["body"][field] = bent(draw, event["body"][field], odd=WORDS)
            else:
                event["body"] = bent(draw, event["body"], odd=WORDS)
        else:
            log = bent(draw, log)
    try:
        return rechained(log) if draw.random() < 0.9 else log
    except (TypeError, KeyError, ValueError, AttributeError, IndexError, RecursionError):
        return log


@pytest.mark.slow_sample(2)
@pytest.mark.sample(1)
@pytest.mark.parametrize("files", [FEW, pytest.param(FILES, marks=pytest.mark.slow)])
@pytest.mark.parametrize("only_bodies", [True, False], ids=["bodies", "files"])
@pytest.mark.parametrize("other_tables", [True, False], ids=["other-tables", "todays-tables"])
async def test_what_import_takes_every_command_survives(
    only_bodies: bool, other_tables: bool, files: int
) -> None:
    draw, log, taken = random.Random(f"{only_bodies} {other_tables} bent 2"), await _exported(), 0
    log = of_other_tables(log) if other_tables else log
    app = await fresh_app()
    for number in range(MOST):
        if taken and number >= files:
            break
        file = json.dumps(bent_log(draw, log, only_bodies=only_bodies))
        place = Place(f"console:{number}", "console", "there")
        there = Channel(app, place, f"bent{number}-")
        command = Command(
            ("game", "import"), {"file": file}, there.who("Zoe", manager=True), place, f"i{number}"
        )
        reply = await app.run(command)
        assert WENT_WRONG not in reply.format_text(), (number, reply.format_text())
        if reply.error:
            assert len(reply.format_text()) < 600, (number, reply.format_text())
            reply.format_text().encode()
            continue
        taken += 1
        for line in COMMANDS:
            answer = await there.say("Anna" if "claim" in line else "Zoe", line, manager=True)
            assert WENT_WRONG not in answer.format_text(), (number, line, answer.format_text())
            json.dumps(answer.to_json()).encode()
            for file_ in answer.files:
                assert file_.data
    assert taken, "no bent file is harmless enough to be taken"
    await app.close()


async def test_a_log_that_lacks_a_persons_row_is_refused() -> None:
    """Else whoever would be asked to agree is nobody, and an undo fails."""
    channel = await Channel.fresh()
    await two_sides(channel)
    log = json.loads(await exported_text(channel))
    log["persons"] = [row for row in log["persons"] if row["name"] != "Bob"]
    there = Channel(await fresh_app())
    command = Command(
        ("game", "import"), {"file": json.dumps(log)}, there.who("Anna"), there.place, "import"
    )
    assert (await there.app.run(command)).code == "damaged-log"
