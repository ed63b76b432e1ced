"""What goes with an answer in its channel: files, pins, and whether it is there already.

Slack has no other way to post something once. A message of our own carries a mark that only
programs see; one posted to a response address cannot, and is known by its words. Reading a channel
takes the scope `channels:history` (`groups:history` for private ones), which the app does not ask
for: where a workspace gives it, nothing comes twice; elsewhere an answer says that it may have."""

import hashlib
import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from adapters.delivery_loop import explain_not_pinned
from adapters.slack.calls import Busy, SlackApi, SlackRefused
from adapters.slack.render import LATE, LATE_PERHAPS, PERHAPS, render_message
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
    """Bring `files` to where the answer goes: private ones, and all where the bot is not a member,
    to the asker alone.

    `text` is what their message says. Returns a line for the answer that says how they went; "" if
    they are right there. Raises Busy.
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
        own = await open_direct_messages(wire, token, request.user)
        await _share_files(wire, token, ids, own, "", text)
    except SlackRefused as refused:
        return f"{names} cannot be sent: Slack says {refused.error}."
    return Phrase(f"{names} is in your direct messages.", *(() if private else (" ", INVITE)))


async def open_direct_messages(wire: SlackApi, token: str, user: str) -> str:
    """The channel of a person's direct messages with the bot. Raises Busy, Refused."""
    opened = await wire.call(token, "conversations.open", users=user)
    return str(opened["channel"]["id"])


async def _upload(wire: SlackApi, token: str, file: File) -> dict[str, str]:
    data = file.data or b"\n"
    name = PurePath(file.name).name or "file.txt"
    alt = {"alt_txt": file.alt[:MOST_ALT]} if file.alt else {}
    place = await wire.call_with_form(
        token, "files.getUploadURLExternal", filename=name, length=str(len(data)), **alt
    )
    await wire.upload(place["upload_url"], data)
    return {"id": place["file_id"], "title": _format_file_title(name)}


def _format_file_title(name: str) -> str:
    """Return `The ford at dawn` for the-ford-at-dawn.html."""
    words = PurePath(name).stem.replace("-", " ").replace("_", " ").strip()
    return f"{words[:1].upper()}{words[1:]}" or name


async def _share_files(
    wire: SlackApi, token: str, ids: list[dict[str, str]], channel: str, thread: str, text: str
) -> None:
    where = {"channel_id": channel, "initial_comment": text}
    where |= {"thread_ts": thread} if thread else {}
    await wire.call(token, "files.completeUploadExternal", files=ids, **where)


log = logging.getLogger(__name__)

_DONE = ("already_pinned", "no_pin", "message_not_found")
_WHY = {
    "missing_scope": "The app lacks the right to pin; a workspace admin can install it again.",
    "not_in_channel": phrase("Invite the app to this channel first: `/invite @grognard`."),
    "too_many_pins": "This channel has as many pins as Slack allows.",
}


async def pin_or_unpin(
    wire: SlackApi, token: str, reply: Reply, spot: Mapping[str, Any]
) -> Reply | None:
    """Pin or unpin the message at `spot` as its reply says; what whoever asked is told where that
    is refused.

    It is no harm when it fails: the message is there.
    """
    if reply.pin not in (PINNED, UNPINNED) or not spot.get("ts"):
        return None
    method = "pins.add" if reply.pin == PINNED else "pins.remove"
    try:
        await wire.call(token, method, channel=str(spot["channel"]), timestamp=str(spot["ts"]))
    except SlackRefused as refused:
        log.info("%s in %s: %s", method, spot["channel"], refused)
        if reply.pin == PINNED and refused.error not in _DONE:
            why = _WHY.get(refused.error, "Slack does not let the app pin messages here.")
            return explain_not_pinned(why, spot["channel"])
    except Busy as busy:
        log.info("%s in %s: %s", method, spot["channel"], busy)
    return None


EVENT = "grognard_answer"
MARGIN = 2 * DAY
"""Seconds by which our clock and Slack's may differ: a host's clock may have been set meanwhile.
Looking too far back only means reading more."""
MOST = 999


def build_mark(request: SlackRequest, reply: Reply) -> Json:
    """What a message carries so that it is found again: a hash, for nobody to read."""
    key = hashlib.sha256(
        f"{request.request_id}/{reply.title}".encode("utf-8", "replace")
    ).hexdigest()[:24]
    return {"event_type": EVENT, "event_payload": {"id": key}}


async def find_posted_answer(
    wire: SlackApi,
    team: Team,
    request: SlackRequest,
    reply: Reply,
    since: float,
    blind: dict[str, float] | None = None,
) -> str | None:
    """The timestamp of the answer if it was posted after `since` (Unix seconds), "" if not; None
    where that cannot be known. `blind` remembers for a day where the app may not read: by the
    workspace and the kind of conversation."""
    if reply.private and not request.direct:
        return None
    way: Json = {"ts": request.thread} if request.thread else {}
    method = "conversations.replies" if request.thread else "conversations.history"
    more = {"oldest": f"{since - MARGIN:.6f}", "limit": str(MOST), "include_all_metadata": "true"}
    kind = f"{team.id}/{request.channel[:1]}"
    blind = {} if blind is None else blind
    if blind.get(kind, 0.0) > time.monotonic():
        return None
    try:
        found = await wire.call_with_form(
            team.token, method, channel=request.channel, **way, **more
        )
    except (Busy, SlackRefused) as trouble:
        if isinstance(trouble, SlackRefused) and trouble.error == "missing_scope":
            blind[kind] = time.monotonic() + DAY
        return None
    ours = [
        one
        for one in found.get("messages") or ()
        if not team.bot_user or one.get("user") == team.bot_user
    ]
    for one in ours:
        if _is_same_answer(one, request, reply):
            return str(one.get("ts") or "?")
    # Two answers without a number may read alike: another one's does not prove that this one is
    # there.
    alike = any(
        _extract_text(one) == render_message(reply, team.id, reader=request.reader).text
        for one in ours
        if not one.get("metadata")
    )
    return None if alike or found.get("has_more") else ""


def _is_same_answer(message: Json, request: SlackRequest, reply: Reply) -> bool:
    """Return whether the message is surely this answer: by its mark, or where it has none by its
    number and hash (or reference) and title: a board tells them too.
    """
    payload = (message.get("metadata") or {}).get("event_payload")
    if request.request_id and payload:
        return bool(payload == build_mark(request, reply)["event_payload"])
    if not (reply.footer and reply.footer[0].startswith(("#", REFERENCE))):
        return False
    numbered = escape_entities(" · ".join(reply.footer[:2]))
    return numbered in _extract_text(message) and escape_entities(reply.title) in _extract_text(
        message
    )


def _extract_text(message: Json) -> str:
    text = str(message.get("text") or "")
    for remark in (LATE, PERHAPS, LATE_PERHAPS):
        text = text.replace(remark, "", 1)
    return text
