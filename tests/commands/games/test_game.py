"""`/game`: starting, sides, turns, settings, sealed rolls, undo, moving, deleting."""

from __future__ import annotations

import json

import pytest

from bot.preferences.place_names import parse_place_key
from bot.ui.spec import Command, Person, Place
from bot.verification.check_file import check
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides
from tests.refusing import refuses


async def test_the_first_roll_begins_free_play_and_says_what_it_promised() -> None:
    channel = await Channel.fresh()
    reply = await channel.do("Anna", "roll 2d6")
    assert reply.footer[0] == "#2"
    assert reply.footer[2:] == ("free play begins, seed not announced beforehand",)
    game = await channel.game()
    assert (game.started, game.drawn) == (False, True)
    assert game.commitment in (await channel.do("Anna", "fair show")).format_text()
    assert "Free play" in (await channel.do("Anna", "game status")).title


async def test_help_lookups_and_odds_begin_nothing() -> None:
    channel = await Channel.fresh()
    for line in (
        "help",
        "lnlt-table melee-odds attack=7 defense=5",
        'lnlt fire attackers="squad fp=2" targets="squad morale=5" odds',
        "setup systems",
        "privacy show",
    ):
        await channel.do("Anna", line)
    assert await channel.app.games.load_current(channel.place.key) is None


async def test_a_table_without_its_roll_rolls_through_the_games_dice() -> None:
    channel = await Channel.fresh()
    reply = await channel.do("Anna", "lnlt-table hero-creation")
    assert reply.footer[0] == "#2"


async def test_starting_joining_and_leaving() -> None:
    channel = await Channel.fresh()
    await channel.refused("Anna", "game join US", "no-game")
    reply = await channel.do("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
    assert "Anna is game master" in reply.format_text()
    assert "wants to start" in (await channel.do("Bob", 'game start lnlt "Other"')).title
    await channel.refused("Bob", "game join Japan", "unknown-side")
    await channel.do("Bob", "game join vc")
    await channel.refused("Bob", "game join US", "side-taken")
    await channel.do("Bob", "game leave")
    await channel.refused("Bob", "game leave", "not-player")
    await channel.refused("Anna", 'game start lnlt X sides="US, us"', "given-twice")


@pytest.mark.parametrize(
    ("sides", "part"),
    [
        ("US", "bad-value sides"),
        ("US, us", "given-twice sides"),
        ("a,b,c,d,e,f,g,h,i", "bad-value sides"),
        ("US; VC, x", "bad-name sides"),
    ],
)
async def test_sides_that_cannot_be(sides: str, part: str) -> None:
    channel = await Channel.fresh()
    await channel.refused("Anna", f'game start lnlt X sides="{sides}"', part)


async def test_phases_with_reminders_and_markers_that_come_off() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "unit edit us1 marker=+fired marker=+moved")
    reply = await channel.do("Anna", "game next")
    assert reply.title == "Turn 1, Operations: who has the initiative?"
    assert any("passes" in line for line in reply.format_body())
    assert (await channel.game()).units["squad 1"].marks == {"fired", "moved"}
    assert (
        await channel.do("Anna", "game initiative VC")
    ).title == "VC takes the initiative, Bob", "it is their go now"
    reply = await channel.do("Anna", "game next")
    assert "Squad 1" in reply.format_body()[-1]
    assert reply.title == "Turn 1, Administrative: both sides"
    assert reply.mention == (), "Bob has acted a moment ago"
    assert (await channel.game()).units["squad 1"].marks == frozenset()
    assert (await channel.do("Anna", "game next")).title == "Turn 2, Rally: both sides"


