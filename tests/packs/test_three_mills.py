"""Three Mills: a battle that a cup leads; odds beside a count by hand, and an evening that takes
chits as they come.
"""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from bot.packs.check import check_content, check_path
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.packs.archive import read_content
from tests.examples import odds
from tests.packs.evening import (
    Player,
    Say,
    agreed,
    by_post,
    on_discord_by,
    on_slack_by,
    on_the_console_by,
    proved,
)
from tests.packs.three_mills_helpers import (
    Field,
)
from tests.playing import Channel
from tools.fuzz import FuzzTally, play_random_games

pytestmark = pytest.mark.scenes(9)


@pytest.fixture
def three_mills(root: Path, use_packs: Callable[[Path], None]) -> Path:
    folder = root / "packs" / "three-mills"
    use_packs(folder)
    return folder


def of_2d6(least: int, most: int) -> Fraction:
    """How likely 2d6 come to these totals."""
    return Fraction(sum(least <= a + b <= most for a, b in product(range(1, 7), repeat=2)), 36)


@pytest.mark.parametrize(
    ("shooters", "there", "adds"),
    [
        ("line men=4 place=n2", "n3", 2 - 2),
        ("line men=4 place=n2; line men=1 place=n2", "n1", 4),
        ("guns men=3 place=n5; chasseur men=3 place=n5", "n4", 6),
        ("guns men=3 place=n5", "n3", 3 - 2 - 2),
    ],
)
def test_odds_of_fire(three_mills: Path, shooters: str, there: str, adds: int) -> None:
    found = odds(
        "three-mills",
        "fire",
        {"shooters": shooters, "target": f"volunteer men=4 place={there} rear=west"},
        "result",
    )
    counted = {
        "no-effect": of_2d6(2, 8 - adds),
        "wavers": of_2d6(9 - adds, 10 - adds),
        "hit": of_2d6(11 - adds, 13 - adds),
        "hit-hard": of_2d6(14 - adds, 12),
    }
    assert {str(key): share for key, share in found.items()} == {
        key: share for key, share in counted.items() if share
    }


@pytest.mark.parametrize("answer", ["back", "stay"])
@pytest.mark.parametrize(
    ("attackers", "targets", "stand", "blades"),
    [
        ("grenadier men=4 place=c2 rear=west", "volunteer men=4 place=c3 rear=east", 3 + 2, 4),
        (
            "hussar men=3 place=s4 rear=west; dragoon men=3 place=s4 rear=west",
            "volunteer men=4 place=s5 rear=east shaken; line men=4 place=s5 rear=east",
            2 + 3,
            8,
        ),
    ],
)
def test_odds_of_a_charge(
    three_mills: Path, answer: str, attackers: str, targets: str, stand: int, blades: int
) -> None:
    given = {"attackers": attackers, "targets": targets, "answer": answer}
    found = odds("three-mills", "charge", given, "result")
    ahead = blades - stand
    beaten = {"driven-back": of_2d6(8 - ahead, 10 - ahead), "routed": of_2d6(11 - ahead, 12)}
    counted = {"repulsed": of_2d6(2, 4 - ahead), "mixed": of_2d6(5 - ahead, 7 - ahead)}
    counted |= beaten if answer == "back" else {"held": sum(beaten.values(), Fraction())}
    assert {str(key): share for key, share in found.items()} == {
        key: share for key, share in counted.items() if share
    }


@pytest.mark.parametrize(("troops", "needed"), [("volunteer", 6), ("grenadier", 9)])
def test_odds_of_a_rally(three_mills: Path, troops: str, needed: int) -> None:
    found = odds("three-mills", "rally", {"units": f"{troops} shaken"})
    assert {str(key): share for key, share in found.items()} == {
        "rallies": of_2d6(2, needed),
        "shaken": of_2d6(needed + 1, 12),
    }


async def test_it_passes_the_check_and_says_what_cannot_be_done(three_mills: Path) -> None:
    report = check_content(read_content(three_mills))
    assert (report.faults, report.questions) == ((), ())
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start three-mills "Sorrel" scenario=sorrel')
    await channel.fails(
        "Anna", "three-mills move Hussars s4", "Hussars is at s1 and cannot go to s4"
    )
    await channel.do("Anna", "three-mills move Hussars s3", 'three-mills move "Line 1; Line 2" n2')
    await channel.fails("Anna", "three-mills move Hussars s2", "has already acted")
    await channel.fails(
        "Anna",
        'three-mills fire Grenadiers "Volunteers 1"',
        "Volunteers 1 is at c5; the firing units are at c1",
    )
    await channel.fails(
        "Anna", 'three-mills charge "Guard guns" "Volunteers 1"', "Guns cannot charge"
    )
    await channel.fails(
        "Anna", 'three-mills order "Line 1; Line 2; Line 3"', "Line 1 has already acted this turn"
    )
    await channel.fails(
        "Anna", 'three-mills order "Line 3; Grenadiers"', "not in the same formation"
    )


