"""Whose go it is: phases, passes, who may end what, and who is called."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bot.commands.turns import mentions
from bot.game.state import FIELDS
from bot.rulesets.catalog import load_shared_systems
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from bot.verification.check_file import check
from tests.commands.link_helpers import BEN, HERE, THERE, Table
from tests.forging import rechained
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tools import verify_log


@pytest.fixture(autouse=True)
def _nobody_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by post: it is more than five minutes since anybody acted (else:
    tests/seams/test_calls.py).
    """
    monkeypatch.setattr(mentions, "PRESENT", -60.0)


def button(reply: Reply, label: str) -> str:
    """What the button with this label does."""
    return next(button.action for button in reply.buttons if button.label == label)


def labels(reply: Reply) -> list[str]:
    return [button.label for button in reply.buttons]


async def table(system: str = "lnlt", **more: Place) -> Channel:
    """A game that Greta directs, with Alice for the US and Bob for the VC."""
    channel = await Channel.fresh(**more)
    await channel.do("Greta", f'game start {system} "Hill 875" sides="US, VC"')
    await channel.do("Alice", "game join US")
    await channel.do("Bob", "game join VC")
    return channel


async def in_operations(channel: Channel, first: str = "US") -> Reply:
    return await channel.do("Alice", f"game initiative {first}", "game next")


async def test_a_card_pressed_too_late_says_whose_go_it_is() -> None:
    channel = await table()
    card = await in_operations(channel)
    passing, ending = button(card, "Pass"), button(card, "Next phase")
    await channel.do("Alice", "game pass")
    late = await channel.press("Alice", passing)
    assert (late.code, late.format_text()) == (
        "not-your-go",
        "You have already handed over.\nVC to play.",
    )
    await channel.do("Greta", "game next")
    late = await channel.press("Greta", ending)
    assert (late.code, late.format_text()) == (
        "phase-over",
        "That phase is over.\nNow it is turn 1, Administrative phase: both sides.",
    )


async def test_three_passes_in_a_row_end_the_operations_phase() -> None:
    """The card: a phase ends after three consecutive passes, whoever passed first."""
    channel = await table()
    card = await in_operations(channel)
    assert card.title == "Turn 1, Operations: US goes first"
    assert labels(card) == ["Fire", "Melee", "Done", "Pass", "Next phase", "Add units"]
    over = await channel.do("Alice", "game pass")
    assert over.first_line == "VC to play · Alice passes"
    assert over.format_body() == ["Turn 1, Operations · one pass so far"]
    assert over.mention == ("console:bob",)
    assert (await channel.do("Bob", "game pass")).mention == ("console:alice",)
    ended = await channel.do("Alice", "game pass")
    assert ended.title == "Turn 1, Administrative: both sides"
    assert ended.format_body()[0] == "Alice passes. The Operations phase is over."
    assert ended.mention == ("console:bob",)
    game = await channel.game()
    assert (game.go, game.passes) == (("US", "VC"), 0)


async def test_whoever_fired_or_says_so_hands_over_without_a_pass() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game initiative US", "game next", "game pass")
    await channel.do("Bob", 'lnlt fire attackers="Cell 1" targets="Squad 1" hand=1,6')
    over = await channel.do("Bob", "game pass")
    assert over.first_line == "US to play · Bob hands over"
    assert over.format_body() == ["Last: No effect on Squad 1 · #11", "Turn 1, Operations"]
    assert (await channel.do("Anna", "game pass done")).format_body() == ["Turn 1, Operations"]
    await channel.do("Bob", "game pass")
    assert (await channel.game()).passes == 1


