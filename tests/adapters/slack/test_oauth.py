"""Several workspaces in one process, each installed through OAuth; none sees another's games."""

from __future__ import annotations

import base64
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.slack.calls import Busy, SlackApi, SlackRefused
from adapters.slack.installation import (
    INSTALL_PATH,
    REDIRECT_PATH,
    create_state,
    is_valid_state,
    make_manifest,
)
from adapters.slack.teams import StoreVault, Team, Teams
from bot.app import App
from bot.commands.dispatch import load_shared_registry
from tests.adapters.slack.process import Bot, running
from tests.fresh import fresh_store
from tests.standins.slack import SlackStandIn

pytestmark = pytest.mark.scenes(3)

KEY = base64.urlsafe_b64encode(bytes(range(32))).decode()


def page(bot: Bot, path: str) -> str:
    return f"http://127.0.0.1:{bot.port}{path}"


async def test_two_workspaces_install_and_see_nothing_of_each_other(
    http_slack: SlackStandIn, tmp_path: Path
) -> None:
    slack = http_slack
    one, two = slack.workspace("T1", installed=False), slack.workspace("T2", installed=False)
    anna, zoe = one.user("Anna"), two.user("Zoe")
    async with running(slack, tmp_path, None, oauth="yes", GROGNARD_KEY=KEY) as bot:
        slack.redirect_uri = page(bot, REDIRECT_PATH)
        for person in (anna, zoe):
            status, text = await person.install_app(page(bot, INSTALL_PATH))
            assert status == 200
            assert person.workspace.name in text
            assert person.workspace.scopes == set(
                make_manifest(load_shared_registry())["oauth_config"]["scopes"]["bot"]
            )
            (welcome,) = person.sees(person.im)
            assert "Five games are ready. Invite @grognard to a channel" in welcome.plain
            [promised] = re.findall(r"commitment ([0-9a-f]{16})", welcome.plain)
        games, same = one.channel("games"), two.channel("games")
        await (await anna.slash(games, "/game", 'start lnlt "Hill 875" sides="US, VC"')).answer()
        rolled = await (await zoe.slash(same, "/roll", "2d6")).answer()
        assert "seed not announced" not in rolled.everything
        proof = await (await zoe.slash(same, "/fair", "show")).answer()
        assert f"Commitment to seed 1: {promised}" in proof.everything
        mine = await (await anna.slash(games, "/game", "status")).answer()
        assert "Hill 875" in mine.plain
        theirs = await (await zoe.slash(same, "/game", "status")).answer()
        assert "Hill 875" not in theirs.everything
        told = await (await zoe.mention(same, "roll 1d6")).answer()
        assert "zoe rolls d6" in told.text
        assert [one.text for one in anna.sees(games)] != []
        assert not any("zoe" in one.everything for one in anna.sees(games))

        await bot.stop()
        await bot.start()
        again = await (await anna.mention(games, "game status")).answer()
        assert "Hill 875" in again.everything, "the token was kept"

        await one.uninstall()
        gone = await anna.slash(games, "/roll", "2d6")
        assert gone.trouble == "not_installed"
        assert "zoe" in (await (await zoe.slash(same, "/roll", "2d6")).answer()).text
        status, _ = await anna.install_app(page(bot, INSTALL_PATH))
        assert status == 200
        back = await (await anna.slash(games, "/game", "status")).answer()
        assert "Hill 875" in back.plain, "whoever comes back finds his game"
        log = bot.log
        for home in (one, two):
            assert home.bot_token not in log
        with closing(sqlite3.connect(tmp_path / "grognard.db")) as database:
            kept = "".join(database.iterdump())
        assert one.bot_token not in kept
        assert two.bot_token not in kept


