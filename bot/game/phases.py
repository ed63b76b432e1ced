"""Turns and phases as the game's card has them: what comes next, whose go it is, which markers
come off.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.game import cups
from bot.game.roster import cleared
from bot.game.state import Game
from bot.rules.text.phrase import marked
from bot.systems.game_file import LED_BY
from bot.systems.system import System

BOTH, IMPULSES, INITIATIVE, OWN, OTHER = "both", "impulses", "initiative", "own", "other"
"""Kinds of go in a phase: see docs/phases.md."""


def phases_of(system: System | None) -> list[Mapping[str, Any]]:
    """The phases of a turn, in order; none where the card has no turn sequence."""
    return list(system.game.get("phases") or ()) if system is not None else []


def phase_of(game: Game, system: System | None) -> Mapping[str, Any]:
    """The present phase as the card has it, or as an optional rule has it: led by a card for each
    unit; {} where there is none."""
    found = next((phase for phase in phases_of(system) if phase["name"] == game.phase), {})
    rules = system.rules.values() if system is not None and found else ()
    if any(game.phase in rule.leads and game.rules.get(rule.name, rule.default) for rule in rules):
        return {
            **{key: found[key] for key in found.keys() - {"go", "passes"}},
            LED_BY: cups.ELEMENTS,
        }
    return found


def kind_of_go(game: Game, system: System | None) -> str:
    """How the sides go in the present phase."""
    return str(phase_of(game, system).get("go", BOTH))


def takes_turns(system: System | None) -> bool:
    """Return whether each side has a turn of its own, with all phases, one after the other."""
    return system is not None and system.game.get("turns") == "by-side"


def order_of(game: Game) -> tuple[str, ...]:
    """The sides in the order in which they go: who has the initiative first."""
    if game.initiative not in game.sides:
        return game.sides
    at = game.sides.index(game.initiative)
    return game.sides[at:] + game.sides[:at]


def first_turn(game: Game, system: System | None) -> Game:
    """The game at the start of its first turn."""
    phases = phases_of(system)
    started = replace(game, turn=1, phase=phases[0]["name"] if phases else "")
    return _entered(
        replace(started, turn_of=order_of(game)[0] if game.sides and takes_turns(system) else ""),
        system,
    )


def next_phase(game: Game, system: System | None) -> Game:
    """The game one phase on; behind the last phase the next turn begins. Markers that the card
    clears come off.
    """
    phases = phases_of(system)
    names = [phase["name"] for phase in phases]
    at = names.index(game.phase) + 1 if game.phase in names else 0
    at = len(names) if cups.said_of(game, game.led).get("ends") == cups.TURN else at
    turn = game.turn
    turn_of = game.turn_of
    if at >= len(phases) or not turn:
        at = 0
        turn, turn_of = _next_turn(game, system)
    if not phases:
        return _entered(replace(game, turn=turn, phase="", turn_of=turn_of), system)
    entered = phases[at]
    units = {**game.units, **cleared(game.units, entered.get("clears") or ())}
    return _entered(
        replace(game, turn=turn, phase=entered["name"], turn_of=turn_of, units=units), system
    )


def _next_turn(game: Game, system: System | None) -> tuple[int, str]:
    """The number of the next turn and whose it is: the same number again until every side has
    had it.
    """
    if not game.sides or not takes_turns(system):
        return game.turn + 1, ""
    order = order_of(game)
    at = order.index(game.turn_of) + 1 if game.turn_of in order else 0
    return (game.turn, order[at]) if 0 < at < len(order) else (game.turn + 1, order[0])


def _entered(game: Game, system: System | None) -> Game:
    """The game with the go as it is at the beginning of its phase."""
    cup = str(phase_of(game, system).get(LED_BY, ""))
    return replace(cups.led_by(game, cup), go=_first_go(game, kind_of_go(game, system)), passes=0)


def _first_go(game: Game, kind: str) -> tuple[str, ...]:
    """Who may act first; every side where nobody has the initiative yet."""
    if kind in (IMPULSES, INITIATIVE) and game.initiative in game.sides:
        return (game.initiative,)
    if kind == OWN and game.turn_of:
        return (game.turn_of,)
    if kind == OTHER and game.turn_of:
        return tuple(side for side in game.sides if side != game.turn_of)
    return game.sides


def with_initiative(game: Game, side: str, system: System | None) -> Game:
    """The game once `side` has the initiative: where that decides who goes, it is their go."""
    first = order_of(game)[:1] == (game.turn_of,)
    after = replace(game, initiative=side)
    if game.led:  # whose go it is a chit says
        return after
    if game.turn_of and first and phases_of(system)[0]["name"] == game.phase:
        # their turn has just begun
        return _entered(replace(after, turn_of=side), system)
    return _entered(after, system) if kind_of_go(game, system) in (IMPULSES, INITIATIVE) else after


def is_alternating(game: Game, system: System | None) -> bool:
    """Return whether the sides go one by one in the present phase, so that one hands over to the
    other.
    """
    return kind_of_go(game, system) in (IMPULSES, INITIATIVE)


def is_undecided(game: Game, system: System | None) -> bool:
    """Return whether one side is to begin the phase, and nobody has said which."""
    is_on = game.started and not game.ended and not game.led
    return is_on and len(game.go) > 1 and is_alternating(game, system)


def after_pass(game: Game, system: System | None, side: str, *, acted: bool) -> Game:
    """The game once `side` passes, or hands over an impulse in which it `acted`; that may end the
    phase. Where a cup leads it the go of the chit is over, and with the last one the phase."""
    if game.led:
        after = cups.done(game)
        ends = "ends" in cups.said_of(game, game.led)
        return after if cups.chits_left(after) and not ends else next_phase(game, system)
    kind = kind_of_go(game, system)
    passes = 0 if acted and kind == IMPULSES else game.passes + 1
    if not is_alternating(game, system):
        left = tuple(other for other in game.go or game.sides if other != side)
        return replace(game, go=left, passes=passes) if left else next_phase(game, system)
    order = order_of(game)
    most = len(order) if kind == INITIATIVE else phase_of(game, system).get("passes")
    if most is not None and passes >= most:
        return next_phase(game, system)
    return replace(game, go=(order[(order.index(side) + 1) % len(order)],), passes=passes)


def is_past_last_turn(game: Game) -> bool:
    """Return whether the last turn of the game's scenario is over."""
    return 0 < game.turns < game.turn


