"""JSON Lines in, JSON Lines out: every table, sequence, its odds and dice expressions, for
scripts and tests.
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
_WHO = "batch"
_HALF = re.compile("[\ud800-\udfff]")
_KEYS = {
    "lookup": {"system", "table", "in"},
    "resolve": {"system", "sequence", "in", "dice"},
    "odds": {"system", "sequence", "in", "by", "compare", "rounds"},
    "roll": {"expression", "dice"},
}


def run_batch(lines: BinaryIO, write: Callable[[str], object]) -> None:
    """Answer each line with exactly one line, in order. Nothing in a line stops the stream."""
    for line in read_bounded_lines(lines):
        if line is None:
            answer = _build_error(
                None,
                UserError(f"The line is longer than {MAX_LINE} bytes.", code="too-long"),
                "bad-json",
            )
        elif not line.strip():
            continue
        else:
            answer = answer_line(line)
        write(_write_answer(answer))


def read_bounded_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """The lines of a stream; None for one that is too long, whose rest is passed over."""
    while line := stream.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE)
        yield None


def answer_line(line: bytes) -> dict[str, Any]:
    """The answer to one request line."""
    flaws: list[str] = []
    number: Any = partial(_parse_number, flaws)
    try:
        request = json.loads(
            line,
            parse_float=number,
            parse_constant=number,
            object_pairs_hook=partial(_collect_members, flaws),
        )
    except (ValueError, RecursionError) as error:
        problem = "a number is too long" if "digits" in str(error) else str(error).rstrip(".")
        if b"\0" in line:
            problem = "it is not in UTF-8; save the file as UTF-8"
        return _build_error(
            None, UserError(f"The line is not JSON: {problem}.", code="bad-value"), "bad-json"
        )
    if not isinstance(request, dict):
        return _build_error(
            None, UserError("The line is JSON, but not an object.", code="bad-value"), "bad-json"
        )
    id = _get_request_id(request)
    try:
        if flaws:
            raise UserError(flaws[0], code="bad-value")
        return {"id": id, "ok": True, **answer_request(request)}
    except UserError as error:
        return _build_error(id, error, "bad-input")
    except RecursionError:
        return _build_error(
            id, UserError("The request is nested too deeply.", code="bad-value"), "bad-input"
        )


def _write_answer(answer: Mapping[str, Any]) -> str:
    """The answer as a line of JSON that any UTF-8 stream takes: half a character that came in
    goes out escaped.
    """
    line = json.dumps(answer, ensure_ascii=False, separators=(", ", ": "))
    return (
        line
        if line.isascii() or not _HALF.search(line)
        else json.dumps(answer, separators=(", ", ": "))
    )


def _parse_number(flaws: list[str], word: str) -> float:
    """A decimal number; noted as a flaw if no answer could write it back (NaN, Infinity, 1e999)."""
    number = float(word)
    if not math.isfinite(number):
        flaws.append(f"{word[:40]} is not a number that can be read.")
    return number


def _collect_members(flaws: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object's members; a name that is given twice is noted as a flaw, as the first would go
    unread.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        left = iter(members)
        name = next(name for name, _ in pairs if name != next(left, None))
        flaws.append(f"{name[:40]} is given twice.")
    return members


def _get_request_id(request: Mapping[str, Any]) -> object:
    """The request's id, or None for one that cannot be written back."""
    try:
        json.dumps(request.get("id"), allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return request.get("id")


def answer_request(request: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that answer a request. Raises UserError for bad input."""
    op = request.get("op")
    if op is None:
        raise UserError(
            "The request needs op.", hint="op is lookup, resolve, odds or roll.", code="missing"
        )
    if not isinstance(op, str) or op not in _KEYS:
        near = did_you_mean(str(op), _KEYS)
        hint = near or "op is lookup, resolve, odds or roll."
        raise UserError(f'There is no op "{str(op)[:40]}".', hint=hint, code="unknown-command")
    unknown = [key for key in request if key not in _KEYS[op] | {"id", "op"}]
    if unknown:
        hint = f"It takes {', '.join(sorted(_KEYS[op]))}."
        raise UserError(
            f'{op} does not know "{unknown[0][:40]}".', hint=hint, code="unknown-option"
        )
    return _OPS[op](request)


def _answer_lookup(request: Mapping[str, Any]) -> dict[str, Any]:
    game = tables.find_system(_get_name(request, "system"))
    table = game.find_table(_get_name(request, "table"))
    given = _get_inputs(request)
    found = table.read(given)
    return {"out": dict(found.out), "text": build_lookup_reply(table, given, found).format_text()}


def _answer_resolve(request: Mapping[str, Any]) -> dict[str, Any]:
    game = tables.find_system(_get_name(request, "system"))
    sequence = game.find_sequence(_get_name(request, "sequence"))
    source, script = _build_dice_source(request)
    inputs = _get_inputs(request)
    played = play_sequence(sequence, inputs, source)
    if script is not None:
        script.finish()
    text = build_play_reply(
        _WHO, sequence, played, list_actors(sequence, sequence.read_inputs(inputs, {}))
    ).format_text()
    return {"out": played.out, "dice": [_build_die_json(die) for die in played.dice], "text": text}


def _answer_odds(request: Mapping[str, Any]) -> dict[str, Any]:
    sequence = tables.find_system(_get_name(request, "system")).find_sequence(
        _get_name(request, "sequence")
    )
    by = request.get("by") or ()
    by = [by] if isinstance(by, str) else by
    if not isinstance(by, list | tuple) or not all(isinstance(path, str) for path in by):
        raise UserError(
            "by must be a list of outputs.", hint='For example ["outcome"].', code="bad-value"
        )
    if request.get("rounds") is not None:
        if by or request.get("compare"):
            raise UserError("rounds goes by the sequence's own result.", code="not-together")
        return build_round_odds(sequence, _get_inputs(request), request["rounds"])[0]
    counted = count_odds(sequence, _get_inputs(request), by)
    found: dict[str, Any] = {"odds": {value: str(chance) for value, chance in counted.items()}}
    compare = request.get("compare", False)
    if not isinstance(compare, bool):
        raise UserError("compare must be true or false.", code="bad-value")
    if compare:
        found["compare"] = list_changed_odds(sequence, _get_inputs(request))
    return found


def _answer_roll(request: Mapping[str, Any]) -> dict[str, Any]:
    expression = parse(_get_name(request, "expression"))
    source, script = _build_dice_source(request)
    rolling = roll(expression, source)
    if script is not None:
        script.finish()
    return {"out": rolling.to_output(), "text": build_roll_reply(rolling, _WHO).format_text()}


_OPS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "lookup": _answer_lookup,
    "resolve": _answer_resolve,
    "odds": _answer_odds,
    "roll": _answer_roll,
}


def _get_name(request: Mapping[str, Any], key: str) -> str:
    value = request.get(key)
    if not isinstance(value, str):
        raise UserError(f"{request['op']} needs {key} as a text.", code="missing")
    return value


def _get_inputs(request: Mapping[str, Any]) -> Mapping[str, object]:
    given = request.get("in")
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise UserError(
            "in must be an object of inputs.",
            hint='For example {"attack": 7, "defense": 5}.',
            code="bad-value",
        )
    return given


def _build_dice_source(request: Mapping[str, Any]) -> tuple[Source, Script | None]:
    values = request.get("dice")
    if values is None:
        return create_throwaway_source(), None
    if not isinstance(values, list):
        raise UserError(
            "dice must be a list of faces.", hint="For example [5, 2, 3].", code="bad-value"
        )
    script = Script(values)
    return script, script


def _build_die_json(die: RolledDie) -> dict[str, Any]:
    return {"label": die.label, "sides": die.sides, "value": die.value}


def _build_error(id: object, error: UserError, code: str) -> dict[str, Any]:
    return {
        "id": id,
        "ok": False,
        "error": {"code": code, "message": error.message, "hint": error.hint},
    }
