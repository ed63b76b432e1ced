"""Every outcome of every sequence x odds of the shot, answer, log, list, card, board and page: all
say one thing.

From the registry, with the units of each sequence's example on a roster (where it has none, of a
scenario): a new sequence joins by itself. Outcomes are drawn, and their dice typed: at most twelve
of a sequence, two in the quick part.

Left out: outcomes beyond those; the alt text of the picture of odds, which is drawn from the bars
that are compared here (tests/commands/test_pictures.py); markers anywhere but on the card (list and
board drop them first where a phone has no room); states of the lost, who are named as lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from random import Random

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.game.counter_faces import list_conditions, list_marks
from bot.game.state import Game
from bot.presentation.headline import NO_EFFECT
from bot.report.event_odds import compute_export_facts
from bot.report.page import build_page
from bot.rules.text.names import insert_sides
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.system import is_lost
from bot.ui.reply.parts import Odds
from bot.ui.reply.reply import Reply
from bot.ui.typing.command_text import format_command
from tests.random_play import exported_text
from tests.seams.outcomes import Ready, ready

SEQUENCES = [(one.id, name) for one in load_shared_systems().values() for name in one.sequences]

OWN = {
    ("asl", "recover", "failed"): "does not recover",
    ("asl", "smoke", "success"): "uses its",
    ("asl", "random-selection", "not selected"): "selected",  # the answer names the others
    ("baps", "melee", "a tie, both wounded"): "are wounded",
    ("baps", "vehicle-fire", "track lost"): "loses a track",
    (
        "baps",
        "crash",
        "half a move straight ahead, then stops",
    ): "half a move straight ahead and stops",
    ("lnlt", "melee", "defenders eliminated"): "are eliminated in melee",
    ("lnlt", "melee", "attackers eliminated"): "are eliminated in melee",
    ("lnlt", "melee", "both sides eliminated"): "eliminated in melee",
    ("ucn", "melee", "deadlock"): "both stay in combat",
    ("ucn", "building-assault", "deadlock"): "both stay in combat",
    ("ucn", "building-assault", "defender wiped out"): "is wiped out",
}
"""Words of the odds that are the card's own name for an outcome, which the answer says of units."""
STEMS = {"broken": "br", "immobilised": "mobility kill"}
TYPED = {("lnlt", "mines")}
"""Whose example says of a unit what its counter does not: that is put on it without a word."""
NEEDS = {("lnlt", "rally"), ("ucn", "shoot")}
"""Whose examples need more than a roster: units that are shaken in a way of their own, weapons
with a skill.
"""


def said(word: str, text: str) -> bool:
    """Whether a text says what a word says, in whatever form: `shaken`, `shakes`."""
    there = re.findall(r"[\w+-]+", text.casefold())
    words = [
        one for one in re.findall(r"[\w+-]+", word.casefold()) if len(one) > 2 or one.isdigit()
    ]
    return all(any(other.startswith(one[:4]) for other in there) for one in words)


def of_odds(one: Ready, odds: Reply, answer: Reply) -> Iterator[str]:
    """What the odds of a shot call what came, where the answer does not call it so."""
    bars = [part for part in odds.lines if isinstance(part, Odds)]
    assert all(bar.came for bar in bars), f"a bar without what came up: {odds.format_text()}"
    for word in {word for bar in bars for word in bar.came}:
        own = OWN.get((one.sequence.system.id, one.sequence.id, word), word)
        if not own.startswith(NO_EFFECT) and not said(own, answer.format_text()):
            yield word


def ails(
    game: Game, before: Game, one: Ready
) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Each unit that has changed and is still there: its name, its new states, its markers."""
    system_ = one.sequence.system
    for key, unit in game.units.items():
        was = before.units.get(key)  # else a hero that came of it
        if was is not None and unit != was and not is_lost(unit, system_):
            new = tuple(
                word.casefold()
                for word in list_conditions(unit, system_)
                if word not in list_conditions(was, system_)
            )
            yield unit.name, new, list_marks(unit, system_)


async def tells_the_same(one: Ready, dice: str) -> None:
    """Play one outcome; whoever tells of it says the same."""
    channel, sequence = one.channel, one.sequence
    spec = load_shared_registry().get((sequence.system.id, sequence.id))
    assert spec is not None
    before = await channel.game()
    typed = format_command(spec, {**one.raw, **({"hand": dice} if dice else {})}).removeprefix("/")
    answer = await channel.do("Anna", typed)
    number, after = (await channel.game()).last, await channel.game()
    log = (await channel.do("Anna", "log 1")).format_text()
    assert str(answer.title).casefold() in log.casefold(), log
    if sequence.odds_by:
        odds = await channel.press("Anna", await channel.under(number, "odds"))
        assert [*of_odds(one, odds, answer)] == [], (answer.format_text(), odds.format_text())
    listed, board = [
        (await channel.do("Anna", line)).format_text().casefold()
        for line in ("unit list", "game board")
    ]
    for name, states, marks in ails(after, before, one):
        card = (await channel.do("Anna", f'unit show "{name}"')).format_text().casefold()
        for word in states:
            assert word in listed, (name, listed)
            assert word in board, (name, board)
            assert word in card, (name, card)
            told = any(said(STEMS.get(part, part), answer.format_text()) for part in word.split())
            assert told or (sequence.system.id, sequence.id) in TYPED, (word, answer.format_text())
        assert [mark for mark in marks if mark.casefold() not in card] == [], card
    await channel.do("Anna", "game board off")


@pytest.mark.slow_sample(15)
@pytest.mark.parametrize(
    ("game", "name", "most"),
    [
        *(pytest.param(*one, 2) for one in Random("told").sample(SEQUENCES, 8)),
        *(pytest.param(*one, 12, marks=pytest.mark.slow) for one in SEQUENCES),
    ],
)
async def test_every_outcome_is_told_the_same_by_all(game: str, name: str, most: int) -> None:
    if (game, name) in NEEDS:
        pytest.skip("its example needs more than a roster")
    one = await ready(find_shared_system(game).find_sequence(name))
    tried = 0
    for _, dice in one.outcomes(most):
        await tells_the_same(one, dice)
        tried += 1
        assert "undone" in (await one.channel.undo_last("Anna")).first_line
    export = json.loads(await exported_text(one.channel))
    facts = compute_export_facts(export, load_shared_systems())
    shown = re.sub(r"<[^>]+>", "", unescape(build_page(export, facts, load_shared_systems())))
    told = [insert_sides(fact["told"], ("A", "B")) for fact in facts.values() if "told" in fact]
    assert len(told) == tried, "each is retold by today's rules"
    has_it = (
        " takes the initiative",
        " keeps the initiative",
    )  # which of the two, the log's last word says
    assert [
        line for line in told if not any(line.replace(has_it[0], one) in shown for one in has_it)
    ] == []
