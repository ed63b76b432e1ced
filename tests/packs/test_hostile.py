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
from tests.packs.hostile_helpers import (
    FILES,
    HEAD,
)

SECONDS = 10.0


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
        (("../../evil.yaml", b"a: 1"), "is not a valid name for a pack file"),
        (("/etc/evil.yaml", b"a: 1"), "is not a valid name for a pack file"),
        (("C:\\evil.yaml", b"a: 1"), "is not a valid name for a pack file"),
        (("..\\evil.yaml", b"a: 1"), "is not a valid name for a pack file"),
        (("scenarios\\..\\..\\evil.yaml", b"a: 1"), "is not a valid name for a pack file"),
        (("scenarios/deep/er.yaml", b"a: 1"), "is not a valid name for a pack file"),
        (("crt.py", b"import os"), "is not a valid name for a pack file"),
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
    with pytest.raises(TableError, match="not a zip that can be unpacked"):
        read_content(tmp_path / "few.zip")
    (tmp_path / "few.zip").write_bytes(b"\0" * (MOST_BYTES + 1))
    with pytest.raises(TableError, match="larger than 256 kB"):
        read_content(tmp_path / "few.zip")


def test_a_link_to_another_file_is_not_followed(make_pack: PackMaker, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("token: 1")
    folder = make_pack()
    (folder / "more.yaml").symlink_to(tmp_path / "secret")
    with pytest.raises(TableError, match="not a plain file"):
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
    assert "too much memory" in report.faults[0]
    assert ticks > 20
    assert (
        await check_in_process({name: text.encode() for name, text in FEW.items()}, 20)
    ).faults == ()


FORMULAS = {
    "unit.__class__": "there is no name unit here",
    "attack.__init__.__globals__": "has no __init__",
    "'%999999999d' % attack": "a text cannot be used in arithmetic",
    "ground * 999999999": "a text cannot be used in arithmetic",
    "[attack] * 999999999": "a list cannot be used in arithmetic",
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
