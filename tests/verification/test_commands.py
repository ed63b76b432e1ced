"""No answer and no event changes unseen: frozen scenes, typed again, are answered and logged as
they were.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rulesets.catalog import load_shared_systems
from tools import commands as tool
from tools.commands import (
    Line,
    Scene,
    differs,
    editions,
    format_advice,
    format_change,
    freeze,
    frozen,
    load_scenes,
    play,
    write,
)

SCENES = {scene.name: scene for scene in frozen().scenes}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", SCENES)
async def test_a_scene_is_answered_and_logged_as_it_was(name: str) -> None:
    was = SCENES[name]
    now = await play(was)
    for change in differs(was, now):
        pytest.fail(f"{format_advice(*change)}\n{format_change(was, *change)}", pytrace=False)
    assert now.posted == was.posted, "what is posted besides the answers"


def test_the_scenes_are_many_and_of_all_kinds() -> None:
    assert frozen().editions == editions(), "`python -m tools.commands`"
    assert (
        load_scenes().items() <= {name: typed(scene) for name, scene in SCENES.items()}.items()
    ), "`python -m tools.commands`"
    lines = [line for scene in SCENES.values() for line in scene.lines]
    assert len(lines) > 1_200
    done = [f"/{line.text.removeprefix('/')}" for line in lines if not line.is_press and line.log]
    for spec in load_shared_registry():
        if spec.family == "sequence" and spec.system in load_shared_systems():
            assert any(f"{text} ".startswith(f"{spec.name} ") for text in done), spec.name
    tables = {
        word for line in lines if "-table " in line.text for word in line.text.split(" ")[1:2]
    }
    assert tables >= {id for system in load_shared_systems().values() for id in system.tables}
    refused = sum("\n" in line.says and line.log == before.log for before, line in pairwise(lines))
    assert 0.2 < refused / len(lines) < 0.6, "most commands do something"


def typed(scene: Scene) -> tuple[Line, ...]:
    return tuple(replace(line, reply="", log="", says="") for line in scene.lines)


async def test_another_answer_is_shown_old_beside_new() -> None:
    scene = SCENES["lnlt begins"]
    other = replace(scene.lines[1], says="Anna plays chess\n#2", reply="another")
    was = replace(scene, lines=(scene.lines[0], other, *scene.lines[2:]))
    ((old, new),) = differs(was, await play(scene))
    assert (
        format_change(was, old, new).splitlines()[0]
        == "lnlt begins: Anna: game join US: another reply"
    )
    assert "-Anna plays chess" in format_change(was, old, new)
    assert "+Anna plays US" in format_change(was, old, new)
    assert "an answer changed" in format_advice(old, new)


def test_freezing_is_refused_while_an_event_changed_under_the_same_editions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = SCENES["lnlt begins"]
    changed = replace(scene, lines=(replace(scene.lines[0], log="another"), *scene.lines[1:]))
    monkeypatch.setattr(tool, "frozen", lambda: replace(frozen(), scenes=(changed,)))
    assert freeze() == 1
    assert "raise the edition" in capsys.readouterr().err


def test_the_scenes_are_read_as_they_were_written() -> None:
    assert write(frozen()) == tool.FROZEN.read_bytes()
