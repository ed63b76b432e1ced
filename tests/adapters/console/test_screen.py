"""What is around the answers on a terminal: the bar of keys, the bottom line, sides, the board, pictures."""

from __future__ import annotations

import io
import os
import random
import re
import struct
import termios
import threading
import zlib
from base64 import b64decode
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.text import Text

from adapters.console.screen import BAR, Screen, bar, bottom_line, graphics
from adapters.console.session import Session, _talk
from adapters.console.sixel import Colour, sixel, takes_sixels
from bot.host.terminal import show
from bot.interface.reply.reply import File, Reply
from bot.interface.reply.unit_table import UnitTable
from bot.interface.typing.complete import Known
from bot.process.settings import load_settings
from tests.fresh import fresh_app

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (700).to_bytes(4, "big") + b"\7" * 7_000
KNOWN = Known(sides=("US", "VC"), own_side="US", standing="The Ford at Dawn · turn 1, Rally phase · both sides")
F5, F8 = "\x1b[15~", "\x1b[19~"


def screen(width: int = 110, **options: object) -> tuple[Screen, io.StringIO]:
    out = io.StringIO()
    drawn = Screen(file=out, width=width, force_terminal=True, color_system="standard", **options)  # type: ignore[arg-type]
    drawn.sides = ("US", "VC")
    return drawn, out


@pytest.mark.parametrize(("columns", "rows"), [(110, 1), (80, 1), (60, 2), (40, 2)])
def test_the_bar_has_all_keys_in_their_order_at_any_width(columns: int, rows: int) -> None:
    lines = "".join(text for _, text in bar(columns)).split("\n")
    assert len(lines) == rows
    assert max(map(len, lines)) <= columns
    assert re.findall(r"F\d", " ".join(lines)) == [f"F{number}" for number in range(2, 10)] == list(BAR)


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (110, " The Ford at Dawn · turn 1, Rally phase · both sides · you are Anna (● US)    ? help "),
        (80, " The Ford at Dawn · turn 1, Rally phase · both sides · you are Anna (● US) "),
        (70, " The Ford at Dawn · turn 1, Rally phase · both sides · Anna (● US) "),
        (60, " turn 1, Rally phase · both sides · Anna (● US) "),
        (40, " both sides · Anna (● US) "),
        (20, " Anna (● US) "),
    ],
)
def test_the_bottom_line_drops_parts_and_cuts_no_word(columns: int, shown: str) -> None:
    assert bottom_line(KNOWN, "Anna", columns, "●") == shown


def test_sides_have_a_colour_and_a_sign() -> None:
    drawn, out = screen()
    row = ("us1", "Rifle 1", "squad", "", "", "", "5")
    show(drawn, Reply("US and VC, not USA", (UnitTable("US · Anna", ("morale",), (row,)), "VC: nobody yet")))
    title, heading, _, other = out.getvalue().splitlines()
    assert heading.startswith("\x1b[94m● \x1b[0m\x1b[94mUS\x1b[0m · Anna"), "the rest of the line has no colour"
    assert len(re.findall(r"\x1b\[1;(?:94|35)m(?:US|VC)\x1b", title)) == 2, "USA is no side"
    plain = [re.sub(r"\x1b[^m]*m", "", line) for line in (heading, other)]
    assert plain[0].startswith("● US · Anna"), "in the margin: columns stay as they are"
    assert plain[1] == "▲ VC: nobody yet"
    assert Screen(file=io.StringIO()).sided(Text("  US")).plain == "  US", "no game, no sides"


async def test_keys_of_the_bar_do_the_same_at_any_time_and_keep_what_was_begun(tmp_path: Path) -> None:
    app, (console, out) = await fresh_app(), screen(200)
    session = Session(app, console, "Anna", tmp_path, terminal=True)
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        typed.send_text(f"game start lnlt scenario=ford\rgame join US\rroll 1d1{F5} + 7\r{F8}quit\r")
        try:
            await _talk(session, console, load_settings({"GROGNARD_DATA": str(tmp_path)}))
        finally:
            await app.close()
    plain = re.sub(r"\x1b[^m]*m", "", out.getvalue())
    assert "Ready: Rifles 1-3" in plain, "F5 shows the board"
    assert "rolls d1+7" in plain, "and the line goes on"
    assert "● US: Anna" in re.sub(r"\x1b[^m]*m", "", console.board), "a wide terminal keeps the board in view"
    logged = re.sub(r"\x1b[^m]*m", "", console.log_lines).splitlines()
    assert logged[0].startswith("#"), "and the log beside it, the newest first"
    assert logged[-1].startswith("#1 Anna")


async def test_letters_about_a_shot_need_one(tmp_path: Path) -> None:
    app, (console, out) = await fresh_app(), screen()
    session = Session(app, console, "Anna", tmp_path, terminal=True)
    try:
        await session.line("o")
        assert "There is no shot before this one." in out.getvalue()
        assert "Fire first." in out.getvalue()
        await session.line("game start lnlt scenario=ford")
        await session.line("t")
        assert session.draft == "lnlt fire attackers=", "a letter begins the first shot"
        for line in ("lnlt fire us1 vc1 hand=6,1,2", "unit list", "t", "t 2"):
            await session.line(line)
        assert "Local 3" in out.getvalue().rpartition("t and a number")[2], "though another answer came between"
    finally:
        await app.close()


