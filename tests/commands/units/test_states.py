"""A word that names a state sets the state, wherever it is typed; no marker of that name is left
behind.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.game.roster import apply_changes, edit_unit
from bot.game.state import Game
from bot.rules.inputs.units import RosterUnit, build_unit, parse_units
from bot.rules.sequence.sequence import Change
from bot.rulesets.catalog import find_shared_system
from tests.playing import Channel, two_sides


def state_and_marks(channel_game: Game, name: str) -> tuple[str, set[str]]:
    unit = channel_game.units[name.casefold()]
    return unit.state, set(unit.marks)


async def test_a_squad_added_shaken_rallies_and_fires_again() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start lnlt "T" sides="A, B"',
        "game join A",
        "unit add Bb squad A morale=5 fp=2 shaken",
    )
    assert state_and_marks(await channel.game(), "Bb") == ("shaken", set())
    await channel.do("Anna", "lnlt rally units=Bb rallier=leader hand=1,1")
    assert state_and_marks(await channel.game(), "Bb") == ("good-order", set())
    await channel.do("Anna", 'lnlt fire attackers=Bb targets="squad morale=5" hand=1,6')


async def test_bare_words_set_and_clear_states_by_hand() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    for words, state, marks in [
        ("shaken", "shaken", set()),
        ("wounded", "shaken-wounded", set()),
        ("-shaken moved", "wounded", {"moved"}),
        ("marker=+shaken", "shaken-wounded", {"moved"}),
        ("good-order", "good-order", {"moved"}),
        ("shaken_wounded -moved", "shaken-wounded", set()),
        ("state=damaged", "damaged", set()),
        ("-damaged", "", set()),
        ("ops", "", {"ops-complete"}),
        ("-ops", "", set()),
    ]:
        await channel.do("Anna", f"unit edit us1 {words}")
        assert state_and_marks(await channel.game(), "Squad 1") == (state, marks), words


@pytest.mark.parametrize(
    ("game", "unit", "words", "state"),
    [
        ("nhis", "squad", "shaken", "shaken"),
        ("nhis", "squad", "reduced shaken", "reduced-shaken"),
        ("nhis", "squad", "state=reduced shaken", "reduced-shaken"),
        ("nhis", "squad", "state=shaken good-order", "good-order"),
        ("baps", "soldier", "suppressed", "suppressed"),
        ("asl", "gun", "low-ammo", "low-ammo"),
        ("ucn", "element", "pinned", "pinned"),
        ("lnlt", "helicopter", "damaged", "damaged"),
    ],
)
def test_in_every_game(game: str, unit: str, words: str, state: str) -> None:
    edited = edit_unit(RosterUnit("X", "u1", unit), words, find_shared_system(game))
    assert edited.state == state
    assert edited.marks <= {"low-ammo"}, "asl's counter is a marker beside the state"


def old_unit(state: str = "", *marks: str) -> RosterUnit:
    return RosterUnit("Bb", "a1", "squad", "A", {"morale": 5, "fp": 2}, state, frozenset(marks))


@pytest.mark.parametrize(
    ("state", "read"),
    [
        ("", "shaken"),
        ("good-order", "shaken"),
        ("wounded", "shaken-wounded"),
        ("damaged", "damaged"),
        ("destroyed", "destroyed"),
    ],
)
def test_an_old_marker_named_as_a_state_is_read_as_the_state(state: str, read: str) -> None:
    words = find_shared_system("lnlt").words["units"]
    unit = build_unit(old_unit(state, "shaken", "moved"), words)
    assert unit.state == read
    assert "shaken" in unit.flags


def test_an_old_marker_goes_when_a_result_sets_the_state() -> None:
    game = Game("g", system="lnlt", units={"bb": old_unit("", "shaken", "moved")})
    after = apply_changes(
        game, [Change("Bb", set={"state": "good-order"})], find_shared_system("lnlt")
    ).units["bb"]
    assert (after.state, after.marks) == ("good-order", frozenset({"moved"}))
    untouched = apply_changes(
        game, [Change("Bb", mark=frozenset({"fired"}))], find_shared_system("lnlt")
    ).units["bb"]
    assert untouched.marks == {"shaken", "moved", "fired"}, (
        "what sets no state leaves an old roster as it is"
    )


def test_an_old_marker_goes_when_the_state_is_set_by_hand() -> None:
    for words in ("state=good-order", "good-order", "-shaken"):
        edited = edit_unit(old_unit("good-order", "shaken"), words, find_shared_system("lnlt"))
        assert (edited.state in ("", "good-order"), edited.marks) == (True, frozenset()), words


@pytest.mark.parametrize(
    ("item", "flags", "state"),
    [
        ("Bb good-order", set(), "good-order"),
        ("Bb shaken-wounded", {"shaken", "wounded"}, "shaken-wounded"),
        ("squad shaken_wounded", {"shaken", "wounded"}, "shaken-wounded"),
        ("squad shaken", {"shaken"}, ""),
    ],
)
def test_states_in_unit_lists(item: str, flags: set[str], state: str) -> None:
    roster: dict[str, Any] = {"bb": replace(old_unit("shaken"))}
    (unit,) = parse_units(item, find_shared_system("lnlt").words["units"], roster, option="targets")
    assert (set(unit.flags), unit.state) == (flags, state)


async def test_several_bare_words_need_no_quotes() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start nhis "T" sides="A, B"', "game join B")
    await channel.do("Anna", "unit add X squad B morale=4 unshakable banzai")
    assert state_and_marks(await channel.game(), "X") == ("", {"unshakable", "banzai"})
    await channel.do(
        "Anna",
        "unit add Y squad morale=4 shaken moving",
        "unit edit x -banzai state=reduced moving",
    )
    game = await channel.game()
    assert state_and_marks(game, "Y") == ("shaken", {"moving"})
    assert game.units["y"].side == "B", "no side was typed: the player's own"
    assert state_and_marks(game, "X") == ("reduced", {"unshakable", "moving"})


def test_a_counter_that_shares_its_name_with_a_state_stays_beside_another_state() -> None:
    """asl: a gun with a Low Ammo counter that malfunctions keeps the counter."""
    gun = RosterUnit("Gun", "u1", "gun", state="low-ammo", marks=frozenset({"low-ammo"}))
    game = Game("g", system="asl", units={"gun": gun})
    after = apply_changes(
        game, [Change("Gun", set={"state": "malfunctioned"})], find_shared_system("asl")
    )
    assert (after.units["gun"].state, after.units["gun"].marks) == (
        "malfunctioned",
        frozenset({"low-ammo"}),
    )
    assert edit_unit(gun, "state=disabled", find_shared_system("asl")).marks == {"low-ammo"}
    assert (
        build_unit(replace(gun, state="working"), find_shared_system("asl").words["units"]).state
        == "working"
    )
