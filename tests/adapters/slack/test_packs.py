"""A workspace's own game on Slack: a zip behind a mention, its commands as text, in mentions and
as forms.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.rulesets.packs.archive import zip_content
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.packs.conftest import FEW
from tests.packs.when_helpers import PACK
from tests.scenarios.pack_versions_helpers import FIRST, GAME, SECOND
from tests.standins.slack import Channel, Message, SlackStandIn, User

pytestmark = pytest.mark.scenes(1)


async def test_a_pack_comes_by_a_mention_and_is_played_as_text_mention_and_form(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    anna.admin = True
    content = {name: text.encode() for name, text in {**FEW, **FIRST}.items()}
    async with running(socket_slack, tmp_path, home):
        review = await (
            await anna.mention(games, "pack add", files={"few.zip": zip_content(content)})
        ).answer()
        assert "Few 1 is checked and saved" in review.everything
        assert "Combat sequences: Shoot." in review.everything
        enabled = await (await anna.press(review, "Enable")).answer()
        assert "Few 1 is enabled here" in enabled.everything
        shot = await (await ben.slash(games, "/grognard", "few shoot targets=unit hand=6")).answer()
        assert "hit" in shot.everything
        looked = await (await ben.mention(games, "few-table crt roll=2")).answer()
        assert "miss" in looked.everything
        asked = await ben.slash(games, "/grognard", "few shoot")
        form = await asked.modal()
        assert form.title == "Shoot"
        await ben.submit(form, {"targets": {"value": "unit"}})
        assert "hoot" in (await asked.answer()).everything


async def test_what_counts_by_another_input_is_a_second_step_of_the_modal(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(socket_slack)
    anna.admin = True
    async with running(socket_slack, tmp_path, home):
        await enabled(anna, games, PACK)
        asked = await anna.slash(games, "/grognard", "few shoot")
        form = await asked.modal()
        assert "facing" not in anna.open_modal_state(form)
        await anna.submit(form, {"range": {"value": 3}, "?flags": {"value": ["reply"]}})
        second = anna.modal()
        assert second is not None
        assert "facing" in anna.open_modal_state(second)
        await anna.submit(second, {"facing": {"value": "front"}})
        assert "anna rolls Shoot" in (await asked.answer()).everything
        rolled = await (await anna.slash(games, "/grognard", "few event")).answer()
        assert "Event" in rolled.everything


async def enabled(anna: User, games: Channel, changed: dict[str, str]) -> Message:
    """A pack sent behind a mention and enabled; the answer to that."""
    content = {name: text.encode() for name, text in {**FEW, **changed}.items()}
    review = await (
        await anna.mention(games, "pack add", files={"few.zip": zip_content(content)})
    ).answer()
    return await (await anna.press(review, "Enable")).answer()


@pytest.mark.slow
async def test_pickers_threads_shortcuts_and_forms_have_a_workspaces_pack(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(socket_slack)
    anna.admin = True
    async with running(socket_slack, tmp_path, home):
        await enabled(anna, games, {**FIRST, "game.yaml": f"{GAME}turns: by-side\n"})
        picker = await (await anna.slash(games, "/grognard", "")).modal()
        assert "few" in [
            group["label"]["text"] for group in picker.elements()[0][1]["option_groups"]
        ]
        await anna.submit(picker, {"command": {"value": "few shoot"}})
        form = anna.modal()
        assert form is not None
        assert form.title == "Shoot"

        started = await (
            await anna.slash(games, "/game", 'start few "Ridge" sides="US, VC"')
        ).answer()
        await (await anna.slash(games, "/game", "join US")).answer()
        await (await anna.slash(games, "/unit", 'add "Gun 1..4" unit VC')).answer()
        in_thread = await (await anna.mention(games, "few shoot gun1", thread=started.ts)).answer()
        assert "Did you mean" in in_thread.everything
        form = await (await anna.press(in_thread, "Fix it")).modal()
        assert form.title == "Shoot"
        refused = await (await anna.slash(games, "/grognard", 'few shoot "Gun 1" hand=7')).answer()
        assert "Fix it" in refused.everything
        missed = await (
            await anna.mention(games, 'few shoot "Gun 1" hand=2', thread=started.ts)
        ).answer()
        assert "iss" in missed.everything
        form = await (await anna.press(missed, "Change…")).modal()
        assert form.title == "Change the shot of #4"[:24]
        odds = await (await anna.shortcut("odds", missed)).answer()
        assert "33%" in odds.everything
        assert (await (await anna.shortcut("fire")).modal()).title == "Shoot"

        told = await (await anna.slash(games, "/grognard", "help few shoot")).answer()
        assert "/grognard few shoot" in told.everything, "Slack itself has no /few"
        await enabled(anna, games, {**SECOND, "game.yaml": f"{GAME}turns: by-side\n"})
        again = await (await anna.press(missed, "Again")).answer()
        assert "#" in again.everything
        await (await anna.slash(games, "/pack", "disable few")).answer()
        picker = await (await anna.slash(games, "/grognard", "")).modal()
        assert "few" in [
            group["label"]["text"] for group in picker.elements()[0][1]["option_groups"]
        ], "it is played"
    assert socket_slack.refusals == []


@pytest.mark.slow
async def test_a_side_is_asked_by_buttons_and_answers_one_unit_after_the_other(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    anna.admin = True
    folder = Path(__file__).parents[2] / "data" / "packs" / "grit"
    content = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    async with running(socket_slack, tmp_path, home):
        review = await (
            await anna.mention(games, "pack add", files={"grit.zip": zip_content(content)})
        ).answer()
        await (await anna.press(review, "Enable")).answer()
        for who, line in (
            (anna, 'game start grit "Ford" sides="US, VC"'), (anna, "game join US"), (ben, "game join VC"),
            (anna, 'unit add "Red 1" squad side=US stats="men=5 morale=7"'),
            (ben, 'unit add "Blue 1..2" squad side=VC stats="men=5 morale=7"'),
        ):  # fmt: skip
            await (await who.slash(games, "/grognard", line)).answer()
        typed = 'grit assault attackers="Red 1" targets="Blue 1; Blue 2" hand=6,6,5,5'
        asked = await (await anna.slash(games, "/grognard", typed)).answer()
        assert "Blue 1 + 2 must choose" in asked.everything
        second = await (await ben.press(asked, "Blue 1: go back a hex")).answer()
        assert "Blue 2 must choose" in second.everything
        done = await (await ben.press(second, "Blue 2: go back a hex")).answer()
        assert "Blue 1 retreats; Blue 2 retreats" in done.everything
