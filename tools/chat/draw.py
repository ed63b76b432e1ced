"""Messages as they are sent to Discord or Slack, drawn as one picture: in the font of all pictures,
so that every machine draws the same. It shows what a message says and offers; the looks are kept
simple."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from bot.charts.font import FAMILY, measure_width, replace_missing_letters

Json = Mapping[str, Any]
WIDE, EDGE, LEFT = 520, 16, 70
SMALL, PLAIN, LARGE = 13.5, 16.0, 19.0
COLUMN = 8.6
"""Pixels of a column in what is set in columns."""
EIGHTHS = dict(zip("▏▎▍▌▋▊▉█", range(1, 9), strict=True))
NAMES = {"101": "Anna", "102": "Ben", "U101": "Anna", "U102": "Ben"}


@dataclass(frozen=True, slots=True)
class Look:
    """The colours of a platform, and how it marks bold words and those that are struck."""

    paper: str
    box: str
    edge: str
    ink: str
    faint: str
    chip: str
    chip_ink: str
    button: Mapping[str, tuple[str, str]]
    marks: re.Pattern[str]


DISCORD = Look(
    "#313338", "#2b2d31", "#1e1f22", "#dbdee1", "#a3a9b3", "#1e1f22", "#dbdee1",
    {"2": ("#4e5058", "#ffffff"), "1": ("#5865f2", "#ffffff"), "3": ("#248046", "#ffffff"), "": ("#1e1f22", "#a3a9b3")},
    re.compile(r"(?P<bold>\*\*(.+?)\*\*)|(?P<code>`(.+?)`)|(?P<who><@(\w+)>)|(?P<struck>~~(.+?)~~)"),
)  # fmt: skip
SLACK = Look(
    "#ffffff", "#ffffff", "#bbbdbe", "#1d1c1d", "#616061", "#f1f1f2", "#b0164a",
    {"2": ("#ffffff", "#1d1c1d"), "1": ("#007a5a", "#ffffff"), "": ("#ffffff", "#616061")},
    re.compile(r"(?P<bold>\*(.+?)\*)|(?P<code>`(.+?)`)|(?P<who><@(\w+)>)|(?P<struck>~(.+?)~)"),
)  # fmt: skip
LOOKS = {"discord": DISCORD, "slack": SLACK}


@dataclass(frozen=True, slots=True)
class Run:
    """Words in one style."""

    text: str
    fill: str
    size: float = PLAIN
    bold: bool = False
    code: bool = False
    struck: bool = False


class Sheet:
    """Where messages are drawn, from top to bottom; `top` is how far it has come."""

    def __init__(self, look: Look) -> None:
        self.look, self.top, self.out = look, 0.0, [""]

    def rect(
        self, at: tuple[float, float, float, float], fill: str, *, round_: float = 0, edge: str = ""
    ) -> None:
        """A filled box: left, top, width, height."""
        x, y, wide, high = (f"{one:.1f}" for one in at)
        line = f' stroke="{edge}"' if edge else ""
        self.out.append(
            f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="{round_:g}" fill="{fill}"{line}/>'
        )

    def text(self, run: Run, x: float, base: float) -> float:
        """One run with its baseline at `base`; returns where it ends."""
        text = replace_missing_letters(run.text)
        wide = measure_width(text, run.size, run.bold)
        if run.code:
            self.rect((x, base - run.size, wide + 8, run.size * 1.3), self.look.chip, round_=4)
            x += 4
        if text.strip():
            weight = ' font-weight="700"' if run.bold else ""
            self.out.append(
                f'<text x="{x:.1f}" y="{base:.1f}" fill="{run.fill}" font-size="{run.size:g}"{weight}'
                f' xml:space="preserve" textLength="{wide:.1f}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
            )
        if run.struck:
            self.rect((x, base - run.size * 0.3, wide, 1), run.fill)
        return x + wide + (4 if run.code else 0)

    def words(
        self, text: str, left: float, right: float, size: float = PLAIN, fill: str = ""
    ) -> None:
        """Marked-up text between two edges, in as many lines as it takes."""
        for line in text.split("\n"):
            small, large = line.startswith("-# "), line.startswith("### ")
            ink = self.look.faint if small else fill or self.look.ink
            em = SMALL if small else LARGE if large else size
            x, high = left, em * 1.38
            for run in self._runs(line.removeprefix("-# ").removeprefix("### "), ink, em):
                for word in [run.text] if run.code else re.findall(r"\S+\s*|\s+", run.text):
                    if (
                        x + measure_width(replace_missing_letters(word.rstrip()), em, run.bold)
                        > right
                        and x > left
                    ):
                        x, self.top = left, self.top + high
                    x = self.text(replace(run, text=word), x, self.top + em)
            self.top += high

    def _runs(self, line: str, ink: str, size: float) -> Iterable[Run]:
        at = 0
        for found in self.look.marks.finditer(line):
            yield Run(_bare(line[at : found.start()]), ink, size)
            inner = next(one for one in found.groups()[1::2] if one is not None)
            if found["code"]:
                yield Run(_bare(inner), self.look.chip_ink, size - 1.5, code=True)
            elif found["who"]:
                yield Run(
                    f"@{NAMES.get(inner, inner)}",
                    "#5c7cfa" if self.look is DISCORD else "#1264a3",
                    size,
                )
            else:
                yield Run(
                    _bare(inner), ink, size, bold=bool(found["bold"]), struck=bool(found["struck"])
                )
            at = found.end()
        yield Run(_bare(line[at:]), ink, size)

    def columns(self, text: str, left: float, right: float) -> None:
        """What is set in columns: numbers end where theirs do, bars are as long as they say."""
        lines = text.strip("\n").split("\n")
        high = SMALL * 1.34
        self.rect(
            (left, self.top + 2, right - left, high * len(lines) + 12), self.look.chip, round_=6
        )
        self.top += 8
        for line in lines:
            for found in re.finditer(r"\S+(?: \S+)*", line):
                start, field = left + 10 + found.start() * COLUMN, found[0]
                head, bar, rest = _bar(field)
                self._field(head, start, self.top + SMALL, found.start() == 0)
                if bar:
                    x = start + (len(head) + bool(head)) * COLUMN
                    long = sum(EIGHTHS[sign] for sign in bar) / 8 * COLUMN
                    self.rect(
                        (x, self.top + 3, long, high - 5),
                        "#7d8bf0" if self.look is DISCORD else "#4a6fa5",
                    )
                    self._field(rest, x + (len(bar) + 1) * COLUMN, self.top + SMALL, False)
            self.top += high
        self.top += 8

    def _field(self, text: str, x: float, base: float, first: bool) -> None:
        if text:
            ends = x + len(text) * COLUMN - measure_width(replace_missing_letters(text), SMALL)
            ink = self.look.ink if self.look is SLACK else self.look.chip_ink
            self.text(Run(text, ink, SMALL), x if first else ends, base)

    def buttons(self, labels: Iterable[tuple[str, str]], left: float, right: float) -> None:
        """A row of buttons (style, label), broken where it is full; a menu has no style."""
        x, self.top = left, self.top + 8
        for style, label in labels:
            fill, ink = self.look.button.get(style, self.look.button["2"])
            text = label if style else f"{label}  ▾"
            wide = measure_width(replace_missing_letters(label), 14.5) + (46 if not style else 26)
            if x + wide > right and x > left:
                x, self.top = left, self.top + 40
            edge = self.look.edge if fill == self.look.paper or not style else ""
            self.rect((x, self.top, wide, 32), fill, round_=7, edge=edge)
            self.text(Run(text.rstrip(" ▾"), ink, 14.5), x + 13, self.top + 21)
            if not style:
                tip, base = x + wide - 18, self.top + 14
                self.out.append(f'<path d="M{tip - 5:.1f} {base:.1f}h10l-5 6z" fill="{ink}"/>')
            x += wide + 8
        self.top += 34


def draw_messages(platform: str, messages: Iterable[Json], title: str) -> str:
    """The messages as SVG, one below the other, as they are seen in a channel; `title` says all
    of it in words.
    """
    look = LOOKS[platform]
    sheet = Sheet(look)
    sheet.top = 6
    for message in messages:
        _message(sheet, platform, message)
    high = round(sheet.top + 10)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{high}" viewBox="0 0 {WIDE} {high}" role="img"'
        f" font-family=\"'{FAMILY}','Roboto Condensed','Arial Narrow',Arial,sans-serif\"><title>{escape(title)}</title>"
        f'<rect x=".5" y=".5" width="{WIDE - 1}" height="{high - 1}" rx="10" fill="{look.paper}" stroke="{look.edge}"/>'
        f"{''.join(sheet.out)}</svg>\n"
    )


def _message(sheet: Sheet, platform: str, message: Json) -> None:
    """Who did what, then the bot's answer."""
    look, right = sheet.look, WIDE - EDGE
    sheet.top += 12
    begun, place = sheet.top, len(sheet.out)
    typed = str(message["did"])
    did = f"`{typed}`" if typed.startswith("/") else f"presses **{typed}**"
    if look is SLACK:
        did = did.replace("**", "*")
    sheet.words(f"{message['who']}  {did}", LEFT, right, SMALL, look.faint)
    sheet.rect((EDGE, sheet.top + 3, 40, 40), "#5b6b4a", round_=20 if look is DISCORD else 6)
    sheet.text(Run("G", "#ffffff", 22, bold=True), EDGE + 13, sheet.top + 31)
    x = sheet.text(Run("Grognard", look.ink, PLAIN, bold=True), LEFT, sheet.top + PLAIN)
    sheet.rect(
        (x + 6, sheet.top + 3, 30, 15), "#5865f2" if look is DISCORD else "#e8e8e8", round_=3
    )
    sheet.text(
        Run("APP", "#ffffff" if look is DISCORD else "#616061", 10.5, bold=True),
        x + 11,
        sheet.top + 14.5,
    )
    if message["private"]:
        sheet.text(Run("Only you can see this", look.faint, SMALL), x + 44, sheet.top + PLAIN)
    sheet.top += 23
    (_discord if platform == "discord" else _slack)(sheet, message["body"], LEFT, right)
    if message["private"]:
        tint = "#5865f2" if look is DISCORD else "#e8912d"
        sheet.out[place] += (
            f'<rect x="1" y="{begun - 6:.1f}" width="{WIDE - 2}" height="{sheet.top - begun + 12:.1f}" fill="{tint}"'
            f' fill-opacity=".09"/><rect x="1" y="{begun - 6:.1f}" width="3" height="{sheet.top - begun + 12:.1f}"'
            f' fill="{tint}"/>'
        )


