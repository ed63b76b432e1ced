"""What the rules say of a played sequence beyond the export: how it was rolled, its odds then, and
its luck.

A browser cannot work this out, so it travels beside the export. What is asked of one event is a
text of its own, equal for events of which the same is to be said. Facts are worked out beside the
bot a few at a time, and kept: for the next page, and for those who watch.
"""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from cachetools import LRUCache

from bot.game.events import COMBAT, get_event_system, is_current, merge_choices
from bot.game.luck import Tally, build_roll, measure, scan, worth_to_json
from bot.game.state import Json
from bot.presentation.events import describe_event
from bot.presentation.headline import list_affected_units
from bot.presentation.multi_unit_play import (
    FinishedPlay,
    RecordedShot,
    find_actual_results,
    group_identical_plays,
    list_named_rows,
    merge_outputs,
    plan_plays,
    read_shot,
    replay_shot_of_same_edition,
)
from bot.presentation.odds import build_odds_reply
from bot.rules.errors import UserError
from bot.rules.odds.rolls import TooManyStates
from bot.rules.proof.chain import SEALED, to_canonical
from bot.rules.sequence.sequence import Line
from bot.rules.text.names import join_names
from bot.rulesets.play_once import MAX_BY, build_odds_rows, compute_each_odds
from bot.rulesets.system import Sequence
from bot.ui.reply.parts import Odds

_ASKED = (
    "kind", "command", "system", "target", "inputs", "used", "sources", "acting", "dice", "out", "result", "edition",
    "base", "tables", "hand", "before", "after", "read", "asks", "picks", "as", "chosen", "fell",
)  # fmt: skip
AT_ONCE = 20
KEPT = 20_000
"""So many events' facts are kept, about a kilobyte each."""
NOTHING = "{}"
Apart = Callable[..., Awaitable[Any]]
SECONDS = 1.0
"""What the odds of one event may take; without them the page still has its dice and its outcome."""


def list_fact_requests(export: Json) -> dict[int, str]:
    """Return what has to be worked out for a page, by event: a text for each open sequence that was
    played.

    `lucky` in it is the side whose luck the roll counts for; it is absent if the roll does not
    count.
    """
    opened = {row["event"]: row["text"] for row in export.get("texts", ()) if row["key"] == SEALED}
    lucky = {roll.number: roll.side for roll in build_tally(export).rolls_with_score}
    asks: dict[int, str] = {}
    bodies = {row["body"]["number"]: row["body"] for row in export["events"]}
    for number, body in bodies.items():
        if number in opened:
            body = {**body, **json.loads(opened[number])}
        if body["kind"] not in COMBAT:
            continue
        body = merge_choices(body, bodies)
        ask = {key: body[key] for key in _ASKED if key in body}
        if number in lucky:
            ask["lucky"] = lucky[number]
        asks[number] = to_canonical(ask)
    return asks


def build_tally(export: Json) -> Tally:
    """Return the rolls of an exported game."""
    opened = {row["event"]: row["text"] for row in export.get("texts", ()) if row["key"] == SEALED}
    tally = Tally()
    tally.add(scan((row["body"] for row in export["events"]), list_sides(export), opened))
    return tally


def list_sides(export: Json) -> list[str]:
    """Return the sides of the game; none in free play."""
    for row in export["events"]:
        if sides := ((row["body"].get("after") or {}).get("game") or {}).get("sides"):
            return list(sides)
    return []


def compute_export_facts(export: Json) -> dict[int, Json]:
    """The facts of all events of an export, by their numbers."""
    asks = list_fact_requests(export)
    known = {
        ask: json.loads(told)
        for ask, told in zip(asks.values(), compute_many_facts(list(asks.values())), strict=True)
    }
    return {number: known[ask] for number, ask in asks.items()}


def compute_many_facts(asks: list[str]) -> list[str]:
    """The facts of each of several events, as JSON."""
    known: dict[str, str] = {}
    for ask in asks:
        if ask not in known:
            known[ask] = json.dumps(
                _compute_event_facts(json.loads(ask)), ensure_ascii=False, separators=(",", ":")
            )
    return [known[ask] for ask in asks]


def _compute_event_facts(event: Json) -> Json:
    """`title`; where today's rules are those of the event also `told` and `by` (its words), `lines`
    (how it was rolled), `odds` and `luck`, and whether it `fits`: the same inputs and dice come to
    the same."""
    system = get_event_system(event)
    sequence = system.sequences.get(event["target"]) if system is not None else None
    if sequence is None:
        return {"title": event["target"]}
    found: Json = {"title": sequence.title}
    if not is_current(event):
        return found
    shot = read_shot(event, sequence, {})
    try:
        singles = replay_shot_of_same_edition(shot)
        found["fits"] = bool(singles) and to_canonical(
            {"": merge_outputs(singles)}
        ) == to_canonical({"": event.get("out", {})})
        if singles:
            found |= _describe_answer(event, singles)
        found["odds"] = list(_list_odds(sequence, shot))
    except (UserError, TooManyStates, KeyError):
        pass  # what is known by now is shown
    if "lucky" in event and (luck := _compute_luck(event)):
        found["luck"] = luck
    return found


