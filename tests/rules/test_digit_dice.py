"""Dice as games print them: d66, d44, d666 and the like are dice read as digits, in rolls, odds,
hands, tables and logs; real dice are typed as their faces are printed.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import pytest

from bot.packs.importing import import_tables
from bot.presentation import roll as rolls
from bot.presentation.roll import look_up_table, split_digits_of_row
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.expression.chances import compute_odds
from bot.rules.expression.model import DIGIT_DICE, ExpressionError
from bot.rules.expression.rolling import roll
from bot.rules.expression.sum_parser import parse
from bot.rulesets.packs.pack import PackSystem
from bot.storage.records import Json
from bot.verification.check_file import check
from bot.verification.export import export_game
from tests.playing import Channel


def rows_of(number: int) -> list[int]:
    """Return all rows that d66 and the like show, in order."""
    count, sides = DIGIT_DICE[number]
    return [int("".join(digits)) for digits in product("12345678"[:sides], repeat=count)]


@pytest.mark.parametrize("number", DIGIT_DICE)
def test_each_row_of_digits_has_the_same_chance(number: int) -> None:
    count, sides = DIGIT_DICE[number]
    rows = rows_of(number)
    chances = compute_odds(parse(f"d{number}"))
    assert {row: chances[row] for row in chances} == dict.fromkeys(rows, Fraction(1, sides**count))
    average = Fraction(1 + sides, 2) * int("1" * count)
    assert sum(row * chances[row] for row in rows) == average


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
        ("d44", (1, 4), "d44: [1, 4] = 14"),
        ("d88+1", (8, 8), "d88+1: [8, 8] + 1 = 89"),
        ("1d88", (57,), "1d88: [57] = 57"),
    ],
)
def test_digits_are_read_in_the_order_of_the_dice(
    text: str, dice: tuple[int, ...], said: str
) -> None:
    rolling = roll(parse(text), Script(dice))
    assert rolling.format_text() == said
    assert [die.value for die in rolling.dice] == list(dice)


@pytest.mark.parametrize(
    ("number", "head"), [(66, "d66"), (44, "D44"), (88, "d88 Event"), (666, "d666"), (66, "Roll")]
)
def test_a_table_of_digits_has_the_rows_that_a_roll_shows(number: int, head: str) -> None:
    rows = rows_of(number)
    sheet = f"{head},Event\n" + "".join(f"{row},no. {row}\n" for row in rows)
    (table,) = PackSystem(import_tables(sheet, "events.csv").pack("tryout")).tables.values()
    for row in rows:
        dice = Script(tuple(map(int, str(row))))
        answer = look_up_table(table, {}, "Anna", dice)
        assert answer.record is not None
        assert answer.record.result == f"no. {row}"
        typed = split_digits_of_row(table, {table.rolls[0].option: str(row)})
        assert f"No. {row}" in look_up_table(table, typed, "Anna", Script(())).reply.title


@pytest.mark.parametrize(
    ("sheet", "said"),
    [
        ("d88,Event\n1-40,a\n41-88,b\n", "d88 is read as one die with 88 sides"),
        ("d44,Event\n11-24,a\n31-43,b\n", "not the 16 numbers from 11 to 44"),
        ("d666 Event\n111-366 a\n411-665 b\n", "not the 216 from 111 to 666"),
    ],
)
def test_rows_that_are_not_those_of_the_digits_are_refused_or_asked_about(
    sheet: str, said: str
) -> None:
    try:
        answer = " ".join(import_tables(sheet, "events.txt").questions)
    except UserError as error:
        answer = error.message
    assert said in answer


def test_a_square_of_two_dice_is_read_by_tens_and_ones() -> None:
    sheet = "d44,1,2,3,4\n" + "".join(
        f"{tens},{tens}a,{tens}b,{tens}c,{tens}d\n" for tens in range(1, 5)
    )
    (table,) = PackSystem(import_tables(sheet, "events.csv").pack("tryout")).tables.values()
    assert table.read({"tens": 3, "ones": 2})["result"] == "3b"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("2d66", "2x d66"),
        ("3d666", "1d666+1d666"),
        ("d66kh1", "1d66"),
        ("d66!", "1d66"),
        ("2d88", "For dice of 8 sides read as digits write 2x d88"),
    ],
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
        ("d66 hand=36", 36, [3, 6]),
        ("d44 hand=3,4", 34, [3, 4]),
        ("d100 hand=30,7", 37, [37]),
        ("d% hand=00,0", 100, [100]),
        ("d100 hand=00,7", 7, [7]),
        ("d100 hand=70,0", 70, [70]),
        ("d100 hand=3,7", 37, [37]),
        ("2d100 hand=30,7,0,0", 137, [37, 100]),
        ("2d100 hand=30,7", 37, [30, 7]),
        ("d100+d6 hand=30,7,4", 41, [37, 4]),
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


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("d100 hand=7,30", "The tens come first: 30,7"),
        ("d100 hand=35,7", "1 die is left over (7)"),
        ("d100 hand=30,12", "1 die is left over (12)"),
        ("d20 hand=10,7", "1 die is left over (7)"),
    ],
)
async def test_other_pairs_are_no_tens_and_units(line: str, said: str) -> None:
    channel = await Channel.fresh()
    await channel.fails("Anna", line, said)


LOOT = "d100,Loot\n01-49,dust\n50-94,coins\n95-00,gem\n"
HIT = "d10,Hit\n1-5,miss\n6-9,hit\n0,crit\n"


@pytest.mark.parametrize(
    ("sheet", "roll", "result"),
    [(LOOT, "00", "gem"), (LOOT, "0", "gem"), (LOOT, "07", "dust"), (HIT, "0", "crit")],
)
def test_a_look_up_takes_what_a_ten_sided_die_shows(sheet: str, roll: str, result: str) -> None:
    (table,) = PackSystem(import_tables(sheet, "table.csv").pack("tryout")).tables.values()
    assert result in table.read({"roll": roll}).out.values()


def test_no_other_die_has_a_zero_in_a_look_up() -> None:
    sheet = "d20,Loot\n1-10,dust\n11-20,coins\n"
    (table,) = PackSystem(import_tables(sheet, "table.csv").pack("tryout")).tables.values()
    with pytest.raises(UserError, match="from 1 to 20"):
        table.read({"roll": "0"})


def test_a_number_that_no_die_shows_is_refused_before_the_other_falls() -> None:
    sheet = "d66,Event\n11-36,a\n41-66,b\n"
    (table,) = PackSystem(import_tables(sheet, "table.csv").pack("tryout")).tables.values()
    with pytest.raises(UserError, match="tens must be"):
        look_up_table(table, {"tens": "7"}, "Anna", Script((3,)))


def test_a_logged_die_never_shows_0() -> None:
    with pytest.raises(UserError, match="cannot show 0"):
        roll(parse("d10"), Script([0]))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("4d6 > = 4", "4d6>=4"),
        ("2w6+1", "2d6+1"),
        ("w20", "d20"),
        ("3#2d6", "3x 2d6"),
        ("2W6", "2d6"),
    ],
)
async def test_words_of_other_tools_that_mean_one_thing_are_read(text: str, same: str) -> None:
    assert parse(text) == parse(same)
    assert (
        f"rolls {same}" in (await (await Channel.fresh()).do("Anna", f"roll {text}")).format_text()
    )


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


@pytest.mark.parametrize("text", ["“2d6”", '"2d6"', "„2d6“", "«2d6»", " “2d6” "])
def test_dice_in_quotation_marks_are_read(text: str) -> None:
    reply, _ = rolls.roll_dice({"dice": text}, "Anna", Script((3, 4)))
    assert reply.title == "7"


async def _log(channel: Channel) -> Json:
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    store, row = channel.app.store, loaded.row
    log = export_game(
        row, await store.load_events(row), await store.load_seeds(row), await store.load_texts(row),
        await store.load_persons(row), with_secrets=True,
    )  # fmt: skip
    parsed: Json = json.loads(json.dumps(log))
    return parsed


LINES = ("d66", "2x d66+1 label=event", "d66 [event] hand=3,6", "d666 secret", "1d66", "d66+1d66")
EARLY = ("d66", "2d66+1", "d66 hand=57", "d66r1", "1d66", "d66 secret")


async def test_the_log_holds_ordinary_dice_and_can_be_checked() -> None:
    channel = await Channel.fresh()
    shown = [await channel.do("Anna", line) for line in LINES]
    assert "Tens, ones: [" in shown[0].format_text()
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
