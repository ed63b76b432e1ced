"""The import of tables and decks: the format of a text is detected, its tables become YAML files,
and these go into a pack.
"""

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
from bot.rulesets.packs.pack import MOST_SHOWN, NOT_SAID, TAKEN, load_pack
from bot.rulesets.packs.pack_keys import LONGEST, LONGEST_ID
from bot.rulesets.system import DECKS, list_builtin_systems
from bot.rulesets.yaml_file import read_bounded
from bot.runtime.file_rights import explain_file_errors
from bot.ui.uploads.decoding import DecodedText, decode_text
from bot.ui.uploads.workbook import is_workbook, read_workbook

GROUP = "tables"
"""The author or licence of tables that name none."""
UNKNOWN_JSON = "This JSON is not a Foundry VTT rollable table or cards, nor a SealDice deck."
LIST_OF_UNITS = "This looks like a list of units, not a table."
INTO_ROSTER = phrase("`/unit import` adds its units to a game's roster.")
MOST_READ = 2_000_000
"""Bytes of a file: other programs write much more than the texts into it."""
_POINTER = "version https://git-lfs.github.com/spec/"
_JSON_FAULTS = {
    "Expecting ',' delimiter": "a comma or a closing quote is missing before this",
    "Expecting ':' delimiter": "a colon is missing here",
    "Expecting property name enclosed in double quotes": "a name in double quotes is expected here",
    "Expecting value": "a value is missing here",
    "Extra data": "there is extra text after the end",
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
"""The names that spreadsheets give a sheet by themselves: they are no titles."""
_COMMENT = re.compile(
    r'("(?:[^"\\\n]|\\.)*+(?:"|(?=\n)|\Z))|//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|,(?=\s*[\]}])',
    re.DOTALL,
)
"""A text (which stays), a comment, or a needless comma. An unclosed text ends with its line, an
unclosed comment with the file, so that nothing is read twice.
"""


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: table and deck files that a pack can have."""

    format: str
    """The format of the text that was read, in words."""
    files: Mapping[str, str]
    """YAML texts by their names: `rally.yaml`."""
    groups: Mapping[str, str]
    """The titles of the groups that the files are in, by id."""
    questions: tuple[str, ...] = ()
    """The guesses to look at again."""
    title: str = ""
    """What the text states about itself, as the next three; "" if it does not."""
    author: str = ""
    version: str = ""
    licence: str = ""
    understood: tuple[str, ...] = ()
    """A line for each table that says what is rolled."""

    @property
    def id(self) -> str:
        """An id for a pack of these tables: their title, with a part of their hash added if the
        title cannot be one.
        """
        base = make_name(self.title, "tables")[:LONGEST_ID].strip("-").removesuffix("-table")
        if not _is_taken(base) and make_slug(self.title)[:1].isalpha():
            return base
        hash = sha256("".join(self.files.values()).encode()).hexdigest()
        return f"{base[: LONGEST_ID - 5].strip('-')}-{hash[:4]}"

    def pack(self, id: str, author: str = "") -> dict[str, bytes]:
        """Return the files of a pack that has these tables and nothing else, ready for the check.

        `author` is used if the text names none. Raises UserError for an id that no pack can have,
        and for more than a pack can hold.
        """
        if sum(len(file.encode()) for file in self.files.values()) > MOST_BYTES - 2_000:
            raise make_import_error(
                f"Its tables are larger than the {MOST_BYTES // 1024} kB limit for a pack."
            )
        if _is_taken(id) or make_name(id, "")[:LONGEST_ID] != id:
            hint = "Use a-z, 0-9 and hyphens, such as few-acres."
            raise UserError(f'A pack cannot be called "{id[:40]}".', hint=hint, code="bad-name")
        about = {
            "id": id,
            "title": self.title,
            "version": self.version or "1",
            "author": self.author or author or NOT_SAID,
            "licence": self.licence or NOT_SAID,
            "notice": f"Imported from {self.format}.",
        }
        pack_lines = [
            f"{key}: {_quote(value[: LONGEST.get(key, 40)])}\n" for key, value in about.items()
        ]
        groups = ", ".join(f"{key}: {_quote(title)}" for key, title in self.groups.items())
        texts = {
            "pack.yaml": "".join(pack_lines),
            "game.yaml": f"groups: {{{groups}}}\nunits: {{types: [unit]}}\n",
            **self.files,
        }
        return {name: text.encode() for name, text in texts.items()}


class _ReadTables(NamedTuple):
    """The tables of a text: their format, their drafts, what the text states about itself (title,
    author, version, licence), and remarks on whatever is left out.
    """

    format: str
    drafts: list[TableDraft]
    about: Mapping[str, str] = {}
    left_out: Sequence[str] = ()


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _is_taken(id: str) -> bool:
    """Return whether a pack cannot have an id, as commands or built-in games have it."""
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
    """Return the tables in a text or workbook, or the deck, if it is one. The format is recognized
    by the content.

    - `name` is the name of the file, or any title.
    - `id` becomes the id of the table if there is only one.
    - `group` is the id of the group that the tables go into.
    - `deck` names the list of SealDice that becomes a deck of cards, not a table.
    - Without `chains` no cell rolls on another table.
    - `note` says how the text was decoded, if that was a guess.

    A fault of the tables (a gap, two rows that overlap) is no error here: the check of the pack
    finds it. Raises UserError, in one clear line, for a text out of which no table can come.
    """
    title = _make_title(name)
    if isinstance(text, bytes) and is_workbook(text):
        return _build_import(_read_sheets_of(text, name, title), title, id, group, chains)
    decoded = _decode(text)
    note = note or decoded.note
    imported_deck = _find_deck(decoded.text, title, deck)
    if imported_deck is not None:
        return _build_deck_import(imported_deck, title, id, note)
    tables = _read_or_point_to_roster(decoded.text, title)
    notes = [*filter(None, (note,)), *tables.left_out]
    struck_out = find_struck_out(decoded.text)
    if struck_out:
        notes.append(f'"{struck_out}" is struck out but was read anyway')
    broken_line = find_broken_line(decoded.text)
    if broken_line:
        notes.append(f'line breaks inside cells are read as spaces: "{broken_line}"')
    return _build_import(tables._replace(left_out=notes), title, id, group, chains)


def _build_deck_import(deck: ImportedDeck, title: str, id: str, note: str) -> Imported:
    """Return the file of a deck, called `id`, or by the title of the deck or of its file. `note` is
    a question about how it was decoded, or "".
    """
    deck_id = make_name(id or make_slug(deck.title) or make_slug(title), "deck")[:24].strip("-")
    files = {f"{DECKS}/{deck_id}.yaml": deck.text}
    questions = tuple(filter(None, (note, *deck.questions)))
    understood = (f"{deck_id}: {deck.understood}",)
    return Imported(
        deck.format, files, {GROUP: "Tables"}, questions, deck.title, understood=understood
    )


def _read_or_point_to_roster(text: str, title: str) -> _ReadTables:
    """Return the tables of a text.

    Raises UserError if there are none. For an army list it points to `/unit import`.
    """
    try:
        return _read_any(text, title)
    except UserError as error:
        if error.message in (NO_TABLE, UNKNOWN_JSON) and is_army_list(normalize_text(text)):
            raise make_import_error(LIST_OF_UNITS, INTO_ROSTER) from None
        raise


def _make_title(name: str) -> str:
    """Return a title made of the name of a file, without its folder and extension."""
    stem = re.sub(r"\.[A-Za-z]{2,5}$", "", name.replace("\\", "/").rsplit("/", 1)[-1])
    words = re.sub(r"[\s_-]+", " ", clean_text(stem[:200], "The name"))
    title = clean_title(words)
    return title[:1].upper() + title[1:]


def _read_sheets_of(data: bytes, name: str, title: str) -> _ReadTables:
    """Return the tables of all sheets of a workbook. A sheet without any is among the remarks.

    `name` is that of the file, `title` the title of tables on sheets without a name of their own.
    Raises UserError if there is no table.
    """
    sheets, left_out = read_workbook(data, name.replace("\\", "/").rsplit("/", 1)[-1])
    if not sheets:
        raise make_import_error("The workbook is empty.")
    drafts = list[TableDraft]()
    faults = list[UserError]()
    for sheet in sheets:
        has_own_name = len(sheets) > 1 and not _NO_TITLE.fullmatch(sheet.title)
        sheet_title = clean_title(sheet.title) if has_own_name else title
        try:
            tables = _read_lines(sheet.text, sheet_title)
        except UserError as error:
            faults.append(error)
            left_out.append(f"left out: sheet {sheet.title[:30]}: {error.message}")
            continue
        drafts += tables.drafts
        left_out += [*sheet.questions, *tables.left_out]
    if faults and not drafts:
        raise faults[0]
    return _ReadTables("an Excel workbook", drafts, {}, left_out)


def _make_ids(drafts: Sequence[TableDraft], title: str, id: str) -> list[str]:
    """Return a different id for each table, made of its title. A single table is called `id` if
    that is not "", or by the `title` of the file if it has no other name.
    """
    if len(drafts) == 1:
        names = [id or make_slug(drafts[0].title) or make_slug(drafts[0].id) or make_slug(title)]
    else:
        names = [
            make_slug(draft.title) or make_slug(draft.id) or f"table-{number}"
            for number, draft in enumerate(drafts, 1)
        ]
    ids = list[str]()
    for name in names:
        ids.append(make_name(name, "table", {*ids, "game", "sequences", "pack"}))
    return ids


def _build_import(tables: _ReadTables, title: str, id: str, group: str, chains: bool) -> Imported:
    """Return the files of tables that were read. Raises UserError for too many tables.

    See `import_tables` for the parameters. With `chains`, a result that names another table leads
    to it. Without a `group`, each group has at most MOST_SHOWN tables.
    """
    drafts = tables.drafts
    if len(drafts) > MOST_TABLES:
        raise make_import_error(
            f"The file has {len(drafts)} tables; at most {MOST_TABLES} are read at once."
        )
    ids = _make_ids(drafts, title, id)
    linked_drafts = link_tables(drafts, ids) if chains else drafts
    files = dict[str, str]()
    groups = dict[str, str]()
    questions = list(tables.left_out)
    for index, (table_id, draft) in enumerate(zip(ids, linked_drafts, strict=True)):
        group_number = 1 + index // MOST_SHOWN
        suffix = f"-{group_number}" if group_number > 1 else ""
        table_group = group or f"{GROUP}{suffix}"
        groups[table_group] = "Tables"
        if suffix and not group:
            groups[table_group] = f"Tables {group_number}"
        files[f"{table_id}.yaml"] = format_yaml(draft, table_group)
        questions += [Phrase(f"{table_id}: ", question) for question in draft.questions]
    understood = [
        f"{table_id}: {describe_draft(draft)}" for table_id, draft in zip(ids, drafts, strict=True)
    ]
    about = {key: clean_title(text, "") for key, text in tables.about.items()}
    default_title = drafts[0].title if len(drafts) == 1 else title
    return Imported(
        tables.format,
        files,
        groups,
        tuple(questions),
        clean_title(tables.about.get("title") or default_title),
        author=about.get("author", ""),
        version=about.get("version", ""),
        licence=about.get("licence", ""),
        understood=tuple(understood),
    )


def _find_deck(text: str, title: str, deck: str) -> ImportedDeck | None:
    """Return the deck in a text: the list called `deck`, if that is not "", or a text that can be
    nothing else than a deck. None for other texts. Raises UserError.
    """
    data = _parse_json(text)[0] if _looks_like_json(text) else None
    if deck:
        data = data or read_toml(text)
        if not data and _YAML.search(text):
            data = _parse_yaml(text)
        return read_deck_list(data, deck)
    return read_foundry_deck(data, title) if is_cards(data) else read_deck_sheet(text, title)


def _looks_like_json(text: str) -> bool:
    """Return whether a text begins as JSON does, or with the comment of a deck in JSON."""
    return text.lstrip()[:1] in ("{", "[", "/")


def _decode(text: str | bytes) -> DecodedText:
    """Return a text with "\\n" as its line breaks, and a note on how it was decoded, or "".

    Line breaks that were lost in chat and are written as a backslash and n are restored. Raises
    UserError for a text that is too large, empty, or none at all.
    """
    if len(text) > MOST_READ:
        raise make_import_error(f"The file is larger than {MOST_READ // 1_000_000} MB.")
    decoded = decode_text(text, "The file") if isinstance(text, bytes) else DecodedText(text)
    plain = decoded.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not plain.strip():
        raise make_import_error("It is empty.")
    if "\0" in plain:
        raise UserError("The file is not text.", code="not-text")
    is_one_line = "\n" not in plain.strip()
    if is_one_line and "\\n" in plain and plain.lstrip()[:1] not in ("{", "["):
        plain = plain.replace("\\n", "\n")
    return DecodedText(plain, decoded.note)


def _read_any(text: str, name: str) -> _ReadTables:
    """Return the tables of a text in any format but decks of cards. `name` is a title for those
    that have none. Raises UserError.
    """
    if text.startswith(_POINTER):
        raise make_import_error(
            "This is a Git LFS pointer, not the file itself.",
            "Fetch the file with: git lfs pull",
        )
    language = detect_page_language(text)
    if language:
        raise make_import_error(f"This is the {language} source of a table.", SOURCE_OF_PAGE)
    json_fault = ""
    if _looks_like_json(text):
        data, json_fault = _parse_json(text)
        if json_fault:
            json_lines = _parse_json_lines(text)
            if json_lines:
                data = json_lines
                json_fault = ""
        tables = _read_json(data, name)
        if tables is not None:
            return tables
    if is_bcdice(text):
        return _ReadTables("BCDice", read_bcdice(text))
    if _OURS.search(text):
        raise make_import_error(
            "This is already one of Grognard's own tables.",
            "Put it in a pack's folder as it is.",
        )
    tables = _read_toml_or_yaml(text)
    if tables is not None:
        return tables
    if json_fault and text.lstrip()[:1] == "{":
        raise make_import_error(f"This JSON cannot be read: {json_fault}.")
    return _read_lines(text, name)


def _read_toml_or_yaml(text: str) -> _ReadTables | None:
    """Return the tables of a text in TOML or YAML: a deck of SealDice, or a game system of BCDice.
    None for another text. Raises UserError for one that only looks like YAML.
    """
    if _TOML.search(text):
        toml = read_toml(text)
        if is_deck(toml):
            return _read_decks(toml)
    if not _ITEMS.search(text) and not _YAML.search(text):
        return None
    data = _parse_yaml(text)
    if _ITEMS.search(text) and is_bcdice_yaml(data):
        drafts, left_out = read_bcdice_yaml(data)
        return _ReadTables("BCDice", drafts, {"title": find_system_name(data)}, left_out)
    if _YAML.search(text) and is_deck(data):
        return _read_decks(data)
    return None


def _read_lines(text: str, name: str) -> _ReadTables:
    """Return the tables of a text whose lines are entries or rows of cells. Raises UserError."""
    if is_roll20(text):
        format = ROLL20
        drafts, left_out = read_roll20(text)
    elif is_list(text):
        format = SOURCE
        drafts, left_out = read_lists(text, name)
    else:
        format = "a spreadsheet"
        drafts, left_out = read_sheets(text, name)
    return _ReadTables(format, drafts, {}, left_out)


def _read_json(data: Any, name: str) -> _ReadTables | None:
    """Return the tables of parsed JSON, None if `data` is None. Raises UserError for JSON of an
    unknown form.
    """
    if is_foundry(data) and (has_foundry_results(data) or not is_json_table(data)):
        return _ReadTables("Foundry VTT", read_foundry(data))
    grid = read_grid(data)
    if grid is not None:
        return _ReadTables(JSON, [read_block(grid, name)])
    if is_json_table(data):
        drafts, left_out = read_json_tables(data)
        return _ReadTables(JSON, drafts, {}, left_out)
    if is_deck(data):
        return _read_decks(data)
    if isinstance(data, Mapping) and str(data.get("_key")).startswith("!folders!"):
        raise make_import_error(
            "This is a Foundry VTT folder, which has no results of its own; its tables are separate files."
        )
    if data is not None:
        raise make_import_error(UNKNOWN_JSON)
    return None


def _read_decks(data: Any) -> _ReadTables:
    """Return the lists of a deck of SealDice as tables. Raises UserError."""
    drafts, left_out = read_deck(data)
    return _ReadTables("SealDice", drafts, read_about(data), left_out)


def _parse_json(text: str) -> tuple[Any, str]:
    """Return the data of a JSON text and "", or None and the first fault of any other text.

    Line breaks in its texts, comments and needless commas are accepted, as decks have them.
    """
    try:
        return json.loads(text, strict=False), ""
    except (ValueError, RecursionError) as error:
        fault = _describe_json_error(error)
    plain_json = _COMMENT.sub(lambda match: match[1] or "", text)
    try:
        return json.loads(plain_json, strict=False), ""
    except (ValueError, RecursionError):
        return None, fault


def _describe_json_error(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        fault = _JSON_FAULTS.get(error.msg, error.msg)
        return f"line {error.lineno}, column {error.colno}: {fault}"
    return "it is nested too deeply or has a number that is too long"


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
    """Return the data of a YAML text. Raises UserError for another text, and for one that is too
    large or too deep.
    """
    try:
        return read_bounded(text.encode("utf-8", "replace"), "the file")
    except TableError as error:
        raise make_import_error(f"It cannot be read: {error}.") from None


# -- into a pack: checked, and written into its folder or a new one


class ImportReport(NamedTuple):
    """Lines to print, and the exit status: 1 if there are faults, else 0."""

    lines: list[str]
    status: int


def check_alone(imported: Imported) -> ImportReport:
    """Return the report on tables that go into no pack yet. They are checked as a pack of their
    own.
    """
    report = check_content(imported.pack("import"))
    faults = [fault.replace("import/", "", 1) for fault in report.faults]
    questions = (*imported.questions, *report.questions)
    return _build_report(_list_understood_lines(imported), faults, questions)


def import_into_pack(
    data: bytes, name: str, folder: Path, *, id: str = "", group: str = "", deck: str = ""
) -> ImportReport:
    """Write the tables of a file into the folder of a pack, or into a new pack if the folder is
    none, and return the report of the check on the whole pack.

    See `import_tables` for the other parameters. Raises UserError, before anything is written, for
    a text without tables, and for a table or folder that exists already.
    """
    if (folder / PACK).is_file():
        group = group or _find_first_group(folder)
        imported = import_tables(data, name, id=id, group=group, deck=deck)
        files = {file: text.encode() for file, text in imported.files.items()}
        existing = [file for file in files if (folder / file).exists()]
        if existing:
            raise UserError(
                f"{folder / existing[0]} already exists.",
                hint="Give the table another --id.",
                code="name-taken",
            )
        _write(files, folder)
    else:
        imported = import_tables(data, name, id=id, deck=deck)
        files = write_new(imported, folder)
    report = check_path(folder)
    lines = [f"{folder / file} is written" for file in files]
    lines += _list_understood_lines(imported)
    return _build_report(lines, report.faults, (*imported.questions, *report.questions))


def write_new(imported: Imported, folder: Path) -> dict[str, bytes]:
    """Write a pack of imported tables into a new or empty folder, and return its files. The id of
    the pack is made of the folder's name.

    Raises UserError for a folder that has files, for a name that no pack can have, and if a file
    cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        is_pack = (folder / PACK).is_file()
        problem = "already exists" if is_pack else f"is not a pack: it has no {PACK}"
        raise UserError(
            f"{folder} {problem}.",
            hint="Give the folder of a pack, or a new one.",
            code="name-taken",
        )
    id = make_name(folder.resolve().name, "pack")[:LONGEST_ID].strip("-")
    files = imported.pack(id)
    _write(files, folder)
    return files


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files into a folder, creating it if necessary. Raises UserError if that fails."""
    with explain_file_errors(folder, code="unreadable-file"):
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_bytes(text)


def _find_first_group(folder: Path) -> str:
    """Return the id of the first group of tables in a pack. Raises UserError for a pack with a
    fault.
    """
    try:
        return str(next(iter(load_pack(folder).game["groups"])))
    except TableError as error:
        raise UserError(f"The pack has a fault: {error}.", code="not-a-table") from None


def _list_understood_lines(imported: Imported) -> list[str]:
    return [f"read as   {line}" for line in imported.understood]


def _build_report(
    lines: Iterable[str], faults: Iterable[str], questions: Iterable[str]
) -> ImportReport:
    """Return a report of lines, then faults, then questions, without repeated ones."""
    fault_lines = [f"fault     {fault}" for fault in dict.fromkeys(faults)]
    question_lines = [f"question  {question}" for question in dict.fromkeys(questions)]
    status = 1 if fault_lines else 0
    return ImportReport([*lines, *fault_lines, *question_lines], status)
