"""Initiative, spotting, smoke, mines and stacking: PAC 10 to 12."""

from fractions import Fraction
from typing import Any

import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.lnlt.rosters import roster, unit


def play(sequence: str, dice: list[int], **given: Any) -> dict[str, Any]:
    """The outputs of one sequence."""
    return play_example("lnlt", sequence, given, dice).out


def test_the_higher_roll_takes_the_initiative() -> None:
    """Side a, then side b."""
    assert play("initiative", [3, 5], last="a") == {
        "roll_a": 3,
        "roll_b": 5,
        "tied": False,
        "winner": "b",
        "outcome": "b",
    }
    assert play("initiative", [5, 3], last="b")["winner"] == "a"


@pytest.mark.parametrize("last", ["a", "b"])
def test_a_tie_leaves_it_where_it_was(last: str) -> None:
    """With either side."""
    out = play("initiative", [4, 4], last=last)
    assert (out["tied"], out["winner"]) == (True, last)
    assert odds("lnlt", "initiative", {"last": last})[last] == Fraction(21, 36)


def test_initiative_needs_to_know_who_had_it() -> None:
    """And there are two sides."""
    with refuses("missing last"):
        play("initiative", [])
    with refuses("bad-value last"):
        play("initiative", [], last="c")


def test_spotting_in_degrading_terrain() -> None:
    """4 + 1 - 2 is 3."""
    assert play("spot", [4], terrain="degrading", degrading=1, scout=True) == {
        "automatic_spot": False,
        "roll": 4,
        "total": 3,
        "needed": 3,
        "spotted": True,
        "outcome": "spotted",
    }
    assert play("spot", [3], terrain="blocking")["outcome"] == "not-spotted"


def test_a_natural_6_never_spots() -> None:
    """6 - 3 - 2 would do."""
    out = play("spot", [6], terrain="degrading", lm=3, tis=True)
    assert (out["total"], out["spotted"]) == (1, False)
    assert odds("lnlt", "spot", {"terrain": "blocking", "lm": 3, "tis": True})[
        "spotted"
    ] == Fraction(5, 6)


def test_open_and_automatic_need_no_die() -> None:
    """Spotted at once."""
    for given in ({"terrain": "open"}, {"terrain": "blocking", "automatic": True}):
        assert play("spot", [], **given) == {
            "automatic_spot": True,
            "roll": "none",
            "total": "none",
            "needed": "none",
            "spotted": True,
            "outcome": "spotted",
        }


def test_the_spotter_is_ops_complete_when_it_rolled() -> None:
    """Not when it needed no roll."""
    units = roster(unit("A", "squad"))
    given = {"terrain": "degrading", "unit": "A"}
    assert [
        change.mark for change in play_example("lnlt", "spot", given, [5], units).resolution.changes
    ] == [{"ops-complete"}]
    assert (
        play_example("lnlt", "spot", given | {"terrain": "open"}, [], units).resolution.changes
        == ()
    )


def test_spotting_refusals() -> None:
    """A third degrading hex."""
    with refuses("bad-value degrading"):
        play("spot", [], terrain="degrading", degrading=3)


def test_smoke_at_or_under_the_capability() -> None:
    """3 is enough with 3, and costs 1 of movement."""
    assert play("smoke", [3], capability=3) == {
        "roll": 3,
        "success": True,
        "marker": "smoke-1",
        "mf_mod": -1,
        "outcome": "smoke-1",
    }
    out = play("smoke", [4], capability=3)
    assert (out["success"], out["marker"], out["mf_mod"], out["outcome"]) == (
        False,
        "none",
        0,
        "none",
    )
    assert odds("lnlt", "smoke", {"capability": 2})["smoke-1"] == Fraction(1, 3)


