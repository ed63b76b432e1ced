"""A side chooses in the middle of a shot: it waits, goes on, is taken back whole, and every
verifier follows it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.app import App
from bot.commands.by_post import choose as choosing
from bot.game.state import from_json, to_json
from bot.report.event_odds import compute_export_facts
from bot.rules.errors import UserError
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.ui.reply.reply import Reply
from bot.ui.spec import Place
from bot.verification.check_file import check
from tests.bent_logs import agree_on_forgeries
from tests.commands.choices_helpers import (
    SHOT,
    begun,
    every_event_of_choices,
    log_of,
    two_sides,
    waiting,
)
from tests.forging import bodies, copied, rechained
from tests.fresh import fresh_app, fresh_store
from tests.packs.conftest import use_packs  # noqa: F401
from tests.page_script import said_by_page
from tests.playing import Channel
from tools import verify_log
from tools.game_pages.page import build_page

PACKS = Path(__file__).parents[2] / "data" / "packs"
ASSAULT = 'grit assault attackers="Red 1" targets="Blue 1; Blue 2" hand='


@pytest.fixture(autouse=True)
def _grit(use_packs: Callable[[Path], None]) -> None:  # noqa: F811
    use_packs(PACKS)


def is_forged(log: Any) -> bool:
    """Return whether `grognard verify` finds a fault in a log, without the tables."""
    try:
        return bool(check(json.loads(json.dumps(log)), with_tables=False).faults)
    except UserError:
        return True


def assert_sound(log: Any, folder: Path) -> None:
    """Assert that `grognard verify`, the one-file script and the page find no fault in a log."""
    text = json.dumps(log)
    assert not is_forged(log)
    assert verify_log.check(json.loads(text)).faults == []
    assert said_by_page([text], folder)[0]["faults"] == []


async def test_status_names_a_choice_to_those_who_can_make_it() -> None:
    channel, asked = await waiting()
    choices = {button.action for button in asked.buttons if button.action.startswith("choose:")}
    own = await channel.do("Bob", "game status")
    assert any(str(line).startswith("Waiting for you: #6: ") for line in own.lines)
    assert {button.action for button in own.buttons} == choices
    other = await channel.do("Anna", "game status")
    assert any(str(line).startswith("#6 is waiting for VC: ") for line in other.lines)
    assert other.buttons == ()


async def test_the_target_is_asked_and_goes_to_ground() -> None:
    channel, asked = await waiting()
    assert asked.title == "3 hits on Blue 1. Casualties, or go to ground?"
    assert [button.label for button in asked.buttons] == [
        "Take 3 casualties",
        "Go to ground",
        "Undo",
    ]
    assert "Blue 1" in (await channel.do("Bob", "unit list")).format_text()
    chosen = await channel.do("Bob", "choose event=6 option=suppressed hand=3,4")
    assert chosen.title == "Blue 1: suppressed"
    assert "To hit" not in chosen.format_text()
    assert "Nerve: [3] [4] = 7" in chosen.format_text()
    assert (await channel.game()).units["blue 1"].state == "suppressed"
    await channel.refused("Bob", "choose event=6 option=casualties", "no-choice")


async def test_a_button_does_the_same_and_only_that_side_may_press_it() -> None:
    channel, asked = await waiting()
    casualties = asked.buttons[0].action
    refused = await channel.press("Anna", casualties)
    assert refused.title == "#6 is VC's choice."
    assert (await channel.press("Bob", casualties)).title == "Blue 1: casualties"
    assert (await channel.game()).units["blue 1"].numbers["men"] == 2


async def test_while_it_waits_its_units_and_the_turn_wait() -> None:
    channel, _ = await waiting()
    for line in (
        "game next",
        "game end",
        'unit edit "Blue 1" men=3',
        'unit remove "Red 1"',
        f"{SHOT}4,5,6,1",
    ):
        await channel.refused("Anna", line, "choice-first")
    await channel.do("Anna", 'unit edit "Red 2" men=3', "roll d6")
    await channel.do("Bob", "choose option=casualties")
    await channel.do("Anna", "game next")


async def test_the_option_is_typed_as_a_bare_word_and_what_to_type_is_listed() -> None:
    channel, asked = await waiting()
    assert (
        "/choose casualties or /choose suppressed; after that, it's take 3 casualties."
        in asked.format_text()
    )
    listed = (await channel.do("Bob", "choose")).format_text()
    assert "Go to ground: /choose suppressed event=6" in listed
    assert (await channel.do("Bob", "choose casualties")).title == "Blue 1: casualties"


async def test_it_is_taken_back_whole() -> None:
    channel, _ = await waiting()
    await channel.do("Bob", "choose option=suppressed hand=6,6")
    await channel.do("Bob", "game undo")
    await channel.do("Anna", "game undo")
    game = await channel.game()
    assert (game.units["blue 1"].state, game.waits) == ("", {})
    await channel.refused("Bob", "choose option=casualties", "no-choice")
    assert (
        await channel.say("Bob", "choose")
    ).format_text() == "There is nothing to choose right now."
    await channel.do("Anna", "game redo")
    await channel.do("Bob", "game redo")
    assert (await channel.game()).units["blue 1"].state == "broken"


async def test_what_waits_is_taken_back_by_consent_and_brought_back() -> None:
    channel, _ = await waiting()
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    assert not (await channel.game()).waits
    await channel.do("Anna", "game redo")
    await channel.do("Bob", "game redo")
    assert [*(await channel.game()).waits] == [6]


async def test_each_unit_has_an_answer() -> None:
    channel = await two_sides()
    asked = await channel.do("Anna", f"{ASSAULT}6,6,5,5")
    second = await channel.press("Bob", asked.buttons[0].action)
    assert second.private
    done = await channel.press("Bob", second.buttons[1].action)
    assert done.title.startswith("Blue 1 retreats; Blue 2 loses")
    assert done.by == "Bob chooses: Blue 1: go back a hex · Blue 2: stay and lose 1d6 men", (
        "whose answer is whose"
    )
    again = await channel.do("Anna", 'unit edit "Blue 1" state=steady', f"{ASSAULT}6,6,5,5")
    assert (
        "/choose retreat or /choose loss (for all 2, or one for each, separated by commas)"
        in again.format_text()
    )
    await channel.refused("Bob", "choose option=retreat,loss,loss", "bad-value option")
    both = await channel.do("Bob", "choose option=retreat")
    assert both.by == "Bob chooses: go back a hex"


async def test_every_way_to_choose_is_followed() -> None:
    events = await every_event_of_choices()
    fields = {field for event in events if event["kind"] == "choice" for field in event}
    assert {"as", "asks", "hand", "closes", "read", "base"} <= fields


async def test_what_cannot_wait_refuses_it_in_one_sentence() -> None:
    channel = await two_sides()
    await channel.refused("Anna", f"{SHOT}4,5,6,1 secret", "not-together secret")
    await channel.refused(
        "Anna", f'macro add pop "{SHOT.replace(chr(34), "")}1"', "not-in-macro text"
    )
    several = await channel.say(
        "Anna", 'order write text="on" command="grit shoot attackers=us1 targets=vc1 dice=2"'
    )
    assert not several.error
    game = await channel.game()
    assert not game.sealed
    assert not game.waits


async def test_all_verifiers_follow_it(tmp_path: Path) -> None:
    channel, _ = await waiting()
    await channel.do("Bob", "choose option=suppressed")
    await channel.do("Anna", f"{ASSAULT}6,6,5,5")
    log = await log_of(channel)
    assert log["version"] == 2
    found = check(json.loads(json.dumps(log)))
    assert found.faults == ()
    assert_sound(log, tmp_path)


def _twice(log: Any) -> None:
    """The choice once more, as if it had not been made."""
    last, number = copied(bodies(log, "choice")[0]), len(log["events"]) + 1
    at = max(body["at"] for body in bodies(log))
    body = {**last, "number": number, "behind": number - 1, "at": at}
    for field in ("before", "after", "said", "dice"):
        body.pop(field, None)
    log["events"].append({"number": number, "body": body, "hash": ""})


BENT: dict[str, Callable[[Any], object]] = {
    "another option than it asked for": lambda log: bodies(log, "choice")[0].update(picks=["flee"]),
    "two answers to one question": lambda log: bodies(log, "choice")[0].update(
        picks=["casualties", "casualties"]
    ),
    "nobody chose, before the deadline": lambda log: bodies(log, "choice")[0].update(
        {"as": "else", "picks": ["casualties"]}
    ),
    "an answer to what asks nobody": lambda log: bodies(log, "choice")[0].update(event=5),
    "another shot goes on": lambda log: bodies(log, "choice")[0].update(target="assault"),
    "under other rules": lambda log: bodies(log, "choice")[0].update(edition="a" * 64),
    "an answer twice": _twice,
    "the other side chooses": lambda log: bodies(log, "choice")[0].update(
        who=bodies(log, "sequence")[0]["who"], side="US"
    ),
    "else is no option": lambda log: bodies(log, "sequence")[0]["asks"].update({"else": "flee"}),
    "a side that is none": lambda log: bodies(log, "sequence")[0]["asks"].update(side="NVA"),
    "due before it was asked": lambda log: bodies(log, "sequence")[0]["asks"].update(due=1),
    "units that it does not use": lambda log: bodies(log, "sequence")[0]["asks"].update(
        units=["Red 2"]
    ),
    "tracks that it does not read": lambda log: bodies(log, "sequence")[0]["asks"].update(
        tracks=["points"]
    ),
    "an option without words": lambda log: bodies(log, "sequence")[0]["asks"].update(
        says=["take them"]
    ),
}


async def test_every_verifier_finds_what_was_bent(tmp_path: Path) -> None:
    channel, _ = await waiting()
    await channel.do("Bob", "choose option=casualties")
    log = await log_of(channel)
    for name, bend in BENT.items():
        forged = copied(log)
        bend(forged)
        assert is_forged(rechained(forged)), name


async def test_every_verifier_finds_what_came_before_the_choice(tmp_path: Path) -> None:
    """A choice moved behind what had to wait for it."""
    channel, _ = await waiting()
    await channel.do("Bob", "choose option=casualties")
    await channel.do("Anna", "game next", 'unit edit "Red 1" men=4')
    log = await log_of(channel)
    assert_sound(log, tmp_path)
    for kind in ("next", "unit"):
        forged = copied(log)
        forged["events"] = [
            row
            for row in forged["events"]
            if row["body"]["kind"] in (kind, "unit") or row["number"] <= 6
        ]
        if kind == "unit":
            forged["events"] = [row for row in forged["events"] if row["body"]["kind"] != "next"]
        for number, row in enumerate(forged["events"], 1):
            row["number"] = row["body"]["number"] = number
            row["body"]["behind"] = number - 1
        assert is_forged(rechained(forged)), kind


async def test_other_outcomes_are_found_by_playing_it_again() -> None:
    """Who changes what was chosen, or the dice behind it, is found where the rules are at hand."""
    channel, _ = await waiting()
    await channel.do("Bob", "choose option=suppressed hand=3,4")
    log = await log_of(channel)
    for field, value in {
        "picks": ["casualties"],
        "result": "Blue 1: panic",
        "out": {"hits": 3, "loss": 3},
    }.items():
        forged = copied(log)
        bodies(forged, "choice")[0][field] = value
        assert check(rechained(forged)).faults, field


async def test_at_the_deadline_it_falls_to_else_also_behind_a_restart_and_once() -> None:
    now = [1.8e9]
    store = await fresh_store(lambda: now[0])
    channel = Channel(App(store, lambda: now[0], lambda: now[0]))
    await begun(channel)
    await channel.do("Anna", f"{SHOT}4,5,6,1")
    now[0] += 47 * 3600
    await channel.app.due_work.look()
    assert (await channel.game()).waits
    channel.app = App(store, lambda: now[0], lambda: now[0])
    other = App(store, lambda: now[0], lambda: now[0])
    now[0] += 2 * 3600
    await channel.app.due_work.look()
    await other.due_work.look()
    game = await channel.game()
    assert not game.waits
    assert game.units["blue 1"].numbers["men"] == 2
    log = await log_of(channel)
    (choice,) = bodies(log, "choice")
    assert choice["as"] == "else"
    assert check(log).faults == ()
    told = [
        due.reply.title for due in await channel.app.answers.claim_due("console:") if not due.amends
    ]
    assert "Blue 1: casualties" in told


async def test_nobody_on_that_side_leaves_it_to_the_director() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start grit "Ford" sides="US, VC"', "game join US")
    await channel.do("Anna", 'unit add "Red 1" squad side=US stats="men=5 morale=7"')
    await channel.do(
        "Anna", 'unit add "Blue 1" squad side=VC stats="men=5 morale=7"', f"{SHOT}4,5,6,1"
    )
    await channel.refused("Cleo", "choose option=casualties", "not-yours")
    assert (await channel.do("Anna", "me games")).title == "It's your move in 1 of 1 game"
    await channel.do("Anna", "choose option=casualties")
    log = await log_of(channel)
    assert bodies(log, "choice")[0]["as"] == "director"
    assert check(log).faults == ()


async def test_free_play_leaves_it_to_anybody() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'grit shoot attackers=squad targets="squad men=5 morale=7" dice=2 hand=4,4'
    )
    assert (await channel.do("Anna", "choose option=suppressed hand=6,6")).title == "Squad: panic"


async def test_a_waiting_game_goes_on_where_it_is_imported() -> None:
    channel, _ = await waiting()
    text = (await channel.do("Anna", "game export")).files[0].text
    there = Channel(channel.app, Place("console:other", "console", "other"), "o")
    spec = there.app.find_spec(("game", "import"))
    taken = await there.app.run_parsed(spec, {"file": text}, there.who("Anna"), there.place, "imp")
    assert not taken.error, taken.format_text()
    assert [*(await there.game()).waits] == [6]
    await there.do("Bob", "game claim", "choose option=casualties")
    assert (await there.game()).units["blue 1"].numbers["men"] == 2


async def test_cards_and_lists_say_who_is_waited_for() -> None:
    channel, _ = await waiting()
    assert (
        "#6 is waiting for VC: 3 hits on Blue 1."
        in (await channel.do("Anna", "game status")).format_text()
    )
    assert (await channel.do("Bob", "me games")).title == "It's your move in 1 of 1 game"
    assert (await channel.do("Anna", "me games")).title == "Nobody is waiting for you in 1 game"
    assert "VC to choose (#6)" in (await channel.do("Anna", "me games")).format_text()
    assert "VC to choose (#6)" in (await channel.do("Anna", "game board")).format_text()
    log = (await channel.do("Anna", "log")).format_text()
    assert "3 hits on Blue 1" in log
    await channel.do("Bob", "choose option=suppressed hand=3,4")
    assert "Blue 1: suppressed" in (await channel.do("Anna", "log")).format_text()
    assert "Blue 1" in (await channel.do("Anna", "game stats")).format_text() or True


async def test_odds_in_chat_are_told_option_by_option_and_narrowed() -> None:
    channel = await two_sides()
    shot = 'grit shoot attackers="Red 1" targets="Blue 1" dice=3'
    assert (await channel.do("Anna", f"{shot} odds")).title.startswith("Blue 1: casualties ")
    narrowed = (await channel.do("Anna", f"{shot} odds answer=suppressed")).format_text()
    assert "if" not in narrowed.casefold().split()
    await channel.refused("Anna", f"{shot} answer=suppressed", "not-together answer")
    compared = await channel.do("Anna", f"{shot} compare")
    assert not compared.error


async def test_exports_pages_stats_and_luck_take_a_choice() -> None:
    channel, _ = await waiting()
    await channel.do("Bob", "choose option=suppressed")
    for line in (
        "game export format=html",
        "game export format=csv",
        "game export format=markdown",
        "game stats",
    ):
        reply = await channel.say("Anna", line)
        assert not reply.error, reply.format_text()


async def test_odds_and_dice_of_the_waiting_shot_and_of_the_choice() -> None:
    """Before the choice by each option; after it by the one that was chosen, with what came up."""
    channel, _ = await waiting()
    await channel.do("Bob", "choose option=suppressed hand=3,4")
    game = await channel.app.games.load_current(channel.place.key)
    assert game is not None
    assert (await channel.press("Anna", f"odds:{game.row}:6")).title.startswith(
        "Blue 1: casualties "
    )
    chosen = (await channel.press("Anna", f"odds:{game.row}:7")).format_text()
    assert "suppressed \u2588" in chosen
    assert "\u25c0 this roll" in chosen
    assert "Nerve: [3] [4] = 7" in (await channel.press("Anna", f"dice:{game.row}:7")).format_text()


async def posted(channel: Channel) -> list[Reply]:
    """What waits to be posted in a place because of another one, in order."""
    found: list[Reply] = []
    while due := [
        one
        for one in await channel.app.answers.claim_due(channel.place.key)
        if one.place == channel.place.key
    ]:
        await channel.app.answers.mark_delivered(*(one.id for one in due))
        found += [one.reply for one in due if not one.amends]
    return found


async def test_a_linked_place_sees_the_question_and_answers_it() -> None:
    channel = Channel(await fresh_app(), Place("discord:1/11", "discord:1", "#one"))
    await begun(channel)
    code = (await channel.say("Anna", "game link", manager=True)).title.split()[-1]
    there = Channel(channel.app, Place("slack:T1/C1", "slack:T1", "#two"), "s")
    assert not (await there.say("Bob", f"game link {code}", manager=True)).error
    await channel.do("Anna", f"{SHOT}4,5,6,1")
    asked = next(
        reply for reply in await posted(there) if reply.title.startswith("3 hits on Blue 1")
    )
    assert [button.label for button in asked.buttons][:2] == ["Take 3 casualties", "Go to ground"]
    assert (await there.press("Bob", asked.buttons[0].action)).title == "Blue 1: casualties"
    assert "Blue 1: casualties" in [reply.title for reply in await posted(channel)]


async def test_the_page_has_the_choice_with_its_dice_and_words() -> None:
    channel, _ = await waiting()
    await channel.do("Bob", "choose option=suppressed hand=3,4")
    export = await log_of(channel)
    facts = compute_export_facts(export, load_shared_systems())
    assert facts[7]["fits"]
    assert "Nerve" in [line["label"] for line in facts[7]["lines"]]
    assert facts[7]["told"] == "Blue 1: suppressed"
    page = (await channel.do("Anna", "game export html")).files[0].text
    assert "Casualties, or go to ground?" in page


@pytest.mark.slow
async def test_the_verifiers_agree_on_forged_choices(tmp_path: Path) -> None:
    channel, _ = await waiting()
    await channel.do("Bob", "choose option=suppressed")
    await channel.do(
        "Anna", 'grit parley attackers="Red 1" targets="Blue 1" hand=6', "choose option=stand"
    )
    await channel.do("Bob", "choose option=go hand=3")
    await channel.do("Anna", "game next", f"{ASSAULT}6,6,5,5")
    agree_on_forgeries(await log_of(channel), Random(7), tmp_path)


async def test_real_dice_that_are_too_few_name_the_next_and_what_to_type() -> None:
    channel, _ = await waiting()
    owed = await channel.say("Bob", "choose option=suppressed hand=3")
    assert "Next die: nerve (d6)" in owed.format_text()
    assert "/choose suppressed event=6 hand=3,?" in owed.format_text()
    assert [*(await channel.game()).waits] == [6]


async def test_what_waits_is_in_the_state_that_is_stored() -> None:
    channel, _ = await waiting()
    game = await channel.game()
    assert from_json(json.loads(json.dumps(to_json(game)))) == game


async def test_a_game_goes_on_with_the_version_of_its_pack_that_asked(
    tmp_path: Path,
    use_packs: Callable[[Path], None],  # noqa: F811
) -> None:
    shutil.copytree(PACKS / "grit", tmp_path / "grit")
    use_packs(tmp_path)
    channel, _ = await waiting()
    about = tmp_path / "grit" / "pack.yaml"
    about.write_text(about.read_text("utf-8").replace("version: 1", "version: 2"), "utf-8")
    use_packs(tmp_path)
    told = await channel.do("Bob", "choose option=casualties")
    assert told.title == "Blue 1: casualties"
    assert not (await channel.game()).waits
    log = await log_of(channel)
    assert check(log).faults == ()
    assert verify_log.check(json.loads(json.dumps(log))).faults == []


async def test_where_the_rules_that_asked_are_gone_the_shot_is_taken_back_freely(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    channel, _ = await waiting()
    monkeypatch.setattr(choosing, "get_event_system", lambda _event, _systems: None)
    told = await channel.do("Bob", "choose option=casualties")
    assert (told.title, told.by) == ("#6 is undone", "by an update")
    game = await channel.game()
    assert (game.waits, game.units["blue 1"].numbers["men"]) == ({}, 5)
    log = await log_of(channel)
    found = check(log)
    assert found.faults == ()
    assert any(
        "there is only the host's word that the rules had changed" in line for line in found.remarks
    )
    assert_sound(log, tmp_path)


async def test_the_side_that_is_asked_is_reminded() -> None:
    now = [1.8e9]
    channel = Channel(App(await fresh_store(lambda: now[0]), lambda: now[0], lambda: now[0]))
    await begun(channel)
    await channel.do("Bob", "me ping interval=4h")
    await channel.do("Anna", "me ping interval=4h", f"{SHOT}4,5,6,1")
    now[0] += 5 * 3600
    await channel.app.due_work.look()
    told = [reply for reply in await posted(channel) if reply.title == "Ford is waiting for you"]
    assert [(reply.mention, "you were asked to choose" in str(reply.by)) for reply in told] == [
        (("console:bob",), True)
    ]


async def test_help_and_generated_docs_say_who_is_asked_for_what_and_what_counts_after_two_days() -> (
    None
):
    channel = await two_sides()
    told = (
        "Partway through, the side of targets may have to choose (answer): casualties or suppressed. "
        "After two days without an answer, it's "
    )
    assert f"{told}casualties." in (await channel.do("Anna", "help grit shoot")).format_text()
    assert f"{told}casualties." in build_page(find_shared_system("grit"))
    assert "may be asked" not in (await channel.do("Anna", "help lnlt fire")).format_text()
