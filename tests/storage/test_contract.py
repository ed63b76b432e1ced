"""What every store promises, run on each of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bot.game.game_log import DiceSeed, GameChange, LoggedText, Participant
from bot.storage.base import DAY, Conflict, Deleted
from bot.storage.records import (
    AWAY,
    SEEK_LINK,
    Binding,
    Commit,
    Doc,
    Json,
    MarkRow,
    Outgoing,
    PressedMessage,
)
from bot.storage.store import Store
from tests.storage.contract_helpers import (
    PLACE,
    SERVER,
    Clock,
    event,
    new_game,
    out,
    reminder,
)
from tests.storage.contract_helpers import (
    clock as clock,
)
from tests.storage.contract_helpers import (
    store as store,
)

pytestmark = pytest.mark.sample(1)


async def test_a_game_comes_back_as_it_was_committed(store: Store, clock: Clock) -> None:
    done = await store.commit(new_game())
    assert (done.reply, done.seen) == ({"text": "A game."}, False)

    saved = await store.load_game(PLACE)
    assert saved is not None
    assert saved == await store.load_game_by_id("g1")
    assert (saved.game.version, saved.game.next_event, saved.game.head) == (1, 2, "hash1")
    assert saved.game.created == saved.game.updated == clock.now
    assert (saved.state, saved.state_at, saved.events) == ({"turn": 1}, 1, ())
    assert saved.persons == (Participant("g1", "p1", "discord:anna", "Anna"),)
    assert saved.seed == DiceSeed("g1", 1, b"\1" * 32, "c0ffee", 1)
    assert saved.places == (PLACE,)
    assert await store.load_game_version(PLACE) == ("g1", 1, False)


async def test_nothing_is_where_nothing_was_played(store: Store) -> None:
    assert await store.load_game(PLACE) is None
    assert await store.load_game_by_id("g1") is None
    assert await store.load_game_version(PLACE) is None
    assert await store.load_earlier_reply("r1") is None
    assert not await store.list_games()
    assert not await store.check()


async def test_events_after_the_snapshot_come_along_with_their_texts(store: Store) -> None:
    await store.commit(new_game())
    text = LoggedText("g1", 2, "label", "salt", "for honour", "p1")
    await store.commit(Commit(changes=(GameChange("g1", 1, (event(2), event(3))),), texts=(text,)))
    saved = await store.load_game(PLACE)
    assert saved is not None
    assert (saved.state, saved.state_at) == ({"turn": 1}, 1)
    assert saved.events == (event(2), event(3))
    assert saved.events[0].data == {"kind": "roll"}
    assert list(await store.load_texts("g1", after=saved.state_at)) == [text]
    await store.commit(Commit(changes=(GameChange("g1", 2, (), state={"turn": 2}),)))
    saved = await store.load_game(PLACE)
    assert saved is not None
    assert (saved.state, saved.state_at, saved.events) == ({"turn": 2}, 3, ())
    assert list(await store.load_texts("g1")) == [text]
    assert list(await store.load_texts("g1", after=text.event)) == []
    assert list(await store.load_texts("g1", after=text.event - 1, before=text.event + 1)) == [text]


async def test_the_same_request_is_answered_once(store: Store) -> None:
    await store.commit(new_game())
    roll = Commit(request_id="r1", reply={"text": "7"}, changes=(GameChange("g1", 1, (event(2),)),))
    again = replace(roll, reply={"text": "12"})
    first, second = await store.commit(roll), await store.commit(again)
    assert (first.reply, first.seen) == ({"text": "7"}, False)
    assert (second.reply, second.seen) == ({"text": "7"}, True)
    assert await store.load_earlier_reply("r1") == {"text": "7"}
    assert await store.load_game_version(PLACE) == ("g1", 2, False)


async def test_twenty_deliveries_at_once_of_one_request(store: Store) -> None:
    await store.commit(new_game())
    rolls = [
        Commit(
            request_id="r1",
            reply={"n": n},
            changes=(GameChange("g1", 1, (event(2),)),),
            outbox=[out()],
        )
        for n in range(20)
    ]
    done = await asyncio.gather(*(store.commit(roll) for roll in rolls))
    assert sorted(one.seen for one in done) == [False] + [True] * 19
    assert len({str(one.reply) for one in done}) == 1
    assert len(await store.load_events("g1")) == 2
    assert len(await store.claim_outbox(1)) == 1


async def test_games_list_current_games_on_a_server_the_latest_first(store: Store) -> None:
    await store.commit(new_game("g1"))
    assert await store.list_current_games(SERVER, 5) == [(PLACE, "g1")]
    await store.commit(Commit(bindings=[Binding("slack:T1/C1", "g1", None, "slack:T1")]))
    await store.commit(Commit(bindings=[Binding("slack:T1/C2", "g1", None, "slack:T1")]))
    assert await store.list_current_games("slack:T1", 1) == [("slack:T1/C1", "g1")]
    await store.commit(Commit(bindings=[Binding("slack:T1/C1", None, "g1", "slack:T1")]))
    assert await store.list_current_games("slack:T1", 5) == [("slack:T1/C2", "g1")]


async def test_games_of_a_user_are_those_of_a_server_or_of_all(store: Store, clock: Clock) -> None:
    await store.commit(new_game("g1"))
    clock.now += 60
    replacing = replace(new_game("g2"), bindings=[Binding(PLACE, "g2", "g1", SERVER)])
    await store.commit(replacing)
    clock.now += 60
    await store.commit(new_game("g3", "slack:T1/C1", "slack:T1"))
    assert await store.list_games_of_user("discord:anna", SERVER) == ["g2", "g1"]
    assert await store.list_games_of_user("discord:anna", "slack:T1") == ["g3"]
    assert await store.list_games_of_user("discord:anna") == ["g3", "g2", "g1"]
    assert await store.list_games_of_user("discord:anna", limit=1) == ["g3"]
    assert await store.list_games_of_user("discord:ben") == []


async def test_places_whose_game_is_played_elsewhere_too(store: Store) -> None:
    await store.commit(new_game("g1"))
    assert await store.list_shared_games(SERVER) == []
    await store.commit(Commit(bindings=[Binding("slack:T1/C1", "g1", None, "slack:T1")]))
    assert await store.list_shared_games(SERVER) == [(PLACE, "g1")]
    assert await store.list_shared_games("slack:T1") == [("slack:T1/C1", "g1")]
    await store.commit(Commit(bindings=[Binding("slack:T1/C1", None, "g1", "slack:T1")]))
    assert await store.list_shared_games(SERVER) == []


async def test_of_two_who_loaded_the_same_version_one_must_load_again(store: Store) -> None:
    await store.commit(new_game())
    one = Commit(request_id="r1", changes=(GameChange("g1", 1, (event(2),)),))
    two = Commit(
        request_id="r2", changes=(GameChange("g1", 1, (event(2),)),), docs=[Doc("draft", "d", {})]
    )
    results = await asyncio.gather(store.commit(one), store.commit(two), return_exceptions=True)
    assert [isinstance(result, Conflict) for result in results] == [False, True]
    assert await store.load_earlier_reply("r2") is None, "a conflict leaves nothing behind"
    assert await store.load_doc("draft", "d") is None
    await store.commit(replace(two, changes=(GameChange("g1", 2, (event(3),)),)))
    assert [row.number for row in await store.load_events("g1")] == [1, 2, 3]


async def test_of_two_first_rolls_in_a_channel_one_starts_the_game(store: Store) -> None:
    results = await asyncio.gather(
        store.commit(new_game("g1")),
        store.commit(new_game("g2")),
        store.commit(new_game("g1")),
        return_exceptions=True,
    )
    assert isinstance(results[1], Conflict)
    assert await store.load_game_version(PLACE) == ("g1", 1, False)
    assert list(await store.list_games()) == ["g1"]


async def test_a_conflict_in_the_middle_undoes_what_came_before(store: Store) -> None:
    await store.commit(new_game("g1"))
    both = Commit(
        changes=(GameChange("g1", 1, (event(2),)), GameChange("g2", 7, (event(9, "g2"),)))
    )
    with pytest.raises(Conflict):
        await store.commit(both)
    assert await store.load_game_version(PLACE) == ("g1", 1, False)
    assert len(await store.load_events("g1")) == 1


@pytest.mark.parametrize("numbers", [(2,), (1, 3), (2, 1), ()])
async def test_a_new_game_with_wrong_numbers_is_a_bug(
    store: Store, numbers: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match="event"):
        await store.commit(
            Commit(changes=(GameChange("g1", 0, tuple(event(number) for number in numbers)),))
        )


async def test_a_gap_after_the_last_event_is_a_conflict(store: Store) -> None:
    await store.commit(new_game())
    with pytest.raises(Conflict):
        await store.commit(Commit(changes=(GameChange("g1", 1, (event(3),)),)))


async def test_a_log_is_read_in_pages(store: Store) -> None:
    await store.commit(new_game())
    await store.commit(
        Commit(changes=(GameChange("g1", 1, tuple(event(number) for number in range(2, 8))),))
    )

    async def numbers(**page: int | bool) -> list[int]:
        return [row.number for row in await store.load_events("g1", **page)]  # type: ignore[arg-type]

    assert await numbers() == [1, 2, 3, 4, 5, 6, 7]
    assert await numbers(after=2, limit=2) == [3, 4]
    assert await numbers(newest_first=True, limit=3) == [7, 6, 5]
    assert await numbers(newest_first=True, before=5, limit=3) == [4, 3, 2]
    assert await numbers(after=2, before=5) == [3, 4]
    assert not await store.load_events("another")


async def test_marks_are_kept_by_block_and_written_anew(store: Store) -> None:
    await store.commit(new_game())
    await store.commit(
        Commit(changes=(GameChange("g1", 1, tuple(event(number) for number in range(2, 8))),))
    )
    assert [row.number for row in await store.load_events_at("g1", [5, 2, 99])] == [2, 5]
    assert not await store.load_events_at("g1", [])
    await store.save_index_blocks(
        [
            MarkRow("g1", "unit:tran", 0, "1 4"),
            MarkRow("g1", "unit:tran", 1, "3"),
            MarkRow("g1", "", 0, "1"),
        ]
    )
    await store.save_index_blocks(
        [MarkRow("g1", "unit:tran", 1, "2 3"), MarkRow("gone", "unit:tran", 1, "3")]
    )
    assert await store.load_index_blocks("g1", ["unit:tran", "side:us"]) == (
        MarkRow("g1", "unit:tran", 0, "1 4"),
        MarkRow("g1", "unit:tran", 1, "2 3"),
    )
    assert not await store.load_index_blocks("gone", ["unit:tran"])
    await store.commit(Commit(erase=["g1"]))
    assert not await store.load_index_blocks("g1", ["unit:tran", ""])


async def test_a_linked_channel_plays_the_same_game(store: Store) -> None:
    await store.commit(new_game())
    await store.commit(Commit(bindings=[Binding("slack:t:c", "g1", None, "slack:t")]))
    saved = await store.load_game("slack:t:c")
    assert saved is not None
    assert saved.places == (PLACE, "slack:t:c")


async def test_a_new_game_takes_the_place_of_the_old_one_which_stays(store: Store) -> None:
    await store.commit(new_game("g1"))
    start = new_game("g2")
    await store.commit(replace(start, bindings=[Binding(PLACE, "g2", "g1", SERVER)]))
    assert await store.load_game_version(PLACE) == ("g2", 1, False)
    old = await store.load_game_by_id("g1")
    assert old is not None
    assert old.places == ()
    await store.commit(Commit(bindings=[Binding(PLACE, None, "g2")]))
    assert await store.load_game_version(PLACE) is None
    await store.commit(Commit(bindings=[Binding(PLACE, "g1", None, SERVER)]))
    assert await store.load_game_version(PLACE) == ("g1", 2, False), (
        "who keeps it in memory with its old places reads it anew"
    )
    assert list(await store.list_games()) == ["g1", "g2"]
    assert list(await store.list_games(after="g1")) == ["g2"]
    assert list(await store.list_games(limit=1)) == ["g1"]


async def test_what_was_played_in_a_place_can_be_listed(store: Store, clock: Clock) -> None:
    """A game that makes room for another stays on the list, one that leaves for nothing goes off
    it.
    """
    assert not await store.load_game_history(PLACE)
    await store.commit(new_game("zulu"))
    clock.now += 60
    start = new_game("alpha")
    await store.commit(replace(start, bindings=[Binding(PLACE, "alpha", "zulu", SERVER)]))
    assert await store.load_game_history(PLACE) == [(1, "zulu"), (2, "alpha")], "in order"

    other = "slack:t:c"
    await store.commit(Commit(bindings=[Binding(other, "alpha", None, "slack:t")]))
    await store.commit(Commit(bindings=[Binding(PLACE, None, "alpha")]))
    assert await store.load_game_history(PLACE) == [(1, "zulu")], (
        "what is rolled in it now is not for this place"
    )
    assert await store.load_game_history(other) == [(1, "alpha")]


async def test_a_game_that_is_taken_up_alone_leaves_the_places_that_play_it_no_more(
    store: Store,
) -> None:
    other = "slack:t:c"
    await store.commit(new_game())
    await store.commit(Commit(bindings=[Binding(other, "g1", None, "slack:t")]))
    await store.commit(
        replace(
            new_game("g2"),
            bindings=[Binding(PLACE, "g2", "g1", SERVER), Binding(other, "g2", "g1", "slack:t")],
        )
    )
    assert (
        await store.load_game_history(other)
        == await store.load_game_history(PLACE)
        == [(1, "g1"), (2, "g2")]
    )

    await store.commit(Commit(bindings=[Binding(PLACE, "g1", "g2", SERVER, alone=True)]))
    assert await store.load_game(PLACE) == await store.load_game_by_id("g1")
    assert await store.load_game_history(PLACE) == [(1, "g1"), (2, "g2")]
    assert await store.load_game_history(other) == [(2, "g2")]


async def test_seeds_follow_each_other(store: Store) -> None:
    await store.commit(new_game())
    first = DiceSeed("g1", 1, b"\1" * 32, "c0ffee", 1, ("mine",), "d1", revealed=2)
    second = DiceSeed("g1", 2, b"\2" * 32, "decaf", 3)
    await store.commit(Commit(changes=(GameChange("g1", 1, (event(2),)),), seeds=(first, second)))
    assert list(await store.load_seeds("g1")) == [first, second]
    saved = await store.load_game(PLACE)
    assert saved is not None
    assert saved.seed == second
    assert "\\x02" not in repr(second), "a seed never gets into a log"


async def test_an_answer_waits_in_the_outbox_until_it_was_posted(
    store: Store, clock: Clock
) -> None:
    await store.commit(new_game())
    done = await store.commit(Commit(request_id="r1", reply={"text": "7"}, outbox=[out(held=20)]))
    assert not await store.claim_outbox(60), "who committed posts it"
    clock.now += 20
    (row,) = await store.claim_outbox(60)
    assert (row.id,) == done.outbox
    assert (row.request_id, row.place, row.reply, row.delivery) == (
        "r1",
        PLACE,
        {"text": "7"},
        {"token": "t"},
    )
    assert (row.attempts, row.created) == (0, clock.now - 20)
    assert not await store.claim_outbox(60), "somebody works on it"
    await store.retry_outbox(5, row.id)
    clock.now += 5
    (row,) = await store.claim_outbox(60)
    assert row.attempts == 1
    await store.mark_outbox_done(row.id)
    clock.now += 1000
    assert not await store.claim_outbox(60)
    await store.retry_outbox(0, row.id)
    assert not await store.claim_outbox(60), "what was posted stays posted"


def edit(text: str, place: str = PLACE) -> Commit:
    """The change of one message to this text."""
    return Commit(reply={}, outbox=[Outgoing(place, {}, 0.0, {"text": text}, "", "g1/board")])


async def test_changes_of_one_message_leave_one_after_another(store: Store, clock: Clock) -> None:
    await store.commit(edit("turn 1"))
    await store.commit(edit("turn 2"))
    (slow,) = await store.claim_outbox(60)
    assert slow.reply == {"text": "turn 2"}, "what nobody has begun with gives way"
    await store.commit(edit("turn 3"))
    await store.commit(edit("turn 4"))
    await store.commit(edit("there", "slack:T1/C1"))
    assert [row.place for row in await store.claim_outbox(60)] == ["slack:T1/C1"], (
        "another process waits for the first"
    )
    clock.now += 50
    await store.retry_outbox(60, slow.id, in_progress=True)
    clock.now += 50
    assert not await store.claim_outbox(60, platform="discord:"), "the first is still at work"
    await store.mark_outbox_done(slow.id)
    (last,) = await store.claim_outbox(60, platform="discord:")
    assert last.reply == {"text": "turn 4"}


async def test_a_change_that_waits_for_its_next_attempt_gives_way_to_a_later_one(
    store: Store, clock: Clock
) -> None:
    await store.commit(edit("turn 1"))
    (first,) = await store.claim_outbox(60)
    await store.commit(edit("turn 2"))
    await store.retry_outbox(300, first.id)
    (second,) = await store.claim_outbox(60)
    assert second.reply == {"text": "turn 2"}
    await store.retry_outbox(300, second.id)
    await store.commit(edit("turn 3"))
    (third,) = await store.claim_outbox(60)
    assert (third.reply, third.attempts) == ({"text": "turn 3"}, 0)
    clock.now += 61  # whoever had it has died
    await store.commit(edit("turn 4"))
    (fourth,) = await store.claim_outbox(60)
    assert fourth.reply == {"text": "turn 4"}


async def test_each_adapter_claims_its_own_answers(store: Store) -> None:
    places = [PLACE, "slack:t:c", "discord:s2:c9", "discord:s3:c1"]
    await store.commit(Commit(reply={"text": "to all"}, outbox=[out(place) for place in places]))
    assert [row.place for row in await store.claim_outbox(60, platform="slack:")] == ["slack:t:c"]
    assert [row.place for row in await store.claim_outbox(60, limit=2)] == [PLACE, "discord:s2:c9"]
    (last,) = await store.claim_outbox(60)
    assert (last.place, last.reply) == ("discord:s3:c1", {"text": "to all"})
    await store.mark_outbox_done()
    await store.mark_outbox_done(*range(1, 5))


async def test_an_outgoing_message_may_differ_from_the_answer(store: Store) -> None:
    entry = Outgoing("slack:t:c", {}, 0.0, {"text": "#41 sealed"})
    await store.commit(Commit(request_id="r", reply={"text": "6, 6"}, outbox=[entry]))
    assert [row.reply for row in await store.claim_outbox(1)] == [{"text": "#41 sealed"}]


async def test_requests_are_forgotten_after_seven_days(store: Store, clock: Clock) -> None:
    await store.commit(Commit(request_id="old", reply={"text": "7"}))
    clock.now += 6 * DAY
    await store.commit(Commit(request_id="new"))
    await store.sweep(None)
    assert await store.load_earlier_reply("old") == {"text": "7"}
    clock.now += 2 * DAY
    await store.sweep(None)
    assert await store.load_earlier_reply("old") is None
    assert await store.load_earlier_reply("new") == {}
    assert not (await store.commit(Commit(request_id="old"))).seen


async def test_a_document_lives_until_it_expires(store: Store, clock: Clock) -> None:
    draft = Doc("draft", "d1", {"command": "/roll 2d6"}, clock.now + 10, "discord:anna")
    await store.put_doc(draft)
    await store.put_doc(Doc("settings", SERVER, {"systems": ["lnlt"]}, owner=SERVER))
    await store.commit(Commit(docs=[Doc("draft", "d2", {})]))
    assert await store.load_doc("draft", "d1") == draft
    assert [doc.key for doc in await store.load_docs("draft")] == ["d1", "d2"]
    assert [doc.key for doc in await store.load_docs("draft", owner="discord:anna")] == ["d1"]
    clock.now += 10
    assert await store.load_doc("draft", "d1") is None
    assert [doc.key for doc in await store.load_docs("draft")] == ["d2"]
    assert await store.take_doc("draft", "d1") is None
    await store.sweep(None)
    assert await store.load_doc("settings", SERVER) is not None
    await store.put_doc(Doc("settings", SERVER, {"systems": []}))
    assert (await store.load_doc("settings", SERVER) or draft).data == {"systems": []}


async def test_documents_are_found_by_the_beginning_of_their_key(store: Store) -> None:
    others = ("discord:55/C", "discord:5_/D", "DISCORD:5/E", "discord:5", "discord:50")
    keys = ("discord:5/A", "discord:5/B", "discord:5/\U0001f3b2", *others)
    for key in keys:
        await store.put_doc(Doc("seek", key, {}, owner="discord:anna"))
    await store.put_doc(Doc("other", "discord:5/A", {}))
    found = await store.load_docs("seek", under="discord:5/")
    assert [doc.key for doc in found] == ["discord:5/A", "discord:5/B", "discord:5/\U0001f3b2"]
    assert not await store.load_docs("seek", "discord:ben", under="discord:5/")
    assert len(await store.load_docs("seek", under="")) == len(keys)


async def test_of_several_takers_one_gets_the_document(store: Store) -> None:
    await store.put_doc(Doc("link", "code", {"game": "g1"}))
    takers = await asyncio.gather(*(store.take_doc("link", "code") for _ in range(5)))
    assert [doc.data for doc in takers if doc] == [{"game": "g1"}]


async def test_a_consent_that_is_gone_cannot_be_used(store: Store) -> None:
    await store.commit(new_game())
    await store.put_doc(Doc("undo", "g1", {}))
    undo = Commit(changes=(GameChange("g1", 1, (event(2),)),), drop_docs=[("undo", "g1")])
    await store.commit(undo)
    with pytest.raises(Conflict):
        await store.commit(replace(undo, changes=(GameChange("g1", 2, (event(3),)),)))
    assert await store.load_game_version(PLACE) == ("g1", 2, False)


async def test_what_goes_in_and_out_are_copies(store: Store) -> None:
    data = {"a": [1]}
    state: Json = {"units": {}}
    await store.commit(Commit(docs=[Doc("k", "k", data)]))
    await store.commit(replace(new_game(), changes=(GameChange("g1", 0, (event(1),), state),)))
    data["a"].append(2)
    state["units"]["x"] = 1
    found = await store.load_doc("k", "k")
    assert found is not None
    assert found.data == {"a": [1]}
    found.data["a"].append(3)
    assert (await store.load_doc("k", "k") or found).data == {"a": [1]}
    saved = await store.load_game(PLACE)
    assert saved is not None
    assert saved.state == {"units": {}}


async def test_half_a_surrogate_pair_stops_nothing(store: Store) -> None:
    persons, texts = (
        (Participant("g1", "p", "u", "Ann\ud800"),),
        (LoggedText("g1", 1, "l", "s", "x\udfff"),),
    )
    await store.commit(
        replace(new_game(), reply={"text": "\ud800"}, persons=tuple(persons), texts=texts)
    )
    assert [row.person for row in await store.load_persons("g1")] == ["p"]


async def test_an_erased_game_is_gone_whole(store: Store) -> None:
    await store.commit(
        replace(new_game("g1"), outbox=[out()], texts=(LoggedText("g1", 1, "l", "s", "t", "p1"),))
    )
    await store.commit(new_game("g2", "discord:s1:c2"))
    await store.commit(
        Commit(request_id="r", reply={"text": "Deleted."}, erase=["g1"], outbox=[out()])
    )
    assert await store.load_game(PLACE) is None
    assert await store.load_game_by_id("g1") is None
    for rows in (store.load_events, store.load_texts, store.load_persons, store.load_seeds):
        assert not await rows("g1")
    with pytest.raises(Deleted):
        await store.load_earlier_reply("start g1")
    assert await store.load_earlier_reply("r") == {"text": "Deleted."}
    assert [row.reply for row in await store.claim_outbox(1)] == [{"text": "Deleted."}]
    assert await store.load_game_version("discord:s1:c2") == ("g2", 1, False)


async def test_a_user_can_be_forgotten_without_touching_the_chain(store: Store) -> None:
    anna, bert = (
        Participant("g1", "p1", "discord:anna", "Anna"),
        Participant("g1", "p2", "discord:bert", "Bert"),
    )
    hers, his = (
        LoggedText("g1", 1, "l", "s", "hers", "p1"),
        LoggedText("g1", 1, "m", "s", "his", "p2"),
    )
    doc = Doc("draft", "d", {"x": 1}, None, "discord:anna")
    seed = DiceSeed("g1", 1, b"s", "c", 1, ("hers",), "digest")
    await store.commit(
        replace(new_game(), persons=(anna, bert), texts=(hers, his), docs=[doc], seeds=(seed,))
    )
    await store.commit(
        Commit(request_id="r1", user="discord:anna", reply={"text": "Anna: 7"}, outbox=[out()])
    )
    kept = await store.load_user_data("discord:anna")
    assert (kept.persons, kept.texts, kept.docs) == ((anna,), (hers,), (doc,))

    bye = Commit(
        request_id="r2", user="discord:anna", reply={"text": "Done."}, forget=["discord:anna"]
    )
    await store.commit(bye)
    assert (await store.commit(bye)).seen
    kept = await store.load_user_data("discord:anna")
    assert (kept.persons, kept.texts, kept.docs) == ((), (), ())
    with pytest.raises(Deleted):
        await store.load_earlier_reply("r1")
    assert not await store.claim_outbox(1)
    assert list(await store.load_persons("g1")) == [bert]
    assert list(await store.load_texts("g1")) == [his]
    assert list(await store.load_seeds("g1")) == [replace(seed, texts=())]
    assert len(await store.load_events("g1")) == 1


async def test_a_label_that_others_repeated_goes_with_the_person_who_wrote_it(
    store: Store,
) -> None:
    """The same words stay if they were written before hers, under another key or in another game."""
    persons = [
        Participant(game, person, f"discord:{name.lower()}", name)
        for game in ("g1", "g2")
        for person, name in (("p1", "Anna"), ("p2", "Bert"))
    ]
    before = LoggedText("g1", 1, "label", "s1", "Anna's shot", "p2")
    hers = LoggedText("g1", 2, "label", "s2", "Anna's shot", "p1")
    repeated = LoggedText("g1", 3, "label", "s3", "Anna's shot", "p2")
    other_words = LoggedText("g1", 3, "label-2", "s4", "Anna's shot", "p2")
    own = LoggedText("g1", 4, "label", "s5", "Bert's shot", "p2")
    elsewhere = LoggedText("g2", 5, "label", "s6", "Anna's shot", "p2")
    texts = (before, hers, repeated, other_words, own, elsewhere)
    await store.commit(replace(new_game("g1"), persons=tuple(persons), texts=texts))
    await store.commit(Commit(forget=["discord:anna"]))
    assert list(await store.load_texts("g1")) == [before, other_words, own]
    assert list(await store.load_texts("g2")) == [elsewhere]


async def test_what_others_sent_somebody_directly_goes_with_them(store: Store) -> None:
    """What waits to be posted there, and where what was posted is; what is elsewhere stays."""
    places = ("discord:anna", PLACE)
    posted = await store.commit(
        Commit(outbox=[Outgoing(place, {}, 0.0, {}, "g1/1") for place in places])
    )
    await store.mark_outbox_done(*posted.outbox, spot={"at": 1})
    waiting = tuple(Outgoing(place, {}, 0.0, {"text": "Your turn."}) for place in places)
    await store.commit(Commit("r1", {"text": "7"}, "discord:bert", outbox=[*waiting]))
    await store.commit(Commit(forget=["discord:anna"]))
    assert (await store.load_posted_messages("g1/1")).spots == {PLACE: ({"at": 1},)}
    assert [row.place for row in await store.claim_outbox(60)] == [PLACE]


@pytest.mark.parametrize(
    "deletion", [Commit("bye", erase=["g1"]), Commit("bye", forget=["discord:anna"])]
)
async def test_a_request_whose_answer_was_deleted_changes_nothing_when_it_comes_again(
    store: Store, clock: Clock, deletion: Commit
) -> None:
    await store.commit(replace(new_game(), user="discord:anna"))
    roll = Commit(
        "r1",
        {"text": "7"},
        user="discord:anna",
        changes=(GameChange("g1", 1, (event(2),)),),
        outbox=[out()],
    )
    await store.commit(roll)
    await store.commit(deletion)
    again = Commit(
        "r1", {"text": "9"}, changes=(GameChange("g2", 0, (event(1, "g2"),)),), outbox=[out()]
    )
    results = await asyncio.gather(*(store.commit(again) for _ in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == [Deleted] * 3
    assert "g2" not in await store.list_games()
    assert not await store.claim_outbox(60)
    clock.now += 6 * DAY
    await store.sweep(None)
    with pytest.raises(Deleted):
        await store.commit(again)
    clock.now += 2 * DAY
    await store.sweep(None)
    assert await store.load_earlier_reply("r1") is None
    assert not (await store.commit(again)).seen, "after seven days it is forgotten, like any other"


async def test_a_removed_server_is_kept_for_a_while(store: Store, clock: Clock) -> None:
    await store.commit(new_game("g1"))
    await store.commit(new_game("g2", "discord:s1:c2"))
    await store.commit(new_game("other", "discord:s2:c1", "discord:s2"))
    await store.commit(Commit(bindings=[Binding("discord:s2:c9", "g2", None, "discord:s2")]))
    await store.put_doc(Doc("settings", SERVER, {}, owner=SERVER))
    await store.put_doc(Doc("settings", "discord:s2", {}, owner="discord:s2"))
    clock.now += 1
    await store.mark_server_left(SERVER)
    clock.now += 29 * DAY
    await store.mark_server_left(SERVER)  # told twice: the first time counts
    await store.sweep(30 * DAY)
    assert await store.load_game_version(PLACE) == ("g1", 1, False)
    clock.now += 1 * DAY
    await store.sweep(None)
    assert await store.load_game_version(PLACE) == ("g1", 1, False), "never"
    await store.sweep(30 * DAY)
    assert await store.load_game_version(PLACE) is None
    assert list(await store.list_games()) == ["g2", "other"], (
        "g2 is still played on the other server"
    )
    assert await store.load_game_version("discord:s1:c2") is None
    assert await store.load_doc("settings", SERVER) is None
    assert await store.load_doc("settings", "discord:s2") is not None


async def test_rejoining_restores_and_so_does_playing(store: Store, clock: Clock) -> None:
    await store.commit(new_game("g1"))
    await store.commit(new_game("g2", "discord:s2:c1", "discord:s2"))
    clock.now += 1
    assert list(await store.list_servers("discord:")) == [SERVER, "discord:s2"]
    assert not await store.list_servers("slack:")
    await store.mark_server_left(SERVER)
    await store.mark_server_left("discord:s2")
    assert not await store.list_servers("discord:")
    clock.now += DAY
    assert await store.mark_server_joined(SERVER), "it was away"
    assert not await store.mark_server_joined(SERVER)
    await store.commit(Commit(changes=(GameChange("g2", 1, (event(2, "g2"),)),)))
    clock.now += 40 * DAY
    await store.sweep(30 * DAY)
    assert list(await store.list_games()) == ["g1", "g2"]


async def test_a_server_that_only_shares_seeks_can_be_left(store: Store) -> None:
    await store.put_doc(Doc(SEEK_LINK, "discord:1/slack:T1", {}, owner="discord:1"))
    await store.put_doc(Doc(SEEK_LINK, "slack:T1/discord:1", {}, owner="slack:T1"))
    assert await store.list_servers_sharing_seeks("discord:") == ["discord:1"]
    await store.mark_server_left("discord:1")
    assert await store.load_doc(AWAY, "discord:1") is not None
    assert not await store.list_servers_sharing_seeks("discord:")
    assert await store.list_servers_sharing_seeks("") == ["slack:T1"]
    assert await store.mark_server_joined("discord:1"), "it was away"
    assert not await store.mark_server_joined("discord:1")
    assert await store.list_servers_sharing_seeks("discord:") == ["discord:1"]


async def test_a_single_place_can_be_left(store: Store, clock: Clock) -> None:
    await store.commit(new_game("g1"))
    await store.commit(new_game("g2", "console:here", ""))
    clock.now += 1
    await store.mark_server_left(PLACE)
    await store.mark_server_left("console:here")
    await store.sweep(0)
    assert not await store.list_games()


async def test_what_is_due_comes_in_order_of_time_and_not_before(
    store: Store, clock: Clock
) -> None:
    rows = (
        reminder(clock.now + 20),
        reminder(clock.now + 10, "g2"),
        reminder(clock.now + 5000, "g3"),
    )
    await store.commit(Commit(due=[*rows]))
    assert await store.load_due(10) == ()
    clock.now += 30
    assert [row.game for row in await store.load_due(10)] == ["g2", "g1"]
    assert [row.game for row in await store.load_due(1)] == ["g2"]
    assert await store.load_due_at("g3/remind-p1") == rows[2]


async def test_what_is_due_is_dropped_once_and_only_as_it_was(store: Store, clock: Clock) -> None:
    row = reminder(clock.now)
    await store.commit(Commit(due=[row]))
    later = row._replace(at=clock.now + 60)
    await store.commit(Commit(drop_due=[(row.key, row.at)], due=[later]))
    with pytest.raises(Conflict):
        await store.commit(Commit(drop_due=[(row.key, row.at)]))
    assert await store.load_due_at(row.key) == later
    await store.commit(Commit(drop_due=[(row.key, None), (row.key, None)]))
    assert await store.load_due_at(row.key) is None


async def test_what_is_due_goes_with_its_game_and_with_its_owner(
    store: Store, clock: Clock
) -> None:
    await store.commit(
        Commit(due=[reminder(clock.now), reminder(clock.now, "g2"), reminder(clock.now, "g3", "")])
    )
    assert [row.game for row in (await store.load_user_data("discord:anna")).due] == ["g1", "g2"]
    await store.commit(Commit(erase=["g1"]))
    assert [row.game for row in await store.load_due(10)] == ["g2", "g3"]
    await store.commit(Commit(forget=["discord:anna"]))
    assert [row.game for row in await store.load_due(10)] == ["g3"]


async def test_a_message_that_waits_is_withdrawn_with_what_it_is_about(
    store: Store, clock: Clock
) -> None:
    entries = tuple(
        Outgoing(PLACE, {}, 0.0, {"title": about}, about) for about in ("g1/remind-p1", "g1/41", "")
    )
    await store.commit(Commit(outbox=[*entries]))
    await store.commit(Commit(withdraw=["g1/remind-p1", ""]))
    assert [row.about for row in await store.claim_outbox(60)] == ["g1/41", ""]


async def test_what_is_being_posted_is_not_withdrawn_and_its_place_is_known(
    store: Store, clock: Clock
) -> None:
    """By the outbox, or as the answer of a command; what failed and only waits for its next time
    is withdrawn.
    """
    done = await store.commit(
        Commit(outbox=[Outgoing(PLACE, {}, 0.0, {"title": "Board"}, f"g1/{one}") for one in "ab"])
    )
    answer = await store.commit(
        Commit(
            "r1",
            {"title": "Board"},
            "discord:anna",
            outbox=[Outgoing(PLACE, {}, 10.0, about="g1/c")],
        )
    )
    assert len(await store.claim_outbox(60)) == 2
    await store.retry_outbox(5, done.outbox[1])
    await store.commit(Commit(withdraw=["g1/a", "g1/b", "g1/c"]))
    await store.mark_outbox_done(done.outbox[0], answer.outbox[0], spot={"at": 7})
    spots = [(await store.load_posted_messages(f"g1/{one}")).spots.get(PLACE) for one in "abc"]
    assert spots == [({"at": 7},), None, ({"at": 7},)]
    assert not (await store.load_posted_messages("g1/b")).on_its_way


@pytest.mark.parametrize(("place", "home"), [(PLACE, ""), ("discord:s1:thread", PLACE)])
async def test_a_change_is_due_once_its_message_is_there_however_long_that_takes(
    store: Store, clock: Clock, place: str, home: str
) -> None:
    """Else it is looked at in ever longer pauses, and a message that no longer holds keeps its
    buttons meanwhile.
    """
    message = Outgoing(place, {}, 0.0, {"title": "Board"}, "g1/a", home=home)
    done = await store.commit(Commit(outbox=[message]))
    away = (Outgoing(PLACE, {}, 0.0, {"title": "Gone"}, "", "g1/a"),)
    elsewhere = (Outgoing("discord:s1:c2", {}, 0.0, {"title": "Gone"}, "", "g1/a"),)
    await store.commit(Commit(outbox=[*away + elsewhere]))
    assert [row.about or row.place for row in await store.claim_outbox(60)] == [
        "g1/a",
        "discord:s1:c2",
    ]
    for _ in range(3):
        await store.retry_outbox(300, done.outbox[0])
        clock.now += 299
        assert PLACE not in [row.place for row in await store.claim_outbox(60) if row.amends]
        clock.now += 2
        assert "g1/a" in [row.about for row in await store.claim_outbox(60)]
    await store.mark_outbox_done(done.outbox[0], spot={"at": 7})
    (change,) = [row for row in await store.claim_outbox(60) if row.place == PLACE]
    assert (change.amends, change.attempts) == ("g1/a", 0)


async def test_what_may_be_there_though_nobody_knows_is_not_withdrawn(
    store: Store, clock: Clock
) -> None:
    """Its post broke, or its process died: it is posted to the end, so that its place is known to
    whoever takes it away."""
    rows = tuple(Outgoing(PLACE, {}, 0.0, {"title": "Board"}, f"g1/{one}") for one in "ab")
    done = await store.commit(Commit(outbox=[*rows]))
    answer = Outgoing(PLACE, {}, 10.0, about="g1/c")
    await store.commit(Commit("r1", {"title": "Board"}, "discord:anna", outbox=[answer]))
    await store.claim_outbox(10)
    await store.retry_outbox(5, done.outbox[0], in_progress=True)
    clock.now += 20
    await store.commit(Commit(withdraw=["g1/a", "g1/b", "g1/c"]))
    assert [row.about for row in await store.claim_outbox(10)] == ["g1/a", "g1/b", "g1/c"]


async def test_whoever_presses_a_request_has_it_before_them_and_it_is_not_posted_again(
    store: Store, clock: Clock
) -> None:
    """Its process died between posting and noting that. An Undo may be the board's: the answer
    is still to come.
    """
    rows = [
        Outgoing("t", {}, 10.0, about="g1/asked-k", home=PLACE),
        Outgoing("c2", {}, 10.0, {}, "g1/asked-k"),
    ]
    await store.commit(
        Commit(
            "r1",
            {"title": "Agree?"},
            "discord:anna",
            outbox=[*rows, Outgoing(PLACE, {}, about="g1/4")],
        )
    )
    await store.commit(Commit(pressed=PressedMessage("g1/asked-k", PLACE, {"at": 7})))
    await store.commit(Commit(pressed=PressedMessage("g1/4", PLACE, {"at": 8})))
    clock.now += 20
    assert [(row.about, row.place) for row in await store.claim_outbox(10)] == [
        ("g1/asked-k", "c2"),
        ("g1/4", PLACE),
    ]
    assert (await store.load_posted_messages("g1/asked-k")).spots == {PLACE: ({"at": 7},)}


@pytest.mark.parametrize("pinned", [{}, {"pinned": True}, {"pinned": False}])
async def test_a_board_with_an_undo_is_not_the_answer_that_it_undoes(
    store: Store, pinned: Json
) -> None:
    done = await store.commit(
        Commit(outbox=[Outgoing(PLACE, {}, 0.0, {"title": "Board"}, "g1/board")])
    )
    await store.mark_outbox_done(done.outbox[0], spot={"at": 7, **pinned})
    await store.commit(Commit(pressed=PressedMessage("g1/4", PLACE, {"at": 7})))
    assert not (await store.load_posted_messages("g1/4")).spots


async def test_answers_on_their_way_are_counted_by_platform(store: Store, clock: Clock) -> None:
    early = (Outgoing("discord:s1:c1", {}, 0.0), Outgoing("slack:t1:c1", {}, 0.0))
    await store.commit(Commit("r1", {"title": "early"}, "discord:u1", outbox=[*early]))
    clock.now += 100
    done = await store.commit(Commit("r2", {"title": "late"}, "discord:u1", outbox=[*early[:1]]))
    assert await store.count_waiting_answers("discord:", 50) == (2, 1)
    await store.mark_outbox_done(*done.outbox)
    assert await store.count_waiting_answers("discord:", 50) == (1, 1)
    assert await store.count_waiting_answers("slack:", 200) == (1, 0)
