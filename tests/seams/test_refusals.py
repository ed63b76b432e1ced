"""A refusal never shows a die: whether a pending choice holds a command back is known before its
dice.

Generated from the registry: every sequence of every built-in game and of every free pack, with the
units and tracks of its first scenario held one by one.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.game.events import compute_difference
from bot.game.pending import find_event_hold, find_hold
from bot.game.roster import find_units_by_name
from bot.game.state import Game, build_roster, unit_to_json
from bot.presentation.play_record import PlayRecord, apply_play_record
from bot.presentation.reach import compute_reach
from bot.rules.inputs.tracks import Track
from bot.rules.sequence.effects import ANY_UNIT
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.system import Sequence
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command
from tests.playing import Channel
from tests.random_shots import draw_options, play_random, shots

ROOT = Path(__file__).resolve().parents[2]
BUILT_IN = tuple(
    sorted(path.name for path in (ROOT / "tables").iterdir() if (path / "sequences.yaml").exists())
)
PACKS = tuple(sorted(path.parent.name for path in (ROOT / "packs").glob("*/sequences.yaml")))
WITHOUT_SCENARIO = ("asl-fire",)
"""Free packs whose table is blank, so that nothing can be played before somebody types the card."""
GAMES = tuple(sorted({*BUILT_IN, *PACKS} - {*WITHOUT_SCENARIO}))
QUICK, THOROUGH = 12, 100
"""Random shots of each sequence in the quick run, and in the slow one."""


@pytest.fixture(autouse=True)
def _packs(use_packs: Callable[[Path], None]) -> None:
    use_packs(ROOT / "packs")


@pytest.mark.sample(3)
@pytest.mark.parametrize("game", GAMES)
async def test_what_a_shot_changes_is_within_what_was_known_before_its_dice(game: str) -> None:
    """Each unit and each track is held in turn; a die that hits it must find that the shot was
    refused before.
    """
    await _check_shots(game, QUICK)


@pytest.mark.slow_sample(4)
@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
async def test_what_many_shots_change_is_within_what_was_known_before_their_dice(
    game: str,
) -> None:
    await _check_shots(game, THOROUGH)


async def _check_shots(game: str, number: int) -> None:
    started, unplayed = await _start(game), set[str]()
    for sequence in find_shared_system(game).sequences.values():
        played = False
        for shot in shots(sequence, started, Random(f"{game} {sequence.id}"), number):
            played = True
            _check_shot(sequence, *shot)
        if not played:
            unplayed.add(sequence.id)
    assert unplayed == set(), "no random shot of these was taken"


def _check_shot(
    sequence: Sequence,
    game: Game,
    options: dict[str, object],
    read: Mapping[str, Any],
    record: PlayRecord,
) -> None:
    reach = compute_reach(sequence, options, build_roster(game), game, read, load_shared_systems())
    event = _event_of(game, record)
    for asks in (
        {},
        *({"units": [unit.name]} for unit in game.units.values()),
        *_held_tracks(game),
    ):
        waiting = replace(game, waits={1: asks})
        if find_event_hold(waiting, event) is not None:
            assert find_hold(waiting, reach) is not None, (
                f"{sequence.id} {options} hits {asks} by its dice"
            )
    marks = {
        mark for change in record.changes if change.unit in record.acting for mark in change.mark
    }
    assert (
        ANY_UNIT in sequence.effects.marks
        or not (marks & {"fired", "activated"}) - sequence.effects.marks
    )


def _held_tracks(game: Game) -> Iterator[dict[str, Any]]:
    return ({"tracks": [key]} for key in game.tracks)


def _event_of(game: Game, record: PlayRecord) -> dict[str, Any]:
    """Return what the log would hold of a shot, as far as it says what was used and changed."""
    before, after = compute_difference(game, apply_play_record(game, record, load_shared_systems()))
    used = [unit_to_json(unit) for unit in find_units_by_name(game, record.units)]
    return {"kind": "sequence", "used": used, "before": before, "after": after}


async def _start(game: str) -> Game:
    """Return the game of the first scenario, which Anna plays alone."""
    return await (await _channel(game)).game()


async def _channel(game: str) -> Channel:
    home = find_shared_system(game).home
    scenario = next(iter(find_shared_system(home).scenarios))
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start {home} "A game" scenario={scenario}')
    side = (await channel.game()).sides[0]
    await channel.do("Anna", f'game join "{side}"', "game settings hand_dice=yes")
    return channel


# -- the same in a channel: pending choices of every kind, each sequence, each die entered by hand

WAIT = """
{id}:
  title: Wait
  source: "the test"
  summary: "A side is asked, and all that it reads or names waits."
  inputs: {inputs}
  outputs: {{result: aye | nay}}
  example: {example}
  steps:
  - let: {{seen: "{reads}"}}
  - choose: {{answer: {{who: actor, ask: "Aye or nay?", options: {{aye: "aye, {{seen}}", nay: "nay"}}, else: aye}}}}
  - let: {{result: answer}}
  - headline: "{{result}}"