async def test_two_workspaces_play_one_game_by_a_code(
    http_slack: SlackStandIn, tmp_path: Path
) -> None:
    """Only the code opens a game to another workspace, and either side may close that door."""
    slack = http_slack
    one, two = slack.workspace("T1", installed=False), slack.workspace("T2", installed=False)
    anna, zoe = one.user("Anna"), two.user("Zoe")
    anna.admin = zoe.admin = True  # a manager agrees for each of the two channels
    async with running(slack, tmp_path, None, oauth="yes", GROGNARD_KEY=KEY) as bot:
        slack.redirect_uri = page(bot, REDIRECT_PATH)
        for person in (anna, zoe):
            await person.install_app(page(bot, INSTALL_PATH))
        here, there = one.channel("games"), two.channel("games")
        await (await anna.slash(here, "/game", 'start lnlt "Hill 875" sides="US, VC"')).answer()
        await anna.slash(here, "/game", "link")
        code = (await anna.wait_for(here, "The code is")).text.split("\n")[0].split()[-1]
        await (await zoe.slash(there, "/game", f"link {code}")).answer()
        await anna.wait_for(here, "links this channel with")
        await (await zoe.slash(there, "/roll", "2d6 label=far")).answer()
        told = await anna.wait_for(here, "for far")
        await (await zoe.press(await zoe.wait_for(there, "for far"), "Again")).answer()
        assert "<@" not in told.everything
        cora = two.user("Cora")
        refused = await (await cora.slash(there, "/game", "link off")).answer()
        assert refused.ephemeral_for == cora.id
        await (await zoe.slash(there, "/game", "link off")).answer()
        await zoe.slash(there, "/game", "status")
        await zoe.wait_for(there, "no game here yet")
        await anna.slash(here, "/game", "status")
        await anna.wait_for(here, "no player yet")
    assert slack.refusals == []


async def test_an_installation_must_be_agreed_to_in_the_same_browser(
    http_slack: SlackStandIn, tmp_path: Path
) -> None:
    slack = http_slack
    anna = slack.workspace("T1", installed=False).user("Anna")
    async with running(slack, tmp_path, None, oauth="yes", GROGNARD_KEY=KEY) as bot:
        slack.redirect_uri = page(bot, REDIRECT_PATH)
        status, text = await anna.install_app(page(bot, INSTALL_PATH), deny=True)
        assert status == 400
        assert "Nothing was installed" in text
        async with aiohttp.ClientSession() as browser:
            async with browser.get(
                page(bot, REDIRECT_PATH), params={"code": "x", "state": "forged"}
            ) as answer:
                assert answer.status == 400
            async with browser.get(page(bot, INSTALL_PATH), allow_redirects=False) as first:
                state = first.headers["Location"].rpartition("state=")[2]
            async with browser.get(
                page(bot, REDIRECT_PATH), params={"code": "x", "state": state}
            ) as other:
                assert other.status == 400, "a secure cookie does not come back over plain HTTP"
            cookie = {"Cookie": f"grognard_install={state}"}
            for query, text in (
                ({"state": state}, "invalid_code"),
                ({"state": f"{state}0"}, "a different browser"),
            ):
                async with browser.get(
                    page(bot, REDIRECT_PATH), params=query, headers=cookie
                ) as answer:
                    assert text in await answer.text()
        assert slack.count("oauth.v2.access") == 1


async def test_without_a_key_nothing_starts(http_slack: SlackStandIn, tmp_path: Path) -> None:
    bot = Bot(http_slack, tmp_path, None, oauth="yes")
    with pytest.raises(AssertionError):
        await bot.start(patience=60)
    assert await bot.stop() == 2
    assert "GROGNARD_KEY" in bot.log
    assert len(bot.log.strip().split("\n")) == 1


def test_a_state_is_our_own_and_does_not_last() -> None:
    state = create_state("secret", 1_000.0)
    assert is_valid_state("secret", state, 999.0)
    assert not is_valid_state("secret", state, 1_000.0)
    assert not is_valid_state("another", state, 999.0)
    assert not is_valid_state("secret", state.replace("1000.", "9000.", 1), 999.0)
    for forged in ("", ".", "..", "x", "1000.x.\udcff", "nan.x.y"):
        assert not is_valid_state("secret", forged, 0.0)
    assert create_state("secret", 1_000.0) != state


