"""`/find` on each platform: lists with buttons that work, a whole table, a page, a form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.evening import Platform, on_each

pytestmark = pytest.mark.scenes(1)


@on_each
async def test_what_is_found_opens_by_its_button_and_a_sure_attack_as_its_form(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        listed = await e.typed("Anna", "find smoke", "Laying smoke")
        assert e.is_private(listed)
        table = await e.pressed("Anna", listed, "Whole table", "Table 4")
        assert e.is_private(table)
        form = await e.form("Anna", listed, "Open form")
        assert "smoke" in e.title(form)

        whole = await e.typed("Anna", "find melee odds", "PAC 07")
        assert e.is_private(whole)
        page = await e.typed("Anna", "find hesitant", "prone, crawls")
        assert e.is_private(page)
        words = await e.pressed("Anna", page, "All words", "Each item is a unit type")
        assert e.is_private(words)

        await e.say("Anna", 'game start lnlt "Ford" scenario=ford')
        shot = await e.opened("Anna", "find fire")
        assert e.title(shot) == "Direct fire"
        before = len(e.messages())
        nothing = await e.typed("Anna", "find xyzzy", "Nothing here is called")
        assert e.is_private(nothing)
        assert len([one for one in e.messages() if not e.is_private(one)]) <= before
