"""The JSON Schemas of a pack's files, for editors: docs/schema/*.json."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from bot.game import scenario_keys
from bot.rules.shapes import (
    Keys,
    Schema,
    allow_items,
    build_name_mapping,
    ref,
)
from bot.rulesets import deck_keys, game_keys, sequence_keys
from bot.rulesets.packs import pack_keys
from tools.reference import keys as k
from tools.reference import step_keys as s
from tools.reference import table_keys as t
from tools.reference.shapes import (
    CELL,
    build_closed_mapping,
)

DRAFT = "http://json-schema.org/draft-07/schema#"
_INPUT: Mapping[str, Keys] = {"input": k.INPUT}
_STEPS: Mapping[str, Keys] = {
    "step": s.STEP, "block": s.BLOCK, "test": s.TEST, "pool": s.POOL, "spread": s.SPREAD,
    "choice": s.CHOICE, "row": s.ROW, "refuse": s.REFUSE, "line": s.LINE, "word": s.WORD,
    "said": s.SAID_KEYS, "change": s.CHANGE, "joining": s.JOINING,
}  # fmt: skip
PARTS: Mapping[str, tuple[str, Mapping[str, Keys]]] = {
    "pack": ("pack.yaml", {name: part.keys for name, part in pack_keys.PARTS.items()}),
    "game": (
        "game.yaml",
        {**{name: part.keys for name, part in game_keys.PARTS.items()}, **_INPUT},
    ),
    "table": (
        "TABLE.yaml",
        {
            "table": t.TABLE, **_INPUT, "body": t.BODY, "columns": t.COLUMNS, "bands": t.BANDS, "modifier": t.MODIFIER,
            "refusal": t.REFUSAL, "doubt": t.DOUBT, "sentence": t.SENTENCE, "dice": t.TABLE_DICE, "example": t.EXAMPLE,
        },
    ),
    "sequences": (
        "sequences.yaml",
        {
            **{name: part.keys for name, part in sequence_keys.PARTS.items()}, **_INPUT, **_STEPS,
        },
    ),
    "steps": ("steps/SEQUENCE.yaml", {"steps file": s.STEPS_FILE, **_STEPS}),
    "scenario": ("scenarios/NAME.yaml", {"scenario": scenario_keys.SCENARIO, "unit": scenario_keys.UNIT}),
    "deck": ("decks/DECK.yaml", {name: part.keys for name, part in deck_keys.PARTS.items()}),
}  # fmt: skip
"""Of each schema: the file that it is for, and its parts, the outermost first."""
_REQUIRED: Mapping[str, Iterable[str]] = {
    **{name: part.needed for name, part in game_keys.PARTS.items()},
    # a pack has some of them in pack.yaml, and an extension in its game
    "game": (), "units": (),
    **{name: part.needed for name, part in pack_keys.PARTS.items()},
    "modifier": ("id", "name", "adds"),
    "refusal": ("when", "say"), "sentence": ("say",),
    "dice": ("dice",), "columns": ("by",), "bands": ("by",), "example": ("given", "gives"),
    "line": ("label",),
    **{name: part.needed for name, part in sequence_keys.PARTS.items()},
    "block": ("steps",),
    "joining": ("type",),
    "refuse": ("say",), "scenario": ("title",), "unit": ("name",),
    **{name: part.needed for name, part in deck_keys.PARTS.items()},
}  # fmt: skip
_TABLE_NEEDS = ("title", "source", "group", "kind", "outputs")
_CONDITIONS: Mapping[str, Schema] = {
    "table": {"anyOf": [{"required": ["like"]}, {"required": list(_TABLE_NEEDS)}]},
    "scenario": {
        "if": {"required": ["builds_on"]},
        "else": {
            "required": ["sides", "units"],
            "properties": {"units": {"items": {"required": ["name", "type", "side"]}}},
        },
    },
}


def schemas() -> dict[str, str]:
    """The schemas by the names of their files, `table.json`, as text."""
    return {
        f"{name}.json": json.dumps(_schema(name), indent=1, ensure_ascii=False) + "\n"
        for name in PARTS
    }


def _schema(name: str) -> Schema:
    file, parts = PARTS[name]
    made = {
        part: {**build_closed_mapping(keys, _REQUIRED.get(part, ())), **_CONDITIONS.get(part, {})}
        for part, keys in parts.items()
    }
    outermost = next(iter(parts))
    if "step" in parts:
        made["steps"] = allow_items(ref("step"))
    if name == "scenario":  # its attributes are those of the game
        made["unit"]["additionalProperties"] = CELL
    whole = (
        made.pop(outermost)
        if name != "sequences"
        else build_name_mapping(ref(outermost), "sequence")
    )
    if name == "deck":
        made["card"]["additionalProperties"] = deck_keys.PARTS["card"].other_keys
    return {
        "$schema": DRAFT,
        "title": f"Grognard: {file}",
        **whole,
        **({"definitions": made} if made else {}),
    }