def test_pictures_are_drawn_only_where_the_terminal_says_it_can() -> None:
    kitty = graphics(PNG, 110, {"TERM": "xterm-kitty"})
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", kitty)
    assert b64decode("".join(data for _, data in pieces)) == PNG
    assert [head[-3:] for head, _ in pieces] == ["m=1"] * (len(pieces) - 1) + ["m=0"]
    assert max(len(data) for _, data in pieces) <= 4096
    assert pieces[0][0].startswith("a=T,f=100,q=2,c=77,")
    assert b64decode(graphics(PNG, 40, {"LC_TERMINAL": "iTerm2"}).partition(":")[2].rstrip("\x07\n")) == PNG
    for environment in (
        {},
        {"TERM": "xterm-256color"},
        {"TERM": "xterm-kitty", "TMUX": "1"},
        {"KITTY_WINDOW_ID": "1", "STY": "1"},
    ):
        assert graphics(PNG, 110, environment) == ""
    assert graphics(b"text", 110, {"TERM": "xterm-kitty"}) == ""


def drawn(sixels: str) -> list[list[Colour]]:
    """The pixels that a terminal makes of sixels."""
    found = re.fullmatch(r'\x1bPq"1;1;(\d+);(\d+)(.*)\x1b\\\n', sixels, re.DOTALL)
    assert found is not None
    wide, high, x, y, number = int(found[1]), int(found[2]), 0, 0, 0
    pixels: list[list[Colour]] = [[(-1, -1, -1)] * wide for _ in range(high + 6)]
    palette: dict[int, Colour] = {}
    for piece in re.finditer(r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)(.)|([?-~])|([$-])", found[3]):
        if piece[1]:
            palette[int(piece[1])] = (int(piece[2]), int(piece[3]), int(piece[4]))
        elif piece[5]:
            number = int(piece[5])
        elif piece[9]:
            x, y = 0, y + 6 * (piece[9] == "-")
        else:
            count = int(piece[6] or 1)
            for bit in range(6):
                if (ord(piece[7] or piece[8]) - 63) >> bit & 1:
                    pixels[y + bit][x : x + count] = [palette[number]] * count
            x += count
    return pixels[:high]


def likely(left: int, above: int, corner: int) -> int:
    """What PNG takes a byte for, by those beside it."""
    return min((left, above, corner), key=lambda one: abs(left + above - corner - one))


def test_sixels_are_the_picture_in_its_colours() -> None:
    """Every filter of PNG is in it; a part of a colour is told in hundredths."""
    draw = random.Random(4)
    rows = [bytes(draw.choice((0, 7, 90, 255)) for _ in range(4 * 21)) for _ in range(13)]
    data, above = b"", bytes(4 * 21)
    for at, row in enumerate(rows):
        left, corner = bytes(4) + row, bytes(4) + above
        guess = [
            bytes(4 * 21),
            left,
            above,
            bytes((one + two) // 2 for one, two in zip(left, above, strict=False)),
            bytes(map(likely, left, above, corner)),
        ][at % 5]
        data += bytes([at % 5]) + bytes((one - two) & 255 for one, two in zip(row, guess, strict=False))
        above = row
    parts = [(b"IHDR", struct.pack(">IIBBBBB", 21, 13, 8, 6, 0, 0, 0)), (b"IDAT", zlib.compress(data)), (b"IEND", b"")]
    picture = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
    exact = [[tuple(value * 100 // 255 for value in row[at : at + 3]) for at in range(0, 84, 4)] for row in rows]
    assert drawn(sixel(picture)) == exact
    assert sixel(picture[:25] + b"\2" + picture[26:]) == ""


@pytest.mark.parametrize(("says", "takes"), [(b"\x1b[?62;4;22c", True), (b"\x1b[?64;14c", False), (b"", False)])
def test_a_terminal_is_asked_whether_it_draws_sixels(monkeypatch: pytest.MonkeyPatch, says: bytes, takes: bool) -> None:
    ours, theirs = os.openpty()

    def answer() -> None:
        assert os.read(ours, 100) == b"\x1b[c"
        os.write(ours, says)

    with os.fdopen(theirs, "r") as given, os.fdopen(os.dup(theirs), "w") as told:
        monkeypatch.setattr("sys.stdin", given)
        monkeypatch.setattr("sys.stdout", told)
        monkeypatch.setattr("adapters.console.sixel.PATIENCE", 10.0 if says else 0.1)
        before, terminal = termios.tcgetattr(theirs), threading.Thread(target=answer)
        terminal.start()
        assert takes_sixels() == takes
        terminal.join()
        assert termios.tcgetattr(theirs) == before
    os.close(ours)


async def test_a_saved_file_is_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KITTY_WINDOW_ID", "TERM_PROGRAM", "LC_TERMINAL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    app = await fresh_app()
    try:
        for terminal in (True, False):
            console, out = screen()
            await Session(app, console, "Anna", tmp_path, terminal=terminal)._show(
                Reply("x", files=(File("a.png", PNG),))
            )
            assert ("8;id=" in out.getvalue() and f"{tmp_path.as_uri()}/files/a.png" in out.getvalue()) == terminal
            assert "PNG" not in out.getvalue()
    finally:
        await app.close()
