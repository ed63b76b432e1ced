"""Turns and phases of the game's card: the next phase, the sides to act, the markers to clear."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.game import cups
from bot.game.roster import clear_marks
from bot.game.state import Game
from bot.rules.text.phrase import mark_commands
from bot.rulesets.game_keys import LED_BY
from bot.rulesets.system import System

BOTH, IMPULSES, INITIATIVE, OWN, OTHER = "both", "impulses", "initiative", "own", "other"
"""Orders in which the sides act in a phase: see docs/phases.md."""


def list_phases(system: System | None) -> list[Mapping[str, Any]]:
    """Return the phases of a turn in order, [] if the card has no turn sequence."""
    return list(system.game.get("phases") or ()) if system is not None else []


def get_phase(game: Game, system: System | None) -> Mapping[str, Any]:
    """Return the current phase of the card, {} if there is none.

    If an optional rule lets a card for each unit lead the phase, return it with that change.
    """
    phase = next((phase for phase in list_phases(system) if phase["name"] == game.phase), {})
    if system is None or not phase:
        return phase
    for rule in system.rules.values():
        if game.phase in rule.leads and game.rules.get(rule.name, rule.default):
            kept_keys = phase.keys() - {"go", "passes"}
            return {**{key: phase[key] for key in kept_keys}, LED_BY: cups.ELEMENTS}
    return phase


def get_go_kind(game: Game, system: System | None) -> str:
    """Return the order in which the sides act in the current phase, such as BOTH or IMPULSES."""
    return str(get_phase(game, system).get("go", BOTH))


def takes_turns(system: System | None) -> bool:
    """Return whether each side has a turn of its own with all phases."""
    return system is not None and system.game.get("turns") == "by-side"


def get_side_order(game: Game) -> tuple[str, ...]:
    """Return the sides in the order in which they act, from the side with the initiative on."""
    if game.initiative not in game.sides:
        return game.sides
    index = game.sides.index(game.initiative)
    return game.sides[index:] + game.sides[:index]


def start_first_turn(game: Game, system: System | None) -> Game:
    """Return the game at the start of its first turn."""
    phases = list_phases(system)
    phase = phases[0]["name"] if phases else ""
    turn_of = ""
    if game.sides and takes_turns(system):
        turn_of = get_side_order(game)[0]
    return _start_phase(replace(game, turn=1, phase=phase, turn_of=turn_of), system)


def start_next_phase(game: Game, system: System | None) -> Game:
    """Return the game in its next phase, or in the next turn after the last phase.

    Markers that the card clears come off.
    """
    phases = list_phases(system)
    names = [phase["name"] for phase in phases]
    index = names.index(game.phase) + 1 if game.phase in names else 0
    if cups.get_chit_values(game, game.led).get("ends") == cups.TURN:
        index = len(names)
    turn = game.turn
    turn_of = game.turn_of
    if index >= len(phases) or not turn:
        index = 0
        turn, turn_of = _get_next_turn(game, system)
    if not phases:
        return _start_phase(replace(game, turn=turn, phase="", turn_of=turn_of), system)
    phase = phases[index]
    units = {**game.units, **clear_marks(game.units, phase.get("clears") or ())}
    next_game = replace(game, turn=turn, phase=phase["name"], turn_of=turn_of, units=units)
    return _start_phase(next_game, system)


def _get_next_turn(game: Game, system: System | None) -> tuple[int, str]:
    """Return the number of the next turn, and the side that has it, "" for all.

    If each side has its own turn, the number stays the same until every side has had it.
    """
    if not game.sides or not takes_turns(system):
        return game.turn + 1, ""
    order = get_side_order(game)
    index = order.index(game.turn_of) + 1 if game.turn_of in order else 0
    if 0 < index < len(order):
        return game.turn, order[index]
    return game.turn + 1, order[0]


def _start_phase(game: Game, system: System | None) -> Game:
    """Return the game at the start of its current phase: who may act first, and no passes yet.

    If a deck leads the phase, its chits return to it, and none is active.
    """
    cup = str(get_phase(game, system).get(LED_BY, ""))
    return replace(
        cups.start_led_phase(game, cup),
        go=game.sides if cup else _get_first_sides(game, get_go_kind(game, system)),
        passes=0,
    )


def _get_first_sides(game: Game, kind: str) -> tuple[str, ...]:
    """Return the sides that may act first, all if nobody has the initiative yet.

    In a phase of all sides, those that play themselves have nothing to wait for.
    """
    if kind == BOTH:
        return tuple(side for side in game.sides if side not in game.self_played)
    if kind in (IMPULSES, INITIATIVE) and game.initiative in game.sides:
        return (game.initiative,)
    if kind == OWN and game.turn_of:
        return (game.turn_of,)
    if kind == OTHER and game.turn_of:
        return tuple(side for side in game.sides if side != game.turn_of)
    return game.sides


def set_initiative(game: Game, side: str, system: System | None) -> Game:
    """Return the game after `side` gets the initiative.

    If the initiative decides who acts in this phase, that side may act now.
    """
    had_first_turn = get_side_order(game)[:1] == (game.turn_of,)
    new_game = replace(game, initiative=side)
    if game.led:  # a chit decides who acts
        return new_game
    if game.turn_of and had_first_turn and list_phases(system)[0]["name"] == game.phase:
        # their turn has just begun
        return _start_phase(replace(new_game, turn_of=side), system)
    if is_alternating(game, system):
        return _start_phase(new_game, system)
    return new_game


def is_alternating(game: Game, system: System | None) -> bool:
    """Return whether the sides act one by one in the current phase, and hand over to each other."""
    return get_go_kind(game, system) in (IMPULSES, INITIATIVE)


def is_undecided(game: Game, system: System | None) -> bool:
    """Return whether the sides act one by one in the phase, but it is not decided which begins.

    Return False in a phase that a deck leads, and if the game is not running.
    """
    is_on = game.started and not game.ended and not game.led
    return is_on and len(game.go) > 1 and is_alternating(game, system)


def apply_pass(game: Game, system: System | None, side: str, *, acted: bool) -> Game:
    """Return the game after `side` passes, or hands over an impulse in which it `acted`.

    If the sides act one by one, the next side may act, else the others. The pass that ends the
    phase starts the next one. In a phase led by a cup it ends the chit's activation, and with the
    last chit the phase.
    """
    if game.led:
        return _end_activation(game, system)
    kind = get_go_kind(game, system)
    passes = 0 if acted and kind == IMPULSES else game.passes + 1
    if not is_alternating(game, system):
        remaining = tuple(name for name in game.go or game.sides if name != side)
        if not remaining:
            return start_next_phase(game, system)
        return replace(game, go=remaining, passes=passes)
    order = get_side_order(game)
    max_passes = len(order) if kind == INITIATIVE else get_phase(game, system).get("passes")
    if max_passes is not None and passes >= max_passes:
        return start_next_phase(game, system)
    next_side = order[(order.index(side) + 1) % len(order)]
    return replace(game, go=(next_side,), passes=passes)


def _end_activation(game: Game, system: System | None) -> Game:
    """Return the game after the active chit: before the next draw, or in the next phase."""
    next_game = cups.end_chit_turn(game)
    chit_ends_phase = "ends" in cups.get_chit_values(game, game.led)
    if cups.count_chits_left(next_game) and not chit_ends_phase:
        return next_game
    return start_next_phase(game, system)


def is_past_last_turn(game: Game) -> bool:
    """Return whether the last turn of the game's scenario is over."""
    return 0 < game.turns < game.turn


