"""Packs that want to do harm, or are only far too large: each is refused in words, and at once."""

from __future__ import annotations

import asyncio
import time
import zipfile
from pathlib import Path

import pytest

from bot.packs.check import check_content, check_in_process
from bot.packs.new import write_new_pack
from bot.rules.errors import TableError
from bot.rulesets.packs.archive import MOST_BYTES, read_content
from bot.rulesets.packs.pack import load_pack
from tests.packs.conftest import FEW, PackMaker

SECONDS = 10.0
HEAD = (
    "title: T\nsource: s\ngroup: combat\nkind: grid\nsummary: S.\ninputs:\n  roll: {type: int, min: 1, max: 6}\n"
    "  word: {type: enum, values: [aaaa, bbbb], default: aaaa}\noutputs: {result: token}\n"
)


def derived(formula: str) -> str:
    """A table with this formula."""
    body = "read: {always: {result: 1}}\nthen: {result: _x}\nexample: {roll: 1}\n"
    return f"{HEAD}derive: {{_x: {formula!r}}}\n{body}"


DOUBLED = "".join(f"  _{n}: '_{n - 1} + _{n - 1}'\n" for n in range(1, 60))
GROWN = (
    f"{HEAD}derive:\n  _0: word\n{DOUBLED}read: {{always: {{result: a}}}}\nexample: {{roll: 1}}\n"
)

