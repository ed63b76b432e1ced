"""Nothing is buried: games are listed, read and taken up again; the end asks, and leaves the
game to be read.
"""

from __future__ import annotations

import json
from typing import Any

from bot.ui.reply.parts import Entry, Grid, measure_width
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Place
from bot.verification.check_file import check
from bot.verification.check_games import audit_games
from tests.playing import Channel, two_sides


def pressed(reply: Reply, label: str) -> str:
    """What the button with this label is for."""
    return next(button.action for button in reply.buttons if button.label.startswith(label))


def beside(reply: Reply, title: str) -> tuple[str, str]:
    """What the button beside an entry of a list says, and what it is for."""
    entry = next(part for part in reply.lines if isinstance(part, Entry) and title in part.title)
    return entry.label, entry.action


async def exported(channel: Channel, line: str = "game export") -> dict[str, Any]:
    reply = await channel.do("Anna", line)
    return json.loads(reply.files[0].text)  # type: ignore[no-any-return]


async def end(channel: Channel, name: str, label: str = "") -> Reply:
    """`/game end`, and the button under its question, or the one that names no winner."""
    asked = await channel.do(name, "game end")
    has_sides = any(button.label == "No result" for button in asked.buttons)
    return await channel.press(
        name, pressed(asked, label or ("No result" if has_sides else "End it"))
    )


async def test_every_game_that_was_played_here_is_listed_the_one_that_is_on_first() -> None:
    channel = await Channel.fresh()
    assert "Nothing has been played here" in (await channel.do("Anna", "game list")).title
    await channel.do("Anna", "roll 2d6", "roll 2d6")
    started = await channel.do("Anna", 'game start lnlt "Hill 621"')
    assert "The free play is saved" in started.format_text()
    await end(channel, "Anna")
    started = await channel.do("Anna", 'game start ucn "Saint-Lo"')
    assert '"Hill 621" is saved: /game list' in started.format_text()

    shown = await channel.do("Bob", "game list")
    assert shown.private
    assert shown.title == "3 games played here, one in progress"
    assert [line.partition(" since")[0] for line in shown.format_body()] == [
        "3. Saint-Lo · Ultracombat Normandy", "Turn 1, Combat round · #1",
        "2. Hill 621 · Lock 'n Load Tactical", "Ended on turn 1 · #2",
        "1. Free play", "2 events", "/game open 2 shows one, /game resume 2 continues it",
    ]  # fmt: skip
    labels = [beside(shown, title)[0] for title in ("Saint-Lo", "Hill 621", "Free play")]
    assert labels == ["Status", "Read", "Read"]


async def test_a_game_is_completed_by_its_number_and_a_winner_by_sides() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    asked = await channel.do("Anna", "game start lnlt Other")
    await channel.press("Anna", pressed(asked, "Start it"))

    async def completed(path: tuple[str, str], option: str, typed: str) -> list[tuple[str, str]]:
        found = await channel.app.complete_option(
            path, option, typed, {}, channel.who("Anna"), channel.place
        )
        return [(choice.name.partition(":")[0], choice.value) for choice in found]

    assert await completed(("game", "open"), "game", "") == [
        ("2. Other", "2"),
        ("1. Hill 875", "1"),
    ]
    assert await completed(("game", "export"), "game", "hill") == [("1. Hill 875", "1")]
    await channel.do("Anna", "game resume 1")
    assert await completed(("game", "end"), "winner", "") == [
        ("US", "US"),
        ("VC", "VC"),
        ("draw", "draw"),
        ("none", "none"),
    ]


async def test_an_old_game_is_read_privately_with_its_log_statistics_export_and_proof() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna",
        "lnlt fire attackers=us1 targets=vc1 hand=6,1,6",
        "roll d20 label=wind",
        "roll d6",
        "roll d6",
    )
    head = (await exported(channel))["head"]
    await end(channel, "Anna", "US won")
    await channel.do("Anna", "game start lnlt Next", "roll d6")

    opened = await channel.press("Bob", beside(await channel.do("Bob", "game list"), "Hill 875")[1])
    assert opened.private
    assert opened.title.startswith("Hill 875: US won on turn 1")
    assert "US: Anna; 3 units" in opened.format_text()
    log = await channel.press("Bob", pressed(opened, "Log"))
    assert log.private
    assert "wind" in log.format_text()
    older = await channel.press("Bob", pressed(log, "Older"))
    assert '"Hill 875" begins' in older.format_text(), "the next page is of the same game"
    assert "Hill 875 as JSON" in (await channel.press("Anna", pressed(opened, "Export"))).title
    proof = await channel.press("Bob", pressed(opened, "Proof"))
    assert proof.private
    assert head[:8] not in proof.format_text(), "the end is in the chain too"
    assert (await channel.press("Bob", pressed(opened, "Statistics"))).private

    old, new = await exported(channel, 'game export game="hill 875"'), await exported(channel)
    assert old["name"] == "Hill 875"
    assert new["name"] == "Next"
    assert check(old).faults == ()
    assert "wind" in (await channel.do("Bob", "log 50 game=1")).format_text()
    assert "Hill 875" not in (await channel.do("Bob", "log")).format_text()
    await channel.refused("Bob", "log game=7", "unknown-game")


