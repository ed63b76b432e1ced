"""Every kind of answer of all five systems, from the frozen outcomes: its first line, and how the
lines below begin; and the longest ones as a phone shows them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.game.state import build_roster
from bot.presentation.headline import format_type_names, list_actors, summarize_results
from bot.presentation.run_sequence import (
    FEW,
    MANY,
    _measure_lines,
    _measure_parts,
    build_play_reply,
    fold_for_phone,
)
from bot.rules.dice import Script
from bot.rules.sequence.sequence import play
from bot.rules.text.line import Line
from bot.rules.text.names import join_names
from bot.rulesets.catalog import load_shared_systems
from bot.ui.reply.parts import Group, Small
from bot.ui.reply.reply import Reply
from tests.playing import Channel
from tools.corpus import frozen, game_of

PLAYS = 12
SINGLE = 20
"""Lines of a phone that a sequence of many steps takes: a shot at a vehicle, an interrupt, a
fire mission.
"""
VOLLEY = 2
"""Lines that each further weapon of a volley takes: its own sum, dice to hit and damage."""
READ = {"vs-afv": 27, "vs-ovr": 21}
"""Lines that the rules of asl's 6a and 6b take, as the card has them; nothing is rolled there."""
SEQUENCES = [
    (id, name) for id in load_shared_systems() for name in load_shared_systems()[id].sequences
]


def phone_lines(reply: Reply) -> int:
    """How many lines of a phone an answer takes without its trace and its number, as `fold_for_phone`
    counts them.
    """
    return _measure_lines([reply.first_line]) + sum(_measure_parts(reply.visible_lines))


def most_lines(name: str, reply: Reply) -> int:
    """How many lines of a phone an answer about a unit or two may take."""
    if name in READ:
        return READ[name]
    lines = [part for part in reply.lines if isinstance(part, Line)]
    weapons = sum(line.label.endswith(" to hit") for line in lines)
    return SINGLE + VOLLEY * max(0, weapons - 1)


@pytest.mark.sample(8)
@pytest.mark.parametrize(
    ("system", "name"), SEQUENCES, ids=[f"{system}-{name}" for system, name in SEQUENCES]
)
def test_the_first_line_names_the_units_and_the_lines_below_are_in_order(
    system: str, name: str
) -> None:
    """Every unit is named in the first line or by its result; no line begins with a small letter
    or a type's code.
    """
    sequence, corpus = load_shared_systems()[system].find_sequence(name), frozen(system)
    roster = build_roster(game_of(corpus.roster))
    entries = [entry for entry in corpus.of("sequence", name) if "out" in entry][:PLAYS]
    assert entries
    for entry in entries:
        given = sequence.read_inputs(entry["in"], roster)
        played = play(sequence.plan(given), Script([die[2] for die in entry["dice"]]))
        came = summarize_results(sequence, played.resolution.unit_results)
        reply = build_play_reply("Alice", sequence, played, list_actors(sequence, given))
        assert played.resolution.headline == entry["says"]
        assert reply.by
        assert played.dice or not reply.by.startswith("Alice rolls")
        groups = " ".join(part.text for part in reply.lines if isinstance(part, Group)).casefold()
        told = groups if came.is_counted and groups else reply.title.casefold()
        is_named = f"on {len(came.unit_results)} " not in reply.title
        for unit in format_type_names(
            came.types, [fate.unit for fate in came.unit_results if is_named]
        ):
            number = unit.rpartition(" ")[2]
            assert unit.casefold() in told or number in _numbers(told) or _plural(unit) in told, (
                reply.format_text()
            )
        lines = reply.format_text().split("\n")
        assert all(line[:1] == line[:1].upper() for line in lines), lines
        assert not any(
            code in reply.format_text()
            for code in ("armored-vehicle", "armor-leader", "weapon-team")
        ), lines
        most = MANY if groups else most_lines(name, reply)
        assert phone_lines(fold_for_phone(reply, sequence.inputs)) <= most, lines


def _numbers(text: str) -> set[str]:
    """The numbers of units in a text, those of `4-6` each."""
    found = [
        (int(first), int(last or first)) for first, last in re.findall(r"(\d+)(?:-(\d+))?", text)
    ]
    return {str(number) for first, last in found for number in range(first, last + 1)}


def _plural(unit: str) -> str:
    return join_names([unit, unit]).partition(" ")[2].casefold()


def _on_a_phone(reply: Reply) -> list[str]:
    return [reply.first_line, *(str(part) for part in reply.visible_lines)]


