"""Every game and pack x each state in which a unit is out of the game x each input for units: the unit
is refused as attacker and as target, nothing offers it, it counts as lost wherever units are counted,
and verification names a log in which it acted.

Generated from the rule sets and their scenarios. An input takes a lost unit only if its `likely` names
the state; `TAKEN` lists these, so that none is added by accident.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from adapters.discord.modal import ROOM
from bot.game.counter_faces import can_have
from bot.game.losses import count_losses
from bot.game.state import Game, build_roster
from bot.presentation.firers_and_targets import resolve_unit_names
from bot.presentation.unit_reasons import find_reason
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.system import Sequence, System, list_builtin_systems, list_lost_states
from bot.ui.form.form import build_form
from bot.ui.registry import build_sequence_spec
from bot.ui.typing.command_text import format_command, parse_text
from bot.ui.typing.complete import keep_usable_context
from bot.verification.replay import find_replay_faults
from tests.playing import Channel
from tests.seams.every_unit_helpers import FOLDER, PACKS

UsePacks = Callable[[Path], None]
SYSTEMS = {
    system.id: system for system in (*list_builtin_systems().values(), *map(load_pack, PACKS))
}
CASES = [(id, state) for id, system in SYSTEMS.items() for state in list_lost_states(system)]
TAKEN = {("lnlt", "bail-out", "unit", "destroyed")}
"""Inputs that take a lost unit: (system, sequence, option, state)."""
BLANK = ("asl-fire",)
"""Packs in which nothing can be played until the owner of the card fills in a table."""
BY_ITSELF = ("unit-gone", "unit-unfit", "nobody", "card-refuses")
"""Codes of refusals of a lost unit. A sequence may refuse it before the game does."""


class Shot(NamedTuple):
    """A command that is accepted while its unit is sound."""

    sequence: Sequence
    option: Option
    unit: RosterUnit
    line: str


def list_taken() -> Iterator[tuple[str, str, str, str]]:
    """Yield each input of a sequence that takes units in a lost state."""
    for id, system in SYSTEMS.items():
        for sequence in system.sequences.values():
            for option in sequence.inputs:
                for state in list_lost_states(system):
                    if option.type in ("unit", "units") and state in option.likely:
                        yield id, sequence.id, option.name, state


def list_shots(system: System, game: Game, state: str) -> list[Shot]:
    """Return a command for each input for units that takes some unit of the roster, in which all
    other inputs are those of the example.
    """
    roster = build_roster(game)
    units = [unit for unit in game.units.values() if can_have(unit, state, system)]
    shots = []
    for sequence in system.sequences.values():
        for option in sequence.inputs:
            if option.type not in ("unit", "units"):
                continue
            for unit in units:
                if find_reason(sequence, option, unit) is not None:
                    continue
                options = {**sequence.example, option.name: unit.handle}
                try:
                    named, _ = resolve_unit_names(sequence, options, roster, unit.side)
                    sequence.plan(sequence.read_inputs(named, roster))
                except UserError:
                    continue
                shots.append(Shot(sequence, option, unit, write(sequence, options)))
                break
    return shots


def write(sequence: Sequence, options: dict[str, object]) -> str:
    """Return the command with these options as it is typed."""
    return format_command(build_sequence_spec(sequence), options)


async def seated(id: str, use_packs: UsePacks) -> tuple[Channel, System]:
    """Return a channel with the first scenario of a game, directed by Anna. An extension is played
    with the units of its base.
    """
    use_packs(FOLDER)
    system = load_shared_systems()[id]
    base = load_shared_systems()[system.home]
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {base.id} scenario={next(iter(base.scenarios))}")
    return channel, system


async def lose(channel: Channel, units: list[RosterUnit], state: str) -> None:
    """Put the units into the state."""
    for unit in units:
        await channel.do("Anna", f"unit edit {unit.handle} state={state}")


def test_no_other_input_takes_a_lost_unit() -> None:
    assert {*list_taken()} == TAKEN


@pytest.mark.parametrize(("id", "state"), CASES)
async def test_a_lost_unit_is_refused_and_not_offered(
    id: str, state: str, use_packs: UsePacks
) -> None:
    channel, system = await seated(id, use_packs)
    game = await channel.game()
    shots = list_shots(system, game, state)
    assert bool(shots) == (id not in BLANK)
    await lose(channel, [*{shot.unit.handle: shot.unit for shot in shots}.values()], state)
    for shot in shots:
        is_taken = state in shot.option.likely
        reply = await channel.meant("Anna", await channel.say("Anna", shot.line))
        if is_taken:
            assert not reply.error, f"{shot.line}: {reply.format_text()}"
            await channel.undo_last("Anna")
            continue
        if reply.private and not reply.error:
            continue  # a question, and nothing was rolled
        assert reply.error, f"{shot.line}: {reply.format_text()}"
        assert reply.code in BY_ITSELF, f"{shot.line}: {reply.format_text()}"
        assert await list_offers(channel, shot) == [], shot.line


async def list_offers(channel: Channel, shot: Shot) -> list[str]:
    """Return where the unit of a shot is offered for its option: in the form, or while typing."""
    anna = channel.who("Anna")
    registry = await channel.app.load_registry(channel.place)
    spec, options = parse_text(shot.line, registry)
    context = await channel.app.get_form_context(spec, channel.place, anna)
    form = build_form(spec, {}, keep_usable_context(context, spec), ROOM)
    offers = []
    for field in form.fields:
        if field.option is not None and field.option.name == shot.option.name:
            if shot.unit.handle in {pick.value for pick in field.picks or ()}:
                offers.append("the form")
    others = {name: value for name, value in options.items() if name != shot.option.name}
    choices = await channel.app.complete_option(
        spec.path, shot.option.name, "", others, anna, channel.place
    )
    if shot.unit.handle in {choice.value for choice in choices}:
        offers.append("completion")
    return offers


@pytest.mark.parametrize(("id", "state"), CASES)
async def test_a_lost_unit_counts_as_lost(id: str, state: str, use_packs: UsePacks) -> None:
    channel, system = await seated(id, use_packs)
    units = [*(await channel.game()).units.values()]
    unit = next(unit for unit in units if can_have(unit, state, system))
    await lose(channel, [unit], state)
    lost_unit = replace(unit, state=state)
    assert count_losses([lost_unit], {}, system).lost == (unit.name,)
    status = (await channel.do("Anna", "game status")).format_text()
    assert ", 1 lost" in status or not unit.side, status
    for command in ("unit list", "game board"):
        text = (await channel.do("Anna", command)).format_text()
        label = f"{unit.side} lost" if unit.side else "Lost"
        assert f"{label}: " in text, text


@pytest.mark.parametrize(("id", "state"), CASES)
async def test_a_log_in_which_a_lost_unit_acted_is_named(
    id: str, state: str, use_packs: UsePacks
) -> None:
    channel, system = await seated(id, use_packs)
    game = await channel.game()
    shots = [shot for shot in list_shots(system, game, state) if state not in shot.option.likely]
    for shot in shots:
        reply = await channel.meant("Anna", await channel.say("Anna", shot.line))
        if reply.error or reply.private:
            continue  # it needs more than its example, such as an order
        loaded = await channel.app.games.load_current(channel.place.key)
        assert loaded is not None
        events = await channel.app.store.load_events(loaded.row)
        event = events[-1].data
        lost_unit = replace(game.units[shot.unit.name.casefold()], state=state)
        forged = replace(game, units={**game.units, shot.unit.name.casefold(): lost_unit})
        faults = [*find_replay_faults(forged, event, load_shared_systems())]
        is_named = f"{shot.unit.name} had left the fight." in faults
        assert is_named or "lead to no outcome" in faults[0], faults
        return
    assert id in BLANK
