"""Handlers for interactions on Discord: commands, suggestions while typing, buttons, forms, and the
menu of a message.

Each handler needs only the ids in the interaction and the store, so buttons and forms work after a
restart.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import discord

from adapters.discord.calls import DiscordApi, DiscordRefused, ResponseType, Unsure
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
from adapters.form_handling import begin_form, open_form, save_draft_if_runnable
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
"""Discord's types of subcommands and groups of them."""


@dataclass(frozen=True, slots=True)
class IncomingCommand:
    """A command as it was sent: its path and its options as typed.

    `focused` is the option under the cursor and `typed` its text so far; both are "" unless
    suggestions are asked for. A file option is a mapping, as Discord describes the file.
    `channels` holds each channel option as Discord resolved it for the user, {} for an id that it
    did not resolve.
    """

    path: Path
    options: dict[str, object]
    focused: str = ""
    typed: str = ""
    channels: Mapping[str, Mapping[str, Any]] | None = None


def read_command(data: Mapping[str, Any], server: str) -> IncomingCommand:
    """Read the data of a command interaction.

    In the options a channel becomes the key of its place: `server`, a slash and the id.
    """
    path = [str(data["name"])]
    entries: Sequence[Mapping[str, Any]] = data.get("options") or ()
    while len(entries) == 1 and entries[0]["type"] in _BRANCHES:
        path.append(str(entries[0]["name"]))
        entries = entries[0].get("options") or ()
    options: dict[str, object] = {}
    channels: dict[str, Mapping[str, Any]] = {}
    focused = typed = ""
    resolved = data.get("resolved") or {}
    attachments = resolved.get("attachments") or {}
    resolved_channels = resolved.get("channels") or {}
    for entry in entries:
        name = str(entry["name"])
        value = entry.get("value")
        if entry.get("focused"):
            focused = name
            typed = str(value or "")
        elif entry["type"] == ATTACHMENT:
            options[name] = attachments.get(str(value), {})
        elif entry["type"] == CHANNEL:
            options[name] = f"{server}/{value}"
            channels[name] = resolved_channels.get(str(value)) or {}
        else:
            options[name] = value
    return IncomingCommand(tuple(path), options, focused, typed, channels)


async def fetch_files(options: dict[str, object], wire: DiscordApi) -> None:
    """Replace each attached file in `options` by its text, in place.

    Raises UserError for a file that is too large, is not a text, or cannot be fetched.
    """
    for name, file in list(options.items()):
        if not isinstance(file, Mapping):
            continue
        file_name = str(file.get("filename") or "the file")[:60]
        if int(file.get("size") or 0) > MOST_BYTES:
            raise build_too_large_error(file_name)
        try:
            data = await wire.download(str(file["url"]), MOST_BYTES)
            options[name] = await asyncio.to_thread(read_file_text, data, file_name)
        except ValueError:
            raise build_too_large_error(file_name) from None
        except (Unsure, KeyError):
            sentence = f"{file_name} could not be fetched from Discord."
            raise UserError(
                sentence, hint="Try again.", option=name, code="unreadable-file"
            ) from None


log = logging.getLogger(__name__)

BEFORE_A_RECEIPT = 2.0
"""Maximum seconds for reads that a first response needs, such as those for a form."""
ABOUT_THE_GAME = (("game", "start"), ("game", "status"))
"""Commands that also list in their answer the permissions that the bot lacks in the channel."""
HANDS = ("handcard", "handpage")
"""Buttons under an open hand of cards."""
PAGES = ("log", "die", "help", "whatif", "back", *HANDS)
"""Buttons of private messages that change their message, as long as the answer is private too."""
ENABLES = "packon"
"""The button that enables a pack."""
SETTLING = ("consent", "refuse", "reveal", "snooze", "handover")
"""Buttons of public messages that turn their message into the answer."""


@dataclass(frozen=True, slots=True)
class DiscordServices:
    """The parts of the adapter that handlers use.

    `client` is the library's connection, asked about channels and servers. `servers` registers the
    commands of servers' packs.
    """

    app: App
    wire: DiscordApi
    delivery: Delivery
    client: discord.AutoShardedClient
    servers: ServerCommands | None = None

    async def add_menu_problem(self, request: DiscordRequest, reply: Reply) -> Reply:
        """Add to `reply` why Discord did not take a change of the server's menu, if it did not.

        For answers to commands that may change the packs of a server. Waits a few seconds for
        Discord.
        """
        if self.servers is None:
            return reply
        return await self.servers.add_problem(request.where.server, reply)


