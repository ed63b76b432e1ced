"""The odds in chat: every unit under the name and by the words of the answer, alike ones
together, none left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from bot.game.luck import ScoredRoll, measure
from bot.presentation.odds import build_odds_reply, format_odds_names, group_odds
from bot.rules.odds.odds import compute_joint_odds, format_key
from bot.rules.sequence.sequence import Play, nest_outputs
from bot.rulesets.baps.men import ANSWER_WORDS, LOG_WORDS
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.play_once import build_odds_rows, compute_each_odds, play_sequence
from bot.runtime.entropy import create_throwaway_source
from bot.ui.reply.bars import COLUMNS
from bot.ui.reply.parts import Odds, format_part
from tests.playing import Channel, two_sides

LISTED: list[tuple[str, str, dict[str, Any]]] = [
    (
        "nhis",
        "fire",
        {
            "attackers": "squad fp=8",
            "targets": "squad morale=4; leader morale=5 lr=1; squad morale=4",
            "distance": 3,
        },
    ),
    (
        "nhis",
        "morale",
        {"targets": "squad morale=4; squad morale=4; leader morale=5 lr=1 shaken", "hit_number": 1},
    ),
    (
        "nhis",
        "damage",
        {
            "targets": "squad morale=4 reduced; squad morale=5 unshakable; squad morale=4",
            "points": 2,
        },
    ),
    ("lnlt", "morale-check", {"units": "squad morale=5; leader morale=6; squad morale=5"}),
    (
        "lnlt",
        "rally",
        {"units": "leader morale=6 lm=1; squad morale=4; squad morale=4", "rallier": "none"},
    ),
    (
        "lnlt",
        "fire",
        {
            "attackers": "squad fp=4",
            "targets": "squad morale=5; half-squad morale=5; leader morale=6 wounded",
        },
    ),
    (
        "lnlt",
        "fire",
        {
            "attackers": "squad fp=4",
            "targets": "armored-vehicle morale=5 av=1 open; squad morale=4 outside",
        },
    ),
    (
        "lnlt",
        "damage-check",
        {"targets": "squad morale=5; squad morale=4; half-squad morale=4 shaken", "dc_mod": 3},
    ),
    (
        "lnlt",
        "ordnance-infantry",
        {"to_hit": 9, "he": 4, "targets": "squad morale=5; squad morale=5"},
    ),
    (
        "lnlt",
        "barrage",
        {"weapon": "mortar", "fp": 3, "targets": "squad morale=5; unarmored-vehicle morale=4 av=1"},
    ),
    (
        "lnlt",
        "fire-mission",
        {
            "fp": 4,
            "stage": "attack",
            "targets": "squad morale=5 hex=A dist=0; squad morale=5 hex=B dist=1",
        },
    ),
    (
        "lnlt",
        "air-support",
        {"value": 4, "targets": "armored-vehicle morale=5 av=2; squad morale=5; squad morale=4"},
    ),
    ("lnlt", "overrun", {"he": 3, "mg": 2, "targets": "squad morale=5; hero morale=7"}),
    (
        "lnlt",
        "crash",
        {"stage": "attack", "targets": "squad morale=5; armored-vehicle morale=6 av=3"},
    ),
    (
        "lnlt",
        "bail-out",
        {
            "cause": "dft",
            "vehicle": "destroyed",
            "passengers": "squad morale=5; leader morale=6 outside",
            "dc_mod": 2,
        },
    ),
    (
        "lnlt",
        "ordnance-vehicle",
        {
            "to_hit": 8,
            "penetration": 6,
            "armor": 5,
            "morale": 6,
            "passengers": "squad morale=5 outside",
        },
    ),
    (
        "baps",
        "fire",
        {
            "attackers": "soldier weapon=rifle-bolt count=4",
            "range": 45,
            "targets": "soldier count=2; leader cover=heavy",
        },
    ),
    (
        "baps",
        "fire",
        {
            "attackers": "soldier weapon=rifle-bolt count=4",
            "range": 45,
            "targets": "soldier wounds=2; soldier suppressed",
        },
    ),
    ("baps", "flame", {"range": 8, "targets": 3}),
    ("baps", "blast", {"weapon": "grenade", "lethal": 2, "burst": "leader; soldier wounds=1"}),
    ("baps", "barrage", {"weapon": "heavy-mortar", "vaporize": 1, "lethal": 2, "burst": 4}),
    (
        "baps",
        "ammo-check",
        {"attackers": "soldier weapon=lmg-belt; soldier weapon=rifle-bolt count=3"},
    ),
    ("baps", "he-attack", {"weapon": "hand-grenade", "range": 8, "lethal": 2, "burst": 1}),
    (
        "baps",
        "vehicle-fire",
        {"weapon": "medium", "range": 250, "armor": "medium", "aspect": "side", "crew": 3},
    ),
    ("baps", "crash", {"moved_quickly": True, "occupants": 3}),
    ("asl", "random-selection", {"units": "squad; squad; crew"}),
    ("ucn", "damage", {"weapon": "smg", "targets": "element; element; leader"}),
]
IDS = [f"{game}-{id}-{at}" for at, (game, id, _) in enumerate(LISTED)]
WHOLE = {
    ("lnlt", "give-order"),
    ("asl", "ht-effects"),
    ("asl", "wp-morale"),
    ("lnlt", "close-assault"),
    ("lnlt", "melee"),
    ("baps", "melee"),
    ("baps", "he-gun"),
    ("ucn", "attack-vehicle"),
    ("ucn", "shoot"),
    ("ucn", "interrupt"),
    ("ucn", "morale"),
}
"""Sequences with a list of units whose odds are those of the whole: the vehicle, the sides, the
element that is shot at or tests."""


def bare(name: str) -> str:
    """A row's name without what tells it from others of the same name."""
    return re.sub(r" \d+$", "", name).partition(" in ")[0]


