"""While typing, units that a sequence would refuse come last, with the reason that its form gives."""

from __future__ import annotations

import pytest

from bot.rules.inputs.options import Option
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.catalog import load_shared_systems
from bot.ui.spec import CommandSpec
from bot.ui.typing.complete import CompletionChoice, restore_choice_values
from tests.playing import Channel

SCENARIOS = [(game.id, name) for game in load_shared_systems().values() for name in game.scenarios]


def _unit_of(
    choice: CompletionChoice, spec: CommandSpec, option: Option, roster: dict[str, RosterUnit]
) -> RosterUnit | None:
    """Return the unit that a choice names alone; None for several, a type or a weapon."""
    typed = str(restore_choice_values(spec, {option.name: choice.name})[option.name])
    return roster.get(typed.casefold()) if typed == choice.value else None


@pytest.mark.parametrize(("game", "scenario"), SCENARIOS)
async def test_units_that_cannot_act_come_last_with_the_reason(game: str, scenario: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {game} scenario={scenario}")
    anna = channel.who("Anna")
    known = await channel.app.get_completion_context(channel.place, anna)
    await channel.do("Anna", f'game join "{known.sides[0]}"')
    first = next(unit for unit in known.roster if unit.side == known.sides[0])
    await channel.say("Anna", f'unit edit "{first.name}" state=shaken')
    known = await channel.app.get_completion_context(channel.place, anna)
    roster = {unit.name.casefold(): unit for unit in known.roster}
    seen = 0
    for spec in channel.app.registry.list_below((game,)):
        if spec.family != "sequence":
            continue
        context = await channel.app.get_form_context(spec, channel.place, anna)
        for option in spec.options:
            if option.type not in ("unit", "units"):
                continue
            reasons = context.reasons.get(option.name, {})
            choices = await channel.app.complete_option(
                spec.path, option.name, "", {}, anna, channel.place
            )
            units = [(choice, _unit_of(choice, spec, option, roster)) for choice in choices]
            named = [(choice, unit) for choice, unit in units if unit is not None]
            refused = [unit.handle in reasons for _, unit in named]
            assert refused == sorted(refused), (spec.name, option.name)
            for choice, unit in named:
                reason = reasons.get(unit.handle)
                if reason is not None and reason.brief != unit.state:
                    assert reason.brief in choice.name, (spec.name, choice)
            seen += len(named)
    assert seen > 10
