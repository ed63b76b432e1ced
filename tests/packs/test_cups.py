"""A phase that a cup leads: one chit for each go, whose go it is, what ends it, what is undone,
who is called.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.app import App
from bot.game.cups import is_drawn_next
from bot.game.state import from_json, get_undoable_content, to_json
from bot.packs.check import check_path
from bot.rules.errors import TableError
from bot.rules.proof.chain import SAID
from bot.rulesets.packs.pack import load_pack
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Place
from tests.bent_logs import nearby_value, paths_in, value_at
from tests.closed_cards.forged_logs_helpers import verdicts
from tests.commands.pack_helpers import add, few, managed
from tests.forging import Json, bodies, copied, rechained
from tests.fresh import fresh_store
from tests.packs.conftest import FEW, PackMaker
from tests.packs.cups_helpers import (
    CUP,
    FILES,
    GAME,
    begun,
    drawn,
    labels,
    sound,
)
from tests.packs.evening import refused_by_all
from tests.page_script import said_by_page
from tests.playing import Channel
from tests.random_play import exported_text

pytestmark = pytest.mark.scenes(14)


@pytest.fixture
def pack(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> Path:
    path = make_pack(FILES)
    use_packs(path.parent)
    return path


def button(reply: Reply, label: str) -> str:
    return next(one.action for one in reply.buttons if one.label == label)


async def test_a_chit_says_whose_go_it_is_and_done_asks_for_the_next(
    pack: Path, tmp_path: Path
) -> None:
    channel = await begun()
    card = await drawn(channel, "us")
    assert (card.title, card.by) == ("US troops: US to play, Anna", "Bob draws")
    assert labels(card) == ["Done", "Undo"]
    game = await channel.game()
    assert (game.led, game.go) == ("cup/us", ("US",))
    await channel.refused("Bob", "game pass done", "not-your-go")
    done = await channel.press("Anna", button(card, "Done"))
    assert done.first_line == "Draw the next chit · Anna is done with US troops"
    assert labels(done)[:2] == ["Draw", "Next phase"]
    assert (await channel.game()).go == ("US", "VC")
    event = await drawn(channel, "event")
    assert event.title == "Rain: both sides"
    red = await drawn(channel, "red")
    assert red.title == "2/16: US to play, Anna"
    assert (await sound(channel, tmp_path))["version"] == 2


async def test_one_chit_for_a_go_however_often_it_is_pressed(pack: Path) -> None:
    channel = await begun()
    card = await channel.say("Anna", "game status")
    assert "draw the next chit" in card.format_text()
    board = await channel.do("Anna", "game board")
    press = button(board, "Draw")
    await channel.press("Bob", press)
    number = (await channel.game()).number
    second = await channel.press("Anna", press)
    assert (second.error, (await channel.game()).number) == (True, number)
    if (await channel.game()).led:
        assert second.code == "chit-drawn"
    await channel.do("Anna", "game undo") if not (await channel.game()).led else None
    await channel.fails("Bob", "deck draw", "has been drawn") if "/" in (
        await channel.game()
    ).led else None


async def test_strangers_draw_nothing_and_nobody_looks_ahead(pack: Path) -> None:
    channel = await begun()
    await channel.refused("Zoe", "deck draw", "not-player")
    for line in ("deck draw cup 2", "deck draw cup to=me"):
        await channel.refused("Anna", line, "bad-value")
    for line in ("deck peek 1 cup", "deck deal 1 cup"):
        await channel.refused("Anna", line, "leads-phase")
    await channel.refused("Anna", "game pass", "no-chit")
    await drawn(channel, "us")
    await channel.refused("Anna", "deck return us place=top", "leads-phase")


async def test_a_chit_ends_the_turn_and_the_cup_is_filled_anew_but_for_what_is_out(
    pack: Path, tmp_path: Path
) -> None:
    channel = await begun()
    await drawn(channel, "lull")
    turn = (await channel.game()).turn
    over = await drawn(channel, "end")
    game = await channel.game()
    assert (over.title, game.phase, game.led) == (
        f"Turn {game.turn}, Supply: both sides",
        "move",
        "",
    )
    assert "Bob draws End of turn: the turn is over." in over.format_text()
    assert game.turn > turn
    await channel.do("Anna", "game next")
    assert (await channel.game()).cards == {"cup/removed/lull": 1}
    await sound(channel, tmp_path)


async def test_a_chit_that_ends_the_turn_still_does_when_the_next_phase_was_undone(
    pack: Path, tmp_path: Path
) -> None:
    channel = await begun()
    await drawn(channel, "end")
    turn = (await channel.game()).turn
    await channel.do("Bob", "game undo")
    assert (await channel.game()).led == "cup/end"
    over = await channel.do("Bob", "game pass")
    game = await channel.game()
    assert (game.turn, game.phase, over.title) == (turn, "move", f"Turn {turn}, Supply: both sides")
    await sound(channel, tmp_path)


async def test_the_last_chit_ends_the_phase_and_the_turn_card_says_what_was_left(
    make_pack: PackMaker, use_packs: Callable[[Path], None], tmp_path: Path
) -> None:
    few = "title: Chits\ncards: [{id: us, side: US}, {id: vc, side: vc}]\n"
    use_packs(make_pack({**FILES, "decks/cup.yaml": few}).parent)
    channel = await begun()
    for at in range(2):
        await channel.do("Bob", "deck draw cup")
        last = await channel.do(
            "Bob" if (await channel.game()).go == ("VC",) else "Anna", "game pass done"
        )
        assert ("Draw the next chit" in last.title) == (at == 0)
    assert last.title == "Turn 1, End: both sides"
    assert "the last chit. The Activations phase is over." in last.format_text()
    await channel.do("Anna", "game next", "game next")
    left = await channel.do("Anna", "game next")
    assert left.title.startswith("Turn 2, End")
    await sound(channel, tmp_path)


DEAD = """\
title: Chits
dead: {dead}
cards: [{{id: red, name: "2/16", formation: "2/16", count: 3}}, {{id: us, side: US}}]
"""


@pytest.mark.parametrize(("dead", "place"), [("again", "discard"), ("out", "removed")])
async def test_a_chit_of_a_dead_formation_is_set_aside_and_another_drawn(
    dead: str, place: str, make_pack: PackMaker, use_packs: Callable[[Path], None], tmp_path: Path
) -> None:
    use_packs(make_pack({**FILES, "decks/cup.yaml": DEAD.format(dead=dead)}).parent)
    channel = await begun()
    await channel.do("Anna", 'unit edit "Rifles 1" eliminated', 'unit edit "Rifles 2" eliminated')
    await channel.do("Anna", "unit add Sniper squad US")
    reply = await channel.do("Bob", "deck draw")
    game = await channel.game()
    assert game.led == "cup/us"
    gone = game.cards.get(f"cup/{place}/red", 0)
    said = "out of the game" if dead == "out" else "set aside"
    assert reply.format_text().count(f"2/16: {said}, it has no units left.") == gone
    last = await channel.do("Anna", "game pass done")
    while (await channel.game()).led:
        last = await channel.do("Bob", "deck draw")
    assert "The cup is empty." in last.format_text() or gone == 3
    await sound(channel, tmp_path)


async def test_the_go_is_undone_with_its_chit_by_consent_and_done_freely(
    pack: Path, tmp_path: Path
) -> None:
    channel = await begun()
    await drawn(channel, "us")
    before = await channel.game()
    await channel.do("Anna", "game pass done")
    assert (await channel.do("Anna", "game undo")).title.endswith("is undone")
    assert get_undoable_content(await channel.game()) == get_undoable_content(before)
    asked = await channel.undo("Anna")
    assert (await channel.game()).led == "cup/us", "a die fell: the other side is asked"
    assert "Bob" in asked.format_text() or asked.mention
    undone = await channel.do("Bob", "game undo")
    game = await channel.game()
    assert (game.led, game.go) == ("cup", ("US", "VC"))
    assert "Now: draw the next chit." in undone.format_text()
    await channel.do("Anna", "game redo")
    await channel.do("Bob", "game redo")
    assert get_undoable_content(await channel.game()) == get_undoable_content(before)
    await sound(channel, tmp_path)


async def test_a_game_without_sides_is_led_too(pack: Path, tmp_path: Path) -> None:
    channel = await begun("")
    card = await drawn(channel, "event")
    assert card.title == "Rain"
    assert (
        await channel.do("Anna", "game pass")
    ).first_line == "Draw the next chit · Anna is done with Rain"
    await sound(channel, tmp_path)


async def test_by_post_it_is_said_who_is_waited_for(pack: Path) -> None:
    channel = await begun()
    assert "Draw the next chit" in (await channel.do("Anna", "me games")).format_text()
    await drawn(channel, "vc")
    assert "VC to play" in (await channel.do("Anna", "me games")).format_text()
    assert "Your move" in (await channel.do("Bob", "me games")).format_text()
    assert (await channel.do("Anna", "game board")).title.endswith(
        "Activations, Cadres: VC to play"
    )
    await channel.do("Bob", "game pass")
    assert "it's time to draw the next chit" in (await channel.do("Zoe", "log since=1")).title


async def test_an_import_goes_on_where_the_cup_was(pack: Path, tmp_path: Path) -> None:
    channel = await begun()
    await drawn(channel, "us")
    was, text = await channel.game(), await exported_text(channel)
    there = Channel(channel.app, Place("console:there", "console"), "there")
    file = Command(("game", "import"), {"file": text}, there.who("Zoe"), there.place, "import")
    assert not (await channel.app.run(file)).error
    game = await there.game()
    assert (game.led, game.go, dict(game.cards)) == (was.led, was.go, dict(was.cards))
    assert from_json(to_json(game)) == game


Bend = Callable[[dict[str, Any]], None]


def _leads(log: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        body
        for body in bodies(log, "draw")
        if body["does"] == "lead" and "led" in body["after"].get("game", {})
    ]


def _other_side(log: dict[str, Any]) -> None:
    """The chit gives the go to the other side."""
    body = next(one for one in _leads(log) if one["after"]["game"].get("go") == ["US"])
    body["after"]["game"]["go"] = ["VC"]


def _last_to_others(log: dict[str, Any]) -> None:
    """The last chit gives the go to others, and nothing that comes later tells."""
    now = _leads(log)[-1]["after"]["game"]
    now["go"] = ["US" if now["go"] == ["VC"] else "VC"]


def _other_chit(log: dict[str, Any]) -> None:
    body = next(one for one in _leads(log) if one["result"] == "cup: us")
    body["after"]["game"]["led"] = "cup/event"


def _no_chit(log: dict[str, Any]) -> None:
    """A go without a chit: the draw is a plain one."""
    body = _leads(log)[0]
    body["does"] = "draw"


def _second_chit(log: dict[str, Any]) -> None:
    """The go of one chit is never over, and the next is drawn."""
    passed = bodies(log, "pass")[0]
    del passed["after"]["game"]["led"], passed["before"]["game"]["led"]


def _other_done(log: dict[str, Any]) -> None:
    body = bodies(log, "pass")[0]
    body["result"] = "other is done"


def _kept_out(log: dict[str, Any]) -> None:
    """A chit is not put back though the phase begins anew."""
    body = next(one for one in bodies(log, "next") if one.get("after", {}).get("cards"))
    key = next(iter(body["after"]["cards"]))
    del body["after"]["cards"][key], body["before"]["cards"][key]


def _filled_early(log: dict[str, Any]) -> None:
    """The end of a go puts more back than its chit."""
    body = next(one for one in bodies(log, "pass") if any(one["after"].get("cards", {}).values()))
    body["after"]["cards"] = dict.fromkeys(body["after"]["cards"], 0)


def _unled(log: dict[str, Any]) -> None:
    """The phase begins with a chit of somebody's choice."""
    body = next(one for one in bodies(log, "next") if one["after"]["game"].get("led"))
    body["after"]["game"]["led"] = "cup/us"


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "bend",
    [
        _other_side,
        _last_to_others,
        _other_chit,
        _no_chit,
        _second_chit,
        _other_done,
        _kept_out,
        _filled_early,
        _unled,
    ],
)
async def test_a_cheat_is_seen_by_all_three(bend: Bend, pack: Path, tmp_path: Path) -> None:
    channel = await begun()
    await drawn(channel, "us")
    await channel.do("Anna", "game pass done", "game next", "game next", "game next")
    await drawn(channel, "red")
    log = json.loads(await exported_text(channel))
    bend(log)
    refused_by_all(log)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"game.yaml": GAME.replace("led_by: cup", "led_by: cap")}, "there is no deck cap"),
        (
            {"game.yaml": GAME.replace("led_by: cup", "led_by: cup, go: both")},
            "leave out go and passes",
        ),
        (
            {"game.yaml": GAME.replace("led_by: cup", "led_by: [cup]")},
            "led_by: must be a text, not a list: the deck whose",
        ),
        (
            {"game.yaml": GAME.replace("formation: {", "forma: {")},
            "cards red, column formation: units have none",
        ),
        (
            {"decks/cup.yaml": CUP.replace("ends: turn", "ends: game")},
            "column ends: must be phase or turn",
        ),
        (
            {"decks/cup.yaml": CUP.replace("side: US", "side: 7").replace("side: VC", "side: 8")},
            "column side: must be text; quote it",
        ),
        ({"decks/cup.yaml": f"keep: hand\n{CUP}"}, "a deck that leads a phase is drawn face up"),
        (
            {"decks/cup.yaml": f"dead: never\n{CUP}"},
            'row dead: "never" is not known here. It can be again, out',
        ),
    ],
)
def test_mistakes_are_named(changed: dict[str, str], says: str, make_pack: PackMaker) -> None:
    with pytest.raises(TableError, match=re.escape(says)):
        load_pack(make_pack({**FILES, **changed})).check_whole()


