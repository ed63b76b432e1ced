"""New packs and blank tables. A new pack is small but whole: it passes the check and can be played
at once.
"""

import re
import shutil
from pathlib import Path

from bot.rules.errors import TableError, UserError
from bot.rulesets.packs.pack import TAKEN, load_pack
from bot.rulesets.packs.pack_keys import LONGEST_ID
from bot.rulesets.system import DECKS, ROOT, SCENARIOS, STEPS, list_builtin_systems
from bot.runtime.file_rights import explain_file_errors

TEMPLATE = Path(__file__).parent / "template"
SCHEMA = "schema"
"""The folder in a pack with the schemas that tell an editor which keys its files may have."""
_SCHEMA_OF_FOLDER = {STEPS: "steps", SCENARIOS: "scenario", DECKS: "deck"}


BLANK_TABLE = """title: {title}
source: "your own card"
group: {group}
kind: grid
summary: What your card says in this row and column.
inputs:
  total: {{type: int, min: {first}, max: {last}, clamp: both, help: "the dice plus modifiers"}}
  column: {{type: int, min: 0, max: 999, help: "the value that picks the column"}}
outputs: {{result: token}}
read:
  rows: total
  # fill in each _: first the heads, then the cells
  columns: {{by: column, from: [{blanks}]}}
  off_card: clamp
  gives: result
  cells:
{rows}
private: true   # what you type stays out of exports and pages
"""
MOST_ROWS, MOST_COLUMNS = 400, 60


def write_blank_table(path: Path, rows: str, columns: int) -> None:
    """Write a table with a blank in each cell into the folder of a pack.

    `rows` are its first and last total (`2-12`), `columns` is the number of columns. Raises
    UserError for rows or columns that no table can have, for a path that is no new YAML file, and
    for a folder that is no pack.
    """
    limits = re.fullmatch(r"(-?\d{1,4})-(-?\d{1,4})", rows)
    lowest, highest = map(int, limits.groups()) if limits else (0, -1)
    row_count = highest - lowest + 1
    if not 0 < row_count <= MOST_ROWS or not 0 < columns <= MOST_COLUMNS:
        hint = "For example: --rows 2-12 --columns 5"
        raise UserError(
            "That is not a table: give rows as a range of totals and columns as a number.",
            hint=hint,
            code="bad-value",
        )
    if path.suffix != ".yaml" or path.exists():
        hint = "For example: grognard new --blank my-pack/fire-table.yaml"
        raise UserError(f"{path} is not a name for a new table.", hint=hint, code="name-taken")
    try:
        groups = load_pack(path.parent).game["groups"]
    except TableError as error:
        raise UserError(
            str(error), hint="A blank table goes in a pack's folder.", code="bad-pack"
        ) from None
    blanks = ", ".join("_" * columns)
    text = BLANK_TABLE.format(
        title=path.stem.replace("-", " ").capitalize(),
        group=next(iter(groups)),
        first=lowest,
        last=highest,
        blanks=blanks,
        rows="\n".join(f"    {total}: [{blanks}]" for total in range(lowest, highest + 1)),
    )
    path.write_text(text, encoding="utf-8")


def write_new_pack(folder: Path) -> str:
    """Write the template of a pack into a new or empty folder, with the schemas of its files.
    Return its id, which is made of the folder's name.

    Raises UserError for a name that gives no id, for a folder that has files, and if it cannot be
    written.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.casefold())
    id = slug.strip("-")[:LONGEST_ID].strip("-")
    is_taken = id in TAKEN or id in list_builtin_systems() or id.endswith("-table")
    if is_taken or not id[:1].isalpha():
        hint = "Use letters, as in few-acres, but not the name of a command or built-in game."
        raise UserError(
            f'A pack cannot be named after the folder "{folder.name[:40]}".',
            hint=hint,
            code="bad-name",
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} already exists.", hint="Name a new folder.", code="name-taken")
    with explain_file_errors(folder, code="unreadable-file"):
        for path in sorted(TEMPLATE.rglob("*.yaml")):
            target = folder / path.relative_to(TEMPLATE)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            if path.name == "pack.yaml":
                title = id.replace("-", " ").title()
                text = text.replace("own-game", id).replace("Own Game", title)
            target.write_text(_format_schema_line(path) + text, encoding="utf-8")
        ignore_pages = shutil.ignore_patterns("*.md")
        shutil.copytree(find_schema_folder(), folder / SCHEMA, ignore=ignore_pages)
    return id


def find_schema_folder() -> Path:
    """Return the folder with the schemas of a pack's files: inside an installed package, or among
    the docs of a checkout.
    """
    inside = Path(ROOT, SCHEMA)
    return inside if inside.is_dir() else Path(ROOT).parent / "docs" / SCHEMA


def _format_schema_line(path: Path) -> str:
    """Format the first line of a file of the template, by which editors find its schema."""
    folder = path.relative_to(TEMPLATE).parent.name
    schema = path.stem if path.stem in ("pack", "game", "sequences") else "table"
    if folder:
        schema = _SCHEMA_OF_FOLDER.get(folder, schema)
    parent = "../" if folder else ""
    return f"# yaml-language-server: $schema={parent}{SCHEMA}/{schema}.json\n"
