"""`test`, `pool` and `spread`: short forms of common rules, expanded to several steps."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.rules.declared.compile_context import Path
from bot.rules.declared.rolls import DICE
from bot.rules.declared.step_parser import StepScope, as_list
from bot.rules.tables.table import CHAIN, Table, TableRoll

Steps = list[dict[str, Any]]
TEST_KEYS = ("dice", "plus", "at_most", "at_least", "gives", "as", "label", "says")
POOL_KEYS = ("dice", "success", "gives", "explodes", "rerolls", "label", "says")
SPREAD_KEYS = ("loss", "over", "from", "lost", "gives", "into", "row", "words")


def expand_test(spec: Mapping[str, Any], scope: StepScope, path: Path) -> Steps:
    """Return the steps of the short form `test`: dice that must reach a number.

    `test: {dice: "2d6: morale", plus: {modifier: mod}, at_most: unit.morale, gives: [pass, fail]}`

    The number is read before the dice. It sets `roll`, `total`, `needed` and `result`; with `as:
    held` these are `held_roll`, `held_total`, `held_needed` and `held`. Raises TableError unless it
    has one of `at_most` and `at_least`, and two words in `gives`.
    """
    limits = [key for key in ("at_most", "at_least") if key in spec]
    if len(limits) != 1:
        raise scope.make_error("test needs either at_most or at_least", path)
    words = spec.get("gives", [True, False])
    if not isinstance(words, list) or len(words) != 2:
        raise scope.make_error(
            "gives needs two words, for passed and failed: [pass, fail]", (*path, "gives")
        )
    prefix = f"{spec['as']}_" if "as" in spec else ""
    roll, total, needed, plus = (prefix + name for name in ("roll", "total", "needed", "plus"))
    sums = [term for item in as_list(spec.get("plus", [])) for term in _list_sums(item)]
    lets = {needed: spec[limits[0]], **({plus: " + ".join(sums)} if sums else {})}
    sign, comparison = ("<=", "less") if limits == ["at_most"] else (">=", "more")
    scope.sheet.formulas.tokens |= {word for word in words if isinstance(word, str)}
    passed, failed = map(repr, words)
    line = {
        "label": _get_label(spec, scope),
        "dice": roll,
        "parts": spec.get("plus", []),
        "total": total,
        "result": spec.get("says", f"needs {{{needed}}} or {comparison}"),
    }
    return [
        {"let": lets},
        {"roll": {roll: spec["dice"]}},
        {
            "let": {
                total: f"{roll} + {plus}" if sums else roll,
                str(spec.get("as", "result")): f"{passed} if {total} {sign} {needed} else {failed}",
            },
            "say": line,
        },
    ]


def _list_sums(item: object) -> list[str]:
    """Return the formulas of what is added to a roll, from `{label: formula}` or named parts."""
    return (
        [f"({value})" for value in item.values()] if isinstance(item, Mapping) else [f"sum({item})"]
    )


def _get_label(spec: Mapping[str, Any], scope: StepScope) -> str:
    """Return the label of a line: as given, else the current unit, else the label of the dice."""
    if "label" in spec:
        return str(spec["label"])
    label = str(spec["dice"]).partition(": ")[2]
    item = scope.item
    if "{" not in label and item in scope.names and scope.names[item].type == "unit":
        return f"{{{item}}}"
    return label or "dice"


def expand_pool(spec: Mapping[str, Any], scope: StepScope, _path: Path) -> Steps:
    """Expand `pool: {dice: "{hits}d6: armour", success: face >= save, gives: saved}`: count the
    dice that pass.

    The dice are `saved_roll`. `explodes: 6` and `rerolls: 1` are the words `!6` and `r1` of the
    dice.
    """
    gives = str(spec.get("gives", "successes"))
    roll = f"{gives}_roll"
    line = {
        "when": f"len(faces({roll})) > 0",
        "label": _get_label(spec, scope),
        "dice": roll,
        "result": spec.get(
            "says", f"{{{gives}}} of {{len(faces({roll}))}} {gives.replace('_', ' ')}"
        ),
    }
    dice = str(spec["dice"])
    match = DICE.fullmatch(str(spec["dice"]))
    if match is not None:
        words = "".join(
            f"{word}{spec[key]}"
            for key, word in (("rerolls", "r"), ("explodes", "!"))
            if key in spec
        )
        dice = f"{dice[: match.end(3)]}{words.replace(' ', '')}{dice[match.end(3) :]}"
    return [
        {"roll": {roll: dice}, "let": {gives: f"how_many({roll}, {spec['success']})"}, "say": line}
    ]


def expand_spread(spec: Mapping[str, Any], scope: StepScope, path: Path) -> Steps:
    """Return the steps of the short form `spread`: losses spread over the units in order.

    `spread: {loss: fallen, over: targets, from: men, lost: destroyed}`

    What each has is read before the dice. It sets `unit.fell` (or what `gives` says) and
    `unit.becomes`: the word for lost, else its state; with `words: [unhurt, loses]` one of these.
    Raises TableError unless `words` are two.
    """
    number = spec["from"]
    lost = str(spec["lost"])
    gives = f"unit.{spec.get('gives', 'fell')}"
    words = spec.get("words", [None, "loses"])
    if not isinstance(words, list) or len(words) != 2:
        raise scope.make_error("words takes two: [unhurt, loses]", (*path, "words"))
    unhurt, hurt = words
    scope.sheet.formulas.tokens |= {lost, str(hurt)} | ({unhurt} if unhurt else set())
    remaining = f"left_{next(scope.sheet.uses)}"
    is_lost = f"{gives} > 0 and {gives} >= unit.had"
    is_hurt = f"{gives} > 0 and {gives} < unit.had"
    becomes = f"({hurt!r} if {gives} > 0 else {unhurt!r})" if unhurt else "unit.state"
    fates = [{"is": lost, "when": is_lost}, {"is": hurt, "more": f"{{{gives}}}", "when": is_hurt}]
    over = str(spec["over"])
    each: dict[str, Any] = {
        "each": over,
        "into": spec.get("into", over),
        "let": {
            "unit.had": f"unit.{number}",
            gives: f"max(0, min(unit.had, {remaining}))",
            remaining: f"{remaining} - {gives}",
            "unit.becomes": f"{lost!r} if {is_lost} else {becomes}",
        },
        "fate": [*fates, *([{"is": unhurt, "when": f"{gives} == 0"}] if unhurt else [])],
        "change": [
            {"unit": "unit", "when": f"{gives} > 0", "set": {number: f"unit.had - {gives}"}},
            {"unit": "unit", "when": is_lost, "set": {"state": repr(lost)}},
        ],
    }
    return [
        {"let": {remaining: spec["loss"]}},
        each | ({"row": spec["row"]} if "row" in spec else {}),
    ]


IDIOMS: Mapping[
    str,
    tuple[tuple[str, ...], tuple[str, ...], Callable[[Mapping[str, Any], StepScope, Path], Steps]],
] = {
    "test": (TEST_KEYS, ("dice",), expand_test),
    "pool": (POOL_KEYS, ("dice", "success", "gives"), expand_pool),
    "spread": (SPREAD_KEYS, ("loss", "over", "from", "lost"), expand_spread),
}
"""The short forms by key: allowed keys, required keys, and the function that expands them."""
FORMULAS = ("at_most", "at_least", "loss", "over")


def expand_macro(key: str, spec: object, scope: StepScope, path: Path) -> Steps:
    """Return the steps that a short form stands for. Raises TableError for a wrong one."""
    keys, needed, write = IDIOMS[key]
    if not isinstance(spec, Mapping):
        raise scope.make_error(f"{key} is a mapping of {', '.join(needed)}", path)
    scope.check_keys(key, spec, keys, path)
    if missing := [needed_key for needed_key in needed if needed_key not in spec]:
        raise scope.make_error(f"{key} needs {missing[0]}", path)
    for needed_key in FORMULAS:
        if needed_key in spec:
            scope.formula(spec[needed_key], (*path, needed_key))
    return write(spec, scope, path)


_CALL = re.compile(r"\s*([a-z_]\w*)\((.*)\)\s*", re.DOTALL)
_HANDED = re.compile(r"(?<!\w)(\w+)\s*=\s*([^=,()]+)")


class WrittenStep(dict[str, Any]):
    """A step that the loader wrote for a chain of tables; it starts no further chain."""


@dataclass(slots=True)
class Chain:
    """The tables that are rolled because cells of others name them.

    `steps` roll on them, `lines` say their answers, first table first. `dice` are the names of the
    rolls that the first tables were asked with. `answers` maps each name for a further answer,
    such as `found_next`, to the tables that it may be of.
    """

    steps: Steps = field(default_factory=list)
    lines: Steps = field(default_factory=list)
    dice: set[str] = field(default_factory=set)
    answers: dict[str, set[str]] = field(default_factory=dict)


def read_chain(spec: Mapping[str, Any], scope: StepScope, path: Path) -> Chain:
    """Return the chain of a `let` such as `{found: "hits(roll=place)"}`.

    `found_next` is the answer of the table that a cell of `hits` names, `found_next_next` that of
    the one after it; none where no table follows. Raises TableError if a table that follows has
    dice that depend on its inputs.
    """
    chain = Chain()
    for name, source in spec.items():
        call = _CALL.fullmatch(str(source))
        reader = scope.sheet.formulas.readers.get(call[1]) if call is not None else None
        if call is None or reader is None or not reader.table.chain:
            continue
        inputs = dict(_HANDED.findall(call[2]))
        chain.dice |= {*inputs.values()}
        answer = str(name)
        followers: dict[str, Table] = dict(reader.table.chain)
        while followers:
            answer = f"{answer}_next"
            chain.steps.append(WrittenStep(let={answer: "none", f"{answer}_dice": "[]"}))
            chain.answers[answer] = {*followers}
            chain.lines += [_build_line_step(answer, table) for table in followers.values()]
            followers = {
                id: table for follower in followers.values() for id, table in follower.chain.items()
            }
        chain.steps += _follow(str(name), reader.table, inputs, scope, path)
    return chain


def _follow(
    name: str, table: Table, inputs: Mapping[str, str], scope: StepScope, path: Path
) -> Steps:
    """Return the steps that roll on the tables that cells of `table` name.

    `name` is its answer, `inputs` the formulas that it was asked with. Raises TableError as
    `_follow_one` does.
    """
    return [
        _follow_one(name, id, follower, inputs, scope, path) for id, follower in table.chain.items()
    ]


def _follow_one(
    name: str, id: str, table: Table, formulas: Mapping[str, str], scope: StepScope, path: Path
) -> WrittenStep:
    """Return the step that rolls on one table `id` that a cell of the table before names.

    The step runs only if the answer `name` names that table. `formulas` are the inputs of the table
    before. Raises TableError if the dice of `table` depend on its inputs.
    """
    if any(roll.by or roll.when for roll in table.rolls):
        raise scope.make_error(
            f"the dice of {id} depend on its inputs: roll on it in a step of its own", path
        )
    answer = f"{name}_next"
    rolls = {f"{name}_{roll.option}": roll for roll in table.rolls}
    table_inputs = {key: str(value) for key, value in table.select_handed_inputs(formulas).items()}
    table_inputs |= {roll.option: key for key, roll in rolls.items()}
    inputs = ", ".join(f"{key}={value}" for key, value in table_inputs.items())
    let = {answer: f"{id.replace('-', '_')}({inputs})"}
    for key in [*rolls][:1]:
        let[f"{answer}_dice"] = f"faces({key})"
    return WrittenStep(
        when=f"{name}.{CHAIN} == '{id}'",
        roll={key: _format_dice(roll) for key, roll in rolls.items()},
        let=let,
        steps=_follow(answer, table, table_inputs, scope, path),
    )


def _format_dice(roll: TableRoll) -> str:
    dice = roll.dice[None]
    return f"{len(dice)}{dice[0].name}: {dice[0].label}"


def _build_line_step(answer: str, table: Table) -> WrittenStep:
    """Return the step that adds the line of a further table to the answer, with its dice.

    `answer` is the name of that table's answer, such as `found_next`. The step runs only if the
    answer before it, `found`, named this table.
    """
    previous = answer.removesuffix("_next")
    line = {
        "label": table.title,
        "result": f"{{describe({answer})}}",
        "dice": f"{answer}_dice",
    }
    return WrittenStep(when=f"{previous}.{CHAIN} == '{table.id}'", say=line)


def shows_dice(step: object, dice: set[str]) -> bool:
    """Return whether a step, or one below it, says a line with one of these dice."""
    if not isinstance(step, Mapping):
        return False
    for line in as_list(step.get("say") or []):
        dice_names = as_list(line.get("dice", [])) if isinstance(line, Mapping) else []
        if not dice.isdisjoint(map(str, dice_names)):
            return True
    below = [*as_list(step.get("steps") or []), *as_list(step.get("else") or [])]
    return any(shows_dice(inner_step, dice) for inner_step in below)
