"""Cards that call units by name: who owes a roll when a phase begins, what is spent and comes
back, what is due.
"""

from __future__ import annotations

import pytest

from bot.game.roster import describe_unit
from bot.rulesets.catalog import find_shared_system
from bot.ui.reply.reply import Reply
from bot.verification.check_games import audit_games
from tests.playing import Channel
from tests.scenarios.called_by_name_helpers import (
    labels,
    started,
)

pytestmark = pytest.mark.scenes(14)

RED = "unit add Red element A firearms=12 morale=14 members=4 weapon=smg"


def button(reply: Reply, label: str) -> str:
    return next(one.action for one in reply.buttons if one.label == label)


async def unit(channel: Channel, key: str) -> str:
    return describe_unit((await channel.game()).units[key])


# -- ultracombat normandy: Status Damage (Pinned); Morale, Who Makes a Morale Roll -----------------------------


async def test_a_round_calls_the_pinned_first_and_then_those_who_test_on_activating() -> None:
    """Status Damage, Pinned: a Morale roll as the next combat phase begins; Who Makes a Morale
    Roll, 1 and 2.
    """
    channel = await started(
        "ucn",
        "unit add Red element A morale=20 pinned suppression_markers=1",
        "unit add Kit element A morale=20 withdraw",
    )
    await channel.do(
        "Anna",
        "unit add Tom element A morale=20",
        "unit add Blue element B morale=20 morale_markers=1",
    )
    card = await channel.do("Anna", "game next")
    assert "Pinned, Morale test first: Red" in card.format_text()
    assert "Morale test when activating: Kit and Blue" in card.format_text()
    assert "Tom" not in card.format_text()
    other = await channel.press("Bob", button(card, "Test pinned elements"))
    assert "None of these are yours" in other.format_text()
    tested = await channel.press("Anna", button(card, "Test pinned elements"))
    assert tested.first_line.startswith("Red ")
    both = await channel.press("Anna", button(card, "Test Morale"))  # hers alone: Blue is Bob's
    assert both.first_line.startswith("Kit ")
    status = await channel.do("Anna", "game status")
    assert "Morale test when activating: Blue" in status.format_text()
    assert "Pinned" not in status.format_text()
    again = await channel.press("Anna", button(card, "Test pinned elements"))
    assert again.error
    await audit_whole(channel)


async def test_who_is_pinned_this_round_is_called_in_the_next() -> None:
    """Status Damage, Pinned: at the beginning of its next combat phase; it does nothing in this."""
    channel = await started("ucn", "unit add Red element A morale=20 suppression_markers=1")
    await channel.do("Anna", "unit add Blue element B morale=20", "game next")
    await channel.do("Anna", "unit edit Red state=pinned")
    status = (await channel.do("Anna", "game status")).format_text()
    assert "Pinned, Morale test" not in status
    assert "Morale test when activating: Red" not in status
    card = await channel.do("Anna", "game next")
    assert "Pinned, Morale test first: Red" in card.format_text()


async def test_who_acts_before_the_roll_that_they_owe_is_told_with_the_button() -> None:
    channel = await started("ucn", f"{RED} morale_markers=1", "unit add Blue element B morale=14")
    await channel.do("Anna", "game next")
    shot = await channel.do("Anna", "ucn shoot shooters=Red target=Blue hand=19")
    assert "Red had to roll first: Morale test when activating." in shot.format_text()
    again = await channel.do("Anna", "ucn shoot shooters=Red target=Blue hand=19")
    assert "had to roll first" not in again.format_text(), "said once a turn"
    tested = await channel.press("Anna", button(shot, "Test Morale"))
    assert "Morale test" in tested.format_text()
    shot = await channel.do("Anna", "ucn shoot shooters=Red target=Blue anyway=yes hand=19")
    assert "owed" not in shot.format_text()


async def test_an_undone_test_is_owed_again() -> None:
    channel = await started("ucn", "unit add Red element A morale=20 pinned")
    card = await channel.do("Anna", "game next")
    await channel.press("Anna", button(card, "Test pinned elements"))
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    assert "Morale test first: Red" in (await channel.do("Anna", "game status")).format_text()


# -- ultracombat normandy: Action Points ------------------------------------------------------------------------


