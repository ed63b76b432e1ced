"""Modals at work: opened at once while their trigger lives, errors shown at their field, answers posted after."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.slack.calls import Busy, Refused
from adapters.slack.modal import (
    FIELD,
    MAX_CHOICES,
    PICK,
    ROSTER,
    block_of,
    choice,
    form_view,
    opens_form,
    pick_view,
    read_meta,
    read_state,
)
from adapters.slack.request import Request
from adapters.slack.work import Ack, Work
from bot.interface.complete import described
from bot.interface.form import ACTING, OPEN_FORM
from bot.interface.reply import Button, Reply, error_reply
from bot.interface.spec import CommandSpec, Person
from bot.interface.text import parse_text
from bot.rules.errors import UserError

log = logging.getLogger(__name__)

Json = dict[str, Any]
MAX_CARRIED = 1_900
AT_FIELD = 1.8
"""Seconds that a submitted form waits for its work, so that an error can appear at its field."""
MAX_ERROR = 2_000


class Forms:
    """Opens, completes and takes modals."""

    def __init__(self, work: Work) -> None:
        self._work, self._app = work, work.app

    async def opened(self, request: Request, text: str, ack: Ack) -> bool:
        """Open the form for a command that was typed without options; whether there was one to open.

        Then the command is acknowledged, before anything else: its trigger lives as short.
        """
        try:
            typed = parse_text(text, self._app.registry)
        except UserError:
            words = tuple(text.casefold().removeprefix("/").split())
            if not 0 < len(words) < 3 or words[0] not in self._app.registry.top:
                return False
            below = list(self._app.registry.below(words))
            if below:
                await ack()
            if len(below) > 1:
                await self._open(request, text, pick_view(words, self._app.registry, request))
            elif below:
                await self._open(request, text, await self._view(request, below[0], {}))
            return bool(below)
        if not opens_form(typed.spec, typed.options):
            return False
        await ack()
        await self._open(request, text, await self._view(request, typed.spec, {}))
        return True

    async def open_from(self, request: Request, text: str) -> None:
        """Open the form that a button offers, with what its command held."""
        try:
            typed = parse_text(text, self._app.registry)
            spec, options = typed.spec, typed.options
        except UserError:
            spec, _ = self._app.registry.find(text.removeprefix("/").split())
            options = {}
        await self._open(request, text, await self._view(request, spec, options))

    def offered(self, reply: Reply, text: str) -> Reply:
        """A refusal with a button that opens the form of the command, where it has one."""
        try:
            spec, used = self._app.registry.find(text.removeprefix("/").split())
        except UserError:
            return reply
        if not spec.options:
            return reply
        action = OPEN_FORM + text
        if len(action) > MAX_CARRIED:
            action = OPEN_FORM + " ".join(text.split()[:used])
        return replace(reply, buttons=(*reply.buttons, Button(action, "Open form")))

    async def on_submit(self, ack: Ack, body: Json) -> None:
        """A modal was submitted."""
        view = body["view"]
        path, request = read_meta(view, body["user"]["id"])
        values = view["state"]["values"]
        if view["callback_id"] != PICK:
            spec = self._app.spec(path)
            await self._take(ack, request, spec, read_state(spec, values))
            return
        picked = ((values.get("command") or {}).get(FIELD) or {}).get("selected_option")
        if not picked:
            raise UserError("No command was chosen.", code="missing")
        chosen = picked["value"]
        spec = self._app.spec(tuple(chosen.split()))
        if spec.options:
            await ack(response_action="update", view=await self._view(request, spec, {}))
        else:
            await self._take(ack, request, spec, {})

    async def on_search(self, ack: Ack, body: Json) -> None:
        """Letters were typed into a select of a modal."""
        path, request = read_meta(body["view"], body["user"]["id"])
        typed = str(body.get("value") or "").strip()
        if body["block_id"].endswith(ROSTER):
            await ack(options=await self._units(request, body["block_id"].removesuffix(ROSTER), typed))
            return
        found = await self._app.complete(
            path, body["block_id"], typed, {}, Person(request.person_key, ""), request.where
        )
        options = [choice(one.name, one.value) for one in found]
        option = self._app.spec(path).option(body["block_id"])
        if typed and (not options or (option is not None and option.free)):
            options.append(choice(typed, typed))
        await ack(options=options)

    async def _units(self, request: Request, option: str, typed: str) -> list[Json]:
        """Units of the roster that fit what was typed, those that are meant first."""
        known = await self._app.known(request.where, Person(request.person_key, ""))
        own, part = option in ACTING, typed.casefold()
        fitting = [unit for unit in known.roster if part in unit.name.casefold() or part in unit.handle.casefold()]
        fitting.sort(key=lambda unit: bool(known.own_side) and (unit.side == known.own_side) != own)
        return [choice(described(unit), unit.name) for unit in fitting[:MAX_CHOICES]]

    async def _take(self, ack: Ack, request: Request, spec: CommandSpec, options: Mapping[str, object]) -> None:
        """Run the command of a form: a quick refusal appears at its field, anything else is posted."""

        async def at_its_field(reply: Reply) -> bool:
            if not reply.error or reply.seen or not spec.options:
                return False
            await ack(response_action="errors", errors=field_errors(spec, reply))
            return True

        await self._work.answer(
            request,
            request.command(spec.path, options),
            lambda who: self._work.run(request, spec, options, who),
            ack,
            patience=AT_FIELD,
            quick=at_its_field,
        )

    async def _view(self, request: Request, spec: CommandSpec, options: Mapping[str, object]) -> Json:
        who = Person(request.person_key, "")
        known = await self._app.known(request.where, who)
        given = options or await self._app.last_inputs(request.where, who, spec.path)
        return form_view(spec, request, given, known)

    async def _open(self, request: Request, text: str, view: Json) -> None:
        team = await self._work.teams.find(request.team)
        if team is None:
            return
        try:
            await self._work.wire.call(team.token, "views.open", trigger_id=request.trigger, view=view)
        except (Busy, Refused) as trouble:
            log.warning("could not open a form: %s", trouble)
            error = UserError("The form could not be opened: Slack allows only three seconds for it.", code="too-late")
            await self._work.posts.deliver(request, self.offered(error_reply(error), text))


def field_errors(spec: CommandSpec, reply: Reply) -> dict[str, str]:
    """What appears at which field of a form that was refused."""
    return {block_of(spec, reply.option): " ".join((reply.title, *reply.body()))[:MAX_ERROR]}
