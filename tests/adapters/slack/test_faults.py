"""What goes wrong between Slack and the bot: one event each time, one answer, or a clean
refusal.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from adapters.slack.calls import SlackApi, SlackRefused
from adapters.slack.channel_posts import build_mark, find_posted_answer
from adapters.slack.request import SlackRequest
from adapters.slack.teams import Team
from bot.ui.reply.reply import Reply
from tests.adapters.left_over import until_nothing_is_left
from tests.adapters.nursery import share
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import Channel, SlackStandIn, User

pytestmark = pytest.mark.scenes(3)


async def rolls(anna: User, games: Channel) -> list[str]:
    """The rolls in the channel's log, newest first."""
    log = await (await anna.slash(games, "/log", "200 kind=roll")).answer()
    return [line for line in log.plain.split("\n") if ": 2d6" in line]


async def test_a_repeated_delivery_rolls_and_answers_once(
    slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home):
        slack.duplicate("slash_commands")
        await (await anna.slash(games, "/roll", "2d6")).answer()
        slack.duplicate("events_api", retry=1)
        mention = await anna.mention(games, "roll 2d6")
        await mention.answer()
        first = slack.posted(games)
        assert len(first) == 2
        await slack.deliver_again(mention, retry=1)
        command = await anna.slash(games, "/roll", "2d6")
        await command.answer()
        await slack.deliver_again(command, retry=1)
        slack.duplicate("interactive")
        pressed = await anna.press(await command.answer(), "Undo")
        await pressed.answer()
        await asyncio.sleep(0.4)
        assert len(slack.posted(games)) == 4
        assert len(await rolls(anna, games)) == 3

        view = await (await anna.slash(games, "/roll")).modal()
        slack.duplicate("interactive")
        await anna.submit(view, {"dice": {"value": "2d6"}})
        await asyncio.sleep(0.4)
        assert len(await rolls(anna, games)) == 4


async def test_a_repeat_after_a_restart_changes_nothing(
    http_slack: SlackStandIn, tmp_path: Path
) -> None:
    slack = http_slack
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home) as bot:
        command = await anna.slash(games, "/roll", "2d6")
        await command.answer()
        await bot.kill()
        await bot.start()
        await slack.deliver_again(command, retry=1)
        await asyncio.sleep(0.4)
        assert len(slack.posted(games)) == 1
        assert len(await rolls(anna, games)) == 1


