"""One word for an outcome: odds, answer, list and log say the same of the same, for every sequence
that there is.

From the registry, so that a new sequence joins by itself: what a row of the odds calls a result is
what the first line calls it, and results that the odds tell apart are told apart there.
"""

from __future__ import annotations

import re
from random import Random

import pytest

from bot.game.counter_faces import list_conditions
from bot.game.state import build_roster
from bot.presentation.headline import (
    build_headline,
    list_unit_result_words,
    load_result_words,
    summarize_results,
)
from bot.presentation.odds import get_row_result_word, group_odds
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.odds.by_unit import list_rows, roll_results
from bot.rules.sequence.sequence import UnitResult, play
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.play_once import build_odds_rows, compute_each_odds
from bot.rulesets.system import list_builtin_systems
from tests.commands.ailments_helpers import at_worst
from tools.corpus import frozen, game_of

PLAYS = 60
SEQUENCES = [(one.id, name) for one in load_shared_systems().values() for name in one.sequences]


@pytest.mark.parametrize(
    ("game", "name"), SEQUENCES, ids=[f"{game}-{name}" for game, name in SEQUENCES]
)
def test_every_result_reads_as_english_for_one_and_for_many(game: str, name: str) -> None:
    """Nobody is `otherwise`, no code and no gap is left; twelve of all kinds fit three groups."""
    sequence = find_shared_system(game).find_sequence(name)
    tokens = [*load_result_words(sequence)] or ["none"]
    draw = Random(f"{game} {name}")
    for size in (1, 2, 12):
        fates = [UnitResult(f"Gren {at}", draw.choice(tokens), "something") for at in range(size)]
        title = build_headline(summarize_results(sequence, fates), "", (), "Alice").title
        assert "otherwise" not in title
        assert "  " not in title
        assert "{" not in title
        assert "Grens" not in title
        assert title.count(",") <= 5 or size < 12


def test_mines_of_a_shaken_vehicle_are_counted_by_what_becomes_of_it() -> None:
    sequence = find_shared_system("lnlt").find_sequence("mines")
    given = {"shaken": True}
    rows = build_odds_rows(sequence, given)
    (one,) = group_odds(sequence, rows, compute_each_odds(sequence, given, tuple(rows)))
    assert {word: str(chance) for _, word, chance in one.chances} == {
        "destroyed": "1/6",
        "abandoned": "2/3",
        "no effect": "1/6",
    }


@pytest.mark.parametrize(
    ("game", "name", "given", "words"),
    [
        (
            "lnlt",
            "ordnance-vehicle",
            {"to_hit": 7, "penetration": 5, "armor": 4, "morale": 5},
            {"missed", "no effect"},
        ),
        (
            "baps",
            "vehicle-fire",
            {"weapon": "medium", "range": 10, "armor": "medium", "aspect": "front"},
            {"missed", "bounces off"},
        ),
    ],
)
def test_a_miss_is_told_apart_from_a_hit_without_effect(
    game: str, name: str, given: dict[str, object], words: set[str]
) -> None:
    sequence = find_shared_system(game).find_sequence(name)
    rows = build_odds_rows(sequence, given)
    found = group_odds(sequence, rows, compute_each_odds(sequence, given, tuple(rows)))[0]
    assert words <= {word for _, word, _ in found.chances}
    titles = [
        build_headline(summarize_results(sequence, [UnitResult("T1", token)]), "", (), "A").title
        for token, _, _ in found.chances
    ]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(
    "game", [one.id for one in load_shared_systems().values() if one.game["units"].get("hurt")]
)
def test_every_loss_that_a_game_counts_is_a_state(game: str) -> None:
    for unit in at_worst(find_shared_system(game)):
        assert list_conditions(unit, find_shared_system(game)), unit


SAID_OTHERWISE = {
    "sides": {
        ("baps", "melee"),
        ("lnlt", "melee"),
        ("lnlt", "initiative"),
        ("ucn", "melee"),
        ("ucn", "building-assault"),
    },
    "numbers": {
        ("baps", name) for name in ("artillery", "leader-points", "leader-rating", "sighting")
    }
    | {("lnlt", "crash"), ("lnlt", "fire-mission")},
    "of each character": {("ucn", "react"), ("ucn", "save")},
}
"""Sequences whose odds speak of something else than the first line."""


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("game", "name"), SEQUENCES, ids=[f"{game}-{name}" for game, name in SEQUENCES]
)
def test_the_odds_call_what_became_of_each_unit_as_the_answer_does(game: str, name: str) -> None:
    """With the same dice: the result of a row (by which the odds count) and the word of the
    first line.
    """
    sequence = find_shared_system(game).find_sequence(name)
    if (
        not sequence.odds_by
        or game not in list_builtin_systems()
        or any((game, name) in some for some in SAID_OTHERWISE.values())
    ):
        return  # packs have no frozen plays; test_told.py draws its own of all
    corpus = frozen(game)
    roster, words, results = (
        build_roster(game_of(corpus.roster)),
        list_unit_result_words(sequence),
        load_result_words(sequence),
    )
    for entry in corpus.of("sequence", name)[:PLAYS]:
        if "out" not in entry:
            continue
        try:
            plan, dice = (
                sequence.plan(sequence.read_inputs(entry["in"], roster)),
                [die[2] for die in entry["dice"]],
            )
        except UserError:  # refused since it was frozen
            continue
        rows = list_rows(plan, sequence.odds_by, sequence.odds_row)
        fates = {fate.unit: fate.token for fate in play(plan, Script(dice)).resolution.unit_results}
        for row, token in zip(rows, roll_results(plan, rows, Script(dice)), strict=True):
            fate = fates.get(row.name) or (
                next(iter(fates.values())) if len(rows) == len(fates) == 1 else None
            )
            if fate is not None and not re.search(r" \d+$", row.name):
                # numbered where several have one name
                known = results.get(fate)
                said = {
                    fate.replace("-", " "),
                    *(() if known is None else (known.singular, known.word)),
                }
                assert get_row_result_word(row, str(token or "none"), words) in said, (
                    entry["in"],
                    dice,
                )
