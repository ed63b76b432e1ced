"""When *Done* edits the shot and when it is a message of its own; linked copies, and undo."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from bot.app import App
from bot.commands.answer_footer import OR_POST
from bot.outbox.waiting_answers import DueAnswer
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from tests.fresh import fresh_app

HERE = Place("discord:5/9", "discord:5", "#war-room")
THERE = Place("slack:T1/C1", "slack:T1", "#games")
ANNA = Person("discord:1", "Anna", manager=True)
BEN = Person("slack:T1/U1", "Ben", manager=True)
OURS, THEIRS = "lnlt fire us1 vc1 hand=1,6", "lnlt fire vc1 us1 hand=1,6"
LINE = "→ VC to play, Ben"
OWN = "VC to play"


class Table:
    """A game in two linked channels, Anna in one of them and Ben in the other."""

    app: App

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self._ids = count(1)

    @classmethod
    async def open(cls) -> Table:
        """At the US's first impulse."""
        table = cls()
        table.app = await fresh_app(lambda: table.now)
        await table.say(ANNA, 'game start lnlt "Hill 875" sides="US, VC"')
        code = (await table.say(ANNA, "game link")).title.split()[-1]
        await table.say(BEN, f"game link {code}")
        await table.say(ANNA, "game join US")
        await table.say(BEN, "game join VC")
        await table.say(BEN, 'unit add "VC Squad 1" squad VC stats="morale=12 fp=1"')
        await table.say(ANNA, 'unit add "US Squad 1" squad US stats="morale=12 fp=2"')
        await table.say(ANNA, "game initiative US")
        await table.say(ANNA, "game next")
        for place in (HERE, THERE):
            await table.posted(place)
        return table

    async def say(self, who: Person, line: str) -> Reply:
        """The answer to a line, as its channel has it on the way."""
        where = HERE if who is ANNA else THERE
        reply = await self.app.run_text(line, who, where, f"r{next(self._ids)}", {"to": who.name})
        assert not reply.error, reply.format_text()
        return reply

    async def press(self, who: Person, shot: Reply, label: str, *, is_public: bool = True) -> Reply:
        """The answer to a button of a message, which says where it is if it `is_public`."""
        action = next(button.action for button in shot.buttons if button.label == label)
        delivery: dict[str, Any] = {"to": who.name}
        if is_public:
            delivery["pressed"] = {"message": 1}
        where = HERE if who is ANNA else THERE
        return await self.app.press(action, who, where, f"r{next(self._ids)}", delivery)

    async def posted(self, place: Place) -> list[DueAnswer]:
        """What was on its way to a channel; it is there now."""
        found: list[DueAnswer] = []
        while due := await self.app.answers.claim_due(place.key):
            found += due
            for one in due:
                await self.app.answers.mark_delivered(one.id, spot={"message": one.id})
        return found


@pytest.mark.parametrize(
    ("happens", "is_edited"),
    [
        ("nothing", True),
        ("another roll", False),
        ("eleven minutes", False),
        ("Ben is silent", False),
        ("nobody can edit", False),
    ],
)
async def test_done_edits_the_newest_shot_if_nobody_is_owed_a_ping(
    happens: str, is_edited: bool
) -> None:
    table = await Table.open()
    if happens == "Ben is silent":
        table.now += 301
    shot = await table.say(ANNA, OURS)
    if happens == "another roll":
        await table.say(ANNA, "roll 1d6")
    if happens == "eleven minutes":
        table.now += 660
        await table.say(BEN, "me show")
    done = await table.press(ANNA, shot, "Done", is_public=happens != "nobody can edit")
    assert done.in_place == is_edited
    if is_edited:
        assert done.title == shot.title
        assert done.format_body() == [*shot.format_body(), LINE]
        assert [button.label for button in done.buttons][:2] == ["Fire", "Melee"]
    else:
        assert done.first_line.startswith(OWN)
    called = await table.posted(THERE)
    mentions = [user for one in called for user in one.reply.mention]
    assert mentions == ([BEN.key] if happens in ("eleven minutes", "Ben is silent") else [])


async def test_the_log_keeps_the_words_of_the_hand_over_and_every_copy_is_edited() -> None:
    table = await Table.open()
    shot = await table.say(ANNA, OURS)
    (copy,) = [one for one in await table.posted(THERE) if not one.amends]
    assert copy.reply.title == shot.title
    done = await table.press(ANNA, shot, "Done")
    edits = [one for one in await table.posted(THERE) if OR_POST in one.delivery]
    (edit,) = edits
    assert edit.amends == copy.about
    assert edit.reply.format_body()[-1] == LINE
    assert edit.reply.standalone.first_line == "VC to play, Ben · Anna hands over"
    assert done.standalone.first_line == edit.reply.standalone.first_line
    assert done.footer[: len(shot.footer)] == shot.footer

    (undo,) = [button for button in done.buttons if button.label == "Undo"]
    assert undo.action.endswith(shot.footer[0].removeprefix("#"))
    await table.say(ANNA, "game undo")
    changed = [one.reply for one in await table.posted(THERE) if one.amends]
    assert any(
        one.format_body() == shot.format_body()
        and "Done" in [button.label for button in one.buttons]
        for one in changed
    )
    again = await table.press(ANNA, shot, "Done")
    assert again.first_line.startswith(OWN), "the undo is newer than the shot"


async def test_an_older_shot_loses_done_and_a_press_there_hands_nothing_over() -> None:
    table = await Table.open()
    first = await table.say(ANNA, OURS)
    await table.posted(THERE)
    second = await table.say(ANNA, OURS)
    changed = [one.reply for one in await table.posted(THERE) if one.amends]
    assert any("Done" not in [b.label for b in one.buttons] and one.buttons for one in changed)
    await table.press(ANNA, second, "Done")
    await table.say(BEN, THEIRS)
    late = await table.press(ANNA, first, "Done")
    assert (late.private, late.code) == (True, "phase-over")


async def test_undo_of_the_shot_takes_the_hand_over_with_it_and_redo_brings_both_back() -> None:
    """The message of both is struck through in every channel, and reads as before afterwards."""
    table = await Table.open()
    shot = await table.say(ANNA, OURS)
    await table.posted(THERE)
    done = await table.press(ANNA, shot, "Done")
    await table.posted(THERE)
    question = await table.press(ANNA, done, "Undo")
    assert question.private
    number = int(shot.footer[0].removeprefix("#"))
    label = f"Undo #{number + 1} and #{number}"
    asked = await table.press(ANNA, question, label, is_public=False)
    await table.posted(THERE)
    undone = await table.press(BEN, asked, "Agree")
    assert "Now: US to play." in undone.format_body()
    last = [one.reply for one in await table.posted(THERE) if one.amends][-1]
    assert last.title == shot.title
    assert last.over.startswith("Undone in ")
    asked = await table.press(ANNA, undone, "Redo")
    await table.posted(THERE)
    await table.press(BEN, asked, "Agree")
    changed = [one.reply for one in await table.posted(THERE) if one.amends]
    last = [reply for reply in changed if reply.title == shot.title][-1]
    assert not last.over
    assert last.format_body()[-1] == LINE
