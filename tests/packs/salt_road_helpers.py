"""Helpers of tests/packs/test_salt_road.py, which other tests use as well."""

from __future__ import annotations

import re

from bot.rulesets.packs.pack import PackSystem
from tests.packs.evening import (
    Say,
)

SIDES = {
    "Anna": ("Duke", "duke", ("Household", "Foot", "Levies")),
    "Ben": ("League", "league", ("Pikemen", "Rangers")),
}


class Year:
    """Two sides that play the cards they get: what is typed goes by what was answered."""

    def __init__(self, say: Say, pack: PackSystem) -> None:
        self.say, self.pack, self.played = say, pack, list[tuple[str, str]]()
        self.hands: dict[str, list[str]] = {"Anna": [], "Ben": []}
        self.broken_up = set[str]()

    async def evening(self, turns: int = 2) -> None:
        """Turns: hands are drawn, each side plays three cards by turns; one play is undone; one
        attack a turn.
        """
        await self.say("Anna", 'game start salt-road "First year" scenario=year')
        await self.say("Anna", "game join Duke")
        await self.say("Ben", "game join League")
        for turn, cards in ((1, 5), (2, 3))[:turns]:
            for who in ("Anna", "Ben"):
                await self.draws(who, cards)
            await self.say("Anna", "game next")
            await self.say("Anna", "game initiative Duke")
            for number in range(3):
                for who in ("Anna", "Ben"):
                    await self.plays(who, turn, number)
                    await self.say(who, "game pass done")
            await self.say("Anna", "game next")

    async def draws(self, who: str, cards: int) -> None:
        _, deck, _ = SIDES[who]
        await self.say(who, "deck draw to=full")
        told = re.sub(r"[*_`]", "", await self.say(who, "hand"))
        names = {name: id for id, name in self.pack.decks[deck].names.items()}
        # On a platform the message holds the hand more than once, and the buttons name its cards.
        _, head, below = told.partition(f"{deck}: 5 cards\n")
        assert head, told
        self.hands[who] = []
        for line in below.splitlines():
            name, _, count = line.strip().partition(": ")[0].partition(" ×")
            if name not in names:
                break
            self.hands[who] += [names[name]] * int(count or 1)
        assert len(self.hands[who]) == 5, told

    async def plays(self, who: str, turn: int, number: int) -> None:
        _, deck, (army, *_) = SIDES[who]
        ours, theirs = ("Foot", "Rangers") if who == "Anna" else ("Rangers", "Foot")
        made = self.pack.decks[deck]
        card = max(self.hands[who], key=lambda card: (made.said[card]["orders"], card))
        self.hands[who].remove(card)
        self.played.append((who, card))
        await self.say(who, f'deck play "{made.names[card]}"')
        if number == 1 and theirs not in self.broken_up:
            await self.say(who, f"salt-road use {card} event units={army} target={theirs}")
        elif number == 2 and made.said[card]["support"]:
            await self.say(who, f"salt-road use {card} support units={army}")
        else:
            await self.say(who, f"salt-road use {card} orders")
            if turn == 1 and number == 0 and who == "Anna":
                await self.say(who, "salt-road march Foot market")
                await self.say(who, "game undo")
                await self.say(who, "game redo")
            elif number == 0 and not self.broken_up & {ours, theirs}:
                await self.attacks(who, ours, theirs)

    async def attacks(self, who: str, ours: str, theirs: str) -> None:
        """The armies that stand beside each other at the start fight; who is asked stands."""
        other = "Ben" if who == "Anna" else "Anna"
        told = await self.say(who, f"salt-road attack {ours} {theirs}")
        if "/choose" in told:
            told += "\n" + await self.say(other, "choose option=stand")
        # An army that is gone neither attacks nor is attacked again.
        plain = re.sub(r"[*_`]", "", told)
        for names in re.findall(r"((?:\w+ and )?\w+) (?:is|are) broken up", plain):
            self.broken_up.update(names.split(" and "))
        for line in ("game undo", "game redo"):
            for one in (who, other):  # cards were drawn: the other side agrees
                await self.say(one, line)
