"""Who may send a form: an onlooker is asked to join before it opens, and a player is told whose the
units are."""

from collections.abc import Mapping

from bot.answers.firers_and_targets import aim_of
from bot.answers.headline import hits_its_unit
from bot.game.loaded import Loaded
from bot.game.rights import join_buttons, need_player
from bot.game.roster import roster_for
from bot.game.state import Game, actor_in, is_guarded
from bot.interface.form.form import ODDS, way_asked
from bot.interface.reply.reply import OPEN_FORM, Button
from bot.interface.spec import CommandSpec, Path, Person
from bot.interface.typing.command_text import command_text
from bot.rules.errors import UserError
from bot.systems.system import System

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
"""Commands with a form that only players of the game may send."""
LONGEST = 90
"""Characters of a command that a button opens."""


def check_seat(
    spec: CommandSpec,
    options: Mapping[str, object],
    loaded: Loaded | None,
    person: Person,
    systems: Mapping[str, System],
) -> None:
    """Raise UserError if this person could not send the form of a command in the game of its
    channel, with buttons to join a side.

    Odds are for everybody, and so is a roll that names no unit of the game.
    """
    if loaded is None or not is_guarded(loaded.game):
        return
    game = loaded.game
    is_combat = spec.family == "sequence" and spec.system == game.system and bool(game.units)
    if not is_combat and spec.path not in FOR_PLAYERS:
        return
    if is_combat and way_asked(spec, options) == ODDS:
        return
    row = loaded.person_of(person.key)
    actor = actor_in(game, row.person if row is not None else "", manager=person.manager)
    try:
        need_player(game, actor)
    except UserError as error:
        error.buttons = join_buttons(loaded.row, game)
        if is_combat:
            error.buttons += _odds_buttons(spec, options)
        raise
    if is_combat and not actor.directs:
        _check_units(spec, options, game, actor.side, systems)


def _check_units(
    spec: CommandSpec,
    options: Mapping[str, object],
    game: Game,
    side: str,
    systems: Mapping[str, System],
) -> None:
    """Raise UserError if all units that a filled-in form would act with belong to another side."""
    system = systems.get(spec.system)
    sequence = system.sequences.get(spec.target) if system is not None else None
    if sequence is None or hits_its_unit(sequence):
        return
    try:
        acting = aim_of(sequence, options, roster_for(game, spec.system)).acting
    except UserError:
        return  # the sequence refuses it in its own words
    if not acting or any(unit.side in ("", side) for unit in acting):
        return
    unit = acting[0]
    problem = UserError(f"{unit.name} belongs to {unit.side}; you play {side}.", code="not-yours")
    problem.buttons = _odds_buttons(spec, options)
    raise problem


def _odds_buttons(spec: CommandSpec, options: Mapping[str, object]) -> tuple[Button, ...]:
    """Return a button that opens the form for odds, which roll nothing; () if it has no odds."""
    if spec.option(ODDS) is None:
        return ()
    text = command_text(spec, {**options, ODDS: True})
    if len(text) > LONGEST:
        text = command_text(spec, {ODDS: True})
    return (Button(OPEN_FORM + text.removeprefix("/"), "Look at the odds"),)
