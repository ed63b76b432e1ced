"""`grognard check`, `new`, `import` and `export-table`: commands for authors of packs."""

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
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.system import System
from bot.runtime.entropy import create_throwaway_source
from bot.runtime.file_rights import explain_file_errors
from bot.ui.registry import format_example
from bot.ui.uploads.workbook import is_workbook


def check_packs(words: list[str]) -> int:
    """Check a pack and print the report; with --watch repeat that on each change until interrupted.

    Return the exit status: 1 if the pack has a fault. Raises UserError.
    """
    arguments = Arguments(words, flags={"json": False, "watch": False})
    (path,) = arguments.take_only("FOLDER")
    if not Path(path).exists():
        raise UserError(
            f"There is no {path[:80]}.",
            hint="Give the folder or zip of a pack.",
            code="unreadable-file",
        )
    if Path(path).suffix in (".yaml", ".yml"):
        raise UserError(
            f"{path[:80]} is a single file from a pack.",
            hint=f"Name its folder: {str(Path(path).parent)[:80]}",
            code="unreadable-file",
        )
    if "watch" in arguments.flags:
        watch_pack(Path(path))
    report = check_path(Path(path))
    if arguments.is_json:
        import json

        data = {"faults": report.faults, "questions": report.questions, "about": report.about}
        print(json.dumps(data, ensure_ascii=False))
    else:
        print("\n".join(format_report(report)))
    return int(bool(report.faults))


def watch_pack(path: Path, looks: int = 0) -> None:
    """Check a pack whenever a file in it changes, print the report, and show a table and an
    example if there are no faults. Runs until interrupted, or for `looks` checks.
    """
    checked_times = dict[Path, float]()
    checks = 0
    with TemporaryDirectory(prefix="grognard-") as pictures:
        while not looks or checks < looks:
            times = _list_write_times(path)
            if times == checked_times:
                sleep(0.3)
                continue
            changed = path
            if checked_times:
                files = (file for file in times if times[file] != checked_times.get(file))
                changed = next(files, path)
            checked_times = times
            checks += 1
            report = check_path(path)
            lines = [f"-- {strftime('%H:%M:%S')} {changed.name}", *format_report(report)]
            print("\n".join(lines), flush=True)
            if not report.faults:
                _show_pack(path, changed, Path(pictures))


def _list_write_times(path: Path) -> dict[Path, float]:
    """Return the time of the last change of each YAML file of a pack, or of its one file.

    A file that is missing at this moment, as while an editor replaces it, is left out.
    """
    times = {}
    for file in sorted(path.rglob("*.yaml")) if path.is_dir() else (path,):
        with suppress(OSError):
            times[file] = file.stat().st_mtime
    return times


def _show_pack(path: Path, changed: Path, pictures: Path) -> None:
    """Draw a table of a pack, and play an example. Print an error of either.

    They are the table and sequence in the changed file, or else the first ones of the pack.
    """
    console = Console(highlight=False)
    for show_part in (_draw_table, _play_sequence):
        try:
            show_part(load_pack(path), changed.stem, pictures, console)
        except (UserError, TableError) as error:
            # pictures are not installed, or the file was changed again meanwhile
            print(f"  {error}")


def _draw_table(pack: System, changed: str, pictures: Path, console: Console) -> None:
    """Draw the table `changed`, or else the first, into the folder of pictures and print its file.

    Do nothing if the pack has no tables. Raises UserError if it cannot be drawn.
    """
    name = changed if changed in pack.tables else next(iter(pack.tables), "")
    table = pack.tables.get(name)
    if table:
        svg = render_table(table).svg
        if find_rasterizer():
            file = pictures / f"{name}.png"
            file.write_bytes(render_png(svg))
        else:
            file = pictures / f"{name}.svg"
            file.write_bytes(svg.encode())
        link = Style(link=file.as_uri()) if console.is_terminal else ""
        console.print(Text("  picture   ").append(str(file), link), soft_wrap=True)


