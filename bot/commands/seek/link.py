"""`/seek link`: two servers share their seeks, in both channels for seekers.

A code from one server is typed on the other. Both are typed by managers, so both servers have agreed.
"""

from collections.abc import Sequence

from bot.commands.channel_games import post_in_other_channels
from bot.commands.context import Context
from bot.commands.declare import declare_button, declare_command
from bot.commands.requests import need_place_manager
from bot.commands.seek.open_seeks import hide_seek, load_seeks, need_server
from bot.preferences.place_names import build_channel_button, name_place
from bot.preferences.platform_words import get_server_word
from bot.preferences.shared_seeks import (
    MOST_LINKS,
    SHARING_LINES,
    LinkedServer,
    build_link_docs,
    list_link_keys,
    load_linked_servers,
    load_seekers_channel,
)
from bot.rules.errors import UserError
from bot.rules.text.names import join_names
from bot.rules.text.normalize import comparison_key, normalize_value
from bot.rules.text.phrase import phrase
from bot.runtime.entropy import create_code, read_code
from bot.storage.records import SEEK_LINK, Doc, Outgoing
from bot.ui.common_options import build_optional
from bot.ui.reply.parts import Part
from bot.ui.reply.reply import Button, Reply

LINK_CODE = "seek-link-code"
"""The kind of the documents with a code that links two servers, by code."""
MINUTES = 15
"""Minutes for which such a code works."""
OFF = "off"


@declare_command(
    "seek link",
    "Share seeks with another server; for managers",
    build_optional("code", "the code from the other server; off: share no longer"),
    private=True,
    title="Share seeks with another server",
    verb="Share",
    needs_game=True,
)
async def handle_seek_link(context: Context) -> Reply:
    """Create a code, use the code that was typed, or end the link of this server with `off`.

    Raises UserError for a user who is not a manager, for an unknown code, outside the server's
    channel for seekers, and if the servers cannot be linked. With `off`, raises it if there is no
    link, or more than one.
    """
    server = need_server(context)
    need_place_manager(context, "share seeks with another server", option="code")
    typed = context.clean_options()["code"]
    if typed and comparison_key(typed) == OFF:
        return await _end_typed_link(context, server)
    await _need_seekers_channel(context, server)
    _need_room(await load_linked_servers(context.store, server))
    if not typed:
        return _create_link_code(context)
    return await _use_link_code(context, server, read_code(normalize_value(typed)))


async def _need_seekers_channel(context: Context, server: str) -> None:
    """Raise UserError unless this is the server's channel for seekers, whose readers agree by it."""
    channel = context.command.where
    seekers_channel, name = await load_seekers_channel(context.store, server)
    if not seekers_channel:
        raise UserError(
            f"This {get_server_word(channel.key)} has no channel for seekers yet.",
            hint=phrase("Choose one first: type `/setup seekers` in it."),
            code="no-seekers",
        )
    if seekers_channel != channel.key:
        place = name_place(seekers_channel, name, channel.key)
        error = UserError(f"Type that in {place}, the channel for seekers.", code="no-seekers")
        error.buttons = build_channel_button(seekers_channel, name, channel.key)
        raise error


def _need_room(linked_servers: Sequence[LinkedServer]) -> None:
    """Raise UserError if a server shares seeks with as many others as it may."""
    if len(linked_servers) >= MOST_LINKS:
        raise UserError(
            f"Seeks are shared with {MOST_LINKS} others already, which is the limit.",
            hint=phrase("`/seek link off` ends one."),
            code="too-many",
        )


def _create_link_code(context: Context) -> Reply:
    """Create a code that links this server, and show it to the user alone."""
    channel = context.command.where
    user = context.command.who
    code = create_code()
    data = {"server": channel.server, "name": user.name}
    expires = context.now + MINUTES * 60
    context.commit.docs.append(Doc(LINK_CODE, code, data, expires, user.key))
    lines: tuple[Part, ...] = (
        phrase(
            "In the other channel for seekers, here or on the other network, "
            "a manager types: `/seek link {code}`",
            code=code,
        ),
        f"It works once, within {MINUTES} minutes. Then each side sees the other's seeks.",
    )
    return Reply(f"The code is {code}", lines, private=True)


