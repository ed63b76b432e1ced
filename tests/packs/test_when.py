"""Inputs that count only by what else was given: refused where they do not, asked for where they
do.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.packs.check import check_content
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.packs.pack import PackSystem, load_pack
from bot.ui.form.form import Room, build_form, opens_form
from bot.ui.form.submission import evaluate_form
from bot.ui.typing.complete import CompletionContext
from tests.packs.conftest import FEW, PackMaker
from tests.packs.when_helpers import (
    PACK,
    SHOOT,
)
from tests.playing import Channel


def sound(changed: str = SHOOT) -> PackSystem:
    """The pack, with other sequences."""
    return PackSystem(
        {name: text.encode() for name, text in {**FEW, **PACK, "sequences.yaml": changed}.items()}
    )


async def test_an_input_is_asked_where_it_counts_and_refused_where_it_does_not(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    assert check_content(sound().content).faults == ()
    use_packs(make_pack(PACK).parent)
    channel = await Channel.fresh()
    assert (
        "hit"
        in (await channel.do("Anna", "few shoot range=7 rested hand=4")).format_text().casefold()
    )
    refused = await channel.refused("Anna", "few shoot range=3 rested", "not-together rested")
    assert refused.title == "rested applies only if range > 6."
    assert "Leave out rested." in refused.format_text()
    await channel.refused("Anna", "few shoot range=3 facing=front", "not-together facing")
    await channel.refused("Anna", "few shoot range=3 reply", "missing facing")
    await channel.refused("Anna", "few shoot range=3 reply odds", "missing facing")
    assert (
        "17%"
        in (await channel.do("Anna", "few shoot range=3 reply facing=front odds")).format_text()
    )
    await channel.do("Anna", "few shoot range=7 rested compare")
    assert "(if range > 6)" in (await channel.do("Anna", "help few shoot modifiers")).format_text()


def test_a_form_asks_in_a_second_step_what_counts_by_the_first(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    use_packs(make_pack(PACK).parent)
    spec, known = load_shared_registry().get(("few", "shoot")), CompletionContext((), system="few")
    assert spec is not None
    for room in (Room(5, 25, 10), Room(folds=True)):
        form = build_form(spec, {}, known, room)
        names = {name for field in form.fields for name in (field.name, *field.covers)}
        assert {"range", "reply"} <= names
        assert not names & {"rested", "facing", "angle"}
        taken = evaluate_form(spec, known, form, {"range": "3", "?flags": ["reply"]})
        assert taken.problem is not None
        assert (taken.problem.message, taken.problem.code) == (
            "One more thing: Facing?",
            "one-more",
        )
        second = build_form(spec, taken.options, known, room)
        assert second.find_field("facing") is not None
        done = evaluate_form(spec, known, second, {"facing": "front"})
        assert (done.problem, done.options) == (
            None,
            {"range": 3, "reply": True, "facing": "front"},
        )
        back = evaluate_form(spec, known, second, {"?flags": [], "facing": "front"})
        assert (back.problem, back.options) == (None, {"range": 3})


async def test_what_asks_for_nothing_rolls_at_once(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    use_packs(make_pack(PACK).parent)
    spec = load_shared_registry().get(("few", "event"))
    assert spec is not None
    assert not opens_form(spec, {})
    channel = await Channel.fresh()
    started = await channel.do("Anna", 'game start few "Ridge"')
    (button,) = [button for button in started.buttons if button.label == "Event"]
    rolled = await channel.press("Anna", button.action)
    assert rolled.title.casefold() in ("calm", "storm")
    again = await channel.press("Anna", button.action)
    assert again.error or "already" in again.format_text(), again.format_text()
    assert (await channel.game()).number == 2


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("rested", "when depends on itself; let it depend on other inputs"),
        ("facing == 'front'", "when depends on facing, which has a when of its own"),
        ("rnge > 6", "rnge"),
        ("range > 6 and __import__('os')", "names __import__"),
        ("range >", "row shoot, inputs rested"),
    ],
)
def test_a_when_that_cannot_be_told_is_a_fault_in_one_sentence(when: str, said: str) -> None:
    (fault, *more) = check_content(sound(SHOOT.replace('"range > 6"', f'"{when}"')).content).faults
    assert said in fault
    assert not more


ONE_ON_ONE = """
duel:
  title: Duel
  source: ours
  summary: A man shoots at a man.
  dice: 1d6
  verb: Shoot
  inputs:
    shooter: {type: units, most: 1, help: who shoots}
    target: {type: unit, free: true, help: who is shot at}
  outputs: {total: int}
  odds_by: total
  example: {shooter: unit aim=2, target: unit aim=1}
  steps:
  - let: {aim: "shooter[0].aim - of(target.aim, 0)"}
  - roll: {roll: "1d6: shot"}
    tell: {total: roll + aim}
    headline: "{roll + aim}"
"""
MEN = (
    "groups: {combat: Combat}\n"
    "units: {types: [unit], attributes: {aim: {type: int, min: 0, max: 9, help: how good}}}\n"
)


async def test_one_unit_is_taken_with_its_numbers_and_a_second_is_refused(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    folder = make_pack({"sequences.yaml": ONE_ON_ONE, "game.yaml": MEN})
    assert check_content(load_pack(folder).content).faults == ()
    use_packs(folder.parent)
    channel = await Channel.fresh()
    duel = "few duel shooter='unit aim=2' target='unit aim=1' hand=4"
    assert (await channel.do("Anna", duel)).title == "5"
    assert (
        await channel.do("Anna", "few duel shooter='unit aim=2' target='the tall one' hand=4")
    ).title == "6"
    refused = await channel.refused(
        "Anna", duel.replace("aim=2", "aim=2; unit aim=3"), "too-many shooter"
    )
    assert refused.title == "shooter takes one unit, not 2."
    spec, units = (
        load_shared_registry().get(("few", "duel")),
        (RosterUnit("Gun 1", "u1", "unit"), RosterUnit("Gun 2", "u2", "unit")),
    )
    assert spec is not None
    field = build_form(
        spec, {}, CompletionContext(units, system="few"), Room(5, 25, 10)
    ).find_field("shooter")
    assert field is not None
    assert field.kind == "pick"
    taken = evaluate_form(
        spec,
        CompletionContext(units, system="few"),
        build_form(spec, {}, CompletionContext(units, system="few"), Room(5, 25, 10)),
        {"shooter": "u2"},
    )
    assert str(taken.options["shooter"]) in ("u2", "Gun 2")
