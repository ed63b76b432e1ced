"""`/seek`: players find an opponent.

A seek is a card with the buttons *Play*, *Our hours* and *Withdraw*, in the server's channel for
seekers or where it was written. It pings nobody. It ends when somebody plays it, when it is
withdrawn, after two weeks, or when its writer has left.
"""

from collections.abc import Mapping
from typing import Any

from bot.commands.by_post.reminders import load_reminder_settings
from bot.commands.context import Context
from bot.commands.declare import declare_button, declare_command
from bot.commands.games.start_and_join import NewGame, read_new_game
from bot.commands.ladder.setting import need_ladder
from bot.commands.requests import need_place_manager
from bot.commands.seek.card import IN_LIST, build_card, build_list_entry
from bot.commands.seek.link import end_links
from bot.commands.seek.open_seeks import (
    MOST_OF_PERSON,
    MOST_OF_SERVER,
    PACE_WORDS,
    PACES,
    SEEK_KEPT,
    Seek,
    amend_card,
    change_seek,
    close_seek,
    create_seek_id,
    hide_seek,
    load_seek,
    load_seeks,
    load_seeks_of_user,
    load_shown_seeks,
    need_server,
    open_seek,
)
from bot.commands.seek.share import (
    amend_cards,
    find_receiving_servers,
    post_linked_cards,
)
from bot.commands.seek.shared_hours import count_shared_minutes, format_shared_hours
from bot.game.sides import make_unknown_side_error
from bot.preferences.ladder_setting import is_ladder_on
from bot.preferences.place_names import build_channel_button, name_place
from bot.preferences.platform_words import get_manager_word, get_server_word
from bot.preferences.shared_seeks import (
    SEEKERS,
    SHARING_LINES,
    build_seekers_doc,
    load_linked_servers,
    load_seekers_channel,
)
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import comparison_key, normalize_name
from bot.rules.text.phrase import phrase
from bot.rulesets.rule_sets import RuleSets
from bot.storage.records import DueRow, Outgoing
from bot.ui.common_options import build_flag, build_optional
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import OPEN_FORM, OVER, Button, Reply

EITHER, BOTH = "either", "both"
MAX_TEXT = 300
"""Maximum number of characters of the line of text on a card."""
MOST_LISTED = 10
"""Maximum number of seeks in one list."""


@declare_command(
    "seek game",
    "Look for an opponent",
    Option(
        "pace",
        "enum",
        "how fast you want to play",
        values=tuple(PACES),
        labels=PACES,
        also=PACE_WORDS,
    ),
    build_optional(
        "system",
        "which game; not needed with a scenario",
        type="enum",
        values=(),
        complete="system",
        label="Game",
    ),
    build_optional(
        "scenario", "sides and units ready to play, such as ford of lnlt", complete="scenario"
    ),
    build_optional(
        "side", "the side you play; either: a die roll decides; both: two games, one with each"
    ),
    build_optional(
        "name", "a title; blank: the name of the scenario or game", max=60, label="Title"
    ),
    build_optional("sides", "two sides, if there is no scenario: US, VC"),
    build_optional("text", "a note to your opponent"),
    build_flag("counts", "make the game count, on servers with a ladder"),
    example="evening lnlt scenario=ford",
    private=True,
    title="Find an opponent",
    verb="Seek",
    needs_game=True,
)
async def seek_game(context: Context) -> Reply:
    """Post the user's card in the channel for seekers, or here if the server has none.

    Raises UserError for a game that cannot be started so, if there are too many open seeks, and
    outside the channels of a server.
    """
    server = need_server(context)
    # The form has no fields for these.
    options = {"name": None, "sides": None, "counts": False, **context.clean_options()}
    await context.use_systems_of_game(None)  # as for a new game
    new_game = _read_sought_game(options, context.systems)
    side = _read_side(new_game, options)
    if options["counts"]:
        await need_ladder(context)
    text = _read_text(options["text"] or "")
    user = context.command.who
    await _need_room(context, server)
    channel = context.command.where
    seek = Seek(
        id=await _create_id(context, server),
        server=server,
        writer=user.key,
        name=user.name,
        channel=channel.key,
        system=new_game.system.id,
        scenario=str(options["scenario"] or ""),
        title=new_game.name,
        sides=new_game.sides,
        pace=options["pace"],
        side=side,
        text=text,
        commitment="",
        until=context.now + SEEK_KEPT,
        series=is_both(options["side"]),
        counts=bool(options["counts"]),
    )
    linked_servers = await find_receiving_servers(context, seek)
    other_servers = tuple(linked_server.server for linked_server in linked_servers)
    seek = open_seek(context, seek._replace(other_servers=other_servers))
    card = build_card(seek, new_game.system)
    context.is_local = True
    await post_linked_cards(context, seek, new_game.system, linked_servers)
    lines: list[Part] = [
        f"It ends in {format_count(int(SEEK_KEPT // 86400), 'day')}, "
        "or when somebody plays it. Nobody was pinged.",
        phrase("To withdraw it: `/seek withdraw {id}`", id=seek.id),
    ]
    if linked_servers:
        names = join_names(
            linked_server.format_name(channel.key) for linked_server in linked_servers
        )
        lines.insert(0, f"It is also shown in {names}.")
    own_buttons: tuple[Button, ...] = (Button(f"seekdrop:{seek.id}:{IN_LIST}", "Withdraw"),)
    if not seek.counts and await is_ladder_on(context.store, server):
        own_buttons = (Button(f"seekcounts:{seek.id}", "Let it count"), *own_buttons)
    card_channel, channel_name = await load_seekers_channel(context.store, server)
    if card_channel in ("", channel.key):
        context.about = seek.topic
        return Reply(
            "Your seek is posted here",
            tuple(lines),
            private=True,
            announce=card,
            buttons=own_buttons,
        )
    context.commit.outbox.append(Outgoing(card_channel, {}, 0.0, card.to_json(), seek.topic))
    place = name_place(card_channel, channel_name, channel.key)
    buttons = build_channel_button(card_channel, channel_name, channel.key)
    return Reply(
        f"Your seek is posted in {place}",
        tuple(lines),
        private=True,
        buttons=(*own_buttons, *buttons),
    )


