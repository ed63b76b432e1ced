"""A hostile stranger: garbage in every input, and the largest sums that can be asked for."""

from __future__ import annotations

import io
import json
import random
import re
import time
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from bot.cli.batch import answer_line, run_batch
from bot.commands.dispatch import load_shared_registry
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, clean
from bot.rules.inputs.units import RosterUnit, UnitWords
from bot.rules.odds.rolls import TooManyStates
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.play_once import MAX_SECONDS, count_odds
from bot.rulesets.system import System
from bot.ui.spec import Person, Place
from bot.ui.typing.complete import CompletionContext, complete_option
from tests.playing import Channel

GARBAGE: list[Any] = [
    None, True, False, 0, -1, 10**400, -(10**30), 1e308, 0.5, "", " ", "x", "x" * 5000, "\u202eabc", "\x00", "a\nb",
    [], [[]], {}, {"a": 1}, [1, 2, 3], "1e5", "١٢", "½", ";", ";;;", "=", "'", '"', "“", "yes", "none", "-0", "+3",
    "squad", "squad " * 50, "🎲", "\ud800", "a=b", "{x}", "%s", "__class__", "9" * 12, "9" * 5000, "İ", "1,2,3",
]  # fmt: skip
UNSHOWN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
TARGETS = [(game.id, "table", id) for game in load_shared_systems().values() for id in game.tables]
TARGETS += [
    (game.id, "sequence", id) for game in load_shared_systems().values() for id in game.sequences
]


def unit_list(draw: random.Random, words: UnitWords, count: int) -> str:
    """So many units with random numbers, flags and now and then garbage."""
    items = []
    for _ in range(count):
        pieces = [draw.choice(words.types)]
        pieces += [
            f"{key}={plausible(draw, option)}"
            for key, option in words.keys.items()
            if draw.random() < 0.6
        ]
        pieces += [flag for flag in words.flags if draw.random() < 0.1]
        pieces += [str(draw.choice(GARBAGE))] * (draw.random() < 0.1)
        items.append(" ".join(pieces))
    return "; ".join(items)


def plausible(
    draw: random.Random, option: Option, words: Mapping[str, UnitWords] | None = None
) -> Any:
    """A value that the option may well take."""
    if option.type in ("int", "number"):
        low = int(option.min if option.min is not None else -5)
        high = int(option.max if option.max is not None else 30)
        return draw.choice([low, high, draw.randint(low, min(high, low + 12))])
    if option.type == "bool":
        return draw.random() < 0.5
    if option.type == "units" and words is not None:
        return unit_list(draw, words[option.units or "units"], draw.choice([0, 1, 2, 3, 40, 41]))
    if option.type == "mods":
        return " ".join(draw.sample(option.values, min(2, len(option.values))))
    return draw.choice(option.values) if option.values else "Alpha"


def request(draw: random.Random, game: System, kind: str, id: str) -> dict[str, Any]:
    """A request for a table or a sequence with some inputs right and some wrong."""
    found: Any = game.find_table(id) if kind == "table" else game.find_sequence(id)
    given = dict(found.example) if draw.random() < 0.5 else {}
    for option in found.inputs:
        if (option.is_required and option.name not in given) or draw.random() < 0.3:
            given[option.name] = plausible(draw, option, game.words)
    if draw.random() < 0.5:
        names = [*(option.name for option in found.inputs), "mods", "x", "", "__class__"]
        given[draw.choice(names)] = draw.choice(GARBAGE)
    asked: dict[str, Any] = {
        "op": "lookup" if kind == "table" else "resolve",
        "system": game.id,
        kind: id,
        "in": given,
    }
    if kind == "sequence" and draw.random() < 0.1:
        asked["dice"] = draw.choice(
            [[1], [0], ["x"], [[]], [True], [6] * 300, [None], {}, "5", [10**40], [1.5]]
        )
    return asked


