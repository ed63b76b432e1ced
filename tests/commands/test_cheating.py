"""What somebody might try to get better dice, other people's units, or a look at what is closed."""

from __future__ import annotations

import json

from bot.preferences.place_names import parse_place_key
from bot.ui.spec import Person, Place
from tests.playing import Channel, two_sides
from tests.refusing import refuses


async def test_a_friend_outside_cannot_help_a_roller_to_consent_to_himself() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "roll 2d6")
    number = (await channel.game()).number
    # she takes part, and manages the server
    asked = await channel.say("Zoe", "roll 1d6", manager=True)
    assert not asked.error
    asked = await channel.undo_last("Zoe")
    assert "Anna or Bob" in asked.format_text()  # her own roll: any side can agree
    await channel.press("Bob", asked.buttons[0].action)
    last = await channel.under(number, "undo")
    # now Anna's
    asked = await channel.app.press(last, channel.who("Zoe", manager=True), channel.place, "zoe")
    assert "so Bob must agree" in asked.format_text()
    assert (await channel.press("Anna", asked.buttons[0].action)).error
    assert not (await channel.press("Bob", asked.buttons[0].action)).error


async def test_a_new_roll_after_undo_is_another_event_with_other_dice() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    first = await channel.do("Anna", "roll 20d20")
    asked = await channel.undo_last("Anna")
    await channel.press("Bob", asked.buttons[0].action)
    second = await channel.do("Anna", "roll 20d20")
    assert int(second.footer[0][1:]) == int(first.footer[0][1:]) + 2
    assert first.lines != second.lines, (
        "twenty dice, not only their sum, which is the same once in a hundred"
    )


async def test_leaving_and_joining_the_other_side_makes_nobody_a_consenter() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Cid", "game join US")
    await channel.do("Anna", "roll 2d6")
    asked = await channel.undo_last("Anna")
    await channel.do("Cid", "game leave", "game join VC")
    assert (await channel.press("Cid", asked.buttons[0].action)).code == "not-yours"
    assert "Bob agreed" in (await channel.press("Bob", asked.buttons[0].action)).format_text(), (
        "it is still open"
    )


async def test_no_enemy_unit_is_slipped_in_among_ones_own() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.refused(
        "Bob", 'lnlt fire attackers="vc1; us1" targets=us2', "not-yours Squad 1 (US)"
    )
    await channel.refused("Bob", "lnlt morale-check units=us1", "not-yours Squad 1 (US)")
    assert not any(unit.marks for unit in (await channel.game()).units.values())


async def test_artillery_needs_no_unit_of_ones_own() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game settings master=Bob")
    reply = await channel.do("Anna", "lnlt damage-check targets=vc1 dc_mod=3")
    assert "Cell 1" in reply.format_text()
    await channel.refused("Carl", "lnlt damage-check targets=vc1 dc_mod=3", "not-player")


async def test_a_players_own_messages_make_him_no_manager_of_a_game_elsewhere() -> None:
    channel = await Channel.fresh(place=Place("discord:55/900", "discord:55"))
    await two_sides(channel)
    code = (await channel.say("Anna", "game link", manager=True)).title.split()[-1]
    aside = Channel(channel.app, Place("discord:dm/7"), "dm")
    assert not (await aside.say("Bob", f"game link {code}", manager=True)).error
    for line in (
        "unit edit us1 state=eliminated",
        "game delete confirm",
        "game settings master=Bob",
    ):
        reply = await aside.say("Bob", line, manager=True)
        assert reply.error, line
    assert not (await aside.say("Bob", "unit edit vc1 marker=+moved", manager=True)).error
    asked = await aside.say("Bob", "game end confirm", manager=True)
    assert asked.announce is not None
    assert "must agree" in asked.announce.format_text()
    assert not (await channel.game()).ended


async def test_a_game_is_not_pushed_onto_another_server() -> None:
    for here, typed in (
        ("discord:55/900", "discord:66/1"),
        ("discord:55/900", "discord:dm/7"),
        ("discord:dm/7", "8"),
        ("discord:dm/7", "discord:dm/8"),
        ("slack:T1/C1", "slack:T2/C1"),
    ):
        with refuses("unknown-channel channel"):
            parse_place_key(here, typed)
    assert parse_place_key("slack:T1/C1/17.2", "<#C2>") == "slack:T1/C2"  # from a thread


async def test_buttons_and_again_roll_only_what_is_enabled_here() -> None:
    channel = await Channel.fresh(place=Place("discord:55/900", "discord:55"))
    fired = await channel.do("Anna", 'lnlt fire attackers="squad fp=2" targets="squad morale=5"')
    odds = await channel.do(
        "Anna", 'lnlt fire attackers="squad fp=2" targets="squad morale=5" odds'
    )
    assert not (await channel.say("Zoe", "setup systems ucn", manager=True)).error
    number = (await channel.game()).number
    rolling = [button.action for button in fired.buttons if button.label in ("Again", "Odds")]
    for action in [*rolling, odds.buttons[0].action]:
        reply = await channel.press("Anna", action)
        assert reply.error
        assert "not enabled here" in reply.format_text(), action
    await channel.refused("Anna", "again", "not-enabled")
    assert (await channel.game()).number == number
    await channel.do("Anna", "roll 2d6", "again")