"""
"""A sequence that asks at once: about units, or about a track that it reads."""
UNITS, OWN = "wait-units", "its own choices"


def _waiting_sequences(game: str) -> dict[str, str]:
    """Return the text of a sequence that asks about units, and of one for each track, by their
    ids.
    """
    kind = next(iter(find_shared_system(game).words["units"].types))
    units = "{units: {type: units, help: who waits}}"
    texts = {
        UNITS: WAIT.format(
            id=UNITS, inputs=units, example=f'{{units: "{kind}"}}', reads="len(units)"
        )
    }
    for track in find_shared_system(game).tracks.values():
        id = f"wait-{track.name.replace('_', '-')}"
        reads = f"{'side' if track.by_side else 'track'}.{track.name}"
        texts[id] = WAIT.format(id=id, inputs="{}", example="{}", reads=reads)
    return texts


def _write_pack(game: str, folder: Path) -> str:
    """Write the game with those sequences: an extension of a built-in game, or a free pack with
    more; return its id.
    """
    texts = _waiting_sequences(game)
    if game in BUILT_IN:
        target, id = folder / "waits", "waits"
        target.mkdir()
        about = f'id: waits\ntitle: Waits\nversion: "1"\nauthor: us\nlicence: CC0-1.0\nextends: {game}\n'
        (target / "pack.yaml").write_text(about)
        (target / "sequences.yaml").write_text("".join(texts.values()))
        return id
    target = folder / game
    shutil.copytree(ROOT / "packs" / game, target)
    with (target / "sequences.yaml").open("a") as file:
        file.write("".join(texts.values()))
    return game


_REQUESTS = count(1)


async def _ask(channel: Channel, pack: str, kind: str, chance: Random) -> bool:
    """Leave a choice of this kind pending; return whether there is one."""
    game = await channel.game()
    if kind != OWN:
        units = chance.sample([unit.name for unit in game.units.values()], min(2, len(game.units)))
        names = f' units="{"; ".join(units)}"' if kind == UNITS else ""
        await channel.do("Anna", f"{pack} {kind}{names}")
        return True
    asking = [
        one
        for one in find_shared_system(pack).sequences.values()
        if one.choices and not one.id.startswith("wait-")
    ]
    for sequence in asking:
        for _ in range(300):
            options = draw_options(sequence, game, chance)
            bare = {name: value for name, value in options.items() if name not in sequence.choices}
            played = play_random(sequence, game, bare, chance)
            if played is not None and played[0].choice_requests:
                dice = ",".join(str(die.value) for die in played[0].dice)
                reply = await _run(channel, sequence, {**bare, "hand": dice})
                if not reply.error:
                    return True
    return False


async def _run(channel: Channel, sequence: Sequence, options: Mapping[str, object]) -> Reply:
    path = (sequence.system.id, sequence.id)
    number = next(_REQUESTS)
    given = {name: str(value) for name, value in options.items()}
    return await channel.app.run(
        Command(path, given, channel.who("Anna"), channel.place, f"r{number}")
    )


async def _enter(
    channel: Channel, sequence: Sequence, options: Mapping[str, object], face: int
) -> Reply:
    """Return the answer to a shot whose dice all come up `face`, or the nearest that they have."""
    reply, hand = await _run(channel, sequence, {**options, "hand": str(face)}), [str(face)]
    while reply.code in ("die-owed", "bad-face") and len(hand) < 200:
        if reply.code == "die-owed":
            sides = int(re.sub(r"\D", "", reply.owed.sides) or 6) if reply.owed is not None else 6
            hand.append(str(min(face, sides)))
        elif hand[-1] == "1":
            break
        else:  # a die with fewer sides
            hand[-1] = str(int(hand[-1]) - 1)
        reply = await _run(channel, sequence, {**options, "hand": ",".join(hand)})
    return reply if reply.code != "dice-left-over" else await _run(channel, sequence, options)


async def _try_all(
    game: str,
    pack: str,
    kinds: Iterable[str],
    chance: Random,
    *,
    sequences: int,
    faces: tuple[int, ...],
) -> Counter[str]:
    """Try sequences with every kind of pending choice and these dice; each is refused for all of
    them or for none.
    """
    found = Counter[str]()
    for kind in (OWN, *kinds):
        channel = await _channel(pack)
        before = await channel.game()
        if not await _ask(channel, pack, kind, chance):
            continue
        every = [
            one
            for one in find_shared_system(game).sequences.values()
            if not one.id.startswith("wait-") and not one.decks
        ]
        for sequence in chance.sample(every, min(sequences, len(every))):
            shot = next(shots(sequence, before, chance, 1, is_drawn=False), None)
            if shot is None:
                continue
            bare = {name: value for name, value in shot[1].items() if name not in sequence.choices}
            found[await _all_or_none(channel, sequence, bare, faces)] += 1
    return found


async def _all_or_none(
    channel: Channel, sequence: Sequence, options: Mapping[str, object], faces: tuple[int, ...]
) -> str:
    codes = set[str]()
    for face in faces:
        before = await channel.game()
        reply = await _enter(channel, sequence, options, face)
        codes.add(reply.code if reply.error else "taken")
        if reply.code == "choice-first":
            _names_what_is_held(
                reply, (await channel.game()).waits, find_shared_system(sequence.system.home).tracks
            )
        if not reply.error:
            await _undo_to(channel, before)
    assert len(codes) == 1, f"{sequence.id} {options}: {codes} by the die"
    return codes.pop()


async def _undo_to(channel: Channel, before: Game) -> None:
    while (await channel.game()).last > before.last:
        undone = await channel.undo_last("Anna")
        assert not undone.error, undone.format_text()
    assert (await channel.game()).waits == before.waits


def _names_what_is_held(
    reply: Reply, waits: Mapping[int, Any], tracks: Mapping[str, Track]
) -> None:
    """A refusal says which unit or track waits, and its buttons answer the choice."""
    titles = [track.title for track in tracks.values()]
    units = [unit for asks in waits.values() for unit in asks.get("units", ())]
    assert any(name in reply.title for name in (*units, *titles)), reply.title
    assert any(button.action.startswith("choose:") for button in reply.buttons)


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", ["baps", "low-water", "three-mills"])
async def test_a_command_is_refused_for_all_dice_or_for_none(
    game: str, tmp_path: Path, use_packs: Callable[[Path], None]
) -> None:
    pack, kinds = _write_pack(game, tmp_path), [*_waiting_sequences(game)]
    use_packs(tmp_path)
    assert await _try_all(game, pack, kinds, Random(game), sequences=2, faces=(1, 6))


@pytest.mark.slow_sample(5)
@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
async def test_each_command_of_each_game_is_refused_for_all_dice_or_for_none(
    game: str, tmp_path: Path, use_packs: Callable[[Path], None]
) -> None:
    pack, kinds = _write_pack(game, tmp_path), [*_waiting_sequences(game)]
    use_packs(tmp_path)
    assert await _try_all(game, pack, kinds, Random(game), sequences=100, faces=tuple(range(1, 7)))


# -- how much of a game waits for a choice

MOST_HELD = 1 / 3
"""The share of a game's sequences that one choice may hold back for a side."""
HOLDS_MORE = {
    ("salt-road", "attack", "answer"): (
        "Each sequence of the attacker spends their orders or sets them anew, and the attack takes its"
        " own once it is decided; the defender's are free."
    ),
    ("low-water", "shoot", "pays"): (
        "A point of spirit is about to be paid: shots and blades take such points, and the tide lifts"
        " the mist in which the shot is worked out again."
    ),
}
"""Choices that hold back more, with the reason."""


@pytest.mark.parametrize("game", GAMES)
def test_a_choice_holds_back_no_more_than_a_third_of_a_game(game: str) -> None:
    shares = dict(_shares_held(game))
    more = {key for key, share in shares.items() if share > MOST_HELD}
    assert more == {key for key in HOLDS_MORE if key[0] == game}, shares


def _shares_held(game: str) -> Iterator[tuple[tuple[str, str, str], float]]:
    """Yield each choice with the share of sequences that its tracks hold back, for the side for
    which it is larger.
    """
    sequences = list(find_shared_system(game).sequences.values())
    for sequence in sequences:
        for choice, held in sequence.effects.held.items():
            by_side = [
                [
                    one
                    for one in sequences
                    if names & one.effects.tracks or ANY_UNIT in one.effects.links
                ]
                for names in (held, {*map(_as_other_side, held)})
            ]
            yield (game, sequence.id, choice), max(map(len, by_side)) / len(sequences)


def _as_other_side(name: str) -> str:
    """Return the name of a track as formulas of the other of two sides read it."""
    whose, _, track = name.partition(".")
    return f"{ ({'side': 'foe', 'foe': 'side'}.get(whose, whose)) }.{track}"
