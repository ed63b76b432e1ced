"""What a manager reads of a pack before it is enabled: what it is, what it has, and what its check found."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from bot.packs.check import Report, check_content
from bot.packs.importing import imported
from bot.packs.importing.sheet import NO_TABLE
from bot.rules.errors import TableError, UserError
from bot.systems.packs.archive import Content, read_one_file, unzipped
from bot.systems.packs.pack import About, PackSystem
from bot.systems.system import SCENARIOS

BOM = b"\xef\xbb\xbf"
_FILES = re.compile(r"^\S+\.yaml:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Review:
    """A pack that was read whole. With faults there is nothing but these, and no `content`."""

    report: Report
    about: About | None = None
    tables: tuple[tuple[str, str], ...] = ()
    sequences: tuple[tuple[str, str], ...] = ()
    scenarios: tuple[str, ...] = ()
    content: Content | None = None


def review_file(zip: bytes | None, text: str) -> Review:
    """The review of a pack as it was sent: a zip, one text, or a table of another program, which becomes a pack."""
    try:
        content = read_one_file(text) if zip is None else unzipped(zip, "The zip")
    except TableError as error:
        alone = None if zip is not None or _FILES.search(text) else _alone(text)
        return alone or Review(Report((str(error),)))
    return review({name: data.removeprefix(BOM) for name, data in content.items()})


def _alone(text: str) -> Review | None:
    """The review of a sheet, a BCDice or Foundry table or a deck; nothing for a text that looks like none of them."""
    try:
        made = imported(text)
    except UserError as error:
        return None if error.message == NO_TABLE else Review(Report((str(error),)))
    found = review(made.pack(made.id))
    return replace(found, report=replace(found.report, questions=(*made.questions, *found.report.questions)))


def review_brought(content: Content) -> Review:
    """The review of a pack that a game was played with."""
    return review(content, is_new=False)


def review(content: Content, *, is_new: bool = True) -> Review:
    """The review of a pack's files; one that a game brings along is not new."""
    report = check_content(content, is_new=is_new)
    if report.faults:
        return Review(report)
    pack = PackSystem(content)
    return Review(
        report,
        pack.about,
        tuple((table.id, table.title) for table in pack.tables.values()),
        tuple((sequence.id, sequence.title) for sequence in pack.sequences.values()),
        tuple(pack.scenarios.values() if pack.names(SCENARIOS) else ()),
        content,
    )
