"""The import of a whole folder or zip: each file is read by itself, and packs are filled with the
tables in them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from bot.packs.check import Report, check_content
from bot.packs.importing.detect_format import (
    GROUP,
    MOST_READ,
    Imported,
    ImportReport,
    import_tables,
    write_new,
)
from bot.packs.importing.table_draft import clean_title, make_import_error, make_name, make_slug
from bot.rules.errors import UserError
from bot.rules.text.names import format_count
from bot.rulesets.packs.archive import MOST_BYTES, MOST_FILES, is_of_tables, read_tables_of_zip
from bot.rulesets.packs.pack import MOST_SHOWN
from bot.rulesets.system import DECKS
from bot.runtime.file_rights import explain_file_errors

ID = "tables"
MOST = 3_000
"""Files of one folder."""
_ROOM = MOST_BYTES - 6_000
"""Bytes for the tables of a pack: the others are for pack.yaml and game.yaml."""
_GROUP = re.compile(r"^group: .*$", re.MULTILINE)


class FolderTable(NamedTuple):
    """A table on its way into a pack: the id that it gets if no other table has it, its YAML, the
    name of the file that it is from, the format of that file, and a line on how it was read.
    """

    id: str
    text: str
    file: str
    format: str
    understood: str


@dataclass(slots=True)
class _Pack:
    """A pack that is filled with tables: its `files` by name, the `tables` by their id in it, and
    the titles of its groups by id. `size` is that of the tables, in bytes.
    """

    files: dict[str, str] = field(default_factory=dict)
    tables: dict[str, FolderTable] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    size: int = 0
    _group_sizes: Counter[str] = field(default_factory=Counter)
    """The number of tables in each group."""

    def try_add(self, table: FolderTable) -> bool:
        """Add a table if there is room for it, and return whether there was.

        Its group is called after the folder of its file, with a number once a group is full. The
        first table of a pack always has room.
        """
        folder = PurePosixPath(table.file).parent.name
        base = make_name(make_slug(folder)[:25] or GROUP, GROUP)
        title = clean_title(folder.replace("_", " "), "Tables")
        number = 1
        while self._group_sizes[_make_group_name(base, number)] >= MOST_SHOWN:
            number += 1
        group = _make_group_name(base, number)
        size = len(table.text.encode())
        has_all_groups = group not in self.groups and len(self.groups) == MOST_SHOWN
        is_full = has_all_groups or len(self.files) > MOST_FILES - 4
        if self.files and (is_full or self.size + size > _ROOM):
            return False
        id = make_name(table.id, "table", self.tables)
        self.groups[group] = title if number == 1 else f"{title} {number}"
        self.files[f"{id}.yaml"] = _GROUP.sub(f"group: {group}", table.text, count=1)
        self.tables[id] = table
        self.size += size
        self._group_sizes[group] += 1
        return True

    def build_import(self, title: str) -> Imported:
        """Return the tables as if they had come out of one file."""
        formats = " and ".join(dict.fromkeys(table.format for table in self.tables.values()))
        understood = tuple(f"{id}: {table.understood}" for id, table in self.tables.items())
        return Imported(formats, self.files, self.groups, (), title, understood=understood)


def _make_group_name(base: str, number: int) -> str:
    return base if number == 1 else f"{base}-{number}"


@dataclass(frozen=True, slots=True)
class GatheredPacks:
    """The result of reading the files of a folder: packs without a fault, and questions about their
    tables. `left_out` says which file, or table of one, is in no pack, and why.
    """

    packs: tuple[Imported, ...]
    questions: tuple[str, ...]
    left_out: tuple[str, ...]
    used_count: int
    """The number of files with a table in a pack."""
    file_count: int
    """The number of all files."""


@dataclass(slots=True)
class _FolderContents:
    """The tables of all files, questions about them, and the files and tables that are left out."""

    tables: list[FolderTable] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    file_count: int = 0


def gather_packs(
    files: Iterable[tuple[str, bytes]], title: str, *, is_alone: bool = False
) -> GatheredPacks:
    """Return the tables of all files that have some, as packs called `title`, `title 2` and so on.

    If `is_alone`, there is only one pack, and tables that do not fit into it are left out. Raises
    UserError for more than MOST files.
    """
    contents = _read_contents(files)
    packs = list[Imported]()
    used_files = set[str]()
    for pack in _fill_packs(contents):
        if packs and is_alone:
            contents.left_out += [
                f"{table.file}: no room left for it in the pack"
                for table in contents.tables
                if table.file not in used_files
            ]
            break
        used_files |= {table.file for table in pack.tables.values()}
        pack_title = f"{title} {len(packs) + 1}" if packs else title
        packs.append(pack.build_import(clean_title(pack_title)))
    return GatheredPacks(
        tuple(packs),
        tuple(contents.questions),
        tuple(contents.left_out),
        len(used_files),
        contents.file_count,
    )


def _read_contents(files: Iterable[tuple[str, bytes]]) -> _FolderContents:
    """Return the tables of files. Decks, and tables that are too large for a pack, are left out.
    Raises UserError for more than MOST files.
    """
    contents = _FolderContents()
    for name, data in files:
        contents.file_count += 1
        if contents.file_count > MOST:
            raise make_import_error(
                f"It has more than {MOST:,} files.", "Import its folders one by one."
            )
        try:
            # without chains, as the tables of one file may come into several packs
            imported = import_tables(data, name, chains=False)
        except UserError as error:
            contents.left_out.append(f"{name}: {error.message}")
            continue
        for (file, text), line in zip(imported.files.items(), imported.understood, strict=True):
            reason = _find_reason_to_leave_out(file, text, name)
            if reason:
                contents.left_out.append(f"{name}: {reason}")
                continue
            id = file.removesuffix(".yaml")
            understood = line.partition(": ")[2]
            contents.tables.append(FolderTable(id, text, name, imported.format, understood))
        contents.questions += [f"{name}, {question}" for question in imported.questions]
    return contents


def _find_reason_to_leave_out(file: str, text: str, name: str) -> str:
    """Return why an imported table or deck goes into no pack with others, else "". `name` is the
    file that it came from.
    """
    if len(text.encode()) > _ROOM:
        return f"{file} alone is larger than the {MOST_BYTES // 1024} kB limit for a pack"
    if file.startswith(f"{DECKS}/"):
        return f"import a deck on its own: grognard import {name} --pack PACK"
    return ""


def _fill_packs(contents: _FolderContents) -> Iterator[_Pack]:
    """Yield one pack after another until all tables are in one, except those in which the check
    finds a fault. These are added to `left_out`, and questions of the check to `questions`.
    """
    waiting = list(contents.tables)
    while waiting:
        pack = _Pack()
        count = 0
        while count < len(waiting) and pack.try_add(waiting[count]):
            count += 1
        report = check_content(pack.build_import(ID).pack(ID))
        faulty = _find_faulty_tables(pack, report)
        contents.left_out += [f"{table.file}: {fault}" for table, fault in faulty.items()]
        if faulty:
            waiting = [table for table in waiting if table not in faulty]
            continue
        contents.questions += [question.removeprefix(f"{ID}/") for question in report.questions]
        waiting = waiting[count:]
        yield pack


def _find_faulty_tables(pack: _Pack, report: Report) -> dict[FolderTable, str]:
    """Return the tables with a fault, and the first fault of each. A fault that names none of the
    tables is taken for one of the first.
    """
    faults_by_table: dict[FolderTable, str] = {}
    first_table = next(iter(pack.tables.values()))
    for fault in report.faults:
        text = fault.removeprefix(f"{ID}/")
        table = pack.tables.get(text.partition(".yaml")[0], first_table)
        faults_by_table.setdefault(table, text)
    return faults_by_table


# -- a folder on this machine, a zip in chat


def import_folder(path: Path, folder: Path | None) -> ImportReport:
    """Import the tables of a folder or zip, and return the report to print.

    They are written as a pack into `folder`, a new one, and into `folder-2` and so on if one pack
    does not hold all. Nothing is written if `folder` is None. The status is 1 if something is left
    out. Raises UserError if a folder cannot be read or written.
    """
    with explain_file_errors(path, "read", code="unreadable-file"):
        if path.is_dir():
            files = _read_files(path)
        else:
            files = read_tables_of_zip(path.read_bytes(), path.name)
        title = path.resolve().stem.replace("_", " ").capitalize()
        gathered = gather_packs(files, clean_title(title))
    lines = [f"read as   {line}" for pack in gathered.packs for line in pack.understood]
    lines += [f"question  {question}" for question in dict.fromkeys(gathered.questions)]
    lines += [f"left out  {reason}" for reason in gathered.left_out]
    for number, pack in enumerate(gathered.packs, 1):
        count = format_count(len(pack.files), "table")
        if folder is None:
            lines.append(f"{pack.title}: {count}")
            continue
        target = folder if number == 1 else folder.with_name(f"{folder.name}-{number}")
        write_new(pack, target)
        lines.append(f"{target} is written: {count}")
    lines.append(f"{gathered.used_count} of {format_count(gathered.file_count, 'file')} imported.")
    if gathered.packs and folder is None:
        lines.append("Add --pack FOLDER to make a pack of it.")
    return ImportReport(lines, 1 if gathered.left_out else 0)


def _read_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (name, data) of each file below a folder that may have a table. Links are left out, and
    at most MOST_READ + 1 bytes are read.
    """
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if is_of_tables(name) and path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                yield name, file.read(MOST_READ + 1)
