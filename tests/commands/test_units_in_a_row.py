"""Units typed without a semicolon between them: the answer has the line that was meant."""

from __future__ import annotations

import pytest

from bot.rules.inputs.options import TARGETS
from bot.rulesets.catalog import get_systems
from tests.playing import Channel

SCENARIOS = [
    (game.id, name)
    for game in get_systems().values()
    for name in game.scenarios
    if any(
        option.part == TARGETS and option.type == "units"
        for sequence in game.sequences.values()
        for option in sequence.inputs
    )
]


@pytest.mark.parametrize(("game", "scenario"), SCENARIOS)
async def test_the_corrected_line_has_one_list_for_each_side(game: str, scenario: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {game} scenario={scenario}")
    known = await channel.app.get_completion_context(channel.place, channel.who("Anna"))
    own, other = known.sides[:2]
    await channel.do("Anna", f'game join "{own}"')
    first, second = [unit.handle for unit in known.roster if unit.side == own][:2]
    target = next(unit.handle for unit in known.roster if unit.side == other)
    met = 0
    for spec in channel.app.registry.list_below((game,)):
        lists = [option for option in spec.options if option.type == "units"]
        if spec.family != "sequence" or len(lists) < 2 or lists[1].part != TARGETS:
            continue
        refused = await channel.say("Anna", f"{spec.name} {first} {second} {target}")
        if refused.code != "loose-word":
            continue  # a word between the lists: that is said instead
        met += 1
        typed = await channel.app.parse_line(refused.better, channel.place, channel.who("Anna"))
        assert typed.options[lists[0].name] == f"{first}; {second}", spec.name
        assert typed.options[lists[1].name] == target, spec.name
    assert met > 0 or game not in ("lnlt", "nhis", "baps")


async def test_one_list_alone_takes_all_units() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US")
    refused = await channel.say("Anna", "lnlt rally us1 us2")
    assert refused.code == "loose-word"
    assert refused.better == '/lnlt rally units="us1; us2"'


async def test_a_unit_with_the_name_of_a_word_is_not_mistaken() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US")
    await channel.do("Anna", 'unit add "Other" leader side=US morale=6 lr=1')
    await channel.do("Anna", "unit edit us1 shaken")
    rallied = await channel.say("Anna", "lnlt rally us1 other")
    assert rallied.code != "loose-word", rallied.format_text()