async def test_killed_between_commit_and_answer(slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home) as bot:
        await (await anna.slash(games, "/roll", "2d6")).answer()
        held = slack.faults.hold("chat.postMessage")
        held.error, held.status = (
            "internal_error",
            500,
        )  # what the dead process had begun to post never arrives
        await anna.slash(games, "/roll", "2d6 label=lost")
        await asyncio.wait_for(held.reached.wait(), 60)
        await bot.kill()
        slack.faults.clear()
        assert slack.posted(games)[1:] == []
        assert bot.outbox_is_due() == 1
        await bot.start()
        late = await anna.wait_for(games, "for lost")
        assert "(late, perhaps shown before)" in late.text, "the bot may not look"
        assert late.ephemeral_for is None
        await asyncio.sleep(1.5 * share())
        assert len([text for text in slack.posted(games) if "for lost" in text]) == 1
        assert len(await rolls(anna, games)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("way", ["slash", "mention", "thread"])
async def test_killed_after_posting_an_answer_is_looked_for_before_it_is_posted_again(
    socket_slack: SlackStandIn, tmp_path: Path, way: str
) -> None:
    """Where the workspace lets the bot read the channel nothing comes twice, and what is missing
    still comes.
    """
    slack = socket_slack
    home, anna, _, games = settle(slack)
    home.scopes |= {"channels:history"}
    method = "chat.postMessage"
    thread = slack.messages.post(games, anna.id, "Turn 3").ts if way == "thread" else None
    async with running(slack, tmp_path, home) as bot:
        for label, after in (("shown", True), ("lost", False)):
            held = slack.faults.hold(method, after=after)
            if not after:
                held.error, held.status = "internal_error", 500
            if way == "slash":
                await anna.slash(games, "/roll", f"2d6 label={label}")
            else:
                await anna.mention(games, f"roll 2d6 label={label}", thread=thread)
            await asyncio.wait_for(held.reached.wait(), 60)
            await bot.kill()
            slack.faults.clear()
            assert bot.outbox_is_due() == 1
            await bot.start()
            await until_nothing_is_left(tmp_path, 60)
        late = await anna.wait_for(games, "for lost", thread=thread)
        assert "(late)" in late.text, "it was looked for, and is not there"
        await asyncio.sleep(1.5 * share())
        posted = slack.posted(games)
        assert [sum(f"for {label}" in text for text in posted) for label in ("shown", "lost")] == [
            1,
            1,
        ]


async def test_slack_breaks_after_it_has_posted(http_slack: SlackStandIn, tmp_path: Path) -> None:
    """The call fails, the message stands: with a look at the channel it comes once, without one
    it says what may be.
    """
    slack = http_slack
    home, anna, _, games = settle(slack)
    for label, scope in (("blind", set[str]()), ("seen", {"channels:history"})):
        home.scopes |= scope
        async with running(
            slack, tmp_path, home
        ):  # one that was refused asks no sooner than a day later
            slack.faults.server_error("chat.postMessage", after=True)
            await anna.slash(games, "/roll", f"2d6 label={label}")
            await anna.wait_for(games, f"for {label}")
            await asyncio.sleep(2 * share())
    posted = slack.posted(games)
    blind = [text for text in posted if "for blind" in text]
    assert [text.startswith("(perhaps shown before)") for text in blind] == [False, True]
    assert sum("for seen" in text for text in posted) == 1


async def test_an_answer_is_found_although_the_hosts_clock_is_far_ahead() -> None:
    """What stands there has Slack's time, which may be long before that at which our clock says
    it was due.
    """
    request = SlackRequest("T1", "C1", "U1", request_id="r1")
    reply = Reply("Anna: 2d6 = 7")
    posted: dict[str, Any] = {
        "ts": "1000000.0",
        "user": "B1",
        "metadata": build_mark(request, reply),
    }

    class Channel:
        async def call_with_form(self, token: str, method: str, **given: str) -> dict[str, object]:
            return {"messages": [posted] if float(posted["ts"]) > float(given["oldest"]) else []}

    ahead = 1_000_000.0 + 24 * 3600
    assert (
        await find_posted_answer(
            cast(SlackApi, Channel()), Team("T1", "token", "B1"), request, reply, "", ahead
        )
        == "1000000.0"
    )


async def test_a_board_that_tells_the_last_shot_is_not_taken_for_its_answer() -> None:
    board = build_mark(SlackRequest("T1", "C1", "U1", "r1"), Reply("Turn 1, Rally"))

    class Channel:
        async def call_with_form(self, _token: str, _method: str, **_given: str) -> dict[str, Any]:
            text = "Turn 1, Rally\n#3 Anna: Squad 5 is shaken"
            return {"messages": [{"ts": "5.0", "user": "B1", "text": text, "metadata": board}]}

    request, reply = (
        SlackRequest("T1", "C1", "U1", "r2"),
        Reply("Squad 5 is shaken", footer=("#3",)),
    )
    assert (
        await find_posted_answer(
            cast(SlackApi, Channel()), Team("T1", "token", "B1"), request, reply, "", 0.0
        )
        == ""
    )


@pytest.mark.slow
async def test_killed_before_the_commit(socket_slack: SlackStandIn, tmp_path: Path) -> None:
    """A command that was not acknowledged is refused by Slack itself; a mention comes again."""
    slack = socket_slack
    home, anna, ben, games = settle(slack)
    slack.limits.ack_seconds = 1.0
    async with running(slack, tmp_path, home) as bot:
        for number in (0, 1):
            held = slack.faults.hold("users.info")
            asked = asyncio.create_task(
                ben.mention(games, "roll 2d6") if number else anna.slash(games, "/roll", "2d6")
            )
            await asyncio.wait_for(held.reached.wait(), 60)
            await bot.kill()
            slack.faults.clear()
            await bot.start()
            refused = await asked
            assert refused.trouble == "operation_timeout"
        await ben.wait_for(games, "ben rolls 2d6")
        assert len(await rolls(anna, games)) == 1


async def test_a_socket_dropped_while_a_command_runs(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    slack = socket_slack
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home):
        slack.limits.ack_seconds = 1.0  # so long the stand-in waits for what never comes
        slack.drop_after("slash_commands")
        command = await anna.slash(games, "/roll", "2d6")
        assert "rolls 2d6" in (await command.answer()).text
        await slack.connected()
        slack.drop_after("events_api")
        mention = await anna.mention(games, "roll 2d6")  # Slack repeats it: it was not acknowledged
        await mention.answer()
        await slack.connected()
        await slack.ask_to_reconnect()
        await slack.connected()
        await asyncio.sleep(1.0)
        assert len(await rolls(anna, games)) == 2
        assert len(slack.posted(games)) == 2


@pytest.mark.slow
async def test_slack_says_wait_or_fails(http_slack: SlackStandIn, tmp_path: Path) -> None:
    slack = http_slack
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home):
        slack.faults.ratelimit("chat.postMessage", retry_after=2)
        since = asyncio.get_running_loop().time()
        answer = await (await anna.mention(games, "roll 2d6")).answer()
        assert "rolls 2d6" in answer.text
        assert asyncio.get_running_loop().time() - since >= 2
        slack.faults.server_error("chat.postMessage", times=2)
        await (await anna.slash(games, "/roll", "2d6")).answer()
        slack.faults.clear()
        await asyncio.sleep(1.1)
        slack.faults.error("chat.postMessage", "not_in_channel", times=1)
        again = await (await anna.slash(games, "/roll", "2d6")).answer()
        assert again.via == "response_url"
        slack.faults.clear()
        slack.faults.server_error("users.info", times=5)
        slack.faults.slow("response_url", 1.0)
        slack.faults.slow("chat.postMessage", 1.0)
        assert (await (await home.user("Cora").slash(games, "/roll", "2d6")).answer()).text.find(
            "cora rolls 2d6"
        ) > 0
        assert len(slack.posted(games)) == 4
        assert len(await rolls(anna, games)) == 4


