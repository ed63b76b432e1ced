"""Night Patrol, a club's game of a cup, a deck of fate and cards in hands: its odds beside a plain
count of all orders in which the cards may lie, and three turns with all of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Awaitable, Callable
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.packs.check import check_content
from bot.rulesets.packs.archive import read_content
from tests.examples import odds
from tests.packs import evening
from tests.packs.evening import Player, Say, on_discord_by, on_slack_by, on_the_console_by, proved
from tests.playing import Channel
from tests.standins.slack import Channel as Place
from tests.standins.slack import User

pytestmark = pytest.mark.slow

Share = Fraction
FATE = {"clear": (6, 1, 3), "steady": (10, 0, 2), "mist": (5, -1, 1), "mud": (3, -1, 0)}
"""How many there are of a card, what it adds to a die, and its nerve; mud jams, a clear view is
a flare.
"""
GONE: list[dict[str, int]] = [
    {},
    {"clear": 6},
    {"steady": 9, "mist": 5, "mud": 1},
    {"steady": 10, "clear": 5},
]
"""What has left the pile."""
FORMATIONS = {
    "The raid": ["Mills men", "Fusiliers"],
    "Lewis section": ["Lewis team"],
    "The picket": ["Sentries 1", "Sentries 2"],
    "Maxim post": ["Maxim crew"],
}


@pytest.fixture
def patrol(root: Path, use_packs: Callable[[Path], None]) -> Path:
    folder = root / "tests" / "data" / "packs" / "chits"
    use_packs(folder)
    return folder


def pile(gone: dict[str, int]) -> list[str]:
    """Every card that is left, one by one."""
    return [card for card, (count, _, _) in FATE.items() for _ in range(count - gone.get(card, 0))]


def left(gone: dict[str, int]) -> str:
    """The same as it is typed, with what was discarded."""
    still = " ".join(f"{card}*{pile(gone).count(card)}" for card in FATE if card in pile(gone))
    return f"{still} / {' '.join(f'{card}*{count}' for card, count in gone.items()) or '-'}"


def hits_of(cards: tuple[str, ...], fire: list[int], needs: int) -> dict[int, Fraction]:
    """How many of these weapons hit, each with its card: all faces of all dice are gone through."""
    found = defaultdict[int, Fraction](Fraction)
    every = list(product(range(1, 7), repeat=len(cards)))
    for dice in every:
        hits = sum(
            card != "mud" and die + adds + FATE[card][1] >= needs
            for card, die, adds in zip(cards, dice, fire, strict=True)
        )
        found[hits] += Share(1, len(every))
    return found


@pytest.mark.parametrize("gone", GONE)
@pytest.mark.parametrize(
    ("fire", "far", "flare"), [([3], False, False), ([0, 1], True, True), ([3, 1], False, True)]
)
def test_odds_of_fire(
    patrol: Path, gone: dict[str, int], fire: list[int], far: bool, flare: bool
) -> None:
    counted = defaultdict[str, Fraction](Fraction)
    every = list(permutations(pile(gone), len(fire)))
    of = {
        cards: hits_of(cards, [one + flare for one in fire], 7 if far else 6)
        for cards in set(every)
    }
    for cards in every:
        for hits, likely in of[cards].items():
            counted[str(hits)] += likely / len(every)
    given: dict[str, object] = {
        "shooters": "; ".join(f"rifles fire={one}" for one in fire),
        "target": "sentries men=3",
        "range": "far" if far else "near",
        "flare": flare,
        "deck.fate": left(gone),
    }
    assert odds("night-patrol", "fire", given) == {
        key: share for key, share in counted.items() if share
    }


@pytest.mark.parametrize("gone", GONE)
@pytest.mark.parametrize("men", [(4, 3), (3, 3), (2, 4)])
def test_odds_of_a_grapple(patrol: Path, gone: dict[str, int], men: tuple[int, int]) -> None:
    counted, every = defaultdict[str, Fraction](Fraction), list(permutations(pile(gone), 2))
    for mine, other in every:
        ours, theirs = men[0] + FATE[mine][2], men[1] + FATE[other][2] + (mine == "clear")
        counted["won" if ours > theirs else "lost" if ours < theirs else "both"] += Share(
            1, len(every)
        )
    given = {
        "attacker": f"bombers men={men[0]}",
        "target": f"sentries men={men[1]}",
        "deck.fate": left(gone),
    }
    assert odds("night-patrol", "grapple", given) == counted


def test_odds_of_two_cards_where_the_pile_ends_between_them(patrol: Path) -> None:
    """One card is left, and the discards join the pile for the second."""
    given = {
        "attacker": "bombers men=4",
        "target": "sentries men=4",
        "deck.fate": "steady / clear*6 mist*5 mud*3",
    }
    assert odds("night-patrol", "grapple", given) == {"lost": Share(6, 14), "won": Share(8, 14)}


def test_a_jammed_weapon_fires_no_die(patrol: Path) -> None:
    assert check_content(read_content(patrol)).faults == ()
    given = {"shooters": "rifles fire=1", "target": "sentries men=3"}
    counted = odds("night-patrol", "fire", given, "shooters[0].becomes")
    assert counted == {"fires": Share(21, 24), "jammed": Share(3, 24)}
    assert odds("night-patrol", "strip", {"units": "maxim jammed"}) == {
        "cleared": Share(1, 2),
        "jammed": Share(1, 2),
    }


class Night:
    """Three turns, by what is answered: chits as they come, cards as they are dealt."""

    def __init__(self, say: Say) -> None:
        self._say, self.turn = say, 1
        self.drawn: list[tuple[int, str]] = []
        self.jammed, self.gone = set[str](), set[str]()

    async def say(self, who: str, line: str) -> str:
        return re.sub(r"[*_`]", "", await self._say(who, line))

    async def turns(self) -> None:
        await self.say("Anna", 'game start night-patrol "Sap head" scenario=sap-head')
        await self.say("Anna", "game join British")
        await self.say("Ben", "game join German")
        for self.turn in (1, 2, 3):
            await self.dusk()
            await self.activations()

    async def dusk(self) -> None:
        """Ben looks at the next two cards; they are dealt in that order and both are played. On
        turn 2 the Maxim's crew has run."""
        told = await self.say("Ben", "deck peek 2 events")
        await self.say("Anna", "deck deal 1 events")
        known = re.search(r"On top of events: ([^\n,]+), ([^\n,.]+)", told)
        assert known, told
        for who, card in zip(("Anna", "Ben"), known.groups(), strict=True):
            assert f"plays {card}" in await self.say(who, f'deck play "{card}"')
        await self.say("Ben", "deck discard all events")
        if self.turn == 2:
            await self.say("Anna", 'unit edit "Maxim crew" state=gone')
            self.gone.add("Maxim crew")
        await self.say("Anna", "game pass")
        assert "draw the next chit" in await self.say("Ben", "game pass")

    async def activations(self) -> None:
        for number in range(10):
            told = await self.say(("Anna", "Ben")[number % 2], "deck draw cup")
            if "First light" in told:
                assert f"Turn {self.turn + 1}, Dusk" in told, told
                return
            if (self.turn, number) == (1, 0):
                await self.say("Anna", "game undo")
                await self.say("Ben", "game undo")
                continue
            chit = next(chit for chit in FORMATIONS if f"{chit}: " in told)
            self.drawn.append((self.turn, chit))
            who = "Anna" if chit in ("The raid", "Lewis section") else "Ben"
            for unit in FORMATIONS[chit]:
                await self.act(who, unit)
            await self.say(who, "game pass")
        raise AssertionError("first light never came")

    async def act(self, who: str, unit: str) -> None:
        """Strip a gun, fight hand to hand, or fire."""
        foes = (
            ["Sentries 1", "Sentries 2", "Maxim crew"]
            if who == "Anna"
            else ["Fusiliers", "Mills men", "Lewis team"]
        )
        met = [foe for foe in foes if foe not in self.gone]
        if unit in self.gone or not met:
            return
        if unit in self.jammed:
            if "it fires again" in await self.say(who, f'night-patrol strip "{unit}"'):
                self.jammed.discard(unit)
            return
        how = "grapple" if unit == "Mills men" else "fire"
        told = await self.say(who, f'night-patrol {how} "{unit}" "{met[0]}"')
        if how == "fire" and "Mud in the breech" in told:
            self.jammed.add(unit)
        self.gone |= {
            one for one in (unit, met[0]) if f"{one} is gone" in told or f"{one} are gone" in told
        }


