"""`/game link`: play one game from several channels, also on two networks.

A code from one channel is typed in another one. The channels are linked once somebody who may speak
for it has agreed in each channel: a manager of its server, or the owner of a private conversation
with the bot. Other users may ask for a link. A request with a button is then posted in the channels
that have not agreed.
"""

from collections.abc import Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass, replace

from bot.commands.channel_games import (
    describe_replaced_game,
    format_game_name,
    post_in_other_channels,
)
from bot.commands.context import Context
from bot.commands.declare import declare_button, declare_command
from bot.commands.requests import HOURS, OPEN, PendingRequest, need_place_manager
from bot.commands.undo.undo import HOME
from bot.game.ledger import Ledger
from bot.game.loaded_game import LoadedGame
from bot.game.rights import need_director
from bot.game.state import Game
from bot.loading.load_game import load_game_by_id, restore_game
from bot.preferences.place_names import (
    PLACE,
    build_name_doc,
    list_places,
    load_place_names,
    name_place,
)
from bot.preferences.platform_words import get_manager_word
from bot.preferences.shared_seeks import build_seek_link_reminders
from bot.rules.errors import UserError
from bot.rules.text.normalize import comparison_key, normalize_value
from bot.rules.text.phrase import capitalize_first, phrase
from bot.runtime.entropy import create_code, read_code
from bot.storage.base import DAY
from bot.storage.records import Binding, Commit, Doc, Outgoing
from bot.storage.store import Store
from bot.ui.common_options import build_optional
from bot.ui.reply.reply import Button, Reply
from bot.ui.spec import Place, get_server_key

LINK = "link"
OFF = "off"
MINUTES = 15
OVER, BARE, ROSTER, RUNNING = range(4)
"""The importance of a game that another one would replace: it has ended, has only rolls, has a
roster, or is running.
"""
REQUEST, ASKED = "link-request", "link-asked"
SUBJECT = "the link that was requested"
MOST_ASKED = 10
"""Maximum number of requests for one game in a day. They are posted in channels whose members may
not know the user.
"""


@declare_command(
    "game link",
    "Play one game from two channels: get a code or enter one",
    build_optional("code", "the code from the other channel; off: unlink this channel"),
    private=True,
    needs_game=True,
)
async def handle_link(context: Context) -> Reply:
    """Create a code, use the code that was typed, or end the link of this channel with `off`.

    A code whose link has been requested already counts as this channel's consent. Raises UserError
    for an unknown code, and for a user who may not link this channel.
    """
    typed = context.clean_options()["code"]
    if not typed:
        return await _create_code(context)
    if comparison_key(typed) == OFF:
        return await _end_link(context)
    code = read_code(normalize_value(typed))
    if await context.store.load_doc(REQUEST, code) is not None:
        return await agree_to_link(context, code)
    return await _use_code(context, code)


async def _create_code(context: Context) -> Reply:
    """Create a code that links this channel, and show it to the user alone.

    If the user is a manager, the code is their consent, and the channel sees that it may be
    linked. Raises UserError for a user who does not direct the game here.
    """
    row = context.ledger.row
    if row:
        need_director(context.game, context.actor, "link it")
    code = create_code()
    channel = context.command.where
    data = {
        "place": channel.key,
        "server": channel.server,
        "name": channel.name,
        "game": row,
        "agreed": context.can_manage,
    }
    context.commit.docs.append(
        Doc(LINK, code, data, context.now + MINUTES * 60, context.command.who.key)
    )
    lines = [
        phrase(
            "In the other channel, on Discord or Slack, type: `/game link {code}`",
            code=code,
        ),
        f"It works once, within {MINUTES} minutes. Then both channels play one game, and each sees every roll.",
    ]
    announcement = None
    if not context.can_manage:
        lines.append(
            f"A {get_manager_word(channel.key)} must agree too, and will be asked here once the code is used."
        )
    elif not channel.owner:
        public_lines = (
            f"For {MINUTES} minutes, a code can link this channel with another one, "
            "which will then see every roll made here.",
            phrase("To end a link, type: `/game link off`"),
        )
        announcement = Reply(f"{context.user_name} offers to link this channel", public_lines)
    return Reply(f"The code is {code}", tuple(lines), private=True, announce=announcement)


