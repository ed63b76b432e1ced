"""Every scenario x every form x every menu x every entry x each platform: what a form offers is what
its sequence takes, and what it marks with a reason is refused.

Generated from the registry and the scenarios of games and packs, so that new ones join by
themselves. Left out: entries together with others; they are sent alone, and all else as the form
opens, with the first entry or a 5 where the platform insists on something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.discord.modal import ROOM as MODAL
from adapters.slack.modal import ROOM as VIEW
from bot.answers.firers_and_targets import in_names
from bot.interface.form.form import COMPARE, HAND, ODDS, SECRET, Field, Form, Room, form_of
from bot.interface.form.submission import take
from bot.interface.form.unit_menu import MORE, TYPED
from bot.interface.registry import registry
from bot.interface.spec import CommandSpec
from bot.interface.typing.command_text import parse_text
from bot.interface.typing.complete import Known, fitting
from bot.places.form_rights import FOR_PLAYERS
from bot.places.forms import action_of
from bot.rules.errors import UserError
from bot.rules.inputs.options import OF_HEX, OF_TARGET
from bot.rules.inputs.units import by_name
from bot.systems.catalog import systems
from bot.systems.packs.pack import is_pack, load_pack
from bot.systems.system import FIRES, built_in
from tests.form_sending import send_on_discord, send_on_slack
from tests.playing import Channel

ROOT = Path(__file__).parents[2]
PACKS = [load_pack(folder) for folder in sorted(filter(is_pack, (ROOT / "packs").iterdir()))]
SCENARIOS = [(one.id, name) for one in (*built_in().values(), *PACKS) for name in one.scenarios]
ROOMS = {"Discord": MODAL, "Slack": VIEW}
NEVER = ("wrong-type", "unit-needs", "unit-unfit", "unit-gone", "no-firepower", "no-weapon")
"""Codes of refusals for what a unit is or lacks."""
UsePacks = Callable[[Path], None]


async def seated(game: str, scenario: str) -> Channel:
    """Return a channel with a scenario in which Anna plays the first side, or solo."""
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {game} scenario={scenario}")
    sides = (await channel.game()).sides
    if sides:
        await channel.do("Anna", f'game join "{sides[0]}"')
    return channel


def send(form: Form, values: dict[str, object], spec: CommandSpec, room: Room) -> dict[str, object]:
    """Return what the client of a platform sends of a form."""
    sent = send_on_discord(form, values) if room is MODAL else send_on_slack(form, values, spec)
    return dict(sent)


def menus(form: Form) -> Iterator[Field]:
    """Yield the menus of units of a form."""
    for field in form.fields:
        option = field.option
        if option is not None and field.picks and option.type in ("unit", "units"):
            yield field


def refusal(
    spec: CommandSpec, known: Known, form: Form, field: Field, handle: str, room: Room
) -> UserError | None:
    """Return why the sequence refuses a form in which one entry of a menu is chosen; None if it
    takes it.
    """
    taken = take(spec, known, form, send(form, {field.name: [handle]}, spec, room))
    if taken.problem is not None:
        return taken.problem
    system = systems()[spec.system]
    sequence = system.sequences[spec.target]
    ways = (ODDS, COMPARE, SECRET, HAND, "rounds")
    options = {name: value for name, value in taken.options.items() if name not in ways}
    roster = by_name(known.roster)
    try:
        written, _ = in_names(sequence, options, roster, known.own_side)
        sequence.plan(sequence.given(written, roster))
    except UserError as error:
        return error
    return None


def is_for_unit(
    error: UserError, field: Field, handle: str, spec: CommandSpec, known: Known
) -> bool:
    """Return whether a refusal is about what the unit of a menu is or lacks.

    A number that no unit of its side has is asked for in a field of its own.
    """
    if error.code in NEVER:
        return error.option in (field.name, "", None)
    needed = spec.option(error.option or "")
    if error.code != "missing" or needed is None:
        return False
    holder, _, key = needed.brings.partition(".")
    (side,) = {unit.side for unit in known.roster if unit.handle == handle}
    units = [unit for unit in known.roster if unit.side == side]
    return holder == field.name and any(key in unit.numbers for unit in units)


async def send_all(game: str, scenario: str, names: tuple[str, ...] | None = None) -> int:
    """Send each entry of each menu of a scenario's forms; return how many entries there were."""
    channel = await seated(game, scenario)
    anna = channel.who("Anna")
    count = 0
    for spec in registry().below((game,)):
        if spec.family != "sequence" or (names is not None and spec.target not in names):
            continue
        known = fitting(await channel.app.get_form_context(spec, channel.place, anna), spec)
        for platform, room in ROOMS.items():
            form = form_of(spec, {}, known, room)
            for field in menus(form):
                reasons = known.reasons.get(field.name, {})
                is_first = True
                for pick in field.picks:
                    if pick.value == MORE or pick.value.startswith(TYPED):
                        continue
                    count += 1
                    error = refusal(spec, known, form, field, pick.value, room)
                    where = (platform, spec.name, field.name, pick.label, str(error))
                    assert not pick.chosen, where
                    if pick.value in reasons:
                        is_first = False
                        assert reasons[pick.value].brief in pick.label, where
                        continue
                    assert is_first, f"{where}: behind one that cannot act"
                    assert error is None or not is_for_unit(
                        error, field, pick.value, spec, known
                    ), where
    return count


@pytest.mark.sample(6)
@pytest.mark.parametrize(("game", "scenario"), SCENARIOS)
async def test_the_first_menu_of_a_scenario_offers_what_its_sequence_takes(
    game: str, scenario: str, use_packs: UsePacks
) -> None:
    use_packs(ROOT / "packs")
    first = next(iter(systems()[game].sequences))
    attacks = [one.id for one in systems()[game].sequences.values() if one.verb in FIRES]
    await send_all(game, scenario, (*attacks[:1], first)[:1])


@pytest.mark.slow
@pytest.mark.parametrize(("game", "scenario"), SCENARIOS)
async def test_every_menu_of_a_scenario_offers_what_its_sequence_takes(
    game: str, scenario: str, use_packs: UsePacks
) -> None:
    use_packs(ROOT / "packs")
    assert await send_all(game, scenario) > 10
