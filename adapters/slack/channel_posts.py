"""Files and pins of an answer in its channel, and the search for an answer that may have been
posted already.

Slack offers no other way to post a message only once. A message of our own has a mark that only
programs see; one posted to a response address cannot have it, and is recognized by its text.
Reading a channel needs the scope `channels:history` (`groups:history` for private ones), which the
app does not ask for. In a workspace that grants it nothing appears twice; in others a repeated
answer says that it may have been posted before.
"""

import hashlib
import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from adapters.delivery_loop import explain_not_pinned
from adapters.slack.calls import Busy, SlackApi, SlackRefused
from adapters.slack.render import LATE, LATE_PERHAPS, PERHAPS
from adapters.slack.request import Json, SlackRequest
from adapters.slack.teams import Team
from adapters.slack.text import escape_entities
from bot.outbox.receipts import REFERENCE
from bot.rules.text.phrase import Phrase, phrase
from bot.runtime.settings import DAY
from bot.ui.reply.reply import PINNED, UNPINNED, File, Reply

MOST_ALT = 1_000
INVITE = phrase("Invite the bot here, and files come into the channel: `/invite @grognard`")


async def send_files(
    wire: SlackApi,
    token: str,
    request: SlackRequest,
    files: Sequence[File],
    text: str,
    *,
    private: bool,
) -> str:
    """Upload `files` with a message that says `text`, to the channel of the request.

    Private files, and all files if the bot may not post in the channel, go to the user's direct
    messages. Return a line for the answer that says where they are or why they failed, or "" if
    they are in the channel. Raises Busy.
    """
    names = ", ".join(file.name for file in files)
    try:
        ids = [await _upload(wire, token, file) for file in files]
        if not private or request.direct:
            try:
                await _share_files(wire, token, ids, request.channel, request.thread, text)
                return ""
            except SlackRefused as refused:
                if not refused.is_outside:
                    raise
        if not request.user:
            return Phrase(f"{names} cannot be shown here. ", INVITE)
        direct_channel = await open_direct_messages(wire, token, request.user)
        await _share_files(wire, token, ids, direct_channel, "", text)
    except SlackRefused as refused:
        return f"{names} cannot be sent: Slack says {refused.error}."
    note = f"{names} is in your direct messages."
    return Phrase(note) if private else Phrase(note, " ", INVITE)


async def open_direct_messages(wire: SlackApi, token: str, user: str) -> str:
    """Return the id of the channel of a user's direct messages with the bot.

    Raises Busy or SlackRefused.
    """
    answer = await wire.call(token, "conversations.open", users=user)
    return str(answer["channel"]["id"])


async def _upload(wire: SlackApi, token: str, file: File) -> dict[str, str]:
    """Upload a file and return its id and title, as `_share_files` takes them."""
    data = file.data or b"\n"
    name = PurePath(file.name).name or "file.txt"
    alt = {"alt_txt": file.alt[:MOST_ALT]} if file.alt else {}
    upload = await wire.call_with_form(
        token, "files.getUploadURLExternal", filename=name, length=str(len(data)), **alt
    )
    await wire.upload(upload["upload_url"], data)
    return {"id": upload["file_id"], "title": _format_file_title(name)}


def _format_file_title(name: str) -> str:
    """Return `The ford at dawn` for the-ford-at-dawn.html."""
    words = PurePath(name).stem.replace("-", " ").replace("_", " ").strip()
    return f"{words[:1].upper()}{words[1:]}" or name


async def _share_files(
    wire: SlackApi, token: str, ids: list[dict[str, str]], channel: str, thread: str, text: str
) -> None:
    """Post uploaded files in a channel or, unless `thread` is "", in a thread of it."""
    target = {"channel_id": channel, "initial_comment": text}
    if thread:
        target["thread_ts"] = thread
    await wire.call(token, "files.completeUploadExternal", files=ids, **target)


log = logging.getLogger(__name__)

_DONE = ("already_pinned", "no_pin", "message_not_found")
"""Refusals that need no explanation."""
_WHY = {
    "missing_scope": "The app has no permission to pin; a workspace admin can reinstall it.",
    "not_in_channel": phrase("Invite the app to this channel first: `/invite @grognard`."),
    "too_many_pins": "This channel has as many pins as Slack allows.",
}


