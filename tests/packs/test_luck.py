"""An evening with questions: stats, story, picture and page count the same rolls, each one once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from bot.commands.games import stats
from bot.game.events import find_undone_events
from bot.rulesets.catalog import find_shared_system
from bot.ui.reply.packing import read_file_text
from bot.ui.reply.parts import Group, Small
from bot.ui.reply.reply import Reply
from bot.ui.spec import Place
from tests.fresh import fresh_app
from tests.playing import Channel
from tools.fuzz import list_examples, list_sides

ROOT = Path(__file__).parents[2]
ASKING = sorted(
    {
        file.relative_to(ROOT / "packs").parts[0]
        for file in ROOT.glob("packs/*/**/*.yaml")
        if "choose:" in file.read_text()
    }
)
"""The shipped packs that ask a side a question, from their data."""
SHOTS = ("sequence", "sealed")
SENTENCE = re.compile(r'<span class="who">(.*?)</span> (.*?)</p>')
IN_ROLLS = re.compile(r"in (\d+) rolls?")
pytestmark = pytest.mark.usefixtures("packs")


class Evening:
    """A game of a pack, played from two linked channels."""

    def __init__(self, here: Channel, there: Channel, pack: str) -> None:
        self.here, self.there, self.pack = here, there, pack
        self.players = dict(zip(list_sides(find_shared_system(pack)), ("Anna", "Bob"), strict=True))
        self.shots: dict[int, str] = {}
        """The sequences that were played, by the event in which dice fell first."""

    @classmethod
    async def begin(cls, pack: str) -> Evening:
        """Start the game, with a player for each side, and link a second channel."""
        app = await fresh_app()
        here = Channel(app, Place("discord:1/11", "discord:1", "#one"))
        there = Channel(app, Place("slack:T1/C1", "slack:T1", "#two"), "s")
        evening = cls(here, there, pack)
        await here.do("Anna", f'game start {pack} "Evening" sides="{", ".join(evening.players)}"')
        for side, name in evening.players.items():
            await here.do(name, f"game join {side}")
        code = (await here.say("Anna", "game link", manager=True)).title.split()[-1]
        assert not (await there.say("Bob", f"game link {code}", manager=True)).error
        return evening

    async def bodies(self) -> dict[int, Any]:
        """The events so far, by number."""
        loaded = await self.here.app.games.load_current(self.here.place.key)
        assert loaded is not None
        return {row.number: row.data for row in await self.here.app.store.load_events(loaded.row)}

    async def shoot(self, channel: Channel, name: str, line: str) -> int:
        """Play a sequence and answer all that it asks; return the number of its first event, 0
        if it is refused.
        """
        before = (await self.here.game()).number
        if (await channel.say(name, line)).error:
            return 0
        number = next(
            at
            for at, body in (await self.bodies()).items()
            if at > before and body["kind"] in SHOTS
        )
        self.shots[number] = line.split()[1]
        for turn in range(9):
            game = await self.here.game()
            if not game.waits:
                return number
            (waiting, asks), *_ = game.waits.items()
            option = asks["options"][(number + turn) % len(asks["options"])]
            await channel.do(
                self.players.get(asks.get("side", ""), name),
                f"choose event={waiting} option={option}",
            )
        raise AssertionError("it asks again and again")

    async def undo_last(self) -> None:
        """Take the last event of the game back, with the consent of the other side."""
        last = (await self.here.game()).last
        asked = await self.here.undo_last("Anna")
        for button in asked.buttons:
            if button.action.startswith("consent"):
                await self.here.press("Bob", button.action)
        assert (await self.here.game()).last < last

    async def rolled(self) -> list[str]:
        """The sequences of the shots in which dice fell and that are not undone."""
        bodies = await self.bodies()
        undone = find_undone_events(bodies.values())
        with_dice = set[int]()
        for number, body in bodies.items():
            if number not in undone and (body.get("dice") or body["kind"] == "sealed"):
                while body["kind"] == "choice":
                    number, body = body["event"], bodies[body["event"]]
                with_dice.add(number)
        return [self.shots[number] for number in sorted(with_dice)]


def counted(sentences: dict[str, str]) -> int:
    """Add up the rolls of some sentences about luck."""
    return sum(int(found[1]) for text in sentences.values() if (found := IN_ROLLS.search(text)))


def of_stats(reply: Reply) -> dict[str, str]:
    """The luck of each side in `/game stats`."""
    lines = [line.partition(": ") for line in reply.lines if isinstance(line, str)]
    return {name: text for name, colon, text in lines if colon and "expected" in text}


def of_page(page: str) -> dict[str, str]:
    """The luck of each side on the after-action page."""
    return {name: text for name, text in SENTENCE.findall(page) if "expected" in text}


async def told(evening: Evening) -> dict[str, str]:
    """The luck of each side, equal in stats and on the page."""
    shown = of_stats(await evening.there.do("Anna", "game stats"))
    (file,) = (await evening.here.do("Anna", "game export html")).files
    assert of_page(read_file_text(file.data, file.name)) == shown
    return shown


def test_packs_that_ask_are_found() -> None:
    assert len(ASKING) >= 4
    assert all(
        any(one.choices for one in find_shared_system(pack).sequences.values()) for pack in ASKING
    )


@pytest.mark.sample(2)
@pytest.mark.parametrize("pack", ASKING)
async def test_stats_story_picture_and_page_count_the_same_rolls(
    pack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening = await Evening.begin(pack)
    lines = [line for line in list_examples()[pack] if f"{pack} " in line]
    asking = [
        line for line in lines if find_shared_system(pack).find_sequence(line.split()[1]).choices
    ]
    for line in asking:
        assert await evening.shoot(evening.here, "Anna", line)
        assert await evening.shoot(evening.there, "Bob", line)
    plain = [
        line
        for line in lines
        if line not in asking and await evening.shoot(evening.there, "Bob", line)
    ]
    before = await told(evening)

    undone = await evening.shoot(evening.here, "Anna", asking[0])
    while (await evening.here.game()).last >= undone:
        await evening.undo_last()
    assert await told(evening) == before

    for line in plain:
        if sealed := await evening.shoot(evening.here, "Anna", f"{line} secret"):
            assert await told(evening) == before, "a sealed roll counts once it is open"
            await evening.here.do("Anna", f"game reveal {sealed}")
            break

    shown = await told(evening)
    rolled = await evening.rolled()
    scored = [id for id in rolled if find_shared_system(pack).get_scores(id)]
    assert counted(shown) == len(scored)
    total = (
        f"{len(scored)} of {len(rolled)} rolls count"
        if len(scored) < len(rolled)
        else f"{len(rolled)} rolls"
    )
    assert total in (await evening.here.do("Bob", "game stats")).format_text()

    tracks = dict[str, Any]()

    async def luck_shown(_context: object, title: str, sides: dict[str, Any]) -> Reply:
        tracks.update(sides)
        return Reply(title)

    monkeypatch.setattr(stats, "draw_luck", luck_shown)
    loaded = await evening.here.app.games.load_current(evening.here.place.key)
    assert loaded is not None
    await evening.here.press("Anna", f"luck:{loaded.row}")
    assert {side: len(track) for side, track in tracks.items()} == {
        side: counted({side: shown[side]}) for side in shown
    }

    ended = await evening.here.do("Anna", "game end confirm")
    story = ended.announce
    assert story is not None
    assert f"{len(rolled)} rolls" in story.by
    groups = {part.label: part.text for part in story.lines if isinstance(part, Group)}
    small = " ".join(str(part.text) for part in story.lines if isinstance(part, Small))
    if scored:
        for side, text in shown.items():
            points, expected = re.match(r"(\S+) points?, (\S+) expected", text).groups()  # type: ignore[union-attr]
            assert re.search(
                rf"{side} {re.escape(points)}( points?)? \({re.escape(expected)} expected",
                groups["What the rolls achieved"],
            )
        assert total in small
    (page,) = (file for file in story.files if file.name.endswith(".html"))
    assert of_page(read_file_text(page.data, page.name)) == shown