async def _use_code(context: Context, code: str) -> Reply:
    """Link this channel with the one that the code is from, if both have agreed. Otherwise post a
    request in those that have not.

    The code is used up. Raises UserError for an unknown code, and if the channels cannot be linked.
    """
    doc = await context.store.load_doc(LINK, code)
    if doc is None:
        raise UserError(
            f"That code doesn't exist or has been used. Each code works once, within {MINUTES} minutes.",
            hint=phrase("Get a new one in the other channel: `/game link`"),
            option="code",
            code="unknown-code",
        )
    channel = context.command.where
    code_channel = str(doc.data["place"])
    if code_channel == channel.key:
        raise UserError(
            "That code is from this channel.",
            hint="Type it in the other one.",
            option="code",
            code="same-channel",
        )
    saved = await context.store.load_game(code_channel)
    current_row = saved.game.id if saved is not None else ""
    if current_row != doc.data["game"]:
        # The user who created the code had no say in a game that began later.
        hint = phrase("Get a new code there: `/game link`")
        raise UserError(
            "A different game has started there in the meantime.",
            hint=hint,
            option="code",
            code="game-changed",
        )
    context.commit.drop_docs.append((LINK, code))
    code_channel_name = str(doc.data["name"])
    context.commit.docs += [
        build_name_doc(channel),
        build_name_doc(Place(code_channel, str(doc.data["server"]), code_channel_name)),
    ]
    code_channel_game = restore_game(saved) if saved is not None else None
    ledger, new_channel, replaced_game = _choose_shared_game(
        context, code_channel_game, code_channel
    )
    agreed = []
    if context.can_manage:
        agreed.append(channel.key)
    if doc.data["agreed"] is True:
        agreed.append(code_channel)
    link = ChannelLink(
        code,
        ledger.row,
        ledger.places,
        new_channel,
        tuple(agreed),
        context.command.who.key,
        replaced_game.row if replaced_game is not None else "",
    )
    names = {
        **await load_place_names(context.store, link.channels),
        code_channel: code_channel_name,
        channel.key: channel.name,
    }
    if not link.pending_channels:
        lines = (phrase("`/game status` shows the game."),)
        announcement = link_channel(context, ledger, new_channel, names, replaced_game)
        return Reply("The channels are linked", lines, private=True, announce=announcement)
    return await ask_channels(context, ledger.game, link, names)


def _choose_shared_game(
    context: Context, code_channel_game: LoadedGame | None, code_channel: str
) -> tuple[Ledger, str, LoadedGame | None]:
    """Return the game that this channel and the code's channel are to play, the channel that does
    not play it yet, and the game that it replaces there.

    The more important game is kept (see `OVER`), or the code's if both are equal. Raises UserError
    if neither channel has a game, if both have one that is worth keeping, or if the channel whose
    game is replaced is linked with others.
    """
    own_game = context.ledger.loaded
    if own_game is None and code_channel_game is None:
        hint = phrase('Start one first: `/game start lnlt "Hill 875"`')
        raise UserError("There's no game in either channel.", hint=hint, code="no-game")
    if code_channel_game is not None and (
        own_game is None or _rate_importance(code_channel_game) >= _rate_importance(own_game)
    ):
        shared_game = code_channel_game
        replaced_game = own_game
        ledger = Ledger(code_channel_game, context.ledger.writer, context.systems)
        new_channel = context.command.where.key
    else:
        assert own_game is not None
        # The right to share the other game was checked when its code was created.
        need_director(context.game, context.actor, "link it")
        shared_game = own_game
        replaced_game = code_channel_game
        ledger = context.ledger
        new_channel = code_channel
    if replaced_game is not None:
        _need_replaceable(replaced_game, shared_game)
    return ledger, new_channel, replaced_game


def _need_replaceable(replaced_game: LoadedGame, shared_game: LoadedGame) -> None:
    """Raise UserError if a game may not be replaced by the shared one: both are worth keeping, or
    its channel is linked with others.
    """
    importance = _rate_importance(replaced_game)
    if importance >= max(ROSTER, _rate_importance(shared_game)):
        hint = phrase("End one with `/game end`, or move it with `/game transfer`.")
        raise UserError(
            "Both channels already have a game.", hint=hint, option="code", code="two-games"
        )
    if len(replaced_game.places) > 1:
        hint = phrase("End that there first: `/game link off`")
        raise UserError(
            "One of the channels is already linked with others.",
            hint=hint,
            option="code",
            code="linked",
        )


def _rate_importance(loaded: LoadedGame) -> int:
    """Return the importance of a game, from OVER (0) to RUNNING (3)."""
    if loaded.game.ended:
        return OVER
    if loaded.game.started:
        return RUNNING
    return ROSTER if loaded.game.units else BARE


