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
from bot.packs.importing.draft import named, refused, slug, titled
from bot.packs.importing.recognise import GROUP, MOST_READ, Imported, Told, imported, write_new
from bot.process.file_rights import explained_failure
from bot.rules.errors import UserError
from bot.rules.text.names import counted
from bot.systems.packs.archive import MOST_BYTES, MOST_FILES, is_of_tables, tables_of_zip
from bot.systems.packs.pack import MOST_SHOWN
from bot.systems.system import DECKS

ID = "tables"
MOST = 3_000
"""Files of one folder."""
_ROOM = MOST_BYTES - 6_000
"""What is left beside pack.yaml and game.yaml."""
_GROUP = re.compile(r"^group: .*$", re.MULTILINE)


class Table(NamedTuple):
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
    of: dict[str, Table] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    size: int = 0
    _in: Counter[str] = field(default_factory=Counter)

    def takes(self, table: Table) -> bool:
        """Put a table in, under the folder that its file was in; False where there is no room
        for it.
        """
        folder = PurePosixPath(table.file).parent.name
        base = slug(folder)[:25] or GROUP
        title = titled(folder.replace("_", " "), "Tables")
        base = named(base, GROUP)
        number = next(number for number in count(1) if self._in[_group(base, number)] < MOST_SHOWN)
        group = _group(base, number)
        size = len(table.text.encode())
        is_full = len(self.files) > MOST_FILES - 4 or (
            group not in self.groups and len(self.groups) == MOST_SHOWN
        )
        if self.files and (is_full or self.size + size > _ROOM):
            return False
        id = named(table.id, "table", self.of)
        self.groups[group] = title if number == 1 else f"{title} {number}"
        self.files[f"{id}.yaml"], self.of[id] = (
            _GROUP.sub(f"group: {group}", table.text, count=1),
            table,
        )
        self.size += size
        self._in[group] += 1
        return True

    def made(self, title: str) -> Imported:
        """What is in it, as if it had come out of one file."""
        formats = " and ".join(dict.fromkeys(table.format for table in self.of.values()))
        understood = tuple(f"{id}: {table.understood}" for id, table in self.of.items())
        return Imported(formats, self.files, self.groups, (), title, understood=understood)


def _group(base: str, number: int) -> str:
    return base if number == 1 else f"{base}-{number}"


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the files of a folder came to: packs without a fault, what to look at again, and
    `left_out`: which file (or table of one) is in none of them, and why. `taken` counts the files
    of which something is in one, `read` all."""

    packs: tuple[Imported, ...]
    questions: tuple[str, ...]
    left_out: tuple[str, ...]
    taken: int
    read: int


def gathered(files: Iterable[tuple[str, bytes]], title: str, *, is_alone: bool = False) -> Gathered:
    """The tables of all files out of which one comes, as packs called `title`, `title 2` ...; of
    one that is to be alone what does not fit is left out. Raises UserError for more than MOST
    files."""
    tables = list[Table]()
    questions = list[str]()
    left_out = list[str]()
    read = 0
    for read, (name, data) in enumerate(files, 1):
        if read > MOST:
            raise refused(
                f"There are more than {MOST:,} files in it.", "Import its folders one by one."
            )
        try:
            # the tables of one file may come into several packs
            made = imported(data, name, chains=False)
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
                    Table(file.removesuffix(".yaml"), text, name, made.format, understood)
                )
        questions += [f"{name}, {question}" for question in made.questions]
    packs = list[Imported]()
    taken = set[str]()
    for pack in _filled(tables, questions, left_out):
        if packs and is_alone:
            left_out += [
                f"{table.file}: a pack has no more room"
                for table in tables
                if table.file not in taken
            ]
            break
        taken |= {table.file for table in pack.of.values()}
        packs.append(pack.made(titled(f"{title} {len(packs) + 1}" if packs else title)))
    return Gathered(tuple(packs), tuple(questions), tuple(left_out), len(taken), read)


def _filled(tables: Sequence[Table], questions: list[str], left_out: list[str]) -> Iterator[_Pack]:
    """Packs one after another, without the tables in which the check finds a fault."""
    rest = list(tables)
    while rest:
        pack = _Pack()
        fitting = next((at for at, table in enumerate(rest) if not pack.takes(table)), len(rest))
        report = check_content(pack.made(ID).pack(ID))
        faulty = _faulty(pack, report)
        left_out += [f"{table.file}: {fault}" for table, fault in faulty.items()]
        if faulty:
            rest = [table for table in rest if table not in faulty]
            continue
        questions += [question.removeprefix(f"{ID}/") for question in report.questions]
        rest = rest[fitting:]
        yield pack


def _faulty(pack: _Pack, report: Report) -> dict[Table, str]:
    """The tables with a fault, and the first of each."""
    found: dict[Table, str] = {}
    for fault in report.faults:
        said = fault.removeprefix(f"{ID}/")
        table = pack.of.get(said.partition(".yaml")[0], next(iter(pack.of.values())))
        found.setdefault(table, said)
    return found


# -- a folder on this machine, a zip in chat


def put_all(path: Path, folder: Path | None) -> Told:
    """What a folder or zip of tables came to, written as a pack (and as others beside it where one
    does not hold all); looked at alone without a `folder`. Raises UserError where that cannot be.
    """
    with explained_failure(path, "read", code="unreadable-file"):
        files = _files(path) if path.is_dir() else tables_of_zip(path.read_bytes(), path.name)
        found = gathered(files, titled(path.resolve().stem.replace("_", " ").capitalize()))
    lines = [f"read as   {line}" for made in found.packs for line in made.understood]
    lines += [f"question  {question}" for question in dict.fromkeys(found.questions)]
    lines += [f"left out  {reason}" for reason in found.left_out]
    for number, made in enumerate(found.packs, 1):
        into = folder and (folder if number == 1 else folder.with_name(f"{folder.name}-{number}"))
        if into:
            write_new(made, into)
        lines.append(
            f"{f'{into} is written' if into else made.title}: {counted(len(made.files), 'table')}"
        )
    lines.append(f"{found.taken} of {counted(found.read, 'file')} taken.")
    if found.packs and folder is None:
        lines.append("--pack FOLDER makes a pack of it.")
    return Told(lines, int(bool(found.left_out)))


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if is_of_tables(name) and path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                yield name, file.read(MOST_READ + 1)