async def test_settings_are_the_masters() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.refused("Bob", "game settings hand_dice=no", "not-master")
    await channel.do("Anna", "game settings answers=compact")
    reply = await channel.do("Anna", 'lnlt fire attackers=us1 targets="vc1; vc2" hand=1,6')
    assert len(reply.format_body()) <= 4
    assert reply.format_body()[0].startswith("Dice: [")
    assert reply.first_line == "No effect on Cell 1 + 2 · Squad 1 fires"
    await channel.do("Anna", "game settings hand_dice=no")
    await channel.refused("Bob", "roll d6 hand=3", "no-hand-dice")
    await channel.do("Anna", "game settings master=bob")
    await channel.refused("Anna", "game settings answers=full", "not-master")
    await channel.do("Bob", "game settings answers=full")
    shown = await channel.do("Carl", "game settings")
    assert "Game master: Bob" in shown.format_text()
    assert shown.private
    assert "=" not in shown.format_text()
    assert [button.label for button in shown.buttons] == ["Change…"]
    await channel.refused("Bob", "game settings master=Zoe", "unknown-person Zoe")


async def test_strangers_roll_and_look_but_touch_nothing() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    before = await channel.content()
    await channel.do("Carl", "roll d20", "unit list", "log", "game status")
    masters = ("game end confirm", "fair reveal", "game transfer other")
    for line in (
        "unit edit us1 state=shaken",
        "unit add X squad side=US",
        "unit remove us1",
        "lnlt fire attackers=us1 targets=vc1",
        "game next",
        "game initiative US",
        "game end confirm",
        "game undo",
        "game export",
        "fair add x",
        "fair reveal",
        "game transfer other",
    ):
        # a stranger who has rolled may take that back
        name = "Dora" if line == "game undo" else "Carl"
        await channel.refused(name, line, "not-master" if line in masters else "not-player")
    assert await channel.content() == before


async def test_players_act_for_their_side() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.refused("Bob", "unit edit us1 state=shaken", "not-yours US")
    await channel.refused("Bob", "unit add Spy squad side=US", "not-yours US")
    await channel.refused("Bob", "lnlt fire attackers=us1 targets=vc1", "not-yours Squad 1 (US)")
    await channel.do("Bob", "lnlt fire attackers=vc1 targets=us1")
    await channel.do("Anna", "unit edit vc2 state=shaken")  # the game master may
    assert not (await channel.say("Zoe", "unit edit vc2 state=good-order", manager=True)).error


async def test_another_system_answers_but_touches_no_roster() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start nhis Test", 'unit add "Squad 1" squad')
    await channel.refused(
        "Anna", 'lnlt fire attackers="Squad 1" targets="squad morale=5"', "unknown-unit squad 1"
    )
    before = await channel.content()
    await channel.do("Anna", 'lnlt fire attackers="squad fp=2" targets="squad morale=5"')
    assert await channel.content() == before


async def test_dice_are_taken_back_only_with_the_other_sides_consent() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1")
    asked = await channel.do("Anna", "game undo")
    assert "Bob must agree" in asked.format_text()
    await channel.refused("Carl", "game undo", "not-player")
    agree, refuse = (button.action for button in asked.buttons)
    assert (await channel.press("Carl", agree)).code == "not-yours"
    assert (await channel.press("Anna", agree)).code == "not-yours"
    refused = await channel.press("Bob", refuse)
    assert refused.title.startswith("Bob refuses")
    assert (await channel.press("Bob", agree)).code == "not-asked", "the request is gone"
    await channel.do("Anna", "game undo")
    agreed = await channel.do("Bob", "game undo")  # typed is as good as the button
    assert agreed.first_line == "#8 is undone · Anna asked, Bob agreed"
    await channel.do("Anna", "roll d6", "unit edit us1 marker=+moved")
    await channel.refused("Anna", "game redo", "nothing-to-redo")


async def test_consent_comes_too_late_when_something_has_happened() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1")
    asked = await channel.undo_last("Anna")
    await channel.do("Bob", "game next")
    late = await channel.press("Bob", asked.buttons[0].action)
    assert late.code == "not-asked"


async def test_a_master_who_plays_may_not_consent_for_others() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt X sides="US, VC"')  # Anna is master and plays no side
    await channel.do("Bob", "game join VC", "roll d6")
    asked = await channel.undo_last("Bob")
    assert not (await channel.press("Anna", asked.buttons[0].action)).error
    await channel.do("Anna", "game join VC")
    await channel.do("Bob", "roll d6")
    assert "must agree" not in (await channel.undo_last("Bob")).format_text(), (
        "she plays his side and asks for nothing else"
    )
    assert (await channel.game()).last < (await channel.game()).number
    await channel.do("Bob", "roll d6")
    assert "nobody to ask" in " ".join((await channel.undo_last("Bob")).footer)


