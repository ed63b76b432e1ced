"""Each state, marker and relation that the card ties a number to: the odds of a unit in it are those
with the option typed, differ from the base, and are the base again once it is left out.

`-s` prints the list: state or marker, game, base odds, counted odds. `DOES_NOT_COUNT` has the
states and markers that change no roll, so that none is forgotten.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import NamedTuple

import pytest

from bot.rulesets.catalog import find_shared_system
from bot.ui.reply.parts import Odds
from tests.playing import Channel

UNITS = {
    "lnlt": (
        "unit add Rifle squad US fp=2 morale=5",
        "unit add Local squad VC fp=1 morale=4",
        "unit add Track armored-vehicle VC morale=5 av=2 armor=3 open",
        "unit add Snipe sniper US fp=2 morale=5",
        "unit add Lt leader US lm=1 lr=1 morale=6",
    ),
    "baps": (
        "unit add Alpha squad US men=5 grade=green",
        "unit add Bob soldier US weapon=rifle-bolt squad=Alpha",
        "unit add Sarge leader US lr=2",
        "unit add Gren soldier DE weapon=rifle-bolt",
    ),
    "nhis": (
        "unit add Rifle squad US fp=4 range=6 morale=5",
        "unit add Local squad JP fp=4 range=6 morale=4",
    ),
}
FIRE = "lnlt fire attackers=Rifle targets=Local"
AT_TRACK = "lnlt fire attackers=Rifle targets=Track"
ORDNANCE = "lnlt ordnance-infantry unit=Rifle targets=Local to_hit=7 he=2"
BAPS = "baps fire attackers=Bob range=20 targets=Gren"
NHIS = "nhis fire attackers=Rifle targets=Local distance=4"
CHECK = "baps morale-check unit=Alpha"


class Case(NamedTuple):
    """A roll, what puts a unit into the state, the option that says the same, and what leaves it
    out. `typed` and `without` replace a part of the line, or are added to it.
    """

    line: str
    edit: str
    typed: str
    without: str

    @property
    def game(self) -> str:
        """The game of the roll."""
        return self.line.split()[0]


def _with(line: str, change: str) -> str:
    old, arrow, new = change.partition(" -> ")
    return line.replace(old, new) if arrow else f"{line} {change}"


CASES = (
    Case(FIRE, "Local marker=+moved", "target_moved", "Local -> 'Local -moved'"),
    Case(FIRE, "Local marker=+moved", "Local -> 'Local moved'", "target_moved=no"),
    Case(FIRE, "Local marker=+assault-move", "target_moved", "target_moved=no"),
    Case(FIRE, "Rifle marker=+assault-move", "assault", "assault=no"),
    Case(FIRE, "Rifle marker=+hit-and-run", "hit_and_run", "Rifle -> 'Rifle -hit_and_run'"),
    Case(FIRE, "Rifle marker=+ops-complete", "Rifle -> 'Rifle ops'", "Rifle -> 'Rifle -ops'"),
    Case(FIRE, "Local state=shaken", "Local -> 'Local shaken'", "Local -> 'Local -shaken'"),
    Case(AT_TRACK, "Track marker=+moved", "vehicle_moved", "vehicle_moved=no"),
    Case(AT_TRACK, "Track marker=+hit-and-run", "vehicle_moved", "vehicle_moved=no"),
    Case(ORDNANCE, "Local marker=+moved", "target_moved=yes", "target_moved=no"),
    Case(ORDNANCE, "Rifle marker=+assault-move", "mods=assault", "Rifle -> 'Rifle -assault_move'"),
    Case(ORDNANCE, "Rifle marker=+ops-complete", "ops_complete=standard", "ops_complete=none"),
    Case(BAPS, "Bob state=suppressed", "Bob -> 'Bob suppressed'", "Bob -> 'Bob -suppressed'"),
    Case(BAPS, "Bob moving", "Bob -> 'Bob moving'", "Bob -> 'Bob -moving'"),
    Case(BAPS, "Gren cover=heavy", "cover=heavy", "Gren -> 'Gren cover=open'"),
    Case(BAPS, "Gren stance=rushing", "stance=rushing", "Gren -> 'Gren stance=stationary'"),
    Case(BAPS, "Sarge squad=Alpha", "leader=2", "leader=0"),
    Case(CHECK, "Alpha state=pinned", "state=pinned", "state=good"),
    Case(CHECK, "Alpha state=broken", "state=broken", "state=good"),
    Case(CHECK, "Alpha cover=light", "cover=light", "cover=open"),
    Case(CHECK, "Alpha grade=elite", "grade=elite", "grade=green"),
    Case(CHECK, "Sarge squad=Alpha", "leader=2", "leader=0"),
    Case("baps random-order unit=Bob", "Alpha state=broken", "morale=bad", "morale=good"),
    Case(
        "baps leader-points unit=Sarge", "Sarge state=suppressed", "state=suppressed", "state=ready"
    ),
    Case(NHIS, "Local marker=+moving", "target_moved", "target_moved=no"),
    Case(NHIS, "Local marker=+banzai", "target_moved", "Local -> 'Local -banzai'"),
    Case(f"{NHIS} terrain=trees", "Local marker=+fired", "target_fired", "target_fired=no"),
    Case(NHIS, "Rifle marker=+charge", "Rifle -> 'Rifle charge'", "Rifle -> 'Rifle -charge'"),
    Case(NHIS, "Local state=shaken", "Local -> 'Local shaken'", "Local -> 'Local -shaken'"),
)
"""Lock 'n Load: PAC 03, 04 and 12; Beer and Pretzels: Attack Factors, Defense Factors, Morale
Checks, random orders; No Honor in Surrender: Dice Roll Modifiers."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.game}: {case.edit}")
async def test_the_roster_counts_as_the_option_does(case: Case) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {case.game}", *UNITS[case.game])
    base = await _chances(channel, case.line)
    typed = await _chances(channel, _with(case.line, case.typed))
    await channel.do("Anna", f"unit edit {case.edit}")
    counted = await _chances(channel, case.line)
    without = await _chances(channel, _with(case.line, case.without))
    assert counted == typed
    assert counted != base
    assert without == base
    print(f"{case.edit} | {case.line} | {_short(base)} | {_short(counted)}")


