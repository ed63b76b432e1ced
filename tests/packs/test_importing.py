"""Tables of other programs become tables of ours, which are played; what is none is refused in
one line.
"""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.slack import render as slack
from bot.__main__ import main
from bot.commands.dispatch import load_shared_registry
from bot.packs.check import check_content
from bot.packs.importing import Imported, import_tables
from bot.packs.importing.figures import find_dice, read_figures
from bot.packs.importing.spreadsheet_dates import read_date_pairs
from bot.rules.errors import UserError
from bot.rules.tables.table import Table
from bot.rulesets.packs.archive import MOST_BYTES, zip_content
from bot.rulesets.packs.pack import PackSystem, load_pack, load_packs_in
from bot.ui.reply.packing import read_file_text
from tests.adapters.discord.render_helpers import shown
from tests.playing import Channel
from tests.refusing import refuses
from tests.standins.slack import check_blocks

pytestmark = pytest.mark.scenes(25)

SAMPLES = Path(__file__).parents[1] / "data" / "imports"


def tables(made: Imported) -> dict[str, Table]:
    """The tables that a text came to, checked whole."""
    content = made.pack("tryout")
    assert check_content(content).faults == ()
    return dict(PackSystem(content).tables)


def sample(name: str) -> Imported:
    return import_tables((SAMPLES / name).read_bytes(), name)


def only(made: Imported) -> Table:
    (table,) = tables(made).values()
    return table


def says(table: Table, **given: object) -> Any:
    """What a table says, its only output alone."""
    out = table.read(given).out
    return next(iter(out.values())) if len(out) == 1 else out


def rolled(table: Table) -> str:
    """The dice of a table."""
    (roll,) = table.rolls
    (dice,) = roll.dice.values()
    return f"{len(dice)}d{dice[0].sides}"


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.name)
def test_every_sample_becomes_a_pack_without_a_fault(path: Path) -> None:
    assert tables(import_tables(path.read_bytes(), path.name))


def test_a_table_is_laid_out_like_its_card() -> None:
    assert sample("odds.csv").files == {
        "odds.yaml": """\
title: Odds
source: a spreadsheet
group: tables
kind: roll
summary: "Odds: a roll of 1d6."
inputs:
  column: {type: enum, values: [1-2, 1-1, 2-1, 3-1, 4-1], help: "the column"}
  roll: {type: int, min: 1, max: 6, optional: true, help: "1d6"}
outputs: {result: [AE, AR, NE, DR, DE]}
rolls: {roll: {dice: 1d6, label: "Odds"}}
read:
  rows: roll
  columns: {by: column, heads: [1-2, 1-1, 2-1, 3-1, 4-1]}
  gives: result
  cells:
    1: [AE, AE, AR, AR, NE]
    2: [AE, AR, AR, NE, DR]
    3: [AR, AR, NE, DR, DR]
    4: [AR, NE, DR, DR, DE]
    5: [NE, DR, DR, DE, DE]
    6: [DR, DR, DE, DE, DE]
example: {column: 1-2, roll: 1}
"""
    }


def test_a_sheet_of_firepower_and_modified_dice_is_read_at_its_edges() -> None:
    made = sample("fire.tsv")
    table = only(made)
    assert rolled(table) == "2d6"
    assert says(table, fp=5, roll=9, modifier=-1) == "M1"
    assert says(table, fp=1, roll=2, modifier=-5) == "M2"
    assert says(table, fp=40, roll=12, modifier=4) == "M1"
    assert made.questions == (
        "fire: its columns are read as 'this number or more'; with `to` they mean 'up to this number'",
    )


def test_columns_that_are_results_are_outputs_and_quoted_cells_stay_whole() -> None:
    made = sample("rally.csv")
    table = only(made)
    assert (made.title, table.id, rolled(table)) == ("Rally table", "rally-table", "2d6")
    assert says(table, roll=2) == {"effect": "Rout; remove", "steps_back": 3}
    assert says(table, roll=12)["effect"] == 'Rallies, and "Hurrah"'