def test_a_chit_needs_not_say_what_the_others_say(pack: Path) -> None:
    assert [line for line in check_path(pack).questions if "decks/cup" in line] == []


async def test_sides_that_the_cup_does_not_know_are_refused_at_the_start(pack: Path) -> None:
    channel = await Channel.fresh()
    reply = await channel.fails(
        "Anna", 'game start few "First" sides="Red, Blue"', "This game's cup has chits for US"
    )
    assert reply.option == "sides"


async def test_two_processes_draw_one_chit_and_a_restart_forgets_nothing(
    pack: Path, tmp_path: Path
) -> None:
    now = [1.8e9]
    store = await fresh_store(lambda: now[0])
    app, other = (App(store, lambda: now[0], lambda: now[0]) for _ in range(2))
    channel = await begun(app=app)
    board = await channel.do("Anna", "game board")
    there = Channel(other, channel.place, "other")
    number = (await channel.game()).number
    first, second = await asyncio.gather(
        channel.press("Anna", button(board, "Draw")), there.press("Bob", button(board, "Draw"))
    )
    loaded = await app.games.load_current(channel.place.key)
    assert loaded is not None
    drew = [row.data for row in await store.load_events(loaded.row, after=number)]
    assert [one["kind"] for one in drew][:2] == ["deck", "draw"]
    assert sum(one["kind"] == "draw" for one in drew) == 1
    assert first.error or second.error
    channel.app = App(store, lambda: now[0], lambda: now[0])
    await drawn(channel, "vc")
    await sound(channel, tmp_path)


