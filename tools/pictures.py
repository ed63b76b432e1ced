"""Writes docs/pictures/ and docs/gallery.md from tables and sequences: part of `make docs`.
Tests say what is stale.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from bot.charts.charts import render_reply_odds
from bot.charts.font import FAMILY, FILES
from bot.charts.svg import Picture
from bot.charts.table import render_table
from bot.cli.odds_text import count_odds_reply
from bot.report.event_odds import compute_export_facts
from bot.report.game_pictures import draw_game_card, draw_result_card
from bot.report.page_data import Story
from bot.rulesets.catalog import find_system, get_systems, load_shared_systems
from bot.rulesets.system import System
from tools.chat.pictures import messages
from tools.chat.pictures import pictures as chat_pictures

DOCS = Path(__file__).resolve().parent.parent / "docs"
FOLDER = "pictures"
_TEXTS, _BOLD = re.compile("<t(?:ext|span)([^>]*)>([^<]+)<"), 'font-weight="700"'
SAMPLE, SHOT = DOCS.parent / "tests/data/sample-report.json", 22
"""The game of docs/sample-report.html, and the event of it that is drawn."""
GALLERY = {
    "lnlt": ("fire", "dct", "melee-odds", "ordnance-vehicle"),
    "baps": ("fire", "crt", "leader-rating", "he-attack"),
    "nhis": ("fire", "ranged-combat", "move-cost", "morale"),
    "ucn": ("shoot", "morale-failed", "shoot-modifiers", "attack-vehicle"),
    "asl": ("malfunction", "mp-cost", "tk-flame", "flame-attack"),
}
"""The tables and sequences of the gallery, by game; a game that is not named shows its first
table.
"""


def with_font(svg: str) -> str:
    """The picture with the letters that are in it as fonts of its own: a page on the web knows
    none of ours.
    """
    faces = "".join(
        f"@font-face{{font-family:'{FAMILY}';font-weight:{weight};"
        f"src:url(data:font/ttf;base64,{_subset(bold, ''.join(sorted(set(signs))))})}}"
        for bold, weight in ((False, 400), (True, 700))
        if (
            signs := "".join(
                unescape(text) for how, text in _TEXTS.findall(svg) if (_BOLD in how) == bold
            )
        )
    )
    head, _, rest = svg.partition(">")
    return f"{head}><style>{faces}</style>{rest}"


@lru_cache(None)
def _subset(bold: bool, signs: str) -> str:
    """One weight of the font with these letters alone, in base64: the same bytes on every
    machine.
    """
    font = TTFont(FILES[bold], recalcTimestamp=False)
    options = Options(
        hinting=False,
        layout_features=[],
        name_IDs=[],
        notdef_outline=True,
        drop_tables=["GSUB", "GPOS", "GDEF"],
    )
    subsetter = Subsetter(options)
    subsetter.populate(text=signs)
    subsetter.subset(font)
    data = BytesIO()
    font.save(data)
    return b64encode(data.getvalue()).decode()


def get_first_picture(game: System) -> tuple[str, str] | None:
    """Return the title and address of the first table of a game in the gallery; None without one."""
    for address, title, _, _ in _list_gallery_pictures(game):
        if address.endswith("-read.svg"):
            return title, address
    return None


def draw_all_pictures() -> dict[str, str]:
    """Every picture of the documentation by its address in docs/."""
    found: dict[str, str] = {}
    for game in get_systems().values():
        found |= {
            address: with_font(picture.svg)
            for address, _, _, picture in _list_gallery_pictures(game)
        }
    found |= {address: with_font(svg) for address, svg in chat_pictures(messages()).items()}
    return found | {address: with_font(picture.svg) for address, _, _, picture in _of_sample()}


def _of_sample() -> Iterator[tuple[str, str, str, Picture]]:
    """The pictures of a game to share, as `_list_gallery_pictures` has those of tables: the sample's end, and a
    shot in it.
    """
    text = SAMPLE.read_text("utf-8")
    export = json.loads(text)
    systems = load_shared_systems()
    shot = draw_result_card(Story(export, compute_export_facts(export, systems), systems), SHOT)
    yield (
        f"{FOLDER}/lnlt/game.svg",
        "How it ended",
        "grognard picture game sample-report.html -o game.png",
        draw_game_card(text, systems),
    )
    command = f"grognard picture game sample-report.html {SHOT} -o result.png"
    yield f"{FOLDER}/lnlt/result.svg", "One result", command, shot


def gallery() -> str:
    """The page of all five games."""
    return "\n".join(_gallery()) + "\n"


def _gallery() -> Iterator[str]:
    yield "# Gallery"
    yield ""
    yield "A game and its results, tables with the cell that answers, and exact odds, as *Picture* draws them in chat."
    yield "This page is made by `make docs`; do not edit it."
    yield "What the games are, and whose they are: [README](../README.md#the-games)."
    page = (
        "[A whole game as a page](sample-report.html): luck, what decided it, rosters, every die. "
        "Save it and open it."
    )
    for title, pictures in (
        ("A game to share", _of_sample()),
        *(
            (game.title, _list_gallery_pictures(game))
            for game in map(find_system, [*GALLERY, *sorted(get_systems().keys() - GALLERY)])
        ),
    ):
        yield ""
        yield f"## {title}"
        if page:
            yield ""
            yield page
        page = ""
        for address, title, command, picture in pictures:
            yield ""
            yield f"**{title}**"
            yield ""
            yield f"![{_alt(picture)}]({address})"
            yield ""
            yield f"```\n{command}\n```"


def _list_gallery_pictures(game: System) -> Iterator[tuple[str, str, str, Picture]]:
    """Of each picture in the gallery its address, its title, the command behind it, and the
    picture.
    """
    for name in GALLERY.get(game.id) or list(game.tables)[:1]:
        if name in game.sequences and name not in game.tables:
            sequence = game.sequences[name]
            picture = render_reply_odds(count_odds_reply(sequence, sequence.example))
            given = " ".join(_format_option(key, value) for key, value in sequence.example.items())
            command = f"grognard picture odds {game.id} {name} {given} -o {name}.png"
            yield f"{FOLDER}/{game.id}/odds-{name}.svg", f"Odds: {sequence.title}", command, picture
            continue
        table = game.tables[name]
        given = " ".join(_format_option(key, value) for key, value in table.example.items())
        command = f"grognard picture table {game.id} {name} {given} -o {name}.png"
        yield (
            f"{FOLDER}/{game.id}/{name}-read.svg",
            table.title,
            command,
            render_table(table, table.example),
        )


def _format_option(name: str, value: object) -> str:
    text = "yes" if value is True else "no" if value is False else str(value)
    return f'{name}="{text}"' if " " in text or ";" in text else f"{name}={text}"


def _alt(picture: Picture) -> str:
    return picture.alt.replace("[", "(").replace("]", ")").replace("\n", " ")


def write_pictures() -> list[Path]:
    """Write what is new or changed, and take away what is drawn no more; returns those files."""
    wanted = {
        DOCS / address: text for address, text in (draw_all_pictures() | messages()).items()
    } | {DOCS / "gallery.md": gallery()}
    changed = [
        path
        for path, text in wanted.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
    stale = [path for path in (DOCS / FOLDER).rglob("*.svg") if path not in wanted]
    for path in stale:
        path.unlink()
    return changed + stale
