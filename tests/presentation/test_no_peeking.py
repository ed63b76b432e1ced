"""An error records nothing, so the next roll has the same dice: no error may depend on how they
fell.
"""

from __future__ import annotations

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.presentation.roll import look_up_table
from bot.presentation.run_sequence import EXTRA, run_sequence
from bot.rules.proof.fair import Stream
from bot.rulesets.catalog import find_shared_system
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import parse_text

TIMES = 12
SPECS = [
    spec
    for spec in load_shared_registry()
    if spec.family in ("sequence", "lookup") and spec.example
]


@pytest.mark.sample(12)
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_what_is_refused_is_refused_before_the_dice(spec: CommandSpec) -> None:
    typed = parse_text(spec.example, load_shared_registry())
    rolled = [option.name for option in spec.options if option.name in ("roll", "dice")]
    dropped = EXTRA if spec.family == "sequence" else rolled
    options = {name: value for name, value in typed.options.items() if name not in dropped}
    for number in range(TIMES):
        dice = Stream(bytes(32), "game", number)
        if spec.family == "sequence":
            run_sequence(
                find_shared_system(spec.system).find_sequence(spec.target),
                spec,
                options,
                "Anna",
                dice,
                {},
            )
        else:
            look_up_table(
                find_shared_system(spec.system).find_table(spec.target), options, "Anna", dice
            )
