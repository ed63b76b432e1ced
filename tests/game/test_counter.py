"""Units as counters: what kind each type of each game is, what is printed on it, and what its
states mean.
"""

from __future__ import annotations

import pytest

from bot.game.state import Json, unit_to_json
from bot.report.units import build_counter
from bot.rules.errors import TableError
from bot.rules.inputs.units import Back, RosterUnit
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.game_file import check_game
from bot.rulesets.game_keys import ANY, FRAMES
from bot.rulesets.system import System

FRAME_OF = {
    "asl": "infantry infantry weapon leader person armor mechanized mechanized soft artillery weapon",
    "baps": "person leader person infantry armor",
    "lnlt": "infantry infantry weapon weapon leader person person person person medical medical medical person leader"
    " leader person armor soft helicopter air",
    "nhis": "infantry leader weapon mortar weapon armor",
    "ucn": "infantry weapon armor leader",
}


def made(game: str, type_: str, **more: object) -> Json:
    unit = unit_to_json(RosterUnit("Fox", "us1", type_, "US", **more))  # type: ignore[arg-type]
    return build_counter(unit, unit, find_shared_system(game))


@pytest.mark.parametrize("game", list(load_shared_systems()))
def test_every_unit_type_has_its_frame(game: str) -> None:
    """A frame of the list, none left as an empty box."""
    types = find_shared_system(game).game["units"]["types"]
    assert [made(game, type_)["frame"] for type_ in types] == FRAME_OF[game].split()
    assert set(FRAME_OF[game].split()) <= set(FRAMES) - {ANY}


def fates(game: str) -> dict[str, set[str]]:
    """What each state of a game means: "" for one in which nothing ails the unit."""
    found: dict[str, set[str]] = {}
    for state in find_shared_system(game).words["units"].known_states:
        made_ = made(game, find_shared_system(game).game["units"]["types"][0], state=state)
        fate = str(made_["standing"]).replace("gone", "lost")
        assert bool(made_["states"]) == bool(fate)
        found.setdefault(fate, set()).add(state)
    return found


@pytest.mark.parametrize(
    ("game", "well", "shaken", "hurt", "lost"),
    [
        ("lnlt", "good-order", "shaken", "wounded shaken-wounded damaged abandoned", "destroyed eliminated"),
        ("nhis", "good-order", "shaken", "reduced reduced-shaken", "eliminated"),
        ("baps", "ready good operable", "suppressed pinned broken", "bailed-out", "killed knocked-out"),
        ("ucn", "ready", "hesitant pinned stunned hesitant-morale let-loose go-firm withdraw", "immobilised",
         "combat-ineffective out-of-action destroyed surrendered"),
        ("asl", "good-order normal working", "pinned broken buttoned-up low-ammo", "stunned malfunctioned recalled",
         "eliminated destroyed burning disabled"),
    ],
)  # fmt: skip
def test_what_each_state_means(game: str, well: str, shaken: str, hurt: str, lost: str) -> None:
    """Each state of a game is one of four things."""
    expected = {"": well, "shaken": shaken, "hurt": hurt, "lost": lost}
    assert fates(game) == {fate: set(states.split()) for fate, states in expected.items()}


def test_numbers_as_they_are_printed() -> None:
    """In the counter's order; several are parted by a stroke, a number that the roster lacks is
    left out.
    """
    assert made("lnlt", "squad", numbers={"morale": 5, "fp": 2})["printed"] == "2–5"
    assert made("lnlt", "crew", numbers={"morale": 5, "sw": (3, 2)})["printed"] == "3/2–5"
    assert made("lnlt", "leader", numbers={"morale": 6, "lm": 1, "lr": 2})["printed"] == "1–2–6"
    assert (
        made("lnlt", "armored-vehicle", numbers={"fp": 3, "he": 5, "mg": 6, "armor": 3})["printed"]
        == "5–6–3"
    )
    assert made("asl", "gun", numbers={"start": "b11"})["printed"] == "B11"
    assert made("asl", "gun", numbers={"start": "circled-9"})["printed"] == "circled 9"
    assert made("nhis", "squad", numbers={"morale": 7, "fp": 4})["printed"] == "4–7"
    assert made("baps", "soldier", numbers={"weapon": "carbine"})["printed"] == ""


def test_states_and_markers_in_words() -> None:
    """A unit is named with all that ails it; the type is written as the game writes it."""
    both = made("lnlt", "leader", state="shaken-wounded", marks=frozenset({"ops-complete"}))
    assert (both["states"], both["marks"], both["standing"]) == (
        ("shaken and wounded",),
        ("ops complete",),
        "hurt",
    )
    assert made("asl", "afv")["type"] == "AFV"
    assert made("baps", "soldier", numbers={"wounds": 1})["standing"] == "hurt"
    assert made("baps", "vehicle", marks=frozenset({"track-hit"}))["standing"] == "hurt"
    assert made("ucn", "element", numbers={"casualties": 0})["standing"] != "hurt"


def test_the_reduced_side_is_said_once() -> None:
    """A turned counter is hurt and says so, unless its state does already."""
    half = made("lnlt", "half-squad", turned=True, back=Back("squad", {"morale": 5}))
    assert (half["states"], half["standing"]) == (("reduced",), "hurt")
    assert made("nhis", "squad", state="reduced", turned=True, back=Back())["states"] == (
        "reduced",
    )


def test_free_play_knows_the_common_words_only() -> None:
    """Without a system: an empty box without numbers, lost by the words that all games share."""
    unit = unit_to_json(RosterUnit("Fox", "u1", "squad", numbers={"morale": 5}, state="eliminated"))
    bare = build_counter(unit, unit, None)
    assert (bare["frame"], bare["printed"], bare["standing"]) == (ANY, "", "gone")


@pytest.mark.parametrize(
    ("counters", "part"),
    [
        ({"squat": {"frame": "infantry"}}, "squat"),
        ({"squad": {"frame": "infantri"}}, "infantry"),
        ({"squad": {"numbers": ["moral"]}}, "morale"),
        ({"squad": {"colour": "red"}}, "frame"),
        ({"squad": "infantry"}, "frame"),
    ],
)
def test_a_wrong_counter_names_its_row(counters: dict[str, object], part: str) -> None:
    """File and row are said, and the word that was meant."""
    game = System("lnlt").game
    units = {**game["units"], "counters": counters}
    with pytest.raises(TableError, match=f"row .*counters.*{part}"):
        check_game({**game, "units": units}, "lnlt/game.yaml")
