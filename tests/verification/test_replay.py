"""Played games are honest: every die and every outcome comes out again from the log alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.storage.records import Json
from bot.ui.spec import Person, Place
from bot.verification.check_file import check, check_file
from bot.verification.check_games import audit_games
from bot.verification.export import export_game
from tests.forging import rechained, verify
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides

ANNA, BERT, HERE = (
    Person("console:anna", "Anna"),
    Person("console:bert", "Bert"),
    Place("console:here"),
)
GAME = [
    (ANNA, '/game start lnlt "Hill 875" sides="US, VC"'),
    (ANNA, "/game join US"),
    (BERT, "/game join VC"),
    (BERT, '/fair add "my own luck"'),
    (ANNA, '/unit add "1st Squad" squad US "morale=5 fp=2"'),
    (BERT, '/unit add "Cell" squad VC morale=5'),
    (ANNA, '/lnlt fire attackers="1st Squad sw=3" targets="Cell; squad morale=4" adjacent'),
    (ANNA, '/lnlt melee attackers="us1; hero fp=1" defenders="squad fp=2; half-squad fp=1 shaken"'),
    (BERT, '/roll "4d6k3+2"'),
    (ANNA, "/again"),
    (ANNA, "/roll 2d6 hand=3,4"),
    (BERT, "/roll d100 secret"),
    (ANNA, "/roll d20 secret"),
    (BERT, "/game reveal 12"),
    (ANNA, "/roll 2dA"),
]


async def played() -> tuple[App, Json]:
    """A game of Lock 'n Load and its export, with the seed, as if it had been published."""
    app = await fresh_app()
    for number, (who, text) in enumerate(GAME):
        reply = await app.run_text(text, who, HERE, f"r{number}")
        assert not reply.error, f"{text}: {reply.format_text()}"
    saved = await app.store.load_game(HERE.key)
    assert saved is not None
    store, row = app.store, saved.game.id
    log = export_game(
        row, await store.load_events(row), await store.load_seeds(row), await store.load_texts(row),
        await store.load_persons(row),
        with_secrets=True,
    )  # fmt: skip
    return app, json.loads(json.dumps(log))


async def test_a_played_game_is_honest() -> None:
    app, log = await played()
    found = check(log, [log["head"][:16]])
    assert found.faults == ()
    assert found.dice > 10
    assert (found.waiting, found.by_hand, found.sealed) == (0, 2, 0)
    assert found.played >= 8, "fire, melee, and all rolls, also the sealed ones"
    assert await audit_games(app.store) == (1, [])
    await app.close()


@pytest.mark.parametrize("kind", ["sequence", "roll"])
async def test_a_changed_outcome_is_found_even_if_all_hashes_are_rewritten(kind: str) -> None:
    app, log = await played()
    body: dict[str, Any] = next(
        event["body"] for event in log["events"] if event["body"]["kind"] == kind
    )
    body["out"] = {**body["out"], next(iter(body["out"])): "eliminated"}
    assert verify(rechained(log)).faults == (), "the chain alone knows nothing of it"
    assert check(log).faults == (
        f"Event {body['number']}: its inputs and dice lead to a different outcome.",
    )
    await app.close()


async def test_units_cannot_be_rewritten_even_with_all_hashes(tmp_path: Path) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", "lnlt fire attackers=us1 targets=vc1 adjacent hand=6,1,5", "roll 2d6", "again"
    )
    asked = await channel.do("Anna", "game undo")
    await channel.press("Bob", asked.buttons[0].action)
    await channel.do(
        "Bob", "unit edit vc2 marker=+moved", "game undo", "game redo", "game next", "game next"
    )
    log = json.loads((await channel.do("Anna", "game export")).files[0].text)
    assert check(log).faults == ()
    for kind, key, value, said in (
        ("sequence", "after", {}, "cannot be read"),
        ("sequence", "after", {"units": {"squad 1": None, "cell 1": None}}, "changes squad 1"),
        ("undo", "after", {"units": {"squad 1": None}}, "do not describe the same change"),
        (
            "next",
            "before",
            {"game": {"phase": "administrative"}},
            "earlier state that it gives",
        ),
        ("next", "after", [1], "cannot be read"),
    ):
        forged = json.loads(json.dumps(log))
        body = next(event["body"] for event in forged["events"] if event["body"]["kind"] == kind)
        body[key] = value
        file = tmp_path / "forged.json"
        file.write_text(json.dumps(rechained(forged)))
        assert said in check_file(file).faults[0], kind
