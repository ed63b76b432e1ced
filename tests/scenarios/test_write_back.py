"""Results on the roster, one after the other: what each unit takes, exact undo and redo, a log
that replays.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from bot.game.roster import describe_unit
from bot.verification.check_games import audit_games
from tests.playing import Channel


@dataclass(frozen=True, slots=True)
class Case:
    """A game with its units, a command, and how units read after it."""

    system: str
    units: tuple[str, ...]
    command: str
    after: tuple[str, ...]
    says: str = ""


SQUAD = (
    "Alpha squad B men=3 grade=veteran",
    "Abe soldier B squad=b1",
    "Bob soldier B squad=b1",
    "Cal soldier B",
)
TIGER = ("Tiger vehicle B armor=medium vehicle_type=tank crew=3",)
HIT_TIGER = "vehicle-fire weapon=medium range=100 target=Tiger hand="

BAPS = [
    Case(
        "baps",
        ("Hans soldier B",),
        'fire attackers="soldier weapon=heavy-machine-gun" range=45 leader=3 targets="Hans; soldier" hand=3,6,2,2',
        ("Hans (b1): soldier wounds=1 suppressed",),
        "Hans is wounded and suppressed",
    ),
    Case(
        "baps",
        ("Hans soldier B",),
        "flame range=5 leader=3 targets=Hans hand=5,8",
        ("Hans (b1): soldier wounds=1 suppressed",),
        "No sprinting with 1 wound.",
    ),
    Case(
        "baps",
        ("Hans soldier B", "Karl soldier B"),
        'barrage weapon=heavy-mortar vaporize="Hans; Karl" inside=yes hand=7,10,1,1',
        ("Hans (b1): soldier wounds=1 suppressed", "Karl (b2): soldier"),
        "Hans is wounded and suppressed, no effect on Karl",
    ),
    Case(
        "baps",
        SQUAD,
        'fire attackers="soldier weapon=heavy-machine-gun" range=15 targets="Abe; Bob; Cal" hand=20,2,2,20',
        (
            "Alpha (b1): squad men=2 grade=veteran",
            "Abe (b2): soldier squad=b1 killed",
            "Bob (b3): soldier squad=b1",
            "Cal (b4): soldier killed",
        ),
    ),
    Case(
        "baps",
        SQUAD,
        "morale-check unit=Alpha hand=3",
        (
            "Alpha (b1): squad men=3 grade=veteran pinned",
            "Abe (b2): soldier squad=b1 suppressed",
            "Bob (b3): soldier squad=b1 suppressed",
            "Cal (b4): soldier",
        ),
        "Now: all its men suppressed",
    ),
    Case(
        "baps",
        SQUAD,
        'melee a="Abe" b="leader berserk expert" hand=2,5',
        ("Alpha (b1): squad men=2 grade=veteran", "Abe (b2): soldier squad=b1 killed"),
    ),
    Case(
        "baps",
        TIGER,
        f"{HIT_TIGER}15,20,1,1,1,1,20,10,2",
        ("Tiger (b1): vehicle armor=medium vehicle_type=tank crew=2 crew_lost=1 crew_wounds=1",),
    ),
    Case(
        "baps",
        (f"{TIGER[0]} crew_wounds=2,1",),
        f"{HIT_TIGER}15,20,1,1,1,1,10,2,2",
        ("Tiger (b1): vehicle armor=medium vehicle_type=tank crew=2 crew_lost=1 crew_wounds=1",),
    ),
    Case(
        "baps",
        (f"{TIGER[0]} track-hit",),
        f"{HIT_TIGER}15,1,3",
        ("Tiger (b1): vehicle armor=medium vehicle_type=tank crew=3 bailed-out track-hit",),
        "may come back next turn",
    ),
    Case(
        "baps",
        (f"{TIGER[0]} state=bailed-out",),
        f"{HIT_TIGER}15,1,8",
        ("Tiger (b1): vehicle armor=medium vehicle_type=tank crew=3 bailed-out track-hit",),
    ),
    Case(
        "baps",
        TIGER,
        "throw-track cover=medium speed=slow unit=Tiger hand=19",
        ("Tiger (b1): vehicle armor=medium vehicle_type=tank crew=3 track-hit",),
    ),
    Case(
        "baps",
        (f"{TIGER[0]} crew_wounds=2",),
        "crash unit=Tiger hand=18,14,20,11",
        ("Tiger (b1): vehicle armor=medium vehicle_type=tank crew=1 crew_lost=2",),
        "Tiger stops, 2 of 3 crew killed, 1 suppressed",
    ),
    Case(
        "baps",
        ('"2nd Squad" squad B men=4 grade=green', "Abe soldier B squad=2ndsquad wounds=2"),
        'blast weapon=grenade lethal="Abe; soldier squad=2ndsquad" hand=16,20',
        (
            "2nd Squad (b1): squad men=2 grade=green",
            "Abe (b2): soldier squad=2ndsquad wounds=2 killed",
        ),
        "Abe and the soldier are killed",
    ),
    Case(
        "baps",
        ("Abe soldier B suppressed",),
        "he-gun weapon=medium range=100 lethal=Abe hand=15,14",
        ("Abe (b1): soldier wounds=1 suppressed",),
        "Abe is wounded and suppressed",
    ),
    Case(
        "baps",
        ("Abe soldier B suppressed squad=b9",),
        "heroic-action unit=Abe hand=2,2",
        ("Abe (b1): soldier squad=b9 ready heroic",),
        "doubles the attack",
    ),
    Case(
        "baps",
        ("Abe soldier B squad=b9",),
        "he-attack weapon=hand-grenade range=3 lethal=Abe hand=15,20",
        ("Abe (b1): soldier squad=b9 killed",),
    ),
    Case(
        "baps",
        ("Dan soldier B weapon=rifle-bolt",),
        "ammo-check attackers=Dan hand=1",
        ("Dan (b1): soldier weapon=rifle-bolt out-or-jammed",),
        "/unit edit Dan -out-or-jammed",
    ),
]


HOLDERS = ("Ldr leader B morale=8", "Sq squad B morale=7 state=broken holds=DC,LMG")

ASL = [
    Case(
        "asl",
        HOLDERS,
        "recover phase=rally from=broken-unit unit=Ldr weapon=LMG holder=Sq hand=2",
        ("Ldr (b1): leader morale=8 holds=LMG", "Sq (b2): squad morale=7 holds=DC broken"),
    ),
    Case(
        "asl",
        (*HOLDERS, "LMG support-weapon B"),
        "recover phase=rally from=broken-unit unit=Ldr weapon=LMG hand=2",
        ("Ldr (b1): leader morale=8 holds=LMG", "Sq (b2): squad morale=7 holds=DC broken"),
    ),
    Case(
        "asl",
        ("Ldr leader B", "Sq squad B holds=LMG", "LMG support-weapon B"),
        "recover phase=rally from=broken-unit unit=Ldr weapon=LMG anyway=yes hand=2",
        ("Ldr (b1): leader holds=LMG", "Sq (b2): squad"),
    ),
    Case(
        "asl",
        HOLDERS,
        "recover phase=rally from=broken-unit unit=Ldr weapon=LMG hand=2",
        ("Ldr (b1): leader morale=8 holds=LMG", "Sq (b2): squad morale=7 holds=DC,LMG broken"),
        "holder=NAME does this for you",
    ),
    Case(
        "asl",
        ("Pz afv B state=recalled",),
        "wp-morale target=ce-ct-afv morale=6 unit=Pz hand=5,5",
        ("Pz (b1): afv recalled",),
        "Pz is still recalled",
    ),
    Case(
        "asl",
        ("Pz afv B state=stunned",),
        "flame-attack weapon=ft-normal unit=Pz hand=1,1",
        ("Pz (b1): afv burning",),
    ),
    Case(
        "asl",
        ("AT gun B start=circled-10",),
        "malfunction weapon=gun unit=AT depletion=9 hand=5,5",
        ("AT (b1): gun start=circled-10 low-ammo low-ammo",),
        "This special ammunition is used up.",
    ),
    Case(
        "asl",
        ("AT gun B state=working",),
        "critical-hit target_type=infantry th_number=8 unit=AT hand=1,1",
        ("AT (b1): gun destroyed",),
        "eliminating its manning Infantry",
    ),
]


ALPHA = "Alpha element B morale=10 spot=11 members=3 ap=3 firearms=13 pen=9"
FOES = (
    "Foe1 element A",
    "Foe2 element A suppression_markers=1",
    "Foe3 element A",
    "Foe4 element A",
)

UCN = [
    Case(
        "ucn",
        (ALPHA, *FOES),
        'morale unit=Alpha enemies="Foe1; Foe2; Foe3; Foe4" hand=11',
        (
            "Alpha (b1): element morale=10 spot=11 members=3 ap=3 spent=3 firearms=13 pen=9 let-loose firm reload",
            "Foe1 (a1): element ap=3 suppression_markers=1",
            "Foe2 (a2): element ap=3 suppression_markers=2",
            "Foe3 (a3): element ap=3 suppression_markers=1",
            "Foe4 (a4): element ap=3",
        ),
        "a Suppression marker on Foe1, Foe2 and Foe3",
    ),
    Case(
        "ucn",
        (ALPHA, *FOES),
        "morale unit=Alpha enemies=Foe2 marker=morale hand=12",
        ("Foe2 (a2): element ap=3 suppression_markers=1 morale_markers=1",),
    ),
    Case(
        "ucn",
        (ALPHA, "Pz vehicle A hull=6"),
        "attack-vehicle unit=Alpha target=Pz interrupt=yes hand=5,1,1",
        (
            "Alpha (b1): element morale=10 spot=11 members=3 ap=3 firearms=13 pen=9 activated",
            "Pz (a1): vehicle ap=4 hull=6 suppression_markers=1",
        ),
        "the attacker gives up its next activation",
    ),
    Case(
        "ucn", (ALPHA,), "spot unit=Alpha hand=12,11,20", (), "The target is spotted · Alpha spots"
    ),
    Case(
        "ucn",
        (f"{ALPHA} weapon=lmg", "Foe element A members=4 state=go-firm"),
        "shoot shooters=Alpha target=Foe skill=12 hand=1,1,7,1",
        ("Foe (a1): element ap=3 members=4 pinned",),
        "area of effect: LMG 3 x 2 inches.",
    ),
]


async def started(case: Case) -> Channel:
    """A game of the case's rules where Anna plays B, with its units."""
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start {case.system} "T" sides="A, B"', "game join B")
    await channel.do("Anna", *(f"unit add {unit}" for unit in case.units))
    return channel


