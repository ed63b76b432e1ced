"""A first pack to begin with: small but whole, so that it passes the check and can be played at
once.
"""

import re
import shutil
from pathlib import Path

from bot.rules.errors import TableError, UserError
from bot.rulesets.packs.pack import LONGEST_ID, TAKEN, load_pack
from bot.rulesets.system import DECKS, ROOT, SCENARIOS, STEPS, list_builtin_systems
from bot.runtime.file_rights import explain_file_errors

TEMPLATE = Path(__file__).parent / "template"
SCHEMA = "schema"
"""The folder beside the files of a pack from which an editor knows their keys."""
_OF_FOLDER = {STEPS: "steps", SCENARIOS: "scenario", DECKS: "deck"}


BLANK_TABLE = """title: {title}
source: "your own card"
group: {group}
kind: grid
summary: What your card says in this row and column.
inputs:
  total: {{type: int, min: {first}, max: {last}, clamp: both, help: "the dice with their modifiers"}}
  column: {{type: int, min: 0, max: 999, help: "what the column goes by"}}
outputs: {{result: token}}
read:
  rows: total
  # each _ is yours to type: the heads, then the cells
  columns: {{by: column, from: [{blanks}]}}
  off_card: clamp
  gives: result
  cells:
{rows}
private: true   # what you type is in no export and on no page
"""
MOST_ROWS, MOST_COLUMNS = 400, 60


def write_blank_table(path: Path, rows: str, columns: int) -> None:
    """Write a table with nothing in its cells into the folder of a pack; `rows` are its first and
    last total, `2-12`. Raises UserError where that cannot be."""
    found = re.fullmatch(r"(-?\d{1,4})-(-?\d{1,4})", rows)
    first, last = map(int, found.groups()) if found else (0, -1)
    if not 0 < last - first + 1 <= MOST_ROWS or not 0 < columns <= MOST_COLUMNS:
        hint = "For example: --rows 2-12 --columns 5"
        raise UserError(
            "That is no table: rows are totals, columns how many.", hint=hint, code="bad-value"
        )
    if path.suffix != ".yaml" or path.exists():
        hint = "For example: grognard new --blank my-pack/fire-table.yaml"
        raise UserError(f"{path} is no new file of a table.", hint=hint, code="name-taken")
    try:
        groups = load_pack(path.parent).game["groups"]
    except TableError as error:
        raise UserError(
            str(error), hint="A blank table goes into the folder of a pack.", code="bad-pack"
        ) from None
    blanks = ", ".join("_" * columns)
    lines = "\n".join(f"    {total}: [{blanks}]" for total in range(first, last + 1))
    text = BLANK_TABLE.format(
        title=path.stem.replace("-", " ").capitalize(), group=next(iter(groups)), first=first, last=last,
        blanks=blanks, rows=lines,
    )  # fmt: skip
    path.write_text(text, encoding="utf-8")


def write_new_pack(folder: Path) -> str:
    """Write a pack into a new folder; its id, made from the folder's name. Raises UserError
    where that cannot be.
    """
    id = (
        re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.casefold())
        .strip("-")[:LONGEST_ID]
        .strip("-")
    )
    if not id[:1].isalpha() or id in TAKEN or id in list_builtin_systems() or id.endswith("-table"):
        hint = "Take letters, such as few-acres, and not the name of a command or built-in game."
        raise UserError(
            f'The folder "{folder.name[:40]}" gives the pack no name.', hint=hint, code="bad-name"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is there already.", hint="Name a new folder.", code="name-taken")
    with explain_file_errors(folder, code="unreadable-file"):
        for path in sorted(TEMPLATE.rglob("*.yaml")):
            target = folder / path.relative_to(TEMPLATE)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            if path.name == "pack.yaml":
                text = text.replace("own-game", id).replace(
                    "Own Game", id.replace("-", " ").title()
                )
            target.write_text(_format_schema_line(path) + text, encoding="utf-8")
        shutil.copytree(
            find_schema_folder(), folder / SCHEMA, ignore=shutil.ignore_patterns("*.md")
        )
    return id


def find_schema_folder() -> Path:
    """Where the schemas of a pack's files are: inside of a wheel, beside a checkout."""
    inside = Path(ROOT, SCHEMA)
    return inside if inside.is_dir() else Path(ROOT).parent / "docs" / SCHEMA


def _format_schema_line(path: Path) -> str:
    """The first line of a file, by which editors find its schema."""
    folder = path.relative_to(TEMPLATE).parent.name
    named = path.stem if path.stem in ("pack", "game", "sequences") else "table"
    up = "../" if folder else ""
    return f"# yaml-language-server: $schema={up}{SCHEMA}/{_OF_FOLDER.get(folder, named)}.json\n"
