"""`/game transfer` and `/game delete`: move a game to another channel, or delete it."""

from bot.commands.channel_games import (
    describe_replaced_game,
    format_game_name,
    post_in_other_channels,
    use_named_game,
)
from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.games.result.result_docs import drop_played
from bot.commands.log.share import delete_share
from bot.commands.requests import HOURS, OPEN, PendingRequest, load_open_request, need_place_manager
from bot.game.ledger import Ledger
from bot.game.loaded_game import LoadedGame
from bot.game.rights import need_director
from bot.loading.load_game import load_game_by_id, restore_game
from bot.preferences.place_names import (
    build_channel_button,
    build_moved_doc,
    name_place,
    parse_place_key,
)
from bot.preferences.platform_words import get_manager_word
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.text.phrase import capitalize_first, phrase
from bot.runtime.entropy import create_id
from bot.storage.records import Binding, Doc, Saved
from bot.ui.common_options import PAST_GAME, build_flag
from bot.ui.reply.reply import Button, Reply
from bot.ui.spec import Place

TRANSFER = "transfer"
SUBJECT = "the move of a game that was requested"


@declare_command(
    "game transfer",
    "Move the game to another channel",
    Option("channel", "str", "channel", complete="channel"),
    example="#campaign",
    needs_game=True,
)
async def transfer_game(context: Context) -> Reply:
    """Move the game to another channel of the same server, or ask there to take it over.

    It moves at once if the user is a manager and no other game is in that channel. Otherwise that
    channel gets a request. Raises UserError for a user who may not move it, and for a channel that
    cannot take it.
    """
    game = context.need_started()
    need_director(game, context.actor, "move it")
    if len(context.ledger.places) > 1:  # nobody in the other channels agreed to the new one
        hint = phrase("End the link first: `/game link off`. Or link the new channel: `/game link`")
        raise UserError(
            "This game is also played in other channels, so it can't be moved.",
            hint=hint,
            code="linked",
        )
    current_channel = context.command.where
    target = _get_target_channel(context)
    if target.key == current_channel.key:
        raise UserError("The game is already here.", option="channel", code="same-channel")
    replaced_game = await _load_replaced_game(context, target.key)
    names = {current_channel.key: current_channel.name, target.key: target.name}
    target_name = name_place(target.key, target.name, current_channel.key)
    if replaced_game is None and context.command.who.manager:
        return _move_game(context, context.ledger, current_channel.key, target.key, None, names)
    key = create_id()
    data = {
        "game": context.ledger.row,
        "from": current_channel.key,
        "to": target.key,
        "name": current_channel.name,
    }
    request = _build_request(Doc(TRANSFER, key, data, context.now + OPEN, context.command.who.key))
    request.register(context)
    current_name = name_place(current_channel.key, current_channel.name, target.key)
    request_message = Reply(
        f'{context.user_name} asks to play "{game.name}" here from now on; until now it was played in '
        f"{current_name}",
        (f"Only a {get_manager_word(target.key)} can take it over, within {HOURS} hours.",),
        buttons=(
            Button(f"takeover:{key}", "Take it over", "primary"),
            Button(f"stay:{key}", "Refuse"),
        ),
    )
    post_in_other_channels(context, {target.key: request_message}, {target.key: request.topics[0]})
    return Reply(
        f'{context.user_name} asks to move "{game.name}" to {target_name}',
        (f"It stays here until a manager takes it over there, within {HOURS} hours.",),
    )


@declare_button("takeover")
async def take_over_game(context: Context, key: str) -> Reply:
    """Take over a game that another channel wants to move here, by the button *Take it over*.

    A game that is here and not on (free play, or one that has ended) is put aside. Raises UserError
    for a user who does not manage this channel, if the game has ended or moved since, and if a game
    is on here or linked with other channels.
    """
    doc = await _load_request(context, key)
    source = str(doc.data["from"])
    current_channel = context.command.where
    need_place_manager(context, "take the game over")
    loaded = await load_game_by_id(context.store, str(doc.data["game"]))
    if loaded is None or loaded.places != (source,):
        raise UserError("That game is no longer played there.", code="game-changed")
    ledger = Ledger(loaded, context.ledger.writer, context.systems)
    if ledger.game.ended:
        raise UserError("That game has ended.", code="game-ended")
    saved = await _load_replaced_game(context, current_channel.key)
    _build_request(doc).close_with_note(context, f"{context.user_name} takes it over")
    names = {source: str(doc.data["name"]), current_channel.key: current_channel.name}
    replaced_game = restore_game(saved) if saved is not None else None
    return _move_game(context, ledger, source, current_channel.key, replaced_game, names)


@declare_button("stay")
async def refuse_transfer(context: Context, key: str) -> Reply:
    """Refuse to take a game over, by the button *Refuse*, and post that in the channel where it is
    played.

    Raises UserError for a user who does not manage this channel.
    """
    doc = await _load_request(context, key)
    need_place_manager(context, "refuse that")
    _build_request(doc).close_with_note(context, f"{context.user_name} refuses")
    reply = Reply(f"{context.user_name} refuses to take the game over", ("It stays where it is.",))
    post_in_other_channels(context, {str(doc.data["from"]): reply})
    return reply


async def _load_request(context: Context, key: str) -> Doc:
    """Return the open request with this key to move a game to this channel. Raises UserError if
    there is none.
    """
    return await load_open_request(
        context, TRANSFER, key, "game transfer", to=context.command.where.key
    )


def _build_request(doc: Doc) -> PendingRequest:
    row = str(doc.data["game"])
    return PendingRequest(doc, (f"{row}/transfer-{doc.key}",), SUBJECT, row)


