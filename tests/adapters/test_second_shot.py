"""The second shot on each platform, its taps counted: another target, one modifier changed,
odds, a name mended.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.adapters.evening import Platform, Table, on_each
from tests.adapters.taps_helpers import MOST

pytestmark = pytest.mark.scenes(2)

CHANGED = MOST["one modifier changed"]


async def gather(e: Table) -> None:
    """Anna with four US squads, Ben with six of the VC that no shot eliminates."""
    await e.say("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
    await e.say("Anna", "game join US")
    await e.say("Ben", "game join VC")
    await e.say("Anna", 'unit add "US Squad 1..4" squad US stats="morale=5 fp=2"')
    await e.say("Ben", 'unit add "VC Squad 1..6" squad VC stats="morale=12 fp=1"')
    e.spent()


@on_each
async def test_the_second_shot_takes_two_taps_and_no_letter(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await gather(e)
        fired = await e.say("Anna", 'lnlt fire "US Squad 3; US Squad 4" "VC Squad 5" tm=1')
        assert e.buttons(fired) == ["Again", "Change…", "Odds", "Undo"]
        assert e.has_menu(fired)

        second = await e.chosen("Anna", fired, "VC Squad 6")
        assert e.spent() == (2, 0)
        assert not e.is_private(second)
        assert "VC Squad 6" in e.first(second)
        assert "Not carried over from the last target: Terrain (TM) 1." in e.words(second)

        await e.restarted()
        third = await e.chosen("Anna", second, "VC Squad 1")
        assert "VC Squad 1" in e.first(third), "a menu outlives the process"
        assert e.spent() == (2, 0)

        again = await e.press("Anna", third, "Again")
        assert "VC Squad 1" in e.first(again)
        assert e.spent() == (1, 0)
        odds = await e.refused("Anna", again, "Odds")
        assert "was fired" in odds
        assert e.spent() == (1, 0)

        form = await e.form("Anna", again, "Change…")
        changed: Any = await e.filled("Anna", form, {"?flags": ["adjacent"]})
        assert "2 adjacent" in e.words(changed)
        assert e.spent() == CHANGED[e.platform.title()]


@on_each
async def test_a_wrong_name_is_mended_by_one_tap_and_the_form_by_another(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await gather(e)
        refused = await e.alone("Anna", 'lnlt fire us3 "VC Squad 9" tm=1')
        mended = next(label for label in e.buttons(refused) if label.startswith("Fire at VC Squad"))
        assert "Fix it" in e.buttons(refused)
        await e.press("Anna", refused, mended)
        assert e.spent() == (1, 0)


@on_each
async def test_who_may_not_fire_is_refused_and_a_dead_target_leads_to_the_form(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await gather(e)
        fired = await e.say("Anna", "lnlt fire us3 vc5 hand=1,6")
        await e.say("Ben", "unit edit vc6 stats=state=eliminated")
        refused = await e.chosen("Anna", fired, "VC Squad 6")
        assert e.is_private(refused)
        assert "VC Squad 6 is eliminated" in e.words(refused)
        assert e.title(await e.form("Anna", refused, "Fix it")).startswith("Direct fire")
        stranger = await e.chosen("Carl", fired, "VC Squad 1", says="")
        assert e.is_private(stranger)
        assert list(e.buttons(stranger)) == ["Join US", "Join VC"]


@on_each
async def test_ones_own_dice_go_on_one_tap_a_die(platform: Platform, tmp_path: Path) -> None:
    async with platform(tmp_path) as e:
        await gather(e)
        keypad = await e.alone("Anna", "lnlt fire us3 vc5 hand=6")
        assert "Got 1 die. Next: defense (d6)" in e.first(keypad)
        check = await e.pressed("Anna", keypad, "1")
        assert "Got 2 dice" in e.first(check)
        await e.press("Anna", check, "6")
        assert e.spent() == (2, 0)
