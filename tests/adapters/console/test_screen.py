"""What is around the answers on a terminal: the bar of keys, the bottom line, sides, the board,
pictures.
"""

from __future__ import annotations

import fcntl
import io
import os
import re
import struct
import subprocess
import sys
import termios
import tty
import zlib
from base64 import b64decode
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.text import Text

from adapters.console.screen import BAR, Screen, build_key_bar, format_bottom_line, render_graphics
from adapters.console.session import Session, _run_prompt
from bot.cli.terminal import print_reply
from bot.runtime.settings import load_settings
from bot.ui.reply.reply import File, Reply
from bot.ui.reply.unit_table import UnitTable
from bot.ui.typing.complete import CompletionContext
from tests.fresh import fresh_app

Colour = tuple[int, int, int]
ROOT = Path(__file__).resolve().parents[3]
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (700).to_bytes(4, "big") + b"\7" * 7_000
KNOWN = CompletionContext(
    sides=("US", "VC"),
    own_side="US",
    status="The Ford at Dawn · turn 1, Rally phase · both sides",
)
F5, F8 = "\x1b[15~", "\x1b[19~"


def screen(width: int = 110, **options: object) -> tuple[Screen, io.StringIO]:
    out = io.StringIO()
    drawn = Screen(file=out, width=width, force_terminal=True, color_system="standard", **options)  # type: ignore[arg-type]
    drawn.sides = ("US", "VC")
    return drawn, out


@pytest.mark.parametrize(("columns", "rows"), [(110, 1), (80, 1), (60, 2), (40, 2)])
def test_the_bar_has_all_keys_in_their_order_at_any_width(columns: int, rows: int) -> None:
    lines = "".join(text for _, text in build_key_bar(columns)).split("\n")
    assert len(lines) == rows
    assert max(map(len, lines)) <= columns
    assert (
        re.findall(r"F\d", " ".join(lines))
        == [f"F{number}" for number in range(2, 10)]
        == list(BAR)
    )


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (
            110,
            " The Ford at Dawn · turn 1, Rally phase · both sides · you are Anna (● US)    ? help ",
        ),
        (80, " The Ford at Dawn · turn 1, Rally phase · both sides · you are Anna (● US) "),
        (70, " The Ford at Dawn · turn 1, Rally phase · both sides · Anna (● US) "),
        (60, " turn 1, Rally phase · both sides · Anna (● US) "),
        (40, " both sides · Anna (● US) "),
        (20, " Anna (● US) "),
    ],
)
def test_the_bottom_line_drops_parts_and_cuts_no_word(columns: int, shown: str) -> None:
    assert format_bottom_line(KNOWN, "Anna", columns, "●") == shown


def test_sides_have_a_colour_and_a_sign() -> None:
    drawn, out = screen()
    row = ("us1", "Rifle 1", "squad", "", "", "", "5")
    print_reply(
        drawn,
        Reply(
            "US and VC, not USA", (UnitTable("US · Anna", ("morale",), (row,)), "VC: no player yet")
        ),
    )
    title, heading, _, other = out.getvalue().splitlines()
    assert heading.startswith("\x1b[94m● \x1b[0m\x1b[94mUS\x1b[0m · Anna"), (
        "the rest of the line has no colour"
    )
    assert len(re.findall(r"\x1b\[1;(?:94|35)m(?:US|VC)\x1b", title)) == 2, "USA is no side"
    plain = [re.sub(r"\x1b[^m]*m", "", line) for line in (heading, other)]
    assert plain[0].startswith("● US · Anna"), "in the margin: columns stay as they are"
    assert plain[1] == "▲ VC: no player yet"
    assert Screen(file=io.StringIO()).mark_sides(Text("  US")).plain == "  US", "no game, no sides"


async def test_keys_of_the_bar_do_the_same_at_any_time_and_keep_what_was_begun(
    tmp_path: Path,
) -> None:
    app, (console, out) = await fresh_app(), screen(200)
    session = Session(app, console, "Anna", tmp_path, terminal=True)
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        typed.send_text(
            f"game start lnlt scenario=ford\rgame join US\rroll 1d1{F5} + 7\r{F8}quit\r"
        )
        try:
            await _run_prompt(session, console, load_settings({"GROGNARD_DATA": str(tmp_path)}))
        finally:
            await app.close()
    plain = re.sub(r"\x1b[^m]*m", "", out.getvalue())
    assert "Ready: Rifles 1-3" in plain, "F5 shows the board"
    assert "rolls d1+7" in plain, "and the line goes on"
    assert "● US: Anna" in re.sub(r"\x1b[^m]*m", "", console.board), (
        "a wide terminal keeps the board in view"
    )
    logged = re.sub(r"\x1b[^m]*m", "", console.draw_events()).splitlines()
    assert logged[0].startswith("#"), "and the log beside it, the newest first"
    assert logged[-1].startswith("#1 Anna")