async def test_ap_are_counted_in_an_activation_and_are_back_in_the_next_round() -> None:
    """AP Expenditure: shooting 1, a second time 2; Additional AP: one use, what is left of them
    is lost.
    """
    channel = await started("ucn", f"{RED} ap=3 more_ap=2", "unit add Blue element B morale=14")
    shot = await channel.do("Anna", "ucn shoot shooters=Red target=Blue extra_ap=1 hand=19")
    assert "Red uses 1 AP and 1 additional (3 left)" in shot.format_text()
    assert "spent=1" in await unit(channel, "red")
    assert "more_ap=1" in await unit(channel, "red")
    second = await channel.do("Anna", "ucn shoot shooters=Red target=Blue hand=19")
    assert "Red uses 2 AP (1 left)" in second.format_text()
    third = await channel.do("Anna", "ucn spot unit=Red skill=12 count=1 hand=19")
    assert "Red uses 1 additional AP (0 left)" in third.format_text()
    await channel.refused("Anna", "ucn spot unit=Red skill=12 count=1", "card-forbids unit")
    fourth = await channel.do("Anna", "ucn spot unit=Red skill=12 count=1 anyway=yes hand=19")
    assert "Red is short of AP but acts anyway" in fourth.format_text()
    card = await channel.do("Anna", "game next")
    assert "Markers removed: activated (Red); shot (Red)" in card.format_text()
    assert await unit(channel, "red") == (
        "Red (a1): element ap=3 firearms=12 members=4 morale=14 weapon=smg"
    )
    await audit_whole(channel)


async def test_a_shot_at_a_vehicle_is_a_shot_of_the_activation() -> None:
    """AP Expenditure: shooting a second time costs 2, be it at a vehicle."""
    channel = await started("ucn", f"{RED} ap=4", "unit add Tiger vehicle B hull=9")
    shot = "ucn attack-vehicle unit=Red target=Tiger skill=12 pen=9 hand=19"
    assert "Red uses 1 AP (3 left)" in (await channel.do("Anna", shot)).format_text()
    assert "Red uses 2 AP (1 left)" in (await channel.do("Anna", shot)).format_text()
    await channel.do("Anna", "game next")
    assert (await channel.game()).units["red"].marks == frozenset()


async def test_a_phase_that_takes_numbers_off_is_undone() -> None:
    channel = await started("ucn", f"{RED} ap=3", "unit add Blue element B")
    await channel.do("Anna", "ucn shoot shooters=Red target=Blue hand=19")
    await channel.do("Anna", "game next")
    await channel.do("Anna", "game undo")
    assert "spent=1" in await unit(channel, "red")


async def test_without_ap_nothing_is_counted() -> None:
    channel = await started("ucn", f"{RED} ap=none", "unit add Blue element B")
    shot = await channel.do("Anna", "ucn shoot shooters=Red target=Blue hand=19")
    assert "AP" not in shot.format_text()
    assert "activated" not in await unit(channel, "red")


async def audit_whole(channel: Channel) -> None:
    assert await audit_games(channel.app.store) == (1, [])


@pytest.mark.parametrize("game", ["ucn", "baps", "lnlt", "nhis", "asl"])
def test_what_a_phase_calls_is_said_with_names(game: str) -> None:
    for phase in find_shared_system(game).game["phases"]:
        for call in phase.get("calls", ()):
            assert call["says"].endswith("{}"), call
            assert "roll" in call or "button" not in call, call


# -- beer and pretzels skirmish: Turn Sequence; Vehicle Charts; Morale Checks ----------------------------------


async def to_phase(channel: Channel, title: str) -> Reply:
    """The card of the next phase that is called so."""
    for _ in range(12):
        card = await channel.do("Anna", "game next")
        if title in card.first_line:
            return card
    raise AssertionError(title)


async def test_leader_points_are_kept_paid_from_and_gone_with_the_turn() -> None:
    """Infantry Charts, Turn Sequence: leaders roll for points and pay for orders with them."""
    channel = await started("baps", "unit add Rock leader A lr=2", "unit add Kim leader A lr=1")
    await channel.do("Anna", 'baps leader-points unit="Rock; Kim" hand=3,1')
    card = await channel.do("Anna", "game next")
    assert "Leader points left: Rock 5 and Kim 2" in card.format_text()
    await channel.do("Anna", "unit edit Rock points=-2", "unit edit Kim points=+1")
    assert (
        "Leader points left: Rock 3 and Kim 3"
        in (await channel.do("Anna", "game status")).format_text()
    )
    await channel.do("Anna", "unit edit Rock points=-9")
    assert "points=0" in await unit(channel, "rock")
    card = await to_phase(channel, "leader points")
    assert "Gone: leader points (Rock and Kim)" in card.format_text()
    assert "points" not in await unit(channel, "kim")
    await audit_whole(channel)


