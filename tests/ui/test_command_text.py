"""The text form: what players type, and what they get told when it cannot be read."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.dispatch import load_shared_registry
from bot.rules.errors import UserError, correct_typed
from bot.rules.inputs.input_values import parse_hand_dice
from bot.rules.inputs.options import Option, clean
from bot.ui.registry import Registry
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import (
    MOST_COMMANDS,
    format_command,
    parse_text,
    quote_value,
    tokenize,
)
from tests.refusing import refuses


def read(text: str) -> tuple[str, dict[str, object]]:
    typed = parse_text(text, load_shared_registry())
    return typed.spec.name, dict(typed.options)


def test_options_flags_and_positions() -> None:
    assert read('/lnlt morale-check "squad morale=5; leader morale=6" mod=-1 odds') == (
        "/lnlt morale-check",
        {"units": "squad morale=5; leader morale=6", "mod": "-1", "odds": True},
    )


def test_the_slash_is_optional_and_case_does_not_matter() -> None:
    assert read("LNLT Morale-Check units='squad morale=5'") == read(
        '/lnlt morale-check units="squad morale=5"'
    )


def test_at_stands_before_a_target_as_one_says_it() -> None:
    assert read("lnlt fire us4 at vc2 tm=1") == read("lnlt fire us4 vc2 tm=1")
    assert read('unit add "at" squad')[1]["name"] == "at"


@pytest.mark.parametrize("between", ["vs", "VS.", "v", "against", "->", "\u2192"])
def test_words_and_arrows_before_a_target_are_read_as_one_says_them(between: str) -> None:
    assert read(f"lnlt fire us4 {between} vc2 tm=1") == read("lnlt fire us4 vc2 tm=1")


@pytest.mark.parametrize("between", [" and ", " & ", " + ", ", ", " , "])
def test_units_of_a_list_may_be_joined_as_one_says_them(between: str) -> None:
    """With the target, and for each command that takes a list of units and then others."""
    specs = [
        spec
        for spec in load_shared_registry()
        if [option.type for option in spec.positional[:2]] == ["units", "units"]
        and not spec.positional[1].optional
    ]
    assert len(specs) > 2
    for spec in specs:
        line = f"{' '.join(spec.path)} us1{between}us2 vc1{between}vc2"
        assert list(read(line)[1].values()) == ["us1; us2", "vc1; vc2"], line
        line = f"{' '.join(spec.path)} us1, vc1"
        assert list(read(line)[1].values()) == ["us1", "vc1"], line


def test_a_comma_before_a_target_or_a_flag_adds_no_unit() -> None:
    assert read("lnlt fire us1, us2, vc1")[1] == {"attackers": "us1; us2", "targets": "vc1"}
    assert read("lnlt fire us1, odds")[1] == {"attackers": "us1", "odds": True}
    assert read('lnlt fire "us1", "us2" vc1')[1] == {"attackers": "us1; us2", "targets": "vc1"}
    assert read("lnlt morale-check us1, us2")[1] == {"units": "us1; us2"}


def test_numbers_may_be_written_with_the_marks_that_people_copy() -> None:
    assert clean(Option("event", "int", "an event"), "#4") == 4
    assert clean(Option("range", "number", "inches"), '30"') == 30
    assert clean(Option("range", "number", "inches"), "7.5\u2033") == 7.5
    with pytest.raises(UserError):
        clean(Option("event", "int", "an event"), "##4")


def test_quotation_marks_of_two_kinds_close_each_other() -> None:
    assert [token.value for token in tokenize('\u201ea b" c')] == ["a b", "c"]
    assert [token.value for token in tokenize('\u201ca "b" c\u201d')] == ['a "b" c']


def test_a_unit_goes_where_units_go_though_a_number_is_next() -> None:
    """A handle or a quoted name is no number; a plain word where a number goes is asked about,
    as ever.
    """
    assert read("baps fire us3 germ3 12") == read("baps fire attackers=us3 targets=germ3 range=12")
    assert read('baps fire "GI 1" "Grenadier 1" 12')[1]["targets"] == "Grenadier 1"
    assert read("ucn attack-vehicle us1 germ4 13") == read(
        "ucn attack-vehicle unit=us1 target=germ4 skill=13"
    )
    assert read("lnlt overrun us7 vc1..vc3") == read("lnlt overrun unit=us7 targets=vc1..vc3")
    with pytest.raises(UserError, match="range must be a number from 0 to 10000"):
        read("baps fire us3 germ")


def test_a_deck_and_a_word_of_a_choice_go_before_a_number_too() -> None:
    for line in ("deck draw cup 3 me", "deck draw 3 cup me", "deck draw cup me 3"):
        assert read(line)[1] == {"deck": "cup", "count": "3", "to": "me"}, line
    assert read("deck peek cup") == read("deck peek deck=cup")
    assert read("deck deal cup 5") == read("deck deal 5 cup")
    assert read("deck draw 3") == ("/deck draw", {"deck": "3"}), "a deck may be called 3"
    with pytest.raises(UserError, match="count must be a whole number from 1 to 60"):
        read("deck draw cup x")


@pytest.mark.parametrize("typed", ["hand=4 3 2", "hand=4, 3, 2", "hand:4 3 2", 'hand="4 3 2"'])
def test_dice_by_hand_may_have_spaces_and_are_no_terrain(typed: str) -> None:
    options = read(f"lnlt fire us1 vc1 {typed} adjacent")[1]
    assert options.keys() == {"attackers", "targets", "hand", "adjacent"}
    assert parse_hand_dice(options["hand"]) == (4, 3, 2)


def test_a_unit_gets_another_name_by_that_word() -> None:
    assert read('unit edit us1 name="Rifle 9"') == read("unit edit us1 stats='name=\"Rifle 9\"'")


def test_dice_take_the_rest_of_the_line() -> None:
    assert read("roll 3x 2d6 + 1 [rally]") == ("/roll", {"dice": "3x 2d6 + 1 [rally]"})
    assert read("roll 2d6 label=rally secret") == (
        "/roll",
        {"dice": "2d6", "label": "rally", "secret": True},
    )


def test_other_kinds_of_quotes_may_stand_inside() -> None:
    assert read("unit show '2nd \"Plt\" HQ'")[1] == {"name": '2nd "Plt" HQ'}
    assert read("unit show “Bob's men”")[1] == {"name": "Bob's men"}


def test_numbers_behind_a_unit_need_no_quotes() -> None:
    _, options = read('unit add "Squad 1" squad US morale=5 fp=1')
    assert options == {"name": "Squad 1", "type": "squad", "side": "US", "stats": "morale=5 fp=1"}


def test_the_group_of_a_table_may_be_left_out() -> None:
    assert read("lnlt-table melee-odds 7 5") == (
        "/lnlt-table combat melee-odds",
        {"attack": "7", "defense": "5"},
    )


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("lnlt morale-chekc", "Did you mean morale-check?"),
        ("lntl fire", "Did you mean lnlt?"),
        ('lnlt morale-check units="squad', "not closed"),
        ("lnlt morale-check mod=1 mod=2", "mod is given twice"),
        ("lnlt morale-check units=x odds odds", "odds is given twice"),
        ("lnlt morale-check units=squad morale=5", "Quote the whole list"),
        ("", "no command"),
        ("x" * 10_000_000, "too long"),
        ("help " + "a " * 5_000, "too long"),
        ("roll " + "a " * 1_000, "too many words"),
    ],
)
def test_errors_say_what_to_type(text: str, part: str) -> None:
    with pytest.raises(UserError) as caught:
        read(text)
    assert part in str(caught.value)


@given(st.text(max_size=200))
def test_no_text_crashes_the_parser(text: str) -> None:
    with contextlib.suppress(UserError):
        parse_text(text, load_shared_registry())


@given(
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\u201c\u201d\u201e"),
        max_size=40,
    )
)
def test_a_quoted_value_reads_back(value: str) -> None:
    if '"' in value and "'" in value:
        return
    (token,) = (
        tokenize(f"name={quote_value(value)}")
        if value.strip() or not value
        else tokenize(f'name="{value}"')
    )
    assert token.value == value


def test_a_command_is_ready_to_copy() -> None:
    text = '/lnlt morale-check units="squad morale=5; leader morale=6" mod=-1'
    typed = parse_text(text, load_shared_registry())
    assert format_command(typed.spec, typed.options) == text


def test_a_sentence_of_command_names_is_not_searched_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each name that leads to no command looks for the nearest spelling, half a millisecond."""
    searches: list[object] = []
    find = Registry.find

    def count(self: Registry, words: Sequence[str]) -> tuple[CommandSpec, int]:
        searches.append(words)
        return find(self, words)

    monkeypatch.setattr(Registry, "find", count)
    for name in ("lnlt-table ", "game "):
        with pytest.raises(UserError):
            parse_text("x " + name * 350, load_shared_registry())
    assert len(searches) <= 2 * (MOST_COMMANDS + 1)


