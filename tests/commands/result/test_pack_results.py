"""Games of a free pack that count, with and without a scenario."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.result_helpers import ANNA, BEN, HALL, Server
from tests.packs.conftest import use_packs as use_packs

RETURN = "Play the return game"


@pytest.mark.parametrize(
    ("start", "scenario"),
    [
        ("game start generic scenario=crossroads", "crossroads"),
        ('game start generic "Crossroads" sides="Blue, Red"', ""),
    ],
)
async def test_a_game_of_a_pack_counts_as_any_other(
    use_packs: Callable[[Path], None], root: Path, start: str, scenario: str
) -> None:
    use_packs(root / "packs")
    server = await Server.fresh()
    await server.do(ANNA, start)
    await server.do(ANNA, "game join Blue")
    await server.do(BEN, "game join Red")
    asked = await server.do(BEN, "result count")
    assert "counts: Ben v Anna" in (await server.press(ANNA, asked, "Agree")).title
    confirmed = await server.press(BEN, await server.end("Blue"), "Confirm")
    assert confirmed.title == "Ben confirms: Blue won"
    (result,) = await server.results()
    assert (result.system, result.scenario) == ("generic", scenario)
    assert result.winner is not None
    assert result.seats[result.winner].name == "Anna"
    standings = (await server.do(BEN, "ladder standings generic")).format_text()
    assert "Anna 1, Ben 1" in standings
    await server.log()
    asked = await server.press(ANNA, confirmed, RETURN)
    again = await server.press(BEN, asked, "Agree")
    assert not again.error, again.format_text()
    done = await server.press(BEN, await server.end("Blue"), "Confirm")
    assert "The series: 1 each" in done.format_text()
    await server.log()
    await server.do(BEN, "result strike")
    await server.do(ANNA, "result strike")
    assert [one.game for one in await server.results()] == [result.game]
    loaded = await server.app.games.load_current(HALL.key)
    assert loaded is not None
    assert loaded.game.confirmed == 0
