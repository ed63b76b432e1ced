"""Buttons: what one does is in its custom_id, so it works after a restart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.discord.render import ACTION, FORM_PART
from adapters.discord.request import Request
from adapters.discord.work import Work
from bot.interface.form import OPEN_FORM
from bot.interface.reply import error_reply
from bot.interface.spec import Command
from bot.rules.errors import UserError

IN_PLACE = ("log",)
"""Buttons that turn the page of the private message under which they hang."""


async def press(work: Work, request: Request, data: Mapping[str, Any]) -> None:
    """Run what a button is for."""
    custom_id = str(data.get("custom_id") or "")
    if custom_id.startswith(FORM_PART):
        from adapters.discord.forms import change_form

        await change_form(work, request, data)
        return
    action = custom_id.removeprefix(ACTION)
    name, _, rest = action.partition(":")
    if action.startswith(OPEN_FORM):
        from adapters.discord.forms import open_form

        await open_form(work, request, work.app.registry.find(rest.split())[0], {})
        return
    try:
        private = work.app.spec(("button", name)).is_private({})
    except UserError as error:
        await work.delivery.say(request, error_reply(error))
        return
    delivery = request.to_json(private=private)
    command = Command(("button", name), {"rest": rest}, request.who, request.where, request.request_id, delivery)
    pressed = work.app.press(action, request.who, request.where, request.request_id, delivery)
    in_place = name in IN_PLACE and request.private_message
    await work.delivery.serve(request, command, pressed, private=private, in_place=in_place)
