"""Logs bent at random with all hashes made to fit, and what each of the three verifiers says of them:
`grognard verify`, tools/verify_log.py and the page.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from bot.game.event_kinds import KINDS
from bot.rules.errors import UserError
from bot.rules.proof.chain import SAID, hash_first_line, hash_salted
from bot.verification.check_file import check
from bot.verification.export_format import read_export, read_json
from bot.verification.proof import check_proof
from tests.forging import Json, bodies, copied, rechained
from tests.page_script import said_by_page
from tools import verify_log

ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7,
    1.5,
    2.0,
    "",
    "x",
    "US",
    "6",
    [],
    [1],
    {},
    {"x": 1},
    10**20,
)


def paths_in(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the values inside a JSON value are, inner ones too."""
    found = [at] if at else []
    items: Any = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        found += paths_in(item, (*at, key))
    return found


def value_at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def nearby_value(chance: Random, value: Any) -> Any:
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
    path = chance.choice(paths_in(body))
    value_at(body, path[:-1])[path[-1]] = nearby_value(chance, value_at(body, path))


def drop_somewhere(chance: Random, log: Json) -> None:
    body = chance.choice(bodies(log))
    path = chance.choice(paths_in(body))
    del value_at(body, path[:-1])[path[-1]]


def take_from_another(chance: Random, log: Json) -> None:
    """A field of one event in the place of that of another."""
    one, two = chance.choice(bodies(log)), chance.choice(bodies(log))
    field = chance.choice([*two])
    one[field] = copied(two)[field]


def add_a_field(chance: Random, log: Json) -> None:
    field = chance.choice(
        (
            "free",
            "hand",
            "closes",
            "alone",
            "opens",
            "own",
            "mood",
            "unannounced",
            "said",
            "keeps",
            "by",
            "reason",
            "read",
        )
    )
    chance.choice(bodies(log))[field] = chance.choice(
        (True, "manager", "left", "silent", "Squad 1", "0" * 64)
    )


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
    chance.choice(bodies(log))["kind"] = chance.choice([*KINDS, "settled"])


def _units(patch: Any) -> list[Any]:
    units = patch.get("units") if isinstance(patch, dict) else None
    return list(units.values()) if isinstance(units, dict) else []


def another_unit(chance: Random, log: Json) -> None:
    """What a change of units led to, and only that."""
    units = [
        unit for body in bodies(log) for unit in _units(body.get("after")) if isinstance(unit, dict)
    ]
    for unit in chance.sample(units, min(len(units), 1)):
        unit["state"] = chance.choice(("shaken", "eliminated", ""))


def another_text(chance: Random, log: Json) -> None:
    if log["texts"]:
        row = chance.choice(log["texts"])
        row["text"] += " "
        event: Json = next(
            (event["body"] for event in log["events"] if event["number"] == row["event"]), {}
        )
        hash = hash_salted(row["salt"], row["text"])
        if row["key"] == SAID:
            event[SAID] = hash_first_line(row["text"])
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
        path = chance.choice(paths_in(content))
        value_at(content, path[:-1])[path[-1]] = nearby_value(chance, value_at(content, path))
        row["text"] = json.dumps(content)
        log["events"][row["event"] - 1]["body"]["sealed"] = hash_salted(row["salt"], row["text"])


def forget_a_text(chance: Random, log: Json) -> None:
    if log["texts"]:
        log["texts"].remove(chance.choice(log["texts"]))


def change_the_rest(chance: Random, log: Json) -> None:
    """Something beside the events: seeds, texts, persons, head."""
    rest = {part: log[part] for part in ("seeds", "texts", "game", "head", "persons")}
    path = chance.choice(paths_in(rest))
    value = nearby_value(chance, value_at(rest, path))
    value_at(log, path[:-1])[path[-1]] = value


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
    except (
        TypeError,
        AttributeError,
    ):  # an event that has no canonical text, or a game without a name
        return log


def judge_proof(text: str) -> str:
    """Return what the bot's own check of chain, seeds, dice and texts says of a file."""
    try:
        return "forged" if check_proof(read_export(read_json(text))).faults else "sound"
    except UserError:
        return "unreadable"


def judge_whole(text: str) -> str:
    """Return what `grognard verify` says of a file."""
    try:
        return "forged" if check(read_json(text)).faults else "sound"
    except UserError:
        return "unreadable"


def judge_script(text: str) -> str:
    """Return what tools/verify_log.py says of a file."""
    try:
        return "forged" if verify_log.check(verify_log.parse_json(text)).faults else "sound"
    except verify_log.UnreadableFile:
        return "unreadable"


def reads_alike_in_browser(text: str) -> bool:
    """Return whether a browser reads the numbers of a file as Python does: 2.0 is 2 to it."""
    return re.search(r"[:\[,]\s*-?[0-9]+\.0[,\]}\s]", text) is None


def assert_agreement(texts: Sequence[str], folder: Path) -> Counter[str]:
    """Assert that nobody calls forged what `grognard verify` calls sound. Return the verdicts,
    counted.

    Whatever the bot's own check of chain, seeds, dice and texts names, the script and the page name
    as well. `proof` is how many files that check names.
    """
    verdicts = Counter[str]()
    for number, (text, page) in enumerate(zip(texts, said_by_page(texts, folder), strict=True)):
        whole = judge_whole(text)
        proof = judge_proof(text)
        script = judge_script(text)
        verdicts[whole] += 1
        verdicts["proof"] += proof == "forged"
        if proof == "forged":
            assert script == "forged", number
            assert page["faults"] or not reads_alike_in_browser(text), number
        if script == "forged":
            assert whole != "sound", number
        if whole == "sound":
            assert (proof, page["faults"]) == ("sound", []), number
    return verdicts


def agree_on_forgeries(honest: Json, chance: Random, folder: Path, count: int = 60) -> None:
    """Assert that the verifiers agree on an honest log and on `count` forgeries of it."""
    assert judge_whole(json.dumps(honest)) == "sound"
    texts = [json.dumps(honest)]
    texts += [json.dumps(forged(chance, honest)) for _ in range(count)]
    assert_agreement(texts, folder)
