"""Every scenario x every form x every menu x every entry x each platform: what a form offers is what
its sequence takes, and what it marks with a reason is refused.

Generated from the registry and the scenarios of games and packs, so that new ones join by
themselves. Left out: entries together with others; they are sent alone, and all else as the form
opens, with the first entry or a 5 where the platform insists on something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.discord.modal import ROOM as MODAL
from adapters.form_handling import begin_form
from adapters.slack.modal import ROOM as VIEW
from bot.commands.dispatch import load_shared_registry
from bot.commands.play.answer_buttons import find_retarget_option, replace_targets
from bot.forms.form_rights import FOR_PLAYERS
from bot.presentation.firers_and_targets import resolve_unit_names
from bot.rules.errors import UserError
from bot.rules.inputs.options import OF_HEX
from bot.rules.inputs.units import RosterUnit, index_by_name
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.pack import is_pack, load_pack
from bot.rulesets.system import list_builtin_systems
from bot.ui.form.form import (
    COMPARE,
    HAND,
    ODDS,
    SECRET,
    Field,
    Form,
    Room,
    build_form,
    get_lasting_inputs,
)
from bot.ui.form.form_buttons import DRAFT_FAMILIES, get_draft_action
from bot.ui.form.submission import evaluate_form
from bot.ui.form.unit_menu import MORE, TYPED
from bot.ui.reply.reply import build_error_reply
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import parse_text
from bot.ui.typing.complete import CompletionContext, keep_usable_context
from tests.form_sending import send_on_discord, send_on_slack
from tests.playing import Channel

ROOT = Path(__file__).parents[2]
PACKS = [load_pack(folder) for folder in sorted(filter(is_pack, (ROOT / "packs").iterdir()))]
SLOW = ("asl",)
"""Games whose steps take seconds to be read."""
SCENARIOS = [
    pytest.param(one.id, name, marks=pytest.mark.slow if one.id in SLOW else ())
    for one in (*list_builtin_systems().values(), *PACKS)
    for name in one.scenarios
]
ROOMS = {"Discord": MODAL, "Slack": VIEW}
NEVER = ("wrong-type", "unit-needs", "unit-unfit", "unit-gone", "no-firepower", "no-weapon")
"""Codes of refusals for what a unit is or lacks."""
BLANK = "blank-cell"
"""A pack whose table the owner of the card fills in."""
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
    spec: CommandSpec, known: CompletionContext, form: Form, field: Field, handle: str, room: Room
) -> UserError | None:
    """Return why the sequence refuses a form in which one entry of a menu is chosen; None if it
    takes it.
    """
    taken = evaluate_form(spec, known, form, send(form, {field.name: [handle]}, spec, room))
    if taken.problem is not None:
        return taken.problem
    system = load_shared_systems()[spec.system]
    sequence = system.sequences[spec.target]
    ways = (ODDS, COMPARE, SECRET, HAND, "rounds")
    options = {name: value for name, value in taken.options.items() if name not in ways}
    roster = index_by_name(known.roster)
    try:
        written, _ = resolve_unit_names(sequence, options, roster, known.own_side)
        sequence.plan(sequence.read_inputs(written, roster))
    except UserError as error:
        return error
    return None


def is_for_unit(
    error: UserError, field: Field, handle: str, spec: CommandSpec, known: CompletionContext
) -> bool:
    """Return whether a refusal is about what the unit of a menu is or lacks.

    A number that no unit of its side has is asked for in a field of its own.
    """
    if error.code in NEVER:
        return error.option in (field.name, "", None)
    needed = spec.find_option(error.option or "")
    if error.code != "missing" or needed is None:
        return False
    holder, _, key = needed.brings.partition(".")
    (side,) = {unit.side for unit in known.roster if unit.handle == handle}
    units = [unit for unit in known.roster if unit.side == side]
    return holder == field.name and any(key in unit.numbers for unit in units)


async def send_all(game: str, scenario: str) -> int:
    """Send each entry of each menu of a scenario's forms; return how many entries there were."""
    channel = await seated(game, scenario)
    anna = channel.who("Anna")
    count = 0
    for spec in load_shared_registry().list_below((game,)):
        if spec.family != "sequence":
            continue
        known = keep_usable_context(
            await channel.app.get_form_context(spec, channel.place, anna), spec
        )
        for platform, room in ROOMS.items():
            form = build_form(spec, {}, known, room)
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


@pytest.mark.sample(3)
@pytest.mark.parametrize(("game", "scenario"), SCENARIOS)
async def test_every_menu_of_a_scenario_offers_what_its_sequence_takes(
    game: str, scenario: str, use_packs: UsePacks
) -> None:
    use_packs(ROOT / "packs")
    assert await send_all(game, scenario) > 10


# The example of every sequence, sent


def sequences_with_example(game: str) -> list[CommandSpec]:
    """Return the commands of a game that roll and have an example."""
    return [
        spec
        for spec in load_shared_registry().list_below((game,))
        if spec.example and spec.find_option(SECRET) is not None
    ]


