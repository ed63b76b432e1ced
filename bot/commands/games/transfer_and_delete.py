"""A game changes its place, or goes altogether."""

from bot.commands.channel_games import (
    describe_replaced_game,
    format_game_name,
    tell,
    use_named_game,
)
from bot.commands.context import Context
from bot.commands.log.export_and_share import delete_share
from bot.commands.requests import HOURS, OPEN, PendingRequest, load_open_request, need_place_manager
from bot.game.game_cache import LoadedGame, load_game_by_id, restore_game
from bot.game.ledger import Ledger
from bot.game.rights import need_director
from bot.preferences.place_names import (
    build_channel_button,
    build_moved_doc,
    name_place,
    parse_place_key,
)
from bot.preferences.platform_words import get_manager_word
from bot.rules.errors import UserError
from bot.rules.text.phrase import capitalize_first, phrase
from bot.runtime.entropy import create_id
from bot.storage.records import Binding, Doc, Saved
from bot.ui.reply.reply import Button, Reply
from bot.ui.spec import Place

TRANSFER = "transfer"
WHAT = "the move of a game that was requested"


async def transfer_game(context: Context) -> Reply:
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
    target = _get_target_channel(context)
    if target.key == here.key:
        raise UserError("The game is already here.", option="channel", code="same-channel")
    other = await _load_replaced_game(context, target.key)
    names = {here.key: here.name, target.key: target.name}
    there = name_place(target.key, target.name, here.key)
    if other is None and context.command.who.manager:
        return _move_game(context, context.ledger, here.key, target.key, None, names)
    key = create_id()
    data = {"game": context.ledger.row, "from": here.key, "to": target.key, "name": here.name}
    request = _build_request(Doc(TRANSFER, key, data, context.now + OPEN, context.command.who.key))
    request.register(context)
    asked = Reply(
        f'{context.user_name} asks to play "{game.name}" here from now on; it is played in '
        f"{name_place(here.key, here.name, target.key)}",
        (f"Only a {get_manager_word(target.key)} can take it over, within {HOURS} hours.",),
        buttons=(
            Button(f"takeover:{key}", "Take it over", "primary"),
            Button(f"stay:{key}", "Refuse"),
        ),
    )
    tell(context, {target.key: asked}, {target.key: request.topics[0]})
    return Reply(
        f'{context.user_name} asks to move "{game.name}" to {there}',
        (f"It stays here until a manager takes it over there, within {HOURS} hours.",),
    )


async def take_over_game(context: Context, key: str) -> Reply:
    """A manager of the channel that a game asks to move to takes it over. Raises UserError."""
    doc = await _load_request(context, key)
    source = str(doc.data["from"])
    here = context.command.where
    need_place_manager(context, "take the game over")
    loaded = await load_game_by_id(context.store, str(doc.data["game"]))
    if loaded is None or loaded.places != (source,):
        raise UserError("That game is no longer played there.", code="game-changed")
    ledger = Ledger(loaded, context.ledger.writer)
    if ledger.game.ended:
        raise UserError("That game has ended.", code="game-ended")
    other = await _load_replaced_game(context, here.key)
    _build_request(doc).close_with_note(context, f"{context.user_name} takes it over")
    names = {source: str(doc.data["name"]), here.key: here.name}
    return _move_game(
        context, ledger, source, here.key, restore_game(other) if other is not None else None, names
    )


async def refuse_transfer(context: Context, key: str) -> Reply:
    """A manager of the channel refuses to take a game over."""
    doc = await _load_request(context, key)
    need_place_manager(context, "refuse that")
    _build_request(doc).close_with_note(context, f"{context.user_name} refuses")
    told = Reply(f"{context.user_name} refuses to take the game over", ("It stays where it is.",))
    tell(context, {str(doc.data["from"]): told})
    return told


async def _load_request(context: Context, key: str) -> Doc:
    """The request that a button answers. Raises UserError for one that is over, or for another
    channel.
    """
    gone = UserError(
        "There is no open request for this.",
        hint=phrase("Ask again: `/game transfer`"),
        code="not-asked",
    )
    return await load_open_request(context, TRANSFER, key, gone, to=context.command.where.key)


def _build_request(doc: Doc) -> PendingRequest:
    row = str(doc.data["game"])
    return PendingRequest(doc, (f"{row}/transfer-{doc.key}",), WHAT, row)


def _move_game(
    context: Context,
    ledger: Ledger,
    source: str,
    to: str,
    aside: LoadedGame | None,
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
    context.commit.docs.append(
        build_moved_doc(ledger.row, name, Place(to, server, names[to]), source)
    )
    told = {
        source: Reply(
            f'{context.user_name} moves "{name}" to {name_place(to, names[to], source)}',
            buttons=build_channel_button(to, names[to], source),
        ),
        to: Reply(
            f'"{name}" is played here from now on',
            (
                f"{context.user_name} moves it from {name_place(source, names[source], to)}.",
                phrase("`/game status` shows how it is going."),
                *describe_replaced_game(aside),
            ),
            buttons=build_channel_button(source, names[source], to),
        ),
    }
    tell(context, told)
    return told[context.command.where.key]


def _get_target_channel(context: Context) -> Place:
    """The channel meant, as the platform confirmed it. Raises UserError for any other."""
    here = context.command.where
    key = parse_place_key(here.key, context.clean_options()["channel"])
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


async def _load_replaced_game(context: Context, place: str) -> Saved | None:
    """What is played in the new place already, and will make room. Raises UserError for a game
    that is on.
    """
    other = await context.store.load_game(place)
    if other is None:
        return None
    there = restore_game(other).game
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


async def ask_to_delete_game(context: Context) -> Reply:
    """Delete the game and all its data; asks first."""
    options = context.clean_options()
    await use_named_game(context, options["game"])
    game = context.need_game()
    _need_owner(context)
    if options["confirm"]:
        return await delete_game(context)
    name = f'"{game.name}"' if game.name else "this free play"
    return Reply(
        f"Delete {name} with its {game.number} events?",
        (
            phrase("This cannot be undone. `/game export` keeps a copy first."),
            phrase("Delete it: `/game delete confirm`"),
        ),
        private=True,
        buttons=(context.build_button("delete", "Delete", style="danger"),),
    )


async def delete_game(context: Context, _more: str = "") -> Reply:
    """Delete the game."""
    game = context.need_game()
    _need_owner(context)
    context.commit.erase.append(context.ledger.row)
    await delete_share(context)
    title = f"{capitalize_first(format_game_name(game))} is deleted"
    told = Reply(
        title, (f"{context.user_name} did that in a channel that was linked with this one.",)
    )
    tell(context, dict.fromkeys(context.ledger.places, told))
    seen_by_others = game.started or len(context.ledger.list_present_persons()) > 1
    told_here = Reply(
        f"{context.user_name} deletes {format_game_name(game)}",
        ("Its log, units and dice are gone for good.",),
    )
    return Reply(title, private=True, announce=told_here if seen_by_others else None)


def _need_owner(context: Context) -> None:
    """Free play belongs to those who took part, a started game to its master and the server's
    managers.
    """
    need_director(context.game, context.actor, "delete it")
    alone = len(context.ledger.list_present_persons()) <= 1
    if (
        not context.game.started
        and not context.actor.directs
        and not (alone and context.actor.person)
    ):
        manager = get_manager_word(context.command.where.key)
        what = f"Others have rolled here too, so only a {manager} can delete this."
        raise UserError(what, code="not-manager")