FILES: dict[str, tuple[dict[str, str | bytes | None], str]] = {
    "an anchor that grows": (
        {"game.yaml": "a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: [*b, *b, *b, *b]\n"},
        "line 1, column 4: anchors and aliases",
    ),
    "an input that YAML reads as false": (
        {
            "crt.yaml": FEW["crt.yaml"].replace(
                "  roll: {type", "  no: {type: int, min: 1, max: 2}\n  roll: {type"
            )
        },
        "YAML reads the name of option False as no text",
    ),
    "a tag that runs code": (
        {"game.yaml": "title: !!python/object/apply:os.system [ls]\n"},
        "line 1, column 8: tags",
    ),
    "a tag of YAML's own": ({"game.yaml": "title: !!binary aGk=\n"}, "tags such as"),
    "lists a thousand deep": ({"game.yaml": "a: " + "[" * 1_000 + "]" * 1_000}, "at most 12 deep"),
    "mappings a hundred deep": (
        {"game.yaml": "\n".join(" " * n + "a:" for n in range(100))},
        "at most 12 deep",
    ),
    "half a megabyte of one line": ({"game.yaml": "title: " + "x" * 500_000}, "larger than 256 kB"),
    "a line of 200 kB": ({"game.yaml": "title: " + "x" * 200_000}, "line 1: has 200007 characters"),
    "thousands of names": (
        {"game.yaml": "lists:\n" + "".join(f"  n{n}: [a]\n" for n in range(5_000))},
        "at most 500",
    ),
    "thousands of cells": ({"crt.yaml": "a:\n" + "- [1, 2]\n" * 5_000}, "at most 500 entries"),
    "a number without end": (
        {"crt.yaml": HEAD.replace("max: 6", "max: " + "9" * 300)},
        "too large for a number",
    ),
    "infinity": ({"crt.yaml": HEAD.replace("max: 6", "max: .inf")}, "too large for a number"),
    "a range of a billion": (
        {
            "crt.yaml": HEAD.replace("max: 6", "max: 999999999")
            + "read:\n  rows: roll\n  cells: {1-2: a}\n"
        },
        "more than 10000 values",
    ),
    "an invisible character": (
        {"pack.yaml": FEW["pack.yaml"].replace("Few", "F\u202eew")},
        "invisible character",
    ),
    "no text": ({"game.yaml": b"\xff\xfe\x00"}, "is not UTF-8"),
    "a zero byte": ({"game.yaml": "title: a\0b\n"}, "control or invisible"),
    "YAML that breaks off": ({"game.yaml": "groups: {combat: [\n"}, "game.yaml: line"),
    "a list as a key": ({"game.yaml": "? [a, b]\n: c\n"}, "game.yaml: "),
    "an attribute": (
        {"crt.yaml": derived("word.__class__.__mro__")},
        "uses Attribute, which is not allowed",
    ),
    "a name of Python's": ({"crt.yaml": derived("__import__('os')")}, "names __import__"),
    "a comprehension": ({"crt.yaml": derived("[x for x in word]")}, "not allowed"),
    "a power": ({"crt.yaml": derived("9**9**9")}, "not allowed"),
    "a lambda": ({"crt.yaml": derived("(lambda: 1)()")}, "not allowed"),
    "a text a billion times": ({"crt.yaml": derived("word * 999999999")}, "has no value here"),
    "a list a billion times": ({"crt.yaml": derived("[roll] * 999999999")}, "has no value here"),
    "a width of a billion": ({"crt.yaml": derived("'%999999999d' % roll")}, "has no value here"),
    "a product without end": (
        {"crt.yaml": derived("*".join(["999999"] * 200))},
        "has no value here",
    ),
    "a text doubled sixty times": ({"crt.yaml": GROWN}, "has no value here"),
    "brackets a thousand deep": (
        {"crt.yaml": derived("(" * 900 + "roll" + ")" * 900)},
        "cannot be read",
    ),
    "a formula of 3,000 characters": (
        {"crt.yaml": derived("+".join(["roll"] * 600))},
        "at most 2000 characters",
    ),
    "a refusal that looks inside": (
        {
            "crt.yaml": HEAD
            + "refuse: [{when: roll > 1, say: '{roll.__class__}'}]\nread: {always: {result: 1}}\n"
        },
        "say names roll.__class__",
    ),
    "a refusal of a billion blanks": (
        {
            "crt.yaml": HEAD
            + "refuse: [{when: roll > 1, say: '{roll:>999999999}'}]\nread: {always: {result: 1}}\n"
        },
        "which this table does not have",
    ),
    "bands by the million": (
        {
            "crt.yaml": HEAD.replace("max: 6", "max: 10000")
            + "  far: {type: int, min: 1, max: 400}\n"
            "read:\n  rows: far\n  bands: {by: roll}\n  cells:\n"
            + "".join(f"    {n}: '1-10000:a'\n" for n in range(1, 401))
        },
        "crt.yaml",
    ),
    "Python in a sequence": (
        {"sequences.yaml": "fire: {title: T, source: s, summary: S., code: os}\n"},
        "sequences.yaml",
    ),
    "odds of too many dice": (
        {
            "sequences.yaml": "fire: {title: T, source: s, summary: S., inputs: {mod: {type: int, default: 0}}, "
            "outputs: {sum: int}, odds_by: sum, example: {mod: 0}}\n",
            "steps/fire.yaml": "steps:\n"
            + "".join(f"- roll: {{d{n}: 1d20}}\n" for n in range(9))
            + f"- tell: {{sum: {' * 3 + '.join(f'd{n}' for n in range(9))}}}\n",
        },
        "the odds by sum can never be counted: the dice that are read later come to 25,600,000,000 states",
    ),
    "another's commands": (
        {"pack.yaml": FEW["pack.yaml"].replace("id: few", "id: game")},
        "cannot name a system",
    ),
    "a folder as its id": (
        {"pack.yaml": FEW["pack.yaml"].replace("id: few", "id: ../few")},
        "cannot name a system",
    ),
    "a parent elsewhere": (
        {"pack.yaml": FEW["pack.yaml"] + "inherits: ../../etc\n"},
        "no built-in system",
    ),
    "a table out of the folder": ({"crt.yaml": "like: ../../lnlt/dct\n"}, "there is no table"),
    "a path as a file name": ({"a%2f.yaml": "a: 1"}, "is no name for a file"),
    "a name in capitals": ({"CRT.yaml": "a: 1"}, "is no name for a file"),
    "300 files": ({f"t{n}.yaml": "a: 1" for n in range(300)}, "one file too many"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_pack_is_refused_in_words_and_at_once(name: str, make_pack: PackMaker) -> None:
    changed, said = FILES[name]
    folder = make_pack(changed)
    since = time.process_time()
    try:
        faults = check_content(read_content(folder)).faults
    except TableError as error:
        faults = (str(error),)
    took = time.process_time() - since
    assert said in " ".join(faults), faults
    assert took < SECONDS
    assert all(len(fault) < 600 for fault in faults), "a fault is a line, not a page"
    with pytest.raises(TableError):
        load_pack(folder).check_whole()


def zipped(path: Path, *entries: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """A zip with these entries, and with those that make it a pack."""
    with zipfile.ZipFile(path, "w", method) as file:
        for name, data in (*((name, text.encode()) for name, text in FEW.items()), *entries):
            file.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (("bomb.yaml", b"\0" * 40_000_000), "larger than 256 kB"),
        (("../../evil.yaml", b"a: 1"), "is no name for a file"),
        (("/etc/evil.yaml", b"a: 1"), "is no name for a file"),
        (("C:\\evil.yaml", b"a: 1"), "is no name for a file"),
        (("..\\evil.yaml", b"a: 1"), "is no name for a file"),
        (("scenarios\\..\\..\\evil.yaml", b"a: 1"), "is no name for a file"),
        (("scenarios/deep/er.yaml", b"a: 1"), "is no name for a file"),
        (("crt.py", b"import os"), "is no name for a file"),
    ],
)
def test_a_zip_gives_out_no_more_than_a_pack_may_hold(
    entry: tuple[str, bytes], said: str, tmp_path: Path
) -> None:
    since = time.process_time()
    with pytest.raises(TableError, match=said):
        read_content(zipped(tmp_path / "few.zip", entry))
    assert time.process_time() - since < SECONDS


def test_a_zip_that_lies_about_its_size_gives_out_no_more_either(tmp_path: Path) -> None:
    """Both heads say ten bytes; inside are a million."""
    path = zipped(tmp_path / "few.zip", ("bomb.yaml", b"x" * 1_000_000))
    raw = path.read_bytes()
    path.write_bytes(raw.replace((1_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    with pytest.raises(TableError):
        load_pack(path).check_whole()


def test_what_is_no_zip_and_what_is_too_large_a_zip(tmp_path: Path) -> None:
    (tmp_path / "few.zip").write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(TableError, match="no zip that can be unpacked"):
        read_content(tmp_path / "few.zip")
    (tmp_path / "few.zip").write_bytes(b"\0" * (MOST_BYTES + 1))
    with pytest.raises(TableError, match="larger than 256 kB"):
        read_content(tmp_path / "few.zip")


def test_a_link_to_another_file_is_not_followed(make_pack: PackMaker, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("token: 1")
    folder = make_pack()
    (folder / "more.yaml").symlink_to(tmp_path / "secret")
    with pytest.raises(TableError, match="no plain file"):
        read_content(folder)


@pytest.mark.slow
async def test_a_pack_that_costs_too_much_is_given_up_while_others_are_answered(
    make_pack: PackMaker,
) -> None:
    """Two hundred tables of heavy formulas: within limits each, too much together."""
    formula = "+".join(["(roll*roll)"] * 160)
    heavy = HEAD + "derive:\n" + "".join(f"  _{n}: {formula!r}\n" for n in range(3))
    heavy += "read: {always: {result: 1}}\nexample: {roll: 1}\n"
    content = read_content(
        make_pack({f"t{n}.yaml": heavy.replace("max: 6", "max: 5000") for n in range(40)})
    )
    ticks = 0

    async def others() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    beside = asyncio.create_task(others())
    report = await check_in_process(content, 0.5)
    beside.cancel()
    assert "too costly" in report.faults[0]
    assert ticks > 20
    assert (
        await check_in_process({name: text.encode() for name, text in FEW.items()}, 20)
    ).faults == ()


FORMULAS = {
    "unit.__class__": "there is no name unit here",
    "attack.__init__.__globals__": "has no __init__",
    "'%999999999d' % attack": "a text cannot be reckoned with",
    "ground * 999999999": "a text cannot be reckoned with",
    "[attack] * 999999999": "a list cannot be reckoned with",
    "9**9**9": "** is not allowed",
    "(lambda: 1)()": "can be called",
    "(" * 900 + "attack" + ")" * 900: "at most 1000 characters",
    "attack // 0": "cannot be worked out",
    "index([1], 2)": "cannot be worked out",
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("formula", FORMULAS)
def test_a_sequence_reaches_no_further_than_a_table(formula: str, tmp_path: Path) -> None:
    write_new_pack(tmp_path / "few-acres")
    steps = tmp_path / "few-acres" / "steps" / "attack.yaml"
    text = steps.read_text().replace(
        "- let: {moved:", f"- let: {{x: {formula!r}}}\n- tell: {{attack: x}}\n- let: {{moved:"
    )
    steps.write_text(text.replace("tell: {attack: attack, ", "tell: {"))
    since = time.process_time()
    faults = " ".join(check_content(read_content(tmp_path / "few-acres")).faults)
    assert FORMULAS[formula] in faults
    assert "few-acres/s" in faults, "the file is named"
    assert time.process_time() - since < SECONDS
