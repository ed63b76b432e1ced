"""The schemas and the page of keys say what the loaders check: every key, and no other."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from bot.game import scenario_keys
from bot.packs.check import check_content
from bot.rules.declared import choices, load, macros
from bot.rules.declared.let_tell import REFUSE_KEYS
from bot.rules.declared.output_steps import LINE_KEYS, NOTE_KEYS, TRACK_KEYS
from bot.rules.errors import TableError
from bot.rules.inputs import tracks
from bot.rules.inputs.options import FIELDS, FURTHER
from bot.rules.sequence.rounds import CarriedInput
from bot.rules.shapes import Part, check_shape, ref
from bot.rules.tables import compile as compiling
from bot.rulesets import deck_keys, game_keys, sequence_keys, system
from bot.rulesets.packs import pack_keys
from bot.rulesets.packs.archive import read_content
from bot.rulesets.yaml_file import parse
from tests.bending import ODD, bent
from tests.packs.conftest import FEW, PackMaker
from tools.docs import DOCS, KEYS_PAGE, SCHEMAS
from tools.reference.keys import INPUT
from tools.reference.page import page
from tools.reference.schema import PARTS, schemas

ROOT = Path(__file__).parents[2]
CLOSED: dict[tuple[str, str], Collection[str]] = {
    ("game", "track"): tracks.KEYS,
    ("game", "input"): (*FIELDS, *FURTHER, "when", "in_play", "used"),
    ("table", "table"): (*compiling.TABLE_KEYS, "like"),
    ("table", "input"): (*FIELDS, *FURTHER, "when", "in_play", "used"),
    ("table", "body"): compiling.BODY_KEYS,
    ("table", "modifier"): compiling.MODIFIER_KEYS,
    ("table", "columns"): compiling.COLUMN_KEYS,
    ("table", "bands"): compiling.BAND_KEYS,
    ("table", "dice"): compiling.DICE_KEYS,
    ("table", "refusal"): compiling.REFUSAL_KEYS,
    ("table", "doubt"): compiling.DOUBT_KEYS,
    ("table", "example"): compiling.EXAMPLE_KEYS,
    ("sequences", "input"): (*FIELDS, *FURTHER, "when", "in_play", "used"),
    ("sequences", "carried"): CarriedInput._fields,
    ("steps", "steps file"): (*system.SHARES, "steps", "outputs"),
    ("steps", "step"): load.KEYS,
    ("steps", "block"): load.BLOCK_KEYS,
    ("steps", "test"): macros.TEST_KEYS,
    ("steps", "pool"): macros.POOL_KEYS,
    ("steps", "spread"): macros.SPREAD_KEYS,
    ("steps", "choice"): choices.KEYS,
    ("steps", "row"): load.ROW_KEYS,
    ("steps", "refuse"): REFUSE_KEYS,
    ("steps", "line"): LINE_KEYS,
    ("steps", "word"): NOTE_KEYS["is"],
    ("steps", "said"): NOTE_KEYS["say"],
    ("steps", "change"): {*NOTE_KEYS["set"], *TRACK_KEYS},
}
"""The closed lists of the loaders, and the part of a schema that must have the same."""


def _files() -> Iterator[tuple[str, Path]]:
    """Every file of games and packs in the repository, with the schema that it is held against."""
    template = ROOT / "bot" / "packs" / "template"
    for folder in (
        *sorted((ROOT / "tables").iterdir()),
        *sorted((ROOT / "packs").iterdir()),
        template,
    ):
        for path in sorted(folder.rglob("*.yaml")):
            kind = {"steps": "steps", "scenarios": "scenario", "decks": "deck"}.get(
                path.parent.name, path.stem
            )
            yield (kind if kind in PARTS and kind != "table" else "table"), path


FILES = {str(path.relative_to(ROOT)): (kind, path) for kind, path in _files()}
CHECKS = {
    name.removesuffix(".json"): jsonschema.Draft7Validator(json.loads(text))
    for name, text in schemas().items()
}


def plain(value: Any) -> Any:
    """What is in a YAML file as an editor hands it to the schema: every key a text."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def wrong(kind: str, data: Any) -> list[str]:
    return [
        f"{'/'.join(map(str, fault.path))}: {fault.message}"
        for fault in CHECKS[kind].iter_errors(plain(data))
    ]


