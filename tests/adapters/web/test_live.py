"""A shared game is watched from outside: live, read-only, without what is sealed, until its
address is ended.
"""

from __future__ import annotations

import json
import time
from contextlib import AsyncExitStack

import pytest

from adapters.web import pages
from adapters.web_server import find_visitor_group
from bot.spectators import watched_games
from bot.spectators.watched_games import public_export
from tests.adapters.web.serving import ADDRESS, served, shared, token_of
from tests.playing import Channel, two_sides


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Watched games are looked at not once a second."""
    monkeypatch.setattr(watched_games, "SHORTEST_INTERVAL", 0.05)


async def playing() -> Channel:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game next", "lnlt fire attackers=us1 targets=vc1 hand=6,1,6")
    return channel


async def test_the_page_follows_the_game_as_it_goes_on() -> None:
    channel = await playing()
    async with served(channel) as site:
        path = await shared(channel)
        status, page, _ = await site.get(path)
        assert status == 200
        assert "Squad 1" in page
        number = (await channel.game()).number
        async with site.watching(f"{path}/events?after={number}") as stream:
            await channel.do("Anna", "lnlt fire attackers=us2 targets=vc2 hand=1,6")
            name, more = await stream.next()
            assert name == "more"
            assert more["from"] == number
            assert [event["number"] for event in more["export"]["events"]] == [number + 1]
            assert stream.last == str(number + 1)
            await channel.do("Anna", "game undo")
            await channel.do("Bob", "game undo")
            _, undone = await stream.next()
            assert f"e{number + 1}" in undone["changed"]


async def test_whoever_lost_the_stream_goes_on_behind_the_last_event_that_came() -> None:
    channel = await playing()
    async with served(channel) as site:
        path = await shared(channel)
        number = (await channel.game()).number
        async with (
            site.watching(f"{path}/events?after={number}") as first,
            site.watching(f"{path}/events?after={number}"),
        ):
            await channel.do("Anna", "roll 2d6")
            await first.next()
            last = first.last
        async with site.watching(
            f"{path}/events?after={number}", headers={"Last-Event-ID": last}
        ) as again:
            await channel.do("Anna", "roll 3d6")
            _, more = await again.next()
            assert more["from"] == number + 1
        async with site.watching(f"{path}/events?after={number}") as late:
            name, more = await late.next()
            assert (name, more["from"]) == ("more", number)
        async with site.watching(f"{path}/events?after=3") as stranger:
            assert await stranger.next() == ("again", None), (
                "what it missed is gone: it loads the page anew"
            )


async def test_off_ends_the_address_and_a_new_one_replaces_the_old() -> None:
    channel = await playing()
    async with served(channel) as site:
        path = await shared(channel)
        assert (await site.get(path))[0] == 200
        number = (await channel.game()).number
        async with site.watching(f"{path}/events?after={number}") as stream:
            second = await shared(channel)
            assert second != path
            assert await stream.next() == ("bye", None)
        assert (await site.get(path))[0] == 404
        async with site.watching(f"{second}/events?after={number}") as stream:
            await channel.do("Anna", "game share off")
            assert await stream.next() == ("bye", None)
        assert (await site.get(second))[0] == 404
        assert (await site.get(f"{second}/events"))[0] == 404
        await channel.refused("Anna", "game share off", "not-shared")


async def test_an_address_outlives_a_restart_and_is_nowhere_in_the_store() -> None:
    channel = await playing()
    async with served(channel) as site:
        reply = await channel.do("Anna", "game share")
        token = token_of(reply)
        assert len(token) == 48
        stored = await channel.app.store.load_docs("share")
        assert token not in repr(stored)
        kept = await channel.app.store.load_earlier_reply("t" + str(int(next(channel._ids)) - 1))
        assert token not in json.dumps(kept)
        assert "The link was shown only once" in json.dumps(kept)
    async with served(channel) as site:
        assert (await site.get(f"/g/{token}"))[0] == 200
        await channel.do("Anna", "game delete confirm")
        assert (await site.get(f"/g/{token}"))[0] == 404
        assert await channel.app.store.load_docs("share") == ()


async def test_nothing_sealed_leaves_before_it_is_opened() -> None:
    channel = await playing()
    await channel.do(
        "Anna", 'roll 3d6kh2 label="hidden mines" secret', 'order write text="advance to the ford"'
    )
    sealed = next(iter((await channel.game()).sealed))
    async with served(channel) as site:
        path = await shared(channel)
        _, page, _ = await site.get(path)
        number = (await channel.game()).number
        async with site.watching(f"{path}/events?after={number}") as stream:
            await channel.do("Bob", "lnlt fire attackers=vc2 targets=us1 secret")
            _, more = await stream.next()
            told = page + json.dumps(more)
            for secret in (
                "hidden mines",
                "3d6kh2",
                "advance to the ford",
                "console:anna",
                "attackers=vc2",
            ):
                assert secret not in told, secret
            seeds = await channel.app.store.load_seeds(
                (await channel.app.games.load_current(channel.place.key)).row  # type: ignore[union-attr]
            )
            assert not any(row.seed.hex() in told for row in seeds)
            assert seeds[0].commitment in told, "the promise is public"
            await channel.do("Anna", f"game reveal {sealed}")
            _, opened = await stream.next()
            assert "hidden mines" in json.dumps(opened)


async def test_only_who_directs_the_game_shares_it_and_everybody_is_told() -> None:
    channel = await playing()
    await channel.refused("Anna", "game share", "not-served")
    async with served(channel):
        await channel.refused("Bob", "game share", "not-master")
        reply = await channel.do("Anna", "game share")
        assert reply.private
        assert reply.announce is not None
        assert reply.announce.title == 'Anna shares "Hill 875"'
        assert ADDRESS not in reply.announce.format_text()
        await channel.refused("Bob", "game share off", "not-master")
        manager = await channel.say("Mara", "game share", manager=True)
        assert not manager.error, "who manages the server may"
        assert manager.announce is None, "they know already"
        ended = await channel.press(
            "Anna", next(b.action for b in manager.buttons if b.label == "Stop sharing")
        )
        assert ended.title == "The link no longer works"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_nothing_can_be_written(method: str) -> None:
    channel = await playing()
    async with served(channel) as site:
        path = await shared(channel)
        for place in (path, f"{path}/events"):
            for body, status in ((b"x" * 1_000, 405), (b"x" * 10_000, 413)):
                async with site.session.request(method, site.at(place), data=body) as response:
                    assert response.status == status


async def test_the_answers_keep_browsers_and_search_engines_in_bounds() -> None:
    channel = await playing()
    async with served(channel) as site:
        path = await shared(channel)
        _, page, headers = await site.get(path)
        assert "noindex" in headers["X-Robots-Tag"]
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy.partition("style-src")[0], "only its own scripts run"
        assert policy.count("'sha256-") == page.count("<script>")
        assert 'property="og:title"' in page
        for wrong in (
            "/g/" + "0" * 48,
            "/g/..%2f..%2fetc",
            "/g/" + "x" * 500,
            "/",
            f"{path}/../..",
            "/g/",
        ):
            assert (await site.get(wrong))[0] == 404, wrong
        assert (await site.get(f"{path}/events?after=-1"))[0] == 404


async def test_too_many_are_asked_to_come_later() -> None:
    channel = await playing()
    async with served(channel, places=2) as site:
        path = await shared(channel)
        number = (await channel.game()).number
        at = f"{path}/events?after={number}"
        async with site.watching(at), site.watching(at):
            status, _, headers = await site.get(at)
            assert status == 503
            assert headers["Retry-After"] == "60"
        assert (await site.get(path))[0] == 200


async def test_the_export_for_everybody_has_no_accounts() -> None:
    channel = await playing()
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    events = await channel.app.store.load_events(loaded.row)
    export = await public_export(channel.app.store, loaded.row, events)
    assert export["name"] == "Hill 875"
    assert "console:" not in json.dumps(export)
    assert all(row.keys() == {"person", "name"} for row in export["persons"])


async def test_behind_a_proxy_each_viewer_is_counted_by_their_own_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The proxy writes the last address; what a viewer writes before it counts for nothing."""
    monkeypatch.setattr(pages, "WATCHERS_OF_ONE", 3)
    channel = await playing()
    async with served(channel) as site, AsyncExitStack() as watching:
        path = f"{await shared(channel)}/events"
        for last in range(1, 51):
            said = {"X-Forwarded-For": f"192.0.2.9, 203.0.113.{last}"}
            await watching.enter_async_context(site.watching(path, headers=said))
        same = {"X-Forwarded-For": "192.0.2.77, 203.0.113.50"}
        for _ in range(2):
            await watching.enter_async_context(site.watching(path, headers=same))
        assert (await site.get(path, headers=same))[0] == 503, (
            "one person's tabs do not take everybody's places"
        )