async def calls_of(channel: Channel, user: str) -> list[Reply]:
    due = [one.reply for one in await channel.app.answers.claim_due("console:") if not one.amends]
    return [reply for reply in due if "is waiting for you" in reply.title and user in reply.mention]


async def test_who_is_asked_to_draw_is_reminded_and_no_more_once_it_is_drawn(pack: Path) -> None:
    now = [1.8e9]
    store = await fresh_store(lambda: now[0])
    channel = await begun(app=App(store, lambda: now[0], lambda: now[0]))
    await channel.do("Bob", "me ping interval=1h quiet=off")
    await drawn(channel, "us")
    now[0] += 3600
    await channel.app.due_work.look()
    assert await calls_of(channel, "console:bob") == [], "it is the go of the US"
    done = await channel.do("Anna", "game pass")
    assert done.mention == ("console:bob",)
    channel.app = App(store, lambda: now[0], lambda: now[0])
    now[0] += 7200
    await channel.app.due_work.look()
    (reminder,) = await calls_of(channel, "console:bob")
    assert "any side may draw the next chit, which was due" in reminder.format_text()


async def test_a_linked_channel_sees_each_chit_and_draws_the_next(
    pack: Path, tmp_path: Path
) -> None:
    channel = await begun()
    code = (await channel.say("Anna", "game link", manager=True)).title.split()[-1]
    there = Channel(channel.app, Place("console:there", "console"), "there")
    assert not (await there.say("Bob", f"game link {code}", manager=True)).error
    game = await channel.game()
    while not is_drawn_next(game):
        game = await channel.game()
    await there.do("Bob", "deck draw cup")
    assert (await channel.game()).number > game.number
    told = [
        due.reply.title
        for due in await channel.app.answers.claim_due(channel.place.key)
        if not due.amends
    ]
    assert told, "the other channel is shown it"
    await sound(channel, tmp_path)