def _move_game(
    context: Context,
    ledger: Ledger,
    source: str,
    target: str,
    replaced_game: LoadedGame | None,
    names: dict[str, str],
) -> Reply:
    """Move the ledger's game from the channel `source` to `target`, and return the reply for this
    channel. The other of the two gets a message of its own.

    `replaced_game` is the game that `target` has played until now. `names` are the names of both
    channels by key.
    """
    server = context.command.where.server
    name = ledger.game.name
    replaced_row = replaced_game.row if replaced_game is not None else None
    ledger.add("transfer", result="to another channel")
    context.ledger = ledger
    context.commit.bindings += [
        Binding(source, None, ledger.row, server),
        Binding(target, ledger.row, replaced_row, server),
    ]
    target_place = Place(target, server, names[target])
    context.commit.docs.append(build_moved_doc(ledger.row, name, target_place, source))
    source_reply = Reply(
        f'{context.user_name} moves "{name}" to {name_place(target, names[target], source)}',
        buttons=build_channel_button(target, names[target], source),
    )
    target_reply = Reply(
        f'"{name}" is played here from now on',
        (
            f"{context.user_name} moves it from {name_place(source, names[source], target)}.",
            phrase("`/game status` shows how far along it is."),
            *describe_replaced_game(replaced_game),
        ),
        buttons=build_channel_button(source, names[source], target),
    )
    replies = {source: source_reply, target: target_reply}
    post_in_other_channels(context, replies)
    return replies[context.command.where.key]


def _get_target_channel(context: Context) -> Place:
    """Return the channel that the user chose, as confirmed by the platform.

    Raises UserError if the platform did not confirm that user and bot can write in it, or if it is
    on another server.
    """
    current_channel = context.command.where
    key = parse_place_key(current_channel.key, context.clean_options()["channel"])
    if key.startswith("console:"):  # all channels of a console belong to its user
        return Place(key, current_channel.server)
    confirmed = context.command.channels.get("channel")
    if confirmed is None or confirmed.key != key or confirmed.server != current_channel.server:
        message = "A game can only move to a channel where both you and the bot can write."
        raise UserError(
            message,
            hint="Choose it from the list, or mention it.",
            option="channel",
            code="unknown-channel",
        )
    return confirmed


async def _load_replaced_game(context: Context, channel: str) -> Saved | None:
    """Return the game that the other channel plays and that is to be replaced; None if it plays
    none.

    Raises UserError for a game that is on, and for one that is linked with other channels.
    """
    saved = await context.store.load_game(channel)
    if saved is None:
        return None
    game = restore_game(saved).game
    if game.started and not game.ended:
        hint = phrase("That one must end first: `/game end`.")
        raise UserError(
            f'"{game.name}" is played there.', hint=hint, option="channel", code="game-on"
        )
    if len(saved.places) > 1:
        hint = phrase("End that there first: `/game link off`")
        raise UserError(
            "That channel is linked with others.", hint=hint, option="channel", code="linked"
        )
    return saved


@declare_command(
    "game delete",
    "Delete the game and all its data; asks first",
    build_flag("confirm", "delete it now"),
    PAST_GAME,
    private=True,
)
async def ask_to_delete_game(context: Context) -> Reply:
    """Ask whether the game (this channel's, or the one that was typed) is to be deleted. With the
    option `confirm`, delete it.

    Raises UserError for a user who may not delete it.
    """
    options = context.clean_options()
    await use_named_game(context, options["game"])
    game = context.need_game()
    _need_owner(context)
    if options["confirm"]:
        return await delete_game(context)
    name = f'"{game.name}"' if game.name else "this free play"
    return Reply(
        f"Delete {name} and its {game.number} events?",
        (
            phrase("This cannot be undone. `/game export` keeps a copy first."),
            phrase("Delete it: `/game delete confirm`"),
        ),
        private=True,
        buttons=(context.build_button("delete", "Delete", style="danger"),),
    )


@declare_button("delete", of=ButtonOf.GAME, private=True, in_earlier_games=True)
async def delete_game(context: Context) -> Reply:
    """Delete the game with all its data, and post that in the linked channels.

    This channel sees it only if somebody else took part, or if the game was started. Raises
    UserError for a user who may not delete it.
    """
    game = context.need_game()
    _need_owner(context)
    context.commit.erase.append(context.ledger.row)
    if not game.confirmed:
        await drop_played(context)
    await delete_share(context)
    title = f"{capitalize_first(format_game_name(game))} is deleted"
    linked_reply = Reply(
        title, (f"{context.user_name} deleted it from a channel that was linked with this one.",)
    )
    post_in_other_channels(context, dict.fromkeys(context.ledger.places, linked_reply))
    is_public = game.started or len(context.ledger.list_present_persons()) > 1
    announcement = Reply(
        f"{context.user_name} deletes {format_game_name(game)}",
        ("Its log, units and dice are gone for good.",),
    )
    return Reply(title, private=True, announce=announcement if is_public else None)


def _need_owner(context: Context) -> None:
    """Raise UserError for a user who may not delete the game.

    Free play belongs to the user who alone took part in it, or to the server's managers; a started
    game to its game master and the managers. While a game counts without a confirmed result, its
    two players cannot delete it.
    """
    game = context.game
    actor = context.actor
    need_director(game, actor, "delete it")
    if actor.person in game.counted and not game.confirmed:
        raise UserError(
            "This game counts, so its players cannot delete it.",
            hint=phrase("`/game end` ends it."),
            code="not-yours",
        )
    is_only_participant = len(context.ledger.list_present_persons()) <= 1 and bool(actor.person)
    if context.game.started or actor.directs or is_only_participant:
        return
    manager_word = get_manager_word(context.command.where.key)
    raise UserError(
        f"Others have rolled here too, so only a {manager_word} can delete this.",
        code="not-manager",
    )
