"""What a manager reads of a pack before it is enabled: what it is, what it has, and what its check found."""

from __future__ import annotations

from dataclasses import dataclass

from bot.packs.check import Report, check_content
from bot.rules.errors import TableError
from bot.systems.catalog import SCENARIOS
from bot.systems.packs.content import Content, unzipped
from bot.systems.packs.one_file import read_one_file
from bot.systems.packs.pack import About, PackSystem

BOM = b"\xef\xbb\xbf"


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
    """The review of a pack as it was sent: a zip, or one text."""
    try:
        content = read_one_file(text) if zip is None else unzipped(zip, "The zip")
    except TableError as error:
        return Review(Report((str(error),)))
    return review({name: data.removeprefix(BOM) for name, data in content.items()})


def review(content: Content) -> Review:
    """The review of a pack's files."""
    report = check_content(content)
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
