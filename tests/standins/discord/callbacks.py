"""First responses to interactions, and what their token allows afterwards."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from aiohttp import web

from tests.standins.discord import permissions as may
from tests.standins.discord.commands import check_choices
from tests.standins.discord.components import check_modal
from tests.standins.discord.errors import (
    ApiError,
    Json,
    Problems,
    missing_permissions,
    not_found,
    unknown_message,
)
from tests.standins.discord.payloads import message_json
from tests.standins.discord.posting import Upload, numbered
from tests.standins.discord.rest import API, answered, nothing, read_body
from tests.standins.discord.state import EPHEMERAL, Answer, Interaction, Kind, Message

if TYPE_CHECKING:
    from tests.standins.discord.site import Site

TALK = (Answer.MESSAGE, Answer.THINKING)
PERMITTED = {
    Kind.COMMAND: (*TALK, Answer.MODAL),
    Kind.COMPONENT: (*TALK, Answer.DEFER_UPDATE, Answer.UPDATE, Answer.MODAL),
    Kind.AUTOCOMPLETE: (Answer.CHOICES,),
    Kind.MODAL: TALK,
}
MOST_FURTHER = 5
"""Follow-ups to one interaction that only a person's own install let in."""
WITH_SOURCE = (Answer.DEFER_UPDATE, Answer.UPDATE)