async def _chances(channel: Channel, line: str) -> dict[str, float]:
    reply = await channel.do("Anna", f"{line.replace(chr(39), chr(34))} odds")
    [odds] = [part for part in reply.lines if isinstance(part, Odds)]
    return dict(odds.chances)


def _short(chances: dict[str, float]) -> str:
    return ", ".join(f"{name} {chance:.0%}" for name, chance in chances.items())


@pytest.mark.parametrize(
    ("edit", "modifier"),
    [
        ("Local marker=+moved", 1),
        ("Local marker=+assault-move", 1),
        ("Rifle marker=+assault-move", -2),
        ("Rifle marker=+hit-and-run", -2),
    ],
)
async def test_markers_of_lock_n_load_come_to_a_count_by_hand(edit: str, modifier: int) -> None:
    """PAC 03: 1d6 + 2 + modifier against 1d6, then 1d6 + the difference over morale 4 hurts."""
    hits = 0
    for attack, defense, check in product(range(1, 7), repeat=3):
        difference = attack + 2 + modifier - defense
        hits += difference > 0 and check + difference > 4
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt", *UNITS["lnlt"], f"unit edit {edit}")
    chances = await _chances(channel, FIRE)
    assert 1 - chances["no effect"] == pytest.approx(float(Fraction(hits, 216)))


async def test_wrong_results_of_a_started_game_are_right() -> None:
    """Five rolls that once left out what the roster knew, with the figures of the cards.

    PAC 03: Rifle fires with 1d6 + 2 + 1 moved, 70 %. Infantry Charts: bad morale, 1 is a surrender;
    a leader in bad morale has his rating alone; 3 + 2 against 3 is row 2; 4 + 2 + 3 − 1 − 2 = 6.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt", *UNITS["lnlt"], "unit edit Local marker=+moved")
    assert "70% to shake or hurt Local" in (await channel.do("Anna", f"{FIRE} odds")).first_line
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        "game start baps",
        "unit add Alpha squad US men=5 grade=elite",
        "unit add Bob soldier US weapon=rifle-semi squad=Alpha",
        "unit add Sarge leader US lr=2 squad=Alpha",
        "unit add Gren soldier DE weapon=rifle-bolt",
        "unit edit Alpha state=broken",
    )
    ordered = await channel.do("Anna", "baps random-order unit=Bob hand=1")
    assert ordered.first_line.startswith("Bob tries to surrender")
    points = await channel.do("Anna", "baps leader-points unit=Sarge")
    assert points.first_line.startswith("Sarge gets 2 leader points")
    fired = await channel.do("Anna", "baps fire attackers=Bob range=20 targets=Gren hand=20")
    assert "rifle 3 + 2 Sarge = 5" in fired.format_text()
    assert "2 ahead: row 2, column 1" in fired.format_text()
    checked = await channel.do("Anna", "baps morale-check unit=Alpha hand=4")
    assert "= 6" in checked.format_text()


async def test_a_sniper_rolls_two_dice_by_its_type() -> None:
    """PAC 05: a sniper adds two dice, as shooter=sniper says; shooter=normal leaves that out."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt", *UNITS["lnlt"])
    line = FIRE.replace("Rifle", "Snipe")
    counted = await _chances(channel, line)
    assert counted == await _chances(channel, f"{line} shooter=sniper")
    assert counted != await _chances(channel, f"{line} shooter=normal")


DOES_NOT_COUNT = {
    "lnlt": {
        # what keeps a unit from acting, or says what it did
        "good-order", "wounded", "shaken-wounded", "damaged", "abandoned", "destroyed", "eliminated",
        "low-crawl", "fired", "spotted", "spotter", "immobilized",
    },
    "baps": {
        "ready", "good", "killed", "operable", "bailed-out", "knocked-out", "out-or-jammed", "track-hit",
        "main-gun-destroyed", "out-of-control",
    },
    "nhis": {"good-order", "reduced", "reduced-shaken", "eliminated", "crawling"},
}  # fmt: skip
"""Of each game the states and markers to which its card gives no number of their own."""


@pytest.mark.parametrize("game", UNITS)
def test_every_state_and_marker_is_tried_or_has_no_number(game: str) -> None:
    units = find_shared_system(game).game["units"]
    known = {*units["states"], *units["markers"]}
    edits = [case.edit for case in CASES if case.game == game]
    tried = {
        word for word in known if any(edit.endswith((f"={word}", f"+{word}")) for edit in edits)
    }
    assert known == tried | DOES_NOT_COUNT[game]
    assert not tried & DOES_NOT_COUNT[game]
