"""The Slack stand-in, tried with the real slack-bolt app in both of Slack's transports."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.standins.slack import Channel, Limits, SlackStandIn, User, Workspace

Json = dict[str, Any]


class Bot:
    """A bare bolt app, connected to the stand-in by the stand-in's transport."""

    def __init__(self, slack: SlackStandIn, token: str) -> None:
        self.slack = slack
        self.client = AsyncWebClient(token=token, base_url=slack.api_url)
        self.app = AsyncApp(client=self.client, signing_secret=slack.signing_secret)
        self.heard: list[Any] = []
        self._socket: AsyncSocketModeHandler | None = None
        self._site: web.AppRunner | None = None

    async def connect(self) -> None:
        if self.slack.transport == "socket":
            self._socket = AsyncSocketModeHandler(self.app, self.slack.app_token, ping_interval=0.5)
            await self._socket.connect_async()  # type: ignore[no-untyped-call]
            await self.slack.connected()
            return
        server = self.app.server(port=0, path="/slack/events")
        self._site = web.AppRunner(server.web_app)
        await self._site.setup()
        await web.TCPSite(self._site, "127.0.0.1", 0).start()
        self.slack.request_url = f"http://127.0.0.1:{self._site.addresses[0][1]}/slack/events"

    async def stop(self) -> None:
        if self._socket is not None:
            await self._socket.close_async()  # type: ignore[no-untyped-call]
        if self._site is not None:
            await self._site.cleanup()


@pytest.fixture(params=["socket", "http"])
async def slack(request: pytest.FixtureRequest) -> AsyncIterator[SlackStandIn]:
    """The stand-in, once in each transport."""
    standin = await SlackStandIn.start(request.param, Limits(ack_seconds=0.6, redeliver_after=(0.0, 0.2)))
    yield standin
    await standin.stop()


@pytest.fixture
def home(slack: SlackStandIn) -> Workspace:
    return slack.workspace("T1")


@pytest.fixture
def anna(home: Workspace) -> User:
    return home.user("Anna")


@pytest.fixture
def games(home: Workspace) -> Channel:
    return home.channel("games")


@pytest.fixture
async def bot(slack: SlackStandIn, home: Workspace) -> AsyncIterator[Bot]:
    """A bot that is not yet connected: a test adds its listeners first."""
    bot = Bot(slack, home.bot_token)
    yield bot
    await bot.stop()


def section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def actions(*labels: str) -> Json:
    buttons = [
        {"type": "button", "action_id": name.lower(), "text": {"type": "plain_text", "text": name}} for name in labels
    ]
    return {"type": "actions", "block_id": "buttons", "elements": buttons}


# --- commands and response URLs


async def test_a_command_is_acknowledged_and_answered(bot: Bot, anna: User, games: Channel) -> None:
    @bot.app.command("/roll")
    async def roll(ack: Any, respond: Any, command: Json) -> None:
        await ack()
        bot.heard.append(command)
        await respond(text=f"{command['text']}: 7", response_type="in_channel")

    await bot.connect()
    handle = await anna.slash(games, "/roll", "2d6 for A & B")
    assert handle.in_time
    assert handle.ack_time is not None
    assert handle.ack_time < 0.6
    answer = await handle.answer()
    assert answer.text == "2d6 for A &amp; B: 7"
    assert answer.ephemeral_for is None
    assert bot.heard[0]["channel_id"] == games.id
    assert [one.text for one in anna.workspace.user("Ben").sees(games)] == [answer.text]


async def test_a_private_answer_is_seen_by_one(bot: Bot, anna: User, games: Channel) -> None:
    @bot.app.command("/help")
    async def answer_privately(ack: Any) -> None:
        await ack(text="only you", response_type="ephemeral")

    await bot.connect()
    handle = await anna.slash(games, "/help")
    assert (await handle.answer()).text == "only you"
    assert anna.workspace.user("Ben").sees(games) == []


async def test_a_late_acknowledgement_is_a_failure(bot: Bot, anna: User, games: Channel) -> None:
    @bot.app.command("/slow")
    async def slow(ack: Any) -> None:
        await asyncio.sleep(0.9)
        await ack("too late")

    await bot.connect()
    handle = await anna.slash(games, "/slow")
    assert not handle.in_time
    assert handle.trouble == "operation_timeout"
    await handle.no_answer(0.6)
    if bot.slack.transport == "socket":
        assert await handle.acked() > 0.6
    assert "operation_timeout" in anna.sees(games)[-1].text


async def test_a_response_url_has_five_uses_and_half_an_hour(bot: Bot, anna: User, games: Channel) -> None:
    @bot.app.command("/talk")
    async def talk(ack: Any, respond: Any) -> None:
        await ack()
        bot.heard.append(respond)

    await bot.connect()
    games.bot_member = False
    await anna.slash(games, "/talk")
    await bot.slack.watch.until(lambda: bot.heard, timeout=2, what="the command")
    said = [(await bot.heard[0](text=f"{n}")).status_code for n in range(6)]
    assert said == [200] * 5 + [404]
    await anna.slash(games, "/talk")
    await bot.slack.watch.until(lambda: len(bot.heard) == 2, timeout=2, what="the command")
    bot.slack.clock.advance(31 * 60)
    late = await bot.heard[1](text="late")
    assert (late.status_code, "expired_url" in late.body) == (404, True)
    assert [one.text for one in anna.sees(games)] == ["0", "1", "2", "3", "4"]


