"""The roster in the terminal: types and states where it is wide, a phone's columns where it is
narrow.
"""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from bot.cli.terminal import print_reply
from tests.playing import Channel, two_sides


async def printed(width: int, *, colours: bool = False) -> str:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", "unit edit us1 shaken", "unit edit us2 moved", "unit edit vc2 state=eliminated"
    )
    out = StringIO()
    console = Console(
        file=out, width=width, force_terminal=colours, color_system="standard" if colours else None
    )
    print_reply(console, await channel.do("Anna", "unit list"))
    return out.getvalue()


async def test_a_wide_terminal_has_types_and_states() -> None:
    assert (await printed(80)).splitlines()[1:] == [
        "  US · Anna     type    morale  fp  state and more",
        "  us1  Squad 1  squad        5   2  SHAKEN",
        "  us2  Squad 2  squad        5   2  moved",
        "  us3  Lt Hill  leader       6   –  lm 1",
        "  VC · Bob     type    morale  fp  state and more",
        "  vc1  Cell 1  squad        4   1  good order",
        "  vc3  Tran    leader       5   –  lm 1",
        "  VC lost: Cell 2",
    ]


async def test_a_narrow_one_has_the_columns_of_a_phone() -> None:
    assert "us1 Squad 1 SHAKEN" in await printed(50)


async def test_the_shaken_are_yellow() -> None:
    line = next(line for line in (await printed(80, colours=True)).splitlines() if "SHAKEN" in line)
    assert "\x1b[33m" in line
