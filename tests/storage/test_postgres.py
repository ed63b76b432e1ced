"""What only a server can do to games: restart, crash, be away, be shared by many processes."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from contextvars import ContextVar

import asyncpg
import pytest

from bot.app import App
from bot.game.game_log import GameChange, LoggedEvent, Participant
from bot.runtime.settings import Settings
from bot.storage.base import Conflict, StoreError
from bot.storage.opening import open_store
from bot.storage.postgres import PostgresStore, link, writer
from bot.storage.postgres import store as postgres_store
from bot.storage.postgres.schema import get_newest_version
from bot.storage.records import Binding, Commit, Outgoing
from bot.storage.statements import SqlStep
from bot.ui.spec import Command, Person, Place, Receipt
from bot.verification.check_games import audit_games
from tests.playing import Channel
from tests.standins.postgres import PostgresServer, postgres_server


@pytest.fixture
async def store(postgres: PostgresServer) -> AsyncIterator[PostgresStore]:
    async with await PostgresStore.open(postgres.new_database()) as opened:
        yield opened


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server that this test alone may kill."""
    with postgres_server() as server:
        yield server


def roll(game: str, number: int) -> Commit:
    """A roll that answers request GAME-NUMBER, in a game of its own channel."""
    return Commit(
        request_id=f"{game}-{number}",
        reply={"number": number},
        changes=(
            GameChange(
                game, number - 1, (LoggedEvent(game, number, '{"kind":"roll"}', f"hash{number}"),)
            ),
        ),
        bindings=[Binding(f"discord:s:{game}", game, None)] if number == 1 else [],
        outbox=[Outgoing(f"discord:s:{game}", {})],
    )


async def play(store: PostgresStore, game: str, until: asyncio.Event) -> int:
    """Roll one after another, each again until it is answered; how many were."""
    number = 0
    while not until.is_set():
        try:
            done = await store.commit(roll(game, number + 1))
        except StoreError:
            await asyncio.sleep(0.1)
            continue
        assert not done.seen, (
            "what was sent twice since the line broke is the same answer, not a second request"
        )
        assert len(done.outbox) == 1
        number += 1
    return number


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["restart", "crash"])
async def test_a_server_that_goes_away_in_mid_traffic_loses_and_doubles_nothing(
    own_server: PostgresServer, how: signal.Signals
) -> None:
    async with await PostgresStore.open(own_server.new_database()) as store:
        until = asyncio.Event()
        players = [asyncio.create_task(play(store, f"g{number}", until)) for number in range(20)]
        for _ in range(3):
            await asyncio.sleep(0.4)
            await asyncio.to_thread(own_server.stop, how)
            await asyncio.sleep(0.3)
            await asyncio.to_thread(own_server.start)
        await asyncio.sleep(0.4)
        until.set()
        answered = dict(enumerate(await asyncio.gather(*players)))
        for game, count in answered.items():
            assert count > 10
            rows = await store.load_events(f"g{game}")
            assert [row.number for row in rows] == list(range(1, count + 1))
        waiting = [row.request_id for row in await store.claim_outbox(1, 1_000_000)]
        assert len(waiting) == len(set(waiting)) == sum(answered.values()), (
            "each answer is in the outbox, once"
        )


@pytest.mark.slow
async def test_a_server_that_stays_away_gives_one_kind_line(
    own_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "SERVER_WAIT_SECONDS", 0.2)
    async with await PostgresStore.open(own_server.new_database()) as store:
        own_server.stop()
        for ask in (
            store.load_game_version("discord:s:c"),
            store.commit(roll("g1", 1)),
            store.load_doc("k", "v"),
        ):
            with pytest.raises(StoreError, match="cannot be reached") as refused:
                await ask
            assert refused.value.code == "store-away"
        own_server.start()
        monkeypatch.setattr(link, "SERVER_WAIT_SECONDS", 60.0)  # a busy machine takes its time
        assert (await store.commit(roll("g1", 1))).outbox == (1,)


