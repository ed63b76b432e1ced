"""Every way into a form x odds, secret, own dice, what if: what was asked for is what the form does
when it is sent as it opens. Of every sequence of the registry, so that a new one joins by itself.

Among the ways are macros, whole and with a gap. Left out: the menu of a message, which presses the
buttons of the message and has no options to forget (tests/adapters); lookups and commands outside
play, whose forms ask for no way to roll (checked below); private and public forms of one sequence
differ in nothing that this is about, so each is tried in one game state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.discord.modal import ROOM as MODAL
from adapters.slack.modal import ROOM as VIEW
from bot.commands.dispatch import load_shared_registry
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.catalog import load_shared_systems
from bot.ui.form.form import (
    COMPARE,
    HAND,
    HOW,
    ODDS,
    ROLL,
    SECRET,
    Room,
    build_form,
    opens_form,
    set_roll_mode,
)
from bot.ui.form.form_buttons import DRAFT_FAMILIES, get_draft_action
from bot.ui.form.submission import FormResult, evaluate_form
from bot.ui.reply.reply import Reply, build_error_reply
from bot.ui.spec import Command, CommandSpec
from bot.ui.typing.command_text import format_command, parse_text
from bot.ui.typing.complete import CompletionContext
from tests.form_sending import KEY, send_on_discord, send_on_slack
from tests.playing import Channel, two_sides

ROLLED = [
    spec
    for spec in load_shared_registry()
    if spec.family in DRAFT_FAMILIES and spec.find_option(SECRET) is not None
]
COUNTED = [spec for spec in ROLLED if spec.find_option(ODDS) is not None]
ROOT = Path(__file__).parents[2]
ASKED = {ODDS: ODDS, COMPARE: ODDS, SECRET: SECRET, HAND: HAND, "": ROLL}
"""What a form does that was opened with this given."""
DOES = {ODDS: f"count:{KEY}", SECRET: f"roll:{KEY}", HAND: f"die:{KEY}:", ROLL: f"roll:{KEY}"}


def some_units(spec: CommandSpec) -> CompletionContext:
    game = load_shared_systems().get(spec.system)
    types = [*game.words["units"].types][:2] if game is not None else []
    units = [
        RosterUnit(f"{side} {type_} {n}", f"{side.lower()}{at}{n}", type_, side)
        for side in ("US", "VC")
        for at, type_ in enumerate(types)
        for n in (1, 2)
    ]
    return CompletionContext(tuple(units), ("US", "VC"), own_side="US", system=spec.system)


def given(spec: CommandSpec, way: str) -> dict[str, object]:
    return {way: "6" if way == HAND else True} if way else {}


def ways(spec: CommandSpec) -> Iterator[str]:
    yield from (way for way in ASKED if not way or spec.find_option(way) is not None)


def as_opened(
    spec: CommandSpec, options: dict[str, object], known: CompletionContext, room: Room, **sent: str
) -> FormResult:
    """What comes of a form that is sent as it opens, but for what was chosen in `sent`."""
    form = build_form(spec, options, known, room)
    values = send_on_discord(form, sent) if room is MODAL else send_on_slack(form, sent, spec)
    return evaluate_form(spec, known, form, values)


@pytest.mark.sample(1)
@pytest.mark.parametrize("room", [MODAL, VIEW], ids=["Discord", "Slack"])
@pytest.mark.parametrize("roster", [True, False], ids=["roster", "no roster"])
def test_what_was_asked_is_what_the_form_does(room: Room, *, roster: bool) -> None:
    tried = 0
    for spec in ROLLED:
        known = some_units(spec) if roster else CompletionContext()
        example = (
            dict(parse_text(spec.example, load_shared_registry()).options) if spec.example else {}
        )
        for way in ways(spec):
            if way == COMPARE and spec not in COUNTED:
                continue  # of /roll: a comparison of dice is another roll's odds, and has no way of its own
            for options in ({}, example):
                before = {
                    name: value for name, value in options.items() if name not in ASKED
                } | given(spec, way)
                taken = as_opened(spec, before, known, room)
                assert taken.roll_mode == ASKED[way], (spec.name, way)
                assert get_draft_action(taken.roll_mode, KEY, taken.options).startswith(
                    DOES[taken.roll_mode]
                ), (
                    spec.name,
                    way,
                )
                assert bool(taken.options.get(SECRET)) == (way == SECRET), (spec.name, way)
                again = as_opened(spec, taken.options, known, room)
                assert again.roll_mode == taken.roll_mode, (spec.name, way, "opened once more")
                tried += 2
    assert tried > 700


@pytest.mark.parametrize("room", [MODAL, VIEW], ids=["Discord", "Slack"])
def test_a_form_filled_from_the_example_is_taken_as_it_stands(
    room: Room, use_packs: Callable[[Path], None]
) -> None:
    """Of every sequence of every game and every pack of the project."""
    use_packs(ROOT / "packs")
    specs = [spec for spec in load_shared_registry() if spec.target and spec.example]
    assert {"asl", "salt-road", "three-mills"} <= {spec.system for spec in specs}
    for spec in specs:
        if spec.family not in DRAFT_FAMILIES or spec.find_option(SECRET) is None:
            continue
        example = dict(parse_text(spec.example, load_shared_registry()).options)
        taken = as_opened(spec, example, CompletionContext(system=spec.system), room)
        assert taken.problem is None, (spec.name, taken.problem)
        for name, value in example.items():
            option = spec.find_option(name)
            default = option.default if option is not None else None
            assert str(taken.options.get(name, default)) == str(value), (spec.name, name)


@pytest.mark.parametrize("room", [MODAL, VIEW], ids=["Discord", "Slack"])
@pytest.mark.parametrize("name", ["how", "flags", "rest", "more-units"])
def test_an_option_may_be_called_as_a_form_calls_its_own_fields(name: str, room: Room) -> None:
    fire = next(spec for spec in ROLLED if spec.name == "/lnlt fire")
    option = Option(name, "enum", "help", values=("orders", "event"))
    spec = fire._replace(options=(option, *fire.options[-4:]))
    taken = as_opened(spec, {name: "event"}, CompletionContext(system="lnlt"), room)
    assert taken.problem is None
    assert taken.options[name] == "event"


@pytest.mark.parametrize("room", [MODAL, VIEW], ids=["Discord", "Slack"])
def test_only_an_explicit_other_choice_rolls(room: Room) -> None:
    for spec in COUNTED:
        for way in (ODDS, COMPARE):
            taken = as_opened(spec, given(spec, way), some_units(spec), room, **{HOW: ROLL})
            assert taken.roll_mode == ROLL, spec.name
            assert not spec.counts_only_odds(taken.options), spec.name


def test_a_refused_form_keeps_its_way_at_every_field() -> None:
    for spec in COUNTED:
        known = some_units(spec)
        for option in spec.options:
            form = build_form(
                spec, given(spec, ODDS), known, MODAL, option.name, "Something was wrong here."
            )
            taken = evaluate_form(spec, known, form, send_on_discord(form, {}))
            assert taken.roll_mode == ODDS, (spec.name, option.name)


def test_whatever_has_another_kind_of_form_has_no_way_to_choose() -> None:
    for spec in load_shared_registry():
        if spec.options and spec not in ROLLED:
            form = build_form(spec, {}, some_units(spec), MODAL)
            assert form.find_field(HOW) is None, spec.name


def test_what_is_needed_has_a_field_of_its_own_or_takes_a_bare_number() -> None:
    """1.10: only what is left over after five fields goes into the line, and its one number
    needs no name.
    """
    for spec in ROLLED:
        form = build_form(spec, {}, some_units(spec), MODAL)
        line = form.find_field("?rest")
        owed = [
            option
            for option in spec.options
            if option.is_required and line is not None and option.name in line.covers
        ]
        numbers = [
            option for option in owed if option.type in ("int", "number") and not option.brings
        ]
        if len(numbers) == 1 and line is not None and line.option is not None:
            filled_in = evaluate_form(
                spec, some_units(spec), form, {"?rest": f"{numbers[0].min or 5:g}"}
            )
            assert filled_in.problem is None, spec.name
            assert numbers[0].name in filled_in.options, spec.name
        if spec.system == "lnlt" and spec.target in (
            "fire",
            "ordnance-vehicle",
            "ordnance-infantry",
        ):
            assert not numbers, f"{spec.name}: the number has its own field"


# Through the app: each way in, sent as it opens


async def sent(channel: Channel, key: str, name: str = "Anna", **chosen: str) -> Reply:
    """The answer to a form that is submitted as it opened, on Discord."""
    who = channel.who(name)
    draft = await channel.app.drafts.get(key, who.key)
    assert draft is not None
    spec = await channel.app.get_form_spec(draft, channel.place)
    known = await channel.app.get_completion_context(channel.place, who)
    form = build_form(spec, draft.options, known, MODAL, draft.wrong, draft.message, draft.title)
    taken = evaluate_form(spec, known, form, send_on_discord(form, dict(chosen)))
    assert taken.problem is None, taken.problem
    await channel.app.drafts.put(
        draft._replace(options=taken.options, wrong="", message="", better=None)
    )
    action = get_draft_action(taken.roll_mode, key, taken.options)
    reply = await channel.press(name, action)
    return await channel.app.corrections.offer_correction(reply, spec, taken.options, who, key)


def faces(reply: Reply) -> dict[str, str]:
    return {button.label: button.action for button in reply.buttons}


async def events(channel: Channel) -> int:
    loaded = await channel.app.games.load_current(channel.place.key)
    return loaded.game.number if loaded is not None else 0


async def saved(channel: Channel, name: str, text: str) -> None:
    """A macro of Anna's."""
    options: dict[str, object] = {"name": name, "text": text}
    command = Command(
        ("macro", "add"), options, channel.who("Anna"), channel.place, f"macro {name}"
    )
    assert not (await channel.app.run(command)).error


