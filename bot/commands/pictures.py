"""*Picture* under odds and lookups, and what a channel wants of pictures: drawn in the worker,
behind the answer.

An answer names the button that draws it; what is drawn is made anew from the draft, the event or
the inputs in it, so that nothing of it is stored, and an answer is never late or lost for its
picture.
"""

import logging
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Many
from typing import Any
from urllib.parse import urlencode

from bot.charts.charts import render_deck, render_luck, render_odds
from bot.charts.png import find_rasterizer, render_picture_png
from bot.charts.table import render_named_table
from bot.commands.context import Context
from bot.game.rights import need_director
from bot.preferences.forms import create_draft
from bot.preferences.threads import get_channel
from bot.report.game_pictures import draw_losses_chart
from bot.rules.copies import replace
from bot.rules.errors import UserError
from bot.rules.tables.table import Table
from bot.rulesets.catalog import find_system
from bot.storage.records import Doc
from bot.ui.reply.parts import Odds, Small
from bot.ui.reply.reply import Button, File, Reply

log = logging.getLogger(__name__)

KIND = "pictures"
NEVER, ON_DEMAND, ALWAYS = "never", "on-demand", "always"
LABEL = "Picture"
MOST_ACTION = 95
"""Characters of a button's action that every platform takes."""
SECONDS = 10.0
DAY = 86_400.0


def can_draw() -> bool:
    """Return whether pictures are installed; the host reads it once where they are not."""
    global _said
    if not find_rasterizer() and not _said:
        _said = True
        log.info('no pictures: pip install "grognard[pictures]" adds them')
    return bool(find_rasterizer())


_said = False


async def load_picture_mode(context: Context) -> str:
    """What this channel wants of pictures."""
    doc = await context.store.load_doc(KIND, get_channel(context.command.where).key)
    return str(doc.data["mode"]) if doc is not None else ON_DEMAND


async def save_picture_mode(context: Context, wanted: str | None) -> str:
    """Keep what the channel wants; what to say of it, "" where nothing was asked."""
    if not wanted:
        return ""
    if context.ledger.row:
        need_director(context.game, context.actor, "change its settings")
    channel = get_channel(context.command.where)
    if wanted == ON_DEMAND:
        context.commit.drop_docs.append((KIND, channel.key))
    else:
        context.commit.docs.append(
            Doc(KIND, channel.key, {"mode": wanted}, None, channel.server or channel.key)
        )
    told = {
        NEVER: "no pictures",
        ON_DEMAND: "pictures on demand",
        ALWAYS: "a picture after every lookup and odds",
    }
    return told[wanted]


async def offer_picture(
    context: Context, reply: Reply, action: str, *, wanted: bool = False
) -> Reply:
    """The answer with the button that draws it, or with its picture to come, as the channel has
    it or is `wanted`.
    """
    if reply.error or len(action) > MOST_ACTION or not can_draw():
        return reply
    chosen = await load_picture_mode(context)
    if wanted or chosen == ALWAYS:
        return replace(reply, after=action)
    if chosen == NEVER:
        return reply
    return replace(reply, buttons=(*reply.buttons, Button(action, LABEL)))


def build_table_action(
    context: Context, table: Table, given: Mapping[str, object], *, private: bool
) -> str:
    """The button that draws a table: its inputs are in it, as a lookup is stored nowhere; or in a
    draft, where they are too long for a button."""
    inputs = {
        name: "yes" if value is True else value
        for name, value in given.items()
        if value not in (None, False)
    }
    kind = "picture" if private else "drawn"
    action = f"{kind}:{table.system}/{table.id}?{urlencode(inputs)}"
    if len(action) <= MOST_ACTION:
        return action
    draft = create_draft(context.spec.path, inputs, context.command.who.key)
    if can_draw():
        context.commit.docs.append(draft.build_doc(context.now, DAY))
    return f"{kind}:{draft.key}"


async def draw_losses(context: Context, title: str, export: str) -> Reply:
    """What each side lost, turn by turn, drawn."""
    return _build_picture_reply(
        title,
        "losses",
        await draw_in_worker(context, render_picture_png, draw_losses_chart, title, export),
    )


async def draw_luck(
    context: Context, title: str, tracks: Mapping[str, Many[tuple[int, float]]]
) -> Reply:
    """The luck of each side over a game, drawn."""
    return _build_picture_reply(
        title,
        "luck",
        await draw_in_worker(context, render_picture_png, render_luck, title, dict(tracks)),
    )


async def draw_deck(context: Context, title: str, *of_deck: object) -> Reply:
    """What is left of a deck, drawn."""
    return replace(
        _build_picture_reply(
            title,
            "deck",
            await draw_in_worker(context, render_picture_png, render_deck, title, *of_deck),
        ),
        private=True,
    )


async def draw_table(context: Context, name: str, given: Mapping[str, object]) -> Reply:
    """A table, `SYSTEM/TABLE`, drawn; with inputs, where it answers them."""
    id, _, own = name.partition("/")
    table = find_system(id).find_table(own)
    picture = await draw_in_worker(
        context, render_picture_png, render_named_table, id, table.id, dict(given)
    )
    return _build_picture_reply(table.title, table.id, picture)


async def draw_odds(context: Context, odds: Reply) -> Reply:
    """An answer with odds, drawn."""
    charts = tuple(part for part in odds.lines if isinstance(part, Odds))
    small = " ".join(str(part.text) for part in odds.lines if isinstance(part, Small))
    picture = await draw_in_worker(
        context, render_picture_png, render_odds, str(odds.title), str(odds.by), charts, small
    )
    return _build_picture_reply(odds.title, "odds", picture)


async def draw_in_worker(
    context: Context, function: Callable[..., object], *arguments: object
) -> Any:
    """What the function draws of these, in the worker. Raises UserError where that takes too
    long.
    """
    try:
        return await context.run_in_worker(function, *arguments, seconds=SECONDS)
    except UserError as error:
        if error.code not in ("too-large", "busy"):
            raise
        raise UserError(
            "The picture could not be drawn just now.", hint="Try again.", code="busy"
        ) from None


def _build_picture_reply(title: str, name: str, drawn: tuple[bytes, str]) -> Reply:
    """The picture alone; its words are there where it cannot be seen."""
    data, alt = drawn
    return Reply(title, by="as a picture", bare=True, files=(File(f"{name}.png", data, alt),))
