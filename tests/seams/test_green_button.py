"""The green button is what the side to play does next: in every phase of every scenario of every
game and pack, it never ends the phase or the turn of a side that could still act, and it never opens
a form that offers the side nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import pytest

from bot.rules.inputs.options import ACTS as ACTING
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.system import is_lost
from bot.ui.reply.reply import OPEN_FORM, Reply
from bot.ui.typing.complete import Reason, keep_usable_context
from tests.playing import Channel
from tests.seams.green_button_helpers import (
    PHASES,
    ROOT,
    greens,
    scenarios,
)

PLAYERS = ("Anna", "Ben", "Cora", "Dan")
TRIED = 3
"""Units with which each form of a card is tried."""
HANDED_OVER = 2
MOST_ORDERS = 60
"""Answers after which a side that plays itself must be done with its move."""
ENDS = ("next:", "pass:", "done:")
"""How the actions of the buttons begin that end a phase, or hand over."""
ACTS = (OPEN_FORM, "sequence:", "initiative:", "first:", "lead:")
"""How the actions of the buttons begin that do something in the phase."""


def assert_leads_on(reply: Reply, unusable: Collection[str]) -> None:
    """Check the green buttons of a reply. `unusable` are the forms that offer the side nobody."""
    acts = [
        button.label
        for button in reply.buttons
        if button.action.startswith(ACTS) and button.action not in unusable
    ]
    for button in greens(reply):
        assert not (acts and button.action.startswith(ENDS)), (reply.title, button.label, acts)
        assert button.action not in unusable, (reply.title, button.label)


async def offers_nobody(channel: Channel, who: str, action: str) -> bool:
    """Return whether the form of an action has a list of those who act, and all units of the side
    to play stand in it with a reason.
    """
    system, _, name = action.removeprefix(OPEN_FORM).partition(" ")
    spec = channel.app.registry.get((system, name))
    if spec is None:
        return False  # a form of an event
    person = channel.who(who)
    known = keep_usable_context(
        await channel.app.get_form_context(spec, channel.place, person), spec
    )
    game = await channel.game()
    acting = [option.name for option in spec.options if option.part == ACTING]
    if not acting or not known.roster:
        return False
    reasons = known.reasons.get(acting[0], {})
    able = [unit for unit in known.roster if unit.handle not in reasons]
    able += [unit for unit in known.roster if is_for_number(reasons, unit.handle)]
    return not any(
        (not game.go or unit.side in ("", *game.go))
        and (unit.handle in known.on_call or not game.led)
        for unit in able
    )


def is_for_number(reasons: Mapping[str, Reason], handle: str) -> bool:
    """Return whether a unit lacks a number alone, for which the form has a field."""
    return handle in reasons and reasons[handle].is_for_number


def find(reply: Reply, start: str) -> str:
    """Return the first action of a message's buttons that begins so, or ""."""
    return next((one.action for one in reply.buttons if one.action.startswith(start)), "")