def test_totals_at_the_top_and_words_at_the_side_are_a_table_too() -> None:
    assert says(only(sample("across.csv")), odds="2:1", roll=4) == "DR"
    terrain = only(sample("terrain.csv"))
    assert not terrain.rolls
    assert says(terrain, terrain="light woods", column="tank") == 3
    assert says(terrain, terrain="river", column="truck") == "NA"


def test_percentages_are_read_as_the_dice_show_them() -> None:
    table = only(sample("weather.md"))
    assert rolled(table) == "1d100"
    assert [says(table, roll=roll) for roll in (50, 51, 95, 96, 100)] == [
        "Clear",
        "Rain",
        "Mud",
        "Snow",
        "Snow",
    ]
    ten = import_tables("d10,fate\n0,lost\n1-5,found\n6-9,sold\n", "finds.csv")
    assert says(only(ten), roll=10) == "lost"
    assert ten.questions == ("finds: 0 is read as 10, as on a die with that face",)


@pytest.mark.parametrize(
    ("rows", "dice"),
    [
        ("1 2 3 4 5 6", "1d6"), ("1-2 3-4 5-6", "1d6"), ("2 3-4 5-9 10-12", "2d6"), ("1-50 51-00", "1d100"),
        ("1-10 11-20", "1d20"), ("3-8 9-18", "3d6"), ("2- 3-11 12+", "2d6"), ("≤0 1-6 ≥7", "1d6"), ("2–5 6—8", "2d4"),
        ("1 2 5 6", ""), ("0 1 2", ""), ("2-14", ""),
    ],
)  # fmt: skip
def test_dice_are_known_by_the_totals_that_they_cover(rows: str, dice: str) -> None:
    assert find_dice([span for row in rows.split() for span in read_figures(row)]) == dice


def test_an_original_table_of_bcdice() -> None:
    table = only(sample("reinforcements.txt"))
    assert rolled(table) == "2d6"
    assert says(table, roll=2) == "A lost baggage train and its mules"
    pair = only(sample("names.txt"))
    assert says(pair, tens=6, ones=2) == says(pair, tens=2, ones=6) == "Village no. 11"
    double = import_tables("Loot\n1d2\n1:gold\n1:silver\n2:\n3:a gem\n", "loot")
    assert says(only(double), roll=1) == "gold"
    assert double.questions == (
        "loot: 1 appears twice; the first one is used: silver",
        "loot: 3 is not a total of 1d2, so it is left out",
    )


def test_a_total_that_is_missing_is_a_fault_of_the_table() -> None:
    made = import_tables("Loot\n1D4\n1:gold\n2:silver\n4:a gem\n", "loot")
    assert check_content(made.pack("tryout")).faults == (
        "tryout/loot.yaml, row read: nothing answers roll 3 (between 2 and 4)",
    )


def test_a_rollable_table_of_foundry() -> None:
    made = sample("events-v13.json")
    table = only(made)
    assert rolled(table) == "2d6"
    assert table.notes == "Rolled at the start of each turn."
    assert says(table, roll=3) == "Fog rolls in: sight is 2 hexes & no air support."
    assert says(table, roll=12) == "Airstrike: Roll 1d6 on Bombs"
    assert made.questions == (
        "random-events: Supply convoy is a link in Foundry; only its name is kept here",
    )
    older = only(sample("stragglers-v9.json"))
    assert [says(older, roll=roll) for roll in (10, 11, 16, 20)] == [
        "None", "1d6 men", "A mounted messenger", "A mounted messenger",
    ]  # fmt: skip


def test_foundry_results_with_weights_alone_have_a_die_of_their_sum() -> None:
    results = [{"text": "wet", "weight": 3}, {"text": "dry", "weight": 1}]
    table = only(
        import_tables(json.dumps({"name": "Sky", "formula": "", "results": results}), "sky.json")
    )
    assert rolled(table) == "1d4"
    assert [says(table, roll=roll) for roll in (3, 4)] == ["wet", "dry"]
    odd = import_tables(
        json.dumps(
            {"name": "Sky", "formula": "1d4x4", "results": [{"text": "a", "range": [1, 4]}]}
        ),
        "s",
    )
    assert odd.questions == ("sky: its formula 1d4x4 could not be read; give its dice under rolls",)


