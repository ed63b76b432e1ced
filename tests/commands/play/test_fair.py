"""Players' texts in the dice, who closes them, and the seed that free play was promised."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.loading.free_play_seed import PREPARED, load_next_seed
from bot.storage.sqlite import SqliteStore
from bot.ui.spec import Command, Place
from bot.verification.check_file import check
from tests.forging import bodies, copied, rechained
from tests.playing import Channel, two_sides
from tools import verify_log

Json = dict[str, Any]


async def exported(channel: Channel, who: str = "Anna") -> Json:
    """The log as a file, with its seed published."""
    await channel.do(who, "fair reveal")
    log: Json = json.loads((await channel.do(who, "game export")).files[0].text)
    return log


def faults(log: Json) -> str:
    """Return what is wrong with a log. The one-file script finds no fault in a sound one."""
    faults = check(log).faults
    assert faults or not verify_log.check(log).faults
    return "\n".join(faults)


def kinds(log: Json) -> list[Json]:
    """The events that closed texts."""
    return [body for body in bodies(log) if body.get("closes")]


# Who closes


async def test_a_passer_bys_roll_does_not_end_the_time_for_texts() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    before = (await channel.game()).digest
    await channel.do(
        "Carl", "roll 2d6", "roll 2d6 secret", f"game reveal {(await channel.game()).number + 2}"
    )
    await channel.do("Bob", 'fair add "nobody knew this"')
    await channel.do("Carl", "roll 2d6")
    await channel.do("Anna", 'fair add "and this"')
    await channel.do("Bob", "roll 2d6")
    await channel.refused("Anna", "fair add late", "texts-closed")
    log = await exported(channel)
    assert faults(log) == "", "each die by the texts that were in force when it fell"
    (closing,) = kinds(log)
    assert (closing["kind"], closing["side"]) == ("roll", "VC")
    assert closing["number"] == max(body["number"] for body in bodies(log, "roll"))
    assert (await channel.game()).digest == before, "new dice have no texts"


async def test_whoever_spoke_last_does_not_begin() -> None:
    """The host knows the seed, so the host's text could have been tried out; then somebody else
    has to roll first.
    """
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Bob", "fair add bob")
    await channel.do("Anna", "fair add host")
    for line in (
        "roll 2d6",
        "roll 2d6 secret",
        "lnlt fire attackers=us1 targets=vc1",
        "fair close",
    ):
        await channel.refused("Anna", line, "last-word")
    await channel.do("Anna", "roll 2d6 hand=5,2", "unit edit us1 marker=+moved")
    await channel.do("Carl", "roll 2d6")
    await channel.refused("Anna", "roll 2d6", "last-word")
    await channel.do("Bob", "roll 2d6")
    await channel.do("Anna", "roll 2d6")
    assert faults(await exported(channel)) == ""


async def test_the_last_word_is_anybodys_who_takes_it() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "fair add host")
    await channel.do("Bob", "fair add bob")
    await channel.refused("Bob", "roll 2d6", "last-word")
    closed = await channel.do("Anna", "fair close")
    assert not closed.private
    await channel.refused("Anna", "fair add more", "texts-closed")
    await channel.refused("Bob", "fair close", "texts-closed")
    await channel.do("Bob", "roll 2d6")
    log = await exported(channel)
    assert faults(log) == ""
    assert [body["kind"] for body in kinds(log)] == ["fair"]


async def test_the_button_under_a_text_closes_those_of_its_seed() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    added = await channel.do("Anna", "fair add host")
    (button,) = added.buttons
    assert (await channel.press("Anna", button.action)).error
    assert (await channel.press("Carl", button.action)).error, "a passer-by"
    assert not (await channel.press("Bob", button.action)).error
    await channel.do("Anna", "fair reveal")
    await channel.do("Anna", "fair add again")
    assert (await channel.press("Bob", button.action)).error, "an old button"


async def test_without_a_text_there_is_nothing_to_close() -> None:
    """Else the host could close before anybody has said a word."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.refused("Anna", "fair close", "no-texts")
    await channel.do("Bob", "fair add bob")


async def test_nobody_fills_the_dice_with_texts_so_that_others_have_no_room() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "fair add 1", "fair add 2", "fair add 3")
    await channel.refused("Anna", "fair add 4", "too-many-texts")
    await channel.do("Bob", "fair add bob", "game next")
    await channel.do("Anna", "fair reveal", "fair add 1")


async def test_alone_nobody_is_refused() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        "fair add mine",
        "roll 2d6",
        "fair reveal",
        "fair add again",
        "fair close",
        "roll 2d6",
    )
    log = await exported(channel)
    assert faults(log) == ""
    sides = await Channel.fresh()
    await sides.do(
        "Anna", 'game start lnlt Solo sides="US, VC"', "game join US", "fair add mine", "roll 2d6"
    )
    assert faults(await exported(sides)) == ""


async def test_in_free_play_somebody_else_begins_too() -> None:
    channel = await Channel.fresh()
    await channel.do("Bob", "fair add bob")
    await channel.do("Anna", "fair add anna")
    await channel.refused("Anna", "roll 2d6", "last-word")
    await channel.do("Bob", "roll 2d6")
    await channel.do("Anna", "roll 2d6")
    assert faults(await exported(channel)) == ""


