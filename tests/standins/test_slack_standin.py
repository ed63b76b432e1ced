"""The Slack stand-in, tried with the real slack-bolt app in both of Slack's transports."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.standins.patient import socket_of
from tests.standins.slack import Channel, Limits, SlackStandIn, User, Workspace

Json = dict[str, Any]


class Bot:
    """A bare bolt app, connected to the stand-in by the stand-in's transport."""

    def __init__(self, slack: SlackStandIn, token: str | None = None, **settings: Any) -> None:
        self.slack = slack
        self.client = AsyncWebClient(token=token, base_url=slack.api_url)
        self.app = AsyncApp(
            name="stand-in", client=self.client, signing_secret=slack.signing_secret, **settings
        )
        self.heard: list[Any] = []
        self._socket: AsyncSocketModeHandler | None = None
        self._site: web.AppRunner | None = None

    async def connect(self) -> None:
        if self.slack.transport == "socket":
            self._socket = socket_of(self.app, self.slack.app_token)
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


@pytest.fixture(params=["socket", pytest.param("http", marks=pytest.mark.slow)])
async def slack(request: pytest.FixtureRequest) -> AsyncIterator[SlackStandIn]:
    """The stand-in, once in each transport."""
    standin = await SlackStandIn.start(request.param, Limits(redeliver_after=(0.0, 0.2)))
    yield standin
    await standin.stop()


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
        {"type": "button", "action_id": name.lower(), "text": {"type": "plain_text", "text": name}}
        for name in labels
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
    assert handle.ack_time < 3
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
    bot.slack.limits.ack_seconds = 0.4
    handle = await anna.slash(games, "/slow")
    assert not handle.in_time
    assert handle.trouble == "operation_timeout"
    await handle.no_answer(0.6)
    if bot.slack.transport == "socket":
        assert await handle.acked() > 0.4
    assert "operation_timeout" in anna.sees(games)[-1].text


