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

from adapters.discord.calls import CHOICES, DiscordApi, DiscordRefused, Unsure
from adapters.discord.channels import confirm_channels
from adapters.discord.command_payload import ATTACHMENT, CHANNEL, ENTRIES
from adapters.discord.delivery import Delivery
from adapters.discord.modal import ROOM, build_modal, read_modal
from adapters.discord.permissions import (
    format_permission_warning,
    list_missing_permissions,
    list_rights,
)
from adapters.discord.registration import ServerCommands
from adapters.discord.render import ACTION, FORM_PART, MENU
from adapters.discord.request import DiscordRequest
from adapters.forms import begin_form, open_form, save_draft_if_runnable
from bot.app import App
from bot.outbox.receipts import NOT_WRITTEN
from bot.rules.errors import UserError
from bot.rules.text.plain import remove_invisible
from bot.ui.form.form import HAND, ODDS, SECRET, opens_form
from bot.ui.reply.packing import MOST_BYTES, build_too_large_error, read_file_text
from bot.ui.reply.reply import OPEN_FORM, Reply, build_error_reply
from bot.ui.spec import LIST_BOT_RIGHTS, Command, CommandSpec, Path, Receipt
from bot.ui.typing.complete import MAX_LENGTH, restore_choice_values

_BRANCHES = (1, 2)


@dataclass(frozen=True, slots=True)
class IncomingCommand:
    """A path, its options as typed (a file as Discord describes it), the option under the cursor,
    and channels.

    Each channel is as Discord resolved it for who asks; {} for an id that it did not resolve.
    """

    path: Path
    options: dict[str, object]
    focused: str = ""
    typed: str = ""
    channels: Mapping[str, Mapping[str, Any]] | None = None


def read_command(data: Mapping[str, Any], server: str) -> IncomingCommand:
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
    return IncomingCommand(tuple(path), options, focused, typed, channels)


async def fetch_files(options: dict[str, object], wire: DiscordApi) -> None:
    """Put the text of attached files in their place. Raises UserError for one that is too large
    or no text.
    """
    for name, file in list(options.items()):
        if not isinstance(file, Mapping):
            continue
        shown = str(file.get("filename") or "the file")[:60]
        if int(file.get("size") or 0) > MOST_BYTES:
            raise build_too_large_error(shown)
        try:
            data = await wire.download(str(file["url"]), MOST_BYTES)
            options[name] = await asyncio.to_thread(read_file_text, data, shown)
        except ValueError:
            raise build_too_large_error(shown) from None
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
class DiscordServices:
    """The parts of the adapter at work; `client` is the library's connection, asked about channels
    and servers, and `servers` sees to the commands of their packs."""

    app: App
    wire: DiscordApi
    delivery: Delivery
    client: discord.AutoShardedClient
    servers: ServerCommands | None = None

    async def add_menu_problem(self, request: DiscordRequest, reply: Reply) -> Reply:
        """The answer to what may have changed the packs of a server, once Discord has its new
        menu, or says why not.
        """
        return (
            reply
            if self.servers is None
            else await self.servers.add_problem(request.where.server, reply)
        )


@asynccontextmanager
async def _limit_time() -> AsyncIterator[None]:
    """A block that reads what the first response needs. Raises UserError where the store takes
    too long for that.
    """
    try:
        async with asyncio.timeout(BEFORE_A_RECEIPT):
            yield
    except TimeoutError:
        raise NOT_WRITTEN from None