async def send_example(channel: Channel, spec: CommandSpec, room: Room) -> str:
    """Fill a form from the command's example and send it; return the code of its refusal."""
    anna = channel.who("Anna")
    example = dict(parse_text(spec.example, load_shared_registry()).options)
    draft = await channel.app.forms.create_draft(spec, example, anna)
    known = keep_usable_context(await channel.app.get_form_context(spec, channel.place, anna), spec)
    form = build_form(await channel.app.get_form_spec(draft, channel.place), example, known, room)
    taken = evaluate_form(spec, known, form, send(form, {}, spec, room))
    if taken.problem is not None:
        return taken.problem.code
    await channel.app.drafts.put(draft._replace(options=taken.options))
    reply = await channel.press("Anna", get_draft_action(taken.roll_mode, draft.key, taken.options))
    reply = await channel.meant("Anna", reply)
    return f"{reply.code} {reply.format_text()}" if reply.error else ""


@pytest.mark.sample(2)
@pytest.mark.parametrize("game", [one.id for one in (*list_builtin_systems().values(), *PACKS)])
async def test_the_form_of_a_sequence_filled_from_its_example_is_sent(
    game: str, use_packs: UsePacks
) -> None:
    use_packs(ROOT / "packs")
    specs = sequences_with_example(game)
    for room in ROOMS.values():
        for spec in specs:
            refused = await send_example(await Channel.fresh(), spec, room)
            assert not refused or refused.startswith(BLANK), (spec.name, refused)


# What belongs to the target


OPTIONS = [
    (system, sequence, option)
    for system in (*list_builtin_systems().values(), *PACKS)
    for sequence in system.sequences.values()
    for option in sequence.inputs
    if option.of
]


def test_what_belongs_to_the_target_does_not_carry_over_to_the_next() -> None:
    """Neither into a new form nor into the same shot at another target, but for its hex there."""
    unit = RosterUnit("Rifle 1", "us1", "squad", "US")
    other = RosterUnit("Cell 1", "vc1", "squad", "VC")
    assert len(OPTIONS) > 60
    for system, sequence, option in OPTIONS:
        spec = load_shared_registry().get((system.id, sequence.id))
        if spec is None:
            continue  # of a pack, which is not in use here
        known = CompletionContext((unit, other), ("US", "VC"), own_side="US", system=system.id)
        last = {one.name: "1" for one in spec.options if one.type in ("int", "number", "enum")}
        kept = get_lasting_inputs(spec, last, known)
        assert option.name not in kept, (spec.name, option.name)
        target = find_retarget_option(spec)
        if target is not None:
            shot = replace_targets(spec, {option.name: "1"}, target, [other])
            assert option.name not in shot, (spec.name, option.name)
            near = replace_targets(spec, {option.name: "1"}, target, [other], same_hex=True)
            assert (option.name in near) == (option.of == OF_HEX), (spec.name, option.name)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("lnlt fire tm lm degrading", "lm"),
        ("lnlt ordnance-vehicle to_hit penetration armor tm", "to_hit penetration"),
        ("baps fire range stance cover", "range"),
        ("nhis fire distance terrain feature visibility", "distance visibility"),
    ],
)
def test_what_belongs_to_the_firer_is_filled_in_again(line: str, kept: str) -> None:
    game, name, *options = line.split()
    spec = load_shared_registry().get((game, name))
    assert spec is not None
    known = CompletionContext((RosterUnit("A", "a1", "squad"),), system=game)
    assert [*get_lasting_inputs(spec, dict.fromkeys(options, "1"), known)] == kept.split()


# Who may send it


async def test_a_form_opens_only_for_who_may_send_it(use_packs: UsePacks) -> None:
    """Of every combat sequence of a scenario, and of the commands that only players may send."""
    use_packs(ROOT / "packs")
    for game, scenario in (("lnlt", "ford"), ("three-mills", "sorrel")):
        channel = await seated(game, scenario)
        sides = (await channel.game()).sides
        carl = channel.who("Carl")
        specs = [
            spec for spec in load_shared_registry().list_below((game,)) if spec.family == "sequence"
        ]
        specs += [
            spec for path in FOR_PLAYERS if (spec := load_shared_registry().get(path)) is not None
        ]
        assert len(specs) > len(FOR_PLAYERS)
        for spec in specs:
            with pytest.raises(UserError) as refused:
                await begin_form(channel.app, MODAL, spec, {}, carl, channel.place)
            assert refused.value.code == "not-player", spec.name
            labels = [button.label for button in refused.value.buttons]
            assert labels[: len(sides)] == [f"Join {side}" for side in sides], spec.name
            if spec.find_option(ODDS) is not None:
                assert labels[-1] == "Look at the odds", spec.name
                await begin_form(channel.app, MODAL, spec, {ODDS: True}, carl, channel.place)
            await begin_form(channel.app, MODAL, spec, {}, channel.who("Anna"), channel.place)
        joined = await channel.press("Carl", refused.value.buttons[0].action)
        assert not joined.error
        await begin_form(channel.app, MODAL, specs[0], {}, carl, channel.place)


