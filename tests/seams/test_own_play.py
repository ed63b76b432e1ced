"""Somebody's own play beside every command: what needs no game works there, anything else is
refused in one sentence, and whatever is done stays out of every channel."""

from __future__ import annotations

import json
import time

import pytest

from adapters.discord.command_payload import list_our_commands
from bot.commands.dispatch import load_shared_registry
from bot.monitoring.command_log import Watch
from bot.monitoring.metrics import Metrics
from bot.outbox.leases import LEASE
from bot.preferences.own_installs import LOOKS
from bot.rules.errors import UserError
from bot.storage.records import UNTOLD
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, CommandSpec, Path, Receipt, build_own_place
from tests.playing import Channel

ANNA = "console:anna"
SHOT = 'lnlt fire "squad fp=2" "squad morale=5"'
SPECS = list(load_shared_registry())
REFUSED = {
    *(
        "choose",
        "unit",
        "order",
        "pack",
        "seek",
        "result",
        "ladder",
        "solo",
        "setup",
        "track",
        "hand",
        "deck deal",
        "deck peek",
        "deck play",
        "deck give",
        "me luck",
    ),
    *(
        f"game {word}"
        for word in ("start", "join", "leave", "next", "pass", "initiative", "plan", "board", "end")
    ),
    *(
        f"game {word}"
        for word in ("open", "resume", "transfer", "link", "import", "share", "claim")
    ),
}
"""By hand, so that a new command is thought about: whole families, and commands of `/game`."""
BEFORE: dict[Path, tuple[str, ...]] = {
    ("game", "redo"): ("roll 2d6", "game undo"),
    ("game", "reveal"): ("roll 2d6", "roll 2d6 secret"),
    ("fair", "add"): (),
    **dict.fromkeys(((("deck", "discard")), ("deck", "return")), ("deck draw standard-52",)),
    ("fair", "close"): ('fair add "words"',),
    ("fair", "reveal"): ("roll 2d6",),
    **dict.fromkeys(
        (("macro", "run"), ("macro", "remove"), ("macro", "export")),
        ("roll 2d6", 'macro add h "roll {n=1}d10>=8"'),
    ),
}
TYPED: dict[Path, str] = {
    ("game", "reveal"): "game reveal 3",
    ("macro", "import"): 'macro import file="h: roll d6"',
    ("me", "ping"): "me ping interval=4h",
}


async def own_play(before: tuple[str, ...] = ("roll 2d6",)) -> Channel:
    """Anna's own play on an app of its own."""
    channel = await Channel.fresh(place=build_own_place(ANNA))
    if before:
        await channel.do("Anna", *before)
    return channel


def needs_game(spec: CommandSpec) -> bool:
    return spec.path[0] in REFUSED or " ".join(spec.path[:2]) in REFUSED


@pytest.mark.parametrize("family", sorted({spec.path[0] for spec in SPECS}))
async def test_every_command_works_or_is_refused_in_one_sentence(family: str) -> None:
    channel = await own_play()
    for spec in (spec for spec in SPECS if spec.path[0] == family):
        if spec.path in BEFORE:
            channel = await own_play(BEFORE[spec.path])
        before = await channel.app.store.load_game_version(channel.place.key)
        reply = await channel.say("Anna", TYPED.get(spec.path, spec.example))
        if needs_game(spec):
            assert spec.needs_game
            assert (reply.code, reply.title) == (
                "needs-game",
                f"{spec.name} is for games, and a game needs Grognard on the server.",
            )
            assert await channel.app.store.load_game_version(channel.place.key) == before, (
                "nothing is written"
            )
        else:
            assert not spec.needs_game
            assert not reply.error, f"{spec.name}: {reply.format_text()}"


def test_the_menu_offers_a_persons_install_what_works_there() -> None:
    for command in list_our_commands():
        works = command.get("type") == 3 or not all(
            needs_game(spec) for spec in SPECS if spec.path[0] == command["name"]
        )
        assert command["integration_types"] == ([0, 1] if works else [0]), command["name"]
        everywhere = [0, 1, 2] if works else [0] if command["name"] == "setup" else [0, 1]
        assert command["contexts"] == everywhere, command["name"]


async def test_own_play_meets_the_ways_of_rolling() -> None:
    channel = await own_play()
    for line in (
        SHOT,
        f"{SHOT} odds",
        f"{SHOT} compare",
        f"{SHOT} secret",
        "roll 2d6 hand=3,4",
        "again",
        "2d6+1",
    ):
        reply = await channel.do("Anna", line)
    owed = await channel.refused("Anna", "roll 2d6 hand=3", "die-owed hand")
    assert owed.owed is not None
    reply = await channel.fails(
        "Anna", 'lnlt fire us1 "squad morale=5"', "no roster when you play on your own"
    )
    assert "/help lnlt units" in reply.format_text()
    assert (await channel.game()).units == {}
    assert not (await channel.game()).started