async def test_a_game_master_without_a_side_hands_over_after_a_shot_of_the_side_to_play() -> None:
    """One player alone plays all sides of a scenario without joining one."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game next", "game initiative US")
    await channel.do("Anna", "lnlt fire us1 vc1 hand=1,6")
    over = await channel.do("Anna", "game pass")
    assert over.first_line == "VC to play · Anna hands over"
    await channel.do("Anna", "lnlt fire us2 vc1 hand=1,6")
    assert (await channel.do("Anna", "game pass")).first_line == "US to play · Anna passes"


async def test_alone_with_a_side_a_hand_over_after_a_shot_of_either_is_no_pass() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US", "game next")
    await channel.do("Anna", "game initiative VC")
    for shot in ("fire vc2 us1", "fire us2 vc1", "fire vc3 us2"):
        await channel.do("Anna", f"lnlt {shot} hand=1,6")
        over = await channel.do("Anna", "game pass")
        assert over.first_line.endswith("Anna hands over")
    assert (await channel.game()).passes == 0


async def test_who_passes_before_anybody_goes_first_is_asked_who_does() -> None:
    """Alone and without a side, in a phase in which the sides take turns."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game next")
    asked = await channel.fails("Anna", "game pass", "Who goes first: US or VC?")
    assert "/game initiative US" in asked.format_text()
    await channel.do("Anna", "game initiative US", "game pass")


async def test_a_shot_that_was_taken_back_is_no_act() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game initiative US", "game next")
    await channel.do("Anna", 'lnlt fire attackers="Squad 1" targets="Cell 1" hand=1,6', "game undo")
    await channel.do("Bob", "game undo")
    assert (await channel.do("Anna", "game pass")).first_line == "VC to play · Anna passes"


async def test_a_pass_is_undone_and_redone_like_any_move_without_dice() -> None:
    channel = await table()
    await in_operations(channel)
    before = await channel.content()
    await channel.do("Alice", "game pass")
    passed = await channel.content()
    assert before != passed
    undone = await channel.undo("Greta")
    assert undone.format_body()[-1] == "Now: US to play."
    assert undone.mention == ("console:alice",), "the go is theirs again"
    assert await channel.content() == before
    await channel.do("Alice", "game redo")
    assert await channel.content() == passed
    await channel.do("Bob", "game pass")
    ended = await channel.do("Alice", "game pass")
    assert "Administrative" in ended.title
    await channel.do("Alice", "game undo")
    assert (await channel.game()).phase == "operations"


async def test_only_the_side_whose_go_it_is_or_the_game_master_ends_it() -> None:
    channel = await table()
    await in_operations(channel)
    for line in ("game pass", "game next"):
        refused = await channel.refused("Bob", line, "not-your-go")
        assert refused.title == "Not your move: US to play, and you play VC."
        await channel.refused("Dave", line, "not-player")
    assert (await channel.do("Greta", "game pass")).first_line == "VC to play · Greta passes"
    await channel.refused("Alice", "game next", "not-your-go")
    assert "Administrative" in (await channel.do("Greta", "game next")).title
    # both sides have it, and she plays neither
    await channel.refused("Greta", "game pass", "not-your-go")
    assert (await channel.do("Bob", "game next")).title == "Turn 2, Rally: both sides"


async def test_a_side_that_nobody_plays_holds_nobody_up() -> None:
    channel = await Channel.fresh()
    await channel.do("Greta", 'game start lnlt "Hill 875" sides="US, VC"')
    await channel.do("Alice", "game join US", "game next", "game initiative VC")
    assert (await channel.do("Alice", "game pass")).first_line == "US to play · Alice passes"
    await channel.do("Alice", "game pass")
    await channel.do("Bob", "game join VC")
    await channel.refused("Alice", "game pass", "not-your-go")


async def test_who_waits_for_a_side_that_nobody_plays_is_told_to_go_on() -> None:
    channel = await Channel.fresh()
    await channel.do("Alice", 'game start lnlt "Hill 875" sides="US, VC"', "game join US")
    waiting = await channel.do("Alice", "game pass")
    assert waiting.title == "US is done, waiting for VC"
    assert "Nobody plays VC, so move on: /game next" in waiting.format_body()
    await channel.do("Bob", "game join VC")
    await channel.do("Alice", "game next", "game next", "game next")
    assert "Nobody plays" not in (await channel.do("Alice", "game pass done")).format_text()


async def test_in_a_phase_of_both_sides_each_says_that_it_is_done() -> None:
    channel = await table()
    done = await channel.do("Alice", "game pass")
    assert done.title == "US is done, waiting for VC"
    assert done.mention == (), "it was Bob's go already"
    await channel.refused("Alice", "game pass", "not-your-go")
    assert "Operations" in (await channel.do("Bob", "game pass")).title


