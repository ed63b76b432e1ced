"""`grognard check`, `new` and `import`: for whoever writes a pack."""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep, strftime
from zipfile import is_zipfile

from rich.console import Console
from rich.style import Style
from rich.text import Text

from bot.charts.png import find_rasterizer, render_png
from bot.charts.table import render_table
from bot.cli.cli import Arguments, play_once
from bot.cli.terminal import print_reply
from bot.packs.check import check_path, format_report
from bot.packs.csv_export import format_csv
from bot.packs.importing import import_tables
from bot.packs.importing.detect_format import MOST_READ, check_alone, import_into_pack
from bot.packs.importing.folders import import_folder
from bot.packs.new import write_blank_table, write_new_pack
from bot.presentation.tables import build_lookup_reply
from bot.rules.errors import TableError, UserError
from bot.rulesets.catalog import find_system
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.system import System
from bot.runtime.entropy import create_throwaway_source
from bot.runtime.file_rights import explain_file_errors
from bot.ui.registry import format_example
from bot.ui.uploads.workbook import is_workbook


def check_packs(words: list[str]) -> int:
    """Check packs; 1 when one has a fault. Raises UserError."""
    arguments = Arguments(words, flags={"json": False, "watch": False})
    (path,) = arguments.take_only("FOLDER")
    if not Path(path).exists():
        raise UserError(
            f"There is no {path[:80]}.",
            hint="Name the folder or zip of a pack.",
            code="unreadable-file",
        )
    if "watch" in arguments.flags:
        watch_pack(Path(path))
    report = check_path(Path(path))
    if arguments.is_json:
        import json

        said = {"faults": report.faults, "questions": report.questions, "about": report.about}
        print(json.dumps(said, ensure_ascii=False))
    else:
        print("\n".join(format_report(report)))
    return int(bool(report.faults))


def watch_pack(path: Path, looks: int = 0) -> None:
    """Check a pack anew whenever a file of it changes, and show its table and an example; until it
    is stopped, or for so many `looks`."""
    seen = dict[Path, float]()
    done = 0
    with TemporaryDirectory(prefix="grognard-") as pictures:
        while not looks or done < looks:
            now = _list_write_times(path)
            if now == seen:
                sleep(0.3)
                continue
            changed = next(
                (file for file, moment in now.items() if seen and seen.get(file) != moment), path
            )
            seen = now
            done = done + 1
            report = check_path(path)
            print(
                "\n".join((f"-- {strftime('%H:%M:%S')} {changed.name}", *format_report(report))),
                flush=True,
            )
            if not report.faults:
                _show_pack(path, changed, Path(pictures))


def _list_write_times(path: Path) -> dict[Path, float]:
    """When each file of a pack was written last; one that an editor is just about to write is
    left out.
    """
    found = {}
    for file in sorted(path.rglob("*.yaml")) if path.is_dir() else (path,):
        with suppress(OSError):
            found[file] = file.stat().st_mtime
    return found


def _show_pack(path: Path, changed: Path, pictures: Path) -> None:
    """The table of a file (or the first) drawn, and the sequence of a file (or the first)
    played, else that table.
    """
    console = Console(highlight=False)
    for part in (_draw_table, _play_sequence):
        try:
            part(load_pack(path), changed.stem, pictures, console)
        except (
            UserError,
            TableError,
        ) as error:  # no pictures here, or the file is changed again already
            print(f"  {error}")


def _draw_table(pack: System, changed: str, pictures: Path, console: Console) -> None:
    name = changed if changed in pack.tables else next(iter(pack.tables), "")
    if table := pack.tables.get(name):
        drawn = render_table(table).svg
        file = pictures / f"{name}.{'png' if find_rasterizer() else 'svg'}"
        file.write_bytes(render_png(drawn) if find_rasterizer() else drawn.encode())
        link = Style(link=file.as_uri()) if console.is_terminal else ""
        console.print(Text("  picture   ").append(str(file), link), soft_wrap=True)


