"""Listeners for everything that Slack sends to the app. Each acknowledges well within three
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
from adapters.slack.form_requests import SlackForms
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
"""The path of a stored command that is a text, not parsed yet."""
_WRITTEN = (None, "file_share", "thread_broadcast")
"""Subtypes of messages that a person wrote."""
ONCE = ("close",)
"""Buttons of public messages that are removed after they were pressed."""
PRIVATE_PAGES = ("help", "whatif", "back")
"""Buttons that turn their private message into the next page; under a public message they post a
new private one.
"""
IN_PLACE = (
    *("log", "die", "handcard", "handpage", "reveal", "consent", "refuse", "snooze"),
    "handover",
)
"""Buttons that turn their message into the answer, or the next page."""
BUTTON_REMOVAL_SECONDS = 1.0
"""Maximum seconds for the removal of used buttons."""


def get_bot_of_event(body: Json, team: Team) -> str:
    """Return the bot's user id in the workspace of an event.

    With the installation of an organisation the bot has another id in each workspace, which the
    event names.
    """
    authorizations: Sequence[Json] = body.get("authorizations") or ({},)
    return str(authorizations[0].get("user_id") or team.bot_user)


class Listeners:
    """The listeners for commands, messages, buttons, shortcuts and changes of the installation."""

    def __init__(self, work: RequestHandler) -> None:
        self._work = work
        self.forms = SlackForms(work)
        self.home = Home(work)
        work.on_answered = self.home.schedule_redraw

    async def on_command(self, ack: Ack, body: Json) -> None:
        """Run a slash command, or open its form if it lacks what it needs.

        The form is tried first, because its trigger dies within three seconds.
        """
        request = read_command_payload(body)
        arguments = remove_markup(body.get("text") or "")
        text = format_command_line(body["command"].casefold(), arguments)
        if not await self.forms.open_for_command(request, text, ack):
            await self._run_text(ack, request, text, ())

    async def on_message(self, ack: Ack, body: Json) -> None:
        """Run a message in direct messages with the bot as a command. Other messages are ignored."""
        if body["event"].get("channel_type") == "im":
            await self.on_mention(ack, body)
        else:
            await ack()

    async def on_action(self, ack: Ack, body: Json) -> None:
        """Run a pressed button or a choice in a menu: of a message, a window, a form or the home."""
        pressed = body["actions"][0]
        action = str((pressed.get("selected_option") or pressed).get("value") or "")
        request = read_press_payload(body)
        quick: Quick | None = None
        if is_from_home(body):
            channel = pressed.get("selected_conversation")
            if channel:
                await self._start_game_in(ack, request, channel)
                return
            quick = self.home.create_modal_reply(request, ack)
            request = await self.home.read_press(request, body)
        view = body.get("view") or {}
        if view.get("callback_id") == WINDOW:
            await self._run_press_in_window(ack, request, action, view)
        elif view.get("type") == "modal":
            await self.forms.on_action(ack, body)
        elif not str(pressed.get("action_id", "")).startswith(ACTION):
            await ack()
        elif action.startswith(SAY):
            await self._run_text(ack, request, action.removeprefix(SAY), (), quick)
        elif action.startswith(OPEN_FORM):
            await ack()
            await self.forms.open_from_button(request, action.removeprefix(OPEN_FORM))
        else:
            await self._run_press(ack, request, action, body.get("message") or {}, quick)

    async def _start_game_in(self, ack: Ack, request: SlackRequest, channel: str) -> None:
        """Open the form that starts a game in a channel picked on the home, if the user and the
        bot are members.
        """
        channel_request = await self.home.read_picked_channel(request, channel, ack)
        if channel_request:
            await self.forms.open_from_button(channel_request, "game start")

    async def _run_press_in_window(
        self, ack: Ack, request: SlackRequest, action: str, view: Json
    ) -> None:
        """Run a button of a window in the place where the window was opened.

        The hand in the window is not redrawn meanwhile.
        """
        opener = read_meta(view, request.user).request
        window_request = replace(opener, trigger=request.trigger, view=view["id"])
        with self._work.posts.hands.pause_during_press(window_request):
            press_request = replace(window_request, request_id=request.request_id)
            await self._run_press(ack, press_request, action, {})

    async def on_shortcut(self, ack: Ack, body: Json) -> None:
        """Run a shortcut.

        In the menu of a message it presses the message's button of that name. Elsewhere it opens a
        form in one of the user's games, preferably one that waits for them. If there is no such
        button or game, refuse.
        """
        name = str(body.get("callback_id") or "")
        message = body.get("message") or {}
        request = read_shortcut_payload(body)
        if message:
            action = _find_button_action(message, name)
            if action:
                await self._run_press(ack, request, action, message)
                return
            await ack()
            no_roll = UserError(
                "That message has no roll to undo or show odds for.", code="not-repeatable"
            )
            await self._work.posts.deliver(request, build_error_reply(no_roll))
            return
        await ack()
        request, shot = await self.home.find_next_game(request, fires=name == "fire")
        if name == "fire" and not shot:
            no_game = UserError("None of your games here has a unit that can fire.", code="no-game")
            await self._work.posts.deliver(request, build_error_reply(no_game))
            return
        await self.forms.open_from_button(request, shot or "roll")

    async def on_uninstalled(self, ack: Ack, body: Json) -> None:
        """Delete the installation of a workspace that removed the app, unless it is installed
        again.

        The workspace's games stay until the host's retention ends.
        """
        await ack()
        team = get_team(body)
        if await self._work.teams.is_back(team, self._work.wire):
            return
        await self._work.teams.remove(team)
        await self._work.app.store.mark_server_left(f"{PLATFORM}{team}")

    async def on_revoked(self, ack: Ack, body: Json) -> None:
        """Treat a revoked token of the bot as a removal of the app. Other tokens do not matter."""
        if (body["event"].get("tokens") or {}).get("bot"):
            await self.on_uninstalled(ack, body)
        else:
            await ack()

    async def on_joined(self, ack: Ack, body: Json) -> None:
        """Post the welcome in a channel that the bot has joined."""
        await ack()
        event = body["event"]
        team = await self._work.teams.find(get_team(body))
        if team is not None and event.get("user") in (team.bot_user, get_bot_of_event(body, team)):
            channel = str(event["channel"])
            await post_welcome(self._work.app, self._work.wire, team, channel, HERE)

    async def on_mention(self, ack: Ack, body: Json) -> None:
        """Run a message that mentions the bot, or one in direct messages, as a command.

        Messages of the bot itself, edits and thanks are ignored; a bare mention shows the help.
        """
        event = body["event"]
        team = await self._work.teams.find(get_team(body))
        if team is None or not _is_command(event):
            await ack()
            return
        bot = get_bot_of_event(body, team)
        if event["user"] in (team.bot_user, bot):
            await ack()
            return
        text = remove_markup(get_text_after_mention(event.get("text") or "", bot))
        if _NOTHING.fullmatch(text):  # thanks, @grognard
            await ack()
            return
        files = event.get("files") or ()
        await self._run_text(ack, read_event_payload(body), text or "help", files)

    async def answer_receipt(self, receipt: Receipt) -> None:
        """Answer a request that a process acknowledged before it died."""
        request = SlackRequest.from_stored_command(receipt.command)
        command = replace(receipt.command, who=await self._work.people.find(request))

        async def run() -> Reply:
            run_command = partial(self._run_stored_command, request, command)
            work = await self._work.start_work(request, run_command)
            return await work

        with self._work.track_work():
            reply = await self._work.app.answer_receipt(receipt._replace(command=command), run)
            await self._work.post_acknowledged_answer(request, command, reply)

    async def _run_stored_command(
        self, request: SlackRequest, command: Command, user: Person
    ) -> Reply:
        """Run a stored command (a text, a button, or a command with its options) and return the
        reply.
        """
        options = command.options
        if command.path == TEXT:
            return await self._read_and_run(request, str(options["text"]), options["files"], user)
        if command.path[0] == "button":
            place = await self._work.find_place(request, command.path)
            action = f"{command.path[1]}:{options['rest']}"
            return await self._work.app.press(
                action, user, place, request.request_id, request.to_json()
            )
        spec = await self._work.app.find_spec_in_place(command.path, request.where)
        return await self._work.run_command(request, spec, options, user)

    async def _read_and_run(
        self, request: SlackRequest, text: str, files: Any, user: Person
    ) -> Reply:
        """Parse a text as a command, run it with the first of `files`, and return the reply.

        A command that lacks what it needs is answered with an invitation to its form. A refusal
        gets buttons that correct the command, if possible.
        """
        app = self._work.app
        try:
            parsed = add_file(await app.parse_line(text, request.where, user), files)
        except UserError as error:
            return await self.forms.offer_correction(request, build_error_reply(error, text), text)
        invitation = await app.invite_to_form(parsed.spec, parsed.options, user, request.where)
        if invitation is not None:
            return invitation
        reply = await self._work.run_command(request, parsed.spec, parsed.options, user)
        if not reply.error or reply.seen:
            return reply
        return await app.corrections.offer_correction(reply, parsed.spec, parsed.options, user)

    async def _run_text(
        self, ack: Ack, request: SlackRequest, text: str, files: Any, quick: Quick | None = None
    ) -> None:
        """Run a command given as text, with `files` as Slack describes them, and post the answer.

        See `answer_request` for `quick`.
        """
        command = request.build_command(TEXT, {"text": text, "files": list(files)})
        run = partial(self._run_stored_command, request, command)
        await self._work.answer_request(request, command, run, ack, quick=quick)

    async def _run_press(
        self,
        ack: Ack,
        request: SlackRequest,
        action: str,
        message: Mapping[str, Any],
        quick: Quick | None = None,
    ) -> None:
        """Run the action of a button and post the answer.

        `message` is the message with the button, or {} if it is private. See `answer_request` for
        `quick`. A button of ONCE is then removed from a public message.
        """
        name, _, arguments = action.partition(":")
        is_public = bool(message.get("blocks"))
        changes_message = name in IN_PLACE or (name in PRIVATE_PAGES and not is_public)
        replaces = changes_message and not request.view
        request = replace(request, replaces=replaces, pressed=is_public)
        command = request.build_command(("button", name), {"rest": arguments})

        async def press(user: Person) -> Reply:
            reply = await self._run_stored_command(request, command, user)
            was_run = not reply.error and not reply.seen
            if name in ONCE and was_run and is_public:
                self._work.run_in_background(self._remove_used_buttons(request, message))
            return reply

        await self._work.answer_request(request, command, press, ack, quick=quick)

    async def _remove_used_buttons(self, request: SlackRequest, message: Mapping[str, Any]) -> None:
        """Remove the buttons of ONCE from a message. A failure does no harm and is logged."""
        body = {
            "replace_original": True,
            "text": message.get("text") or "-",
            "blocks": remove_one_time_buttons(message["blocks"]),
        }
        try:
            await asyncio.wait_for(
                self._work.wire.respond(request.response_url, body), BUTTON_REMOVAL_SECONDS
            )
        except (Busy, SlackRefused, TimeoutError) as trouble:
            log.info("could not remove buttons: %s", trouble)


_NOTHING = re.compile(
    r"(?:thank you|thanks|thx|cheers|great|nice|ok)?[\s.!,:)]+|(?:thank you|thanks|thx|cheers)",
    re.I,
)
"""Texts next to a mention that ask for nothing, such as thanks."""


def format_command_line(name: str, text: str) -> str:
    """Return a slash command as one line: its name, unless it is `/grognard`, and `text`.

    `/lnlt help` becomes `help lnlt`.
    """
    if name == ANY_COMMAND:
        return text
    if text.casefold() in ("help", "?"):
        return f"help {name.removeprefix('/')}"
    return f"{name} {text}".strip()


def _find_button_action(message: Json, name: str) -> str:
    """Return the action of a message's button of this name, or ""."""
    for block in message.get("blocks") or ():
        for element in block.get("elements") or ():
            action = str(element.get("value") or "")
            if action.startswith(f"{name}:"):
                return action
    return ""


