"""The reference of the language is whole: every key and function is in it, and its example runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from bot.rules.declared.compile_context import SequenceHead, Setting
from bot.rules.declared.declared import Library
from bot.rules.declared.formula_functions import CALLS
from bot.rules.declared.load import KEYS
from bot.rules.dice import Script
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import Unit, UnitWords
from bot.rules.sequence.sequence import play
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.system import TABLES
from bot.rulesets.yaml_file import find_position

PAGE, KEYS_PAGE = (
    (Path(__file__).parents[3] / "docs" / name).read_text("utf-8")
    for name in ("sequences.md", "pack-keys.md")
)
DECLARED = [
    (game.id, id)
    for game in load_shared_systems().values()
    for id in game.sequences
    if id in game.ids_with_steps
]


@pytest.mark.parametrize("word", [*KEYS, *CALLS])
def test_every_key_and_function_is_in_the_reference(word: str) -> None:
    code = " ".join(re.findall(r"`([^`]+)`", KEYS_PAGE))
    assert re.search(rf"\b{word}\b", code), word


EXAMPLES: list[str] = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def example(part: str) -> str:
    """The example in which something is written."""
    return next(one for one in EXAMPLES if part in one)


def test_the_volley_of_the_page_plays() -> None:
    head = SequenceHead((Option("shooters", "units"),), {})
    source = {"sequences": {"volley": {"steps": yaml.safe_load(example("{shots:"))}}}
    volley = Library(source, Setting("page.yaml"), {"volley": head}).load_sequence("volley")
    found = play(
        volley.plan(Given({}, {"shooters": (Unit("squad", "squad", {}),)})), Script([4, 1, 5])
    )
    assert [line.text() for line in found.lines] == ["Armor: [5], 0 of 1 fall"]


def test_the_shot_of_the_page_plays() -> None:
    words = UnitWords(
        ("squad",), {"men": Option("men", "int"), "morale": Option("morale", "int")}, {}
    )
    options = (Option("shooters", "units"), Option("targets", "units"))
    head = SequenceHead(
        options, {"hits": "int", "saved": "int", "targets": "list of {unit, fell, becomes, result}"}
    )
    source = {
        "sequences": {
            "shoot": {
                "steps": yaml.safe_load(
                    example("- spread: {loss: hits - saved, over: targets, from: men, lost: gone}")
                )
            }
        }
    }
    shoot = Library(
        source, Setting("page.yaml", words={"units": words}), {"shoot": head}
    ).load_sequence("shoot")
    squad = Unit("squad", "squad", {"men": 6, "morale": 7})
    found = play(
        shoot.plan(Given({}, {"shooters": (squad,), "targets": (squad,)})),
        Script([5, 6, 1, 4, 1, 3, 4]),
    )
    assert found.resolution.headline == "2 hits, 1 saved"
    assert found.out["targets"] == [
        {"unit": "squad", "fell": 1, "becomes": "", "result": "falls-back"}
    ]
    assert found.lines[-1].text() == "Morale of squad: [3] [4] + 1 lost = 8, needs 7 or less"


def test_the_example_of_the_page_plays() -> None:
    shown = EXAMPLES[0]
    words = UnitWords(("squad",), {"morale": Option("morale", "int")}, {})
    head = SequenceHead(
        (Option("units", "units"), Option("mod", "int", default=0)),
        {"units": "list of {unit, roll, total, result: pass | fail}"},
    )
    source = {"sequences": {"check": yaml.safe_load(shown)}}
    check = Library(
        source, Setting("page.yaml", words={"units": words}), {"check": head}
    ).load_sequence("check")
    units = tuple(Unit("squad", "squad", {"morale": morale}) for morale in (7, 6))
    found = play(
        check.plan(Given({"units": None, "mod": 1}, {"units": units})), Script([3, 3, 3, 3])
    )
    assert found.resolution.headline == "1 of 2 pass"


def test_every_declared_sequence_loads_and_has_no_python_beside_it() -> None:
    assert len(DECLARED) >= 18
    for game, id in DECLARED:
        assert load_shared_systems()[game].find_sequence(id).declaration is not None
        assert not (
            Path(TABLES).parent / "bot" / "rulesets" / game / f"{id.replace('-', '_')}.py"
        ).exists()


def test_a_place_in_a_file_is_found_as_far_as_its_path_goes() -> None:
    text = b"steps:\n- let: {a: 1}\n- tell:\n    total: b\n"
    assert find_position(text, ("steps", 1, "tell", "total")) == "line 4, column 5"
    assert find_position(text, ("steps", 0, "let", "nothing")) == "line 2, column 3"
    assert find_position(text, ("blocks", "a")) == ""
