"""Answers on their way: files, two messages in one, places where nobody asked, places where the
bot may not write.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from adapters.delivery_loop import RetryLater
from adapters.slack.calls import SlackRefused
from adapters.slack.delivery import Progress
from adapters.slack.listeners import format_command_line
from adapters.slack.request import SlackRequest
from adapters.slack.request_handler import RequestHandler
from bot.outbox.receipts import build_not_run_reply
from bot.ui.reply.reply import Button, File, Reply
from bot.ui.spec import Command, Person, Place
from tests.adapters.slack.delivery_helpers import (
    Post,
)
from tests.adapters.slack.delivery_helpers import (
    post as post,
)
from tests.standins.slack import Workspace

REPORT = Reply("Anna: a report", files=(File("report.md", "# Hill 875"),))


async def test_files_stand_where_the_answer_stands(post: Post) -> None:
    first = post.slack.messages.post(post.games, post.home.bot_user, "a thread")
    await post.posts.deliver(post.request(post.games, first.ts), REPORT)
    thread = post.ben.sees(post.games, first.ts)
    assert [one.files[0].data for one in thread if one.files] == [b"# Hill 875"]
    assert thread[-1].text == "Anna: a report"


async def test_without_membership_files_and_answers_go_to_the_asker(post: Post) -> None:
    await post.posts.deliver(post.request(post.foreign), REPORT)
    told = post.anna.sees(post.anna.im)
    assert [len(one.files) for one in told] == [1, 0]
    assert "/invite @grognard" in told[-1].plain
    assert post.ben.sees(post.foreign) == []


async def test_private_files_are_private(post: Post) -> None:
    await post.posts.deliver(post.request(post.games), replace(REPORT, private=True))
    assert len([one for one in post.anna.sees(post.anna.im) if one.files]) == 1
    told = post.anna.sees(post.games)[-1]
    assert "direct messages" in told.plain
    assert "/invite" not in told.plain
    assert post.ben.sees(post.games) == []


@pytest.mark.parametrize("after", [True, False])
async def test_slack_may_have_posted_what_broke_on_the_way(
    post: Post, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    monkeypatch.setattr("adapters.slack.delivery.MAX_TROUBLE_SECONDS", 0.0)
    if after:
        post.slack.faults.server_error("chat.postMessage", after=True)
    else:
        # nobody listens there
        monkeypatch.setattr("adapters.slack.calls.get_api_url", lambda: "http://127.0.0.1:9/api/")
    outcome = await post.posts._with_retries(post.request(post.games), Reply("Board"), Progress())
    assert outcome == RetryLater(unsure=after)


async def test_a_sealed_roll_is_two_messages(post: Post) -> None:
    reply = Reply(
        "(sealed) 7",
        private=True,
        announce=Reply("#3 sealed", buttons=(Button("reveal:3", "Open it"),)),
    )
    await post.posts.deliver(post.request(post.games), reply)
    assert [one.text for one in post.ben.sees(post.games)] == ["#3 sealed"]
    assert len(post.anna.sees(post.games)) == 2


async def test_a_place_where_nobody_asked(post: Post) -> None:
    first = post.slack.messages.post(post.games, post.home.bot_user, "a thread")
    for place in (
        f"slack:{post.home.id}/{post.games.id}/{first.ts}",
        f"slack:{post.home.id}/{post.foreign.id}",
    ):
        await post.posts.deliver(SlackRequest.from_json({}, place), Reply("Ben: 2d6 = 7"))
    assert post.ben.sees(post.games, first.ts)[-1].text == "Ben: 2d6 = 7"
    assert post.ben.sees(post.foreign) == []


async def test_an_answer_that_reads_like_another_one_is_no_proof_that_it_was_posted(
    post: Post,
) -> None:
    """Two commands of Anna's were not run: the second refusal comes although the first one
    stands there.
    """
    post.home.scopes |= {"channels:history"}
    told = Reply("Anna, your command was not run", ("Please type it again.",))
    for id in ("r1", "r2", "r2"):
        await post.left_over(id, told)
    shown = post.ben.sees(post.games)
    assert [one.text.startswith("(late) Anna") for one in shown] == [True, True], (
        "each once: they carry a mark"
    )
    # by a response address, which carries none
    post.slack.messages.post(post.games, post.home.bot_user, told.format_text())
    await post.left_over("r3", told)
    assert post.ben.sees(post.games)[-1].text.startswith("(late, perhaps shown before) Anna")
    refusals = [
        build_not_run_reply(Command(("roll",), {}, Person("slack:T1/U1", "Anna"), Place("p"), id))
        for id in ("r4", "r5")
    ]
    before = len(post.ben.sees(post.games))
    post.slack.messages.post(post.games, post.home.bot_user, refusals[0].format_text())
    for id, told in zip(("r4", "r5"), refusals, strict=True):
        await post.left_over(id, told)
    assert len(post.ben.sees(post.games)) == before + 2, "told apart by their reference"


async def test_another_workspace_is_never_written_to(post: Post) -> None:
    there: Workspace = post.slack.workspace("T2")
    channel = there.channel("games")
    await post.posts.deliver(SlackRequest("T2", channel.id, "U1"), Reply("Anna: 2d6 = 7"))
    assert there.user("Zoe").sees(channel) == []


async def test_blocks_that_slack_does_not_take_are_shown_as_plain_text(post: Post) -> None:
    post.slack.faults.error("chat.post*", "invalid_blocks", times=1)
    await post.posts.deliver(post.request(post.games), REPORT)
    told = post.ben.sees(post.games)[-1]
    assert told.text == "Anna: a report"
    assert told.blocks == []


async def test_an_answer_goes_to_no_address_but_slacks(
    post: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A signed body may name any response address; it is not asked, and not written into the
    host's log.
    """
    monkeypatch.setenv("SLACK_API", "https://slack.com/api/")
    for url in (
        "https://hooks.slack.com.evil.example/x",
        "https://evilslack.com/x",
        "http://hooks.slack.com/x",
        "x",
    ):
        with caplog.at_level("DEBUG"), pytest.raises(SlackRefused, match="response_url_elsewhere"):
            await post.wire.respond(url, {})
    assert "evil" not in caplog.text


