"""Modals and buttons, with the bot as its own process."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import Channel, SlackStandIn, User
from tests.standins.slack.handle import Handle
from tests.standins.slack.views import OpenView

pytestmark = pytest.mark.scenes(3)

FIRE = {
    "attackers": {"value": "squad fp=2 sw=3\nsquad fp=1"},
    "targets": {"value": "leader morale=6 lm=1; squad morale=5"},
}


async def typed_units(player: User, where: Channel) -> Handle:
    """The form for units that are typed, which a bare command offers beside a scenario where no
    game is on.
    """
    offer = await (await player.slash(where, "/lnlt", "fire")).answer()
    assert offer.ephemeral_for == player.id
    assert offer.buttons() == ["Start The Ford at Dawn", "Type the units"]
    return await player.press(offer, "Type the units")


async def test_a_form_is_opened_filled_in_and_answered(slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, ben, games = settle(slack)
    async with running(slack, tmp_path, home):
        asked = await typed_units(anna, games)
        view = await asked.modal()
        assert view.title == "Direct fire"
        wrong = {**FIRE, "attackers": {"value": "squad fp=2 pf=3"}}
        refused = await anna.submit(view, wrong)
        assert list(refused.errors) == ["attackers"]
        assert "pf" in refused.errors["attackers"]

        done = await anna.submit(
            view, {**FIRE, "tm": {"value": 1}, "?flags": {"value": ["adjacent"]}}
        )
        assert done.errors == {}
        assert anna.modal() is None
        answer = await asked.answer()  # to the address that came with the command
        assert "fire" in answer.text.splitlines()[0]
        assert answer in ben.sees(games)
        assert "adjacent" in answer.plain
        assert [label for label in answer.buttons() if label != "Dice"] == [
            "Again",
            "Change…",
            "Odds",
            "Undo",
        ]

        again = await (await anna.slash(games, "/lnlt", "fire")).modal()
        assert anna.open_modal_state(again)["tm"]["value"]["value"] == "1", (
            "filled in with what was used last"
        )
        assert "squad fp=1" in anna.open_modal_state(again)["attackers"]["value"]["value"]


async def test_a_name_alone_asks_which_command_is_meant(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        asked = await anna.slash(games, "/lnlt-table")
        view = await asked.modal()
        await anna.submit(view, {"command": {"value": "lnlt-table combat melee-odds"}})
        form = anna.modal()
        assert form is not None
        assert form.title == "Melee odds ratio"
        await anna.submit(form, {"attack": {"value": 7}, "defense": {"value": 5}})
        answer = await asked.answer()
        assert "3-2" in answer.text or "1-1" in answer.text, answer.text


async def test_units_are_chosen_from_the_roster(socket_slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, _, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        await (await anna.slash(games, "/game", 'start lnlt "Hill 875" sides="US, VC"')).answer()
        await (await anna.slash(games, "/game", "join US")).answer()
        await (await anna.slash(games, "/unit", 'add "Squad 1..3" squad US morale=5 fp=1')).answer()
        asked = await anna.slash(games, "/unit", "show")
        view = await asked.modal()
        await anna.submit(view, {"name": {"value": ["Squad 2"]}})
        shown = await asked.answer()
        assert shown.ephemeral_for == anna.id
        assert "Squad 2" in shown.text
        asked = await anna.slash(games, "/unit", "edit")
        await anna.submit(
            await asked.modal(),
            {"name": {"value": ["Squad 1", "Squad 3"]}, "stats": {"value": "fp=2"}},
        )
        assert "2 units" in (await asked.answer()).text

        asked = await anna.slash(games, "/lnlt", "fire")
        view = await asked.modal()
        targets = {"?rest": {"value": "targets squad morale=5"}}
        await anna.press(view, "More fields")
        await socket_slack.watch.until(
            lambda: "?rest" in anna.open_modal_state(view), timeout=30, what="more fields"
        )
        done = await anna.submit(view, {"attackers": {"value": ["Squad 1", "Squad 2"]}, **targets})
        assert done.errors == {}
        assert "Squads 1 + 2 fire" in (await asked.answer()).everything


async def test_buttons_undo_odds_and_reveal(slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, ben, games = settle(slack)
    async with running(slack, tmp_path, home):
        first = await (await anna.slash(games, "/roll", "2d6")).answer()
        undone = await (await anna.press(first, "Undo")).answer()
        assert "#3" in undone.plain
        assert undone in ben.sees(games)
        assert "rolls 2d6" in first.everything
        await slack.watch.until(lambda: first.buttons() == [], timeout=30, what="the buttons to go")
        await (await anna.slash(games, "/game", "redo")).answer()
        await slack.watch.until(
            lambda: bool(first.buttons()), timeout=30, what="the buttons to come back"
        )
        assert first.buttons() == ["Again", "Undo"], "the event is back, and its button with it"
        assert "#2 is undone · anna" in (
            await (await anna.press(first, "Undo")).answer()
        ).plain.replace("*", "")
        await slack.watch.until(
            lambda: first.buttons() == [], timeout=30, what="the buttons to go again"
        )

        secret = await anna.slash(games, "/roll", "2d6 secret")
        both = await secret.answers(2, where=lambda one: "sealed" in one.text)
        own, public = sorted(both, key=lambda one: one.ephemeral_for is None)
        assert "sealed" in public.text
        assert own.ephemeral_for == anna.id
        refused = await (await ben.press(public, "Open it")).answer()
        assert refused.ephemeral_for == ben.id
        await anna.press(public, "Open it")
        await slack.watch.until(
            lambda: public.buttons() == ["Again", "Undo"], timeout=30, what="the seal to go"
        )
        assert public in ben.sees(games)
        assert "opened by anna" in public.text

        fire = 'fire attackers="squad fp=2" targets="squad morale=5"'
        odds = await (await ben.slash(games, "/lnlt", f"{fire} odds")).answer()
        assert odds.ephemeral_for == ben.id
        assert "%" in odds.text
        rolled = await (await ben.press(odds, "Roll it")).answer()
        assert rolled in anna.sees(games)


async def test_the_log_turns_its_pages_in_place(socket_slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, _, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        for number in range(5):
            await (await anna.slash(games, "/roll", f"2d6 label=n{number}")).answer()
        page = await (await anna.slash(games, "/log", "2 kind=roll")).answer()
        assert page.ephemeral_for == anna.id
        assert "n4" in page.plain
        await anna.press(page, "Older")
        await socket_slack.watch.until(lambda: "n2" in page.plain, timeout=30, what="the next page")
        assert "n4" not in page.plain
        assert page.buttons() == ["Newer", "Older", "Share"]


async def test_two_press_the_same_button(socket_slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        await (await anna.slash(games, "/roll", "2d6")).answer()
        secret = await anna.slash(games, "/roll", "2d6 secret")
        public = next(one for one in await secret.answers(2) if one.ephemeral_for is None)
        one, two = await asyncio.gather(
            anna.press(public, "Open it"), anna.press(public, "Open it")
        )
        told = await asyncio.gather(one.answer(), two.answer())
        assert "Already" in "".join(message.plain for message in told)
        opened = [text for text in socket_slack.posted(games) if "opened by" in text]
        assert len(opened) == 1, socket_slack.posted(games)

        rolled = await (await anna.slash(games, "/roll", "2d6")).answer()
        await (await anna.press(rolled, "Again")).answer()
        soon = await (await anna.press(rolled, "Again")).answer()
        assert soon.ephemeral_for == anna.id
        assert "two seconds" in soon.plain


async def test_a_refusal_offers_the_form_also_in_a_thread(
    http_slack: SlackStandIn, tmp_path: Path
) -> None:
    slack = http_slack
    home, anna, ben, games = settle(slack)
    async with running(slack, tmp_path, home):
        first = await (await anna.slash(games, "/roll", "2d6")).answer()
        text = 'lnlt fire attackers="squad fp=2 pf=3" targets="squad morale=5" adjacent'
        refused = await (await ben.mention(games, text, thread=first.ts)).answer()
        assert refused.ephemeral_for == ben.id
        view = await (await ben.press(refused, "Fix it")).modal()
        assert "is not a unit number here" in str(view.blocks[0]), "the message stands on top"
        state = ben.open_modal_state(view)
        assert state["targets"]["value"]["value"] == "squad morale=5"
        assert [one["value"] for one in state["?flags"]["value"]["selected_options"]] == [
            "adjacent"
        ]
        await ben.submit(view, {"attackers": {"value": "squad fp=2"}})
        answer = await ben.wait_for(games, "· a squad fires", thread=first.ts)
        assert answer.ephemeral_for is None
        assert answer.thread_ts == first.ts


async def test_odds_stand_in_the_form_and_follow_each_change(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    slack = socket_slack
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home):
        await (await anna.slash(games, "/game", 'start lnlt "Hill 875" sides="US, VC"')).answer()
        await (await anna.slash(games, "/unit", 'add "Squad 1..2" squad US morale=5 fp=2')).answer()
        await (await anna.slash(games, "/unit", 'add "Cell 1" squad VC morale=5 fp=1')).answer()
        asked = await anna.slash(games, "/lnlt", "fire us1 tm=1")
        view = await asked.modal() if anna.modal() else None
        assert view is None, "nothing is missing: it fires"
        asked = await anna.slash(games, "/lnlt", "fire targets=vc1 tm=1")
        view = await asked.modal()
        assert anna.open_modal_state(view)["tm"]["value"]["value"] == "1", (
            "what was typed is filled in"
        )
        anna.fill(view, {"attackers": {"value": ["Squad 1"]}})
        await anna.press(view, "Show the odds")
        await slack.watch.until(lambda: odds_in(view) != "", timeout=30, what="the odds")
        before = odds_in(view)
        assert "casualties *" in before
        await anna.change(view, "?flags", "value", ["adjacent"])
        await slack.watch.until(lambda: odds_in(view) != before, timeout=30, what="other odds")
        await anna.change(view, "attackers", "value", [])
        await slack.watch.until(
            lambda: "needs at least one unit" in odds_in(view), timeout=30, what="what is missing"
        )
        done = await anna.submit(view, {"attackers": {"value": ["Squad 2"]}})
        assert done.errors == {}
        assert "Cell 1" in (await asked.answer()).text

        # an error that was put right is gone once the form is drawn anew
        refused = await (await anna.slash(games, "/lnlt", "fire us1 us1")).answer()
        form = await (await anna.press(refused, "Fix it")).modal()
        assert "at the same time" in odds_in(form)
        anna.fill(form, {"targets": {"value": ["Cell 1"]}})
        await anna.press(form, "Show the odds")
        await slack.watch.until(lambda: "casualties *" in odds_in(form), timeout=30, what="odds")
        assert "at the same time" not in odds_in(form)


def odds_in(view: OpenView) -> str:
    """The lines of odds that a form shows."""
    return "".join(block["text"]["text"] for block in view.blocks if block["type"] == "section")


async def test_an_onlooker_is_asked_to_join_before_the_form_opens(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        await (await anna.slash(games, "/game", "start lnlt scenario=ford")).answer()
        await (await anna.slash(games, "/game", "join US")).answer()
        asked = await (await ben.slash(games, "/lnlt", "fire")).answer()
        assert asked.ephemeral_for == ben.id
        assert asked.buttons() == ["Join US", "Join VC", "Look at the odds"]
        assert ben.modal() is None
        sam = home.user("Sam")
        sam.admin = True
        assert (await (await sam.slash(games, "/lnlt", "fire")).modal()).title == "Direct fire"
        assert (await (await ben.press(asked, "Look at the odds")).modal()).title == "Direct fire"
        joined = await (await ben.press(asked, "Join VC")).answer()
        assert joined in anna.sees(games)
        assert (await (await ben.slash(games, "/lnlt", "fire")).modal()).title == "Direct fire"


async def test_own_dice_are_entered_on_a_keypad(socket_slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        asked = await typed_units(anna, games)
        await anna.submit(
            await asked.modal(),
            {**FIRE, "attackers": {"value": "squad fp=1"}, "?how": {"value": "hand"}},
        )
        keypad = await asked.answer()
        assert keypad.ephemeral_for == anna.id
        assert "Next: attack (d6)" in keypad.text
        assert keypad.buttons() == ["1", "2", "3", "4", "5", "6"]
        second = await (await anna.press(keypad, "1")).answer()
        assert "Got 1 die. Next: defense (d6)" in second.text
        assert second.buttons()[-1] == "Start over"
        fought = await (await anna.press(second, "6")).answer()
        assert fought in ben.sees(games)
        assert "rolled by hand" in fought.everything


async def test_a_roster_is_pasted_into_the_form_that_import_alone_opens(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        await (await anna.slash(games, "/game", 'start lnlt "Hill 875" sides="US, VC"')).answer()
        asked = await anna.slash(games, "/unit", "import")
        view = await asked.modal()
        text = "name,type,side,morale\nSquad 1,half-sqad,US,5"
        refused = await anna.submit(view, {"text": {"value": text}})
        assert "did you mean half-squad" in refused.errors["text"].casefold()
        await anna.submit(view, {"text": {"value": text.replace("sqad", "squad")}})
        assert "Squad 1" in (await asked.answer()).everything


async def test_files_come_and_go(socket_slack: SlackStandIn, tmp_path: Path) -> None:
    slack = socket_slack
    home, anna, _, games = settle(slack)
    foreign = home.channel("elsewhere", bot_member=False)
    async with running(slack, tmp_path, home):
        await (await anna.slash(games, "/game", 'start lnlt "Hill 875" sides="US, VC"')).answer()
        await (await anna.slash(games, "/roll", "2d6")).answer()
        told = await (await anna.slash(games, "/game", "export")).answer()
        assert told.ephemeral_for == anna.id
        sent = [one for one in anna.sees(anna.im) if one.files]
        assert len(sent) == 1
        exported = sent[0].files[0].data
        assert b"Hill 875" in exported

        copy = home.channel("copy")
        taken = await anna.mention(copy, "game import", files={"game.json": exported})
        assert "Hill 875" in (await taken.answer()).everything
        await (await anna.slash(foreign, "/roll", "2d6")).answer()
        report = await (await anna.slash(foreign, "/game", "export markdown")).answer()
        assert "direct messages" in report.plain


async def test_a_form_is_asked_for_again_where_slack_breaks_or_wants_a_pause(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    slack = socket_slack
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home):
        slack.faults.server_error("views.open")
        await (await anna.slash(games, "/roll")).modal()
        slack.faults.ratelimit("views.open", retry_after=1)
        await (await anna.slash(games, "/roll")).modal()
        slack.faults.server_error("views.open", times=9)
        told = await (await anna.slash(games, "/roll")).answer()
        assert "The form did not open" in told.text