@pytest.mark.sample(4)
@pytest.mark.parametrize("case", [*BAPS, *ASL, *UCN], ids=lambda case: case.command[:60])
async def test_a_result_is_written_taken_back_and_brought_back(case: Case) -> None:
    channel = await started(case)
    before = await channel.content()
    reply = await channel.do("Anna", f"{case.system} {case.command}")
    assert case.says in reply.format_text()
    shown = [sorted(describe_unit(unit).split()) for unit in (await channel.game()).units.values()]
    assert not [line for line in case.after if sorted(line.split()) not in shown], shown
    after = await channel.content()
    await channel.undo_last("Anna")
    assert await channel.content() == before
    await channel.do("Anna", "game redo")
    assert await channel.content() == after
    assert await audit_games(channel.app.store) == (1, [])


@pytest.mark.parametrize(
    ("case", "part"),
    [
        (
            Case("baps", (f"{TIGER[0]} state=knocked-out",), f"{HIT_TIGER}15,1,3", ()),
            "unit-gone Tiger",
        ),
        (
            Case(
                "baps",
                (f"{TIGER[0]} track-hit",),
                "throw-track cover=light speed=fast unit=Tiger",
                (),
            ),
            "unit-unfit Tiger",
        ),
        (
            Case(
                "baps",
                ("Dan soldier B weapon=rifle-bolt out-or-jammed",),
                "fire attackers=Dan range=30 targets=1 hand=5",
                (),
            ),
            "unit-unfit Dan",
        ),
        (
            Case(
                "ucn",
                (f"{ALPHA} activated", "Pz vehicle A hull=6"),
                "attack-vehicle unit=Alpha target=Pz interrupt",
                (),
            ),
            "not-together activated",
        ),
        (
            Case("ucn", (f"{ALPHA} combat-ineffective",), "spot unit=Alpha hand=1,1,1", ()),
            "nobody Alpha",
        ),
        (
            Case(
                "asl",
                ("Pz afv B state=burning",),
                "flame-attack weapon=ft-normal unit=Pz hand=3,3",
                (),
            ),
            "unit-gone Pz",
        ),
        (
            Case(
                "asl",
                ("Pz afv B state=burning",),
                "wp-morale target=ot-afv tem=woods fire=indirect morale=6 unit=Pz hand=5,5",
                (),
            ),
            "unit-gone Pz",
        ),
        (
            Case("baps", (f"{TIGER[0]} state=knocked-out",), "crash unit=Tiger hand=1", ()),
            "unit-gone Tiger",
        ),
        (
            Case(
                "baps", ("Alpha squad B men=0 grade=green",), "morale-check unit=Alpha hand=1", ()
            ),
            "nobody unit",
        ),
    ],
    ids=lambda value: value.command[:50] if isinstance(value, Case) else value,
)
async def test_what_cannot_be_any_more_is_refused(case: Case, part: str) -> None:
    channel = await started(case)
    before = await channel.content()
    await channel.refused("Anna", f"{case.system} {case.command}", part)
    assert await channel.content() == before


async def test_a_sealed_shot_kills_men_of_the_squad_when_it_is_opened() -> None:
    """The squad loses its man when the roll is opened, not before."""
    channel = await started(Case("baps", SQUAD, "", ()))
    shot = 'fire attackers="soldier weapon=heavy-machine-gun" range=15 targets=Abe hand=20'
    sealed = await channel.do("Anna", f"baps {shot} secret=yes")
    number = sealed.announce.footer[0][1:] if sealed.announce else ""
    assert (await channel.game()).units["alpha"].numbers["men"] == 3
    await channel.do("Anna", f"game reveal {number}")
    units = (await channel.game()).units
    assert (units["alpha"].numbers["men"], units["abe"].state) == (2, "killed")
    assert await audit_games(channel.app.store) == (1, [])
