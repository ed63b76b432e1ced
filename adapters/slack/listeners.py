"""What Slack tells the app, and what is done about it; all is acknowledged well within three
seconds.
"""

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from adapters.slack.calls import Busy, SlackRefused
from adapters.slack.forms import SlackForms
from adapters.slack.home import SAY, Home, is_from_home
from adapters.slack.installation import HERE, post_welcome
from adapters.slack.modal import WINDOW, read_meta
from adapters.slack.render import ACTION
from adapters.slack.request import (
    PLATFORM,
    Json,
    SlackRequest,
    get_team,
    read_command_payload,
    read_event_payload,
    read_press_payload,
    read_shortcut_payload,
)
from adapters.slack.request_handler import Ack, Quick, RequestHandler
from adapters.slack.teams import Team
from adapters.slack.text import get_text_after_mention, remove_markup
from bot.rules.errors import UserError
from bot.ui.reply.reply import OPEN_FORM, Reply, build_error_reply
from bot.ui.spec import Command, Person, Receipt
from bot.ui.typing.command_text import ParsedCommand

log = logging.getLogger(__name__)

ANY_COMMAND = "/grognard"
TEXT = ("as typed",)
"""The path under which a text is written down that is yet to be read."""
_WRITTEN = (None, "file_share", "thread_broadcast")
ONCE = ("close",)
"""Buttons of public messages that go when they were pressed."""
PRIVATE_PAGES = ("help", "whatif", "back")
"""Buttons whose private message becomes the next screen; under a message for all they open one."""
IN_PLACE = (
    *("log", "die", "handcard", "handpage", "reveal", "consent", "refuse", "snooze"),
    "handover",
)
"""Buttons whose message becomes the answer, or the next page."""
PATIENCE = 1.0  # the answer waits no longer for it


def get_bot_of_event(body: Json, team: Team) -> str:
    """Return the bot's id where the event came from. An installation for a whole organization has
    another one in each workspace, and the event names it.
    """
    authorizations: Sequence[Json] = body.get("authorizations") or ({},)
    return str(authorizations[0].get("user_id") or team.bot_user)


