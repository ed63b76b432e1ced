"""Small words in answers that read wrong once, each in the situation that showed it."""

from __future__ import annotations

from bot.ui.spec import Place
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


async def test_a_newcomer_is_told_what_to_do_next() -> None:
    channel = await Channel.fresh()
    help = (await channel.do("Anna", "help")).format_body()
    assert "Alone tonight? /solo lnlt" in help
    assert "With a friend? /game start lnlt scenario=ford" in help
    for line in ("game start lock n load", "solo lock"):
        assert "Did you mean lnlt?" in (await channel.fails("Anna", line, "")).format_text()
    empty = await channel.do("Anna", 'game start "lock \'n load tactical" sides="US, VC"')
    assert "Lock 'n Load Tactical" in empty.first_line
    joined = await channel.do("Anna", "game join US")
    assert [button.label for button in joined.buttons if button.label != "Undo"] == ["Add units"]
    await channel.do("Anna", "unit add Alpha squad US")
    joined = await channel.do("Bob", "game join VC")
    board = next(button for button in joined.buttons if button.label == "Board")
    assert "Alpha" in (await channel.press("Bob", board.action)).format_text()
    strike = await channel.fails("Anna", "result strike", "doesn't count")
    assert "/result count" in strike.format_text()


async def test_other_words_for_a_pace() -> None:
    channel = await Channel.fresh()
    place = Place("discord:5/9", "discord:5", "#hall")
    channel = Channel(channel.app, place)
    for word in ("tonight", '"every day"'):
        seek = await channel.do("Anna", f"seek game {word} lnlt scenario=ford")
        assert "Your seek is posted here" in seek.title
        withdraw = next(button for button in seek.buttons if button.label == "Withdraw")
        withdrawn = await channel.press("Anna", withdraw.action)
        assert [button.label for button in withdrawn.buttons] == ["Find an opponent"]
