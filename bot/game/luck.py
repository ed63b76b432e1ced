"""Luck against expectation: what results were worth, and what the exact odds of the same inputs promise.

Derived from the log. Left out are dice by hand, undone events, whatever was sealed."""

import json
from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import erf, sqrt
from typing import Any, NamedTuple

from bot.game.events import plays_of, system_of, whole_shot
from bot.game.state import Json, unit_from_json
from bot.game.tracks import filled_in
from bot.rules.errors import UserError
from bot.rules.inputs.units import Roster, by_name
from bot.rules.odds.by_unit import named_rows
from bot.rules.odds.odds import Distribution, joint, shown
from bot.rules.odds.rolls import TooManyStates
from bot.rules.sequence.sequence import Row
from bot.systems.catalog import system
from bot.systems.system import Sequence

ENOUGH = 30
"""Rolls below which nothing is said about luck."""
BUDGET = 30_000
SAME = 1e-9
"""What two worths differ by at most that were added up in another order."""


class Worth(NamedTuple):
    """What a result was worth, mean and variance of what it could have been, the exact chances of at least as much and
    of more."""

    got: float
    mean: float
    variance: float
    at_least: Fraction
    more: Fraction


class Try(NamedTuple):
    """One sequence played with the game's dice: enough to count its odds again."""

    side: str
    system: str
    sequence: str
    inputs: str  # canonical JSON, with the units used
    out: str
    number: int = 0  # of its event

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Equal for tries that are worth the same."""
        return self.system, self.sequence, self.inputs, self.out

    @property
    def digest(self) -> bytes:
        """The same in few bytes."""
        return sha256("\n".join(self.key).encode("utf-8", "replace")).digest()


@dataclass(frozen=True, slots=True)
class Luck:
    """Tries of one side and kind added up."""

    count: int = 0
    worth: float = 0.0
    mean: float = 0.0
    variance: float = 0.0

    @property
    def z(self) -> float:
        """How many standard deviations above what was to be expected."""
        return (self.worth - self.mean) / sqrt(self.variance) if self.variance > 0 else 0.0


def unusual(z: float) -> tuple[str, str]:
    """`("luckier", "97.5")`, than so many in 100 such games, for what is so many standard deviations above what was to
    be expected; ("", "") for about what the odds promise."""
    below = 50 * (1 + erf(z / sqrt(2)))
    if 20 <= below <= 80:
        return "", ""
    word, share = ("luckier", below) if below > 80 else ("unluckier", 100 - below)
    return word, f"{min(99.9, share):.3g}"


def summed(worths: Many[Worth]) -> Luck:
    """Tries added up in this order."""
    got, mean = sum((one.got for one in worths), 0.0), sum((one.mean for one in worths), 0.0)
    return Luck(len(worths), got, mean, sum((one.variance for one in worths), 0.0))


OF_TARGETS = (("nhis", "morale"), ("lnlt", "bail-out"), ("baps", "crash"))
"""Sequences whose scores are those of the units that they befall, whoever rolls: the higher, the better for these."""
OF_FIRST = (("baps", "melee"),)
"""Sequences whose scores are those of the first unit's side."""


def tries_in(bodies: Iterable[str], sides: Many[str]) -> list[Try]:
    """The sequences among some events that count unless they are undone. Without sides each person counts alone."""
    found, asking = [], dict[int, Json]()
    for event in map(json.loads, bodies):
        if "asks" in event:  # it counts once it is known what is chosen
            asking[event["number"]] = event
            continue
        if event["kind"] == "choice" and event["event"] in asking:
            event = _chosen(event, asking)
        if event["kind"] != "sequence" or event.get("hand") or not event.get("dice"):
            continue
        played = system_of(event)
        if played is None or not played.scores(event["target"]):
            continue
        side = scored_side(event, sides) if sides else event["who"]
        for one in plays_of(event):
            tracks = filled_in(one.get("read", {}), played.tracks)
            inputs = {"raw": {**one.get("inputs", {}), **tracks}, "used": event.get("used", [])}
            found.append(
                Try(
                    side,
                    played.key,
                    event["target"],
                    json.dumps(inputs, sort_keys=True),
                    json.dumps(one.get("out", {}), sort_keys=True),
                    event["number"],
                )
            )
    return found


