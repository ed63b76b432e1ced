"""A game changes its place, or goes altogether."""

from bot.commands.channel_games import named, put_aside, tell, turn_to
from bot.commands.context import Context
from bot.commands.log.export_and_share import forget
from bot.commands.requests import HOURS, OPEN, Request, need_keeper, open_request
from bot.game.ledger import Ledger
from bot.game.loaded import Loaded, game_of, load
from bot.game.rights import need_director
from bot.interface.reply.reply import Button, Reply
from bot.interface.spec import Place
from bot.places.place_names import moved_doc, name_place, place_key, way_to
from bot.places.platform_words import manager_word
from bot.process.entropy import new_id
from bot.rules.errors import UserError
from bot.rules.text.phrase import begun, phrase
from bot.stores.records import Binding, Doc, Saved

TRANSFER = "transfer"
WHAT = "the move of a game that was requested"


async def transfer(context: Context) -> Reply:
    """Move the game to another channel of the same server: once a manager takes it over there, or
    at once for one. Raises UserError."""
    game = context.need_started()
    need_director(game, context.actor, "move it")
    if len(context.ledger.places) > 1:  # there nobody agreed to the new channel
        hint = phrase("End the link first: `/game link off`. Or link the new channel: `/game link`")
        raise UserError(
            "This game is played in other channels too, so it cannot move.",
            hint=hint,
            code="linked",
        )
    here = context.command.where
    target = _target(context)
    if target.key == here.key:
        raise UserError("The game is already here.", option="channel", code="same-channel")
    other = await _other(context, target.key)
    names = {here.key: here.name, target.key: target.name}
    there = name_place(target.key, target.name, here.key)
    if other is None and context.command.who.manager:
        return _move(context, context.ledger, here.key, target.key, None, names)
    key = new_id()
    data = {"game": context.ledger.row, "from": here.key, "to": target.key, "name": here.name}
    request = _request(Doc(TRANSFER, key, data, context.now + OPEN, context.command.who.key))
    request.ask(context)
    asked = Reply(
        f'{context.who} asks to play "{game.name}" here from now on; it is played in '
        f"{name_place(here.key, here.name, target.key)}",
        (f"Only a {manager_word(target.key)} can take it over, within {HOURS} hours.",),
        buttons=(
            Button(f"takeover:{key}", "Take it over", "primary"),
            Button(f"stay:{key}", "Refuse"),
        ),
    )
    tell(context, {target.key: asked}, {target.key: request.topics[0]})
    return Reply(
        f'{context.who} asks to move "{game.name}" to {there}',
        (f"It stays here until a manager takes it over there, within {HOURS} hours.",),
    )


async def take_over(context: Context, key: str) -> Reply:
    """A manager of the channel that a game asks to move to takes it over. Raises UserError."""
    doc = await _asked(context, key)
    source = str(doc.data["from"])
    here = context.command.where
    need_keeper(context, "take the game over")
    loaded = await game_of(context.store, str(doc.data["game"]))
    if loaded is None or loaded.places != (source,):
        raise UserError("That game is no longer played there.", code="game-changed")
    ledger = Ledger(loaded, context.ledger.writer)
    if ledger.game.ended:
        raise UserError("That game has ended.", code="game-ended")
    other = await _other(context, here.key)
    _request(doc).settle(context, f"{context.who} takes it over")
    names = {source: str(doc.data["name"]), here.key: here.name}
    return _move(
        context, ledger, source, here.key, load(other) if other is not None else None, names
    )


async def stay(context: Context, key: str) -> Reply:
    """A manager of the channel refuses to take a game over."""
    doc = await _asked(context, key)
    need_keeper(context, "refuse that")
    _request(doc).settle(context, f"{context.who} refuses")
    told = Reply(f"{context.who} refuses to take the game over", ("It stays where it is.",))
    tell(context, {str(doc.data["from"]): told})
    return told


async def _asked(context: Context, key: str) -> Doc:
    """The request that a button answers. Raises UserError for one that is over, or for another
    channel.
    """
    gone = UserError(
        "There is no open request for this.",
        hint=phrase("Ask again: `/game transfer`"),
        code="not-asked",
    )
    return await open_request(context, TRANSFER, key, gone, to=context.command.where.key)


