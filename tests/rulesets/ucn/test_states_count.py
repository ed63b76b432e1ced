"""States with a number on the card count by themselves, in odds and in play; each can be left out
for one roll. What is said to be needed is what the odds count.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from bot.rulesets.catalog import find_shared_system
from bot.rulesets.ucn.shooters import format_needed
from tests.examples import lookup, odds, play_example
from tests.playing import Channel
from tests.rulesets.ucn.rosters import roster, unit

# By hand, from the card: what a state takes off all skills. The base skill is 12, or 16 with the +4
# against a vehicle; an interrupt has to spot and to hit.
OFF = {"hesitant": 4, "hesitant-morale": 2, "go-firm": 4, "stunned": 6}
REFUSED = {"pinned"}
WITHOUT_A_NUMBER = {
    "ready", "let-loose", "withdraw", "combat-ineffective", "surrendered", "immobilised", "out-of-action",
    "destroyed",
}  # fmt: skip


class Roll(NamedTuple):
    """A sequence of an element at skill 12, the output and value that fail, and how many checks
    at `skill` have to succeed.
    """

    sequence: str
    given: Mapping[str, object]
    by: str
    failed: str
    skill: int = 12
    checks: int = 1

    def chance(self, given: Mapping[str, object], units: dict[str, Any]) -> Fraction:
        """The chance of success."""
        counted = odds("ucn", self.sequence, given, self.by, roster=units)
        return 1 - counted[self.failed]

    def by_hand(self, off: int) -> Fraction:
        """The chance with so much off the skill."""
        return Fraction(self.skill - off, 20) ** self.checks


SHOT = {"shooters": "Red", "target": "Blue"}
VEHICLE = {"unit": "Red", "skill": 12, "pen": 9, "hull": 6}
UNSEEN = {**VEHICLE, "spot_skill": 12}
INTERRUPT = {"shooters": "Red", "unit": "Red", "target": "Blue"}
WEAPON = {"shooters": "bolt-action-rifle", "unit": "Red", "target": "Blue"}
ROLLS = [
    Roll("spot", {"unit": "Red"}, "result", "not-spotted"),
    Roll("shoot", SHOT, "hits", "0"),
    Roll("attack-vehicle", VEHICLE, "result", "miss", 16),
    Roll("attack-vehicle", UNSEEN, "result", "not-spotted", 16),
    Roll("interrupt", INTERRUPT, "hits", "0", checks=2),
    Roll("interrupt", WEAPON, "hits", "0", checks=2),
    Roll("interrupt", {**INTERRUPT, "auto_spotted": True}, "hits", "0"),
]


def people(state: str = "ready", of_target: str = "ready") -> dict[str, Any]:
    """One rifleman of skill 12, and who is shot at."""
    red = unit("Red", state=state, weapon="bolt-action-rifle", firearms=12, spot=12, members=1)
    return roster(red, unit("Blue", state=of_target))


@pytest.mark.parametrize("state", OFF)
@pytest.mark.parametrize("roll", ROLLS, ids=lambda roll: f"{roll.sequence} {len(roll.given)}")
def test_a_state_counts_as_if_it_were_typed(roll: Roll, state: str) -> None:
    held, ready = people(state), people()
    typed = {**roll.given, "status": state}
    assert roll.chance(roll.given, ready) == roll.by_hand(0)
    assert roll.chance(roll.given, held) == roll.by_hand(OFF[state])
    assert roll.chance(typed, ready) == roll.by_hand(OFF[state])
    assert roll.chance(typed, held) == roll.by_hand(OFF[state])
    assert roll.chance({**roll.given, "status": "none"}, held) == roll.by_hand(0)


def test_every_state_of_the_game_is_looked_at() -> None:
    assert set(find_shared_system("ucn").game["units"]["states"]) == {
        *OFF,
        *REFUSED,
        *WITHOUT_A_NUMBER,
    }
    for state, off in OFF.items():
        assert lookup("ucn", "status-effects", status=state)["skill_modifier"] == -off


@pytest.mark.parametrize(
    "roll",
    [
        Roll("shoot", SHOT, "hits", "0"),
        Roll("interrupt", {**INTERRUPT, "auto_spotted": True}, "hits", "0"),
    ],
    ids=lambda roll: roll.sequence,
)
def test_a_target_that_a_failed_test_made_go_firm(roll: Roll) -> None:
    """-4 as a target that has gone firm and +4 cover: 12 - 8. By choice it is only the first."""
    firm, ready = people(of_target="go-firm"), people()
    by_choice = {**roll.given, "target_gone_firm": True}
    both = {**by_choice, "target_firm_cover": True}
    neither = {**roll.given, "target_gone_firm": False, "target_firm_cover": False}
    assert roll.chance(roll.given, firm) == Fraction(4, 20)
    assert roll.chance(both, firm) == Fraction(4, 20)
    assert roll.chance(both, ready) == Fraction(4, 20)
    assert roll.chance(by_choice, ready) == Fraction(8, 20)
    assert roll.chance(neither, firm) == roll.chance(roll.given, ready) == Fraction(12, 20)


def test_an_interrupt_spots_a_target_that_has_gone_firm_less_easily() -> None:
    """To spot 12 - 4, to hit 12 - 8."""
    roll = Roll("interrupt", INTERRUPT, "hits", "0")
    assert roll.chance(INTERRUPT, people(of_target="go-firm")) == Fraction(8, 20) * Fraction(4, 20)


def test_the_state_is_named_in_the_line() -> None:
    played = play_example("ucn", "shoot", SHOT, [20], people("hesitant", "go-firm"))
    assert played.lines[0].text() == (
        "Skill: Firearms 12 − 4 target gone firm − 4 target's firm cover − 4 hesitant = 0"
    )
    assert "needs a 1" in played.lines[1].text()
    spotted = play_example("ucn", "spot", {"unit": "Red"}, [8], people("hesitant"))
    assert spotted.lines[0].text() == "Skill: Spot 12 − 4 hesitant = 8"


def test_each_shooter_has_a_state_of_their_own() -> None:
    units = roster(
        *[
            unit(name, state=state, weapon="bolt-action-rifle", firearms=12)
            for name, state in (("Red", "hesitant"), ("Green", "ready"))
        ]
    )
    played = play_example("ucn", "shoot", {"shooters": "Red; Green"}, [20, 20], units)
    assert [one["final_skill"] for one in played.out["shooters"]] == [8, 12]


@pytest.mark.parametrize("mod", range(-40, 41))
def test_what_is_needed_is_what_the_odds_count(mod: int) -> None:
    """A 1 always hits and a 20 never, so what is said lies between 1 and 19."""
    final = 12 + mod
    given = {"shooters": "pistol", "skill": 12, "mod": mod, "saves": False}
    hits = odds("ucn", "shoot", given, "hits")["1"]
    says = format_needed(final)
    highest = 1 if says == "needs a 1" else int(says.split()[0])
    assert hits == Fraction(highest, 20)
    morale = play_example("ucn", "morale", {"morale": 12, "mod": mod}, [1]).lines[-1]
    assert says in morale.text()


async def test_the_causeway_counts_what_its_roster_knows() -> None:
    """The three of the card that were wrong: 80 % of a casualty, 60 % to hit, and 3 against one
    that has gone firm.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", "game start ucn scenario=causeway", "unit edit us1 state=hesitant")
    shot = "ucn shoot shooters=us1 target=germ2"
    assert "80%" in (await channel.do("Anna", f"{shot} odds")).format_text()
    assert "92%" in (await channel.do("Anna", f"{shot} status=none odds")).format_text()
    tank = "ucn attack-vehicle unit=us1 target=germ4 pen=9"
    assert "60% to hit" in (await channel.do("Anna", f"{tank} odds")).format_text()
    assert "80% to hit" in (await channel.do("Anna", f"{tank} status=none odds")).format_text()
    await channel.do("Anna", "unit edit germ2 state=go-firm")
    fired = await channel.do("Anna", "ucn shoot shooters=us4 target=germ2 hand=20")
    assert "= 3" in fired.format_text()
    assert "to count it" not in fired.format_text()
