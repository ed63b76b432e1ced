"""Tables from elsewhere by the folder: each file is read by itself, and packs are filled with
what comes of them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
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
"""What is left beside pack.yaml and game.yaml."""
_GROUP = re.compile(r"^group: .*$", re.MULTILINE)


class FolderTable(NamedTuple):
    """A table on its way into a pack: the name it would like, its YAML, the file that it is from,
    and how it was read.
    """

    id: str
    text: str
    file: str
    format: str
    understood: str


@dataclass(slots=True)
class _Pack:
    """Tables as long as they fit: `files` by name, `of` which of ours each is, and the groups by
    their ids.
    """

    files: dict[str, str] = field(default_factory=dict)
    of: dict[str, FolderTable] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    size: int = 0
    _in: Counter[str] = field(default_factory=Counter)

    def try_add(self, table: FolderTable) -> bool:
        """Put a table in, under the folder that its file was in; False where there is no room
        for it.
        """
        folder = PurePosixPath(table.file).parent.name
        base = make_slug(folder)[:25] or GROUP
        title = clean_title(folder.replace("_", " "), "Tables")
        base = make_name(base, GROUP)
        number = next(
            number for number in count(1) if self._in[_make_group_name(base, number)] < MOST_SHOWN
        )
        group = _make_group_name(base, number)
        size = len(table.text.encode())
        is_full = len(self.files) > MOST_FILES - 4 or (
            group not in self.groups and len(self.groups) == MOST_SHOWN
        )
        if self.files and (is_full or self.size + size > _ROOM):
            return False
        id = make_name(table.id, "table", self.of)
        self.groups[group] = title if number == 1 else f"{title} {number}"
        self.files[f"{id}.yaml"], self.of[id] = (
            _GROUP.sub(f"group: {group}", table.text, count=1),
            table,
        )
        self.size += size
        self._in[group] += 1
        return True

    def build_import(self, title: str) -> Imported:
        """What is in it, as if it had come out of one file."""
        formats = " and ".join(dict.fromkeys(table.format for table in self.of.values()))
        understood = tuple(f"{id}: {table.understood}" for id, table in self.of.items())
        return Imported(formats, self.files, self.groups, (), title, understood=understood)


def _make_group_name(base: str, number: int) -> str:
    return base if number == 1 else f"{base}-{number}"


@dataclass(frozen=True, slots=True)
class GatheredPacks:
    """What the files of a folder came to: packs without a fault, what to look at again, and
    `left_out`: which file (or table of one) is in none of them, and why. `taken` counts the files
    of which something is in one, `read` all."""

    packs: tuple[Imported, ...]
    questions: tuple[str, ...]
    left_out: tuple[str, ...]
    taken: int
    read: int


def gather_packs(
    files: Iterable[tuple[str, bytes]], title: str, *, is_alone: bool = False
) -> GatheredPacks:
    """The tables of all files out of which one comes, as packs called `title`, `title 2` ...; of
    one that is to be alone what does not fit is left out. Raises UserError for more than MOST
    files."""
    tables = list[FolderTable]()
    questions = list[str]()
    left_out = list[str]()
    read = 0
    for read, (name, data) in enumerate(files, 1):
        if read > MOST:
            raise make_import_error(
                f"There are more than {MOST:,} files in it.", "Import its folders one by one."
            )
        try:
            # the tables of one file may come into several packs
            made = import_tables(data, name, chains=False)
        except UserError as error:
            left_out.append(f"{name}: {error.message}")
            continue
        for (file, text), line in zip(made.files.items(), made.understood, strict=True):
            if len(text.encode()) > _ROOM:
                left_out.append(
                    f"{name}: {file} alone is larger than the {MOST_BYTES // 1024} kB that a pack has"
                )
            elif file.startswith(f"{DECKS}/"):
                left_out.append(
                    f"{name}: a deck goes into a pack by itself: grognard import {name} --pack PACK"
                )
            else:
                understood = line.partition(": ")[2]
                tables.append(
                    FolderTable(file.removesuffix(".yaml"), text, name, made.format, understood)
                )
        questions += [f"{name}, {question}" for question in made.questions]
    packs = list[Imported]()
    taken = set[str]()
    for pack in _fill_packs(tables, questions, left_out):
        if packs and is_alone:
            left_out += [
                f"{table.file}: a pack has no more room"
                for table in tables
                if table.file not in taken
            ]
            break
        taken |= {table.file for table in pack.of.values()}
        packs.append(
            pack.build_import(clean_title(f"{title} {len(packs) + 1}" if packs else title))
        )
    return GatheredPacks(tuple(packs), tuple(questions), tuple(left_out), len(taken), read)


def _fill_packs(
    tables: Sequence[FolderTable], questions: list[str], left_out: list[str]
) -> Iterator[_Pack]:
    """Packs one after another, without the tables in which the check finds a fault."""
    rest = list(tables)
    while rest:
        pack = _Pack()
        fitting = next((at for at, table in enumerate(rest) if not pack.try_add(table)), len(rest))
        report = check_content(pack.build_import(ID).pack(ID))
        faulty = _find_faulty_tables(pack, report)
        left_out += [f"{table.file}: {fault}" for table, fault in faulty.items()]
        if faulty:
            rest = [table for table in rest if table not in faulty]
            continue
        questions += [question.removeprefix(f"{ID}/") for question in report.questions]
        rest = rest[fitting:]
        yield pack


def _find_faulty_tables(pack: _Pack, report: Report) -> dict[FolderTable, str]:
    """The tables with a fault, and the first of each."""
    found: dict[FolderTable, str] = {}
    for fault in report.faults:
        said = fault.removeprefix(f"{ID}/")
        table = pack.of.get(said.partition(".yaml")[0], next(iter(pack.of.values())))
        found.setdefault(table, said)
    return found


# -- a folder on this machine, a zip in chat


def import_folder(path: Path, folder: Path | None) -> ImportReport:
    """What a folder or zip of tables came to, written as a pack (and as others beside it where one
    does not hold all); looked at alone without a `folder`. Raises UserError where that cannot be.
    """
    with explain_file_errors(path, "read", code="unreadable-file"):
        files = (
            _read_files(path) if path.is_dir() else read_tables_of_zip(path.read_bytes(), path.name)
        )
        found = gather_packs(files, clean_title(path.resolve().stem.replace("_", " ").capitalize()))
    lines = [f"read as   {line}" for made in found.packs for line in made.understood]
    lines += [f"question  {question}" for question in dict.fromkeys(found.questions)]
    lines += [f"left out  {reason}" for reason in found.left_out]
    for number, made in enumerate(found.packs, 1):
        into = folder and (folder if number == 1 else folder.with_name(f"{folder.name}-{number}"))
        if into:
            write_new(made, into)
        lines.append(
            f"{f'{into} is written' if into else made.title}: {format_count(len(made.files), 'table')}"
        )
    lines.append(f"{found.taken} of {format_count(found.read, 'file')} taken.")
    if found.packs and folder is None:
        lines.append("--pack FOLDER makes a pack of it.")
    return ImportReport(lines, int(bool(found.left_out)))


def _read_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if is_of_tables(name) and path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                yield name, file.read(MOST_READ + 1)
