"""Forms on every platform: the form that a user has open, and what happens to the values that they
fill in.

A form is a draft in the store. The platform's form contains the key of the draft, so nothing about
it is kept in memory.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from bot.app import App
from bot.forms.drafts import Draft
from bot.ui.form.form import Form, Room, build_form
from bot.ui.form.form_buttons import DRAFT_FAMILIES, get_draft_action
from bot.ui.form.submission import Filled, FormResult, evaluate_form
from bot.ui.reply.reply import Reply
from bot.ui.sizes import check_sizes
from bot.ui.spec import Command, CommandSpec, Path, Person, Place
from bot.ui.typing.complete import CompletionContext


@dataclass(frozen=True, slots=True)
class OpenForm:
    """A form that a user has open: its draft, its command, the state of the game in its place, and
    its fields.
    """

    draft: Draft
    spec: CommandSpec
    context: CompletionContext
    form: Form

    def read_filled(self, filled: Filled) -> FormResult:
        """Return the command that the filled form asks for, or the next form to show.

        Raises UserError if there is more text in it than a command may have.
        """
        check_sizes(filled)
        return evaluate_form(self.spec, self.context, self.form, filled)

    def get_command(self, result: FormResult) -> tuple[Path, Mapping[str, object]]:
        """Return the path and options of the command that runs a filled form: of the button that
        runs its draft, or of the form's own command if a button cannot run it.
        """
        if self.spec.family not in DRAFT_FAMILIES:
            return self.spec.path, result.options
        action = get_draft_action(result.roll_mode, self.draft.key, result.options)
        name, _, arguments = action.partition(":")
        return ("button", name), {"rest": arguments}

    async def answer_command(
        self,
        app: App,
        result: FormResult,
        command: Command,
        run: Callable[[], Awaitable[Reply]] | None = None,
    ) -> Reply:
        """Run the command of a filled form and return the reply. A refusal gets a button that opens
        the form again.

        `run` runs it; without `run` the command is a button that is pressed.
        """
        if run is not None:
            reply = await run()
        else:
            action = f"{command.path[1]}:{command.options['rest']}"
            reply = await app.press(
                action, command.who, command.where, command.request_id, command.delivery
            )
        return await app.corrections.offer_correction(
            reply, self.spec, result.options, command.who, self.draft.key
        )


async def open_form(app: App, room: Room, draft: Draft, user: Person, place: Place) -> OpenForm:
    """Build the form of a draft for a user, with as many fields as the platform has `room` for."""
    spec = await app.get_form_spec(draft, place)
    context = await app.get_form_context(spec, place, user)
    form = build_form(spec, draft.options, context, room, draft.wrong, draft.message, draft.title)
    return OpenForm(draft, spec, context, form)


async def begin_form(
    app: App,
    room: Room,
    spec: CommandSpec,
    options: Mapping[str, object],
    user: Person,
    place: Place,
) -> OpenForm:
    """Create a draft and build its form: filled with `options`, or without any with the reusable
    values of the user's last use.

    Raises UserError if this user could not send the form.
    """
    await app.forms.check_seat(spec, options, user, place)
    if options:
        draft = await app.forms.create_draft(spec, options, user)
    else:
        draft = await app.forms.create_prefilled_draft(spec, {}, user, place)
    return await open_form(app, room, draft, user, place)


async def save_draft_if_runnable(app: App, form: OpenForm, result: FormResult) -> bool:
    """Save the values of a filled form in its draft if a button can run it.

    Return whether they were saved.
    """
    if form.spec.family not in DRAFT_FAMILIES:
        return False
    draft = form.draft._replace(options=result.options, wrong="", message="", better=None)
    await app.drafts.put(draft)
    return True
