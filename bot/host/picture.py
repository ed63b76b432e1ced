"""`grognard picture`: a table, exact odds, an exported game or one result of it as a picture in
a file.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from bot.host.cli import Arguments
from bot.host.odds_text import reply_of
from bot.picture.charts import reply_picture
from bot.picture.png import png
from bot.picture.svg import Picture
from bot.picture.table import table_picture
from bot.process.file_rights import explained_failure
from bot.report.facts import facts_of
from bot.report.game_pictures import card, result
from bot.report.page_data import Story
from bot.rules.errors import UserError, did_you_mean
from bot.systems.catalog import system
from bot.verification.check_file import file_text

KINDS = ("table", "odds", "game")
SUFFIXES = (".svg", ".png")


def picture(words: Sequence[str]) -> None:
    """Write the picture that is asked for, as SVG or PNG by the name of the file, and print where
    it is. Raises UserError."""
    arguments = Arguments(words, flags={"out": True})
    kind, id = arguments.take("table, odds or game", "SYSTEM or FILE")
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS) or "A picture shows a table, odds or a game."
        raise UserError(f'There are no pictures of "{kind[:40]}".', hint=hint, code="bad-value")
    name = Path(id).stem if kind == "game" else arguments.take("NAME")[0]
    file = Path(arguments.flags.get("out", [f"{name}.png"])[-1])
    if file.suffix.casefold() not in SUFFIXES:
        raise UserError(f"{file.name[:80]} must end in .svg or .png.", code="bad-value")
    drawn = {"table": _table, "odds": _odds, "game": _game}[kind](id, name, arguments)
    with explained_failure(file, code="bad-value"):
        file.write_bytes(_bytes(drawn, file))
    print(f"wrote {file}" if sys.stdout.isatty() else f"wrote {file}\n{drawn.alt}")


def _table(id: str, name: str, arguments: Arguments) -> Picture:
    return table_picture(system(id).table(name), arguments.given() or None)


def _odds(id: str, name: str, arguments: Arguments) -> Picture:
    return reply_picture(reply_of(system(id).sequence(name), arguments.given()))


def _game(file: str, _name: str, arguments: Arguments) -> Picture:
    """The whole of an exported game, or the event whose number is given."""
    text, number = file_text(Path(file)), "".join(arguments.words).removeprefix("#")
    if not number:
        return card(text)
    if not number.isdecimal():
        raise UserError(f"{number[:40]} is not the number of an event.", code="bad-value")
    export = json.loads(text)
    return result(Story(export, facts_of(export)), int(number))


def _bytes(drawn: Picture, file: Path) -> bytes:
    return png(drawn.svg) if file.suffix.casefold() == ".png" else drawn.svg.encode()
