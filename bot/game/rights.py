"""The rights of players in a game: who may act, when, and for which side.

Players act for their side, on its move. An act out of turn gets a remark. Strangers roll and look
things up, a game master directs. The last functions say who may still add texts to the dice: one
rule for play and for the check of a log, explained in docs/dice-protocol.md.
"""

from collections.abc import Iterable, Mapping

from bot.game import cups
from bot.game.phases import describe_whose_go, get_chit_name, get_phase, list_phases
from bot.game.roster import find_units_by_name
from bot.game.sides import format_possessive, list_joinable_sides
from bot.game.state import Actor, Game, is_guarded, is_stranger, is_strict
from bot.rules.errors import UserError
from bot.rules.inputs.units import RosterUnit
from bot.rules.sequence.effects import ANY_UNIT
from bot.rules.sequence.sequence import Change
from bot.rules.text.names import join_names
from bot.rules.text.phrase import capitalize_first, phrase
from bot.rulesets.system import ATTACKS, Sequence, System


def need_director(game: Game, actor: Actor, action: str) -> None:
    """Raise UserError unless the actor is the game master or manages the server.

    `action` ends the sentence "Only the game master or a manager can ...". Free play has no master:
    everybody may.
    """
    if game.started and not actor.directs:
        problem = f"Only the game master or a manager can {action}."
        raise UserError(
            problem, hint=phrase("`/game status` shows who is game master."), code="not-master"
        )


def find_end_partners(game: Game, actor: Actor) -> tuple[str, ...]:
    """Return the sides whose players must agree before the actor ends the game; () for a director.

    In free play there may be none. In a started game, raise UserError if the actor plays no side,
    or if nobody plays another side.
    """
    if actor.directs:
        return ()
    other_sides = tuple(side for side in game.sides if side != actor.side)
    played = tuple(side for side in other_sides if side in game.players.values())
    if not actor.side or not played:
        need_director(game, actor, "end it")
    return played


def need_player(game: Game, actor: Actor) -> None:
    """Raise UserError for a stranger."""
    if is_stranger(game, actor):
        raise UserError(
            "You don't have a side in this game.",
            hint=phrase(
                "Sides are {sides}. Join one: `/game join {first}`",
                sides=", ".join(list_joinable_sides(game)),
                first=_quote_name(list_joinable_sides(game)[0]),
            ),
            code="not-player",
        )


def need_hand_dice(game: Game, hand: object) -> None:
    """Raise UserError if `hand` has dice rolled by hand, and the game does not allow them."""
    is_allowed = game.hand_dice or game.ended  # a game that is over makes room for free play
    if hand in (None, "") or is_allowed:
        return
    hint = phrase("`/game settings hand_dice=yes` allows them.")
    raise UserError("This game does not allow dice rolled by hand.", hint=hint, code="no-hand-dice")


class OtherSide(UserError):
    """A director who plays one side is about to act for another player's side without confirmation.

    `what` is the action, such as "End VC's turn".
    """

    def __init__(self, sides: tuple[str, ...], what: str) -> None:
        super().__init__(f"{join_names(sides)} has a player.", code="not-yours")
        self.sides = sides
        self.what = what


def list_sides_acted_for(game: Game, actor: Actor, sides: Iterable[str]) -> tuple[str, ...]:
    """Return those of `sides` that other players play, if the actor both plays a side and directs."""
    if not is_guarded(game) or not actor.side or not actor.directs:
        return ()
    played = set(game.players.values()) - {actor.side}
    return tuple(dict.fromkeys(side for side in sides if side in played))


def _need_confirmation(game: Game, actor: Actor, sides: Iterable[str], action: str) -> None:
    """Raise OtherSide if the actor has not yet confirmed to act for other players.

    It applies to a director who plays a side, and to those of `sides` that others play. `action`
    tells what they confirm, such as "End VC's turn".
    """
    other_sides = list_sides_acted_for(game, actor, sides)
    if not actor.acts_for.issuperset(other_sides):
        raise OtherSide(other_sides, action)