class Listeners:
    """Requests in, answers out."""

    def __init__(self, work: RequestHandler) -> None:
        self._work, self.forms, self.home = work, SlackForms(work), Home(work)
        work.answered = self.home.schedule_redraw

    async def on_command(self, ack: Ack, body: Json) -> None:
        """A slash command; one without options opens its form, which must come before any work."""
        request = read_command_payload(body)
        text = format_command_line(
            body["command"].casefold(), remove_markup(body.get("text") or "")
        )
        if not await self.forms.open_for_command(request, text, ack):
            await self._run_text(ack, request, text, ())

    async def on_message(self, ack: Ack, body: Json) -> None:
        """A message in the direct messages with the bot."""
        if body["event"].get("channel_type") == "im":
            await self.on_mention(ack, body)
        else:
            await ack()

    async def on_action(self, ack: Ack, body: Json) -> None:
        """A button of an answer, or a choice in a menu of one."""
        action = body["actions"][0]
        does = str((action.get("selected_option") or action).get("value") or "")
        request = read_press_payload(body)
        if picked := is_from_home(body) and action.get("selected_conversation"):
            if there := await self.home.read_picked_channel(request, picked, ack):
                await self.forms.open_from_button(there, "game start")
            return
        quick = self.home.create_modal_reply(request, ack) if is_from_home(body) else None
        if is_from_home(body):
            request = await self.home.read_press(request, body)
        view = body.get("view") or {}
        if view.get("callback_id") == WINDOW:
            asked = replace(
                read_meta(view, request.user).request, trigger=request.trigger, view=view["id"]
            )
            with self._work.posts.hands.pause_during_press(asked):
                await self._run_press(ack, replace(asked, request_id=request.request_id), does, {})
        elif view.get("type") == "modal":
            await self.forms.on_action(ack, body)
        elif not str(action.get("action_id", "")).startswith(ACTION):
            await ack()
        elif does.startswith(SAY):
            await self._run_text(ack, request, does.removeprefix(SAY), (), quick)
        elif does.startswith(OPEN_FORM):
            await ack()
            await self.forms.open_from_button(request, does.removeprefix(OPEN_FORM))
        else:
            await self._run_press(ack, request, does, body.get("message") or {}, quick)

    async def on_shortcut(self, ack: Ack, body: Json) -> None:
        """A shortcut: of a message with a roll, what its button does; else a form in the game
        where it is one's go.
        """
        name = str(body.get("callback_id") or "")
        message = body.get("message") or {}
        request = read_shortcut_payload(body)
        if message:
            does = _find_button_action(message, name)
            if does:
                await self._run_press(ack, request, does, message)
                return
            await ack()
            nothing = UserError(
                "That message has no roll to undo or show odds for.", code="not-repeatable"
            )
            await self._work.posts.deliver(request, build_error_reply(nothing))
            return
        await ack()
        request, shot = await self.home.find_next_game(request, fires=name == "fire")
        if name == "fire" and not shot:
            nobody = UserError("You play in no game here whose units fire.", code="no-game")
            await self._work.posts.deliver(request, build_error_reply(nobody))
            return
        await self.forms.open_from_button(request, shot or "roll")

    async def on_uninstalled(self, ack: Ack, body: Json) -> None:
        """The app was removed from a workspace: its games wait for the host's retention to end."""
        await ack()
        team = get_team(body)
        if await self._work.teams.is_back(team, self._work.wire):
            return
        await self._work.teams.remove(team)
        await self._work.app.store.mark_server_left(f"{PLATFORM}{team}")

    async def on_revoked(self, ack: Ack, body: Json) -> None:
        """Tokens are dead; the bot's own is as good as a removal."""
        if (body["event"].get("tokens") or {}).get("bot"):
            await self.on_uninstalled(ack, body)
        else:
            await ack()

    async def on_joined(self, ack: Ack, body: Json) -> None:
        """Somebody has joined a channel: if it is the bot, it says what it is."""
        await ack()
        event = body["event"]
        team = await self._work.teams.find(get_team(body))
        if team is not None and event.get("user") in (team.bot_user, get_bot_of_event(body, team)):
            channel = str(event["channel"])
            await post_welcome(self._work.app, self._work.wire, team, channel, HERE)

    async def on_mention(self, ack: Ack, body: Json) -> None:
        """A message that names the bot, which is the way to play in threads; or one to it alone."""
        event = body["event"]
        team = await self._work.teams.find(get_team(body))
        own = {team.bot_user, get_bot_of_event(body, team)} if team is not None else set[str]()
        if team is None or not _is_command(event) or event["user"] in own:
            await ack()
            return
        text = remove_markup(
            get_text_after_mention(event.get("text") or "", get_bot_of_event(body, team))
        )
        if _NOTHING.fullmatch(text):  # thanks, @grognard
            await ack()
            return
        await self._run_text(
            ack, read_event_payload(body), text or "help", event.get("files") or ()
        )

    async def answer_receipt(self, receipt: Receipt) -> None:
        """Answer a request that a dead process acknowledged, and no more."""
        request = SlackRequest.from_stored_command(receipt.command)
        command = replace(receipt.command, who=await self._work.people.find(request))

        async def run() -> Reply:
            return await (
                await self._work.start_work(
                    request, partial(self._run_stored_command, request, command)
                )
            )

        with self._work.track_work():
            reply = await self._work.app.answer_receipt(receipt._replace(command=command), run)
            await self._work.post_acknowledged_answer(request, command, reply)

    async def _run_stored_command(
        self, request: SlackRequest, command: Command, who: Person
    ) -> Reply:
        """The answer to a command as it is written down; a text is read first, and where it is
        refused offers the form."""
        options = command.options
        if command.path == TEXT:
            return await self._read_and_run(request, str(options["text"]), options["files"], who)
        if command.path[0] == "button":
            where = await self._work.find_place(request, command.path)
            action = f"{command.path[1]}:{options['rest']}"
            return await self._work.app.press(
                action, who, where, request.request_id, request.to_json()
            )
        spec = await self._work.app.find_spec_in_place(command.path, request.where)
        return await self._work.run_command(request, spec, options, who)

    async def _read_and_run(
        self, request: SlackRequest, text: str, files: Any, who: Person
    ) -> Reply:
        try:
            read = add_file(await self._work.app.parse_line(text, request.where, who), files)
        except UserError as error:
            return await self.forms.offer_correction(request, build_error_reply(error, text), text)
        invitation = await self._work.app.invite_to_form(
            read.spec, read.options, who, request.where
        )
        if invitation is not None:
            return invitation
        reply = await self._work.run_command(request, read.spec, read.options, who)
        if not reply.error or reply.seen:
            return reply
        return await self._work.app.forms.offer_correction(reply, read.spec, read.options, who)

    async def _run_text(
        self, ack: Ack, request: SlackRequest, text: str, files: Any, quick: Quick | None = None
    ) -> None:
        """Run a command given as text and answer it."""
        command = request.build_command(TEXT, {"text": text, "files": list(files)})
        await self._work.answer_request(
            request, command, partial(self._run_stored_command, request, command), ack, quick=quick
        )

    async def _run_press(
        self,
        ack: Ack,
        request: SlackRequest,
        action: str,
        message: Mapping[str, Any],
        quick: Quick | None = None,
    ) -> None:
        """Do what a button stands for; `message` is the one under which it hangs, unless that is
        private. `quick` may take care of a quick reply by itself."""
        name, _, rest = action.partition(":")
        is_for_all = bool(message.get("blocks"))
        replaces = not request.view and (
            name in IN_PLACE or (name in PRIVATE_PAGES and not is_for_all)
        )
        request = replace(request, replaces=replaces, pressed=is_for_all)
        command = request.build_command(("button", name), {"rest": rest})

        async def press(who: Person) -> Reply:
            reply = await self._run_stored_command(request, command, who)
            if name in ONCE and not (reply.error or reply.seen) and is_for_all:
                self._work.run_in_background(self._remove_used_buttons(request, message))
            return reply

        await self._work.answer_request(request, command, press, ack, quick=quick)

    async def _remove_used_buttons(self, request: SlackRequest, message: Mapping[str, Any]) -> None:
        """Leave the message without the buttons that have done their work. It is no harm when
        that fails.
        """
        body = {
            "replace_original": True,
            "text": message.get("text") or "-",
            "blocks": remove_one_time_buttons(message["blocks"]),
        }
        try:
            await asyncio.wait_for(self._work.wire.respond(request.response_url, body), PATIENCE)
        except (Busy, SlackRefused, TimeoutError) as trouble:
            log.info("could not remove buttons: %s", trouble)