def has_just_ended(game: Game, system: System | None) -> bool:
    """Return whether the last turn is over, and no phase after it."""
    first = first_turn(game, system)
    is_first_phase = (game.phase, game.turn_of) == (first.phase, first.turn_of)
    return is_past_last_turn(game) and game.turn == game.turns + 1 and is_first_phase


def turn_of_end(game: Game, system: System | None) -> str:
    """Return when the game ends if it ends now: `after turn 6`, its last, or `on turn 3`."""
    if has_just_ended(game, system):
        return f"after turn {game.turns}"
    return f"on turn {game.turn}"


def shown_phase(game: Game, system: System | None) -> str:
    """`turn 3 of 6, Rally phase`: as `phase_title`, with the number of turns where there is one."""
    title = phase_title(game, system)
    turn = f"turn {game.turn}"
    if 0 < game.turn <= game.turns and title.startswith(turn):
        return f"{turn} of {game.turns}{title.removeprefix(turn)}"
    return title


def phase_title(game: Game, system: System | None) -> str:
    """`turn 3, Rally phase`, or only what there is. The log has it, so it never changes."""
    title = str(phase_of(game, system).get("title", game.phase if phase_of(game, system) else ""))
    return ", ".join(
        piece for piece in (f"turn {game.turn}" if game.turn else "", game.turn_of, title) if piece
    )


def whose_go(game: Game) -> str:
    """Return `US to play`, `both sides`, `US to choose (#12)`, `draw the next chit`, or "" in a
    game without sides.
    """
    if game.waits:
        return ", ".join(
            f"{asks.get('side') or 'somebody'} to choose (#{at})" for at, asks in game.waits.items()
        )
    if cups.is_drawn_next(game):
        return f"draw the next {cups.nouns(game.led)[0]}"
    if not game.go:
        return ""
    if len(game.go) == len(game.sides):
        return "both sides" if len(game.sides) == 2 else "all sides"
    return f"{' and '.join(game.go)} to play"


def standing(game: Game, system: System | None) -> str:
    """Where a game is, on one line: `Hill 875 · turn 3, Operations phase · US to play`."""
    if not game.started:
        return "free play"
    if game.ended:
        return f"{game.name} · ended"
    return " · ".join(
        piece for piece in (game.name, shown_phase(game, system), whose_go(game)) if piece
    )


def chit_name(game: Game, system: System | None) -> str:
    """What the chit is called whose go it is; "" for none."""
    id = cups.cup_of(game.led)
    chit = cups.chit_of(game.led)
    if id == cups.ELEMENTS:
        gone = f"the unit that was {chit}" if chit else ""
        return next((unit.name for unit in game.units.values() if unit.handle == chit), gone)
    made = system.decks.get(id) if system is not None and chit else None
    return made.names.get(chit, chit) if made is not None else chit


def brief_of(game: Game, system: System | None) -> str:
    """What the present phase is about, in one line; empty where that goes without saying."""
    return str(phase_of(game, system).get("brief") or "")


def reminders(game: Game, system: System | None) -> tuple[str, ...]:
    """What the card asks to remember in the present phase, with its commands to copy."""
    return tuple(marked(line) for line in phase_of(game, system).get("remember") or ())
