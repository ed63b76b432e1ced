"""What a sequence can come to, with the units of its example on a roster: for seams that try
every outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from bot.game.roster_file import find_scenario
from bot.game.state import build_roster
from bot.presentation.derived_inputs import add_derived_inputs, derive_inputs_from_units
from bot.rules.errors import UserError
from bot.rules.inputs.options import ACTING, Option, format_number
from bot.rules.inputs.units import Roster, RosterUnit, Unit
from bot.rulesets.play_once import play_sequence
from bot.rulesets.system import Sequence
from tests.playing import Channel

DRAWS = 200
NAME = "Zebra"
PHASES_BEFORE = {("asl", "smoke"): 2}
"""How many phases go by before one that the card names for a sequence."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A sequence that can be typed in a channel: its inputs, all of whose units are on the
    roster.
    """

    sequence: Sequence
    raw: dict[str, object]
    roster: Roster
    channel: Channel

    def outcomes(self, most: int) -> Iterator[tuple[tuple[object, ...], str]]:
        """What it may come to, each once, with dice that bring it about, as they are typed."""
        full, seen = (
            add_derived_inputs(
                self.raw, derive_inputs_from_units(self.sequence, self.raw, self.roster)
            ),
            set[object](),
        )
        for at in range(DRAWS):
            dice = Drawn(Random(f"{self.sequence.system.id} {self.sequence.id} {at}"))
            settled = play_sequence(self.sequence, full, dice, self.roster).resolution
            key = tuple((fate.unit, fate.token) for fate in settled.unit_results) or (
                settled.headline,
            )
            if key not in seen and len(seen) < most:
                seen.add(key)
                yield key, ",".join(map(str, dice.faces))


class Drawn:
    """Dice from a seed, which are kept to be typed."""

    def __init__(self, draw: Random) -> None:
        self._draw, self.faces = draw, list[object]()

    def draw(self, die: Any) -> Any:
        self.faces.append(self._draw.choice([*(die.faces or range(1, die.sides + 1))]))
        return self.faces[-1]


async def ready(sequence: Sequence) -> Ready:
    """A game with the units of the sequence's example; those that it leaves out are taken from
    scenarios.
    """
    system, raw = sequence.system, dict(sequence.example)
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start {system.id} Farm sides="A, B"')
    for _ in range(PHASES_BEFORE.get((system.id, sequence.id), 0)):
        await channel.do("Anna", "game next")
    given, count = sequence.read_inputs(raw, {}), 0
    wanted = [option for option in sequence.inputs if option.type in ("unit", "units")]
    for option in wanted:
        single = [unit for key, unit in given.roster.items() if key == option.name]
        names = []
        for unit in (
            (given.units(option.name) if option.type == "units" else single)
            if option.name in raw
            else ()
        ):
            count += 1
            await channel.do("Anna", _added(sequence, option, unit, f"{NAME} {count}"))
            names.append(f"{NAME} {count}")
        raw |= {option.name: "; ".join(names)} if names else {}
    roster = build_roster(await channel.game())
    for option in wanted:
        for one in _of_scenarios(sequence) if option.name not in raw else ():
            name = f"{NAME} {count + 1}"
            trial = {**raw, option.name: name}
            if _takes(
                sequence, trial, {**roster, name.casefold(): replace(one, name=name, handle="z1")}
            ):
                await channel.do("Anna", _added(sequence, option, one, name))
                raw, roster, count = trial, build_roster(await channel.game()), count + 1
                break
    return Ready(sequence, raw, roster, channel)


def _of_scenarios(sequence: Sequence) -> list[RosterUnit]:
    system = sequence.system
    units = [unit for one in system.scenarios for unit in find_scenario(system, one).units.values()]
    return [unit for unit in units if "loadout" not in unit.numbers]


def _takes(sequence: Sequence, raw: dict[str, object], roster: Roster) -> bool:
    try:
        sequence.plan(
            sequence.read_inputs(
                add_derived_inputs(raw, derive_inputs_from_units(sequence, raw, roster)), roster
            )
        )
    except UserError:
        return False
    return True


def _added(sequence: Sequence, option: Option, unit: Unit | RosterUnit, name: str) -> str:
    """What adds a unit as it is typed in an example: a weapon there is what an element carries
    here.
    """
    system, words = sequence.system, sequence.system.words["units"]
    known, flags = system.game["units"]["attributes"], getattr(unit, "flags", frozenset[str]())
    numbers = dict(unit.numbers) | (
        {"weapon": unit.type} if unit.type not in words.types and unit.type else {}
    )
    said = [
        f"{key}={format_number(value)}"
        for key, value in numbers.items()
        if key in known and value not in ("", ())
    ]
    said += [
        f"state={state}"
        for state in words.known_states
        if flags and {*words.states.get(state, ())} == flags
    ][:1]
    type_ = unit.type if unit.type in words.types else words.types[0]
    return f'unit add "{name}" {type_} {"A" if option.name in ACTING else "B"} stats="{" ".join(said)}"'
