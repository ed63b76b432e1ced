"""Short results for the tests of ladders."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.ladder.result import Result, Seat


def build_result(
    day: str,
    first: str,
    second: str,
    winner: int | None = 0,
    *,
    game: str = "",
    scenario: str = "ford",
    luck: tuple[float | None, float | None] = (None, None),
    reply_hours: tuple[float | None, float | None] = (None, None),
) -> Result:
    """Return the result of a game between two players, of whom the first plays US, the other VC.

    `day` is the time of its confirmation, 2026-11-30T18:00 or a shorter one.
    """
    time = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    game = game or f"{day}-{first}-{second}"
    seats = (
        Seat(f"console/{first}", first, f"{first}-id", "US", reply_hours[0], luck[0]),
        Seat(f"console/{second}", second, f"{second}-id", "VC", reply_hours[1], luck[1]),
    )
    return Result(
        game=game,
        system="lnlt",
        scenario=scenario,
        title="Ford",
        seats=seats,
        winner=winner,
        commitment=f"commitment-{game}",
        ended=8,
        confirmed=9,
        head=f"head-{game}",
        time=time,
        by_manager=False,
        series="",
    )
