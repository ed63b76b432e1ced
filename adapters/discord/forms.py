"""The guided form: a private message with menus, forms for numbers, the command so far, *Odds* and *Roll it*.

The draft is in the store, its id in every custom_id; nothing of it is in memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.discord.calls import FORM, MESSAGE, UPDATE
from adapters.discord.delivery import Direct
from adapters.discord.escape import escaped, line
from adapters.discord.render import ACTION, FORM_PART, MAX_CONTENT, Message
from adapters.discord.request import EPHEMERAL, Request
from adapters.discord.work import Work
from bot.drafts import Draft, new_draft
from bot.interface.form import Blank, Form, Menu, choose, fill, form_of, missing
from bot.interface.reply import error_reply
from bot.interface.spec import Command, CommandSpec
from bot.rules.errors import UserError
from bot.rules.phrase import Phrase, Typed
from bot.rules.plain import visible

Json = dict[str, Any]

MENUS, BLANKS = 4, 5
ROW, BUTTON, SELECT, TEXT, LABEL = 1, 2, 3, 4, 18
_ID = re.compile(r"([^:]+):(?:(odds)|(?:(page|fill):(\d{1,4}))|(?:(menu):([^:]+:\d{1,4})))", re.ASCII)
_GREY, _BLUE, _GREEN = 2, 1, 3


def needs_form(spec: CommandSpec, options: Mapping[str, object]) -> bool:
    """Whether a sequence lacks what it needs, or was called alone: then it can hardly be meant with all at 0."""
    return bool(missing(spec, options)) or not options


async def open_form(work: Work, request: Request, spec: CommandSpec, options: Mapping[str, object]) -> None:
    """Begin a draft with what was given, and show its form to who asked."""
    draft = new_draft(spec.path, options, request.who.key)
    await work.app.drafts.put(draft)
    await _show(work, request, draft, MESSAGE)


async def change_form(work: Work, request: Request, data: Mapping[str, Any]) -> None:
    """Take what was chosen, filled in or pressed in a form."""
    key, what, more = read_id(str(data["custom_id"]))
    draft = await work.app.drafts.get(key, request.who.key) if what else None
    try:
        if draft is None:
            raise UserError(
                "This form was already used, or has expired.", hint="Type the command again.", code="used-up"
            )
        spec = work.app.spec(draft.path)
    except UserError as error:
        await work.delivery.say(request, error_reply(error))
        return
    if what == "odds":
        await _odds(work, request, spec, draft)
    elif what == "fill" and "components" not in data:
        form = form_of(spec, draft.options, await work.app.known(request.where, request.who))
        await work.delivery.direct(request, Direct(FORM, data=modal(spec, key, form, int(more[0]))))
    else:
        await _apply(work, request, spec, draft, what, more, data)


def read_id(custom_id: str) -> tuple[str, str, list[str]]:
    """(draft, what was pressed, what goes with it); nothing was pressed where no form of ours has such an id."""
    found = _ID.fullmatch(custom_id.removeprefix(FORM_PART))
    if found is None:
        return "", "", []
    key, *rest = (part for part in found.groups() if part)
    return key, rest[0], ":".join(rest[1:]).split(":")


async def _apply(
    work: Work, request: Request, spec: CommandSpec, draft: Draft, what: str, more: list[str], data: Mapping[str, Any]
) -> None:
    options, page = draft.options, draft.page
    problems: tuple[str, ...] = ()
    if what == "page":
        page = int(more[0])
    elif what == "fill":
        options, problems = fill(spec, options, submitted(data))
    elif what == "menu":
        known = await work.app.known(request.where, request.who)
        options = choose(spec, options, known, more[0], int(more[1]), data.get("values") or ())
    draft = replace(draft, options=options, page=page)
    await work.app.drafts.put(draft)
    await _show(work, request, draft, UPDATE, problems)


async def _odds(work: Work, request: Request, spec: CommandSpec, draft: Draft) -> None:
    options = {**draft.options, "odds": True}
    command = Command(spec.path, options, request.who, request.where, request.request_id, request.to_json(private=True))
    await work.delivery.serve(request, command, work.app.run(command), private=True)


def submitted(data: Mapping[str, Any]) -> dict[str, str]:
    """{field: text} of a form that was sent."""
    found = {}
    for part in data.get("components") or ():
        for field in (part["component"],) if "component" in part else part.get("components") or ():
            if "value" in field:
                found[str(field["custom_id"])] = str(field["value"] or "")
    return found


# How it looks


async def _show(work: Work, request: Request, draft: Draft, kind: int, problems: tuple[str, ...] = ()) -> None:
    spec = work.app.spec(draft.path)
    form = form_of(spec, draft.options, await work.app.known(request.where, request.who))
    await work.delivery.direct(request, Direct(kind, message(spec, draft.key, form, draft.page, problems)))


def message(spec: CommandSpec, key: str, form: Form, page: int, problems: tuple[str, ...] = ()) -> Message:
    """The form as a private message; `page` counts from 0."""
    pages = max(1, -(-len(form.menus) // MENUS), -(-len(form.blanks) // BLANKS))
    page = min(max(page, 0), pages - 1)
    lines = [f"{spec.name}: choose below, type the numbers, then roll. {escaped(spec.summary)}"]
    lines += [f"Error: {escaped(problem)}" for problem in problems]
    if form.missing:
        lines.append(f"Still needed: {escaped(', '.join(option.name for option in form.missing))}")
    else:
        lines.append("Nothing more is needed.")
    so_far = line(Phrase("So far: ", Typed(form.command)))
    room = MAX_CONTENT - len("\n".join(lines)) - 1
    lines.append(so_far if len(so_far) <= room else "So far: more than can be shown here.")
    shown = form.menus[page * MENUS : (page + 1) * MENUS]
    body: Json = {
        "content": "\n".join(lines),
        "embeds": [],
        "components": [*(_row(_select(key, menu)) for menu in shown), _row(*_buttons(spec, key, form, page, pages))],
        "allowed_mentions": {"parse": []},
        "flags": EPHEMERAL,
    }
    return Message(body)


def _row(*parts: Json) -> Json:
    return {"type": ROW, "components": list(parts)}


def _select(key: str, menu: Menu) -> Json:
    options = [
        {
            "label": visible(pick.label)[:100].strip() or pick.value,
            "value": pick.value,
            **({"description": visible(pick.about)[:100]} if pick.about else {}),
            "default": pick.chosen,
        }
        for pick in menu.picks
    ]
    return {
        "type": SELECT,
        "custom_id": f"{FORM_PART}{key}:menu:{menu.option}:{menu.part}",
        "placeholder": visible(menu.title)[:150],
        "min_values": 0,
        "max_values": len(options) if menu.many else 1,
        "options": options,
    }


def _buttons(spec: CommandSpec, key: str, form: Form, page: int, pages: int) -> list[Json]:
    blanks = form.blanks[page * BLANKS : (page + 1) * BLANKS]
    found = []
    if page > 0:
        found.append(_button(f"{FORM_PART}{key}:page:{page - 1}", "Back"))
    if blanks:
        names = ", ".join(blank.option.name for blank in blanks)
        found.append(_button(f"{FORM_PART}{key}:fill:{page}", f"Type: {names}"[:80]))
    if page + 1 < pages:
        found.append(_button(f"{FORM_PART}{key}:page:{page + 1}", "More"))
    ready = not form.missing
    if spec.option("odds") is not None:
        found.append(_button(f"{FORM_PART}{key}:odds", "Odds", _BLUE, disabled=not ready))
    found.append(_button(f"{ACTION}roll:{key}", "Roll it", _GREEN, disabled=not ready))
    return found


def _button(custom_id: str, label: str, style: int = _GREY, *, disabled: bool = False) -> Json:
    made: Json = {"type": BUTTON, "style": style, "label": label, "custom_id": custom_id}
    return made | {"disabled": True} if disabled else made


def modal(spec: CommandSpec, key: str, form: Form, page: int) -> Json:
    """The form for the numbers and texts of a page."""
    blanks = form.blanks[page * BLANKS : (page + 1) * BLANKS]
    return {
        "custom_id": f"{FORM_PART}{key}:fill:{page}",
        "title": spec.name[:45],
        "components": [_field(blank) for blank in blanks],
    }


def _field(blank: Blank) -> Json:
    option = blank.option
    text: Json = {
        "type": TEXT,
        "custom_id": option.name,
        "style": 2 if option.type == "units" else 1,
        "required": False,
        "max_length": 40 if option.type in ("int", "number") else 4000,
    }
    if blank.value:
        text["value"] = blank.value[: text["max_length"]]
    elif option.default not in (None, ""):
        text["placeholder"] = f"{option.default} if left empty"[:100]
    about = option.help or option.expected
    return {"type": LABEL, "label": option.name.replace("_", " ")[:45], "description": about[:100], "component": text}
