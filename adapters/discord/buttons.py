"""Buttons: what one does is in its custom_id, so it works after a restart."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any

from adapters.discord.render import ACTION, FORM_PART, MENU
from adapters.discord.request import Request
from adapters.discord.work import Work
from bot.interface.reply.reply import OPEN_FORM, Reply, error_reply
from bot.interface.spec import Command
from bot.rules.errors import UserError

PAGES = ("log", "die", "help", "whatif", "back")
"""Buttons that change the private message under which they hang, as long as the answer is private too."""
ENABLES = "packon"
SETTLING = ("consent", "refuse", "reveal", "snooze")
"""Buttons whose public message becomes the answer."""


async def _with_menu(work: Work, request: Request, pressed: Coroutine[Any, Any, Reply]) -> Reply:
    from adapters.discord.answer import with_menu

    return await with_menu(work, request, await pressed)


async def press(work: Work, request: Request, data: Mapping[str, Any]) -> None:
    """Run what a button is for, or a choice in a menu of an answer."""
    custom_id = str(data.get("custom_id") or "")
    if custom_id.startswith(FORM_PART):
        from adapters.discord.forms import submitted

        await submitted(work, request, data)
        return
    chosen = next(iter(data.get("values") or ()), "") if custom_id.startswith(MENU) else custom_id
    action = str(chosen).removeprefix(ACTION)
    if action.startswith(OPEN_FORM):
        from adapters.discord.forms import open_from

        await open_from(work, request, action.removeprefix(OPEN_FORM))
        return
    name, _, rest = action.partition(":")
    try:
        private = work.app.spec(("button", name)).is_private({})
    except UserError as error:
        await work.delivery.say(request, error_reply(error))
        return
    delivery = request.to_json(private=private)
    command = Command(("button", name), {"rest": rest}, request.who, request.where, request.request_id, delivery)
    pressed = work.app.press(action, request.who, request.where, request.request_id, delivery)
    if name == ENABLES:
        pressed = _with_menu(work, request, pressed)
    in_place = name in (PAGES if request.private_message else SETTLING)
    await work.delivery.serve(request, command, pressed, private=private, in_place=in_place)