async def test_a_manager_who_plays_no_side_cannot_try_texts_against_units() -> None:
    """Who directs the game moves its units, so their dice close the texts like a player's."""
    channel = await Channel.fresh()
    await two_sides(channel)
    assert not (await channel.say("Zoe", "fair add mine", manager=True)).error
    refused = await channel.say("Zoe", "lnlt fire attackers=us1 targets=vc1", manager=True)
    assert "another player has to roll first" in refused.format_text()
    await channel.do("Bob", "fair add bob")
    assert not (await channel.say("Zoe", "lnlt fire attackers=us1 targets=vc1", manager=True)).error
    await channel.refused("Zoe", "fair add more", "not-player")
    assert "closed" in (await channel.say("Zoe", "fair add more", manager=True)).format_text()


async def test_what_was_imported_and_claimed_keeps_its_word() -> None:
    """One account that is two persons of a game has one word all the same."""
    channel = await Channel.fresh()
    await channel.do("Anna", "roll 2d6")
    await channel.do("Bob", "roll 2d6")
    content = (await channel.do("Anna", "game export")).files[0].text
    there = Channel(channel.app, Place("console:there"), "x")
    command = Command(("game", "import"), {"file": content}, channel.who("Anna"), there.place, "i1")
    assert not (await channel.app.run(command)).error
    await there.do("Anna", "fair add mine", "game claim")
    await there.refused("Anna", "roll 2d6", "last-word")
    await there.do("Bob", "roll 2d6")
    assert faults(await exported(there)) == ""


# What a cheat writes


