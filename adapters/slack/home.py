"""The app's home: the user's games in all channels, each with its buttons, in the order of
`/me games` (`bot/commands/by_post/my_games.py`).

A button on the home is in no channel. The id of its block names the game's channel, so that it
works as if it had been pressed there. Public answers are posted in that channel. The reply to the
user is shown in a modal, because they look at the home. Afterwards the homes of the workspace that
have changed are published again.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from cachetools import FIFOCache, TTLCache

from adapters.slack.calls import Busy, SlackRefused
from adapters.slack.channel_posts import open_direct_messages
from adapters.slack.channels import is_still_member
from adapters.slack.modal import build_plain_text
from adapters.slack.render import ACTION, build_action_rows, render_message
from adapters.slack.request import PLATFORM, Json, SlackRequest, get_team
from adapters.slack.request_handler import Ack, Quick, RequestHandler
from adapters.slack.teams import Team
from adapters.slack.text import PEN
from bot.commands.by_post.my_games import YOUR_MOVE
from bot.execution.budgets import Queues
from bot.rules.errors import UserError
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.rulesets.system import FIRES, System
from bot.ui.registry import Registry
from bot.ui.reply.join_buttons import build_join_buttons
from bot.ui.reply.parts import Entry, format_part
from bot.ui.reply.reply import LINK, OPEN_FORM, Button, Reply, build_error_reply
from bot.ui.spec import Command, Person, Place
from bot.ui.typing.command_writer import CommandReader, write_commands

log = logging.getLogger(__name__)

NEWCOMER = Reply(
    "Grognard runs tabletop wargames in chat: it rolls the dice, reads the tables and keeps the game",
    ("Try one on your own here, or pick a channel below and play with others.",),
)
"""The home of a user who plays in no game."""
FIRST_GAME = Button("say:game start lnlt scenario=ford", "Start The Ford at Dawn", "primary")
MOST_BLOCKS = 90
SAY, GOTO = "say:", "goto:"
"""Prefixes of an action that is a command as text, or a channel to open."""
LOOK = "look:"
"""The button that shows the board to one person."""
MOST_TO_JOIN, MOST_CHECKED = 3, 8
"""Maximum number of games to join on a home, and of channels about which Slack is asked for them.
"""
SEEN_IN = 600.0
"""Seconds for which memberships of channels are cached, for the games to join."""
MOST_SEEN = 5_000
MOST_SIDES = 5
"""Maximum number of sides of a game that get a button to join."""
MOST_OPEN = 50
"""Maximum number of homes that are kept up to date: those that were opened last."""
SOON = 2.0
"""Seconds after an answer in a workspace before its homes are published again."""
_CHANNELS = {"include": ["public", "private"]}
_OWN = "me"
"""Stands for the channel of the user's direct messages with the bot."""


