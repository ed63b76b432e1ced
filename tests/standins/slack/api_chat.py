"""chat.*: posting, changing and deleting messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .api import Call, Refused, bad, method
from .blocks import check_blocks, text_size
from .messages import Message
from .settings import Json

if TYPE_CHECKING:
    from .standin import SlackStandIn
    from .workspace import Channel


def checked(
    slack: SlackStandIn, args: Json, *, text_chars: int | None = None
) -> tuple[str, list[Json]]:
    """The text and blocks of a message Slack would take. Raises Refused."""
    text, blocks = args.get("text") or "", args.get("blocks") or []
    if not text and not blocks and not args.get("attachments"):
        raise Refused("no_text")
    if len(text) > (text_chars or slack.limits.text_chars):
        raise Refused("msg_too_long")
    faults = check_blocks(blocks)
    faults += refused_types(blocks, slack.limits.refuses)
    if faults:
        raise bad("invalid_blocks", faults)
    if text_size(blocks) > slack.limits.blocks_chars:
        raise Refused("msg_blocks_too_long")
    return text, blocks


def refused_types(blocks: list[Json], refuses: frozenset[str], at: str = "/blocks") -> list[str]:
    """The faults of blocks whose type this workspace does not take, also of those within others."""
    faults = []
    for number, one in enumerate(blocks):
        here = f"{at}/{number}"
        if one.get("type") in refuses:
            faults.append(f"unsupported type: {one['type']} [json-pointer:{here}/type]")
        faults += refused_types(one.get("child_blocks") or [], refuses, f"{here}/child_blocks")
    return faults


def _must_be_in(call: Call, channel: Channel) -> None:
    if channel.archived:
        raise Refused("is_archived")
    if not channel.bot_member and "chat:write.public" not in call.workspace.scopes:
        raise Refused("not_in_channel")


def _thread(call: Call, channel: Channel) -> str | None:
    asked = call.args.get("thread_ts")
    if not asked:
        return None
    parent = call.slack.messages.find(channel, str(asked))
    if parent is None:
        raise Refused("thread_not_found")
    return parent.thread_ts or parent.ts


@method("blocks.validate")
async def validate_blocks(call: Call) -> Json:
    """Whether blocks would be taken; each fault with a pointer and a message."""
    blocks = call.args.get("blocks") or []
    faults = [*check_blocks(blocks), *refused_types(blocks, call.slack.limits.refuses)]
    if faults:
        told = [fault.removesuffix("]").split(" [json-pointer:") for fault in faults]
        errors = [
            {"pointer": at, "code": "failed_constraint", "message": text} for text, at in told
        ]
        raise Refused("invalid_blocks", errors=errors)
    return {}


@method("chat.postMessage", "chat:write")
async def post_message(call: Call) -> Json:
    """A message everyone in the channel sees."""
    channel = call.channel()
    _must_be_in(call, channel)
    text, blocks = checked(call.slack, call.args)
    call.slack.pace.check_message(channel.team, channel.id)
    thread = _thread(call, channel)
    meta = call.args.get("metadata")
    bot = call.workspace.bot_user
    message = call.slack.messages.post(
        channel, bot, text, blocks=blocks, thread_ts=thread, metadata=meta, via="chat.postMessage"
    )
    return {"channel": channel.id, "ts": message.ts, "message": message.as_slack()}


@method("chat.postEphemeral", "chat:write")
async def post_ephemeral(call: Call) -> Json:
    """A message one person sees; both they and the bot must be in the channel."""
    channel, user = call.channel(), call.needed("user")
    _must_be_in(call, channel)
    if not channel.shows(user):
        raise Refused("user_not_in_channel")
    text, blocks = checked(call.slack, call.args)
    message = call.slack.messages.post(
        channel,
        call.workspace.bot_user,
        text,
        blocks=blocks,
        thread_ts=_thread(call, channel),
        ephemeral_for=user,
        via="chat.postEphemeral",
    )
    return {"message_ts": message.ts}


@method("chat.update", "chat:write")
async def update(call: Call) -> Json:
    """Change a message of the bot's own."""
    channel = call.channel(by_id=True)
    message = _own(call, channel, "cant_update_message")
    changed: dict[str, Any] = {}
    if "text" in call.args or "blocks" in call.args or "attachments" in call.args:
        text, blocks = checked(call.slack, call.args, text_chars=call.slack.limits.update_chars)
        changed = {
            "text": text or message.text,
            "blocks": blocks if "blocks" in call.args else message.blocks,
        }
    else:
        raise Refused("no_text")
    call.slack.messages.edit(message, changed["text"], changed["blocks"])
    return {
        "channel": channel.id,
        "ts": message.ts,
        "text": message.text,
        "message": message.as_slack(),
    }


@method("chat.delete", "chat:write")
async def delete(call: Call) -> Json:
    """Delete a message of the bot's own."""
    channel = call.channel(by_id=True)
    message = _own(call, channel, "cant_delete_message")
    call.slack.messages.delete(message)
    return {"channel": channel.id, "ts": message.ts}


def _own(call: Call, channel: Channel, refusal: str) -> Message:
    message = call.slack.messages.find(channel, call.needed("ts"))
    if message is None:
        raise Refused("message_not_found")
    if message.author != call.workspace.bot_user:
        raise Refused(refusal)
    return message


@method("chat.getPermalink")
async def permalink(call: Call) -> Json:
    """A link to a message."""
    channel = call.channel(by_id=True)
    if call.slack.messages.find(channel, call.needed("message_ts")) is None:
        raise Refused("message_not_found")
    path = f"archives/{channel.id}/p{call.needed('message_ts').replace('.', '')}"
    return {"channel": channel.id, "permalink": f"https://{call.workspace.domain}.slack.com/{path}"}


@method("pins.add", "pins:write")
async def pin(call: Call) -> Json:
    """Pin a message."""
    message = _pinnable(call)
    if message.pinned:
        raise Refused("already_pinned")
    message.pinned = True
    return {}


@method("pins.remove", "pins:write")
async def unpin(call: Call) -> Json:
    """Take the pin off a message."""
    message = _pinnable(call)
    if not message.pinned:
        raise Refused("no_pin")
    message.pinned = False
    return {}


def _pinnable(call: Call) -> Message:
    channel = call.channel(by_id=True)
    if not channel.bot_member:
        raise Refused("not_in_channel")
    message = call.slack.messages.find(channel, call.needed("timestamp"))
    if message is None:
        raise Refused("message_not_found")
    return message
