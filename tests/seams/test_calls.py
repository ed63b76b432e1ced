"""Who is called when the go changes hands: every kind of hand-over x there or not x platform, and
every game's phases.

Whoever has an event in the log of the last five minutes is named in the bold headline and not
called; if they stay silent for five minutes more, one message calls them, also those who want no
reminders. A new game, and a new phase of one, joins by itself: each is led through two turns, with
the next side there and not there.

Left out: orders, which call whoever they wait for at any time; a go of both sides, whose headline
names nobody; undo and redo of a hand-over, whose words are the undo's own (who is called:
tests/commands/turns/test_whose_turn.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from bot.app import App
from bot.commands.turns.mentions import PRESENT
from bot.game.state import Game
from bot.outbox.waiting_answers import DueAnswer
from bot.rulesets.system import list_builtin_systems
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from tests.fresh import fresh_app

PLATFORMS = {
    "console": (Place("console:main", "console", "console"), "console:alice", "console:bob"),
    "discord": (Place("discord:5/9", "discord:5", "#war-room"), "discord:1", "discord:2"),
    "slack": (Place("slack:T1/C1", "slack:T1", "#games"), "slack:T1/U1", "slack:T1/U2"),
}
HAND_OVERS = {
    "pass": ("game pass",),
    "done": ("game pass done",),
    "initiative named": ("game initiative VC",),
    "initiative rolled": ("lnlt initiative hand=2,5",),
}
"""What Alice says, who has the go in the operations phase of Lock 'n Load; the last line brings
it to Bob.
"""
THERE, GONE = PRESENT - 60, PRESENT + 60


@dataclass
class Evening:
    """A game of Alice (US) and Bob (VC) in one place, with its clock."""

    app: App
    place: Place
    alice: Person
    bob: Person
    now: list[float]
    asked: int = 0

    @classmethod
    async def begin(cls, platform: str, system: str = "lnlt") -> Evening:
        place, alice, bob = PLATFORMS[platform]
        now = [1_772_445_600.0]  # at ten in the morning
        evening = cls(
            await fresh_app(lambda: now[0]), place, Person(alice, "Alice"), Person(bob, "Bob"), now
        )
        await evening.say(evening.alice, f'game start {system} "Hill 875" sides="US, VC"')
        await evening.say(evening.alice, "game join US")
        await evening.say(evening.bob, "game join VC")
        return evening

    async def say(self, who: Person, line: str) -> Reply:
        self.asked += 1
        reply = await self.app.run_text(line, who, self.place, f"r{self.asked}", {"to": who.name})
        assert not reply.error, f"{line}: {reply.format_text()}"
        return reply

    async def game(self) -> Game:
        loaded = await self.app.games.load_current(self.place.key)
        assert loaded is not None
        return loaded.game

    async def passes(self, seconds: float) -> list[DueAnswer]:
        """The calls that come meanwhile."""
        until, platform = self.now[0] + seconds, f"{self.place.key.partition(':')[0]}:"
        found: list[DueAnswer] = []
        while self.now[0] < until:
            self.now[0] = min(until, self.now[0] + (60 if seconds < 3600 else 1800))
            await self.app.due_work.look()
            for due in await self.app.answers.claim_due(platform):
                found += (
                    [due]
                    if due.reply.title.endswith("is waiting for you") and not due.amends
                    else []
                )
                await self.app.answers.mark_delivered(due.id)
        return found


async def handed_over(
    evening: Evening, lines: tuple[str, ...], before: float
) -> tuple[Reply, Person]:
    """The answer that brings the go to somebody who last acted so many seconds `before`, and who
    that is.
    """
    alice, bob = evening.alice, evening.bob
    await evening.say(alice, "game initiative US")
    await evening.say(alice, "game next")
    await evening.say(bob, "roll d6")
    await evening.passes(before)
    for line in lines:
        reply = await evening.say(alice, line)
    assert (await evening.game()).go == ("VC",)
    return reply, bob


@pytest.fixture
async def evening(request: pytest.FixtureRequest) -> Evening:
    return await Evening.begin(request.param)


@pytest.mark.sample(6)
@pytest.mark.parametrize("evening", PLATFORMS, indirect=True)
@pytest.mark.parametrize("kind", HAND_OVERS)
@pytest.mark.parametrize("before", [THERE, GONE])
async def test_who_is_there_is_named_and_called_only_when_silent(
    evening: Evening, kind: str, before: float
) -> None:
    reply, gets = await handed_over(evening, HAND_OVERS[kind], before)
    if before is GONE:
        assert reply.mention == (gets.key,)
        assert await evening.passes(3 * 3600) == [], "once is enough for who wants no reminders"
        return
    assert reply.mention == ()
    assert gets.name in reply.title
    assert await evening.passes(PRESENT - 60) == []
    [call] = await evening.passes(120)
    assert call.reply.mention == (gets.key,)
    assert (call.reply.footer, call.reply.buttons) == ((), ()), (
        "it is no reminder that could be put off"
    )
    assert await evening.passes(24 * 3600) == [], "nobody is called twice"


@pytest.mark.parametrize("evening", PLATFORMS, indirect=True)
@pytest.mark.parametrize("line", ["roll d6", "game pass"])
async def test_who_does_something_with_the_go_is_not_called(evening: Evening, line: str) -> None:
    _, bob = await handed_over(evening, ("game pass",), THERE)
    await evening.passes(120)
    await evening.say(bob, line)
    waits = [due.reply.mention for due in await evening.passes(24 * 3600)]
    assert waits == ([] if line != "game pass" else [(evening.alice.key,)] * bool(waits))


@pytest.mark.parametrize("evening", PLATFORMS, indirect=True)
@pytest.mark.parametrize("before", [THERE, GONE])
async def test_reminders_come_as_wished_whoever_was_there(evening: Evening, before: float) -> None:
    await evening.say(evening.bob, "me ping interval=1h quiet=off")
    reply, bob = await handed_over(evening, ("game pass",), before)
    assert reply.mention == (() if before is THERE else (bob.key,))
    found = await evening.passes(24 * 3600)
    assert [due.reply.footer for due in found] == [
        (f"Reminder {count} of 3",) for count in (1, 2, 3)
    ]


@pytest.mark.parametrize("acts", [False, True])
async def test_what_ping_says_of_the_first_reminder_is_true(acts: bool) -> None:
    evening = await Evening.begin("console")
    await handed_over(evening, ("game pass",), GONE)
    if acts:
        await evening.say(evening.bob, "roll d6")
    told = await evening.say(evening.bob, "me ping interval=4h quiet=off")
    said = next(line for line in told.lines if "your first reminder comes" in str(line))
    start = evening.now[0]
    at = next(piece.at for piece in said.pieces if hasattr(piece, "at"))  # type: ignore[union-attr]
    assert at - start == (4 * 3600 if acts else 300)
    assert await evening.passes(at - start - 60) == []
    assert len(await evening.passes(120)) == 1


@pytest.mark.sample(3)
@pytest.mark.parametrize("system", list_builtin_systems())
@pytest.mark.parametrize("before", [THERE, GONE])
async def test_every_phase_of_every_game_calls_by_the_same_rule(system: str, before: float) -> None:
    evening = await Evening.begin("discord", system)
    people = {"US": evening.alice, "VC": evening.bob}
    seen = 0
    while (game := await evening.game()).turn < 3 and seen < 60:
        seen += 1
        asks = people[game.go[0]] if len(game.go) == 1 else evening.alice
        for other in people.values():
            await evening.say(other, "roll d6")
        await evening.passes(before)
        reply = await evening.say(asks, "game next")
        after = await evening.game()
        awaited = [
            person for side, person in people.items() if side in after.go and person is not asks
        ]
        assert set(reply.mention) == (
            {person.key for person in awaited} if before is GONE else set()
        )
        if before is THERE and len(after.go) == 1:
            assert all(person.name in reply.title for person in awaited), reply.title
    assert seen > 1


@pytest.mark.parametrize("away", [THERE, GONE])
async def test_who_edits_an_enemys_unit_calls_its_owner_unless_they_are_there(away: float) -> None:
    evening = await Evening.begin("discord")
    await evening.say(evening.bob, "unit add Cell squad VC morale=5 fp=1")
    evening.now[0] += away
    told = await evening.say(evening.alice, "unit edit Cell shaken")
    assert told.mention == ((evening.bob.key,) if away == GONE else ())
