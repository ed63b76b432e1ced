"""Names of units with spaces that were typed without quotation marks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.ui.typing.unquoted_names import quote_names

NAMES = ("Rifle 1", "Rifle 10", "Gun Team", "Local 1", "O'Brien 2", "Solo")


def test_names_are_quoted_wherever_they_stand() -> None:
    for typed, quoted in (
        ("lnlt fire Rifle 1 Local 1", 'lnlt fire "Rifle 1" "Local 1"'),
        ("fire rifle 1, GUN team at local 1", 'fire "rifle 1", "GUN team" at "local 1"'),
        ("lnlt fire attackers=Rifle 10 us2", 'lnlt fire attackers="Rifle 10" us2'),
        ("unit edit O'Brien 2 shaken", 'unit edit "O\'Brien 2" shaken'),
        ('lnlt fire "Rifle 1" Solo', 'lnlt fire "Rifle 1" Solo'),
        ("lnlt fire Rifle 12 Local 1x", "lnlt fire Rifle 12 Local 1x"),
    ):
        assert quote_names(typed, NAMES) == quoted


@given(st.text(), st.lists(st.text(max_size=8), max_size=4))
def test_any_line_survives(text: str, names: list[str]) -> None:
    quoted = quote_names(text, names)
    assert quoted.replace('"', "").replace("'", "") == text.replace('"', "").replace("'", "")
