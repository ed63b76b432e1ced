"""The roster at a glance, and a unit's card: what its reader may do with it."""

from __future__ import annotations

from bot.ui.reply.bars import COLUMNS
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import Reply
from bot.ui.reply.unit_table import UnitTable
from tests.playing import Channel, two_sides


async def in_the_field() -> Channel:
    """A game in which Cell 1 has shaken Squad 1 into a half-squad, and Squad 2 is gone."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", "unit edit us1 reduced: morale=4 fp=1", "unit edit us2 state=eliminated"
    )
    await channel.do("Bob", 'lnlt fire attackers=vc1 targets=us1 hand="6,1,6"')
    return channel


def tables(reply: Reply) -> list[UnitTable]:
    return [part for part in reply.lines if isinstance(part, UnitTable)]


def buttons(reply: Reply) -> dict[str, str]:
    return {button.label: button.action for button in reply.buttons}


async def test_the_reader_s_side_comes_first_and_the_lost_are_one_line() -> None:
    channel = await in_the_field()
    reply = await channel.do("Bob", "unit list")
    assert reply.private
    assert reply.first_line == "5 units: 2 US, 3 VC · your side first"
    assert [table.heading for table in tables(reply)] == ["VC · Bob", "US · Anna"]
    assert reply.lines[-1] == Small("US lost: Squad 2")
    assert tables(reply)[1].format_lines() == [
        "",
        "US · Anna            morale fp",
        "us1 Squad 1 SHAKEN ½      4  1",
        "us3 Lt Hill lm 1          6  –",
    ]
    assert "Squad 2" in (await channel.do("Bob", "unit list all")).format_text()


async def test_a_list_for_the_channel_has_the_order_of_the_game() -> None:
    channel = await in_the_field()
    reply = await channel.do("Bob", "unit list public")
    assert not reply.private
    assert [table.heading for table in tables(reply)] == ["US · Anna", "VC · Bob"]
    assert [menu.label for menu in reply.menus] == ["A US unit's card", "A VC unit's card"]


async def test_long_names_and_many_numbers_fit_a_phone() -> None:
    channel = await in_the_field()
    await channel.do(
        "Anna",
        'unit add "Headquarters of the 3rd Platoon" squad US stats="morale=5 fp=2 sw=3,2 shaken moved"',
    )
    for table in tables(await channel.do("Anna", "unit list")):
        assert all(len(line) <= COLUMNS for line in table.format_lines()), table.format_lines()


async def test_a_card_of_one_s_own_unit_fires_with_it() -> None:
    channel = await in_the_field()
    card = await channel.do("Anna", "unit show us1")
    assert card.private
    assert card.title == "Squad 1: shaken, reduced"
    assert card.format_body()[:2] == [
        "Yours · half-squad · fp 1 · morale 4 · us1",
        "Full: squad, fp 2, morale 5",
    ]
    assert list(buttons(card)) == ["Melee", "Morale check", "Rally in a hex", "History"]
    sound = await channel.do("Bob", "unit show vc1")
    assert buttons(sound)["Fire with it"] == "form:lnlt fire attackers=vc1", (
        "who is shaken has no such button"
    )
    assert "VC Cell 1 fires: Squad 1 takes casualties" in card.format_text()
    history = await channel.press("Anna", buttons(card)["History"])
    assert "Squad 1" in history.format_text()
    assert "Tran" not in history.format_text()


async def test_a_card_of_an_enemy_fires_at_it_and_marks_nothing() -> None:
    channel = await in_the_field()
    reply = await channel.do("Bob", "unit list")
    entry = next(
        entry for menu in reply.menus for entry in menu.entries if entry.label == "Squad 1"
    )
    card = await channel.press("Bob", entry.action)
    assert card.private
    assert card.format_body()[0].startswith("US (Anna) · half-squad")
    assert buttons(card)["Fire at it"] == "form:lnlt fire targets=us1"
    assert buttons(card)["Odds"] == "form:lnlt fire targets=us1 odds"
    assert card.menus == ()


async def test_the_menu_of_a_card_marks_the_unit_as_unit_edit_does() -> None:
    channel = await in_the_field()
    card = await channel.do("Anna", "unit show us1")
    entries = {entry.label: entry.action for entry in card.menus[0].entries}
    await channel.press("Anna", entries["Moved"])
    assert "moved" in (await channel.game()).units["squad 1"].marks
    await channel.press("Anna", entries["Turn over to squad"])
    unit = (await channel.game()).units["squad 1"]
    assert (unit.type, unit.numbers) == ("squad", {"morale": 5, "fp": 2})
    stolen = await channel.press("Bob", entries["Eliminated"])
    assert stolen.error
    assert stolen.code == "not-yours"
    await channel.do("Anna", "unit remove us1")
    assert (await channel.press("Anna", entries["Moved"])).code == "unknown-unit"


async def test_a_card_offers_what_is_made_for_such_a_unit() -> None:
    """The situation tables have no fire, and each is about units of some kind. What the card
    forbids in the phase is not offered.
    """
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start asl Canal sides="US, GE"',
        "game join US",
        "unit add MG support-weapon US",
    )
    await channel.do("Anna", "unit add Sherman afv US", 'unit add "Squad 1" squad US morale=7')
    smoke = "Vehicular smoke dispenser or grenade"
    assert smoke not in buttons(await channel.do("Anna", "unit show Sherman"))  # rally
    while (await channel.game()).phase != "movement":
        await channel.do("Anna", "game next")
    await channel.do("Bob", "game join GE")
    assert list(buttons(await channel.do("Anna", "unit show MG"))) == [
        "Breakdown check for a weapon",
        "History",
    ]
    own = buttons(await channel.do("Anna", "unit show Sherman"))
    assert own[smoke] == "form:asl smoke unit=us2"
    enemy = buttons(await channel.do("Bob", "unit show Sherman"))
    assert enemy["Flamethrower or MOL against an AFV"] == "form:asl flame-attack unit=us2"
    assert smoke not in enemy
    assert "WP morale check" in buttons(await channel.do("Anna", 'unit show "Squad 1"'))


async def test_a_unit_that_is_gone_only_has_its_history() -> None:
    channel = await in_the_field()
    card = await channel.do("Anna", "unit show us2")
    assert list(buttons(card)) == ["History"]


async def test_a_card_offers_marks_of_its_type_state_first_and_says_when_it_is_old() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    menu = (await channel.do("Anna", "unit show us1")).menus[0]
    labels = [entry.label for entry in menu.entries]
    assert labels[:2] == ["Shaken", "Eliminated"]
    assert not {"Damaged", "Abandoned", "Destroyed", "Immobilized", "Wounded"} & set(labels)
    shaken = next(entry.action for entry in menu.entries if entry.label == "Shaken")
    told = await channel.do("Anna", 'unit edit "Squad 1" state=eliminated')
    assert told.title == "Anna edits Squad 1"
    old = await channel.press("Anna", shaken)
    assert old.code == "game-changed"
    assert old.title == "Squad 1 has changed since this card: eliminated."
    assert (await channel.game()).units["squad 1"].state == "eliminated"


async def test_a_card_of_before_a_lasting_marker_is_old_and_a_marker_of_the_turn_is_none() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "unit add M48 armored-vehicle US morale=5")
    card = await channel.do("Anna", "unit show M48")
    assert "armored vehicle" in card.format_text()
    entries = {entry.label: entry.action for entry in card.menus[0].entries}
    await channel.do("Anna", "unit edit M48 +fired")
    assert not (await channel.press("Anna", entries["Moved"])).error
    await channel.do("Anna", "unit edit M48 +immobilized")
    old = await channel.press("Anna", entries["Shaken"])
    assert (old.code, "immobilized" in old.title) == ("game-changed", True)


async def test_who_is_lost_is_not_reduced_besides() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", "unit edit us1 half=1/4", "unit edit us1 flip", "unit edit us1 state=eliminated"
    )
    assert (await channel.do("Anna", "unit show us1")).first_line == "Squad 1: eliminated"


async def test_a_unit_without_numbers_leads_to_the_form_that_sets_them() -> None:
    """As a hero who has just appeared; the card of one with numbers has no such button."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'unit add "Hero 1" hero US')
    card = await channel.do("Anna", "unit show us4")
    assert card.buttons[0].label == "Set numbers"
    anna = channel.who("Anna")
    action = card.buttons[0].action.removeprefix("form:")
    draft = await channel.app.forms.open_draft(action, anna, channel.place)
    assert (draft.path, draft.options) == (("unit", "edit"), {"name": "us4"})
    await channel.do("Anna", 'unit edit us4 "morale 7, fp 1"')
    again = await channel.do("Anna", "unit show us4")
    assert "Set numbers" not in [button.label for button in again.buttons]