async def test_sealed_rolls_of_a_game_put_aside_are_opened_by_their_roller() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "roll d20 label=ambush secret")
    await channel.do("Bob", "game start lnlt Next")
    opened = await channel.do("Anna", "game open 1")
    assert not any(
        "Open" in button.label for button in (await channel.do("Bob", "game open 1")).buttons
    )
    told = await channel.press("Anna", pressed(opened, "Open #2"))
    assert not told.private
    assert told.by == "#2, opened by Anna"
    assert (await channel.game()).name == "Next"
    assert (await audit_games(channel.app.store))[1] == []


async def test_a_game_is_taken_up_again_with_its_own_log_and_dice() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "roll d6", "fair reveal")
    before = await channel.content()
    await channel.do("Carl", "roll d6")
    start = await channel.do("Anna", "game start lnlt Other")
    await channel.press("Anna", pressed(start, "Start it"))
    assert (await channel.game()).name == "Other"
    await channel.fails("Bob", "game resume", "can pause")
    resumed = await channel.do("Anna", 'game resume "Hill 875"')
    assert '"Other" is paused: /game resume continues it' in resumed.format_text()
    assert await channel.content() == before
    await channel.do("Bob", "roll d6")
    log = await exported(channel)
    assert check(log).faults == ()
    kinds = [event["body"]["kind"] for event in log["events"]]
    assert kinds[-2:] == ["resume", "roll"]
    assert (await channel.do("Anna", "game list")).format_body()[0].startswith("1. Hill 875")
    assert (await audit_games(channel.app.store))[1] == []


async def test_an_ended_game_is_read_only_until_it_is_resumed() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    question = await channel.do("Anna", "game end")
    assert question.private
    assert [button.label for button in question.buttons] == [
        "US won", "VC won", "Draw", "No result", "Show the dice secret",
    ]  # fmt: skip
    await channel.refused("Eve", "game end", "not-master")
    over = await channel.press("Anna", pressed(question, "VC won"))
    assert (over.title, over.by) == ("Hill 875 is over: VC wins on turn 1", "Anna v Bob")
    assert (await channel.press("Anna", pressed(question, "US won"))).code == "game-ended"
    for line in (
        "lnlt fire attackers=us1 targets=vc1", "unit edit us1 state=shaken", "unit add Late squad US",
        "unit remove us1", "game next", "game undo", "game join US", "game settings hand_dice=no", "fair add x",
    ):  # fmt: skip
        refusal = await channel.refused("Anna", line, "game-ended")
        assert "/game resume" in refusal.format_text()
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 odds", "log", "unit list")
    await channel.do("Anna", "fair reveal")

    again = await channel.do("Bob", "game resume")
    assert 'resumes "Hill 875"' in again.title
    game = await channel.game()
    assert (game.ended, game.winner) == (False, "")
    await channel.do(
        "Anna", "lnlt fire attackers=us1 targets=vc1 hand=1,6", "game end winner=draw confirm"
    )
    assert (await channel.game()).winner == "draw"
    assert check(await exported(channel)).faults == ()


async def test_plain_dice_behind_the_end_are_free_play() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await end(channel, "Anna")
    before = await exported(channel)
    reply = await channel.do("Bob", "roll 2d6")
    assert "free play begins" in " ".join(reply.footer)
    assert not (await channel.game()).started
    assert (await exported(channel, "game export game=1"))["head"] == before["head"]


async def test_the_end_tells_losses_best_shot_and_luck() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "unit edit vc1 state=eliminated", "unit edit us2 state=eliminated")
    for _ in range(6):
        await channel.do("Anna", 'lnlt fire attackers="squad fp=2" targets="squad morale=5"')
    for _ in range(14):
        await channel.do("Anna", 'lnlt fire attackers="squad fp=4" targets="squad morale=5"')
    story = await end(channel, "Anna", "US won")
    assert not story.private
    said = story.format_body()
    assert "US lost 1 of 3: Squad 2" in said
    assert "VC lost 1 of 3: Cell 1" in said
    moments = [
        line.partition(": ")
        for line in said
        if line.startswith(("Best roll: ", "Best shot: ", "Worst luck: "))
    ]
    assert moments
    assert all(told.startswith("A US squad fires: ") for *_, told in moments), moments
    (luck,) = [line for line in said if line.startswith("What the rolls achieved: US ")]
    assert luck.endswith(" expected)"), luck
    assert "20 rolls: too few to judge" in said
    assert [button.label for button in story.buttons] == [
        "Statistics",
        "Proof",
        "Export",
        "Picture",
    ]
    await channel.do("Anna", "game start lnlt Next")
    stats = await channel.press("Bob", pressed(story, "Statistics"))
    assert "US: " in stats.format_text(), "its buttons speak of the game that they stand under"


