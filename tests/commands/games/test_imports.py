"""An imported file speaks for nobody: its persons have no account until that account itself says
so.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from bot.commands.games import imports
from bot.rules.errors import UserError
from bot.rules.proof.chain import (
    compute_event_hash,
    compute_genesis,
    compute_person_key,
    hash_salted,
    to_canonical,
)
from bot.rulesets.system import System
from bot.ui.reply.packing import read_file_text
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Place
from bot.verification.check_file import check
from bot.verification.check_games import audit_games
from tests.playing import Channel, two_sides
from tools import verify_log

THERE = Place("console:there", "console", "there")


async def exported(channel: Channel) -> str:
    """The file of the channel's game."""
    return (await channel.do("Anna", "game export")).files[0].text


async def brought(app: Any, file: str, name: str = "Mallory") -> tuple[Channel, Reply]:
    """Another channel, into which `name` imports the file."""
    there = Channel(app, THERE, f"there-{name}")
    command = Command(("game", "import"), {"file": file}, there.who(name), THERE, f"import-{name}")
    return there, await app.run(command)


def rewritten(file: str, change: Callable[[dict[str, Any]], object]) -> str:
    """The file with something changed and its chain made whole again."""
    data = json.loads(file)
    change(data)
    head = compute_genesis(data["game"])
    for event in data["events"]:
        head = event["hash"] = compute_event_hash(head, to_canonical(event["body"]))
    return json.dumps({**data, "head": head})


