"""Messages come to be, change and go; the channel and the gateway hear of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.standins.discord import permissions as may
from tests.standins.discord.errors import Json, Problems, empty_message
from tests.standins.discord.gateway import DIRECT_MESSAGES, GUILD_MESSAGES, PRIVILEGED, Gateway
from tests.standins.discord.limits import check_message
from tests.standins.discord.mentions import mentions
from tests.standins.discord.payloads import member_json, message_json
from tests.standins.discord.state import (
    COMPONENTS_V2,
    EPHEMERAL,
    LOADING,
    Attachment,
    Channel,
    Interaction,
    Message,
    User,
    World,
    walk,
)

ALLOWED_FLAGS = (1 << 2) | EPHEMERAL | (1 << 12) | COMPONENTS_V2


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it arrived: its number in `files[n]`, name and bytes."""

    index: int
    name: str
    data: bytes


class Posting:
    """Creates, edits and deletes messages, by Discord's rules."""

    def __init__(
        self,
        world: World,
        gateway: Gateway,
        base_url: Callable[[], str],
        changed: Callable[[], None],
    ) -> None:
        self._world = world
        self._gateway = gateway
        self._base_url = base_url
        self._changed = changed

    def post(
        self,
        channel: Channel,
        body: Json,
        uploads: list[Upload],
        *,
        interaction: Interaction | None = None,
        at: str = "",
    ) -> Message:
        """A new message of the bot. Raises ApiError when it breaks a limit; `at` is the body's
        place.
        """
        flags = int(body.get("flags") or 0) & ALLOWED_FLAGS
        if interaction is None:
            flags &= ~EPHEMERAL
        elif self._world.is_hushed(interaction):
            flags |= EPHEMERAL
        check_message(body, [len(u.data) for u in uploads], flags=flags, at=at)
        reply = self._reply_target(channel, body)
        message = self._new(channel, self._world.bot, flags, interaction)
        message.reply_to, message.nonce = (
            reply,
            (None if body.get("nonce") is None else str(body["nonce"])),
        )
        self._fill(message, body, uploads)
        self._refuse_empty(message)
        self._notify(message, body)
        self._place(message)
        return message

    def _reply_target(self, channel: Channel, body: Json) -> int | None:
        reference = body.get("message_reference")
        if not reference:
            return None
        target = int(reference["message_id"])
        if self._world.message(channel, target) is not None:
            return target
        if reference.get("fail_if_not_exists", True):
            problems = Problems()
            problems.add(
                "message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message"
            )
            problems.done()
        return None

    def placeholder(self, interaction: Interaction, *, ephemeral: bool) -> Message:
        """The message that says the bot is thinking."""
        flags = LOADING | (EPHEMERAL if ephemeral or self._world.is_hushed(interaction) else 0)
        message = self._new(interaction.channel, self._world.bot, flags, interaction)
        self._place(message)
        return message

    def say(self, channel: Channel, author: User, text: str) -> Message:
        """A message typed by a person."""
        message = self._new(channel, author, 0, None)
        message.content = text
        message.highlights = message.pings = set(mentions(text).found)
        self._place(message)
        return message

    def _new(
        self, channel: Channel, author: User, flags: int, interaction: Interaction | None
    ) -> Message:
        message = Message(
            self._world.ids.next(), channel, author, self._world.clock.now(), flags=flags
        )
        message.interaction = interaction
        if interaction is not None and flags & EPHEMERAL:
            message.private_to = interaction.user
        return message

    def _place(self, message: Message) -> None:
        message.channel.messages.append(message)
        self._tell("MESSAGE_CREATE", message)

    def edit(self, message: Message, body: Json, uploads: list[Upload], *, at: str = "") -> None:
        """Change a message of the bot; what is not named stays. Raises ApiError."""
        flags = message.flags | (int(body.get("flags") or 0) & COMPONENTS_V2)
        check_message(body, [len(u.data) for u in uploads], flags=flags, at=at)
        before = (message.content, message.embeds, message.components, message.attachments)
        was_loading = message.loading
        self._fill(message, body, uploads)
        try:
            self._refuse_empty(message)
        except Exception:
            message.content, message.embeds, message.components, message.attachments = before
            raise
        message.flags = flags & ~LOADING
        if was_loading:
            self._notify(message, body)
        else:
            message.edits += 1
            message.edited_at = self._world.clock.now()
            message.highlights = self._mentioned(message, body)
        self._tell("MESSAGE_UPDATE", message)

    def delete(self, message: Message) -> None:
        """The message goes."""
        message.deleted = True
        if not message.ephemeral and self._world.has_bot(message.channel):
            data = {"id": str(message.id), "channel_id": str(message.channel.id)}
            self._dispatch("MESSAGE_DELETE", message.channel, lambda _: data)
        self._changed()

    def _fill(self, message: Message, body: Json, uploads: list[Upload]) -> None:
        if "content" in body:
            message.content = (body["content"] or "").strip()
        if "embeds" in body:
            message.embeds = [{"type": "rich", **embed} for embed in body["embeds"] or []]
            if not self._bot_may(message, may.EMBED_LINKS):
                message.hidden_embeds, message.embeds = message.embeds, []
        if "components" in body:
            message.components = numbered(body["components"] or [])
        if "attachments" in body or uploads:
            message.attachments = self._attachments(message, body, uploads)

    def _bot_may(self, message: Message, bits: int) -> bool:
        if message.interaction is not None:
            return not bits & ~self._world.app_permissions(message.interaction)
        return not bits & ~self._world.permissions(self._world.bot, message.channel)

    def _attachments(self, message: Message, body: Json, uploads: list[Upload]) -> list[Attachment]:
        listed = body.get("attachments")
        about = {str(entry.get("id")): entry for entry in listed or []}
        kept = [a for a in message.attachments if listed is None or str(a.id) in about]
        for upload in uploads:
            entry = about.get(str(upload.index), {})
            name = entry.get("filename") or upload.name
            file = self._world.attach(name, upload.data, self._base_url(), entry.get("description"))
            file.ephemeral = message.ephemeral
            kept.append(file)
        return kept

    def _refuse_empty(self, message: Message) -> None:
        shown = (
            message.content,
            message.embeds,
            message.hidden_embeds,
            message.components,
            message.attachments,
        )
        if not any(shown):
            raise empty_message()

    def _mentioned(self, message: Message, body: Json) -> set[str]:
        displayed = [c["content"] for c in walk(message.components) if c["type"] == 10]
        everyone = self._bot_may(message, may.MENTION_EVERYONE)
        found = mentions("\n".join([message.content, *displayed]))
        return found.allowed(body.get("allowed_mentions"), may_ping_everyone=everyone)

    def _notify(self, message: Message, body: Json) -> None:
        message.highlights = self._mentioned(message, body)
        if not message.ephemeral and not message.flags & (1 << 12):
            message.pings = message.highlights | self._replied(message, body)

    def _replied(self, message: Message, body: Json) -> set[str]:
        rules = body.get("allowed_mentions")
        target = (
            self._world.message(message.channel, message.reply_to) if message.reply_to else None
        )
        if target is None or (rules is not None and not rules.get("replied_user")):
            return set()
        return {str(target.author.id)}

    def _tell(self, event: str, message: Message) -> None:
        if not message.ephemeral and self._world.has_bot(message.channel):
            self._dispatch(event, message.channel, lambda intents: self._event(message, intents))
        self._changed()

    def _event(self, message: Message, intents: int) -> Json:
        """A message event for a session; text is hidden from a bot without the message content
        intent.
        """
        bot, guild = self._world.bot, message.channel.guild
        open_to = message.author is bot or guild is None or str(bot.id) in message.highlights
        data = message_json(
            self._world, message, hide_text=not (open_to or intents & PRIVILEGED["message_content"])
        )
        if guild is not None:
            member = member_json(self._world, message.author, guild)
            data |= {
                "guild_id": str(guild.id),
                "member": {k: v for k, v in member.items() if k != "user"},
            }
        return data

    def _dispatch(self, event: str, channel: Channel, data: Callable[[int], Json]) -> None:
        wanted = DIRECT_MESSAGES if channel.guild is None else GUILD_MESSAGES
        for session in self._gateway.sessions.values():
            if session.intents & wanted and session.owns(channel.guild):
                session.dispatch(event, data(session.intents) | _guild_of(channel))


def _guild_of(channel: Channel) -> Json:
    return {} if channel.guild is None else {"guild_id": str(channel.guild.id)}


def numbered(components: list[Json]) -> list[Json]:
    """Components with the ids that Discord gives to those that have none."""
    for number, one in enumerate(walk(components), start=1):
        one.setdefault("id", number)
    return components
