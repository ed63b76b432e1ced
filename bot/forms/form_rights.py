"""The right to send a form.

An onlooker is invited to join before it opens, and a player is told if its units are not theirs.
"""

from collections.abc import Mapping

from bot.game.loaded_game import LoadedGame
from bot.game.rights import need_player
from bot.game.roster import get_system_roster
from bot.game.sides import list_joinable_sides
from bot.game.state import Game, get_actor, is_guarded
from bot.presentation.firers_and_targets import find_aim
from bot.rules.errors import UserError
from bot.rulesets.rule_sets import RuleSets
from bot.ui.form.form import ODDS, get_roll_mode
from bot.ui.reply.join_buttons import build_join_buttons
from bot.ui.reply.reply import OPEN_FORM, Button
from bot.ui.spec import CommandSpec, Path, Person
from bot.ui.typing.command_text import format_command

FOR_PLAYERS: tuple[Path, ...] = (
    ("unit", "add"),
    ("unit", "edit"),
    ("unit", "import"),
    ("unit", "remove"),
    ("order", "write"),
    ("game", "plan"),
    ("track", "set"),
    ("fair", "add"),
)
"""Commands whose form only players of the game may send."""
LONGEST = 90
"""Maximum number of characters of a command that a button opens."""


def check_seat(
    spec: CommandSpec,
    options: Mapping[str, object],
    loaded: LoadedGame | None,
    person: Person,
    systems: RuleSets,
) -> None:
    """Raise UserError, with buttons to join a side or look at the odds, if this person could not send
    a command's form.

    That is only so in a guarded game (see `is_guarded`). A stranger may not send the forms of
    FOR_PLAYERS and, if the game has units, those of its sequences, even if they name no unit. A
    player may not send one whose acting units all belong to another side. Odds are for everybody.
    """
    if loaded is None or not is_guarded(loaded.game):
        return
    game = loaded.game
    is_combat = spec.family == "sequence" and spec.system == game.system and bool(game.units)
    if not is_combat and spec.path not in FOR_PLAYERS:
        return
    if is_combat and get_roll_mode(spec, options) == ODDS:
        return
    row = loaded.find_person(person.key)
    actor = get_actor(game, row.person if row is not None else "", manager=person.manager)
    try:
        need_player(game, actor)
    except UserError as error:
        error.buttons = build_join_buttons(loaded.row, list_joinable_sides(game))
        if is_combat:
            error.buttons += _build_odds_buttons(spec, options)
        raise
    if is_combat and not actor.directs:
        _check_units(spec, options, game, actor.side, systems)


def _check_units(
    spec: CommandSpec,
    options: Mapping[str, object],
    game: Game,
    side: str,
    systems: RuleSets,
) -> None:
    """Raise UserError if all acting units of a filled-in form belong to another side."""
    system = systems.get(spec.system)
    sequence = system.sequences.get(spec.target) if system is not None else None
    if sequence is None or sequence.hits_unit:
        return
    try:
        acting = find_aim(sequence, options, get_system_roster(game, sequence.system)).acting
    except UserError:
        return  # the sequence refuses it in its own words
    if not acting or any(unit.side in ("", side) for unit in acting):
        return
    unit = acting[0]
    problem = UserError(f"{unit.name} belongs to {unit.side}; you play {side}.", code="not-yours")
    problem.buttons = _build_odds_buttons(spec, options)
    raise problem


def _build_odds_buttons(spec: CommandSpec, options: Mapping[str, object]) -> tuple[Button, ...]:
    """Return a button that opens the form for odds, which roll nothing; () if it has no odds."""
    if spec.find_option(ODDS) is None:
        return ()
    text = format_command(spec, {**options, ODDS: True})
    if len(text) > LONGEST:
        text = format_command(spec, {ODDS: True})
    return (Button(OPEN_FORM + text.removeprefix("/"), "Look at the odds"),)
