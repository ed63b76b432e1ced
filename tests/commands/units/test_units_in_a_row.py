"""Units typed without a semicolon between them: the answer has the line that was meant."""

from __future__ import annotations

from itertools import product

import pytest

from bot.presentation.units_in_a_row import check_units_in_a_row
from bot.rules.inputs.options import TARGETS
from bot.rules.inputs.units import RosterUnit, index_by_name
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from tests.playing import Channel

UNITS = ("unit", "units")
NUMBERS = ("int", "number", "enum")

SCENARIOS = [
    (game.id, name)
    for game in load_shared_systems().values()
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


SEVERAL = [
    (game.id, sequence.id)
    for game in load_shared_systems().values()
    for sequence in game.sequences.values()
    if sum(option.type in UNITS for option in sequence.inputs) > 1
]


@pytest.mark.parametrize(("game", "name"), SEVERAL)
async def test_units_with_the_names_of_their_options_are_never_in_a_row(
    game: str, name: str
) -> None:
    """All unit inputs by name, and one number too, with units of either side in each of them."""
    sequence = find_shared_system(game).sequences[name]
    inputs = [option.name for option in sequence.inputs if option.type in UNITS]
    inputs += [option.name for option in sequence.inputs if option.type in NUMBERS][:1]
    channel = await Channel.fresh()
    for sides in product("AB", repeat=len(inputs)):
        units = [
            RosterUnit(f"Zebra {number}", f"z{number}", "unit", side)
            for number, side in enumerate(sides, 1)
        ]
        words = [f'{key}="{unit.name}"' for key, unit in zip(inputs, units, strict=True)]
        line = f"{game} {name} {' '.join(words)}"
        typed = await channel.app.parse_line(line, channel.place, channel.who("Anna"))
        check_units_in_a_row(sequence, typed.options, index_by_name(units), str)


async def test_a_list_with_its_name_is_kept() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US")
    refused = await channel.say("Anna", "lnlt fire targets=vc2 us1 vc1")
    assert refused.code != "loose-word", refused.format_text()
    refused = await channel.say("Anna", "lnlt fire us1 us2 vc1")
    assert refused.code == "loose-word"


async def test_units_with_letters_of_their_own_stay_bare() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US")
    await channel.do("Anna", 'unit edit us1 name="Müller"', 'unit edit us2 name="Köhler"')
    refused = await channel.say("Anna", 'lnlt fire "Müller" "Köhler" vc1')
    assert refused.code == "loose-word"
    assert 'attackers="us1; us2"' in refused.better