def test_the_files_of_bcdice_as_they_lie_there() -> None:
    """Dice and title in one line, blanks before a row; rows of the lower die first show that the
    dice are sorted.
    """
    table = only(sample("stragglers.txt"))
    assert (table.title, rolled(table), says(table, roll=5)) == (
        "Stragglers on the road",
        "1d6",
        "A gun without horses",
    )
    blanks = only(import_tables("1D2:Flank\n 1:left\n 2 : right\n", "flank.txt"))
    assert [says(blanks, roll=roll) for roll in (1, 2)] == ["left", "right"]
    pairs = [10 * tens + ones for tens in range(1, 7) for ones in range(1, 7)]
    lower = import_tables(
        "D66:Omen\n" + "".join(f"{n}:no. {n}\n" for n in pairs if n // 10 <= n % 10), "omen.txt"
    )
    assert says(only(lower), tens=5, ones=2) == "no. 25"
    assert lower.questions == (
        "omen: it only has rows with the lower die first, and is read that way",
    )
    higher = import_tables(
        "d66:Omen\n" + "".join(f"{n}:no. {n}\n" for n in pairs if n // 10 >= n % 10), "omen.txt"
    )
    assert says(only(higher), tens=2, ones=5) == "no. 52"
    whole = import_tables("D66:Omen\n" + "".join(f"{n}:no. {n}\n" for n in pairs), "omen.txt")
    assert (says(only(whole), tens=5, ones=2), whole.questions) == ("no. 52", ())


def test_the_tables_of_a_bcdice_system_in_yaml() -> None:
    made = sample("patrols.yml")
    assert (made.format, made.title) == ("BCDice", "HedgeWar")
    found = tables(made)
    assert [says(found["road-table"], roll=roll) for roll in (1, 6)] == ["Mud", "A toll gate"]
    assert [says(found["loot-table"], roll=roll) for roll in (4, 5, 12)] == [
        "Boots",
        "Bread",
        "A map for %{side}",
    ]
    assert says(found["village-names"], tens=6, ones=1) == "Holt"
    assert made.questions == (
        "left out: The file does not say which dice SKT (Trades) uses.",
        "loot-table: BCDice fills in %{...}; here it stays as text",
    )
    pairs = import_tables(
        f"ja:\n  X:\n    ABC:\n      name: 表\n      items: {[f'no. {n}' for n in range(36)]}\n",
        "x.yml",
    )
    (id,) = tables(pairs)
    assert (id, says(only(pairs), tens=2, ones=1)) == ("abc", "no. 6")
    assert "its 36 entries are read as two dice" in pairs.questions[0]


def foundry(*results: tuple[int, int, str], formula: str = "1d6", name: str = "Sky") -> Imported:
    listed = [{"text": text, "range": [low, high]} for low, high, text in results]
    return import_tables(
        json.dumps({"name": name, "formula": formula, "results": listed}), "sky.json"
    )


def test_the_common_slips_of_foundry_tables_are_questions() -> None:
    beyond = foundry(*((n, n, f"no. {n}") for n in range(1, 7)), formula="1d7")
    assert (rolled(only(beyond)), says(only(beyond), roll=6)) == ("1d6", "no. 6")
    assert beyond.questions == ("sky: its formula is 1d7 but its last row is 6: read as 1d6",)
    twice = foundry((1, 3, "dry"), (4, 6, "wet"), (4, 6, "windy"))
    assert [says(only(twice), roll=roll) for roll in (3, 4)] == ["dry", "wet; windy"]
    assert twice.questions == ("sky: 2 results share 4-6: read as one, separated by semicolons",)
    crossed = foundry((1, 4, "dry"), (3, 6, "wet"))
    assert [says(only(crossed), roll=roll) for roll in range(1, 7)] == ["dry"] * 2 + [
        "dry; wet"
    ] * 2 + ["wet"] * 2
    for name in ("50/50", "50/50 of a title as long as a column of march"):
        (id,) = tables(foundry((1, 6, "heads"), name=name))
        assert (id.startswith("table-50-50"), len(id) <= 30) == (True, True)


def test_long_texts_and_long_decks_are_taken() -> None:
    long = 'a "quoted" word ' * 249
    assert len(only(foundry((1, 6, long))).read({"roll": 3}).out["result"]) == len(long.strip())
    with refuses("not-a-table") as caught:
        foundry((1, 6, "x" * 4_001))
    assert "4,001 characters; the limit is 4,000" in caught.value.message
    deck = only(
        import_tables(json.dumps({"words": [f"word {n}" for n in range(1_500)]}), "deck.json")
    )
    assert (rolled(deck), says(deck, roll=1_500)) == ("1d1500", "word 1499")
    with refuses("not-a-table") as caught:
        import_tables(json.dumps({"words": [f"word {n}" for n in range(2_001)]}), "deck.json")
    assert "2,001 entries; a table has at most 2,000" in caught.value.message


def test_a_list_that_can_be_no_table_leaves_the_others_of_its_deck() -> None:
    made = import_tables(json.dumps({"a": ["x" * 5_000], "b": ["left", "right"]}), "deck.json")
    assert list(tables(made)) == ["b"]
    assert made.questions == ("left out: Entry 1 of a has 5,000 characters; the limit is 4,000.",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"name": "Sky",\n "results": [}',
            "This JSON cannot be read: line 2, column 14: a value is missing here.",
        ),
        ('{"name": "Sky"\n "x": 1}', "This JSON cannot be read: line 2, column 2: a comma"),
        ('{"name": "Sky" 1}', "line 1, column 16: a comma"),
        ('{"_key": "!folders!1", "type": "RollTable"}', "This is a Foundry VTT folder"),
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
            "This is a Git LFS pointer",
        ),
    ],
)
def test_what_cannot_be_read_says_why_and_where(text: str, said: str) -> None:
    with refuses("not-a-table") as caught:
        import_tables(text, "sky.json")
    assert said in caught.value.message


