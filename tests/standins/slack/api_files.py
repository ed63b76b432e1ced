"""The external upload flow: ask for a URL, post the bytes there, say where the file goes."""

from __future__ import annotations

import mimetypes
from typing import TYPE_CHECKING

from aiohttp import web

from .api import Call, Refused, bad, fail, method
from .api_chat import _must_be_in, _thread, checked
from .messages import StoredFile
from .settings import Json
from .workspace import new_id

if TYPE_CHECKING:
    from .standin import SlackStandIn


@method("files.getUploadURLExternal", "files:write")
async def get_upload_url(call: Call) -> Json:
    """Where to post the bytes, and the file's id."""
    name = call.needed("filename")
    try:
        length = int(call.needed("length"))
    except ValueError:
        raise Refused("invalid_arguments") from None
    if not 0 < length <= call.slack.limits.file_bytes:
        raise Refused("invalid_arguments")
    return call.slack.uploads.expect(
        call.workspace.id,
        name,
        length,
        call.workspace.bot_user,
        str(call.args.get("alt_txt") or ""),
    )


@method("files.completeUploadExternal", "files:write")
async def complete_upload(call: Call) -> Json:
    """Share the uploaded files in one message, or in none when no channel is named."""
    asked = call.args.get("files")
    if not isinstance(asked, list) or not asked:
        raise bad("invalid_arguments", ["missing required field: files [json-pointer:/files]"])
    named = call.args.get("channel_id") or call.args.get("channels")
    if not named:
        return {
            "files": [
                call.slack.file_as_slack(call.slack.uploads.take(call.workspace.id, one))
                for one in asked
            ]
        }
    call.args["channel"] = named
    channel = call.channel(by_id=True)
    _must_be_in(call, channel)
    thread = _thread(call, channel)
    files = [call.slack.uploads.take(call.workspace.id, one) for one in asked]
    text = str(call.args.get("initial_comment") or "")
    blocks: list[Json] = []
    if text or call.args.get("blocks"):
        text, blocks = checked(call.slack, {"text": text, "blocks": call.args.get("blocks")})
    call.slack.messages.post(
        channel,
        call.workspace.bot_user,
        text,
        blocks=blocks,
        thread_ts=thread,
        files=files,
        via="files.completeUploadExternal",
    )
    return {"files": [call.slack.file_as_slack(one) for one in files]}


class Uploads:
    """Uploads under way, and all files ever shared (for downloads)."""

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack
        self._expected: dict[
            str, tuple[str, str, int, str]
        ] = {}  # file id: team, name, length, owner
        self._arrived: dict[str, StoredFile] = {}
        self.shared: dict[str, StoredFile] = {}
        self.alts: dict[str, str] = {}  # what each picture shows in words, by file id

    def expect(self, team: str, name: str, length: int, owner: str, alt: str = "") -> Json:
        """The answer of files.getUploadURLExternal."""
        file = new_id("F")
        self.alts[file] = alt
        self._expected[file] = (team, name, length, owner)
        return {
            "upload_url": f"http://127.0.0.1:{self._slack.port}/upload/v1/{file}",
            "file_id": file,
        }

    def take(self, team: str, asked: Json) -> StoredFile:
        """The file of this id, uploaded but not yet completed. Raises Refused."""
        found = self._arrived.get(str(asked.get("id")))
        if found is None or found.team != team:
            raise Refused("file_not_found")
        del self._arrived[found.id]
        done = StoredFile(
            found.id,
            found.name,
            asked.get("title") or found.name,
            found.data,
            team,
            found.owner,
            found.mimetype,
        )
        self.shared[done.id] = done
        return done

    def put(self, team: str, owner: str, name: str, data: bytes) -> StoredFile:
        """A person's own file, shared at once."""
        file = StoredFile(new_id("F"), name, name, data, team, owner, _mimetype(name))
        self.shared[file.id] = file
        return file

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Take the bytes, raw or as a form; the length must be as announced."""
        fault = self._slack.faults.take("upload")
        try:
            if fault is not None:
                await fault.wait()
                fail(fault)
        except Refused as refusal:
            return refusal.answer()
        expected = self._expected.get(request.match_info["file"])
        if expected is None:
            return web.Response(status=404, text="file_not_found")
        team, name, length, owner = expected
        data = await _bytes(request)
        if len(data) != length:
            return web.Response(status=400, text="length_mismatch")
        file = request.match_info["file"]
        self._arrived[file] = StoredFile(file, name, name, data, team, owner, _mimetype(name))
        return web.Response(text=f"OK - {len(data)}")

    async def download(self, request: web.Request) -> web.StreamResponse:
        """A shared file's bytes, for the workspace's bot token with files:read."""
        file = self.shared.get(request.match_info["file"])
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        home = self._slack.workspaces.get(file.team) if file else None
        if (
            file is None
            or home is None
            or not token
            or token != home.bot_token
            or "files:read" not in home.scopes
        ):
            return web.Response(status=302, headers={"Location": "/signin"})
        return web.Response(body=file.data, content_type=file.mimetype)


async def _bytes(request: web.Request) -> bytes:
    if request.content_type != "multipart/form-data":
        return await request.read()
    form = await request.post()
    field = form.get("file") or form.get("filename")
    return field.file.read() if isinstance(field, web.FileField) else str(field or "").encode()


def _mimetype(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"
