"""A game that has ended on each platform: its story, and the way back to it from the list."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.evening import Platform, on_each


@on_each
async def test_a_game_ends_with_its_story_and_is_resumed_from_the_list(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await e.say("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
        await e.say("Anna", "game join US")
        question = await e.alone("Anna", "game end")
        await e.rest()
        story = await e.press("Anna", question, "US won", "Hill 875 is over")
        assert "US wins on turn 1" in e.first(story)
        await e.until(
            lambda: [one for one in e.messages() if "hill-875.html" in e.files(one)], "the page"
        )
        [page] = [one for one in e.messages() if "hill-875.html" in e.files(one)]
        assert "Hill 875 is over" in e.words(page), "a file never comes without words"
        await e.alone("Anna", "unit add Sq squad")

        listed = await e.alone("Anna", "game list", says="Read")
        opened = await e.pressed("Anna", listed, "Read", "US won on turn 1")
        assert e.is_private(opened)
        await e.rest()
        await e.press("Anna", opened, "Resume", 'resumes "Hill 875"')
        await e.say("Anna", "unit add Sq squad US")
