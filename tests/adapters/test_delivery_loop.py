"""The one loop by which stored answers leave: confirmed, tried again, given up, those of one
place in order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from unittest.mock import Mock

import aiohttp
import pytest

from adapters.delivery_loop import (
    EDITS,
    GIVE_UP,
    RETRY,
    Delivered,
    Outbox,
    Outcome,
    RetryLater,
    Undeliverable,
)
from adapters.discord.calls import DiscordRefused, Unsure
from adapters.discord.delivery import TROUBLE, _classify_failure
from bot.app import App
from bot.outbox.waiting_answers import INSTEAD, DueAnswer
from bot.storage.records import Commit, Outgoing, PostedMessages
from bot.ui.reply.reply import LINK, Button, Reply
from tests.fresh import fresh_app

Post = Callable[[DueAnswer], Awaitable[Outcome]]


class Clock:
    """A clock that a test sets."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


async def never(_due: DueAnswer, _spot: Mapping[str, Any]) -> Outcome:
    """No message is changed here."""
    return Undeliverable("there is none")


async def one_round(app: App, post: Post) -> None:
    """Let an outbox look once and finish what it began."""
    outbox = Outbox(app, "slack:", post, never)
    await outbox._look_for_answers()
    await outbox.stop(patience=30.0)


async def put(app: App, *places: str) -> None:
    """Answers that are due, one for each place."""
    told = tuple(
        Outgoing(place, {}, 0.0, Reply(f"answer {number}").to_json())
        for number, place in enumerate(places)
    )
    await app.store.commit(Commit(outbox=[*told]))


@pytest.mark.parametrize("outcome", [Delivered(), Undeliverable("the channel is gone")])
async def test_what_is_posted_or_never_can_be_is_done_with(outcome: Outcome) -> None:
    clock = Clock()
    app, tried = await fresh_app(clock), list[str]()

    async def post(due: DueAnswer) -> Outcome:
        tried.append(due.reply.title)
        return outcome

    await put(app, "slack:T/C", "discord:5/6")
    await one_round(app, post)
    clock.now += 10_000
    await one_round(app, post)
    assert tried == ["answer 0"], "and that of another platform is left alone"


async def test_what_fails_is_tried_again_after_ever_longer_pauses_or_as_long_as_the_platform_asks() -> (
    None
):
    clock = Clock()
    app, tried, asked = await fresh_app(clock), list[float](), 0.0

    async def post(_: DueAnswer) -> Outcome:
        tried.append(clock.now)
        return RetryLater(asked)

    await put(app, "slack:T/C")
    for pause in (*RETRY, RETRY[-1]):
        await one_round(app, post)
        clock.now += pause - 1
        await one_round(app, post)
        clock.now += 1
    assert len(tried) == len(RETRY) + 1
    asked = 400.0
    await one_round(app, post)
    clock.now += 399
    await one_round(app, post)
    assert len(tried) == len(RETRY) + 2


async def test_an_answer_is_given_up_in_the_end() -> None:
    clock = Clock()
    app = await fresh_app(clock)
    await put(app, "slack:T/C")
    (due,) = await app.answers.claim_due("slack:")
    outbox = Outbox(app, "slack:", lambda _: asyncio.sleep(0, Delivered()), never)
    await outbox.record_outcome(due.id, GIVE_UP - 1, RetryLater())
    clock.now += 1_000
    assert len(await app.answers.claim_due("slack:")) == 1
    await outbox.record_outcome(due.id, GIVE_UP, RetryLater())
    clock.now += 1_000
    assert await app.answers.claim_due("slack:") == []


async def test_who_takes_no_direct_messages_is_called_in_the_channel_once() -> None:
    app, tried = await fresh_app(), list[tuple[str, Reply]]()

    async def post(due: DueAnswer) -> Outcome:
        tried.append((due.place, due.reply))
        return Undeliverable("closed") if due.place == "slack:T/U" else Delivered()

    told = Reply(
        "Hill is waiting for you",
        buttons=(Button("goto:slack:T/C", "Open the game", LINK), Button("x", "Stop")),
    )
    out = (
        Outgoing("slack:T/U", {INSTEAD: "slack:T/C"}, 0.0, told.to_json()),
        Outgoing("slack:T/U", {}, 0.0, told.to_json()),
    )
    await app.store.commit(Commit(outbox=[*out]))
    await one_round(app, post)
    await one_round(app, post)
    assert [place for place, _ in tried] == ["slack:T/U", "slack:T/C", "slack:T/U"]
    called = tried[1][1]
    assert called.mention == ("slack:T/U",)
    assert [button.label for button in called.buttons] == ["Stop"]


async def test_answers_of_one_place_come_in_order_and_those_of_another_do_not_wait() -> None:
    app, began, go_on, two = await fresh_app(), list[str](), asyncio.Event(), asyncio.Event()

    async def post(due: DueAnswer) -> Outcome:
        began.append(due.reply.title)
        if len(began) == 2:
            two.set()
        if due.reply.title == "answer 0":
            await go_on.wait()
        return Delivered()

    await put(app, "slack:T/C", "slack:T/C", "slack:T/D")
    looking = asyncio.create_task(one_round(app, post))
    await asyncio.wait_for(two.wait(), 30)
    await asyncio.sleep(0.05)
    assert began == ["answer 0", "answer 2"]
    go_on.set()
    await looking
    assert began == ["answer 0", "answer 2", "answer 1"]


