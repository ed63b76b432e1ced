"""A deck out of a spreadsheet, a list of SealDice, cards of Foundry VTT."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.packs.importing.decks import read_deck_sheet
from bot.packs.importing.detect_format import check_alone, import_into_pack, import_tables
from bot.packs.importing.folders import gather_packs
from bot.packs.review import review_file
from bot.rules.errors import UserError
from bot.rulesets.packs.pack import load_pack
from tests.packs.conftest import PackMaker
from tests.playing import Channel

SHEET = """\
Name;Copies;AP;Wet;Side;after;Text
All quiet;8;;no;;back;
Rain, heavy;2;1;yes;;;Everybody moves one hex less until the end of the turn.
A guide;;2;no;blue;removed;
"""


def test_a_sheet_of_cards_becomes_a_deck_that_a_game_has(make_pack: PackMaker) -> None:
    folder = make_pack()
    told = import_into_pack(SHEET.encode(), "Chances.csv", folder)
    assert told.status == 0
    assert told.lines[0].endswith("decks/chances.yaml is written")
    (made,) = load_pack(folder).decks.values()
    assert made.title == "Chances"
    assert made.deck.cards == (("all-quiet", 8), ("rain-heavy", 2), ("a-guide", 1))
    assert made.names == {
        "all-quiet": "All quiet",
        "rain-heavy": "Rain - heavy",
        "a-guide": "A guide",
    }
    assert made.said["a-guide"] == {"ap": 2, "wet": False, "side": "blue"}
    assert made.after == {"all-quiet": "back", "rain-heavy": "discard", "a-guide": "removed"}
    asked = "\n".join(told.lines)
    assert "column text is left out" in asked
    assert "Rain, heavy is called Rain - heavy" in asked


def test_a_row_that_sums_the_counts_is_no_card_and_a_ditto_mark_is_what_is_above() -> None:
    made = read_deck_sheet('Card,Count,Side\nRain,5,blue\n**Sun**,2,""""\nTotal,7,\n', "Weather")
    assert made is not None
    assert made.understood == "a deck of 7 cards, 2 kinds"
    assert '{id: "sun", name: "Sun", count: 2, side: "blue"}' in made.text
    assert [question.partition(":")[0] for question in made.questions] == [
        "ditto marks are read as the value above",
        'the row "Total" is left out',
    ]


def test_a_deck_alone_is_printed_and_may_be_a_pack_of_its_own(tmp_path: Path) -> None:
    made = import_tables(SHEET, "us events.csv", id="events")
    assert [*made.files] == ["decks/events.yaml"]
    assert check_alone(made).status == 0
    assert import_into_pack(SHEET.encode(), "chances.csv", tmp_path / "new").status == 0
    assert [*load_pack(tmp_path / "new").decks] == ["chances"]
    assert len(review_file(None, SHEET).decks) == 1


def test_a_deck_in_a_folder_of_tables_is_left_out_and_told(tmp_path: Path) -> None:
    found = gather_packs(
        [("chances.csv", SHEET.encode()), ("a.csv", b"2d6,x\n2-7,a\n8-12,b\n")],
        "Tables",
        is_alone=False,
    )
    assert any("import a deck on its own" in line for line in found.left_out)
    assert not any("deck" in file for pack in found.packs for file in pack.files)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name,count\nRain,two\n", "Row 2: the count two is not"),
        ("name,count,after\nRain,2,gone\n", "Row 2: `after` cannot be gone"),
    ],
)
def test_a_cell_that_is_none_is_refused_with_its_row(text: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        import_tables(text)


@pytest.mark.parametrize(
    "text", ["2d6,1-1,2-1\n2-7,a,b\n8-12,c,d\n", "name,ap\nRain,1\n", "count,ap\n1,2\n"]
)
def test_another_sheet_is_no_deck(text: str) -> None:
    assert read_deck_sheet(text, "T") is None


def test_a_count_of_none_and_two_alike_are_faults_of_the_deck() -> None:
    assert (
        "count: must be a whole number"
        in check_alone(import_tables("name,count\nRain,0\n")).lines[1]
    )
    assert (
        "is also the name of rain"
        in check_alone(import_tables("name,count\nRain,1\nRain,2\n")).lines[1]
    )


CELL = st.text(max_size=60) | st.sampled_from(
    ["name", "count", "id", "after", "ap", "1", "-2.5", "yes", "a,b", "x" * 41]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=6))
