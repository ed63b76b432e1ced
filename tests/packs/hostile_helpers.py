"""Helpers of tests/packs/test_hostile.py, which other tests use as well."""

from __future__ import annotations

from tests.packs.conftest import FEW

HEAD = (
    "title: T\nsource: s\ngroup: combat\nkind: grid\nsummary: S.\ninputs:\n  roll: {type: int, min: 1, max: 6}\n"
    "  word: {type: enum, values: [aaaa, bbbb], default: aaaa}\noutputs: {result: token}\n"
)


def derived(formula: str) -> str:
    """A table with this formula."""
    body = "read: {always: {result: 1}}\nthen: {result: _x}\nexample: {roll: 1}\n"
    return f"{HEAD}derive: {{_x: {formula!r}}}\n{body}"


DOUBLED = "".join(f"  _{n}: '_{n - 1} + _{n - 1}'\n" for n in range(1, 60))

GROWN = (
    f"{HEAD}derive:\n  _0: word\n{DOUBLED}read: {{always: {{result: a}}}}\nexample: {{roll: 1}}\n"
)

FILES: dict[str, tuple[dict[str, str | bytes | None], str]] = {
    "an anchor that grows": (
        {"game.yaml": "a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: [*b, *b, *b, *b]\n"},
        "line 1, column 4: anchors and aliases",
    ),
    "an input that YAML reads as false": (
        {
            "crt.yaml": FEW["crt.yaml"].replace(
                "  roll: {type", "  no: {type: int, min: 1, max: 2}\n  roll: {type"
            )
        },
        "YAML does not read the name of option False as text",
    ),
    "a tag that runs code": (
        {"game.yaml": "title: !!python/object/apply:os.system [ls]\n"},
        "line 1, column 8: tags",
    ),
    "a tag of YAML's own": ({"game.yaml": "title: !!binary aGk=\n"}, "tags such as"),
    "lists a thousand deep": ({"game.yaml": "a: " + "[" * 1_000 + "]" * 1_000}, "at most 12 deep"),
    "mappings a hundred deep": (
        {"game.yaml": "\n".join(" " * n + "a:" for n in range(100))},
        "at most 12 deep",
    ),
    "half a megabyte of one line": ({"game.yaml": "title: " + "x" * 500_000}, "larger than 256 kB"),
    "a line of 200 kB": ({"game.yaml": "title: " + "x" * 200_000}, "line 1: has 200007 characters"),
    "thousands of names": (
        {"game.yaml": "lists:\n" + "".join(f"  n{n}: [a]\n" for n in range(5_000))},
        "at most 500",
    ),
    "thousands of cells": ({"crt.yaml": "a:\n" + "- [1, 2]\n" * 5_000}, "at most 500 entries"),
    "a number without end": (
        {"crt.yaml": HEAD.replace("max: 6", "max: " + "9" * 300)},
        "too large for a number",
    ),
    "infinity": ({"crt.yaml": HEAD.replace("max: 6", "max: .inf")}, "too large for a number"),
    "a range of a billion": (
        {
            "crt.yaml": HEAD.replace("max: 6", "max: 999999999")
            + "read:\n  rows: roll\n  cells: {1-2: a}\n"
        },
        "more than 10000 values",
    ),
    "an invisible character": (
        {"pack.yaml": FEW["pack.yaml"].replace("Few", "F\u202eew")},
        "invisible character",
    ),
    "no text": ({"game.yaml": b"\xff\xfe\x00"}, "is not UTF-8"),
    "a zero byte": ({"game.yaml": "title: a\0b\n"}, "control or invisible"),
    "YAML that breaks off": ({"game.yaml": "groups: {combat: [\n"}, "game.yaml: line"),
    "a list as a key": ({"game.yaml": "? [a, b]\n: c\n"}, "game.yaml: "),
    "an attribute": (
        {"crt.yaml": derived("word.__class__.__mro__")},
        "uses Attribute, which is not allowed",
    ),
    "a name of Python's": ({"crt.yaml": derived("__import__('os')")}, "names __import__"),
    "a comprehension": ({"crt.yaml": derived("[x for x in word]")}, "not allowed"),
    "a power": ({"crt.yaml": derived("9**9**9")}, "not allowed"),
    "a lambda": ({"crt.yaml": derived("(lambda: 1)()")}, "not allowed"),
    "a text a billion times": ({"crt.yaml": derived("word * 999999999")}, "has no value here"),
    "a list a billion times": ({"crt.yaml": derived("[roll] * 999999999")}, "has no value here"),
    "a width of a billion": ({"crt.yaml": derived("'%999999999d' % roll")}, "has no value here"),
    "a product without end": (
        {"crt.yaml": derived("*".join(["999999"] * 200))},
        "has no value here",
    ),
    "a text doubled sixty times": ({"crt.yaml": GROWN}, "has no value here"),
    "brackets a thousand deep": (
        {"crt.yaml": derived("(" * 900 + "roll" + ")" * 900)},
        "cannot be read",
    ),
    "a formula of 3,000 characters": (
        {"crt.yaml": derived("+".join(["roll"] * 600))},
        "at most 2000 characters",
    ),
    "a refusal that looks inside": (
        {
            "crt.yaml": HEAD
            + "refuse: [{when: roll > 1, say: '{roll.__class__}'}]\nread: {always: {result: 1}}\n"
        },
        "say names roll.__class__",
    ),
    "a refusal of a billion blanks": (
        {
            "crt.yaml": HEAD
            + "refuse: [{when: roll > 1, say: '{roll:>999999999}'}]\nread: {always: {result: 1}}\n"
        },
        "which this table does not have",
    ),
    "bands by the million": (
        {
            "crt.yaml": HEAD.replace("max: 6", "max: 10000")
            + "  far: {type: int, min: 1, max: 400}\n"
            "read:\n  rows: far\n  bands: {by: roll}\n  cells:\n"
            + "".join(f"    {n}: '1-10000:a'\n" for n in range(1, 401))
        },
        "crt.yaml",
    ),
    "Python in a sequence": (
        {"sequences.yaml": "fire: {title: T, source: s, summary: S., code: os}\n"},
        "sequences.yaml",
    ),
    "odds of too many dice": (
        {
            "sequences.yaml": "fire: {title: T, source: s, summary: S., inputs: {mod: {type: int, default: 0}}, "
            "outputs: {sum: int}, odds_by: sum, example: {mod: 0}}\n",
            "steps/fire.yaml": "steps:\n"
            + "".join(f"- roll: {{d{n}: 1d20}}\n" for n in range(9))
            + f"- tell: {{sum: {' * 3 + '.join(f'd{n}' for n in range(9))}}}\n",
        },
        "the odds by sum can never be computed: the dice that are read later lead to 25,600,000,000 states",
    ),
    "another's commands": (
        {"pack.yaml": FEW["pack.yaml"].replace("id: few", "id: game")},
        "cannot be the id of a game",
    ),
    "a folder as its id": (
        {"pack.yaml": FEW["pack.yaml"].replace("id: few", "id: ../few")},
        'not "../few"',
    ),
    "a parent elsewhere": (
        {"pack.yaml": FEW["pack.yaml"] + "inherits: ../../etc\n"},
        "no built-in game",
    ),
    "a table out of the folder": ({"crt.yaml": "like: ../../lnlt/dct\n"}, "there is no table"),
    "a path as a file name": ({"a%2f.yaml": "a: 1"}, "is not a valid name for a pack file"),
    "a name in capitals": ({"CRT.yaml": "a: 1"}, "is not a valid name for a pack file"),
    "300 files": ({f"t{n}.yaml": "a: 1" for n in range(300)}, "one file too many"),
}
