"""Names that look alike are one name, in every command: shown as first typed, found in every
spelling, and refused a second time.
"""

from __future__ import annotations

from typing import Any

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.commands.turns.tracks import _find_track
from bot.rules.inputs.tracks import Track
from bot.rules.inputs.units import RosterUnit
from bot.rules.sequence.linked_units import list_linked_names
from bot.rules.text.normalize import comparison_key
from bot.rulesets.table_names import fold_name, list_names
from bot.ui.help_topics import TOPICS
from bot.ui.reply.reply import Reply
from bot.ui.typing.command_text import tokenize
from tests.lookalikes import LOOKALIKES
from tests.playing import Channel

UNIT = "O'Brien fi-1"
SIDE = "Free-French fi 2"
CARD = "Tir d'artillerie fi-3"
DECK = "fi-4"
MACRO = "fi-5"


async def scene() -> Channel:
    """A game with a unit, a side, a deck and a macro whose names can be spelled in many ways."""
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        f'game start lnlt "Hill 875" sides="{SIDE}, VC"',
        f'game join "{SIDE}"',
        f'unit add "{UNIT}" leader morale=5 shaken',
        f'deck make "{CARD} x2" {DECK}',
        f'macro add {MACRO} "roll 2d6"',
    )
    return channel


@pytest.mark.parametrize("change", LOOKALIKES)
async def test_a_name_in_another_spelling_is_the_same_name(change: str) -> None:
    spell = LOOKALIKES[change]
    channel = await scene()
    shown = await channel.do("Anna", f'unit show "{spell(UNIT)}"')
    assert UNIT in shown.format_text()
    assert (await channel.say("Anna", f'unit add "{spell(UNIT)}" squad')).code == "name-taken"
    await channel.do(
        "Anna",
        f'unit edit "{spell(UNIT)}" {spell("-shaken")}',
        f'unit edit "{spell(UNIT)}" {spell("morale=-1")}',
        f'unit list "{spell(SIDE)}"',
        f'unit add "Squad 1" squad side="{spell(SIDE)}"',
        f"deck draw 1 {spell(DECK)}",
        f'deck discard "{spell(CARD)}" {spell(DECK)}',
        f"deck show {spell(DECK)}",
        spell(MACRO),
        f'log unit="{spell(UNIT)}"',
        f"game open {spell('1')}",
        f"me ping interval={spell('4h')}",
    )
    game = await channel.game()
    (unit, squad) = game.units.values()
    assert (unit.name, unit.state, unit.numbers["morale"]) == (UNIT, "", 4)
    assert squad.side == SIDE
    assert game.sides == (SIDE, "VC")
    offered = await channel.app.complete_option(
        ("unit", "edit"), "name", spell("O'Bri"), {}, channel.who("Anna"), channel.place
    )
    assert UNIT in [choice.value for choice in offered]


@pytest.mark.parametrize("change", LOOKALIKES)
async def test_what_is_looked_up_is_found_in_every_spelling(change: str) -> None:
    spell = LOOKALIKES[change]
    channel = await Channel.fresh()
    for line in ("find fire", "find direct fire", 'lnlt-table "hero creation"', "help first fight"):
        right = await channel.say("Anna", line)
        written = await channel.say("Anna", spell(line))
        assert (written.error, said(written)) == (right.error, said(right)), spell(line)


def said(reply: Reply) -> tuple[Any, ...]:
    return reply.code, comparison_key(reply.title)


@pytest.mark.parametrize("change", LOOKALIKES)
def test_every_table_and_topic_has_one_name(change: str) -> None:
    spell = LOOKALIKES[change]
    for game in load_shared_registry().games.values():
        names = list_names(game.tables.values())
        for table in game.tables.values():
            assert names[fold_name(spell(table.title))] == names[fold_name(table.title)]
    for topic in TOPICS.values():
        assert fold_name(spell(topic.title)) == fold_name(topic.title)


@pytest.mark.parametrize("change", LOOKALIKES)
def test_a_track_has_one_name(change: str) -> None:
    track = Track("fire_points", min=0, max=9, title="Fire-points of O'Hara 2")
    tracks = {track.name: track}
    for name in (track.title, track.name, "fire points", "fire-points"):
        assert _find_track(LOOKALIKES[change](name), tracks) is track


async def test_a_suggestion_keeps_the_sign_and_is_never_what_was_typed() -> None:
    channel = await scene()
    for dash in "-\u2013\u2014\u2212\uff0d":
        reply = await channel.say("Anna", f'unit edit "{UNIT}" {dash}shakn')
        assert "Did you mean -shaken?" in reply.format_text()
    for change, spell in LOOKALIKES.items():
        for line in (f'unit show "{UNIT} x"', "hlep", "unit edit us1 morael=5", "help hero"):
            reply = await channel.say("Anna", spell(line))
            if "Did you mean" in reply.format_text():
                meant = reply.format_text().partition("Did you mean ")[2].partition("?")[0]
                words = [comparison_key(token.value) for token in tokenize(spell(line))]
                assert comparison_key(meant) not in words, (change, reply.format_text())


@pytest.mark.parametrize(
    "name", ["\U0001f3f4\u200d\u2620\ufe0f Crew", "\U0001f469\u200d\u2708\ufe0f Ann"]
)
async def test_an_emoji_stays_whole_in_a_name_and_a_label(name: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Hill 875"', f'unit add "{name}" squad')
    game = await channel.game()
    assert [unit.name for unit in game.units.values()] == [name]
    assert name in (await channel.do("Anna", f'unit show "{name}"')).format_text()
    assert name in (await channel.do("Anna", f"roll 2d6 [{name}]")).format_text()


async def test_signs_that_only_spoof_are_not_stored() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Hill 875"', 'unit add "A\u202eB\u200b\u2066C" squad')
    game = await channel.game()
    assert [unit.name for unit in game.units.values()] == ["ABC"]


@pytest.mark.parametrize("change", LOOKALIKES)
def test_a_unit_that_another_one_names_is_found_in_every_spelling(change: str) -> None:
    unit = RosterUnit(UNIT, "us1", "leader", "US")
    for link in (UNIT, UNIT.replace(" ", ""), "us1"):
        assert list_linked_names([unit], LOOKALIKES[change](link)) == [UNIT]
