"""A game as a file: what is in it, what is kept out, and that it can be checked from the command
line.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.game.game_log import DiceSeed, LoggedEvent, LoggedText, Participant
from bot.rules.errors import UserError
from bot.rules.proof.chain import compute_event_hash, compute_genesis, hash_salted, to_canonical
from bot.rules.proof.fair import NO_TEXTS, compute_commitment
from bot.storage.records import Json
from bot.verification.check_file import check_file, format_summary
from bot.verification.export import export_game
from bot.verification.export_format import read_export
from tests.refusing import refuses

GAME = "g1"
OLD, NEW = b"o" * 32, b"n" * 32
ROLL: Json = {
    "command": "roll",
    "inputs": {"dice": "7"},
    "out": {"total": 7, "dice": []},
    "result": "7",
}
OPENED = to_canonical({"kind": "roll", **ROLL})
CLOSED = to_canonical({"kind": "roll", **ROLL, "texts": {"label": "x" * 64}})


def promise(epoch: int, seed: bytes) -> Json:
    """Return what an event says that promises a seed."""
    return {
        "epoch": epoch, "commitment": compute_commitment(seed), "digest": NO_TEXTS, "closing": True, "protocol": 2,
    }  # fmt: skip


def rows(bodies: list[Json]) -> list[LoggedEvent]:
    previous, events = compute_genesis(GAME), []
    for number, body in enumerate(bodies, 1):
        text = to_canonical(
            {"number": number, "at": 7, "who": "p1", "side": "", "behind": number - 1, **body}
        )
        previous = compute_event_hash(previous, text)
        events.append(LoggedEvent("another-row", number, text, previous))
    return events


@pytest.fixture
def export() -> Json:
    events = rows(
        [
            {
                "kind": "start",
                "game": GAME,
                "free": True,
                "secret": {
                    "epoch": 1,
                    "commitment": compute_commitment(OLD),
                    "digest": NO_TEXTS,
                    "closing": True,
                    "protocol": 2,
                },
            },
            {"kind": "roll", **ROLL, "texts": {"label": hash_salted("s", "für Anna")}},
            {"kind": "sealed", "of": "roll", "sealed": hash_salted("s1", OPENED), "closes": True},
            {"kind": "sealed", "of": "roll", "sealed": hash_salted("s2", CLOSED)},
            {"kind": "reveal", "opens": [3], "result": "#3 7: 7"},
            {
                "kind": "import",
                "secret": {
                    "epoch": 2,
                    "commitment": compute_commitment(NEW),
                    "digest": NO_TEXTS,
                    "closing": True,
                    "protocol": 2,
                },
                "result": "5 events",
            },
        ]
    )
    seeds = [
        DiceSeed("g1", 1, OLD, compute_commitment(OLD), 2, ("mine",), "d", revealed=6),
        DiceSeed("g1", 2, NEW, compute_commitment(NEW), 7),
    ]
    texts = [
        LoggedText("g1", 2, "label", "s", "für Anna", "p1"),
        LoggedText("g1", 3, "sealed", "s1", OPENED, "p1"),
        LoggedText("g1", 3, "answer", "s1", "the answer", "p1"),
        LoggedText("g1", 4, "sealed", "s2", CLOSED, "p1"),
        LoggedText("g1", 4, "label", "s2", "a secret label", "p1"),
        LoggedText("g1", 4, "answer", "s2", "a secret answer", "p1"),
    ]
    return export_game(
        GAME, events, seeds, texts, [Participant("g1", "p1", "discord:1", "Anna")], system="lnlt"
    )


def test_seeds_that_were_not_published_and_sealed_rolls_stay_out(export: Json) -> None:
    text = json.dumps(export)
    assert OLD.hex() in text
    assert NEW.hex() not in text
    assert "secret" not in text.replace('"secret":', "")
    assert [(row["event"], row["key"]) for row in export["texts"]] == [(2, "label"), (3, "sealed")]


def test_it_is_read_back_whole(export: Json) -> None:
    read = read_export(json.loads(json.dumps(export)))
    assert (read.game, read.head) == (GAME, export["events"][-1]["hash"])
    assert [to_canonical(event.body) for event in read.events] == [
        to_canonical(e["body"]) for e in export["events"]
    ]
    assert [(seed.epoch, seed.seed) for seed in read.seeds] == [(1, OLD), (2, b"")]
    assert read.persons[0].name == "Anna"
    assert read.texts[0].text == "für Anna"


def test_its_file_can_be_checked(export: Json, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(export, ensure_ascii=False), "utf-8")
    assert check_file(path).faults == ()
    assert check_file(path, [export["head"][:8]]).faults == ()
    assert [*check_file(path, ["0" * 8]).faults] == [
        "No event has the head 00000000: the end was cut off, or the log rewritten."
    ]
    assert format_summary(check_file(path)) == [
        "6 events, 0 dice recomputed, 2 outcomes replayed, 0 faults.",
        "1 sealed event with nothing to check: still closed, or the content was deleted.",
    ]


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", b"{", b"[" * 100_000, b"[]", b'{"format":"grognard-game","version":9}'],
)
def test_a_file_that_is_no_export(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "game.json"
    path.write_bytes(content)
    with pytest.raises(UserError):
        check_file(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with refuses("unreadable-file"):
        check_file(tmp_path / "none.json")