@asynccontextmanager
async def _limit_time() -> AsyncIterator[None]:
    """Limit the time of a block that reads data for the first response.

    Raises UserError if the block takes longer than BEFORE_A_RECEIPT seconds.
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
    **delivery_additions: object,
) -> Command:
    """Build the command of a request, with the data that its answer needs to be delivered later.

    `private` says whether a receipt for it is private.
    """
    delivery = request.to_json(private=private, **delivery_additions)
    return Command(
        path, options, request.who, request.where, request.request_id, delivery, spec=spec
    )


# Commands


async def run_command(
    services: DiscordServices, request: DiscordRequest, data: Mapping[str, Any]
) -> None:
    """Run a slash command and deliver its answer.

    A command without the options that it needs shows its form, or an offer of scenarios, instead.
    A refusal comes with a button that opens the form.
    """
    incoming = read_command(data, request.where.server)
    async with _limit_time():
        spec = await services.app.find_spec_in_place(incoming.path, request.where)
        options = restore_choice_values(spec, incoming.options)
        resolved = await services.app.resolve_command(spec, options, request.who, request.where)
        sequence = await services.app.find_sequence(*resolved, request.who, request.where)
    spec = resolved.spec if sequence is None else sequence
    options = dict(resolved.options) if sequence is None else {}
    if opens_form(spec, options):
        await _show_form_or_scenarios(services, request, spec, options)
        return
    channels = {"resolved": dict(incoming.channels)} if incoming.channels else {}
    private = spec.is_private(options)
    command = _build_command(request, spec.path, options, private=private, spec=spec, **channels)

    async def run() -> Reply:
        reply = await run_and_answer(services, request, command)
        return await services.app.corrections.offer_correction(reply, spec, options, request.who)

    await services.delivery.serve_request(request, command, run())


async def _show_form_or_scenarios(
    services: DiscordServices,
    request: DiscordRequest,
    spec: CommandSpec,
    options: Mapping[str, object],
) -> None:
    """Show the form of a command, or the offer of scenarios if the app has one for it."""
    async with _limit_time():
        offer = await services.app.forms.offer_scenario(spec, options, request.who, request.where)
    if offer is not None:
        await services.delivery.respond_with(request, offer)
        return
    async with _limit_time():
        form = await begin_form(services.app, ROOM, spec, options, request.who, request.where)
    await services.delivery.show_form(request, build_modal(form.form, form.draft.key))


async def run_and_answer(
    services: DiscordServices, request: DiscordRequest, command: Command
) -> Reply:
    """Run a command and return its reply, after its files are fetched and its channels confirmed.

    A UserError of those two becomes the reply.
    """
    options = dict(command.options)
    try:
        await fetch_files(options, services.wire)
        resolved_channels = None if request.owner else command.delivery.get("resolved")
        channels = await confirm_channels(services.client, request, resolved_channels)
    except UserError as error:
        return build_error_reply(error)
    rights = list_rights(request) if command.path == LIST_BOT_RIGHTS else None
    reply = await services.app.run(
        replace(command, options=options, channels=channels, bot_rights=rights)
    )
    if command.path[0] == "pack":
        return await services.add_menu_problem(request, reply)
    if command.path in ABOUT_THE_GAME:
        return _add_permission_warning(reply, request)
    return reply


def _add_permission_warning(reply: Reply, request: DiscordRequest) -> Reply:
    """Add a line that names the permissions that the bot lacks in the channel, if it lacks any.

    Refusals and answers of own installs stay as they are.
    """
    if reply.error or request.owner:
        return reply
    missing = list_missing_permissions(request, files=True)
    if not missing:
        return reply
    return replace(reply, lines=(*reply.lines, format_permission_warning(missing)))


async def answer_receipt(services: DiscordServices, receipt: Receipt) -> None:
    """Answer a command or press that got a receipt from a process that has died."""
    command = receipt.command
    request = DiscordRequest.from_json(
        {**command.delivery, "name": command.who.name, "manager": command.who.manager}
    )
    reply = await services.app.answer_receipt(
        receipt, lambda: run_and_answer(services, request, command)
    )
    await services.delivery.answer_receipt(request, reply)


async def answer_completion(
    services: DiscordServices, request: DiscordRequest, data: Mapping[str, Any]
) -> None:
    """Send suggestions for the option that is being typed. A failure is only logged."""
    incoming = read_command(data, request.where.server)
    suggestions = await services.app.complete_option(
        incoming.path,
        incoming.focused,
        incoming.typed,
        incoming.options,
        request.who,
        request.where,
    )
    choices = []
    for suggestion in suggestions:
        name = remove_invisible(suggestion.name)[:MAX_LENGTH].strip()
        choices.append({"name": name or suggestion.value, "value": suggestion.value})
    try:
        await services.wire.respond(request, ResponseType.CHOICES, data={"choices": choices})
    except (DiscordRefused, Unsure) as error:
        log.info("suggestions came too late: %s", error)


# Buttons


async def run_press(
    services: DiscordServices, request: DiscordRequest, data: Mapping[str, Any]
) -> None:
    """Run the action of a pressed button or of a choice in a menu, or handle a submitted form."""
    custom_id = str(data.get("custom_id") or "")
    if custom_id.startswith(FORM_PART):
        await _run_form(services, request, custom_id.removeprefix(FORM_PART), data)
        return
    choice = custom_id
    if custom_id.startswith(MENU):
        choice = next(iter(data.get("values") or ()), "")
    action = str(choice).removeprefix(ACTION)
    if action.startswith(OPEN_FORM):
        await _open_form_of_button(services, request, action.removeprefix(OPEN_FORM))
        return
    name, _, arguments = action.partition(":")
    private = services.app.find_spec(("button", name)).is_private({})
    command = _build_command(request, ("button", name), {"rest": arguments}, private=private)

    async def run() -> Reply:
        reply = await services.app.press(
            action, request.who, request.where, request.request_id, command.delivery
        )
        if name == ENABLES:
            return await services.add_menu_problem(request, reply)
        return reply

    in_place = name in (PAGES if request.private_message else SETTLING)
    pause: AbstractContextManager[None] = nullcontext()
    if name in HANDS and request.private_message:
        pause = services.delivery.hands.pause_during_press(request)
    with pause:
        await services.delivery.serve_request(request, command, run(), in_place=in_place)


async def _open_form_of_button(
    services: DiscordServices, request: DiscordRequest, target: str
) -> None:
    """Show the form that a button opens, or the offer of scenarios if the app has one for it.

    `target` is the button's action without its prefix. Raises UserError if the form is gone, if
    this user could not send it, or if reading it takes too long. That Discord does not take the
    form is only logged.
    """
    async with _limit_time():
        offer = await services.app.forms.offer_scenario_for_button(
            target, request.who, request.where
        )
    if offer is not None:
        await services.delivery.respond_with(request, offer)
        return
    async with _limit_time():
        draft = await services.app.forms.open_draft(target, request.who, request.where)
        form = await open_form(services.app, ROOM, draft, request.who, request.where)
    await services.delivery.show_form(request, build_modal(form.form, form.draft.key))


async def run_entry(
    services: DiscordServices, request: DiscordRequest, data: Mapping[str, Any]
) -> None:
    """Run an entry of a message's menu, under Apps: press the message's button of the same name.

    That works for old messages as well. Raises UserError if the message has no such button.
    """
    messages = (data.get("resolved") or {}).get("messages") or {}
    message = messages.get(str(data.get("target_id"))) or {}
    name = ENTRIES.get(str(data.get("name")), "")
    if name:
        for custom_id in _list_custom_ids(message):
            if custom_id.startswith(f"{ACTION}{name}:"):
                await run_press(services, request, {"custom_id": custom_id})
                return
    raise UserError("That message has no roll to undo or show odds for.", code="not-repeatable")


def _list_custom_ids(part: Any) -> Iterator[str]:
    """Yield the custom ids of a message's buttons, at any depth."""
    if isinstance(part, Mapping):
        custom_id = part.get("custom_id")
        if isinstance(custom_id, str):
            yield custom_id
        for inner in part.get("components") or ():
            yield from _list_custom_ids(inner)