class Home:
    """The home of each user: published when it is opened, and again when it has changed."""

    def __init__(self, work: RequestHandler) -> None:
        self._work = work
        self._open = FIFOCache[tuple[str, str], Json](MOST_OPEN)
        self._turns = Queues()
        self._scheduled_teams: set[str] = set()
        self._cached_memberships = TTLCache[tuple[str, str], bool](MOST_SEEN, SEEN_IN)

    async def on_opened(self, ack: Ack, body: Json) -> None:
        """Publish the home of a user who has opened it."""
        await ack()
        event = body["event"]
        if event.get("tab") != "home" or not event.get("user"):
            return
        team = await self._work.teams.find(get_team(body))
        if team:
            await self._draw(team, str(event["user"]), anyway=True)

    async def _draw(self, team: Team, user: str, *, anyway: bool = False) -> None:
        """Publish a user's home if it has changed, or `anyway`. A failure is logged.

        A user's home is published once at a time, so that the newest one stays.
        """
        async with self._turns.wait_for_turn(f"{team.id}/{user}"):
            if anyway:
                self._open[team.id, user] = {}
            request = SlackRequest(team=team.id, channel="", user=user)
            try:
                person = await self._work.people.find(request)
                view = {"type": "home", "blocks": await self._build_blocks(request, person)}
                if self._open.get((team.id, user)) == view:
                    return
                await self._work.wire.call(team.token, "views.publish", user_id=user, view=view)
            except (Busy, SlackRefused, UserError) as trouble:
                log.info("the home of somebody in %s was not shown: %s", team.id, trouble)
                return
            self._open[team.id, user] = view

    def schedule_redraw(self, team: str) -> None:
        """Publish the open homes of a workspace again in SOON seconds, unless that is scheduled
        already.
        """
        has_open_home = any(open_team == team for open_team, _ in self._open)
        if has_open_home and team not in self._scheduled_teams:
            self._scheduled_teams.add(team)
            self._work.run_in_background(self._draw_all(team))

    async def _draw_all(self, team_id: str) -> None:
        """Wait SOON seconds, then publish the open homes of a workspace that have changed."""
        await asyncio.sleep(SOON)
        self._scheduled_teams.discard(team_id)
        team = await self._work.teams.find(team_id)
        if team:
            users = [user for open_team, user in self._open if open_team == team_id]
            for user in users:
                await self._draw(team, user)

    def create_modal_reply(self, request: SlackRequest, ack: Ack) -> Quick:
        """Return a function that shows the reply to a press on the home in a modal.

        The function returns True if the reply needs no posting: it was shown, the request
        acknowledged, and the reply marked as delivered. It returns False if Slack refused, or if
        others see the reply or it has files, so that it must be posted as well.
        """

        async def show_in_modal(reply: Reply) -> bool:
            team = await self._work.teams.find(request.team)
            if team is None or reply.seen:
                return False
            bare_reply = replace(reply, mention=(), files=())
            message = render_message(bare_reply, team.id, self._get_commands(team.id))
            blocks = message.blocks[:MOST_BLOCKS]
            view: Json = {
                "type": "modal",
                "callback_id": "told",
                "title": build_plain_text("Grognard"),
                "close": build_plain_text("Close"),
                "blocks": [block for block in blocks if block["type"] != "actions"],
            }
            try:
                await self._work.wire.call(
                    team.token, "views.open", trigger_id=request.trigger, view=view
                )
            except (Busy, SlackRefused) as trouble:
                log.info("an answer to a press on a home in %s was posted: %s", team.id, trouble)
                return False
            if not reply.private or reply.files or reply.announce is not None:
                return False
            await self._work.app.answers.mark_delivered(reply)
            await ack()
            return True

        return show_in_modal

    async def _build_blocks(self, request: SlackRequest, user: Person) -> list[Json]:
        """Build the whole home: the user's games, games to join, and buttons for everything else."""
        game_list = await self._load_game_list(request, user)
        entries = [part for part in game_list.lines if isinstance(part, Entry)]
        heading = replace(game_list, lines=()) if entries else NEWCOMER
        commands = self._get_commands(request.team)
        blocks = render_message(heading, request.team, commands).blocks
        if not entries:
            blocks += _build_button_row([FIRST_GAME], _OWN, "your first game")
        for entry in entries:
            blocks += await self._build_game_blocks(entry, request, user)
        blocks += await self._build_games_to_join(request)
        note = phrase(
            "Only you see this page. To play solo, type `/game start` in a direct message to the bot."
        )
        text = PEN.plain(write_commands(note, CommandReader.DIRECT, commands))
        return [
            *blocks,
            {"type": "divider"},
            _build_general_row(),
            {"type": "context", "elements": [{"type": "mrkdwn", "text": text}]},
        ]

    def _get_commands(self, team: str) -> Registry:
        """Return the commands of a workspace."""
        return self._work.app.get_server_registry(f"{PLATFORM}{team}")

    async def _load_game_list(self, request: SlackRequest, user: Person) -> Reply:
        """Run `/me games` for the user and return its reply, which counts as delivered."""
        server = f"{PLATFORM}{request.team}"
        place = Place(f"{server}/{request.user}", server, owner=user.key)
        reply = await self._work.app.run(Command(("me", "games"), {}, user, place, ""))
        await self._work.app.answers.mark_delivered(reply)
        return reply

    async def _build_game_blocks(
        self, entry: Entry, request: SlackRequest, user: Person
    ) -> list[Json]:
        """Build a game of the user with its buttons. A game that waits for the user has buttons to
        fire and to hand over as well; one of another workspace or platform has none.
        """
        place_key = entry.action.removeprefix(GOTO)
        server = f"{PLATFORM}{request.team}"
        is_of_workspace = place_key.startswith(f"{server}/")
        channel_link = ""
        if is_of_workspace:
            channel = place_key.removeprefix(f"{server}/").partition("/")[0]
            if channel.startswith(("C", "G")):
                # Slack's own reference to the channel, which opens it, instead of its name
                side, _, _ = entry.about.partition(" · ")
                entry = entry._replace(about=side)
                channel_link = f" · <#{channel}>"
        title, *lines = format_part(entry, PEN)
        text = "\n".join((title + channel_link, *lines))
        section = _build_section(text)
        if not is_of_workspace:
            return [{"type": "divider"}, section]
        buttons = [Button(LOOK, "Board"), Button(f"{SAY}log since=me", "Since I left")]
        if entry.text.startswith(YOUR_MOVE):
            place = Place(place_key, server)
            context = await self._work.app.get_completion_context(place, user)
            registry = await self._work.app.load_registry(place)
            shot = find_shot_command(registry, context.system)
            spec = registry.get(tuple(shot.split())) if shot else None
            if spec is not None:
                buttons.insert(0, Button(f"{OPEN_FORM}{shot}", spec.verb or "Fire", "primary"))
            buttons.append(build_hand_over_button(context.game))
        buttons.append(Button(entry.action, "Open", LINK))
        return [
            {"type": "divider"},
            section,
            *_build_button_row(buttons, place_key, entry.title),
        ]

    async def _build_games_to_join(self, request: SlackRequest) -> list[Json]:
        """Build the games that lack a player, in channels of which the user is a member, with a
        button for each free side.
        """
        server = f"{PLATFORM}{request.team}"
        checked_count = 0
        game_count = 0
        blocks: list[Json] = []
        for game in await self._work.app.open_games(server, request.person_key):
            channel = game.place.removeprefix(f"{server}/").partition("/")[0]
            if not channel.startswith(("C", "G")):
                continue
            if game_count == MOST_TO_JOIN or checked_count == MOST_CHECKED:
                break
            checked_count += 1
            if not await self._is_member_cached(request, channel):
                continue
            game_count += 1
            free_sides = join_names(game.free_sides)
            verb = "has" if len(game.free_sides) == 1 else "have"
            entry = Entry(game.title, "", f"{free_sides} {verb} no player yet.")
            join_buttons = build_join_buttons(game.row, game.free_sides[:MOST_SIDES])
            title, text = format_part(entry, PEN)
            blocks += [
                {"type": "divider"},
                _build_section(f"{title} · <#{channel}>\n{text}"),
                *_build_button_row(join_buttons, game.place, game.title),
            ]
        return blocks

    async def _is_member_cached(self, request: SlackRequest, channel: str) -> bool:
        """Return whether the user is a member of a channel, from the cache or as Slack says."""
        key = (channel, request.person_key)
        is_member: bool | None = self._cached_memberships.get(key)
        if is_member is None:
            is_member = await self._is_member(request, channel)
            self._cached_memberships[key] = is_member
        return is_member

    async def find_next_game(
        self, request: SlackRequest, *, fires: bool
    ) -> tuple[SlackRequest, str]:
        """Move a request to the channel of one of the user's games, the first in their list.

        With `fires`, take the first game with units that can fire, and return the command for that
        as well; else return "". If there is no such game, move the request to the user's direct
        messages.
        """
        user = await self._work.people.find(request)
        game_list = await self._load_game_list(request, user)
        server = f"{PLATFORM}{request.team}"
        entries = [part for part in game_list.lines if isinstance(part, Entry)]
        for entry in entries:
            place_key = entry.action.removeprefix(GOTO)
            if not place_key.startswith(f"{server}/"):
                continue
            if not fires:
                return await self._move_request_to(request, place_key), ""
            place = Place(place_key, server)
            context = await self._work.app.get_completion_context(place, user)
            registry = await self._work.app.load_registry(place)
            shot = find_shot_command(registry, context.system)
            if shot:
                return await self._move_request_to(request, place_key), shot
        return await self._move_request_to(request, _OWN), ""

    async def read_press(self, request: SlackRequest, body: Json) -> SlackRequest:
        """Move a press on the home to the place that the id of its block names."""
        block_id = str(body["actions"][0].get("block_id") or "")
        return await self._move_request_to(request, block_id.partition("|")[0])

    async def read_picked_channel(
        self, request: SlackRequest, channel: str, ack: Ack
    ) -> SlackRequest | None:
        """Acknowledge a request and move it to the channel that was picked for a new game.

        If the bot or the user is not a member, show that in a modal and return None.
        """
        team = await self._work.teams.find(request.team)
        bot_user = team.bot_user if team is not None else ""
        refusal: UserError | None = None
        if not await self._is_member(replace(request, user=bot_user), channel):
            refusal = UserError(
                "The bot is not in that channel.",
                hint=phrase("In that channel, type: `/invite @grognard`"),
                code="unknown-channel",
            )
        elif not await self._is_member(request, channel):
            refusal = UserError(
                "You are not in that channel.", hint="Join it first.", code="unknown-channel"
            )
        if refusal is not None:
            await self.create_modal_reply(request, ack)(build_error_reply(refusal))
            return None
        await ack()
        return replace(request, channel=channel)

    async def _move_request_to(self, request: SlackRequest, place: str) -> SlackRequest:
        """Return the request as if it came from the place with this key, or from the user's direct
        messages if they are not a member of its channel.
        """
        if place == _OWN:
            channel = await self._find_own_channel(request)
            return replace(request, channel=channel, direct=True)
        channel, _, thread = place.removeprefix(f"{PLATFORM}{request.team}/").partition("/")
        if not await self._is_member(request, channel):
            return await self._move_request_to(request, _OWN)
        return replace(request, channel=channel, thread=thread)

    async def _is_member(self, request: SlackRequest, channel: str) -> bool:
        """Return whether Slack says that the user of a request is a member of a channel."""
        place = f"{PLATFORM}{request.team}/{channel}"
        is_member = await is_still_member(
            self._work.wire, self._work.teams, request.person_key, place
        )
        return bool(is_member)

    async def _find_own_channel(self, request: SlackRequest) -> str:
        """Return the channel of the user's direct messages with the bot, or "" without the app.

        If Slack does not say, return the user's id, which Slack takes as a channel as well.
        """
        team = await self._work.teams.find(request.team)
        if team is None:
            return ""
        try:
            return await open_direct_messages(self._work.wire, team.token, request.user)
        except (Busy, SlackRefused):
            return request.user


