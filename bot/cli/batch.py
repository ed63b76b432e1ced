"""The batch mode for scripts and tests: JSON Lines in, JSON Lines out. It reads tables, plays
sequences, counts their odds and rolls dice expressions.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO

from bot.cli.odds_text import build_round_odds, list_changed_odds
from bot.presentation.headline import list_actors
from bot.presentation.roll import build_roll_reply
from bot.presentation.run_sequence import build_play_reply
from bot.presentation.tables import build_lookup_reply
from bot.rules.dice import RolledDie, Script, Source
from bot.rules.errors import UserError, did_you_mean
from bot.rules.expression.rolling import roll
from bot.rules.expression.sum_parser import parse
from bot.rulesets import catalog as tables
from bot.rulesets.play_once import count_odds, play_sequence
from bot.runtime.entropy import create_throwaway_source

MAX_LINE = 1_000_000
"""Maximum number of bytes in a request line."""
_PLAYER = "batch"
_SURROGATE = re.compile("[\ud800-\udfff]")
_KEYS = {
    "lookup": {"system", "table", "in"},
    "resolve": {"system", "sequence", "in", "dice"},
    "odds": {"system", "sequence", "in", "by", "compare", "rounds"},
    "roll": {"expression", "dice"},
}


def run_batch(lines: BinaryIO, write: Callable[[str], object]) -> None:
    """Answer each request line with exactly one line, in order. Skip blank lines.

    A line that cannot be read or answered gets an error as its answer; the next lines are still
    answered. `write` gets each answer without a line break.
    """
    for line in read_bounded_lines(lines):
        if line is None:
            error = UserError(f"The line is longer than {MAX_LINE} bytes.", code="too-long")
            answer = _build_error(None, error, "bad-json")
        elif not line.strip():
            continue
        else:
            answer = answer_line(line)
        write(_format_answer(answer))


def read_bounded_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines of a stream with their line breaks.

    A line of more than MAX_LINE bytes is skipped to its end, and yields None instead.
    """
    while line := stream.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE)
        yield None


def answer_line(line: bytes) -> dict[str, Any]:
    """Answer one request line: `{"id", "ok": true, ...}`, or `{"id", "ok": false, "error"}` if the
    line is not a JSON object (code `bad-json`) or asks for something wrong (`bad-input`).
    """
    flaws: list[str] = []
    parse_number: Any = partial(_parse_number, flaws)
    try:
        request = json.loads(
            line,
            parse_float=parse_number,
            parse_constant=parse_number,
            object_pairs_hook=partial(_collect_members, flaws),
        )
    except (ValueError, RecursionError) as json_error:
        problem = _describe_json_problem(line, json_error)
        error = UserError(f"The line is not JSON: {problem}.", code="bad-value")
        return _build_error(None, error, "bad-json")
    if not isinstance(request, dict):
        error = UserError("The line is JSON but not an object.", code="bad-value")
        return _build_error(None, error, "bad-json")
    id = _get_request_id(request)
    try:
        if flaws:
            raise UserError(flaws[0], code="bad-value")
        return {"id": id, "ok": True, **answer_request(request)}
    except UserError as error:
        return _build_error(id, error, "bad-input")
    except RecursionError:
        depth_error = UserError("The request is nested too deeply.", code="bad-value")
        return _build_error(id, depth_error, "bad-input")


def _describe_json_problem(line: bytes, error: Exception) -> str:
    """Say why a line is not JSON, in words for its writer. `error` is Python's."""
    if b"\0" in line:
        return "it is not UTF-8; save the file as UTF-8"
    if "digits" in str(error):
        return "a number is too long"
    return str(error).rstrip(".")


def _format_answer(answer: Mapping[str, Any]) -> str:
    """Format an answer as a line of JSON that any UTF-8 stream takes.

    Half a surrogate pair, which may come in with a request, goes out escaped, and then all other
    letters beyond ASCII do as well.
    """
    line = json.dumps(answer, ensure_ascii=False, separators=(", ", ": "))
    if not line.isascii() and _SURROGATE.search(line):
        return json.dumps(answer, separators=(", ", ": "))
    return line


def _parse_number(flaws: list[str], word: str) -> float:
    """Parse a decimal number of a request.

    Append a flaw if it is not finite (NaN, Infinity, 1e999): no answer could repeat it.
    """
    number = float(word)
    if not math.isfinite(number):
        flaws.append(f"{word[:40]} is not a readable number.")
    return number