def _discord(sheet: Sheet, body: Json, left: float, right: float) -> None:
    sheet.words(body["content"], left, right) if body.get("content") else None
    for embed in body.get("embeds") or ():
        _draw_box(sheet, left, right, f"#{embed['color']:06x}", [embed])
    for part in body.get("components") or ():
        if part["type"] == 17:
            _draw_box(
                sheet, left, right, f"#{part.get('accent_color', 0x80848E):06x}", part["components"]
            )
        else:
            _part(sheet, part, left, right)


def _draw_box(sheet: Sheet, left: float, right: float, bar: str, parts: Iterable[Json]) -> None:
    """Parts in a box with a bar of its colour."""
    begun, place = sheet.top + 4, len(sheet.out)
    sheet.out.append("")
    sheet.top = begun + 9
    for part in parts:
        _part(sheet, part, left + 18, right - 12)
    sheet.top += 9
    box = Sheet(sheet.look)
    box.rect((left, begun, right - left, sheet.top - begun), sheet.look.box, round_=5)
    box.rect((left, begun, 4, sheet.top - begun), bar, round_=2)
    sheet.out[place] = "".join(box.out)
    sheet.top += 2


def _part(sheet: Sheet, part: Json, left: float, right: float) -> None:
    """One part of a Discord message: an embed, a text, a line between two, a row of buttons or a
    menu.
    """
    kind = part.get("type")
    if kind == 1:
        rows = part["components"]
        if rows[0]["type"] == 3:
            sheet.buttons([("", rows[0]["placeholder"])], left, right)
        else:
            sheet.buttons([(str(one["style"]), one["label"]) for one in rows], left, right)
    elif kind == 14:
        sheet.rect(
            (left, sheet.top + 5, right - left, 1),
            sheet.look.faint if part.get("divider") else sheet.look.box,
        )
        sheet.top += 11
    elif kind == 10:
        _draw_fenced_text(sheet, part["content"], left, right, PLAIN - 1)
    else:
        _draw_fenced_text(sheet, part["description"], left, right, PLAIN - 1)
        if footer := part.get("footer"):
            sheet.top += 3
            sheet.words(footer["text"], left, right, SMALL - 1, sheet.look.faint)


