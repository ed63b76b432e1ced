"""The second shot: another target by a menu, the odds of a shot as it was fired, every die of a
large one.
"""

from __future__ import annotations

from typing import Any

from adapters.discord.modal import ROOM
from adapters.form_handling import open_form
from bot.app import App
from bot.ui.reply.reply import OPEN_FORM, Menu, MenuEntry, Reply
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides

FIRE = 'lnlt fire attackers="Squad 1" targets="Cell 1" tm=1 adjacent hand=6,1,6'


def others(reply: Reply) -> dict[str, MenuEntry]:
    """The entries of the menu under a shot, by their labels."""
    (menu,) = reply.menus
    assert (menu.label, menu.short) == ("Same shot, other target", "Other target")
    return {entry.label: entry for entry in menu.entries}


async def test_a_shot_is_fired_at_another_target_with_the_same_inputs() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    fired = await channel.do("Anna", FIRE)
    assert [button.label for button in fired.buttons] == ["Again", "Change…", "Odds", "Undo"]
    assert {label: entry.about for label, entry in others(fired).items()} == {
        "Cell 2": "squad · good order",
        "Tran": "leader · good order",
        "Type another…": "",
    }
    second = await channel.press("Anna", others(fired)["Tran"].action)
    assert not second.error, second.format_text()
    assert "Tran" in second.first_line
    event = (await channel.say("Anna", "log 1")).format_text()
    assert "Tran" in event
    assert list(others(second)) == ["Cell 2", "Type another…"], (
        "neither who is gone nor the target just fired at"
    )


async def test_who_is_gone_is_no_target_and_who_is_near_comes_first() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Bob", "unit edit tran hex=H5", "unit edit vc1 hex=H5", "unit edit vc2 eliminated"
    )
    fired = await channel.do("Anna", FIRE)
    assert list(others(fired)) == ["Tran", "Type another…"]
    assert others(fired)["Tran"].about == "leader · good order · H5"


async def test_a_hex_is_fired_at_as_one() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Bob", "unit edit tran hex=H5", "unit edit vc2 hex=H5")
    fired = await channel.do("Anna", FIRE)
    together = others(fired)["All in H5"]
    assert together.about == "Cell 2 and Tran"
    second = await channel.press("Anna", together.action)
    assert (await last_event(channel))["inputs"]["targets"] == "Cell 2; Tran", second.format_text()


async def test_many_are_fired_at_together_once_more() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Bob", 'unit add "Cell 3..5" squad VC morale=5')
    fired = await channel.do("Anna", 'lnlt fire attackers="Squad 1" targets="Cell 1..4" hand=1,6')
    assert others(fired)["All of them"].about == "6 units"
    await channel.press("Anna", others(fired)["All of them"].action)
    assert (await last_event(channel))["inputs"][
        "targets"
    ] == "Cell 1; Cell 2; Tran; Cell 3; Cell 4; Cell 5"


async def test_a_game_may_have_it_asked_first() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game settings confirm=yes")
    fired = await channel.do("Anna", FIRE)
    number = (await channel.game()).number
    asked = await channel.press("Anna", others(fired)["Cell 2"].action)
    assert asked.private
    assert asked.format_text().splitlines()[0] == "Fire at Cell 2?"
    assert (await channel.game()).number == number, "nothing was rolled yet"
    assert "Cell 2" in (await channel.press("Anna", asked.buttons[0].action)).first_line
    assert (await channel.game()).number == number + 1


async def test_what_was_said_of_the_old_target_does_not_stick_to_the_new_one() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start baps Tanks sides="US, VC"', "game join US", "unit add Bazooka soldier US",
        "unit add T1 vehicle VC armor=light vehicle_type=tracked", "unit add T2 vehicle VC armor=heavy",
    )  # fmt: skip
    spec = channel.app.find_spec(("baps", "vehicle-fire"))
    example = dict(spec_example(channel.app, "vehicle-fire"))
    example = {
        name: value
        for name, value in example.items()
        if name not in ("armor", "vehicle_type", "crew")
    }
    typed = " ".join(
        f'{name}="{value}"' for name, value in example.items() if spec.find_option(name) is not None
    )
    fired = await channel.do("Anna", f"baps vehicle-fire {typed} target=T1 armor=medium")
    second = await channel.press("Anna", others(fired)["T2"].action)
    assert not second.error, second.format_text()
    event = await last_event(channel)
    assert event["inputs"]["target"] == "T2"
    assert "armor" not in event["inputs"], "T2 brings its own"


