"""Ways to cheat a result: each log has all hashes made to fit, and `grognard verify` names the
cheat.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest

from bot.storage.base import DAY
from bot.verification.check_file import check
from tests.commands.result_helpers import ANNA, BEN, CORA, VERA, Server
from tests.forging import Json, bodies, copied, rechained, renumbered
from tests.fresh import run
from tests.verification.forgeries_helpers import first

Forge = Callable[[Json], object]
OTHER = "00000000000000aa"
"""A person who has no part in the game."""


@lru_cache(maxsize=1)
def played() -> str:
    """The log of a game that counts: confirmed, struck, played on, confirmed by a manager."""

    async def play() -> Json:
        server = await Server.fresh()
        await server.start()
        await server.do(CORA, "roll 1d6")
        await server.press(BEN, await server.end(), "Confirm")
        asked = await server.do(BEN, "result strike")
        await server.press(ANNA, asked, "Agree")
        await server.do(ANNA, "game resume")
        await server.end("VC")
        server.now += 7 * DAY
        await server.do(VERA, 'result confirm reason="Ben is gone."')
        return await server.log()

    return json.dumps(run(play()))


def confirm(log: Json) -> Json:
    return first(log, "confirm")


def managed(log: Json) -> Json:
    return first(log, "confirm", by="manager")


def put(pick: Callable[[Json], Json], **fields: Any) -> Forge:
    """A forgery that sets fields of one event; None takes a field away."""

    def forge(log: Json) -> None:
        body = pick(log)
        for name, value in fields.items():
            body[name] = value
            if value is None:
                del body[name]

    return forge


def count(log: Json) -> Json:
    return first(log, "count")


def strike(log: Json) -> Json:
    return first(log, "strike")


def person(log: Json, name: str) -> str:
    return str(next(row["person"] for row in log["persons"] if row["name"] == name))


def alone(pick: Callable[[Json], Json]) -> Forge:
    """The player who asked is the one who agreed, too."""
    return lambda log: pick(log).update(asked=pick(log)["who"])


def by(name: str, pick: Callable[[Json], Json], side: str = "") -> Forge:
    """Somebody else wrote the event, and its texts."""

    def forge(log: Json) -> None:
        body = pick(log)
        body.update(who=person(log, name), side=side)
        for row in log["texts"]:
            if row["event"] == body["number"] and row.get("person"):
                row["person"] = body["who"]

    return forge


def later(log: Json) -> None:
    """The agreement that the game counts is moved behind the first roll."""
    events = log["events"]
    index = next(i for i, event in enumerate(events) if event["body"]["kind"] == "count")
    number = events[index + 1]["body"]["number"]
    assert events[index + 1]["body"]["kind"] == "roll"
    events[index], events[index + 1] = events[index + 1], events[index]
    events[index]["body"]["behind"] = number - 2
    swapped = {number: number - 1, number - 1: number}
    for row in log["texts"]:
        row["event"] = swapped.get(row["event"], row["event"])
    renumbered(log)


def twice(log: Json) -> None:
    """The result is confirmed a second time."""
    events = log["events"]
    body = copied(managed(log))
    body["number"] += 1
    body["behind"] += 1
    body["before"] = {"game": {"confirmed": body["number"] - 1}}
    body["after"] = {"game": {"confirmed": body["number"]}}
    del body["said"]
    events.append({"number": body["number"], "hash": "", "body": body})


def early(log: Json) -> None:
    managed(log)["at"] -= int(DAY)


def resumed(log: Json) -> None:
    """The second confirmation names the end before the game was resumed."""
    managed(log)["event"] = confirm(log)["event"]


def no_winner(log: Json) -> None:
    """The game ended without a winner, and was confirmed."""
    end = first(log, "end")
    del end["after"]["game"]["winner"], end["before"]["game"]["winner"]


def without_reason(log: Json) -> None:
    number = managed(log)["number"]
    del managed(log)["texts"]
    log["texts"] = [row for row in log["texts"] if (row["event"], row["key"]) != (number, "reason")]


def not_struck(log: Json) -> None:
    """The game was resumed though its result stood: the log ends there."""
    number = strike(log)["number"]
    resume = first(log, "resume")
    assert resume["number"] == number + 1
    resume["behind"] -= 1
    del resume["said"]
    log["events"] = [*log["events"][: number - 1], log["events"][number]]
    log["texts"] = [row for row in log["texts"] if row["event"] < number]
    renumbered(log)


FORGED: dict[str, tuple[Forge, str]] = {
    "agreed after a roll": (later, "agreed that the game counts only after the first roll"),
    "agreed alone": (alone(count), "one player alone agreed that the game counts"),
    "agreed by a stranger": (put(count, asked=OTHER), "for nobody else"),
    "confirmed by whoever ended it": (
        by("Anna", confirm, "US"),
        "confirmed by the player who ended the game",
    ),
    "confirmed by a stranger": (by("Cora", confirm), "somebody who had no say in it"),
    "confirmed by a manager who played": (
        by("Ben", managed, "VC"),
        "confirmed by a manager who played in the game",
    ),
    "confirmed by a manager too early": (early, "before seven days had passed"),
    "confirmed without a reason": (without_reason, "a manager who gave no reason"),
    "confirmed twice": (twice, "the result was already confirmed"),
    "confirmed an end that was taken back": (resumed, "but the game ended with"),
    "confirmed without a winner": (no_winner, "the game ended without a winner"),
    "struck by one alone": (alone(strike), "struck by one player alone"),
    "struck without asking": (put(strike, asked=None), "struck by one player alone"),
    "struck by a stranger": (by("Cora", strike), "struck by somebody who had no say"),
    "struck another event": (put(strike, event=3), "which is no confirmed result"),
    "resumed though it was confirmed": (not_struck, "its result was confirmed by"),
}


def test_the_log_itself_is_sound() -> None:
    log = json.loads(played())
    kinds = [body["kind"] for body in bodies(log)]
    assert [kinds.count(kind) for kind in ("count", "confirm", "strike")] == [1, 2, 1]
    assert check(log).faults == ()


@pytest.mark.parametrize("name", FORGED)
def test_a_cheat_is_named(name: str) -> None:
    forge, words = FORGED[name]
    log = json.loads(played())
    forge(log)
    faults = "\n".join(check(rechained(log)).faults)
    assert words in faults, faults or "it was found sound"
