"""What the stand-in refuses, asked with bare requests: Discord's limits and its error objects."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.standins.discord import Channel, DiscordStandIn, Interaction
from tests.standins.discord.commands import command_size

Body = dict[str, Any] | list[Any]
EPHEMERAL, V2 = 64, 32768


class Api:
    """Requests with the bot's token."""

    def __init__(self, standin: DiscordStandIn, session: aiohttp.ClientSession) -> None:
        self.standin, self._session = standin, session
        self.app = standin.world.bot.id

    async def call(
        self, method: str, path: str, body: Body | None = None, files: int = 0
    ) -> tuple[int, Any]:
        """(status, JSON body) of one request; `files` one-byte files go along."""
        headers = {"Authorization": f"Bot {self.standin.token}"}
        data: Any = json.dumps(body)
        if files:
            data = aiohttp.FormData(quote_fields=False)
            data.add_field("payload_json", json.dumps(body))
            for number in range(files):
                data.add_field(f"files[{number}]", b"x", filename=f"{number}.txt")
        async with self._session.request(
            method, self.standin.url + path, data=data, headers=headers
        ) as response:
            text = await response.text()
            return response.status, json.loads(text) if text else None

    async def post(self, channel: Channel, body: Body, files: int = 0) -> tuple[int, Any]:
        """Post a message."""
        return await self.call("POST", f"/channels/{channel.id}/messages", body, files)

    async def register(self, *commands: Any) -> tuple[int, Any]:
        """Replace the global commands."""
        return await self.call("PUT", f"/applications/{self.app}/commands", list(commands))

    async def respond(
        self, asked: Interaction, kind: int, data: Body | None = None
    ) -> tuple[int, Any]:
        """A first response."""
        return await self.call(
            "POST", f"/interactions/{asked.id}/{asked.token}/callback", {"type": kind, "data": data}
        )

    async def hook(
        self, method: str, asked: Interaction, message: object = None, body: Body | None = None
    ) -> tuple[int, Any]:
        """What an interaction's token allows after the first response."""
        where = f"/webhooks/{self.app}/{asked.token}" + (f"/messages/{message}" if message else "")
        return await self.call(method, where, body)


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    """Requests to a stand-in without rate limits, with /ask registered and a session that
    buffers interactions.
    """
    async with (
        DiscordStandIn.running(requests_per_second=0, messages_per_channel=(0, 0)) as standin,
        aiohttp.ClientSession() as session,
    ):
        made = Api(standin, session)
        assert (await made.register(command("ask", option("text", autocomplete=True))))[0] == 200
        yield made


def option(name: str, kind: int = 3, **more: Any) -> dict[str, Any]:
    """One option."""
    return {"name": name, "description": "d", "type": kind, **more}


def command(name: str, *options: dict[str, Any], **more: Any) -> dict[str, Any]:
    """One command."""
    return {"name": name, "description": "d", "options": list(options), **more}


def rows(*parts: dict[str, Any]) -> dict[str, Any]:
    """A message whose components are one row of `parts`."""
    return {"content": "c", "components": [{"type": 1, "components": list(parts)}]}


def button(custom_id: str = "b", **more: Any) -> dict[str, Any]:
    """A button."""
    return {"type": 2, "style": 1, "label": "B", "custom_id": custom_id, **more}


def select(options: int = 1, **more: Any) -> dict[str, Any]:
    """A select with so many options."""
    listed = [{"label": f"o{n}", "value": str(n)} for n in range(options)]
    return {"type": 3, "custom_id": "s", "options": listed, **more}


def embed(*lengths: int, **more: Any) -> dict[str, Any]:
    """An embed with fields whose values have these lengths."""
    return {
        "title": "t",
        "fields": [{"name": "n", "value": "v" * length} for length in lengths],
        **more,
    }


def ask(api: Api) -> Interaction:
    """Somebody uses /ask in #general."""
    return api.standin.user("Anna").send(api.standin.channel(), "ask")


def places(errors: Any, path: str = "") -> list[str]:
    """Where a refusal found faults, dotted."""
    found = [path] if "_errors" in errors else []
    for key, value in errors.items():
        if key != "_errors":
            found += places(value, f"{path}.{key}".lstrip("."))
    return found


