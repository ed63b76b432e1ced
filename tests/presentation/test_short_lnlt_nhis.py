"""Short answers of Lock 'n Load Tactical and No Honor in Surrender: the news first, then only
why, nothing twice.
"""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.presentation.headline import (
    format_type_names,
    list_actors,
    list_type_names,
    load_result_words,
)
from bot.presentation.run_sequence import build_play_reply
from bot.rules.dice import Script, Source
from bot.rules.inputs.units import Back
from bot.rules.sequence.sequence import Line
from bot.rules.text.names import join_names
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import play_sequence
from bot.ui.reply.parts import Group, Small
from bot.ui.reply.reply import GAME, HURT, NOTHING, SHAKEN, Reply
from tests.rulesets.lnlt.rosters import roster, unit

PHONE = 39
EXAMPLES = [(game, id) for game in ("lnlt", "nhis") for id in find_shared_system(game).sequences]
HALF = Back("half-squad", {"morale": 4})
HILL = roster(
    *(unit(f"US Squad {at}", "squad", fp=fp, morale=5) for at, fp in ((3, 2), (4, 1))),
    *(replace(unit(f"VC Squad {at}", "squad", fp=1, morale=5), back=HALF) for at in (5, 6, 7, 8)),
    unit("Lt Dan", "leader", morale=6, lm=1),
    unit("Nguyen", "leader", morale=4, lm=1),
    unit("M48", "armored-vehicle", morale=6),
    unit("T-54", "armored-vehicle", morale=6, av=4),
    unit("Tran", "leader", morale=6, lm=1, state="shaken"),
    unit("US Squad 9", "squad", fp=1, morale=5, state="shaken"),
    unit("Local Force", "squad", fp=1, morale=4, state="shaken"),
)
BOTH = "US Squad 3; US Squad 4"


