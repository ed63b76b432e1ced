"""What if: the same shot with one thing changed, best first, the plan among them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from adapters.slack.modal import ROOM
from bot.cli.batch import answer_request
from bot.cli.cli import count_odds_once
from bot.commands.dispatch import load_shared_registry
from bot.presentation.what_if import count_change_odds, list_changes
from bot.rules.odds.rolls import TooManyStates
from bot.rulesets.catalog import find_shared_system
from bot.ui.form.form import FLAGS, build_form
from bot.ui.reply.bars import COLUMNS
from bot.ui.reply.parts import Compared, format_part
from bot.ui.reply.percents import format_percent
from bot.ui.reply.reply import Reply
from tests.playing import Channel, two_sides

FIRE = 'lnlt fire "Squad 1; Squad 2" "Cell 1; Cell 2; Tran" tm=1 odds'


def button(reply: Reply, label: str) -> str:
    """What a button of a reply does."""
    return next(button.action for button in reply.buttons if button.label == label)


def worth(reply: Reply) -> dict[str, tuple[float, float]]:
    """The rows: what is changed, its chance and its difference."""
    (part,) = (part for part in reply.lines if isinstance(part, Compared))
    assert all(len(line) <= COLUMNS for line in format_part(part))
    chances = [chance for _, chance, _ in part.changes]
    assert chances == sorted(chances, reverse=True), "the best first"
    return {label: (chance, gain) for label, chance, gain in part.changes}


def hurt(fp: int, morale: int, tm: int) -> float:
    """How likely an attack hits and the damage check then exceeds morale, counted die by die."""
    beaten = (
        (check, attack + fp - defense - tm)
        for attack, defense, check in product(range(1, 7), repeat=3)
    )
    return float(Fraction(sum(by > 0 and check + by > morale for check, by in beaten), 216))


async def test_infantry_is_not_told_what_only_vehicles_can_bear() -> None:
    """Neither in *What if* nor in the modifiers of a form; a vehicle has them."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US")
    odds = await channel.do("Anna", "lnlt fire us1 vc1 odds")
    rows = worth(await channel.press("Anna", button(odds, "What if")))
    foreign = ("MG", "vehicle", "mounted", "fl", "lone")
    assert not [label for label in rows if label.startswith(foreign)]
    spec = load_shared_registry().get(("lnlt", "fire"))
    assert spec is not None
    known = await channel.app.get_form_context(spec, channel.place, channel.who("Anna"))
    flags = {
        unit: build_form(spec, {"attackers": unit, "targets": "vc1"}, known, ROOM).find_field(FLAGS)
        for unit in ("us1", "us7")
    }
    words = {unit: {pick.value for pick in flag.picks} for unit, flag in flags.items() if flag}
    assert words["us7"] - words["us1"] == {"mg_pivot", "mg_assault"}
    assert words["us1"] - words["us7"] == {"assault"}
    taken = build_form(spec, {"attackers": "us1", "mods": "mg_pivot"}, known, ROOM).find_field(
        FLAGS
    )
    assert taken is not None
    assert "mg_pivot" in {pick.value for pick in taken.picks}, "what was given stays"


async def asked() -> tuple[Channel, Reply]:
    """Two squads of firepower 2 plan to fire at two cells and their leader."""
    channel = await Channel.fresh()
    await two_sides(channel)
    odds = await channel.do("Anna", FIRE)
    assert [one.label for one in odds.buttons] == [
        "Roll it",
        "Change\u2026",
        "What if",
        "Picture",
        "Share",
    ]
    return channel, await channel.press("Anna", button(odds, "What if"))


async def test_each_row_changes_one_thing_and_the_first_line_names_the_best() -> None:
    _, reply = await asked()
    rows = worth(reply)
    assert rows["as planned"][0] == pytest.approx(hurt(3, 4, 1))
    assert rows["adjacent"][0] == pytest.approx(hurt(5, 4, 1))
    assert rows["no terrain (TM)"][0] == pytest.approx(hurt(3, 4, 0))
    assert rows["no Squad 2"][0] == pytest.approx(hurt(2, 4, 1))
    for chance, gain in rows.values():
        assert gain == pytest.approx(chance - hurt(3, 4, 1))
    best = max(rows.values())[0]
    assert reply.title.startswith("Biggest help: ")
    assert reply.title.endswith(f", {format_percent(hurt(3, 4, 1))} to {format_percent(best)}")
    assert reply.by == "at least shaken, Cell 1 + 2 · Squads 1 + 2 fire"
    assert reply.private
    assert "Squad 2 leads" not in rows, "what makes no difference is left out"


