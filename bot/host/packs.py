"""`grognard check`, `new` and `fuzz`: for whoever writes a pack."""

from __future__ import annotations

from pathlib import Path

from bot.host.cli import Arguments
from bot.host.fuzz import Tally, find
from bot.host.fuzz import fuzz as fuzz_system
from bot.packs.check import check_path, lines_of
from bot.packs.importing import imported
from bot.packs.importing.folders import put_all
from bot.packs.importing.recognise import MOST_READ, alone, put
from bot.packs.new import blank_table, new_pack
from bot.rules.errors import UserError
from bot.systems.catalog import PACKS, everywhere, systems


def check(words: list[str]) -> int:
    """Check packs; 1 when one has a fault."""
    arguments = Arguments(words, flags={"json": False})
    (path,) = arguments.take("FOLDER")
    if not Path(path).exists():
        raise UserError(f"There is no {path[:80]}.", hint="Name the folder or zip of a pack.", code="unreadable-file")
    report = check_path(Path(path))
    if arguments.json:
        import json

        said = {"faults": report.faults, "questions": report.questions, "about": report.about}
        print(json.dumps(said, ensure_ascii=False))
    else:
        print("\n".join(lines_of(report)))
    return int(bool(report.faults))


def new(words: list[str]) -> None:
    """Write a first pack into a folder, or a blank table into that of a pack."""
    arguments = Arguments(words, flags={"blank": False, "rows": True, "columns": True})
    (folder,) = arguments.take("FOLDER")
    if "blank" in arguments.flags:
        blank_table(Path(folder), arguments.flags.get("rows", ["2-12"])[-1], _number(arguments, "columns", 4))
        print(f"{folder} waits for your card: type each _, then: grognard check {Path(folder).parent}")
        return
    id = new_pack(Path(folder))
    print(f"{folder} holds the pack {id}. Change it, then: grognard check {folder}")
    print(f"Play it: grognard --packs {folder} play")


def bring_in(words: list[str]) -> int:
    """Turn a file of another program into tables of ours; 1 when they have a fault."""
    import sys

    arguments = Arguments(words, flags={"pack": True, "id": True, "group": True})
    (name,) = arguments.take("FILE")
    folder, id, group = (arguments.flags.get(flag, [""])[-1] for flag in ("pack", "id", "group"))
    if name != "-" and (Path(name).is_dir() or Path(name).suffix == ".zip"):
        if id or group:
            raise UserError(
                "--id and --group are for one table.", hint="Leave them out for a folder.", code="bad-value"
            )
        print("\n".join((told := put_all(Path(name), Path(folder) if folder else None)).lines))
        return told.status
    data = _bytes_of(name)
    if folder:
        print("\n".join((told := put(data, name, Path(folder), id=id, group=group)).lines))
        return told.status
    made = imported(data, name, id=id, group=group)
    told = alone(made)
    print("---\n".join(f"# {file}\n{text}" for file, text in made.files.items()), end="")
    print("\n".join(told.lines), end="\n" if told.lines else "", file=sys.stderr)
    return told.status


def _bytes_of(name: str) -> bytes:
    """What is in a file, as far as it is read; of standard input for `-`. Raises UserError."""
    import sys

    try:
        if name == "-":
            return sys.stdin.buffer.read(MOST_READ + 1)
        with Path(name).open("rb") as file:
            return file.read(MOST_READ + 1)
    except OSError as error:
        raise UserError(f"{name[:80]} cannot be read: {error.strerror}.", code="unreadable-file") from None


def fuzz(words: list[str]) -> int:
    """Play random games of a system; 1 when something did not hold in one, which is then written to a file."""
    import asyncio
    import logging
    import os
    from time import monotonic

    arguments = Arguments(words, flags={"plays": True, "seed": True})
    (name,) = arguments.take("SYSTEM")
    plays, seed = (_number(arguments, flag, default) for flag, default in (("plays", 20), ("seed", 1)))
    system = find(name)
    if system.id not in systems():
        os.environ[PACKS] = os.path.abspath(name)
        everywhere.cache_clear()
    logging.disable(logging.CRITICAL)  # what goes wrong is told below
    tally, since = Tally(), monotonic()
    failure = asyncio.run(fuzz_system(systems()[system.id], plays, seed, tally))
    print(
        f"{system.id}: {tally.plays} games, {tally.commands} commands ({tally.refused} refused), "
        f"{tally.events} events, {tally.odds} odds counted, {monotonic() - since:.0f} s, seed {seed}"
    )
    if failure is None:
        return 0
    file = Path(f"fuzz-{system.id}-{seed}-{failure.play}.json")
    file.write_text(failure.export, encoding="utf-8")
    print(f"Game {failure.play} failed; {file} holds it for `/game import` and grognard verify:")
    print("\n".join(failure.faults[:10]))
    return 1


def _number(arguments: Arguments, flag: str, default: int) -> int:
    text = arguments.flags.get(flag, [str(default)])[-1]
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= 10**6):
        raise UserError(f"--{flag} takes a whole number from 1, not {text[:40]}.", code="bad-value")
    return int(text)