def test_line_breaks_in_the_texts_of_json_are_read() -> None:
    """Three of the Foundry community's tables have them, which JSON does not allow."""
    made = import_tables(
        '{"name": "Sky", "formula": "1d2", "results": [{"range": [1, 2], "text": "wet\nand dark"}]}',
        "x",
    )
    assert says(only(made), roll=1) == "wet and dark"


def chances(table: Table) -> dict[str, Fraction]:
    sides = int(rolled(table)[2:])
    found: dict[str, Fraction] = {}
    for roll in range(1, sides + 1):
        said = says(table, roll=roll)
        found[said] = found.get(said, Fraction(0)) + Fraction(1, sides)
    return found


def test_a_deck_has_a_table_for_each_list_with_its_weights() -> None:
    made = sample("war-diary.json")
    assert (made.title, made.author, made.version) == ("War diary", "A. Scribe", "1.2")
    found = tables(made)
    assert list(found) == ["mood", "morning", "weather"]
    assert chances(found["weather"]) == {
        "dry": Fraction(6, 10),
        "wet": Fraction(3, 10),
        "fog": Fraction(1, 10),
    }
    assert says(found["morning"], roll=1) == "A <weather> dawn; <mood> in the ranks"
    assert (
        "morning: <weather> is drawn from the table of that name: look it up, too" in made.questions
    )
    assert "morning: [1d6] is rolled or shown in SealDice; here it stays as text" in made.questions


def test_a_text_that_draws_from_one_other_list_rolls_on_that_table() -> None:
    """Not one that draws from several, nor what would lead in a circle; each of them stays a
    question.
    """
    lists = {
        "sky": ["clear", "::2::rain, {wind}", "{storm}"],
        "wind": ["calm", "gale"],
        "storm": ["hail, {wind}", "snow", "{sky}"],
        "day": ["{sky} and {wind}", "{day}"],
    }
    made = import_tables(json.dumps(lists), "weather.json")
    assert check_content(made.pack("tryout")).faults == ()
    found = {file: yaml.safe_load(text) for file, text in made.files.items()}
    assert found["sky.yaml"]["results"] == {
        "then-1": {"result": "rain, <wind>", "table": "wind"},
        "then-2": {"table": "storm"},
    }
    assert found["storm.yaml"]["results"] == {"then-1": {"result": "hail, <wind>", "table": "wind"}}
    assert "results" not in found["wind.yaml"] | found["day.yaml"]
    asked = [question for question in made.questions if "is drawn from" in question]
    assert [one.partition(" is drawn")[0] for one in asked] == [
        "storm: <sky>",
        "day: <day>",
        "day: <sky>",
        "day: <wind>",
    ]
    flat = import_tables(json.dumps(lists), "weather.json", chains=False)
    assert "table:" not in "".join(flat.files.values())


