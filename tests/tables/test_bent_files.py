"""A table file with a slip in it is refused by name, file and row: nobody reads a traceback."""

from __future__ import annotations

import random
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from bot.rules.errors import TableError
from bot.rulesets import system as tables
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.system import TABLES, System
from bot.rulesets.yaml_cache import read_yaml
from tests.bending import bent

EACH = 600


def files_of(id: str) -> dict[str, Any]:
    """The parsed files of a system by name."""
    return {path.name: read_yaml(path) for path in sorted(Path(TABLES, id).glob("*.yaml"))}


def load(id: str, name: str) -> None:
    """Load one file of a system and use it a little, as the bot would."""
    system = System(id)
    if name == "game.yaml":
        assert system.edition
        assert system.words
        str(system.title)
    elif name == "sequences.yaml":
        for sequence in system.sequences.values():
            " ".join(
                (sequence.title, sequence.summary, sequence.dice, sequence.odds_by, sequence.notes)
            )
            for option in sequence.inputs:
                " ".join((option.help, option.expectation))
    else:
        table = system.load_table(name.removesuffix(".yaml"))
        " ".join((table.title, table.source, table.summary, table.notes))
        if table.example:
            table.read(table.example)


@pytest.mark.slow_sample(1)
@pytest.mark.sample(1)
@pytest.mark.parametrize("id", list(load_shared_systems()))
def test_bent_table_files_are_refused_by_file_and_row(
    id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = files_of(id)
    draw, refused, with_row = random.Random(id), 0, 0
    changed: dict[str, Any] = {}
    monkeypatch.setattr(tables, "read_yaml", lambda path: {**files, **changed}[Path(path).name])
    for number in range(EACH):
        name = draw.choice(list(files))
        changed.clear()
        changed[name] = bent(draw, files[name])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # a bent formula
                load(id, name)
        except TableError as error:
            said = str(error)
        except Exception as error:
            pytest.fail(f"{number}: {name} raises {type(error).__name__}: {error}")
        else:
            continue
        refused += 1
        with_row += ", row " in said
        assert said.startswith(f"{id}/"), (number, name, said)
        assert len(said) < 800, (number, name, said)
    assert refused > EACH / 4
    assert with_row > refused / 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("inputs: [roll]", "row inputs: "),
        ("inputs: {roll: 6}", "row inputs roll: "),
        ("read: {rows: roll, cells: [1, 2]}", "row read: "),
        ("read: {rows: roll, cells: {1: a}, columns: 4}", "row read: "),
        ("refuse: [{when: roll > 3}]", "row refuse 1: "),
        ("texts: [1]", "row texts: "),
        ("rolls: {roll: 5}", "row rolls roll: "),
        ("examples: [{roll: 1}]", "row example 1: "),
        ("title: {a: b}", "row title: "),
    ],
)
def test_the_part_at_fault_is_named(text: str, said: str, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    folder.mkdir()
    game = Path(TABLES, "nhis", "game.yaml").read_text(encoding="utf-8")
    (folder / "game.yaml").write_text(game, encoding="utf-8")
    parts = {
        "id": "id: tiny/one", "title": "title: One", "source": "source: card", "group": "group: combat",
        "kind": "kind: grid", "summary": "summary: one", "inputs": "inputs: {roll: {type: int, min: 1, max: 2}}",
        "outputs": "outputs: {result: [a, b]}", "read": "read: {rows: roll, cells: {1: a, 2: b}}",
    }  # fmt: skip
    parts[text.partition(":")[0]] = text
    (folder / "one.yaml").write_text("\n".join(parts.values()), encoding="utf-8")
    with pytest.raises(TableError, match=re.escape(f"tiny/one.yaml, {said}")):
        System("tiny", tmp_path).load_table("one")