async def _create_id(context: Context, server: str) -> str:
    """Create an id that no open seek of this server and of those linked with it has."""
    linked_servers = await load_linked_servers(context.store, server)
    return await create_seek_id(
        context, [server, *(linked_server.server for linked_server in linked_servers)]
    )


def _read_sought_game(options: Mapping[str, Any], systems: RuleSets) -> NewGame:
    """Return the game that is sought. Raises UserError for one that cannot be started."""
    try:
        return read_new_game({**options, "carry": None}, systems)
    except UserError as error:
        if error.code == "missing":
            error.hint = phrase("For example: `/seek game daily lnlt scenario=ford`")
        elif error.code == "other-system":
            error.hint = "Choose that game."
        raise


def _read_side(new_game: NewGame, options: Mapping[str, Any]) -> str:
    """Return the side that the writer of a seek plays, "" if a die draws it.

    Raises UserError for a game without exactly two sides, for a scenario that plays itself, and for
    an unknown side.
    """
    sides = new_game.sides
    if new_game.scenario is not None and new_game.scenario.self_played:
        raise UserError(
            f'"{new_game.name}" is for one player: the other side plays itself.',
            hint=phrase("To play it now: `/solo {id}`", id=new_game.system.id),
            option="scenario",
            code="bad-value",
        )
    if not sides:
        raise UserError(
            "A game for two needs two sides, or a scenario.",
            hint='For example: sides="US, VC"',
            option="sides",
            code="missing",
        )
    if len(sides) != 2:
        raise UserError(
            f"{new_game.name} has {len(sides)} sides, but seeks are only for games with two.",
            option="scenario" if new_game.scenario is not None else "sides",
            code="bad-value",
        )
    typed = str(options["side"] or "").strip()
    if comparison_key(typed) in ("", EITHER, "any") or is_both(typed):
        return ""
    for side in sides:
        if comparison_key(side) == comparison_key(typed):
            return side
    raise make_unknown_side_error(typed, (*sides, EITHER, BOTH))


def is_both(typed: object) -> bool:
    """Return whether somebody who types this as their side wants to play both, in two games."""
    return comparison_key(str(typed or "").strip()) in (BOTH, "both in turn")


def _read_text(typed: str) -> str:
    """Return the writer's line of text, without invisible signs. Raises UserError if it is too
    long.
    """
    text = normalize_name(typed)
    if len(text) > MAX_TEXT:
        raise UserError(
            f"A note can have at most {MAX_TEXT} characters.", option="text", code="too-long"
        )
    return text


async def _need_room(context: Context, server: str) -> None:
    """Raise UserError if the user or the server has as many open seeks as it may have."""
    own_seeks = await load_seeks_of_user(context, context.command.who.key)
    if len(own_seeks) >= MOST_OF_PERSON:
        raise UserError(
            f"You have {len(own_seeks)} open seeks, which is the limit.",
            hint=phrase("To end one: `/seek withdraw`"),
            code="too-many",
        )
    if len(await load_seeks(context, server)) >= MOST_OF_SERVER:
        word = get_server_word(context.command.where.key)
        raise UserError(
            f"This {word} has {MOST_OF_SERVER} open seeks, which is the limit.",
            hint=phrase("Accept one of them: `/seek list`"),
            code="too-many",
        )