async def _use_link_code(context: Context, server: str, code: str) -> Reply:
    """Link this server with the one that the code is from. The code is used up.

    Raises UserError for an unknown code, and if the servers cannot be linked.
    """
    doc = await context.store.load_doc(LINK_CODE, code)
    other_server = str(doc.data["server"]) if doc is not None else ""
    other_channel, other_name = await load_seekers_channel(context.store, other_server)
    if doc is None or not other_channel:
        raise UserError(
            f"There is no such code. Each works once, within {MINUTES} minutes.",
            hint=phrase("Get a new one in the other channel for seekers: `/seek link`"),
            option="code",
            code="unknown-code",
        )
    if other_server == server:
        raise UserError(
            f"That code is from this {get_server_word(server)}.",
            hint="Type it on the other one.",
            option="code",
            code="same-channel",
        )
    other_links = await load_linked_servers(context.store, other_server)
    if any(linked_server.server == server for linked_server in other_links):
        raise UserError("The two share their seeks already.", option="code", code="no-change")
    _need_room(other_links)
    context.commit.drop_docs.append((LINK_CODE, code))
    context.commit.docs += build_link_docs(code, server, other_server)
    channel = context.command.where
    own_name = name_place(channel.key, channel.name, other_channel)
    notice = Reply(f"{doc.data['name']} shares seeks with {own_name}", SHARING_LINES)
    post_in_other_channels(context, {other_channel: notice})
    other_label = name_place(other_channel, other_name, channel.key)
    context.is_local = True
    return Reply(
        "Seeks are shared from now on",
        (phrase("`/seek list` shows those of both sides."),),
        private=True,
        announce=Reply(f"{context.user_name} shares seeks with {other_label}", SHARING_LINES),
    )


async def _end_typed_link(context: Context, server: str) -> Reply:
    """End the only link of this server. Raises UserError if there is none, or several."""
    linked_servers = await load_linked_servers(context.store, server)
    if not linked_servers:
        raise UserError("Seeks here are not shared with anybody.", option="code", code="not-linked")
    if len(linked_servers) > 1:
        error = UserError(
            "Seeks are shared with several others.",
            hint="Choose one.",
            option="code",
            code="missing",
        )
        reader = context.command.where.key
        error.buttons = tuple(
            Button(
                f"seekunlink:{linked_server.id}", f"End {linked_server.format_name(reader)}"[:60]
            )
            for linked_server in linked_servers
        )
        raise error
    return await _end_link(context, server, linked_servers[0])


@declare_button("seekunlink", private=True)
async def press_end_link(context: Context, id: str) -> Reply:
    """End a link of this server by a button. Raises UserError for a user who is not a manager, and
    for a link that has ended already.
    """
    server = need_server(context)
    need_place_manager(context, "share seeks with another server")
    for linked_server in await load_linked_servers(context.store, server):
        if linked_server.id == id:
            return await _end_link(context, server, linked_server)
    raise UserError("That link is already off.", code="not-linked")


async def _end_link(context: Context, server: str, linked_server: LinkedServer) -> Reply:
    """End one link of this server, and return the private answer."""
    await end_links(context, server, [linked_server])
    name = linked_server.format_name(context.command.where.key)
    return Reply(f"Seeks are no longer shared with {name}", private=True)


async def end_links(context: Context, server: str, linked_servers: Sequence[LinkedServer]) -> None:
    """End these links of a server: take the cards of both sides down on the other one, and post
    that in their channels for seekers.
    """
    channel, name = await load_seekers_channel(context.store, server)
    note = "No longer shown here"
    ended_servers = [linked_server.server for linked_server in linked_servers]
    for seek in await load_seeks(context, server):
        servers = [key for key in seek.other_servers if key in ended_servers]
        if servers:
            hide_seek(context, seek, servers, note)
    notices = dict[str, Reply]()
    for linked_server in linked_servers:
        for seek in await load_seeks(context, linked_server.server):
            if server in seek.other_servers:
                hide_seek(context, seek, [server], note)
        keys = list_link_keys(server, linked_server.server)
        context.commit.drop_docs += [(SEEK_LINK, key) for key in keys]
        own_name = name_place(channel, name, linked_server.channel)
        notices[linked_server.channel] = Reply(f"Seeks are no longer shared with {own_name}")
    if linked_servers:
        names = join_names(linked_server.format_name(channel) for linked_server in linked_servers)
        title = f"{context.user_name} no longer shares seeks with {names}"
        context.commit.outbox.append(Outgoing(channel, {}, 0.0, Reply(title).to_json()))
    post_in_other_channels(context, notices)
