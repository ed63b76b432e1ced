"""`grognard picture`: a table, exact odds, an exported game or one of its results as a picture
file.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from bot.charts.charts import render_reply_odds
from bot.charts.png import render_png
from bot.charts.svg import Picture
from bot.charts.table import render_table
from bot.cli.cli import Arguments
from bot.cli.odds_text import count_odds_reply
from bot.report.event_odds import compute_export_facts
from bot.report.game_pictures import draw_game_card, draw_result_card
from bot.report.page_data import Story
from bot.rules.errors import UserError, did_you_mean
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.runtime.file_rights import explain_file_errors
from bot.verification.check_file import read_file_text

KINDS = ("table", "odds", "game")
SUFFIXES = (".svg", ".png")


def write_picture(words: Sequence[str]) -> None:
    """Draw a table, odds or a game into a file, as SVG or PNG by its name, and print the name of
    the file; in a pipe also the picture's text alternative.

    Raises UserError.
    """
    arguments = Arguments(words, flags={"out": True})
    kind, id = arguments.take_words("table, odds or game", "SYSTEM or FILE")
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS) or "A picture shows a table, odds or a game."
        raise UserError(f'No pictures of "{kind[:40]}".', hint=hint, code="bad-value")
    name = Path(id).stem if kind == "game" else arguments.take_words("NAME")[0]
    file = Path(arguments.flags.get("out", [f"{name}.png"])[-1])
    if file.suffix.casefold() not in SUFFIXES:
        raise UserError(f"{file.name[:80]} must end in .svg or .png.", code="bad-value")
    draw = {"table": _draw_table, "odds": _draw_odds, "game": _draw_game}[kind]
    picture = draw(id, name, arguments)
    with explain_file_errors(file, code="bad-value"):
        file.write_bytes(_encode_picture(picture, file))
    print(f"wrote {file}" if sys.stdout.isatty() else f"wrote {file}\n{picture.alt}")


def _draw_table(id: str, name: str, arguments: Arguments) -> Picture:
    """Draw a table; if there are inputs, with the cell that they lead to."""
    table = find_shared_system(id).find_table(name)
    return render_table(table, arguments.get_inputs() or None)


def _draw_odds(id: str, name: str, arguments: Arguments) -> Picture:
    """Draw the odds of a sequence with the inputs of the command line."""
    sequence = find_shared_system(id).find_sequence(name)
    return render_reply_odds(count_odds_reply(sequence, arguments.get_inputs()))


def _draw_game(file: str, _name: str, arguments: Arguments) -> Picture:
    """Draw an exported game, or the result of one event if its number follows."""
    text = read_file_text(Path(file))
    systems = load_shared_systems()
    number = "".join(arguments.words).removeprefix("#")
    if not number:
        return draw_game_card(text, systems)
    if not number.isdecimal():
        raise UserError(f"{number[:40]} is not an event number.", code="bad-value")
    export = json.loads(text)
    return draw_result_card(
        Story(export, compute_export_facts(export, systems), systems), int(number)
    )


def _encode_picture(picture: Picture, file: Path) -> bytes:
    """Return the picture as PNG or SVG, by the name of the file."""
    if file.suffix.casefold() == ".png":
        return render_png(picture.svg)
    return picture.svg.encode()