async def test_a_player_is_told_before_the_form_whose_the_unit_is() -> None:
    channel = await seated("lnlt", "ford")
    await channel.do("Bob", "game join VC")
    bob = channel.who("Bob")
    with pytest.raises(UserError, match="Rifle 1 belongs to US; you play VC"):
        await channel.app.forms.open_draft("lnlt fire us1", bob, channel.place)
    await channel.app.forms.open_draft("lnlt fire us1 odds", bob, channel.place)
    await channel.app.forms.open_draft("lnlt fire vc1 us1", bob, channel.place)
    refused = await channel.say("Bob", "game join US")
    assert [button.label for button in refused.buttons] == ["Leave VC"]


async def test_a_bare_combat_command_without_a_game_offers_a_scenario_first() -> None:
    channel = await Channel.fresh()
    anna = channel.who("Anna")
    spec = load_shared_registry().get(("lnlt", "fire"))
    assert spec is not None
    offer = await channel.app.forms.offer_scenario(spec, {}, anna, channel.place)
    assert offer is not None
    start, typed = offer.buttons
    assert start.label == "Start The Ford at Dawn"
    form = await channel.app.forms.open_draft(
        start.action.removeprefix("form:"), anna, channel.place
    )
    assert form.options == {"system": "lnlt", "scenario": "ford"}
    draft = await channel.app.forms.open_draft(
        typed.action.removeprefix("form:"), anna, channel.place
    )
    assert draft.path == ("lnlt", "fire")
    await channel.do("Anna", "lnlt fire attackers='squad fp 2' targets='squad morale 5'")
    again = await channel.app.forms.offer_scenario(spec, {}, anna, channel.place)
    assert again is None, "who typed units before gets the form with them"


# Words


CODE = re.compile(r"=|(^|\s)/\w|\w_\w|OK")
"""What no title, label or placeholder of a form holds."""


@pytest.mark.parametrize("room", ROOMS.values(), ids=[*ROOMS])
def test_no_form_shows_code_words(room: Room, use_packs: UsePacks) -> None:
    """Neither without a game nor with a roster. A placeholder of units can be typed as it is."""
    use_packs(ROOT / "packs")
    count = 0
    for spec in load_shared_registry():
        if not spec.options:
            continue
        units = (RosterUnit("Rifle 1", "us1", "squad", "US"),)
        for known in (
            CompletionContext(system=spec.system),
            CompletionContext(units, ("US",), system=spec.system),
        ):
            form = build_form(spec, {}, known, room)
            texts = [form.title, form.verb]
            for field in form.fields:
                texts += [field.label, field.example, *(pick.label for pick in field.picks)]
            for text in texts:
                assert not CODE.search(text), (spec.name, text)
            count += len(texts)
    assert count > 5_000


# Fix it


async def fix_labels(channel: Channel, spec: CommandSpec, code: str, option: str) -> list[str]:
    """Return the buttons under a refusal of a command with this code at this option."""
    error = UserError("This was wrong.", code=code, option=option or None)
    reply = await channel.app.corrections.offer_correction(
        build_error_reply(error), spec, {}, channel.who("Anna")
    )
    return [button.label for button in reply.buttons]


@pytest.mark.parametrize("code", ["no-choice", "not-served", "unknown-topic", "not-shared", "gone"])
async def test_there_is_no_fix_where_no_field_was_wrong(code: str) -> None:
    channel = await Channel.fresh()
    for spec in load_shared_registry():
        if spec.family not in DRAFT_FAMILIES and spec.options:
            assert await fix_labels(channel, spec, code, "") == [], spec.name


async def test_a_fix_leads_to_the_field_that_was_wrong() -> None:
    channel = await Channel.fresh()
    for spec in load_shared_registry():
        if spec.family in DRAFT_FAMILIES or not spec.options:
            continue
        for option in spec.options:
            labels = await fix_labels(channel, spec, "bad-value", option.name)
            assert labels == ([] if option.type == "bool" else ["Fix it"]), (spec.name, option.name)
            form = build_form(spec, {}, CompletionContext(), MODAL, option.name, "This was wrong.")
            (wrong,) = [field for field in form.fields if field.wrong]
            assert option.type == "bool" or option.name in (wrong.name, *wrong.covers), spec.name


@pytest.mark.parametrize("line", ["game share", "choose stand", "help dancing", "help your dice"])
async def test_what_cannot_be_mended_has_no_fix(line: str) -> None:
    channel = await seated("lnlt", "ford")
    anna = channel.who("Anna")
    typed = await channel.app.parse_line(line, channel.place, anna)
    refused = await channel.say("Anna", line)
    assert refused.error, line
    offered = await channel.app.corrections.offer_correction(
        refused, typed.spec, typed.options, anna
    )
    assert "Fix it" not in [button.label for button in offered.buttons]