async def test_escaping_follows_the_setting(bot: Bot, anna: User, games: Channel) -> None:
    ben = anna.workspace.user("Ben")

    @bot.app.command("/echo")
    async def echo(ack: Any, command: Json) -> None:
        bot.heard.append(command["text"])
        await ack()

    await bot.connect()
    await anna.slash(games, "/echo", "<!channel> @Ben #games")
    bot.slack.limits.escape = False
    await anna.slash(games, "/echo", "<!channel> @Ben")
    assert bot.heard == [f"&lt;!channel&gt; <@{ben.id}> <#{games.id}|games>", "<!channel> @Ben"]


# --- modals


def modal() -> Json:
    amount = {
        "type": "input",
        "block_id": "fp",
        "label": {"type": "plain_text", "text": "Firepower"},
        "element": {"type": "number_input", "action_id": "v", "is_decimal_allowed": False, "min_value": "0"},
    }
    side = {
        "type": "input",
        "block_id": "side",
        "optional": True,
        "label": {"type": "plain_text", "text": "Unit"},
        "element": {"type": "external_select", "action_id": "unit", "min_query_length": 0},
    }
    return {
        "type": "modal",
        "callback_id": "fire",
        "title": {"type": "plain_text", "text": "Fire"},
        "submit": {"type": "plain_text", "text": "Roll"},
        "private_metadata": "draft 1",
        "blocks": [amount, side],
    }


def with_modal(bot: Bot) -> None:
    @bot.app.command("/fire")
    async def fire(ack: Any, client: AsyncWebClient, command: Json) -> None:
        await ack()
        bot.heard.append(command["trigger_id"])
        await client.views_open(trigger_id=command["trigger_id"], view=modal())

    @bot.app.options("unit")
    async def units(ack: Any, options: Json) -> None:
        names = [name for name in ("Able", "Baker") if name.lower().startswith(options["value"].lower())]
        await ack(options=[{"text": {"type": "plain_text", "text": name}, "value": name} for name in names])

    @bot.app.view("fire")
    async def submitted(ack: Any, view: Json, body: Json, client: AsyncWebClient) -> None:
        values = view["state"]["values"]
        if values["fp"]["v"]["value"] == "13":
            await ack(response_action="errors", errors={"fp": "No 13 on the card."})
            return
        await ack()
        unit = values["side"]["unit"]["selected_option"]
        await client.chat_postMessage(
            channel=body["user"]["id"], text=f"{values['fp']['v']['value']} {unit and unit['value']}"
        )


async def test_a_modal_opens_complains_and_closes(bot: Bot, anna: User, games: Channel) -> None:
    with_modal(bot)
    await bot.connect()
    handle = await anna.slash(games, "/fire")
    view = await handle.modal()
    assert (view.title, anna.modal()) == ("Fire", view)
    empty = await anna.submit(view)
    assert "fp" in empty.errors
    assert not empty.delivery.sent, "Slack keeps a form with an empty required field to itself"
    refused = await anna.submit(view, {"fp": {"v": 13}})
    assert refused.errors == view.errors == {"fp": "No 13 on the card."}
    assert anna.open_modal_state()["fp"]["v"]["value"] == "13"
    found = await anna.options(view, "unit", "b")
    assert [one["value"] for one in found] == ["Baker"]
    done = await anna.submit(view, {"fp": {"v": 8}, "side": {"unit": found[0]}})
    assert (done.errors, anna.modal()) == ({}, None)
    assert (await done.answer()).text == "8 Baker"
    assert anna.sees(anna.im)[-1].text == "8 Baker"


async def test_a_trigger_is_good_once_and_for_three_seconds(bot: Bot, anna: User, games: Channel) -> None:
    with_modal(bot)
    await bot.connect()
    await (await anna.slash(games, "/fire")).modal()
    with pytest.raises(SlackApiError, match="exchanged_trigger_id"):
        await bot.client.views_open(trigger_id=bot.heard[0], view=modal())
    fresh = bot.slack.triggers.new(anna, "x")
    bot.slack.clock.advance(3.5)
    with pytest.raises(SlackApiError, match="expired_trigger_id"):
        await bot.client.views_open(trigger_id=fresh, view=modal())


# --- buttons


async def test_a_button_replaces_its_message(bot: Bot, anna: User, games: Channel) -> None:
    @bot.app.action("undo")
    async def undo(ack: Any, respond: Any, body: Json) -> None:
        await ack()
        assert body["message"]["text"] == "rolled"
        await respond(text="undone", replace_original=True)
        await respond(text="a word to you", replace_original=False)

    await bot.connect()
    sent = await bot.client.chat_postMessage(channel=games.id, text="rolled", blocks=[section("7"), actions("Undo")])
    message = anna.sees(games)[0]
    assert (message.ts, message.buttons()) == (sent["ts"], ["Undo"])
    handle = await anna.press(message, "Undo")
    assert handle.in_time
    await handle.answers(2)
    assert [one.text for one in anna.sees(games)] == ["undone", "a word to you"]
    assert [one.text for one in anna.workspace.user("Ben").sees(games)] == ["undone"]
    with pytest.raises(AssertionError, match="nothing called"):
        await anna.press(message, "Undo")