def test_a_result_of_foundry_that_is_a_table_of_the_same_file_rolls_on_it() -> None:
    tables = [
        {"name": "Sky", "formula": "1d2", "results": [
            {"range": [1, 1], "text": "clear"},
            {"range": [2, 2], "text": "Wind", "documentCollection": "RollTable", "documentId": "x"},
        ]},
        {"name": "Wind", "formula": "1d2", "results": [{"range": [at, at], "text": f"force {at}"} for at in (1, 2)]},
    ]  # fmt: skip
    made = import_tables(json.dumps(tables), "weather.json")
    assert check_content(made.pack("tryout")).faults == ()
    assert yaml.safe_load(made.files["sky.yaml"])["results"] == {"then-1": {"table": "wind"}}
    (alone,) = import_tables(json.dumps(tables[0]), "sky.json").files.values()
    assert "Wind" in alone
    assert "table:" not in alone


def test_decks_in_yaml_and_toml() -> None:
    camp = tables(sample("camp.yaml"))
    assert list(camp) == ["camp", "guard"]
    assert chances(camp["guard"]) == {"The sentry": Fraction(1, 3), "A corporal": Fraction(2, 3)}
    supplies = sample("supplies.toml")
    assert (supplies.author, supplies.licence) == ("A. Scribe / B. Clerk", "CC-BY")
    found = tables(supplies)
    assert {table.title for table in found.values()} == {"wagon", "军粮", "ammunition"}
    assert (
        "wagon: its cards are each drawn only once; here every roll uses all of them"
        in supplies.questions
    )


def test_many_lists_fill_several_menus() -> None:
    made = import_tables(
        json.dumps({f"deck {number}": ["a", "b"] for number in range(30)}), "many.json"
    )
    assert len(tables(made)) == 30
    assert made.groups == {"tables": "Tables", "tables-2": "Tables 2"}


def test_a_pack_of_a_table_has_an_id_of_its_own() -> None:
    """A title that names no pack, such as `Table` or a built-in game, gets some of the hash of
    its tables.
    """
    assert sample("rally.csv").id == "rally"
    assert sample("war-diary.json").id == "war-diary"
    sheets = [
        import_tables(f"d6,{word}\n1-3,a\n4-6,b\n", name)
        for word in ("x", "y")
        for name in ("table", "lnlt", "军粮")
    ]
    ids = {made.id for made in sheets}
    assert len(ids) == 6
    assert all(check_content(made.pack(made.id)).faults == () for made in sheets)


HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "not-a-table"),
    "blanks": (" \n\t\n", "not-a-table"),
    "a sentence": ("Attack at dawn", "not-a-table"),
    "one column": ("a\nb\nc\n", "not-a-table"),
    "headings alone": ("a,b\n", "not-a-table"),
    "other JSON": ('{"a": 1}', "not-a-table"),
    "JSON without an end": ('{"a": [', "not-a-table"),
    "JSON as deep as a well": ("[" * 100_000, "not-a-table"),
    "deep JSON in a deck": ('{"a":' * 50_000, "not-a-table"),
    "deep TOML": ("a = " + "[" * 50_000, "not-a-table"),
    "YAML that grows": ("a: &a\n- x\nb:\n- *a\n- *a\n", "not-a-table"),
    "no text": (b"\xff\xfe\x00", "not-text"),
    "zero bytes": ("a,b\n1,\0\n", "not-text"),
    "too large": ("1,2\n" * 100_000, "not-a-table"),
    "a cell without end": ("a,b\n1," + "x" * 100_000, "not-a-table"),
    "a quote without end": ('a,b\n1,"' + "x\n" * 90_000, "not-a-table"),
    "thousands of rows": ("a,b\n" + "1,2\n" * 5_000, "not-a-table"),
    "thousands of columns": ("," * 5_000 + "x\n" + "1," * 5_000, "not-a-table"),
    "thousands of decks": (json.dumps({f"d{n}": ["a"] for n in range(5_000)}), "not-a-table"),
    "a million weights": (json.dumps({"d": ["::1000000::a", "b"]}), "not-a-table"),
    "thousands of dice": ("T\n999D9999\n1:a\n", "not-a-table"),
    "a bad entry": ("T\n1D6\n1:a\nb\n", "not-a-table"),
    "a bad range": (json.dumps({"formula": "1d6", "results": [{"range": [1]}]}), "not-a-table"),
    "a huge range": (
        json.dumps({"formula": "1d6", "results": [{"range": [1, 10**30]}]}),
        "not-a-table",
    ),
    "a result that is none": (json.dumps({"results": [1]}), "not-a-table"),
    "a table of ours": ("title: X\nkind: grid\n", "not-a-table"),
}


