"""Forms at work, alike on every platform: what is open in front of somebody, and what is done with
what they fill in.

A form is a draft in the store, whose key the platform's form carries: nothing of it is in memory.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from bot.app import App
from bot.preferences.forms import KEPT, Draft, get_draft_action
from bot.ui.form.form import Form, Room, build_form
from bot.ui.form.submission import Filled, FormResult, evaluate_form
from bot.ui.reply.reply import Reply
from bot.ui.sizes import check_sizes
from bot.ui.spec import Command, CommandSpec, Path, Person, Place
from bot.ui.typing.complete import CompletionContext


@dataclass(frozen=True, slots=True)
class OpenForm:
    """A form as somebody has it open: its draft, what it asks for, and what is known where it
    was asked for.
    """

    draft: Draft
    spec: CommandSpec
    known: CompletionContext
    form: Form

    def read_filled(self, filled: Filled) -> FormResult:
        """Return the command that the filled form asks for, or the next form to show.

        Raises UserError if there is more text in it than a command may have.
        """
        check_sizes(filled)
        return evaluate_form(self.spec, self.known, self.form, filled)

    def get_command(self, taken: FormResult) -> tuple[Path, Mapping[str, object]]:
        """Return the path and options that run what was filled in: those of a button, or of the
        command itself where no button can run it.
        """
        if self.spec.family not in KEPT:
            return self.spec.path, taken.options
        name, _, rest = get_draft_action(taken.roll_mode, self.draft.key, taken.options).partition(
            ":"
        )
        return ("button", name), {"rest": rest}

    async def answer_command(
        self,
        app: App,
        taken: FormResult,
        command: Command,
        run: Callable[[], Awaitable[Reply]] | None = None,
    ) -> Reply:
        """Answer `command`, by `run` if it is given and by the press of a button otherwise. A
        refusal leads back to the form.
        """
        if run is not None:
            reply = await run()
        else:
            action = f"{command.path[1]}:{command.options['rest']}"
            reply = await app.press(
                action, command.who, command.where, command.request_id, command.delivery
            )
        return await app.forms.offer_correction(
            reply, self.spec, taken.options, command.who, self.draft.key
        )


async def open_form(app: App, room: Room, draft: Draft, who: Person, where: Place) -> OpenForm:
    """The form of a draft, as much of it as the platform has room for."""
    spec = await app.get_form_spec(draft, where)
    known = await app.get_form_context(spec, where, who)
    form = build_form(spec, draft.options, known, room, draft.wrong, draft.message, draft.title)
    return OpenForm(draft, spec, known, form)


async def begin_form(
    app: App,
    room: Room,
    spec: CommandSpec,
    options: Mapping[str, object],
    who: Person,
    where: Place,
) -> OpenForm:
    """A new form, filled in with what was given, else with what lasts from the time before.

    Raises UserError for who could not send it.
    """
    await app.forms.check_seat(spec, options, who, where)
    draft = await (
        app.forms.create_draft(spec, options, who)
        if options
        else app.forms.create_prefilled_draft(spec, {}, who, where)
    )
    return await open_form(app, room, draft, who, where)


async def save_draft_if_runnable(app: App, form: OpenForm, taken: FormResult) -> bool:
    """Keep what was filled in where a button runs it; whether one does."""
    if form.spec.family in KEPT:
        await app.drafts.put(
            form.draft._replace(options=taken.options, wrong="", message="", better=None)
        )
    return form.spec.family in KEPT
