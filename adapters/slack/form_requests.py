"""Modals for forms: opened at once, because their trigger dies within three seconds, changed, and
submitted, with errors shown at their fields.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from adapters.form_handling import OpenForm, begin_form, open_form, save_draft_if_runnable
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
from bot.forms.corrections import ONE_MORE, describe_in_form, describe_problem
from bot.forms.drafts import Draft
from bot.rules.errors import UserError
from bot.rules.text.normalize import comparison_key
from bot.ui.form.form import opens_form
from bot.ui.form.submission import FormResult
from bot.ui.reply.bars import LEAST
from bot.ui.reply.parts import Odds
from bot.ui.reply.percents import format_percent
from bot.ui.reply.reply import OPEN_FORM, Button, Reply, build_error_reply
from bot.ui.spec import CommandSpec, Person
from bot.ui.typing.command_text import ParsedCommand, names_group

log = logging.getLogger(__name__)

Opening = TypeVar("Opening")

MAX_CARRIED = 1_900
"""Maximum number of characters of a command in a button."""
AT_FIELD = 1.8
"""Seconds that a submitted form waits for its work, so that an error can appear at its field."""
MAX_ERROR = 2_000
FOR_MANAGERS = ("not-player", "not-yours")
"""Codes of refusals of a form that do not apply to a manager of the workspace."""
AGAIN = (0.3, 1.0)
"""Seconds before each further attempt to open a form, for which Slack gives three."""


class SlackForms:
    """Opens and changes modals, and runs what is submitted in them."""

    def __init__(self, work: RequestHandler) -> None:
        self._work = work
        self._app = work.app

    async def open_for_command(self, request: SlackRequest, text: str, ack: Ack) -> bool:
        """Open the form of a command that lacks what it needs, or the choice of a command if `text`
        is no whole command.

        Return False if there is nothing to open, so that the command must be run. Else it was
        acknowledged, before the form is built, and answered: by the form, by an offer of scenarios,
        or by a refusal.
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
        """Post an offer of scenarios instead of the form, if the app has one for this command.

        Return whether it was posted.
        """
        offer = await self._app.forms.offer_scenario(spec, options, request.who, request.where)
        if offer is not None:
            await self._work.posts.deliver(request, offer)
        return offer is not None

    async def _open_command_choice(self, request: SlackRequest, text: str, ack: Ack) -> bool:
        """Open the choice of a command from those that begin with the words of `text`, or the form
        if there is only one such command. Without text, all commands can be chosen.

        Return False, without an acknowledgement, if no command begins so or there are more than
        two words.
        """
        words = tuple(comparison_key(text).removeprefix("/").split())
        try:
            registry = await self._app.load_registry(request.where)
        except UserError:
            return False  # the command is run, and its answer says what is wrong
        if not words:
            await ack()
            context = await self._app.get_completion_context(request.where, request.who)
            games = {*await self._app.enabled.list_systems(request.where), context.system}
            view = build_command_choice_view((), registry, request, games)
            await self._open(request, "help", view)
            return True
        if len(words) > 2 or words[0] not in registry.top_names:
            return False
        specs = list(registry.list_below(words))
        if not specs:
            return False
        await ack()
        try:
            if len(specs) == 1:
                view = await self._begin_view(request, specs[0], {})
            else:
                view = build_command_choice_view(words, registry, request)
        except UserError as error:
            await self._work.posts.deliver(request, build_error_reply(error))
            return True
        await self._open(request, text, view)
        return True

    async def open_from_button(self, request: SlackRequest, target: str) -> None:
        """Open the form of a button, or post the offer of scenarios or the refusal instead.

        `target` is the button's action without its prefix.
        """
        try:
            offer = await self._app.forms.offer_scenario_for_button(
                target, request.who, request.where
            )
        except UserError as error:
            offer = build_error_reply(error)
        if offer is not None:
            await self._work.posts.deliver(request, offer)
            return

        async def open_draft(person: Person) -> Draft:
            return await self._app.forms.open_draft(target, person, request.where)

        try:
            draft = await self._open_as(request, open_draft)
        except UserError as error:
            await self._work.posts.deliver(request, build_error_reply(error))
            return
        form = await open_form(self._app, ROOM, draft, request.who, request.where)
        view = build_form_view(form.form, draft, form.spec, request)
        await self._open(request, " ".join(draft.path), view)

    async def offer_correction(self, request: SlackRequest, reply: Reply, text: str) -> Reply:
        """Add a button to the refusal of a command that could not be parsed.

        It runs the corrected line if there is one, else it opens the command's form. If the command
        is unknown or has no options, or if there are several, the refusal stays as it is.
        """
        line = reply.better.removeprefix("/")
        if line and len(line) <= MAX_CARRIED:
            run = Button(SAY + line, "Run it", "good")
            return replace(reply, buttons=(*reply.buttons, run))
        if reply.code == "several-commands":
            return reply
        try:
            registry = await self._app.load_registry(request.where)
            spec, name_length = registry.find(text.removeprefix("/").split())
        except UserError:
            return reply
        if not spec.options:
            return reply
        action = OPEN_FORM + text
        if len(action) > MAX_CARRIED:
            action = OPEN_FORM + " ".join(text.split()[:name_length])
        return replace(reply, buttons=(*reply.buttons, Button(action, "Fix it")))

    async def on_submit(self, ack: Ack, body: Json) -> None:
        """Handle a submitted modal: run its form, or open the form of the chosen command, or run
        that command if it has no options.

        If this user could not send the form of the chosen command, that refusal is posted. Raises
        UserError for a modal that is not ours, and if no command was chosen.
        """
        view = body["view"]
        meta = read_meta(view, body["user"]["id"])
        request = meta.request
        if view["callback_id"] != PICK:
            await self._run_submitted_form(ack, meta, view)
            return
        values = view["state"]["values"]
        field_state = (values.get("command") or {}).get(FIELD) or {}
        choice = field_state.get("selected_option")
        if not choice:
            raise UserError("No command was chosen.", code="bad-form")
        spec = await self._app.find_spec_in_place(tuple(choice["value"].split()), request.where)
        if spec.options:
            try:
                form_view = await self._begin_view(request, spec, {})
            except UserError as error:
                await ack()
                await self._work.posts.deliver(request, build_error_reply(error))
                return
            await ack(response_action="update", view=form_view)
        else:
            command = request.build_command(spec.path, {})
            run = partial(self._work.run_command, request, spec, {})
            await self._work.answer_request(request, command, run, ack)

    async def on_action(self, ack: Ack, body: Json) -> None:
        """Update a form after a button in it was pressed, or a field changed while it shows odds.

        The values are saved in the draft.
        """
        view = body["view"]
        meta = read_meta(view, body["user"]["id"])
        await ack()
        request = meta.request
        name = body["actions"][0]["action_id"]
        draft = await self._app.drafts.get(meta.draft, request.person_key)
        if draft is None or not (meta.counts or name in (COUNT, MORE)):
            return
        _, result = await self._read_view(request, draft, view)
        page = draft.page ^ 1 if name == MORE else draft.page
        # an earlier problem may be solved by now; a new one is described below
        draft = draft._replace(options=result.options, page=page, wrong="", message="")
        counts = meta.counts or name == COUNT
        if result.problem is not None and not counts:
            problem = result.problem
            draft = draft._replace(wrong=problem.option or "", message=describe_problem(problem))
        await self._app.drafts.put(draft)
        lines = await self._format_odds(request, draft, result) if counts else []
        form = await open_form(self._app, ROOM, draft, request.who, request.where)
        new_view = build_form_view(form.form, draft, form.spec, request, lines)
        await self._call(
            request, "views.update", view_id=view["id"], hash=view.get("hash"), view=new_view
        )

    async def _format_odds(
        self, request: SlackRequest, draft: Draft, result: FormResult
    ) -> list[str]:
        """Compute the odds of a filled form, and format a line for each group of units with the
        same odds. If there are none yet, return a line that says why.
        """
        if result.problem is not None:
            return [escape_text(describe_problem(result.problem))]
        reply = await self._app.press(f"count:{draft.key}", request.who, request.where, "")
        if reply.error:
            refusal = " ".join((reply.title, *reply.format_body()[:1]))
            return [f"_{escape_text(refusal)}_"]
        return [_format_odds_line(part) for part in reply.lines if isinstance(part, Odds)]

    async def _run_submitted_form(self, ack: Ack, meta: Meta, view: Json) -> None:
        """Run a submitted form. If a button could run it as well, its values are saved in the
        draft, and it is run as that button.

        A refusal that is ready in time appears at its field; any other reply is posted, also that
        the form's draft is gone. A result that needs one more value changes the form so that it
        asks for it.
        """
        request = meta.request
        try:
            draft = await self._app.drafts.get_own(meta.draft, request.person_key)
        except UserError as error:
            await ack()
            await self._work.posts.deliver(request, build_error_reply(error))
            return
        form, result = await self._read_view(request, draft, view)

        async def show_at_field(reply: Reply) -> bool:
            """Show a refusal at its field and return True. Return False for any other reply."""
            if not reply.error or reply.seen or reply.code in ("used-up", "other-game"):
                return False
            text = describe_in_form(form.spec, reply)[:MAX_ERROR]
            block = find_block(form.form, draft, reply.option)
            await ack(response_action="errors", errors={block: text})
            return True

        problem = result.problem
        if problem is not None and problem.code == ONE_MORE:
            message = describe_problem(problem)
            draft = draft._replace(
                options=result.options, wrong=problem.option or "", message=message
            )
            await self._app.drafts.put(draft)
            new_form = await open_form(self._app, ROOM, draft, request.who, request.where)
            new_view = build_form_view(new_form.form, draft, form.spec, request)
            await ack(response_action="update", view=new_view)
            return
        if problem is not None:
            await show_at_field(build_error_reply(problem))
            return
        is_button = await save_draft_if_runnable(self._app, form, result)
        command = request.build_command(*form.get_command(result))

        async def run_form(user: Person) -> Reply:
            run = None
            if not is_button:
                run = partial(self._work.run_command, request, form.spec, result.options, user)
            user_command = replace(command, who=user)
            return await form.answer_command(self._app, result, user_command, run)

        await self._work.answer_request(
            request, command, run_form, ack, patience=AT_FIELD, quick=show_at_field
        )

    async def _read_view(
        self, request: SlackRequest, draft: Draft, view: Json
    ) -> tuple[OpenForm, FormResult]:
        """Return the form as it was opened, from its draft, and the result of what was filled into
        the modal.
        """
        form = await open_form(self._app, ROOM, draft, request.who, request.where)
        values = (view.get("state") or {}).get("values") or {}
        return form, form.read_filled(read_state(form.form, values))

    async def _begin_view(
        self, request: SlackRequest, spec: CommandSpec, options: Mapping[str, object]
    ) -> Json:
        """Build the modal of a new form, filled with `options`, or without any with the reusable
        values of the user's last use.

        Raises UserError if this user could not send the form.
        """

        async def begin(person: Person) -> OpenForm:
            return await begin_form(self._app, ROOM, spec, options, person, request.where)

        form = await self._open_as(request, begin)
        return build_form_view(form.form, form.draft, form.spec, request)

    async def _open_as(
        self, request: SlackRequest, open_form: Callable[[Person], Awaitable[Opening]]
    ) -> Opening:
        """Call `open_form` with the user of the request and return its result.

        If it refuses because the user has no such right, ask Slack whether they manage the
        workspace, and call it again for a manager. Raises UserError if the user could not send the
        form.
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
        """Open a modal. If that fails, post a refusal with a button that opens the form of the
        command `text`.
        """
        is_open = await self._call(request, "views.open", trigger_id=request.trigger, view=view)
        if not is_open:
            error = UserError(
                "The form did not open within the three seconds that Slack allows.",
                code="too-late",
            )
            refusal = await self.offer_correction(request, build_error_reply(error), text)
            await self._work.posts.deliver(request, refusal)

    async def _call(self, request: SlackRequest, method: str, **arguments: Any) -> bool:
        """Open or change a modal, again if Slack is busy for a short time.

        Return False if Slack refused or took too long, which is logged. Return True in a workspace
        without the app.
        """
        team = await self._work.teams.find(request.team)
        if team is None:
            return True
        for pause in (*AGAIN, 0.0):
            try:
                await self._work.wire.call(team.token, method, **arguments)
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
    """Format a line of odds: `VC Squad 5: at least shaken *83%*, casualties *38%*`.

    Without chances of "at least", the line has the chance of each result.
    """
    words = [word for word, _ in odds.chances]
    chances = list(zip(words, odds.least, strict=False))
    chances.reverse()
    prefix = f"{LEAST} " if chances else ""
    results = ", ".join(
        f"{escape_text(word)} *{format_percent(chance)}*"
        for word, chance in chances or odds.chances
    )
    return f"{escape_text(odds.heading)}: {prefix}{results}"