def _collect_members(flaws: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object.

    If a name is given twice its last value counts, and a flaw is appended.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        unique_names = iter(members)
        repeated_name = next(name for name, _ in pairs if name != next(unique_names, None))
        flaws.append(f"{repeated_name[:40]} is given twice.")
    return members


def _get_request_id(request: Mapping[str, Any]) -> object:
    """Return the id of a request, any JSON value; None if there is none, or if no answer could
    repeat it.
    """
    try:
        json.dumps(request.get("id"), allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return request.get("id")


def answer_request(request: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out one request and return the fields of its answer, which depend on its `op`.

    Raises UserError if the op or a key is unknown, or a value is wrong.
    """
    op = request.get("op")
    if op is None:
        raise UserError(
            'The request needs an "op".',
            hint='"op" must be lookup, resolve, odds or roll.',
            code="missing",
        )
    if not isinstance(op, str) or op not in _KEYS:
        near = did_you_mean(str(op), _KEYS)
        hint = near or '"op" must be lookup, resolve, odds or roll.'
        raise UserError(f'There is no op "{str(op)[:40]}".', hint=hint, code="unknown-command")
    unknown_keys = [key for key in request if key not in _KEYS[op] | {"id", "op"}]
    if unknown_keys:
        hint = f"It takes {', '.join(sorted(_KEYS[op]))}."
        raise UserError(
            f'{op} does not take "{unknown_keys[0][:40]}".', hint=hint, code="unknown-option"
        )
    return _OPS[op](request)


def _answer_lookup(request: Mapping[str, Any]) -> dict[str, Any]:
    """Look a value up in a table: its outputs (`out`), and the reply as chat has it (`text`)."""
    game = tables.find_shared_system(_get_text(request, "system"))
    table = game.find_table(_get_text(request, "table"))
    inputs = _get_inputs(request)
    lookup = table.read(inputs)
    reply = build_lookup_reply(table, inputs, lookup)
    return {"out": dict(lookup.out), "text": reply.format_text()}


def _answer_resolve(request: Mapping[str, Any]) -> dict[str, Any]:
    """Play a sequence with the dice of the request, or with random ones if it has none.

    Raises UserError if dice of the request are left over.
    """
    game = tables.find_shared_system(_get_text(request, "system"))
    sequence = game.find_sequence(_get_text(request, "sequence"))
    source, script = _build_dice_source(request)
    inputs = _get_inputs(request)
    played = play_sequence(sequence, inputs, source)
    if script is not None:
        script.finish()
    actors = list_actors(sequence, sequence.read_inputs(inputs, {}))
    reply = build_play_reply(_PLAYER, sequence, played, actors)
    dice = [_build_die_json(die) for die in played.dice]
    return {"out": played.out, "dice": dice, "text": reply.format_text()}


def _answer_odds(request: Mapping[str, Any]) -> dict[str, Any]:
    """Count the exact odds of a sequence, as fractions: by the outputs that `by` names or by the
    sequence's own result; with `compare` also those of each change; with `rounds` those after a
    number of rounds instead.
    """
    game = tables.find_shared_system(_get_text(request, "system"))
    sequence = game.find_sequence(_get_text(request, "sequence"))
    paths = request.get("by") or ()
    if isinstance(paths, str):
        paths = [paths]
    if not isinstance(paths, list | tuple) or not all(isinstance(path, str) for path in paths):
        raise UserError(
            '"by" must be a list of outputs.', hint='For example ["outcome"].', code="bad-value"
        )
    if request.get("rounds") is not None:
        if paths or request.get("compare"):
            raise UserError('"rounds" uses the sequence\'s own result.', code="not-together")
        round_odds, _ = build_round_odds(sequence, _get_inputs(request), request["rounds"])
        return round_odds
    counted = count_odds(sequence, _get_inputs(request), paths)
    answer: dict[str, Any] = {"odds": {value: str(chance) for value, chance in counted.items()}}
    compare = request.get("compare", False)
    if not isinstance(compare, bool):
        raise UserError('"compare" must be true or false.', code="bad-value")
    if compare:
        answer["compare"] = list_changed_odds(sequence, _get_inputs(request))
    return answer


def _answer_roll(request: Mapping[str, Any]) -> dict[str, Any]:
    """Roll an expression with the dice of the request, or with random ones if it has none.

    Raises UserError if dice of the request are left over.
    """
    expression = parse(_get_text(request, "expression"))
    source, script = _build_dice_source(request)
    rolling = roll(expression, source)
    if script is not None:
        script.finish()
    reply = build_roll_reply(rolling, _PLAYER)
    return {"out": rolling.to_output(), "text": reply.format_text()}


_OPS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "lookup": _answer_lookup,
    "resolve": _answer_resolve,
    "odds": _answer_odds,
    "roll": _answer_roll,
}


def _get_text(request: Mapping[str, Any], key: str) -> str:
    """Return the text under a key of a request. Raises UserError if there is none."""
    value = request.get(key)
    if not isinstance(value, str):
        raise UserError(f"{request['op']} needs {key} as text.", code="missing")
    return value


def _get_inputs(request: Mapping[str, Any]) -> Mapping[str, object]:
    """Return the inputs of a request by name, {} if it has none. Raises UserError unless they are an
    object.
    """
    inputs = request.get("in")
    if inputs is None:
        return {}
    if not isinstance(inputs, dict):
        raise UserError(
            '"in" must be an object with the inputs.',
            hint='For example {"attack": 7, "defense": 5}.',
            code="bad-value",
        )
    return inputs


def _build_dice_source(request: Mapping[str, Any]) -> tuple[Source, Script | None]:
    """Return the source of the dice. If the request gives their faces it is a script, returned a
    second time so that the caller can `finish` it; else it is random, with None.

    Raises UserError if `dice` is given and is not a list.
    """
    values = request.get("dice")
    if values is None:
        return create_throwaway_source(), None
    if not isinstance(values, list):
        raise UserError(
            '"dice" must be a list of rolled numbers.',
            hint="For example [5, 2, 3].",
            code="bad-value",
        )
    script = Script(values)
    return script, script


def _build_die_json(die: RolledDie) -> dict[str, Any]:
    return {"label": die.label, "sides": die.sides, "value": die.value}


def _build_error(id: object, error: UserError, code: str) -> dict[str, Any]:
    """Return the answer to a request that failed; `code` takes the place of the error's own."""
    return {
        "id": id,
        "ok": False,
        "error": {"code": code, "message": error.message, "hint": error.hint},
    }
