"""`grognard report`: the after-action page of an exported game, as a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.rules.errors import UserError


def write_report(words: Sequence[str]) -> None:
    """Write the page of the export in a file (JSON, packed, or another page). Raises UserError."""
    from bot.audit.check_file import file_text
    from bot.audit.packs import Brought
    from bot.host.cli import Arguments
    from bot.report.facts import facts_of
    from bot.report.page import page
    from bot.rules.proof.export_format import read_export, read_json
    from bot.systems.catalog import using

    arguments = Arguments(["--out" if word == "-o" else word for word in words], flags={"out": True})
    (file,) = arguments.take("FILE")
    path = Path(file)
    out = Path(arguments.flags["out"][-1]) if "out" in arguments.flags else path.with_suffix("").with_suffix(".html")
    if out.resolve() == path.resolve():
        raise UserError("The page would overwrite the game.", hint="Name another file: -o FILE.html", code="bad-value")
    export = read_json(file_text(path), f"The file {path}")
    read = read_export(export)
    assert isinstance(export, dict)
    try:
        with using(Brought(read).all()):
            text = page(export, facts_of(export))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise UserError(
            f"The file {path} is damaged: no page can be made of it.",
            hint="grognard verify shows what is wrong.",
            code="damaged-log",
        ) from None
    try:
        out.write_text(text, "utf-8")
    except OSError as error:
        raise UserError(f"{out} cannot be written: {error.strerror}.", code="unwritable-folder") from None
    print(f"{out}: {len(export['events'])} events, {len(text.encode()) // 1000} kB")