async def test_the_card_of_its_turn_says_that_artillery_lands() -> None:
    """Vehicle Charts, Artillery Delay: the call counts from the turn that the game is in."""
    channel = await started("baps", "unit add Rock leader A")
    await to_phase(channel, "Turn 2")
    called = "baps artillery location=off-board mission=immediate hand=1"
    first = (await channel.do("Anna", called)).format_text()
    assert "lands on turn 4" in first
    await channel.do("Anna", called, "game undo")
    await channel.do("Bob", "game undo")
    assert "Turn 4: Artillery lands (#" in (await channel.do("Anna", "game plan")).format_text()
    assert "lands" not in (await to_phase(channel, "Turn 3")).format_text()
    card = await to_phase(channel, "Turn 4")
    assert card.format_text().count("Artillery lands (#") == 1
    assert "Artillery round lands" in labels(card)
    await audit_whole(channel)


async def test_artillery_that_is_undone_does_not_land() -> None:
    channel = await started("baps", "unit add Rock leader A")
    await channel.do("Anna", "baps artillery location=on-board mission=immediate", "game undo")
    await to_phase(channel, "Turn 2")
    assert "lands" not in (await to_phase(channel, "Turn 3")).format_text()


async def test_vehicles_out_of_order_are_named_where_it_matters() -> None:
    """If the Round Penetrated: the crew may reoccupy next turn; Crash Chart: carried out in the
    next movement phase.
    """
    tank = "vehicle B armor=medium vehicle_type=tank"
    channel = await started(
        "baps", f"unit add Tiger {tank} bailed-out", f"unit add Stug {tank} track-hit"
    )
    await channel.do("Anna", f"unit add Puma {tank}", "baps crash unit=Puma hand=3")
    card = await to_phase(channel, "Moves")
    assert "Must carry out a crash result now: Puma" in card.format_text()
    assert "Can't move after losing a track or tire: Stug" in card.format_text()
    assert "Can't move because the crew is out: Tiger" in card.format_text()
    assert (
        "The crew may get back in this turn: Tiger"
        in (await to_phase(channel, "Turn 2")).format_text()
    )
    await audit_whole(channel)


async def test_the_morale_phase_names_who_met_an_event_this_turn() -> None:
    """Morale Checks, Events: a soldier killed; attacked by a medium or heavy machine gun."""
    channel = await started(
        "baps",
        "unit add Alpha squad B men=3 grade=veteran",
        "unit add Bravo squad B men=3 grade=green",
    )
    await channel.do(
        "Anna", 'unit add "Abe 1..2" soldier B squad=b1', "unit add Cal soldier B squad=Bravo"
    )
    await channel.do("Anna", "unit add Hans soldier A weapon=heavy-machine-gun")
    await channel.do("Anna", 'baps fire attackers=Hans range=15 targets="Abe 1; Cal" hand=20,2,2')
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    assert "this turn" not in (await to_phase(channel, "Morale checks")).format_text()
    await to_phase(channel, "Turn 2")
    await channel.do("Anna", 'baps fire attackers=Hans range=15 targets="Abe 1; Cal" hand=20,2,2')
    card = await to_phase(channel, "Morale checks")
    assert "Lost a man this turn: Alpha" in card.format_text()
    assert "machine gun this turn (event mg-attack): Alpha and Bravo" in card.format_text()
    await channel.do("Bob", "baps morale-check unit=Alpha hand=1")
    assert "(event mg-attack): Bravo" in (await channel.do("Bob", "game status")).format_text()


# -- lock 'n load tactical: PAC 06 (14.1), 09, 02 ---------------------------------------------------------------