class Rolled(Source):
    """Dice from a seeded generator: the same examples every time."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def draw(self, die: Any) -> int:
        """A face of the die."""
        return self._random.randint(1, die.sides)


def answer(
    game: str, id: str, given: Mapping[str, object], source: Source, units: Any = None
) -> tuple[Reply, Any]:
    """The answer to one sequence, and its settlement."""
    sequence = find_shared_system(game).find_sequence(id)
    played = play_sequence(sequence, given, source, units)
    acting = list_actors(sequence, sequence.read_inputs(given, units or {}))
    return build_play_reply("Alice", sequence, played, acting), played.resolution


def hill(id: str, given: Mapping[str, object], *dice: int) -> list[str]:
    """The lines of an answer on Hill 875 with these dice, all of them used."""
    script = Script(dice)
    reply, _ = answer("lnlt", id, given, script, HILL)
    script.finish()
    return reply.format_text().split("\n")


def phone_lines(lines: Sequence[str]) -> int:
    """How many lines a phone shows."""
    return sum(len(textwrap.wrap(re.sub(r"\[(\d+)\]", r"\1", line), PHONE)) for line in lines)


@pytest.mark.sample(4)
@pytest.mark.parametrize(("game", "id"), EXAMPLES, ids=[f"{game}-{id}" for game, id in EXAMPLES])
def test_the_first_line_is_the_news_and_nothing_below_says_it_again(game: str, id: str) -> None:
    sequence = find_shared_system(game).find_sequence(id)
    words = {
        result.word for token, result in load_result_words(sequence).items() if token != "none"
    }
    for seed in range(60):
        reply, settled = answer(game, id, sequence.example, Rolled(seed))
        assert settled.unit_results or id in ("melee", "initiative", "stack-check")
        assert reply.by
        for fate in settled.unit_results:
            named = (
                re.sub(
                    r" \d+$",
                    "",
                    format_type_names(list_type_names(sequence.system), [fate.unit])[0],
                ).casefold()
                in reply.title.casefold()
            )
            assert (
                named
                or f"of {len(settled.unit_results)} units" in reply.title
                or "All" in reply.title
            ), reply.first_line
        assert not re.search("no effect(?! on)", reply.title.casefold())
        for part in reply.lines:
            text = (
                part.text()
                if isinstance(part, Line)
                else part.text
                if isinstance(part, Small)
                else str(part)
            )
            assert isinstance(part, Group) or not text[:1].islower(), text
            if isinstance(part, Line):
                # why a shaken unit loses more is no repetition
                result = re.sub(r"; already shaken, so .*", "", part.result)
                said = [word for word in words if re.search(rf"\b{word}\b", result)]
                assert not said, f"{said} in: {text}"
                assert not re.search(r"no effect|\bmiss\b|\bpass\b|fails to", part.result)


@pytest.mark.parametrize(
    ("id", "given", "dice", "lines", "tone"),
    [
        (
            "fire",
            {"attackers": BOTH, "targets": "VC Squad 5; Nguyen", "tm": 1, "lm": 1},
            (4, 1, 5, 3),
            [
                "VC Squad 5 takes casualties, Nguyen is wounded · US Squads 3 + 4 fire",
                "Attack: [4] + 2 + 1 firepower + 1 leader = 8",
                "Defense: [1] + 1 terrain = 2, beaten by 6",
                "VC Squad 5: [5] + 6 = 11, at least twice morale 5",
                "Nguyen: [3] + 6 = 9, at least twice morale 4",
                "Now: VC Squad 5 is a shaken half-squad · Nguyen is wounded (morale 3) and shaken, and must stop",
            ],
            HURT,
        ),
        (
            "fire",
            {"attackers": BOTH, "targets": "VC Squad 6", "tm": 1, "lm": 1},
            (2, 6),
            [
                "No effect on VC Squad 6 · US Squads 3 + 4 fire",
                "Attack: [2] + 2 + 1 firepower + 1 leader = 6",
                "Defense: [6] + 1 terrain = 7, holds by 1",
            ],
            NOTHING,
        ),
        (
            "fire",
            {"attackers": BOTH, "targets": "VC Squad 6", "tm": 1, "adjacent": True},
            (3, 4, 4),
            [
                "VC Squad 6 is shaken · US Squads 3 + 4 fire",
                "Attack: [3] + 2 + 1 firepower + 2 adjacent = 8",
                "Defense: [4] + 1 terrain = 5, beaten by 3",
                "VC Squad 6: [4] + 3 = 7, over morale 5",
            ],
            SHAKEN,
        ),
        (
            "fire",
            {
                "attackers": BOTH,
                "targets": "VC Squad 5; VC Squad 6; VC Squad 7; VC Squad 8",
                "adjacent": True,
            },
            (6, 3, 2, 4, 3, 6),
            [
                "All 4 VC Squads with casualties · US Squads 3 + 4 fire",
                "Attack: [6] + 2 + 1 firepower + 2 adjacent = 11",
                "Defense: [3], beaten by 8",
                "With casualties: VC Squads 5-8",
                "Now: VC Squads 5-8 are shaken half-squads",
            ],
            HURT,
        ),
        (
            "melee",
            {"attackers": f"{BOTH}; Lt Dan", "defenders": "VC Squad 5"},
            (3, 5, 6, 3),
            [
                "VC Squad 5 is eliminated in melee · no loss to US Squads 3 + 4 and Lt Dan",
                "Attack: [3] [5] + 1 leader = 9, kills on 5+",
                "Counterattack: [6] [3] = 9, kills on 11+",
                "3 against 1 firepower is 3-1; 1 against 3 firepower is 1-3.",
            ],
            HURT,
        ),
        (
            "melee",
            {"attackers": "US Squad 4", "defenders": "VC Squad 5"},
            (1, 1, 1, 1),
            [
                "Nobody is eliminated · US Squad 4 fights VC Squad 5",
                "Attack: [1] [1] = 2, kills on 8+",
                "Counterattack: [1] [1] = 2, kills on 8+",
                "1 against 1 firepower is 1-1; 1 against 1 firepower is 1-1.",
            ],
            NOTHING,
        ),
        (
            "ordnance-vehicle",
            {
                "unit": "M48",
                "target": "T-54",
                "to_hit": 8,
                "penetration": 6,
                "armor": 4,
                "turret_armor": 5,
                "lm": 1,
            },
            (3, 2, 6, 2, 4),
            [
                "T-54 is destroyed, crew killed · M48 fires",
                "To hit: [3] [2] − 1 leader = 4, needs 8 or less",
                "Natural 5: the hull",
                "Penetration: [6] + 6 = 12",
                "Armor: [2] + 4 = 6, beaten by 6",
                "Crew: [4], needs a 1",
            ],
            HURT,
        ),
        (
            "rally",
            {"units": "Tran; US Squad 9", "rallier": "hero", "cover": True},
            (3, 4, 5, 6),
            [
                "Tran rallies, US Squad 9 fails to rally · Alice tries to rally",
                "Tran: [3] [4] − 2 cover = 5, within morale 6",
                "US Squad 9: [5] [6] − 2 cover − 1 leader = 8, over morale 5",
            ],
            GAME,
        ),
        (
            "rally",
            {"units": "Local Force", "rallier": "none"},
            (),
            [
                "Local Force can't rally: no leader named · Alice tries to rally",
                "Is there a good order leader, a hero or another unit to rally them? If so, say who.",
            ],
            NOTHING,
        ),
        (
            "bail-out",
            {"cause": "close-assault", "vehicle": "destroyed"},
            (),
            ["The crew is eliminated · Alice, without a roll"],
            HURT,
        ),
        (
            "damage-check",
            {"targets": "weapon-team morale=5", "dc_mod": 6},
            (5,),
            [
                "The weapon team is eliminated · Alice rolls damage checks",
                "Weapon team: [5] + 6 = 11, at least twice morale 5; a weapon team that takes casualties is gone",
            ],
            HURT,
        ),
        (
            "damage-check",
            {"targets": "squad morale=5 shaken", "dc_mod": 1},
            (5,),
            [
                "The squad takes casualties · Alice rolls damage checks",
                "Squad: [5] + 1 = 6, over morale 5; already shaken, so casualties",
                "Now: the squad is a half-squad",
            ],
            HURT,
        ),
        (
            "fire",
            {"attackers": BOTH},
            (6, 1),
            [
                "The target hex takes damage checks, each at +8 · US Squads 3 + 4 fire",
                "Attack: [6] + 2 + 1 firepower = 9",
                "Defense: [1], beaten by 8",
            ],
            SHAKEN,
        ),
    ],
)
def test_a_short_answer_reads_so(
    id: str, given: dict[str, Any], dice: tuple[int, ...], lines: list[str], tone: str
) -> None:
    script = Script(dice)
    reply, _ = answer("lnlt", id, given, script, HILL)
    script.finish()
    assert reply.format_text().split("\n") == lines
    assert reply.tone == tone


@pytest.mark.parametrize(
    ("id", "given", "dice", "lines"),
    [
        (
            "morale-check",
            {"units": "US Squad 3; Lt Dan", "mod": 1},
            (3, 3, 2, 2),
            [
                "US Squad 3 fails, Lt Dan passes · Alice checks morale",
                "US Squad 3: [3] [3] + 1 modifier = 7, over morale 5",
                "Lt Dan: [2] [2] + 1 modifier = 5, within morale 6",
            ],
        ),
        (
            "spot",
            {"unit": "Lt Dan", "terrain": "degrading", "lm": 1},
            (4,),
            [
                "Lt Dan spots the hex · Alice rolls to spot",
                "Spotting: [4] − 1 leader = 3, needs 3 or less",
                "Lt Dan may fire at the hex right away: Ops Complete then comes off and has no effect.",
            ],
        ),
        (
            "smoke",
            {"unit": "US Squad 3", "capability": 3},
            (5,),
            [
                "US Squad 3 lays no smoke · Alice tries to lay smoke",
                "Roll: [5], needs 3 or less",
                "Now: US Squad 3 is Ops Complete",
            ],
        ),
        (
            "mines",
            {"unit": "T-54"},
            (6,),
            [
                "T-54 is destroyed, crew killed · Alice rolls for mines",
                "Mines: [6]",
            ],
        ),
        (
            "bail-out",
            {"cause": "oft", "vehicle": "destroyed", "passengers": "VC Squad 5"},
            (1, 4),
            [
                "VC Squad 5 is shaken, the crew bails out · Alice rolls for crew and passengers",
                "Crew: [1], needs a 1",
                "VC Squad 5 bail-out: [4], needs 2, 4 or 6",
                "Place a good order crew, marked Moved.",
                "Now: VC Squad 5 is on foot",
            ],
        ),
        (
            "close-assault",
            {"attackers": "US Squad 3", "av": 4, "target": "T-54"},
            (2, 2, 1, 3),
            [
                "No effect on T-54 · US Squad 3 attacks",
                "US Squad 3 morale: [2] [2] = 4, within morale 5",
                "US Squad 3 attack: [1] + 2 firepower = 3",
                "Armor: [3] + 4 = 7, holds by 4",
            ],
        ),
        (
            "ordnance-infantry",
            {"unit": "M48", "targets": "VC Squad 5", "to_hit": 7, "he": 3},
            (4, 5),
            [
                "VC Squad 5 is missed · M48 fires",
                "To hit: [4] [5] = 9, needs 7 or less",
                "The target is acquired and stays spotted.",
            ],
        ),
        (
            "fire-mission",
            {"fp": 5, "stage": "drift", "lm": 1},
            (4, 3),
            [
                "The spotting round drifts 2 hexes south-east · Alice calls a fire mission",
                "Distance: [4] − 1 leader = 3, halved, fractions up",
                "Direction: [3]",
                "Place the marker; a spotter who still sees it may first shift it one hex within line of sight.",
            ],
        ),
        (
            "barrage",
            {"weapon": "mortar", "fp": 3, "targets": "VC Squad 5; T-54", "tm": 1},
            (2, 5, 2, 2, 1),
            [
                "VC Squad 5 is shaken, no effect on T-54 · Alice fires a barrage",
                "Attack: [2] [5] + 3 firepower = 8, the better die is 5",
                "Defense: [2] + 1 terrain = 3, beaten by 5",
                "T-54 defense: [2] + 1 terrain + 4 armor = 7, beaten by 1",
                "VC Squad 5: [2] + 5 = 7, over morale 5",
                "T-54: [1] + 1 = 2, within morale 6",
            ],
        ),
    ],
)
def test_every_kind_of_answer_names_who_and_says_why(
    id: str, given: dict[str, Any], dice: tuple[int, ...], lines: list[str]
) -> None:
    assert hill(id, given, *dice) == lines


def test_no_number_is_glued_to_a_name_in_no_honor_in_surrender() -> None:
    """Firers one by one, of many the sum; those at long range by themselves."""
    few = {
        "attackers": "mg fp=6 range=9; squad fp=5 range=4",
        "targets": "squad morale=4",
        "distance": 7,
    }
    many = {"attackers": "; ".join(["squad fp=4"] * 6), "targets": "squad morale=4", "distance": 3}
    said = []
    for given in (few, many):
        reply, _ = answer("nhis", "fire", given, Script((6, 6)))
        said += reply.format_text().split("\n")
    assert said == [
        "No effect on the squad · an MG and a squad fire",
        "Firepower: 6 + 2 at long range = 8, column 8",
        "Attack: [6] [6] = 12",
        "No effect on the squad · 6 squads fire",
        "Firepower: 24, column 20",
        "Attack: [6] [6] = 12",
    ]


def test_a_fire_at_two_targets_fits_ten_lines_of_a_phone_below_the_first() -> None:
    shot = {"attackers": BOTH, "targets": "VC Squad 5; Nguyen", "tm": 1, "lm": 1}
    longest = 0
    for seed in range(200):
        reply, _ = answer("lnlt", "fire", shot, Rolled(seed), HILL)
        below = [
            line for line in reply.format_body() if "hero" not in line
        ]  # a natural 1 rolls for one
        longest = max(longest, phone_lines(below))
        assert phone_lines([reply.first_line]) <= 2
    assert longest == 10


def test_twelve_men_firing_fit_twelve_lines_of_a_phone() -> None:
    men = roster(
        *(unit(f"GI {at}", "squad", fp=1, morale=5) for at in range(1, 13)),
        *(unit(f"VC {at}", "squad", fp=1, morale=5) for at in range(1, 10)),
    )
    shot = {
        "attackers": "; ".join(f"GI {at}" for at in range(1, 13)),
        "targets": "; ".join(f"VC {at}" for at in range(1, 10)),
        "tm": 2,
    }
    for seed in range(100):
        reply, _ = answer("lnlt", "fire", shot, Rolled(seed), men)
        heroes = [
            line
            for line in reply.format_body()
            if "a hero: draw" in line or "create heroes" in line
        ]
        assert (
            phone_lines(
                [reply.first_line, *(line for line in reply.format_body() if line not in heroes)]
            )
            <= 12
        ), reply.format_text()
        assert "GI 1-12 fire" in reply.by


def test_names_of_both_sides_are_in_the_first_line_of_a_melee() -> None:
    ours, theirs = join_names(["US Squad 3", "US Squad 4"]), "VC Squad 5"
    for dice in ((6, 6, 6, 6), (6, 6, 1, 1), (1, 1, 6, 6), (1, 1, 1, 1)):
        first = hill("melee", {"attackers": BOTH, "defenders": "VC Squad 5"}, *dice)[0]
        assert ours in first
        assert theirs in first
    many = {"attackers": BOTH, "defenders": "VC Squad 5; VC Squad 6"}
    assert hill("melee", many, 6, 6, 6, 6)[0] == (
        "All 4 units eliminated in melee · US Squads 3 + 4 against VC Squads 5 + 6"
    )
