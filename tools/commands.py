"""The frozen commands: whole commands as they are typed, and what the bot answered and logged, in tests/corpus.

    python -m tools.commands                 freeze today's answers; refused where an event changed unannounced
    python -m tools.commands --unreleased    the same, where EDITION was raised already since the last release
    python -m tools.commands --changes [REV] print every answer that differs from the frozen one (of that commit)

The scenes of `commands.txt` are written by hand. The others are drawn from fixed seeds, so that freezing twice writes
the same: every sequence and table as it may be typed, and random games.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import unified_diff
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from bot.app import App
from bot.commands.dispatch import load_shared_registry
from bot.odds_pool.pool import Worker
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.system import System
from bot.storage.sqlite import TemporaryStore
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from bot.ui.typing.command_text import format_command
from tools.corpus import inputs_for, run
from tools.fuzz import build_line_for_table, build_lines

FOLDER = Path(__file__).resolve().parent.parent / "tests/corpus"
FROZEN, BY_HAND, EXPRESSIONS = (
    FOLDER / "commands.jsonl.gz",
    FOLDER / "commands.txt",
    FOLDER / "expressions.txt.gz",
)
EDITION = 2  # 2: events keep the hash of their answer's first line
"""Raised when events hold something else on purpose; an edition of a system says it for its own."""
DRAWN, RANDOM = 3, 60
"""How often each sequence is typed beside its example, and how many lines a random game has."""
BEGAN, APART = 1_700_000_000.0, 7.0
HERE = Place("console:main", "console", "console")
PEOPLE = ("Anna", "Bob", "Carl")
FORGETS = 9
"""Behind so many commands of a scene its game is read from the store again."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One command of a scene, and what came of it: hashes of the answer and of the log, and the answer's text.

    `text` is what is typed, or the label of the button that is pressed: of the last answer that had one so called.
    """

    who: str
    text: str
    is_press: bool = False
    manages: bool = False
    reply: str = ""
    log: str = ""
    says: str = ""

    def to_json(self) -> Json:
        """The line as the file has it."""
        did = {"press" if self.is_press else "say": self.text} | (
            {"manager": True} if self.manages else {}
        )
        return {"who": self.who, **did, "reply": self.reply, "log": self.log, "says": self.says}

    @classmethod
    def from_json(cls, line: Json) -> Line:
        """The line that the file has."""
        text, is_press = (line["press"], True) if "press" in line else (line["say"], False)
        return cls(
            line["who"],
            text,
            is_press,
            line.get("manager", False),
            line["reply"],
            line["log"],
            line["says"],
        )


@dataclass(frozen=True, slots=True)
class Scene:
    """Commands of one channel, from its first on."""

    name: str
    lines: tuple[Line, ...]
    posted: str = ""
    """A hash of what else was to be posted: answers that changed later."""


@dataclass(frozen=True, slots=True)
class Commands:
    """All scenes, and the editions that they were played under."""

    editions: dict[str, int]
    scenes: tuple[Scene, ...]


# -- playing ------------------------------------------------------------------------------------------------


class _Chance:
    """Seeds, salts and ids that depend on nothing but the scene, the command and how many were asked for in it."""

    def __init__(self, scene: str) -> None:
        self._scene, self._at = scene, 0
        self._asked = Counter[int]()

    def go_on(self) -> None:
        """The next command begins."""
        self._at += 1
        self._asked.clear()

    def __call__(self, size: int) -> bytes:
        self._asked[size] += 1
        return Random(f"{self._scene} {self._at} {size} {self._asked[size]}").randbytes(size)


async def play(scene: Scene) -> Scene:
    """The scene as it comes out today: fixed times and secrets, an empty database."""
    chance = _Chance(scene.name)
    now = BEGAN

    def clock() -> float:
        return now

    with patch("os.urandom", chance), patch.object(Worker, "run", _on_the_spot):
        app = App(await TemporaryStore.make(clock), clock, clock)
        try:
            done, actions = list[Line](), dict[str, str]()
            for at, line in enumerate(scene.lines):
                now += APART
                chance.go_on()
                if at % FORGETS == FORGETS - 1:
                    app.games.clear()
                reply = await _answer(app, line, f"t{at}", actions)
                actions |= {button.label: button.action for button in _buttons(reply)}
                loaded = await app.games.load_current(HERE.key)
                log = loaded.head[:12] if loaded is not None else ""
                done.append(replace(line, reply=_hash(_whole(reply)), log=log, says=_says(reply)))
            now += 10 * 86_400
            posted = [
                (due.place, due.reply.to_json(), due.amends)
                for due in await app.answers.claim_due("console", 10_000)
            ]
            return replace(scene, lines=tuple(done), posted=_hash(posted))
        finally:
            await app.close()


async def _on_the_spot(
    _: Worker, function: Callable[..., Any], *arguments: Any, **_limit: Any
) -> Any:
    """What the worker would come to: starting one takes longer than all else."""
    return function(*arguments)


async def _answer(app: App, line: Line, request: str, actions: dict[str, str]) -> Reply:
    who = Person(f"console:{line.who.casefold()}", line.who, line.manages)
    if line.is_press:
        reply = await app.press(
            actions.get(line.text, "undo:nothing:1"), who, HERE, request, {"token": request}
        )
    else:
        reply = await app.run_text(line.text, who, HERE, request, {"token": request})
    if asked := [button.action for button in reply.buttons if button.action.startswith("actfor:")]:
        reply = await app.press(asked[0], who, HERE, f"{request}-meant", {"token": request})
    await app.answers.mark_delivered(reply, spot={"message": request})
    return reply


def _whole(reply: Reply) -> list[object]:
    """All that an adapter sees of a reply."""
    return [
        reply.to_json(),
        reply.option,
        reply.code,
        reply.typed,
        reply.better,
        reply.right,
        reply.after,
        reply.seen,
    ]


def _says(reply: Reply) -> str:
    return reply.format_text() + (
        "" if reply.announce is None else f"\nfor all: {reply.announce.format_text()}"
    )


def _buttons(reply: Reply) -> Iterator[Any]:
    for one in (reply, reply.announce):
        yield from one.buttons if one is not None else ()


def _hash(value: object) -> str:
    return sha256(
        json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    ).hexdigest()[:12]


# -- the file -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def frozen() -> Commands:
    """The scenes as they were frozen."""
    return _read(FROZEN.read_bytes())


def frozen_at(revision: str) -> Commands:
    """The scenes as they were frozen in an earlier commit."""
    name = f"{revision}:./{FROZEN.name}"
    return _read(
        subprocess.run(["git", "show", name], cwd=FOLDER, check=True, capture_output=True).stdout
    )


def _read(packed: bytes) -> Commands:
    head, *rest = (json.loads(line) for line in gzip.decompress(packed).decode().split("\n"))
    scenes = list[Scene]()
    for line in rest:
        if "scene" in line:
            scenes.append(Scene(line["scene"], (), line["posted"]))
        else:
            scenes[-1] = replace(scenes[-1], lines=(*scenes[-1].lines, Line.from_json(line)))
    return Commands(head["editions"], tuple(scenes))


def write(commands: Commands) -> bytes:
    """The file of the scenes: JSON Lines, the first of which says under which editions they were played."""
    found: list[Json] = [{"editions": commands.editions}]
    for scene in commands.scenes:
        found.append({"scene": scene.name, "posted": scene.posted})
        found += [line.to_json() for line in scene.lines]
    text = "\n".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in found)
    return gzip.compress(text.encode(), 9, mtime=0)


def editions() -> dict[str, int]:
    """Today's editions: that of these scenes, and each system's."""
    return {
        "commands": EDITION,
        **{id: int(system.edition) for id, system in load_shared_systems().items()},
    }


# -- what is typed ------------------------------------------------------------------------------------------


def load_scenes() -> dict[str, tuple[Line, ...]]:
    """The scenes of `commands.txt`, by name; how they are written is said there."""
    found = dict[str, tuple[Line, ...]]()
    name = ""
    for text in BY_HAND.read_text().splitlines():
        if text.startswith("== "):
            name = text.removeprefix("== ")
            found[name] = ()
        elif text and not text.startswith("#"):
            who, mark, rest = text.partition(" ")
            assert mark, text
            is_press = rest.startswith("> ")
            line = Line(who.rstrip(":*"), rest.removeprefix("> "), is_press, "*" in who)
            found[name] = (*found[name], line)
    return found


def scenes() -> Iterator[Scene]:
    """All scenes, not yet played."""
    written = load_scenes()
    for name, typed in written.items():
        yield Scene(name, typed)
    expressions = [
        json.loads(line.split(" ", 1)[1])
        for line in gzip.decompress(EXPRESSIONS.read_bytes()).decode().splitlines()
    ]
    chosen = Random("rolls").sample(expressions, 80)
    yield Scene("rolls", tuple(Line("Anna", f"roll {text}") for text in chosen))
    for id, system in load_shared_systems().items():
        setup = written[f"{id} begins"]
        yield Scene(f"{id} tables", tuple(_tables(system)))
        for number in (1, 2):
            yield Scene(f"{id} random {number}", (*setup, *_random(system, setup, number)))
        yield Scene(f"{id} sequences", (*setup, *_sequences(system)))


def _tables(system: System) -> Iterator[Line]:
    draw = Random(f"{system.id} tables typed")
    for id in system.tables:
        yield Line("Anna", build_line_for_table(draw, system, id))


def _sequences(system: System) -> Iterator[Line]:
    draw = Random(f"{system.id} sequences typed")
    names = [
        line.text.split('"')[1]
        for line in load_scenes()[f"{system.id} begins"]
        if line.text.startswith("unit add ")
    ]
    for spec in load_shared_registry():
        if spec.family == "sequence" and spec.system == system.id:
            yield Line("Anna", spec.example)
            for _ in range(DRAWN):
                given = inputs_for(draw, system.find_sequence(spec.target), names)
                yield Line(draw.choice(PEOPLE), format_command(spec, given))


def _random(system: System, setup: Iterable[Line], seed: int) -> Iterator[Line]:
    draw = Random(f"{system.id} random {seed}")
    roster = [line.text for line in setup if line.text.startswith("unit add ")]
    for text in build_lines(draw, RANDOM, system.id, roster, tables=seed == 1):
        yield Line(draw.choice(PEOPLE), text, manages=draw.random() < 0.2)
        if draw.random() < 0.3:
            yield Line(
                draw.choice(PEOPLE),
                draw.choice(("Undo", "Again", "Odds", "Dice", "Agree", "Redo")),
                True,
            )


# -- the command --------------------------------------------------------------------------------------------


async def _play_scenes(found: Iterable[Scene]) -> tuple[Scene, ...]:
    return tuple([await play(scene) for scene in found])


def differs(was: Scene, now: Scene) -> Iterator[tuple[Line, Line]]:
    """(frozen, today's) of each command that comes out otherwise."""
    return ((old, new) for old, new in zip(was.lines, now.lines, strict=True) if old != new)


def format_change(scene: Scene, was: Line, now: Line) -> str:
    """A change as lines to read."""
    what = " and ".join(
        name for name in ("reply", "log") if getattr(was, name) != getattr(now, name)
    )
    diff = list(unified_diff(was.says.splitlines(), now.says.splitlines(), lineterm="", n=1))[2:]
    same = (
        ["    (the same text; its parts, buttons or the event's own words differ)"]
        if not diff
        else []
    )
    return "\n".join(
        [
            f"{scene.name}: {was.who}: {was.text}: another {what}",
            *same,
            *(f"    {line}" for line in diff),
        ]
    )


def format_advice(was: Line, now: Line) -> str:
    """What to do about a command that comes out otherwise."""
    if was.log == now.log:
        return "an answer changed: if that is meant, `python -m tools.commands`"
    return (
        "an event changed, and old games must stay provable: if that is meant, raise the edition of the game in its "
        "game.yaml where an outcome changed, EDITION in tools/commands.py otherwise; then `python -m tools.commands`"
    )


def list_changes(revision: str = "") -> int:
    """Print every command that comes out otherwise; returns how many."""
    count = 0
    for was in (frozen_at(revision) if revision else frozen()).scenes:
        now = asyncio.run(play(was))
        for change in differs(was, now):
            count += 1
            sys.stdout.write(format_change(was, *change) + "\n")
    sys.stdout.write(f"{count} commands changed.\n")
    return count


def freeze(*, unreleased: bool = False) -> int:
    """Write all scenes anew; 1 where an event changed under the same editions."""
    if FROZEN.exists() and frozen().editions == editions() and not unreleased:
        for was in frozen().scenes:
            change = next(
                (
                    both
                    for both in differs(was, asyncio.run(play(was)))
                    if both[0].log != both[1].log
                ),
                None,
            )
            if change is not None:
                sys.stderr.write(f"{format_advice(*change)}\n{format_change(was, *change)}\n")
                return 1
    commands = Commands(editions(), asyncio.run(_play_scenes(scenes())))
    packed = write(commands)
    FROZEN.write_bytes(packed)
    count = sum(len(scene.lines) for scene in commands.scenes)
    sys.stdout.write(
        f"{FROZEN.name}: {count} commands in {len(commands.scenes)} scenes, {len(packed) // 1000} kB\n"
    )
    return 0


if __name__ == "__main__":
    run(list_changes, freeze, __doc__)