async def test_acquisition_is_kept_and_counts_at_the_same_target() -> None:
    """PAC 06: acquired 1, then 2; a new target begins anew, and a destroyed one is acquired no
    more.
    """
    tank = "armored-vehicle B morale=5 armor=3 turret_armor=3 penetration=5"
    channel = await started(
        "lnlt", "unit add Track armored-vehicle A morale=5 penetration=5", f"unit add T-54 {tank}"
    )
    await channel.do("Anna", f'unit add "T 55" {tank}')
    shot = "lnlt ordnance-vehicle unit=Track to_hit=6"
    first = await channel.do("Anna", f"{shot} target=T-54 hand=6,5")
    assert "acquired" not in first.format_text().replace("target is acquired", "")
    assert "acquired=T-54 acquisition=1" in await unit(channel, "track")
    second = await channel.do("Anna", f"{shot} target=T-54 hand=6,5")
    assert "1 acquired = 10" in second.format_text()
    odds = await channel.do("Anna", f"{shot} target=T-54 odds")
    bare = await channel.do("Anna", f"{shot} target=T-54 acquisition=0 odds")
    assert odds.format_text() != bare.format_text()
    assert "acquisition=2" in await unit(channel, "track")
    other = await channel.do("Anna", f'{shot} target="T 55" hand=6,5')
    assert "acquired =" not in other.format_text()
    assert "acquired=T55 acquisition=1" in await unit(channel, "track")
    await channel.do("Anna", f'{shot} target="T 55" hand=1,2,6,1,1')
    assert "acqui" not in await unit(channel, "track")
    await audit_whole(channel)


async def test_who_rides_in_a_vehicle_shares_its_fate() -> None:
    """PAC 09: passengers of a vehicle that is hit, without typing them; those who get out ride
    no more.
    """
    channel = await started("lnlt", "unit add M48 armored-vehicle A morale=5 penetration=9")
    await channel.do(
        "Bob", "unit add T1 armored-vehicle B morale=5 armor=1", "unit add P squad B morale=9 in=t1"
    )
    await channel.do(
        "Bob", "unit add Q squad B morale=5 in=b1 outside", "unit add Far squad B morale=5"
    )
    shot = await channel.do(
        "Anna", "lnlt ordnance-vehicle unit=M48 target=T1 to_hit=12 hand=1,2,6,1,1,1,6"
    )
    game = await channel.game()
    assert game.units["t1"].state == "destroyed", shot.format_text()
    for name in ("p", "q"):
        left = game.units[name]
        assert left.state == "eliminated" or "in" not in left.numbers, (shot.format_text(), left)
    assert "Far" not in shot.format_text()
    await audit_whole(channel)


async def test_a_squad_knows_its_half_squad() -> None:
    """PAC 02: a casualty turns a squad into a half-squad, with numbers of its own: no edit."""
    channel = await started(
        "lnlt", "unit add Rifle squad A morale=5 fp=3 half=1/4", "unit add Vc squad B fp=9"
    )
    assert "reduced: half-squad fp=1 morale=4" in await unit(channel, "rifle")
    await channel.do("Bob", "lnlt damage-check targets=Rifle dc_mod=1 hand=5")
    assert "half-squad" in await unit(channel, "rifle")
    assert "fp=1 morale=4" in await unit(channel, "rifle")


@pytest.mark.parametrize(
    "line",
    [
        "lnlt fire attackers=Guns targets=T1",
        "lnlt barrage weapon=artillery fp=9 targets=T1",
        "lnlt air-support attack=bombs value=9 targets=T1",
        "lnlt crash stage=attack targets=T1",
    ],
)
async def test_whoever_is_fired_at_has_those_who_ride_in_it(line: str) -> None:
    """PAC 05, 09: passengers of a vehicle in the hex are attacked with it."""
    channel = await started("lnlt", "unit add Guns squad A morale=5 fp=9")
    tank = "unit add T1 unarmored-vehicle B morale=5 av=1 armor=1"
    await channel.do(
        "Bob", tank, "unit add Rider squad B morale=5 in=t1", "unit add Far squad B morale=5"
    )
    typed = await channel.do("Anna", line.replace("T1", '"T1; Rider inside"') + " odds")
    assert (await channel.do("Anna", f"{line} odds")).lines == typed.lines
    rolled = await channel.do("Anna", line)
    assert "Rider" in rolled.format_text()
    assert "Far" not in rolled.format_text()
    await audit_whole(channel)


