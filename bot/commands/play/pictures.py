"""*Picture* under odds and lookups, and what a channel wants of pictures: drawn in the worker, behind the answer.

An answer names the button that draws it; what is drawn is made anew from the draft, the event or the inputs in it, so
that nothing of it is stored, and an answer is never late or lost for its picture.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Many
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from bot.commands.context import Context
from bot.game.rights import need_director
from bot.interface.reply.parts import Odds, Small
from bot.interface.reply.reply import Button, File, Reply
from bot.picture.drawing import luck_drawn, odds_drawn, table_drawn
from bot.picture.png import rasterizer
from bot.places.drafts import find_draft, new_draft
from bot.places.threads import channel_of
from bot.rules.errors import UserError
from bot.rules.tables.table import Table
from bot.stores.records import Doc
from bot.systems.catalog import system

log = logging.getLogger(__name__)

KIND = "pictures"
NEVER, ON_DEMAND, ALWAYS = "never", "on-demand", "always"
LABEL = "Picture"
MOST_ACTION = 95
"""Characters of a button's action that every platform takes."""
SECONDS = 10.0
DAY = 86_400.0


def can_draw() -> bool:
    """Whether pictures are installed; the host reads it once where they are not."""
    global _said
    if not rasterizer() and not _said:
        _said = True
        log.info('no pictures: pip install "grognard[pictures]" adds them')
    return bool(rasterizer())


_said = False


async def mode(context: Context) -> str:
    """What this channel wants of pictures."""
    doc = await context.store.doc(KIND, channel_of(context.command.where).key)
    return str(doc.data["mode"]) if doc is not None else ON_DEMAND


async def setting(context: Context, wanted: str | None) -> str:
    """Keep what the channel wants; what to say of it, "" where nothing was asked."""
    if not wanted:
        return ""
    if context.ledger.exists:
        need_director(context.game, context.actor, "change its settings")
    channel = channel_of(context.command.where)
    if wanted == ON_DEMAND:
        context.drop_docs.append((KIND, channel.key))
    else:
        context.docs.append(Doc(KIND, channel.key, {"mode": wanted}, None, channel.server or channel.key))
    told = {NEVER: "no pictures", ON_DEMAND: "pictures on demand", ALWAYS: "a picture behind each lookup and odds"}
    return told[wanted]


async def offered(context: Context, reply: Reply, action: str, *, wanted: bool = False) -> Reply:
    """The answer with the button that draws it, or with its picture to come, as the channel has it or is `wanted`."""
    if reply.error or len(action) > MOST_ACTION or not can_draw():
        return reply
    chosen = await mode(context)
    if wanted or chosen == ALWAYS:
        return replace(reply, after=action)
    if chosen == NEVER:
        return reply
    return replace(reply, buttons=(*reply.buttons, Button(action, LABEL)))


def table_action(context: Context, table: Table, given: Mapping[str, object], *, private: bool) -> str:
    """The button that draws a table: its inputs are in it, as a lookup is stored nowhere; or in a draft, where they are
    too long for a button."""
    inputs = {name: "yes" if value is True else value for name, value in given.items() if value not in (None, False)}
    kind = "picture" if private else "drawn"
    action = f"{kind}:{table.system}/{table.id}?{urlencode(inputs)}"
    if len(action) <= MOST_ACTION:
        return action
    draft = new_draft(context.spec.path, inputs, context.command.who.key)
    if can_draw():
        context.docs.append(draft.doc(context.now, DAY))
    return f"{kind}:{draft.key}"


async def press(context: Context, rest: str) -> Reply:
    """Draw the odds of a draft, or a table with the inputs in the button or in a draft."""
    name, is_table, inputs = rest.partition("?")
    private = context.spec.private
    if is_table:
        return replace(await drawn_table(context, name, dict(parse_qsl(inputs))), private=private)
    from bot.commands.play.button import own_draft
    from bot.commands.play.odds import answer_odds
    from bot.commands.play.play import repeated

    found = None if private else await find_draft(context.store, name)  # a lookup that all have seen
    draft = found or await own_draft(context, name)
    spec = context.registry.get(draft.path)
    if spec is not None and spec.family == "lookup":
        return replace(await drawn_table(context, f"{spec.system}/{spec.target}", draft.options), private=private)
    draft = await own_draft(context, name)
    desk = repeated(context, draft.path, draft.options)
    await desk.check_enabled(desk.spec)
    return replace(await _odds(context, await answer_odds(desk, desk.spec, draft.options, draft)), private=private)


async def press_shot(context: Context, number: int, _more: str) -> Reply:
    """Draw what came of a shot, and its odds as it was fired."""
    from bot.commands.play.as_fired import odds

    shown = await _odds(context, await odds(context, number, ""))
    return replace(shown, private=True, files=(*await _cards(context, number), *shown.files))


async def press_game(context: Context, _about: str) -> Reply:
    """The game as it ended, and what decided it, drawn for all to share."""
    title = f"{context.need_game().name or 'The game'} to share"
    return Reply(title, by="as pictures", bare=True, files=await _cards(context))


async def _cards(context: Context, number: int = 0) -> tuple[File, ...]:
    """The pictures of an event, or of the game, from what everybody may know of it."""
    from bot.commands.games.export import export_json
    from bot.commands.log.report import check_length, facts_for
    from bot.report.cards import cards_drawn

    check_length(context.game)
    export = await export_json(context)
    facts = await facts_for(context, export, number)
    drawn = await _drawn(context, cards_drawn, export, facts, number)
    return tuple(File(f"{name}.png", data, alt) for name, data, alt in drawn)


async def losses_shown(context: Context, title: str, export: str) -> Reply:
    """What each side lost, turn by turn, drawn."""
    from bot.report.lost import losses_pictured

    return _shown(title, "losses", await _drawn(context, losses_pictured, title, export))


async def luck_shown(context: Context, title: str, tracks: Mapping[str, Many[tuple[int, float]]]) -> Reply:
    """The luck of each side over a game, drawn."""
    return _shown(title, "luck", await _drawn(context, luck_drawn, title, dict(tracks)))


async def drawn_table(context: Context, name: str, given: Mapping[str, object]) -> Reply:
    """A table, `SYSTEM/TABLE`, drawn; with inputs, where it answers them."""
    id, _, own = name.partition("/")
    table = system(id).table(own)
    drawn = await _drawn(context, table_drawn, id, table.id, dict(given))
    return _shown(table.title, table.id, drawn)


async def _odds(context: Context, odds: Reply) -> Reply:
    charts = tuple(part for part in odds.lines if isinstance(part, Odds))
    small = " ".join(str(part.text) for part in odds.lines if isinstance(part, Small))
    drawn = await _drawn(context, odds_drawn, str(odds.title), str(odds.by), charts, small)
    return _shown(odds.title, "odds", drawn)


async def _drawn(context: Context, function: Callable[..., object], *arguments: object) -> Any:
    try:
        return await context.apart(function, *arguments, seconds=SECONDS)
    except UserError as error:
        if error.code not in ("too-large", "busy"):
            raise
        raise UserError("The picture could not be drawn just now.", hint="Try again.", code="busy") from None


def _shown(title: str, name: str, drawn: tuple[bytes, str]) -> Reply:
    """The picture alone; its words are there where it cannot be seen."""
    data, alt = drawn
    return Reply(title, by="as a picture", bare=True, files=(File(f"{name}.png", data, alt),))
