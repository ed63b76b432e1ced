"""A wrong game.yaml is refused when it is loaded, with the part that is wrong."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.rules.errors import TableError
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.game_file import check_game


@pytest.mark.parametrize("id", list(load_shared_systems()))
def test_every_game_that_comes_along_is_whole(id: str) -> None:
    game = load_shared_systems()[id]
    assert game.title
    assert game.words["units"].types
    known = {*game.sequences, "*"}
    assert set(game.game.get("scores") or {}) <= known, "scores belong to sequences"


GAME: dict[str, Any] = {
    "title": "Tiny Tin Tanks",
    "edition": 1,
    "publisher": "Nobody",
    "notice": "Nobody's; the rule book is needed.",
    "groups": {"combat": "Combat"},
    "units": {
        "types": ["tank"],
        "flags": {"moving": "it moves"},
        "states": ["dead"],
        "markers": ["moving"],
    },
    "phases": [{"name": "fire", "clears": ["moving"]}],
    "scores": {"*": {"kill": 3}},
}


def test_a_small_game_is_enough() -> None:
    assert check_game(GAME, "tiny/game.yaml") == GAME


def test_phases_of_the_page_about_them_are_accepted(root: Path) -> None:
    page = (root / "docs" / "phases.md").read_text(encoding="utf-8")
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    units = {
        "types": ["tank"],
        "attributes": {"loading": {"type": "int", "help": "turns until it is loaded"}},
        "flags": {"fired": "it has fired", "moved": "it moves", "activated": "its card is used"},
        "states": ["shaken", "pinned"],
        "markers": ["fired", "moved", "activated"],
    }
    game = {**GAME, "units": units, "turns": "by-side"}
    parts = [block for block in blocks if "cards" not in block]
    assert len(parts) == 5
    for part in parts:
        if part.keys() & {"calls", "begins"}:
            part = {"phases": [{"name": "combat-round", **part}]}
        check_game(game | {"phases": [{"name": "combat-round"}]} | part, "tiny/game.yaml")


@pytest.mark.parametrize(
    ("part", "value", "told"),
    [
        ("phases", ["move", "fire"], "tiny/game.yaml, row phases 1: must be a mapping with name"),
        (
            "phases",
            [{"name": "fire", "clear": []}],
            'row phases fire: "clear" is not known here. Did you mean clears?',
        ),
        ("phases", [{"name": "fire", "clears": ["movin"]}], "row phases fire, clears: "),
        ("units", {"types": ["tank"], "lost": ["dead"]}, "row lost: "),
        (
            "units",
            {"types": ["tank"], "states": ["hit"], "state_flags": {"hit": ["slow"]}},
            "row state_flags hit: ",
        ),
        ("units", {"types": []}, "row units: types is missing"),
        (
            "groups",
            ["combat"],
            "row groups: must be {group: text}, not a list: the table groups",
        ),
        ("scores", {"shoot": {"kill": "3"}}, "row scores shoot, kill: must be a number"),
        ("publisher", "", "tiny/game.yaml: publisher is missing"),
        ("edition", None, "tiny/game.yaml: edition is missing"),
        ("edition", "1", "row edition: must be a whole number"),
        ("edition", True, "row edition: must be a whole number"),
        ("edition", -1, "row edition: must be a whole number"),
        ("phase", [], 'tiny/game.yaml: "phase" is not known here. Did you mean phases?'),
    ],
)
def test_what_is_wrong_is_named(part: str, value: object, told: str) -> None:
    game = deepcopy(GAME)
    game[part] = value
    with pytest.raises(TableError) as refused:
        check_game(game, "tiny/game.yaml")
    assert told in str(refused.value)


@pytest.mark.parametrize("game", ["asl", "baps", "ucn"])
def test_every_word_of_a_unit_says_what_it_means(game: str) -> None:
    units = load_shared_systems()[game].game["units"]
    meanings = {**units["flags"], **units["states"], **units["markers"]}
    meanings |= {key: option["help"] for key, option in units["attributes"].items()}
    for words in (load_shared_systems()[game].game.get("unit_lists") or {}).values():
        meanings |= {key: option["help"] for key, option in (words.get("keys") or {}).items()}
    assert not [word for word, meaning in meanings.items() if len(meaning) < 5]