async def test_odds_of_what_is_to_be_sealed_have_no_button_that_rolls_it_openly() -> None:
    channel = await Channel.fresh()
    odds = await channel.do(
        "Anna", 'lnlt fire attackers="squad fp=2" targets="squad morale=5" odds secret'
    )
    assert [button.label for button in odds.buttons] == ["Share"]
    assert odds.format_body()[0].endswith("secret")


async def test_no_persons_name_stands_in_the_chain() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game settings master=Bob answers=compact")
    export = json.loads((await channel.do("Bob", "game export")).files[0].text)
    bodies = json.dumps(export["events"])
    assert "Bob" not in bodies
    assert "Anna" not in bodies


async def test_whoever_deletes_his_data_does_not_take_anothers_text_out_of_the_dice() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "fair show")
    await channel.do("Bob", 'fair add "nobody knew this"')
    await channel.do("Anna", 'fair add "mine"')
    digest = (await channel.game()).digest
    await channel.do("Anna", "privacy delete confirm", 'fair add "mine again"')
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    assert loaded.seed.texts[0] == digest
    await channel.do("Bob", "roll 3d6")


async def test_an_opened_roll_stands_in_log_and_table_a_closed_one_nowhere() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    sealed = await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 secret")
    other = await channel.do("Bob", 'roll 3d6kh2 label="hidden mines" secret')
    assert sealed.announce is not None
    assert other.announce is not None
    first, second = (
        int(reply.announce.footer[0][1:]) for reply in (sealed, other) if reply.announce
    )
    opened = await channel.do("Anna", f"game reveal {first}")
    assert opened.by == f"#{first}, opened by Anna"
    log = (await channel.do("Bob", "log")).format_text()
    assert f"Opened: #{first} Direct fire: " in log
    for kind in ("csv", "markdown", "json"):
        text = (await channel.do("Anna", f"game export {kind}")).files[0].text
        assert "hidden mines" not in text
        assert "3d6kh2" not in text
    rows = (await channel.do("Anna", "game export csv")).files[0].text.splitlines()
    assert rows[1].startswith(f"{first},")
    assert rows[1].endswith(",sealed")
    assert len(rows) == 2
    await channel.do("Anna", "game end confirm")
    rows = (await channel.do("Anna", "game export csv")).files[0].text.splitlines()
    assert rows[2].startswith(f"{second},")
    assert "hidden mines" in rows[2]


async def test_an_older_sealed_result_brings_nobody_back() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 adjacent hand=6,1,5 secret")
    number = (await channel.game()).number
    await channel.do("Bob", "unit edit vc1 state=eliminated")
    opened = await channel.do("Anna", f"game reveal {number}")
    game = await channel.game()
    assert game.units["cell 1"].state == "eliminated"
    assert game.units["squad 1"].marks == {"fired"}
    assert "Cell 1 is already eliminated" in opened.format_text()


async def test_who_has_left_the_fight_neither_acts_nor_is_hit_in_any_system() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        "game start ucn Woods",
        'unit add "Sec 1" element stats="melee=10 members=4 morale=12"',
    )
    await channel.do(
        "Anna",
        'unit add "Grp 1" element stats="melee=10 members=4 morale=12 state=combat-ineffective"',
    )
    await channel.refused("Anna", 'ucn melee unit="Sec 1" target="Grp 1"', "unit-gone")
    await channel.refused("Anna", 'ucn melee unit="Grp 1" target="Sec 1"', "unit-gone Grp 1")
    assert "1 unit" in (await channel.do("Anna", "unit list")).title


async def test_no_unit_is_called_like_a_word_that_means_nobody() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt X")
    for name in ("none", "All", "self"):
        await channel.refused("Anna", f"unit add {name} squad", "bad-name name")
    await channel.refused("Anna", "asl flame-attack", "missing weapon")


async def test_nobody_becomes_game_master_by_taking_anothers_name() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.app.run_text("roll d6", Person("console:mallory", "Bob"), channel.place, "m1")
    reply = await channel.refused("Anna", "game settings master=Bob", "unclear-person master")
    assert "master=console:bob" in reply.format_text()
    await channel.do("Anna", "game settings master=console:bob")
    assert not (await channel.say("Bob", "game end confirm")).error


async def test_a_game_displaces_no_roster_elsewhere_unasked() -> None:
    channel = await Channel.fresh(place=Place("discord:55/900", "discord:55"))
    await two_sides(channel)
    there = Channel(channel.app, Place("discord:55/901", "discord:55"), "u")
    await there.do("Cid", "unit add Doc medic stats=morale=5")
    assert "asks to move" in (await channel.transfer("Anna", "901", manager=True)).title
    assert list((await there.game()).units) == ["doc"]
    assert not (await channel.transfer("Anna", "902", manager=True)).error


async def test_who_deletes_their_data_reads_which_games_are_without_a_master() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt Board sides="US, VC"')
    told = (await channel.do("Anna", "privacy delete confirm")).format_text()
    assert "Games left without a game master: 1. A server manager can take over there." in told
    await channel.do("Bob", "roll d6")
    assert "game master" not in (await channel.do("Bob", "privacy delete confirm")).format_text()
