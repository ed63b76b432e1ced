"""`test`, `pool` and `spread`: what most rules are made of, said in a line and written out as
steps.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from bot.rules.declared.rolls import DICE
from bot.rules.declared.setting import Path, stated
from bot.rules.declared.step_reader import Place, listed
from bot.rules.tables.table import CHAIN, Table

Steps = list[dict[str, Any]]
TEST_KEYS = ("dice", "plus", "at_most", "at_least", "gives", "as", "label", "says")
POOL_KEYS = ("dice", "success", "gives", "explodes", "rerolls", "label", "says")
SPREAD_KEYS = ("loss", "over", "from", "lost", "gives", "into", "row", "words")


def test(said: Mapping[str, Any], place: Place, where: Path) -> Steps:
    """`test: {dice: "2d6: morale", plus: {modifier: mod}, at_most: unit.morale, gives: [pass,
    fail]}`.

    The number is read before the dice. It sets `roll`, `total`, `needed` and `result`; with `as:
    held` these are `held_roll`, `held_total`, `held_needed` and `held`. Raises TableError.
    """
    limits = [key for key in ("at_most", "at_least") if key in said]
    if len(limits) != 1:
        raise place.wrong("test needs at_most or at_least, one of the two", where)
    words = said.get("gives", [True, False])
    if not isinstance(words, list) or len(words) != 2:
        raise place.wrong(
            "gives has two words, for passed and failed: [pass, fail]", (*where, "gives")
        )
    prefix = f"{said['as']}_" if "as" in said else ""
    roll, total, needed, plus = (prefix + name for name in ("roll", "total", "needed", "plus"))
    sums = [one for item in listed(said.get("plus", [])) for one in _sums(item)]
    before = {needed: said[limits[0]], **({plus: " + ".join(sums)} if sums else {})}
    sign, more = ("<=", "less") if limits == ["at_most"] else (">=", "more")
    place.sheet.formulas.tokens |= {word for word in words if isinstance(word, str)}
    passed, failed = map(repr, words)
    line = {
        "label": _label(said, place),
        "dice": roll,
        "parts": said.get("plus", []),
        "total": total,
        "result": said.get("says", f"needs {{{needed}}} or {more}"),
    }
    return [
        {"let": before},
        {"roll": {roll: said["dice"]}},
        {
            "let": {
                total: f"{roll} + {plus}" if sums else roll,
                str(said.get("as", "result")): f"{passed} if {total} {sign} {needed} else {failed}",
            },
            "say": line,
        },
    ]


def _sums(item: object) -> list[str]:
    """What is added to a roll, as formulas: `{label: formula}`, or named parts."""
    return (
        [f"({value})" for value in item.values()] if isinstance(item, Mapping) else [f"sum({item})"]
    )


def _label(said: Mapping[str, Any], place: Place) -> str:
    """What a line is called: the unit at hand, or what the dice are."""
    if "label" in said:
        return str(said["label"])
    label = str(said["dice"]).partition(": ")[2]
    item = place.item
    if "{" not in label and item in place.names and place.names[item].type == "unit":
        return f"{{{item}}}"
    return label or "dice"


def pool(said: Mapping[str, Any], place: Place, _where: Path) -> Steps:
    """`pool: {dice: "{hits}d6: armour", success: face >= save, gives: saved}`: how many dice pass.

    The dice are `saved_roll`. `explodes: 6` and `rerolls: 1` are the words `!6` and `r1` of the
    dice.
    """
    gives = str(said.get("gives", "successes"))
    roll = f"{gives}_roll"
    line = {
        "when": f"len(faces({roll})) > 0",
        "label": _label(said, place),
        "dice": roll,
        "result": said.get(
            "says", f"{{{gives}}} of {{len(faces({roll}))}} {gives.replace('_', ' ')}"
        ),
    }
    dice = str(said["dice"])
    found = DICE.fullmatch(str(said["dice"]))
    if found is not None:
        words = "".join(
            f"{word}{said[key]}"
            for key, word in (("rerolls", "r"), ("explodes", "!"))
            if key in said
        )
        dice = f"{dice[: found.end(3)]}{words.replace(' ', '')}{dice[found.end(3) :]}"
    return [
        {"roll": {roll: dice}, "let": {gives: f"how_many({roll}, {said['success']})"}, "say": line}
    ]


def spread(said: Mapping[str, Any], place: Place, where: Path) -> Steps:
    """`spread: {loss: fallen, over: targets, from: men, lost: destroyed}`: losses on the units in
    their order.

    What each has is read before the dice. It sets `unit.fell` (or what `gives` says) and
    `unit.becomes`: the word for lost, else its state; with `words: [unhurt, loses]` one of these.
    Raises TableError.
    """
    number = said["from"]
    lost = str(said["lost"])
    gives = f"unit.{said.get('gives', 'fell')}"
    words = said.get("words", [None, "loses"])
    if not isinstance(words, list) or len(words) != 2:
        raise place.wrong("words are two: [unhurt, loses]", (*where, "words"))
    unhurt, hurt = words
    place.sheet.formulas.tokens |= {lost, str(hurt)} | ({unhurt} if unhurt else set())
    left = f"left_{next(place.sheet.uses)}"
    gone = f"{gives} > 0 and {gives} >= unit.had"
    some = f"{gives} > 0 and {gives} < unit.had"
    becomes = f"({hurt!r} if {gives} > 0 else {unhurt!r})" if unhurt else "unit.state"
    fates = [{"is": lost, "when": gone}, {"is": hurt, "more": f"{{{gives}}}", "when": some}]
    over = str(said["over"])
    each: dict[str, Any] = {
        "each": over,
        "into": said.get("into", over),
        "let": {
            "unit.had": f"unit.{number}",
            gives: f"max(0, min(unit.had, {left}))",
            left: f"{left} - {gives}",
            "unit.becomes": f"{lost!r} if {gone} else {becomes}",
        },
        "fate": [*fates, *([{"is": unhurt, "when": f"{gives} == 0"}] if unhurt else [])],
        "change": [
            {"unit": "unit", "when": f"{gives} > 0", "set": {number: f"unit.had - {gives}"}},
            {"unit": "unit", "when": gone, "set": {"state": repr(lost)}},
        ],
    }
    return [{"let": {left: said["loss"]}}, each | ({"row": said["row"]} if "row" in said else {})]


IDIOMS: Mapping[
    str, tuple[tuple[str, ...], tuple[str, ...], Callable[[Mapping[str, Any], Place, Path], Steps]]
] = {
    "test": (TEST_KEYS, ("dice",), test),
    "pool": (POOL_KEYS, ("dice", "success", "gives"), pool),
    "spread": (SPREAD_KEYS, ("loss", "over", "from", "lost"), spread),
}
"""Steps in short, by their keys: the keys that each has, those that it needs, and what writes it
out.
"""
FORMULAS = ("at_most", "at_least", "loss", "over")


def written_out(key: str, said: object, place: Place, where: Path) -> Steps:
    """The steps that an idiom stands for. Raises TableError for what it lacks."""
    keys, needed, write = IDIOMS[key]
    if not isinstance(said, Mapping):
        raise place.wrong(f"{key} is a mapping of {', '.join(needed)}", where)
    place.closed(key, said, keys, where)
    if missing := [one for one in needed if one not in said]:
        raise place.wrong(f"{key} needs {missing[0]}", where)
    for one in FORMULAS:
        if one in said:
            place.formula(said[one], (*where, one))
    return write(said, place, where)


_CALL = re.compile(r"\s*([a-z_]\w*)\((.*)\)\s*", re.DOTALL)
_HANDED = re.compile(r"(?<!\w)(\w+)\s*=\s*([^=,()]+)")


def chained(said: Mapping[str, Any], place: Place, where: Path) -> tuple[Steps, Steps, set[str]]:
    """`let: {found: "hits(roll=place)"}` where cells of that table name others: `found_next` is
    what the one says that is rolled behind it, with its dice; none where none is. Then the steps
    that say so, and the dice it all came of."""
    steps = Steps()
    says = Steps()
    of = set[str]()
    for name, source in said.items():
        call = _CALL.fullmatch(str(source))
        reader = place.sheet.formulas.readers.get(call[1]) if call is not None else None
        if call is None or reader is None or not reader.table.chain:
            continue
        handed = dict(_HANDED.findall(call[2]))
        steps.append({"let": {f"{name}_next": "none", f"{name}_next_dice": "[]"}})
        of |= {*handed.values()}
        for id, table in reader.table.chain.items():
            then, line = _behind(name, id, table, handed, place, where)
            steps.append(then)
            says.append({"when": then["when"], "say": line})
    return steps, says, of


def is_shown(step: object, dice: set[str]) -> bool:
    """Return whether a step says a line with one of these dice."""
    lines = listed(step.get("say") or []) if isinstance(step, Mapping) else []
    return any(
        not dice.isdisjoint(map(str, listed(line.get("dice", []))))
        for line in lines
        if isinstance(line, dict)
    )


def _behind(
    name: str, id: str, table: Table, handed: Mapping[str, str], place: Place, where: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The step that rolls on a table where a cell has named it, and its line."""
    if any(roll.by or roll.when for roll in table.rolls):
        raise place.wrong(
            f"the dice of {id} hang on its inputs: roll on it in a step of its own", where
        )
    dice = {f"{name}_{roll.option}": roll.dice[None] for roll in table.rolls}
    given = {
        **table.handed(handed),
        **{roll.option: f"{name}_{roll.option}" for roll in table.rolls},
    }
    call = f"{id.replace('-', '_')}({', '.join(f'{key}={value}' for key, value in given.items())})"
    told = [one for one in table.outputs if one not in ("parts", CHAIN)] or ["text"]
    said = [_told(one, f"{name}_next.{one}", table, len(told)) for one in told]
    step = {
        "when": f"{name}.{CHAIN} == '{id}'",
        "roll": {
            key: f"{len(thrown)}{thrown[0].name}: {thrown[0].label}" for key, thrown in dice.items()
        },
        "let": {
            f"{name}_next": call,
            **{f"{name}_next_dice": f"faces({one})" for one in [*dice][:1]},
        },
    }
    return step, {
        "label": table.title,
        "result": f"{{commas({', '.join(said)})}}",
        "dice": f"{name}_next_dice",
    }


def _told(output: str, source: str, table: Table, many: int) -> str:
    """What a table told, as a formula: `supply 0` of several, a word alone."""
    kind = stated(table.outputs.get(output, "text"))
    if kind == "bool":
        return f"words('{output}') if {source} else ''"
    is_number = kind == "number" and many > 1
    return (
        f"text(words('{output}'), ' ', {source})"
        if is_number
        else f"words({source}) if {source} != none else ''"
    )