async def test_a_fire_mission_meets_those_who_ride() -> None:
    """PAC 05, 08: they are in the hex of their vehicle."""
    channel = await started("lnlt", "unit add T1 unarmored-vehicle B morale=5 av=1")
    await channel.do(
        "Bob", "unit add Rider squad B morale=5 in=t1", "unit add Far squad B morale=5"
    )
    shot = await channel.do(
        "Anna", 'lnlt fire-mission stage=attack fp=6 targets="T1 hex=A dist=0" hand=6,1,6,6,6'
    )
    assert "Rider" in shot.format_text()
    assert "Far" not in shot.format_text()
    await audit_whole(channel)


async def test_a_close_assault_takes_those_inside_with_it() -> None:
    """PAC 09: crew and passengers of the vehicle are eliminated; undo brings both back."""
    channel = await started("lnlt", "unit add Sappers squad A morale=7 fp=5")
    await channel.do(
        "Bob",
        "unit add T1 armored-vehicle B morale=5 av=1",
        "unit add Rider squad B morale=5 in=t1",
    )
    before = await channel.content()
    await channel.do("Anna", "lnlt close-assault attackers=Sappers target=T1 hand=1,1,6,1")
    units = (await channel.game()).units
    assert (units["t1"].state, units["rider"].state) == ("destroyed", "eliminated")
    await audit_whole(channel)
    await channel.undo_last("Anna")
    await channel.say("Bob", "game undo")
    assert await channel.content() == before


async def test_mines_remind_of_those_who_ride_where_somebody_does() -> None:
    """PAC 10 names only the crew: what becomes of passengers is a bail-out of its own."""
    channel = await started("lnlt", "unit add T1 armored-vehicle A morale=5")
    assert "iding" not in (await channel.do("Anna", "lnlt mines unit=T1 hand=6")).format_text()
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    await channel.do("Anna", "unit add Rifle squad A morale=5 in=T1")
    hit = await channel.do("Anna", "lnlt mines unit=T1 hand=6")
    assert "Riding on T1: Rifle." in hit.format_text()
    assert "Bail out" in labels(hit)


async def test_riders_outside_are_told_to_dismount() -> None:
    """PAC 02: passengers riding outside on a vehicle that fires must dismount."""
    channel = await started("lnlt", "unit add T1 armored-vehicle A morale=5 fp=3")
    await channel.do("Anna", "unit add Rifle squad A morale=5 fp=1", "unit add VC squad B morale=4")
    shot = "lnlt fire attackers=T1 targets=VC hand=1,6"
    assert "dismount" not in (await channel.do("Anna", shot)).format_text()
    await channel.do("Anna", "unit edit Rifle in=T1 outside")
    fired = await channel.do("Anna", shot)
    assert "Must dismount from T1 (riding outside): Rifle." in fired.format_text()
    assert "Dismount" in labels(fired)
    await channel.do("Anna", "lnlt bail-out cause=dft vehicle=none passengers=Rifle hand=1,1")
    assert "in T1" not in await unit(channel, "rifle")


async def test_a_crew_that_bails_out_joins_the_roster() -> None:
    """PAC 09 (15.4): a 1 saves the crew, marked Moved; mines abandon a shaken vehicle."""
    tank = "unit add T1 armored-vehicle A morale=5 armor=3"
    channel = await started("lnlt", tank, "unit add Gun weapon-team B morale=4 penetration=5")
    before = await channel.content()
    shot = "lnlt ordnance-vehicle unit=Gun target=T1 to_hit=11 hand=3,4,6,1,1"
    assert "Crew 1 comes into play" in (await channel.do("Anna", shot)).first_line
    crew = (await channel.game()).units["crew 1"]
    assert (crew.type, crew.side, crew.state) == ("crew", "A", "")
    assert crew.marks == {"moved"}
    await audit_whole(channel)
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    assert await channel.content() == before
    await channel.do("Anna", "unit edit T1 shaken", "lnlt mines unit=T1 hand=3")
    crew = (await channel.game()).units["crew 1"]
    assert crew.state == "shaken"
    assert crew.marks == {"moved"}
    await audit_whole(channel)


async def test_a_rally_counts_nobody_who_was_not_named() -> None:
    """PAC 11, Rally Phase (3.0): in a game nobody rallies them unless a player says who."""
    channel = await started("lnlt", "unit add Rifle squad A morale=5 shaken")
    alone = await channel.do("Anna", "lnlt rally units=Rifle")
    assert "can't rally" in alone.first_line
    assert "If so, say who." in alone.format_text()
    assert [(button.label, button.style) for button in alone.buttons[:1]] == [
        ("Who's rallying them…", "primary")
    ]
    assert "Again" not in [button.label for button in alone.buttons]
    first = await channel.do("Anna", "lnlt rally units=Rifle rallier=leader hand=6,6")
    assert "already" not in first.format_text()
    again = await channel.do("Anna", "lnlt rally units=Rifle rallier=leader hand=1,1")
    assert "Rifle has already tried to rally this turn." in again.format_text()


