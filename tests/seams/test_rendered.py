"""Every answer to the frozen commands, as anybody reads it: no Python, no id, no gap, no plural
of people's names.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

from tools.commands import Scene, frozen, play, scenes

FAULTS = {
    "a Python value": re.compile(
        r"\((?:'[^'\n]*'|\d+),\)|<[a-z_.]+ object at|[=(\[]None|(?<=[a-z] )None(?= [a-z])|\bTrue\b|frozenset|\bdict\("
    ),
    "a gap": re.compile(r"(?<=[a-z,]) {2,}(?=[a-z]+ [a-z]+ [a-z]+)(?<!failed by  )"),
    "a lonely plural": re.compile(r"\b1 (?:units|events|rolls|points|inches|hexes)\b"),
    "otherwise": re.compile(r"\d otherwise\b"),
    "a plural of somebody's name": re.compile(
        r"\b(?:Locals|Hero[s]|Cavalries|Airbornes|Cells|Foes|Grens) \d"
    ),
    "an adjective that owns": re.compile(r"\b(?:German|British|French)'s\b"),
}
NAMES = sorted(scene.name for scene in frozen().scenes)


@cache
def drawn() -> dict[str, Scene]:
    """The scenes of today by their names, which are those of the frozen ones."""
    found = {scene.name: scene for scene in scenes()}
    assert sorted(found) == NAMES, "`python -m tools.commands`"
    return found


def _faults(scene: Scene) -> list[str]:
    found = []
    for one in scene.lines:
        # tables have columns
        prose = [line for line in one.says.splitlines() if not re.search(r" {3,}|[█▏▎▍▌▋▊▉]", line)]
        # whose columns are two blanks apart
        of_table = {"a gap"} if "-table " in one.text else set()
        faults = [(what, fault) for what, fault in FAULTS.items() if what not in of_table]
        found += [
            f"{what}: {line}" for line in prose for what, fault in faults if fault.search(line)
        ]
    return found


@pytest.mark.parametrize("name", NAMES[::8])
async def test_an_answer_reads_as_english(name: str) -> None:
    assert _faults(await play(drawn()[name])) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
async def test_every_answer_reads_as_english(name: str) -> None:
    assert _faults(await play(drawn()[name])) == []