@pytest.mark.parametrize("what", list(HOSTILE))
def test_what_is_no_table_is_refused_in_one_line_and_at_once(what: str) -> None:
    text, code = HOSTILE[what]
    since = time.process_time()
    with refuses(code) as caught:
        import_tables(text, "x.csv")
    assert time.process_time() - since < 10
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "text",
    [
        "{" * 30_000 + "}",
        "<" * 200_000,
        "@a[" * 60_000,
        "[[" * 100_000,
        "::" * 100_000,
        "<p " * 80_000,
    ],
    ids=range(6),
)
def test_texts_that_would_tie_up_a_pattern_take_no_time(text: str) -> None:
    since = time.process_time()
    for source in (
        json.dumps({"results": [{"text": text, "range": [1, 6]}], "formula": "1d6"}),
        json.dumps({"d": [text]}),
    ):
        with refuses("not-a-table"):
            import_tables(source, "x")
    assert time.process_time() - since < 10


CELLS = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ["1", "2-5", "13+", "≤3", "1:2", "-", "no"]
)
SHEETS = st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=6)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 400) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "results",
                    "range",
                    "formula",
                    "text",
                    "weight",
                    "name",
                    "decks",
                    "options",
                    "_title",
                    "a",
                ]
            )
            | st.text(max_size=4),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


def result_of(text: str) -> tuple[Imported | None, UserError | None]:
    try:
        return import_tables(text, "x"), None
    except UserError as error:
        return None, error


def is_sound(text: str) -> None:
    """The text becomes YAML that the check reads, with or without faults, or is refused in one
    line.
    """
    made, error = result_of(text)
    if made is None:
        assert error is not None
        assert error.code in ("not-a-table", "not-text")
        assert "\n" not in str(error)
        return
    report = check_content(made.pack("tryout"))
    assert not any("line 1:" in fault or "is not YAML" in fault for fault in report.faults), (
        made.files,
        report.faults,
    )


EXAMPLES = pytest.mark.parametrize("examples", [30, pytest.param(150, marks=pytest.mark.slow)])
"""How many files are drawn of a kind."""


@EXAMPLES
def test_no_sheet_brings_the_importer_down(examples: int) -> None:
    @settings(max_examples=examples)
    @given(SHEETS, st.sampled_from(",;\t"))
    def check(rows: list[list[str]], mark: str) -> None:
        is_sound("\n".join(mark.join(row) for row in rows))

    check()


@EXAMPLES
def test_no_json_brings_the_importer_down(examples: int) -> None:
    @settings(max_examples=examples)
    @given(JSONS)
    def check(data: Any) -> None:
        is_sound(json.dumps(data))

    check()


FIGURES = st.integers(-2, 70) | st.sampled_from(["1..3", "4", "x", "11", "2..", "..2", "6..1"])
ITEMS = (
    st.lists(st.text(max_size=6) | st.integers(0, 9) | st.none(), max_size=7)
    | st.lists(st.lists(FIGURES | st.text(max_size=6), max_size=7), max_size=7)
    | st.dictionaries(
        FIGURES, st.text(max_size=6) | st.none() | st.lists(st.integers(), max_size=2), max_size=40
    )
)
SYSTEMS = st.dictionaries(
    st.sampled_from(["VOT", "表", "T 1", "no"]),
    st.fixed_dictionaries(
        {"name": st.text(max_size=8), "items": ITEMS},
        optional={
            "type": st.sampled_from(["1D6", "2d6", "D66", "1D0", "99D99", "", 6]),
            "d66_sort_type": st.sampled_from(["ASC", "DESC", "NO_SORT", "x", 3]),
        },
    ),
    max_size=4,
)