async def test_events_without_dice_are_taken_back_by_who_did_them() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    before = await channel.content()
    await channel.do("Bob", "unit edit vc1 state=shaken", "game undo")
    assert await channel.content() == before


@pytest.mark.parametrize("line", ["game join US", "fair reveal"])
async def test_some_events_stand_for_ever(line: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt X sides="US, VC"', line)
    await channel.refused("Anna", "game undo", "not-undoable")


async def test_the_end_cannot_be_undone_but_resumed() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt X", "game end confirm")
    await channel.refused("Anna", "game undo", "game-ended")
    await channel.do("Anna", "game resume")
    await channel.refused("Anna", "game undo", "not-undoable")


async def test_a_sealed_roll_changes_nothing_until_it_is_opened() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    before = await channel.content()
    sealed = await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 secret hand=6,1,4")
    assert sealed.private
    number = (await channel.game()).number
    assert await channel.content() == before
    assert "rolled by hand" in sealed.announce.footer if sealed.announce else False
    await channel.do("Bob", "roll d6")
    await channel.refused("Bob", f"game reveal {number}", "not-yours event")
    assert (await channel.say("Zoe", f"game reveal {number}", manager=True)).code == "not-yours"
    opened = await channel.do("Anna", f"game reveal {number}")
    assert "Squad 1 fires" in opened.first_line
    assert (await channel.game()).units["squad 1"].marks == {"fired"}
    await channel.refused("Anna", f"game reveal {number}", "not-sealed")


async def test_a_sealed_roll_that_was_undone_opens_without_effect() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 secret")
    number = (await channel.game()).number
    await channel.undo_last("Anna")
    await channel.do("Bob", "game undo")
    before = await channel.content()
    opened = await channel.do("Anna", f"game reveal {number}")
    assert "undone" in opened.format_text()
    assert await channel.content() == before


async def test_the_end_opens_what_is_sealed() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Bob", "roll 2d6 label=ambush secret")
    await channel.refused("Anna", "fair reveal", "still-sealed")
    ended = await channel.do("Anna", "game end confirm")
    assert ended.announce is not None
    assert "ambush" in ended.announce.format_text()
    assert (await channel.game()).sealed == {}
    await channel.do("Anna", "fair reveal")
    await channel.refused("Anna", "game next", "game-ended")


async def test_a_new_game_offers_the_old_roster() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "unit edit us1 state=eliminated", "game end confirm")
    started = await channel.do("Anna", 'game start lnlt Next sides="US, VC"')
    (button,) = (button for button in started.buttons if button.label.startswith("Carry"))
    assert (await channel.press("Bob", button.action)).error, "he does not direct this game"
    carried = await channel.press("Anna", button.action)
    assert "5 units" in carried.title
    assert "squad 1" not in (await channel.game()).units, "eliminated units stay behind"
    await channel.do("Anna", "game end confirm")
    again = await channel.do("Anna", "game start lnlt Third carry")
    assert not any(button.label.startswith("Carry") for button in again.buttons)
    assert len((await channel.game()).units) == 5


async def test_a_game_moves_to_another_channel() -> None:
    channel = await Channel.fresh(place=Place("discord:55/900", "discord:55"))
    await two_sides(channel)
    await channel.refused("Anna", "game transfer nowhere!", "unknown-channel channel")
    assert not (await channel.transfer("Anna", "901", manager=True)).error
    assert await channel.app.games.load_current("discord:55/900") is None
    there = Channel(channel.app, Place("discord:55/901", "discord:55"), "u")
    assert (await there.game()).name == "Hill 875"
    (due,) = await channel.app.answers.claim_due("discord:")
    assert due.place == "discord:55/901"