async def _macros_never_roll(channel: Channel, spec: CommandSpec, asked: dict[str, object]) -> None:
    """A macro that asks for odds, run as it is; and one with a gap, by its form."""
    line = format_command(spec, asked).removeprefix("/")
    await saved(channel, "whole", line)
    assert (await channel.do("Anna", "macro run whole")).private, spec.name
    number = re.search(r"(?<==)\d+(?= |$)", line)
    if number is not None:
        await saved(channel, "gap", f"{line[: number.start()]}{{n}}{line[number.end() :]}")
        draft = await channel.app.forms.open_draft(
            "macro run gap", channel.who("Anna"), channel.place
        )
        reply = await sent(channel, draft.key, n=number[0])
        assert reply.private, (spec.name, reply.format_text())
    assert await events(channel) == 0, f"{spec.name} rolled from a macro"


async def _odds_never_roll(spec: CommandSpec) -> None:
    channel = await Channel.fresh()
    parsed = parse_text(spec.example, load_shared_registry())
    options = {name: value for name, value in parsed.options.items() if name not in ASKED}
    asked = {**options, ODDS: True}
    who = channel.who("Anna")
    # a command with something missing, and each button that opens a form of what it says
    opened = await channel.app.forms.create_draft(spec, asked, who)
    as_text = await channel.app.forms.open_draft(
        format_command(spec, asked).removeprefix("/"), who, channel.place
    )
    for draft in (opened, as_text):
        reply = await sent(channel, draft.key)
        assert not reply.error, (spec.name, reply.format_text())
        assert reply.private, spec.name
        assert await events(channel) == 0, f"{spec.name} rolled"
        # Change… under the odds, What if's among them, sent as it opens
        change = faces(reply)["Change…"].removeprefix("form:")
        again = await channel.app.forms.open_draft(change, who, channel.place)
        assert (await sent(channel, again.key)).private
        assert await events(channel) == 0, f"{spec.name} rolled from Change…"
    await _macros_never_roll(channel, spec, asked)
    # odds typed, then Change…
    typed = await channel.say("Anna", format_command(spec, asked))
    change = faces(typed)["Change…"].removeprefix("form:")
    again = await channel.app.forms.open_draft(change, who, channel.place)
    assert (await sent(channel, again.key)).private
    assert await events(channel) == 0, f"{spec.name} rolled from the odds' Change…"
    # Fix it, and Fix it again
    wrong = build_error_reply(
        UserError("Something was wrong here.", option=next(iter(options), None), code="bad-value")
    )
    refused = await channel.app.corrections.offer_correction(wrong, spec, asked, who)
    fix = await channel.app.forms.open_draft(
        faces(refused)["Fix it"].removeprefix("form:"), who, channel.place
    )
    form = build_form(
        spec,
        fix.options,
        await channel.app.get_completion_context(channel.place, who),
        MODAL,
        fix.wrong,
        fix.message,
    )
    assert evaluate_form(spec, CompletionContext(), form, {}).roll_mode == ODDS, spec.name
    # Roll it is a choice
    rolled = await channel.press("Anna", faces(typed)["Roll it"])
    assert not rolled.error, (spec.name, rolled.format_text())
    assert await events(channel) > 0, spec.name