async def _end_link(context: Context) -> Reply:
    """End the link of this channel. The game goes on in the other channels.

    Raises UserError if the channel is not linked, and for a user who is neither a manager nor the
    game master.
    """
    context.need_game()
    if len(context.ledger.places) < 2:
        raise UserError(
            "This game isn't linked with any other channel.", option="code", code="not-linked"
        )
    if not (context.can_manage or context.actor.directs):
        message = "Only the game master or a manager can end the link."
        raise UserError(message, option="code", code="not-master")
    return await unlink_channel(context, context.ledger, context.command.where.key)


@dataclass(frozen=True, slots=True)
class ChannelLink:
    """A requested link of channels, by channel key."""

    code: str
    game: str
    """The row of the game."""
    channels: tuple[str, ...]
    """The channels that play it."""
    new_channel: str
    """The channel that is to play it too."""
    agreed: tuple[str, ...]
    """The channels that have agreed."""
    asker: str
    replaced_row: str = ""
    """The row of the game that `new_channel` has played until now, or ""."""

    @property
    def all_channels(self) -> tuple[str, ...]:
        """The channels that would see each other's rolls."""
        return (*self.channels, self.new_channel)

    @property
    def pending_channels(self) -> tuple[str, ...]:
        """The channels that have not agreed yet."""
        return tuple(channel for channel in self.all_channels if channel not in self.agreed)

    def build_topic(self, channel: str) -> str:
        """Return the topic of the message that asks in this channel."""
        return f"{self.game}/link-{self.code}-{self.all_channels.index(channel)}"

    def build_request(self, expires: float) -> PendingRequest:
        """Return the request to the channels that have not agreed yet. It is not stored by that.

        `expires` is in Unix seconds.
        """
        data = {
            "game": self.game,
            "places": list(self.channels),
            "new": self.new_channel,
            "aside": self.replaced_row,
            "agreed": list(self.agreed),
        }
        topics = tuple(map(self.build_topic, self.pending_channels))
        doc = Doc(REQUEST, self.code, data, expires, self.asker)
        return PendingRequest(doc, topics, SUBJECT, self.game)


async def ask_channels(
    context: Context, game: Game, link: ChannelLink, names: dict[str, str]
) -> Reply:
    """Post the request in each channel that has not agreed, and return the private answer.

    `names` are the channels' names by key. Raises UserError after `MOST_ASKED` requests for the
    game in a day.
    """
    doc = await context.store.load_doc(ASKED, link.game)
    times = doc.data["at"] if doc is not None else []
    recent_times = [time for time in times if time > context.now - DAY]
    if len(recent_times) >= MOST_ASKED:
        message = f"This game has had {MOST_ASKED} link requests within a day, which is the limit."
        hint = phrase(
            "Managers of both channels can link them without a request: each types `/game link`."
        )
        raise UserError(message, hint=hint, code="too-many-links")
    context.commit.docs.append(
        Doc(ASKED, link.game, {"at": [*recent_times, context.now]}, context.now + DAY)
    )
    link.build_request(context.now + OPEN).register(context)
    current_channel = context.command.where.key
    messages = {
        channel: _build_request_message(context, game, link, names, channel)
        for channel in link.pending_channels
    }
    # Only a channel that plays the game may see the names of the others.
    visible_names = names if current_channel in link.channels else {}
    topics = {channel: link.build_topic(channel) for channel in messages}
    post_in_other_channels(context, messages, topics)
    if current_channel in messages:
        context.about = topics[current_channel]
    pending = list_places(link.pending_channels, visible_names, current_channel)
    lines = (
        f"A manager must agree first in {pending}. Nothing is linked until then.",
        f"It expires in {HOURS} hours.",
    )
    return Reply("Link requested", lines, private=True, announce=messages.get(current_channel))


def _build_request_message(
    context: Context, game: Game, link: ChannelLink, names: dict[str, str], reader: str
) -> Reply:
    """Return the request as it reads in the channel `reader`, with the buttons that answer it.

    The new channel does not see the names of the others if there are several.
    """
    if reader == link.new_channel and len(link.channels) > 1:
        names = {}
    other_channels = [channel for channel in link.all_channels if channel != reader]
    others = list_places(other_channels, names, reader)
    if reader == link.new_channel:
        action = f"play {format_game_name(game)} here as well as in {others}"
    else:
        new_name = name_place(link.new_channel, names.get(link.new_channel, ""), reader)
        action = f"play this channel's game from {new_name} too"
    return Reply(
        f"{context.user_name} asks to {action}",
        (
            f"If you agree, every roll made in this channel shows up in {others}, and vice versa. "
            "Nothing is linked yet.",
            phrase(
                "Only a {manager} can agree, within {hours} hours. "
                "Press a button, or type: `/game link {code}`",
                manager=get_manager_word(reader),
                hours=HOURS,
                code=link.code,
            ),
        ),
        buttons=(
            Button(f"agree:{link.code}", "Agree", "primary"),
            Button(f"decline:{link.code}", "Refuse"),
        ),
    )


