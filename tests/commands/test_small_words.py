"""Small words in answers that read wrong once, each in the situation that showed it."""

from __future__ import annotations

from tests.playing import Channel


async def test_a_label_that_begins_with_for_is_not_said_twice() -> None:
    channel = await Channel.fresh()
    rolled = await channel.do("Anna", 'roll 2d6 label="for Anna"')
    assert "for for" not in rolled.first_line
    assert rolled.title.endswith("for Anna")


async def test_again_at_targets_who_are_all_dead_asks_for_other_targets() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start baps scenario=farm", "game join US")
    fired = await channel.do("Anna", "baps fire us4 range=10 targets=germ3 hand=6")
    await channel.do("Anna", "unit edit germ3 killed")
    again = next(button for button in fired.buttons if button.label == "Again")
    refused = await channel.press("Anna", again.action)
    assert refused.error
    assert "Choose another target." in refused.format_text(), refused.format_text()
    assert "Leave" not in refused.format_text()
    assert "off the list" not in refused.format_text()


async def test_a_melee_without_damage_has_one_name_in_answer_and_odds() -> None:
    channel = await Channel.fresh()
    line = "ucn melee attackers=2 attacker_skill=10 defenders=2 defender_skill=9"
    odds = await channel.do("Anna", f"{line} odds")
    fought = await channel.do("Anna", f"{line} hand=20,20,20,20")
    assert "no damage" in odds.format_text().casefold(), odds.format_text()
    assert fought.title.casefold().startswith("no damage"), fought.title