async def played() -> Json:
    """Bob has the last word, Anna begins."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "fair add host")
    await channel.do("Bob", "fair add bob")
    await channel.do("Anna", "roll 2d6", "roll 2d6")
    return await exported(channel)


def changed(log: Json, number: int, **fields: object) -> Json:
    """The log with an event changed, and all hashes made to fit; None takes a field out."""
    log = copied(log)
    body = log["events"][number - 1]["body"]
    for name, value in fields.items():
        body.pop(name, None)
        if value is not None:
            body[name] = value
    return rechained(log)


async def test_a_forged_closing_is_named() -> None:
    log = await played()
    (closing,) = kinds(log)
    first, second = (body["number"] for body in bodies(log, "roll"))
    assert closing["number"] == first
    assert "should have closed" in faults(changed(log, first, closes=None))
    assert "are not open" in faults(changed(log, second, closes=True))
    text = bodies(log, "fair")[1]
    by_bob = changed(
        changed(log, first, who=text["who"], side="VC"), second, who=text["who"], side="VC"
    )
    assert "the player who added the last words must not close" in faults(by_bob)
    assert faults(changed(log, bodies(log, "join")[0]["number"], closes=True)), (
        "joining closes nothing"
    )
    assert "cannot be read" in faults(changed(log, first, closes=False))


async def test_a_text_after_the_closing_is_named() -> None:
    log = await played()
    old, new = bodies(log, "fair")[1]["number"], bodies(log, "roll")[0]["number"]
    assert "should have closed" in faults(changed(log, new, closes=None))
    log = copied(log)
    (body,) = kinds(log)
    body.pop("closes")
    log["events"][0]["body"]["secret"].pop("closing")
    found = faults(rechained(log))
    assert "text" not in found or "seed" in found, "an old game follows the old rule"
    assert old < new


# The seed of free play


async def test_free_play_uses_the_seed_that_was_promised() -> None:
    channel = await Channel.fresh(place=Place("discord:5/1", "discord:5"))
    shown = await channel.do("Anna", "fair show")
    assert not shown.private
    assert await channel.app.games.load_current(channel.place.key) is None, "to look begins nothing"
    promised = shown.format_body()[0].split()[-1]
    assert (await channel.do("Anna", "fair show")).format_body()[0].split()[-1] == promised
    hall = Channel(channel.app, Place("discord:5/2", "discord:5"), "h")
    rolled = await hall.do("Bob", "roll 2d6")
    assert rolled.footer[2:] == ("free play begins",)
    assert (await hall.game()).commitment == promised
    following = (await hall.do("Bob", "fair show")).format_body()[-1].split()[-1]
    assert following != promised
    again = await channel.do("Anna", "roll 2d6")
    assert again.footer[2:] == ("free play begins",)
    assert (await channel.game()).commitment == following
    log = await exported(channel)
    assert faults(log) == ""
    assert "unannounced" not in bodies(log)[0]


async def test_the_id_of_free_play_is_promised_with_its_seed() -> None:
    """It is part of each die: a host who could choose it at the first roll would choose the
    first dice.
    """
    channel = await Channel.fresh()
    promised = (await channel.do("Anna", "fair show")).format_body()[0].split()[-1]
    await channel.do("Anna", "roll 2d6")
    assert (await channel.game()).id == promised[:16]
    log: Json = json.loads((await channel.do("Anna", "game export")).files[0].content)
    log["game"] = log["events"][0]["body"]["game"] = "0" * 16
    assert "does not match the seed announced" in faults(rechained(log))


async def test_free_play_that_nobody_could_see_coming_says_so() -> None:
    channel = await Channel.fresh()
    rolled = await channel.do("Anna", "roll 2d6")
    assert "seed not announced beforehand" in rolled.format_text()
    assert (
        "wasn't announced before the first roll"
        in (await channel.do("Anna", "fair show")).format_text()
    )
    log = await exported(channel)
    assert bodies(log)[0]["unannounced"] is True
    assert faults(log) == ""
    told = "Event 1: nobody could see the commitment of this free play in advance."
    assert told in check(log).remarks
    assert any("before the game began" in note for note in verify_log.check(log).notes)
    proof = await channel.do("Anna", "fair show")
    assert "not announced" not in proof.format_text(), (
        "the next seed was, by the event that revealed the first"
    )
    promised = proof.format_body()[-1].split()[-1]
    assert promised in (await channel.do("Anna", "setup systems")).format_text()


async def test_setup_shows_the_commitment_that_the_first_free_play_uses() -> None:
    channel = await Channel.fresh()
    promised = (await channel.do("Anna", "setup systems")).format_body()[-1].split()[-1]
    assert "not announced" not in (await channel.do("Anna", "roll 2d6")).format_text()
    shown = (await channel.do("Anna", "fair show")).format_text()
    assert f"Commitment to seed 1: {promised}" in shown
    assert "not announced" not in shown


async def test_the_end_promises_the_next_free_play_once_and_a_start_has_a_button_for_it() -> None:
    channel = await Channel.fresh()
    started = await channel.do("Anna", 'game start lnlt "Hill 875"')
    assert len(started.footer) == 2, "its number and the head of the log, which holds the promise"
    proof = next(button.action for button in started.buttons if button.label == "Proof")
    assert "Commitment to seed 1: " in (await channel.press("Anna", proof)).format_text()
    shown = await channel.do("Anna", "game end confirm")
    assert not any(mark.startswith("next free play") for mark in shown.footer), "shown by Proof"
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Hill 875"')
    shown = await channel.do("Anna", "game end confirm")
    promised = next(mark for mark in shown.footer if mark.startswith("next free play")).split()[-1]
    assert promised in (await channel.do("Anna", "setup systems")).format_text()


async def test_the_second_card_of_free_play_promises_the_next_one_once() -> None:
    channel = await Channel.fresh()
    first = await channel.do("Anna", "roll 2d6")
    assert "next free play" not in first.format_text(), (
        "its own commitment is enough for a first roll"
    )
    promised = (await channel.do("Anna", "setup systems")).format_body()[-1].split()[-1]
    undone = (await channel.do("Anna", "game undo")).footer
    assert f"next free play: commitment {promised[:16]}" in undone
    assert "next free play" not in (await channel.do("Anna", "game redo")).format_text()


async def test_one_seed_is_never_used_for_two_games(tmp_path: Path) -> None:
    """Several channels of a server begin at the same moment; to reveal one seed must not reveal
    the others' dice.
    """
    async with await SqliteStore.open(tmp_path / "games.db") as store:
        app = App(store)
        places = [Channel(app, Place(f"discord:5/{at}", "discord:5"), f"c{at}") for at in range(8)]
        await places[0].do("Anna", "fair show")
        await asyncio.gather(*(place.do("Bob", "roll 2d6") for place in places))
        commitments = [(await place.game()).commitment for place in places]
        assert len(set(commitments)) == len(places)


@pytest.mark.parametrize(
    "place", [Place("discord:5/1", "discord:5"), Place("discord:dm/7", owner="discord:7")]
)
async def test_the_prepared_seed_never_leaves_the_store(place: Place) -> None:
    channel = await Channel.fresh(place=place)
    replies = [
        await channel.say("Anna", line, manager=True)
        for line in ("fair show", "roll 2d6", "setup systems")
    ]
    ready = await load_next_seed(channel.app.store, place)
    assert ready is not None
    lines = (
        "fair show",
        "privacy show",
        "privacy export",
        "game export",
        "setup systems",
        "help fair",
        "log",
    )
    replies += [await channel.say("Anna", line, manager=True) for line in lines]
    said = "\n".join(
        reply.format_text() + "".join(file.text for file in reply.files) for reply in replies
    )
    assert ready.seed.hex() not in said
    assert ready.commitment[:16] in said
    assert ready.seed.hex() not in repr(ready)
    doc = await channel.app.store.load_doc(PREPARED, place.server or place.key)
    assert doc is not None
    assert doc.owner not in ("", channel.who("Anna").key)


# Heads


async def test_sixteen_digits_of_the_head_are_shown_to_whoever_asks() -> None:
    channel = await Channel.fresh()
    rolled = await channel.do("Anna", "roll 2d6")
    shown = await channel.do("Anna", "fair show")
    log = await exported(channel)
    assert len(shown.footer[1]) == 16
    assert shown.footer[0] == rolled.footer[0]
    number = int(rolled.footer[0][1:])
    assert log["events"][number - 1]["hash"].startswith(shown.footer[1])