class Evening:
    """A scenario with a player for each side; whatever is answered is checked."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.answers = 0

    async def check(self, reply: Reply) -> Reply:
        if not reply.error:
            self.answers += 1
            who = await self.player()
            forms = [one.action for one in reply.buttons if one.action.startswith(OPEN_FORM)]
            unusable = [one for one in forms if await offers_nobody(self.channel, who, one)]
            assert_leads_on(reply, unusable)
        return reply

    async def player(self) -> str:
        """Return who plays the side to play, or the first player, who also answers for a side
        that plays itself.
        """
        game = await self.channel.game()
        if not game.go or game.go[0] in game.self_played:
            return PLAYERS[0]
        return PLAYERS[game.sides.index(game.go[0])]

    async def press(self, action: str) -> Reply:
        who = await self.player()
        reply = await self.channel.meant(who, await self.channel.press(who, action))
        return await self.check(reply)

    async def act(self, card: Reply) -> Reply | None:
        """Do the first thing that the card has a form for, with the first unit that can."""
        who = await self.player()
        game = await self.channel.game()
        side = game.go[0] if game.go else game.sides[0]
        system = find_shared_system(game.system)
        units = [unit for unit in game.units.values() if not is_lost(unit, system)]
        own = [unit.handle for unit in units if unit.side in ("", side)]
        enemies = [unit.handle for unit in units if unit.side not in ("", side)]
        forms = [one.action.removeprefix(OPEN_FORM) for one in card.buttons]
        for form in forms:
            for unit in own[:TRIED] if form.startswith(f"{game.system} ") else ():
                for line in (f"{form} {unit} {enemies[0] if enemies else ''}", f"{form} {unit}"):
                    reply = await self.channel.meant(who, await self.channel.say(who, line))
                    if not reply.error and not reply.private:
                        return await self.choose(await self.check(reply))
        return None

    async def choose(self, reply: Reply) -> Reply:
        """Choose the first option for who is asked in the middle of a shot."""
        while action := find(reply, "choose:"):
            answers = [await self.channel.press(who, action) for who in PLAYERS[:2]]
            reply = await self.check(next(one for one in answers if not one.error))
        return reply

    async def answer_orders(self, reply: Reply) -> Reply:
        """Let a side that plays itself act, and answer what it asks, until it is a player's move.

        The last answer is that nobody is there.
        """
        for _ in range(MOST_ORDERS):
            answers = [one.action for one in reply.buttons if one.action.startswith("order:")]
            action = answers[-1] if answers else find(reply, "selfplay:")
            if not action:
                return reply
            reply = await self.press(action)
        raise AssertionError(f"{MOST_ORDERS} answers do not end the move of a side")

    async def play(self, card: Reply) -> None:
        """Say who goes first, draw the chit, act, and hand over twice."""
        card = await self.answer_orders(card)
        for start in ("initiative:", "first:", "lead:"):
            if action := find(card, start):
                card = await self.press(action)
        for _ in range(HANDED_OVER):
            answer = await self.act(card)
            done = find(answer, "handover:") if answer is not None else ""
            done = done or find(card, "done:")
            if not done:
                return
            card = await self.press(done)


@pytest.mark.sample(2)
@pytest.mark.parametrize(("game", "scenario"), [*scenarios()])
async def test_the_green_button_leads_on_after_every_card_and_answer(
    game: str, scenario: str, use_packs: Callable[[Path], None]
) -> None:
    use_packs(ROOT / "packs")
    channel = await Channel.fresh()
    evening = Evening(channel)
    started = await channel.do("Anna", f"game start {game} scenario={scenario}")
    opened = await channel.game()
    for name, side in zip(PLAYERS, opened.sides, strict=False):
        if side not in opened.self_played:
            await channel.do(name, f"game join {side}")
    await evening.play(started)
    for _ in range(PHASES):
        who = await evening.player()
        card = await channel.meant(who, await channel.say(who, "game next"))
        if card.code == "units-left":
            card = await channel.press(who, find(card, "next:"))
        if card.error:
            break
        await evening.check(card)
        await evening.play(card)
    assert evening.answers >= PHASES


async def list_green(channel: Channel, line: str) -> list[str]:
    """Return the labels of the green buttons of the answer to a line."""
    return [button.label for button in greens(await channel.do("Anna", line))]


async def test_a_button_that_nobody_of_the_side_can_use_never_leads() -> None:
    """Leader points without a leader, a rally without a shaken unit, fire of shaken units alone."""
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start baps sides="US, German"')
    await channel.do("Anna", 'unit add "GI 1..3" soldier US weapon=rifle-semi')
    for _ in range(8):
        await channel.do("Anna", "game next")
    assert await list_green(channel, "game next") == ["Done"]
    await channel.do("Anna", 'unit add "Sgt Cole" leader US lr=1')
    for _ in range(8):
        await channel.do("Anna", "game next")
    assert await list_green(channel, "game next") == ["Leader points"]

    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt sides="US, VC"')
    await channel.do("Anna", "game join US", "unit add Rifle squad US morale=5 fp=2")
    await channel.do("Anna", "unit add Local squad VC morale=4 fp=1")
    assert await list_green(channel, "game initiative US") == ["Done"]
    assert await list_green(channel, "game next") == ["Fire"]
    assert await list_green(channel, "game board") == ["Fire"]
    await channel.do("Anna", "unit edit Rifle +fired")
    assert await list_green(channel, "game board") == []
    await channel.do("Anna", "unit edit Rifle -fired", "unit edit Local shaken")
    assert await list_green(channel, "game pass") == []
