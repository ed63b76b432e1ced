"""Modals at work: opened at once while their trigger lives, errors shown at their field, answers
posted after.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from adapters.forms import OpenForm, begin_form, open_form, save_draft_if_runnable
from adapters.slack.calls import Busy, SlackRefused
from adapters.slack.home import SAY
from adapters.slack.modal import (
    COUNT,
    FIELD,
    MORE,
    PICK,
    ROOM,
    USED,
    Meta,
    build_command_choice_view,
    build_form_view,
    find_block,
    read_meta,
    read_state,
)
from adapters.slack.request import Json, SlackRequest
from adapters.slack.request_handler import Ack, RequestHandler
from adapters.slack.text import escape_text
from bot.preferences.forms import ONE_MORE, Draft, describe_in_form, describe_problem
from bot.rules.errors import UserError
from bot.rules.text.normalize import comparison_key
from bot.ui.form.form import opens_form
from bot.ui.form.submission import FormResult
from bot.ui.reply.bars import LEAST, format_percent
from bot.ui.reply.parts import Odds
from bot.ui.reply.reply import OPEN_FORM, Button, Reply, build_error_reply
from bot.ui.spec import CommandSpec, Person
from bot.ui.typing.command_text import ParsedCommand, names_group

log = logging.getLogger(__name__)

Opening = TypeVar("Opening")

MAX_CARRIED = 1_900
AT_FIELD = 1.8
"""Seconds that a submitted form waits for its work, so that an error can appear at its field."""
MAX_ERROR = 2_000
FOR_MANAGERS = ("not-player", "not-yours")
"""Refusals of a form that do not hold for a manager of the workspace."""
AGAIN = (0.3, 1.0)
"""Seconds before each further attempt to open a form, for which Slack gives three."""


class SlackForms:
    """Opens, changes and takes modals."""

    def __init__(self, work: RequestHandler) -> None:
        self._work = work
        self._app = work.app

    async def open_for_command(self, request: SlackRequest, text: str, ack: Ack) -> bool:
        """Open the form for a command that lacks something; whether there was one to open.

        Then the command is acknowledged, before anything else: its trigger lives as short.
        """
        words = comparison_key(text).removeprefix("/").split()
        if names_group(words, self._app.registry):
            return await self._open_command_choice(request, text, ack)
        try:
            typed = await self._app.parse_line(text, request.where, request.who)
            sequence = await self._app.find_sequence(*typed, request.who, request.where)
        except UserError:
            return await self._open_command_choice(request, text, ack)
        if typed.spec.path == ("help",) and words[:1] != ["help"]:  # a group of a pack
            return await self._open_command_choice(request, text, ack)
        if sequence is not None:
            typed = ParsedCommand(sequence, {})
        if not opens_form(typed.spec, typed.options):
            return False
        await ack()
        if await self._offer_scenario(request, typed.spec, typed.options):
            return True
        try:
            view = await self._begin_view(request, typed.spec, typed.options)
        except UserError as error:
            await self._work.posts.deliver(request, build_error_reply(error))
            return True
        await self._open(request, text, view)
        return True

    async def _offer_scenario(
        self, request: SlackRequest, spec: CommandSpec, options: Mapping[str, object]
    ) -> bool:
        """Offer a scenario in place of the form where no game is on; whether it was offered."""
        offer = await self._app.forms.offer_scenario(spec, options, request.who, request.where)
        if offer is not None:
            await self._work.posts.deliver(request, offer)
        return offer is not None

    async def _open_command_choice(self, request: SlackRequest, text: str, ack: Ack) -> bool:
        """Open what asks which command is meant, by its first words alone, or its form where
        there is but one.
        """
        words = tuple(comparison_key(text).removeprefix("/").split())
        try:
            seen = await self._app.load_registry(request.where)
        except UserError:
            return False  # the command is run all the same: its answer says what is wrong
        if not words:
            await ack()
            known = await self._app.get_completion_context(request.where, request.who)
            games = {*await self._app.enabled.list_systems(request.where), known.system}
            await self._open(request, "help", build_command_choice_view((), seen, request, games))
            return True
        if (
            not 0 < len(words) < 3
            or words[0] not in seen.top_names
            or not (below := list(seen.list_below(words)))
        ):
            return False
        await ack()
        is_one = len(below) == 1
        try:
            view = (
                await self._begin_view(request, below[0], {})
                if is_one
                else build_command_choice_view(words, seen, request)
            )
        except UserError as error:
            await self._work.posts.deliver(request, build_error_reply(error))
            return True
        await self._open(request, text, view)
        return True

    async def open_from_button(self, request: SlackRequest, what: str) -> None:
        """Open the form that a button is for; `what` comes behind `form:` in its action."""
        try:
            offer = await self._app.forms.offer_scenario_for_button(
                what, request.who, request.where
            )
        except UserError as error:
            offer = build_error_reply(error)
        if offer is not None:
            await self._work.posts.deliver(request, offer)
            return

        async def open_draft(person: Person) -> Draft:
            return await self._app.forms.open_draft(what, person, request.where)

        try:
            draft = await self._open_as(request, open_draft)
        except UserError as error:
            await self._work.posts.deliver(request, build_error_reply(error))
            return
        form = await open_form(self._app, ROOM, draft, request.who, request.where)
        await self._open(
            request, " ".join(draft.path), build_form_view(form.form, draft, form.spec, request)
        )

    async def offer_correction(self, request: SlackRequest, reply: Reply, text: str) -> Reply:
        """Return a refusal of what could not be read, with a button that runs the corrected line,
        and one that opens the form of the command if it has one.
        """
        line = reply.better.removeprefix("/")
        if line and len(line) <= MAX_CARRIED:
            run = Button(SAY + line, "Run it", "good")
            return replace(reply, buttons=(*reply.buttons, run))
        try:
            spec, used = (await self._app.load_registry(request.where)).find(
                text.removeprefix("/").split()
            )
        except UserError:
            return reply
        if not spec.options:
            return reply
        action = OPEN_FORM + text
        if len(action) > MAX_CARRIED:
            action = OPEN_FORM + " ".join(text.split()[:used])
        return replace(reply, buttons=(*reply.buttons, Button(action, "Fix it")))

    async def on_submit(self, ack: Ack, body: Json) -> None:
        """A modal was submitted. Raises UserError."""
        view = body["view"]
        meta = read_meta(view, body["user"]["id"])
        request = meta.request
        if view["callback_id"] != PICK:
            await self._run_submitted_form(ack, meta, view)
            return
        values = view["state"]["values"]
        picked = ((values.get("command") or {}).get(FIELD) or {}).get("selected_option")
        if not picked:
            raise UserError("No command was chosen.", code="bad-form")
        spec = await self._app.find_spec_in_place(tuple(picked["value"].split()), request.where)
        if spec.options:
            try:
                further = await self._begin_view(request, spec, {})
            except UserError as error:
                await ack()
                await self._work.posts.deliver(request, build_error_reply(error))
                return
            await ack(response_action="update", view=further)
        else:
            command = request.build_command(spec.path, {})
            run = partial(self._work.run_command, request, spec, {})
            await self._work.answer_request(request, command, run, ack)

    async def on_action(self, ack: Ack, body: Json) -> None:
        """Something in a modal was pressed or, while it shows the odds, changed."""
        view = body["view"]
        meta = read_meta(view, body["user"]["id"])
        await ack()
        request = meta.request
        name = body["actions"][0]["action_id"]
        draft = await self._app.drafts.get(meta.draft, request.person_key)
        if draft is None or not (meta.counts or name in (COUNT, MORE)):
            return
        _, taken = await self._read_view(request, draft, view)
        page = draft.page ^ 1 if name == MORE else draft.page
        # what was refused before may be put right by now; what is wrong now is said anew
        draft = draft._replace(options=taken.options, page=page, wrong="", message="")
        counts = meta.counts or name == COUNT
        if taken.problem is not None and not counts:
            problem = taken.problem
            draft = draft._replace(wrong=problem.option or "", message=describe_problem(problem))
        await self._app.drafts.put(draft)
        lines = await self._format_odds(request, draft, taken) if counts else []
        form = await open_form(self._app, ROOM, draft, request.who, request.where)
        shown = build_form_view(form.form, draft, form.spec, request, lines)
        await self._call(
            request, "views.update", view_id=view["id"], hash=view.get("hash"), view=shown
        )

    async def _format_odds(
        self, request: SlackRequest, draft: Draft, taken: FormResult
    ) -> list[str]:
        """The odds of what a form holds, one line for those who share them; or why there are
        none yet.
        """
        if taken.problem is not None:
            return [escape_text(describe_problem(taken.problem))]
        reply = await self._app.press(f"count:{draft.key}", request.who, request.where, "")
        if reply.error:
            return [f"_{escape_text(' '.join((reply.title, *reply.format_body()[:1])))}_"]
        return [_format_odds_line(part) for part in reply.lines if isinstance(part, Odds)]

    async def _run_submitted_form(self, ack: Ack, meta: Meta, view: Json) -> None:
        """Do what a filled-in form asks for: a quick refusal appears at its field, anything else
        is posted.
        """
        request = meta.request
        try:
            draft = await self._app.drafts.get_own(meta.draft, request.person_key)
        except UserError as gone:
            await ack()
            await self._work.posts.deliver(request, build_error_reply(gone))
            return
        form, taken = await self._read_view(request, draft, view)

        async def show_at_field(reply: Reply) -> bool:
            if not reply.error or reply.seen or reply.code in ("used-up", "other-game"):
                return False
            text = describe_in_form(form.spec, reply)[:MAX_ERROR]
            await ack(
                response_action="errors", errors={find_block(form.form, draft, reply.option): text}
            )
            return True

        if taken.problem is not None and taken.problem.code == ONE_MORE:
            draft = draft._replace(
                options=taken.options,
                wrong=taken.problem.option or "",
                message=describe_problem(taken.problem),
            )
            await self._app.drafts.put(draft)
            further = await open_form(self._app, ROOM, draft, request.who, request.where)
            await ack(
                response_action="update",
                view=build_form_view(further.form, draft, form.spec, request),
            )
            return
        if taken.problem is not None:
            await show_at_field(build_error_reply(taken.problem))
            return
        is_button = await save_draft_if_runnable(self._app, form, taken)
        command = request.build_command(*form.get_command(taken))

        async def run_form(who: Person) -> Reply:
            run = (
                None
                if is_button
                else lambda: self._work.run_command(request, form.spec, taken.options, who)
            )
            return await form.answer_command(self._app, taken, replace(command, who=who), run)

        await self._work.answer_request(
            request, command, run_form, ack, patience=AT_FIELD, quick=show_at_field
        )

    async def _read_view(
        self, request: SlackRequest, draft: Draft, view: Json
    ) -> tuple[OpenForm, FormResult]:
        """The form of a modal as it was shown, and what has become of it."""
        form = await open_form(self._app, ROOM, draft, request.who, request.where)
        return form, form.read_filled(
            read_state(form.form, (view.get("state") or {}).get("values") or {})
        )

    async def _begin_view(
        self, request: SlackRequest, spec: CommandSpec, options: Mapping[str, object]
    ) -> Json:
        """A new form, filled in with what was given, else with what lasts from the time before.

        Raises UserError for who could not send it.
        """

        async def begin(person: Person) -> OpenForm:
            return await begin_form(self._app, ROOM, spec, options, person, request.where)

        form = await self._open_as(request, begin)
        return build_form_view(form.form, form.draft, form.spec, request)

    async def _open_as(
        self, request: SlackRequest, open_form: Callable[[Person], Awaitable[Opening]]
    ) -> Opening:
        """Return what `open_form` opens for the person who asks.

        Whether they manage the workspace is looked up only if it matters. Raises UserError for who
        could not send the form.
        """
        try:
            return await open_form(request.who)
        except UserError as error:
            if error.code not in FOR_MANAGERS:
                raise
            person = await self._work.people.find(request)
            if not person.manager:
                raise
            return await open_form(person)

    async def _open(self, request: SlackRequest, text: str, view: Json) -> None:
        if not await self._call(request, "views.open", trigger_id=request.trigger, view=view):
            error = UserError(
                "The form could not be opened: Slack gives three seconds for it.", code="too-late"
            )
            await self._work.posts.deliver(
                request, await self.offer_correction(request, build_error_reply(error), text)
            )

    async def _call(self, request: SlackRequest, method: str, **more: Any) -> bool:
        """Open or change a modal; whether Slack did. A change that another has overtaken is no
        harm.
        """
        team = await self._work.teams.find(request.team)
        if team is None:
            return True
        for pause in (*AGAIN, 0.0):
            try:
                await self._work.wire.call(team.token, method, **more)
                return True
            except SlackRefused as refused:
                trouble: Exception = refused
                if refused.error == USED:
                    return True
                break
            except Busy as busy:
                trouble = busy
                wait = busy.seconds if busy.is_asked else pause
                if not pause or wait > AGAIN[-1]:
                    break
                await asyncio.sleep(wait)
        log.warning("a form could not be opened or changed: %s", trouble)
        return False


def _format_odds_line(odds: Odds) -> str:
    """A line of odds: `VC Squad 5: at least shaken *83%*, casualties *38%*`."""
    told = [(word, least) for (word, _), least in zip(odds.chances, odds.least, strict=False)]
    found = [*reversed(told)] or list(odds.chances)
    shown = ", ".join(f"{escape_text(word)} *{format_percent(chance)}*" for word, chance in found)
    return f"{escape_text(odds.heading)}: {f'{LEAST} ' if told else ''}{shown}"