def need_go(game: Game, actor: Actor) -> None:
    """Raise UserError for a stranger, and for a player whose side is not to move.

    Raise OtherSide for a director who has to confirm first.
    """
    need_player(game, actor)
    if not is_guarded(game) or not game.go or actor.side in game.go:
        return
    if actor.directs:
        _need_confirmation(
            game, actor, game.go, f"End {format_possessive(join_names(game.go), 'turn')}"
        )
        return
    if not set(game.go) & set(game.players.values()):
        # nobody plays that side, so whoever is there goes on
        return
    sides = " and ".join(game.go)
    hint = f"Only a player of {sides}, or the game master, can pass or end the phase."
    raise UserError(
        f"Not your move: {describe_whose_go(game)}, and you play {actor.side}.",
        hint=hint,
        code="not-your-go",
    )


def need_units(game: Game, actor: Actor, units: Iterable[RosterUnit]) -> None:
    """Raise UserError for a stranger, and for a player if one of `units` belongs to another side.

    A director may change all units. In a game that is not guarded (see `is_guarded`), anybody may.
    """
    need_player(game, actor)
    if not is_guarded(game) or actor.directs:
        return
    for unit in units:
        if unit.side and unit.side != actor.side:
            raise UserError(
                f"{unit.name} belongs to {unit.side}; you play {actor.side}.", code="not-yours"
            )


def need_receiving_side(game: Game, actor: Actor, units: Iterable[RosterUnit]) -> None:
    """Raise UserError for a player who gives one of `units` to another side.

    `units` have their new sides. A director may give any, and so may anybody in a game that is not
    guarded (see `is_guarded`).
    """
    if not is_guarded(game) or actor.directs:
        return
    for unit in units:
        if unit.side and unit.side != actor.side:
            raise UserError(
                f"Only a player of {unit.side} or the game master can give {unit.name} to {unit.side}.",
                code="not-yours",
            )


def need_share(game: Game, actor: Actor, acting: Iterable[RosterUnit]) -> None:
    """Raise UserError for a stranger who names units, and for a player who acts with another
    side's.

    Any unit may be the target: artillery and mines have no unit that acts. Raise OtherSide for a
    director who has to confirm first.
    """
    if not is_guarded(game):
        return
    need_player(game, actor)
    theirs = [unit for unit in acting if unit.side not in ("", actor.side)]
    if theirs and not actor.directs:
        names = ", ".join(f"{unit.name} ({unit.side})" for unit in theirs[:3])
        raise UserError(f"You play {actor.side}, so you can't act with {names}.", code="not-yours")
    if not theirs or not actor.side:
        return
    names = join_names([unit.name for unit in theirs[:3]] + (["others"] if len(theirs) > 3 else []))
    _need_confirmation(game, actor, (unit.side for unit in theirs), f"Act with {names}")


ACTS = "Act"
"""The verb of a sequence that is an action of a unit but no attack."""
DONE_ONCE = ("fired", "activated")
"""Marks of units that have done their one act of a kind for this turn."""
ACTIVATED, SPENT = "activated", "spent"


def find_irregularities(
    game: Game,
    system: System | None,
    sequence: Sequence,
    acts: Iterable[str],
    changes: Iterable[Change],
    side: str,
) -> tuple[str, ...]:
    """Return why an act is out of order, as phrases for the player.

    For example: already fired, another side's turn, another chit's formation, wrong phase. Return
    () if it is in order or if the game is not running. Only units that act are out of turn.
    """
    if not game.started or game.ended:
        return ()
    phrases = list[str]()
    if sequence.is_act:
        phrases += _find_out_of_turn(
            game, system, sequence, find_units_by_name(game, acts), changes, side
        )
    if sequence.is_act or sequence.phases:
        phrases += _find_out_of_phase(game, system, sequence)
    return tuple(phrases)


