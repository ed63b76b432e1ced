"""The games that were played in a channel: their status, and finding the one that a user names."""

from collections.abc import Mapping
from collections.abc import Sequence as Many
from datetime import UTC, datetime
from types import MappingProxyType
from typing import NamedTuple

from bot.commands.context import Context
from bot.game.ledger import Ledger
from bot.game.loaded_game import LoadedGame
from bot.game.phases import describe_end_turn, describe_whose_go, format_numbered_phase
from bot.game.state import Game
from bot.loading.load_game import restore_game
from bot.presentation.events import describe_past_outcome
from bot.rules.errors import UserError, did_you_mean
from bot.rules.text.names import format_count
from bot.rules.text.normalize import comparison_key, normalize_name
from bot.rules.text.phrase import capitalize_first, phrase
from bot.rulesets.rule_sets import RuleSets
from bot.storage.records import Outgoing
from bot.storage.store import Store
from bot.ui.reply.reply import Reply
from bot.ui.spec import Place
from bot.ui.typing.complete import MAX_LENGTH, CompletionChoice

FREE_PLAY = "Free play"


class ChannelGame(NamedTuple):
    """A game that is or was played in a channel.

    `number` counts the games of the channel from 1 and never changes. `is_on`: the channel still
    plays it. `begun` and `updated` are Unix seconds.
    """

    number: int
    loaded: LoadedGame
    is_on: bool
    begun: float
    updated: float

    @property
    def row(self) -> str:
        """The id of the game in the store."""
        return self.loaded.row

    @property
    def game(self) -> Game:
        """The state of the game."""
        return self.loaded.game

    @property
    def title(self) -> str:
        """The name of the game, or `Free play`."""
        return get_game_title(self.game)


def get_game_title(game: Game) -> str:
    """Return the name of a game, or `Free play` for one without a name."""
    return game.name or FREE_PLAY


def format_game_name(game: Game) -> str:
    """Format the name of a game for use within a sentence: in quotation marks, or `the free play`."""
    return f'"{game.name}"' if game.name else "the free play"


async def load_channel_games(store: Store, channel: Place) -> list[ChannelGame]:
    """Load the games that are or were played in a channel, the oldest first.

    A game that other channels play and this one does not is left out.
    """
    games = []
    for number, row in await store.load_game_history(channel.key):
        saved = await store.load_game_by_id(row)
        if saved is None or (saved.places and channel.key not in saved.places):
            continue
        games.append(
            ChannelGame(
                number,
                restore_game(saved),
                bool(saved.places),
                saved.game.created,
                saved.game.updated,
            )
        )
    return games


def sort_current_first(games: Many[ChannelGame]) -> list[ChannelGame]:
    """Return the game that is on, then the others, the last updated first."""
    return sorted(games, key=lambda game: (not game.is_on, -game.updated, -game.number))


async def list_game_choices(
    store: Store, channel: Place, systems: RuleSets
) -> tuple[CompletionChoice, ...]:
    """Return the games of a channel as choices for an option that takes the number of one."""
    choices = []
    for game in sort_current_first(await load_channel_games(store, channel)):
        label = f"{game.number}. {game.title}: {format_status(game, systems)}"
        choices.append(CompletionChoice(label[:MAX_LENGTH], str(game.number)))
    return tuple(choices)


def format_status(channel_game: ChannelGame, systems: RuleSets) -> str:
    """Format the status of a game in a few words: `Turn 3, Operations · #42`.

    Free play has the number of its events and the date it began, an ended game its winner.
    """
    game = channel_game.game
    if not game.started:
        return f"{format_count(game.number - 1, 'event')} since {format_date(channel_game.begun)}"
    system = systems.get(game.system)
    turn = format_numbered_phase(game, system)
    if game.ended:
        status = f"{format_winner(game)} {describe_end_turn(game, system)}"
    elif not channel_game.is_on:
        status = f"idle since {format_date(channel_game.updated)} · {turn}"
    elif len(game.go) == 1:
        status = f"{turn} · {describe_whose_go(game)}"
    else:
        status = turn
    return f"{capitalize_first(status)} · #{game.number}"


