"""A whole evening on Discord: six turns of Lock 'n Load by two players and a game master, with one restart.

Everybody is called once for each go and nobody for what they did themselves; what was taken back is struck; old buttons
refuse kindly; the dice are provable.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.interface.form.form import FLAGS
from tests.adapters.discord.process import Bot, running
from tests.adapters.left_over import time_passes, until_nothing_is_left
from tests.standins.discord import Channel, DiscordStandIn, Interaction, Message, Person
from tests.standins.taps import DiscordThumb
from tools import verify_log

MENU = "Same shot, other target"
TAPS = 8
"""Most taps that a turn without fire may cost, by both players together."""


class Evening:
    """Greta, who leads the game; Anna for the US and Ben for the VC; Carl looks on."""

    def __init__(self, discord: DiscordStandIn, bot: Bot) -> None:
        self.discord, self.bot = discord, bot
        self.table: Channel = discord.channel("table")
        self.greta, self.anna, self.ben, self.carl = (discord.user(name) for name in ("Greta", "Anna", "Ben", "Carl"))
        self._seen: set[int] = set()

    async def say(self, who: Person, path: str, **options: object) -> Message:
        """The answer to a command, which all see."""
        answer = await (await who.slash(self.table, path, **options)).answer()
        assert not answer.ephemeral, answer.text
        return answer

    async def press(self, who: Person, message: Message, button: str) -> Message:
        """The answer to a button, which all see."""
        answer = await (await who.press(message, button)).answer()
        assert not answer.ephemeral, answer.text
        return answer

    async def alone(self, asked: Interaction) -> str:
        """What only the one who asked reads."""
        answer = await asked.answer()
        assert answer.ephemeral, answer.text
        return answer.text

    def calls(self) -> list[str]:
        """Who was called since the last time, one name for each notification."""
        names = {str(one.id): one.user.name for one in (self.greta, self.anna, self.ben, self.carl)}
        new = [one for one in self.discord.messages(self.table) if one.id not in self._seen]
        self._seen |= {one.id for one in new}
        return [names[who] for one in new for who in sorted(one.pings)]

    async def struck(self, message: Message) -> None:
        """Wait until a result says that it was taken back, and offers nothing any more."""
        await self.discord.until(lambda: "Undone in #" in message.content and not message.buttons)
        assert "~~" in message.content

    async def over(self, card: Message) -> None:
        """Wait until the card of a phase that is over offers nothing for it any more."""
        await self.discord.until(lambda: not {"Next phase", "Pass", "Done", "Fire"} & set(card.buttons))

    def order(self, card: Message) -> tuple[Person, Person]:
        """Who goes first by the card of a phase, and the other."""
        return (self.anna, self.ben) if "US goes first" in card.content else (self.ben, self.anna)

    async def through(self, card: Message, *turns: Person) -> Message:
        """The go handed over by each of these until the phase ends, the other called once: the card of the next."""
        for who in turns:
            card = await self.press(who, card, "Pass")
            assert self.calls() == [], "who is there is named, not called"
            if "Administrative" in card.content:
                break
        assert "Administrative" in card.content
        return card

    async def board(self, words: str) -> Message:
        """The board that holds now, once it shows these words; there is no other one with buttons."""
        await self.discord.until(lambda: any(words in one.text for one in self._boards()))
        await self.discord.until(lambda: len(self._boards()) == 1)
        [board] = self._boards()
        assert not board.pings
        return board

    def _boards(self) -> list[Message]:
        return [
            one for one in self.discord.messages(self.table) if {"Log", "Undo"} <= set(one.buttons) and not one.deleted
        ]


async def muster(e: Evening) -> Message:
    """The game begun, joined by button, with its rosters, the board and a plan; the message that began it."""
    started = await e.say(e.greta, "game start", system="lnlt", name="Hill 875", sides="US, VC")
    await e.press(e.anna, started, "Join US")
    await e.press(e.ben, started, "Join VC")
    await e.say(e.anna, "unit add", name="US Squad 1..3", type="squad", side="US", stats="morale=5 fp=2")
    await e.say(e.anna, "unit add", name="US Squad 4..6", type="squad", side="US", stats="morale=12 fp=2")
    await e.say(e.anna, "unit add", name="Lt Hill", type="leader", side="US", stats="morale=6 lm=1 lr=1")
    await e.say(e.ben, "unit add", name="VC Squad 1..3", type="squad", side="VC", stats="morale=4 fp=1")
    await e.say(e.ben, "unit add", name="VC Squad 4..6", type="squad", side="VC", stats="morale=12 fp=1")
    await e.say(e.greta, "game plan", turn=4, text="VC reinforcements at K7")
    assert e.calls() == [], "nobody waits for anybody yet"
    return started


async def first_turn(e: Evening, started: Message) -> tuple[Message, Message]:
    """Fire typed, an undo refused and one agreed to; the card of turn 1 and that of turn 2."""
    asking = await e.press(e.anna, started, "Next phase")
    assert e.calls() == [], "who is there is named, not called"
    card = await e.say(e.greta, "game initiative", side="US")
    assert e.calls() == [], "who is there is named, not called"
    await e.over(asking)

    fired = await e.say(e.anna, "lnlt fire", attackers="us1; us2; Lt Hill", targets="vc1", tm=1, hand="5,2,3")
    buttons = dict(fired.buttons)
    asked = await e.press(e.anna, fired, "Undo")
    assert sorted(e.calls()) == ["Ben", "Greta"], "either may agree"
    await e.alone(await e.carl.press(asked, "Agree"))
    await e.ben.press(asked, "Refuse")
    await e.discord.until(lambda: "refuses" in asked.content and not asked.buttons)
    assert fired.buttons == buttons, "the result holds"

    passed = await e.press(e.anna, card, "Pass")
    assert e.calls() == [], "who is there is named, not called"
    shot = await e.say(e.ben, "lnlt fire", attackers="vc2; vc3", targets="us1", hand="6,1,2")
    asked = await e.press(e.ben, shot, "Undo")
    assert sorted(e.calls()) == ["Anna", "Greta"]
    await e.anna.press(asked, "Agree")
    await e.struck(shot)
    await e.discord.until(lambda: "is undone" in asked.content and list(asked.buttons) == ["Redo"])
    await e.say(e.ben, "lnlt fire", attackers="vc2", targets="us1", hand="6,1,6")
    await e.press(e.ben, passed, "Done")
    assert e.calls() == [], "who is there is named, not called"
    last = await e.say(e.anna, "game next")
    assert e.calls() == [], "who is there is named, not called"
    rally = await e.press(e.ben, last, "Next turn")
    assert e.calls() == [], "who is there is named, not called"
    return card, rally


async def second_turn(e: Evening, rally: Message, old: Message) -> Message:
    """Rally and initiative, fire by form, another target, one modifier changed, odds; the card of turn 3."""
    assert "Shaken: US Squad 1 and VC Squad 1" in rally.text
    form = await e.anna.press(rally, "Rally")
    rallied = await (
        await e.anna.submit_modal(form, {"Which units": ["US Squad 1"], "Modifiers": ["cover"], "lm": "1"})
    ).answer()
    assert "US Squad 1" in rallied.content
    won = await e.press(e.anna, rally, "Initiative")
    assert e.calls() == []
    card = await e.press(e.greta, won, "Next phase")
    first, second = e.order(card)
    assert e.calls() == [], "who is there is named, not called"
    await e.over(old)
    await e.alone(await second.press(card, "Pass"))
    await e.alone(await e.carl.press(card, "Next phase"))

    us = first is e.anna
    mine, yours = ("US", "VC") if us else ("VC", "US")
    form = await first.press(card, "Fire")
    fired = await (
        await first.submit_modal(form, {"Who fires": [f"{mine} Squad 3"], "At whom": [f"{yours} Squad 4"]})
    ).answer()
    assert not fired.ephemeral
    other = await (await first.select(fired, MENU, f"{yours} Squad 5")).answer()
    assert f"{yours} Squad 5" in other.content
    form = await first.press(other, "Change…")
    changed = await (await first.submit_modal(form, {FLAGS: ["adjacent"]})).answer()
    assert "2 adjacent" in changed.text
    assert "as it was fired" in await e.alone(await first.press(changed, "Odds"))
    assert e.calls() == [], "a shot calls nobody"
    card = await e.through(card, first, second, first, second, first)
    return await e.press(first, card, "Next turn")


async def third_turn(e: Evening, rally: Message) -> Message:
    """A sealed roll, a restart, the roll opened, own dice by the keypad; the card of turn 4."""
    e.calls()
    whispered = await (await e.ben.slash(e.table, "roll", dice="2d6", label="ambush", secret=True, hand="3,4")).answer()
    assert whispered.ephemeral
    assert "7 for ambush" in whispered.text
    sealed = await e.discord.message(e.table, "Ben makes a sealed roll")
    assert "7 for ambush" not in sealed.text
    await e.bot.kill()
    await e.bot.start()
    await e.alone(await e.anna.press(sealed, "Open it"))
    await e.ben.press(sealed, "Open it")
    await e.discord.until(lambda: "7 for ambush" in sealed.text and "Open it" not in sealed.buttons)

    card = await e.press(e.greta, await e.press(e.ben, rally, "Initiative"), "Next phase")
    first, second = e.order(card)
    assert e.calls() == [], "who is there is named, not called"
    mine, yours = ("US", "VC") if first is e.anna else ("VC", "US")
    form = await first.press(card, "Fire")
    filled = {"Who fires": [f"{mine} Squad 6"], "At whom": [f"{yours} Squad 3"], "Do what": "I roll my own dice"}
    keypad = await (await first.submit_modal(form, filled)).answer()
    assert keypad.ephemeral
    await first.press(keypad, "6")
    await first.press(keypad, "1")
    fired = await (await first.press(keypad, "6")).answer()
    assert not fired.ephemeral
    assert f"{yours} Squad 3" in fired.content
    card = await e.through(card, first, second, first, second, first)
    return await e.press(first, card, "Next turn")


async def fourth_turn(e: Evening, rally: Message) -> Message:
    """What was planned is due; a melee, taken back; the card of turn 5."""
    assert "Due now: VC reinforcements at K7" in rally.text
    e.calls()
    await e.say(e.ben, "unit add", name="VC Squad 7..8", type="squad", side="VC", stats="morale=4 fp=1")
    card = await e.press(e.greta, await e.press(e.anna, rally, "Initiative"), "Next phase")
    first, second = e.order(card)
    assert e.calls() == [], "who is there is named, not called"
    mine, yours = (("us2", "us5"), ("vc7",)) if first is e.anna else (("vc7", "vc8"), ("us2",))
    form = await first.press(card, "Melee")
    await e.discord.until(lambda: not form.failed)
    fought = await e.say(first, "lnlt melee", attackers="; ".join(mine), defenders="; ".join(yours), hand="6,5,1,1")
    asked = await e.press(first, fought, "Undo")
    assert sorted(e.calls()) == sorted([second.user.name, "Greta"])
    await e.greta.press(asked, "Agree")
    await e.struck(fought)
    card = await e.through(card, first, second, first, second)
    return await e.press(first, card, "Next turn")


async def fifth_turn(e: Evening, rally: Message) -> Message:
    """A turn without fire: every tap by both players counted; the card of turn 6."""
    e.calls()
    anna, ben = DiscordThumb(e.anna), DiscordThumb(e.ben)
    won = await (await anna.press(rally, "Initiative")).answer()
    card = await (await ben.press(won, "Next phase")).answer()
    first, second = (anna, ben) if e.order(card)[0] is e.anna else (ben, anna)
    assert e.calls() == [], "who is there is named, not called"
    for who in (first, second, first):
        card = await (await who.press(card, "Pass")).answer()
        assert e.calls() == [], "who is there is named, not called"
    last = await (await first.press(card, "Next turn")).answer()
    assert e.calls() == [], "who is there is named, not called"
    taps, letters = (sum(pair) for pair in zip(anna.spent(), ben.spent(), strict=True))
    assert letters == 0
    assert taps <= TAPS
    return last


async def the_end(e: Evening, rally: Message, tmp_path: Path) -> None:
    """The end with its story; old cards refuse; the log is sound; the game is taken up again from the list."""
    assert rally.content.startswith("**Turn 6, Rally")
    seen = replace(rally)  # as it is on a screen that has not heard of the end
    question = await (await e.greta.slash(e.table, "game end")).answer()
    assert question.ephemeral
    story = await e.press(e.greta, question, "End it: US wins")
    assert story.content.startswith("**Hill 875 is over: US wins on turn 6**")
    assert e.calls() == []
    await e.alone(await e.anna.press(seen, "Next phase"))
    await e.alone(await e.anna.slash(e.table, "lnlt fire", attackers="us2", targets="vc3"))

    await e.say(e.greta, "fair reveal")
    exported = await (await e.greta.slash(e.table, "game export", format="json")).answer()
    path = tmp_path / "hill-875.json"
    path.write_bytes(next(iter(exported.files.values())))
    assert main(["verify", str(path)]) == 0
    assert verify_log.main([str(path)]) == 3, "sound, and the outcomes are for grognard verify"

    listed = await (await e.greta.slash(e.table, "game list")).answer()
    assert "Hill 875" in listed.text
    opened = await (await e.greta.press(listed, "Read")).answer()
    assert opened.ephemeral
    resumed = await e.press(e.greta, opened, "Resume")
    assert "Turn 6" in resumed.text
    await e.say(e.anna, "lnlt fire", attackers="us4", targets="vc6")
    assert e.calls() == []


@pytest.mark.slow
async def test_six_turns_end_as_they_were_played(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path) as bot:
        e = Evening(discord, bot)
        started = await muster(e)
        await e.say(e.greta, "game board")
        old, card = await first_turn(e, started)
        await e.board("Turn 2, Rally")
        card = await second_turn(e, card, old)
        card = await third_turn(e, card)
        board = await e.board("Turn 4, Rally")
        card = await fourth_turn(e, card)
        card = await fifth_turn(e, card)
        await e.discord.until(lambda: board.deleted or not board.buttons)
        board = await e.board("Turn 6, Rally")
        await the_end(e, card, tmp_path)
        await e.discord.until(lambda: board.deleted or ("is over" in board.text and not board.buttons))
        time_passes(tmp_path)
        await until_nothing_is_left(tmp_path, 60)
        seen = [one for one in discord.messages(e.table) if one.text]
        assert not any("further down" in one.text for one in seen), "the boards of earlier turns are gone"
        assert len({one.nonce for one in seen if one.nonce}) == len([one for one in seen if one.nonce]), "none twice"
