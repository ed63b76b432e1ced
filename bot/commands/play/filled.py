"""What is done with a filled-in form besides rolling it: its odds are counted, or its dice entered one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.commands.context import Context
from bot.commands.play.odds import answer_odds
from bot.commands.play.playing import play, repeated
from bot.interface.form.form import HAND, ODDS, SECRET
from bot.interface.form.keypad import keypad
from bot.interface.reply.reply import Reply
from bot.interface.spec import Path
from bot.interface.typing.text import command_text
from bot.places.drafts import DRAFT, Draft, find_draft
from bot.rules.errors import DieOwed, UserError

ROLLED = "rolled"


async def played(context: Context, path: Path, options: Mapping[str, object]) -> Reply:
    """Run a command that was not pressed but is meant; an error knows it as if it had been typed."""
    desk = repeated(context, path, options)
    try:
        return await play(desk)
    except UserError as error:
        error.typed = command_text(desk.spec, options)
        raise


async def count_draft(context: Context, key: str) -> Reply:
    """The odds of what a form holds, privately; *Roll it* under them is of the same draft, so it rolls once."""
    draft = await own_draft(context, key)
    meant = {name: value for name, value in (draft.better or draft.options).items() if name not in (ODDS, SECRET, HAND)}
    desk = repeated(context, draft.path, meant)
    await desk.check_enabled(desk.spec)
    if desk.spec.counts(meant):  # compared, or over several rounds
        return await play(desk)
    return await answer_odds(desk, desk.spec, meant, draft)


async def enter_die(context: Context, rest: str) -> Reply:
    """A keypad for the die that is owed next, by its name; with the last one the draft is rolled, and used up.

    Nothing is kept before that: what was entered so far is in the buttons, `die:KEY:6,1`.
    """
    from bot.commands.play.button import roll_draft

    key, _, hand = rest.partition(":")
    draft = await own_draft(context, key)
    meant = draft.better or draft.options
    given = replace(draft, options={**meant, HAND: f"{hand},?" if hand else "?"}, better=None)
    try:
        return await roll_draft(context, key, given)
    except UserError as error:
        if not isinstance(error.about, DieOwed):
            raise
        context.drop_docs.remove((DRAFT, key))
        if (found := keypad(error.about, key)) is None:
            raise
        return found


async def own_draft(context: Context, key: str) -> Draft:
    """Their own draft. Raises UserError for one that is used up."""
    draft = await find_draft(context.store, key)
    who = context.command.who.key
    if draft is not None and draft.owner == who:
        return draft
    rolled = await context.store.doc(ROLLED, key)
    what = f"Already done: {rolled.data['title']}" if rolled is not None and rolled.owner == who else ""
    raise UserError(what or "This was rolled already, or is too old.", hint="Type the command again.", code="used-up")
