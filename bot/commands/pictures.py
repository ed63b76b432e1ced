"""Pictures of odds, look-ups, decks and games, and the setting of a channel for them.

A picture is drawn in the worker process, after the answer. The button that draws it names a draft,
an event or inputs, from which it is drawn: no picture is stored, and no answer waits for one.
"""

import logging
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Many
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from bot.charts.charts import render_deck, render_luck, render_odds
from bot.charts.png import find_rasterizer, render_picture_png
from bot.charts.table import render_named_table
from bot.commands.context import Context
from bot.forms.drafts import create_draft
from bot.game.rights import need_director
from bot.loading.threads import get_channel
from bot.report.game_pictures import draw_losses_chart
from bot.rules.errors import UserError
from bot.rules.tables.table import Table
from bot.rulesets.system import System
from bot.storage.records import Doc
from bot.ui.reply.parts import Odds, Small
from bot.ui.reply.reply import Button, File, Reply

log = logging.getLogger(__name__)

KIND = "pictures"
NEVER, ON_DEMAND, ALWAYS = "never", "on-demand", "always"
LABEL = "Picture"
MOST_ACTION = 95
"""Maximum length of a button's action on every platform, in characters."""
SECONDS = 10.0
DAY = 86_400.0


def can_draw() -> bool:
    """Return whether pictures can be drawn here. The first time that they cannot, log how to install
    them.
    """
    global _is_logged
    if not find_rasterizer() and not _is_logged:
        _is_logged = True
        log.info('no pictures: pip install "grognard[pictures]" adds them')
    return bool(find_rasterizer())


_is_logged = False


async def load_picture_mode(context: Context) -> str:
    """Load the picture setting of this channel: NEVER, ON_DEMAND or ALWAYS."""
    doc = await context.store.load_doc(KIND, get_channel(context.command.where).key)
    return str(doc.data["mode"]) if doc is not None else ON_DEMAND


async def save_picture_mode(context: Context, mode: str | None) -> str:
    """Save the picture setting of this channel, and return a text on it; "" without a mode.

    Raises UserError for a user who does not direct the game that is played here.
    """
    if not mode:
        return ""
    if context.ledger.row:
        need_director(context.game, context.actor, "change its settings")
    channel = get_channel(context.command.where)
    if mode == ON_DEMAND:
        context.commit.drop_docs.append((KIND, channel.key))
    else:
        owner = channel.server or channel.key
        context.commit.docs.append(Doc(KIND, channel.key, {"mode": mode}, None, owner))
    texts = {
        NEVER: "no pictures",
        ON_DEMAND: "pictures on demand",
        ALWAYS: "a picture after every lookup or odds",
    }
    return texts[mode]


async def offer_picture(
    context: Context, reply: Reply, action: str, *, is_requested: bool = False
) -> Reply:
    """Return the reply with a button that draws its picture, or with the picture to follow it, as
    the channel has set it. A picture that `is_requested` always follows.

    `action` is that of the button. An error, and a reply on a host without pictures, stay as they
    are.
    """
    if reply.error or len(action) > MOST_ACTION or not can_draw():
        return reply
    mode = await load_picture_mode(context)
    if is_requested or mode == ALWAYS:
        return replace(reply, after=action)
    if mode == NEVER:
        return reply
    return replace(reply, buttons=(*reply.buttons, Button(action, LABEL)))


def build_table_action(
    context: Context, table: Table, inputs: Mapping[str, object], *, private: bool
) -> str:
    """Return the action of a button that draws a table with these inputs.

    The inputs are in the action, because a lookup is stored nowhere. If they are too long for a
    button, they are stored in a draft.
    """
    draft_inputs = {}
    for name, value in inputs.items():
        if value not in (None, False):
            draft_inputs[name] = "yes" if value is True else value
    kind = "picture" if private else "drawn"
    action = f"{kind}:{table.system}/{table.id}?{urlencode(draft_inputs)}"
    if len(action) <= MOST_ACTION:
        return action
    draft = create_draft(context.spec.path, draft_inputs, context.command.who.key)
    if can_draw():
        context.commit.docs.append(draft.build_doc(context.now, DAY))
    return f"{kind}:{draft.key}"


async def draw_losses(context: Context, title: str, export: str) -> Reply:
    """Draw the losses of each side by turn, from an exported game.

    Raises UserError if that takes too long.
    """
    picture = await draw_in_worker(
        context, render_picture_png, draw_losses_chart, title, export, context.systems
    )
    return _build_picture_reply(title, "losses", picture)


async def draw_luck(
    context: Context, title: str, tracks: Mapping[str, Many[tuple[int, float]]]
) -> Reply:
    """Draw the luck of each side over a game: (event number, luck) by side.

    Raises UserError if that takes too long.
    """
    picture = await draw_in_worker(context, render_picture_png, render_luck, title, dict(tracks))
    return _build_picture_reply(title, "luck", picture)


async def draw_deck(context: Context, title: str, *arguments: object) -> Reply:
    """Draw the cards that are left of a deck, for the user alone.

    `arguments` are those of `render_deck` after the title. Raises UserError if that takes too long.
    """
    picture = await draw_in_worker(context, render_picture_png, render_deck, title, *arguments)
    return replace(_build_picture_reply(title, "deck", picture), private=True)


async def draw_table(context: Context, name: str, inputs: Mapping[str, object]) -> Reply:
    """Draw the table `SYSTEM/TABLE`. With inputs, its result for them is marked.

    Raises UserError if there is no such table, or if drawing takes too long.
    """
    system_id, _, table_id = name.partition("/")
    return await draw_system_table(context, context.systems.find(system_id), table_id, inputs)


async def draw_system_table(
    context: Context, system: System, table_id: str, inputs: Mapping[str, object]
) -> Reply:
    """Draw a table of a rule set, as `draw_table` does."""
    table = system.find_table(table_id)
    picture = await draw_in_worker(
        context, render_picture_png, render_named_table, system, table.id, dict(inputs)
    )
    return _build_picture_reply(table.title, table.id, picture)


async def draw_odds(context: Context, odds: Reply) -> Reply:
    """Draw the odds that the reply `odds` holds. Raises UserError if that takes too long."""
    charts = tuple(part for part in odds.lines if isinstance(part, Odds))
    small = " ".join(str(part.text) for part in odds.lines if isinstance(part, Small))
    picture = await draw_in_worker(
        context, render_picture_png, render_odds, str(odds.title), str(odds.by), charts, small
    )
    return _build_picture_reply(odds.title, "odds", picture)


async def draw_in_worker(
    context: Context, function: Callable[..., object], *arguments: object
) -> Any:
    """Run a drawing function with its arguments in the worker process, and return its result.

    Raises UserError if that takes more than `SECONDS` seconds.
    """
    try:
        return await context.run_in_worker(function, *arguments, seconds=SECONDS)
    except UserError as error:
        if error.code not in ("too-large", "busy"):
            raise
        raise UserError(
            "The picture could not be drawn right now.", hint="Try again.", code="busy"
        ) from None


def _build_picture_reply(title: str, name: str, picture: tuple[bytes, str]) -> Reply:
    """Return a reply of the picture alone. `picture` is (PNG data, alternative text)."""
    data, alternative_text = picture
    file = File(f"{name}.png", data, alternative_text)
    return Reply(title, by="as a picture", bare=True, files=(file,))