async def played() -> Channel:
    """A game of Anna (US, game master) and Bob (VC) in which both have rolled."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'roll 2d6 label="take that"')
    await channel.do("Bob", "roll 2d6")
    return channel


async def test_a_file_names_no_account() -> None:
    channel = await played()
    file = await exported(channel)
    assert "console:" not in file
    data = json.loads(file)
    assert {person["key"] for person in data["persons"]} == {
        compute_person_key(data["game"], f"console:{name}") for name in ("anna", "bob")
    }


async def test_names_from_a_file_are_marked_wherever_they_show() -> None:
    channel = await played()
    there, taken = await brought(channel.app, await exported(channel))
    assert "Players known only from the file: Anna, Bob" in taken.format_text()
    for line in ("log", "game status"):
        shown = (await there.do("Mallory", line)).format_text()
        assert "Anna (imported)" in shown, line
        assert "Bob (imported)" in shown, line
    csv, report = [
        (await there.say("Mallory", f"game export {kind}", manager=True)).files[0].text
        for kind in ("csv", "markdown")
    ]
    assert "Anna (imported)" in csv
    assert "Anna (imported)" in report
    asked = await there.say("Mallory", "game undo")
    assert "Anna (imported)" in asked.format_text() or "cannot be undone" in asked.format_text()


async def test_an_import_adds_nothing_to_what_is_kept_about_anybody() -> None:
    channel = await played()
    file = await exported(channel)
    before = (await channel.do("Anna", "privacy show")).format_text()
    for at in range(3):
        await channel.app.run(
            Command(
                ("game", "import"),
                {"file": file},
                channel.who("Mallory"),
                Place(f"console:m{at}"),
                f"m{at}",
            )
        )
    assert (await channel.do("Anna", "privacy show")).format_text() == before


async def test_only_the_account_itself_claims_and_the_log_shows_it() -> None:
    channel = await played()
    there, taken = await brought(channel.app, await exported(channel))
    (button,) = taken.buttons
    refused = await there.press("Mallory", button.action)
    assert refused.error
    assert "No imported moves in this game" in refused.format_text()
    claimed = await there.press("Anna", button.action)
    assert not claimed.error
    assert not claimed.private
    assert "They play US" in claimed.format_text()
    log = (await there.do("Mallory", "log")).format_text()
    assert "Anna (US): is this person from the imported log" in log
    assert "Anna (imported)" not in log
    assert "Bob (imported)" in log
    await there.refused("Anna", "game claim", "nothing-to-claim")
    await there.refused("Anna", "game undo", "not-undoable")


async def test_rights_rest_with_whoever_imports_until_they_are_claimed() -> None:
    channel = await played()
    there, taken = await brought(channel.app, await exported(channel))
    assert "Mallory is game master" in taken.format_text()
    await there.refused("Anna", "unit edit us1 morale=6", "not-player")
    await there.refused("Anna", "game settings answers=compact", "not-master")
    await there.do("Mallory", "game settings answers=compact")
    await there.do("Anna", "game claim", "unit edit us1 morale=6")
    await there.refused("Anna", "game settings answers=full", "not-master")


async def test_a_file_that_makes_its_writer_game_master_gives_no_right() -> None:
    """Mallory rewrites Anna's game with his own account as its master, and Anna, who trusts him,
    imports it.
    """
    channel = await played()
    game = json.loads(await exported(channel))["game"]

    def promote(data: dict[str, Any]) -> None:
        anna = data["events"][0]["body"]["who"]
        for person in data["persons"]:
            if person["person"] == anna:
                person.update(name="Game Master", key=compute_person_key(game, "console:mallory"))

    there, taken = await brought(channel.app, rewritten(await exported(channel), promote), "Anna")
    assert not taken.error, taken.format_text()
    await there.do("Mallory", "game claim")
    await there.refused("Mallory", "game settings answers=compact", "not-master")
    await there.do("Anna", "game settings answers=compact")


async def test_one_account_never_sits_on_both_sides() -> None:
    """Both players of a forged file carry Mallory's key: he could have consented to his own
    request.
    """
    channel = await played()
    game = json.loads(await exported(channel))["game"]

    def both(data: dict[str, Any]) -> None:
        for person in data["persons"]:
            person["key"] = compute_person_key(game, "console:mallory")

    there, _ = await brought(channel.app, rewritten(await exported(channel), both), "Zoe")
    await there.do("Mallory", "game claim")
    await there.refused("Mallory", "game claim", "other-side")
    await there.do("Mallory", "game leave", "game claim")
    assert len((await there.game()).players) == 1


async def test_who_joined_before_claiming_keeps_one_seat() -> None:
    channel = await played()
    there, _ = await brought(channel.app, await exported(channel), "Anna")
    joined = await there.do("Bob", "game join VC")
    assert "/game claim" in joined.format_text()
    await there.do("Bob", "game claim")
    await there.do("Anna", "game claim")  # she imported it, and has a person of her own by that
    here, now = await channel.content(), await there.content()
    assert now["players"] == here["players"]
    assert now["master"] == here["master"]
    status = (await there.do("Bob", "game status")).format_text()
    assert "imported" not in status
    await there.do("Bob", "roll 2d6")
    asked = await there.undo("Bob")
    assert "Anna must agree" in asked.format_text()
    await there.press("Anna", asked.buttons[0].action)
    assert await audit_games(there.app.store) == (2, [])


async def test_an_unclaimed_person_survives_another_export_and_import() -> None:
    channel = await played()
    there, _ = await brought(channel.app, await exported(channel))
    file = (await there.say("Mallory", "game export", manager=True)).files[0].text
    third = Channel(channel.app, Place("console:third"), "third")
    command = Command(("game", "import"), {"file": file}, third.who("Zoe"), third.place, "third")
    assert not (await channel.app.run(command)).error
    await third.do("Bob", "game claim")
    assert (await third.game()).players


async def test_privacy_delete_also_takes_an_unclaimed_name_out_of_this_channels_game() -> None:
    channel = await played()
    there, _ = await brought(channel.app, await exported(channel))
    await there.do("Anna", "privacy delete confirm")
    shown = (await there.do("Mallory", "log")).format_text() + (
        await there.do("Mallory", "game status")
    ).format_text()
    assert "Anna" not in shown
    assert "take that" not in shown
    assert "Bob (imported)" in shown
    assert await audit_games(there.app.store) == (2, [])


def cheat(data: dict[str, Any]) -> None:
    """A thousand with three dice, in Bob's name."""
    body = next(event["body"] for event in data["events"] if event["body"]["kind"] == "roll")
    body |= {"inputs": {"dice": "3d6"}, "out": {"total": 1000, "dice": [6, 6, 6]}, "result": "1000"}


async def test_outcomes_are_played_again_before_a_game_is_taken() -> None:
    channel = await played()
    there, refused = await brought(channel.app, rewritten(await exported(channel), cheat))
    assert refused.code == "altered-log"
    assert "Event" in refused.format_text()
    assert "lead to" in refused.format_text()
    assert await there.app.games.load_current(THERE.key) is None


async def test_units_that_no_outcome_made_are_refused_too() -> None:
    channel = await played()
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 adjacent hand=6,1,5")

    def spare(data: dict[str, Any]) -> None:
        body = next(
            event["body"] for event in data["events"] if event["body"]["kind"] == "sequence"
        )
        body["after"]["units"]["cell 1"]["numbers"] = {"morale": 12}

    _, refused = await brought(channel.app, rewritten(await exported(channel), spare))
    assert refused.error
    assert "damaged or was altered" in refused.format_text()


