"""What people do on Discord, and what is done about it: commands, choices while typing, buttons,
forms, the menu of a message. All that one of them needs is in its ids and in the store, so it works
after a restart."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import discord

from adapters.discord.calls import CHOICES, Refused, Unsure, Wire
from adapters.discord.channels import confirmed
from adapters.discord.command_payload import ATTACHMENT, CHANNEL, ENTRIES
from adapters.discord.delivery import Delivery
from adapters.discord.modal import ROOM, filled, modal
from adapters.discord.permissions import list_rights, missing, warning
from adapters.discord.registration import ServerCommands
from adapters.discord.render import ACTION, FORM_PART, MENU
from adapters.discord.request import Request
from adapters.forms import begun, kept, opened
from bot.app import App
from bot.interface.form.form import HAND, ODDS, SECRET, asks
from bot.interface.reply.packing import MOST_BYTES, file_text, too_large
from bot.interface.reply.reply import OPEN_FORM, Reply, error_reply
from bot.interface.spec import LIST_BOT_RIGHTS, Command, CommandSpec, Path, Receipt
from bot.interface.typing.complete import MAX_LENGTH, meant
from bot.outbox.receipts import NOT_WRITTEN
from bot.rules.errors import UserError
from bot.rules.text.plain import visible

_BRANCHES = (1, 2)


@dataclass(frozen=True, slots=True)
class Read:
    """A path, its options as typed (a file as Discord describes it), the option under the cursor,
    and channels.

    Each channel is as Discord resolved it for who asks; {} for an id that it did not resolve.
    """

    path: Path
    options: dict[str, object]
    focused: str = ""
    typed: str = ""
    channels: Mapping[str, Mapping[str, Any]] | None = None


def read_command(data: Mapping[str, Any], server: str) -> Read:
    """What the data of an interaction says. A channel becomes its place's key."""
    path = [str(data["name"])]
    entries: Sequence[Mapping[str, Any]] = data.get("options") or ()
    while len(entries) == 1 and entries[0]["type"] in _BRANCHES:
        path.append(str(entries[0]["name"]))
        entries = entries[0].get("options") or ()
    options: dict[str, object] = {}
    channels: dict[str, Mapping[str, Any]] = {}
    focused = typed = ""
    resolved = data.get("resolved") or {}
    attached = resolved.get("attachments") or {}
    known = resolved.get("channels") or {}
    for entry in entries:
        name = str(entry["name"])
        value = entry.get("value")
        if entry.get("focused"):
            focused = name
            typed = str(value or "")
        elif entry["type"] == ATTACHMENT:
            options[name] = attached.get(str(value), {})
        elif entry["type"] == CHANNEL:
            options[name] = f"{server}/{value}"
            channels[name] = known.get(str(value)) or {}
        else:
            options[name] = value
    return Read(tuple(path), options, focused, typed, channels)


async def fetch_files(options: dict[str, object], wire: Wire) -> None:
    """Put the text of attached files in their place. Raises UserError for one that is too large
    or no text.
    """
    for name, file in list(options.items()):
        if not isinstance(file, Mapping):
            continue
        shown = str(file.get("filename") or "the file")[:60]
        if int(file.get("size") or 0) > MOST_BYTES:
            raise too_large(shown)
        try:
            data = await wire.download(str(file["url"]), MOST_BYTES)
            options[name] = await asyncio.to_thread(file_text, data, shown)
        except ValueError:
            raise too_large(shown) from None
        except (Unsure, KeyError):
            what = f"{shown} could not be fetched from Discord."
            raise UserError(what, hint="Try again.", option=name, code="unreadable-file") from None


log = logging.getLogger(__name__)

BEFORE_A_RECEIPT = 2.0
"""Seconds for what has to be read before anything can be shown, such as a form."""
ABOUT_THE_GAME = (("game", "start"), ("game", "status"))
"""Commands whose answer also says what the bot may not do in the channel."""
HANDS = ("handcard", "handpage")
PAGES = ("log", "die", "help", "whatif", "back", *HANDS)
"""Buttons that change the private message under which they hang, as long as the answer is
private too.
"""
ENABLES = "packon"
SETTLING = ("consent", "refuse", "reveal", "snooze", "handover")
"""Buttons whose public message becomes the answer."""


