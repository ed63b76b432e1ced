"""Facts about played sequences that an export does not hold: how each was rolled, its odds at that
time, and its luck.

A browser cannot compute them, so a page carries them together with the export. A request for the
facts of one event is a JSON text. Events with equal requests have equal facts. Worker processes
compute the facts, a few events at a time, and a cache keeps them for later pages and for those who
watch the game.
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
    RecordedShot,
    find_actual_results,
    group_identical_plays,
    list_named_rows,
    plan_plays,
    read_shot,
    replay_shot_of_same_edition,
)
from bot.presentation.odds import build_odds_reply
from bot.rules.errors import UserError
from bot.rules.odds.rolls import TooManyStates
from bot.rules.proof.chain import SEALED, to_canonical
from bot.rules.sequence.sequence import Line, Play
from bot.rules.text.names import LETTERS, insert_sides, join_names
from bot.rulesets.play_once import MAX_BY, build_odds_rows, compute_each_odds
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import Sequence
from bot.ui.reply.parts import Odds

_REQUEST_KEYS = (
    "kind", "command", "system", "target", "inputs", "used", "sources", "acting", "dice", "out", "result", "edition",
    "base", "tables", "hand", "before", "after", "read", "asks", "picks", "as", "chosen", "fell",
)  # fmt: skip
BATCH_SIZE = 20
"""Events that a worker computes in one call."""
MAX_CACHED = 20_000
"""Events in the cache of facts, about a kilobyte each."""
NO_FACTS = "{}"
RunInWorker = Callable[..., Awaitable[Any]]
"""A function that calls another function with arguments in a worker process."""
MAX_SECONDS = 1.0
"""Seconds for the odds of one event. An event that takes longer has its dice and outcome, no odds."""


def list_fact_requests(export: Json, systems: RuleSets) -> dict[int, str]:
    """Return the requests for the facts of a page, by event number.

    Each sequence that was played openly or is revealed has one. `lucky` in a request names the side
    that the roll counts for, and is absent if the roll does not count. `sides` are the sides that a
    roll for the initiative is between.
    """
    revealed = _get_revealed_texts(export)
    lucky_sides = {roll.number: roll.side for roll in build_tally(export, systems).rolls_with_score}
    sides = list_sides(export)
    bodies = {row["body"]["number"]: row["body"] for row in export["events"]}
    requests: dict[int, str] = {}
    for number, body in bodies.items():
        if number in revealed:
            body = {**body, **json.loads(revealed[number])}
        if body["kind"] not in COMBAT:
            continue
        body = merge_choices(body, bodies)
        request = {key: body[key] for key in _REQUEST_KEYS if key in body}
        if number in lucky_sides:
            request["lucky"] = lucky_sides[number]
        if body["target"] == "initiative":
            request["sides"] = sides
        requests[number] = to_canonical(request)
    return requests


def build_tally(export: Json, systems: RuleSets) -> Tally:
    """Return the rolls of an exported game."""
    bodies = (row["body"] for row in export["events"])
    tally = Tally()
    tally.add(scan(bodies, list_sides(export), _get_revealed_texts(export), systems))
    return tally


def _get_revealed_texts(export: Json) -> dict[int, str]:
    """Return the contents of the sealed rolls that the export reveals, as JSON by event number."""
    texts = export.get("texts", ())
    return {row["event"]: row["text"] for row in texts if row["key"] == SEALED}


def list_sides(export: Json) -> list[str]:
    """Return the sides of the game; none in free play."""
    for row in export["events"]:
        after = row["body"].get("after") or {}
        game = after.get("game") or {}
        sides = game.get("sides")
        if sides:
            return list(sides)
    return []


def compute_export_facts(export: Json, systems: RuleSets) -> dict[int, Json]:
    """Compute the facts of all played sequences of an export, by event number."""
    requests = list_fact_requests(export, systems)
    texts = compute_many_facts(list(requests.values()), systems)
    facts = {
        request: json.loads(text) for request, text in zip(requests.values(), texts, strict=True)
    }
    return {number: facts[request] for number, request in requests.items()}


def compute_many_facts(requests: list[str], systems: RuleSets) -> list[str]:
    """Return the facts of each request as JSON, in the order of the requests.

    Equal requests are computed once.
    """
    texts: dict[str, str] = {}
    for request in requests:
        if request not in texts:
            facts = _compute_event_facts(json.loads(request), systems)
            texts[request] = json.dumps(facts, ensure_ascii=False, separators=(",", ":"))
    return [texts[request] for request in requests]


def _compute_event_facts(event: Json, systems: RuleSets) -> Json:
    """Compute the facts of one event from its request.

    `title` is always there. An event of the current edition of its rules may also have: `told` (its
    result in words), `by` (who did what), `lines` (how it was rolled), `odds`, `luck` (if its roll
    counts) and `fits`: True if a replay with the same inputs and dice has the logged outcome. What
    fails to compute is left out.
    """
    system = get_event_system(event, systems)
    sequence = system.sequences.get(event["target"]) if system is not None else None
    if sequence is None:
        return {"title": event["target"]}
    facts: Json = {"title": sequence.title}
    if not is_current(event, systems):
        return facts
    shot = read_shot(event, sequence, {})
    try:
        play = replay_shot_of_same_edition(shot)
        facts["fits"] = play is not None and _has_logged_outcome(event, play)
        if play is not None:
            facts |= _describe_answer(event, play, systems)
        facts["odds"] = list(_list_odds(sequence, shot))
        facts = _name_sides(facts, tuple(event.get("sides", ())))
    except (UserError, TooManyStates, KeyError):
        pass  # the page shows the facts computed so far
    if "lucky" in event:
        luck = _compute_luck(event, systems)
        if luck:
            facts["luck"] = luck
    return facts


def _name_sides(facts: Json, sides: tuple[str, ...]) -> Json:
    """Return facts with the names of two sides in place of `Side a` and `a`, as far as they have
    lines and odds.
    """
    if len(sides) != len(LETTERS):
        return facts
    names = dict(zip(LETTERS, sides, strict=True))
    lines = [
        {**line, "label": insert_sides(line["label"], sides)} for line in facts.get("lines", ())
    ]
    odds = [
        {
            "of": entry["of"],
            "came": [names.get(word, word) for word in entry["came"]],
            "chances": [[names.get(word, word), exact] for word, exact in entry["chances"]],
        }
        for entry in facts["odds"]
    ]
    return {**facts, "lines": lines, "odds": odds}


def _has_logged_outcome(event: Json, play: Play) -> bool:
    """Return whether a replayed play has the outputs that the event logged."""
    replayed = to_canonical({"": play.out})
    return replayed == to_canonical({"": event.get("out", {})})


def _describe_answer(event: Json, play: Play, systems: RuleSets) -> Json:
    """Return the words of the answer, who did what, and the dice with every modifier."""
    words = describe_event({**event, "who": ""}, systems, lambda _who: "")
    details = f" ({words.details})" if words.details else ""
    by = words.cause.removeprefix(", ").strip()
    lines = []
    for single_play in play.single_plays:
        for line in single_play.lines:
            lines.append(_build_line_json(single_play.unit, line))
    return {"told": f"{words.title}{details}", "by": by[:1].upper() + by[1:], "lines": lines}


def _build_line_json(unit: str, line: Line) -> Json:
    """Convert a line of a play to JSON, without its empty values."""
    names_unit = not unit or line.label.startswith(unit)
    fields: Json = {
        "label": line.heading if names_unit else f"{unit}, {line.label}",
        "dice": list(line.dice),
        "parts": [[name, value] for name, value in (*line.contributors, *line.parts)],
        "result": str(line.result),
    }
    is_single_die = len(line.dice) == 1 and not fields["parts"]
    if line.total is not None and not is_single_die:
        fields["total"] = line.total
    return {key: value for key, value in fields.items() if value not in ("", [], None)}


def _list_odds(sequence: Sequence, shot: RecordedShot) -> Iterator[Json]:
    """Yield the odds of each unit before the dice fell, with the result that came up.

    Units with equal odds share an entry.
    """
    rows_by_path = {}
    odds_by_path = {}
    plays = plan_plays(sequence, shot.raw, shot.roster)
    for names, play in group_identical_plays(plays):
        rows = build_odds_rows(sequence, play.raw, shot.roster, play.plan)
        chances = compute_each_odds(
            sequence, play.raw, tuple(rows)[:MAX_BY], shot.roster, seconds=MAX_SECONDS
        )
        for path, row, odds in list_named_rows(names, rows, chances):
            rows_by_path[path] = row
            odds_by_path[path] = odds
    affected = ""
    if len(rows_by_path) == 1:
        inputs = sequence.read_inputs(shot.raw, shot.roster)
        affected = join_names(list_affected_units(sequence, inputs))
    results = find_actual_results(shot, plays)
    came = {path: token for path, token in results.items() if path in rows_by_path}
    reply = build_odds_reply(
        sequence, shot.raw, rows_by_path, odds_by_path, target_names=affected, came=came
    )
    for part in reply.lines:
        if isinstance(part, Odds):
            words = (word for word, _ in part.chances)
            exact_chances = [[word, part.exact[index]] for index, word in enumerate(words)]
            yield {"of": part.heading, "came": list(part.came), "chances": exact_chances}


def _compute_luck(event: Json, systems: RuleSets) -> Json:
    """Return what a roll scored, the mean and variance of its score, and the side it counts for.

    In free play that is a person. The chances of at least this score and of a higher one are there
    as well, unless several plays have scores. Return {} if no possible result has a score, or if
    its odds cannot be computed any more.
    """
    roll = build_roll({**event, "number": 0}, event["lucky"], systems)
    if roll is None:
        return {}
    worth = measure(roll, systems)
    if worth is None:
        return {}
    return {"side": event["lucky"], **worth_to_json(worth)}


class Facts:
    """A cache of facts as JSON, by the hash of their request. All games share it."""

    def __init__(self) -> None:
        self._cache = LRUCache[bytes, str](MAX_CACHED)

    def get_cached(self, requests: Mapping[int, str]) -> dict[int, str]:
        """Return the facts in the cache, by event number, for those of the requests that have
        any.
        """
        facts = {}
        for number, request in requests.items():
            text = self._cache.get(_hash_request(request), NO_FACTS)
            if text != NO_FACTS:
                facts[number] = text
        return facts

    async def compute_missing(
        self, run_in_worker: RunInWorker, requests: Mapping[int, str], systems: RuleSets
    ) -> dict[int, str]:
        """Return the facts of all requests by event number: from the cache, or computed by workers.

        The newest events are computed first. An event that takes too long has NO_FACTS. Raises
        UserError if the workers are too busy. The cache keeps the facts computed before that.
        """
        keys = {number: _hash_request(request) for number, request in requests.items()}
        facts = {key: self._cache[key] for key in {*keys.values()} & self._cache.keys()}
        missing = {
            keys[number]: requests[number]
            for number in sorted(requests, reverse=True)
            if keys[number] not in facts
        }
        waiting = list(missing.items())
        for start in range(0, len(waiting), BATCH_SIZE):
            batch = waiting[start : start + BATCH_SIZE]
            texts = await _compute_in_worker(
                run_in_worker, [request for _, request in batch], systems
            )
            computed = dict(zip((key for key, _ in batch), texts, strict=True))
            facts |= computed
            self._cache.update(computed)  # a page that does not wait shows these at once
        return {number: facts[key] for number, key in keys.items()}


FACTS = Facts()
"""The cache of this process."""


def _hash_request(request: str) -> bytes:
    return sha256(request.encode("utf-8", "replace")).digest()


async def _compute_in_worker(
    run_in_worker: RunInWorker, requests: list[str], systems: RuleSets
) -> list[str]:
    """Return the facts for each request, computed in a worker. If that fails, each is computed
    alone; one that fails or takes too long even so has NO_FACTS.

    Raises UserError if the workers are too busy.
    """
    try:
        return list(await run_in_worker(compute_many_facts, requests, systems))
    except UserError as error:
        if error.code == "busy":
            raise
    if len(requests) == 1:
        return [NO_FACTS]
    texts = []
    for request in requests:
        texts += await _compute_in_worker(run_in_worker, [request], systems)
    return texts
