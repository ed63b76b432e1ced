"""What the design promises of closed cards, sentence by sentence, where no other test holds it
to the letter.
"""

from __future__ import annotations

import json
import re

from bot.game.game_log import LoggedEvent
from bot.rules import cards
from bot.ui.spec import build_own_place
from bot.verification.check_file import check
from tests.commands.hands_helpers import CLOSED, end, own, sound, table
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides
from tests.random_play import exported_text

WORDS = ("Ambush", "Air strike", "Sniper", "Rain", "Reinforcements", "Minefield")


async def words() -> Channel:
    """A game of two sides with a deck of words, which hang on nothing else."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", f'deck make "{", ".join(f"{word} x2" for word in WORDS)}" events')
    return channel


async def events(channel: Channel) -> list[LoggedEvent]:
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    return [*await channel.app.store.load_events(loaded.row)]


async def test_playing_one_card_of_five_opens_that_card_and_nothing_else() -> None:
    """Neither the other four nor a face, its own among them, is in the file, in the event or in
    anybody's own file.
    """
    channel = await table()
    await channel.do("Anna", "deck draw cup 5 me")
    drawn = (await events(channel))[-1].data
    assert len({drawn["texts"][key] for key in drawn["texts"]}) == 10, (
        "five cards and five faces, each with a hash"
    )
    held = await own(channel, "Anna")
    await channel.do("Anna", f"deck play {held[2]}")
    log = await sound(channel, closed=True)
    played = log["events"][-1]["body"]
    assert played["after"]["cards"] == {
        "cup/hand/US": 4, f"cup/play/{held[2]}": 1, "cup/last": played["number"]
    }  # fmt: skip
    assert f"{drawn['number']}." not in json.dumps(played), (
        "a play names its card, not the draw that it came from"
    )
    for name in ("Anna", "Bob"):
        mine = await channel.do(name, "privacy export")
        told = b"".join(file.data for file in mine.files).decode()
        assert not re.search(r'"(card|face|from)\.[0-9]', told)
        assert '"hands"' not in told


async def test_the_drawer_themselves_see_no_face_while_a_card_before_is_closed() -> None:
    """Bob draws the same card in two worlds, by another face in each: Anna's closed one before it
    is another. All that Bob is ever shown is the same: tests/closed_cards/test_random_evenings.py plays it. Here:
    no face is in it at all."""
    channel = await table()
    await channel.do("Anna", "deck draw cup to=me")
    drawn = await channel.do("Bob", "deck draw cup")
    number = (await channel.game()).number
    body = (await events(channel))[number - 1].data
    assert "dice" not in body
    assert body["closed"] == [29]
    assert not [part for part in drawn.lines if getattr(part, "dice", ())]
    log = await sound(channel, closed=True)
    assert not [row for row in log["texts"] if row["key"].startswith("face.")]


async def test_of_several_copies_one_that_all_know_is_played_first() -> None:
    channel = await words()
    await channel.do("Anna", "deck draw events 12 me", "game end confirm", "game resume")
    game = await channel.game()
    known = cards.count_known_cards("events", "US", game.cards)
    assert sum(known.values()) == 12, "all know all of them"
    await channel.do("Anna", "deck play Sniper")
    body = (await events(channel))[-1].data
    assert "texts" not in body, "no closed card left the hand"
    assert sum(cards.count_known_cards("events", "US", (await channel.game()).cards).values()) == 11
    await end(channel)


async def test_the_event_that_opens_hands_has_numbers_and_counts_and_no_words_of_cards() -> None:
    """Words that were typed can be deleted: none of them is in the chain, at the opening least
    of all.
    """
    channel = await words()
    await channel.do("Anna", "deck draw events 3 me", "deck peek 2 events")
    await channel.do("Bob", "deck draw events 3 me", "hand agree")
    await channel.do("Anna", "game end confirm", "fair reveal")
    rows = await events(channel)
    for row in rows:
        assert not [word for word in WORDS if word in row.body], row.data["kind"]
    (opening,) = [row.data for row in rows if row.data["kind"] == "end"]
    assert isinstance(opening["shows"], int)
    assert not opening.get("result")
    assert all(
        isinstance(count, int)
        for part in ("before", "after")
        for count in opening[part]["cards"].values()
    )
    for name in ("Anna", "Bob"):
        await channel.do(name, "privacy delete confirm")
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    assert not [word for word in WORDS if word in json.dumps(log)], (
        "and once deleted they are nowhere"
    )


async def test_a_seed_with_a_closed_face_is_not_revealed_and_one_without_opens_all_under_it() -> (
    None
):
    """An open draw beside a hand leaves a face; undone and given cards leave texts. None is open
    before the seed is.
    """
    channel = await table()
    await channel.do("Anna", "deck draw cup to=me")
    await channel.do("Bob", "deck draw cup")
    await channel.do("Anna", "deck draw cup to=me", "game undo")
    await channel.do("Bob", "game undo")
    await channel.do("Anna", "deck give all VC")
    await channel.fails("Anna", "fair reveal", "VC's hand")
    await channel.do("Bob", "deck return all cup", "deck return all cup")
    await sound(channel, closed=True)
    await channel.do("Anna", "fair reveal")
    log = await sound(channel)
    opened = {row["key"].partition(".")[0] for row in log["texts"] if row["key"].startswith(CLOSED)}
    assert opened == {"card", "face", "from"}
    hidden = [
        key
        for row in log["events"]
        for key in row["body"].get("texts", ())
        if key.startswith(CLOSED)
    ]
    assert len([row for row in log["texts"] if row["key"].startswith(CLOSED)]) == len(hidden), (
        "all of it, undone too"
    )


async def test_what_cannot_be_shown_to_one_alone_draws_nothing() -> None:
    """Macros and repeats, whose answers all see, take no closed draw; nor does one's own play,
    which has no hand.
    """
    channel = await table()
    before = (await channel.game()).number
    await channel.fails("Anna", 'macro add grab "deck draw cup 2 to=me"', "cannot be a macro")
    await channel.fails("Anna", 'macro add look "deck peek 2"', "cannot be a macro")
    await channel.fails("Anna", "again", "Nothing to repeat")
    assert (await channel.game()).number == before
    alone = Channel(channel.app, build_own_place("console:anna"), "own")
    await alone.do("Anna", "deck draw standard-52")
    refused = await alone.fails("Anna", "deck draw standard-52 2 to=me", "Hands are for games")
    assert refused.code == "needs-game"
    assert (await alone.game()).number == 3, "the start, the deck and a card face up"


async def test_a_pack_that_changes_meanwhile_changes_no_deck_that_was_drawn_from() -> None:
    """Held by tests/packs/test_decks.py for packs; here: the ids and counts of a deck are in the
    chain as they were.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", "deck draw standard-52")
    declared = (await events(channel))[-2].data
    assert declared["kind"] == "deck"
    listed = declared["after"]["game"]["decks"]["standard-52"]["cards"]
    assert [card["id"] for card in listed] == cards.STANDARD["standard-52"].ids
    with_other = cards.Deck((("X", 52),))
    was = dict(cards.STANDARD)
    try:
        cards.STANDARD["standard-52"] = with_other  # type: ignore[index]
        assert "X" not in (await channel.do("Anna", "deck draw standard-52")).title
    finally:
        cards.STANDARD.update(was)  # type: ignore[attr-defined]


async def test_the_next_person_of_a_seat_has_the_hand_and_the_one_before_has_it_no_more() -> None:
    channel = Channel(await fresh_app())
    await two_sides(channel)
    await channel.do("Cid", "game join US")
    await channel.do("Anna", 'deck make "1..30" cup', "deck draw cup 3 me")
    held = await own(channel, "Anna")
    await channel.do("Anna", "game leave")
    assert await own(channel, "Cid") == held
    assert not await own(channel, "Anna")
    await channel.fails("Anna", f"deck play {held[0]}", "")
    await channel.do("Cid", f"deck play {held[0]}")
    await sound(channel, closed=True)
