"""The app's home: one's games in all channels, those first where it is one's go, each with its
buttons.

A press there has no channel of its own: the block that it is in names the game's, so that it works
as if it had been pressed there. Answers for all appear in that channel; what becomes of a press is
told in a modal, where one is looking, and the page is drawn anew: for all who look at theirs, as
far as something on it has changed.
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
from bot.rulesets.catalog import get_systems
from bot.rulesets.system import FIRES
from bot.ui.registry import Registry
from bot.ui.reply.parts import Entry, format_part
from bot.ui.reply.reply import LINK, OPEN_FORM, Button, Reply, build_error_reply
from bot.ui.spec import Command, Person, Place
from bot.ui.typing.command_writer import CommandReader, write_commands

log = logging.getLogger(__name__)

NEWCOMER = Reply(
    "Grognard runs tabletop wargames in chat: it rolls the dice, reads the tables and keeps the game",
    ("Try one on your own here, or pick a channel below and play with others.",),
)
"""What somebody reads who plays in no game."""
FIRST_GAME = Button("say:game start lnlt scenario=ford", "Start The Ford at Dawn", "primary")
MOST_BLOCKS = 90
SAY, GOTO = "say:", "goto:"
"""How an action begins that is a command as text, or a channel to open."""
LOOK = "look:"
"""The button that shows the board to one person."""
MOST_TO_JOIN, MOST_CHECKED = 3, 8
"""Games to join that a home shows, and of how many channels Slack is asked for it."""
SEEN_IN = 600.0
"""Seconds that Slack's word is believed on who is in a channel, for the games to join."""
MOST_SEEN = 5_000
MOST_SIDES = 5
MOST_OPEN = 50
"""Homes that are drawn anew when something happens: those that were opened last."""
SOON = 2.0
"""Seconds within which what happens in a workspace draws its homes but once."""
_CHANNELS = {"include": ["public", "private"]}
_OWN = "me"
"""In place of a channel: one's direct messages with the bot."""


