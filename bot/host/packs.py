"""`grognard check`, `new` and `import`: for whoever writes a pack."""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep, strftime
from zipfile import is_zipfile

from rich.console import Console
from rich.style import Style
from rich.text import Text

from bot.answers.tables import lookup_reply
from bot.host.cli import Arguments, played_once
from bot.host.terminal import show
from bot.interface.registry import example_text
from bot.interface.uploads.workbook import is_workbook
from bot.packs.check import check_path, lines_of
from bot.packs.csv_export import as_csv
from bot.packs.importing import imported
from bot.packs.importing.folders import put_all
from bot.packs.importing.recognise import MOST_READ, alone, put
from bot.packs.new import blank_table, new_pack
from bot.picture.png import png, rasterizer
from bot.picture.table import table_picture
from bot.process.entropy import throwaway
from bot.process.file_rights import explained_failure
from bot.rules.errors import TableError, UserError
from bot.systems.catalog import system
from bot.systems.packs.pack import load_pack
from bot.systems.system import System


def check(words: list[str]) -> int:
    """Check packs; 1 when one has a fault. Raises UserError."""
    arguments = Arguments(words, flags={"json": False, "watch": False})
    (path,) = arguments.only("FOLDER")
    if not Path(path).exists():
        raise UserError(
            f"There is no {path[:80]}.",
            hint="Name the folder or zip of a pack.",
            code="unreadable-file",
        )
    if "watch" in arguments.flags:
        watch(Path(path))
    report = check_path(Path(path))
    if arguments.json:
        import json

        said = {"faults": report.faults, "questions": report.questions, "about": report.about}
        print(json.dumps(said, ensure_ascii=False))
    else:
        print("\n".join(lines_of(report)))
    return int(bool(report.faults))


def watch(path: Path, looks: int = 0) -> None:
    """Check a pack anew whenever a file of it changes, and show its table and an example; until it
    is stopped, or for so many `looks`."""
    seen = dict[Path, float]()
    done = 0
    with TemporaryDirectory(prefix="grognard-") as pictures:
        while not looks or done < looks:
            now = _moments(path)
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
                "\n".join((f"-- {strftime('%H:%M:%S')} {changed.name}", *lines_of(report))),
                flush=True,
            )
            if not report.faults:
                _show(path, changed, Path(pictures))


def _moments(path: Path) -> dict[Path, float]:
    """When each file of a pack was written last; one that an editor is just about to write is
    left out.
    """
    found = {}
    for file in sorted(path.rglob("*.yaml")) if path.is_dir() else (path,):
        with suppress(OSError):
            found[file] = file.stat().st_mtime
    return found


def _show(path: Path, changed: Path, pictures: Path) -> None:
    """The table of a file (or the first) drawn, and the sequence of a file (or the first)
    played, else that table.
    """
    console = Console(highlight=False)
    for part in (_draw, _play):
        try:
            part(load_pack(path), changed.stem, pictures, console)
        except (
            UserError,
            TableError,
        ) as error:  # no pictures here, or the file is changed again already
            print(f"  {error}")


def _draw(pack: System, changed: str, pictures: Path, console: Console) -> None:
    name = changed if changed in pack.tables else next(iter(pack.tables), "")
    if table := pack.tables.get(name):
        drawn = table_picture(table).svg
        file = pictures / f"{name}.{'png' if rasterizer() else 'svg'}"
        file.write_bytes(png(drawn) if rasterizer() else drawn.encode())
        link = Style(link=file.as_uri()) if console.is_terminal else ""
        console.print(Text("  picture   ").append(str(file), link), soft_wrap=True)


def _play(pack: System, changed: str, _: Path, console: Console) -> None:
    table = pack.tables.get(changed) or next(iter(pack.tables.values()), None)
    if sequence := pack.sequences.get(changed) or next(iter(pack.sequences.values()), None):
        print(f"  example   {example_text((pack.id, sequence.id), sequence.example)}", flush=True)
        show(console, played_once(sequence, sequence.decided(sequence.example), throwaway())[1])
    elif table is not None and table.example:
        show(console, lookup_reply(table, table.example, table.read(table.example)))


def new(words: list[str]) -> None:
    """Write a first pack into a folder, or a blank table into that of a pack."""
    arguments = Arguments(words, flags={"blank": False, "rows": True, "columns": True})
    (folder,) = arguments.only("FOLDER")
    if "blank" in arguments.flags:
        blank_table(
            Path(folder), arguments.flags.get("rows", ["2-12"])[-1], arguments.number("columns", 4)
        )
        print(
            f"{folder} waits for your card: type each _, then: grognard check {Path(folder).parent}"
        )
        return
    id = new_pack(Path(folder))
    print(f"{folder} holds the pack {id}. Change it, then: grognard check {folder}")
    print(f"Play it: grognard try {folder}")


def bring_in(words: list[str]) -> int:
    """Turn a file of another program into tables of ours; 1 when they have a fault. Raises
    UserError.
    """
    import sys

    arguments = Arguments(words, flags={"pack": True, "id": True, "group": True, "deck": True})
    (name,) = arguments.only("FILE")
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
        print("\n".join((told := put_all(Path(name), Path(folder) if folder else None)).lines))
        return told.status
    data = _bytes_of(name)
    if folder:
        print(
            "\n".join((told := put(data, name, Path(folder), id=id, group=group, deck=deck)).lines)
        )
        return told.status
    made = imported(data, name, id=id, group=group, deck=deck)
    told = alone(made)
    print("---\n".join(f"# {file}\n{text}" for file, text in made.files.items()), end="")
    print("\n".join(told.lines), end="\n" if told.lines else "", file=sys.stderr)
    return told.status


def _is_zip_of_files(path: Path) -> bool:
    """Return whether a file is a zip of tables; a workbook is one file of its own."""
    return is_zipfile(path) and not is_workbook(path.read_bytes())


def export_table(words: list[str]) -> None:
    """Write a table as a sheet. Raises UserError."""
    arguments = Arguments(words, flags={"out": True})
    id, name = arguments.only("SYSTEM", "TABLE")
    text = as_csv(system(id).table(name))
    if "out" not in arguments.flags:
        print(text, end="")
        return
    file = Path(arguments.flags["out"][-1])
    with explained_failure(file, code="bad-value"):
        file.write_text(text, encoding="utf-8")
    print(f"wrote {file}")


def _bytes_of(name: str) -> bytes:
    """What is in a file, as far as it is read; of standard input for `-`. Raises UserError."""
    import sys

    with explained_failure(name[:80], "read", code="unreadable-file"):
        if name == "-":
            return sys.stdin.buffer.read(MOST_READ + 1)
        with Path(name).open("rb") as file:
            return file.read(MOST_READ + 1)