@declare_button("seekcounts", private=True)
async def press_let_count(context: Context, id: str) -> Reply:
    """Let the game of the user's open seek count, by the button *Let it count*.

    Raises UserError for a seek that is no longer open, for another person's, and for a server
    without a ladder.
    """
    seek = await load_seek(context, id)
    if seek.writer != context.command.who.key:
        raise UserError("This is somebody else's seek.", code="not-yours")
    await need_ladder(context)
    await context.use_systems_of_game(None)
    seek = change_seek(context, seek, counts=True)
    await amend_cards(context, seek, context.systems.find(seek.system))
    return Reply(f"It counts: {seek.title}", private=True)


@declare_command(
    "seek list",
    "Who's looking for an opponent here, by the hours you share",
    build_optional(
        "system",
        "only seeks for this game",
        type="enum",
        values=(),
        complete="system",
        label="Game",
    ),
    private=True,
    title="Looking for an opponent",
    verb="List",
    needs_game=True,
)
async def list_seeks(context: Context) -> Reply:
    """List the open seeks that are shown on this server for the user alone, those with most shared
    hours first.

    Seeks with unknown hours come after them, and the user's own last. The option `system` leaves
    only those for one game. List the first MOST_LISTED, and say how many more there are. Raises
    UserError outside the channels of a server.
    """
    server = need_server(context)
    user = context.command.who.key
    wanted = context.clean_options()["system"]
    shown_seeks = await load_shown_seeks(context, server)
    seeks = [seek for seek in shown_seeks if wanted in (None, seek.system)]
    seek_button = Button(f"{OPEN_FORM}seek game", "Find an opponent")
    if not seeks:
        return Reply(
            "Nobody is looking for an opponent here",
            private=True,
            buttons=(seek_button,),
            tone=OVER,
        )
    own_settings = await load_reminder_settings(context.store, user)
    minutes: dict[str, int | None] = {}
    for seek in seeks:
        settings = await load_reminder_settings(context.store, seek.writer)
        minutes[seek.key] = count_shared_minutes(own_settings, settings, context.now)

    def rank(seek: Seek) -> tuple[bool, bool, int]:
        shared = minutes[seek.key]
        return seek.writer == user, shared is None, -(shared or 0)

    seeks.sort(key=rank)
    origins = {
        linked_server.server: linked_server.format_name(context.command.where.key)
        for linked_server in await load_linked_servers(context.store, server)
    }
    lines: list[Part] = [
        build_list_entry(
            seek, minutes[seek.key], origins.get(seek.server, ""), is_own=seek.writer == user
        )
        for seek in seeks[:MOST_LISTED]
    ]
    left_out = len(seeks) - MOST_LISTED
    if left_out > 0:
        lines.append(Small(f"{left_out} more. Name a game to see fewer."))
    if not own_settings.has_zone:
        lines.append(
            Small(
                phrase(
                    "To see the hours you share, set your time zone: `/me ping zone=Europe/Berlin`"
                )
            )
        )
    writer_count = len({seek.writer for seek in seeks})
    title = f"{format_count(writer_count, 'player is', 'players are')} looking for an opponent"
    return Reply(title, tuple(lines), private=True, buttons=(seek_button,))


@declare_button("seekhours", private=True)
async def show_shared_hours(context: Context, id: str) -> Reply:
    """Show the user how many waking hours they share with the writer of a seek, and not which.

    Raises UserError for a seek that is no longer open, and for its writer.
    """
    seek = await load_seek(context, id)
    user = context.command.who.key
    if seek.writer == user:
        raise UserError("This is your own seek.", code="not-yours")
    own_settings = await load_reminder_settings(context.store, user)
    settings = await load_reminder_settings(context.store, seek.writer)
    minutes = count_shared_minutes(own_settings, settings, context.now)
    if minutes is not None:
        line = "Based on your time zones and quiet hours, over the next seven days."
        title = f"You and {seek.name} share {format_shared_hours(minutes)}"
        return Reply(title, (line,), private=True)
    lines: list[Part] = []
    buttons: tuple[Button, ...] = ()
    if not own_settings.has_zone:
        lines.append(phrase("Set your time zone: `/me ping zone=Europe/Berlin`"))
        buttons = (Button(f"{OPEN_FORM}me ping", "Set your time zone"),)
    if not settings.has_zone:
        lines.append(f"{seek.name} has not set a time zone.")
    return Reply("Hours unknown", tuple(lines), private=True, buttons=buttons)