@declare_button("agree")
async def agree_to_link(context: Context, code: str) -> Reply:
    """Agree to a link for this channel. If it is the last one to agree, link the channels.

    Raises UserError for a user who may not speak for this channel, and if it has agreed already or
    the new channel has begun another game since.
    """
    ledger, link, expires = await _load_pending_link(context, code)
    current_channel = context.command.where.key
    need_place_manager(context, "agree to that", option="code")
    current_topic = link.build_topic(current_channel)
    context.pressed_topic = current_topic
    if current_channel in link.agreed:
        raise UserError("This channel has already agreed.", option="code", code="agreed-already")
    saved = await context.store.load_game(link.new_channel)
    saved_row = saved.game.id if saved is not None else ""
    is_linked = saved is not None and len(saved.places) > 1
    if saved_row != link.replaced_row or is_linked:
        hint = phrase("Ask again: `/game link`")
        raise UserError(
            "A game has started in the other channel in the meantime.",
            hint=hint,
            code="game-changed",
        )
    request_here = replace(link.build_request(expires), topics=(current_topic,))
    request_here.close_with_note(context, f"{context.user_name} agrees")
    names = {
        **await load_place_names(context.store, link.all_channels),
        current_channel: context.command.where.name,
    }
    context.commit.docs.append(build_name_doc(context.command.where))
    missing = [channel for channel in link.pending_channels if channel != current_channel]
    if not missing:
        replaced_game = restore_game(saved) if saved is not None else None
        return link_channel(context, ledger, link.new_channel, names, replaced_game)
    # If two channels agree at once, this event makes one of them wait for the other.
    ledger.add("link", result="a channel agreed to a link")
    context.ledger = ledger
    new_link = replace(link, agreed=(*link.agreed, current_channel))
    new_link.build_request(expires).register(context)
    visible_names = names if current_channel in link.channels else {}
    pending = list_places(missing, visible_names, current_channel)
    return Reply(f"{context.user_name} agrees to the link", (f"Still to agree: {pending}.",))


@declare_button("decline")
async def decline_link(context: Context, code: str) -> Reply:
    """Close the request for a link, and post that in all its channels.

    Raises UserError for a user who neither asked for the link nor may speak for this channel.
    """
    _, link, expires = await _load_pending_link(context, code)
    if link.asker != context.command.who.key:
        need_place_manager(context, "refuse that", option="code")
    context.pressed_topic = link.build_topic(context.command.where.key)
    link.build_request(expires).close_with_note(context, f"{context.user_name} refuses")
    reply = Reply(f"{context.user_name} refuses the link", ("Nothing is linked.",))
    post_in_other_channels(context, dict.fromkeys(link.all_channels, reply))
    return reply


async def _load_pending_link(context: Context, code: str) -> tuple[Ledger, ChannelLink, float]:
    """Return the game that is to be linked, the requested link, and when it expires (Unix seconds).

    The request is read again after the game, because a change of one changes the other. Raises
    UserError if the request is closed, is for other channels, or if the game has moved since.
    """
    error = UserError(
        "There is no open request for this link.",
        hint=phrase("Ask again: `/game link`"),
        code="not-asked",
    )
    doc = await context.store.load_doc(REQUEST, code)
    if doc is None:
        raise error
    ledger = context.ledger
    if not ledger.row or ledger.row != doc.data["game"]:
        loaded = await load_game_by_id(context.store, str(doc.data["game"]))
        ledger = Ledger(loaded, context.ledger.writer, context.systems)
    doc = await context.store.load_doc(REQUEST, code)
    if doc is None or ledger.loaded is None:
        raise error
    link = ChannelLink(
        code,
        str(doc.data["game"]),
        tuple(doc.data["places"]),
        str(doc.data["new"]),
        tuple(doc.data["agreed"]),
        doc.owner,
        str(doc.data.get("aside", "")),
    )
    if context.command.where.key not in link.all_channels:
        raise UserError("That code is for other channels.", option="code", code="other-channels")
    if sorted(ledger.places) != sorted(link.channels):
        raise UserError(
            "The game has moved to another channel in the meantime.",
            hint=phrase("Ask again: `/game link`"),
            code="game-changed",
        )
    return ledger, link, doc.expires or 0.0