def has_just_ended(game: Game, system: System | None) -> bool:
    """Return whether the last turn is over, and no later phase has begun."""
    first = start_first_turn(game, system)
    is_first_phase = (game.phase, game.turn_of) == (first.phase, first.turn_of)
    return is_past_last_turn(game) and game.turn == game.turns + 1 and is_first_phase


def describe_end_turn(game: Game, system: System | None) -> str:
    """Return the end of a game that ends now: `after turn 6`, its last, or `on turn 3`."""
    if has_just_ended(game, system):
        return f"after turn {game.turns}"
    return f"on turn {game.turn}"


def format_numbered_phase(game: Game, system: System | None) -> str:
    """Format turn and phase as `turn 3 of 6, Rally phase`, with the number of turns if known."""
    title = format_phase_title(game, system)
    turn = f"turn {game.turn}"
    if 0 < game.turn <= game.turns and title.startswith(turn):
        return f"{turn} of {game.turns}{title.removeprefix(turn)}"
    return title


def format_phase_title(game: Game, system: System | None) -> str:
    """Format turn, side and phase as `turn 3, US, Rally phase`, or as much of it as there is.

    The log contains this text, so its form must never change.
    """
    phase = get_phase(game, system)
    title = str(phase.get("title", game.phase if phase else ""))
    turn = f"turn {game.turn}" if game.turn else ""
    return ", ".join(piece for piece in (turn, game.turn_of, title) if piece)


def describe_whose_go(game: Game) -> str:
    """Return the next to act: `US to play`, `both sides`, `US to choose (#12)`,
    `draw the next chit`, or "" in a game without sides.
    """
    if game.waits:
        choices = list[str]()
        for number, choice in game.waits.items():
            side = choice.get("side") or "somebody"
            choices.append(f"{side} to choose (#{number})")
        return ", ".join(choices)
    if cups.is_drawn_next(game):
        return f"draw the next {cups.get_nouns(game.led)[0]}"
    if not game.go:
        return ""
    if len(game.go) == len(game.sides):
        return "both sides" if len(game.sides) == 2 else "all sides"
    return f"{' and '.join(game.go)} to play"


def describe_status(game: Game, system: System | None) -> str:
    """Return the status of a game in one line:
    `Hill 875 · turn 3, Operations phase · US to play`.
    """
    if not game.started:
        return "free play"
    if game.ended:
        return f"{game.name} · ended"
    pieces = (game.name, format_numbered_phase(game, system), describe_whose_go(game))
    return " · ".join(piece for piece in pieces if piece)


def get_chit_name(game: Game, system: System | None) -> str:
    """Return the name of the active chit, or "" if there is none."""
    id = cups.get_cup(game.led)
    chit = cups.get_chit(game.led)
    if not chit:
        return ""
    if id == cups.ELEMENTS:
        fallback = f"the unit that was {chit}"
        return next((unit.name for unit in game.units.values() if unit.handle == chit), fallback)
    game_deck = system.decks.get(id) if system is not None else None
    return game_deck.names.get(chit, chit) if game_deck is not None else chit


def get_phase_brief(game: Game, system: System | None) -> str:
    """Return the purpose of the current phase in one line, "" if the card gives none."""
    return str(get_phase(game, system).get("brief") or "")


def list_reminders(game: Game, system: System | None) -> tuple[str, ...]:
    """Return the card's reminders for the current phase, with commands to copy."""
    return tuple(mark_commands(line) for line in get_phase(game, system).get("remember") or ())