def _request(doc: Doc) -> Request:
    row = str(doc.data["game"])
    return Request(doc, (f"{row}/transfer-{doc.key}",), WHAT, row)


def _move(
    context: Context,
    ledger: Ledger,
    source: str,
    to: str,
    aside: Loaded | None,
    names: dict[str, str],
) -> Reply:
    """Play the game in its new place; the one of the two that is not this one is told by a
    message of its own.
    """
    server = context.command.where.server
    name = ledger.game.name
    was = aside.row if aside is not None else None
    ledger.add("transfer", result="to another channel")
    context.ledger = ledger
    context.commit.bindings += [
        Binding(source, None, ledger.row, server),
        Binding(to, ledger.row, was, server),
    ]
    context.commit.docs.append(moved_doc(ledger.row, name, Place(to, server, names[to]), source))
    told = {
        source: Reply(
            f'{context.who} moves "{name}" to {name_place(to, names[to], source)}',
            buttons=way_to(to, names[to], source),
        ),
        to: Reply(
            f'"{name}" is played here from now on',
            (
                f"{context.who} moves it from {name_place(source, names[source], to)}.",
                phrase("`/game status` shows how it is going."),
                *put_aside(aside),
            ),
            buttons=way_to(source, names[source], to),
        ),
    }
    tell(context, told)
    return told[context.command.where.key]


def _target(context: Context) -> Place:
    """The channel meant, as the platform confirmed it. Raises UserError for any other."""
    here = context.command.where
    key = place_key(here.key, context.options()["channel"])
    if key.startswith("console:"):  # whoever sits at the console owns it
        return Place(key, here.server)
    confirmed = context.command.channels.get("channel")
    if confirmed is None or confirmed.key != key or confirmed.server != here.server:
        what = "A game can move only to a channel that you and the bot can both write in."
        raise UserError(
            what,
            hint="Choose it from the list, or mention it.",
            option="channel",
            code="unknown-channel",
        )
    return confirmed


async def _other(context: Context, place: str) -> Saved | None:
    """What is played in the new place already, and will make room. Raises UserError for a game
    that is on.
    """
    other = await context.store.load_game(place)
    if other is None:
        return None
    there = load(other).game
    if there.started and not there.ended:
        hint = phrase("It must end first: `/game end`.")
        raise UserError(
            f'"{there.name}" is played there.', hint=hint, option="channel", code="game-on"
        )
    if len(other.places) > 1:
        hint = phrase("End that there first: `/game link off`")
        raise UserError(
            "That channel is linked with others.", hint=hint, option="channel", code="linked"
        )
    return other


async def delete(context: Context) -> Reply:
    """Delete the game and all its data; asks first."""
    options = context.options()
    await turn_to(context, options["game"])
    game = context.need_game()
    _need_owner(context)
    if options["confirm"]:
        return await delete_now(context)
    name = f'"{game.name}"' if game.name else "this free play"
    return Reply(
        f"Delete {name} with its {game.number} events?",
        (
            phrase("This cannot be undone. `/game export` keeps a copy first."),
            phrase("Delete it: `/game delete confirm`"),
        ),
        private=True,
        buttons=(context.button("delete", "Delete", style="danger"),),
    )


async def delete_now(context: Context, _more: str = "") -> Reply:
    """Delete the game."""
    game = context.need_game()
    _need_owner(context)
    context.commit.erase.append(context.ledger.row)
    await forget(context)
    title = f"{begun(named(game))} is deleted"
    told = Reply(title, (f"{context.who} did that in a channel that was linked with this one.",))
    tell(context, dict.fromkeys(context.ledger.places, told))
    seen_by_others = game.started or len(context.ledger.present()) > 1
    told_here = Reply(
        f"{context.who} deletes {named(game)}", ("Its log, units and dice are gone for good.",)
    )
    return Reply(title, private=True, announce=told_here if seen_by_others else None)


def _need_owner(context: Context) -> None:
    """Free play belongs to those who took part, a started game to its master and the server's
    managers.
    """
    need_director(context.game, context.actor, "delete it")
    alone = len(context.ledger.present()) <= 1
    if (
        not context.game.started
        and not context.actor.directs
        and not (alone and context.actor.person)
    ):
        manager = manager_word(context.command.where.key)
        what = f"Others have rolled here too, so only a {manager} can delete this."
        raise UserError(what, code="not-manager")
