"""An evening on Slack: six turns of Lock 'n Load by two players and a game master, with one restart.

As on Discord: who is called, what is struck and what old buttons say, until the log is found sound.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from bot.__main__ import main
from tests.adapters.left_over import until_nothing_is_left
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import Bot, running
from tests.standins.slack import Message, SlackStandIn, User
from tests.standins.taps import SlackThumb
from tools import verify_log

MENU = "a:menu-0"
TAPS = 8
"""Most taps that a turn without fire may cost, by both players together."""
PAUSE = 2.2
"""Seconds after which the channel takes a message of the bot's own at once: only such a one can be changed later."""
CALL = re.compile(r"<@(\w+)>")


def is_news(message: Message) -> bool:
    """Whether it is an answer: not the board, nor an older message that was struck meanwhile."""
    old = message.text.startswith(("The board", "Undone", "Overtaken")) or message.text.endswith("is over")
    return "Log" not in message.buttons() and not old


class Evening:
    """Greta, who leads the game; Anna for the US and Ben for the VC; Carl looks on."""

    def __init__(self, slack: SlackStandIn) -> None:
        self.slack = slack
        self.home, self.anna, self.ben, self.games = settle(slack)
        self.greta, self.carl = self.home.user("Greta"), self.home.user("Carl")
        self.bot: Bot
        self._seen: set[str] = set()

    async def say(self, who: User, command: str, text: str) -> Message:
        """The answer to a command, which all see."""
        answer = await (await who.slash(self.games, command, text)).answer(where=is_news)
        assert answer.ephemeral_for is None, answer.text
        return answer

    async def press(self, who: User, message: Message, button: str) -> Message:
        """The answer to a button, which all see."""
        answer = await (await who.press(message, button)).answer(where=is_news)
        assert answer.ephemeral_for is None, answer.text
        return answer

    async def refused(self, who: User, message: Message, button: str) -> None:
        """A button that is refused, and only the one who pressed it reads why."""
        answer = await (await who.press(message, button)).answer(where=is_news)
        assert answer.ephemeral_for == who.id, answer.text

    async def until(self, look: object, what: str) -> None:
        """Wait until something is so, as a change of a message comes a little later."""
        await self.slack.watch.until(look, timeout=30, what=what)  # type: ignore[arg-type]

    async def struck(self, message: Message) -> None:
        """Wait until a result says that it was taken back, and offers nothing any more."""
        await self.until(lambda: "Undone in #" in message.everything and not message.buttons(), "a result struck")
        assert "~" in message.plain

    async def over(self, card: Message) -> None:
        """Wait until the card of a phase that is over offers nothing for it any more."""
        await self.until(lambda: not {"Next phase", "Pass", "Done", "Fire"} & set(card.buttons()), "an old card")

    def calls(self) -> list[str]:
        """Who was called since the last time by a new message, one name for each."""
        names = {one.id: one.name for one in (self.greta, self.anna, self.ben, self.carl)}
        new = [one for one in self.carl.sees(self.games) if one.via != "user" and one.ts not in self._seen]
        self._seen |= {one.ts for one in new}
        first = [(one.earlier or [one])[0] for one in new]
        return [names[who] for one in first for who in sorted(set(CALL.findall(one.everything)))]

    def order(self, card: Message) -> tuple[User, User]:
        """Who goes first by the card of a phase, and the other."""
        return (self.anna, self.ben) if "US goes first" in card.text else (self.ben, self.anna)

    async def through(self, card: Message, *turns: User) -> Message:
        """The go handed over by each of these until the phase ends, the other called once: the card of the next."""
        for who in turns:
            card = await self.press(who, card, "Pass")
            assert self.calls() == [], "who is there is named, not called"
            if "Administrative" in card.text:
                break
        assert "Administrative" in card.text
        return card


async def muster(e: Evening) -> Message:
    """The game begun, joined by button, with its rosters and a plan; the message that began it."""
    started = await e.say(e.greta, "/game", 'start lnlt "Hill 875" sides="US, VC"')
    await e.press(e.anna, started, "Join US")
    await e.press(e.ben, started, "Join VC")
    await e.say(e.anna, "/unit", 'add "US Squad 1..3" squad US morale=5 fp=2')
    await e.say(e.anna, "/unit", 'add "US Squad 4..6" squad US morale=12 fp=2')
    await e.say(e.ben, "/unit", 'add "VC Squad 1..3" squad VC morale=4 fp=1')
    await e.say(e.ben, "/unit", 'add "VC Squad 4..6" squad VC morale=12 fp=1')
    await e.say(e.greta, "/game", 'plan 3 "VC reinforcements at K7"')
    assert e.calls() == [], "nobody waits for anybody yet"
    return started


