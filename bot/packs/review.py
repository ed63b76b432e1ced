"""The review of a pack, which a manager reads before it is enabled: its facts, its contents, and
the result of its check.
"""

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.packs.check import Report, add_positions, check_content
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

if TYPE_CHECKING:
    from bot.packs.importing import Imported

BOM = b"\xef\xbb\xbf"
NEITHER = (
    "This is neither a pack nor a table in a known format. A pack sent as one text begins with "
    "pack.yaml:, and a table is a sheet "
    "with headings or comes from BCDice, Foundry VTT or SealDice."
)
_FILES = re.compile(r"^\S+\.yaml:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Review:
    """The facts about a pack that was read whole: its report, what pack.yaml says, the (id, title)
    of its tables and sequences, the titles of its scenarios and decks, and its files.

    A pack with faults has a report only, and its `content` is None.
    """

    report: Report
    about: About | None = None
    tables: tuple[tuple[str, str], ...] = ()
    sequences: tuple[tuple[str, str], ...] = ()
    scenarios: tuple[str, ...] = ()
    decks: tuple[str, ...] = ()
    content: Content | None = None
    understood: tuple[str, ...] = ()
    """A line for each imported table that says how it was read."""


def review_file(
    zip: bytes | None, text: str, deck: str = "", name: str = "", note: str = ""
) -> Review:
    """Return the review of a file that was sent: a pack as a zip or as one text, or a workbook or
    text of another program, whose tables, or list `deck`, become a pack.

    `zip` is None for a text. `name` is the name of the file, `note` says how the text was decoded
    if that was a guess. The review of a file that cannot be read has this as its fault.
    """
    if zip is not None and is_workbook(zip):
        return _review_single(zip, deck, name) or Review(Report((NEITHER,)))
    try:
        content = read_one_file(text) if zip is None else unzip_content(zip, "The zip")
    except TableError as error:
        if zip is None:
            review = _review_single(text, deck, name, note)
        else:
            review = _review_zip_of_tables(zip)
        return review or Review(Report((str(error),)))
    content = {name: data.removeprefix(BOM) for name, data in content.items()}
    review = review_content(content)
    return replace(review, report=add_positions(review.report, content))


def _review_single(text: str | bytes, deck: str, name: str, note: str = "") -> Review | None:
    """Return the review of a text or workbook of another program, as a pack. See `review_file` for
    the parameters. None for a text that has the form of a pack.
    """
    if isinstance(text, str) and _FILES.search(text):
        return None
    from bot.packs.importing import import_tables  # 0.1 s of a start of the bot
    from bot.packs.importing.blocks import NO_TABLE

    try:
        imported = import_tables(text, name or "table", deck=deck, note=note)
    except UserError as error:
        if error.message == NO_TABLE:
            return Review(Report((NEITHER,)))
        fault = Phrase(error.message, " " if error.hint else "", error.hint)
        return Review(Report((fault,)))
    return _review_import(imported, imported.questions)


def _review_zip_of_tables(zip: bytes) -> Review | None:
    """Return the review of all tables in a zip, as one pack. None for the zip of a pack, and for
    one that cannot be read or is empty.
    """
    from bot.packs.importing.detect_format import MOST_READ
    from bot.packs.importing.folders import gather_packs

    try:
        files = dict(read_tables_of_zip(zip, "The zip", MOST_READ))
        if not files or any(name.rpartition("/")[2] == PACK for name in files):
            return None
        gathered = gather_packs(files.items(), "Imported tables", is_alone=True)
    except (TableError, UserError):
        return None
    if not gathered.packs:
        return Review(Report(gathered.left_out))
    left_out = tuple(f"left out: {reason}" for reason in gathered.left_out)
    return _review_import(gathered.packs[0], (*left_out, *gathered.questions))


def _review_import(imported: "Imported", import_questions: tuple[str, ...]) -> Review:
    """Return the review of imported tables as a pack. The questions of the import come before those
    of the check.
    """
    review = review_content(imported.pack(imported.id))
    questions = dict.fromkeys((*import_questions, *review.report.questions))
    report = replace(review.report, questions=tuple(questions))
    return replace(review, understood=imported.understood, report=report)


def review_game_pack(content: Content) -> Review:
    """Return the review of a pack that a game was played with. It is not checked as a new one."""
    return review_content(content, is_new=False)


def review_content(content: Content, *, is_new: bool = True) -> Review:
    """Return the review of a pack's files. See `check_system` for `is_new`."""
    report = check_content(content, is_new=is_new)
    if report.faults:
        return Review(report)
    pack = PackSystem(content)
    scenarios = pack.scenarios.values() if pack.list_files(SCENARIOS) else ()
    return Review(
        report,
        pack.about,
        tables=tuple((table.id, table.title) for table in pack.tables.values()),
        sequences=tuple((sequence.id, sequence.title) for sequence in pack.sequences.values()),
        scenarios=tuple(scenarios),
        decks=tuple(deck.title for deck in pack.decks.values()),
        content=content,
    )