def _describe_answer(event: Json, singles: tuple[FinishedPlay, ...]) -> Json:
    """The words of the answer, who did what, and the dice with every modifier."""
    found = describe_event({**event, "who": ""}, lambda _who: "")
    more = f" ({found.more})" if found.more else ""
    by = found.by.removeprefix(", ").strip()
    lines = [_build_line_json(one.unit, line) for one in singles for line in one.played.lines]
    return {"told": f"{found.title}{more}", "by": by[:1].upper() + by[1:], "lines": lines}


def _build_line_json(unit: str, line: Line) -> Json:
    """A line as plain values; what is empty is left out."""
    label = line.heading if not unit or line.label.startswith(unit) else f"{unit}, {line.label}"
    plain: Json = {
        "label": label,
        "dice": list(line.dice),
        "parts": [[name, value] for name, value in (*line.contributors, *line.parts)],
        "result": str(line.result),
    }
    if line.total is not None and not (len(line.dice) == 1 and not plain["parts"]):
        plain["total"] = line.total
    return {key: value for key, value in plain.items() if value not in ("", [], None)}


def _list_odds(sequence: Sequence, shot: RecordedShot) -> Iterator[Json]:
    """The odds of each unit as they were, with what came up; alike ones together."""
    rows = {}
    counted = {}
    plays = plan_plays(sequence, shot.raw, shot.roster)
    for names, one in group_identical_plays(plays):
        own = build_odds_rows(sequence, one.raw, shot.roster, one.plan)
        chances = compute_each_odds(
            sequence, one.raw, tuple(own)[:MAX_BY], shot.roster, seconds=SECONDS
        )
        for path, row, odds in list_named_rows(names, own, chances):
            rows[path], counted[path] = row, odds
    whom = (
        join_names(list_affected_units(sequence, sequence.read_inputs(shot.raw, shot.roster)))
        if len(rows) == 1
        else ""
    )
    came = {path: token for path, token in find_actual_results(shot, plays).items() if path in rows}
    for part in build_odds_reply(sequence, shot.raw, rows, counted, whom=whom, came=came).lines:
        if isinstance(part, Odds):
            chances_of_part = [[word, part.exact[at]] for at, (word, _) in enumerate(part.chances)]
            yield {"of": part.heading, "came": list(part.came), "chances": chances_of_part}


def _compute_luck(event: Json) -> Json:
    """Return the worth of a roll as plain values, and whose luck it is; {} if nothing that can
    come has a score.
    """
    roll = build_roll({**event, "number": 0}, event["lucky"])
    worth = measure(roll) if roll is not None else None
    if worth is None:
        return {}
    return {"side": event["lucky"], **worth_to_json(worth)}


class Facts:
    """Facts as JSON by what was asked: of equal questions one answer, in whichever game."""

    def __init__(self) -> None:
        self._known = LRUCache[bytes, str](KEPT)

    def get_cached(self, asks: Mapping[int, str]) -> dict[int, str]:
        """Those that are known by now, by the number of the event."""
        return {
            number: told
            for number, ask in asks.items()
            if (told := self._known.get(_hash_request(ask), NOTHING)) != NOTHING
        }

    async def compute_missing(self, apart: Apart, asks: Mapping[int, str]) -> dict[int, str]:
        """All of them; what is not known yet is worked out `apart`, the newest events first. Raises
        UserError where that is too busy: what is known by then stays so."""
        keys = {number: _hash_request(ask) for number, ask in asks.items()}
        found = {key: self._known[key] for key in {*keys.values()} & self._known.keys()}
        missing = {
            keys[number]: asks[number]
            for number in sorted(asks, reverse=True)
            if keys[number] not in found
        }
        waiting = list(missing.items())
        for start in range(0, len(waiting), AT_ONCE):
            some = waiting[start : start + AT_ONCE]
            told = await _compute_in_worker(apart, [ask for _, ask in some])
            fresh = dict(zip((key for key, _ in some), told, strict=True))
            found |= fresh
            self._known.update(fresh)  # a page that does not wait shows these at once
        return {number: found[key] for number, key in keys.items()}


FACTS = Facts()
"""Those of this process."""


def _hash_request(ask: str) -> bytes:
    return sha256(ask.encode("utf-8", "replace")).digest()


async def _compute_in_worker(apart: Apart, asks: list[str]) -> list[str]:
    try:
        return list(await apart(compute_many_facts, asks))
    except UserError as error:
        if error.code == "busy":
            raise
    if len(asks) == 1:  # it takes too long: it is told without
        return [NOTHING]
    return [told for ask in asks for told in await _compute_in_worker(apart, [ask])]