LOGS = int(os.environ.get("GROGNARD_CUP_LOGS", "60"))


def bent(chance: Random, log: Json) -> Json:
    """The log with one value changed of a deck or draw, or of what a phase or a go makes of the
    cup.
    """
    log = copied(log)
    of_cups = [
        one
        for one in bodies(log)
        if one["kind"] in ("deck", "draw") or "led" in str(one.get("after"))
    ]
    body = chance.choice(of_cups)
    drawn = body["kind"] in ("deck", "draw")
    paths: Any = [
        path for path in paths_in(body) if path[0] not in (SAID, "at", "number", "who", "side")
    ]
    # what the game was before a phase or a pass the page takes as it is told
    path = chance.choice(
        [path for path in paths if drawn or (path[0] == "after" and {"led", "cards"} & {*path})]
    )
    if chance.random() < 0.3:
        del value_at(body, path[:-1])[path[-1]]
    else:
        value_at(body, path[:-1])[path[-1]] = nearby_value(chance, value_at(body, path))
    return rechained(log)


@pytest.mark.slow
async def test_nobody_calls_forged_what_grognard_verify_calls_sound(
    make_pack: PackMaker, use_packs: Callable[[Path], None], tmp_path: Path
) -> None:
    use_packs(make_pack({**FILES, "decks/cup.yaml": f"{CUP}dead: out\n"}).parent)
    channel = await begun()
    await drawn(channel, "red")
    await channel.do("Anna", "game pass", 'unit edit "Rifles 1..2" eliminated')
    await drawn(channel, "event")
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    while "cup/removed/red" not in (await channel.game()).cards:
        await drawn(channel, "end")
    await drawn(channel, "vc")
    chance, log, said, texts = Random(14), await sound(channel, tmp_path), [], []
    assert "removed/red" in str(log), "a dead chit"
    for _ in range(LOGS):
        try:
            forged = bent(chance, log)
        except TypeError:  # no canonical text
            continue
        texts.append(json.dumps(forged))
        said.append(verdicts(forged))
    for (whole, short), page in zip(said, said_by_page(texts, tmp_path), strict=True):
        if whole:
            assert (short, page["faults"]) == (True, [])
    assert False in {whole for whole, _ in said}


