"""Commands to copy, as Discord's client takes them when they are pasted."""

from __future__ import annotations

import pytest

from adapters.discord.text import as_typed


@pytest.mark.parametrize(
    ("text", "on_discord"),
    [
        (
            '/game start lnlt "Hill 875" sides="US, VC"',
            "/game start system:lnlt name:Hill 875 sides:US, VC",
        ),
        ("/log 10 page=2", "/log count:10 page:2"),
        ("/roll 2d6 + 3 label=fate", "/roll dice:2d6 + 3 label:fate"),
        (
            "/lnlt-table melee-odds attack=7 defense=5",
            "/lnlt-table combat melee-odds attack:7 defense:5",
        ),
        ("/unit edit us1 shaken moved", "/unit edit name:us1 stats:shaken moved"),
        ("/game undo", "/game undo"),
        ("/game link abc123", "/game link abc123"),
        ("/lnlt nonsense x=1", "/lnlt nonsense x=1"),
        ("hand=4,1,?", "hand=4,1,?"),
    ],
)
def test_each_value_is_behind_the_name_of_its_option(text: str, on_discord: str) -> None:
    assert as_typed(text) == on_discord


def test_flags_that_discord_has_no_room_for_go_into_mods() -> None:
    typed = as_typed(
        '/lnlt fire attackers="US Squad 3; us4" targets=vc5 tm=1 adjacent no_hero rubber_boat'
    )
    assert typed.startswith("/lnlt fire attackers:US Squad 3; us4 targets:vc5 tm:1 adjacent:True ")
    assert typed.split("mods:")[1].split()[0] == "rubber_boat"
