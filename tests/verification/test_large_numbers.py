"""Whole numbers of 2^53 and more: a browser reads another number, so nobody can enter one, and
no log holds one.
"""

from __future__ import annotations

import json

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.proof.chain import format_event
from bot.rulesets.catalog import load_shared_systems
from bot.verification.check_file import check
from tests.forging import rechained
from tests.verification.forgeries_helpers import fire, honest, of
from tools import verify_log

LARGE = 2**53


def numbers() -> list[tuple[str, Option]]:
    """Every option and every number of a unit that takes digits."""
    found = [
        (f"{spec.name} {option.name}", option)
        for name in load_shared_registry().top_names
        for spec in load_shared_registry().list_below((name,))
        for option in spec.options
    ]
    for system in load_shared_systems().values():
        for words in system.words.values():
            found += [(f"{system.id} {key}", option) for key, option in words.keys.items()]
    return [(name, option) for name, option in found if option.type in ("int", "number")]


def test_every_number_that_can_be_typed_has_its_limits() -> None:
    assert len(numbers()) > 100
    for name, option in numbers():
        assert option.min is not None, name
        assert option.max is not None, name
        assert -LARGE < option.min <= option.max < LARGE, name


@pytest.mark.parametrize("path", ["inputs", "out", "unit"])
def test_a_log_with_a_larger_one_is_refused_by_both_verifiers(path: str) -> None:
    log = honest()
    if path == "unit":
        next(iter(of("unit")(log)["after"]["units"].values()))["numbers"]["morale"] = LARGE
    else:
        fire(log)[path]["deep"] = [1, {"deeper": -LARGE}]
    rechained(log)
    copy = json.loads(json.dumps(log))
    assert any("2^53" in line for line in check(log).faults), check(log).faults
    assert any("2^53" in line for line in verify_log.check(copy).faults)


def test_a_command_that_would_write_one_is_refused_in_one_line() -> None:
    with pytest.raises(UserError, match="too large for the log"):
        format_event({"kind": "roll", "out": {"dice": [1, 2], "total": LARGE}})
    format_event({"kind": "roll", "out": {"dice": [1, 2], "total": LARGE - 1}})
