"""Turns and phases as the game's card has them: what comes next, whose go it is, which markers
come off.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.game import cups
from bot.game.roster import clear_marks
from bot.game.state import Game
from bot.rules.text.phrase import mark_commands
from bot.rulesets.game_file import LED_BY
from bot.rulesets.system import System

BOTH, IMPULSES, INITIATIVE, OWN, OTHER = "both", "impulses", "initiative", "own", "other"
"""Kinds of go in a phase: see docs/phases.md."""


def list_phases(system: System | None) -> list[Mapping[str, Any]]:
    """The phases of a turn, in order; none where the card has no turn sequence."""
    return list(system.game.get("phases") or ()) if system is not None else []


def get_phase(game: Game, system: System | None) -> Mapping[str, Any]:
    """The present phase as the card has it, or as an optional rule has it: led by a card for each
    unit; {} where there is none."""
    found = next((phase for phase in list_phases(system) if phase["name"] == game.phase), {})
    rules = system.rules.values() if system is not None and found else ()
    if any(game.phase in rule.leads and game.rules.get(rule.name, rule.default) for rule in rules):
        return {
            **{key: found[key] for key in found.keys() - {"go", "passes"}},
            LED_BY: cups.ELEMENTS,
        }
    return found


def get_go_kind(game: Game, system: System | None) -> str:
    """How the sides go in the present phase."""
    return str(get_phase(game, system).get("go", BOTH))


def takes_turns(system: System | None) -> bool:
    """Return whether each side has a turn of its own, with all phases, one after the other."""
    return system is not None and system.game.get("turns") == "by-side"


def get_side_order(game: Game) -> tuple[str, ...]:
    """The sides in the order in which they go: who has the initiative first."""
    if game.initiative not in game.sides:
        return game.sides
    at = game.sides.index(game.initiative)
    return game.sides[at:] + game.sides[:at]


def start_first_turn(game: Game, system: System | None) -> Game:
    """The game at the start of its first turn."""
    phases = list_phases(system)
    started = replace(game, turn=1, phase=phases[0]["name"] if phases else "")
    return _start_phase(
        replace(
            started, turn_of=get_side_order(game)[0] if game.sides and takes_turns(system) else ""
        ),
        system,
    )


def start_next_phase(game: Game, system: System | None) -> Game:
    """The game one phase on; behind the last phase the next turn begins. Markers that the card
    clears come off.
    """
    phases = list_phases(system)
    names = [phase["name"] for phase in phases]
    at = names.index(game.phase) + 1 if game.phase in names else 0
    at = len(names) if cups.get_chit_values(game, game.led).get("ends") == cups.TURN else at
    turn = game.turn
    turn_of = game.turn_of
    if at >= len(phases) or not turn:
        at = 0
        turn, turn_of = _get_next_turn(game, system)
    if not phases:
        return _start_phase(replace(game, turn=turn, phase="", turn_of=turn_of), system)
    entered = phases[at]
    units = {**game.units, **clear_marks(game.units, entered.get("clears") or ())}
    return _start_phase(
        replace(game, turn=turn, phase=entered["name"], turn_of=turn_of, units=units), system
    )


def _get_next_turn(game: Game, system: System | None) -> tuple[int, str]:
    """The number of the next turn and whose it is: the same number again until every side has
    had it.
    """
    if not game.sides or not takes_turns(system):
        return game.turn + 1, ""
    order = get_side_order(game)
    at = order.index(game.turn_of) + 1 if game.turn_of in order else 0
    return (game.turn, order[at]) if 0 < at < len(order) else (game.turn + 1, order[0])


def _start_phase(game: Game, system: System | None) -> Game:
    """The game with the go as it is at the beginning of its phase."""
    cup = str(get_phase(game, system).get(LED_BY, ""))
    return replace(
        cups.start_led_phase(game, cup),
        go=_get_first_sides(game, get_go_kind(game, system)),
        passes=0,
    )


def _get_first_sides(game: Game, kind: str) -> tuple[str, ...]:
    """Who may act first; every side where nobody has the initiative yet."""
    if kind in (IMPULSES, INITIATIVE) and game.initiative in game.sides:
        return (game.initiative,)
    if kind == OWN and game.turn_of:
        return (game.turn_of,)
    if kind == OTHER and game.turn_of:
        return tuple(side for side in game.sides if side != game.turn_of)
    return game.sides


def set_initiative(game: Game, side: str, system: System | None) -> Game:
    """The game once `side` has the initiative: where that decides who goes, it is their go."""
    first = get_side_order(game)[:1] == (game.turn_of,)
    after = replace(game, initiative=side)
    if game.led:  # whose go it is a chit says
        return after
    if game.turn_of and first and list_phases(system)[0]["name"] == game.phase:
        # their turn has just begun
        return _start_phase(replace(after, turn_of=side), system)
    return (
        _start_phase(after, system)
        if get_go_kind(game, system) in (IMPULSES, INITIATIVE)
        else after
    )


def is_alternating(game: Game, system: System | None) -> bool:
    """Return whether the sides go one by one in the present phase, so that one hands over to the
    other.
    """
    return get_go_kind(game, system) in (IMPULSES, INITIATIVE)


def is_undecided(game: Game, system: System | None) -> bool:
    """Return whether one side is to begin the phase, and nobody has said which."""
    is_on = game.started and not game.ended and not game.led
    return is_on and len(game.go) > 1 and is_alternating(game, system)


def apply_pass(game: Game, system: System | None, side: str, *, acted: bool) -> Game:
    """The game once `side` passes, or hands over an impulse in which it `acted`; that may end the
    phase. Where a cup leads it the go of the chit is over, and with the last one the phase."""
    if game.led:
        after = cups.end_chit_turn(game)
        ends = "ends" in cups.get_chit_values(game, game.led)
        return (
            after if cups.count_chits_left(after) and not ends else start_next_phase(game, system)
        )
    kind = get_go_kind(game, system)
    passes = 0 if acted and kind == IMPULSES else game.passes + 1
    if not is_alternating(game, system):
        left = tuple(other for other in game.go or game.sides if other != side)
        return replace(game, go=left, passes=passes) if left else start_next_phase(game, system)
    order = get_side_order(game)
    most = len(order) if kind == INITIATIVE else get_phase(game, system).get("passes")
    if most is not None and passes >= most:
        return start_next_phase(game, system)
    return replace(game, go=(order[(order.index(side) + 1) % len(order)],), passes=passes)


def is_past_last_turn(game: Game) -> bool:
    """Return whether the last turn of the game's scenario is over."""
    return 0 < game.turns < game.turn


