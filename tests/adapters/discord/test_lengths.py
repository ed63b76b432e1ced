"""Discord's descriptions: none shorter for want of room than in the release before, none cut, and
what each command has left.

`tests/data/description_lengths.json` has the characters of each description as they were when the
commands were nearly full; "" is the command's own. Written once and never made anew: a description
may grow, and go with its option.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.discord.command_payload import MAX_COMMAND, build_payload, measure_size
from bot.commands.dispatch import load_shared_registry
from bot.ui.common_options import GROUPS
from bot.ui.shown_options import list_shown_options
from tests.adapters.discord.command_payload_helpers import Json

FULL = {"lnlt": 7_960, "ucn": 7_966}
"""Commands that have no room for another option: how many characters they may have."""


@pytest.fixture(scope="module")
def commands() -> list[Json]:
    return build_payload(load_shared_registry())


def described(entry: Json, above: str = "") -> Iterator[tuple[str, str]]:
    """The path of each command, group and option with its description."""
    path = f"{above} {entry['name']}".strip()
    yield path, entry["description"]
    for option in entry.get("options", ()):
        yield from described(option, path)


def test_each_command_says_what_it_has_left(commands: list[Json]) -> None:
    """Printed with `pytest -s`."""
    for left, name in sorted(
        (MAX_COMMAND - measure_size(command), command["name"]) for command in commands
    ):
        print(f"/{name}: {left} of {MAX_COMMAND} characters left")
        assert left >= MAX_COMMAND - FULL.get(name, MAX_COMMAND), name


def list_whole_descriptions() -> dict[str, str]:
    """Return the whole help of each group, command and option by its path."""
    whole = dict[str, str](GROUPS)
    for spec in load_shared_registry():
        if spec.is_for_bot:
            continue
        path = " ".join(spec.path)
        whole[path] = spec.summary
        whole |= {f"{path} {option.name}": option.help for option in list_shown_options(spec)}
    return whole


def test_no_description_is_shorter_than_it_was(commands: list[Json], root: Path) -> None:
    """One that is shown whole may have been reworded."""
    frozen = json.loads((root / "tests/data/description_lengths.json").read_text("utf-8"))
    before = {
        f"{path} {name}".strip(): length
        for path, row in frozen.items()
        for name, length in row.items()
    }
    now = {path: text for command in commands for path, text in described(command)}
    whole = list_whole_descriptions()
    assert [
        (path, now[path])
        for path in before.keys() & now.keys()
        if len(now[path]) < before[path] and now[path] != whole.get(path)
    ] == []


def test_no_description_ends_inside_a_word(commands: list[Json]) -> None:
    """Each is a whole help, its brief form, or the first sentence of it: what would follow
    begins no word anew.
    """
    shown = {path: text for command in commands for path, text in described(command)}
    for path, text in list_whole_descriptions().items():
        words = shown[path]
        rest = text.removeprefix(words) if text.startswith(words) else ""
        assert not words.endswith("…"), path
        assert not (rest and rest[0].isalnum()), (path, words)
