"""Whom a shot is at and when it falls: asked before any die, remarked on in one grey line,
refused in a strict game.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.ui.reply.parts import Small
from bot.ui.reply.reply import Reply
from bot.ui.typing.command_text import parse_text
from tests.packs.conftest import use_packs as use_packs
from tests.playing import Channel


async def at_the_ford() -> Channel:
    """The ford, in its first Operations phase, US before VC."""
    channel = await Channel.fresh()
    await channel.do("Ann", "game start lnlt scenario=ford", "game join US")
    await channel.do("Bob", "game join VC")
    await channel.do("Ann", "game next", "game initiative US")
    return channel


def grey(reply: Reply) -> list[str]:
    return [
        part.text
        for part in reply.visible_lines
        if isinstance(part, Small) and not part.text.startswith("Now: ")
    ]


async def test_a_second_shot_and_one_out_of_ones_go_fall_with_one_grey_line() -> None:
    channel = await at_the_ford()
    assert grey(await channel.do("Ann", "lnlt fire us1 vc1 hand=1,6")) == []
    again = await channel.do("Ann", "lnlt fire us1 vc1 hand=1,6")
    assert grey(again) == ["Rifle 1 has already fired."]
    assert "Undo" in [button.label for button in again.buttons]
    assert grey(await channel.do("Bob", "lnlt fire vc1 us1 hand=1,6")) == [
        "Out of turn: US to play."
    ]
    await channel.do("Ann", "game next")
    late = await channel.do("Bob", "unit edit vc1 +fired", "lnlt fire vc1 us1 hand=1,6")
    assert grey(late) == ["Local 1 has already fired · this is the Administrative phase."]


async def test_a_strict_game_refuses_them_also_at_another_target() -> None:
    channel = await at_the_ford()
    shot = await channel.do("Ann", "game settings strict=yes", "lnlt fire us1 vc1 hand=1,6")
    before = (await channel.game()).number
    await channel.refused("Ann", "lnlt fire us1 vc2", "strict-game Rifle 1")
    await channel.refused("Ann", "lnlt fire us1 vc2 secret", "strict-game Rifle 1")
    (menu,) = shot.menus
    other = await channel.press("Ann", menu.entries[0].action)
    assert (other.code, other.private) == ("strict-game", True)
    await channel.refused("Bob", "lnlt fire vc1 us1", "strict-game US")
    assert (await channel.game()).number == before
    shown = (await channel.say("Ann", "game settings")).format_text()
    assert "A second shot, or one out of turn or phase: refused" in shown
    await channel.do("Ann", "game settings strict=no", "lnlt fire us1 vc2 hand=1,6")


@pytest.mark.parametrize(
    ("line", "button"),
    [
        ("lnlt fire us1 us2", "Fire at your own Rifle 2"),
        ("lnlt fire attackers=us1", "Fire at nobody"),
        ("lnlt close-assault attackers=us1 target=us7", "Attack your own Track"),
    ],
)
async def test_own_side_and_nobody_are_asked_about_before_any_die(line: str, button: str) -> None:
    """Privately; nothing is recorded until the answer, and the other button drops it."""
    channel = await at_the_ford()
    before = (await channel.game()).number
    asked = await channel.do("Ann", line)
    assert asked.private
    assert asked.buttons[0].label == button
    assert asked.buttons[-1].label == "Cancel"
    await channel.press("Ann", asked.buttons[-1].action)
    assert (await channel.press("Ann", asked.buttons[0].action)).error, "it was dropped"
    assert (await channel.game()).number == before
    asked = await channel.do("Ann", line)
    fired = await channel.press("Ann", asked.buttons[0].action)
    assert not fired.error, fired.format_text()
    assert not fired.private
    assert (await channel.game()).number == before + 1


async def test_a_fight_without_a_target_is_not_fought_at_nobody() -> None:
    channel = await at_the_ford()
    asked = await channel.do("Ann", "lnlt close-assault attackers=us1")
    assert asked.title == "Attack without a target?"
    assert asked.buttons[0].label == "Attack without a target"


async def test_what_needs_a_target_says_so_and_asks_nothing(
    root: Path, use_packs: Callable[[Path], None]
) -> None:
    """*Attack without a target* could not be played."""
    use_packs(root / "packs" / "generic")
    channel = await Channel.fresh()
    await channel.do("Ann", "game start generic scenario=crossroads")
    refused = await channel.say("Ann", "generic attack blue1")
    assert refused.error
    assert "generic attack needs at least one unit in targets." in refused.title


async def test_odds_ask_nothing_and_real_dice_only_before_the_first() -> None:
    channel = await at_the_ford()
    assert "Exact" in (await channel.do("Ann", "lnlt fire attackers=us1 odds")).format_text()
    asked = await channel.do("Ann", "lnlt fire us1 us2 hand=?")
    assert (await channel.press("Ann", asked.buttons[0].action)).code == "die-owed"
    assert (await channel.say("Ann", "lnlt fire us1 us2 hand=6")).code == "die-owed"


@pytest.mark.parametrize(
    "line",
    [
        "lnlt fire us1 us1",
        'lnlt fire us1 "vc1; us1"',
        "lnlt fire us1 us1 odds",
        'lnlt fire "Rifle 1..3" "vc1; us3" compare',
        "lnlt close-assault attackers=us7 target=us7",
        "lnlt ordnance-vehicle unit=us7 target=us7 to_hit=7 penetration=3",
    ],
)
async def test_nobody_fires_at_themselves(line: str) -> None:
    channel = await at_the_ford()
    reply = await channel.say("Ann", line)
    assert reply.code == "unit-twice", reply.format_text()


async def test_a_marker_of_the_roster_counts_and_nobody_is_told_to_type_it() -> None:
    """Moved adds 1 against those on foot, by itself; taken off for one roll it does not."""
    channel = await at_the_ford()
    await channel.do("Ann", "unit edit us1 +fired", "unit edit us2 +moved")
    fired = await channel.do("Bob", "lnlt fire vc1 us1 hand=1,6")
    moved = await channel.do("Bob", "lnlt fire vc2 us2 hand=1,6")
    without = await channel.do("Bob", 'lnlt fire vc3 "us2 -moved" hand=1,6')
    assert "moved" not in fired.format_text()
    assert "+ 1 moved" in moved.format_text()
    assert "moved" not in without.format_text()
    assert "Remember" not in fired.format_text() + moved.format_text()


async def test_pinned_and_stunned_elements_are_held_to_their_card() -> None:
    """C4: a pinned element can do nothing this activation, a stunned one has -6 to all skills;
    a pinned one attacks with anyway=yes alone.
    """
    channel = await Channel.fresh()
    await channel.do("Ann", "game start ucn Lane")
    await channel.do(
        "Ann",
        "unit add Red element firearms=12 weapon=smg ap=none",
        "unit add Blue element morale=10",
    )
    await channel.do("Ann", "unit edit Red pinned")
    await channel.refused("Ann", "ucn shoot shooters=Red target=Blue", "card-forbids shooters")
    await channel.refused("Ann", "ucn shoot shooters=Red target=Blue odds", "card-forbids shooters")
    assert (
        "− 6 pinned"
        in (
            await channel.do("Ann", "ucn shoot shooters=Red target=Blue anyway=yes hand=20")
        ).format_text()
    )
    await channel.do("Ann", "unit edit Red stunned")
    assert (
        "− 6 stunned"
        in (await channel.do("Ann", "ucn shoot shooters=Red target=Blue hand=20")).format_text()
    )


@pytest.mark.parametrize(
    "line",
    ["spot unit=Red skill=12", "attack-vehicle unit=Red spot_skill=12 skill=12 pen=9 hull=5"],
)
async def test_spotting_and_attacks_on_vehicles_are_held_to_pinned_and_stunned(line: str) -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Ann", "game start ucn Test sides=US,German", "unit add Red element US ap=none"
    )
    await channel.do("Ann", "unit edit Red state=pinned")
    await channel.refused("Ann", f"ucn {line}", "card-forbids unit")
    assert not (await channel.do("Ann", f"ucn {line} anyway=yes")).private
    await channel.do("Ann", "unit edit Red state=stunned")
    assert "\u2212 6 stunned" in (await channel.do("Ann", f"ucn {line}")).format_text()


@pytest.mark.parametrize(
    "line", ["melee defenders=2 defender_skill=9", "building-assault defenders=2 defender_skill=9"]
)
async def test_a_pinned_element_begins_no_melee_and_no_assault(line: str) -> None:
    """C4: it can do nothing this activation; what is typed goes before what the roster knows; it
    may be attacked.
    """
    channel = await Channel.fresh()
    await channel.do(
        "Ann", "game start ucn Lane", 'unit add Red element stats="members=4 melee=11"'
    )
    await channel.do("Ann", "unit edit Red state=pinned")
    refused = await channel.refused("Ann", f"ucn {line} unit=Red", "card-forbids unit")
    assert "If your group allows it, do it anyway." in refused.format_text()
    assert not (await channel.do("Ann", f"ucn {line} unit=Red anyway=yes odds")).error
    assert not (
        await channel.do("Ann", f"ucn {line.split()[0]} attackers=3 attacker_skill=9 target=Red")
    ).error


async def test_a_pinned_element_interrupts_nobody() -> None:
    """Its way on is anyway=yes, or the roster."""
    channel = await Channel.fresh()
    await channel.do(
        "Ann",
        "game start ucn Lane",
        'unit add Red element stats="members=4 spot=9 firearms=9 weapon=smg"',
    )
    await channel.do("Ann", "unit edit Red state=pinned")
    refused = await channel.refused("Ann", "ucn interrupt shooters=Red", "card-forbids shooters")
    assert refused.format_text().endswith("anyway")
    await channel.refused(
        "Ann", "ucn interrupt shooters=smg unit=Red spot_skill=9 skill=9", "card-forbids unit"
    )
    await channel.do("Ann", 'unit edit "Red" state=ready')
    assert not (await channel.do("Ann", "ucn interrupt shooters=Red odds")).error


async def test_the_second_volley_goes_on_with_those_who_can() -> None:
    """At the farm `all` is all who can fire; *Again* leaves out the dead and the jammed; the
    error names everybody.
    """
    channel = await Channel.fresh()
    await channel.do("Ann", "game start baps scenario=farm", "game join US")
    shot = await channel.do("Ann", "baps fire attackers=all targets=all range=10")
    assert not shot.error
    await channel.do("Ann", 'unit edit "GI 1..3" +out-or-jammed')
    # the shot may have killed him,
    await channel.say("Ann", 'unit edit "Grenadier 1" state=killed')
    for name in ("GI 4", "GI 5", "BAR", "Sgt Cole"):  # and put these out
        await channel.say("Ann", f'unit edit "{name}" -out-or-jammed')
    refused = await channel.refused(
        "Ann",
        'baps fire attackers="GI 1; GI 2; GI 4" targets="Grenadier 2" range=10',
        "unit-unfit GI",
    )
    assert "GI 1 + 2" in refused.title or "GIs 1 + 2" in refused.title
    again = next(button for button in shot.buttons if button.label == "Again")
    repeated = await channel.press("Ann", again.action)
    assert not repeated.error, repeated.format_text()
    assert "GI 1-3 cannot fire (jammed or out of ammo)" in repeated.lines
    assert not (await channel.say("Ann", "baps random-order all")).error


@pytest.mark.parametrize(
    "volley", ['"GI 1..5; BAR"', '"GI 1; GI 2; GI 4; GI 5"', '"us3, us4, us6, us7 moving"']
)
async def test_a_volley_with_some_who_are_out_goes_on_in_one_tap(volley: str) -> None:
    """*Fire without GI 1, 2, 4* fires with the others as they were typed, and the public answer
    names who is out.
    """
    channel = await Channel.fresh()
    await channel.do(
        "Ann",
        "game start baps scenario=farm",
        "game join US",
        'unit edit "GI 1; GI 2" +out-or-jammed',
    )
    await channel.do("Ann", 'unit edit "GI 4" +out-or-jammed')
    line = f'baps fire attackers={volley} targets="Grenadier 1" range=10'
    typed = parse_text(line, channel.app.registry)
    refused = await channel.refused("Ann", line, "unit-unfit GI")
    refused = await channel.app.corrections.offer_correction(
        refused, typed.spec, typed.options, channel.who("Ann")
    )
    button = refused.buttons[0]
    assert button.label == "Fire without GI 1, 2, 4", refused.format_text()
    fired = await channel.press("Ann", button.action)
    assert not fired.private, fired.format_text()
    assert "GI 1, 2, 4 cannot fire (jammed or out of ammo)" in fired.lines
    assert ("moving" in fired.format_text()) == ("moving" in volley)


async def test_the_guns_of_the_ford_can_fire() -> None:
    """A weapon team has firepower of its own; the rocket team also what it takes against the
    track.
    """
    channel = await at_the_ford()
    assert (
        "Gun Team fires"
        in (await channel.do("Ann", 'lnlt fire "Gun Team" vc1 hand=1,6')).first_line
    )
    assert (
        "Rocket Team fires"
        in (await channel.do("Bob", 'lnlt fire "Rocket Team" us1 hand=1,6')).first_line
    )
    shot = 'lnlt ordnance-vehicle unit="Rocket Team" target=Track to_hit=7 hand=6,6'
    assert not (await channel.do("Bob", shot)).error


@pytest.mark.parametrize("wrong", ["us9 vc1", "vc1 us9"])
async def test_a_unit_that_is_not_there_is_refused_before_the_question(wrong: str) -> None:
    """Whatever the other side of the shot is: here their own unit."""
    channel = await at_the_ford()
    await channel.refused("Bob", f"lnlt fire {wrong}", "unknown-unit us9")