def _chosen(event: Json, asking: Mapping[int, Json]) -> Json:
    """A choice as the sequence that it carries on; as it is where dice of that fell by hand, or are not known."""
    first = asking[event["event"]]
    while first["kind"] == "choice" and first["event"] in asking and not first.get("hand"):
        first = asking[first["event"]]
    if first["kind"] == "choice" or first.get("hand"):
        return event
    whole = whole_shot(event, asking)
    inputs, dice = {**whole["inputs"], **whole["chosen"]}, [*whole["fell"], *event.get("dice", ())]
    return {**whole, "kind": "sequence", "inputs": inputs, "dice": dice}


def scored_side(event: Mapping[str, Any], sides: Many[str]) -> str:
    """Whose luck a sequence is: that of the side that acts, so a casualty is never luck for those who suffer it."""
    used, acting = event.get("used", ()), event.get("acting", ())
    sequence = (event["system"], event["target"])
    own: str = event["side"]
    chosen = used[:1] if sequence in OF_FIRST else [unit for unit in used if unit["name"] in acting]
    theirs = {unit.get("side", "") for unit in chosen or used} - {""}
    if len(theirs) != 1:
        return own
    (side,) = theirs
    if chosen or sequence in OF_TARGETS:
        return str(side)
    if len(sides) != 2 or (own and own != side):
        return own
    return next(other for other in sides if other != side)  # they rolled what befell their own units


def worth_of(system_id: str, sequence_id: str, inputs: str, out: str) -> Worth | None:
    """What one try was worth, with exact mean and variance; None where its results have no score.

    All targets of a list count together where their odds can be counted together, else the first one alone.
    """
    try:
        sequence = system(system_id).sequence(sequence_id)
        given: Json = json.loads(inputs)
        roster = by_name(unit_from_json(unit) for unit in given["used"])
        return worth(sequence, given["raw"], roster, json.loads(out))
    except UserError:
        return None  # other tables than today's: its inputs fit no more


def worth(sequence: Sequence, raw: Json, roster: Roster, out: Json) -> Worth | None:
    """What the outputs of one play were worth, and what could have come of it; None where nothing that can come has a
    score. Raises UserError for inputs that the sequence refuses."""
    if not (scores := sequence.system.scores(sequence.id)):
        return None
    chances, played = _chances(sequence, raw, roster, out)
    if not any(_head(word) in scores and str(word) != "none" for key in chances for word in key):
        return None
    values = [(sum(scores.get(_head(word), 0.0) for word in key), chance) for key, chance in chances.items()]
    mean = sum(value * float(chance) for value, chance in values)
    variance = sum((value - mean) ** 2 * float(chance) for value, chance in values)
    got = sum(scores.get(_head(word), 0.0) for word in played)
    at_least = sum((chance for value, chance in values if value >= got - SAME), Fraction(0))
    more = sum((chance for value, chance in values if value > got + SAME), Fraction(0))
    return Worth(got, mean, variance, at_least, more)


def _head(word: object) -> str:
    return str(word).partition(",")[0]  # `wound-1, suppressed` is worth its wound


def _chances(sequence: Sequence, raw: Json, roster: Roster, out: Json) -> tuple[Distribution, list[str]]:
    """The exact chances of all results that count together, and those that came. Raises UserError.

    All targets of a list count together where their odds can be counted together, else the first one alone.
    """
    plan = sequence.plan(sequence.given(sequence.decided(raw), roster))
    rows = named_rows(plan, sequence.odds_by)
    if all("[" in row.paths[0] for row in rows.values()):
        try:
            chances = joint(plan, [*rows], rows, budget=BUDGET)
            played = [_played(row, out) for row in rows.values()]
            played[0] = _found(out, sequence.odds_by) if played[0] is None else played[0]
            return chances, [str(shown(word)) for word in played]
        except TooManyStates:
            pass
    chances = joint(plan, [sequence.odds_by], budget=BUDGET)
    return chances, [str(shown(_found(out, sequence.odds_by)))]


def _played(row: Row, out: Json) -> Any:
    """The row's result in finished outputs; None where it has none."""
    return row.read({path: value for path in row.paths if (value := _found(out, path)) is not None})


def _found(out: Json, path: str) -> Any:
    """The value at a path of the outputs; None where it is absent."""
    here: Any = out
    for piece in path.replace("]", "").replace("[", ".").split("."):
        if isinstance(here, list) and piece.isdecimal() and int(piece) < len(here):
            here = here[int(piece)]
        elif isinstance(here, dict) and piece in here:
            here = here[piece]
        else:
            return None
    return here


def many_worths(keys: list[tuple[str, str, str, str]]) -> list[Worth | None]:
    """`worth_of` for each of several tries."""
    return [worth_of(*key) for key in keys]