@dataclass(frozen=True, slots=True)
class Work:
    """The parts of the adapter at work; `client` is the library's connection, asked about channels
    and servers, and `servers` sees to the commands of their packs."""

    app: App
    wire: Wire
    delivery: Delivery
    client: discord.AutoShardedClient
    servers: ServerCommands | None = None

    async def with_menu(self, request: Request, reply: Reply) -> Reply:
        """The answer to what may have changed the packs of a server, once Discord has its new
        menu, or says why not.
        """
        return (
            reply
            if self.servers is None
            else await self.servers.with_trouble(request.where.server, reply)
        )


@asynccontextmanager
async def _in_time() -> AsyncIterator[None]:
    """A block that reads what the first response needs. Raises UserError where the store takes
    too long for that.
    """
    try:
        async with asyncio.timeout(BEFORE_A_RECEIPT):
            yield
    except TimeoutError:
        raise NOT_WRITTEN from None


def _command(
    request: Request,
    path: Path,
    options: Mapping[str, object],
    *,
    private: bool,
    spec: CommandSpec | None = None,
    **more: object,
) -> Command:
    """What is asked, as it is written down."""
    delivery = request.to_json(private=private, **more)
    return Command(
        path, options, request.who, request.where, request.request_id, delivery, spec=spec
    )


# Commands


async def run_command(work: Work, request: Request, data: Mapping[str, Any]) -> None:
    """Run a slash command; one that lacks what it needs opens the guided form, and a refusal
    leads to it.
    """
    read = read_command(data, request.where.server)
    async with _in_time():
        spec = await work.app.spec_at(read.path, request.where)
        called = await work.app.called(spec, meant(spec, read.options), request.who, request.where)
        sequence = await work.app.find_sequence(*called, request.who, request.where)
    spec = called.spec if sequence is None else sequence
    options = dict(called.options) if sequence is None else {}
    private = spec.is_private(options)
    if asks(spec, options):
        async with _in_time():
            offer = await work.app.forms.offer_scenario(spec, options, request.who, request.where)
        if offer is not None:
            await work.delivery.say(request, offer)
            return
        async with _in_time():
            form = await begun(work.app, ROOM, spec, options, request.who, request.where)
        await work.delivery.show(request, modal(form.form, form.draft.key))
        return
    more = {"resolved": dict(read.channels)} if read.channels else {}
    command = _command(request, spec.path, options, private=private, spec=spec, **more)

    async def run() -> Reply:
        return await work.app.forms.offered(
            await answer(work, request, command), spec, options, request.who
        )

    await work.delivery.serve(request, command, run())


async def answer(work: Work, request: Request, command: Command) -> Reply:
    """The answer to a command, whose files are fetched and channels confirmed first."""
    options = dict(command.options)
    try:
        await fetch_files(options, work.wire)
        named = command.delivery.get("resolved") if not request.owner else None
        channels = await confirmed(work.client, request, named)
    except UserError as error:
        return error_reply(error)
    rights = list_rights(request) if command.path == LIST_BOT_RIGHTS else None
    reply = await work.app.run(
        replace(command, options=options, channels=channels, bot_rights=rights)
    )
    if command.path[0] == "pack":
        return await work.with_menu(request, reply)
    return _with_warning(reply, request) if command.path in ABOUT_THE_GAME else reply


def _with_warning(reply: Reply, request: Request) -> Reply:
    """The reply, which also names the permissions that the bot lacks in this channel."""
    if reply.error or request.owner or not (lacking := missing(request, files=True)):
        return reply
    return replace(reply, lines=(*reply.lines, warning(lacking)))


async def make_good(work: Work, receipt: Receipt) -> None:
    """Answer a command or press whose receipt a dead process left."""
    command = receipt.command
    request = Request.from_json(
        {**command.delivery, "name": command.who.name, "manager": command.who.manager}
    )
    reply = await work.app.make_good(receipt, lambda: answer(work, request, command))
    await work.delivery.make_good(request, reply)