async def first_turn(e: Evening, started: Message) -> tuple[Message, Message]:
    """An undo refused and one agreed to; the card of turn 1 and that of turn 2."""
    await asyncio.sleep(PAUSE)
    asking = await e.press(e.anna, started, "Next phase")
    assert e.calls() == [], "who is there is named, not called"
    await asyncio.sleep(PAUSE)
    card = await e.say(e.greta, "/game", "initiative US")
    assert e.calls() == [], "who is there is named, not called"
    await e.over(asking)
    fired = await e.say(e.anna, "/lnlt", "fire us1..us2 vc1 tm=1 hand=5,2,3")
    buttons = fired.buttons()
    asked = await e.press(e.anna, fired, "Undo")
    assert sorted(e.calls()) == ["Ben", "Greta"], "either may agree"
    await e.refused(e.carl, asked, "Agree")
    await e.ben.press(asked, "Refuse")
    await e.until(lambda: "refuses" in asked.text and not asked.buttons(), "the request refused")
    assert fired.buttons() == buttons, "the result holds"

    passed = await e.press(e.anna, card, "Pass")
    assert e.calls() == [], "who is there is named, not called"
    shot = await e.say(e.ben, "/lnlt", "fire vc2..vc3 us1 hand=6,1,2")
    asked = await e.press(e.ben, shot, "Undo")
    assert sorted(e.calls()) == ["Anna", "Greta"]
    await e.anna.press(asked, "Agree")
    await e.struck(shot)
    await e.until(lambda: asked.buttons() == ["Redo"], "the request agreed to")
    await e.press(e.ben, passed, "Done")
    assert e.calls() == [], "who is there is named, not called"
    last = await e.say(e.anna, "/game", "next")
    assert e.calls() == [], "who is there is named, not called"
    rally = await e.press(e.ben, last, "Next turn")
    assert e.calls() == [], "who is there is named, not called"
    return card, rally


async def second_turn(e: Evening, rally: Message, old: Message) -> Message:
    """Initiative, fire by form, another target, one modifier changed, odds; the card of turn 3."""
    assert "Shaken: VC Squad 1" in rally.everything
    card = await e.press(e.greta, await e.press(e.anna, rally, "Initiative"), "Next phase")
    first, second = e.order(card)
    assert e.calls() == [], "who is there is named, not called"
    await e.over(old)
    await e.refused(second, card, "Pass")
    await e.refused(e.carl, card, "Next phase")
    mine, yours = ("us", "vc") if first is e.anna else ("vc", "us")
    view = await (await first.press(card, "Fire")).modal()
    await first.submit(view, {"attackers": {"value": [f"{mine}3"]}, "targets": {"value": [f"{yours}4"]}})
    fired = await first.wait_for(e.games, f"{yours.upper()} Squad 4 ·")
    other = await (await first.choose(fired, MENU, f"{yours.upper()} Squad 5")).answer(where=is_news)
    assert f"{yours.upper()} Squad 5" in other.text
    view = await (await first.press(other, "Change…")).modal()
    await first.submit(view, {"flags": {"value": ["adjacent"]}})
    changed = await first.wait_for(e.games, "2 adjacent")
    await e.refused(first, changed, "Odds")
    assert e.calls() == [], "a shot calls nobody"
    card = await e.through(card, first, second, first, second, first)
    return await e.press(first, card, "Next turn")


async def third_turn(e: Evening, rally: Message) -> Message:
    """What was planned is due; a sealed roll, a restart, the roll opened; own dice by the keypad; turn 4's card."""
    assert "VC reinforcements at K7" in rally.everything
    e.calls()
    secret = await e.ben.slash(e.games, "/roll", "2d6 label=ambush secret hand=3,4")
    own, sealed = sorted(await secret.answers(2, where=is_news), key=lambda one: one.ephemeral_for is None)
    assert "7 for ambush" in own.everything
    assert "7 for ambush" not in sealed.everything
    await e.bot.kill()
    await e.bot.start()
    await e.refused(e.anna, sealed, "Open it")
    await e.ben.press(sealed, "Open it")
    await e.until(lambda: "7 for ambush" in sealed.everything and "Open it" not in sealed.buttons(), "the seal opened")
    card = await e.press(e.greta, await e.press(e.ben, rally, "Initiative"), "Next phase")
    first, second = e.order(card)
    assert e.calls() == [], "who is there is named, not called"
    mine, yours = ("us6", "vc3") if first is e.anna else ("vc6", "us3")
    keypad = await (await first.slash(e.games, "/lnlt", f"fire {mine} {yours} hand=?")).answer(where=is_news)
    assert keypad.ephemeral_for == first.id
    for face in ("6", "1", "6"):
        keypad = await (await first.press(keypad, face)).answer(where=is_news)
    assert keypad.ephemeral_for is None
    card = await e.through(card, first, second, first, second, first)
    return await e.press(first, card, "Next turn")