async def last_event(channel: Channel) -> dict[str, Any]:
    """The latest event of the channel's game."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    (row,) = await channel.app.store.load_events(loaded.row, limit=1, newest_first=True)
    return dict(row.data)


def spec_example(app: App, sequence: str) -> dict[str, object]:
    """The inputs of the example of a sequence of `baps`."""
    return dict(app.registry.games["baps"].sequences[sequence].example)


async def test_odds_are_those_of_the_shot_also_when_its_target_is_gone() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    before = await channel.do("Anna", FIRE.replace(" hand=6,1,6", " odds"))
    fired = await channel.do("Anna", FIRE)
    assert "Cell 1 is eliminated" in fired.first_line
    await channel.do("Anna", "unit edit us1 fp=9 shaken")
    then = await channel.press("Anna", await channel.under(8, "odds"))
    assert then.private
    assert then.by == "the odds when #8 was fired"
    rows = [line.replace(" \u25c0", "").split() for line in then.format_body()[:-1]]
    assert [row[0] for row in rows] == [line.split()[0] for line in before.format_body()[:-1]]
    assert [row[-1] for row in rows] == [line.split()[-1] for line in before.format_body()[:-1]]
    (came,) = [line for line in then.format_body()[:-1] if "\u25c0" in line]
    assert came.startswith("eliminated")
    assert [one.label for one in then.buttons] == ["Picture", "Share"], "it was fired"


async def test_every_die_of_a_large_shot_is_a_button_away() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        "game start lnlt Hill",
        'unit add "Sq 1..2" squad morale=5 fp=2',
        'unit add "Foe 1..5" squad morale=4',
    )
    fired = await channel.do(
        "Anna", 'lnlt fire attackers="Sq 1..2" targets="Foe 1..5" hand=6,1,6,2,3,4,5'
    )
    assert [button.label for button in fired.buttons] == ["Again", "Change…", "Dice", "Undo"]
    number = (await channel.game()).number
    dice = await channel.press("Anna", await channel.under(number, "dice"))
    assert dice.private
    assert dice.first_line == f"Every die of #{number} · 7 dice, direct fire"
    table = dice.format_body()[2:]
    assert table[0].split() == ["Foe", "1", "6", "eliminated"], table
    assert table[4].split()[:3] == ["Foe", "5", "5"]
    *rows, changed = table
    assert max(map(len, rows)) <= 32
    assert changed.startswith("Now: Foe 2 + 3 are shaken half-squads")
    shared = await channel.press("Anna", dice.buttons[1].action)
    assert not shared.private
    assert shared.lines == dice.lines
    odds = await channel.press("Anna", dice.buttons[0].action)
    assert "was fired" in odds.first_line


async def test_what_several_did_one_by_one_has_its_odds_and_dice_too() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start baps Hill", 'unit add "GI 1..12" soldier')
    done = await channel.do(
        "Anna", 'baps random-order unit="GI 1..12" hand=3,4,3,3,3,3,3,3,3,3,3,1'
    )
    assert "Dice" in [button.label for button in done.buttons]
    number = (await channel.game()).number
    dice = await channel.press("Anna", await channel.under(number, "dice"))
    thrown = [line.split()[2] for line in dice.format_body() if line.startswith("GI")]
    assert thrown == [*"343333333331"], "each with its unit, in their order"
    odds = await channel.press("Anna", dice.buttons[0].action)
    assert not odds.error, odds.format_text()
    assert odds.by == f"the odds when #{number} was rolled"


async def test_again_at_somebody_who_is_gone_offers_the_form() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    fired = await channel.do("Anna", FIRE)
    refused = await channel.press("Anna", fired.buttons[0].action)
    assert refused.code == "unit-gone"
    assert [button.label for button in refused.buttons] == ["Fix it"]
    draft = await channel.app.forms.open_draft(
        refused.buttons[0].action.removeprefix("form:"), channel.who("Anna"), channel.place
    )
    assert draft.options == {
        "attackers": "Squad 1",
        "targets": "Cell 1",
        "tm": "1",
        "adjacent": True,
    }
    fresh = await channel.do("Anna", FIRE.replace("Cell 1", "Cell 2"))
    stranger = await channel.press("Carl", others(fresh)["Tran"].action)
    assert stranger.code == "not-player"
    assert [button.label for button in stranger.buttons] == ["Join US", "Join VC"]


async def test_again_is_deaf_to_the_same_person_for_two_seconds() -> None:
    now = [100.0]
    channel = Channel(await fresh_app(steady=lambda: now[0]))
    rolled = await channel.do("Anna", "roll 2d6")
    again = rolled.buttons[0].action
    assert not (await channel.press("Anna", again)).error
    now[0] += 1.9
    assert (await channel.press("Anna", again)).code == "too-soon"
    assert not (await channel.press("Bob", again)).error, "somebody else may"
    now[0] += 0.2
    assert not (await channel.press("Anna", again)).error


def test_a_menu_survives_the_outbox() -> None:
    menu = Menu(
        "Same shot, other target",
        (MenuEntry("other:g:3:vc1", "Cell 1", "good order · H5"),),
        "Other target",
    )
    assert Reply.from_json(Reply("x", menus=(menu,)).to_json()).menus == (menu,)


async def test_an_opened_roll_has_the_buttons_of_any_other() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'lnlt fire attackers="Squad 1" targets="Cell 1" secret hand=1,6')
    number = (await channel.game()).number
    opened = await channel.do("Anna", f"game reveal {number}")
    assert [button.label for button in opened.buttons] == ["Again", "Change…", "Odds", "Undo"]
    assert [entry.label for entry in opened.menus[0].entries][:2] == ["Cell 2", "Tran"]
    actions = {button.label: button.action for button in opened.buttons}
    odds = await channel.press("Bob", actions["Odds"])
    assert odds.by == f"the odds when #{number} was fired"
    draft = await channel.app.forms.open_draft(
        actions["Change…"].removeprefix(OPEN_FORM), channel.who("Anna"), channel.place
    )
    assert dict(draft.options)["targets"] == "Cell 1"
    again = await channel.press("Anna", actions["Again"])
    assert "Squad 1" in again.first_line
    other = await channel.press("Anna", opened.menus[0].entries[0].action)
    assert "Cell 2" in other.first_line


async def test_only_what_the_sequence_takes_is_offered_as_another_target() -> None:
    """Men for rifles, vehicles with armor for what is fired at vehicles; squads are no target."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start baps scenario=farm", "game join US")
    await channel.do(
        "Anna", 'unit add "Half-track 1..2" vehicle German "armor=light vehicle_type=tracked"'
    )
    fired = await channel.do("Anna", 'baps fire "GI 1; GI 2" "Grenadier 1" 12 hand=20')
    labels = list(others(fired))
    assert "Grenadier 2" in labels
    assert not {"Brandt", "Half-track 1"} & {*labels}
    line = "baps vehicle-fire target=germ9 weapon=light range=20"
    assert list(others(await channel.do("Anna", line))) == ["Half-track 2", "Type another…"]


async def test_again_and_change_leave_out_who_cannot_take_part_any_more() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'lnlt fire "Squad 1; Squad 2" "Cell 1; Cell 2" hand=1,6')
    await channel.do("Anna", "unit edit us2 shaken")
    await channel.do("Bob", "unit edit vc1 eliminated")
    again = await channel.do("Anna", "again")
    event = await last_event(channel)
    assert (event["inputs"]["attackers"], event["inputs"]["targets"]) == ("Squad 1", "Cell 2")
    assert "Squad 2 is shaken" in again.format_text() or "Squad 2 shaken" in again.format_text()
    change = {button.label: button.action for button in again.buttons}["Change…"]
    await channel.do("Bob", "unit edit vc2 eliminated")
    anna = channel.who("Anna")
    draft = await channel.app.forms.open_draft(change.removeprefix("form:"), anna, channel.place)
    form = await open_form(channel.app, ROOM, draft, anna, channel.place)
    chosen = [pick.label for field in form.form.fields[:2] for pick in field.picks if pick.chosen]
    assert chosen == ["Squad 1"]
    over = await channel.say("Anna", "again")
    assert over.title == "Cell 2 is out of the fight."
    assert over.format_text().endswith("Choose another target.")