def _find_out_of_turn(
    game: Game,
    system: System | None,
    sequence: Sequence,
    acting: Iterable[RosterUnit],
    changes: Iterable[Change],
    side: str,
) -> Iterable[str]:
    """Yield phrases for repeated acts, and for acts out of turn."""
    acting = tuple(acting)
    if sequence.verb in ATTACKS:
        yield from _list_repeated_acts(acting, changes)
    if cups.is_drawn_next(game):
        yield f"the next {cups.get_nouns(game.led)[0]} has not been drawn yet"
    elif game.led and any(not cups.is_called(game, unit) for unit in acting):
        yield _describe_active_chit(game, system)
    elif _is_out_of_turn(game, acting, side):
        yield f"out of turn: {describe_whose_go(game)}"


def _find_out_of_phase(game: Game, system: System | None, sequence: Sequence) -> Iterable[str]:
    """Yield the name of the current phase, if this sequence belongs to other phases."""
    phase = get_phase(game, system)
    if not phase or _has_place(sequence, phase, system):
        return
    if any(_has_place(sequence, listed_phase, system) for listed_phase in list_phases(system)):
        title = str(phase["title"])
        is_named = title.lower().endswith("phase")
        yield f"this is the {title}" if is_named else f"the phase is {title}"


def _has_place(sequence: Sequence, phase: Mapping[str, object], system: System | None) -> bool:
    """Return whether a sequence belongs to a phase.

    It does if the sequence names the phase. A sequence that names none belongs to the phases whose
    card names it, an attack to those whose card names any attack.
    """
    if sequence.phases:
        return phase["name"] in sequence.phases
    if sequence.verb in ATTACKS:
        return _has_attack_button(phase, system)
    buttons = phase.get("buttons")
    return isinstance(buttons, list) and sequence.id in buttons


def _describe_active_chit(game: Game, system: System | None) -> str:
    """Return `it's MG Team's activation`, or `the chit in play is Cavalry`."""
    name = get_chit_name(game, system)
    if cups.get_cup(game.led) == cups.ELEMENTS:
        return f"it's {format_possessive(name, 'activation')}"
    return f"the {cups.get_nouns(game.led)[0]} in play is {name}"


def need_usual_act(
    game: Game, system: System | None, sequence: Sequence, acts: Iterable[str], side: str
) -> None:
    """Raise UserError for an unusual act in a strict game, before its first die.

    So that no die decides, a unit has fired already if this act may mark it, whether or not the
    dice do. A look-up, which rolls nothing, is never refused.
    """
    is_look_up = not sequence.is_act and sequence.dice == "none"
    if not is_strict(game) or is_look_up:
        return
    marks = sequence.effects.marks
    marks = frozenset(DONE_ONCE) if ANY_UNIT in marks else marks
    names = tuple(acts)
    phrases = find_irregularities(
        game, system, sequence, names, [Change(name, mark=marks) for name in names], side
    )
    if phrases:
        hint = phrase("This game is strict. `/game settings strict=no` lets it pass with a remark.")
        raise UserError(f"{capitalize_first(phrases[0])}.", hint=hint, code="strict-game")


def find_ban(game: Game, sequence: Sequence, acts: Iterable[str], side: str) -> str:
    """Return what the card forbids the acting units for their markers, as a sentence, or "".

    `side` is the acting side if no unit of the roster acts.
    """
    if not sequence.bans or not game.started or game.ended:
        return ""
    acting = find_units_by_name(game, acts)
    is_out_of_turn = _is_out_of_turn(game, acting, side)
    for ban in sequence.bans:
        if ban.out_of_turn and not is_out_of_turn:
            continue
        for unit in acting:
            for marker, word in ban.markers.items():
                if marker in unit.marks:
                    return ban.says.format(unit.name, word)
    return ""