class Home:
    """Shows the home to whoever opens it."""

    def __init__(self, work: RequestHandler) -> None:
        self._work = work
        self._open = FIFOCache[tuple[str, str], Json](MOST_OPEN)
        self._turns = Queues()
        self._soon: set[str] = set()
        self._seen_in = TTLCache[tuple[str, str], bool](MOST_SEEN, SEEN_IN)

    async def on_opened(self, ack: Ack, body: Json) -> None:
        """Somebody looks at the home: it is drawn anew, as it is now."""
        await ack()
        event = body["event"]
        if event.get("tab") != "home" or not event.get("user"):
            return
        if team := await self._work.teams.find(get_team(body)):
            await self._draw(team, str(event["user"]), anyway=True)

    async def _draw(self, team: Team, user: str, *, anyway: bool = False) -> None:
        """Publish somebody's home, unless it reads as it does. One at a time: what was read last
        is what stays.
        """
        async with self._turns.wait_for_turn(f"{team.id}/{user}"):
            if anyway:
                self._open[team.id, user] = {}
            request = SlackRequest(team=team.id, channel="", user=user)
            try:
                view = {
                    "type": "home",
                    "blocks": await self._build_blocks(
                        request, await self._work.people.find(request)
                    ),
                }
                if self._open.get((team.id, user)) == view:
                    return
                await self._work.wire.call(team.token, "views.publish", user_id=user, view=view)
            except (Busy, SlackRefused, UserError) as trouble:
                log.info("the home of somebody in %s was not shown: %s", team.id, trouble)
                return
            self._open[team.id, user] = view

    def schedule_redraw(self, team: str) -> None:
        """Something has happened in a workspace: soon its homes are drawn anew."""
        if team not in self._soon and any(at == team for at, _ in self._open):
            self._soon.add(team)
            self._work.run_in_background(self._draw_all(team))

    async def _draw_all(self, id: str) -> None:
        await asyncio.sleep(SOON)
        self._soon.discard(id)
        if team := await self._work.teams.find(id):
            for user in [user for at, user in self._open if at == id]:
                await self._draw(team, user)

    def create_modal_reply(self, request: SlackRequest, ack: Ack) -> Quick:
        """Return a function that shows the reply to a press on the home in a modal. It returns
        whether that is all: False if the reply must be posted, as when others see it or Slack
        refuses.
        """

        async def show_in_modal(reply: Reply) -> bool:
            team = await self._work.teams.find(request.team)
            if team is None or reply.seen:
                return False
            blocks = render_message(
                replace(reply, mention=(), files=()), team.id, self._get_commands(team.id)
            ).blocks[:MOST_BLOCKS]
            view: Json = {
                "type": "modal",
                "callback_id": "told",
                "title": build_plain_text("Grognard"),
                "close": build_plain_text("Close"),
            }
            view["blocks"] = [block for block in blocks if block["type"] != "actions"]
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

    async def _build_blocks(self, request: SlackRequest, who: Person) -> list[Json]:
        listed = await self._load_game_list(request, who)
        entries = [part for part in listed.lines if isinstance(part, Entry)]
        shown = replace(listed, lines=()) if entries else NEWCOMER
        blocks = render_message(shown, request.team, self._get_commands(request.team)).blocks
        if not entries:
            blocks += _build_button_row([FIRST_GAME], _OWN, "your first game")
        for entry in entries:
            blocks += await self._build_game_blocks(entry, request, who)
        blocks += await self._games_to_join(request)
        own: tuple[Button, ...] = (
            Button(f"{OPEN_FORM}roll", "Roll…"),
            Button(f"{OPEN_FORM}me ping", "Reminders…"),
            Button("help:", "Help"),
        )
        (row,) = _build_button_row(own, _OWN)
        begin = {"type": "conversations_select", "action_id": f"{ACTION}start", "filter": _CHANNELS}
        row["elements"].insert(0, begin | {"placeholder": build_plain_text("Start a game in…")})
        blocks += [{"type": "divider"}, row]
        commands = self._get_commands(request.team)
        note = phrase(
            "Only you see this page. To play solo, type `/game start` in your messages with the bot."
        )
        return [
            *blocks,
            {
                "type": "context",
                "elements": [
                    {
                        "type": "mrkdwn",
                        "text": PEN.plain(write_commands(note, CommandReader.DIRECT, commands)),
                    }
                ],
            },
        ]

    def _get_commands(self, team: str) -> Registry:
        return self._work.app.get_server_registry(f"{PLATFORM}{team}")

    async def _load_game_list(self, request: SlackRequest, who: Person) -> Reply:
        where = Place(
            f"{PLATFORM}{request.team}/{request.user}", f"{PLATFORM}{request.team}", owner=who.key
        )
        listed = await self._work.app.run(Command(("me", "games"), {}, who, where, ""))
        await self._work.app.answers.mark_delivered(listed)
        return listed

    async def _build_game_blocks(
        self, entry: Entry, request: SlackRequest, who: Person
    ) -> list[Json]:
        """A game with its buttons; those that play are there where it is one's go."""
        place = entry.action.removeprefix(GOTO)
        home = f"{PLATFORM}{request.team}/"
        channel = place.removeprefix(home).partition("/")[0] if place.startswith(home) else ""
        where = ""
        if channel.startswith(("C", "G")):
            # Slack's own reference to the channel, which opens it, instead of its name
            side, _, _ = entry.about.partition(" · ")
            entry = entry._replace(about=side)
            where = f" · <#{channel}>"
        title, *rest = format_part(entry, PEN)
        text = {"type": "mrkdwn", "text": "\n".join((title + where, *rest)), "verbatim": True}
        section: Json = {"type": "section", "text": text}
        if not place.startswith(home):  # it is played elsewhere
            return [{"type": "divider"}, section]
        buttons = [Button(LOOK, "Board"), Button(f"{SAY}log since=me", "Since I left")]
        if entry.text.startswith(YOUR_MOVE):
            known = await self._work.app.get_completion_context(Place(place, home.rstrip("/")), who)
            registry = await self._work.app.load_registry(Place(place, home.rstrip("/")))
            shot = find_shot_command(registry, known.system)
            spec = registry.get(tuple(shot.split())) if shot else None
            if spec is not None:
                buttons.insert(0, Button(f"{OPEN_FORM}{shot}", spec.verb or "Fire", "primary"))
            buttons.append(hand_over(known.system))
        return [
            {"type": "divider"},
            section,
            *_build_button_row([*buttons, Button(entry.action, "Open", LINK)], place, entry.title),
        ]

    async def _games_to_join(self, request: SlackRequest) -> list[Json]:
        """Return the games that lack a player, in channels that this person is in by Slack's word,
        with a button for each free side.
        """
        home = f"{PLATFORM}{request.team}"
        checked = 0
        blocks: list[Json] = []
        shown = 0
        for game in await self._work.app.open_games(home, request.person_key):
            channel = game.place.removeprefix(f"{home}/").partition("/")[0]
            if not channel.startswith(("C", "G")):
                continue
            if shown == MOST_TO_JOIN or checked == MOST_CHECKED:
                break
            checked += 1
            if not await self._was_seen_in(request, channel):
                continue
            shown += 1
            free = join_names(game.free_sides)
            verb = "has" if len(game.free_sides) == 1 else "have"
            title, text = format_part(Entry(game.title, "", f"{free} {verb} no player yet."), PEN)
            lines = f"{title} · <#{channel}>\n{text}"
            blocks += [
                {"type": "divider"},
                {"type": "section", "text": {"type": "mrkdwn", "text": lines, "verbatim": True}},
                *_build_button_row(game.buttons[:MOST_SIDES], game.place, game.title),
            ]
        return blocks

    async def _was_seen_in(self, request: SlackRequest, channel: str) -> bool:
        """Return whether Slack has said lately that the person is in a channel."""
        key = (channel, request.person_key)
        was_there: bool | None = self._seen_in.get(key)
        if was_there is None:
            was_there = await self._is_member(request, channel)
            self._seen_in[key] = was_there
        return was_there

    async def find_next_game(
        self, request: SlackRequest, *, fires: bool
    ) -> tuple[SlackRequest, str]:
        """The ask as if from the channel of one's game, first of one where it is one's go; from
        one's direct messages where there is none. Where it `fires`: of the first game that has a
        shot, and its command."""
        who = await self._work.people.find(request)
        listed = await self._load_game_list(request, who)
        home = f"{PLATFORM}{request.team}/"
        entries = [part for part in listed.lines if isinstance(part, Entry)]
        for entry in entries:
            place = entry.action.removeprefix(GOTO)
            if not place.startswith(home):
                continue
            if not fires:
                return await self._move_request_to(request, place), ""
            there = Place(place, home.rstrip("/"))
            known = await self._work.app.get_completion_context(there, who)
            if shot := find_shot_command(await self._work.app.load_registry(there), known.system):
                return await self._move_request_to(request, place), shot
        return await self._move_request_to(request, _OWN), ""

    async def read_press(self, request: SlackRequest, body: Json) -> SlackRequest:
        """The press as if in the channel that its block names."""
        return await self._move_request_to(
            request, str(body["actions"][0].get("block_id") or "").partition("|")[0]
        )

    async def read_picked_channel(
        self, request: SlackRequest, channel: str, ack: Ack
    ) -> SlackRequest | None:
        """The ask as if from the channel that was picked for a new game; None where they or the
        bot are not in it.
        """
        team = await self._work.teams.find(request.team)
        bot = replace(request, user=team.bot_user if team is not None else "")
        for who, they in ((bot, "The bot is"), (request, "You are")):
            if not await self._is_member(who, channel):
                hint = (
                    phrase("In that channel, type: `/invite @grognard`")
                    if who is bot
                    else "Join it first."
                )
                wrong = build_error_reply(
                    UserError(f"{they} not in that channel.", hint=hint, code="unknown-channel")
                )
                await self.create_modal_reply(request, ack)(wrong)
                return None
        await ack()
        return replace(request, channel=channel)

    async def _move_request_to(self, request: SlackRequest, place: str) -> SlackRequest:
        if place == _OWN:
            channel = await self._find_own_channel(request)
            return replace(request, channel=channel, direct=True)
        channel, _, thread = place.removeprefix(f"{PLATFORM}{request.team}/").partition("/")
        if not await self._is_member(request, channel):
            # whoever has left a channel reads and does nothing there
            return await self._move_request_to(request, _OWN)
        return replace(request, channel=channel, thread=thread)

    async def _is_member(self, request: SlackRequest, channel: str) -> bool:
        """Return whether they are in the channel now, as far as Slack says so."""
        place = f"{PLATFORM}{request.team}/{channel}"
        return bool(
            await is_still_member(self._work.wire, self._work.teams, request.person_key, place)
        )

    async def _find_own_channel(self, request: SlackRequest) -> str:
        """Their direct messages with the bot; by their own id, which Slack takes as well, while
        it does not say.
        """
        team = await self._work.teams.find(request.team)
        try:
            return (
                await open_direct_messages(self._work.wire, team.token, request.user)
                if team is not None
                else ""
            )
        except (Busy, SlackRefused):
            return request.user