async def test_what_a_newer_version_of_the_pack_says_of_a_chit_counts_from_the_next_phase_on(
    tmp_path: Path,
) -> None:
    channel = await Channel.fresh(place=Place("slack:T1/C1", "slack:T1", "#north"))
    cup = "title: Chits\ncards: [{id: a, side: US}, {id: b, side: US}]\n"
    assert not (await add(channel, few({"game.yaml": GAME, "decks/cup.yaml": cup}))).error
    await managed(channel, "pack enable few")
    await begun('sides="US, VC"', channel=channel)
    await channel.do("Anna", "deck draw", "game pass done")
    second = {
        "pack.yaml": FEW["pack.yaml"].replace('"1"', '"2"'),
        "decks/cup.yaml": cup.replace("US", "VC"),
    }
    assert not (await add(channel, few({"game.yaml": GAME, **second}))).error
    await channel.do("Anna", "game settings pack=few@2", "deck draw")
    assert (await channel.game()).go == ("US",), "this phase goes on as it began"
    await channel.do("Anna", "game pass done", "game next", "game next", "deck draw")
    assert (await channel.game()).go == ("VC",)
    await sound(channel, tmp_path)


async def another_version(channel: Channel, files: dict[str, str]) -> None:
    """Version 2 of the pack, with these files, joins the game."""
    second = {"pack.yaml": FEW["pack.yaml"].replace('"1"', '"2"')}
    assert not (await add(channel, few({**second, **files}))).error
    await channel.do("Anna", "game settings pack=few@2")


async def first_version(cup: str) -> Channel:
    channel = await Channel.fresh(place=Place("slack:T1/C1", "slack:T1", "#north"))
    assert not (await add(channel, few({"game.yaml": GAME, "decks/cup.yaml": cup}))).error
    await managed(channel, "pack enable few")
    return await begun('sides="US, VC"', channel=channel)