def test_no_sheet_of_cards_brings_the_importer_down(rows: list[list[str]]) -> None:
    text = "\n".join(
        "\t".join(cell.replace("\t", " ") for cell in row)
        for row in [["name", "count", "ap"], *rows]
    )
    with suppress(UserError):
        check_alone(import_tables(text))


# -- a list of SealDice: JSON, YAML or TOML; entries with weights, a list drawn once each

LISTS = """{
  // what the scouts find
  "_title": ["Valley events"], "_author": ["the club"],
  "weather": ["::4::Sun", "Rain: all move one hex less", "Fog\\nnobody sees beyond two hexes",
    "::2::Rain: all move one hex less"],
  "_guides": ["A shepherd", "A deserter", "{weather}"],
  "doubles": ["Rain: a little", "Rain: a lot"],
}"""


def test_a_list_of_sealdice_becomes_a_deck_with_as_many_cards_as_it_weighs(
    make_pack: PackMaker,
) -> None:
    folder = make_pack()
    told = import_into_pack(LISTS.encode(), "valley.json", folder, deck="weather")
    assert told.status == 0
    assert told.lines[0].endswith("decks/weather.yaml is written")
    (made,) = load_pack(folder).decks.values()
    assert (made.title, made.deck.cards) == ("Weather", (("sun", 4), ("rain", 3), ("fog", 1)))
    assert any("2 of 3 cards keep only their name" in line for line in told.lines)
    guides = import_tables(LISTS, deck="guides")
    assert guides.files["decks/guides.yaml"].count("count: 1") == 3
    assert guides.questions[0] == "<weather> is drawn from the table of that name: look it up, too"


@pytest.mark.parametrize(
    "text",
    [
        "weather:\n- ::4::Sun\n- Rain\n",
        '[meta]\ntitle = "Valley"\n[decks.weather]\nreplace = false\noptions = ["::4::Sun", "Rain"]\n',
        '{"command": "weather", "default": ["::4::Sun", "Rain"]}',
        '{"weather": ["::4::Sun", "::0::Hail", "Rain"]}',
    ],
)
def test_a_list_may_be_yaml_toml_or_nested(text: str) -> None:
    made = import_tables(text, deck="weather")
    assert made.format == "a SealDice deck"
    assert '"sun", name: "Sun", count: 4' in made.files["decks/weather.yaml"]
    assert "Hail" not in made.files["decks/weather.yaml"]


# -- cards of Foundry VTT


def of_foundry(*cards: Any, **more: Any) -> str:
    """A deck as Foundry's export writes it."""
    said = {
        "description": "",
        "img": None,
        "displayCount": False,
        "_stats": {"coreVersion": "12.331"},
    }
    return json.dumps({"name": "Orders", "type": "deck", **said, "cards": list(cards), **more})


def card(
    name: str, suit: str | None = None, value: float | None = None, **more: Any
) -> dict[str, Any]:
    face = {"name": name, "text": "", "img": "cards/orders.webp"}
    said: dict[str, Any] = {
        "type": "base",
        "suit": suit,
        "value": value,
        "face": None,
        "drawn": False,
        "sort": 0,
        "system": {},
    }
    return {
        "name": name,
        "faces": [face],
        "back": {"name": "", "text": "", "img": None},
        **said,
        **more,
    }


def test_cards_of_foundry_become_a_deck_with_suits_and_values(make_pack: PackMaker) -> None:
    folder = make_pack()
    text = of_foundry(
        card("Advance", "blue", 3), card("Advance", "blue", 3), card("Ambush", "red", 2), card("Ambush", "blue", 2),
        card("", "red", 1, face=1, faces=[{"name": "Front"}, {"name": "Lull, for all"}]), card("Mud", drawn=True),
    )  # fmt: skip
    told = import_into_pack(text.encode(), "fvtt-Cards-orders.json", folder)
    assert told.status == 0
    (made,) = load_pack(folder).decks.values()
    assert made.title == "Orders"
    assert made.deck.cards == (
        ("advance", 2), ("ambush-red-2", 1), ("ambush-blue-2", 1), ("lull-for-all", 1), ("mud", 1),
    )  # fmt: skip
    assert made.said["advance"] == {"suit": "blue", "value": 3}
    assert made.said["mud"] == {}
    assert any("Lull, for all is called Lull - for all" in line for line in told.lines)
    assert any("row cards mud, column suit: is missing" in line for line in told.lines)