async def pin_or_unpin(
    wire: SlackApi, token: str, reply: Reply, spot: Mapping[str, Any]
) -> Reply | None:
    """Pin or unpin the message at `spot` as its reply says.

    Return an explanation for the user if Slack refuses to pin it, else None. The same explanation
    is returned once for each channel. Any failure is logged.
    """
    if reply.pin not in (PINNED, UNPINNED) or not spot.get("ts"):
        return None
    method = "pins.add" if reply.pin == PINNED else "pins.remove"
    try:
        await wire.call(token, method, channel=str(spot["channel"]), timestamp=str(spot["ts"]))
    except SlackRefused as refused:
        log.info("%s in %s: %s", method, spot["channel"], refused)
        if reply.pin == PINNED and refused.error not in _DONE:
            reason = _WHY.get(refused.error, "Slack does not let the app pin messages here.")
            return explain_not_pinned(reason, spot["channel"])
    except Busy as busy:
        log.info("%s in %s: %s", method, spot["channel"], busy)
    return None


EVENT = "grognard_answer"
MARGIN = 2 * DAY
"""Seconds by which our clock and Slack's may differ, because a host's clock may have been set in
the meantime. To look too far back only means to read more.
"""
MOST = 999
"""Maximum number of messages that Slack lists at once."""


def build_mark(request: SlackRequest, reply: Reply) -> Json:
    """Build the metadata by which a message is found again: a hash of the request and the title."""
    text = f"{request.request_id}/{reply.title}"
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return {"event_type": EVENT, "event_payload": {"id": digest[:24]}}


async def find_posted_answer(
    wire: SlackApi,
    team: Team,
    request: SlackRequest,
    reply: Reply,
    text: str,
    since: float,
    blind: dict[str, float] | None = None,
) -> str | None:
    """Find an answer that may have been posted after `since` (Unix seconds).

    `text` is that of the answer as a message. Return its timestamp, "" if it was not posted, or
    None if that cannot be known. `blind` is updated: it remembers for a day which kinds of
    conversations of which workspaces the app may not read.
    """
    if reply.private and not request.direct:
        return None
    listing = await _list_messages_since(wire, team, request, since, {} if blind is None else blind)
    if listing is None:
        return None
    messages = [
        message
        for message in listing.get("messages") or ()
        if not team.bot_user or message.get("user") == team.bot_user
    ]
    for message in messages:
        if _is_same_answer(message, request, reply):
            return str(message.get("ts") or "?")
    # Two answers without a number may have the same text, so that the other one does not prove
    # that this one was posted.
    if _has_same_text(messages, text) or listing.get("has_more"):
        return None
    return ""


async def _list_messages_since(
    wire: SlackApi, team: Team, request: SlackRequest, since: float, blind: dict[str, float]
) -> Json | None:
    """Return Slack's list of the messages in the channel or thread of a request since `since`
    (Unix seconds), or None if they cannot be read.

    `blind` holds when the app may try again to read a kind of conversation (monotonic seconds).
    """
    kind = f"{team.id}/{request.channel[:1]}"
    if blind.get(kind, 0.0) > time.monotonic():
        return None
    method = "conversations.history"
    arguments = {
        "channel": request.channel,
        "oldest": f"{since - MARGIN:.6f}",
        "limit": str(MOST),
        "include_all_metadata": "true",
    }
    if request.thread:
        method = "conversations.replies"
        arguments["ts"] = request.thread
    try:
        return await wire.call_with_form(team.token, method, **arguments)
    except (Busy, SlackRefused) as trouble:
        if isinstance(trouble, SlackRefused) and trouble.error == "missing_scope":
            blind[kind] = time.monotonic() + DAY
        return None


def _has_same_text(messages: Sequence[Json], text: str) -> bool:
    """Return whether one of the messages without a mark has this text."""
    unmarked = [message for message in messages if not message.get("metadata")]
    return any(_extract_text(message) == text for message in unmarked)


def _is_same_answer(message: Json, request: SlackRequest, reply: Reply) -> bool:
    """Return whether a message is certainly this answer.

    It is recognized by its mark. Without one it is recognized by its title together with its
    number and hash, or its reference, because a board shows these as well.
    """
    payload = (message.get("metadata") or {}).get("event_payload")
    if request.request_id and payload:
        return bool(payload == build_mark(request, reply)["event_payload"])
    if not (reply.footer and reply.footer[0].startswith(("#", REFERENCE))):
        return False
    text = _extract_text(message)
    number = escape_entities(" · ".join(reply.footer[:2]))
    return number in text and escape_entities(reply.title) in text


def _extract_text(message: Json) -> str:
    """Return the text of a message without the note that it is late or perhaps repeated."""
    text = str(message.get("text") or "")
    for remark in (LATE, PERHAPS, LATE_PERHAPS):
        text = text.replace(remark, "", 1)
    return text