async def test_a_menu_asks_for_another_level_and_another_unit() -> None:
    channel, reply = await asked()
    level, whom = reply.menus
    assert [entry.label for entry in level.entries] == [
        "At least shaken",
        "At least casualties",
        "Eliminated",
    ]
    assert [entry.label for entry in whom.entries] == ["Cell 1 + 2", "Tran"]
    tran = await channel.press("Anna", whom.entries[1].action)
    assert tran.by == "at least shaken, Tran · Squads 1 + 2 fire"
    assert worth(tran)["as planned"][0] == pytest.approx(hurt(3, 5, 1))
    worse = await channel.press("Anna", level.entries[1].action)
    assert worse.by == "at least casualties, Cell 1 + 2 · Squads 1 + 2 fire"
    assert worth(worse)["as planned"][0] < hurt(3, 4, 1)


async def test_back_to_the_odds_and_roll_once() -> None:
    channel, reply = await asked()
    back = await channel.press("Anna", button(reply, "Back"))
    assert "to shake or hurt each Cell" in back.first_line
    fired = await channel.press("Anna", button(reply, "Roll it"))
    assert not fired.private
    again = await channel.press("Anna", button(back, "Roll it"))
    assert again.private
    assert again.first_line.startswith("Already done")
    gone = await channel.press("Anna", button(reply, "Back"))
    assert gone.error, "the draft is used up"


async def test_it_is_theirs_alone() -> None:
    channel, reply = await asked()
    refused = await channel.press("Bob", reply.menus[0].entries[0].action)
    assert refused.error


def test_flags_that_do_not_apply_are_no_rows_and_too_much_is_refused() -> None:
    sequence = find_shared_system("lnlt").find_sequence("fire")
    raw = {"attackers": "squad fp=2; leader lm=1", "targets": "squad morale=5"}
    tried = list_changes(sequence, raw, sequence.read_inputs(raw, {}))
    assert [one.label for one in tried][:2] == ["adjacent", "target moved"]
    assert {"leader leads", "no leader", "no squad"} <= {one.label for one in tried}
    raws = [dict(one.raw) for one in tried] + [{**raw, "attackers": ""}]
    found = count_change_odds(sequence, raws, ("row 0",), {})
    assert sum(next(odds for odds in found if odds)["row 0"].values()) == 1
    assert found[-1] is None, "without a firer there is no shot"
    with pytest.raises(TooManyStates):
        count_change_odds(sequence, raws, ("row 0",), {}, 0.0)


async def test_compare_typed_is_the_same_and_rolls_nothing() -> None:
    channel, reply = await asked()
    typed = await channel.do("Anna", FIRE.removesuffix("odds") + "compare")
    assert (typed.title, typed.by, typed.lines) == (reply.title, reply.by, reply.lines)
    assert [one.label for one in typed.buttons] == ["Roll it", "Change\u2026", "Back", "Share"]
    fired = await channel.press("Anna", button(typed, "Roll it"))
    assert fired.footer
    several = await channel.say("Anna", 'lnlt smoke unit="Squad 1; Squad 2" capability=3 compare')
    assert several.code == "too-many"


def test_the_command_line_and_batch_compare_too(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["lnlt", "fire", "attackers=squad fp=4", "targets=squad morale=5", "tm=1"]
    count_odds_once([*words, "--compare"])
    lines = capsys.readouterr().out.splitlines()
    assert " 61% to " in lines[0]
    assert lines[0].endswith(" · at least shaken, squad")
    assert any(line.startswith("  as planned") for line in lines)
    found = answer_request(
        {
            "op": "odds",
            "system": "lnlt",
            "sequence": "fire",
            "in": dict(word.split("=", 1) for word in words[2:]),
            "compare": True,
        }
    )
    worth = {one["change"]: one["odds"] for one in found["compare"]}
    assert 1 - Fraction(worth["no terrain (TM)"]["none"]) == Fraction(
        hurt(4, 5, 0)
    ).limit_denominator(216)
    assert sum(map(Fraction, worth["adjacent"].values())) == 1


def test_a_menu_has_compare_wherever_something_can_be_compared() -> None:
    """Where a menu has no `compare`, at most an override or an input of forms alone changes."""
    out_of_menus = {"anyway"}
    left_out = 0
    for spec in load_shared_registry():
        compare = spec.find_option("compare")
        if spec.family != "sequence" or compare is None or not compare.form_only:
            continue
        sequence = find_shared_system(spec.system).find_sequence(spec.target)
        given = sequence.read_inputs(sequence.example, {})
        hidden = out_of_menus | {option.name for option in sequence.inputs if option.form_only}
        changed = [
            name
            for change in list_changes(sequence, sequence.example, given)
            for name in change.raw.keys() | sequence.example.keys()
            if change.raw.get(name) != sequence.example.get(name)
        ]
        assert {*changed} <= hidden, spec.path
        left_out += 1
    assert left_out
