"""What buttons do: each names its game and an event, or a stored draft: it works after a restart, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import parse_qsl

from bot.commands.context import ROLLED, Context, own_draft, repeated
from bot.commands.log import undo
from bot.commands.log.export import check_length, export_json, facts_for
from bot.commands.pictures import drawn, drawn_table, odds_shown
from bot.commands.play.odds import answer_odds, odds_of_shot
from bot.commands.play.play import play
from bot.commands.play.sealed import reveal_number
from bot.interface.form.fields import keypad
from bot.interface.form.form import COMPARE, HAND, ODDS, SECRET
from bot.interface.reply.reply import File, Reply
from bot.interface.spec import Path
from bot.interface.typing.text import command_text
from bot.places.forms import DRAFT, Draft, find_draft
from bot.report.cards import cards_drawn
from bot.rules.errors import DieOwed, UserError
from bot.stores.base import REQUESTS_KEPT
from bot.stores.records import Doc


def done_already(what: str) -> Reply:
    """What whoever presses once more is told, privately: nothing happens a second time."""
    return Reply(f"Already done: {what}", private=True)


async def reveal(context: Context, number: int, _more: str) -> Reply:
    """Open a sealed roll."""
    event = None if number in context.need_game().sealed else await context.event(number)
    if event is not None and event["kind"] == "sealed":
        return done_already(f"#{number} is open.")
    return _in_place(context, await reveal_number(context, number))


async def take_back(context: Context, number: int, _more: str) -> Reply:
    """Undo under an event; it works until that is undone, also after it was brought back."""
    if number in context.need_game().redo:
        return done_already(await undo.told_undone(context, number))
    return await undo.undo(context, number)


async def bring_back(context: Context, number: int, _more: str) -> Reply:
    """Redo under an undo, until something new happens."""
    return await undo.redo(context, number)


async def answer_request(context: Context, number: int, request: str) -> Reply:
    """Consent or Refuse under a request; they answer this request alone, not a later one about the same event."""
    pending = await undo.pending(context, number)
    if pending is None or pending["id"] != request:
        if number in context.need_game().redo:
            return done_already(await undo.told_undone(context, number))
        raise await undo.not_asked(context, number)
    answers = {"consent": undo.consent, "refuse": undo.refuse}
    return _in_place(context, await answers[context.spec.path[1]](context, number))


def _in_place(context: Context, reply: Reply) -> Reply:
    """The reply in place of the message whose button was pressed, where that is one for all."""
    is_calling = bool(reply.mention) or bool(context.called)  # a message that only changes calls nobody
    return replace(reply, in_place=bool(context.command.delivery.get("pressed")) and not is_calling)


async def roll_draft(context: Context, key: str, draft: Draft | None = None) -> Reply:
    """Roll what odds were asked for, or a form holds; the draft is used up, so it rolls once."""
    draft = draft or await find_draft(context.store, key)
    rolled = await context.store.doc(ROLLED, key) if draft is None else None
    if rolled is not None and rolled.owner == context.command.who.key:
        return done_already(rolled.data["title"])
    if draft is None:
        raise UserError("This was already rolled, or has expired.", hint="Type the command again.", code="used-up")
    if draft.owner != context.command.who.key:
        raise UserError("Only the person who asked for this can roll it.", code="not-yours")
    if draft.game and draft.game != context.ledger.row:
        raise UserError(
            "These odds are of another game than the one played here now.",
            hint="Type the command again.",
            code="other-game",
        )
    context.drop_docs.append((DRAFT, key))
    meant = dict(draft.better or draft.options)
    if meant.pop(ODDS, None):  # asked for before; to press the button is to roll
        meant.pop(COMPARE, None)
    reply = await played(context, draft.path, meant)
    context.docs.append(Doc(ROLLED, key, {"title": reply.first}, context.now + REQUESTS_KEPT, draft.owner))
    return reply


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


async def anyway(context: Context, key: str) -> Reply:
    """The shot that was asked about, as it was typed."""
    context.sure = True
    return await roll_draft(context, key)


async def cancel(context: Context, key: str) -> Reply:
    """The shot that was asked about is off."""
    await own_draft(context, key)
    context.drop_docs.append((DRAFT, key))
    return Reply("Nothing was rolled", private=True, in_place=True)


async def press_picture(context: Context, rest: str) -> Reply:
    """Draw the odds of a draft, or a table with the inputs in the button or in a draft."""
    name, is_table, inputs = rest.partition("?")
    private = context.spec.private
    if is_table:
        return replace(await drawn_table(context, name, dict(parse_qsl(inputs))), private=private)

    found = None if private else await find_draft(context.store, name)  # a lookup that all have seen
    draft = found or await own_draft(context, name)
    spec = context.registry.get(draft.path)
    if spec is not None and spec.family == "lookup":
        return replace(await drawn_table(context, f"{spec.system}/{spec.target}", draft.options), private=private)
    draft = await own_draft(context, name)
    desk = repeated(context, draft.path, draft.options)
    await desk.check_enabled(desk.spec)
    return replace(await odds_shown(context, await answer_odds(desk, desk.spec, draft.options, draft)), private=private)


async def press_shot(context: Context, number: int, _more: str) -> Reply:
    """Draw what came of a shot, and its odds as it was fired."""
    shown = await odds_shown(context, await odds_of_shot(context, number, ""))
    return replace(shown, private=True, files=(*await _cards(context, number), *shown.files))


async def press_game(context: Context, _about: str) -> Reply:
    """The game as it ended, and what decided it, drawn for all to share."""
    title = f"{context.need_game().name or 'The game'} to share"
    return Reply(title, by="as pictures", bare=True, files=await _cards(context))


async def _cards(context: Context, number: int = 0) -> tuple[File, ...]:
    """The pictures of an event, or of the game, from what everybody may know of it."""

    check_length(context.game)
    export = await export_json(context)
    facts = await facts_for(context, export, number)
    found = await drawn(context, cards_drawn, export, facts, number)
    return tuple(File(f"{name}.png", data, alt) for name, data, alt in found)