async def fourth_turn(e: Evening, rally: Message) -> Message:
    """A melee, taken back with the game master's consent; the card of turn 5."""
    e.calls()
    await e.say(e.ben, "/unit", 'add "VC Squad 7..8" squad VC morale=4 fp=1')
    card = await e.press(e.greta, await e.press(e.anna, rally, "Initiative"), "Next phase")
    first, second = e.order(card)
    assert e.calls() == [], "who is there is named, not called"
    mine, yours = ("us2; us5", "vc7") if first is e.anna else ("vc7; vc8", "us2")
    fought = await e.say(first, "/lnlt", f'melee attackers="{mine}" defenders="{yours}" hand=6,5,1,1')
    asked = await e.press(first, fought, "Undo")
    assert sorted(e.calls()) == sorted([second.name, "Greta"])
    await e.greta.press(asked, "Agree")
    await e.struck(fought)
    card = await e.through(card, first, second, first, second)
    return await e.press(first, card, "Next turn")


async def fifth_turn(e: Evening, rally: Message) -> Message:
    """A turn without fire: every tap by both players counted; the card of turn 6."""
    e.calls()
    anna, ben = SlackThumb(e.anna), SlackThumb(e.ben)
    won = await (await anna.press(rally, "Initiative")).answer(where=is_news)
    card = await (await ben.press(won, "Next phase")).answer(where=is_news)
    first, second = (anna, ben) if e.order(card)[0] is e.anna else (ben, anna)
    assert e.calls() == [], "who is there is named, not called"
    for who in (first, second, first):
        card = await (await who.press(card, "Pass")).answer(where=is_news)
        assert e.calls() == [], "who is there is named, not called"
    last = await (await first.press(card, "Next turn")).answer(where=is_news)
    assert e.calls() == [], "who is there is named, not called"
    taps, letters = (sum(pair) for pair in zip(anna.spent(), ben.spent(), strict=True))
    assert letters == 0
    assert taps <= TAPS
    return last


async def the_end(e: Evening, rally: Message, folder: Path) -> None:
    """The end with its story, a sound log, and the game taken up again."""
    assert "Turn 6, Rally" in rally.everything
    question = await (await e.greta.slash(e.games, "/game", "end")).answer(where=is_news)
    assert question.ephemeral_for == e.greta.id
    story = await (await e.greta.press(question, "End it: US wins")).answer(where=lambda one: "is over:" in one.text)
    assert story.ephemeral_for is None
    assert "US wins on turn 6" in story.text
    assert e.calls() == []
    await e.refused(e.anna, rally, "Next phase")
    await e.say(e.greta, "/fair", "reveal")
    await (await e.greta.slash(e.games, "/game", "export json")).answer()
    [file] = [one for one in e.greta.sees(e.greta.im) if one.files][-1].files
    path = folder / "hill-875.json"
    path.write_bytes(file.data)
    assert main(["verify", str(path)]) == 0
    assert verify_log.main([str(path)]) == 3, "sound, and the outcomes are for grognard verify"
    listed = await (await e.greta.slash(e.games, "/game", "list")).answer(where=is_news)
    assert "Hill 875" in listed.everything
    opened = await (await e.greta.press(listed, "Read")).answer(where=lambda one: "Resume" in one.buttons())
    resumed = await (await e.greta.press(opened, "Resume")).answer(where=lambda one: "takes" in one.text)
    assert "Turn 6" in resumed.everything
    assert e.calls() == []


@pytest.mark.slow
async def test_six_turns_end_as_they_were_played(socket_slack: SlackStandIn, tmp_path: Path) -> None:
    e = Evening(socket_slack)
    async with running(socket_slack, tmp_path, e.home) as e.bot:
        started = await muster(e)
        board = await (await e.greta.slash(e.games, "/game", "board")).answer()
        old, card = await first_turn(e, started)
        await e.until(lambda: board.deleted, "the board posted afresh")
        card = await second_turn(e, card, old)
        card = await third_turn(e, card)
        card = await fourth_turn(e, card)
        card = await fifth_turn(e, card)
        await the_end(e, card, tmp_path)
        e.bot.outbox_is_due()
        await until_nothing_is_left(tmp_path, 60)
    refused = {error for _, error, *_ in socket_slack.refusals}
    assert refused <= {"missing_scope", "ratelimited"}, "it may not read the channel, and waits where asked to"