def test_a_hand_of_foundry_is_asked_about() -> None:
    assert (
        "in Foundry it is a hand"
        in import_tables(of_foundry(card("Mud"), type="hand")).questions[0]
    )


@pytest.mark.parametrize(
    ("text", "deck", "says"),
    [
        (LISTS, "events", 'no list called "events"'),
        (LISTS, "doubles", '2 cards in doubles are called "Rain"'),
        (SHEET, "weather", "not a SealDice deck"),
        (of_foundry(card("Mud")), "Mud", "not a SealDice deck"),
        (of_foundry(), "", "It has no cards"),
        (of_foundry(card("Mud"), "Rain"), "", "Card 2 is not in Foundry's format"),
        (
            of_foundry({**card("Mud"), "faces": [3]}),
            "",
            "Card 1 is not in Foundry's format",
        ),
        (of_foundry(card("")), "", "Card 1 has no name"),
        (
            '{"name": "Orders", "type": "Actor"}',
            "",
            "not a Foundry VTT rollable table or cards",
        ),
    ],
)
def test_what_is_no_deck_is_refused_in_words(text: str, deck: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        import_tables(text, deck=deck)


def test_a_list_called_cards_is_of_sealdice() -> None:
    assert import_tables('{"cards": ["Sun", "Rain"]}').format == "SealDice"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (of_foundry(*[card(f"Card {number}") for number in range(401)]), "1 to 400"),
        ('{"sun": ["::2000::Sun"]}', "at most 1000|at most 1,000|from 1 to 1000"),
    ],
)
def test_a_deck_that_is_too_large_is_a_fault_in_words(text: str, says: str) -> None:
    told = check_alone(import_tables(text, deck="sun" if "sun" in text else ""))
    assert told.status == 1
    assert any(part in told.lines[1] for part in says.split("|")), told.lines


async def test_a_list_and_cards_come_by_chat_and_are_played() -> None:
    channel = await Channel.fresh()
    made = await channel.say("Anna", f"pack add text='{LISTS}' deck=weather", manager=True)
    assert not made.error, made.format_text()
    assert "Weather" in made.format_text()
    made = await channel.say("Anna", f"pack add text='{LISTS}' deck=events", manager=True)
    assert made.error, made.format_text()
    assert 'no list called "events"' in made.format_text()
    said = of_foundry(card("Advance", "blue", 3), card("Mud"))
    made = await channel.say("Anna", f"pack add text='{said}'", manager=True)
    assert not made.error, made.format_text()
    assert "Orders" in made.format_text()
    made = await channel.say("Anna", "pack enable orders", manager=True)
    assert not made.error, made.format_text()
    await channel.do("Anna", 'game start orders "Orders" sides="Blue, Red"')
    drawn = await channel.do("Anna", "deck draw orders 2")
    assert "Advance" in drawn.format_text()
    assert "suit blue, value 3" in drawn.format_text()


ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | st.text(max_size=50),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["name", "cards", "faces", "face", "suit", "value", "type", "weather"])
            | st.text(max_size=5),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@pytest.mark.parametrize("examples", [30, pytest.param(150, marks=pytest.mark.slow)])
def test_no_cards_and_no_list_bring_the_importer_down(examples: int) -> None:
    @settings(max_examples=examples)
    @given(ANY, st.lists(ANY, max_size=4), st.sampled_from(["", "weather"]))
    def check(data: Any, cards: list[Any], deck: str) -> None:
        one = {"cards": [{"name": "A", "value": data}]}
        for made in (data, {"type": "deck", "cards": cards}, {"weather": cards}, one):
            with suppress(UserError):
                check_alone(import_tables(json.dumps(made), deck=deck))

    check()
