"""Writing in Slack: slash commands, mentions, direct messages."""

from __future__ import annotations

from . import payloads
from .api import Refused
from .api_chat import checked
from .deliveries import EVENT, SLASH, Delivery
from .handle import Handle
from .hooks import answer
from .messages import SLACKBOT, Message
from .person import Person
from .workspace import Channel

Files = dict[str, bytes]


class Writer(Person):
    """A person who writes."""

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
            slack.messages.post(
                channel, SLACKBOT, text, ephemeral_for=self.id, via="slackbot", delivery=delivery.id
            )
        return handle

    async def say(
        self, channel: Channel, text: str, *, thread: str | None = None, files: Files | None = None
    ) -> Handle:
        """Write a message. A mention of the bot (`<@BOT>` or `@grognard`) reaches the app where
        the bot is a member.
        """
        message = self._write(channel, text, thread, files)
        mentioned = f"<@{self.workspace.bot_user}>" in message.text
        kinds = ["app_mention"] if mentioned and not channel.im_with else []
        if f"message.{channel.kind}s".replace("ims", "im") in self.workspace.slack.events:
            kinds.append("message")
        handles = [await self._told(message, kind) for kind in kinds] or [
            await self._told(message, "")
        ]
        return handles[0]

    async def mention(
        self, channel: Channel, text: str, *, thread: str | None = None, files: Files | None = None
    ) -> Handle:
        """Write a message that mentions the bot, at its start unless the text says where
        (`<@BOT>`).
        """
        if "<@BOT>" not in text and "@grognard" not in text:
            text = f"<@BOT> {text}"
        return await self.say(channel, text, thread=thread, files=files)

    async def dm(
        self, text: str, *, thread: str | None = None, files: Files | None = None
    ) -> Handle:
        """Write to the bot alone."""
        return await self.say(self.im, text, thread=thread, files=files)

    def edit(self, message: Message, text: str) -> None:
        """Change an own message; an app that listens for messages there hears of it."""
        assert message.author == self.id, "only one's own messages can be changed"
        self.workspace.slack.messages.edit(message, payloads.typed(text, self.workspace), None)

    def delete(self, message: Message) -> None:
        """Take an own message back."""
        assert message.author == self.id, "only one's own messages can be deleted"
        self.workspace.slack.messages.delete(message)

    def _write(
        self, channel: Channel, text: str, thread: str | None, files: Files | None
    ) -> Message:
        slack = self.workspace.slack
        stored = [
            slack.uploads.put(self.workspace.id, self.id, name, data)
            for name, data in (files or {}).items()
        ]
        text = payloads.typed(text, self.workspace)
        return slack.messages.post(channel, self.id, text, thread_ts=thread, files=stored)

    async def _told(self, message: Message, kind: str) -> Handle:
        """Tell the app of a message, when Slack would."""
        slack, channel = self.workspace.slack, message.channel
        delivery = Delivery(EVENT, {}, self.workspace.id)
        handle = self._handle(delivery, channel, thread=message.thread_ts, message=message)
        scope = {
            "app_mention": "app_mentions:read",
            "message": f"{channel.kind}s:history".replace("ims", "im"),
        }.get(kind)
        subscribed = kind in slack.events or kind == "message"
        if (
            scope is None
            or scope not in self.workspace.scopes
            or not subscribed
            or not self.workspace.installed
        ):
            delivery.trouble = "not_delivered"
            return handle
        if not channel.bot_member:
            delivery.trouble = "bot_not_in_channel"
            return handle
        delivery.payload = payloads.event(
            self.workspace, payloads.said(kind, message, message.files)
        )
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
        answer(
            slack,
            channel,
            self.id,
            body,
            via="ack",
            delivery=handle.delivery.id,
            checked_body=content,
        )
