"""The attack, further: random play with every command of decks there is, in two worlds that differ
in one closed card.

The lines are made from the registry, so a new command joins by itself. What is compared beside what
tests/closed_cards/test_two_worlds.py compares: the console, a linked place, what waits for platforms and
clocks, counts of rows, the host's log and figures. As many walks as GROGNARD_CARD_WALKS says.
"""

from __future__ import annotations

import io
import logging
import os
import re
from collections.abc import Iterator, Sequence
from itertools import count
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from rich.console import Console

from bot.cli.terminal import print_reply
from bot.commands.dispatch import load_shared_registry
from bot.monitoring.command_log import Watch
from bot.monitoring.metrics import Metrics
from bot.rules import cards
from bot.rules.dice import Script
from bot.rules.inputs.options import Option
from bot.ui.spec import CommandSpec, Place
from tests.closed_cards.two_worlds_helpers import LOOKS, World, masked
from tests.fresh import fresh_app, run
from tests.playing import Channel

WALKS = int(os.environ.get("GROGNARD_CARD_WALKS", "12"))
QUICK, STEPS = 1, 22
NAMES = ("Aa", "Bbb", "Cccc", "Ddddd", "Eeeeee", "Ff", "Gg", "Hh", "Ii", "Jj", "Kk", "Xxxxxxxxxxxx",
         "Ll", "Mm", "Nn", "Oo", "Pp", "Qq", "Rr", "Ss", "Tt", "Uu", "Vv", "Ww")  # fmt: skip
ONE, OTHER, KEPT = "Bbb", "Xxxxxxxxxxxx", "Aa"
"""The card that is closed in one world, in the other, and one that lies beside it in both."""
HERE, THERE = (
    Place("discord:5/9", "discord:5", "#hill"),
    Place("discord:5/10", "discord:5", "#ford"),
)
SEATED = (("Anna", "US"), ("Bob", "VC"), ("Carl", "NVA"))
HOLDERS = ("Anna", "Carl")
"""Carl holds it where Anna gave it to him."""
DECK = f'deck make "{", ".join(NAMES)}" cup'
ANNA_DRAWS = ("Anna", "deck draw cup 2 me")
BASES: dict[str, tuple[tuple[str, str], ...]] = {
    "held": (ANNA_DRAWS,),
    "held beside others": (
        ANNA_DRAWS,
        ("Bob", "deck draw cup 2 me"),
        ("Carl", "deck draw cup"),
        ("Bob", "deck peek 2"),
    ),
    "given": (ANNA_DRAWS, ("Anna", "deck give all NVA")),
    "undone": (ANNA_DRAWS, ("Anna", "game undo"), ("Bob", "game undo")),
    "put back": (ANNA_DRAWS, ("Anna", "deck return all cup")),
    "at the bottom": (ANNA_DRAWS, ("Anna", "deck return all cup place=bottom")),
    "of a side that left": (ANNA_DRAWS, ("Anna", "game leave"), ("Anna", "game join US")),
    "looked at, then shuffled in": (("Anna", "deck peek 2"), ("Anna", "deck shuffle cup")),
}
LED = "led"
"""How the bases are called in which chits of another cup lead a phase: Ultracombat's element
deck, for three sides.
"""
STARTS = {
    "": (("Anna", 'game start lnlt Cards sides="US, VC, NVA"'),),
    LED: (
        ("Anna", 'game start ucn Cards sides="US, VC, NVA"'),
        *(("Anna", f'unit add "{side} 1..2" element side={side}') for _, side in SEATED),
        ("Anna", "game settings rule=element-deck"),
    ),
}
LED_BASES: dict[str, tuple[tuple[str, str], ...]] = {
    "led, a chit is out": (ANNA_DRAWS, ("Bob", "deck draw elements")),
    "led, none is": (ANNA_DRAWS,),
    "led, put back in somebody's go": (
        ANNA_DRAWS,
        ("Bob", "deck draw elements"),
        ("Anna", "deck return all cup"),
    ),
    "led, given in somebody's go": (
        ANNA_DRAWS,
        ("Bob", "deck draw elements"),
        ("Anna", "deck give all NVA cup"),
    ),
    "led, undone beneath a chit": (
        ANNA_DRAWS,
        ("Anna", "game undo"),
        ("Bob", "game undo"),
        ("Bob", "deck draw elements"),
    ),
    "led, by a deck of the same name": (
        ("Anna", "game settings rule=element-deck=off"),
        ("Anna", DECK.replace(" cup", " elements")),
        ("Anna", "deck draw elements 2 me"),
        ("Anna", "game settings rule=element-deck=on"),
    ),
}
AMONG_LED = (
    "deck draw elements", "deck draw elements", "deck draw", "game pass done", "game pass done", "game pass",
    "game next", "game board", "game status", "deck peek 2 elements", "deck draw elements to=me",
    "deck shuffle elements", "game settings rule=element-deck=off", "game settings rule=element-deck=on",
    "deck make elements", "unit edit 'US 1' state=pinned", "unit remove 'VC 2'", "log 9",
    "ucn shoot shooters='US 1' target='VC 1'",
)  # fmt: skip
"""What is played where a cup leads: chits, goes, what such a cup refuses, and the rule switched
off and on.
"""
AMONG = (
    "game undo",
    "game redo",
    "hand agree",
    "roll 2d6",
    "roll d6 secret",
    "game leave",
    "game next",
    "log 9",
)
"""What is played among commands of decks."""
UNLIKE = re.compile(
    r"[0-9.]+ ms|'ms': [0-9.]+|(_seconds_(sum|bucket).*|_created.*|python_.*|process_.*)"
)
"""What no two runs have alike: how long something took."""