async def test_a_macro_that_needs_a_game_is_refused_like_it() -> None:
    channel = await own_play()
    saved = await channel.say("Anna", 'macro add s "unit list"')
    if not saved.error:
        assert (await channel.say("Anna", "macro run s")).code == "needs-game"


@pytest.mark.parametrize(
    "button", ["again", "undo", "redo", "reveal", "other", "share", "close", "log", "delete"]
)
async def test_nobody_else_goes_on_with_it(button: str) -> None:
    channel = await own_play(("roll 2d6 secret", SHOT))
    number = (await channel.game()).number
    reply = await channel.press("Ben", await channel.under(3, button))
    assert reply.code == "own-play"
    assert (await channel.game()).number == number


async def test_others_may_look() -> None:
    channel = await own_play((SHOT,))
    for button in ("odds", "dice"):
        assert button in LOOKS
        reply = await channel.press("Ben", await channel.under(2, button))
        assert not reply.error, reply.format_text()
        assert reply.private
    with pytest.raises(UserError, match="Only the player who rolled this"):
        await channel.app.forms.open_draft(
            f"event:{(await channel.under(2, 'x'))[2:]}", channel.who("Ben"), channel.place
        )
    assert (await channel.game()).number == 2


async def test_it_is_shown_and_deleted_with_what_is_kept_about_a_person() -> None:
    own = await own_play()
    hall = Channel(own.app, prefix="h")
    await hall.do("Anna", "roll 2d6")
    await hall.do("Ben", "roll 2d6")
    await own.do("Anna", 'roll 2d6 label="my secret plan"')
    await own.app.save_undelivered(ANNA, "7", await own.do("Anna", "roll 1d6"))
    shown = (await hall.do("Anna", "privacy show")).format_text()
    assert "What you play with the app on your account: 3 events since" in shown
    assert "answers waiting for your next command: 1" in shown
    assert "Your own play" not in (await hall.do("Ben", "privacy show")).format_text()
    ((_, row),) = await own.app.store.load_game_history(own.place.key)
    data = json.loads((await hall.do("Anna", "privacy export")).files[0].text)
    assert [event["number"] for event in data["own_play"]] == [1, 2, 3, 4]
    asked = await hall.do("Anna", "privacy delete")
    assert "deleted completely" in asked.format_text()
    done = await hall.do("Anna", "privacy delete confirm")
    assert "Games that keep your rolls without your name: 1." in done.format_text()
    store = own.app.store
    assert await store.load_game_by_id(row) is None
    assert not await store.load_game_history(own.place.key)
    assert not await store.load_docs(UNTOLD, ANNA)
    assert (await own.say("Anna", "game status")).code == "nothing-rolled"
    assert "2d6" in (await hall.do("Ben", "log")).format_text(), "the channel's own log is whole"
    await own.do("Anna", "roll 2d6")
    assert (await own.game()).number == 2, "and begins anew"


async def test_deleting_it_leaves_others_what_they_are_owed() -> None:
    """The channel where Anna types that is not the place that goes: Ben's receipt there stays."""
    own = await own_play()
    hall = Channel(own.app, prefix="h")
    await hall.do("Ben", "roll 2d6")
    asked, until = (
        Command(("roll",), {"dice": "2d6"}, hall.who("Ben"), hall.place, "b1"),
        time.time() + 600,
    )
    assert await own.app.promise_answer(asked, until) is None
    await hall.do("Anna", "privacy delete confirm")
    assert not await own.app.store.journal.note(Receipt(asked, until), LEASE), "it is still there"


async def test_an_answer_that_is_kept_is_counted() -> None:
    metrics, channel = Metrics("1"), await own_play()
    channel.app.attach_watch(Watch(metrics))
    await channel.app.save_undelivered(ANNA, "7", Reply("late"))
    assert b"grognard_untold_total 1.0" in metrics.render()
    ((key, reply),) = await channel.app.answers.list_unseen(ANNA)
    assert reply == Reply("late")
    await channel.app.answers.mark_seen(key)
    assert await channel.app.answers.list_unseen(ANNA) == []


async def test_its_seed_is_promised_to_the_person() -> None:
    """What `/fair show` promises before the first roll is what that roll uses, and a server's
    promise stays its own.
    """
    channel = await Channel.fresh(place=build_own_place(ANNA))
    promised = (await channel.do("Anna", "fair show")).format_text()
    await channel.do("Anna", "roll 2d6")
    assert (await channel.game()).commitment in promised
