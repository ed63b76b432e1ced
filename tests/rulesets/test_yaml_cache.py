"""What YAML comes to is kept beside it, and believed only while it is ours and of the very same
YAML.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bot.rules.errors import TableError
from bot.rulesets import yaml_file
from bot.rulesets.system import TABLES
from bot.rulesets.yaml_cache import read_yaml


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with two rows, in a place where byte code may be written."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    path = tmp_path / "dct.yaml"
    path.write_text("2-5: [NE, 1]\n6: {half: 0.5, none: null, yes: true}\n")
    return path


def kept(path: Path) -> Path:
    (found,) = (path.parent / "__pycache__").iterdir()
    return found


def no_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on whoever parses YAML fails."""
    monkeypatch.setattr(yaml_file, "parse", lambda text, file: pytest.fail(f"{file} is parsed"))


def test_a_second_reading_parses_nothing(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read_yaml(table)
    no_yaml(monkeypatch)
    again = read_yaml(table)
    assert again == first == {"2-5": ["NE", 1], 6: {"half": 0.5, "none": None, True: True}}
    assert list(again) == ["2-5", 6]


def test_a_changed_file_is_parsed_anew(table: Path) -> None:
    """Also when it is as long as before and changed within the same moment."""
    read_yaml(table)
    times = table.stat()
    table.write_text(table.read_text().replace("NE", "M1"))
    os.utime(table, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert read_yaml(table)["2-5"] == ["M1", 1]


@pytest.mark.parametrize("harm", ["open to all", "cut", "of another YAML", "empty"])
def test_what_is_kept_is_not_believed_where_it_is_not_ours_or_not_whole(
    table: Path, harm: str
) -> None:
    first, file = read_yaml(table), kept(table)
    if harm == "open to all":
        file.write_bytes(file.read_bytes().replace(b"NE", b"M1"))
        file.chmod(0o666)
    elif harm == "of another YAML":
        other = table.with_name("other.yaml")
        other.write_text("1: 2\n")
        read_yaml(other)
        file.write_bytes(
            next(one for one in file.parent.iterdir() if one.name.startswith("other")).read_bytes()
        )
    else:
        file.write_bytes(file.read_bytes()[: -8 if harm == "cut" else 0])
    assert read_yaml(table) == first


def test_nothing_is_kept_where_no_byte_code_is_wanted(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    read_yaml(table)
    assert not (table.parent / "__pycache__").exists()


def test_only_the_owner_may_write_what_is_kept(table: Path) -> None:
    before = os.umask(0)
    try:
        read_yaml(table)
    finally:
        os.umask(before)
    assert kept(table).stat().st_mode & 0o777 == 0o644
    assert [path.name for path in kept(table).parent.iterdir()] == [kept(table).name]


def test_every_file_of_every_game_comes_back_as_it_was_parsed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    files = sorted(Path(TABLES).rglob("*.yaml"))
    parsed = [repr(read_yaml(path)) for path in files]
    no_yaml(monkeypatch)
    assert [repr(read_yaml(path)) for path in files] == parsed
    assert len(files) > 170


def test_equal_texts_of_all_files_are_one_string_in_memory(table: Path) -> None:
    """Parsed, or kept: the tables of all games are in memory while the bot runs."""
    other = table.with_name("other.yaml")
    other.write_text("[NE result, {text: NE result}]\n")
    table.write_text("2-5: NE result\n")
    for _ in range(2):
        text = read_yaml(table)["2-5"]
        first, second = read_yaml(other)
        assert first is text
        assert second["text"] is text


def test_a_wrong_file_is_refused_by_line_each_time(table: Path) -> None:
    table.write_text("1: 2\n1: 3\n")
    for _ in range(2):
        with pytest.raises(TableError, match="line 2: the key 1 is given twice"):
            read_yaml(table)
