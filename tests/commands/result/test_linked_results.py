"""Games that count in the linked channels of two servers: one result on each with a ladder."""

from __future__ import annotations

import json

from bot.commands.games.result.result_docs import RESULT_OF
from bot.commands.ladder.ladder_docs import PLAYED, RESULT, UNFINISHED
from bot.ladder.result import Result
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person
from bot.verification.check_file import check
from tests.commands.link_helpers import ANNA, BEN, HERE, THERE, Table
from tools import verify_log

HERE_MANAGER = Person("discord:7", "Vera", manager=True)
THERE_MANAGER = Person("slack:T1/U3", "Cora", manager=True)
SERVERS = [HERE.server, THERE.server]


async def do(table: Table, who: Person, line: str) -> Reply:
    """The answer to a line that is typed where this person is."""
    where = HERE if who == ANNA else THERE
    reply = await table.run(line, who, where)
    assert not reply.error, f"{line}: {reply.format_text()}"
    return reply


async def press(table: Table, who: Person, reply: Reply, label: str) -> Reply:
    """What a press of one of the buttons of a message comes to."""
    action = next(button.action for button in reply.buttons if button.label == label)
    return await table.press(action, who, HERE if who == ANNA else THERE)


async def find_servers(table: Table, kind: str) -> list[str]:
    """The servers of all documents of a kind, which have their server first in the key."""
    docs = await table.app.store.load_docs(kind)
    return sorted(doc.key.rsplit("/", 3 if kind == RESULT else 2)[0] for doc in docs)


async def begin(*ladders: Person) -> Table:
    """Anna plays US on Discord and Ben VC on Slack, in a game that counts."""
    table = await Table.open()
    for manager in ladders:
        await do(table, manager, "/setup ladder on")
    await do(table, ANNA, '/game start lnlt "Hill 875" sides="US, VC"')
    await table.link()
    await do(table, ANNA, "/game join US")
    await do(table, BEN, "/game join VC")
    await table.posted(THERE)
    return table


async def count_and_end(table: Table) -> Reply:
    """Let the game count, roll, and end it. The end as Ben sees it on Slack."""
    await do(table, ANNA, "/result count")
    (asked,) = await table.posted(THERE)
    assert asked.title == 'Anna asks to let "Hill 875" count'
    agreed = await press(table, BEN, asked, "Agree")
    assert agreed.title == '"Hill 875" counts: Anna v Ben'
    await do(table, BEN, "/roll 2d6")
    await do(table, ANNA, "/game end winner=US confirm")
    end = (await table.posted(THERE))[-1]
    assert "Ben has to confirm the result." in end.format_text()
    return end


async def load_results(table: Table) -> list[Result]:
    """All stored results."""
    return [Result.from_json(doc.data) for doc in await table.app.store.load_docs(RESULT)]


async def test_a_result_is_on_the_ladders_of_both_servers_until_it_is_struck() -> None:
    table = await begin(ANNA, BEN)
    end = await count_and_end(table)
    assert await find_servers(table, UNFINISHED) == SERVERS
    assert (await press(table, ANNA, end, "Confirm")).code == "not-yours"
    assert (await press(table, BEN, end, "Confirm")).title == "Ben confirms: US won"
    assert (await table.posted(HERE))[-1].title == "Ben confirms: US won"
    assert await find_servers(table, RESULT) == SERVERS
    assert await find_servers(table, UNFINISHED) == []
    first, second = await load_results(table)
    assert first == second
    assert [seat.player for seat in first.seats] == [ANNA.key, BEN.key]
    assert len(await table.app.store.load_docs(PLAYED)) == 4
    for who in (ANNA, BEN):
        assert "Anna 1, Ben 1" in (await do(table, who, "/ladder standings")).format_text()
    await do(table, ANNA, "/result strike")
    await do(table, BEN, "/result strike")
    assert await load_results(table) == []
    assert await table.app.store.load_docs(RESULT_OF) == ()
    for who in (ANNA, BEN):
        standings = await table.run("/ladder standings", who, HERE if who == ANNA else THERE)
        assert "Anna 1" not in standings.format_text()
        assert "To be confirmed: Anna and Ben." in standings.format_text()
    await do(table, BEN, "/result confirm")
    assert await find_servers(table, RESULT) == SERVERS
    await check_log(table)


async def check_log(table: Table) -> None:
    """All verifiers find the log sound."""
    log = json.loads((await do(table, ANNA, "/game export")).files[0].content)
    assert check(log).faults == ()
    assert verify_log.check(log).faults == []


async def test_a_server_without_a_ladder_gets_no_result() -> None:
    table = await begin(ANNA)
    confirmed = await press(table, BEN, await count_and_end(table), "Confirm")
    assert confirmed.title == "Ben confirms: US won"
    assert await find_servers(table, RESULT) == [HERE.server]
    assert (await table.run("/ladder standings", BEN, THERE)).code == "no-ladder"
    await table.posted(HERE)
    await press(table, BEN, confirmed, "Play the return game")
    (asked,) = await table.posted(HERE)
    begun = await press(table, ANNA, asked, "Agree")
    assert "It counts." in begun.format_text()
    await do(table, ANNA, "/roll 2d6")
    await do(table, BEN, "/game end winner=US confirm")
    done = await do(table, ANNA, "/result confirm")
    assert "The series: 1 each" in done.format_text()
    assert await find_servers(table, RESULT) == [HERE.server] * 2


async def test_a_manager_of_the_server_where_it_began_strikes_it_on_both() -> None:
    table = await begin(ANNA, BEN)
    await press(table, BEN, await count_and_end(table), "Confirm")
    line = '/result strike reason="They mixed up the sides."'
    refused = await table.run(line, THERE_MANAGER, THERE)
    assert refused.code == "not-manager"
    assert "the server where this game began" in refused.format_text()
    struck = await table.run(line, HERE_MANAGER, HERE)
    assert struck.title == 'The result of "Hill 875" is struck'
    assert await load_results(table) == []


async def test_both_have_the_result_after_the_link_has_ended() -> None:
    table = await begin(ANNA, BEN)
    await count_and_end(table)
    await do(table, BEN, "/game link off")
    await do(table, ANNA, "/game resume")
    await do(table, ANNA, "/game end winner=US confirm")
    confirmed = await table.run("/result confirm", Person(BEN.key, "Ben"), HERE)
    assert not confirmed.error, confirmed.format_text()
    assert await find_servers(table, RESULT) == SERVERS