async def night(say: Say) -> None:
    await Night(say).turns()


async def test_three_turns_on_the_console_with_proof(patrol: Path, tmp_path: Path) -> None:
    nights: list[Night] = []

    async def played(say: Say) -> None:
        nights.append(Night(say))
        await nights[0].turns()

    channel = await on_the_console_by(played)
    game, (alone,) = await channel.game(), nights
    assert game.turn == 4
    assert not [turn for turn, chit in alone.drawn if chit == "Maxim post" and turn > 1], (
        "the dead have no go"
    )
    assert {unit.name for unit in game.units.values() if "jammed" in unit.marks} == alone.jammed
    assert {unit.name for unit in game.units.values() if unit.state == "gone"} == alone.gone
    page = await proved(channel, tmp_path)
    assert "Sap head" in page
    assert "First light" in page


async def test_a_chit_of_a_dead_formation_does_nothing(patrol: Path) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start night-patrol "Sap" scenario=sap-head', "game next")
    units = "Mills men", "Fusiliers", "Lewis team", "Sentries 1", "Sentries 2", "Maxim crew"
    await channel.do("Anna", *(f'unit edit "{unit}" state=gone' for unit in units))
    reply = await channel.do("Anna", "deck draw cup")
    assert "Turn 2, Dusk" in reply.format_text(), "whatever came was set aside until first light"