def test_every_sequence_with_a_list_of_units_is_tried_here() -> None:
    listed = {
        (game, id)
        for game in ("asl", "baps", "lnlt", "nhis", "ucn")
        for id, sequence in find_shared_system(game).sequences.items()
        if any(option.type == "units" for option in sequence.inputs)
    }
    assert listed == {(game, id) for game, id, _ in LISTED} | WHOLE


@pytest.mark.sample(4)
@pytest.mark.parametrize(("game", "id", "given"), LISTED, ids=IDS)
def test_the_odds_name_every_unit_of_the_answer(game: str, id: str, given: dict[str, Any]) -> None:
    sequence = find_shared_system(game).find_sequence(id)
    rows = build_odds_rows(sequence, given)
    known = Counter(bare(row.name) for row in rows.values())
    for _ in range(40):
        played = play_sequence(sequence, given, create_throwaway_source())
        units = Counter(
            bare(unit)
            for unit, word in played.resolution.unit_words
            if "ammunition" not in word or id == "ammo-check"
        )
        assert units <= known
    counted = compute_each_odds(sequence, given, tuple(rows))
    named = [name for one in group_odds(sequence, rows, counted) for name in one.names]
    assert sorted(named) == sorted(row.name for row in rows.values())
    reply = build_odds_reply(sequence, given, rows, counted)
    shown = [part for part in reply.lines if isinstance(part, Odds)]
    assert [part.heading for part in shown] == [
        format_odds_names(one.names, one.names[0]) for one in group_odds(sequence, rows, counted)
    ]
    assert all(len(line) <= COLUMNS for part in shown for line in format_part(part))
    assert "[" not in reply.format_text()


@pytest.mark.sample(4)
@pytest.mark.parametrize(("game", "id", "given"), LISTED, ids=IDS)
def test_each_distribution_is_that_of_the_units_own_outputs(
    game: str, id: str, given: dict[str, Any]
) -> None:
    sequence = find_shared_system(game).find_sequence(id)
    rows = build_odds_rows(sequence, given)
    counted = compute_each_odds(sequence, given, tuple(rows))
    plan = sequence.plan(sequence.read_inputs(given, {}))
    for path, row in rows.items():
        assert sum(counted[path].values()) == 1
        own: dict[Any, Fraction] = {}
        for key, chance in compute_joint_odds(plan, row.paths).items():
            value = format_key(row.read(dict(zip(row.paths, key, strict=True))))
            own[value] = own.get(value, Fraction(0)) + chance
        assert own == counted[path], row.name


@pytest.mark.sample(4)
@pytest.mark.parametrize(("game", "id", "given"), LISTED, ids=IDS)
def test_the_words_are_those_of_the_answer(game: str, id: str, given: dict[str, Any]) -> None:
    sequence = find_shared_system(game).find_sequence(id)
    rows = [row for row in build_odds_rows(sequence, given).values() if "[" in row.paths[0]]
    for _ in range(60):
        played = play_sequence(sequence, given, create_throwaway_source())
        left = [(bare(row.name), row.format_result(str(read(row, played)))) for row in rows]
        for unit, word in played.resolution.unit_words:
            if "ammunition" in word and id != "ammo-check":
                continue  # the firers' weapons
            fit = [
                pair
                for pair in left
                if pair[0] == bare(unit) and plain(word).startswith(plain(pair[1]))
            ]
            assert fit, (unit, word, left)
            left.remove(fit[0])
        assert all(
            plain(word) in ("no effect", "missed", "in the crash", "ok") for _, word in left
        ), left