async def test_a_channel_where_the_bot_is_no_member_and_the_address_is_dead(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    slack = socket_slack
    home, anna, _, _ = settle(slack)
    foreign = home.channel("elsewhere", bot_member=False)
    async with running(slack, tmp_path, home):
        slack.faults.error("response_url", "expired_url", times=5)
        await anna.slash(foreign, "/roll", "2d6")
        told = await anna.wait_for(anna.im, "rolls 2d6")
        assert "/invite" in told.plain


async def test_results_queue_rather_than_fail(socket_slack: SlackStandIn, tmp_path: Path) -> None:
    slack = socket_slack
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home):
        for number in range(4):
            await anna.mention(games, f"roll 2d6 label=n{number}")
        await anna.wait_for(games, "for n3")
        order = [text.split(" for ")[1].split(" ·")[0] for text in slack.posted(games)]
        assert order == [f"n{number}" for number in range(4)]
        assert slack.pace.refused == 0


async def test_bad_requests_are_refused(http_slack: SlackStandIn, tmp_path: Path) -> None:
    slack = http_slack
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home):
        first = await anna.slash(games, "/roll", "2d6")
        await first.answer()
        with slack.signing(secret="somebody else's"):
            forged = await anna.slash(games, "/roll", "2d6")
        with slack.signing(age=6 * 60):
            stale = await anna.slash(games, "/roll", "2d6")
        for refused in (forged, stale):
            assert refused.trouble == "http_error"
            assert refused.delivery.status == 401
        changed = first.delivery.sent[0].body.replace(b"2d6", b"9d6")
        assert (await slack.replay(first, tamper=changed)).status == 401
        assert (await slack.replay(first)).status == 401
        assert (await slack.replay(first, headers={"X-Slack-Retry-Num": "1"})).status == 401
        assert await slack.verify_url()
        assert len(slack.posted(games)) == 1
        assert len(await rolls(anna, games)) == 1


async def test_a_workspace_that_lets_nobody_read_is_asked_once_a_day() -> None:
    """By the kind of conversation: each needs a scope of its own."""
    asked: list[str] = []

    class Shut:
        async def call_with_form(
            self, _token: str, _method: str, *, channel: str, **_: Any
        ) -> dict[str, Any]:
            asked.append(channel)
            raise SlackRefused("missing_scope" if channel != "G1" else "not_in_channel")

    blind: dict[str, float] = {}
    for channel in ("C1", "C2", "D1", "C1", "G1", "G1"):
        request, reply = (
            SlackRequest("T1", channel, "U1", request_id="r"),
            Reply("7 · Anna rolls 2d6"),
        )
        assert (
            await find_posted_answer(
                cast(SlackApi, Shut()), Team("T1", "token", "B1"), request, reply, "", 0.0, blind
            )
            is None
        )
    assert asked == ["C1", "D1", "G1", "G1"]
