"""Every kind of error has one stable code, on one list, and comes up in play or in a test that
names it.
"""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.console.session import main as play
from bot.execution.executor import build_failure_reply
from bot.rules.codes import CODES
from bot.rules.inputs.options import Option, clean
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import compute_each_odds
from bot.rulesets.ucn.shooters import find_weapon
from bot.verification.export_format import FORMAT, VERSION, read_export
from tests.examples import play_example
from tests.playing import Channel
from tests.refusing import assert_refused, refuses

ROOT = Path(__file__).parents[1]
RAISED = ("UserError", "StoreError", "super().__init__", "explain_file_errors")
FIRE = 'lnlt fire attackers="squad fp=2" targets="squad morale=5"'
START = "game start lnlt Hill"
SIDES = 'game start lnlt Hill sides="US, VC"'

SAID = [
    ("unknown-command", "dance"),
    ("unknown-topic", "help dancing"),
    ("unknown-option wind", f"{FIRE} wind=5"),
    ("unknown-system systems", "setup systems chess"),
    ("loose-word", "lnlt fire odds=1=2 ="),
    ("bad-quotes", 'game start lnlt "Hill'),
    ("no-value attackers", "lnlt fire targets=squad attackers ="),
    ("given-twice attackers", "lnlt fire attackers=squad attackers=squad"),
    ("too-long label", "roll 2d6 label=" + "x" * 300),
    ("too-many", "roll" + " x" * 1_000),
    ("several-commands", "roll 2d6\nroll 2d6"),
    ("missing attackers", "lnlt fire"),
    ("bad-value system", "game start chess Hill"),
    ("unknown-modifier opn", f"{FIRE} mods=opn"),
    ("bad-unit units", 'lnlt morale-check units="squad morale=5,"'),
    ("unknown-unit sqad", "lnlt morale-check units=sqad"),
    ("unit-needs morale", "lnlt morale-check units=squad"),
    ("no-change A", START, "unit add A squad", "unit edit A +moved", "unit edit A +moved"),
    (
        "unit-twice targets",
        START,
        "unit add A squad stats=morale=5",
        'lnlt damage-check targets="A; A" dc_mod=1',
    ),
    ("name-taken A", START, "unit add A squad", "unit add a squad"),
    ("unknown-type squid", START, "unit add A squid"),
    ("unknown-marker dozing", START, "unit add A squad", "unit edit A marker=+dozing"),
    ("no-system type", "unit add A squad"),
    ("bad-dice dice", "roll 2d6+"),
    ("bad-hand hand", "roll 2d6 hand=a"),
    ("bad-face hand", "roll 2d6 hand=7,1"),
    ("die-owed hand", "roll 2d6 hand=3"),
    ("dice-left-over hand", "roll 2d6 hand=3,4,5"),
    ("no-game", "game next"),
    ("no-sides side", START, "game join US"),
    ("unknown-side Japan", SIDES, "game join Japan"),
    ("side-taken", SIDES, "game join US", "game join VC"),
    ("plays-itself", "solo lnlt", "game leave", "game join VC"),
    ("units-left", "solo lnlt", "game initiative US", "game next", "game next"),
    ("unknown-person Zoe", SIDES, "game join US", "game settings master=Zoe"),
    ("nothing-to-repeat", START, "again"),
    ("nothing-to-redo", SIDES, "game join US", "game redo"),
    ("unknown-code code", START, "game link ABCD-EFGH"),
    ("unknown-channel channel", START, "game transfer nowhere!"),
    ("same-channel channel", START, "game transfer main"),
    ("unknown-deck deck", "deck draw cup"),
    ("unknown-card cards", 'deck make "1..6" cup', "deck discard 9"),
    ("empty-pile count", 'deck make "1..6" cup', "deck draw 7"),
    ("not-linked", START, "game link off"),
]
"""What is refused, and the lines that lead to it; the last of them is refused."""

