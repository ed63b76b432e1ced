"""The grey line about a shot in a phase of other things reads as a sentence, whatever the phase
is called.
"""

from __future__ import annotations

import pytest

from tests.playing import Channel


@pytest.mark.parametrize(
    ("game", "units", "shot", "said"),
    [
        (
            "baps",
            "soldier {} weapon=rifle-semi",
            "baps fire Red 10 Blue",
            "The phase is Roll for leader points.",
        ),
        ("lnlt", "squad {} morale=4 fp=1", "lnlt fire Red Blue", "This is the Rally phase."),
    ],
)
async def test_a_shot_out_of_phase_names_the_phase(
    game: str, units: str, shot: str, said: str
) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start {game} Farm sides="A, B"')
    await channel.do(
        "Anna", f"unit add Red {units.format('A')}", f"unit add Blue {units.format('B')}"
    )
    assert said in (await channel.do("Anna", shot)).format_text()