@pytest.mark.sample(12)
@pytest.mark.parametrize(
    ("game", "kind", "id"), TARGETS, ids=["-".join(target) for target in TARGETS]
)
def test_garbage_is_answered_in_one_safe_line(game: str, kind: str, id: str) -> None:
    draw = random.Random(id)  # the same garbage on every run
    for _ in range(25):
        asked = request(draw, load_shared_systems()[game], kind, id)
        answer = answer_line(json.dumps(asked).encode())
        json.dumps(answer, allow_nan=False)
        if answer["ok"]:
            assert answer["text"]
            continue
        error = answer["error"]
        assert error["code"] == "bad-input", asked
        assert not UNSHOWN.search(error["message"] + error["hint"]), (asked, error)
        assert len(error["message"]) < 500, asked


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (b'{"id": "\\ud800", "op": "x"}', 'There is no op "x".'),
        (b'{"id": 1, "op": "lookup", "system": "\\ud800", "table": "a"}', 'No game called "?".'),
        (b'{"id": 1, "op": "lookup", "system": "lnlt", "table": "a\\nb"}', 'No table "a?b"'),
        (b'{"id": NaN, "op": "x"}', "NaN is not a readable number"),
        (b'{"id": 1e999, "op": "x"}', "1e999 is not a readable number"),
        (b'{"id": [1e999], "op": "x"}', "1e999 is not a readable number"),
        (b'{"op": "roll", "expression": "d6", "expression": "d8"}', "expression is given twice."),
        (b'{"op": "resolve", "in": {"mod": 1, "mod": 2}}', "mod is given twice."),
        (b'{"id": 1}', 'The request needs an "op".'),
        (b'{"id": ' + b"9" * 5000 + b"}", "a number is too long"),
        (b'{"id": ' + b"[" * 900 + b"]" * 900 + b', "op": "x"}', 'There is no op "x".'),
    ],
)
def test_every_line_gets_one_line_of_json_in_utf_8(line: bytes, part: str) -> None:
    written: list[str] = []
    run_batch(io.BytesIO(line + b"\n"), written.append)
    (text,) = written
    text.encode()
    assert "\n" not in text
    answer = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert part in answer["error"]["message"]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("game", "id", "given", "by"),
    [
        (
            "lnlt",
            "morale-check",
            {"units": "; ".join(f"squad morale={4 + at % 6}" for at in range(40))},
            [f"units[{at}].total" for at in range(8)],
        ),
        (
            "nhis",
            "damage",
            {
                "targets": "; ".join(f"squad morale={3 + at % 4} lr=0" for at in range(40)),
                "points": 3,
            },
            [f"targets[{at}].result" for at in range(8)],
        ),
        (
            "baps",
            "vehicle-fire",
            {"weapon": "medium", "range": 250, "armor": "medium", "aspect": "side", "crew": "40"},
            [f"crew[{at}].rolls" for at in range(8)],
        ),
        (
            "ucn",
            "shoot",
            {"shooters": "; ".join(f"smg skill={8 + at % 9}" for at in range(40)), "skill": 12},
            [f"shooters[{at}].damage[0].total" for at in range(8)],
        ),
    ],
)
def test_the_largest_odds_are_counted_or_refused_in_time(
    game: str, id: str, given: dict[str, Any], by: list[str]
) -> None:
    begun = time.process_time()
    try:
        total = sum(
            count_odds(
                load_shared_systems()[game].find_sequence(id), given, by, seconds=0.5
            ).values()
        )
    except TooManyStates:
        total = Fraction(1)
    assert total == 1
    assert time.process_time() - begun < 10
    assert MAX_SECONDS < 5


@pytest.mark.parametrize("kind", ["int", "number", "bool", "enum", "str", "unit", "units", "dice"])
@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 1e308, 1e-7, [], {}, "\u202e", "x" * 5000]
)
def test_no_option_takes_what_no_log_can_hold(kind: Any, value: Any) -> None:
    with pytest.raises(UserError):
        clean(Option("x", kind, values=("a",), min=0, max=9), value)


@pytest.mark.parametrize("kind", ["int", "number", "bool", "enum"])
def test_a_number_of_four_hundred_digits_is_too_large(kind: Any) -> None:
    with pytest.raises(UserError):
        clean(Option("x", kind, values=("a",), min=0, max=9), 10**400)


TYPED = [
    "", "a", "squad", "squad f", "squad fp=4;", "; ", "=", '"', '"S', ";;;;", "x" * 101, "squad fp=4; " * 200, "\u202e",
    "\ud800", "\n", "é", "𝒳" * 60, "2d6+", "(" * 50, ",,", "adjacent ", "[", ".*", "\\", "us1", "Unit 3; ",
]  # fmt: skip


def test_completion_keeps_the_limits_of_the_platforms_for_any_text() -> None:
    draw, all_commands = random.Random(1), load_shared_registry()
    roster = tuple(
        RosterUnit(f"{name} {at}", f"us{at}", "squad", "US", {"fp": 2})
        for at, name in enumerate(["Unit", "x" * 28, "2nd Plt's HQ"] * 14)
    )
    known = [
        CompletionContext(),
        CompletionContext(roster, ("US", "x" * 300), ("Anna", "B" * 200), "US", "lnlt"),
    ]
    for spec in all_commands:
        for name in (*(option.name for option in spec.options), "mods", "nope"):
            for typed in draw.sample(TYPED, 3):
                choices = complete_option(spec, name, typed, all_commands, draw.choice(known), {})
                assert len(choices) <= 25
                assert all(
                    0 < len(choice.name) <= 100 and 0 < len(choice.value) <= 100
                    for choice in choices
                )
                "".join(choice.name + choice.value for choice in choices).encode()


@pytest.mark.parametrize(
    "line", ["\ud83d", "\ud83d roll", "roll 2d6 label=\ud83d", "unit add \ud83d", "roll \0 2d6"]
)
async def test_half_a_character_is_answered_like_any_other_slip(line: str) -> None:
    """JSON can carry half of one as the first word; it is taken out at the door, before any
    store sees it.
    """
    channel = await Channel.fresh()
    assert (await channel.say("Anna", line)).format_text()
    await channel.app.close()


async def test_half_a_character_in_a_name_or_a_key_is_stored_as_something_whole() -> None:
    channel = await Channel.fresh()
    reply = await channel.app.run_text(
        "roll 2d6",
        Person("t:\ud83d", "An\ud83dna"),
        Place("t:\0/\ud83d", "t:\0"),
        "request \ud83d\0",
    )
    assert not reply.error
    assert not await channel.app.store.check()
    await channel.app.close()


async def test_a_corrected_line_has_nothing_invisible_in_it() -> None:
    channel = await Channel.fresh()
    reply = await channel.say("Anna", "/rol\u200b 2d6")
    assert "\u200b" not in reply.format_text()
    assert reply.better == "/roll 2d6"
    await channel.app.close()