CALLED: list[tuple[str, Callable[[], object]]] = [
    ("not-in-system fyre", lambda: find_shared_system("lnlt").find_sequence("fyre")),
    (
        "unknown-output luck",
        lambda: compute_each_odds(find_shared_system("lnlt").find_sequence("fire"), {}, ("luck",)),
    ),
    ("bad-characters name", lambda: clean(Option("name"), "a\u202eb")),
    ("bad-arguments", lambda: play(["now"])),
    ("unknown-weapon bow", lambda: find_weapon(find_shared_system("ucn").tables, "bow")),
    ("newer-log", lambda: read_export({"format": FORMAT, "version": VERSION + 1})),
    ("not-a-log", lambda: read_export({})),
    ("out-of-reach range", lambda: play_example("baps", "flame", {"range": 28, "targets": 1}, [])),
]


SEEN = (
    "bad-form", "connection-closed", "not-on-card", "other-channels", "platform-silent", "port-taken", "too-late",
    "too-many-links", "unclear-game")  # fmt: skip
"""What tests of the platforms, links and tables look at on the screen only."""


def written(path: Path) -> set[str]:
    """The codes that a file of ours writes out."""
    codes: set[str] = set()
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)) if re.search(r"Error|super\(\)\.__init__", text) else ():
        if isinstance(node, ast.Call) and _name(node.func) in RAISED:
            found = [word.value for word in node.keywords if word.arg == "code"]
        elif isinstance(node, ast.ClassDef) and any(
            ast.unparse(base).endswith("Error") for base in node.bases
        ):
            values = [
                line.value
                for line in node.body
                if isinstance(line, (ast.Assign, ast.AnnAssign)) and line.value
            ]
            found = [value for value in values if ast.unparse(value) not in ("True", "False")]
        else:
            continue
        codes |= {
            str(part.value)
            for code in found
            for part in ast.walk(code)
            if isinstance(part, ast.Constant)
        }
    return codes


def _name(called: ast.expr) -> str:
    """What is called, but for methods: writing each of them out takes longer than reading all
    code.
    """
    if isinstance(called, ast.Name):
        return called.id
    return (
        ast.unparse(called)
        if isinstance(called, ast.Attribute) and called.attr == "__init__"
        else ""
    )


def test_the_codes_that_are_raised_are_those_on_the_list() -> None:
    raised = set().union(
        *(written(path) for room in ("bot", "adapters") for path in (ROOT / room).rglob("*.py"))
    )
    assert raised == set(CODES)


@pytest.mark.parametrize("lines", SAID, ids=[lines[0] for lines in SAID])
async def test_what_is_said_is_refused_by_its_code(lines: tuple[str, ...]) -> None:
    channel = await Channel.fresh()
    what, *before, last = lines
    for line in before:
        await channel.do("Anna", line)
    reply = await channel.say("Anna", last, manager=True)
    assert_refused(what, reply.code, reply.option, reply.title)


@pytest.mark.parametrize(
    ("code", "action"),
    [
        ("unknown-button", "dance"),
        ("used-up", "roll:none"),
        ("not-repeatable", "again:{game}:1"),
        ("not-undoable", "undo:{game}:1"),
        ("not-latest", "undo:{game}:9"),
        ("gone", "close:{game}:9"),
        ("roster-taken", "carry:{game}"),
    ],
)
async def test_what_is_pressed_is_refused_by_its_code(code: str, action: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", START, "unit add A squad", "roll 2d6")
    pressed = await channel.press("Anna", action.format(game=(await channel.game()).id))
    assert pressed.code == code, pressed.format_text()


def test_our_own_mistake_has_a_code_too() -> None:
    assert build_failure_reply(logging.getLogger(__name__), "a test").code == "our-fault"


@pytest.mark.parametrize(("what", "call"), CALLED, ids=[what for what, _ in CALLED])
def test_what_is_asked_for_is_refused_by_its_code(what: str, call: Callable[[], object]) -> None:
    with refuses(what):
        call()


def test_every_code_is_named_by_a_test() -> None:
    """In the tables above, or where the platform, file or clock is that it takes."""
    tests = "".join(path.read_text("utf-8") for path in sorted((ROOT / "tests").rglob("*.py")))
    named = set(
        re.findall(
            r"""["']([a-z]+(?:-[a-z]+)+|busy|gone|linked|missing|nobody|passenger)[ "']""", tests
        )
    )
    assert set(CODES) <= named
