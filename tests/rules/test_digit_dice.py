"""Dice as games print them: d66 and d666 are six-sided dice read as digits, in rolls, odds, hands
and logs; real dice are typed as their faces are printed.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import pytest

from bot.answers import roll as rolls
from bot.answers.roll import read_table
from bot.packs.importing import imported
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.expression.chances import odds
from bot.rules.expression.model import DIGIT_DICE, ExpressionError
from bot.rules.expression.rolling import roll
from bot.rules.expression.sum_parser import parse
from bot.stores.records import Json
from bot.systems.packs.pack import PackSystem
from bot.verification.check_file import check
from bot.verification.export import export_game
from tests.playing import Channel


@pytest.mark.parametrize(("sides", "count"), DIGIT_DICE.items())
def test_each_row_of_digits_has_the_same_chance(sides: int, count: int) -> None:
    chances = odds(parse(f"d{sides}"))
    rows = [int("".join(digits)) for digits in product("123456", repeat=count)]
    assert {number: chances[number] for number in chances} == dict.fromkeys(
        rows, Fraction(1, 6**count)
    )
    assert sum(number * chances[number] for number in rows) == Fraction(7, 2) * int("1" * count)


@pytest.mark.parametrize(
    ("text", "dice", "said"),
    [
        ("d66", (3, 6), "d66: [3, 6] = 36"),
        ("D 66+2", (1, 1), "d66+2: [1, 1] + 2 = 13"),
        ("d666", (1, 2, 3), "d666: [1, 2, 3] = 123"),
        ("d66>=40", (3, 6), "d66 sum>=40: [3, 6] = 36, failure"),
        ("d66 [event] - 1", (6, 6), "d66-1: event [6, 6] - 1 = 65"),
        ("2x d66", (1, 2, 3, 4), "2x d66 = 12, 34\n1: [1, 2] = 12\n2: [3, 4] = 34"),
        ("1d66", (57,), "1d66: [57] = 57"),
    ],
)
def test_digits_are_read_in_the_order_of_the_dice(
    text: str, dice: tuple[int, ...], said: str
) -> None:
    rolling = roll(parse(text), Script(dice))
    assert rolling.text() == said
    assert [die.value for die in rolling.dice] == list(dice)


def test_a_table_headed_d66_has_the_rows_that_a_roll_shows() -> None:
    rows = list(odds(parse("d66")))
    sheet = "d66,Event\n" + "".join(f"{row},no. {row}\n" for row in rows)
    (table,) = PackSystem(imported(sheet, "events.csv").pack("tryout")).tables.values()
    for row in rows:
        dice = Script(tuple(map(int, str(row))))
        answer = read_table(table, {}, "Anna", dice)
        assert answer.happening is not None
        assert answer.happening.result == f"no. {row}"


@pytest.mark.parametrize(
    ("text", "hint"),
    [("2d66", "2x d66"), ("3d666", "1d666+1d666"), ("d66kh1", "1d66"), ("d66!", "1d66")],
)
def test_what_can_mean_two_things_is_refused_with_both(text: str, hint: str) -> None:
    with pytest.raises(ExpressionError) as refusal:
        parse(text)
    assert hint in refusal.value.hint


@pytest.mark.parametrize(
    ("line", "total", "dice"),
    [
        ("d10 hand=0", 10, [10]),
        ("d% hand=00", 100, [100]),
        ("d1000 hand=000", 1000, [1000]),
        ("2d10+d6 hand=0,3,6", 19, [10, 3, 6]),
        ("4dF hand=+,-,0,+1", 1, [1, -1, 0, 1]),
    ],
)
async def test_real_dice_are_typed_as_they_are_printed(
    line: str, total: int, dice: list[int]
) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", line)
    body = (await _log(channel))["events"][-1]["body"]
    assert body["out"] == {"total": total, "dice": dice}
    assert [die["value"] for die in body["dice"]] == dice


@pytest.mark.parametrize("line", ["d6 hand=0", "d20 hand=0", "2d6 hand=3,+", "2d6 hand=3,+1"])
async def test_what_no_real_die_shows_is_refused(line: str) -> None:
    channel = await Channel.fresh()
    await channel.fails("Anna", line, "cannot show")


def test_a_logged_die_never_shows_0() -> None:
    with pytest.raises(UserError, match="cannot show 0"):
        roll(parse("d10"), Script([0]))


@pytest.mark.parametrize(
    ("text", "same"), [("2w6+1", "2d6+1"), ("w20", "d20"), ("3#2d6", "3x 2d6"), ("2W6", "2d6")]
)
async def test_words_of_other_tools_that_mean_one_thing_are_read(text: str, same: str) -> None:
    assert parse(text) == parse(same)
    assert f"rolls {same}" in (await (await Channel.fresh()).do("Anna", f"roll {text}")).text()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("10d10t8", ("10d10>=8", "(10d10)>=8")),
        ("2d6 t8", ("(2d6)>=8",)),
        ("5k3", ("5d3", "5d10kh3")),
        ("2k6", ("2d6",)),
        ("2t6", ("2d6",)),
        ("2d6 dex save", ("2d6 [dex save]",)),
        ("2d6 kill", ("2d6 [kill]",)),
        ("2d6 rally", ("2d6 [rally]",)),
    ],
)
def test_words_of_other_tools_are_refused_with_what_can_be_written(
    text: str, written: tuple[str, ...]
) -> None:
    with pytest.raises(ExpressionError) as refusal:
        parse(text)
    for right in written:
        parse(right)
        assert right in refusal.value.hint


async def _log(channel: Channel) -> Json:
    loaded = await channel.app.games.at(channel.place.key)
    assert loaded is not None
    store, row = channel.app.store, loaded.row
    log = export_game(
        row, await store.events(row), await store.seeds(row), await store.texts(row),
        await store.persons(row), with_secrets=True,
    )  # fmt: skip
    parsed: Json = json.loads(json.dumps(log))
    return parsed


LINES = ("d66", "2x d66+1 label=event", "d66 [event] hand=3,6", "d666 secret", "1d66", "d66+1d66")
EARLY = ("d66", "2d66+1", "d66 hand=57", "d66r1", "1d66", "d66 secret")


async def test_the_log_holds_ordinary_dice_and_can_be_checked() -> None:
    channel = await Channel.fresh()
    shown = [await channel.do("Anna", line) for line in LINES]
    assert "Tens, ones: [" in shown[0].text()
    assert shown[2].title.startswith("36")
    log = await _log(channel)
    bodies = [event["body"] for event in log["events"]]
    sides = [[die["sides"] for die in body["dice"]] for body in bodies if body.get("dice")]
    assert sides[:3] == [[6, 6], [6, 6, 6, 6], [6, 6]]
    checked = check(log)
    assert checked.faults == ()
    assert checked.played == len(LINES)


async def test_a_log_in_which_d66_had_66_sides_still_agrees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    channel = await Channel.fresh()
    monkeypatch.setattr(rolls, "parse", lambda text, **_: parse(text, is_early=True))
    for line in EARLY:
        await channel.do("Anna", line)
    monkeypatch.undo()
    log = await _log(channel)
    bodies = [event["body"] for event in log["events"]]
    assert {die["sides"] for body in bodies for die in body.get("dice", ())} == {66}
    checked = check(log)
    assert checked.faults == ()
    assert checked.played == len(EARLY)
