"""tools/verify_log.py by itself: what it names that a quick reader of a log would pass over.

Each forgery has all its hashes made to fit. The page names the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import main
from bot.rules.dice import Die
from bot.rules.proof.chain import hash_salted
from bot.verification.proof import list_head_remarks, read_heads
from tests.bent_logs import judge_whole
from tests.closed_cards.forged_logs_helpers import with_hands
from tests.forging import Dice, Json, bodies, copied, rechained, retold
from tests.page_script import said_by_page
from tests.verification.forgeries_helpers import first, honest, sealed
from tools import verify_log

Forge = Callable[[Json], None]
HASH = "1c9e06d2a4b80f13"


@cache
def evening_with_hands() -> str:
    """Return an evening with hidden draws, all of them opened."""
    return json.dumps(with_hands(1))


def seal(text: str) -> Forge:
    """Put another text under the seal of a d20 that was opened."""
    return lambda log: retold(log, sealed(log, 3), "sealed", text)


def seal_a_key_twice(log: Json) -> None:
    number = sealed(log, 3)
    row = next(row for row in log["texts"] if (row["event"], row["key"]) == (number, "sealed"))
    retold(log, number, "sealed", '{"dice":[],' + row["text"][1:])


def hide_a_card(**fields: Any) -> Forge:
    """Make a die of an open roll a hidden card. A field that is None is left out."""

    def forge(log: Json) -> None:
        die = first(log, "roll")["dice"][0]
        die |= {"deck": "cup", "value": "3", **fields}
        if die["sides"] is None:
            del die["sides"]

    return forge


def draw_with(closed: Any) -> Forge:
    """Give the first hidden draw other sides."""
    return lambda log: first(log, "draw").update(closed=closed)


def hide_a_word(log: Json) -> None:
    """Hide a word in the place of a face."""
    row = next(row for row in log["texts"] if row["key"] == "face.1")
    row["text"] = "three"
    body = log["events"][row["event"] - 1]["body"]
    body["texts"]["face.1"] = hash_salted(row["salt"], row["text"])


def roll_dice_that_are(value: Any) -> Forge:
    return lambda log: first(log, "roll").update(dice=value)


def promise_a_seed_twice(log: Json) -> None:
    """Promise the published seed of the first dice once more, for those to come."""
    last = bodies(log, "fair")[-1]["secret"]
    last["commitment"] = log["seeds"][0]["commitment"]
    log["seeds"][-1] = {**log["seeds"][0], "epoch": last["epoch"]}


def roll_with_a_published_seed(log: Json) -> None:
    """Publish a seed and promise no other, then roll what everybody could have computed before."""
    del bodies(log, "fair")[-1]["secret"]
    del log["seeds"][-1]
    roll = copied(bodies(log, "roll")[-1])
    roll["number"] = len(log["events"]) + 1
    stream = Dice(log, roll["number"])
    for die in roll["dice"]:
        die["value"] = stream.draw(Die("", die["sides"]))
    log["events"].append({"number": roll["number"], "hash": "", "body": roll})


def note_a_large_number(number: int) -> Forge:
    """Note a number that a browser may read as another one."""
    return lambda log: first(log, "roll").update(out={"deep": [{"deeper": number}]})


def name_nobody(log: Json) -> None:
    """Let nobody have rolled what somebody labelled."""
    row = next(row for row in log["texts"] if row["key"] == "label" and row["person"])
    log["events"][row["event"] - 1]["body"]["who"] = ""


def number_a_seed_with_true(log: Json) -> None:
    bodies(log)[0]["secret"]["epoch"] = True


def close_with_one(log: Json) -> None:
    """Close the players' texts with 1 in place of true, before one more is added."""
    bodies(log, "fair")[0]["closes"] = 1


NO_SIDES: tuple[Any, ...] = (None, "6", -1, True, [], 2**40)
NO_DICE: tuple[Any, ...] = (None, 0, "", {}, False, "6")
NO_DRAWS: tuple[Any, ...] = (5, "x", {}, None, [0], ["6"], [True], [-1], [2**40])
FORGERIES: dict[str, tuple[Forge, str]] = {
    **{
        f"sealed {text}": (seal(text), "not a roll as Grognard writes it")
        for text in ("[]", "null", "5", "no JSON", "{} ", '{"x":NaN}', '{"x":1.0}')
    },
    "sealed key twice": (seal_a_key_twice, "not a roll as Grognard writes it"),
    **{
        f"hidden card with {sides!r} sides": (hide_a_card(sides=sides), "cannot be read")
        for sides in NO_SIDES
    },
    **{f"dice {value!r}": (roll_dice_that_are(value), "cannot be read") for value in NO_DICE},
    **{
        f"number {number}": (note_a_large_number(number), "2^53")
        for number in (2**53, -(2**53), 10**20)
    },
    "seed twice": (promise_a_seed_twice, "it promises a seed that was promised before"),
    "published seed": (roll_with_a_published_seed, "follow from a seed that event 41 published"),
    "nobody": (name_nobody, "said to be another person's"),
    "epoch true": (number_a_seed_with_true, "its seed should have the number 1"),
    "closes 1": (close_with_one, "after the texts were closed"),
}
HIDDEN_FORGERIES: dict[str, tuple[Forge, str]] = {
    **{
        f"draws {closed!r}": (draw_with(closed), "Event 9: its dice cannot be read")
        for closed in NO_DRAWS
    },
    "face in words": (hide_a_word, "shows 0, the seed gives"),
}


