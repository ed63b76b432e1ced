"""Writes docs/pictures/ and docs/gallery.md from tables and sequences: part of `make docs`.
Tests say what is stale.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, replace
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
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.system import System
from tools.chat.pictures import FOLDER as CHAT_FOLDER
from tools.chat.pictures import describe_picture, messages
from tools.chat.pictures import pictures as chat_pictures
from tools.chat.sample import play_sample

DOCS = Path(__file__).resolve().parent.parent / "docs"
FOLDER = "pictures"
_TEXTS, _BOLD = re.compile("<t(?:ext|span)([^>]*)>([^<]+)<"), 'font-weight="700"'
ODDS = {
    ("lnlt", "fire"): "Two squads and a leader fire into the next hex. The half-squad is already "
    "shaken, and almost nothing can save it.",
    ("lnlt", "ordnance-vehicle"): "More than half the shots miss. The squad riding outside is "
    "hurt more often than the vehicle.",
    ("baps", "fire"): "Four rifles and a light machine gun against four men in light cover.",
    ("baps", "he-attack"): "Half of all hand grenades miss. Two men are within the lethal radius, "
    "a third within the burst.",
    ("nhis", "fire"): "A squad and a machine gun shoot into the trees, five hexes away.",
    ("nhis", "morale"): "A Hit-1 means a morale check: the leader passes it more often than the "
    "squad.",
    ("ucn", "shoot"): "Four men shoot at a target in cover.",
    ("ucn", "attack-vehicle"): "Infantry against a vehicle with passengers: the odds show where "
    "the hit goes.",
    ("asl", "malfunction"): "A B10 gun in Intensive Fire whose ammunition runs low at 9.",
    ("asl", "flame-attack"): "A Molotov cocktail against an open-topped AFV in the same hex.",
}
"""The odds of the gallery: game and attack, and the caption."""
TABLES = {
    ("lnlt", "dct"): "Morale 5 and a total of 7: over morale, but not twice.",
    ("lnlt", "melee-odds"): "Attack 7 against defense 4 is 2-1. A table too wide for a phone is "
    "cut to the columns around the result.",
    ("baps", "crt"): "The largest table of all five games, cut to the cells around the result.",
    ("baps", "leader-rating"): "A veteran leader rolls 14.",
    ("nhis", "ranged-combat"): "Firepower 9 uses the column for 8, and a roll of 7 is a Hit -1.",
    ("nhis", "move-cost"): "Uphill into the trees, and the cost of every other terrain.",
    ("ucn", "morale-failed"): "Failed by 4: the whole row is the result.",
    ("ucn", "shoot-modifiers"): "A list of modifiers, with those that count marked.",
    ("asl", "mp-cost"): "Movement points to enter and to leave, as printed: 2½[2] -- ½.",
    ("asl", "tk-flame"): "Adjacent, crew exposed, in motion: TK# 5.",
}
"""The tables of the gallery: game and table, and the caption. A game without any shows its first
table.
"""
EVENING = {
    "discord-start": (
        "One line starts a fight",
        "The scenario comes with sides and units. Two presses, and both players have joined.",
    ),
    "discord-fire": (
        "Odds first, then the shot",
        "Only Anna sees the odds. *Roll it* rolls that shot, and everybody reads why it hit.",
    ),
    "discord-undo": (
        "Asking to take it back",
        "Dice were rolled, so Anna has to agree. She does not.",
    ),
    "discord-board": (
        "The board",
        "It is pinned in the channel and follows the game.",
    ),
    "slack-fire": (
        "The same shot on Slack",
        "You can play one game from both at once.",
    ),
    "slack-board": ("The board on Slack", "The same units, the same buttons."),
}
"""The pictures of chat in the gallery, each with its title and its caption."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One picture of the gallery: its address in docs/, title, caption, what is to be seen for
    those who cannot see it, and the drawing.
    """

    address: str
    title: str
    caption: str
    alt: str
    svg: str


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
    for system, name in _list_shown_tables():
        if system == game.id:
            return game.tables[name].title, _build_table_address(system, name)
    return None


def draw_all_pictures() -> dict[str, str]:
    """Every picture of the documentation by its address in docs/."""
    found = {address: with_font(svg) for address, svg in chat_pictures(messages()).items()}
    for exhibit in (*_list_sample_pictures(), *_list_odds(), *_list_tables()):
        found[exhibit.address] = with_font(exhibit.svg)
    return found


def _list_chat_pictures() -> Iterator[Exhibit]:
    """The messages of an evening in chat."""
    drawn = chat_pictures(messages())
    for name, (title, caption) in EVENING.items():
        address = f"{CHAT_FOLDER}/{name}.svg"
        platform, _, picture = name.partition("-")
        alt = describe_picture(messages(), platform, picture)
        yield Exhibit(address, title, caption, alt, drawn[address])


def _list_sample_pictures() -> Iterator[Exhibit]:
    """The end of the sample game, and the first result that decided it."""
    export = play_sample()
    systems = load_shared_systems()
    story = Story(export, compute_export_facts(export, systems), systems)
    yield _exhibit(
        f"{FOLDER}/lnlt/game.svg",
        "How it ended",
        "A box for each unit, crossed out if it is lost.",
        draw_game_card(json.dumps(export), systems),
    )
    yield _exhibit(
        f"{FOLDER}/lnlt/result.svg",
        "What decided it",
        "The result, its dice, and how likely it was.",
        draw_result_card(story, story.turning_points()[0].number),
    )


def _list_odds() -> Iterator[Exhibit]:
    """The odds of the examples of attacks."""
    for (system, name), caption in ODDS.items():
        game = find_shared_system(system)
        sequence = game.sequences[name]
        picture = render_reply_odds(count_odds_reply(sequence, sequence.example))
        title = f"{game.title}: {sequence.title}"
        yield _exhibit(f"{FOLDER}/{system}/odds-{name}.svg", title, caption, picture)


def _list_tables() -> Iterator[Exhibit]:
    """Tables with the answers to their examples."""
    for (system, name), caption in _list_shown_tables().items():
        game = find_shared_system(system)
        table = game.tables[name]
        picture = render_table(table, table.example)
        title = f"{game.title}: {table.title}"
        exhibit = _exhibit(_build_table_address(system, name), title, caption, picture)
        yield replace(exhibit, alt=_cut_before_cells(exhibit.alt))


def _list_shown_tables() -> dict[tuple[str, str], str]:
    """Return the tables of the gallery with their captions, also those of games without any."""
    shown = {system for system, _ in TABLES}
    others = {
        (game.id, name): "The cell with the result is marked."
        for game in load_shared_systems().values()
        if game.id not in shown
        for name in list(game.tables)[:1]
    }
    return TABLES | others


def _build_table_address(system: str, name: str) -> str:
    return f"{FOLDER}/{system}/{name}-read.svg"


def _exhibit(address: str, title: str, caption: str, picture: Picture) -> Exhibit:
    """A picture of the gallery, with an alternative text that fits between brackets."""
    alt = picture.alt.replace("[", "(").replace("]", ")").replace("\n", " ")
    return Exhibit(address, title, caption, alt, picture.svg)


def _cut_before_cells(alt: str) -> str:
    """Return what a picture of a table says before it lists the cells: title, answer and place."""
    head, marked, rest = alt.partition(" Marked: ")
    return f"{head}{marked}{rest.partition('. ')[0].rstrip('.')}." if marked else f"{head[:200]}"


def gallery() -> str:
    """The page of all pictures."""
    return "\n".join(_gallery()) + "\n"


def _gallery() -> Iterator[str]:
    yield "# Gallery"
    yield ""
    yield "An evening in chat, what you keep of it, and the odds and tables that *Picture* draws."
    yield "`make docs` draws all of them from what the bot says today; do not edit this page."
    yield from _section("A fight in chat", _list_chat_pictures())
    yield from _section("What you keep of an evening", _list_sample_pictures())
    yield ""
    yield (
        "Both come from [the page of a whole game](sample-report.html): luck, what decided it, "
        "rosters, every die. Save it and open it."
    )
    yield from _section("Odds before you roll", _list_odds())
    yield from _section("Tables that show your cell", _list_tables())
    yield ""
    yield "## Draw your own"
    yield ""
    yield "In chat, press *Picture* under odds, a table or the end of a game, or add `picture` to a look-up."
    yield "[From a shell](shell.md):"
    yield ""
    yield "```"
    yield "grognard picture table lnlt dct unit=good-order-mmc morale=5 total=7 -o dct.png"
    yield 'grognard picture odds lnlt fire attackers="squad fp=4" targets="squad morale=5" -o fire.png'
    yield "grognard picture game sample-report.html -o game.png"
    yield "```"
    yield ""
    yield "The games and their publishers: [the games](../README.md#the-games)."


def _section(title: str, exhibits: Iterator[Exhibit]) -> Iterator[str]:
    """Yield a section of the gallery, line by line."""
    yield ""
    yield f"## {title}"
    for exhibit in exhibits:
        yield ""
        yield f"### {exhibit.title}"
        yield ""
        yield exhibit.caption
        yield ""
        yield f"![{exhibit.alt}]({exhibit.address})"


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
