"""Combat sequences: one command asks for the dice, names each modifier, reads the tables, says what happened."""

from __future__ import annotations

from collections.abc import Mapping

from bot.answers.headline import ACTING, actors, hits_its_unit
from bot.answers.outcome import Happening, Outcome
from bot.answers.several import planned, play_all, whole_out, whole_result
from bot.answers.shot import each_reply, played_reply
from bot.interface.spec import CommandSpec
from bot.interface.typing.text import command_text
from bot.rules.dice import Script, Source
from bot.rules.errors import DieOwed, UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.hand import hand_dice
from bot.rules.inputs.options import flag
from bot.rules.inputs.units import Roster
from bot.rules.text.phrase import Phrase, Typed
from bot.systems.catalog import Sequence

EXTRA = ("odds", "compare", "rounds", "secret", "hand")


def run_sequence(
    sequence: Sequence, spec: CommandSpec, options: Mapping[str, object], who: str, source: Source, roster: Roster
) -> Outcome:
    """Play a sequence. Raises UserError; real dice that are too few name the die owed next."""
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    plays = planned(sequence, raw, roster)
    hand = options.get("hand")
    by_hand = hand not in (None, "")
    if by_hand:
        script = Script(hand_dice(hand))
        try:
            singles = play_all(sequence, plays, script, roster)
        except DieOwed as owed:
            raise _owed(owed, spec, {**raw, "secret": flag(options, "secret")}) from None
        script.finish()
    else:
        singles = play_all(sequence, plays, source, roster)
    first, changes = singles[0], tuple(change for one in singles for change in one.changes)
    if first.unit:
        reply = each_reply(who, sequence, singles)
    else:
        reply = played_reply(who, sequence, first.played, actors(sequence, first.given))
    givens = [one.given for one in singles]
    called = (*(name for given in givens for name in named_units(given)), *(change.unit for change in changes))
    happening = Happening(
        "sequence",
        inputs=raw,
        dice=tuple(die for one in singles for die in one.played.dice),
        out=whole_out(singles),
        changes=changes,
        system=sequence.system.id,
        target=sequence.id,
        by_hand=by_hand,
        units=tuple(dict.fromkeys(called)),
        acting=() if hits_its_unit(sequence) else tuple(name for given in givens for name in acting_units(given)),
        result=whole_result(singles),
        joins=tuple(join for one in singles for join in one.played.settlement.joins),
    )
    return Outcome(reply, happening)


def acting_units(given: Given) -> tuple[str, ...]:
    """The roster units that act by these inputs, as opposed to those that are acted on."""
    single = [unit.name for key, unit in given.roster.items() if key in ACTING]
    listed = [unit.name for key, units in given.lists.items() if key in ACTING for unit in units]
    return tuple(dict.fromkeys(name for name in (*single, *listed) if name))


def named_units(given: Given) -> tuple[str, ...]:
    """The roster units that the inputs call, each once, in order."""
    listed = [unit.name for units in given.lists.values() for unit in units]
    return tuple(dict.fromkeys(name for name in (*(unit.name for unit in given.roster.values()), *listed) if name))


def _owed(owed: DieOwed, spec: CommandSpec, raw: Mapping[str, object]) -> UserError:
    given = ",".join(map(str, owed.given))
    again = command_text(spec, {**raw, "hand": f"{given},?" if given else "?"})
    return UserError(
        f"Nothing is recorded yet. Next die: {owed.label} ({owed.sides}).",
        hint=Phrase("Roll it and type: ", Typed(again)),
        option="hand",
        code="die-owed",
        about=owed,
    )