@pytest.mark.parametrize(
    ("here", "typed", "place"),
    [
        ("discord:55/900", "<#901>", "discord:55/901"),
        ("slack:T1/C1", "<#C2|general>", "slack:T1/C2"),
        ("slack:T1/C1/17.2", "#C2", "slack:T1/C2"),
        ("slack:T1/C1", "slack:T1/C2/17.2", "slack:T1/C2/17.2"),
        ("discord:55/900", "discord:55/7", "discord:55/7"),
        ("console:main", "other", "console:other"),
    ],
)
def test_where_a_channel_is(here: str, typed: str, place: str) -> None:
    assert parse_place_key(here, typed) == place


def test_no_channel_at_all() -> None:
    for here, typed in (
        ("discord:55/900", "#a b"),
        ("discord:55/900", "#campaign"),
        ("slack:T1/C1", "#campaign"),
        ("slack:T1/C1/17.2", "campaign"),
        ("slack:T1/C1", "slack:T1/campaign"),
        ("slack:T1/C1", "slack:T1/"),
    ):
        with refuses("unknown-channel channel"):
            parse_place_key(here, typed)


async def test_deleting_asks_first() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.refused("Bob", "game delete", "not-master")
    asked = await channel.do("Anna", "game delete")
    assert asked.private
    (button,) = asked.buttons
    assert (await channel.press("Bob", button.action)).error
    await channel.press("Anna", button.action)
    assert await channel.app.games.load_current(channel.place.key) is None
    assert list(await channel.app.store.list_games()) == []


async def test_an_import_replaces_no_running_game_and_refuses_a_changed_log() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "roll 2d6")
    text = (await channel.do("Anna", "game export")).files[0].text
    who = channel.who("Anna")

    async def bring(content: object, place: str, request: str) -> str:
        reply = await channel.app.run(
            Command(("game", "import"), {"file": content}, who, Place(place), request)
        )
        return reply.format_text() if reply.error else ""

    assert "still being played here" in await bring(text, channel.place.key, "i1")
    assert "damaged or was altered" in await bring(
        text.replace('"morale":4', '"morale":9'), "console:x", "i2"
    )
    assert "not JSON" in await bring("{", "console:x", "i3")
    assert "not a game exported" in await bring("{}", "console:x", "i4")
    assert "needs" in await bring(None, "console:x", "i5")
    assert await bring(text, "console:x", "i6") == ""
    other = Channel(channel.app, Place("console:x"), "x")
    await other.do("Anna", "game claim")
    await other.do("Bob", "game claim")
    assert await other.content() == await channel.content()
    assert (await other.game()).epoch == 2
    assert not (await other.game()).drawn
    await other.do("Bob", "fair add mine")
    await other.do("Anna", "roll 2d6")


async def test_csv_and_markdown() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", 'roll 2d6 label="=cmd()"', "lnlt fire attackers=us1 targets=vc1 hand=6,1,5"
    )
    csv = (await channel.do("Anna", "game export csv")).files[0].text.splitlines()
    assert csv[0].startswith("event,time,who,side,kind")
    assert len(csv) == 3
    assert "'=cmd()" in csv[1], "no spreadsheet takes it for a formula"
    assert csv[2].endswith("hand")
    report = (await channel.do("Anna", "game export markdown")).files[0]
    assert report.name == "hill-875.md"
    assert "## Turn 1, Rally phase" in report.content
    assert "US Squad 1 fires: " in report.content


async def test_luck_leaves_out_hand_dice_undone_and_sealed_events() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt X", 'unit add "Squad 1" squad stats="morale=5 fp=2"')
    fire = 'lnlt fire attackers="squad fp=4" targets="squad morale=4; squad morale=5"'
    await channel.do("Anna", fire, fire, f"{fire} hand=6,1,6,6", f"{fire} secret", fire)
    await channel.undo_last("Anna")
    reply = await channel.do("Anna", "game stats")
    try:
        assert "in 2 rolls: too few rolls to say" in reply.format_text()
        assert "Direct fire" in reply.format_text()
    finally:
        await channel.app.close()


async def test_a_marker_counts_and_is_named_in_the_line() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Bob", "unit edit vc1 marker=+moved")
    reply = await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 hand=2,4,5")
    assert "Attack: [2] + 2 firepower + 1 moved = 5" in reply.format_text()


