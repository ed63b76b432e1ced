"""`/game start` while another game is on: that is put aside only if its game master, or a manager, agrees."""

from __future__ import annotations

from dataclasses import replace

from bot.commands.context import Context
from bot.commands.log.amending import settled
from bot.game.ledger import Ledger, Writer
from bot.game.rights import need_director
from bot.interface.reply.reply import Button, Reply
from bot.interface.reply.tone import WAITING
from bot.interface.spec import Person
from bot.process.entropy import new_id
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.stores.base import DAY
from bot.stores.records import Doc

START = "start-asked"
KEPT = 7 * DAY


async def ask(context: Context, name: str) -> Reply:
    """Ask whoever directs the game that is on; the new one begins as it was asked for."""
    game, who, key = context.game, context.command.who, new_id()
    data = {
        "row": context.ledger.row,
        "options": {name: value for name, value in context.command.options.items() if value is not None},
        "name": who.name,
    }
    context.docs.append(Doc(START, key, data, context.now + KEPT, who.key))
    context.about = context.topic(f"start-{key}")
    master = context.ledger.persons.get(game.master)
    called = master.user if master is not None and not master.is_imported else ""
    decides = context.ledger.name_of(game.master) if master is not None else "The game master"
    return Reply(
        f'{context.who} wants to start "{name}" here',
        (
            phrase('"{old}" is on. It would be put aside: `/game resume` takes it up again.', old=game.name),
            f"{decides} or a server manager decides.",
        ),
        buttons=(Button(f"begin:{key}", "Start it", "primary"), Button(f"keep:{key}", "Keep playing")),
        tone=WAITING,
        mention=(called,) if called and called != who.key else (),
    )


async def begin(context: Context, key: str) -> Reply:
    """The button: the new game begins in the name of who asked for it."""
    from bot.commands.games.game import begin_game
    from bot.commands.play.play import repeated

    doc = await _asked(context, key)
    need_director(context.game, context.actor, "put it aside")
    _settle(context, key, f"{context.who} starts it")
    asker = Person(doc.owner, str(doc.data["name"]))
    context = repeated(context, ("game", "start"), doc.data["options"])
    context.command = replace(context.command, who=asker)
    context.ledger = Ledger(context.ledger.was, Writer(asker.key, asker.name, context.now))
    return await begin_game(context)


async def keep(context: Context, key: str) -> Reply:
    """The button: the game that is on goes on."""
    doc = await _asked(context, key)
    if doc.owner != context.command.who.key:
        need_director(context.game, context.actor, "decide that")
    _settle(context, key, f"{context.who} keeps the game that is on")
    return Reply(f'"{context.game.name}" goes on', (f"{context.who} keeps it.",))


def _settle(context: Context, key: str, how: str) -> None:
    """The request is answered: its message says so, without its buttons."""
    context.drop_docs.append((START, key))
    context.pressed = context.topic(f"start-{key}")
    settled(context, context.pressed, how, "a new game")


async def _asked(context: Context, key: str) -> Doc:
    doc = await context.store.doc(START, key)
    if doc is None or doc.data["row"] != context.ledger.row:
        raise UserError("Nobody asks for that any more.", hint=phrase("`/game start` asks again."), code="not-asked")
    return doc
