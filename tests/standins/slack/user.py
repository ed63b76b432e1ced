"""A person at the keyboard: types commands, mentions and direct messages, presses, chooses, fills in and submits."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from . import payloads
from .api import Refused
from .api_chat import checked
from .api_views import push
from .blocks import check_options
from .deliveries import EVENT, INTERACTIVE, SLASH, Delivery
from .handle import Handle
from .hooks import answer
from .messages import SLACKBOT, Message
from .settings import Json
from .views import OpenView, check_view, complaints, filled
from .workspace import Channel, Workspace, new_id

Files = dict[str, bytes]


@dataclass(eq=False)
class User:
    """`stack` holds the modals open on this person's screen, the top one last."""

    id: str
    name: str
    workspace: Workspace
    stack: list[OpenView] = field(default_factory=list)

    # --- writing

    async def slash(self, channel: Channel, command: str, text: str = "") -> Handle:
        """Type a slash command; returns once it is acknowledged or Slack has given up on it."""
        slack = self.workspace.slack
        delivery = Delivery(SLASH, {}, self.workspace.id)
        written = payloads.typed(text, self.workspace) if slack.limits.escape else text
        delivery.payload = payloads.slash(
            self,
            channel,
            command,
            written,
            trigger=slack.triggers.new(self, delivery.id),
            response_url=slack.hooks.new(channel, self.id, delivery.id),
        )
        handle = self._handle(delivery, channel)
        if slack.commands is not None and command not in slack.commands:
            delivery.trouble = "invalid_command"
            return handle
        if "commands" not in self.workspace.scopes or not self.workspace.installed:
            delivery.trouble = "not_installed"
            return handle
        await slack.courier.deliver(delivery)
        self._answer_in_ack(handle, channel)
        if delivery.trouble:
            text = f"{command} failed with the error “{delivery.trouble}”"
            slack.messages.post(channel, SLACKBOT, text, ephemeral_for=self.id, via="slackbot", delivery=delivery.id)
        return handle

    async def say(
        self, channel: Channel, text: str, *, thread: str | None = None, files: Files | None = None
    ) -> Handle:
        """Write a message. A mention of the bot (`<@BOT>` or `@grognard`) reaches the app where the bot is a member."""
        message = self._write(channel, text, thread, files)
        mentioned = f"<@{self.workspace.bot_user}>" in message.text
        kinds = ["app_mention"] if mentioned and not channel.im_with else []
        if f"message.{channel.kind}s".replace("ims", "im") in self.workspace.slack.events:
            kinds.append("message")
        handles = [await self._told(message, kind) for kind in kinds] or [await self._told(message, "")]
        return handles[0]

    async def mention(
        self, channel: Channel, text: str, *, thread: str | None = None, files: Files | None = None
    ) -> Handle:
        """Write a message that mentions the bot, at its start unless the text says where (`<@BOT>`)."""
        if "<@BOT>" not in text and "@grognard" not in text:
            text = f"<@BOT> {text}"
        return await self.say(channel, text, thread=thread, files=files)

    async def dm(self, text: str, *, thread: str | None = None, files: Files | None = None) -> Handle:
        """Write to the bot alone."""
        return await self.say(self.im, text, thread=thread, files=files)

    # --- pressing and choosing

    async def press(self, target: Message | OpenView, button: str, *, block: str | None = None) -> Handle:
        """Press the button with this action_id or label; returns once acknowledged. Raises AssertionError if none."""
        found = self._find(target, button, block)
        assert found[1]["type"] == "button", f"{button!r} is a {found[1]['type']}; use choose()"
        action = {"type": "button", "text": found[1]["text"]}
        action |= {key: found[1][key] for key in ("value", "style") if key in found[1]}
        return await self._act(target, found, action)

    async def choose(self, target: Message | OpenView, element: str, value: Any, *, block: str | None = None) -> Handle:
        """Choose in a select, checkboxes, radio buttons or overflow menu, by option value or text."""
        found = self._find(target, element, block)
        if found[1]["type"] == "overflow":
            option = filled(found[1] | {"type": "static_select"}, value)["selected_option"]
            return await self._act(target, found, {"type": "overflow", "selected_option": option})
        state = filled(found[1], value)
        if isinstance(target, OpenView):
            target.state[found[0]["block_id"]][found[1]["action_id"]] = state
        return await self._act(target, found, dict(state))

    async def options(
        self, target: Message | OpenView, element: str, value: str, *, block: str | None = None
    ) -> list[Json]:
        """What an external select offers for these letters. Raises AssertionError without valid options in time."""
        block_found, element_found = self._find(target, element, block)
        ids = {"action_id": element_found["action_id"], "block_id": block_found["block_id"], "value": value}
        delivery = Delivery(INTERACTIVE, {}, self.workspace.id)
        delivery.payload = payloads.interaction(self, "block_suggestion", **ids, **payloads.place(target))
        await self.workspace.slack.courier.deliver(delivery)
        given = delivery.ack_payload or {}
        groups = given.get("option_groups", [])
        found: list[Json] = given.get("options", []) + [one for group in groups for one in group["options"]]
        assert "options" in given or groups, f"no options within the time: {delivery.trouble} {delivery.refusals}"
        faults = check_options(found, 100, "/options") if found else []
        assert not faults, faults
        return found

    # --- modals

    def modal(self) -> OpenView | None:
        """The modal on top of the screen, if any."""
        return self.stack[-1] if self.stack else None

    def open_modal_state(self, view: OpenView | None = None) -> dict[str, dict[str, Json]]:
        """What is filled in now: block_id, action_id, Slack's state of the element."""
        shown = view or self.modal()
        return shown.state if shown else {}

    def fill(self, view: OpenView, values: dict[str, dict[str, Any]]) -> None:
        """Fill fields in without submitting. Raises AssertionError when there is no such field or option."""
        for block_id, fields in values.items():
            for action_id, value in fields.items():
                _, element = self._find(view, action_id, block_id)
                view.state[block_id][action_id] = filled(element, value)

    async def change(self, view: OpenView, block: str, action: str, value: Any) -> Handle | None:
        """Fill one field in; the app hears of it when the block dispatches actions (and Handle says how)."""
        self.fill(view, {block: {action: value}})
        found = self._find(view, action, block)
        if found[0]["type"] == "input" and not found[0].get("dispatch_action"):
            return None
        return await self._act(view, found, dict(view.state[block][action]))

    async def submit(self, view: OpenView, values: dict[str, dict[str, Any]] | None = None) -> Handle:
        """Fill in and submit. `errors` of the handle stand by block_id; the view closes when there are none.

        What Slack itself refuses (a required field left empty) never reaches the app: then nothing was sent.
        """
        assert view in self.stack, "that modal is not open"
        self.fill(view, values or {})
        delivery = Delivery(INTERACTIVE, {}, self.workspace.id)
        handle = self._handle(delivery, None)
        view.errors = handle.errors = complaints(view)
        if handle.errors:
            return handle
        trigger = self.workspace.slack.triggers.new(self, delivery.id)
        delivery.payload = payloads.interaction(
            self, "view_submission", trigger_id=trigger, view=view.as_slack(), response_urls=[]
        )
        await self.workspace.slack.courier.deliver(delivery)
        if delivery.in_time:
            self._after_submit(view, handle)
        return handle

    async def close(self, view: OpenView) -> Handle | None:
        """Close the modal; the app hears of it when it asked to (notify_on_close)."""
        self.stack.remove(view)
        if not view.body.get("notify_on_close"):
            return None
        payload = payloads.interaction(self, "view_closed", view=view.as_slack(), is_cleared=False)
        delivery = Delivery(INTERACTIVE, payload, self.workspace.id)
        return self._handle(await self.workspace.slack.courier.deliver(delivery), None)

    # --- looking, and running the workspace

    @property
    def im(self) -> Channel:
        """The direct messages with the bot."""
        return self.workspace.im(self.id)

    def sees(self, channel: Channel, thread: str | None = None) -> list[Message]:
        """All this person sees there, oldest first."""
        return self.workspace.slack.messages.seen_by(self.id, channel, thread)

    async def wait_for(
        self, channel: Channel, words: str, *, thread: str | None = None, timeout: float = 5.0
    ) -> Message:
        """The first message seen there with these words in it, now or soon."""
        return await self.workspace.slack.watch.until(
            lambda: next((one for one in self.sees(channel, thread) if words in one.everything), None),
            timeout=timeout,
            what=f"{words!r} in {channel.name or 'the direct messages'} for {self.name}",
        )

    async def invite_bot(self, channel: Channel) -> None:
        """Make the bot a member; the app hears of it if it listens for member_joined_channel."""
        channel.bot_member = True
        if "member_joined_channel" in self.workspace.slack.events:
            joined = {"type": "member_joined_channel", "user": self.workspace.bot_user, "channel": channel.id}
            await self.workspace.slack.send_event(self.workspace, joined | {"inviter": self.id})

    def remove_bot(self, channel: Channel) -> None:
        """The bot is no member any more."""
        channel.bot_member = False

    def as_slack(self) -> Json:
        """As users.info answers."""
        names = {"real_name": self.name, "display_name": self.name.lower()}
        body: Json = {"id": self.id, "team_id": self.workspace.id, "name": self.name.lower(), "deleted": False}
        return body | {"real_name": self.name, "is_bot": False, "profile": names, "tz": "Europe/Berlin"}

    # --- inside

    def _handle(self, delivery: Delivery, channel: Channel | None, **more: Any) -> Handle:
        messages = self.workspace.slack.messages.all
        return Handle(self, delivery, channel, since=max((one.order for one in messages), default=0), **more)

    def _write(self, channel: Channel, text: str, thread: str | None, files: Files | None) -> Message:
        slack = self.workspace.slack
        stored = [slack.uploads.put(self.workspace.id, self.id, name, data) for name, data in (files or {}).items()]
        text = payloads.typed(text, self.workspace)
        return slack.messages.post(channel, self.id, text, thread_ts=thread, files=stored)

    async def _told(self, message: Message, kind: str) -> Handle:
        """Tell the app of a message, when Slack would."""
        slack, channel = self.workspace.slack, message.channel
        delivery = Delivery(EVENT, {}, self.workspace.id)
        handle = self._handle(delivery, channel, thread=message.thread_ts, message=message)
        scope = {"app_mention": "app_mentions:read", "message": f"{channel.kind}s:history".replace("ims", "im")}.get(
            kind
        )
        subscribed = kind in slack.events or kind == "message"
        if scope is None or scope not in self.workspace.scopes or not subscribed or not self.workspace.installed:
            delivery.trouble = "not_delivered"
            return handle
        if not channel.bot_member:
            delivery.trouble = "bot_not_in_channel"
            return handle
        delivery.payload = payloads.event(self.workspace, payloads.said(kind, message, message.files))
        await slack.courier.deliver(delivery)
        return handle

    def _find(self, target: Message | OpenView, name: str, block: str | None) -> tuple[Json, Json]:
        if isinstance(target, Message):
            gone = target.deleted or target.ephemeral_for not in (None, self.id) or not target.channel.shows(self.id)
            assert not gone, f"{self.name} does not see that message"
        else:
            assert target in self.stack, "that modal is not open"
        for found, element in target.elements():
            label = element.get("text", {}).get("text") if element["type"] == "button" else None
            if name in (element["action_id"], label) and block in (None, found["block_id"]):
                return found, element
        there = [(one["block_id"], e["action_id"], e.get("text", {}).get("text")) for one, e in target.elements()]
        raise AssertionError(f"nothing called {name!r}; there are {there}")

    async def _act(self, target: Message | OpenView, found: tuple[Json, Json], action: Json) -> Handle:
        slack = self.workspace.slack
        block, element = found
        ids = {"action_id": element["action_id"], "block_id": block["block_id"], "action_ts": slack.clock.stamp()}
        delivery = Delivery(INTERACTIVE, {}, self.workspace.id)
        more = payloads.place(target) | {"trigger_id": slack.triggers.new(self, delivery.id), "actions": [action | ids]}
        channel, thread = None, None
        if isinstance(target, Message):
            channel, thread = target.channel, target.thread_ts or target.ts
            more |= {"response_url": slack.hooks.new(channel, self.id, delivery.id, target), "state": {"values": {}}}
        delivery.payload = payloads.interaction(self, "block_actions", **more)
        handle = self._handle(delivery, channel, thread=thread)
        await slack.courier.deliver(delivery)
        return handle

    def _answer_in_ack(self, handle: Handle, channel: Channel) -> None:
        """A command's acknowledgement may itself be the answer."""
        body = handle.ack_payload
        if not body or not (body.get("text") or body.get("blocks")):
            return
        slack = self.workspace.slack
        try:
            content = checked(slack, body)
        except Refused as refusal:
            handle.delivery.trouble = refusal.error
            slack.refusals.append(("ack", refusal.error, refusal.more.get("errors", [])))
            return
        answer(slack, channel, self.id, body, via="ack", delivery=handle.delivery.id, checked_body=content)

    def _after_submit(self, view: OpenView, handle: Handle) -> None:
        said = handle.ack_payload or {}
        kind = said.get("response_action")
        if kind == "errors":
            known = {block["block_id"] for block in view.blocks if block["type"] == "input"}
            if not said.get("errors") or set(said["errors"]) - known:
                handle.delivery.trouble = "invalid_errors"
            view.errors = handle.errors = dict(said.get("errors", {}))
        elif kind == "clear":
            self.stack.clear()
        elif kind in ("update", "push"):
            self._show(view, handle, kind, said.get("view", {}))
        elif view in self.stack:
            self.stack.remove(view)
        self.workspace.slack.watch.changed()

    def _show(self, view: OpenView, handle: Handle, kind: str, body: Json) -> None:
        faults = check_view(body)
        if faults:
            handle.delivery.trouble = "invalid_view"
            self.workspace.slack.refusals.append(("ack", "invalid_view", faults))
        elif kind == "update":
            view.show(body)
        else:
            push(self, body, handle.delivery.id)

    # --- a browser, for OAuth

    async def install_app(self, url: str, *, deny: bool = False) -> tuple[int, str]:
        """Open the app's install page, agree (or not) and follow back; the last page's status and text."""
        from .browser import install

        return await asyncio.wait_for(install(self, url, deny=deny), 10)

    @property
    def mention_text(self) -> str:
        """`<@U…>`, as messages write this person."""
        return f"<@{self.id}>"


__all__ = ["User", "new_id"]
