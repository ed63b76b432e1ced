"""What Discord is told: within its limits, over the whole registry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.discord.command_payload import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    build_payload,
    list_menu_entries,
    measure_size,
)
from adapters.discord.registration import hash_commands
from bot.commands.dispatch import load_shared_registry
from bot.rules.inputs.options import Option
from bot.ui.shown_options import list_shown_options
from bot.ui.spec import CommandSpec
from tests.adapters.discord.command_payload_helpers import (
    Json,
)
from tests.adapters.nursery import run
from tests.standins.discord.commands import GLOBAL, check_command
from tests.standins.discord.errors import Problems


@pytest.fixture(scope="module")
def commands() -> list[Json]:
    return build_payload(load_shared_registry())


def test_the_menu_of_a_message_has_two_entries() -> None:
    assert [(entry["name"], entry["type"]) for entry in list_menu_entries()] == [
        ("Odds of this", 3),
        ("Undo this", 3),
    ]


def leaves(entry: Json) -> Iterator[Json]:
    """The commands and subcommands that can be sent."""
    children = [option for option in entry.get("options", ()) if option["type"] in (1, 2)]
    if not children:
        yield entry
    for child in children:
        yield from leaves(child)


def test_discord_accepts_every_command(commands: list[Json]) -> None:
    problems = Problems()
    for command in commands:
        check_command(problems, f"{command['name']}.", command)
    problems.done()
    assert len(commands) <= GLOBAL


def test_no_command_is_over_8000_characters_and_no_description_is_cut(commands: list[Json]) -> None:
    """Where one is too long, its option needs a `brief` in the definition."""
    for command in commands:
        assert measure_size(command) <= 8000, command["name"]
        for leaf in leaves(command):
            for option in leaf["options"]:
                assert 1 <= len(option["description"]) <= 100
            for described in (command, leaf, *leaf["options"]):
                assert not described["description"].endswith("…"), (leaf["name"], described)
                assert "(default )" not in described["description"], (leaf["name"], described)


def test_every_command_of_the_registry_is_there_with_every_option(commands: list[Json]) -> None:
    names = {leaf["name"] for command in commands for leaf in leaves(command)}
    for spec in load_shared_registry():
        assert (spec.path[-1] in names) is not spec.is_for_bot
        shown = {option.name for option in list_shown_options(spec)}
        missing = {option.name for option in spec.options if not option.form_only} - shown
        assert not missing or "mods" in shown
        assert all(option.type == "bool" for option in spec.options if option.name in missing)


def test_sequences_require_nothing_and_setup_is_of_servers(commands: list[Json]) -> None:
    games = load_shared_registry().games
    for command in commands:
        if command["name"] in games:
            assert not any(
                option.get("required") for leaf in leaves(command) for option in leaf["options"]
            )
    setup = next(command for command in commands if command["name"] == "setup")
    assert setup["default_member_permissions"] == "32"
    assert (setup["integration_types"], setup["contexts"]) == ([0], [0])


def test_options_are_typed_with_their_ranges(commands: list[Json]) -> None:
    lnlt = next(command for command in commands if command["name"] == "lnlt-table")
    odds = next(leaf for leaf in leaves(lnlt) if leaf["name"] == "melee-odds")
    attack = next(option for option in odds["options"] if option["name"] == "attack")
    assert attack["type"] == INTEGER
    assert not attack.get("required"), "whole shows the table without it"
    kinds = {
        option["type"]
        for command in commands
        for leaf in leaves(command)
        for option in leaf["options"]
    }
    assert {STRING, INTEGER, BOOLEAN} <= kinds <= {STRING, INTEGER, BOOLEAN, NUMBER, 7, 11}


def test_files_are_asked_for_by_the_ends_of_their_names(commands: list[Json]) -> None:
    """Whatever an export or `/help` names can be chosen again."""
    asked: dict[str, list[str]] = {}
    for made in commands:
        for below in made.get("options", ()):
            asked |= {
                f"{made['name']} {below['name']}": one["file_types"]
                for one in below.get("options", ())
                if one["type"] == 11
            }
    assert set(asked) == {"game import", "unit import", "pack add", "macro import"}
    assert {".json", ".html", ".gz"} <= set(asked["game import"])
    assert {".zip", ".yaml"} <= set(asked["pack add"])


def test_flags_beyond_25_fold_into_mods_from_the_end() -> None:
    options = (
        *(Option(f"flag{number}", "bool") for number in range(26)),
        Option("odds", "bool"),
        Option("hand"),
    )
    spec = CommandSpec(("lnlt", "x"), "x", "sequence", options)
    shown = [option.name for option in list_shown_options(spec)]
    assert len(shown) == 25
    assert shown[-3:] == ["odds", "hand", "mods"]
    assert list_shown_options(spec)[-1].help == "further modifiers: flag22, flag23, flag24, flag25"


def test_the_digest_ignores_what_discord_adds(commands: list[Json]) -> None:
    back = [
        {**command, "id": "1", "version": "2", "nsfw": False, "dm_permission": True}
        for command in commands
    ]
    assert hash_commands(list(reversed(back))) == hash_commands(commands)
    assert hash_commands(back[1:]) != hash_commands(commands)


def test_the_command_line_prints_it(root: Path, commands: list[Json]) -> None:
    status, printed, errors = run("commands", "discord", cwd=root)
    assert status == 0, errors
    assert json.loads(printed) == [*commands, *list_menu_entries()]


TABLE = """title: T
source: s
group: combat
kind: grid
summary: s
inputs:
{inputs}
outputs: {{t: int}}
read: {{rows: a, gives: t, cells: {{1-6: 1}}}}
"""


def test_a_hosts_pack_that_is_too_large_takes_no_other_command_with_it(
    tmp_path: Path, root: Path
) -> None:
    """Discord takes all commands in one request, and refuses all of them for one of 8,000
    characters and more.
    """
    names = ("a", *(f"{'n' * 28}{at:02}" for at in range(12)))
    inputs = "\n".join(f"  {name}: {{type: int, min: 1, max: 6, default: 1}}" for name in names)
    about = "id: wide\ntitle: Wide\nversion: '1'\nauthor: us\nlicence: CC0\ninherits: lnlt\n"
    (tmp_path / "pack.yaml").write_text(about, encoding="utf-8")
    for at in range(3):
        (tmp_path / f"wide-{at}.yaml").write_text(TABLE.format(inputs=inputs), encoding="utf-8")
    status, printed, errors = run("--packs", str(tmp_path), "commands", "discord", cwd=root)
    assert status == 0, errors
    made = {one["name"] for one in json.loads(printed)}
    assert {"roll", "lnlt", "lnlt-table", "wide"} <= made
    assert "wide-table" not in made
    assert "/wide-table has more: it is left out" in errors