def forge_all() -> dict[str, tuple[Json, str]]:
    """Return each forged log with the words that the script has to say of it."""
    logs = {}
    for forgeries, base in (
        (FORGERIES, honest()),
        (HIDDEN_FORGERIES, json.loads(evening_with_hands())),
    ):
        for name, (forge, words) in forgeries.items():
            log = copied(base)
            forge(log)
            logs[name] = (rechained(log), words)
    return logs


def test_the_script_names_each_forgery() -> None:
    for name, (log, words) in forge_all().items():
        faults = verify_log.check(verify_log.parse_json(json.dumps(log))).faults
        assert any(words in fault for fault in faults), (name, faults)


def test_grognard_verify_names_each_forgery() -> None:
    logs = {name: json.dumps(log) for name, (log, _) in forge_all().items()}
    verdicts = {name: judge_whole(text) for name, text in logs.items()}
    assert {name for name, verdict in verdicts.items() if verdict == "sound"} == set()


def test_the_page_names_each_forgery(tmp_path: Path) -> None:
    logs = {name: json.dumps(log) for name, (log, _) in forge_all().items()}
    pages = said_by_page([*logs.values(), evening_with_hands()], tmp_path)
    assert pages.pop()["faults"] == []
    assert [name for name, page in zip(logs, pages, strict=True) if not page["faults"]] == []


def test_a_wrong_digest_is_named_and_not_counted_as_unknown() -> None:
    log = honest()
    bodies(log, "fair")[0]["secret"]["digest"] = "0" * 64
    report = verify_log.check(rechained(log))
    assert any("digest of the players' words" in fault for fault in report.faults)
    assert report.unchecked_digests == 1, "only the next one, which rests on it"


@pytest.mark.parametrize(
    ("heads", "words"),
    [
        ([(40, 16)], ""),
        ([(40, 8)], "Only short heads vouch for it. A head of only 8 digits"),
        (
            [(3, 16), (40, 8)],
            "Only short heads vouch for it after event 3. A head of only 8 digits",
        ),
        ([(3, 8), (40, 16)], ""),
        ([(40, 8), (40, 64)], ""),
    ],
    ids=str,
)
def test_the_warning_is_of_the_head_that_vouches(heads: list[tuple[int, int]], words: str) -> None:
    """A long head of an early event says nothing of what comes after it."""
    log = honest()
    typed = [f"#{number} {log['events'][number - 1]['hash'][:length]}" for number, length in heads]
    notes = verify_log.check(log, typed).notes
    remarks = " ".join(
        list_head_remarks(read_heads(typed), [event["hash"] for event in log["events"]])
    )
    assert ("can be forged" in remarks) is bool(words)
    assert "The log up to event 40 of" in notes[0]
    assert words in " ".join(notes[1:]) if words else notes[1:] == []


def test_the_page_warns_of_the_head_that_vouches(tmp_path: Path) -> None:
    log = honest()
    digits = log["events"][39]["hash"]
    early = f"#3 {log['events'][2]['hash']}"
    for head, is_short in (
        (f"{early}, #40 {digits[:8]}", True),
        (f"{early}, #40 {digits[:8]}, #40 {digits[:16]}", False),
        (f"#40 {digits[:16]}, #40 {digits[:8]}", False),
    ):
        [page] = said_by_page([json.dumps(log)], tmp_path, head)
        assert page["faults"] == []
        assert ("Eight digits alone can be forged" in json.dumps(page["parts"])) is is_short, head
    [page] = said_by_page([json.dumps(log)], tmp_path, f"{early}, #0 {HASH}")
    assert "there is no #0" in page["faults"][0][2]


def test_heads_vouch_for_nothing_if_the_chain_is_broken() -> None:
    log = honest()
    bodies(log)[4]["result"] = "something else"
    assert verify_log.check(log, [log["head"]]).notes == []


@pytest.mark.parametrize(
    "words",
    [
        ("--heads", ""),
        ("--head", ""),
        ("--heads", f"#0 {HASH}"),
        ("--head", f"#1 {HASH} and #0 {HASH}"),
    ],
    ids=" ".join,
)
def test_heads_that_name_no_event_are_refused(
    words: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.json"
    file.write_text(json.dumps(honest()), "utf-8")
    assert main(["verify", str(file), *words]) == 2
    capsys.readouterr()
    assert verify_log.main([str(file), *words]) == 2
    assert "hex digits" in (error := capsys.readouterr().err) or "there is no #0" in error


def test_the_header_names_every_field_that_the_script_reads() -> None:
    code = Path(verify_log.__file__).read_text("utf-8").split('"""', 2)[2]
    owners = r"(?:body|first_event|secret|revealed|die|roll)"
    read = set(re.findall(rf'\b{owners}(?:\.get\(|\[)"(\w+)"', code))
    read |= set(re.findall(rf'"(\w+)" (?:not )?in {owners}\b', code))
    assert read >= {"epoch", "protocol", "unannounced", "faces", "deck"}
    assert verify_log.__doc__ is not None
    missing = {field for field in read if not re.search(rf"\b{field}\b", verify_log.__doc__)}
    assert missing == set()