MESSAGES: dict[str, tuple[dict[str, Any], str | None]] = {
    "content 2,000": ({"content": "x" * 2000}, None),
    "content 2,001": ({"content": "x" * 2001}, "content"),
    "embeds 10": ({"embeds": [embed()] * 10}, None),
    "embeds 11": ({"embeds": [embed()] * 11}, "embeds"),
    "title 257": ({"embeds": [embed(title="t" * 257)]}, "embeds.0.title"),
    "description 4,096": ({"embeds": [embed(description="d" * 4096)]}, None),
    "description 4,097": ({"embeds": [embed(description="d" * 4097)]}, "embeds.0.description"),
    "fields 26": ({"embeds": [embed(*[1] * 26)]}, "embeds.0.fields"),
    "field value 1,025": ({"embeds": [embed(1025)]}, "embeds.0.fields.0.value"),
    "field value empty": ({"embeds": [embed(0)]}, "embeds.0.fields.0.value"),
    "footer 2,049": ({"embeds": [embed(footer={"text": "f" * 2049})]}, "embeds.0.footer.text"),
    "embeds 6,000": ({"embeds": [{"description": "d" * 3000}] * 2}, None),
    "embeds 6,001": ({"embeds": [{"description": "d" * 3000}] * 2 + [{"title": "t"}]}, "embeds.2"),
    "row of 5 buttons": (rows(*[button(str(n)) for n in range(5)]), None),
    "row of 6 buttons": (rows(*[button(str(n)) for n in range(6)]), "components.0.components"),
    "6 rows": (
        {"content": "c", "components": [rows(button(str(n)))["components"][0] for n in range(6)]},
        "components",
    ),
    "empty row": (rows(), "components.0.components"),
    "same custom_id twice": (rows(button(), button()), "components"),
    "custom_id 101": (rows(button("x" * 101)), "components.0.components.0.custom_id"),
    "no custom_id": (
        rows({"type": 2, "style": 1, "label": "B"}),
        "components.0.components.0.custom_id",
    ),
    "label 81": (rows(button(label="x" * 81)), "components.0.components.0.label"),
    "no label": (rows(button(label="")), "components.0.components.0"),
    "select 25": (rows(select(25)), None),
    "select 26": (rows(select(26)), "components.0.components.0.options"),
    "select 0": (rows(select(0)), "components.0.components.0.options"),
    "more values than options": (
        rows(select(2, max_values=3)),
        "components.0.components.0.options",
    ),
    "select beside a button": (rows(select(), button()), "components.0.components"),
    "text input in a message": (
        rows({"type": 4, "custom_id": "t", "style": 1}),
        "components.0.components",
    ),
    "text display without its flag": (
        {"content": "c", "components": [{"type": 10, "content": "t"}]},
        "components.0.type",
    ),
    "text display": ({"flags": V2, "components": [{"type": 10, "content": "t"}]}, None),
    "content beside it": (
        {"flags": V2, "content": "c", "components": [{"type": 10, "content": "t"}]},
        "content",
    ),
    "users twice": (
        {"content": "c", "allowed_mentions": {"parse": ["users"], "users": ["1"]}},
        "allowed_mentions",
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
async def test_messages(api: Api, name: str) -> None:
    body, fault = MESSAGES[name]
    status, answer = await api.post(api.standin.channel(), body)
    if fault is None:
        assert status == 200, answer
    else:
        assert (status, answer["code"]) == (400, 50035)
        assert places(answer["errors"]) == [fault]
        assert api.standin.messages(api.standin.channel()) == []


async def test_files(api: Api) -> None:
    channel = api.standin.channel()
    status, answer = await api.post(
        channel, {"attachments": [{"id": 1, "filename": "log.txt"}]}, files=10
    )
    assert status == 200
    assert answer["attachments"][1]["filename"] == "log.txt"
    assert (await api.post(channel, {}, files=11))[0] == 400


async def test_an_empty_message(api: Api) -> None:
    channel = api.standin.channel()
    assert (await api.post(channel, {"content": "  "}))[1]["code"] == 50006
    status, answer = await api.post(channel, {"content": "full"})
    assert status == 200
    path = f"/channels/{channel.id}/messages/{answer['id']}"
    assert (await api.call("PATCH", path, {"content": ""}))[1]["code"] == 50006
    assert (await api.call("GET", path))[1]["content"] == "full"


def fire(*options: dict[str, Any]) -> dict[str, Any]:
    """A command with one subcommand."""
    return command("c", {"name": "s", "description": "d", "type": 1, "options": list(options)})


CHOICE = {"name": "n", "value": "v"}
GROUP = {"name": "g", "description": "d", "type": 2}
REFUSED = {
    "capitals": (command("Roll"), "0.name"),
    "a space": (command("roll it"), "0.name"),
    "33 characters": (command("r" * 33), "0.name"),
    "no description": ({"name": "roll"}, "0.description"),
    "description 101": (command("roll", description="d" * 101), "0.description"),
    "26 options": (command("c", *[option(f"o{n}") for n in range(26)]), "0.options"),
    "the same option twice": (command("c", option("a"), option("a")), "0.options.1"),
    "required after optional": (
        command("c", option("a"), option("b", required=True)),
        "0.options.1",
    ),
    "the same below": (fire(option("a"), option("b", required=True)), "0.options.0.options.1"),
    "option beside subcommand": (command("c", option("a"), fire()["options"][0]), "0.options"),
    "group in a group": (command("c", GROUP | {"options": [GROUP]}), "0.options.0.options.0.type"),
    "26 choices": (command("c", option("a", choices=[CHOICE] * 26)), "0.options.0.choices"),
    "choice of 101": (
        command("c", option("a", choices=[CHOICE | {"value": "v" * 101}])),
        "0.options.0.choices.0.value",
    ),
    "choices and autocomplete": (
        command("c", option("a", choices=[CHOICE], autocomplete=True)),
        "0.options.0",
    ),
    "autocomplete of a boolean": (command("c", option("a", 5, autocomplete=True)), "0.options.0"),
    "range of a string": (command("c", option("a", min_value=1)), "0.options.0"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_commands(api: Api, name: str) -> None:
    body, fault = REFUSED[name]
    status, answer = await api.register(body)
    assert (status, answer["code"]) == (400, 50035)
    assert fault in places(answer["errors"])
    assert [c["name"] for c in api.standin.commands.all()] == ["ask"]


def sized(total: int) -> dict[str, Any]:
    """A command of four subcommands that counts exactly `total` characters, 7,518 to 10,000."""
    full, rest = divmod(total - 7514, 100)
    options = [option(f"o{n:02}", description="d" * 97) for n in range(25)]
    last = [*options[:full], option("end", description="d" * (rest - 3))]
    subs = [{"name": f"s{n}", "description": "d", "type": 1, "options": options} for n in range(3)]
    return command("c", *subs, {"name": "s3", "description": "d", "type": 1, "options": last})


async def test_a_command_holds_8000_characters(api: Api) -> None:
    assert command_size(sized(8000)) == 8000
    assert (await api.register(sized(8000)))[0] == 200
    assert places((await api.register(sized(8001)))[1]["errors"]) == ["0.name"]


async def test_100_commands_and_200_creations_a_day(api: Api) -> None:
    assert (await api.register(*[command(f"c{n}") for n in range(101)]))[1]["code"] == 30032
    assert (await api.register(*[command(f"c{n}") for n in range(100)]))[0] == 200
    assert (await api.register(*[command(f"c{n}", description="new") for n in range(100)]))[
        0
    ] == 200
    assert (await api.register(*[command(f"d{n}") for n in range(100)]))[1]["code"] == 30034
    api.standin.clock.advance(86_401)
    status, answer = await api.register(*[command(f"d{n}") for n in range(100)])
    assert status == 200
    one = f"/applications/{api.app}/commands/{answer[0]['id']}"
    assert (await api.call("PATCH", one, {"description": "other"}))[1]["description"] == "other"
    assert (await api.call("DELETE", one))[0] == 204
    assert (await api.call("GET", one))[1]["code"] == 10063


def field(kind: int = 4, **more: Any) -> dict[str, Any]:
    """A labelled field of a form."""
    inner = {"type": 4, "custom_id": "f", "style": 1} if kind == 4 else select()
    return {"type": 18, "label": "L", "component": inner | more}


def form(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A form."""
    return {"custom_id": "m", "title": "T", "components": list(parts), **more}


FORMS: dict[str, tuple[dict[str, Any], str | None]] = {
    "select in a label": (form(field(3)), None),
    "5 fields": (form(*[field(custom_id=str(n)) for n in range(5)]), None),
    "6 fields": (form(*[field(custom_id=str(n)) for n in range(6)]), "data.components"),
    "no field": (form(), "data.components"),
    "title 46": (form(field(), title="t" * 46), "data.title"),
    "label 46": (form(field() | {"label": "l" * 46}), "data.components.0.label"),
    "value 4,001": (form(field(value="v" * 4001)), "data.components.0.component.value"),
    "select in a row": (
        form({"type": 1, "components": [select()]}),
        "data.components.0.components.0.type",
    ),
    "required, yet nothing chosen": (
        form(field(3, min_values=0)),
        "data.components.0.component.min_values",
    ),
    "same custom_id": (form(field(), field()), "data.components"),
}


@pytest.mark.parametrize("name", FORMS)
async def test_forms(api: Api, name: str) -> None:
    body, fault = FORMS[name]
    asked = ask(api)
    status, answer = await api.respond(asked, 9, body)
    if fault is None:
        assert status == 204, answer
    else:
        assert fault in places(answer["errors"])
        assert asked.failed
        assert (await api.respond(asked, 4, {"content": "then this"}))[0] == 204


async def test_autocomplete_shows_25(api: Api) -> None:
    anna, table = api.standin.user("Anna"), api.standin.channel()
    asked = anna.complete(table, "ask", "text", "")
    assert places((await api.respond(asked, 8, {"choices": [CHOICE] * 26}))[1]["errors"]) == [
        "data.choices"
    ]
    long = {"name": "n", "value": "v" * 101}
    assert places((await api.respond(asked, 8, {"choices": [long]}))[1]["errors"]) == [
        "data.choices.0.value"
    ]
    assert places((await api.respond(asked, 4, {"content": "c"}))[1]["errors"]) == ["type"]
    assert (await api.respond(asked, 8, {"choices": [CHOICE] * 25}))[0] == 204
    assert (await api.hook("POST", asked, None, {"content": "c"}))[1]["code"] == 10015


async def test_each_kind_of_interaction_has_its_responses(api: Api) -> None:
    anna, table = api.standin.user("Anna"), api.standin.channel()
    asked = ask(api)
    for kind in (1, 6, 7, 8):
        assert places((await api.respond(asked, kind, {"content": "c"}))[1]["errors"]) == ["type"]
    assert (await api.hook("POST", asked, None, {"content": "c"}))[1]["code"] == 10015
    assert (await api.respond(asked, 4, rows(button())))[0] == 204
    assert (await api.respond(asked, 4, {"content": "c"}))[1]["code"] == 40060
    assert (await api.respond(asked, 9, form(field())))[1]["code"] == 40060
    opened = anna.send_press(await asked.answer(), "B")
    assert (await api.respond(opened, 9, form(field())))[0] == 204
    sent = anna.send_modal(opened, {"f": "12"})
    assert places((await api.respond(sent, 9, form(field())))[1]["errors"]) == ["type"]
    assert (await api.respond(sent, 7, {"content": "updated", "components": []}))[0] == 204
    assert [m.text for m in anna.sees(table)] == ["updated"]
    api.standin.clock.advance(11)
    assert (await api.respond(ask(api), 4, {"content": "c"}))[0] == 204
    late = ask(api)
    api.standin.clock.advance(10.1)
    assert (await api.respond(late, 5))[1]["code"] == 10062


async def test_what_a_token_reaches(api: Api) -> None:
    asked = ask(api)
    await api.respond(asked, 5, {"flags": EPHEMERAL})
    status, answer = await api.hook("PATCH", asked, "@original", {"content": "done"})
    assert status == 200
    assert answer["flags"] == EPHEMERAL
    assert (await api.call("PATCH", f"/channels/{asked.channel.id}/messages/{answer['id']}", {}))[
        1
    ]["code"] == 10008
    further = (await api.hook("POST", asked, None, {"content": "more"}))[1]
    assert (await api.hook("PATCH", asked, further["id"], {"content": "yet more"}))[0] == 200
    assert (await api.hook("DELETE", asked, "@original"))[0] == 204
    assert (await api.hook("GET", asked, "@original"))[1]["code"] == 10008
    other = ask(api)
    await api.respond(other, 6 if other.source else 4, {"content": "c"})
    assert (await api.hook("PATCH", other, further["id"], {"content": "not mine"}))[1][
        "code"
    ] == 10008


async def test_a_dismissed_placeholder_cannot_be_filled(api: Api) -> None:
    asked = ask(api)
    await api.respond(asked, 5, {"flags": EPHEMERAL})
    assert asked.original is not None
    api.standin.user("Anna").dismiss(asked.original)
    assert (await api.hook("POST", asked, None, {"content": "c"}))[1]["code"] == 10008


async def test_permissions(api: Api) -> None:
    table = api.standin.channel("table")
    assert (await api.post(table, {"embeds": [embed()]}))[0] == 200
    api.standin.permit_bot(table, embed_links=False)
    assert (await api.post(table, {"embeds": [embed()]}))[1]["code"] == 50013
    api.standin.permit_bot(table, send_messages=False)
    assert (await api.post(table, {"content": "c"}))[1]["code"] == 50013
    api.standin.permit_bot(table, view_channel=False)
    assert (await api.post(table, {"content": "c"}))[1]["code"] == 50001
    asked = api.standin.user("Anna").send(table, "ask")
    assert (await api.respond(asked, 4, {"content": "c", "embeds": [embed()]}))[0] == 204
    assert (await asked.answer()).embeds == []
    api.standin.remove_bot(api.standin.guild)
    assert (await api.post(api.standin.channel(), {"content": "c"}))[1]["code"] == 50001
    assert (await api.call("GET", f"/guilds/{api.standin.guild.id}"))[1]["code"] == 50001


async def test_direct_messages(api: Api) -> None:
    anna = api.standin.stranger("Anna")
    status, dm = await api.call("POST", "/users/@me/channels", {"recipient_id": str(anna.id)})
    assert (status, dm["id"]) == (200, str(anna.dm().id))
    assert (await api.post(anna.dm(), {"content": "hello"}))[0] == 200
    anna.user.refuses_dms = True
    assert (await api.post(anna.dm(), {"content": "hello"}))[1]["code"] == 50007


async def test_others_messages_and_unknown_ones(api: Api) -> None:
    table = api.standin.channel()
    said = api.standin.user("Anna").say(table, "hello")
    where = f"/channels/{table.id}/messages/"
    assert (await api.call("PATCH", f"{where}{said.id}", {"content": "mine"}))[1]["code"] == 50005
    assert (await api.call("DELETE", f"{where}{said.id}"))[1]["code"] == 50013
    assert (await api.call("PATCH", f"{where}1", {"content": "c"}))[1]["code"] == 10008
    assert (await api.call("GET", "/channels/1"))[1]["code"] == 10003
    reply = {"content": "c", "message_reference": {"message_id": "1"}}
    assert places((await api.post(table, reply))[1]["errors"]) == ["message_reference"]


NOBODY: dict[str, Any] = {"parse": []}


@pytest.mark.parametrize(
    ("text", "rules", "pinged"),
    [
        ("hi <@{}>", None, True),
        ("hi `<@{}>`", None, False),
        ("hi <@{}>", NOBODY, False),
        ("hi <@{}>", {"parse": ["users"]}, True),
        ("hi <@{}>", {"users": ["{}"]}, True),
        ("hi <@{}>", {"users": ["1"]}, False),
        ("hi @everyone", None, False),
    ],
)
async def test_who_is_pinged(
    api: Api, text: str, rules: dict[str, Any] | None, pinged: bool
) -> None:
    anna, table = api.standin.user("Anna"), api.standin.channel()
    body: dict[str, Any] = {"content": text.replace("{}", str(anna.id))}
    if rules is not None:
        body["allowed_mentions"] = json.loads(json.dumps(rules).replace("{}", str(anna.id)))
    await api.post(table, body)
    assert api.standin.messages(table)[0].pings == ({str(anna.id)} if pinged else set())


async def test_everyone_is_pinged_only_with_that_permission(api: Api) -> None:
    table = api.standin.channel()
    api.standin.permit_bot(table, mention_everyone=True)
    await api.post(table, {"content": "@everyone"})
    await api.post(table, {"content": "@everyone", "allowed_mentions": NOBODY})
    assert [m.pings for m in api.standin.messages(table)] == [{"everyone"}, set()]


async def test_a_wrong_token_and_too_many_requests() -> None:
    async with (
        DiscordStandIn.running(requests_per_second=5) as standin,
        aiohttp.ClientSession() as session,
    ):
        async with session.get(standin.url + "/users/@me") as response:
            assert response.status == 401
        api = Api(standin, session)
        answers = [await api.call("GET", "/users/@me") for _ in range(6)]
        assert [status for status, _ in answers] == [200] * 5 + [429]
        assert answers[-1][1]["global"]
        assert 0 < answers[-1][1]["retry_after"] <= 1