class Callbacks:
    """The routes that need no bot token, only an interaction's."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._world = site.world

    def routes(self) -> list[web.RouteDef]:
        """All routes."""
        hook = API + "/webhooks/{app}/{token}"
        return [
            web.post(API + "/interactions/{interaction}/{token}/callback", self.respond),
            web.post(hook, self.follow_up),
            web.get(hook + "/messages/{message}", self.get),
            web.patch(hook + "/messages/{message}", self.edit),
            web.delete(hook + "/messages/{message}", self.delete),
        ]

    # the first response

    async def respond(self, request: web.Request) -> web.Response:
        """The first response, which must come in time, once, and fit the interaction."""
        body, uploads = await read_body(request)
        found = self._world.tokens.get(request.match_info["token"])
        if found is None or str(found.id) != request.match_info["interaction"]:
            raise not_found("interaction", 10062)
        try:
            self._accept(found, body, uploads)
        except ApiError as refusal:
            found.refused.append(refusal.body())
            found.changed.fire()
            raise
        if request.query.get("with_response") not in ("1", "true"):
            return nothing()
        return answered(self._callback_json(found))

    def _accept(self, found: Interaction, body: Json, uploads: list[Upload]) -> None:
        if found.answer_kind is not None:
            raise ApiError(400, 40060, "Interaction has already been acknowledged.")
        if self._site.clock.now() - found.at > self._site.settings.receipt_limit:
            raise not_found("interaction", 10062)
        if found.channel.refuses_answers:
            raise ApiError(400, 50083, "Thread is archived")
        kind = self._permitted(found, body)
        self._act(found, kind, body.get("data") or {}, uploads)
        found.answer_kind, found.response = kind, body
        found.receipt = time.monotonic() - found.sent
        found.changed.fire()

    def _permitted(self, found: Interaction, body: Json) -> Answer:
        allowed = PERMITTED[found.kind]
        if found.kind is Kind.MODAL and found.source is not None:
            allowed = (*allowed, *WITH_SOURCE)
        if body.get("type") not in allowed:
            problems = Problems()
            problems.add(
                "type",
                "BASE_TYPE_CHOICES",
                f"Value must be one of {{{', '.join(f'{a:d}' for a in allowed)}}}.",
            )
            problems.done()
        return Answer(body["type"])

    def _act(self, found: Interaction, kind: Answer, data: Json, uploads: list[Upload]) -> None:
        if kind is Answer.MESSAGE:
            found.original = self._post(found, data, uploads, at="data.")
        elif kind is Answer.THINKING:
            private = bool(int(data.get("flags") or 0) & EPHEMERAL)
            found.original = self._site.posting.placeholder(found, ephemeral=private)
            self._produced(found, found.original)
        elif kind is Answer.DEFER_UPDATE:
            found.original = found.source
        elif kind is Answer.UPDATE:
            assert found.source is not None
            if found.source.deleted:
                raise unknown_message()
            self._site.posting.edit(found.source, data, uploads, at="data.")
            found.original = found.source
            self._produced(found, found.source)
        elif kind is Answer.CHOICES:
            self._check_choices(found, data)
        else:
            problems = Problems()
            check_modal(problems, "data.", data)
            problems.done()
            numbered(data["components"])

    def _check_choices(self, found: Interaction, data: Json) -> None:
        problems = Problems()
        if not isinstance(data.get("choices"), list):
            problems.required("data.choices")
        else:
            check_choices(problems, "data.choices", data["choices"], found.focused_type)
        problems.done()

    def _callback_json(self, found: Interaction) -> Json:
        assert found.answer_kind is not None
        interaction: Json = {"id": str(found.id), "type": int(found.kind)}
        resource: Json = {"type": int(found.answer_kind)}
        if found.original is not None:
            interaction |= {
                "response_message_id": str(found.original.id),
                "response_message_loading": found.original.loading,
                "response_message_ephemeral": found.original.ephemeral,
            }
            if found.answer_kind in (Answer.MESSAGE, Answer.THINKING, Answer.UPDATE):
                resource["message"] = message_json(self._world, found.original)
        return {"interaction": interaction, "resource": resource}

    # what the token allows afterwards

    def _by_token(self, request: web.Request) -> Interaction:
        found = self._world.tokens.get(request.match_info["token"])
        if found is None or request.match_info["app"] != str(self._world.bot.id):
            raise not_found("Webhook", 10015)
        if self._site.clock.now() - found.at > self._site.settings.token_life:
            raise ApiError(401, 50027, "Invalid Webhook Token")
        if found.answer_kind in (None, Answer.CHOICES):
            raise not_found("Webhook", 10015)
        return found

    def _target(self, request: web.Request, found: Interaction) -> Message:
        name = request.match_info["message"]
        if name == "@original":
            message = found.original
        else:
            own = [*found.messages, *([found.source] if found.source is not None else [])]
            message = next((m for m in own if str(m.id) == name), None)
        if message is None or message.deleted or message.dismissed:
            raise unknown_message()
        return message

    async def follow_up(self, request: web.Request) -> web.Response:
        """A further message. The first after "thinking" takes that placeholder's place, private
        or public as it was.
        """
        body, uploads = await read_body(request)
        found = self._by_token(request)
        if "0" not in found.owners and found.further >= MOST_FURTHER:
            raise ApiError(
                400, 40094, "This interaction has hit the maximum number of follow up messages"
            )
        found.further += 1
        original = found.original
        if original is not None and original.loading and original.dismissed:
            raise unknown_message()
        if original is not None and original.loading and not original.deleted:
            self._edit(found, original, body, uploads)
            return answered(message_json(self._world, original))
        return answered(message_json(self._world, self._post(found, body, uploads)))

    async def get(self, request: web.Request) -> web.Response:
        """One of the interaction's messages."""
        return answered(message_json(self._world, self._target(request, self._by_token(request))))

    async def edit(self, request: web.Request) -> web.Response:
        """Edit one of them."""
        body, uploads = await read_body(request)
        found = self._by_token(request)
        message = self._target(request, found)
        self._edit(found, message, body, uploads)
        return answered(message_json(self._world, message))

    async def delete(self, request: web.Request) -> web.Response:
        """Delete one of them."""
        found = self._by_token(request)
        self._site.posting.delete(self._target(request, found))
        found.changed.fire()
        return nothing()

    def _post(self, found: Interaction, body: Json, uploads: list[Upload], at: str = "") -> Message:
        self._check_files(found, uploads)
        message = self._site.posting.post(found.channel, body, uploads, interaction=found, at=at)
        self._produced(found, message)
        return message

    def _edit(
        self, found: Interaction, message: Message, body: Json, uploads: list[Upload]
    ) -> None:
        self._check_files(found, uploads)
        self._site.posting.edit(message, body, uploads)
        self._produced(found, message)

    def _check_files(self, found: Interaction, uploads: list[Upload]) -> None:
        if uploads and may.ATTACH_FILES & ~self._world.app_permissions(found):
            raise missing_permissions()

    def _produced(self, found: Interaction, message: Message) -> None:
        if message.interaction is found and message not in found.messages:
            found.messages.append(message)
        if message in found.touched:
            found.touched.remove(message)
        found.touched.append(message)
        found.changed.fire()
