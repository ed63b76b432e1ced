"""Each check that a note of the card names is offered by the answer that calls for it."""

from __future__ import annotations

from itertools import product

import pytest

from bot.rules.tables.table import Table
from bot.rulesets.catalog import find_shared_system
from tests.playing import Channel

CALLED_FOR = {
    "PAATC": "check kind=paatc",
    "Crew Survival": "check kind=crew-survival",
    "Immobilization TC": "check kind=immobilization-tc",
    "Random Selection": "random-selection",
    "NMC": "fpf-check",
}
"""What a text of a table calls for, and the command that rolls it."""
OTHERWISE = ("wp-mods", "pillbox-notes", "pillbox-tem")
"""Tables whose NMC is that of the WP that they are about: `wp-morale` reads them itself."""
TABLES = [
    table
    for table in find_shared_system("asl").tables.values()
    if any(word in text for text in table.texts.values() for word in CALLED_FOR)
    and table.id not in OTHERWISE
]


def inputs(table: Table) -> list[dict[str, object]]:
    """Every set of words and flags that the table takes."""
    values = [
        option.values if option.type == "enum" else (False, True)
        for option in table.inputs
        if option.type in ("enum", "bool")
    ]
    names = [option.name for option in table.inputs if option.type in ("enum", "bool")]
    return [dict(zip(names, row, strict=True)) for row in product(*values)]


def test_several_tables_name_checks() -> None:
    assert {table.id for table in TABLES} >= {"vs-afv", "vs-ovr", "collateral", "ch-notes"}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.id)
def test_a_look_up_offers_the_checks_that_its_text_names(table: Table) -> None:
    for given in inputs(table):
        text = table.read(given).text
        led = table.list_next_commands(given)
        for word, command in CALLED_FOR.items():
            is_led = any(one.startswith(command) for one in led)
            assert is_led == (word in text), (given, word, led)


@pytest.mark.parametrize(
    ("line", "label", "typed"),
    [
        ("asl-table vs-afv concealed-ground ct-bu", "PAATC", "check kind=paatc"),
        ("asl-table collateral destroyed vehicle-ap", "Crew survival", "check kind=crew-survival"),
        (
            "asl-table collateral immobilized vehicle-he",
            "Immobilization TC",
            "check kind=immobilization-tc",
        ),
        ("asl-table ch-notes several-locations", "Random Selection", "random-selection"),
        ('asl vs-afv unit="Airborne 1"', "PAATC", 'check kind=paatc unit="Airborne 1"'),
        ("asl critical-hit infantry 8 hand=1,1", "Random Selection", "random-selection"),
    ],
)
async def test_a_button_opens_the_form_and_the_command_can_be_typed(
    line: str, label: str, typed: str
) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal")
    reply = await channel.do("Anna", line)
    [button] = [button for button in reply.buttons if button.label == label]
    assert button.action == f"form:asl {typed}"
    assert f"/asl {typed}" in reply.format_text()
    command = f"asl {typed}".replace("random-selection", "random-selection count=3")
    if "unit=" not in command and "random" not in command:
        command += ' unit="Airborne 1"'
    if "survival" in command:
        command += " survival=5"
    assert not (await channel.say("Anna", command)).error