def format_winner(game: Game) -> str:
    """Format the result of an ended game: `US won`, `a draw`, or `ended`."""
    return describe_past_outcome(game.winner) or "ended"


def format_date(timestamp: float) -> str:
    """Format Unix seconds as a date in UTC: `22 Nov 2026`."""
    return datetime.fromtimestamp(timestamp, UTC).strftime("%d %b %Y").lstrip("0")


def find_game(games: Many[ChannelGame], typed: str) -> ChannelGame:
    """Return the game with this number, id, title, or part of a title.

    A number or id goes before a title, and a whole title before a part of one. Raises UserError if
    there is none, or if several have that title.
    """
    text = normalize_name(typed).strip('"\u201c\u201d')
    folded = comparison_key(text)
    matches = [game for game in games if folded in (str(game.number), game.row)]
    if not matches:
        matches = [game for game in games if comparison_key(game.title) == folded]
    if not matches and not text.isdecimal():
        matches = [game for game in games if folded in comparison_key(game.title)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        numbers = ", ".join(f"{game.number} ({format_date(game.begun)})" for game in matches[:8])
        raise UserError(
            f'Several games here are called "{text[:40]}".',
            hint=f"Pick one by its number: {numbers}.",
            option="game",
            code="unclear-game",
        )
    titles = [game.title for game in games]
    hint = did_you_mean(text, titles) or phrase("All of them: `/game list`")
    raise UserError(
        f'No game "{text[:40]}" was played here.', hint=hint, option="game", code="unknown-game"
    )


def find_game_by_row(games: Many[ChannelGame], row: str) -> ChannelGame:
    """Return the game with this id. Raises UserError if it is not among the `games`."""
    for game in games:
        if game.row == row:
            return game
    raise UserError(
        "That game isn't saved here.",
        hint=phrase("The saved ones: `/game list`"),
        code="unknown-game",
    )


async def use_named_game(context: Context, typed: str | None) -> None:
    """Let the command work on the game of this channel with the typed number or title, if any.

    The channel itself goes on with its own game. Raises UserError if no game of the channel is
    meant.
    """
    if typed:
        games = await load_channel_games(context.store, context.command.where)
        await use_game(context, find_game(games, typed))


async def use_game_of_row(context: Context, row: str) -> bool:
    """Let the command work on the game with this id. Return False, and change nothing, if that
    game was not played in this channel.
    """
    for game in await load_channel_games(context.store, context.command.where):
        if game.row == row:
            await use_game(context, game)
            return True
    return False


async def use_game(context: Context, channel_game: ChannelGame) -> None:
    """Let the command work on this game, with the packs that it is played with."""
    if channel_game.row != context.ledger.row:
        context.ledger = Ledger(channel_game.loaded, context.ledger.writer, context.systems)
        await context.use_systems_of_game(channel_game.game)


def describe_replaced_game(loaded: LoadedGame | None) -> tuple[str, ...]:
    """Return a sentence on a game that another one has replaced, with the command to find it.

    Return () if there was no game.
    """
    if loaded is None:
        return ()
    game = loaded.game
    title = capitalize_first(format_game_name(game))
    if game.started and not game.ended:
        return (phrase("{title} is paused: `/game resume` continues it.", title=title),)
    return (phrase("{title} is saved: `/game list`", title=title),)


def post_in_other_channels(
    context: Context,
    replies: Mapping[str, Reply],
    topics: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Post the reply for each channel there, except in this one.

    Both mappings are by channel key. A message with a topic can be reworded later.
    """
    current_channel = context.command.where.key
    context.commit.outbox += [
        Outgoing(channel, {}, 0.0, reply.to_json(), topics.get(channel, ""))
        for channel, reply in replies.items()
        if channel != current_channel
    ]
