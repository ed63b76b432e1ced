"""What three evenings read like that were drawn message by message: first lines, cards, refusals
and logs.
"""

from __future__ import annotations

import re

import pytest

from bot.rules.errors import UserError
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.system import list_lost_states
from bot.ui.reply.reply import Reply, build_error_reply
from tests.examples import play_example
from tests.playing import Channel
from tests.rulesets.ucn.rosters import roster, unit
from tests.scenarios.called_by_name_helpers import labels, started
from tests.scenarios.evening import EXPECTED, list_able


async def at_the_ford() -> Channel:
    """The beginners' scenario with Anna as US and Bob as VC."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US")
    await channel.do("Bob", "game join VC")
    return channel


def history(card: Reply) -> list[str]:
    return [line for line in card.format_body() if line.startswith("#")]


async def test_a_card_tells_who_did_what_to_whom_and_breaks_off_between_words() -> None:
    channel = await at_the_ford()
    await channel.do("Anna", 'lnlt fire attackers=us1 targets=vc1 tm=3 hand="1,6"')
    own, other = [history(await channel.do("Anna", f"unit show {unit}")) for unit in ("us1", "vc1")]
    assert own == other == ["#4 US Rifle 1 fires: no effect on Local 1"]
    men = await started("baps", 'unit add "GI 1..12" soldier A weapon=rifle-semi')
    await men.do("Anna", 'baps random-order "GI 1..12"')
    (order, *_) = history(await men.do("Anna", 'unit show "GI 1"'))
    assert "of 12 GIs" in order
    assert not order.endswith("…") or order.endswith(" …")


async def test_who_steps_forward_is_in_the_first_line() -> None:
    channel = await at_the_ford()
    fired = await channel.do(
        "Anna", 'lnlt fire attackers="us1; us5" targets=vc1 tm=3 hand="4,1,1,4"'
    )
    assert fired.title == "No effect on Local 1, Hero 1 comes into play"
    assert (
        "#4 Anna (US): Rifle 1 and Lt Brooks fire: no effect on Local 1, Hero 1 comes into play"
        in (await channel.do("Bob", "log")).format_text().replace("fires", "fire")
    )


async def test_odds_that_are_alike_are_said_once_and_none_names_its_target() -> None:
    channel = await started(
        "baps",
        'unit add "GI 1..4" soldier A weapon=rifle-semi',
        "unit add Max soldier B weapon=rifle-bolt",
    )
    await channel.do("Anna", 'unit edit "GI 4" wounds=1')
    odds = await channel.do("Bob", 'baps fire Max 8 "GI 1..4" odds')
    assert odds.title.endswith("to suppress or hurt each GI")
    assert odds.title.count("%") == 1
    ford = await at_the_ford()
    odds = await ford.do("Bob", "lnlt fire attackers=vc1 targets=us7 tm=3 odds")
    assert odds.title == "No effect on Track: 100%"


async def test_the_story_of_a_game_that_is_over_is_the_story() -> None:
    channel = await at_the_ford()
    assert (await channel.do("Anna", "log story")).title == "The Ford at Dawn, the story so far"
    await channel.do("Anna", "game end winner=US confirm")
    assert (await channel.do("Anna", "log story")).title == "The Ford at Dawn, the story"


async def test_the_log_says_that_a_roll_is_sealed_and_what_was_opened() -> None:
    channel = await at_the_ford()
    await channel.do("Bob", "roll 2d6 label=ambush secret", "game reveal 4")
    log = (await channel.do("Anna", "log")).format_text()
    assert "#4 Bob (VC): A sealed roll" in log
    assert "#5 Bob (VC): Opened: #4 2d6" in log


async def test_a_seal_is_told_in_words_and_opened_from_either_message() -> None:
    channel = await at_the_ford()
    sealed = await channel.do("Bob", "roll 2d6 secret")
    assert sealed.announce is not None
    assert (sealed.announce.title, sealed.announce.by) == (
        "Bob makes a sealed roll",
        "hidden until they open it",
    )
    assert re.search(
        r"^Seal [0-9a-f]{4} [0-9a-f]{4}: ", sealed.announce.format_text(), re.MULTILINE
    )
    assert labels(sealed) == labels(sealed.announce) == ["Open it"]
    assert "opened by Bob" in (await channel.press("Bob", sealed.buttons[0].action)).first_line


async def test_who_keeps_the_initiative_keeps_it_in_the_log_too() -> None:
    channel = await at_the_ford()
    await channel.do("Anna", "lnlt initiative hand=5,2", "lnlt initiative hand=4,3")
    log = (await channel.do("Anna", "log")).format_text()
    assert "#4 Anna (US): Initiative: US takes the initiative" in log
    assert "#5 Anna (US): Initiative: US keeps the initiative" in log


async def test_a_game_without_a_title_is_not_named_twice() -> None:
    channel = await Channel.fresh()
    begun = await channel.do("Anna", "game start nhis")
    assert (begun.title, begun.by) == ('Anna starts "No Honor in Surrender"', "")


async def test_at_nobody_the_button_for_a_target_leads_on() -> None:
    channel = await at_the_ford()
    asked = await channel.say("Anna", "lnlt fire attackers=us1")
    assert [(one.label, one.style) for one in asked.buttons[:2]] == [
        ("Fire at nobody", "plain"),
        ("Choose a target", "primary"),
    ]


async def test_a_name_that_is_not_there_leads_to_the_list() -> None:
    channel = await at_the_ford()
    assert "unit list" in (await channel.fails("Anna", "unit show Tiger", "")).format_body()[0]
    assert "semicolon" in (await channel.fails("Anna", 'unit show "us8 us9"', "")).format_body()[0]


@pytest.mark.parametrize("code", ["unit-unfit", "unit-gone", "nobody"])
def test_who_is_out_of_it_is_refused_without_an_example_of_something_else(code: str) -> None:
    error = UserError("Gruppe 1 is combat-ineffective and cannot fire.", code=code)
    assert build_error_reply(error, "/ucn shoot germ1 us1", "/ucn shoot shooters=smg").lines == ()


@pytest.mark.parametrize(
    ("system", "roster_lines", "shot"),
    [
        (
            "lnlt",
            ("Red squad A fp=5 morale=5", "Blue squad B morale=5"),
            "fire attackers=Red targets=Blue tm=3",
        ),
        (
            "baps",
            ("Red soldier A weapon=rifle-bolt", "Blue soldier B weapon=rifle-bolt"),
            "fire Red 8 Blue",
        ),
        ("nhis", ("Red squad A fp=4 range=6", "Blue squad B morale=5"), "fire Red Blue distance=2"),
        (
            "ucn",
            ("Red element A firearms=12 weapon=smg", "Blue element B morale=12"),
            "shoot shooters=Red target=Blue",
        ),
    ],
)
async def test_an_evening_expects_every_state_in_which_a_unit_is_out_of_it(
    system: str, roster_lines: tuple[str, ...], shot: str
) -> None:
    """Played evenings pass over such a refusal, and choose no such unit from the list."""
    channel = await started(system, *(f"unit add {line}" for line in roster_lines))
    for state in list_lost_states(find_shared_system(system)):
        await channel.do("Anna", f"unit edit Blue state={state}")
        refused = await channel.fails("Anna", f"{system} {shot}", "Blue is ")
        assert EXPECTED.search(refused.first_line)
        listed = (await channel.do("Anna", "unit list all=yes")).format_text()
        assert (list_able(listed, "a"), list_able(listed, "b")) == (["a1"], [])


async def test_all_the_dead_are_named_without_the_name_of_an_option() -> None:
    channel = await started(
        "baps",
        'unit add "GI 1..4" soldier A weapon=rifle-semi',
        'unit add "Max 1..3" soldier B weapon=rifle-bolt',
    )
    await channel.do("Anna", 'unit edit "Max 1..2" state=killed')
    refused = await channel.fails("Anna", 'baps melee a="GI 1" b="Max 1"', "dead")
    assert refused.first_line.endswith("Max 1 is dead.")
    assert "out of b" not in refused.format_text()
    refused = await channel.fails("Anna", 'baps fire "GI 1..4" 8 "Max 1; Max 2"', "dead")
    assert "Max 1 + 2 are dead." in refused.format_text()


async def test_a_phase_offers_what_vehicles_do_only_where_there_is_one() -> None:
    channel = await started("baps", 'unit add "GI 1..4" soldier A weapon=rifle-semi')
    cards = [await channel.do("Anna", "game next") for _ in range(6)]
    (moves,) = (card for card in cards if "Moves" in card.title)
    assert labels(moves) == ["Done", "Next phase"]
    await channel.do("Anna", "unit add Half-track vehicle A armor=light")
    cards = [await channel.do("Anna", "game next") for _ in range(8)]
    (moves,) = (card for card in cards if "Moves" in card.title)
    assert labels(moves)[:2] == ["Crash", "Throw track"]


async def test_a_morale_test_names_its_element_once() -> None:
    channel = await started(
        "ucn", "unit add Red element A firearms=12 morale=14 members=4 weapon=smg"
    )
    tested = await channel.do("Anna", "ucn morale unit=Red hand=3")
    assert (tested.title, tested.by) == ("Red passes its Morale test", "Anna tests Morale")


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("let-loose", "Alpha has let loose but acts anyway"),
        ("withdraw", "Alpha is withdrawing but acts anyway"),
    ],
)
def test_what_became_of_an_element_is_said_in_words(state: str, said: str) -> None:
    squad = roster(unit("Alpha", spot=11, members=1, state=state))
    played = play_example("ucn", "spot", {"unit": "Alpha", "anyway": True}, [11], squad)
    assert said in played.resolution.state_changes