async def test_what_charges_and_losses_come_to(three_mills: Path) -> None:
    """A charge that is stood with an order, one off the field, mills that count, a dead
    formation's chit.
    """
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start three-mills "Sorrel" scenario=sorrel', "game settings hand_dice=yes"
    )
    await channel.do(
        "Anna", "game join Crown", "unit edit Hussars place=n4", "unit edit Dragoons place=n4"
    )
    await channel.do("Ben", "game join Republic")
    await channel.do(
        "Anna",
        'three-mills charge "Hussars; Dragoons" "Chasseurs 1; Chasseurs 2; Lancers" hand=5,5',
    )
    await channel.do("Ben", "choose option=stay")
    game = await channel.game()
    assert game.tracks["Republic/orders"] == 2
    assert game.units["chasseurs 1"].numbers["men"] == 1
    assert [name for name, unit in game.units.items() if "shaken" in unit.marks] == [
        "chasseurs 1", "chasseurs 2", "lancers",
    ]  # fmt: skip
    await channel.do(
        "Anna", "three-mills order Hussars by=staff", "three-mills order Dragoons by=staff"
    )
    await channel.do(
        "Anna",
        'three-mills charge "Hussars; Dragoons" "Chasseurs 1; Chasseurs 2; Lancers" hand=5,6',
    )
    game = await channel.game()
    assert game.waits
    await channel.do("Ben", "choose option=back")
    game = await channel.game()
    assert {game.units[name].state for name in ("chasseurs 1", "chasseurs 2", "lancers")} == {
        "gone"
    }, "off the field"
    assert game.units["hussars"].numbers["place"] == "n5"
    assert game.tracks["Crown/points"] == 3
    await channel.do("Anna", "unit edit Fusiliers place=c3", 'unit edit "Line 1..2" place=n3')
    await channel.do("Anna", "unit edit Veterans place=s3", "game next", "game next")
    tracks = (await channel.game()).tracks
    assert (tracks["Crown/points"], tracks.get("Republic/points", 0)) == (5, 1), (
        "two mills, one, and three units"
    )


async def test_random_games_of_it_are_sound(three_mills: Path) -> None:
    tally = FuzzTally()
    assert await play_random_games(find_shared_system("three-mills"), 2, 3, tally) is None
    assert tally.plays == 2


async def evening(say: Say) -> None:
    await Field(say).evening()


async def test_an_evening_on_the_console_with_proof(three_mills: Path, tmp_path: Path) -> None:
    fields: list[Field] = []

    async def played(say: Say) -> None:
        fields.append(Field(say))
        await fields[0].evening()

    channel = await on_the_console_by(played)
    game, (field,) = await channel.game(), fields
    assert game.turn == 3
    assert {unit.name: unit.numbers["place"] for unit in game.units.values()} == field.places
    await agreed(channel, tmp_path)
    page = await proved(channel, tmp_path)
    await agreed(channel, tmp_path)
    assert "Sorrel" in page


@pytest.mark.slow
async def test_the_same_evening_by_post(three_mills: Path, tmp_path: Path) -> None:
    channel, reminders = await by_post(evening)
    assert (await channel.game()).turn == 3
    assert reminders
    await proved(channel, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("platform", [on_discord_by, on_slack_by], ids=["discord", "slack"])
async def test_the_same_evening_elsewhere(
    platform: Callable[[Path, Player, Path], Awaitable[dict[str, object]]],
    three_mills: Path,
    tmp_path: Path,
) -> None:
    assert (await platform(three_mills, evening, tmp_path))["turn"] == 3


async def test_help_says_where_the_rules_are_and_upkeep_whose_count_it_is(
    three_mills: Path,
) -> None:
    channel = await Channel.fresh()
    begun = await channel.do("Anna", 'game start three-mills "First battle" scenario=sorrel')
    assert "0 points each · 3 orders each" in begun.format_body()
    assert "Count the mills" not in begun.format_text(), "the line of points says it"
    told = await channel.do("Anna", "help three-mills")
    assert (
        told.by
        == "its rules: packs/three-mills/README.md in the Grognard repository, free for everyone"
    )
    assert (
        await channel.do("Anna", "help lnlt")
    ).by == "bring the rule book, Grognard brings the tables"


async def test_a_chit_names_the_units_that_go_and_no_hand_is_offered(three_mills: Path) -> None:
    """The dead are left out; a staff chit names nobody, since any formation of its side may go."""
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start three-mills "First battle" scenario=sorrel',
        "game settings hand_dice=yes",
    )
    empty = (await channel.do("Anna", "hand")).format_text()
    assert "This game draws all its chits face up: /deck draw." in empty
    assert (
        "Hussars and Dragoons"
        in (await channel.do("Anna", "deck draw cup hand=cavalry")).format_body()
    )
    await channel.do("Anna", "game pass done", "unit edit 'Line 2' state=gone")
    assert "Line 1 + 3" in (await channel.do("Anna", "deck draw cup hand=line")).format_text()
    await channel.do("Anna", "game pass done")
    staff = (await channel.do("Anna", "deck draw cup hand='crown staff'")).format_text()
    assert "Grenadiers" not in staff


@pytest.mark.parametrize(
    ("file", "was", "now", "asked"),
    [
        ("decks/cup.yaml", "side: Crown, formation: line", "side: Crwn, formation: line",
         'line 5, row cards line, column side: no unit belongs to "Crwn". Did you mean Crown?'),
        ("decks/cup.yaml", "formation: line", "formation: lion",
         'line 5, row cards line, column formation: no unit belongs to "lion". Did you mean line?'),
        ("game.yaml", "  charge: {repulsed", "  chrage: {repulsed",
         "row scores chrage: there is no such sequence. Did you mean charge?"),
        ("game.yaml", "scores:", "fixed: [fog]\nscores:",
         "row fixed fog: there is no such input or modifier."),
    ],
)  # fmt: skip
def test_what_is_said_of_nobody_is_asked_about(
    file: str, was: str, now: str, asked: str, root: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "three-mills"
    shutil.copytree(root / "packs" / "three-mills", folder)
    (folder / file).write_text((folder / file).read_text().replace(was, now))
    (question,) = check_path(folder).questions
    assert question.endswith(asked)