_NOTHING = re.compile(
    r"(?:thank you|thanks|thx|cheers|great|nice|ok)?[\s.!,:)]+|(?:thank you|thanks|thx|cheers)",
    re.I,
)
"""What asks for nothing, behind a mention or before it."""


def format_command_line(name: str, text: str) -> str:
    """The command as text: the slash command's name and what follows; `/lnlt help` asks as
    `/help lnlt` does.
    """
    if name == ANY_COMMAND:
        return text
    if text.casefold() in ("help", "?"):
        return f"help {name.removeprefix('/')}"
    return f"{name} {text}".strip()


def _find_button_action(message: Json, name: str) -> str:
    """The action of a message's button of this name; "" where it has none."""
    elements = [
        element for block in message.get("blocks") or () for element in block.get("elements") or ()
    ]
    values = [str(element.get("value") or "") for element in elements]
    return next((value for value in values if value.startswith(f"{name}:")), "")


def add_file(read: ParsedCommand, files: Any) -> ParsedCommand:
    """A command with the first file that came with its message; a file's name in its place is
    not a file.
    """
    options = dict(read.options)
    for option in read.spec.options:
        if option.type == "file":
            options.pop(option.name, None)
            if files:
                options[option.name] = files[0]
    return ParsedCommand(read.spec, options)


def _is_command(event: Mapping[str, Any]) -> bool:
    """Return whether a person wrote it, new: no bot, no edit, no deletion."""
    return event.get("subtype") in _WRITTEN and not event.get("bot_id") and bool(event.get("user"))


def remove_one_time_buttons(blocks: list[Json]) -> list[Json]:
    """Blocks without the buttons that are pressed once; an empty row goes too."""
    kept = []
    for block in blocks:
        if block.get("type") == "actions":
            block = block | {
                "elements": [
                    element for element in block["elements"] if not _is_one_time_button(element)
                ]
            }
            if not block["elements"]:
                continue
        kept.append(block)
    return kept


def _is_one_time_button(element: Mapping[str, Any]) -> bool:
    return str(element.get("action_id", "")).removeprefix(ACTION).partition(":")[0] in ONCE