@EXAMPLES
def test_no_system_of_bcdice_brings_the_importer_down(examples: int) -> None:
    @settings(max_examples=examples)
    @given(SYSTEMS)
    def check(tables: dict[str, Any]) -> None:
        is_sound(yaml.safe_dump({"en": {"Game": {"table": tables}}}, allow_unicode=True))

    check()


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200))
def test_no_text_brings_the_importer_down(text: str) -> None:
    is_sound(text)


def test_the_file_may_be_as_large_as_a_pack() -> None:
    rows = "".join(f"{number},{'word ' * 60}\n" for number in range(1, 400))
    assert len(rows) < MOST_BYTES
    assert (
        len(only(import_tables(f"d399,text\n{rows}", "long.csv")).printed["read"]["cells"]) == 399
    )


def test_the_command_prints_a_table_or_makes_a_pack_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(SAMPLES / "fire.tsv")]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("# fire.yaml\ntitle: Fire\n")
    read, question = printed.err.splitlines()
    assert read.startswith("read as   fire: 2d6 and a modifier by row (2 or less, 3-5, ")
    assert question.startswith("question  fire: its columns")
    folder = tmp_path / "few-acres"
    assert main(["import", str(SAMPLES / "odds.csv"), "--pack", str(folder), "--id", "crt"]) == 0
    assert main(["import", str(SAMPLES / "war-diary.json"), "--pack", str(folder)]) == 0
    assert main(["check", str(folder)]) == 0
    assert "few-acres: Odds, version 1: 4 tables" in capsys.readouterr().out
    assert main(["import", str(SAMPLES / "odds.csv"), "--pack", str(folder), "--id", "crt"]) == 2
    assert "already exists" in capsys.readouterr().err


def test_a_table_with_a_fault_is_printed_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "loot.txt"
    file.write_text("Loot\n1D4\n1:gold\n2:silver\n4:a gem\n", encoding="utf-8")
    assert main(["import", str(file)]) == 1
    said = capsys.readouterr()
    assert "4: a gem" in said.out
    assert said.err.splitlines() == [
        "read as   loot: d4 by row (1, 2, 4); 3 different results",
        "fault     loot.yaml, row read: nothing answers roll 3 (between 2 and 4)",
    ]


def test_a_folder_is_imported_at_once_with_the_reason_of_each_refusal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = tmp_path / "Our tables"
    for name in ("odds.csv", "patrols.yml", "war-diary.json", "stragglers.txt"):
        target = tables / ("decks" if name.endswith("json") else "") / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((SAMPLES / name).read_bytes())
    (tables / "loot.txt").write_text("1D4:Loot\n1:gold\n2:silver\n4:a gem\n", encoding="utf-8")
    (tables / "odds-2.csv").write_bytes((SAMPLES / "odds.csv").read_bytes())
    (tables / "note.txt").write_text("Bring biscuits.", encoding="utf-8")
    (tables / "README.md").write_text("Ours.", encoding="utf-8")
    assert main(["import", str(tables)]) == 1
    said = capsys.readouterr().out
    assert "left out  note.txt: No table was found in this text." in said
    assert "left out  loot.txt: loot.yaml, row read: nothing answers roll 3" in said
    assert (
        "question  patrols.yml, left out: The file does not say which dice SKT (Trades) uses"
        in said
    )
    assert said.endswith(
        "Our tables: 9 tables\n5 of 7 files imported.\nAdd --pack FOLDER to make a pack of it.\n"
    )
    assert main(["import", str(tables), "--pack", str(tmp_path / "club")]) == 1
    assert f"{tmp_path / 'club'} is written: 9 tables" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "club")]) == 0
    pack = load_pack(tmp_path / "club")
    assert dict(pack.game["groups"]) == {"decks": "decks", "tables": "Tables"}
    assert {"odds", "odds-2"} <= set(pack.tables)
    assert main(["import", str(tables), "--pack", str(tmp_path / "club")]) == 2
    assert "already exists" in capsys.readouterr().err