async def test_until_somebody_has_the_initiative_nobody_hands_over_without_an_act() -> None:
    channel = await table()
    card = await channel.do("Alice", "game next")
    assert card.title == "Turn 1, Operations: who has the initiative?"
    assert labels(card)[0] == "Initiative"
    refused = await channel.refused("Bob", "game pass done", "no-first-side")
    assert labels(refused) == ["Initiative"]
    await channel.do("Bob", 'unit add "Cell 1" squad VC morale=4 fp=1')
    await channel.do("Alice", 'unit add "Squad 1" squad US morale=12 fp=1')
    await channel.do("Bob", 'lnlt fire "Cell 1" "Squad 1" hand=1,6')
    assert (await channel.do("Bob", "game pass done")).first_line == "US to play · Bob hands over"


async def test_the_initiative_is_rolled_and_told_by_name() -> None:
    """Nobody had it before turn 1, so nobody is asked who had it last."""
    channel = await table()
    won = await channel.do("Alice", "lnlt initiative hand=2,5")
    assert won.format_text().split("\n")[:3] == [
        "VC takes the initiative · Alice rolls",
        "US: [2]",
        "VC: [5]",
    ]
    assert "side" not in won.format_text()
    kept = await channel.do("Bob", "lnlt initiative last=us hand=4,4")
    assert kept.title == "US keeps the initiative"
    assert (await channel.do("Bob", "lnlt initiative hand=3,3")).title == "US keeps the initiative"
    odds = await channel.do("Bob", "lnlt initiative odds")
    assert "US 58%, VC 42%" in odds.title
    assert "side a" not in (await channel.do("Bob", "log")).format_text()
    free = await (await Channel.fresh()).do("Alice", "lnlt initiative last=b odds")
    assert "Who had it last turn side b." in free.format_text()
    assert free.title.startswith("Side b 58%, side a 42%")
    await channel.refused("Bob", "lnlt initiative last=NVA hand=1,2", "unknown-side")
    await channel.refused("Dave", "lnlt initiative hand=1,2", "not-player")
    assert (await channel.do("Alice", "game initiative")).title.startswith(("US", "VC"))
    first = await table()
    assert (
        "the side listed first"
        in (await first.do("Alice", "lnlt initiative hand=4,4")).format_text()
    )


async def test_a_game_whose_card_has_no_roll_for_it_is_told_who_has_it() -> None:
    channel = await table("ucn")
    await channel.refused("Alice", "game initiative", "missing")
    told = await channel.do("Alice", "game initiative VC")
    assert told.title == "VC goes first"
    assert told.mention == ("console:bob",)


async def test_buttons_join_roll_pass_and_lead_on() -> None:
    channel = await Channel.fresh()
    started = await channel.do("Greta", 'game start lnlt "Hill 875" sides="US, VC"')
    assert labels(started) == [
        "Join US",
        "Join VC",
        "Add units",
        "Initiative",
        "Rally",
        "Done",
        "Next phase",
        "Checklist",
        "Proof",
    ]
    told = await channel.press("Alice", button(started, "Checklist"))
    assert told.private
    assert any("Rally shaken units" in line for line in told.format_body())
    assert (await channel.press("Alice", button(started, "Join US"))).title == "Alice plays US"
    assert (await channel.press("Bob", button(started, "Join VC"))).title == "Bob plays VC"
    await channel.press("Alice", button(started, "Next phase"))
    card = await channel.do("Alice", "game initiative US")
    refused = await channel.press("Bob", button(card, "Pass"))
    assert refused.code == "not-your-go"
    over = await channel.press("Alice", button(card, "Done"))
    assert over.first_line == "VC to play · Alice hands over"
    again = await channel.press("Bob", button(over, "Pass"))
    assert again.first_line == "US to play · Bob passes"
    twice = await channel.press("Greta", button(over, "Pass"))
    assert (twice.title, twice.code) == ("VC has already handed over.", "not-your-go")
    await channel.press("Alice", button(card, "Next phase"))
    old = await channel.press("Bob", button(card, "Next phase"))
    assert (old.title, old.code) == ("That phase is over.", "phase-over")
    assert (await channel.game()).phase == "administrative"