async def test_a_bug_in_one_answer_ends_neither_the_loop_nor_the_others() -> None:
    app, began = await fresh_app(), list[str]()

    async def post(due: DueAnswer) -> Outcome:
        began.append(due.reply.title)
        if due.reply.title == "answer 0":
            raise KeyError("channel")
        return Delivered()

    await put(app, "slack:T/C", "slack:T/D")
    await one_round(app, post)
    assert began == ["answer 0", "answer 1"]


@pytest.mark.parametrize("is_unsure", [True, False])
async def test_what_may_have_been_posted_is_not_withdrawn(is_unsure: bool) -> None:
    clock = Clock()
    app, titles = await fresh_app(clock), list[str]()

    async def post(due: DueAnswer) -> Outcome:
        titles.append(due.reply.title)
        return RetryLater(unsure=is_unsure) if len(titles) == 1 else Delivered({"ts": "1.0"})

    board = Outgoing("slack:T/C", {}, 0.0, Reply("Board").to_json(), "g/board")
    await app.store.commit(Commit(outbox=[board]))
    await one_round(app, post)
    await app.store.commit(Commit(withdraw=["g/board"]))
    clock.now += RETRY[0]
    await one_round(app, post)
    assert titles == ["Board"] * (2 if is_unsure else 1)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (aiohttp.ServerDisconnectedError(), RetryLater(unsure=True)),
        (TimeoutError(), RetryLater(unsure=True)),
        (Unsure("it broke"), RetryLater(unsure=True)),
        (DiscordRefused(502, 0, "bad gateway"), RetryLater(unsure=True)),
        (DiscordRefused(429, 0, "slower", 7.0), RetryLater(7.0)),
        (aiohttp.ClientConnectorError(Mock(), OSError(111, "refused")), RetryLater()),
    ],
)
def test_discord_may_have_posted_what_broke_on_the_way(error: Exception, outcome: Outcome) -> None:
    assert isinstance(error, TROUBLE), (
        "else it is logged as a bug, and held until its lease runs out"
    )
    assert _classify_failure(error) == outcome


async def changes(app: App, due: DueAnswer, answers: list[Outcome]) -> list[str]:
    """What an outbox does about a change: the messages that it tries, and what it posts instead."""
    tried: list[str] = []

    async def edit(_: DueAnswer, spot: Mapping[str, Any]) -> Outcome:
        tried.append(str(spot["ts"]))
        return answers.pop(0)

    async def post(instead: DueAnswer) -> Outcome:
        tried.append(f"posts {instead.reply.title}")
        return Delivered({"ts": "new"})

    outbox = Outbox(app, "slack:", post, edit)
    await outbox.record_outcome(due.id, due.attempts, await outbox._amend(due))
    return tried


@pytest.mark.parametrize(
    ("said", "attempts", "way", "done"),
    [
        ([Delivered()], 0, {}, ["1.0"]),
        ([RetryLater()], 0, {"or_post": True}, ["1.0"]),
        ([RetryLater()], EDITS, {}, ["1.0"]),
        ([RetryLater()], EDITS, {"or_post": True}, ["1.0", "posts #34 is undone"]),
        (
            [Undeliverable("message_not_found")],
            0,
            {"or_post": True},
            ["1.0", "posts #34 is undone"],
        ),
    ],
)
async def test_a_message_that_cannot_be_changed_is_given_up_or_said_anew(
    said: list[Outcome], attempts: int, way: dict[str, object], done: list[str]
) -> None:
    app = await fresh_app(Clock())
    await app.store.commit(
        Commit("r1", {"title": "asked"}, outbox=[Outgoing("slack:T/C", {}, 0.0, None, "g/asked")])
    )
    (asked,) = await app.answers.claim_due("slack:")
    await app.answers.mark_delivered(asked.id, spot={"channel": "C", "ts": "1.0"})
    told = Reply("#34 is undone").to_json()
    await app.store.commit(
        Commit("r2", told, outbox=[Outgoing("slack:T/C", way, 0.0, told, "g/41", "g/asked")])
    )
    (due,) = await app.answers.claim_due("slack:")
    assert await changes(app, due._replace(attempts=attempts), said) == done


async def test_a_change_waits_for_the_message_that_it_changes_and_the_latest_counts() -> None:
    app = await fresh_app(Clock())
    first = Outgoing("slack:T/C", {"url": "x"}, 500.0, None, "g/34")
    done = await app.store.commit(Commit("r1", {"title": "34"}, outbox=[first]))
    for number, told in enumerate(("undone", "back")):
        entry = Outgoing("slack:T/C", {}, 0.0, Reply(told).to_json(), "", "g/34")
        await app.store.commit(Commit(f"c{number}", {"title": told}, outbox=[entry]))
    assert await app.answers.claim_due("slack:") == [], "the message itself comes first"
    assert await app.store.load_posted_messages("g/34") == PostedMessages(
        on_its_way=frozenset({"slack:T/C"}), reply={"title": "34"}
    )
    await app.answers.mark_delivered(done.outbox[0], spot={"ts": "1.0"})
    (due,) = await app.answers.claim_due("slack:")
    assert due.reply.title == "back", "the earlier change was not made yet, so it never is"
    assert await changes(app, due, [Delivered()]) == ["1.0"]
