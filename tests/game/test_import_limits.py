"""An import may be honest in its chain and still be nonsense: it must not make a channel
unusable.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.game.state import Game, get_undoable_content
from bot.rules.proof.chain import compute_event_hash, compute_genesis, to_canonical
from bot.rulesets.catalog import load_shared_systems
from bot.ui.spec import Command, Place
from bot.verification.follows.import_limits import is_valid
from tests.playing import Channel, two_sides


async def test_what_we_make_is_sound() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", "lnlt fire attackers=us1 targets=vc1", "roll d6 secret", "unit edit us1 sw=3,2"
    )
    assert is_valid(await channel.game(), load_shared_systems())


async def forged(after: Any) -> str:
    """An export whose chain is whole and whose start leads to something else: `after` laid over
    what it said.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt X")
    whole = json.loads((await channel.do("Anna", "game export")).files[0].text)
    (event,) = whole["events"]
    body = event["body"]
    if isinstance(after, dict):
        for part, fields in after.items():
            if isinstance(fields, dict):
                stood = get_undoable_content(Game("")) if part == "game" else {}
                body["before"][part] = body["before"].get(part, {}) | {
                    name: stood.get(name) for name in fields
                }
            body["after"][part] = (
                body["after"].get(part, {}) | fields if isinstance(fields, dict) else fields
            )
    else:
        body["after"] = after
    whole["head"] = event["hash"] = compute_event_hash(
        compute_genesis(whole["game"]), to_canonical(body)
    )
    return json.dumps(whole)


UNIT = {"name": "A", "handle": "a1", "type": "squad"}


@pytest.mark.parametrize(
    "after",
    [
        {"game": {"players": ["p"]}},
        {"game": {"system": "no-such"}},
        {"game": {"turn": "one"}},
        {"game": {"sides": [1, 2]}},
        {"game": {"sides": 7}},
        {"game": {"answers": "loud"}},
        {"game": {"nonsense": 1}},
        {"game": ["x"]},
        {"units": {"b": UNIT}},
        {"units": {"a": {**UNIT, "numbers": {"fp": {"x": 1}}}}},
        {"units": {"a": {**UNIT, "name": None}}},
        {"units": {"a": "squad"}},
        {"units": {"a": {**UNIT, "marks": [[1]]}}},
        {"units": {f"a{n}": {**UNIT, "name": f"a{n}"} for n in range(600)}},
        7,
    ],
)
async def test_a_forged_log_is_refused(after: Any) -> None:
    channel = await Channel.fresh()
    command = Command(
        ("game", "import"),
        {"file": await forged(after)},
        channel.who("Anna"),
        Place("console:x"),
        "i1",
    )
    reply = await channel.app.run(command)
    assert reply.error
    assert "not your fault" not in reply.format_text(), reply.format_text()


async def test_the_same_with_sound_content_is_taken() -> None:
    channel = await Channel.fresh()
    text = await forged({"units": {"a": UNIT}})
    command = Command(("game", "import"), {"file": text}, channel.who("Anna"), channel.place, "i1")
    reply = await channel.app.run(command)
    assert not reply.error, reply.format_text()
    assert (await channel.game()).units["a"].type == "squad"


def _changed(whole: str, kind: str, **fields: Any) -> str:
    """The export with the first event of a kind changed and the chain made whole again."""
    data = json.loads(whole)
    body = next(event["body"] for event in data["events"] if event["body"]["kind"] == kind)
    body.update(fields)
    head = compute_genesis(data["game"])
    for event in data["events"]:
        head = event["hash"] = compute_event_hash(head, to_canonical(event["body"]))
    data["persons"][0]["name"] = "Ann\u202e\n" + "a" * 500
    return json.dumps({**data, "head": head})


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("roll", {"inputs": [1]}),
        ("roll", {"who": {}}),
        ("roll", {"at": 10**15}),
        ("roll", {"command": 5}),
        ("roll", {"result": "x" * 10_000}),
        ("sequence", {"used": "Squad 1"}),
        ("sequence", {"before": {"units": {"squad 1": {}}}}),
    ],
)
async def test_a_log_that_nobody_could_read_is_not_taken_over(
    kind: str, fields: dict[str, Any]
) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1", "roll 2d6")
    whole = (await channel.do("Anna", "game export")).files[0].text
    there = await Channel.fresh()
    for file, taken in ((_changed(whole, kind, **fields), False), (_changed(whole, kind), True)):
        command = Command(
            ("game", "import"), {"file": file}, there.who("Anna"), there.place, f"import {taken}"
        )
        reply = await there.app.run(command)
        assert reply.error != taken, reply.format_text()
    log = await there.do("Anna", "log", "again", "game export csv", "log")
    assert len(max(log.format_body(), key=len)) < 200, "names from a file are as short as others"


async def test_a_table_without_inputs_is_rolled_again() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "lnlt-table hero-creation", "again")