class Over(Exception):
    """Only the two cards are left in the pile, so that the next draw tells of them rightly."""


class Chooser:
    """Draws that fall as they are wanted, and else on neither of the two cards, with the faces
    that this takes.
    """

    def __init__(self, wanted: Sequence[str]) -> None:
        self.wanted, self._draw = [*wanted], cards.draw

    def draw(
        self,
        id: str,
        deck: cards.Deck,
        out: Any,
        many: int,
        source: Any,
        hands: Any = None,
        seats: Any = (),
    ) -> Any:
        if not isinstance(source, Script) and ".w" in deck.ids[0]:
            source = Script([*self._faces(id, deck, out, many, hands or {}, seats)])
        return self._draw(id, deck, out, many, source, hands, seats)

    def _faces(
        self, id: str, deck: cards.Deck, out: Any, many: int, hands: Any, seats: Any
    ) -> Iterator[int]:
        pile = dict(cards.list_pile(id, deck, out, cards.list_held_cards(hands)))
        ends = [len(hands.get(end, ())) for end in cards.ENDS]
        for _ in range(many):
            if ends[0] and cards.TOP not in seats:
                ends[0] -= 1
                continue
            words = {card: NAMES[int(card.rpartition("w")[2]) - 1] for card in pile}
            free = [card for card, word in words.items() if word not in (ONE, OTHER)]
            if self.wanted:
                free = [card for card, word in words.items() if word == self.wanted[0]]
                self.wanted.pop(0)
            if not free:
                raise Over
            yield sum(some for card, some in [*pile.items()][: [*pile].index(free[0])]) + 1
            pile[free[0]] -= 1
            pile = {card: some for card, some in pile.items() if some}


