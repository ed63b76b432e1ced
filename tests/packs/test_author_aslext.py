"""An extension of asl as a club's author wrote it from the docs: made-up figures, proved against
plain enumeration.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.rulesets.packs.archive import zip_content
from bot.ui.reply.packing import read_file_text
from bot.ui.spec import Place
from tests.commands.pack_helpers import add, managed
from tests.packs.evening import Platform, ends_as_on_the_console, on_both, on_the_console, proved
from tests.playing import Channel

pytestmark = pytest.mark.slow

D6 = range(1, 7)
PAIRS = [a + b for a, b in product(D6, D6)]
TYPED = {
    "from: [_, _, _, _]": "from: [1, 4, 8, 12]",
    **{
        f"    {n}: [_, _, _, _]": f"    {n}: [{'broken' if n < 4 else 'pinned'}, pinned, broken, broken]"
        for n in D6[1:]
    },
    **{
        f"    {n}: [_, _, _, _]": f"    {n}: [nothing, nothing, nothing, pinned]"
        for n in range(7, 13)
    },
}
"""What the owner types into the blank table."""


@pytest.fixture
def clubs(root: Path, use_packs: Callable[[Path], None]) -> Path:
    """Both extensions, the table of one still blank."""
    folder = root / "tests" / "data" / "packs" / "aslext"
    use_packs(folder)
    return folder


@pytest.fixture
def typed(clubs: Path, tmp_path: Path, use_packs: Callable[[Path], None]) -> Path:
    """Both extensions, the blank table filled in, as version 2."""
    for pack in ("oak-asl", "pine-asl"):
        for name, content in files_of(clubs / pack, second=pack == "oak-asl").items():
            path = tmp_path / "typed" / pack / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    use_packs(tmp_path / "typed")
    return tmp_path / "typed"


def files_of(folder: Path, *, second: bool = False) -> dict[str, bytes]:
    """The files of a pack; the second version has the table typed in."""
    files = {
        str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*.yaml"))
    }
    if second:
        table = files["volley-table.yaml"].decode()
        for blank, filled in TYPED.items():
            assert blank in table, blank
            table = table.replace(blank, filled)
        files["volley-table.yaml"] = table.encode()
        files["pack.yaml"] = files["pack.yaml"].replace(b'version: "1"', b'version: "2"')
        harder = files["steps/rally.yaml"].replace(b"total >= needed + 4", b"total >= needed + 2")
        assert harder != files["steps/rally.yaml"]
        files["steps/rally.yaml"] = harder
    return files


def shares(outcomes: Iterable[str]) -> dict[str, Fraction]:
    """Each outcome's share of equally likely ones."""
    counted = Counter(outcomes)
    return {name: Fraction(n, counted.total()) for name, n in counted.items()}


def told(capsys: pytest.CaptureFixture[str], *line: str) -> dict[str, Fraction]:
    """The odds as the command line tells them."""
    assert main(["odds", *line, "--json"]) == 0
    return {name: Fraction(share) for name, share in json.loads(capsys.readouterr().out).items()}


def shot(needed: int, drm: int, nerve: int) -> Iterable[str]:
    for aim, check in product(PAIRS, PAIRS):
        hit = aim + drm <= needed
        yield "unharmed" if not hit or check < nerve else "pinned" if check == nerve else "broken"


def rally(needed: int, drm: int, step: int = 4) -> Iterable[str]:
    for roll in PAIRS:
        total = roll + drm
        worse = "desperate" if total >= needed + step else "broken"
        yield (
            "rallied"
            if roll == 2
            else "lost"
            if roll == 12
            else "rallied"
            if total <= needed
            else worse
        )


def barrage(needs: int, answer: str) -> Iterable[str]:
    for roll, die in product(PAIRS, D6):
        on = die <= (2 if answer == "now" else 4)
        yield "silence" if roll > needs else "falls-on" if on else "falls-off"


def volley(column: int, drm: int) -> Iterable[str]:
    for roll in PAIRS:
        total = min(12, roll + drm)
        low = ["broken" if total < 4 else "pinned", "pinned", "broken", "broken"][column]
        yield low if total < 7 else ["nothing", "nothing", "nothing", "pinned"][column]