def link_channel(
    context: Context,
    ledger: Ledger,
    new_channel: str,
    names: Mapping[str, str],
    replaced_game: LoadedGame | None = None,
) -> Reply:
    """Let a new channel play the ledger's game too, and post a notice in all its channels. Return
    the notice for this channel.

    `names` are the channels' names by key. `replaced_game` is what the new channel has played
    until now.
    """
    channels = (*ledger.places, new_channel)
    ledger.add("link", result="played from two channels")
    context.ledger = ledger
    if len(channels) == 2:
        home = channels[0]
        context.commit.docs.append(
            Doc(HOME, ledger.row, {"place": home}, None, get_server_key(home))
        )
    replaced_row = replaced_game.row if replaced_game is not None else None
    context.commit.bindings.append(
        Binding(new_channel, ledger.row, replaced_row, get_server_key(new_channel))
    )
    notices = {
        channel: _build_notice(context, ledger.game, channels, names, channel)
        for channel in channels
    }
    notice = notices[new_channel]
    notices[new_channel] = replace(
        notice, lines=(*notice.lines, *describe_replaced_game(replaced_game))
    )
    post_in_other_channels(context, notices)
    return notices[context.command.where.key]


def _build_notice(
    context: Context, game: Game, channels: Many[str], names: Mapping[str, str], reader: str
) -> Reply:
    """Return the notice that the channels are linked, as it reads in the channel `reader`."""
    other_channels = [channel for channel in channels if channel != reader]
    others = list_places(other_channels, names, reader)
    return Reply(
        f"{context.user_name} links this channel with {others}",
        (
            f"{capitalize_first(format_game_name(game))} is played from both: every roll made "
            "here shows up there, and vice versa.",
            phrase(
                "`/game status` lists the channels. A manager can end this with: `/game link off`"
            ),
        ),
    )


async def unlink_channel(context: Context, ledger: Ledger, channel: str) -> Reply:
    """Let one of the channels that play the ledger's game leave it, and post that in all of them.

    Return the notice for this channel, or that for `channel` if this one does not play the game.
    """
    channels = ledger.places
    names = await load_place_names(context.store, channels)
    ledger.add("link", result="one channel fewer")
    context.commit.bindings.append(Binding(channel, None, ledger.row, get_server_key(channel)))
    game_name = capitalize_first(format_game_name(ledger.game))
    remaining_channels = [other for other in channels if other != channel]
    notices = dict[str, Reply]()
    for reader in channels:
        channel_name = name_place(channel, names.get(channel, ""), reader)
        line = f"{game_name} continues here without {channel_name}."
        if reader == channel:
            remaining = list_places(remaining_channels, names, reader)
            line = f"{game_name} continues in {remaining}. Rolls made here no longer show up there."
        title = f"{context.user_name} unlinks {channel_name}"
        notices[reader] = Reply(title, (line,))
    post_in_other_channels(context, notices)
    return notices.get(context.command.where.key, notices[channel])


async def remind_linked_channels(store: Store, server: str) -> None:
    """Post a reminder in the linked channels of a server that the bot has joined again, and in its
    channel for seekers if it shares seeks.

    A channel without a stored name gets it even if the bot was not away: it was linked by an old
    release, which did not ask the managers.
    """
    was_away = await store.mark_server_joined(server)
    messages = list[Outgoing]()
    docs = list[Doc]()
    for channel, row in await store.list_shared_games(server):
        has_no_name = await store.load_doc(PLACE, channel) is None
        if not (was_away or has_no_name):
            continue
        if has_no_name:
            docs.append(build_name_doc(Place(channel, server)))
        saved = await store.load_game_by_id(row)
        all_channels = saved.places if saved is not None else ()
        other_channels = [other for other in all_channels if other != channel]
        names = await load_place_names(store, other_channels)
        others = list_places(other_channels, names, channel)
        line = phrase(
            "Every roll made here shows up there, and vice versa. A manager can end this with: `/game link off`"
        )
        reply = Reply(f"This channel is linked with {others}", (line,))
        messages.append(Outgoing(channel, {}, 0.0, reply.to_json()))
    if was_away:
        messages += await build_seek_link_reminders(store, server)
    if messages:
        await store.commit(Commit(outbox=messages, docs=docs))
