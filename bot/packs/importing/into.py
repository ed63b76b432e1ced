"""Imported tables on their way into a pack: checked, and written into its folder or a new one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from bot.packs.check import check_content, check_path
from bot.packs.importing.draft import named
from bot.packs.importing.recognise import Imported, imported
from bot.rules.errors import TableError, UserError
from bot.systems.packs.content import PACK
from bot.systems.packs.pack import LONGEST_ID, load_pack


class Told(NamedTuple):
    """Lines to print, and the exit status: 1 where there are faults."""

    lines: list[str]
    status: int


def alone(made: Imported) -> Told:
    """The check of tables that go into no pack yet."""
    report = check_content(made.pack("import"))
    return _told((), [fault.replace("import/", "", 1) for fault in report.faults], (*made.questions, *report.questions))


def put(data: bytes, name: str, folder: Path, *, id: str = "", group: str = "") -> Told:
    """Tables written into the folder of a pack, or into a new one. Raises UserError where that cannot be."""
    if (folder / PACK).is_file():
        made = imported(data, name, id=id, group=group or _first_group(folder))
        files = {file: text.encode() for file, text in made.files.items()}
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(
            f"{folder} is no pack: it has no {PACK}.", hint="Name a pack or a new folder.", code="name-taken"
        )
    else:
        made = imported(data, name, id=id)
        files = made.pack(named(folder.resolve().name, "pack")[:LONGEST_ID].strip("-"))
    if there := [file for file in files if (folder / file).exists()]:
        raise UserError(
            f"{folder / there[0]} is there already.", hint="Give the table another --id.", code="name-taken"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / file).write_bytes(text)
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror}.", code="unreadable-file") from None
    report = check_path(folder)
    return _told((f"{folder / file} is written" for file in files), report.faults, (*made.questions, *report.questions))


def _first_group(folder: Path) -> str:
    try:
        return str(next(iter(load_pack(folder).game["groups"])))
    except TableError as error:
        raise UserError(f"The pack has a fault: {error}.", code="not-a-table") from None


def _told(lines: Iterable[str], faults: Iterable[str], questions: Iterable[str]) -> Told:
    wrong = [f"fault     {fault}" for fault in dict.fromkeys(faults)]
    return Told([*lines, *wrong, *(f"question  {question}" for question in dict.fromkeys(questions))], int(bool(wrong)))