def has_just_ended(game: Game, system: System | None) -> bool:
    """Return whether the last turn is over, and no phase after it."""
    first = start_first_turn(game, system)
    is_first_phase = (game.phase, game.turn_of) == (first.phase, first.turn_of)
    return is_past_last_turn(game) and game.turn == game.turns + 1 and is_first_phase


def describe_end_turn(game: Game, system: System | None) -> str:
    """Return when the game ends if it ends now: `after turn 6`, its last, or `on turn 3`."""
    if has_just_ended(game, system):
        return f"after turn {game.turns}"
    return f"on turn {game.turn}"


def format_numbered_phase(game: Game, system: System | None) -> str:
    """`turn 3 of 6, Rally phase`: as `format_phase_title`, with the number of turns where there is one."""
    title = format_phase_title(game, system)
    turn = f"turn {game.turn}"
    if 0 < game.turn <= game.turns and title.startswith(turn):
        return f"{turn} of {game.turns}{title.removeprefix(turn)}"
    return title


def format_phase_title(game: Game, system: System | None) -> str:
    """`turn 3, Rally phase`, or only what there is. The log has it, so it never changes."""
    title = str(get_phase(game, system).get("title", game.phase if get_phase(game, system) else ""))
    return ", ".join(
        piece for piece in (f"turn {game.turn}" if game.turn else "", game.turn_of, title) if piece
    )


def describe_whose_go(game: Game) -> str:
    """Return `US to play`, `both sides`, `US to choose (#12)`, `draw the next chit`, or "" in a
    game without sides.
    """
    if game.waits:
        return ", ".join(
            f"{asks.get('side') or 'somebody'} to choose (#{at})" for at, asks in game.waits.items()
        )
    if cups.is_drawn_next(game):
        return f"draw the next {cups.get_nouns(game.led)[0]}"
    if not game.go:
        return ""
    if len(game.go) == len(game.sides):
        return "both sides" if len(game.sides) == 2 else "all sides"
    return f"{' and '.join(game.go)} to play"


def describe_status(game: Game, system: System | None) -> str:
    """Where a game is, on one line: `Hill 875 · turn 3, Operations phase · US to play`."""
    if not game.started:
        return "free play"
    if game.ended:
        return f"{game.name} · ended"
    return " · ".join(
        piece
        for piece in (game.name, format_numbered_phase(game, system), describe_whose_go(game))
        if piece
    )


def get_chit_name(game: Game, system: System | None) -> str:
    """What the chit is called whose go it is; "" for none."""
    id = cups.get_cup(game.led)
    chit = cups.get_chit(game.led)
    if id == cups.ELEMENTS:
        gone = f"the unit that was {chit}" if chit else ""
        return next((unit.name for unit in game.units.values() if unit.handle == chit), gone)
    made = system.decks.get(id) if system is not None and chit else None
    return made.names.get(chit, chit) if made is not None else chit


def get_phase_brief(game: Game, system: System | None) -> str:
    """What the present phase is about, in one line; empty where that goes without saying."""
    return str(get_phase(game, system).get("brief") or "")


def list_reminders(game: Game, system: System | None) -> tuple[str, ...]:
    """What the card asks to remember in the present phase, with its commands to copy."""
    return tuple(mark_commands(line) for line in get_phase(game, system).get("remember") or ())