async def complete(work: Work, request: Request, data: Mapping[str, Any]) -> None:
    """Answer with choices, which are no more and no longer than Discord takes."""
    read = read_command(data, request.where.server)
    found = await work.app.complete(
        read.path, read.focused, read.typed, read.options, request.who, request.where
    )
    named = (
        (visible(choice.name)[:MAX_LENGTH].strip() or choice.value, choice.value)
        for choice in found
    )
    choices = [{"name": name, "value": value} for name, value in named]
    try:
        await work.wire.respond(request, CHOICES, data={"choices": choices})
    except (Refused, Unsure) as error:
        log.info("suggestions came too late: %s", error)


# Buttons


async def press(work: Work, request: Request, data: Mapping[str, Any]) -> None:
    """Run what a button is for, or a choice in a menu of an answer."""
    custom_id = str(data.get("custom_id") or "")
    if custom_id.startswith(FORM_PART):
        await _submitted(work, request, custom_id.removeprefix(FORM_PART), data)
        return
    chosen = next(iter(data.get("values") or ()), "") if custom_id.startswith(MENU) else custom_id
    action = str(chosen).removeprefix(ACTION)
    if action.startswith(OPEN_FORM):
        async with _in_time():
            offer = await work.app.forms.offer_instead(
                action.removeprefix(OPEN_FORM), request.who, request.where
            )
        if offer is not None:
            await work.delivery.say(request, offer)
            return
        async with _in_time():
            draft = await work.app.forms.opened(
                action.removeprefix(OPEN_FORM), request.who, request.where
            )
            form = await opened(work.app, ROOM, draft, request.who, request.where)
        await work.delivery.show(request, modal(form.form, form.draft.key))
        return
    name, _, rest = action.partition(":")
    private = work.app.spec(("button", name)).is_private({})
    command = _command(request, ("button", name), {"rest": rest}, private=private)

    async def run() -> Reply:
        reply = await work.app.press(
            action, request.who, request.where, request.request_id, command.delivery
        )
        return await work.with_menu(request, reply) if name == ENABLES else reply

    in_place = name in (PAGES if request.private_message else SETTLING)
    with (
        work.delivery.hands.pressed(request)
        if name in HANDS and request.private_message
        else nullcontext()
    ):
        await work.delivery.serve(request, command, run(), in_place=in_place)


async def run_entry(work: Work, request: Request, data: Mapping[str, Any]) -> None:
    """Do what the button of the message does that was chosen in its menu, under Apps, also where it
    is far up, or has gone; whoever chose it is told where it has none. Raises UserError."""
    messages = (data.get("resolved") or {}).get("messages") or {}
    message = messages.get(str(data.get("target_id"))) or {}
    name = ENTRIES.get(str(data.get("name")), "")
    custom_id = next(
        (found for found in _ids(message) if name and found.startswith(f"{ACTION}{name}:")), ""
    )
    if custom_id:
        await press(work, request, {"custom_id": custom_id})
        return
    raise UserError("That message has no roll to undo or show odds for.", code="not-repeatable")


def _ids(part: Any) -> Iterator[str]:
    """The custom ids of a message's buttons, however deep they are."""
    if isinstance(part, Mapping):
        if isinstance(found := part.get("custom_id"), str):
            yield found
        for inner in part.get("components") or ():
            yield from _ids(inner)


# Forms


async def _submitted(work: Work, request: Request, key: str, data: Mapping[str, Any]) -> None:
    """Take what was filled into a form, and do what was chosen in it."""
    async with _in_time():
        draft = await work.app.drafts.own(key if "components" in data else "", request.who.key)
        form = await opened(work.app, ROOM, draft, request.who, request.where)
    taken = form.taken(filled(data))
    if taken.problem is not None:
        refusal = error_reply(taken.problem)
        offered = await work.app.forms.offered(refusal, form.spec, taken.options, request.who, key)
        await work.delivery.say(request, offered)
        return
    if await kept(work.app, form, taken):
        command = _command(request, *form.asks(taken), private=taken.how in (ODDS, SECRET, HAND))
        done = form.done(work.app, taken, command)
    else:
        async with _in_time():
            called = await work.app.called(form.spec, taken.options, request.who, request.where)
        private = called.spec.is_private(called.options)
        command = _command(
            request, called.spec.path, called.options, private=private, spec=called.spec
        )
        done = form.done(work.app, taken, command, partial(answer, work, request, command))
    await work.delivery.serve(request, command, done)
