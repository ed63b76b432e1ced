"""What a manager reads of a pack before it is enabled: what it is, what it has, and what its
check found.
"""

import re
from dataclasses import dataclass, replace

from bot.packs.check import Report, add_positions, check_content
from bot.packs.importing import Imported, import_tables
from bot.packs.importing.blocks import NO_TABLE
from bot.packs.importing.detect_format import MOST_READ
from bot.packs.importing.folders import gather_packs
from bot.rules.errors import TableError, UserError
from bot.rules.text.phrase import Phrase
from bot.rulesets.packs.archive import (
    PACK,
    Content,
    read_one_file,
    read_tables_of_zip,
    unzip_content,
)
from bot.rulesets.packs.pack import About, PackSystem
from bot.rulesets.system import SCENARIOS
from bot.ui.uploads.workbook import is_workbook

BOM = b"\xef\xbb\xbf"
NEITHER = (
    "This is neither a pack nor a table that is known. A pack as one text begins with pack.yaml:, a table is a sheet "
    "with headings, or one of BCDice, Foundry VTT or SealDice."
)
_FILES = re.compile(r"^\S+\.yaml:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Review:
    """A pack that was read whole. With faults there is nothing but these, and no `content`."""

    report: Report
    about: About | None = None
    tables: tuple[tuple[str, str], ...] = ()
    sequences: tuple[tuple[str, str], ...] = ()
    scenarios: tuple[str, ...] = ()
    decks: tuple[str, ...] = ()
    content: Content | None = None
    understood: tuple[str, ...] = ()
    """How each table from elsewhere was read."""


def review_file(
    zip: bytes | None, text: str, deck: str = "", name: str = "", note: str = ""
) -> Review:
    """The review of a pack as it was sent: a zip, one text, or a table or `deck` of another
    program, which becomes a pack. `name` is the file's name, `note` says how its text was decoded
    if that was a guess.
    """
    if zip is not None and is_workbook(zip):
        return _review_single(zip, deck, name) or Review(Report((NEITHER,)))
    try:
        content = read_one_file(text) if zip is None else unzip_content(zip, "The zip")
    except TableError as error:
        found = (
            _review_single(text, deck, name, note) if zip is None else _review_zip_of_tables(zip)
        )
        return found or Review(Report((str(error),)))
    content = {name: data.removeprefix(BOM) for name, data in content.items()}
    found = review_content(content)
    return replace(found, report=add_positions(found.report, content))


def _review_single(text: str | bytes, deck: str, name: str, note: str = "") -> Review | None:
    """The review of a sheet, a table of BCDice or Foundry, a deck or one list of it; nothing for
    a pack's files.
    """
    if isinstance(text, str) and _FILES.search(text):
        return None
    try:
        made = import_tables(text, name or "table", deck=deck, note=note)
    except UserError as error:
        fault = Phrase(error.message, " " if error.hint else "", error.hint)
        return Review(Report((NEITHER if error.message == NO_TABLE else fault,)))
    return _review_import(made, made.questions)


def _review_zip_of_tables(zip: bytes) -> Review | None:
    """The review of all tables in a zip, as one pack; nothing for the zip of a pack, or one that
    cannot be read.
    """
    try:
        files = dict(read_tables_of_zip(zip, "The zip", MOST_READ))
        if not files or any(name.rpartition("/")[2] == PACK for name in files):
            return None
        found = gather_packs(files.items(), "Imported tables", is_alone=True)
    except (TableError, UserError):
        return None
    if not found.packs:
        return Review(Report(found.left_out))
    return _review_import(
        found.packs[0], (*(f"left out: {reason}" for reason in found.left_out), *found.questions)
    )


def _review_import(made: Imported, questions: tuple[str, ...]) -> Review:
    """The review of a pack of tables from elsewhere, what was asked when they were read first."""
    found = review_content(made.pack(made.id))
    return replace(
        found,
        understood=made.understood,
        report=replace(
            found.report, questions=tuple(dict.fromkeys((*questions, *found.report.questions)))
        ),
    )


def review_game_pack(content: Content) -> Review:
    """The review of a pack that a game was played with."""
    return review_content(content, is_new=False)


def review_content(content: Content, *, is_new: bool = True) -> Review:
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
        tuple(pack.scenarios.values() if pack.list_files(SCENARIOS) else ()),
        tuple(deck.title for deck in pack.decks.values()),
        content,
    )