async def test_the_end_counts_the_weakened() -> None:
    """A squad that takes casualties is a half-squad, with or without a second side of its
    counter.
    """
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "unit edit vc1 reduced: morale=4 fp=1")
    await channel.do("Anna", 'lnlt fire attackers=us1 targets="vc1,vc2" hand=3,1,5,5')
    story = await end(channel, "Anna", "US won")
    assert "VC lost none of 3, 2 weakened: Cell 1 + 2" in story.format_body()


async def test_starting_over_a_running_game_asks_its_game_master() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    asked = await channel.do("Bob", 'game start ucn "Saint-Lo"')
    assert asked.mention == ("console:anna",)
    assert asked.title == 'Bob wants to start "Saint-Lo" here'
    assert (await channel.game()).name == "Hill 875"
    assert (await channel.press("Bob", pressed(asked, "Start it"))).code == "not-master"
    begun = await channel.press("Anna", pressed(asked, "Start it"))
    assert begun.title == 'Bob starts "Saint-Lo"'
    assert "Bob is game master" in begun.format_text()
    assert '"Hill 875" is paused: /game resume continues it' in begun.format_text()
    assert (await channel.press("Anna", pressed(asked, "Start it"))).code == "not-asked"

    asked = await channel.do("Anna", "game start lnlt Third")
    assert "goes on" in (await channel.press("Anna", pressed(asked, "Keep"))).title
    assert (await channel.game()).name == "Saint-Lo"

    own = await channel.do("Bob", "game start lnlt Third")
    assert own.title == 'Start "Third" here?'
    assert "up to" not in own.format_text(), "it is up to him"
    await channel.press("Bob", pressed(own, "Start it"))
    assert (await channel.game()).name == "Third"


async def test_only_who_played_a_game_takes_it_up_again() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await end(channel, "Anna")
    await channel.refused("Carl", "game resume", "not-player")
    await channel.do("Bob", "game resume")
    await channel.refused("Bob", "game resume 1", "game-on")


async def test_an_import_says_what_it_puts_aside() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    log = (await channel.do("Anna", "game export")).files[0].text
    there = await Channel.fresh(place=Place("console:there", "console"))
    await there.do("Anna", "roll d6")
    brought = await there.app.run(
        Command(("game", "import"), {"file": log}, there.who("Anna"), there.place, "import")
    )
    assert "The free play is saved: /game list" in brought.format_text()
    await there.do("Anna", "game resume 1", "roll d6")
    assert not (await there.game()).started
    assert (await audit_games(there.app.store))[1] == []


async def test_an_earlier_game_is_deleted_by_who_may_and_the_others_stay() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await end(channel, "Anna")
    await channel.do("Bob", "game start lnlt Next")
    await channel.refused("Bob", "game delete game=1", "not-master")
    asked = await channel.do("Anna", "game delete game=1")
    assert asked.title.startswith('Delete "Hill 875"')
    gone = await channel.press("Anna", pressed(asked, "Delete"))
    assert gone.announce is not None
    assert gone.announce.title == 'Anna deletes "Hill 875"'
    assert (await channel.game()).name == "Next"
    await channel.refused("Anna", "game open 1", "unknown-game")
    assert (await channel.do("Anna", "game open 2")).title.startswith('"Next"'), (
        "the others keep their numbers"
    )


async def test_the_table_of_luck_fits_a_phone() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start lnlt "A game" sides="Nationalists, Republicans"',
        "game join Nationalists",
    )
    await channel.do(
        "Anna", *('lnlt fire attackers="squad fp=2" targets="squad morale=5"',) * 2, "roll d6"
    )
    await channel.do("Anna", "lnlt ordnance-infantry to_hit=7 he=3")
    stats = await channel.do("Anna", "game stats")
    table = next(part for part in stats.lines if isinstance(part, Grid))
    assert measure_width(tuple(row[:3] for row in table.rows)) <= 17, (
        "figures fit; a long name goes on below"
    )
    assert not {"z", "points", "expected"} & {cell.strip() for cell in table.rows[0]}
    assert all(word in stats.format_text() for word in ("Score:", "usual:")), "what the columns are"
    assert [row[3] for row in table.rows[1:]] == [
        "Nationalists, all",
        "Direct fire",
        "Ordnance against infantry",
    ]