def _build_button_row(buttons: Sequence[Button], place: str, title: str = "") -> list[Json]:
    (row,) = build_action_rows(buttons)
    for element in row["elements"]:
        if title:
            element["accessibility_label"] = f"{element['text']['text']}: {title}"[:75]
    return [row | {"block_id": f"{place}|{title}"[:255]}]


def find_shot_command(registry: Registry, system: str) -> str:
    """The command with which a system's units fire, or attack; "" where it has none."""
    paths = ((system, "fire"), (system, "shoot"))
    named = (path for path in paths if system and registry.get(path) is not None)
    first = (
        spec.path
        for spec in registry.list_below((system,))
        if spec.family == "sequence" and spec.verb in FIRES
    )
    return " ".join(next(named, ()) or next(first, ()))


def hand_over(system: str) -> Button:
    """Return the button with which a side hands over: *Pass* in a game whose phases have it, else
    *Done*.
    """
    game = get_systems().get(system)
    phases = game.game.get("phases") or () if game is not None else ()
    words = {word for phase in phases for word in phase.get("buttons") or ()}
    if phases and "pass" not in words:
        return Button(f"{SAY}game pass done", "Done")
    return Button(f"{SAY}game pass", "Pass")


def is_from_home(body: Json) -> bool:
    """Return whether it was pressed on the home."""
    return (body.get("view") or {}).get("type") == "home"
