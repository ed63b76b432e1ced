"""`grognard verify`, the short tools/verify_log.py and the page agree on logs, whatever was played or forged.

As many logs as GROGNARD_LOGS says, one of five as it was exported, the others forged at random with all hashes made to
fit.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.audit.check_file import check
from bot.rules.errors import UserError
from bot.rules.proof.chain import SAID, said, salted
from bot.rules.proof.event_kinds import LATER
from bot.rules.proof.export_format import read_json
from tests.forging import Json, bodies, copied, rechained
from tests.page_script import said_by_page
from tests.random_play import exported
from tools import verify_log

LOGS = int(os.environ.get("GROGNARD_LOGS", "150"))
GROUP = 5
ODD: tuple[Any, ...] = (None, True, False, 0, 1, -1, 2, 7, 1.5, 2.0, "", "x", "US", "6", [], [1], {}, {"x": 1}, 10**20)


def _paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the values inside a JSON value are, inner ones too."""
    found = [at] if at else []
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += _paths(item, (*at, key))
    return found


def _inside(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _nearby(chance: Random, value: Any) -> Any:
    """Another value of the same type, or something quite different."""
    if chance.random() < 0.3:
        return chance.choice(ODD)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice((-1, 1, 2))
    if isinstance(value, str):
        return chance.choice((value[:-1], value + "x", value.upper(), value[::-1]))
    return chance.choice(ODD)


def change_somewhere(chance: Random, log: Json) -> None:
    body = chance.choice(bodies(log))
    path = chance.choice(_paths(body))
    _inside(body, path[:-1])[path[-1]] = _nearby(chance, _inside(body, path))


def drop_somewhere(chance: Random, log: Json) -> None:
    body = chance.choice(bodies(log))
    path = chance.choice(_paths(body))
    del _inside(body, path[:-1])[path[-1]]


def take_from_another(chance: Random, log: Json) -> None:
    """A field of one event in the place of that of another."""
    one, two = chance.choice(bodies(log)), chance.choice(bodies(log))
    field = chance.choice([*two])
    one[field] = copied(two)[field]


def add_a_field(chance: Random, log: Json) -> None:
    field = chance.choice(("free", "hand", "closes", "alone", "opens", "own", "mood", "unannounced", *LATER))
    chance.choice(bodies(log))[field] = chance.choice((True, "manager", "left", "silent", "Squad 1", "0" * 64))


def say_otherwise(chance: Random, log: Json) -> None:
    body = chance.choice([body for body in bodies(log) if "result" in body] or bodies(log))
    body["result"] = chance.choice(
        ("eliminated", "1 unit carried over", "seed 1 revealed", body.get("result", "") + ".")
    )


def remove_an_event(chance: Random, log: Json) -> None:
    del log["events"][chance.randrange(len(log["events"]))]
    _number_anew(log)


def cut_the_end(chance: Random, log: Json) -> None:
    del log["events"][chance.randrange(1, len(log["events"]) + 1) :]


def swap_events(chance: Random, log: Json) -> None:
    at = chance.randrange(max(1, len(log["events"]) - 1))
    log["events"][at : at + 2] = reversed(log["events"][at : at + 2])
    _number_anew(log)


def repeat_an_event(chance: Random, log: Json) -> None:
    at = chance.randrange(len(log["events"]))
    log["events"].insert(at, copied(log["events"][at]))
    _number_anew(log)


def _number_anew(log: Json) -> None:
    for number, event in enumerate(log["events"], 1):
        event["number"] = event["body"]["number"] = number


def another_person(chance: Random, log: Json) -> None:
    body = chance.choice(bodies(log))
    who = chance.choice(bodies(log))
    body |= {"who": who["who"], "side": who.get("side", "")}


def another_kind(chance: Random, log: Json) -> None:
    chance.choice(bodies(log))["kind"] = chance.choice([*verify_log.KINDS, "settled"])


def _units(patch: Any) -> list[Any]:
    units = patch.get("units") if isinstance(patch, dict) else None
    return list(units.values()) if isinstance(units, dict) else []


def another_unit(chance: Random, log: Json) -> None:
    """What a change of units led to, and only that."""
    units = [unit for body in bodies(log) for unit in _units(body.get("after")) if isinstance(unit, dict)]
    for unit in chance.sample(units, min(len(units), 1)):
        unit["state"] = chance.choice(("shaken", "eliminated", ""))


def another_text(chance: Random, log: Json) -> None:
    if log["texts"]:
        row = chance.choice(log["texts"])
        row["text"] += " "
        event: Json = next((event["body"] for event in log["events"] if event["number"] == row["event"]), {})
        hash = salted(row["salt"], row["text"])
        if row["key"] == SAID:
            event[SAID] = said(row["text"])
        elif row["key"] == "sealed":
            event["sealed"] = hash
        elif isinstance(event.get("texts"), dict):
            event["texts"][row["key"]] = hash


def another_content(chance: Random, log: Json) -> None:
    """Something else under a seal, with its hash."""
    rows = [row for row in log["texts"] if row["key"] == "sealed"]
    if rows:
        row = chance.choice(rows)
        content = json.loads(row["text"])
        path = chance.choice(_paths(content))
        _inside(content, path[:-1])[path[-1]] = _nearby(chance, _inside(content, path))
        row["text"] = json.dumps(content)
        log["events"][row["event"] - 1]["body"]["sealed"] = salted(row["salt"], row["text"])


def forget_a_text(chance: Random, log: Json) -> None:
    if log["texts"]:
        log["texts"].remove(chance.choice(log["texts"]))


def change_the_rest(chance: Random, log: Json) -> None:
    """Something beside the events: seeds, texts, persons, head."""
    rest = {part: log[part] for part in ("seeds", "texts", "game", "head", "persons")}
    path = chance.choice(_paths(rest))
    value = _nearby(chance, _inside(rest, path))
    _inside(log, path[:-1])[path[-1]] = value


FORGE: tuple[Callable[[Random, Json], None], ...] = (
    change_somewhere, change_somewhere, change_somewhere, drop_somewhere, take_from_another, take_from_another,
    add_a_field, say_otherwise, remove_an_event, cut_the_end, swap_events, repeat_an_event, another_person,
    another_kind, another_unit, another_text, another_content, forget_a_text, change_the_rest,
)  # fmt: skip


def forged(chance: Random, log: Json) -> Json:
    """The log forged in one or two ways, and all hashes made to fit where they can be."""
    log = copied(log)
    for _ in range(chance.choice((1, 1, 2))):
        if log["events"]:
            chance.choice(FORGE)(chance, log)
    try:
        return rechained(log)
    except (TypeError, AttributeError):  # an event that has no canonical text, or a game without a name
        return log


IN_THE_PAGE = re.compile(
    "had no say|nobody agreed|nobody else could agree|takes back|brings back|turn round|do again|opens what|may open"
    "|no event of the kind|cannot hold|cannot change|tell one change|closes texts|closed the texts|not close them"
    "|last event before it|was written for|left the game for good|seven days|keeps what|read in two ways"
)
"""What the short verifier says that the page must see too; what only it and tables know are other words."""


def verdicts(text: str) -> tuple[str, str, str, bool]:
    """What is said of a file: by the whole check, by the whole check without tables, by the short one; and whether that
    is something that a page sees too."""
    said, seen = [], False
    for with_tables in (True, False):
        try:
            faults = check(read_json(text), with_tables=with_tables).faults
            said.append("forged" if faults else "sound")
        except UserError:
            said.append("unreadable")
    try:
        found = verify_log.check(verify_log.read_json(text))[0]
        said.append("forged" if found else "sound")
        seen = any(IN_THE_PAGE.search(line) for line in found)
    except verify_log.BadInput:
        said.append("unreadable")
    return said[0], said[1], said[2], seen


def agree_on_forgeries(honest: Json, chance: Random, tmp_path: Path) -> None:
    """Of sixty logs, the honest one first, none is sound to one verifier where it must be a forgery to it."""
    texts, held = list[str](), list[tuple[str, bool]]()
    for at in range(60):
        log = forged(chance, honest) if at else honest
        texts.append(json.dumps(log))
        whole, without, short, seen = verdicts(texts[-1])
        assert at or whole == "sound"
        assert short == "sound" or whole != "sound"
        assert without == "sound" or short != "sound", at
        held.append((whole, seen))
    for (whole, seen), found in zip(held, said_by_page(texts, tmp_path), strict=True):
        assert not (whole == "sound" and found["faults"])
        assert found["faults"] or not seen


@pytest.mark.sample(2)
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(10))
def test_the_verifiers_agree(part: int, tmp_path: Path) -> None:
    counted: Counter[str] = Counter()
    texts, held = list[str](), list[tuple[str, str, bool]]()
    for base in range(part, LOGS // GROUP, 10):
        honest = exported(("agree", base), 16, places=2 if base % 4 == 0 else 1)
        chance = Random(base)
        for at in range(GROUP):
            log = forged(chance, honest) if at else honest
            texts.append(json.dumps(log))
            whole, without, short, seen = verdicts(texts[-1])
            counted[whole] += 1
            where = f"log {base}, forgery {at}: {whole}, without tables {without}, short {short}"
            assert at or whole == "sound", where
            assert short == "sound" or whole != "sound", where
            assert without == "sound" or short != "sound", where
            assert (whole == "unreadable") == (short == "unreadable"), where
            held.append((where, whole, seen))
    for (where, whole, seen), page in zip(held, said_by_page(texts, tmp_path), strict=True):
        assert not (whole == "sound" and page["faults"]), f"{where}; page {page['faults']}"
        assert page["faults"] or not seen, f"{where}; the page saw nothing"
    assert counted["sound"]
    assert counted["forged"]