async def test_the_first_phase_that_a_cup_leads_says_what_to_remember(patrol: Path) -> None:
    channel = await Channel.fresh()
    reply = await channel.do("Anna", 'game start night-patrol "Sap" scenario=sap-head', "game next")
    assert "One chit, one formation." in reply.format_text()


async def test_a_full_hand_is_dealt_no_more(patrol: Path) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start night-patrol "Sap" scenario=sap-head', "game join British")
    await channel.do("Ben", "game join German")
    await channel.do("Anna", "deck deal 3 events")
    await channel.fails("Ben", "deck draw events to=me", "the limit is 3")
    await channel.fails("Anna", "deck peek 1 cup", "nobody may look ahead")


async def all_of_it(player: User, where: Place, command: str, text: str = "") -> SimpleNamespace:
    """What a person reads on Slack: who looks at cards is told them, and behind that all are
    told that they looked.
    """
    handle = await player.slash(where, command, text)
    last = await handle.answer()
    assert "Error" not in last.text, last.text
    answers = handle.answers_now()
    return SimpleNamespace(
        text="\n".join(one.text for one in answers),
        blocks=[block for one in answers for block in one.blocks or ()],
    )


@pytest.mark.slow
@pytest.mark.parametrize("platform", [on_discord_by, on_slack_by], ids=["discord", "slack"])
async def test_the_same_night_elsewhere(
    platform: Callable[[Path, Player, Path], Awaitable[dict[str, object]]],
    patrol: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evening, "say_on_slack", all_of_it)
    assert (await platform(patrol, night, tmp_path))["turn"] == 4


async def test_whose_go_it_is_is_said_once(patrol: Path) -> None:
    """A shot out of turn, while a chit of the other side is drawn."""
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start night-patrol "Sap head" scenario=sap-head',
        "game settings hand_dice=yes",
    )
    await channel.do("Anna", "game join British", "game next", "deck draw cup hand=picket")
    fired = await channel.do("Anna", 'night-patrol fire "Lewis team" "Sentries 1" hand=clear,6')
    assert "The chit in play is The picket." in fired.format_text()
    assert "German go" not in fired.format_text()