FIRST = {spec.system: spec for spec in reversed(COUNTED) if spec.example}


@pytest.mark.parametrize("spec", FIRST.values(), ids=[spec.name for spec in FIRST.values()])
async def test_odds_never_roll_by_any_way_into_a_form(spec: CommandSpec) -> None:
    await _odds_never_roll(spec)


@pytest.mark.slow
@pytest.mark.parametrize("spec", COUNTED, ids=[spec.name for spec in COUNTED])
async def test_odds_never_roll_by_any_way_into_any_form(spec: CommandSpec) -> None:
    await _odds_never_roll(spec)


@pytest.mark.parametrize(
    ("word", "label"), [("odds", "Odds at Cell 1"), ("secret", "Fire at Cell 1"), ("hand=6", "")]
)
async def test_the_button_that_does_what_was_meant_does_it_in_the_way_that_was_asked(
    word: str, label: str
) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    before = await events(channel)
    line = f'lnlt fire attackers="Squad 1" targets="Cel 1" {word}'
    refused = await channel.say("Anna", line)
    spec = load_shared_registry().find(["lnlt", "fire"])[0]
    typed = parse_text(line, load_shared_registry())
    offered = await channel.app.corrections.offer_correction(
        refused, spec, typed.options, channel.who("Anna")
    )
    first = offered.buttons[0]
    assert not label or first.label == label
    reply = await channel.press("Anna", first.action)
    assert reply.private or word == "secret"
    game = await channel.game()
    if word == "secret":
        assert game.sealed
    else:
        assert game.number == before, "nothing was rolled"


async def test_the_card_of_an_enemy_counts_odds_and_rolls_nothing() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    before = await events(channel)
    card = await channel.do("Anna", "unit show vc1")
    draft = await channel.app.forms.open_draft(
        faces(card)["Odds"].removeprefix("form:"), channel.who("Anna"), channel.place
    )
    reply = await sent(channel, draft.key, attackers=["us1"])  # type: ignore[arg-type]
    assert reply.private
    assert not reply.error
    assert await events(channel) == before


def test_a_command_that_asks_keeps_what_it_was_asked() -> None:
    asked = [spec for spec in COUNTED if opens_form(spec, {ODDS: True})]
    assert asked, "some sequences open their form"
    for spec in asked:
        assert set_roll_mode(spec, {ODDS: True}, ODDS) == {ODDS: True}
