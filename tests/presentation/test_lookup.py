"""A look-up answers first, then shows the card around the cell; a whole table and a private one
are for the asker.
"""

from __future__ import annotations

import pytest

from bot.presentation.tables import build_lookup_reply, build_whole_table_reply
from bot.rulesets.catalog import load_shared_systems
from bot.ui.reply import parts
from bot.ui.reply.bars import WIDE
from bot.ui.reply.parts import Grid, Whole, format_part
from tests.playing import Channel

SHOT = "lnlt-table dct unit=good-order-mmc morale=5 total=11"


async def test_the_answer_comes_first_and_the_card_marks_the_cell() -> None:
    reply = await (await Channel.fresh()).do("Anna", SHOT)
    assert (
        reply.first_line
        == "Casualties, twice morale or more · damage check table, good order MMC, morale 5, total 11"
    )
    (grid,) = (part for part in reply.lines if isinstance(part, Grid))
    lines = format_part(grid)
    assert [line for line in lines if "▶" in line] == ["2x Morale     ▶ casualties"]
    assert max(map(len, lines)) <= 33
    assert not reply.private


async def test_a_look_up_may_be_private() -> None:
    reply = await (await Channel.fresh()).do("Anna", f"{SHOT} private")
    assert reply.private


async def test_a_table_without_inputs_is_shown_whole_to_the_asker() -> None:
    reply = await (await Channel.fresh()).do("Anna", "asl-table melee-actions")
    assert (reply.private, reply.by) == (True, "the whole table, situation across")
    assert (
        max(
            len(line)
            for part in reply.lines
            if isinstance(part, Whole)
            for line in format_part(part)
        )
        <= 39
    )


async def test_under_a_look_up_are_its_form_and_the_whole_table() -> None:
    """Two taps and a number lead to the next cell, one tap to all of it."""
    channel = await Channel.fresh()
    found = await channel.do("Anna", "lnlt-table melee-odds 7 5")
    assert [button.label for button in found.buttons][:2] == ["Another number…", "Whole table"]
    assert found.buttons[0].action == "form:lnlt-table combat melee-odds attack=7 defense=5"
    whole = await channel.press("Bob", found.buttons[1].action)
    assert (whole.private, whole.error) == (True, False)
    (table,) = (part for part in whole.lines if isinstance(part, Whole))
    assert len(format_part(table, look=WIDE)) == 15, "a terminal shows 14 rows and their head"
    assert (
        await channel.do("Anna", "lnlt-table melee-odds 7 5 whole")
    ).format_text() == whole.format_text()


async def test_a_table_too_large_for_a_phone_shows_what_was_looked_up_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parts, "MOST_LINES", 48)
    whole = await (await Channel.fresh()).do(
        "Anna", "baps-table artillery-sheaf medium-artillery 3 whole"
    )
    (table,) = (part for part in whole.lines if isinstance(part, Whole))
    assert "Too large to show in full here: here is" in format_part(table)
    assert max(map(len, format_part(table))) <= 39
    assert any("medium artillery" in line for line in format_part(table))


async def test_every_table_that_is_no_rule_in_words_is_shown_whole() -> None:
    """On a phone 39 columns and 105 lines at most, in a terminal of 110 columns as printed; an
    answer fits both.
    """
    in_words = []
    for system in load_shared_systems().values():
        for table in system.tables.values():
            found = build_lookup_reply(table, table.example, table.read(table.example))
            grids = [part for part in found.lines if isinstance(part, Whole | Grid)]
            assert all(len(line) <= 39 for part in grids for line in format_part(part)), table.id
            wholes = [
                part
                for part in build_whole_table_reply(table, "/help").lines
                if isinstance(part, Whole)
            ]
            in_words += [] if wholes else [table.id]
            for whole in wholes:
                phone = format_part(whole)
                assert len(phone) <= 105, table.id
                assert max(map(len, phone)) <= 39, table.id
                assert max(map(len, format_part(whole, look=WIDE))) <= 110, table.id
    assert in_words == ["pass-points"]


async def test_a_roll_is_two_lines_and_a_number() -> None:
    reply = await (await Channel.fresh()).do("Anna", "roll 2d6+3 label=rally hand=5,3")
    assert reply.format_text().split("\n")[:2] == [
        "11 for rally · Anna rolls 2d6+3",
        "Dice: [5] [3] + 3",
    ]
    assert reply.bare