async def test_a_phase_goes_on_as_it_began_though_a_newer_version_has_no_cup(
    tmp_path: Path,
) -> None:
    channel = await first_version("title: Chits\ncards: [{id: a, side: US}, {id: b, side: VC}]\n")
    await channel.do("Anna", "deck draw")
    await another_version(
        channel, {"game.yaml": GAME.replace(', led_by: cup, brief: "One chit, one go."', "")}
    )
    await channel.do("Anna", "game pass done")
    assert "draws" in str((await channel.do("Anna", "deck draw")).by)
    await channel.do("Anna", "game next", "game next", "game next")
    assert (await channel.game()).led == ""
    told = await channel.refused("Anna", "deck draw", "leads-phase")
    assert told.format_text() == "cup no longer leads a phase.\nOther decks: /deck show"
    await sound(channel, tmp_path)


async def test_a_chit_of_the_dead_keeps_no_old_list_for_good(tmp_path: Path) -> None:
    """Only what is out of the game for good keeps the list that the log has; a dead formation
    goes out again.
    """
    cup = 'title: Chits\ndead: out\ncards: [{id: red, formation: "2/16"}, {id: vc, side: VC}]\n'
    channel = await first_version(cup)
    await channel.do("Anna", 'unit edit "Rifles 1..2" state=eliminated', "unit add Guard squad US")
    await channel.do("Bob", "deck draw")
    if not (await channel.game()).cards.get("cup/removed/red"):
        await channel.do("Bob", "game pass done", "deck draw")
    assert (await channel.game()).cards["cup/removed/red"]
    await another_version(
        channel, {"game.yaml": GAME, "decks/cup.yaml": cup.replace("vc, side: VC", "vc, side: US")}
    )
    await channel.do("Anna", "game next")
    while (await channel.game()).phase != "activations":
        await channel.do("Anna", "game next")
    await channel.do("Bob", "deck draw")
    assert (await channel.game()).go == ("US",)
    await sound(channel, tmp_path)


async def test_chits_of_a_cup_are_drawn_in_its_phase_alone(pack: Path) -> None:
    channel = await begun()
    await channel.do("Anna", "game next")
    refused = await channel.refused("Anna", "deck draw cup 3", "leads-phase")
    assert "its chits are drawn in that phase, one by one" in refused.format_text()
    await channel.refused("Anna", "deck draw", "leads-phase")
    await channel.do("Anna", "game leave")
    made = await channel.do("Anna", "deck make cup once=yes")
    assert "The phase that it leads refills it." in made.format_text()


async def test_the_chits_of_a_real_cup_are_typed_those_of_the_dead_too(
    pack: Path, tmp_path: Path
) -> None:
    channel = await begun()
    await channel.do("Anna", 'unit edit "Rifles 1..2" state=eliminated', "unit add Guard squad US")
    refused = await channel.refused("Bob", "deck draw hand=red", "die-owed hand")
    assert refused.format_text() == (
        "Nothing is recorded yet. 2/16: set aside, it has no units left. Which came next?\n"
        'Type both: /deck draw cup hand="red, ..."'
    )
    await channel.refused("Bob", "deck draw hand=vc,us", "dice-left-over hand")
    told = await channel.do("Bob", 'deck draw cup hand="2/16, US troops"')
    assert told.first_line.startswith("US troops: US to play")
    assert "drawn by hand" in told.footer
    await channel.refused("Bob", "deck draw cup 2 hand=us,vc", "bad-value count")
    await sound(channel, tmp_path)


async def test_the_log_and_the_story_call_chits_by_their_names(pack: Path) -> None:
    channel = await begun()
    await channel.do("Bob", "deck draw hand=us")
    await channel.do("Anna", "game pass")
    told = (await channel.do("Anna", "log 2")).format_text()
    assert "Anna (US): US troops is done" in told
    assert "Bob (VC): draws US troops from cup (drawn by hand)" in told
    story = (await channel.do("Anna", "log story=yes")).format_text()
    assert "Bob draws US troops from cup" in story
    assert "US troops is done" in story
    (file,) = (await channel.do("Anna", "game export markdown")).files
    assert "Bob draws US troops from cup" in str(file.data)
    assert "US troops is done" in str(file.data)
    undone = await channel.do("Anna", "game undo")
    assert "US troops is done" in undone.format_text()
