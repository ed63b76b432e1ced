"""Forms at work: a modal is opened at once, what comes back is rolled, counted or refused, and a refusal leads back.

The draft is in the store, its key in the modal's custom_id; nothing of it is in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.discord.answer import answer
from adapters.discord.calls import FORM
from adapters.discord.delivery import Direct
from adapters.discord.modal import ROOM, filled, modal
from adapters.discord.render import FORM_PART
from adapters.discord.request import Request
from adapters.discord.work import Work, in_time
from bot.interface.form.answer import take
from bot.interface.form.form import HAND, ODDS, SECRET, form_of
from bot.interface.reply.reply import Reply, error_reply
from bot.interface.spec import Command, CommandSpec
from bot.places.drafts import Draft
from bot.places.forms import KEPT, action_of
from bot.rules.errors import UserError


async def open_form(work: Work, request: Request, spec: CommandSpec, options: Mapping[str, object]) -> None:
    """Open the form of a command that lacks something, with what it has, else with what lasts from the time before."""
    async with in_time():
        forms, who = work.app.forms, request.who
        draft = await (forms.begin(spec, options, who) if options else forms.anew(spec, {}, who, request.where))
        shown = await _shown(work, request, draft)
    await work.delivery.direct(request, shown)


async def open_from(work: Work, request: Request, what: str) -> None:
    """Open the form that a button is for; `what` comes behind `form:` in its action."""
    async with in_time():
        draft = await work.app.forms.opened(what, request.who, request.where)
        shown = await _shown(work, request, draft)
    await work.delivery.direct(request, shown)


async def _shown(work: Work, request: Request, draft: Draft) -> Direct:
    known = await work.app.known(request.where, request.who)
    spec = await work.app.spec_of_form(draft, request.where)
    form = form_of(spec, draft.options, known, ROOM, draft.wrong, draft.message, draft.title)
    return Direct(FORM, data=modal(form, draft.key))


async def submitted(work: Work, request: Request, data: Mapping[str, Any]) -> None:
    """Take what was filled into a form, and do what was chosen in it."""
    key = str(data.get("custom_id") or "").removeprefix(FORM_PART)
    async with in_time():
        draft = await work.app.drafts.get(key, request.who.key)
        if draft is None or "components" not in data:
            raise UserError(
                "This form was already used, or has expired.", hint="Type the command again.", code="used-up"
            )
        spec = await work.app.spec_of_form(draft, request.where)
        known = await work.app.known(request.where, request.who)
    form = form_of(spec, draft.options, known, ROOM, draft.wrong, draft.message, draft.title)
    taken = take(spec, known, form, filled(data))
    options = taken.options
    if taken.problem is not None:
        reply = await work.app.forms.offered(error_reply(taken.problem), spec, options, request.who, key)
        await work.delivery.say(request, reply)
    elif spec.family in KEPT:
        await work.app.drafts.put(replace(draft, options=options, wrong="", message="", better=None))
        await _pressed(work, request, spec, options, action_of(taken.how, key, options), private=taken.how)
    else:
        await _run(work, request, spec, options, key)


async def _pressed(
    work: Work, request: Request, spec: CommandSpec, options: Mapping[str, object], action: str, *, private: str
) -> None:
    """Press the button that does what was chosen in the form."""
    is_private = private in (ODDS, SECRET, HAND)
    delivery = request.to_json(private=is_private)
    name, _, rest = action.partition(":")
    command = Command(("button", name), {"rest": rest}, request.who, request.where, request.request_id, delivery)

    async def run() -> Reply:
        reply = await work.app.press(action, request.who, request.where, request.request_id, delivery)
        return await work.app.forms.offered(reply, spec, options, request.who, rest.partition(":")[0])

    await work.delivery.serve(request, command, run(), private=is_private)


async def _run(work: Work, request: Request, spec: CommandSpec, options: Mapping[str, object], key: str) -> None:
    """Run the command of a form that no button can run."""
    async with in_time():
        called = await work.app.called(spec, options, request.who, request.where)
    is_private = called.spec.is_private(called.options)
    delivery = request.to_json(private=is_private)
    command = Command(
        called.spec.path, called.options, request.who, request.where, request.request_id, delivery, spec=called.spec
    )

    async def run() -> Reply:
        reply = await answer(work, request, command)
        return await work.app.forms.offered(reply, spec, options, request.who, key)

    await work.delivery.serve(request, command, run(), private=is_private)