async def test_rolled_initiative_stands_in_the_game() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    reply = await channel.do("Anna", "lnlt initiative last=a hand=2,5")
    assert reply.title == "VC takes the initiative"
    assert (await channel.game()).initiative == "VC"


@pytest.mark.parametrize("games", [20, pytest.param(510, marks=pytest.mark.slow)])
async def test_who_has_their_texts_deleted_leaves_every_game_however_many(games: int) -> None:
    """Else a text would be missing in a game that says nothing of it."""
    app = await fresh_app()
    places = [Place(f"console:{number}", "console", "there") for number in range(games)]
    for number, place in enumerate(places):
        who = Person("console:anna", "Anna")
        assert not (await app.run_text('fair add "my own luck"', who, place, f"f{number}")).error
    assert not (
        await app.run_text("privacy delete confirm", Person("console:anna", "Anna"), places[0], "p")
    ).error
    for number in range(1, games):
        file = await app.run_text(
            "game export", Person("console:bob", "Bob"), places[number], f"e{number}"
        )
        assert check(json.loads(file.files[0].text)).faults == ()


async def test_an_opened_roll_is_no_barrier_for_what_came_before_it() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "roll 2d6 secret")
    number = next(iter((await channel.game()).sealed))
    before = await channel.content()
    await channel.do("Anna", 'unit edit "Squad 1" marker=+low-crawl', f"game reveal {number}")
    await channel.undo("Anna")
    assert await channel.content() == before
    assert not (await channel.game()).sealed, "the secret stays open"


async def test_what_an_opened_roll_changed_is_not_undone_underneath_it() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 adjacent hand=6,1,5 secret")
    number = next(iter((await channel.game()).sealed))
    await channel.do("Bob", "unit edit vc1 marker=+low-crawl")
    await channel.do("Anna", f"game reveal {number}")
    question = await channel.say("Bob", "game undo")
    assert question.title.startswith(f"Undo #{number}, ")
    assert f"It has to be undone before yours, #{number + 1}, " in question.format_text()
    late = await channel.press("Bob", await channel.under(number + 1, "undo"))
    assert "changed Cell 1" in late.title
    assert late.buttons[0].label == f"Undo #{number}"


async def test_what_was_undone_by_agreement_comes_back_by_agreement() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    fired = await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1")
    after = await channel.content()
    asked = await channel.do("Anna", "game undo")
    undone = await channel.press("Bob", asked.buttons[0].action)
    before = await channel.content()
    again = await channel.press("Bob", undone.buttons[0].action)
    assert again.title == f"Bob asks to redo {fired.footer[0]}"
    assert (await channel.press("Bob", again.buttons[0].action)).code == "not-yours"
    assert await channel.content() == before
    assert not (await channel.press("Anna", again.buttons[0].action)).error
    assert await channel.content() == after


async def test_the_others_are_told_when_a_player_deletes_what_is_kept() -> None:
    """Their side is free again, and nobody is named."""
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Hill 875" sides="US, VC"', "game join US")
    await channel.do("Bob", "game join VC")
    gone = await channel.do("Bob", "privacy delete confirm")
    assert gone.private
    assert gone.announce is not None
    assert gone.announce.title == "VC has lost a player, whose name and texts have been deleted"
    assert "Bob" not in gone.announce.format_text()
    assert (await channel.do("Carl", "roll d6", "privacy delete confirm")).announce is None


async def test_who_joins_without_a_side_is_told_which_there_are() -> None:
    """With a line that runs: the first side that nobody plays yet."""
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Hill 875" sides="Blue Line, VC"')
    asked = await channel.say("Anna", "game join")
    assert (asked.title, asked.lines) == (
        "Which side: Blue Line or VC?",
        ('Type: /game join "Blue Line"',),
    )
    assert (await channel.do("Anna", 'game join "Blue Line"')).title == "Anna plays Blue Line"
    assert (await channel.say("Bob", "game join")).lines == ("Type: /game join VC",)
    assert (await channel.say("Bob", "game join Blue")).lines[0] == "Did you mean Blue Line?"
    free = await Channel.fresh()
    await free.do("Anna", 'game start lnlt "Hill 875"')
    assert (await free.say("Anna", "game join")).title == "This game has no sides."
