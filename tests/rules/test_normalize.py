"""The two forms of a typed text: what is stored, and what is compared."""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rules.inputs.options import MAX_TEXT
from bot.rules.text.normalize import (
    NameIndex,
    comparison_key,
    normalize_name,
    normalize_text,
    normalize_value,
    plain_signs,
    word_key,
)
from bot.rules.text.plain import has_control, make_one_line, remove_control, remove_invisible
from tests.growth import LONG, MOST_GROWTH, growth
from tests.lookalikes import LOOKALIKES, changed
from tests.parsers import repeated

ROOT = Path(__file__).parents[2]
NAMES = (
    "O'Brien",
    "A-1 Squad",
    "Müller",
    "first half-squad 12",
    "Stra\u00dfe 5",
    "\u0130stanbul",
    "Офицер 3",
    "d'Orléans firm",
)
EMOJI = (
    "\U0001f3f4\u200d\u2620\ufe0f Crew",
    "\U0001f469\u200d\u2708\ufe0f Ann",
    "\U0001f469\U0001f3fd\u200d\U0001f4bb",
    "\u2764\ufe0f",
    "1\ufe0f\u20e3",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
)
FUNCTIONS = (normalize_text, normalize_name, normalize_value, plain_signs, comparison_key)
EVERY_SIGN = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "\u200d\u200b\u00ad\ufe0f\u2019\u2013\u2212\u00a0\u3000\uff11\u0301\u0307i"
            "\u0130\u0131\u00df\ufb01\U0001f3f4\U0001f469\u2708\u202e\r\n\t -'\"`a1"
        ),
    ),
    max_size=30,
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", LOOKALIKES)
def test_names_that_look_alike_have_one_key(name: str, change: str) -> None:
    written = LOOKALIKES[change](name)
    assert comparison_key(written) == comparison_key(name), ascii(written)


def test_names_that_differ_to_the_eye_have_different_keys() -> None:
    names = [*NAMES, "Muller", "OBrien", "A 1 Squad", "A1 Squad", "first half-squad 1 2", *EMOJI]
    assert len({comparison_key(name) for name in names}) == len(names)


def test_the_stored_name_keeps_what_was_typed_first() -> None:
    assert normalize_name("  O\u2019Brien\u00a0 Jr\u200b ") == "O\u2019Brien Jr"
    assert normalize_name("A\u20131") == "A\u20131"
    assert normalize_name("Mu\u0308ller") == "M\u00fcller"
    assert comparison_key("O\u2019Brien") == "o'brien" != normalize_name("O\u2019Brien")


@pytest.mark.parametrize("emoji", EMOJI)
def test_emoji_of_several_signs_stay_whole(emoji: str) -> None:
    for function in (
        normalize_text,
        normalize_name,
        remove_invisible,
        remove_control,
        make_one_line,
    ):
        assert function(emoji) == emoji, function
    assert not has_control(emoji)


@pytest.mark.parametrize(
    "stray", ["\u200d", "\u200b", "\u202e", "\u2066", "\ufeff", "\ufe0f", "\x1b"]
)
def test_what_only_spoofs_goes(stray: str) -> None:
    for text in (f"US{stray}", f"{stray}US", f"U{stray}S", f"\U0001f469{stray}{stray}US"):
        kept = normalize_text(text).replace("\U0001f469\ufe0f", "\U0001f469")
        assert kept.removeprefix("\U0001f469") == "US", ascii(text)
        assert comparison_key(text).removeprefix("\U0001f469") == "us", ascii(text)


def test_values_are_read_in_plain_signs() -> None:
    for value in ("2d6+1", "-1", "us1;us2", "morale=5", "3,4", ">=8"):
        for change, written in changed(value).items():
            if change != "upper case":
                assert normalize_value(written) == value, change


@given(EVERY_SIGN)
@settings(max_examples=400, deadline=None)
def test_each_form_of_any_text_stays_as_it_is(text: str) -> None:
    for function in FUNCTIONS:
        once = function(text)
        assert function(once) == once, function
    for form in (normalize_text, normalize_name):
        assert comparison_key(form(text)) == comparison_key(text)
    assert not has_control(normalize_text(text))
    assert len(plain_signs(text)) == len(text)


@given(EVERY_SIGN)
@settings(max_examples=200, deadline=None)
def test_a_key_holds_no_sign_that_looks_like_another(text: str) -> None:
    key = comparison_key(text)
    assert key == " ".join(key.split())
    assert not set(key) & set('\u2018\u2019\u2013\u2014\u2212\u00a0\u3000\u00ad\ufe0f`"')
    assert not any(sign.isdecimal() and sign not in "0123456789" for sign in key)
    assert unicodedata.is_normalized("NFKC", key)


def test_no_other_module_makes_either_form() -> None:
    """Pictures ask which letters a font lacks; all else asks `normalize.py`."""
    allowed = {"bot/rules/text/normalize.py", "bot/charts/font.py"}
    files = [file for folder in ("bot", "adapters") for file in (ROOT / folder).rglob("*.py")]
    found = {
        file.relative_to(ROOT).as_posix()
        for file in files
        if re.search(r"unicodedata|\bNFK?[CD]\b", file.read_text("utf-8"))
    }
    assert found == allowed


def test_an_index_finds_each_spelling_and_keeps_two_names_of_an_old_log() -> None:
    index = NameIndex({"o'brien": 1, "o\u2019brien": 2, "us1": 3})
    assert index["o'brien"] == 1
    assert index["o\u2019brien"] == 2
    assert index.get("O\u02bcBRIEN") == 1
    assert "\uff35\uff33\uff11" in index
    assert index.get("us2") is None
    assert list(index) == ["o'brien", "o\u2019brien", "us1"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_cost_grows_with_the_length(function) -> None:  # type: ignore[no-untyped-def]
    function = getattr(function, "__wrapped__", function)
    for piece in (
        "a\u0301",
        "i\u0307",
        "\u200d",
        "\U0001f469\u200d",
        "--",
        "\ufb01",
        "\u00a0",
        "#\ufe0f",
    ):
        times, seconds = growth(function, partial(repeated, piece), LONG)
        assert times < MOST_GROWTH, (piece, times, seconds)


@pytest.mark.parametrize("form", [plain_signs, comparison_key, word_key])
def test_nobody_fills_the_memory_with_long_texts(form: Any) -> None:
    """The longest texts, of four bytes a sign, and their other forms take at most 10 MB."""
    most = form.cache_info().maxsize
    assert most * 2 * 4 * MAX_TEXT < 10_000_000