async def test_a_terminal_that_is_made_wider_has_the_board_at_once(tmp_path: Path) -> None:
    """Board and log are drawn on a narrow terminal too, and shown as soon as it is wide."""
    app, (console, _) = await fresh_app(), screen(80)
    session = Session(app, console, "Anna", tmp_path, terminal=True)
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        typed.send_text("game start lnlt scenario=ford\rroll 1d1\rquit\r")
        try:
            await _run_prompt(session, console, load_settings({"GROGNARD_DATA": str(tmp_path)}))
        finally:
            await app.close()
    assert "Ready: Rifles 1-3" in re.sub(r"\x1b[^m]*m", "", console.board)
    console.width = 200
    lines = re.sub(r"\x1b[^m]*m", "", console.draw_events()).splitlines()
    assert lines[0].startswith("#2 Anna: 1d1")
    console.width = 90
    assert all(
        len(line) <= 90 - 74 for line in console.draw_events().splitlines() if "\x1b" not in line
    )


async def test_choices_are_on_a_line_of_their_own_numbers_first(tmp_path: Path) -> None:
    app, (console, out) = await fresh_app(), screen()
    session = Session(app, console, "Anna", tmp_path, terminal=True)
    try:
        await session.run_line("game start lnlt scenario=ford")
    finally:
        await app.close()
    *_, footer, choices = re.sub(r"\x1b[^m]*m", "", out.getvalue()).splitlines()
    assert footer.strip().startswith("#1 ")
    keys = [key for key in choices.split("   ") if key.strip()]
    numbers = [key.strip()[0].isdecimal() for key in keys]
    assert len(keys) > 3
    assert numbers == sorted(numbers, reverse=True)


async def test_console_alone_is_help_on_the_console(tmp_path: Path) -> None:
    app, (console, out) = await fresh_app(), screen()
    session = Session(app, console, "Anna", tmp_path)
    try:
        await session.run_line("console")
        await session.run_line("o")
    finally:
        await app.close()
    assert "n next phase" in out.getvalue()
    assert "The line below" not in out.getvalue()


async def test_letters_about_a_shot_need_one(tmp_path: Path) -> None:
    app, (console, out) = await fresh_app(), screen()
    session = Session(app, console, "Anna", tmp_path, terminal=True)
    try:
        await session.run_line("o")
        assert "There is no shot to repeat yet." in out.getvalue()
        assert "Fire first." in out.getvalue()
        await session.run_line("t 2")
        assert out.getvalue().count("There is no shot to repeat yet.") == 2
        await session.run_line("game start lnlt scenario=ford")
        await session.run_line("t")
        assert session.draft == "lnlt fire attackers=", "a letter begins the first shot"
        for line in ("lnlt fire us1 vc1 hand=6,1,2", "unit list", "t", "t 2"):
            await session.run_line(line)
        assert "Local 3" in out.getvalue().rpartition("t and a number")[2], (
            "though another answer came between"
        )
        await session.run_line("t cadre minh")
        assert "Cadre Minh" in out.getvalue().rpartition("> ")[2], "a target by its name"
        await session.run_line("t 99")
        assert 'The list of other targets has no "99".' in out.getvalue()
        await session.run_line("u 3")
        assert "#3 is undone" in out.getvalue()
    finally:
        await app.close()


def test_nothing_is_drawn_of_other_files_nor_where_nobody_looks() -> None:
    assert render_graphics(b"text", 110) is None
    assert render_graphics(PNG, 110) is None


def drawn(sixels: str) -> list[list[Colour]]:
    """The pixels that a terminal makes of sixels, each part of a colour in hundredths."""
    found = re.search(r'\x1bP[\d;]*q"1;1;(\d+);(\d+)([^\x1b]*)\x1b\\', sixels)
    assert found is not None
    wide, high, x, y, number = int(found[1]), int(found[2]), 0, 0, 0
    pixels: list[list[Colour]] = [[(-1, -1, -1)] * wide for _ in range(high + 6)]
    palette: dict[int, Colour] = {}
    for piece in re.finditer(
        r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)(.)|([?-~])|([$-])", found[3]
    ):
        if piece[1]:
            number = int(piece[1])
            palette[number] = (int(piece[2]), int(piece[3]), int(piece[4]))
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


