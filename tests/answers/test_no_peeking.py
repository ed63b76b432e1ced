"""An error records nothing, so the next roll has the same dice: no error may depend on how they
fell.
"""

from __future__ import annotations

import pytest

from bot.answers.roll import read_table
from bot.answers.shot import EXTRA, run_sequence
from bot.interface.registry import registry
from bot.interface.spec import CommandSpec
from bot.interface.typing.command_text import parse_text
from bot.rules.proof.fair import Stream
from bot.systems.catalog import system

TIMES = 12
SPECS = [spec for spec in registry() if spec.family in ("sequence", "lookup") and spec.example]


@pytest.mark.sample(12)
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_what_is_refused_is_refused_before_the_dice(spec: CommandSpec) -> None:
    typed = parse_text(spec.example, registry())
    rolled = [option.name for option in spec.options if option.name in ("roll", "dice")]
    dropped = EXTRA if spec.family == "sequence" else rolled
    options = {name: value for name, value in typed.options.items() if name not in dropped}
    for number in range(TIMES):
        dice = Stream(bytes(32), "game", number)
        if spec.family == "sequence":
            run_sequence(system(spec.system).sequence(spec.target), spec, options, "Anna", dice, {})
        else:
            read_table(system(spec.system).table(spec.target), options, "Anna", dice)