def _large(reply: Reply) -> Reply:
    """The answer without its small print: what became of the units, and that this is not the
    phase for it.
    """
    return replace(
        reply,
        lines=tuple(part for part in reply.visible_lines if not isinstance(part, Small)),
        trace=(),
    )


async def test_a_fire_at_two_targets_takes_nine_lines_of_a_phone() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start lnlt Hill sides="US, VC"', "game join US", "game settings hand_dice=yes"
    )
    await channel.do(
        "Anna",
        'unit add "US Squad 3..4" squad US morale=5 fp=2',
        "unit add Nguyen leader VC morale=4 lm=1",
    )
    await channel.do("Anna", 'unit add "VC Squad 5" squad VC morale=5 fp=1')
    shot = 'lnlt fire attackers="us1;us2" targets="VC Squad 5;Nguyen" tm=1 lm=1'
    for hand in ("4,1,5,3", "6,2,2,4", "1,6", "3,1,2,2"):
        reply = await channel.do("Anna", f"{shot} hand={hand}")
        assert phone_lines(_large(reply)) <= FEW + 2, _on_a_phone(reply)
        if any("casualties" in str(part) for part in reply.lines):
            # a half-squad is more than the first line says
            assert any(
                isinstance(part, Small) and part.text.startswith("Now: ")
                for part in reply.visible_lines
            ), _on_a_phone(reply)
        await channel.undo_last("Anna")


@pytest.mark.parametrize(
    ("game", "units", "shot"),
    [
        (
            "baps",
            ('"GI 1..12" soldier US weapon=rifle-semi lr=0', '"Jerry 1..9" soldier GE'),
            'baps fire attackers="GI 1..12" targets="Jerry 1..9" range=5',
        ),
        ("baps", ('"GI 1..12" soldier US', '"Jerry 1" soldier GE'), 'baps random-order "GI 1..12"'),
        (
            "asl",
            ('"MG 1..12" support-weapon US', '"Jerry 1" squad GE'),
            'asl malfunction unit="MG 1..12" weapon=sw start=b11',
        ),
        (
            "ucn",
            ('"Rifles 1" element US firearms=12', '"Jerry 1" element GE morale=10'),
            'ucn shoot shooters="bolt-action-rifle n=12" skill=12 target="Jerry 1"',
        ),
        (
            "nhis",
            ('"GI 1..12" squad US fp=2 morale=4', '"Jerry 1..9" squad GE morale=4'),
            'nhis fire attackers="GI 1..12" targets="Jerry 1..9" distance=3',
        ),
    ],
    ids=["baps-fire", "baps-orders", "asl-breakdowns", "ucn-shoot", "nhis-fire"],
)
async def test_twelve_men_take_twelve_lines_of_a_phone(
    game: str, units: tuple[str, ...], shot: str
) -> None:
    """What does not fit is behind *Dice*; the console shows all of it."""
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start {game} Farm sides="US, GE"', "game join US")
    await channel.do("Anna", *(f"unit add {unit}" for unit in units))
    if game == "baps" and "fire" in shot:  # a line more, about one whose weapon failed before
        await channel.do("Anna", 'unit add "GI 13" soldier US', 'unit edit "GI 13" +out-or-jammed')
    most = 18 if "order" in shot else MANY
    most += 2 if game == "baps" and "fire" in shot else 0
    for _ in range(6):
        reply = await channel.do("Anna", shot)
        if "cannot fire" in reply.format_text():
            assert "GI 13 cannot fire (jammed or out of ammo)" in reply.visible_lines
        assert phone_lines(_large(reply)) <= most, _on_a_phone(reply)
        orders = [part for part in reply.lines if isinstance(part, Group)]
        assert all(part in reply.visible_lines for part in orders), (
            "everybody reads what each unit came to, or is to do"
        )
        assert not reply.trace or any(button.label == "Dice" for button in reply.buttons)
        jammed = [part for part in reply.lines if str(part).startswith("Ammunition: ")]
        if "run out" in str(jammed) or "runs out" in str(jammed):
            assert len(jammed) == 1, "the checks and who fails them share a line"
            assert jammed[0] in reply.visible_lines
            assert reply.lines.index(jammed[0]) > reply.lines.index(orders[-1])
        await channel.undo_last("Anna")


async def test_the_card_that_starts_a_game_is_short_and_has_its_reminders_behind_a_button() -> None:
    for game in load_shared_systems():
        channel = await Channel.fresh()
        card = await channel.do("Anna", f'game start {game} "Hill 875" sides="US, VC"')
        assert phone_lines(card) <= MANY, card.format_text()
        assert "Checklist" in [button.label for button in card.buttons]
