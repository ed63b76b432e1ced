"""Finer points of the Slack stand-in: manifests, the app's own messages, stacked modals, waiting
out a 429.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from tests.standins.patient import socket_of
from tests.standins.slack import Channel, Limits, SlackStandIn, User, Workspace, check_manifest

Json = dict[str, Any]


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    standin = await SlackStandIn.start(limits=Limits(message_interval=0))
    yield standin
    await standin.stop()


@pytest.fixture
async def app(slack: SlackStandIn, home: Workspace) -> AsyncIterator[AsyncApp]:
    """A connected app; listeners may be added at any time."""
    app = AsyncApp(
        name="stand-in", client=AsyncWebClient(token=home.bot_token, base_url=slack.api_url)
    )
    socket = socket_of(app, slack.app_token)
    await socket.connect_async()  # type: ignore[no-untyped-call]
    await slack.connected()
    yield app
    await socket.close_async()  # type: ignore[no-untyped-call]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def form(name: str, *blocks: Json) -> Json:
    return {
        "type": "modal",
        "callback_id": name,
        "title": plain(name),
        "submit": plain("Go"),
        "blocks": list(blocks),
    }


def choice() -> Json:
    options = [{"text": plain(name), "value": name.lower()} for name in ("Able", "Baker")]
    element = {
        "type": "static_select",
        "action_id": "v",
        "options": options,
        "initial_option": options[0],
    }
    return {
        "type": "input",
        "block_id": "unit",
        "dispatch_action": True,
        "label": plain("Unit"),
        "element": element,
    }


def flags() -> Json:
    options = [{"text": plain(name), "value": name} for name in ("moving", "stacked")]
    element = {"type": "checkboxes", "action_id": "v", "options": options}
    return {
        "type": "input",
        "block_id": "flags",
        "optional": True,
        "label": plain("Flags"),
        "element": element,
    }


MANIFEST: Json = {
    "display_information": {"name": "Grognard"},
    "features": {
        "bot_user": {"display_name": "grognard"},
        "slash_commands": [{"command": "/roll", "description": "Roll dice", "should_escape": True}],
    },
    "oauth_config": {"scopes": {"bot": ["commands", "chat:write", "app_mentions:read"]}},
    "settings": {
        "event_subscriptions": {"bot_events": ["app_mention"]},
        "interactivity": {"is_enabled": True},
        "socket_mode_enabled": True,
    },
}


async def test_an_app_is_what_its_manifest_says(
    slack: SlackStandIn, anna: User, games: Channel, app: AsyncApp
) -> None:
    @app.command("/roll")
    async def roll(ack: Any) -> None:
        await ack("7")

    slack.use_manifest(MANIFEST)
    assert (await anna.slash(games, "/rol")).trouble == "invalid_command"
    assert (await (await anna.slash(games, "/roll")).answer()).text == "7"
    assert (await anna.dm("hello")).trouble == "not_delivered"


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("settings.socket_mode_enabled", False, "request URL missing"),
        ("display_information.name", "x" * 36, "between 1 and 35"),
        ("display_information.long_description", "short", "between 175"),
        ("display_information.logo", "x.png", "unknown key logo"),
        ("features.slash_commands", [{"command": "/Roll", "description": "x"}], "lower case"),
        ("features.slash_commands", [{"command": "/roll", "description": "x"}] * 2, "there twice"),
        (
            "features.slash_commands",
            [{"command": "/roll", "description": ""}],
            "between 1 and 2000",
        ),
        (
            "features.slash_commands",
            [{"command": f"/r{n}", "description": "x"} for n in range(51)],
            "no more than 50",
        ),
        ("oauth_config.scopes.bot", ["chat:write", "app_mentions:read"], "scope commands"),
        ("settings.event_subscriptions.bot_events", ["message.im"], "scope im:history"),
    ],
)
def test_manifests_slack_does_not_take(path: str, value: Any, fault: str) -> None:
    def put(thing: Json, keys: list[str]) -> Json:
        return thing | {keys[0]: put(thing.get(keys[0], {}), keys[1:]) if len(keys) > 1 else value}

    assert check_manifest(MANIFEST) == []
    assert fault in " ".join(check_manifest(put(MANIFEST, path.split("."))))


async def test_an_app_hears_its_own_messages_and_edits(anna: User, app: AsyncApp) -> None:
    heard: list[Json] = []

    @app.middleware
    async def listen(body: Json, next: Any) -> None:
        heard.append(body["event"])
        await next()

    @app.event("message")
    async def message(event: Json, say: Any) -> None:
        if not event.get("subtype"):
            await say("hello yourself")

    wrote = await anna.dm("hello")
    await wrote.answer()
    assert wrote.message is not None
    anna.edit(wrote.message, "hullo")
    anna.delete(wrote.message)
    await anna.workspace.slack.watch.until(lambda: len(heard) >= 3, timeout=30, what="the events")
    assert [one.get("subtype") for one in heard] == [None, "message_changed", "message_deleted"]
    echoes = [
        one
        for one in anna.workspace.slack.courier.known.values()
        if "bot_id" in one.payload.get("event", {})
    ]
    assert len(echoes) == 1, "the answer came back as an event, and bolt dropped it"


async def test_modals_stack_change_and_dispatch(anna: User, games: Channel, app: AsyncApp) -> None:
    @app.command("/form")
    async def open_form(ack: Any, client: AsyncWebClient, body: Json) -> None:
        await ack()
        await client.views_open(
            trigger_id=body["trigger_id"], view=form("first", choice(), flags())
        )

    @app.action("v")
    async def chosen(ack: Any, client: AsyncWebClient, body: Json, action: Json) -> None:
        await ack()
        words = {
            "type": "section",
            "block_id": "note",
            "text": plain(action["selected_option"]["value"]),
        }
        view = form("first", choice(), flags(), words)
        await client.views_update(view_id=body["view"]["id"], hash=body["view"]["hash"], view=view)

    @app.view("first")
    async def first(ack: Any, view: Json) -> None:
        if view["state"]["values"]["flags"]["v"]["selected_options"]:
            await ack(response_action="push", view=form("second"))
        else:
            await ack(response_action="errors", errors={"note": "not a field"})

    @app.view("second")
    async def second(ack: Any) -> None:
        await ack(response_action="clear")

    handle = await anna.slash(games, "/form")
    view = await handle.modal()
    assert anna.open_modal_state()["unit"]["v"]["selected_option"]["value"] == "able"
    with pytest.raises(AssertionError, match="no option 'charlie'"):
        anna.fill(view, {"unit": {"v": "charlie"}})
    await anna.change(view, "unit", "v", "Baker")
    await anna.workspace.slack.watch.until(
        lambda: len(view.blocks) == 3, timeout=30, what="the update"
    )
    assert view.state["unit"]["v"]["selected_option"]["value"] == "baker"
    assert (await anna.submit(view)).trouble == "invalid_errors"
    await anna.submit(view, {"flags": {"v": ["moving"]}})
    assert [one.title for one in anna.stack] == ["first", "second"]
    top = anna.modal()
    assert top is not None
    await anna.submit(top)
    assert anna.stack == []


async def test_a_patient_client_waits_out_429(
    slack: SlackStandIn, anna: User, games: Channel
) -> None:
    slack.limits.message_interval, slack.limits.message_burst = 1.0, 1
    patient = AsyncWebClient(token=games.workspace.bot_token, base_url=slack.api_url)
    patient.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=3))
    for number in range(2):
        await patient.chat_postMessage(channel=games.id, text=str(number))
    assert slack.posted(games) == ["0\n0", "1\n1"]
    assert slack.pace.refused >= 1


async def test_a_lost_acknowledgement_means_a_second_delivery(
    slack: SlackStandIn, anna: User, games: Channel, app: AsyncApp
) -> None:
    heard: list[tuple[str, str]] = []

    @app.middleware
    async def listen(body: Json, request: Any, next: Any) -> None:
        heard.append((body["event_id"], request.headers["x-slack-retry-num"][0]))
        await asyncio.sleep(0.1)
        await next()

    @app.event("app_mention")
    async def mentioned() -> None:
        pass

    slack.limits.ack_seconds, slack.limits.redeliver_after = 0.5, (0.5, 0.5, 0.5)
    slack.drop_after("events_api")
    handle = await anna.mention(games, "roll 2d6")
    assert handle.trouble == "operation_timeout"
    await handle.acked()
    assert [retry for _, retry in heard] == ["0", "1"]
    assert heard[0][0] == heard[1][0]


async def test_a_press_tells_what_the_selects_hold(
    anna: User, games: Channel, app: AsyncApp
) -> None:
    heard: list[Json] = []

    @app.action("v")
    async def chosen(ack: Any) -> None:
        await ack()

    @app.action("go")
    async def go(ack: Any, body: Json) -> None:
        heard.append(body["state"]["values"])
        await ack()

    button = {"type": "button", "action_id": "go", "text": plain("Go")}
    row = {"type": "actions", "block_id": "row", "elements": [choice()["element"], button]}
    sent = await app.client.chat_postMessage(channel=games.id, text="choose", blocks=[row])
    message = anna.sees(games)[0]
    await anna.choose(message, "v", "Baker")
    await anna.press(message, "Go")
    await anna.workspace.user("Ben").press(message, "Go")
    assert [one["row"]["v"]["selected_option"]["value"] for one in heard] == ["baker", "able"]
    with pytest.raises(SlackApiError, match="channel_not_found"):
        await app.client.chat_update(channel="#games", ts=sent["ts"], text="by id only")


async def test_an_app_is_told_when_it_is_removed(
    slack: SlackStandIn, home: Workspace, app: AsyncApp
) -> None:
    heard: list[str] = []

    @app.middleware
    async def listen(body: Json) -> None:
        heard.append(body["event"]["type"])

    slack.limits.ack_seconds = 0.1
    await home.uninstall()
    assert heard[0] == "tokens_revoked"
    assert "app_uninstalled" in heard
    assert not home.installed


async def test_a_hundred_commands_at_once(
    slack: SlackStandIn, anna: User, games: Channel, app: AsyncApp
) -> None:
    @app.command("/roll")
    async def roll(ack: Any, respond: Any, command: Json) -> None:
        await ack()
        await respond(text=command["text"], response_type="in_channel")

    slack.limits.ack_seconds = app._async_listeners[0].ack_timeout = (
        60  # a busy machine takes its time
    )
    handles = await asyncio.gather(
        *(anna.slash(games, "/roll", str(number)) for number in range(100))
    )
    assert all(handle.in_time for handle in handles)
    answers = await asyncio.gather(*(handle.answer() for handle in handles))
    assert [answer.text for answer in answers] == [str(number) for number in range(100)]


def test_a_process_is_pointed_at_it_by_its_environment() -> None:
    socket, http = SlackStandIn(), SlackStandIn("http")
    assert socket.env(socket.workspace("T1")).keys() == {
        "SLACK_API",
        "SLACK_BOT_TOKEN",
        "SLACK_APP_TOKEN",
    }
    names = {"SLACK_API", "SLACK_SIGNING_SECRET", "PORT", "SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET"}
    assert http.env(port=8080, oauth=True).keys() == names