@pytest.mark.parametrize("kind", list(PARTS))
def test_a_schema_is_one_and_is_not_stale(kind: str) -> None:
    jsonschema.Draft7Validator.check_schema(CHECKS[kind].schema)
    assert (SCHEMAS / f"{kind}.json").read_text(encoding="utf-8") == schemas()[f"{kind}.json"], (
        "run make docs"
    )


@pytest.mark.parametrize(("kind", "part"), list(CLOSED))
def test_a_schema_has_the_keys_of_the_loader_and_no_others(kind: str, part: str) -> None:
    assert set(PARTS[kind][1][part]) == set(CLOSED[kind, part])


def test_every_file_of_the_games_and_packs_is_good_by_its_schema() -> None:
    found = {
        name: wrong(kind, parse(path.read_bytes(), name))[:3]
        for name, (kind, path) in FILES.items()
    }
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert {kind for kind, _ in FILES.values()} == set(PARTS)
    assert len(FILES) > 200


SHAPES: dict[str, tuple[str, dict[str, Part]]] = {
    "game": ("game", {**game_keys.PARTS, "input": Part(INPUT)}),
    "deck": ("deck", dict(deck_keys.PARTS)),
    "pack": ("pack", dict(pack_keys.PARTS)),
    "scenario": ("scenario", {}),
    "sequences": (
        "file",
        {
            **sequence_keys.PARTS,
            "input": Part(INPUT),
            "file": Part({}, other_keys=ref("sequence")),
        },
    ),
}
"""The kinds of files that loaders check by their shape: the outermost part, and all parts."""
ODD_IN_JSON = [value for value in ODD if value != 1e300]  # a whole number for a schema
BENT = 8


@pytest.mark.slow_sample(40)
@pytest.mark.parametrize("name", [name for name, (kind, _) in FILES.items() if kind in SHAPES])
@pytest.mark.parametrize("seed", range(10))
def test_the_loader_and_the_schema_refuse_the_same_shapes(name: str, seed: int) -> None:
    kind, path = FILES[name]
    outermost, parts = SHAPES[kind]
    if kind == "game":  # a pack has some keys in pack.yaml, and an extension in its game
        parts = {**parts, **{part: parts[part]._replace(needed=()) for part in ("game", "units")}}
    data = parse(path.read_bytes(), name)
    draw = random.Random(f"{name} {seed}")
    for _ in range(BENT):
        changed = without_empty_values(plain(bent(draw, data, odd=ODD_IN_JSON)))
        if kind == "scenario":  # its units are read as a roster
            changed = {**changed, "units": [{"name": "A", "type": "squad", "side": "US"}]}
            parts = dict(scenario_keys.get_parts(changed))
        if kind == "sequences":  # steps have a reader of their own
            for sequence in changed.values():
                if isinstance(sequence, dict):
                    sequence.pop("steps", None)
        faults = wrong(kind, changed)
        refusal = ""
        try:
            check_shape(changed, outermost, parts, name)
        except TableError as error:
            refusal = str(error)
        assert bool(faults) == bool(refusal), (faults[:3], refusal)


def without_empty_values(value: Any) -> Any:
    """The same without keys that have no value, which count as left out."""
    if isinstance(value, dict):
        return {
            key: without_empty_values(item)
            for key, item in value.items()
            if item not in (None, "", [], {})
        }
    return [without_empty_values(item) for item in value] if isinstance(value, list) else value