def picture_of(rows: list[list[Colour]]) -> bytes:
    """A PNG of these pixels."""
    data = b"".join(b"\0" + b"".join(bytes((*pixel, 255)) for pixel in row) for row in rows)
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 6, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(data)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )


SHOW = """
import sys
from importlib.util import find_spec
if find_spec("textual_image") is not None:
    from textual_image import _terminal
    read = _terminal.read
    _terminal.read = lambda file, count, timeout: read(file, count, 20.0)  # here it may take longer to answer
from adapters.console.screen import Screen, render_graphics
screen = Screen(highlight=False, soft_wrap=True)
picture = render_graphics(open(sys.argv[1], "rb").read(), screen.width)
print("nothing" if picture is None else "a picture")
if picture is not None:
    screen.print(picture)
print("shown")
"""
CELL = (9, 18)
"""Pixels of a character of the terminal below."""


def shown_on(sixels: bytes, kitty: bytes, picture: bytes, folder: Path) -> str:
    """What a terminal of 100 columns is sent for a picture, that answers so when it is asked
    about both.
    """
    (folder / "picture.png").write_bytes(picture)
    ours, theirs = os.openpty()
    fcntl.ioctl(
        theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 100 * CELL[0], 40 * CELL[1])
    )
    tty.setraw(theirs)
    command = [sys.executable, "-c", SHOW, str(folder / "picture.png")]
    environment = {
        **os.environ,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "COLUMNS": "100",
    }
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, cwd=ROOT, env=environment) as child:
        os.close(theirs)
        sent = b""
        while not sent.endswith(b"shown\n"):
            sent += (said := os.read(ours, 65_536))
            os.write(ours, sixels if b"\x1b[c" in said else kitty if b"a=q" in said else b"")
    os.close(ours)
    assert child.returncode == 0
    return sent.decode()


RED, WHITE, BLACK = (200, 30, 30), (255, 255, 255), (0, 0, 0)
FLAG = [[RED] * 45 + [WHITE] * 45] * 18 + [[BLACK] * 90] * 18


def test_sixels_are_the_picture_in_its_colours(tmp_path: Path) -> None:
    pytest.importorskip("textual_image")
    sent = shown_on(b"\x1b[?62;4;22c", b"", picture_of(FLAG), tmp_path)
    found = drawn(sent)
    assert [len(found), *map(len, found)] == [36] + [90] * 36
    wrong = [
        (is_there, wanted)
        for row, rows in zip(found, FLAG, strict=True)
        for is_there, wanted in zip(row, rows, strict=True)
        if max(abs(part - value * 100 / 255) for part, value in zip(is_there, wanted, strict=True))
        > 1
    ]
    assert not wrong


def test_kitty_draws_the_picture_as_wide_as_the_terminal_has_room(tmp_path: Path) -> None:
    pytest.importorskip("textual_image")
    sent = shown_on(
        b"\x1b[?62c", b"\x1b_Gi=1;OK\x1b\\", picture_of([row * 20 for row in FLAG]), tmp_path
    )
    pieces = re.findall(r"\x1b_Gi=\d+,m=([01]),f=100,q=2;([^\x1b]*)\x1b\\", sent)
    assert [more for more, _ in pieces] == ["1"] * (len(pieces) - 1) + ["0"]
    data = b64decode("".join(data for _, data in pieces))
    assert data.startswith(b"\x89PNG")
    assert int.from_bytes(data[16:20], "big") == 98 * CELL[0], "two columns stay free"


@pytest.mark.parametrize("says", [b"\x1b[?64;14c", b"x"])
def test_pictures_are_drawn_only_where_the_terminal_says_it_can(
    says: bytes, tmp_path: Path
) -> None:
    sent = shown_on(says, b"x", picture_of(FLAG), tmp_path)
    assert sent.endswith("nothing\nshown\n")
    assert not re.search("\x1bP|f=100", sent)


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
            assert (
                "8;id=" in out.getvalue() and f"{tmp_path.as_uri()}/files/a.png" in out.getvalue()
            ) == terminal
            assert "PNG" not in out.getvalue()
    finally:
        await app.close()