def _play_sequence(pack: System, changed: str, _: Path, console: Console) -> None:
    """Play the example of the sequence `changed`, or else of the first, with random dice and print
    the reply. Of a pack without sequences, look the example of the table up instead.
    """
    table = pack.tables.get(changed) or next(iter(pack.tables.values()), None)
    sequence = pack.sequences.get(changed) or next(iter(pack.sequences.values()), None)
    if sequence:
        print(f"  example   {format_example((pack.id, sequence.id), sequence.example)}", flush=True)
        inputs = sequence.add_default_choices(sequence.example)
        _, reply = play_once(sequence, inputs, create_throwaway_source())
        print_reply(console, reply)
    elif table is not None and table.example:
        lookup = table.read(table.example)
        print_reply(console, build_lookup_reply(table, table.example, lookup))


def create_pack(words: list[str]) -> None:
    """Write a first pack into a new folder, or with --blank a blank table into a new file.

    `words` are the arguments: the path of the folder, or with --blank that of the new YAML file in
    the folder of a pack. Raises UserError.
    """
    arguments = Arguments(words, flags={"blank": False, "rows": True, "columns": True})
    (folder,) = arguments.take_only("FOLDER")
    if "blank" in arguments.flags:
        rows = arguments.flags.get("rows", ["2-12"])[-1]
        columns = arguments.get_number("columns", 4)
        write_blank_table(Path(folder), rows, columns)
        print(
            f"{folder} is ready for your card: fill in each _, then: grognard check {Path(folder).parent}"
        )
        return
    id = write_new_pack(Path(folder))
    print(f"{folder} holds the pack {id}. Change it, then: grognard check {folder}")
    print(f"Play it: grognard try {folder}")


def import_file(words: list[str]) -> int:
    """Convert a file or folder of another program into tables of a pack, and print them.

    With --pack, write them into the folder of a pack instead, and print the report of the check on
    it. Tables with a fault are printed or written all the same, with the faults in the report.

    Return the exit status: 1 if they have a fault. Raises UserError if nothing can be converted.
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
        report = import_folder(Path(name), Path(folder) if folder else None)
        print("\n".join(report.lines))
        return report.status
    data = _read_bytes(name)
    if folder:
        report = import_into_pack(data, name, Path(folder), id=id, group=group, deck=deck)
        print("\n".join(report.lines))
        return report.status
    imported = import_tables(data, name, id=id, group=group, deck=deck)
    report = check_alone(imported)
    documents = [f"# {file}\n{text}" for file, text in imported.files.items()]
    print("---\n".join(documents), end="")
    if report.lines:
        print("\n".join(report.lines), file=sys.stderr)
    return report.status


def _is_zip_of_files(path: Path) -> bool:
    """Return whether a file is a zip of several files. A workbook, which is a zip too, is not."""
    return is_zipfile(path) and not is_workbook(path.read_bytes())


def export_table(words: list[str]) -> None:
    """Print a table as CSV, or write it into the file of --out. Raises UserError."""
    arguments = Arguments(words, flags={"out": True})
    id, name = arguments.take_only("SYSTEM", "TABLE")
    text = format_csv(find_shared_system(id).find_table(name))
    if "out" not in arguments.flags:
        print(text, end="")
        return
    file = Path(arguments.flags["out"][-1])
    with explain_file_errors(file, code="bad-value"):
        file.write_text(text, encoding="utf-8")
    print(f"wrote {file}")


def _read_bytes(name: str) -> bytes:
    """Return the bytes of a file, or of standard input for `-`: at most one more than an import may
    have, so that a file that is too long is recognized. Raises UserError.
    """
    import sys

    with explain_file_errors(name[:80], "read", code="unreadable-file"):
        if name == "-":
            return sys.stdin.buffer.read(MOST_READ + 1)
        with Path(name).open("rb") as file:
            return file.read(MOST_READ + 1)
