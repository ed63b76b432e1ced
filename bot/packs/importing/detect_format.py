"""Which format a text has, the files of ours that come out of it, and how they go into a pack."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from bot.game.army_list import is_army_list
from bot.packs.check import check_content, check_path
from bot.packs.importing.bcdice import (
    find_system_name,
    is_bcdice,
    is_bcdice_yaml,
    read_bcdice,
    read_bcdice_yaml,
)
from bot.packs.importing.blocks import NO_TABLE
from bot.packs.importing.decks import (
    ImportedDeck,
    is_cards,
    read_deck_list,
    read_deck_sheet,
    read_foundry_deck,
)
from bot.packs.importing.formats import (
    has_foundry_results,
    is_deck,
    is_foundry,
    read_about,
    read_deck,
    read_foundry,
    read_toml,
)
from bot.packs.importing.json_tables import JSON, is_json_table, read_grid, read_json_tables
from bot.packs.importing.layout import format_yaml
from bot.packs.importing.lists import (
    ROLL20,
    SOURCE,
    is_list,
    is_roll20,
    read_lists,
    read_roll20,
)
from bot.packs.importing.sheet import read_block, read_sheets
from bot.packs.importing.table_draft import (
    MOST_TABLES,
    TableDraft,
    clean_text,
    clean_title,
    link_tables,
    make_import_error,
    make_name,
    make_slug,
)
from bot.packs.importing.understood import describe_draft
from bot.rules.errors import TableError, UserError
from bot.rules.text.markup import (
    SOURCE_OF_PAGE,
    detect_page_language,
    find_broken_line,
    find_struck_out,
)
from bot.rules.text.normalize import normalize_text
from bot.rules.text.phrase import Phrase, phrase
from bot.rulesets.packs.archive import MOST_BYTES, PACK
from bot.rulesets.packs.pack import LONGEST, LONGEST_ID, MOST_SHOWN, TAKEN, load_pack
from bot.rulesets.system import DECKS, list_builtin_systems
from bot.rulesets.yaml_file import read_bounded
from bot.runtime.file_rights import explain_file_errors
from bot.ui.uploads.decoding import DecodedText, decode_text
from bot.ui.uploads.workbook import is_workbook, read_workbook

GROUP = "tables"
NOT_SAID = "not said"
"""The author or licence of tables that name none."""
UNKNOWN_JSON = (
    "This JSON is neither a rollable table nor cards of Foundry VTT, nor a deck of SealDice."
)
LIST_OF_UNITS = "This looks like a list of units, not like a table."
INTO_ROSTER = phrase("`/unit import` puts its units on the roster of a game.")
MOST_READ = 2_000_000
"""Bytes of a file: other programs write much beside the texts."""
_POINTER = "version https://git-lfs.github.com/spec/"
_JSON_FAULTS = {
    "Expecting ',' delimiter": "a comma, or the end of a text, is missing before this",
    "Expecting ':' delimiter": "a colon is missing here",
    "Expecting property name enclosed in double quotes": "a name in double quotes must come here",
    "Expecting value": "a value is missing here",
    "Extra data": "the text goes on behind its end",
}
_TOML = re.compile(
    r"^[^\S\n]*(\[\[?[^\[\]\n]{1,80}\]\]?[^\S\n]*(#.*)?|[\w\"'-]{1,80}[^\S\n]*=.*)$", re.MULTILINE
)
_YAML = re.compile(
    r"^[^\s\[{#,;|][^\n]{0,200}?:(?:[^\S\n]*+(?:#.*)?\n)++[^\S\n]*+-\s", re.MULTILINE
)
_ITEMS = re.compile(r"^[^\S\n]+items:", re.MULTILINE)
_OURS = re.compile(r"^kind: (grid|roll|modifiers|reference)\s*$", re.MULTILINE)
_NO_TITLE = re.compile(r"(?:sheet|table|tabelle|feuil|hoja|foglio|blad)\s?\d*", re.IGNORECASE)
"""The names that spreadsheets give a sheet by themselves."""
_COMMENT = re.compile(
    r'("(?:[^"\\\n]|\\.)*+(?:"|(?=\n)|\Z))|//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|,(?=\s*[\]}])',
    re.DOTALL,
)
"""A text (which stays), a remark or a needless comma. What is not closed goes on to its end:
nothing is read twice.
"""


@dataclass(frozen=True, slots=True)
class Imported:
    """What a text came to: the `format` it has, `files` (`rally.yaml`: its YAML), the `groups` that
    these name, and what to look at again. `understood` has a line for each table that says what is
    rolled. `title`, `author`, `version` and `licence` are what the
    text says of itself, if anything."""

    format: str
    files: Mapping[str, str]
    groups: Mapping[str, str]
    questions: tuple[str, ...] = ()
    title: str = ""
    author: str = ""
    version: str = ""
    licence: str = ""
    understood: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """An id for a pack of these tables: that of their title, with some of their hash where
        that cannot be one.
        """
        base = make_name(self.title, "tables")[:LONGEST_ID].strip("-").removesuffix("-table")
        if not _is_taken(base) and make_slug(self.title)[:1].isalpha():
            return base
        hash = sha256("".join(self.files.values()).encode()).hexdigest()
        return f"{base[: LONGEST_ID - 5].strip('-')}-{hash[:4]}"

    def pack(self, id: str, author: str = "") -> dict[str, bytes]:
        """The files of a pack of these tables alone, ready for the check; `author` is used where
        the text names none.

        Raises UserError for an id that no pack can have, and for more than it can hold.
        """
        if sum(len(file.encode()) for file in self.files.values()) > MOST_BYTES - 2_000:
            raise make_import_error(
                f"Its tables are larger than the {MOST_BYTES // 1024} kB that a pack has."
            )
        if _is_taken(id) or make_name(id, "")[:LONGEST_ID] != id:
            hint = "Take a-z, 0-9 and hyphens, such as few-acres."
            raise UserError(f'"{id[:40]}" cannot name a pack.', hint=hint, code="bad-name")
        said = {
            "id": id,
            "title": self.title,
            "version": self.version or "1",
            "author": self.author or author or NOT_SAID,
            "licence": self.licence or NOT_SAID,
            "notice": f"Imported from {self.format}.",
        }
        lines = [
            f"{key}: {json.dumps(value[: LONGEST.get(key, 40)], ensure_ascii=False)}"
            for key, value in said.items()
        ]
        groups = ", ".join(
            f"{key}: {json.dumps(title, ensure_ascii=False)}" for key, title in self.groups.items()
        )
        game = f"groups: {{{groups}}}\nunits: {{types: [unit]}}\n"
        made = {"pack.yaml": "\n".join(lines) + "\n", "game.yaml": game, **self.files}
        return {name: text.encode() for name, text in made.items()}


class _Read(NamedTuple):
    """The format, the tables, what the text says of itself, and what of it is left out."""

    format: str
    drafts: list[TableDraft]
    said: Mapping[str, str] = {}
    left_out: Sequence[str] = ()


def _is_taken(id: str) -> bool:
    return id in TAKEN or id in list_builtin_systems() or id.endswith("-table")


def import_tables(
    text: str | bytes,
    name: str = "table",
    *,
    id: str = "",
    group: str = "",
    deck: str = "",
    chains: bool = True,
    note: str = "",
) -> Imported:
    """The tables in a text of a format that is recognised by what is in it; `name` is the file's,
    or any title.

    `id` names the table, where there is one; `group` is the group of a pack that they go into;
    `deck` is the list of SealDice that is to be a deck of cards, not a table. Without `chains` no
    cell rolls on another table. `note` says how the text was decoded if that was a guess. A fault
    of the tables (a gap, two rows that overlap) is no error here: the check of the pack says it.
    Raises UserError, in one clear line, for a text out of which no table can come.
    """
    stem = _make_title(name)
    if isinstance(text, bytes) and is_workbook(text):
        return _build_import(_read_sheets_of(text, name, stem), stem, id, group, chains)
    decoded = _decode(text)
    if (made := _find_deck(decoded.text, stem, deck)) is not None:
        own = make_name(id or make_slug(made.title) or make_slug(stem), "deck")[:24].strip("-")
        files = {f"{DECKS}/{own}.yaml": made.text}
        asked = tuple(filter(None, (note or decoded.note, *made.asked)))
        understood = (f"{own}: {made.understood}",)
        return Imported(
            made.format, files, {GROUP: "Tables"}, asked, made.title, understood=understood
        )
    read = _read_or_point_to_roster(decoded.text, stem)
    notes = [*filter(None, (note or decoded.note,)), *read.left_out]
    if struck := find_struck_out(decoded.text):
        notes.append(f'"{struck}" is struck out, and is read all the same')
    if broken := find_broken_line(decoded.text):
        notes.append(f'line breaks inside cells are read as blanks: "{broken}"')
    return _build_import(read._replace(left_out=notes), stem, id, group, chains)


def _read_or_point_to_roster(text: str, stem: str) -> _Read:
    """Return the tables of a text. Raises UserError that says so if it is an army list."""
    try:
        return _read_any(text, stem)
    except UserError as error:
        if error.message in (NO_TABLE, UNKNOWN_JSON) and is_army_list(normalize_text(text)):
            raise make_import_error(LIST_OF_UNITS, INTO_ROSTER) from None
        raise


def _make_title(name: str) -> str:
    """Return a title made of the name of a file."""
    stem = re.sub(r"\.[A-Za-z]{2,5}$", "", name.replace("\\", "/").rsplit("/", 1)[-1])
    title = clean_title(re.sub(r"[\s_-]+", " ", clean_text(stem[:200], "The name")))
    return title[:1].upper() + title[1:]


def _read_sheets_of(data: bytes, name: str, stem: str) -> _Read:
    """Return the tables of all sheets of a workbook; a sheet without any is named. Raises
    UserError if there is none.
    """
    sheets, left_out = read_workbook(data, name.replace("\\", "/").rsplit("/", 1)[-1])
    if not sheets:
        raise make_import_error("There is nothing in the workbook.")
    drafts = list[TableDraft]()
    faults = list[UserError]()
    for sheet in sheets:
        has_own_name = len(sheets) > 1 and not _NO_TITLE.fullmatch(sheet.title)
        try:
            read = _read_lines(sheet.text, clean_title(sheet.title) if has_own_name else stem)
        except UserError as error:
            faults.append(error)
            left_out.append(f"left out: sheet {sheet.title[:30]}: {error.message}")
            continue
        drafts += read.drafts
        left_out += [*sheet.questions, *read.left_out]
    if faults and not drafts:
        raise faults[0]
    return _Read("an Excel workbook", drafts, {}, left_out)


def _make_ids(drafts: Sequence[TableDraft], stem: str, id: str) -> list[str]:
    """Return an id for each table, made of its title; `id` is that of a single one, if given."""
    if len(drafts) == 1:
        names = [id or make_slug(drafts[0].title) or make_slug(drafts[0].id) or make_slug(stem)]
    else:
        names = [
            make_slug(draft.title) or make_slug(draft.id) or f"table-{number}"
            for number, draft in enumerate(drafts, 1)
        ]
    ids = list[str]()
    for name in names:
        ids.append(make_name(name, "table", {*ids, "game", "sequences", "pack"}))
    return ids


def _build_import(read: _Read, stem: str, id: str, group: str, chains: bool) -> Imported:
    """Return the files of tables that were read. Raises UserError for too many."""
    drafts = read.drafts
    if len(drafts) > MOST_TABLES:
        raise make_import_error(
            f"There are {len(drafts)} tables in it; at most {MOST_TABLES} are read at once."
        )
    ids = _make_ids(drafts, stem, id)
    files = dict[str, str]()
    groups = dict[str, str]()
    questions = list(read.left_out)
    for number, (own, draft) in enumerate(
        zip(ids, link_tables(drafts, ids) if chains else drafts, strict=True)
    ):
        at = number // MOST_SHOWN
        within = group or (GROUP if not at else f"{GROUP}-{at + 1}")
        groups[within] = "Tables" if not at or group else f"Tables {at + 1}"
        files[f"{own}.yaml"] = format_yaml(draft, within)
        questions += [Phrase(f"{own}: ", question) for question in draft.questions]
    understood = tuple(
        f"{own}: {describe_draft(draft)}" for own, draft in zip(ids, drafts, strict=True)
    )
    said = read.said
    title = clean_title(said.get("title", "") or (drafts[0].title if len(drafts) == 1 else stem))
    rest = {
        key: clean_title(said[key], "") for key in ("author", "version", "licence") if key in said
    }
    return Imported(
        read.format, files, groups, tuple(questions), title, understood=understood, **rest
    )


def _find_deck(text: str, stem: str, deck: str) -> ImportedDeck | None:
    """The deck in a text, if one is asked for or it can be nothing else."""
    data = _parse_json(text)[0] if text.lstrip()[:1] in ("{", "[", "/") else None
    if deck:
        data = data or read_toml(text) or (_parse_yaml(text) if _YAML.search(text) else None)
        return read_deck_list(data, deck)
    return read_foundry_deck(data, stem) if is_cards(data) else read_deck_sheet(text, stem)


def _decode(text: str | bytes) -> DecodedText:
    if len(text) > MOST_READ:
        raise make_import_error(f"The file is larger than {MOST_READ // 1_000_000} MB.")
    decoded = decode_text(text, "The file") if isinstance(text, bytes) else DecodedText(text)
    plain = decoded.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not plain.strip():
        raise make_import_error("There is nothing in it.")
    if "\0" in plain:
        raise UserError("The file is not a text.", code="not-text")
    if "\n" not in plain.strip() and "\\n" in plain and plain.lstrip()[:1] not in ("{", "["):
        plain = plain.replace("\\n", "\n")
    return DecodedText(plain, decoded.note)


def _read_any(text: str, name: str) -> _Read:
    if text.startswith(_POINTER):
        raise make_import_error(
            "This is a pointer of Git LFS and not the file itself.",
            "Fetch the file with: git lfs pull",
        )
    if language := detect_page_language(text):
        raise make_import_error(f"This is a table in the source of {language}.", SOURCE_OF_PAGE)
    fault = ""
    if text.lstrip()[:1] in ("{", "[", "/"):
        data, fault = _parse_json(text)
        if fault and (lines := _parse_json_lines(text)):
            data, fault = lines, ""
        if found := _read_json(data, name):
            return found
    if is_bcdice(text):
        return _Read("BCDice", read_bcdice(text))
    if _OURS.search(text):
        raise make_import_error(
            "This is a table of Grognard's own already.",
            "Put it into the folder of a pack as it is.",
        )
    if _TOML.search(text) and is_deck(data := read_toml(text)):
        return _read_decks(data)
    if _ITEMS.search(text) and is_bcdice_yaml(data := _parse_yaml(text)):
        drafts, left_out = read_bcdice_yaml(data)
        return _Read("BCDice", drafts, {"title": find_system_name(data)}, left_out)
    if _YAML.search(text) and is_deck(data := _parse_yaml(text)):
        return _read_decks(data)
    if fault and text.lstrip()[:1] == "{":
        raise make_import_error(f"This JSON cannot be read: {fault}.")
    return _read_lines(text, name)


def _read_lines(text: str, name: str) -> _Read:
    """Return the tables of a text whose lines are entries or rows of cells."""
    if is_roll20(text):
        return _Read(ROLL20, *_add_notes(read_roll20(text)))
    if is_list(text):
        return _Read(SOURCE, *_add_notes(read_lists(text, name)))
    return _Read("a spreadsheet", *_add_notes(read_sheets(text, name)))


def _add_notes(
    read: tuple[list[TableDraft], list[str]],
) -> tuple[list[TableDraft], Mapping[str, str], list[str]]:
    drafts, left_out = read
    return drafts, {}, left_out


def _read_json(data: Any, name: str) -> _Read | None:
    if is_foundry(data) and (has_foundry_results(data) or not is_json_table(data)):
        return _Read("Foundry VTT", read_foundry(data))
    if (grid := read_grid(data)) is not None:
        return _Read(JSON, [read_block(grid, name)])
    if is_json_table(data):
        drafts, left_out = read_json_tables(data)
        return _Read(JSON, drafts, {}, left_out)
    if is_deck(data):
        return _read_decks(data)
    if isinstance(data, Mapping) and str(data.get("_key")).startswith("!folders!"):
        raise make_import_error(
            "This is a folder of Foundry VTT, which has no results; its tables are files of their own."
        )
    if data is not None:
        raise make_import_error(UNKNOWN_JSON)
    return None


def _read_decks(data: Any) -> _Read:
    drafts, left_out = read_deck(data)
    return _Read("SealDice", drafts, read_about(data), left_out)


def _parse_json(text: str) -> tuple[Any, str]:
    """JSON, also with line breaks in its texts and with the comments and last commas that decks may
    have; for what is none nothing, and where its first fault is."""
    fault = ""
    for source in (text, _COMMENT.sub(lambda found: found[1] or "", text)):
        try:
            return json.loads(source, strict=False), ""
        except json.JSONDecodeError as error:
            fault = (
                fault
                or f"line {error.lineno}, column {error.colno}: {_JSON_FAULTS.get(error.msg, error.msg)}"
            )
        except (ValueError, RecursionError):
            fault = fault or "it goes too deep or has a number that is too long"
    return None, fault


def _parse_json_lines(text: str) -> list[Any]:
    """Return the objects of a text with one in each line, as old Foundry databases have them; []
    for any other text.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or not all(line.startswith("{") for line in lines):
        return []
    try:
        return [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        return []


def _parse_yaml(text: str) -> Any:
    try:
        return read_bounded(text.encode("utf-8", "replace"), "the file")
    except TableError as error:
        raise make_import_error(f"It cannot be read: {error}.") from None


# -- into a pack: checked, and written into its folder or a new one


class ImportReport(NamedTuple):
    """Lines to print, and the exit status: 1 where there are faults."""

    lines: list[str]
    status: int


def check_alone(made: Imported) -> ImportReport:
    """The check of tables that go into no pack yet."""
    report = check_content(made.pack("import"))
    return _build_report(
        _list_understood_lines(made),
        [fault.replace("import/", "", 1) for fault in report.faults],
        (*made.questions, *report.questions),
    )


def import_into_pack(
    data: bytes, name: str, folder: Path, *, id: str = "", group: str = "", deck: str = ""
) -> ImportReport:
    """Tables written into the folder of a pack, or into a new one. Raises UserError where that
    cannot be.
    """
    if (folder / PACK).is_file():
        made = import_tables(data, name, id=id, group=group or _find_first_group(folder), deck=deck)
        files = {file: text.encode() for file, text in made.files.items()}
        if there := [file for file in files if (folder / file).exists()]:
            raise UserError(
                f"{folder / there[0]} is there already.",
                hint="Give the table another --id.",
                code="name-taken",
            )
        _write(files, folder)
    else:
        files = write_new(made := import_tables(data, name, id=id, deck=deck), folder)
    report = check_path(folder)
    return _build_report(
        [*(f"{folder / file} is written" for file in files), *_list_understood_lines(made)],
        report.faults,
        (*made.questions, *report.questions),
    )


def write_new(made: Imported, folder: Path) -> dict[str, bytes]:
    """The files of a pack of these tables, written into a new folder. Raises UserError where
    that cannot be.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        is_pack = (folder / PACK).is_file()
        problem = "is there already" if is_pack else f"is no pack: it has no {PACK}"
        raise UserError(
            f"{folder} {problem}.", hint="Name a pack or a new folder.", code="name-taken"
        )
    _write(
        files := made.pack(make_name(folder.resolve().name, "pack")[:LONGEST_ID].strip("-")), folder
    )
    return files


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    with explain_file_errors(folder, code="unreadable-file"):
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_bytes(text)


def _find_first_group(folder: Path) -> str:
    try:
        return str(next(iter(load_pack(folder).game["groups"])))
    except TableError as error:
        raise UserError(f"The pack has a fault: {error}.", code="not-a-table") from None


def _list_understood_lines(made: Imported) -> list[str]:
    return [f"read as   {line}" for line in made.understood]


def _build_report(
    lines: Iterable[str], faults: Iterable[str], questions: Iterable[str]
) -> ImportReport:
    wrong = [f"fault     {fault}" for fault in dict.fromkeys(faults)]
    return ImportReport(
        [*lines, *wrong, *(f"question  {question}" for question in dict.fromkeys(questions))],
        int(bool(wrong)),
    )