async def test_the_token_goes_to_slack_alone(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is only a link may lie anywhere; who owns that place must not get the bot's
    token.
    """
    url = post.slack.api_url.replace("127.0.0.1", "localhost")
    with pytest.raises(SlackRefused, match="file_elsewhere"):
        await post.wire.download(post.home.bot_token, url, 1_000)
    monkeypatch.setenv("SLACK_API", "https://slack.com/api/")
    for url in (
        "https://files.slack.com.evil.example/x",
        "https://evilslack.com/x",
        "http://files.slack.com/x",
        "x",
    ):
        with pytest.raises(SlackRefused, match="file_elsewhere"):
            await post.wire.download(post.home.bot_token, url, 1_000)


def test_how_a_slash_command_reads() -> None:
    assert format_command_line("/grognard", "roll 2d6") == "roll 2d6"
    assert format_command_line("/grognard", "") == "", "a picker of everything opens"
    assert format_command_line("/lnlt", "fire adjacent") == "/lnlt fire adjacent"
    assert format_command_line("/lnlt", "help") == "help lnlt"
    assert format_command_line("/again", "") == "/again"


@pytest.mark.parametrize("held", ["its receipt", "its acknowledgement", "its form"])
async def test_what_comes_later_in_the_log_is_posted_later(
    post: Post, monkeypatch: pytest.MonkeyPatch, held: str
) -> None:
    """However long the first request is on its way to being acknowledged, once its work is done."""
    work, go_on, is_held = (
        RequestHandler(post.app, post.wire, post.teams),
        asyncio.Event(),
        asyncio.Event(),
    )
    may_end = asyncio.Event()

    async def hold(*_: object, **__: object) -> None:
        is_held.set()
        await go_on.wait()

    async def at_once(*_: object, **__: object) -> None:
        return None

    async def quick(_: Reply) -> bool:
        await hold()
        return False

    async def first(_: Person) -> Reply:
        await may_end.wait()
        return Reply("the first")

    async def second(_: Person) -> Reply:
        return Reply("the second")

    monkeypatch.setattr(post.app, "promise_answer", hold if held == "its receipt" else at_once)
    requests = [replace(post.request(post.games), request_id=f"r{number}") for number in range(2)]
    commands = [one.build_command(("roll",), {}) for one in requests]
    is_form = held == "its form"
    if is_form:
        may_end.set()
    asked = asyncio.create_task(
        work.answer_request(
            requests[0],
            commands[0],
            first,
            hold if held == "its acknowledgement" else at_once,
            patience=60.0 if is_form else 0.05,
            quick=quick if is_form else None,
        )
    )
    await is_held.wait()
    may_end.set()
    await asyncio.sleep(0.05)  # the work of the first is done, but it is not acknowledged yet
    monkeypatch.setattr(post.app, "promise_answer", at_once)
    other = asyncio.create_task(work.answer_request(requests[1], commands[1], second, at_once))
    await asyncio.sleep(0.3)
    go_on.set()
    await asyncio.gather(asked, other)
    assert [one.text for one in post.ben.sees(post.games)] == ["the first", "the second"]