def test_folders_whose_names_are_alike_share_no_overfull_menu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("x", "x-2"):
        (tmp_path / "in" / folder).mkdir(parents=True)
        for number in range(30):
            (tmp_path / "in" / folder / f"{number}.txt").write_text(
                f"1D2:T {folder} {number}\n1:a\n2:b\n", encoding="utf-8"
            )
    assert main(["import", str(tmp_path / "in"), "--pack", str(tmp_path / "club")]) == 0
    assert capsys.readouterr().out.endswith("60 of 60 files imported.\n")
    assert list(load_pack(tmp_path / "club").game["groups"]) == ["x", "x-2", "x-2-2"]


def test_a_folder_that_no_pack_holds_fills_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = tmp_path / "decks"
    tables.mkdir()
    for number in range(60):
        text = "".join(f"{n}:{number} {'word ' * 150}\n" for n in range(1, 13))
        (tables / f"deck-{number}.txt").write_text(f"1D12:Deck {number}\n{text}", encoding="utf-8")
    assert main(["import", str(tables), "--pack", str(tmp_path / "club")]) == 0
    assert capsys.readouterr().out.endswith("60 of 60 files imported.\n")
    packs, faults = load_packs_in(tmp_path)
    assert (sorted(packs), faults) == (["club", "club-2", "club-3"], [])
    assert sum(len(pack.tables) for pack in packs.values()) == 60
    assert all(
        len(data) <= MOST_BYTES
        for pack in packs.values()
        for data in [b"".join(pack.content.values())]
    )
    assert dict(packs["club"].game["groups"]) == {"tables": "Tables", "tables-2": "Tables 2"}


def test_a_table_that_no_pack_holds_is_left_out_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    large = {"a": [f"{number} {'word ' * 250}" for number in range(300)], "b": ["left", "right"]}
    (tmp_path / "large.json").write_text(json.dumps(large), encoding="utf-8")
    assert main(["import", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "left out  large.json: a.yaml alone is larger than the 256 kB limit for a pack" in said
    assert said.endswith(
        ": 1 table\n1 of 1 file imported.\nAdd --pack FOLDER to make a pack of it.\n"
    )


async def test_the_answer_of_a_long_text_fits_both_platforms_with_the_whole_of_it_in_a_file() -> (
    None
):
    channel = await Channel.fresh()
    text = ("The column halts at the ford, " * 132).strip()
    content = foundry(*((n, n, f"{n} {text}") for n in range(1, 7)), name="Tale").pack("tale")
    spec = channel.app.find_spec(("pack", "add"))
    manager = channel.who("Host", manager=True)
    review = await channel.app.run_parsed(
        spec, {"file": read_file_text(zip_content(content), "t.zip")}, manager, channel.place, "a"
    )
    await channel.app.press(review.buttons[0].action, manager, channel.place, "b")
    for line in ("tale-table tables tale roll=5", "tale-table tables tale"):
        reply = await channel.do("Anna", line)
        (file,) = shown(reply).files
        assert " ".join(str(file.text).split()).count(text) >= 1
        check_blocks(slack.render_message(reply, "T1", load_shared_registry()).blocks)


def test_a_zip_of_tables_is_a_folder_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "club.deck"  # as SealDice calls them
    file.write_bytes(
        zip_content(
            {name: (SAMPLES / name).read_bytes() for name in ("odds.csv", "stragglers.txt")}
        )
    )
    assert main(["import", str(file)]) == 0
    assert "2 of 2 files imported." in capsys.readouterr().out
    assert main(["import", str(file), "--id", "odds"]) == 2
    assert "--id, --group and --deck are for one file." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("2026-02-04", [(2, 4)]),
        ("2026-01-05", [(1, 5)]),
        ("2050-05-01", [(5, 1), (5, 50)]),
        ("2026-13-32", []),
    ],
)
def test_an_iso_date_says_which_figure_is_its_day(text: str, pairs: list[tuple[int, int]]) -> None:
    assert read_date_pairs(text) == pairs