def _draw_fenced_text(sheet: Sheet, text: str, left: float, right: float, size: float) -> None:
    """Text, with what is fenced in columns."""
    for at, piece in enumerate(text.split("```")):
        if at % 2:
            sheet.columns(piece, left, right)
        elif piece.strip("\n"):
            sheet.words(piece.strip("\n"), left, right, size)


def _slack(sheet: Sheet, body: Json, left: float, right: float) -> None:
    for block in body["blocks"]:
        if block["type"] == "section":
            _draw_fenced_text(sheet, _entities(block["text"]["text"]), left, right, PLAIN - 0.5)
        elif block["type"] == "context":
            for one in block["elements"]:
                sheet.words(_entities(one["text"]), left, right, SMALL - 0.5, sheet.look.faint)
        elif block["type"] == "divider":
            sheet.rect((left, sheet.top + 5, right - left, 1), "#dddddd")
            sheet.top += 11
        elif block["type"] == "actions":
            sheet.buttons([_slack_button(one) for one in block["elements"]], left, right)
        else:
            raise ValueError(f"no drawing of a block {block['type']}")


def _slack_button(element: Json) -> tuple[str, str]:
    if element["type"] == "button":
        return "1" if element.get("style") == "primary" else "2", element["text"]["text"]
    return "", element["placeholder"]["text"]


def _entities(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _bare(text: str) -> str:
    """Without the strokes that keep a sign from being a mark."""
    return re.sub(r"\\([\\*_~`|>#\-\[\]()!.@<])", r"\1", text)


def _bar(field: str) -> tuple[str, str, str]:
    """A field's words before a bar, the bar, and what follows it."""
    found = re.search(f"[{''.join(EIGHTHS)}]+", field)
    return (
        (field[: found.start()].rstrip(), found[0], field[found.end() :].lstrip())
        if found
        else (field, "", "")
    )
