"""The single plays of an event: a sequence played for several units is one event with a list of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

UNIT, PLAYS = "unit", "plays"
"""The input that names the units, and the output that lists what came of each."""


def plays_of(event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The event as one of a single play, once for each that it holds; most events are a single one themselves."""
    plays = event.get("out", {}).get(PLAYS)
    if event["kind"] != "sequence" or not isinstance(plays, list) or not all(map(_is_play, plays)):
        yield event
        return
    for play in plays:
        inputs = {**event.get("inputs", {}), UNIT: play[UNIT]}
        yield {**event, "inputs": inputs, "out": play["out"], "result": f"{play[UNIT]}: {play['result']}"}


def _is_play(play: object) -> bool:
    return isinstance(play, Mapping) and {UNIT, "result", "out"} <= play.keys()
