"""`/me luck`: the luck of one person over all their games on this server.

Only they see it, unless they share it.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from bot.commands.context import Context
from bot.commands.declare import declare_command
from bot.commands.games.stats import (
    LUCK_HEADING,
    build_luck_row,
    load_tally_of_game,
    measure_patiently,
)
from bot.commands.play.odds import add_share_button
from bot.game.luck import (
    ENOUGH,
    Luck,
    Worth,
    combine_z,
    count_players_per_outlier,
    describe_luck,
    sum_worths,
)
from bot.loading.load_game import load_game_by_id
from bot.rules.text.names import format_count
from bot.rules.text.phrase import capitalize_first
from bot.ui.reply.parts import Grid, Part
from bot.ui.reply.reply import Reply

MOST_GAMES = 200
"""Maximum number of games that are counted, the latest ones."""
MOST_ROLLS = 5_000
"""Number of rolls after which no older game is counted."""
COUNTED = (
    "Counted: a player's own rolls for their own side, with the bot's dice. "
    "Score: how well they turned out; usual: the average for rolls like them."
)


class CareerRoll(NamedTuple):
    """A roll that counts: its rule set and sequence by their titles, and what it was worth."""

    system: str
    sequence: str
    worth: Worth


class CareerRolls(NamedTuple):
    """A person's rolls that count, and the number of games they are from.

    `left_out` is the number of older games that were not counted.
    """

    rolls: list[CareerRoll]
    game_count: int
    left_out: int


@declare_command("me luck", "Your luck over all your games here", private=True, needs_game=True)
async def show_my_luck(context: Context) -> Reply:
    """Show the user's luck over their games on this server, to the user alone, for `/me luck`.

    In a direct message, all their games on this platform count.
    """
    career = await _load_career(context)
    place = "on this server" if context.command.where.server else "on this platform"
    if not career.rolls:
        line = f"You have no rolls {place} that count yet."
        return Reply("No rolls to judge your luck by yet", (line, COUNTED), private=True)
    by_system = _sum_by(career.rolls, lambda roll: roll.system)
    rolls = format_count(len(career.rolls), "roll")
    games = format_count(career.game_count, "game")
    title, *significance = _describe_career(list(by_system.values()))
    lines: list[Part] = [f"{rolls} in {games} {place}.", *significance, COUNTED]
    if career.left_out:
        older = format_count(career.left_out, "older game")
        lines.append(f"{older} left out.")
    lines.append(Grid(tuple(_build_table(career.rolls)), head=True))
    return add_share_button(context, Reply(title, tuple(lines), private=True))


async def _load_career(context: Context) -> CareerRolls:
    """Load and measure the user's rolls, from the latest game back.

    Each game is counted by the packs that it is played with.
    """
    user = context.command.who.key
    rows = await context.store.list_games_of_user(
        user, context.command.where.server, MOST_GAMES + 1
    )
    rolls = list[CareerRoll]()
    game_count = 0
    for index, row in enumerate(rows):
        if index == MOST_GAMES or len(rolls) >= MOST_ROLLS:
            return CareerRolls(rolls, game_count, len(rows) - index)
        loaded = await load_game_by_id(context.store, row)
        person = loaded.find_person(user) if loaded is not None else None
        if loaded is None or person is None:
            continue
        systems = await context.load_visible_systems(context.command.where, loaded.game)
        tally = await load_tally_of_game(context, row, loaded.game, systems)
        measured = await measure_patiently(context, tally, systems, person.person)
        for roll, worth in measured.rolls:
            system = systems.find(roll.system)
            title = system.find_sequence(roll.sequence).title
            rolls.append(CareerRoll(system.title, title, worth))
        game_count += bool(measured.rolls)
    return CareerRolls(rolls, game_count, 0)


def _describe_career(lucks: list[Luck]) -> list[str]:
    """Return the headline and, if there are enough rolls, a sentence on what chance alone does.

    `lucks` are those of each rule set. The words fit whoever reads them, because the answer may be
    shared.
    """
    count = sum(luck.count for luck in lucks)
    if count < ENOUGH:
        return [f"Too few rolls to judge luck: {count} of the {ENOUGH} needed"]
    z = combine_z(lucks)
    word, percent = describe_luck(z)
    players = count_players_per_outlier(z)
    if not word:
        return [
            "About average luck",
            "By chance alone, most players end up this close to the average.",
        ]
    return [
        f"{capitalize_first(word)} than {percent} in 100 players with the same rolls",
        f"By chance alone, 1 player in {players:,} ends up at least this far above or below average.",
    ]


def _build_table(rolls: list[CareerRoll]) -> Iterator[tuple[str, ...]]:
    """Yield the heading and the rows of the table: each rule set, then its kinds of rolls."""
    yield LUCK_HEADING
    for system, system_luck in _sum_by(rolls, lambda roll: roll.system).items():
        yield build_luck_row(f"{system}, all", system_luck)
        system_rolls = [roll for roll in rolls if roll.system == system]
        for sequence, luck in _sum_by(system_rolls, lambda roll: roll.sequence).items():
            yield build_luck_row(sequence, luck)


def _sum_by(rolls: Iterable[CareerRoll], get_title: Callable[[CareerRoll], str]) -> dict[str, Luck]:
    """Return the luck of the rolls under each title, sorted by title."""
    worths: dict[str, list[Worth]] = {}
    for roll in rolls:
        worths.setdefault(get_title(roll), []).append(roll.worth)
    return {title: sum_worths(worths[title]) for title in sorted(worths)}
