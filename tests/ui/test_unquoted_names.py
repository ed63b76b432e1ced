"""Names of units with spaces that were typed without quotation marks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.ui.typing.unquoted_names import quote_names
from tests.playing import Channel

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


async def test_a_new_units_name_may_have_spaces_without_quotation_marks() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt Ford")
    for line, name, type_, side in (
        ("unit add Rifle 9 squad US", "Rifle 9", "squad", "US"),
        ("/unit add Rifle 10 squad side=US", "Rifle 10", "squad", "US"),
        ("unit add Gun Team A weapon-team VC fp=2", "Gun Team A", "weapon-team", "VC"),
        ("unit add O'Brien 1 leader US", "O'Brien 1", "leader", "US"),
        ("unit add Solo squad US", "Solo", "squad", "US"),
        ('unit add "Old Guard" squad US', "Old Guard", "squad", "US"),
    ):
        await channel.do("Anna", line)
        unit = (await channel.game()).units[name.casefold()]
        assert (unit.name, unit.type, unit.side) == (name, type_, side), line


async def test_a_new_units_name_without_its_type_shows_the_line_to_type() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt Ford")
    refused = await channel.refused("Anna", "unit add Rifle 9", "unknown-type type")
    assert 'unit add "Rifle 9" squad' in refused.format_text(), refused.format_text()
    await channel.do("Anna", 'unit add "Rifle 9" squad')