@pytest.mark.slow
async def test_a_server_that_is_away_is_waited_for_once(
    own_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by each command anew, nor twice by one: whoever comes later is refused at once."""
    monkeypatch.setattr(link, "SERVER_WAIT_SECONDS", 1.5)
    # a server that is there takes its time on a busy machine
    monkeypatch.setattr(link, "RECONNECT", 60.0)
    monkeypatch.setattr(postgres_store, "SHORT_PATIENCE", 0.1)
    sleep, pauses = asyncio.sleep, ContextVar[list[float]]("pauses")

    async def counted(seconds: float) -> None:
        pauses.get().append(seconds)
        await sleep(seconds)

    async def waited(work: Awaitable[object]) -> int:
        """How often it was tried again before it was refused, however busy the machine."""
        pauses.set([])
        with pytest.raises(StoreError, match="cannot be reached"):
            await work
        return len(pauses.get())

    async with await PostgresStore.open(own_server.new_database()) as store:
        monkeypatch.setattr(asyncio, "sleep", counted)
        own_server.stop()
        receipt = Receipt(Command(("roll",), {}, Person("u", "U"), Place("discord:s:c"), "r"), 0.0)
        note, first, second = await asyncio.gather(
            waited(store.journal.note(receipt, 1.0)),
            waited(store.commit(roll("g1", 1))),
            waited(store.load_game_version("p")),
        )
        assert note < min(first, second)
        assert await waited(store.load_earlier_reply("g1-1")) == 0
        own_server.start()
        own_server.stop()
        assert await waited(store.load_game_version("p")) == 0, "nobody has seen it back"
        own_server.start()
        assert await store.load_game_version("p") is None
        own_server.stop()
        assert await waited(store.load_game_version("p")) > 0


@pytest.mark.parametrize("lanes", [1, 2])
async def test_writes_one_after_another_never_wait_for_a_batch_that_has_ended(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch, lanes: int
) -> None:
    monkeypatch.setattr(writer, "LANES", lanes)
    async with asyncio.timeout(60):
        for number in range(1, 6):
            games = [f"g{game}" for game in range(lanes)]
            assert [
                done.seen
                for done in await asyncio.gather(
                    *(store.commit(roll(game, number)) for game in games)
                )
            ] == [False] * lanes


async def test_a_line_that_breaks_after_a_commit_does_not_roll_twice(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = link.PostgresLink.run
    broken: list[object] = []

    async def run(
        self: link.PostgresLink,
        job: Callable[[link.Connection], Awaitable[object]],
        *,
        is_safe: bool = True,
        patience: float | None = None,
    ) -> object:
        async def then_break(connection: link.Connection) -> object:
            found = await job(connection)
            if not broken:
                broken.append(found)
                raise asyncpg.ConnectionDoesNotExistError
            return found

        return await real(self, then_break, is_safe=is_safe, patience=patience)

    monkeypatch.setattr(link.PostgresLink, "run", run)
    done = await store.commit(roll("g1", 1))
    assert broken, "it was carried out, and nobody heard of it"
    assert (done.reply, done.seen, done.outbox) == ({"number": 1}, False, (1,))
    assert len(await store.load_events("g1")) == 1
    assert (await store.commit(roll("g1", 1))).seen, "as the request that comes again"

    broken.clear()
    with pytest.raises(StoreError, match="cannot be reached"):
        # nobody could tell it from a second one
        await store.commit(
            Commit(None, changes=(GameChange("g1", 1, (LoggedEvent("g1", 2, "{}", "h"),)),))
        )


async def test_processes_that_start_at_once_make_the_tables_once(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    async with AsyncExitStack() as stack:
        stores = await asyncio.gather(*(PostgresStore.open(url) for _ in range(6)))
        for store in stores:
            await stack.enter_async_context(store)
        await asyncio.gather(
            *(store.commit(roll(f"g{number}", 1)) for number, store in enumerate(stores))
        )
        assert len(await stores[0].list_games()) == 6


async def test_a_database_of_a_newer_bot_or_another_program_is_left_alone(
    postgres: PostgresServer,
) -> None:
    newer, others = postgres.new_database(), postgres.new_database()
    async with await PostgresStore.open(newer):
        pass
    connection = await asyncpg.connect(newer)
    await connection.execute("UPDATE grognard_schema SET version = $1", get_newest_version() + 1)
    await connection.close()
    connection = await asyncpg.connect(others)
    await connection.execute("CREATE TABLE games (id int)")
    await connection.close()
    with pytest.raises(StoreError, match="newer Grognard"):
        await PostgresStore.open(newer)
    with pytest.raises(StoreError, match="belongs to another program"):
        await PostgresStore.open(others)


@pytest.mark.parametrize(
    ("database", "said"),
    [
        ("?host=/nowhere", "PostgreSQL at /nowhere does not answer .no server at its socket."),
        ("no-such-database", r"does not exist\. .* createdb no-such-database$"),
    ],
)
async def test_a_database_that_cannot_be_opened_is_said_in_words(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, database: str, said: str
) -> None:
    monkeypatch.setattr(link, "SERVER_WAIT_SECONDS", 0.2)
    url = (
        f"postgresql://grognard@/{database}" if database.startswith("?") else postgres.url(database)
    )
    with pytest.raises(StoreError, match=said):
        await PostgresStore.open(url)


async def test_one_request_delivered_to_two_processes_is_answered_once(
    postgres: PostgresServer,
) -> None:
    url = postgres.new_database()
    async with await PostgresStore.open(url) as one, await PostgresStore.open(url) as two:
        done = await asyncio.gather(*(store.commit(roll("g1", 1)) for store in (one, two) * 10))
        assert sum(not each.seen for each in done) == 1
        assert len(await one.load_events("g1")) == 1


async def test_of_two_processes_that_give_a_channel_its_first_game_one_does(
    postgres: PostgresServer,
) -> None:
    url = postgres.new_database()

    def first(game: str) -> Commit:
        event = LoggedEvent(game, 1, "{}", "h")
        return Commit(
            game,
            changes=(GameChange(game, 0, (event,)),),
            bindings=[Binding("discord:s:c", game, None)],
        )

    async with await PostgresStore.open(url) as one, await PostgresStore.open(url) as two:
        done = await asyncio.gather(
            one.commit(first("g1")), two.commit(first("g2")), return_exceptions=True
        )
        assert [type(each) for each in done].count(Conflict) == 1
        assert len(await one.list_games()) == 1


async def test_a_game_that_a_place_got_since_it_was_looked_up_is_not_pushed_aside(
    postgres: PostgresServer,
) -> None:
    """Between our look at the place and our writing another process gives it a game."""
    url = postgres.new_database()

    def to_play(game: str, was: str | None) -> Commit:
        return Commit(
            game,
            changes=(GameChange(game, 0, (LoggedEvent(game, 1, "{}", "h"),)),),
            bindings=[Binding("discord:s:c", game, was)],
        )

    async with await PostgresStore.open(url) as one, await PostgresStore.open(url) as two:
        await one.commit(to_play("g0", None))
        other = await asyncpg.connect(url)
        try:
            meanwhile = other.transaction()
            await meanwhile.start()
            await other.execute("UPDATE bindings SET current = false WHERE game = 'g0'")
            await other.execute(
                "INSERT INTO bindings VALUES ('discord:s:c', 'g1', 's', true, NULL, 2)"
            )
            late = asyncio.create_task(two.commit(to_play("g2", "g0")))
            waits = (
                "SELECT count(*) FROM pg_stat_activity "
                "WHERE wait_event_type = 'Lock' AND datname = current_database()"
            )
            async with asyncio.timeout(60):
                while not await other.fetchval(waits):
                    # a transaction looks at others only once
                    await other.execute("SELECT pg_stat_clear_snapshot()")
                    await asyncio.sleep(0.02)
            await meanwhile.commit()
        finally:
            await other.close()
        with pytest.raises(Conflict):
            await late
        assert [game for _, game in await one.load_game_history("discord:s:c")] == ["g0", "g1"]


async def test_each_answer_is_claimed_by_one_of_several_processes(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    async with AsyncExitStack() as stack:
        stores = await asyncio.gather(*(PostgresStore.open(url) for _ in range(4)))
        for store in stores:
            await stack.enter_async_context(store)
        waiting = tuple(Outgoing("discord:s:c", {}, reply={"n": number}) for number in range(40))
        await stores[0].commit(Commit("r", outbox=[*waiting]))
        claims = await asyncio.gather(*(store.claim_outbox(60, 7) for store in stores * 2))
        ids = [row.id for claimed in claims for row in claimed]
        assert len(ids) == len(set(ids)) == 40


async def test_what_postgresql_cannot_hold_stops_nothing(store: PostgresStore) -> None:
    await store.commit(roll("g1", 1))
    await store.commit(
        Commit(
            "nul\0",
            reply={"text": "a\0b\ud800"},
            persons=(Participant("g1", "p", "u", "A\0\ud800"),),
        )
    )
    for key in ("a\0", "a\ud800"):
        assert await store.load_doc("link", key) is None
        assert await store.take_doc("link", key) is None
        assert await store.load_due_at(key) is None
    assert await store.load_earlier_reply("nul\0") == {"text": "a\0b\ud800"}
    assert [person.name for person in await store.load_persons("g1")] == [
        "A\N{REPLACEMENT CHARACTER}?"
    ]


async def test_damaged_texts_are_found(store: PostgresStore, postgres: PostgresServer) -> None:
    await store.commit(roll("g1", 1))
    assert await store.check() == []
    await store._writer.write(
        [SqlStep("UPDATE requests SET reply = replace(reply, ?1, '7')", ("1",))]
    )
    assert [line.partition(",")[0] for line in await store.check()] == ["table requests"]


async def test_a_game_is_played_by_two_bots_on_one_database(postgres: PostgresServer) -> None:
    settings = Settings(postgres=postgres.new_database())
    one, two = App(await open_store(settings)), App(await open_store(settings))
    try:
        anna, ben = Channel(one, prefix="a"), Channel(two, prefix="b")
        await anna.do(
            "Anna",
            '/game start lnlt "Hill 875"',
            '/unit add "US Squad 1..3" squad US morale=5 fp=2',
        )
        await ben.do("Ben", '/unit add "VC Squad 1..3" squad VC morale=4 fp=1')
        shots = [
            channel.do(
                name, "/lnlt fire us1 vc1 hand=1,6", "/roll 2d6", "/lnlt fire us2 vc2 hand=1,6"
            )
            for channel, name in ((anna, "Anna"), (ben, "Ben"))
        ]
        await asyncio.gather(*shots)
        assert await audit_games(one.store) == (1, [])
        assert [
            line
            for line in (await ben.do("Ben", "/log")).format_text().splitlines()
            if "2d6" in line
        ]
    finally:
        await one.close()
        await two.close()
