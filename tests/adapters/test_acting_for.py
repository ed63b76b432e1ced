"""On each platform a game master who also plays is asked once before they act for the other
side.
"""

from __future__ import annotations

from pathlib import Path

from tests.adapters.evening import Platform, on_each

FIRE = 'lnlt fire attackers="Cell 1" targets="Squad 1" hand=1,1,6'


@on_each
async def test_a_master_who_plays_is_asked_once_and_the_shot_says_for_whom(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await e.say("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
        await e.say("Anna", "game join US")
        await e.say("Ben", "game join VC")
        await e.say("Anna", 'unit add "Squad 1" squad US stats="morale=5 fp=2"')
        await e.say("Ben", 'unit add "Cell 1" squad VC stats="morale=5 fp=1"')
        question = await e.alone("Anna", FIRE, says="Act with Cell 1 for")
        assert e.buttons(question) == ["Act for VC"]
        line = f"Rolled by {e.shown('Anna')} for VC."
        shot = await e.press("Anna", question, "Act for VC", says=line)
        assert not e.is_private(shot)
        again = await e.say("Anna", FIRE, says=line)
        assert not e.is_private(again)