async def test_reminders_are_in_full_on_turn_1_and_folded_after() -> None:
    channel = await table()
    first = await channel.do("Alice", "game next")
    assert len(first.format_body()) == 2
    assert "Checklist" not in labels(first)
    for _ in range(2):
        await channel.do("Alice", "game next")
    later = await channel.do("Alice", "game next")
    assert later.format_body() == [
        "Alternate activations, one hex at a time. Three passes in a row end the phase."
    ]
    whole = await channel.press("Bob", button(later, "Checklist"))
    assert whole.private
    assert whole.format_body() == first.format_body()


async def test_the_card_names_the_shaken_and_what_is_due() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "unit edit us1 shaken", "unit edit vc2 shaken")
    planned = await channel.do("Anna", 'game plan 2 "US reinforcements at A1"')
    assert planned.title == "Planned for turn 2: US reinforcements at A1"
    rain = await channel.do("Bob", "game plan 2 rain")
    listed = await channel.do("Bob", "game plan")
    assert listed.private
    assert listed.format_body()[:2] == [
        "Turn 2: US reinforcements at A1 (#10)",
        "Turn 2: rain (#11)",
    ]
    assert rain.footer[0] == "#11"
    await channel.do("Anna", "game plan remove=11", "game next", "game next")
    card = await channel.do("Anna", "game next")
    assert card.format_body() == [
        "Shaken: Squad 1 and Cell 2",
        "Due now: US reinforcements at A1",
    ]
    await channel.refused("Anna", "game plan 1 late", "bad-value")
    await channel.refused("Anna", "game plan remove=11", "not-planned")
    await channel.refused("Anna", "game plan 5", "missing")
    await channel.refused("Dave", "game plan 5 fog", "not-player")


async def test_status_says_whose_go_it_is() -> None:
    channel = await table()
    await in_operations(channel)
    await channel.do("Alice", "game pass")
    assert (
        "To play: VC (Bob); one pass so far"
        in (await channel.do("Dave", "game status")).format_body()
    )
    assert (await channel.game()).go_since > 0


async def test_each_side_has_a_player_turn_of_its_own_in_asl() -> None:
    channel = await table("asl")
    await channel.do("Greta", "game initiative VC")
    titles = [(await channel.do("Greta", "game next")).title for _ in range(9)]
    assert titles[:3] == [
        "Turn 1, VC, Prep Fire: VC to play",
        "Turn 1, VC, Movement: VC to play",
        "Turn 1, VC, Defensive Fire: US to play",
    ]
    assert titles[6:] == [
        "Turn 1, VC, Close Combat: both sides",
        "Turn 1, US, Rally: both sides",
        "Turn 1, US, Prep Fire: US to play",
    ]
    for _ in range(7):
        card = await channel.do("Greta", "game next")
    assert card.title == "Turn 2, VC, Rally: both sides"


async def test_every_player_of_the_side_is_called_once_in_the_channel_where_they_play() -> None:
    """Two channels play one game; whoever could be called in both is called where they joined."""
    table, there = Table(), Place("discord:6/20", "discord:6", "#war-room")
    table.app = await fresh_app(lambda: table.now)
    ben, cy = Person("discord:2", "Ben", manager=True), Person("discord:3", "Cy")
    await table.run('/game start lnlt "Hill 875" sides="US, VC"')
    await table.link(there, ben)
    await table.run("/game join US")
    await table.run("/game join VC", ben, there)
    await table.run("/game join VC", cy)
    await table.run("/game initiative US")
    await table.run("/game next")
    await table.posted(there)
    await table.posted(HERE)
    over = await table.run("/game pass")
    [elsewhere] = await table.posted(there)
    assert over.mention == ("discord:3",)
    assert elsewhere.mention == ("discord:2",)
    assert elsewhere.title == over.title
    back = await table.run("/game pass", ben, there)
    assert back.mention == ()
    assert [reply.mention for reply in await table.posted(HERE)] == [("discord:1",)]
    await table.app.close()