def test_a_table_asked_for_as_a_sequence_says_where_it_is() -> None:
    with refuses("unknown-command"):
        read("nhis terrain trees")
    with refuses("unknown-command"):
        read("lnlt-table fire")


@pytest.mark.parametrize(
    ("typed", "better"),
    [
        ("lnlt-table dct roll=11", "lnlt-table dct total=11"),
        (
            'lnlt fire attackers=Squad 1 targets="VC 1"',
            'lnlt fire attackers="Squad 1" targets="VC 1"',
        ),
        (
            "lnlt fire attackers=squad fp=4 sw=3 adjacent tm=1",
            'lnlt fire attackers="squad fp=4 sw=3" adjacent tm=1',
        ),
        ("lnlt fire atackers=us1", "lnlt fire attackers=us1"),
        (
            "lnlt fire attackers=us1 targets=vc1 adjacant",
            "lnlt fire attackers=us1 targets=vc1 adjacent",
        ),
        ("lnlt fier attackers=us1", "lnlt fire attackers=us1"),
        ("game jion US", "game join US"),
        ("rol 2d6", "roll 2d6"),
    ],
)
def test_an_error_has_the_line_as_it_was_meant(typed: str, better: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_text(typed, load_shared_registry())
    assert correct_typed(typed, refused.value) == better
    parse_text(better, load_shared_registry())


def test_a_line_typed_again_is_read_as_before_and_is_nobody_elses() -> None:
    first = parse_text("roll 2d6 label=rally", load_shared_registry())
    again = parse_text("roll 2d6 label=rally", load_shared_registry())
    assert again == first
    assert again.options is not first.options


@pytest.mark.parametrize(
    ("typed", "name", "word"),
    [
        ("nhis fire us1 jp1 trees 4", "terrain", "trees"),
        ("nhis fire us1 jp1 4 bunker", "feature", "bunker"),
        ("lnlt fire us1 vc1 sniper", "shooter", "sniper"),
        ("baps fire us1 20 3 rushing", "stance", "rushing"),
    ],
)
def test_a_word_of_one_option_alone_is_that_option(typed: str, name: str, word: str) -> None:
    assert parse_text(typed, load_shared_registry()).options[name] == word
