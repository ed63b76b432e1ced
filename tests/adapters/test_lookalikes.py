"""A name with a phone's apostrophe, a long dash and figures of full width, on each platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.evening import Platform, on_each

pytestmark = pytest.mark.scenes(1)
PIRATES = "\U0001f3f4\u200d\u2620\ufe0f Crew"


@on_each
async def test_a_name_is_found_in_every_spelling_and_shown_as_first_typed(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await e.say("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
        await e.say("Anna", "game join US")
        await e.typed("Anna", 'unit add "O\u2019Brien" leader US morale=5', "O\u2019Brien")
        taken = await e.typed("Anna", 'unit add "O\'Brien" leader US morale=5', "is taken")
        assert e.is_private(taken)
        await e.typed("Anna", "unit edit O'Brien shaken", "shaken")
        await e.typed("Anna", "unit edit O`brien \u2013shaken", "was shaken")
        await e.typed("Anna", "unit edit O'Brien morale=\u22121", "morale 4")
        await e.typed("Anna", f'unit add "{PIRATES}" squad US', PIRATES)
        await e.typed("Anna", "roll \uff12\uff44\uff16\uff0b\uff11", "2d6+1")
