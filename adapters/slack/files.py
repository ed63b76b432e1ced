"""Files that go with an answer: uploaded to Slack, shown in the channel or in the person's direct messages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from adapters.slack.calls import Refused, Wire
from adapters.slack.request import Request
from bot.interface.reply.reply import File
from bot.rules.text.phrase import Phrase, phrase

MOST_ALT = 1_000
INVITE = phrase("Invite the bot here, and files come into the channel: `/invite @grognard`")


async def send_files(wire: Wire, token: str, request: Request, files: Sequence[File], *, private: bool) -> str:
    """Bring `files` to where the answer goes: private ones, and all where the bot is not a member, to the asker alone.

    Returns a line for the answer that says how they went; "" where they are right there. Raises Busy.
    """
    names = ", ".join(file.name for file in files)
    try:
        ids = [await _upload(wire, token, file) for file in files]
        if not private or request.direct:
            try:
                await _share(wire, token, ids, request.channel, request.thread)
                return ""
            except Refused as refused:
                if not refused.is_outside:
                    raise
        if not request.user:
            return Phrase(f"{names} cannot be shown here. ", INVITE)
        await _share(wire, token, ids, await direct_messages(wire, token, request.user), "")
    except Refused as refused:
        return f"{names} cannot be sent: Slack says {refused.error}."
    return Phrase(f"{names} is in your direct messages.", *(() if private else (" ", INVITE)))


async def direct_messages(wire: Wire, token: str, user: str) -> str:
    """The channel of a person's direct messages with the bot. Raises Busy, Refused."""
    opened = await wire.call(token, "conversations.open", users=user)
    return str(opened["channel"]["id"])


async def _upload(wire: Wire, token: str, file: File) -> dict[str, str]:
    data = file.data or b"\n"
    name = PurePath(file.name).name or "file.txt"
    alt = {"alt_txt": file.alt[:MOST_ALT]} if file.alt else {}
    place = await wire.request(token, "files.getUploadURLExternal", filename=name, length=str(len(data)), **alt)
    await wire.upload(place["upload_url"], data)
    return {"id": place["file_id"], "title": name}


async def _share(wire: Wire, token: str, ids: list[dict[str, str]], channel: str, thread: str) -> None:
    where = {"channel_id": channel} | ({"thread_ts": thread} if thread else {})
    await wire.call(token, "files.completeUploadExternal", files=ids, **where)