@declare_command(
    "seek withdraw",
    "Withdraw a seek: your own, or any as a manager",
    build_optional("id", "the id on its card, if you have several"),
    private=True,
    title="Withdraw a seek",
    verb="Withdraw",
    needs_game=True,
)
async def withdraw_seek(context: Context) -> Reply:
    """Withdraw the user's only seek on this server, or the one with the typed id.

    Raises UserError without an id if they have none or several here, for a seek that is no longer
    open, and for another person's seek, unless the user is a manager. Raises it too outside the
    channels of a server.
    """
    server = need_server(context)
    typed = context.clean_options()["id"]
    if typed:
        return await _withdraw(context, await load_seek(context, typed))
    user = context.command.who.key
    own_seeks = [seek for seek in await load_shown_seeks(context, server) if seek.writer == user]
    if not own_seeks:
        raise UserError(
            "You have no open seek here.",
            hint=phrase("`/seek list` shows those that are open."),
            code="not-asked",
        )
    if len(own_seeks) > 1:
        error = UserError(
            "You have several open seeks.", hint="Choose one.", option="id", code="missing"
        )
        error.buttons = tuple(
            Button(f"seekdrop:{seek.id}:{IN_LIST}", f"Withdraw {seek.title}"[:60])
            for seek in own_seeks
        )
        raise error
    return await _withdraw(context, own_seeks[0])


@declare_button("seekdrop", private=True)
async def press_withdraw(context: Context, id: str, origin: str) -> Reply:
    """Withdraw a seek by the button *Withdraw*. `origin` is IN_LIST if it is not on the card.

    Raises UserError for a seek that is no longer open, and for a user who may not withdraw it.
    """
    seek = await load_seek(context, id)
    if not origin:
        context.pressed_topic = seek.get_topic(need_server(context))
    return await _withdraw(context, seek)


async def _withdraw(context: Context, seek: Seek) -> Reply:
    """Withdraw a seek, or take that of a linked server down here, if the user only manages this one.

    Raises UserError for a user who neither wrote it nor is a manager.
    """
    user = context.command.who
    server = need_server(context)
    if seek.writer != user.key and not user.manager:
        manager_word = get_manager_word(context.command.where.key)
        raise UserError(
            f"Only {seek.name} or a {manager_word} can withdraw it.", code="not-manager"
        )
    if seek.writer != user.key and seek.server != server:
        hide_seek(context, seek, [server], "Taken down here")
        word = get_server_word(seek.channel)
        line = f"It stays open on the {word} where {seek.name} posted it."
        return Reply(f"Taken down here: {seek.title}", (line,), private=True, tone=OVER)
    await close_seek(context, seek, "Withdrawn")
    again = Button(f"{OPEN_FORM}seek game", "Find an opponent")
    return Reply(f"Withdrawn: {seek.title}", private=True, tone=OVER, buttons=(again,))


async def expire_seek(context: Context, row: DueRow) -> None:
    """Say on the cards of a seek that its time is over, and remove what was due.

    The seek itself has expired by then.
    """
    context.commit.drop_due.append((row.key, row.at))
    for topic in row.data.get("topics", (row.key,)):
        amend_card(context, str(topic), str(row.data["title"]), "Expired")


@declare_command(
    "setup seekers",
    "Post all of this server's seeks in this channel; for managers",
    build_optional(
        "seekers",
        "off: post each seek in the channel where it was made",
        type="enum",
        values=("on", "off"),
        label="Channel for seekers",
    ),
    title="Channel for seekers",
    verb="Set",
    needs_game=True,
)
async def set_seekers_channel(context: Context) -> Reply:
    """Make this channel the server's channel for seekers, or end that with `off`.

    Raises UserError for a user who is not a manager, with `off` if there is no such channel, and
    outside the channels of a server.
    """
    server = need_server(context)
    need_place_manager(context, "choose the channel for seekers")
    channel, _ = await load_seekers_channel(context.store, server)
    linked_servers = await load_linked_servers(context.store, server)
    if context.clean_options()["seekers"] == "off":
        if not channel:
            raise UserError("There is no channel for seekers.", code="no-change")
        context.commit.drop_docs.append((SEEKERS, server))
        await end_links(context, server, linked_servers)
        return Reply("Seeks are now posted in the channel where they were made", private=True)
    context.is_local = True
    context.commit.docs.append(build_seekers_doc(context.command.where))
    lines: list[Part] = [
        phrase("`/seek game` posts one, `/seek list` shows who is looking for an opponent."),
        phrase("To end that: `/setup seekers off`"),
    ]
    if linked_servers:
        names = join_names(
            linked_server.format_name(context.command.where.key) for linked_server in linked_servers
        )
        lines += [f"They are shared with {names}.", *SHARING_LINES]
    return Reply("Seeks of this server are posted here from now on", tuple(lines))