async def test_whoever_plays_on_the_other_platform_is_called_there_and_only_there() -> None:
    table = Table()
    table.app = await fresh_app(lambda: table.now)
    await table.run('/game start lnlt "Hill 875" sides="US, VC"')
    await table.link()
    await table.run("/game join US")
    await table.run("/game join VC", BEN, THERE)
    await table.run("/game initiative US")
    await table.run("/game next")
    await table.posted(THERE)
    over = await table.run("/game pass")
    [elsewhere] = await table.posted(THERE)
    assert (over.mention, elsewhere.mention) == ((), ("slack:T1/U1",))
    await table.app.close()


async def test_a_game_from_before_there_was_a_go_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its state names nobody, so everybody may act; from the next phase on it is somebody's go."""
    with monkeypatch.context() as before:
        before.setattr(
            "bot.commands.games.start_and_join.start_first_turn",
            lambda game, _system: replace(game, turn=1, phase="rally"),
        )
        channel = await table()
    assert (await channel.game()).go == ()
    assert (await channel.do("Bob", "game pass")).title == "VC is done, waiting for US"
    await channel.do("Alice", "game pass")
    assert (await channel.game()).go == ("US", "VC")
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()


FORGED = [
    ({"result": "VC passes"}, "only a side to move can pass"),
    ({"after": {"game": {"go": ["VC"], "passes": 2}}}, "it counts the passes in a row wrongly"),
    ({"after": {"game": {"go": ["NVA"], "passes": 1}}}, "only the game's sides can be to move"),
    ({"result": "US hands over"}, "it counts the passes in a row wrongly"),
    ({"result": "US passes; turn 1, Administrative phase"}, "the next phase must be in this turn"),
]


@pytest.mark.parametrize(("change", "reason"), FORGED)
async def test_both_verifiers_refuse_a_forged_pass(change: dict[str, object], reason: str) -> None:
    channel = await table()
    await in_operations(channel)
    await channel.do("Alice", "game pass")
    log = json.loads(await exported_text(channel))
    log["events"][-1]["body"].update(change)
    rechained(log)
    faults = check(log).faults
    assert any(reason in fault for fault in faults), faults


async def test_a_log_with_passes_and_plans_is_sound_and_a_forged_plan_is_not() -> None:
    channel = await table()
    await in_operations(channel)
    await channel.do("Alice", 'game plan 3 "fog"', "game pass")
    await channel.do("Bob", "game pass done")
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    assert verify_log.check(log).faults == []
    assert check(log).unplayed == 0
    forged = next(event["body"] for event in log["events"] if event["body"]["kind"] == "plan")
    forged["result"] = "for turn 2"
    rechained(log)
    faults = check(log).faults
    assert any("its words do not match what it plans" in fault for fault in faults), faults


@pytest.mark.parametrize("system", sorted(load_shared_systems()))
def test_every_phase_of_every_game_says_whose_go_it_is(system: str) -> None:
    phases = load_shared_systems()[system].game["phases"]
    assert load_shared_systems()[system].sequences
    for phase in phases:
        assert phase["go"] in ("both", "impulses", "own", "other")
        assert phase["buttons"][-1] == "next"


def test_what_undo_restores_holds_the_go() -> None:
    assert {"go", "passes", "turn_of", "plans"} <= set(FIELDS)


async def test_each_side_is_done_for_itself_in_a_phase_of_both() -> None:
    """*Done* of one leaves the other theirs; who goes on before that reads that the other had
    not passed.
    """
    channel = await table()
    card = await channel.do("Alice", "game status")
    done = next(
        one for one in (await channel.do("Alice", "game board")).buttons if one.label == "Done"
    )
    assert not card.error
    said = await channel.press("Alice", done.action)
    assert said.first_line.startswith("US is done, waiting for VC")
    assert (await channel.game()).go == ("VC",)
    ended = await channel.press("Bob", done.action)
    assert ended.first_line.startswith("Turn 1, Operations")