def find_cautions(
    game: Game, sequence: Sequence, acts: Iterable[str], targets: Iterable[str], side: str
) -> tuple[str, ...]:
    """Return what the card wants of the players before an act against these targets, as phrases.

    `side` is the acting side if no unit of the roster acts.
    """
    if not sequence.cautions or not game.started or game.ended:
        return ()
    is_out_of_turn = _is_out_of_turn(game, find_units_by_name(game, acts), side)
    cautions = list[str]()
    for caution in sequence.cautions:
        if caution.out_of_turn and not is_out_of_turn:
            continue
        for marker, word in caution.markers.items():
            marked = [unit for unit in find_units_by_name(game, targets) if marker in unit.marks]
            names = [unit.name for unit in marked if caution.unless not in unit.marks]
            if names:
                cautions.append(caution.says.format(join_names(names), word))
    return tuple(cautions)


def _is_out_of_turn(game: Game, acting: Iterable[RosterUnit], side: str) -> bool:
    """Return whether the acting side is not to move.

    It is the side of the acting units or, if none of them has one, `side`. Return False if nobody
    in particular is to move, or if there is no acting side.
    """
    sides = {unit.side for unit in acting} - {""} or {side} - {""}
    return bool(game.go and sides and not sides & {*game.go})


def _list_repeated_acts(acting: Iterable[RosterUnit], changes: Iterable[Change]) -> Iterable[str]:
    """Yield `Rifle 1 has already fired` for units that get a mark they already have."""
    new_marks: dict[str, frozenset[str]] = {}
    for change in changes:
        new_marks[change.unit] = new_marks.get(change.unit, frozenset()) | change.mark
    for mark in DONE_ONCE:
        names = list[str]()
        for unit in acting:
            is_repeated = mark in unit.marks & new_marks.get(unit.name, frozenset())
            if is_repeated and not (mark == ACTIVATED and _is_activating(unit)):
                names.append(unit.name)
        if names:
            verb = "has" if len(names) == 1 else "have"
            yield f"{join_names(names)} {verb} already {mark}"


def _is_activating(unit: RosterUnit) -> bool:
    """Return whether a unit has spent AP. Its remaining AP say what else it may do."""
    return bool(unit.numbers.get(SPENT))


def _has_attack_button(phase: Mapping[str, object], system: System | None) -> bool:
    """Return whether the card of a phase has a button for an attack. It has none without a system."""
    buttons = phase.get("buttons")
    if system is None or not isinstance(buttons, list):
        return False
    for name in buttons:
        if name in system.sequences and system.sequences[name].verb in ATTACKS:
            return True
    return False


def _quote_name(name: str) -> str:
    return f'"{name}"' if " " in name else name


def make_game_over_error(game: Game) -> UserError:
    """Build the error for a change to a game that has ended."""
    message = "This free play is over and can no longer be changed."
    if game.name:
        message = f'"{game.name}" is over and can no longer be changed.'
    hint = phrase(
        'Continue it: `/game resume`. Start another: `/game start lnlt "Hill 875" sides="US, VC"`'
    )
    return UserError(message, hint=hint, code="game-ended")


def are_texts_open(game: Game) -> bool:
    """Return whether texts may still be added to the dice of the seed in force."""
    return not game.closed


def is_alone(game: Game, person: str) -> bool:
    """Return whether nobody else takes part in the game.

    Then nobody else could close the texts that players add to the dice: see
    docs/dice-protocol.md. In a running game with sides, its players and its master take part,
    else everybody who wrote an event.
    """
    if is_guarded(game):
        return {*game.players, game.master} <= {"", person}
    return game.solo == person


def has_last_word(game: Game, person: str) -> bool:
    """Return whether this person added the last text to the dice, so that somebody else must close.

    Return False for a person who is alone: nobody else could.
    """
    return bool(person) and game.adder == person and not is_alone(game, person)
