"""Recovery in a started game: the phase, the state of who tries, and who holds the weapon count."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.playing import Channel

PHASES = (
    "rally",
    "prep-fire",
    "movement",
    "defensive-fire",
    "advancing-fire",
    "rout",
    "advance",
    "close-combat",
)
SQUAD, LEADER = '"Airborne 1"', '"Lt Hale"'
NONE: Mapping[str, str] = {}


async def canal(phase: str, *lines: str) -> Channel:
    """The scenario in this phase of the first British turn, after these lines."""
    channel = await Channel.fresh()
    later = ["game next"] * PHASES.index(phase)
    await channel.do("Anna", "game start asl scenario=canal", *lines, *later)
    return channel


async def case_of(channel: Channel, line: str) -> str:
    """The case that the answer to a roll names, or none where the card allows no roll."""
    reply = await channel.do("Anna", f"asl recover {line}")
    text = reply.format_text()
    found = [case for case in "BDEFG" if f"case {case})" in text]
    assert found or "no case allows Recovery" in text, text
    return found[0] if found else "none"


@pytest.mark.parametrize("phase", PHASES)
async def test_the_case_is_that_of_the_phase(phase: str) -> None:
    """Table 7: B in the Rally Phase, D in one's own Movement Phase, nothing in the others."""
    channel = await canal(phase)
    own = {"rally": "B", "movement": "D"}.get(phase, "none")
    assert await case_of(channel, f"unit={SQUAD} weapon=Bren") == own
    enemy = "B" if phase == "rally" else "none"
    assert await case_of(channel, 'unit="Grenadier 1" weapon=LMG') == enemy


@pytest.mark.parametrize("phase", PHASES)
async def test_a_leader_takes_over_from_a_broken_friend(phase: str) -> None:
    """Table 7: E in the Rally Phase, G in the own Movement Phase; a squad may not."""
    broken = 'unit edit "Airborne 2" state=broken holds=Bren'
    channel = await canal(phase, broken)
    case = {"rally": "E", "movement": "G"}.get(phase, "none")
    dice = "" if case == "none" else "hand=6"
    assert await case_of(channel, f"unit={LEADER} weapon=Bren {dice}") == case
    reply = await channel.do("Anna", f"asl recover unit={SQUAD} weapon=Bren")
    assert "may not recover" in reply.title


@pytest.mark.parametrize("phase", PHASES)
async def test_what_a_lost_unit_leaves_goes_to_a_leader_at_any_time(phase: str) -> None:
    channel = await canal(phase, 'unit edit "Airborne 2" state=eliminated holds=Bren')
    assert await case_of(channel, f"unit={LEADER} weapon=Bren from=lost-unit") == "F"


BANS = {
    "Airborne 1 is broken": ("state=broken", f"unit={SQUAD} weapon=Bren"),
    "Airborne 1 is pinned": ("state=pinned", f"unit={SQUAD} weapon=Bren"),
    "Airborne 1 is in Melee": ("marker=+melee", f"unit={SQUAD} weapon=Bren"),
    "Airborne 1 already holds PIAT": ("holds=PIAT", f"unit={SQUAD} weapon=PIAT"),
    "Airborne 1 holds PIAT, so it is not": ("holds=PIAT", f"unit={LEADER} weapon=PIAT"),
    "Airborne 1 is not broken, so it keeps PIAT": (
        "holds=PIAT",
        f"unit={LEADER} weapon=PIAT from=broken-unit",
    ),
    "Gun Crew holds Pak, so it is not": (NONE, f"unit={LEADER} weapon=Pak from=unpossessed"),
    "Gun Crew is an enemy of Lt Hale": (NONE, f"unit={LEADER} weapon=Pak from=broken-unit"),
}


@pytest.mark.parametrize("ban", BANS)
async def test_what_the_card_forbids_is_refused_unless_the_group_allows_it(ban: str) -> None:
    """Note 4 and cases B, D and E. The refusal stands before the die; with anyway the answer says
    what was overridden.
    """
    edit, line = BANS[ban]
    channel = await canal("rally", *([f"unit edit {SQUAD} {edit}"] if edit else []))
    await channel.fails("Anna", f"asl recover {line}", ban)
    await channel.fails("Anna", f"asl recover {line} odds", ban)
    reply = await channel.do("Anna", f"asl recover {line} anyway=yes hand=2")
    assert f"Rolled anyway: {ban}" in reply.format_text()


@pytest.mark.parametrize("enemy", ["broken", "eliminated"])
async def test_only_a_friend_is_taken_over_from(enemy: str) -> None:
    """A crew that is gone leaves its Gun to anybody, a broken enemy keeps it."""
    channel = await canal("rally", f'unit edit "Gun Crew" state={enemy}')
    line = f"asl recover unit={LEADER} weapon=Pak"
    if enemy == "broken":
        await channel.fails("Anna", line, "Gun Crew holds Pak")
    else:
        assert await case_of(channel, f"unit={LEADER} weapon=Pak") == "B"


async def test_odds_and_the_answer_name_the_phase_that_counts() -> None:
    """Rally Phase: 5 of 6. In Prep Fire the card allows nothing. Typed, the phase is another."""
    channel = await canal("rally")
    line = f"asl recover unit={SQUAD} weapon=Bren"
    odds = await channel.do("Anna", f"{line} odds")
    assert odds.title == "Recovered 83%, failed 17%"
    assert "By the game's phase: British Rally Phase" in odds.format_text()
    await channel.do("Anna", "game next")
    assert "83%" not in (await channel.do("Anna", f"{line} odds")).format_text()
    typed = await channel.do("Anna", f"{line} phase=friendly-mph hand=5")
    assert "(case D)" in typed.format_text()
    assert "By the game's phase" not in typed.format_text()


async def test_again_in_another_phase_counts_that_phase() -> None:
    channel = await canal("rally")
    rolled = await channel.do("Anna", f"asl recover unit={SQUAD} weapon=Bren hand=6")
    assert "(case B)" in rolled.format_text()
    await channel.do("Anna", "game next", "game next")
    repeated = await channel.do("Anna", "again")
    assert "(case D)" in repeated.format_text()


async def test_outside_of_a_game_only_what_is_typed_counts() -> None:
    channel = await Channel.fresh()
    free = await channel.do("Anna", "asl recover hand=3")
    assert "(case D)" in free.format_text()
    assert "By the game's phase" not in free.format_text()


@pytest.mark.parametrize(
    ("phase", "line", "part"),
    [
        ("movement", "asl smoke dispenser=sn usage_number=7 crew=ct-bu hand=3,3", "SMOKE"),
        (
            "close-combat",
            "asl smoke dispenser=sn usage_number=7 crew=ct-bu hand=3,3",
            "attack in CC",
        ),
    ],
)
async def test_smoke_knows_the_phase_too(phase: str, line: str, part: str) -> None:
    """Table 4: an sN in the CCPh is an attack and places no counter."""
    channel = await canal(phase)
    assert part in (await channel.do("Anna", line)).format_text()


async def test_the_phase_is_named_once() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal")
    for title in ("Rally Phase", "Prep Fire Phase"):
        tried = await channel.do("Anna", 'asl recover unit="Airborne 1" weapon=mg')
        assert tried.format_text().count(title) == 1, tried.format_text()
        await channel.do("Anna", "game next")