def plain(word: str) -> str:
    """A word as it is read aloud, also one that the log keeps short."""
    token = next((token for token, logged in LOG_WORDS.items() if logged == word), word)
    word = ANSWER_WORDS.get(token, token).replace("-", " ").removesuffix(", disembarks")
    return {
        "none": "no effect",
        "good order": "no effect",
        "out or jammed": "out of ammunition or jammed",
    }.get(word, word)


def read(row: Any, played: Play) -> object:
    """The row's token in a finished play."""

    def at(path: str) -> object:
        here: Any = played.out
        for piece in re.findall(r"\w+", path):
            if isinstance(here, list):
                here = here[int(piece)] if int(piece) < len(here) else None
            else:
                here = here.get(piece) if isinstance(here, dict) else None
        return here

    return format_key(
        row.read({path: value for path in row.paths if (value := at(path)) is not None})
    )


def test_a_snipers_pick_counts_for_each_unit() -> None:
    given = {
        "attackers": "squad fp=2",
        "shooter": "sniper",
        "targets": "squad morale=5; leader morale=6 lm=1; squad morale=5",
    }
    sequence = find_shared_system("lnlt").find_sequence("fire")
    rows = build_odds_rows(sequence, given)
    assert [row.name for row in rows.values()] == ["squad 1", "leader", "squad 2"]
    counted = compute_each_odds(sequence, given, tuple(rows))
    by_pick = compute_joint_odds(
        sequence.plan(sequence.read_inputs(given, {})),
        ("picked", "targets[0].result", "targets[0].becomes"),
    )
    for number, path in enumerate(rows, 1):
        hurt = sum(
            chance
            for (picked, result, _), chance in by_pick.items()
            if picked == number and result != "none"
        )
        assert 1 - counted[path]["none"] == hurt
    assert counted["row 0"] == counted["row 2"] != counted["row 1"]


def test_all_alike_characters_are_one_row() -> None:
    for id, given in (
        ("save", {"weapon": "blast", "count": 20}),
        ("react", {"morale": 12, "count": 3}),
    ):
        (row,) = build_odds_rows(find_shared_system("ucn").find_sequence(id), given).values()
        assert (row.name, row.unit_count) == (
            f"each of {given['count']} characters",
            given["count"],
        )


async def test_a_heading_names_roster_units_and_leaves_none_out() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Bob", 'unit add "Cell 3..12" squad VC morale=4 fp=1')
    cells = "; ".join(f"Cell {number}" for number in range(1, 13))
    reply = await channel.do("Anna", f'lnlt fire attackers="Squad 1" targets="{cells}; Tran" odds')
    assert reply.format_body()[0] == "Cell 1-12                at least"
    assert "Tran                     at least" in reply.format_body()
    assert reply.first_line == "57% to shake or hurt each Cell, 48% Tran \u00b7 Squad 1 fires"


def test_luck_counts_a_dead_man_as_killed() -> None:
    """A man with two wounds dies of the third: worth a kill in what came and in what was
    expected.
    """
    inputs = {
        "raw": {
            "attackers": "soldier weapon=rifle-bolt count=4",
            "range": 45,
            "targets": "soldier wounds=2",
        },
        "used": [],
    }
    out = nest_outputs({"targets[0].result": "wound-1", "targets[0].after": "killed"})
    killed = nest_outputs({"targets[0].result": "killed", "targets[0].after": "killed"})
    worth = measure(
        ScoredRoll(1, "US", "baps", "fire", ((json.dumps(inputs), json.dumps(out)),)),
        load_shared_systems(),
    )
    dead = measure(
        ScoredRoll(2, "US", "baps", "fire", ((json.dumps(inputs), json.dumps(killed)),)),
        load_shared_systems(),
    )
    assert worth is not None
    assert worth == dead


def test_a_half_squad_with_casualties_is_eliminated_as_the_answer_says() -> None:
    """The table says casualties, which eliminate a half-squad (PAC 02): odds and answer say what
    becomes of it.
    """
    given = {"targets": "half-squad morale=5", "dc_mod": 9, "no_hero": True}
    sequence = find_shared_system("lnlt").find_sequence("damage-check")
    (counted,) = compute_each_odds(
        sequence, given, tuple(build_odds_rows(sequence, given))
    ).values()
    assert counted == {"eliminated": 1}
    assert play_sequence(sequence, given, create_throwaway_source()).resolution.unit_words == (
        ("half-squad", "eliminated"),
    )