def _build_command(
    request: DiscordRequest,
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


async def run_command(
    work: DiscordServices, request: DiscordRequest, data: Mapping[str, Any]
) -> None:
    """Run a slash command; one that lacks what it needs opens the guided form, and a refusal
    leads to it.
    """
    read = read_command(data, request.where.server)
    async with _limit_time():
        spec = await work.app.find_spec_in_place(read.path, request.where)
        called = await work.app.resolve_command(
            spec, restore_choice_values(spec, read.options), request.who, request.where
        )
        sequence = await work.app.find_sequence(*called, request.who, request.where)
    spec = called.spec if sequence is None else sequence
    options = dict(called.options) if sequence is None else {}
    private = spec.is_private(options)
    if opens_form(spec, options):
        async with _limit_time():
            offer = await work.app.forms.offer_scenario(spec, options, request.who, request.where)
        if offer is not None:
            await work.delivery.respond_with(request, offer)
            return
        async with _limit_time():
            form = await begin_form(work.app, ROOM, spec, options, request.who, request.where)
        await work.delivery.show_form(request, build_modal(form.form, form.draft.key))
        return
    more = {"resolved": dict(read.channels)} if read.channels else {}
    command = _build_command(request, spec.path, options, private=private, spec=spec, **more)

    async def run() -> Reply:
        return await work.app.forms.offer_correction(
            await run_and_answer(work, request, command), spec, options, request.who
        )

    await work.delivery.serve_request(request, command, run())


async def run_and_answer(work: DiscordServices, request: DiscordRequest, command: Command) -> Reply:
    """The answer to a command, whose files are fetched and channels confirmed first."""
    options = dict(command.options)
    try:
        await fetch_files(options, work.wire)
        named = command.delivery.get("resolved") if not request.owner else None
        channels = await confirm_channels(work.client, request, named)
    except UserError as error:
        return build_error_reply(error)
    rights = list_rights(request) if command.path == LIST_BOT_RIGHTS else None
    reply = await work.app.run(
        replace(command, options=options, channels=channels, bot_rights=rights)
    )
    if command.path[0] == "pack":
        return await work.add_menu_problem(request, reply)
    return _add_permission_warning(reply, request) if command.path in ABOUT_THE_GAME else reply


def _add_permission_warning(reply: Reply, request: DiscordRequest) -> Reply:
    """The reply, which also names the permissions that the bot lacks in this channel."""
    if (
        reply.error
        or request.owner
        or not (lacking := list_missing_permissions(request, files=True))
    ):
        return reply
    return replace(reply, lines=(*reply.lines, format_permission_warning(lacking)))


async def answer_receipt(work: DiscordServices, receipt: Receipt) -> None:
    """Answer a command or press whose receipt a dead process left."""
    command = receipt.command
    request = DiscordRequest.from_json(
        {**command.delivery, "name": command.who.name, "manager": command.who.manager}
    )
    reply = await work.app.answer_receipt(receipt, lambda: run_and_answer(work, request, command))
    await work.delivery.answer_receipt(request, reply)


async def answer_completion(
    work: DiscordServices, request: DiscordRequest, data: Mapping[str, Any]
) -> None:
    """Answer with choices, which are no more and no longer than Discord takes."""
    read = read_command(data, request.where.server)
    found = await work.app.complete_option(
        read.path, read.focused, read.typed, read.options, request.who, request.where
    )
    named = (
        (remove_invisible(choice.name)[:MAX_LENGTH].strip() or choice.value, choice.value)
        for choice in found
    )
    choices = [{"name": name, "value": value} for name, value in named]
    try:
        await work.wire.respond(request, CHOICES, data={"choices": choices})
    except (DiscordRefused, Unsure) as error:
        log.info("suggestions came too late: %s", error)


# Buttons


async def run_press(
    work: DiscordServices, request: DiscordRequest, data: Mapping[str, Any]
) -> None:
    """Run what a button is for, or a choice in a menu of an answer."""
    custom_id = str(data.get("custom_id") or "")
    if custom_id.startswith(FORM_PART):
        await _run_form(work, request, custom_id.removeprefix(FORM_PART), data)
        return
    chosen = next(iter(data.get("values") or ()), "") if custom_id.startswith(MENU) else custom_id
    action = str(chosen).removeprefix(ACTION)
    if action.startswith(OPEN_FORM):
        async with _limit_time():
            offer = await work.app.forms.offer_scenario_for_button(
                action.removeprefix(OPEN_FORM), request.who, request.where
            )
        if offer is not None:
            await work.delivery.respond_with(request, offer)
            return
        async with _limit_time():
            draft = await work.app.forms.open_draft(
                action.removeprefix(OPEN_FORM), request.who, request.where
            )
            form = await open_form(work.app, ROOM, draft, request.who, request.where)
        await work.delivery.show_form(request, build_modal(form.form, form.draft.key))
        return
    name, _, rest = action.partition(":")
    private = work.app.find_spec(("button", name)).is_private({})
    command = _build_command(request, ("button", name), {"rest": rest}, private=private)

    async def run() -> Reply:
        reply = await work.app.press(
            action, request.who, request.where, request.request_id, command.delivery
        )
        return await work.add_menu_problem(request, reply) if name == ENABLES else reply

    in_place = name in (PAGES if request.private_message else SETTLING)
    with (
        work.delivery.hands.pause_during_press(request)
        if name in HANDS and request.private_message
        else nullcontext()
    ):
        await work.delivery.serve_request(request, command, run(), in_place=in_place)


async def run_entry(
    work: DiscordServices, request: DiscordRequest, data: Mapping[str, Any]
) -> None:
    """Do what the button of the message does that was chosen in its menu, under Apps, also where it
    is far up, or has gone; whoever chose it is told where it has none. Raises UserError."""
    messages = (data.get("resolved") or {}).get("messages") or {}
    message = messages.get(str(data.get("target_id"))) or {}
    name = ENTRIES.get(str(data.get("name")), "")
    custom_id = next(
        (
            found
            for found in _list_custom_ids(message)
            if name and found.startswith(f"{ACTION}{name}:")
        ),
        "",
    )
    if custom_id:
        await run_press(work, request, {"custom_id": custom_id})
        return
    raise UserError("That message has no roll to undo or show odds for.", code="not-repeatable")


def _list_custom_ids(part: Any) -> Iterator[str]:
    """The custom ids of a message's buttons, however deep they are."""
    if isinstance(part, Mapping):
        if isinstance(found := part.get("custom_id"), str):
            yield found
        for inner in part.get("components") or ():
            yield from _list_custom_ids(inner)


# Forms


async def _run_form(
    work: DiscordServices, request: DiscordRequest, key: str, data: Mapping[str, Any]
) -> None:
    """Take what was filled into a form, and do what was chosen in it."""
    async with _limit_time():
        draft = await work.app.drafts.get_own(key if "components" in data else "", request.who.key)
        form = await open_form(work.app, ROOM, draft, request.who, request.where)
    taken = form.read_filled(read_modal(data))
    if taken.problem is not None:
        refusal = build_error_reply(taken.problem)
        offered = await work.app.forms.offer_correction(
            refusal, form.spec, taken.options, request.who, key
        )
        await work.delivery.respond_with(request, offered)
        return
    if await save_draft_if_runnable(work.app, form, taken):
        command = _build_command(
            request, *form.get_command(taken), private=taken.how in (ODDS, SECRET, HAND)
        )
        done = form.answer_command(work.app, taken, command)
    else:
        async with _limit_time():
            called = await work.app.resolve_command(
                form.spec, taken.options, request.who, request.where
            )
        private = called.spec.is_private(called.options)
        command = _build_command(
            request, called.spec.path, called.options, private=private, spec=called.spec
        )
        done = form.answer_command(
            work.app, taken, command, partial(run_and_answer, work, request, command)
        )
    await work.delivery.serve_request(request, command, done)
