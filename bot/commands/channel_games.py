"""The games that were played in a channel: where each is at, and which one somebody means."""

from collections.abc import Mapping
from collections.abc import Sequence as Many
from datetime import UTC, datetime
from types import MappingProxyType
from typing import NamedTuple

from bot.commands.context import Context
from bot.game.game_cache import LoadedGame, restore_game
from bot.game.ledger import Ledger
from bot.game.phases import describe_end_turn, describe_whose_go, format_numbered_phase
from bot.game.state import DRAW, Game
from bot.rules.errors import UserError, did_you_mean
from bot.rules.text.names import format_count
from bot.rules.text.normalize import comparison_key, normalize_name
from bot.rules.text.phrase import capitalize_first, phrase
from bot.rulesets.catalog import get_systems
from bot.storage.records import Outgoing
from bot.storage.store import Store
from bot.ui.reply.reply import Reply
from bot.ui.spec import Place
from bot.ui.typing.complete import MAX_LENGTH, CompletionChoice

FREE_PLAY = "Free play"


class ChannelGame(NamedTuple):
    """A game that is or was played in a place. `number` is 1 for the first one there and stays;
    times are Unix seconds."""

    number: int
    loaded: LoadedGame
    is_on: bool
    begun: float
    last: float

    @property
    def row(self) -> str:
        """Its id in the store."""
        return self.loaded.row

    @property
    def game(self) -> Game:
        """Its state."""
        return self.loaded.game

    @property
    def title(self) -> str:
        """What it is called."""
        return title_of(self.game)


def title_of(game: Game) -> str:
    """What a game is called."""
    return game.name or FREE_PLAY


def format_game_name(game: Game) -> str:
    """A game as it is called within a sentence."""
    return f'"{game.name}"' if game.name else "the free play"


async def load_channel_games(store: Store, where: Place) -> list[ChannelGame]:
    """All games that are or were played in a place, the oldest first."""
    found = []
    for number, row in await store.load_game_history(where.key):
        saved = await store.load_game_by_id(row)
        if saved is not None and (not saved.places or where.key in saved.places):
            # else it goes on elsewhere
            found.append(
                ChannelGame(
                    number,
                    restore_game(saved),
                    bool(saved.places),
                    saved.game.created,
                    saved.game.updated,
                )
            )
    return found


def sort_current_first(games: Many[ChannelGame]) -> list[ChannelGame]:
    """The game that is on, then the others by when something last happened in them."""
    return sorted(games, key=lambda one: (not one.is_on, -one.last, -one.number))


async def list_game_choices(store: Store, where: Place) -> tuple[CompletionChoice, ...]:
    """The games that were played in a place, as an option that names one is completed."""
    games = sort_current_first(await load_channel_games(store, where))
    return tuple(
        CompletionChoice(
            f"{one.number}. {one.title}: {format_status(one)}"[:MAX_LENGTH], str(one.number)
        )
        for one in games
    )


def format_status(one: ChannelGame) -> str:
    """Where a game is at, in a few words: `turn 3, Operations · #42`."""
    game = one.game
    if not game.started:
        return f"{format_count(game.number - 1, 'event')} since {format_date(one.begun)}"
    system = get_systems().get(game.system)
    turn = format_numbered_phase(game, system)
    if game.ended:
        said = f"{format_winner(game)} {describe_end_turn(game, system)}"
    else:
        whose = f" · {describe_whose_go(game)}" if len(game.go) == 1 else ""
        said = f"{turn}{whose}" if one.is_on else f"asleep since {format_date(one.last)} · {turn}"
    return f"{capitalize_first(said)} · #{game.number}"


def format_winner(game: Game) -> str:
    """How an ended game ended: `US won`."""
    return {"": "ended", DRAW: "a draw"}.get(game.winner, f"{game.winner} won")


def format_date(at: float) -> str:
    """A date as it is read everywhere: `22 Nov 2026`."""
    return datetime.fromtimestamp(at, UTC).strftime("%d %b %Y").lstrip("0")


def find_game(games: Many[ChannelGame], typed: str) -> ChannelGame:
    """The game that a number, a title or its id means. Raises UserError."""
    text = normalize_name(typed).strip('"\u201c\u201d')
    folded = comparison_key(text)
    by_number = [one for one in games if folded in (str(one.number), one.row)]
    exact = [one for one in games if comparison_key(one.title) == folded]
    found = (
        by_number
        or exact
        or [one for one in games if not text.isdecimal() and folded in comparison_key(one.title)]
    )
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(f"{one.number} ({format_date(one.begun)})" for one in found[:8])
        hint = f"Say which by its number: {several}."
        raise UserError(
            f'Several games here are called "{text[:40]}".',
            hint=hint,
            option="game",
            code="unclear-game",
        )
    hint = did_you_mean(text, [one.title for one in games]) or phrase("All of them: `/game list`")
    raise UserError(
        f'No game "{text[:40]}" was played here.', hint=hint, option="game", code="unknown-game"
    )


def find_game_by_row(games: Many[ChannelGame], row: str) -> ChannelGame:
    """The game that a button names. Raises UserError for one that was not played here."""
    if (found := next((one for one in games if one.row == row), None)) is not None:
        return found
    raise UserError(
        "That game is not kept here.",
        hint=phrase("All that are: `/game list`"),
        code="unknown-game",
    )


async def use_named_game(context: Context, typed: str | None) -> None:
    """Let the command speak of the game named, where one is; the channel goes on with its own."""
    if typed:
        await use_game(
            context,
            find_game(await load_channel_games(context.store, context.command.where), typed),
        )


async def use_game_of_row(context: Context, row: str) -> bool:
    """Let the command speak of the game that a button names; whether it was played here."""
    found = next(
        (
            one
            for one in await load_channel_games(context.store, context.command.where)
            if one.row == row
        ),
        None,
    )
    if found is not None:
        await use_game(context, found)
    return found is not None


async def use_game(context: Context, one: ChannelGame) -> None:
    """Let the command speak of this game, with the packs that it was played with."""
    if one.row != context.ledger.row:
        context.ledger = Ledger(one.loaded, context.ledger.writer)
        await context.use_systems_of_game(one.game)


def describe_replaced_game(loaded: LoadedGame | None) -> tuple[str, ...]:
    """What to say of the game that made room for another, if there was one."""
    if loaded is None:
        return ()
    game = loaded.game
    if game.started and not game.ended:
        return (
            phrase(
                "{title} is put aside: `/game resume` takes it up again.",
                title=capitalize_first(format_game_name(game)),
            ),
        )
    return (
        phrase("{title} is kept: `/game list`", title=capitalize_first(format_game_name(game))),
    )


def tell(
    context: Context, told: Mapping[str, Reply], about: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Post what is told in each place, but this one: here it is the answer. `about` is what a
    message is about that will change."""
    here = context.command.where.key
    context.commit.outbox += [
        Outgoing(place, {}, 0.0, reply.to_json(), about.get(place, ""))
        for place, reply in told.items()
        if place != here
    ]