async def test_a_token_is_bound_to_its_workspace_and_key() -> None:
    store = await fresh_store()
    vault = StoreVault(App(store), bytes(32))
    await vault.save(Team("T1", "xoxb-secret", "U1", "B1", "One"))
    assert await vault.load("T1") == Team("T1", "xoxb-secret", "U1", "B1", "One")
    doc = await store.load_doc("slack-installation", "T1")
    assert doc is not None
    assert "xoxb" not in str(doc.data)
    assert await StoreVault(App(store), bytes([1]) * 32).load("T1") is None
    await vault.remove("T1")
    assert await vault.load("T1") is None


async def test_a_removal_heard_of_late_does_not_undo_an_installation(
    http_slack: SlackStandIn, tmp_path: Path
) -> None:
    """Two processes: one installs anew, the other hears of the removal only then, and had
    nothing to answer with.
    """
    slack = http_slack
    home = slack.workspace("T1", installed=False)
    anna, games = home.user("Anna"), home.channel("games")
    where = {"DATABASE_URL": f"sqlite:///{tmp_path}/games.db", "GROGNARD_KEY": KEY}
    async with (
        running(slack, tmp_path / "one", None, oauth="yes", **where) as one,
        running(
            slack, tmp_path / "other", None, oauth="yes", **where
        ),  # which Slack reaches from now on
    ):
        slack.redirect_uri = page(one, REDIRECT_PATH)
        assert (await anna.install_app(page(one, INSTALL_PATH)))[0] == 200
        await (await anna.slash(games, "/game", 'start lnlt "Hill 875"')).answer()
        await home.uninstall()
        assert (await anna.slash(games, "/roll", "2d6")).trouble == "not_installed"
        assert (await anna.install_app(page(one, INSTALL_PATH)))[0] == 200
        back = await (await anna.slash(games, "/game", "status")).answer()
        assert "Hill 875" in back.plain, (
            "no half a minute of asking for an installation that is there"
        )
        await slack.send_event(home, {"type": "app_uninstalled"})
        still = await (await anna.slash(games, "/roll", "2d6")).answer()
        assert "anna rolls 2d6" in still.plain


class Answering(SlackApi):
    """Slack's Web API that meets its calls with these errors, one after another, then succeeds."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__()
        self.errors = list(errors)
        self.calls = 0

    async def _call(self, *_: Any, **__: Any) -> Any:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return {"ok": True}


@pytest.mark.parametrize(
    ("errors", "is_back", "calls"),
    [
        ((), True, 1),
        ((Busy("ratelimited", 0.0),) * 2, True, 3),
        ((SlackRefused("account_inactive"),), False, 1),
        ((Busy("ratelimited", 0.0), SlackRefused("account_inactive")), False, 2),
        ((Busy("ratelimited", 0.0),) * 9, False, 3),
    ],
)
async def test_a_busy_slack_is_asked_again_before_an_installation_is_deleted(
    errors: tuple[Exception, ...],
    is_back: bool,
    calls: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("adapters.slack.teams.REMOVAL_CHECK_PAUSES", (0.0, 0.0))
    teams, wire = Teams(), Answering(*errors)
    teams.add(Team("T1", "xoxb-1", "U1", "B1"))
    try:
        assert await teams.is_back("T1", wire) is is_back
        assert wire.calls == calls
    finally:
        await wire.close()


def test_pages_fit_a_phone_and_lead_on() -> None:
    from adapters.slack.installation import _build_failure_page, _build_success_page

    done = str(_build_success_page(Team("T1", "xoxb-1", name="Club")).text)
    assert 'name="viewport"' in done
    assert 'href="https://app.slack.com/client/T1"' in done
    assert "Try again" in str(_build_failure_page(400, "x").text)