async def test_a_response_url_has_five_uses_and_half_an_hour(
    bot: Bot, anna: User, games: Channel
) -> None:
    @bot.app.command("/talk")
    async def talk(ack: Any, respond: Any) -> None:
        await ack()
        bot.heard.append(respond)

    await bot.connect()
    games.bot_member = False
    await anna.slash(games, "/talk")
    await bot.slack.watch.until(lambda: bot.heard, timeout=30, what="the command")
    said = [(await bot.heard[0](text=f"{n}")).status_code for n in range(6)]
    assert said == [200] * 5 + [404]
    await anna.slash(games, "/talk")
    await bot.slack.watch.until(lambda: len(bot.heard) == 2, timeout=30, what="the command")
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
        "element": {
            "type": "number_input",
            "action_id": "v",
            "is_decimal_allowed": False,
            "min_value": "0",
        },
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
        names = [
            name for name in ("Able", "Baker") if name.lower().startswith(options["value"].lower())
        ]
        await ack(
            options=[
                {"text": {"type": "plain_text", "text": name}, "value": name} for name in names
            ]
        )

    @bot.app.view("fire")
    async def submitted(ack: Any, view: Json, body: Json, client: AsyncWebClient) -> None:
        values = view["state"]["values"]
        if values["fp"]["v"]["value"] == "13":
            await ack(response_action="errors", errors={"fp": "No 13 on the card."})
            return
        await ack()
        unit = values["side"]["unit"]["selected_option"]
        await client.chat_postMessage(
            channel=body["user"]["id"],
            text=f"{values['fp']['v']['value']} {unit and unit['value']}",
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


async def test_a_trigger_is_good_once_and_for_a_moment(
    bot: Bot, anna: User, games: Channel
) -> None:
    with_modal(bot)
    await bot.connect()
    await (await anna.slash(games, "/fire")).modal()
    with pytest.raises(SlackApiError, match="exchanged_trigger_id"):
        await bot.client.views_open(trigger_id=bot.heard[0], view=modal())
    fresh = bot.slack.triggers.new(anna, "x")
    bot.slack.clock.advance(bot.slack.limits.trigger_seconds + 0.5)
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
    sent = await bot.client.chat_postMessage(
        channel=games.id, text="rolled", blocks=[section("7"), actions("Undo")]
    )
    message = anna.sees(games)[0]
    assert (message.ts, message.buttons()) == (sent["ts"], ["Undo"])
    handle = await anna.press(message, "Undo")
    assert handle.in_time
    await handle.answers(2)
    assert [one.text for one in anna.sees(games)] == ["undone", "a word to you"]
    assert [one.text for one in anna.workspace.user("Ben").sees(games)] == ["undone"]
    with pytest.raises(AssertionError, match="nothing called"):
        await anna.press(message, "Undo")


async def test_a_press_can_delete_an_ephemeral_message(
    bot: Bot, anna: User, games: Channel
) -> None:
    @bot.app.action("drop")
    async def drop(ack: Any, respond: Any, body: Json) -> None:
        await ack()
        assert "message" not in body, "Slack shows an app no ephemeral message"
        await respond(delete_original=True)

    await bot.connect()
    await bot.client.chat_postEphemeral(
        channel=games.id, user=anna.id, text="draft", blocks=[actions("Drop")]
    )
    ben = anna.workspace.user("Ben")
    assert ben.sees(games) == []
    draft = anna.sees(games)[0]
    with pytest.raises(AssertionError, match="does not see"):
        await ben.press(draft, "Drop")
    with pytest.raises(SlackApiError, match="message_not_found"):
        await bot.client.chat_update(channel=games.id, ts=draft.ts, text="no")
    await anna.press(draft, "drop")
    await bot.slack.watch.until(lambda: not anna.sees(games), timeout=30, what="the draft is gone")


# --- mentions, threads, direct messages


async def test_a_mention_in_a_thread_is_answered_there(
    bot: Bot, anna: User, games: Channel
) -> None:
    @bot.app.event("app_mention")
    async def mentioned(event: Json, client: AsyncWebClient, say: Any) -> None:
        bot.heard.append(event["text"])
        if "wrong" in event["text"]:
            await client.chat_postEphemeral(
                channel=event["channel"],
                user=event["user"],
                thread_ts=event["thread_ts"],
                text="No such table.",
            )
        else:
            await say(text="hit", thread_ts=event.get("thread_ts"))

    await bot.connect()
    root = (await anna.say(games, "our game")).message
    assert root is not None
    handle = await anna.mention(games, "lnlt fire 5 < 6", thread=root.ts)
    answer = await handle.answer()
    assert (answer.text, answer.thread_ts) == ("hit", root.ts)
    assert bot.heard == [f"<@{anna.workspace.bot_user}> lnlt fire 5 &lt; 6"]
    assert "hit" not in [one.text for one in anna.sees(games)]
    assert [one.text for one in anna.sees(games, root.ts)][-1] == "hit"
    wrong = await anna.mention(games, "wrong <@BOT>", thread=root.ts)
    assert (await wrong.answer()).ephemeral_for == anna.id
    assert "No such table." not in [
        one.text for one in anna.workspace.user("Ben").sees(games, root.ts)
    ]


async def test_where_the_bot_is_no_member_mentions_are_not_heard_and_posts_refused(
    bot: Bot, anna: User, home: Workspace
) -> None:
    await bot.connect()
    away = home.channel("away", bot_member=False)
    hidden = home.channel("hidden", bot_member=False, private=True, members=[anna])
    assert (await anna.mention(away, "roll")).trouble == "bot_not_in_channel"
    with pytest.raises(SlackApiError, match="not_in_channel"):
        await bot.client.chat_postMessage(channel=away.id, text="x")
    with pytest.raises(SlackApiError, match="channel_not_found"):
        await bot.client.chat_postMessage(channel=hidden.id, text="x")
    with pytest.raises(SlackApiError, match="not_in_channel"):
        await bot.client.files_upload_v2(channel=away.id, filename="log.txt", content="log")
    home.scopes.add("chat:write.public")
    await bot.client.chat_postMessage(channel=away.id, text="x")
    await anna.invite_bot(hidden)
    await bot.client.chat_postMessage(channel=hidden.id, text="x")
    assert home.user("Ben").sees(hidden) == []


async def test_direct_messages(bot: Bot, anna: User) -> None:
    @bot.app.event("message")
    async def message(event: Json, say: Any) -> None:
        assert event["channel_type"] == "im"
        await say(f"you said {event['text']}")

    await bot.connect()
    assert (await (await anna.dm("hello")).answer()).text == "you said hello"
    opened = await bot.client.conversations_open(users=anna.id)
    assert opened["channel"]["id"] == anna.im.id
    info = await bot.client.conversations_info(channel=anna.im.id)
    assert info["channel"]["is_im"]


async def test_files_go_out_and_come_in(bot: Bot, anna: User, games: Channel) -> None:
    @bot.app.event("message")
    async def import_file(event: Json, say: Any) -> None:
        url = event["files"][0]["url_private_download"]
        head = {"Authorization": f"Bearer {bot.client.token}"}
        async with aiohttp.ClientSession() as session, session.get(url, headers=head) as page:
            await say(f"got {await page.text()}")

    await bot.connect()
    await bot.client.files_upload_v2(
        channel=games.id, filename="game.json", content="{}", initial_comment="export"
    )
    shown = anna.sees(games)[-1]
    assert (shown.text, shown.files[0].name, shown.files[0].data) == ("export", "game.json", b"{}")
    handle = await anna.dm("import", files={"units.csv": b"Able,US"})
    assert (await handle.answer()).text == "got Able,US"
    with pytest.raises(SlackApiError, match="file_not_found"):
        await bot.client.files_completeUploadExternal(
            files=[{"id": "F0", "title": "x"}], channel_id=games.id
        )


# --- what Slack refuses


async def test_tokens_and_scopes(bot: Bot, home: Workspace, games: Channel) -> None:
    me = await bot.client.auth_test()
    assert (me["team_id"], me["user_id"]) == (home.id, home.bot_user)
    with pytest.raises(SlackApiError, match="invalid_auth"):
        await bot.client.auth_test(token="xoxb-wrong")
    with pytest.raises(SlackApiError, match="not_allowed_token_type"):
        await bot.client.apps_connections_open(app_token=home.bot_token)
    home.scopes.discard("chat:write")
    with pytest.raises(SlackApiError) as refused:
        await bot.client.chat_postMessage(channel=games.id, text="x")
    assert (refused.value.response["error"], refused.value.response["needed"]) == (
        "missing_scope",
        "chat:write",
    )
    assert (await bot.client.auth_revoke())["revoked"]
    with pytest.raises(SlackApiError, match="token_revoked"):
        await bot.client.auth_test()


async def test_messages_have_limits_and_owners(bot: Bot, anna: User, games: Channel) -> None:
    bot.slack.limits.message_interval = 0
    for wrong, error in (
        ({"text": "x" * 40_001}, "msg_too_long"),
        ({"text": "", "blocks": []}, "no_text"),
        ({"text": "x", "blocks": [section("x" * 3_001)]}, "invalid_blocks"),
        ({"text": "x", "blocks": [section("x" * 2_900)] * 4}, "msg_blocks_too_long"),
        ({"text": "x", "thread_ts": "1.2"}, "thread_not_found"),
    ):
        with pytest.raises(SlackApiError, match=error):
            await bot.client.chat_postMessage(channel=games.id, **wrong)
    sent = await bot.client.chat_postMessage(channel=games.id, text="x")
    with pytest.raises(SlackApiError, match="msg_too_long"):
        await bot.client.chat_update(channel=games.id, ts=sent["ts"], text="x" * 4_001)
    await bot.client.chat_update(channel=games.id, ts=sent["ts"], text="y", blocks=[section("z")])
    assert [(one.text, one.plain, one.earlier[0].text) for one in anna.sees(games)] == [
        ("y", "z", "x")
    ]
    hers = (await anna.say(games, "mine")).message
    assert hers is not None
    with pytest.raises(SlackApiError, match="cant_update_message"):
        await bot.client.chat_update(channel=games.id, ts=hers.ts, text="y")
    await bot.client.chat_delete(channel=games.id, ts=sent["ts"])
    assert anna.sees(games) == [hers]


async def test_a_modal_slack_does_not_take(bot: Bot, anna: User) -> None:
    trigger = bot.slack.triggers.new(anna, "x")
    for wrong in (
        {"title": {"type": "plain_text", "text": "x" * 25}},
        {"submit": None},
        {"private_metadata": "x" * 3_001},
    ):
        with pytest.raises(SlackApiError, match="invalid_arguments") as refused:
            await bot.client.views_open(trigger_id=trigger, view=modal() | wrong)
        assert "json-pointer:/view" in refused.value.response["response_metadata"]["messages"][0]
    first = await bot.client.views_open(trigger_id=trigger, view=modal())
    for _ in range(2):
        await bot.client.views_push(trigger_id=bot.slack.triggers.new(anna, "x"), view=modal())
    with pytest.raises(SlackApiError, match="push_limit_reached"):
        await bot.client.views_push(trigger_id=bot.slack.triggers.new(anna, "x"), view=modal())
    with pytest.raises(SlackApiError, match="hash_conflict"):
        await bot.client.views_update(view_id=first["view"]["id"], hash="old", view=modal())
    await bot.client.views_update(
        view_id=first["view"]["id"], hash=first["view"]["hash"], view=modal()
    )


async def test_one_message_a_second_and_channel(bot: Bot, games: Channel, home: Workspace) -> None:
    async def post(channel: Channel) -> str:
        try:
            await bot.client.chat_postMessage(channel=channel.id, text="x")
        except SlackApiError as refused:
            return f"{refused.response.status_code} after {refused.response.headers['Retry-After']}"
        return "ok"

    assert [await post(games) for _ in range(4)] == ["ok"] * 3 + ["429 after 1"]
    assert await post(home.channel("other")) == "ok"
    bot.slack.clock.advance(1)
    assert [await post(games), await post(games)] == ["ok", "429 after 1"]


# --- faults


async def test_faults_come_when_asked_for(bot: Bot, anna: User, games: Channel) -> None:
    faults = bot.slack.faults
    faults.ratelimit("chat.*", retry_after=7)
    with pytest.raises(SlackApiError) as limited:
        await bot.client.chat_postMessage(channel=games.id, text="x")
    assert (limited.value.response.status_code, limited.value.response.headers["Retry-After"]) == (
        429,
        "7",
    )
    faults.server_error("chat.postMessage", after=True)
    with pytest.raises(SlackApiError) as broken:
        await bot.client.chat_postMessage(channel=games.id, text="posted all the same")
    assert broken.value.response.status_code == 500
    assert [one.text for one in anna.sees(games)] == ["posted all the same"]
    held = faults.hold("chat.postMessage")
    post = asyncio.create_task(bot.client.chat_postMessage(channel=games.id, text="second"))
    await held.reached.wait()
    assert len(anna.sees(games)) == 1
    assert held.gate is not None
    held.gate.set()
    await post
    assert len(anna.sees(games)) == 2


async def test_a_duplicate_carries_the_same_ids(bot: Bot, anna: User, games: Channel) -> None:
    @bot.app.command("/roll")
    async def roll(ack: Any, command: Json) -> None:
        await ack()
        bot.heard.append(command["trigger_id"])

    await bot.connect()
    bot.slack.duplicate("slash_commands")
    handle = await anna.slash(games, "/roll")
    await bot.slack.watch.until(
        lambda: len(handle.delivery.acks) == 2, timeout=30, what="both acknowledged"
    )
    await bot.slack.deliver_again(handle)
    await bot.slack.watch.until(lambda: len(bot.heard) == 3, timeout=30, what="the third")
    assert len(set(bot.heard)) == 1


@pytest.mark.slow
async def test_events_without_acknowledgement_are_repeated(
    bot: Bot, anna: User, games: Channel
) -> None:
    @bot.app.middleware
    async def sleepy(body: Json, request: Any, next: Any) -> None:
        bot.heard.append((body["event_id"], request.headers.get("x-slack-retry-num", ["0"])[0]))
        if len(bot.heard) < 3:
            await asyncio.sleep(2.5)
        await next()

    @bot.app.event("app_mention")
    async def mentioned() -> None:
        pass

    await bot.connect()
    bot.slack.limits.ack_seconds = 2.0
    handle = await anna.mention(games, "roll 2d6")
    assert (handle.in_time, handle.trouble) == (False, "operation_timeout")
    await bot.slack.watch.until(
        lambda: handle.in_time, timeout=30, what="the repeat is acknowledged"
    )
    assert [one.retry for one in handle.delivery.sent][:2] == [0, 1]
    assert len({event for event, _ in bot.heard}) == 1
    assert [retry for _, retry in bot.heard][:2] == ["0", "1"]


# --- Socket Mode only


@pytest.fixture
async def sockets() -> AsyncIterator[SlackStandIn]:
    standin = await SlackStandIn.start("socket", Limits(redeliver_after=(0.0, 0.2)))
    yield standin
    await standin.stop()


async def test_a_dropped_socket_comes_back_and_answers_still_go_out(sockets: SlackStandIn) -> None:
    home = sockets.workspace("T1")
    anna, games = home.user("Anna"), home.channel("games")
    bot = Bot(sockets, home.bot_token)

    @bot.app.command("/roll")
    async def roll(ack: Any, respond: Any) -> None:
        await ack()
        await respond("7")

    await bot.connect()
    try:
        held = sockets.faults.hold("response_url")
        handle = await anna.slash(games, "/roll")
        await held.reached.wait()
        back = asyncio.create_task(sockets.reconnected())
        await asyncio.sleep(0)
        assert sockets.drop_sockets() == 1
        assert (await anna.slash(games, "/roll")).trouble == "dispatch_failed"
        assert held.gate is not None
        held.gate.set()
        assert (await handle.answer()).text == "7"
        await back
        await (await anna.slash(games, "/roll")).answer()
        back = asyncio.create_task(sockets.reconnected())
        await asyncio.sleep(0)
        await sockets.ask_to_reconnect()
        await back
        await (await anna.slash(games, "/roll")).answer()
    finally:
        await bot.stop()


def counting(bot: Bot) -> None:
    @bot.app.command("/roll")
    async def roll(ack: Any) -> None:
        bot.heard.append(1)
        await ack()


async def test_several_connections_take_turns(sockets: SlackStandIn) -> None:
    home = sockets.workspace("T1")
    bots = [Bot(sockets, home.bot_token) for _ in range(2)]
    for bot in bots:
        counting(bot)
        await bot.connect()
    try:
        await sockets.connected(2)
        anna, games = home.user("Anna"), home.channel("games")
        handles = await asyncio.gather(*(anna.slash(games, "/roll") for _ in range(10)))
        assert all(handle.in_time for handle in handles)
        assert [len(bot.heard) for bot in bots] == [5, 5]
    finally:
        for bot in bots:
            await bot.stop()


# --- HTTP mode only


@pytest.fixture
async def http() -> AsyncIterator[SlackStandIn]:
    standin = await SlackStandIn.start("http", Limits(redeliver_after=()))
    yield standin
    await standin.stop()


async def test_signatures_are_checked_by_the_app(http: SlackStandIn) -> None:
    home = http.workspace("T1")
    anna, games = home.user("Anna"), home.channel("games")
    bot = Bot(http, home.bot_token)

    @bot.app.command("/roll")
    async def roll(ack: Any, request: Any) -> None:
        bot.heard.append(request.headers.get("x-slack-retry-num"))
        await ack()

    await bot.connect()
    try:
        assert await http.verify_url()
        good = await anna.slash(games, "/roll", "2d6")
        assert (good.in_time, good.delivery.status) == (True, 200)
        with http.signing(secret="not the secret"):
            forged = await anna.slash(games, "/roll")
        assert (forged.trouble, forged.delivery.status) == ("http_error", 401)
        with http.signing(age=301):
            assert (await anna.slash(games, "/roll")).delivery.status == 401
        assert (
            await http.replay(good, tamper=good.delivery.sent[0].body + b"&text=3d6")
        ).status == 401
        assert (await http.replay(good)).status == 200, (
            "the same bytes again: only the app can tell"
        )
        await http.deliver_again(good, retry=2)
        assert bot.heard == [None, None, ["2"]]
    finally:
        await bot.stop()


async def test_two_workspaces_install_through_oauth(
    http: SlackStandIn, tmp_path: Any, monkeypatch: Any
) -> None:
    from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
    from slack_sdk.oauth.installation_store import FileInstallationStore
    from slack_sdk.oauth.state_store import FileOAuthStateStore

    settings = AsyncOAuthSettings(
        client_id=http.client_id,
        client_secret=http.client_secret,
        scopes=["commands", "chat:write"],
        authorization_url=http.authorize_url,
        installation_store=FileInstallationStore(base_dir=str(tmp_path / "installs")),
        state_store=FileOAuthStateStore(expiration_seconds=60, base_dir=str(tmp_path / "states")),
    )
    bot = Bot(http, oauth_settings=settings)

    @bot.app.command("/roll")
    async def roll(ack: Any, client: AsyncWebClient, command: Json) -> None:
        await ack()
        await client.chat_postMessage(
            channel=command["channel_id"], text=(await client.auth_test())["team_id"]
        )

    await bot.connect()
    try:
        assert http.request_url is not None
        base = http.request_url.removesuffix("/slack/events")
        http.redirect_uri = f"{base}/slack/oauth_redirect"
        homes = [http.workspace(name, installed=False) for name in ("T1", "T2")]
        assert (
            await homes[0].user("Anna").slash(homes[0].channel("games"), "/roll")
        ).trouble == "not_installed"
        _, refused = await homes[0].user("Anna").install_app(f"{base}/slack/install", deny=True)
        assert "access_denied" in refused
        for home in homes:
            status, page = await home.user("Anna").install_app(f"{base}/slack/install")
            assert (status, home.installed, home.scopes) == (
                200,
                True,
                {"commands", "chat:write"},
            ), page
            handle = await home.user("Anna").slash(home.channel("games"), "/roll")
            assert (await handle.answer()).text == home.id
        code = next(iter(http.authorize.grants))
        with pytest.raises(SlackApiError, match="code_already_used"):
            await bot.client.oauth_v2_access(
                client_id=http.client_id, client_secret=http.client_secret, code=code
            )
        with pytest.raises(SlackApiError, match="channel_not_found"):
            await bot.client.chat_postMessage(
                token=homes[0].bot_token, channel=homes[1].channel("games").id, text="x"
            )
    finally:
        await bot.stop()