class Host(logging.Handler):
    """What the host reads in the log."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(
            f"{record.name} {record.levelname} {record.getMessage()} {getattr(record, 'fields', '')}"
        )


def typed(option: Option, chance: Random, name: str) -> str:
    """Something to type for an option; nothing by which a holder would show the card. New ones
    are words of cards.
    """
    if option.name == "cards":
        return (
            chance.choice((KEPT, "Cccc"))
            if name in HOLDERS
            else chance.choice((*NAMES, "all", "3"))
        )
    if option.name in ("deck", "what"):
        return chance.choice(
            (*("cup",) * 6, "standard-52", "Ann;Bo;Cy" if option.name == "what" else "cup")
        )
    if option.complete == "side":
        return chance.choice(("US", "VC", "NVA"))
    if option.type == "int":
        return str(chance.choice((1, 1, 2, 3)))
    if option.type == "bool":
        return chance.choice(("yes", "no"))
    return str(chance.choice(option.values)) if option.values else chance.choice(NAMES)


def line_of(spec: CommandSpec, chance: Random, name: str) -> str:
    """One way to type a command."""
    words = [" ".join(spec.path)]
    for option in spec.options:
        if option.is_required or option.name == "deck" or chance.random() < 0.5:
            value = typed(option, chance, name)
            words += [f'{option.name}="{value}"'] if value else []
    return " ".join(words)


def specs() -> list[CommandSpec]:
    """Every command about decks and hands."""
    found = [spec for spec in load_shared_registry() if spec.path[0] in ("deck", "hand")]
    assert len(found) > 10
    return found


def walk(seed: int, among: Sequence[str] = AMONG, often: float = 0.15) -> list[tuple[str, str]]:
    """A random evening: who types what. Anna, who may hold the card, and Carl, who may be given
    it, never show it.
    """
    chance, lines = Random(seed), list[tuple[str, str]]()
    for _ in range(STEPS):
        name = chance.choice(("Anna", "Bob", "Bob", "Carl", "Dora"))
        act = chance.random()
        if act < often:
            lines.append((name, chance.choice(among)))
            lines += [("Bob", "game undo")] if often < 0.2 or chance.random() < 0.2 else []
        elif act < often + 0.1 and name == "Anna":
            lines.append((name, chance.choice(("deck give all NVA cup", "deck return all cup"))))
        else:
            lines.append((name, line_of(chance.choice(specs()), chance, name)))
    return lines


class Watched(World):
    """A world of which the host's log and figures are kept, and what waits to be sent."""

    holders: tuple[str, ...] = HOLDERS

    async def act(self, name: str, line: str) -> None:
        reply = await self.channel.say(name, line, token="t")
        hides = name in self.holders and line.split()[0] in ("hand", "deck")
        self.note(f"{name}: {line}", reply, hides=hides)
        told = reply.announce if reply.private and hides else reply
        if told is not None:
            said = io.StringIO()
            print_reply(Console(file=said, width=70), told)
            self.seen.append(masked(said.getvalue()))
        store = self.channel.app.store
        rows = await store._ask("SELECT place, delivery, due, attempts FROM outbox ORDER BY id")
        self.seen.append(masked(f"waiting: {[tuple(row) for row in rows]}"))
        tables = await store._ask("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
        counted = " UNION ALL ".join(
            f"SELECT '{table}', count(*) FROM {table}" for (table,) in tables
        )
        self.seen.append(f"rows: {[tuple(row) for row in await store._ask(counted)]}")
        self.seen.append(
            masked(
                f"due: {[tuple(row) for row in await store._ask('SELECT * FROM due ORDER BY 1')]}"
            )
        )

    async def complete(self) -> None:
        """What is offered to others while they type, for every option of every command of decks."""
        for spec in specs():
            for option in spec.options:
                for name in ("Bob", "Dora"):
                    who = self.channel.who(name)
                    found = await self.channel.app.complete_option(
                        spec.path, option.name, "", {}, who, self.channel.place
                    )
                    self.seen.append(f"{name} completes {spec.path} {option.name}: {found}")


async def played(card: str, base: str, lines: Sequence[tuple[str, str]]) -> list[str]:
    clock, host, figures = count(1_800_000_000, 7), Host(), Metrics("1")
    app = await fresh_app(lambda: float(next(clock)), lambda: 0.0)
    app.attach_watch(Watch(figures))
    world = Watched(Channel(app, HERE), {})
    chooser, root, level = Chooser((KEPT, card)), logging.getLogger(), logging.getLogger().level
    root.addHandler(host)
    root.setLevel(logging.DEBUG)
    try:
        with patch.object(cards, "draw", chooser.draw):
            is_led = base in LED_BASES
            for name, line in STARTS[LED if is_led else ""]:
                await world.channel.do(name, line)
            for name, side in SEATED:
                await world.channel.do(name, f"game join {side}")
            code = (await world.channel.say("Mona", "game link", manager=True)).title.split()[-1]
            there = Channel(app, THERE, "there")
            assert not (await there.say("Mona", f"game link {code}", manager=True)).error
            await world.channel.do("Anna", DECK)
            for name, line in (*(LED_BASES if is_led else BASES)[base], *lines):
                await world.act(name, line)
            await look(world)
    except Over:
        pass
    finally:
        root.removeHandler(host)
        root.setLevel(level)
    world.seen += [UNLIKE.sub("-", masked(line)) for line in host.lines if "bot" in line]
    world.seen += [UNLIKE.sub("-", line) for line in figures.render().decode().splitlines()]
    return world.seen


async def look(world: Watched) -> None:
    """What others can look at, in the end."""
    with patch(
        "tests.closed_cards.two_worlds_helpers.LOOKS",
        tuple(one for one in LOOKS if one[1] != "fair reveal"),
    ):
        await world.look()
    await world.complete()


def seen(card: str, base: str, lines: Sequence[tuple[str, str]]) -> list[str]:
    """What everybody but the holders sees, and the host in the log."""
    with patch("os.urandom", Random(26).randbytes):
        return run(played(card, base, lines))


@pytest.mark.slow_sample(3)
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "seed",
    [seed if seed < QUICK else pytest.param(seed, marks=pytest.mark.slow) for seed in range(WALKS)],
)
def test_two_worlds_that_differ_in_a_closed_card_stay_the_same_whatever_is_typed(seed: int) -> None:
    base = [*BASES][seed % len(BASES)]
    lines = walk(seed)
    first, second = seen(ONE, base, lines), seen(OTHER, base, lines)
    for here, there in zip(first, second, strict=False):
        assert here == there, (base, lines)
    assert len(first) == len(second)


@pytest.mark.slow_sample(3)
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "seed",
    [seed if seed < QUICK else pytest.param(seed, marks=pytest.mark.slow) for seed in range(WALKS)],
)
def test_nor_where_chits_of_another_cup_lead_the_phase(seed: int) -> None:
    """A chit is hidden in a hand, given, put back or undone while others come out of the cup
    that leads.
    """
    base = [*LED_BASES][seed % len(LED_BASES)]
    lines = walk(1000 + seed, AMONG_LED, 0.6)
    first, second = seen(ONE, base, lines), seen(OTHER, base, lines)
    for here, there in zip(first, second, strict=False):
        assert here == there, (base, lines)
    assert len(first) == len(second)