def _play_sequence(pack: System, changed: str, _: Path, console: Console) -> None:
    table = pack.tables.get(changed) or next(iter(pack.tables.values()), None)
    if sequence := pack.sequences.get(changed) or next(iter(pack.sequences.values()), None):
        print(f"  example   {format_example((pack.id, sequence.id), sequence.example)}", flush=True)
        print_reply(
            console,
            play_once(
                sequence, sequence.add_default_choices(sequence.example), create_throwaway_source()
            )[1],
        )
    elif table is not None and table.example:
        print_reply(console, build_lookup_reply(table, table.example, table.read(table.example)))


def create_pack(words: list[str]) -> None:
    """Write a first pack into a folder, or a blank table into that of a pack."""
    arguments = Arguments(words, flags={"blank": False, "rows": True, "columns": True})
    (folder,) = arguments.take_only("FOLDER")
    if "blank" in arguments.flags:
        write_blank_table(
            Path(folder),
            arguments.flags.get("rows", ["2-12"])[-1],
            arguments.get_number("columns", 4),
        )
        print(
            f"{folder} waits for your card: type each _, then: grognard check {Path(folder).parent}"
        )
        return
    id = write_new_pack(Path(folder))
    print(f"{folder} holds the pack {id}. Change it, then: grognard check {folder}")
    print(f"Play it: grognard try {folder}")


def import_file(words: list[str]) -> int:
    """Turn a file of another program into tables of ours; 1 when they have a fault. Raises
    UserError.
    """
    import sys

    arguments = Arguments(words, flags={"pack": True, "id": True, "group": True, "deck": True})
    (name,) = arguments.take_only("FILE")
    folder, id, group, deck = (
        arguments.flags.get(flag, [""])[-1] for flag in ("pack", "id", "group", "deck")
    )
    if name != "-" and (Path(name).is_dir() or _is_zip_of_files(Path(name))):
        if id or group or deck:
            raise UserError(
                "--id, --group and --deck are for one file.",
                hint="Leave them out for a folder.",
                code="bad-value",
            )
        print(
            "\n".join((told := import_folder(Path(name), Path(folder) if folder else None)).lines)
        )
        return told.status
    data = _read_bytes(name)
    if folder:
        print(
            "\n".join(
                (
                    told := import_into_pack(
                        data, name, Path(folder), id=id, group=group, deck=deck
                    )
                ).lines
            )
        )
        return told.status
    made = import_tables(data, name, id=id, group=group, deck=deck)
    told = check_alone(made)
    print("---\n".join(f"# {file}\n{text}" for file, text in made.files.items()), end="")
    print("\n".join(told.lines), end="\n" if told.lines else "", file=sys.stderr)
    return told.status


def _is_zip_of_files(path: Path) -> bool:
    """Return whether a file is a zip of tables; a workbook is one file of its own."""
    return is_zipfile(path) and not is_workbook(path.read_bytes())


def export_table(words: list[str]) -> None:
    """Write a table as a sheet. Raises UserError."""
    arguments = Arguments(words, flags={"out": True})
    id, name = arguments.take_only("SYSTEM", "TABLE")
    text = format_csv(find_system(id).find_table(name))
    if "out" not in arguments.flags:
        print(text, end="")
        return
    file = Path(arguments.flags["out"][-1])
    with explain_file_errors(file, code="bad-value"):
        file.write_text(text, encoding="utf-8")
    print(f"wrote {file}")


def _read_bytes(name: str) -> bytes:
    """What is in a file, as far as it is read; of standard input for `-`. Raises UserError."""
    import sys

    with explain_file_errors(name[:80], "read", code="unreadable-file"):
        if name == "-":
            return sys.stdin.buffer.read(MOST_READ + 1)
        with Path(name).open("rb") as file:
            return file.read(MOST_READ + 1)
