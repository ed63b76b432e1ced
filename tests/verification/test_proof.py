"""An honest log is accepted; every kind of tampering is found."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules.dice import Die, d6, make_averaging_die
from bot.rules.errors import UserError
from bot.rules.proof.chain import (
    compute_event_hash,
    compute_genesis,
    hash_salted,
    link_bodies,
    to_canonical,
)
from bot.rules.proof.fair import NO_TEXTS, Stream, compute_commitment, compute_digest
from bot.verification.proof import MOST_FAULTS
from tests.forging import verify
from tests.refusing import refuses

Json = dict[str, Any]
GAME = "a1b2c3d4e5f60718"
SEEDS = [bytes([number]) * 32 for number in (1, 2)]


def rolled(seed: bytes, event: int, dice: list[Die], texts: list[str]) -> list[Json]:
    stream = Stream(seed, GAME, event, compute_digest(texts))
    return [die.with_value(stream.draw(die)).to_note() for die in dice]


def promise(epoch: int) -> Json:
    """Return what an event says that promises a seed (1 or 2)."""
    return {
        "epoch": epoch,
        "commitment": compute_commitment(SEEDS[epoch - 1]),
        "digest": NO_TEXTS,
        "closing": True,
        "protocol": 2,
    }


def honest() -> Json:
    """Two seeds, the first published; players' texts, a label, real dice, an opened and a closed
    sealed roll.
    """
    texts = ["my own luck", "so be it"]
    secret = to_canonical({"kind": "roll", "dice": rolled(SEEDS[0], 6, [d6("secret")], texts)})
    bodies: list[Json] = [
        {"kind": "start", "secret": promise(1)},
        {"kind": "fair", "secret": {"epoch": 1, "digest": compute_digest(texts[:1])}},
        {"kind": "fair", "secret": {"epoch": 1, "digest": compute_digest(texts)}},
        {
            "kind": "sequence",
            "closes": True,
            "inputs": {"firepower": 9},
            "dice": rolled(
                SEEDS[0], 4, [d6("attack"), d6("attack"), make_averaging_die("move")], texts
            ),
            "out": {"result": "shaken"},
            "texts": {"label": hash_salted("5a17", "for honour")},
        },
        {"kind": "roll", "dice": [{"label": "2d6", "sides": 6, "value": 6}], "hand": True},
        {"kind": "sealed", "sealed": hash_salted("5ea1", secret)},
        {"kind": "sealed", "sealed": hash_salted("5ea2", "never told")},
        {"kind": "reveal", "opens": [6]},
        {
            "kind": "fair",
            "revealed": {"epoch": 1, "seed": SEEDS[0].hex()},
            "secret": promise(2),
        },
        {"kind": "roll", "dice": rolled(SEEDS[1], 10, [Die("d100", 100)], [])},
    ]
    log: Json = {
        "format": "grognard-game",
        "version": 2,
        "game": GAME,
        "events": [
            {"number": number, "hash": "", "body": {"number": number, **body}}
            for number, body in enumerate(bodies, 1)
        ],
        "seeds": [
            {"epoch": 1, "commitment": compute_commitment(SEEDS[0]), "seed": SEEDS[0].hex()},
            {"epoch": 2, "commitment": compute_commitment(SEEDS[1])},
        ],
        "texts": [
            {"event": 4, "key": "label", "salt": "5a17", "text": "for honour", "person": "p1"},
            {"event": 6, "key": "sealed", "salt": "5ea1", "text": secret, "person": "p1"},
        ],
        "persons": [{"person": "p1", "key": "5ea3", "name": "Anna"}],
    }
    return chained(log)


def chained(log: Json) -> Json:
    """The log with hashes that fit: what somebody who rewrites it all would hand out."""
    previous = compute_genesis(GAME)
    for event in log["events"]:
        event["hash"] = previous = compute_event_hash(previous, to_canonical(event["body"]))
    log["head"] = previous
    return log


def faults(log: Json, head: str = "") -> tuple[str, ...]:
    return verify(json.loads(json.dumps(log)), head).faults


def test_an_honest_log_is_accepted() -> None:
    log = honest()
    found = verify(log, log["head"])
    assert found.faults == ()
    assert (found.events, found.dice, found.waiting, found.by_hand, found.sealed) == (
        10,
        4,
        1,
        1,
        1,
    )


@pytest.mark.parametrize("number", range(1, 11))
def test_a_log_that_has_grown_still_holds_the_head_of_then(number: int) -> None:
    log = honest()
    assert faults(log, log["events"][number - 1]["hash"][:8].upper()) == ()
    assert faults(log, compute_genesis(GAME)) == ()


def test_a_log_without_events_is_honest() -> None:
    empty = chained({"format": "grognard-game", "version": 2, "game": GAME, "events": []})
    assert faults(empty) == ()


def changed_die(log: Json) -> None:
    die = log["events"][3]["body"]["dice"][1]
    die["value"] = die["value"] % 6 + 1


def removed(log: Json) -> None:
    del log["events"][4]


def removed_first(log: Json) -> None:
    del log["events"][0]


def swapped(log: Json) -> None:
    log["events"][4:6] = reversed(log["events"][4:6])


def swapped_and_renumbered(log: Json) -> None:
    swapped(log)
    for number, event in enumerate(log["events"], 1):
        event["number"] = event["body"]["number"] = number


def changed_input(log: Json) -> None:
    log["events"][3]["body"]["inputs"]["firepower"] = 10


def changed_outcome(log: Json) -> None:
    log["events"][3]["body"]["out"]["result"] = "eliminated"


def changed_seed(log: Json) -> None:
    log["seeds"][0]["seed"] = (b"\3" * 32).hex()


def changed_seed_and_commitment(log: Json) -> None:
    changed_seed(log)
    log["seeds"][0]["commitment"] = compute_commitment(b"\3" * 32)


def changed_text(log: Json) -> None:
    log["texts"][0]["text"] = "for gold"


def invented_text(log: Json) -> None:
    log["texts"].append(
        {"event": 5, "key": "label", "salt": "1", "text": "I never said that", "person": "p1"}
    )


def changed_sealed_roll(log: Json) -> None:
    log["texts"][1]["text"] = log["texts"][1]["text"].replace('"sides":6', '"sides":20')


def real_dice_called_rolled(log: Json) -> None:
    del log["events"][4]["body"]["hand"]


def rolled_dice_called_real(log: Json) -> None:
    log["events"][3]["body"]["hand"] = True


def inserted(log: Json) -> None:
    log["events"].insert(5, copy.deepcopy(log["events"][4]))


def changed_hash(log: Json) -> None:
    log["events"][4]["hash"] = "0" * 64


def changed_game(log: Json) -> None:
    log["game"] = "another"


TAMPERINGS = [
    changed_die,
    removed,
    removed_first,
    swapped,
    swapped_and_renumbered,
    changed_input,
    changed_outcome,
    changed_seed,
    changed_seed_and_commitment,
    changed_text,
    invented_text,
    changed_sealed_roll,
    real_dice_called_rolled,
    rolled_dice_called_real,
    inserted,
    changed_hash,
    changed_game,
]


@pytest.mark.parametrize("tamper", TAMPERINGS)
def test_tampering_is_found(tamper: Callable[[Json], None]) -> None:
    log = honest()
    tamper(log)
    found = faults(log)
    assert found
    assert all("\n" not in line and len(line) < 300 for line in found)


@pytest.mark.parametrize("tamper", [tamper for tamper in TAMPERINGS if tamper is not changed_hash])
def test_who_rewrites_all_hashes_is_found_by_a_known_head(tamper: Callable[[Json], None]) -> None:
    log = honest()
    head = log["head"]
    tamper(log)
    assert faults(chained(log), head)


@pytest.mark.parametrize(
    "tamper", [changed_die, real_dice_called_rolled, changed_seed, swapped_and_renumbered]
)
def test_dice_are_found_wrong_even_if_all_hashes_are_rewritten(
    tamper: Callable[[Json], None],
) -> None:
    log = honest()
    tamper(log)
    assert faults(chained(log))


def test_a_cut_tail_is_found_by_a_known_head_only() -> None:
    log = honest()
    head = log["head"]
    del log["events"][7:], log["seeds"][1]
    assert faults(log) == (
        f"The file says that its head is {head}, but it ends with {log['events'][-1]['hash']}.",
    )
    log["head"] = log["events"][-1]["hash"]
    assert faults(log) == ()
    assert faults(log, head[:8]) == (
        f"No event has the head {head[:8]}: the end was cut off, or the log rewritten.",
    )


def test_texts_after_the_first_die_are_found() -> None:
    log = honest()
    log["events"][7]["body"]["secret"] = {"epoch": 1, "digest": compute_digest(["lucky me"])}
    assert "Event 8: players' words were changed after they were closed." in faults(chained(log))


def test_dice_before_any_promise_are_found() -> None:
    log = honest()
    del log["events"][0]["body"]["secret"]
    assert "Event 4: dice were rolled before any commitment was published." in faults(chained(log))


def test_a_published_seed_must_be_the_promised_one() -> None:
    log = honest()
    log["events"][8]["body"]["revealed"]["seed"] = "00" * 32
    assert "Event 9: the seed that it publishes is not the one that was promised." in faults(
        chained(log)
    )


def test_the_fault_names_the_die() -> None:
    log = honest()
    changed_die(log)
    seed_gives = honest()["events"][3]["body"]["dice"][1]["value"]
    shows = log["events"][3]["body"]["dice"][1]["value"]
    assert f"Event 4: die 2 (attack) shows {shows}, the seed gives {seed_gives}." in faults(log)


@pytest.mark.parametrize("head", ["1234567", "0" * 65, "not hex!", "#12345678"])
def test_what_is_no_head_is_refused(head: str) -> None:
    with refuses("bad-head"):
        verify(honest(), head)


@pytest.mark.parametrize(
    "data", [None, [], "x", {}, {"format": "other"}, {"format": "grognard-game"}]
)
def test_what_is_no_export_is_refused(data: object) -> None:
    with pytest.raises(UserError):
        verify(data)


def paths(value: object, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the leaves of a JSON value are."""
    if isinstance(value, dict):
        return [path for key, item in value.items() for path in paths(item, (*at, key))]
    if isinstance(value, list):
        return [path for index, item in enumerate(value) for path in paths(item, (*at, index))]
    return [at]


LEAVES = [
    path
    for path in paths(honest())
    if path[0] not in ("version", "persons") and path[-1] != "person"
]


@given(
    st.sampled_from(LEAVES),
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.floats()
    | st.just([])
    | st.just({"dice": [1]}),
)
def test_whatever_stands_in_the_file_instead_is_found_and_breaks_nothing(
    path: tuple[Any, ...], value: object
) -> None:
    log = honest()
    part: Any = log
    for key in path[:-1]:
        part = part[key]
    if part[path[-1]] == value:
        return
    part[path[-1]] = value
    try:
        found: object = verify(log).faults
    except UserError as error:
        found = error
    assert found


def test_many_faults_are_summed_up() -> None:
    log = honest()
    log["texts"] = [
        {"event": 99, "key": str(number), "salt": "", "text": ""} for number in range(500)
    ]
    found = faults(log)
    assert len(found) == MOST_FAULTS + 1
    assert found[-1] == "... and 450 more."


def test_the_helper_of_this_file_chains_as_the_game_does() -> None:
    log = honest()
    bodies = [event["body"] for event in log["events"]]
    assert [event["hash"] for event in log["events"]] == [
        hash for _, hash in link_bodies(compute_genesis(GAME), bodies)
    ]
