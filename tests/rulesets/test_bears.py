"""Modifiers that only some units can bear: how they are read, and whom they are left out for."""

from __future__ import annotations

from typing import Any

import pytest

from bot.rules.errors import TableError
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import Unit
from bot.rules.shapes import check_shape
from bot.rulesets.bears import Bearers, find_unborne, read_bears
from bot.rulesets.sequence_keys import PARTS

INPUTS = (
    Option("firers", "units"),
    Option("pivoted", "bool"),
    Option("mods", "mods", values=("in_flight",)),
)
CLASSES = {"vehicle": ["tank", "truck"]}
BEARS = {"pivoted": Bearers("firers", ("vehicle",)), "in_flight": Bearers("firers", ("flying",))}


def test_they_are_read_by_input_and_modifier() -> None:
    data = {"bears": {"firers": {"pivoted": ["vehicle"], "in_flight": ["flying"]}}}
    assert read_bears(data, INPUTS, "game.yaml", "fire") == BEARS
    assert read_bears({}, INPUTS, "game.yaml", "fire") == {}


@pytest.mark.parametrize(
    ("bears", "fault"),
    [
        ({"firer": {}}, "no input with units firer. Did you mean firers"),
        ({"firers": {"pivotted": ["tank"]}}, "no modifier pivotted. Did you mean pivoted"),
        ({"firers": {"pivoted": []}}, "a list of types"),
    ],
)
def test_a_slip_is_named(bears: Any, fault: str) -> None:
    with pytest.raises(TableError, match=fault):
        read_bears({"bears": bears}, INPUTS, "game.yaml", "fire")


@pytest.mark.parametrize(
    ("bears", "fault"),
    [
        ("all", 'bears: must be {input with units: {modifier: [text, ...]}}, not "all"'),
        ({"firers": ["pivoted"]}, "bears, firers: must be {modifier: [text, ...]}, not a list"),
        ({"firers": {"pivoted": "tank"}}, 'pivoted: must be a list of texts, not "tank"'),
    ],
)
def test_a_wrong_layout_is_named(bears: Any, fault: str) -> None:
    sequence = {"title": "Fire", "source": "s", "summary": "t", "bears": bears}
    with pytest.raises(TableError) as refused:
        check_shape(sequence, "sequence", PARTS, "game.yaml", within="fire")
    assert fault in str(refused.value)


@pytest.mark.parametrize(
    ("units", "unborne"),
    [
        ((), set()),
        ((Unit("Squad", "squad"),), {"pivoted", "in_flight"}),
        ((Unit("Squad", "squad"), Unit("Tiger", "tank")), {"in_flight"}),
        ((Unit("Huey", "helicopter", flags=frozenset(("flying",))),), {"pivoted"}),
    ],
)
def test_one_unit_that_can_bear_it_is_enough(units: tuple[Unit, ...], unborne: set[str]) -> None:
    """Nobody there yet leaves all modifiers in."""
    assert find_unborne(BEARS, {"firers": units}, CLASSES) == unborne