def test_who_lays_smoke() -> None:
    """A good order MMC that is no weapon team; after a failure it is Ops Complete."""
    units = roster(
        unit("A", "squad"),
        unit("B", "squad", state="shaken"),
        unit("C", "weapon-team"),
        unit("D", "hero"),
    )
    failed = play_example("lnlt", "smoke", {"capability": 1, "unit": "A"}, [6], units)
    assert [change.mark for change in failed.resolution.changes] == [{"ops-complete"}]
    laid = play_example("lnlt", "smoke", {"capability": 1, "unit": "A"}, [1], units)
    assert laid.resolution.changes == ()
    for name in "BCD":
        with refuses(f"unit-unfit {name}"):
            play_example("lnlt", "smoke", {"capability": 1, "unit": name}, [], units)


@pytest.mark.parametrize(
    ("die", "shaken", "result", "becomes", "immobilized", "crew"),
    [
        (1, False, "none", "good-order", False, "none"),
        (1, True, "none", "shaken", False, "none"),
        (3, False, "shaken", "shaken", False, "none"),
        (2, True, "shaken", "abandoned", False, "shaken-moved"),
        (4, False, "shaken-immobilized", "shaken", True, "none"),
        (5, True, "shaken-immobilized", "abandoned", True, "shaken-moved"),
        (6, False, "destroyed", "destroyed", False, "eliminated"),
    ],
)
def test_mines(
    die: int, shaken: bool, result: str, becomes: str, immobilized: bool, crew: str
) -> None:
    """No bail-out from a vehicle that mines destroy."""
    out = play("mines", [die], shaken=shaken)
    assert (out["result"], out["becomes"], out["immobilized"], out["crew"]) == (
        result,
        becomes,
        immobilized,
        crew,
    )


def test_mines_are_written_back() -> None:
    """State and marker; a squad drives no vehicle."""
    units = roster(unit("T-55", "armored-vehicle", state="shaken"), unit("A", "squad"))
    (change,) = play_example("lnlt", "mines", {"unit": "T-55"}, [4], units).resolution.changes
    assert (dict(change.set), set(change.mark)) == ({"state": "abandoned"}, {"immobilized"})
    with refuses("wrong-type A"):
        play_example("lnlt", "mines", {"unit": "A"}, [], units)
    assert odds("lnlt", "mines", {}, "becomes")["shaken"] == Fraction(4, 6)


@pytest.mark.parametrize(
    ("given", "problems"),
    [
        ({"squads": 3, "vehicles": 2, "smcs": 2}, []),
        ({"squads": 2, "half_squads": 1, "crews": 1, "wrecks": 1, "vehicles": 1}, []),
        ({"squads": 3, "atgm_teams": 1}, ["too-many-squads"]),
        ({"weapon_teams": 4}, ["too-many-squads"]),
        ({"mounted_squads": 2, "mounted_half_squads": 1}, ["too-many-mounted"]),
        ({"squads": 2, "mounted_squads": 1}, ["mixed-too-many"]),
        ({"half_squads": 3, "mounted_squads": 1}, []),
        ({"squads": 4, "mounted_squads": 1}, ["too-many-squads"]),
        (
            {"vehicles": 2, "wrecks": 2, "smcs": 3},
            ["too-many-vehicles", "too-many-wrecks", "too-many-smcs"],
        ),
    ],
)
def test_stacking(given: dict[str, int], problems: list[str]) -> None:
    """3 squads or 2 mounted, 2 vehicles with at most one wreck, 2 single men."""
    out = play("stack-check", [], **given)
    assert (out["legal"], out["problems"]) == (not problems, problems)


def test_stacking_counts_halves() -> None:
    """Half-squads, crews and ATGM teams are halves."""
    out = play("stack-check", [], squads=1, half_squads=1, mounted_half_squads=1, wrecks=1)
    assert (out["squad_equivalents"], out["mounted_equivalents"], out["vehicle_count"]) == (
        1.5,
        0.5,
        1,
    )
    with refuses("no-odds"):
        odds("lnlt", "stack-check", {"squads": 1})
