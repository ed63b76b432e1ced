"""JSON Lines in, JSON Lines out: every table, sequence, its odds and dice expressions, for
scripts and tests.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO

from bot.answers.headline import actors
from bot.answers.roll import roll_reply
from bot.answers.shot import played_reply
from bot.answers.tables import lookup_reply
from bot.host.odds_text import changed_odds, of_rounds
from bot.process.entropy import throwaway
from bot.rules.dice import Rolled, Script, Source
from bot.rules.errors import UserError, did_you_mean
from bot.rules.expression.rolling import roll
from bot.rules.expression.sum_parser import parse
from bot.systems import catalog as tables
from bot.systems.resolve import count_odds, resolve

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
    for line in bounded_lines(lines):
        if line is None:
            answer = _error(
                None,
                UserError(f"The line is longer than {MAX_LINE} bytes.", code="too-long"),
                "bad-json",
            )
        elif not line.strip():
            continue
        else:
            answer = answer_line(line)
        write(_written(answer))


def bounded_lines(stream: BinaryIO) -> Iterator[bytes | None]:
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
    number: Any = partial(_number, flaws)
    try:
        request = json.loads(
            line,
            parse_float=number,
            parse_constant=number,
            object_pairs_hook=partial(_members, flaws),
        )
    except (ValueError, RecursionError) as error:
        problem = "a number is too long" if "digits" in str(error) else str(error).rstrip(".")
        if b"\0" in line:
            problem = "it is not in UTF-8; save the file as UTF-8"
        return _error(
            None, UserError(f"The line is not JSON: {problem}.", code="bad-value"), "bad-json"
        )
    if not isinstance(request, dict):
        return _error(
            None, UserError("The line is JSON, but not an object.", code="bad-value"), "bad-json"
        )
    id = _id_of(request)
    try:
        if flaws:
            raise UserError(flaws[0], code="bad-value")
        return {"id": id, "ok": True, **answer(request)}
    except UserError as error:
        return _error(id, error, "bad-input")
    except RecursionError:
        return _error(
            id, UserError("The request is nested too deeply.", code="bad-value"), "bad-input"
        )


def _written(answer: Mapping[str, Any]) -> str:
    """The answer as a line of JSON that any UTF-8 stream takes: half a character that came in
    goes out escaped.
    """
    line = json.dumps(answer, ensure_ascii=False, separators=(", ", ": "))
    return (
        line
        if line.isascii() or not _HALF.search(line)
        else json.dumps(answer, separators=(", ", ": "))
    )


def _number(flaws: list[str], word: str) -> float:
    """A decimal number; noted as a flaw if no answer could write it back (NaN, Infinity, 1e999)."""
    number = float(word)
    if not math.isfinite(number):
        flaws.append(f"{word[:40]} is not a number that can be read.")
    return number


def _members(flaws: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object's members; a name that is given twice is noted as a flaw, as the first would go
    unread.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        left = iter(members)
        name = next(name for name, _ in pairs if name != next(left, None))
        flaws.append(f"{name[:40]} is given twice.")
    return members


def _id_of(request: Mapping[str, Any]) -> object:
    """The request's id, or None for one that cannot be written back."""
    try:
        json.dumps(request.get("id"), allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return request.get("id")


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
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


def _lookup(request: Mapping[str, Any]) -> dict[str, Any]:
    game = tables.system(_name(request, "system"))
    table = game.table(_name(request, "table"))
    given = _inputs(request)
    found = table.read(given)
    return {"out": dict(found.out), "text": lookup_reply(table, given, found).text()}


def _resolve(request: Mapping[str, Any]) -> dict[str, Any]:
    game = tables.system(_name(request, "system"))
    sequence = game.sequence(_name(request, "sequence"))
    source, script = _dice(request)
    inputs = _inputs(request)
    played = resolve(sequence, inputs, source)
    if script is not None:
        script.finish()
    text = played_reply(_WHO, sequence, played, actors(sequence, sequence.given(inputs, {}))).text()
    return {"out": played.out, "dice": [_die(die) for die in played.dice], "text": text}


def _odds(request: Mapping[str, Any]) -> dict[str, Any]:
    sequence = tables.system(_name(request, "system")).sequence(_name(request, "sequence"))
    by = request.get("by") or ()
    by = [by] if isinstance(by, str) else by
    if not isinstance(by, list | tuple) or not all(isinstance(path, str) for path in by):
        raise UserError(
            "by must be a list of outputs.", hint='For example ["outcome"].', code="bad-value"
        )
    if request.get("rounds") is not None:
        if by or request.get("compare"):
            raise UserError("rounds goes by the sequence's own result.", code="not-together")
        return of_rounds(sequence, _inputs(request), request["rounds"])[0]
    counted = count_odds(sequence, _inputs(request), by)
    found: dict[str, Any] = {"odds": {value: str(chance) for value, chance in counted.items()}}
    compare = request.get("compare", False)
    if not isinstance(compare, bool):
        raise UserError("compare must be true or false.", code="bad-value")
    if compare:
        found["compare"] = changed_odds(sequence, _inputs(request))
    return found


def _roll(request: Mapping[str, Any]) -> dict[str, Any]:
    expression = parse(_name(request, "expression"))
    source, script = _dice(request)
    rolling = roll(expression, source)
    if script is not None:
        script.finish()
    return {"out": rolling.out(), "text": roll_reply(rolling, _WHO).text()}


_OPS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "lookup": _lookup,
    "resolve": _resolve,
    "odds": _odds,
    "roll": _roll,
}


def _name(request: Mapping[str, Any], key: str) -> str:
    value = request.get(key)
    if not isinstance(value, str):
        raise UserError(f"{request['op']} needs {key} as a text.", code="missing")
    return value


def _inputs(request: Mapping[str, Any]) -> Mapping[str, object]:
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


def _dice(request: Mapping[str, Any]) -> tuple[Source, Script | None]:
    values = request.get("dice")
    if values is None:
        return throwaway(), None
    if not isinstance(values, list):
        raise UserError(
            "dice must be a list of faces.", hint="For example [5, 2, 3].", code="bad-value"
        )
    script = Script(values)
    return script, script


def _die(die: Rolled) -> dict[str, Any]:
    return {"label": die.label, "sides": die.sides, "value": die.value}


def _error(id: object, error: UserError, code: str) -> dict[str, Any]:
    return {
        "id": id,
        "ok": False,
        "error": {"code": code, "message": error.message, "hint": error.hint},
    }