def _build_general_row() -> Json:
    """Build the row of buttons that belong to no game, with the menu of channels for a new one."""
    buttons = (
        Button(f"{OPEN_FORM}roll", "Roll…"),
        Button(f"{OPEN_FORM}me ping", "Reminders…"),
        Button("help:", "Help"),
    )
    (row,) = _build_button_row(buttons, _OWN)
    start_menu = {
        "type": "conversations_select",
        "action_id": f"{ACTION}start",
        "filter": _CHANNELS,
        "placeholder": build_plain_text("Start a game in…"),
    }
    row["elements"].insert(0, start_menu)
    return row


def _build_section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _build_button_row(buttons: Sequence[Button], place: str, title: str = "") -> list[Json]:
    """Build a row of buttons that act in the place with this key.

    Screen readers read `title` with each button, if there is one.
    """
    (row,) = build_action_rows(buttons)
    for element in row["elements"]:
        if title:
            element["accessibility_label"] = f"{element['text']['text']}: {title}"[:75]
    return [row | {"block_id": f"{place}|{title}"[:255]}]


def find_shot_command(registry: Registry, system: str) -> str:
    """Return the command with which a system's units fire: `fire`, `shoot`, or the first sequence
    with such a verb.

    Return "" if the system has none.
    """
    if system:
        for path in ((system, "fire"), (system, "shoot")):
            if registry.get(path) is not None:
                return " ".join(path)
    for spec in registry.list_below((system,)):
        if spec.family == "sequence" and spec.verb in FIRES:
            return " ".join(spec.path)
    return ""


def build_hand_over_button(game: System | None) -> Button:
    """Return the button with which a side hands over: *Done* in a game with phases of which none
    has the button *Pass*, else *Pass*.
    """
    phases = game.game.get("phases") or () if game is not None else ()
    words = {word for phase in phases for word in phase.get("buttons") or ()}
    if phases and "pass" not in words:
        return Button(f"{SAY}game pass done", "Done")
    return Button(f"{SAY}game pass", "Pass")


def is_from_home(body: Json) -> bool:
    """Return whether a button was pressed on the home."""
    return (body.get("view") or {}).get("type") == "home"