TABLE = "title: T\nsource: s\ngroup: g\nkind: grid\noutputs: {result: int}\n"
MISTAKES = [
    (
        "pack",
        "id: few\ntitle: T\nversion: '1'\nauthor: a\nlicense: CC0\n",
        "'license' was unexpected",
    ),
    ("pack", "id: Few Acres\ntitle: T\nversion: '1'\nauthor: a\nlicence: CC0\n", "does not match"),
    ("pack", "title: T\n", "'id' is a required property"),
    ("game", "units: {types: [a], state: [b]}\n", "'state' was unexpected"),
    ("game", "phases: [{name: fire, go: nobody}]\n", "'nobody' is not one of"),
    ("game", "lists: {answers: [yes, no]}\n", "True is not of type 'string'"),
    ("game", "turns: both\n", "'both' is not one of"),
    ("table", "kind: grid\n", "is not valid under any of the given schemas"),
    ("table", TABLE.replace("grid", "chart"), "'chart' is not one of"),
    ("table", f"{TABLE}input: {{}}\n", "'input' was unexpected"),
    ("table", f"{TABLE}inputs: {{roll: {{type: integer}}}}\n", "'integer' is not one of"),
    ("table", f"{TABLE}inputs: {{roll: {{type: int, minimum: 1}}}}\n", "'minimum' was unexpected"),
    ("table", f"{TABLE}rows: [{{id: a, name: A}}]\n", "'adds' is a required property"),
    (
        "table",
        f"{TABLE}read: {{rows: roll, off_card: both, cells: {{}}}}\n",
        "is not valid under any",
    ),
    ("sequences", "fire: {title: Fire, source: s}\n", "'summary' is a required property"),
    (
        "sequences",
        "fire: {title: Fire, source: s, summary: t, output: {}}\n",
        "'output' was unexpected",
    ),
    ("steps", "steps: [{rolls: {die: 1d6}}]\n", "'rolls' was unexpected"),
    ("steps", "steps: [{roll: {die: d}}]\n", "does not match"),
    ("steps", "steps: [{say: {text: hit}}]\n", "is not valid under any"),
    ("steps", "steps: {roll: {die: 1d6}}\n", "is not of type 'array'"),
    ("scenario", "title: T\nsides: [Blue]\nunits: []\n", "is too short"),
    ("deck", "title: T\ncards: []\n", "should be non-empty"),
    ("deck", "title: T\ncards: [{id: a, count: 0}]\n", "is less than the minimum"),
    ("deck", "title: T\ncards: [{id: a, after: gone}]\n", "'gone' is not one of"),
    (
        "scenario",
        "title: T\nsides: [Blue, Red]\nunits: [{name: A}]\n",
        "'type' is a required property",
    ),
]


@pytest.mark.parametrize(
    ("kind", "text", "said"), MISTAKES, ids=[f"{kind} {said}" for kind, _, said in MISTAKES]
)
def test_a_mistake_is_seen_by_the_schema(kind: str, text: str, said: str) -> None:
    assert any(said in fault for fault in wrong(kind, yaml.safe_load(text))), wrong(
        kind, yaml.safe_load(text)
    )


def test_the_page_has_every_key_and_is_not_stale() -> None:
    text = KEYS_PAGE.read_text(encoding="utf-8")
    assert text == page(), "run make docs"
    missing = {(part, key) for _, parts in PARTS.values() for part, keys in parts.items() for key in keys
               if f"| `{key}` |" not in text}  # fmt: skip
    assert not missing


def test_the_pages_on_packs_lead_to_each_other() -> None:
    packs = (DOCS / "packs.md").read_text(encoding="utf-8")
    assert all(f"]({name})" in packs for name in ("sequences.md", "pack-keys.md", "phases.md"))
    assert all(f"| `{name}.json` |" in packs for name in PARTS)


def test_the_page_on_steps_leads_to_each_key_of_a_step() -> None:
    text = (DOCS / "sequences.md").read_text(encoding="utf-8")
    assert "](pack-keys.md#a-step)" in text
    keys = KEYS_PAGE.read_text(encoding="utf-8").partition("### A step")[2].partition("###")[0]
    assert [key for key in load.KEYS if f"| `{key}` |" not in keys] == []


@pytest.mark.parametrize(
    ("written", "mistaken", "said"),
    [
        (
            "read:\n",
            "rolls: {roll: {dice: 1d6, labels: combat}}\nread:\n",
            "it has unknown keys labels",
        ),
        ("read:\n", "refuse: [{wen: roll == 1, say: no}]\nread:\n", "it has unknown keys wen"),
        ("  cells:", "  columns: {by: roll, head: [1]}\n  cells:", "columns has unknown keys head"),
        ("  cells:", "  bands: {by: roll, under: miss}\n  cells:", "bands has unknown keys under"),
        (
            "example: ",
            "examples: [{give: {roll: 1}}]\nexample: ",
            "row example 1: it has unknown keys give; write {given: {input: ...}, gives: {output: ...}}",
        ),
    ],
)
def test_the_loader_too_sees_a_key_that_is_misspelt_deep_inside(
    written: str, mistaken: str, said: str, make_pack: PackMaker
) -> None:
    folder = make_pack({"crt.yaml": FEW["crt.yaml"].replace(written, mistaken, 1)})
    assert said in " ".join(check_content(read_content(folder)).faults)


def test_the_loader_sees_a_misspelt_key_of_a_unit_list(make_pack: PackMaker) -> None:
    game = f"{FEW['game.yaml']}unit_lists: {{crews: {{type: [unit]}}}}\n"
    faults = check_content(read_content(make_pack({"game.yaml": game}))).faults
    assert '"type" is not known here. Did you mean types?' in " ".join(faults)