# Forms


async def _run_form(
    services: DiscordServices, request: DiscordRequest, key: str, data: Mapping[str, Any]
) -> None:
    """Read a submitted form and run the command that was chosen in it.

    `key` is the key of the form's draft. A value that cannot be read is refused, with a button that
    opens the form again.
    """
    async with _limit_time():
        draft_key = key if "components" in data else ""
        draft = await services.app.drafts.get_own(draft_key, request.who.key)
        form = await open_form(services.app, ROOM, draft, request.who, request.where)
    result = form.read_filled(read_modal(data))
    if result.problem is not None:
        refusal = build_error_reply(result.problem)
        reply = await services.app.corrections.offer_correction(
            refusal, form.spec, result.options, request.who, key
        )
        await services.delivery.respond_with(request, reply)
        return
    if await save_draft_if_runnable(services.app, form, result):
        private = result.roll_mode in (ODDS, SECRET, HAND)
        command = _build_command(request, *form.get_command(result), private=private)
        answering = form.answer_command(services.app, result, command)
    else:
        async with _limit_time():
            resolved = await services.app.resolve_command(
                form.spec, result.options, request.who, request.where
            )
        spec = resolved.spec
        private = spec.is_private(resolved.options)
        command = _build_command(request, spec.path, resolved.options, private=private, spec=spec)
        run = partial(run_and_answer, services, request, command)
        answering = form.answer_command(services.app, result, command, run)
    await services.delivery.serve_request(request, command, answering)
