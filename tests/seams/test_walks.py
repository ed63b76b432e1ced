"""Pairs of features that no other seam has, walked through by chance from fixed seeds: typed dice,
many units at once, seals, renamed units, orders, linked places, restarts and undo with its requests
open, one after the other in one game.

Whatever is done in whatever order, nothing breaks, a restarted bot knows the same game, and all
verifiers find the log sound. Generated from the games and packs that are there. Left out:
platforms' rendering (a long answer without *Embed Links* or tables: tests/adapters,
test_native_blocks.py); faults of disk and net, which the simulator plays.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from random import Random

import pytest

from bot.app import App
from bot.commands.dispatch import load_shared_registry
from bot.game.state import get_undoable_content
from bot.rulesets.catalog import load_shared_systems
from bot.ui.reply.reply import Reply
from bot.ui.spec import Place
from bot.ui.typing.command_text import format_command, quote_value
from bot.verification.check_games import audit_games
from tests.fresh import fresh_app
from tests.playing import Channel
from tests.seams.undo_helpers import PLACE, THERE, assert_verified
from tools.corpus import inputs_for

Doing = Callable[[Channel, str], Awaitable[None]]
PEOPLE = ("Anna", "Bob", "Zoe")
STEPS = 40
PATIENCE = 1.0
"""Seconds after which long odds are given up here; what a bot takes, WORKER_SECONDS, would be
most of a walk.
"""
ROOT = Path(__file__).parents[2]
GAMES = sorted(["asl", "baps", "lnlt", "nhis", "ucn"])
PACKS = sorted(
    path.parent.name
    for path in ROOT.glob("packs/*/pack.yaml")
    if "\nextends:" not in path.read_text()
)


class Walk:
    """A game of two sides in two linked places, and what has been done in it."""

    def __init__(self, app: App, id: str, chance: Random) -> None:
        self.app, self.id, self.chance, self.done = app, id, chance, list[str]()
        app.executor.worker.seconds = PATIENCE
        self.places = [PLACE, THERE]
        self._ids = count(1)

    def channel(self, place: Place) -> Channel:
        """One of its places."""
        return Channel(self.app, place, f"w{next(self._ids)}-")

    async def begin(self) -> None:
        """Sides, units, a link between the places."""
        home = self.channel(PLACE)
        scenario = next(iter(load_shared_systems()[self.id].scenarios), "")
        await home.do(
            "Anna", f"game start {self.id} Walk {f'scenario={scenario}' if scenario else ''}"
        )
        game = await home.game()
        if not game.sides:
            await home.do("Anna", "game end confirm", f'game start {self.id} Walk sides="A, B"')
        sides = (await home.game()).sides
        await home.do("Anna", f"game join {quote_value(sides[0])}")
        await home.do("Bob", f"game join {quote_value(sides[1])}")
        code = (await home.say("Anna", "game link", manager=True)).title.split()[-1]
        assert not (await self.channel(THERE).say("Bob", f"game link {code}", manager=True)).error

    async def step(self) -> None:
        """One thing that somebody does in one of the places."""
        channel = self.channel(self.chance.choice(self.places))
        who = self.chance.choice(PEOPLE)
        doing: Callable[[Channel, str], object] = self.chance.choice(
            [
                self.plays,
                self.plays,
                self.plays,
                self.undoes,
                self.answers,
                self.says,
                self.says,
                self.renames,
                self.opens,
            ]
        )
        await doing(channel, who)  # type: ignore[misc]
        if self.chance.random() < 0.1:
            await self.restarts()

    def _noted(self, line: str, reply: Reply) -> Reply:
        self.done.append(f"{line}: {reply.first_line}")
        assert "went wrong" not in reply.format_text(), self.done
        return reply

    async def plays(self, channel: Channel, who: str) -> None:
        """A sequence with units of the roster, alone or many, typed dice, sealed or odds."""
        game = await channel.game()
        sequence = self.chance.choice([*load_shared_systems()[self.id].sequences.values()])
        spec = load_shared_registry().get((self.id, sequence.id))
        assert spec is not None
        names = [unit.name for unit in game.units.values()]
        given = (
            inputs_for(self.chance, sequence, names)
            if self.chance.random() < 0.5
            else dict(sequence.example)
        )
        for option in sequence.inputs if names else ():
            if option.type == "units":
                given[option.name] = "; ".join(
                    self.chance.sample(names, min(len(names), self.chance.choice((1, 2, 6))))
                )
            elif option.type == "unit":
                given[option.name] = self.chance.choice(names)
        how = self.chance.choice(("", "", "hand", "secret", "odds"))
        if how == "hand":
            given["hand"] = ",".join(
                str(self.chance.randrange(1, 7)) for _ in range(self.chance.randrange(1, 9))
            )
        elif how and spec.find_option(how) is not None:
            given[how] = True
        line = format_command(spec, given).removeprefix("/")
        self._noted(f"{who}: {line}", await channel.say(who, line))

    async def undoes(self, channel: Channel, who: str) -> None:
        """Undo or redo, and a button of its answer pressed by somebody."""
        line = self.chance.choice(("game undo", "game redo", "game undo"))
        reply = self._noted(f"{who}: {line}", await channel.say(who, line))
        if reply.buttons and self.chance.random() < 0.6:
            await self.pressed(channel, reply)

    async def pressed(self, channel: Channel, reply: Reply) -> None:
        """One of its buttons, by anybody."""
        button = self.chance.choice(reply.buttons)
        if not button.action.startswith(("form:", "units")):
            other = self.chance.choice(PEOPLE)
            self._noted(
                f"{other} presses {button.label}", await channel.press(other, button.action)
            )

    async def answers(self, channel: Channel, who: str) -> None:
        """Whatever is asked is agreed to, or refused."""
        loaded = await self.app.games.load_current(channel.place.key)
        assert loaded is not None
        asked = await self.app.store.load_doc("consent-asked", loaded.row)
        for number in asked.data["events"] if asked is not None else ():
            doc = await self.app.store.load_doc("consent", f"{loaded.row}:{number}")
            action = f"{self.chance.choice(('consent', 'refuse'))}:{loaded.row}:{number}"
            action = f"{action}:{doc.data['id']}" if doc is not None else action
            self._noted(f"{who} answers #{number}", await channel.press(who, action))

    async def says(self, channel: Channel, who: str) -> None:
        """Anything else."""
        line = self.chance.choice(
            (
                "roll 2d6", "roll 2d6 secret", 'order write "to H5"', "order open", "game next", "game pass",
                "game pass done", 'game plan 9 "x"', "game status", "unit list", "log 5", "game board", "game stats",
                "again", "fair show", "game join B", "game leave", "order show",
            )
        )  # fmt: skip
        self._noted(f"{who}: {line}", await channel.say(who, line))

    async def renames(self, channel: Channel, who: str) -> None:
        """A unit gets another name."""
        units = [*(await channel.game()).units.values()]
        if units:
            unit = self.chance.choice(units)
            name = self.chance.choice((f"Old{unit.handle}", "T-34", "Ömer"))
            line = f"unit edit {unit.handle} stats=name={name}"
            self._noted(f"{who}: {line}", await channel.say(who, line))

    async def opens(self, channel: Channel, who: str) -> None:
        """A sealed roll is opened, if it is theirs."""
        for number in list((await channel.game()).sealed)[:1]:
            self._noted(f"{who} opens #{number}", await channel.say(who, f"game reveal {number}"))

    async def restarts(self) -> None:
        """Another process on the same store knows the same game."""
        before = get_undoable_content(await self.channel(PLACE).game())
        self.app = App(self.app.store)
        self.app.executor.worker.seconds = PATIENCE
        assert get_undoable_content(await self.channel(PLACE).game()) == before, self.done
        assert get_undoable_content(await self.channel(THERE).game()) == before, self.done


async def walked(id: str, seed: int, steps: int = STEPS) -> Walk:
    """A walk to its end; all that can be checked of its log is sound."""
    chance = Random(f"walk {id} {seed}")
    walk = Walk(await fresh_app(), id, chance)
    await walk.begin()
    for _ in range(steps):
        await walk.step()
    home = walk.channel(PLACE)
    if not (await home.game()).ended:
        await home.say("Anna", "game end confirm", manager=True)
    await assert_verified(home)
    assert await audit_games(walk.app.store) == (len(await walk.app.store.list_games()), [])
    return walk


@pytest.mark.slow_sample(10)
@pytest.mark.sample(2)
@pytest.mark.parametrize("id", GAMES)
@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))]
)
async def test_a_walk_breaks_nothing(id: str, seed: int) -> None:
    assert len((await walked(id, seed)).done) >= STEPS // 2


@pytest.mark.slow_sample(6)
@pytest.mark.slow
@pytest.mark.parametrize("id", PACKS)
@pytest.mark.parametrize("seed", range(1, 4))
async def test_a_walk_with_a_pack_breaks_nothing(
    id: str, seed: int, use_packs: Callable[[Path], None]
) -> None:
    use_packs(ROOT / "packs")
    assert len((await walked(id, seed)).done) >= STEPS // 2