def test_the_odds_are_those_of_plain_enumeration(
    typed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shoot = ("oak-asl", "shoot", "shooter=squad", "target=squad morale=7")
    assert told(capsys, *shoot, "hexes=4") == shares(shot(8, 0, 7))
    assert told(capsys, *shoot, "hexes=9", "cover=cottage", "hurried=yes") == shares(shot(6, 4, 7))
    assert told(capsys, *shoot, "hexes=2", "moving=yes", "leader=leader lead=-2") == shares(
        shot(9, -4, 7)
    )
    afv = (
        "unharmed" if aim + 3 > 9 or burst < 5 else "stunned" for aim, burst in product(PAIRS, D6)
    )
    assert told(capsys, *shoot[:3], "target=afv", "hexes=5", "smoke=yes") == shares(afv)
    for cover, drm in (("open", 1), ("cottage", 0)):
        line = ("oak-asl", "rally", "units=squad morale=7", f"cover={cover}")
        assert told(capsys, *line) == shares(rally(7, drm, 2))
    sniper = (
        "shot" if die == 1 else "watching" if die == 2 else "given-away" if die == 6 else "nothing"
        for die in D6
    )
    assert told(capsys, "oak-asl", "snipe") == shares(sniper)
    wind = (
        "falls" if n <= 4 else "holds" if n <= 8 else "rises" if n <= 11 else "storm" for n in PAIRS
    )
    assert told(capsys, "oak-asl", "wind") == shares(wind)
    for seen, drm in (("no", -1), ("yes", 1)):
        hidden = ("hidden" if die + drm <= 4 else "seen" for die in D6)
        assert told(
            capsys, "oak-asl", "conceal", "units=squad", "cover=cellar", f"seen={seen}"
        ) == shares(hidden)
    for radio, needs in (("yes", 8), ("no", 10)):
        for answer in ("now", "correct"):
            asked = ("oak-asl", "barrage", "spotter=leader", f"radio={radio}", f"answer={answer}")
            assert told(capsys, *asked) == shares(barrage(needs, answer))
    for column, fp in enumerate((1, 4, 8, 12)):
        aimed = (
            "oak-asl",
            "volley",
            "shooters=squad",
            "target=squad morale=7",
            f"fp={fp}",
            "cover=hedgerow",
        )
        assert told(capsys, *aimed) == shares(volley(column, 1))
    assert told(capsys, "pine-asl", "bog", "units=afv", "track.mud=deep") == shares(
        "through" if die - 2 >= 2 else "stuck" for die in D6
    )


START = (
    ("Anna", 'game start asl "Oak Hill" sides="US, GE"'),
    ("Anna", "game settings hand_dice=yes"),
    ("Anna", "game join US"),
    ("Ben", "game join GE"),
    ("Anna", 'unit add "Rifle 1..2" squad side=US stats="morale=7"'),
    ("Anna", 'unit add "Sgt" leader side=US stats="morale=8 lead=-1"'),
    ("Anna", 'unit add "Tank" afv side=US'),
    ("Ben", 'unit add "Gren 1..2" squad side=GE stats="morale=7"'),
)
FIGHT = (
    ("Anna", "oak-asl wind hand=6,4"),
    ("Anna", "oak-asl snipe hand=1,2,2"),
    ("Anna", 'oak-asl shoot "Rifle 1" "Gren 1" hexes=4 leader=Sgt hand=3,2,6,5'),
    ("Ben", 'oak-asl rally "Gren 1" hand=6,4'),
    ("Ben", 'oak-asl conceal "Gren 1; Gren 2" cover=hedgerow hand=1,6'),
    ("Anna", "pine-asl bog Tank hand=1"),
    ("Anna", "game undo"),
    ("Ben", "game undo"),
    ("Anna", "game redo"),
    ("Ben", "game redo"),
    ("Anna", 'oak-asl shoot "Rifle 2" "Gren 2" hexes=4 hurried=yes hand=3,2,4,3'),
)


def turn() -> tuple[tuple[str, str], ...]:
    """The phases of one side's turn in asl: eight of them, each ended by the game master."""
    return (("Anna", "game next"),) * 8


@pytest.mark.slow
async def test_an_evening_of_three_turns(clubs: Path, tmp_path: Path) -> None:
    """Roster, tracks and markers of two extensions at once, and the proof."""
    channel, _ = await on_the_console([*START, *FIGHT, *turn(), *turn()])
    game = await channel.game()
    assert game.units["gren 1"].state == "broken"
    assert {"desperate", "concealed"} <= set(game.units["gren 1"].marks)
    assert "stuck" in game.units["tank"].marks
    refused = await channel.fails(
        "Anna", 'oak-asl volley "Rifle 1" "Gren 2" fp=4', "blank here: the heads"
    )
    assert not refused.by
    asked = await channel.do("Anna", "oak-asl barrage Sgt hand=4,4")
    assert "Fire now, or correct once more?" in asked.format_text()
    before = await channel.content()
    await channel.do("Anna", f"choose event={(await channel.game()).number} option=correct hand=2")
    assert "shells" in json.dumps((await channel.content())["tracks"])
    await channel.do("Anna", "game undo")
    await channel.do("Ben", "game undo")
    assert (await channel.content())["units"] == before["units"]
    page = await proved(channel, tmp_path)
    assert "Oak Hill" in page


async def test_the_game_moves_to_the_typed_table_and_back_by_undo(root: Path) -> None:
    folder = root / "tests" / "data" / "packs" / "aslext"
    channel = await Channel.fresh(place=Place("slack:T1/C1", "slack:T1", "#north"), prefix="n")

    async def bring(pack: str, *, second: bool = False) -> None:
        reply = await add(
            channel,
            read_file_text(zip_content(files_of(folder / pack, second=second)), f"{pack}.zip"),
        )
        assert not reply.error, reply.format_text()
        await managed(channel, f"pack enable {pack}@{2 if second else 1}")

    await bring("oak-asl")
    await bring("pine-asl")
    await channel.do("Anna", *(line for _, line in START if "join GE" not in line))
    volley = 'oak-asl volley "Rifle 1" "Gren 1" fp=8 hand=2,2'
    await channel.fails("Anna", volley, "blank")
    await bring("oak-asl", second=True)
    await channel.fails("Anna", volley, "blank")
    await channel.do("Anna", "game settings pack=oak-asl@2")
    assert "broken" in (await channel.do("Anna", volley)).format_text().casefold()
    stays = await channel.do("Anna", 'oak-asl rally "Gren 1" hand=4,4')
    assert "desperate" in stays.format_text()
    await channel.do("Anna", "pine-asl bog Tank hand=1", *("game undo",) * 4)
    await channel.fails("Anna", volley, "blank")
    await channel.do("Anna", 'unit edit "Gren 1" state=broken')
    stays = await channel.do("Anna", 'oak-asl rally "Gren 1" hand=4,4')
    assert "desperate" not in stays.format_text()


@on_both
async def test_the_same_evening_on_both_platforms(
    clubs: Path, tmp_path: Path, platform: Platform
) -> None:
    await ends_as_on_the_console(platform, clubs, [*START, *FIGHT, *turn(), *turn()], tmp_path)