async def test_what_was_imported_is_no_alarm_of_the_host_and_what_was_played_here_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An earlier Grognard took forged outcomes: doctor says so once for the game, and its exit
    status stays.
    """
    channel = await played()
    file = rewritten(await exported(channel), cheat)

    async def nothing_found(_context: object, _raw: str) -> tuple[tuple[str, ...], int]:
        return (), 0

    monkeypatch.setattr(imports, "_check_in_worker", nothing_found)
    there, taken = await brought(channel.app, file)
    assert not taken.error
    await there.do("Mallory", "roll 2d6")
    notes: list[str] = []
    assert await audit_games(channel.app.store, note=notes.append) == (2, [])
    (note,) = notes
    assert "was imported: its " in note
    store: Any = channel.app.store
    saved = await store.load_game(THERE.key)
    assert saved is not None
    before, last = (await store.load_events(saved.game.id))[-2:]
    body = to_canonical(last.data | {"out": {"total": 1000}})
    change = "UPDATE events SET body = ?, hash = ? WHERE game = ? AND number = ?"
    row = (body, compute_event_hash(before.hash, body), last.game, last.number)
    assert await store._writer.run(lambda conn: conn.execute(change, row).rowcount) == 1
    _, faults = await audit_games(store)
    assert any(fault.startswith(f"Game {saved.game.id}: ") for fault in faults)


async def test_outcomes_of_another_edition_are_taken_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    channel = await played()
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 adjacent hand=6,1,5")
    file = await exported(channel)

    async def check_here(_context: object, raw: str) -> tuple[tuple[str, ...], int]:
        return imports.check_text(raw)  # the checker process would not see the other edition

    monkeypatch.setattr(imports, "_check_in_worker", check_here)
    monkeypatch.setattr(System, "edition", int(System("lnlt").edition) + 1)
    _, taken = await brought(channel.app, file)
    assert not taken.error, taken.format_text()
    assert "1 outcome is from another edition of the rules" in taken.format_text()


async def test_a_long_game_leaves_compressed_and_comes_back() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", *["roll 100d6"] * 120)
    sent = (await channel.do("Anna", "game export")).files[0]
    assert sent.name == "hill-875.json.gz"
    assert len(sent.data) < 100_000
    there, taken = await brought(channel.app, read_file_text(sent.data, sent.name))
    assert not taken.error, taken.format_text()
    assert (await there.game()).number == (await channel.game()).number + 1
    await channel.app.close()


async def test_a_check_that_takes_too_long_says_so_in_words_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(imports, "get_check_seconds", lambda size: -1.0)
    channel = await played()
    there, refused = await brought(channel.app, await exported(channel))
    assert refused.code == "too-slow"
    assert "odds" not in refused.format_text()
    assert await there.app.games.load_current(THERE.key) is None
    monkeypatch.undo()
    _, taken = await brought(channel.app, await exported(channel), "Zoe")
    assert not taken.error, "and the next one is checked as if nothing had happened"
    await channel.app.close()


async def test_in_free_play_nobody_waits_for_the_consent_of_imported_names() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "roll 2d6")
    await channel.do("Bob", "roll 2d6")
    there, _ = await brought(channel.app, await exported(channel), "Zoe")
    undone = await there.do("Zoe", "roll 2d6", "game undo")
    assert "undone, with nobody to ask" in undone.format_text()
    await there.do("Bob", "roll d6", "game claim")
    asked = await there.do("Bob", "roll d6", "game undo")
    assert "Zoe must agree" in asked.format_text(), "and nobody else: not Anna, not Bob himself"
    await there.press("Zoe", asked.buttons[0].action)
    assert await audit_games(there.app.store) == (2, [])


async def test_logs_whose_players_had_their_texts_deleted_are_sound() -> None:
    """Before a roll is opened or after, here or where the game was imported: what is gone is no
    forgery.
    """
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Bob", 'fair add "mine"')
    await channel.do("Anna", 'fair add "ours"')
    await channel.do("Bob", "roll d20 label=first secret", "lnlt morale-check units=Tran secret")
    await channel.do("Anna", "roll d6 secret")
    await channel.do("Bob", f"game reveal {next(iter((await channel.game()).sealed))}")
    there, reply = await brought(channel.app, await exported(channel), "Bob")
    assert not reply.error
    await there.do("Bob", "game claim", "roll d6 secret", "game end confirm")
    await there.do("Bob", "privacy delete confirm")
    await channel.do("Bob", "privacy delete confirm")
    await channel.do("Anna", "game end confirm", "fair reveal")
    for place, who in ((channel, "Anna"), (there, "Carl")):
        log = json.loads((await place.do(who, "game export")).files[0].content)
        assert check(log).faults == ()
        assert verify_log.check(log).faults == []


@pytest.mark.parametrize("odd", ["\n", "\u202e", "\u2028", "\x1b", "\x85"])
async def test_no_name_in_a_file_looks_like_a_line_of_an_answer(odd: str) -> None:
    """What is typed is made one line; a unit called so in a file would say in an answer what
    nobody rolled.
    """
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "roll 2d6 label=fate")
    file, name = await exported(channel), f"Fox{odd}Bob: 2d6 = 12"

    def renamed(data: dict[str, Any]) -> None:
        body = data["events"][6]["body"]
        unit = {**body["after"]["units"].pop("lt hill"), "name": name}
        body |= {
            "before": {"units": {name.casefold(): None}},
            "after": {"units": {name.casefold(): unit}},
        }
        body["result"] = f"{name} added"

    def marked(data: dict[str, Any]) -> None:
        data["events"][6]["body"]["after"]["units"]["lt hill"]["marks"] = [name]

    def labelled(data: dict[str, Any]) -> None:
        row = next(row for row in data["texts"] if row["key"] == "label")
        row["text"] = name
        data["events"][7]["body"]["texts"]["label"] = hash_salted(row["salt"], name)

    for change in (renamed, marked, labelled):
        _, reply = await brought(channel.app, rewritten(file, change))
        assert reply.code == "damaged-log", change
    assert not (await brought(channel.app, file))[1].error


async def test_what_was_typed_in_several_lines_comes_back() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    for at, (path, options) in enumerate(
        [
            (("fair", "add"), {"text": "lu\tck"}),
            (("roll",), {"dice": "2d6\n+ 1", "label": "a\nb"}),
            (("unit", "import"), {"text": "name,type,side,morale\nF\u00adox,squad,US,4"}),
            (("lnlt", "fire"), {"attackers": "us1\n fp=2", "targets": "squad\n morale=4"}),
        ]
    ):
        who = "Anna" if at else "Bob"
        reply = await channel.app.run(
            Command(path, options, channel.who(who), channel.place, f"odd{at}")
        )
        assert not reply.error, reply.format_text()
    _, reply = await brought(channel.app, await exported(channel))
    assert not reply.error, reply.format_text()


async def left_after_import() -> str:
    """A game that was imported; then Carl rolled, had his data deleted, and Mallory rolled."""
    channel = await played()
    there, _ = await brought(channel.app, await exported(channel))
    await there.do("Carl", "roll d20", "privacy delete confirm")
    await there.do("Mallory", "roll d20")
    return (await there.do("Mallory", "game export")).files[0].text


def removes(data: dict[str, Any], count: int) -> None:
    """Carl takes so many others along."""
    bodies = [event["body"] for event in data["events"]]
    at = next(at for at, body in enumerate(bodies) if body["kind"] == "privacy")
    players = next(
        body["after"]["game"]["players"] for body in reversed(bodies) if body["kind"] == "join"
    )
    stay = dict(list(players.items())[count:])
    bodies[at] |= {"before": {"game": {"players": players}}, "after": {"game": {"players": stay}}}


def returns(data: dict[str, Any]) -> None:
    bodies = [event["body"] for event in data["events"]]
    bodies[-1]["who"] = next(body["who"] for body in bodies if body["kind"] == "privacy")


def claims_anybody(data: dict[str, Any]) -> None:
    """Instead of leaving, Carl says that he is somebody who plays here himself."""
    body = next(event["body"] for event in data["events"] if event["body"]["kind"] == "privacy")
    importer = next(
        event["body"]["who"] for event in data["events"] if event["body"]["kind"] == "import"
    )
    del body["result"]
    body |= {"kind": "claim", "own": body["who"], "who": importer}


@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (lambda data: removes(data, 2), "somebody else leaves"),
        (returns, "had left the game for good"),
        (claims_anybody, "only a person of an imported log can be claimed"),
        (lambda data: data["persons"].append(data["persons"][0]), "a person twice"),
    ],
    ids=["removes", "returns", "claims", "twice"],
)
async def test_an_import_in_a_log_excuses_nothing_behind_it(
    forge: Callable[[Any], object], reason: str
) -> None:
    honest = await left_after_import()
    assert check(json.loads(honest)).faults == ()
    assert check(json.loads(rewritten(honest, lambda data: removes(data, 1)))).faults == (), (
        "his own imported person"
    )
    data = json.loads(rewritten(honest, forge))
    try:
        faults = " ".join(check(data).faults)
    except UserError as error:
        faults = str(error)
    assert reason in faults


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
async def test_a_file_with_packs_is_checked_beside_the_bot_however_it_is_written(
    separators: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's pack never runs in the bot's own process: a blank in the file changes
    nothing.
    """
    channel = await played()
    file = json.loads(await exported(channel))

    @wraps(imports.check_text)  # the process beside the bot is asked for it by its name
    def here(_raw: str) -> tuple[tuple[str, ...], int]:
        pytest.fail("checked in the bot's own process")

    monkeypatch.setattr(imports, "check_text", here)
    packs = {"packs": {"0" * 64: {"pack.yaml": "id: x"}}}
    _, told = await brought(channel.app, json.dumps({**file, **packs}, separators=separators))
    assert told.code == "altered-log", "it was looked at there"
    await channel.app.close()