@pytest.mark.parametrize(
    ("remote", "forwarded", "whose"),
    [
        ("172.18.0.5", ("203.0.113.7",), "203.0.113.7"),
        ("172.18.0.5", ("198.51.100.1, 203.0.113.7", "172.18.0.9"), "203.0.113.7"),
        ("127.0.0.1", ("203.0.113.7",), "203.0.113.7"),
        ("203.0.113.7", ("198.51.100.1",), "203.0.113.7"),
        ("127.0.0.1", ("2001:db8:1:2:3:4:5:6",), "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", (), "203.0.113.7"),
        ("172.18.0.5", (), ""),
        ("127.0.0.1", ("no address", ""), ""),
    ],
)
def test_who_a_proxy_brings_is_the_last_address_that_is_no_proxy(
    remote: str, forwarded: tuple[str, ...], whose: str
) -> None:
    """A stranger's own header is believed of nobody but the proxy."""
    assert find_visitor_group(remote, forwarded, ("172.18.0.0/16",)) == whose


def test_a_long_list_of_senders_is_not_read_whole() -> None:
    """A head may have 128 lines of 8 KB: reading each address in them would take two seconds."""
    forwarded = ["x," * 4_000] * 120 + ["203.0.113.7, 172.18.0.9"]
    begin = time.process_time()
    assert find_visitor_group("127.0.0.1", forwarded, ("172.18.0.0/16",)) == "203.0.113.7"
    assert find_visitor_group("127.0.0.1", forwarded[:-1], ("172.18.0.0/16",)) == ""
    assert time.process_time() - begin < 0.1