def add_file(parsed: ParsedCommand, files: Any) -> ParsedCommand:
    """Put the first file of a message into the file options of its command.

    A typed file name is dropped, because it is not a file.
    """
    options = dict(parsed.options)
    for option in parsed.spec.options:
        if option.type == "file":
            options.pop(option.name, None)
            if files:
                options[option.name] = files[0]
    return ParsedCommand(parsed.spec, options)


def _is_command(event: Mapping[str, Any]) -> bool:
    """Return whether an event is a new message of a person: not a bot's, an edit or a deletion."""
    return event.get("subtype") in _WRITTEN and not event.get("bot_id") and bool(event.get("user"))


def remove_one_time_buttons(blocks: list[Json]) -> list[Json]:
    """Copy blocks without the buttons of ONCE, and without rows that are empty then."""
    remaining_blocks = []
    for block in blocks:
        if block.get("type") == "actions":
            elements = [
                element for element in block["elements"] if not _is_one_time_button(element)
            ]
            if not elements:
                continue
            block = block | {"elements": elements}
        remaining_blocks.append(block)
    return remaining_blocks


def _is_one_time_button(element: Mapping[str, Any]) -> bool:
    action = str(element.get("action_id", "")).removeprefix(ACTION)
    return action.partition(":")[0] in ONCE