@pytest.mark.parametrize("marker", ["moved", "low-crawl", "hit-and-run"])
async def test_markers_that_forbid_opportunity_fire(marker: str) -> None:
    """PAC 12 (5.3): units under Moved, Low Crawl or Hit & Run conduct no opportunity fire."""
    channel = await started("lnlt", f"unit add Rifle squad A morale=5 fp=1 {marker}")
    await channel.do("Anna", "unit add VC squad B morale=4 fp=1", "game next", "game initiative B")
    shot = "lnlt fire attackers=Rifle targets=VC hand=1,6"
    refused = await channel.say("Anna", shot)
    assert refused.code == "card-forbids"
    without = await channel.say("Anna", shot.replace("Rifle ", '"Rifle -hit_and_run" '))
    assert without.code == "card-forbids", "a number left out lifts no ban"
    fired = await channel.do("Anna", f"{shot} anyway=yes")
    assert "Rolled anyway: Rifle is marked" in fired.format_text()
    await channel.do("Anna", "game initiative A", shot)
    await audit_whole(channel)


@pytest.mark.parametrize(
    ("marker", "remark"),
    [
        ("low-crawl", "Low Crawl, its hex must be spotted."),
        ("assault-move", "Assault Move, its hex must be spotted if it moved by stealth."),
    ],
)
async def test_opportunity_fire_at_who_is_hard_to_see(marker: str, remark: str) -> None:
    """PAC 12 (5.3): who crawls or moves by stealth is fired at only in a spotted hex."""
    channel = await started("lnlt", "unit add Rifle squad A morale=5 fp=1")
    await channel.do("Anna", f"unit add VC squad B morale=4 fp=1 {marker}")
    await channel.do("Anna", "game next", "game initiative B")
    shot = "lnlt fire attackers=Rifle targets=VC hand=1,6"
    fired = await channel.do("Anna", shot)
    assert f"opportunity fire at VC, marked {remark}" in fired.format_text()
    await channel.do("Bob", "unit edit VC marker=+spotted")
    assert "spotted" not in (await channel.do("Anna", shot)).format_text()
    await channel.do("Bob", "unit edit VC marker=-spotted", "game initiative A")
    assert "spotted" not in (await channel.do("Anna", shot)).format_text(), "no opportunity fire"


async def test_a_walking_barrage_is_announced_in_each_of_two_turns() -> None:
    """PAC 08 (18.2): in the next two turns the markers move one hex and attack again."""
    channel = await started("lnlt", "unit add Rifle squad A morale=5")
    await channel.do("Anna", "lnlt fire-mission mission=walking-barrage fp=5 hand=4,3")
    says = "The walking barrage moves one hex and attacks again"
    assert says in (await to_phase(channel, "Turn 2")).format_text()
    assert says in (await to_phase(channel, "Turn 3")).format_text()
    assert says not in (await to_phase(channel, "Turn 4")).format_text()


# -- no honor in surrender: Ranged Combat, column shifts ---------------------------------------------------------


async def test_who_has_fired_is_concealed_no_more_until_the_turn_ends() -> None:
    """Dice Roll Modifiers: two columns left at a hex of trees NOT marked by a Move, Fire or
    Charge marker.
    """
    channel = await started("nhis", "unit add Guns squad A morale=5 fp=1 range=6")
    await channel.do("Bob", "unit add Cell squad B morale=5 fp=1 range=6")
    shot = "nhis fire attackers={} targets={} distance=3 terrain=trees hand=6,6"
    first = await channel.do("Anna", shot.format("Guns", "Cell"))
    assert "2 left of" in first.format_text()
    assert "fired" in await unit(channel, "guns")
    back = await channel.do("Bob", shot.format("Cell", "Guns"))
    assert "left of" not in back.format_text()
    assert "left of" not in (await channel.do("Anna", shot.format("Guns", "Cell"))).format_text()
    await to_phase(channel, "Turn 2")
    assert "fired" not in await unit(channel, "cell")
    await audit_whole(channel)
