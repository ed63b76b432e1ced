"""Steps of a declared sequence, read and checked once: every key, name, type and output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from keyword import iskeyword
from typing import Any

from bot.rules.codes import CODES
from bot.rules.declared.formulas import Formula, Formulas, constant
from bot.rules.declared.setting import Path
from bot.rules.declared.types import FACES, Name, Names, either, items_in, spoken, stated

KEYS = (
    "each", "as", "into", "only", "row", "when", "refuse", "roll", "let", "add", "tell", "say",
    "result", "fate", "change", "headline", "then", "now", "notes", "use", "with", "steps", "gives", "stop", "else",
)  # fmt: skip
"""The keys of a step."""
BLOCK_KEYS = ("needs", "with", "steps")
ROW_KEYS = ("name", "by", "alike")
REFUSE_KEYS = ("say", "hint", "option", "code")
LINE_KEYS = ("label", "dice", "parts", "contributors", "total", "result", "unit", "when")
NOTE_KEYS = {
    "is": ("unit", "is", "more", "when"),
    "say": ("say", "when"),
    "set": ("unit", "when", "set", "add", "give", "take", "mark", "unmark", "of", "drop", "turn"),
}
"""The keys of what is said of a unit, of all, and of a change, by the one that may be there alone."""
DICE = re.compile(r"(\{[^}]*\}|\d{0,2})d(A|\d{1,4}|\{[^}]*\})(?::\s+(.+))?")
MOST_LOOPS, MOST_DEEP, MOST_STEPS = 2, 12, 400
SAID = ("headline", "then", "now", "notes")
WORDED = ("result", "fate")


GOES_WITH = {
    "as": "each", "into": "each", "only": "each", "row": "each", "else": "when", "with": "use", "gives": "use",
}  # fmt: skip
"""Keys that say nothing without another."""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?")


@dataclass
class Parsed:
    """One step, its formulas ready. `inner` and `other` are the steps below it."""

    where: Path
    each: Each | None = None
    when: Formula | None = None
    lets: list[tuple[str, Formula]] = field(default_factory=list)
    """Values set for a block: those of `with`."""
    refuse: Refusal | None = None
    rolls: list[tuple[str, Formula, Formula, Formula]] = field(default_factory=list)
    values: list[tuple[str, Formula]] = field(default_factory=list)
    adds: list[tuple[str, Formula, Formula, bool]] = field(default_factory=list)
    """Key, label, value, and whether the list begins with it."""
    tells: list[Told] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)
    notes: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    inner: list[Parsed] = field(default_factory=list)
    gives: list[tuple[str, Formula]] = field(default_factory=list)
    stop: Formula | None = None
    other: list[Parsed] = field(default_factory=list)


@dataclass
class Refusal:
    """What a refusal says; every second piece of the `hint` is a command."""

    say: Formula
    hint: list[Formula]
    option: Formula
    code: str


@dataclass
class Each:
    """The list that a step goes through; `own` maps the values that each item has of its own to their types."""

    items: Formula
    key: str
    at: str
    into: str
    only: Formula | None
    row: tuple[Formula, str, Formula | None] | None
    own: dict[str, Name]
    held: tuple[str, ...] = ()
    """Names of these keys were in sight before it, and are what they were once it is done."""


@dataclass
class Told:
    """An output that a step tells: of the item at hand, or of the sequence; `key` names it for later steps."""

    of_item: bool
    name: str
    value: Formula
    key: str
    where: Path
    plain: bool = False
    """Whether the items are single values, without names."""
    null: bool = False
    """Whether none is told as null."""

    def path(self, item: str) -> str:
        """Where it is told, `item` being the place of the item at hand: `units[0].`."""
        if self.plain:
            return item.removesuffix(".")
        return f"{item}{self.name}" if self.of_item else self.name


@dataclass
class Place:
    """Where a step is: the names in sight, the output list of its items, how deep it is, whose names it sets."""

    names: Names
    into: str = ""
    loops: int = 0
    deep: int = 0
    own: str = ""

    def inside(self) -> Place:
        """The same for what is below: its names are its own."""
        return replace(self, names=dict(self.names), deep=self.deep + 1)

    def put(self, name: str, type_: str) -> str:
        """Set a name: one in sight keeps its key. Returns the key."""
        old = self.names.get(name)
        owner, dot, rest = name.partition(".")
        key = old.key if old else f"{self.names[owner].key}.{rest}" if dot and owner in self.names else name + self.own
        self.names[name] = Name(key, either(old.type, type_) if old else type_)
        return key


class Loader:
    """Reads the steps of one sequence. `outputs` are its outputs, `items` those of the items of each list."""

    def __init__(self, formulas: Formulas, blocks: Mapping[str, Any], outputs: Mapping[str, Any], odds_by: str) -> None:
        self.formulas, self.setting, self.blocks = formulas, formulas.setting, blocks
        self.odds_by = odds_by.rpartition(".")[2]
        self.outputs, self.items = outputs_of(outputs)
        self.own: dict[str, dict[str, Name]] = {}
        self.by_item: set[str] = set()
        """Lists of single values that are told one by one."""
        self._uses, self._steps, self._using = 0, 0, list[str]()

    def steps(self, steps: object, place: Place, where: Path) -> list[Parsed]:
        """The steps in their order; what they set is seen by those after them."""
        if not isinstance(steps, list):
            raise self.setting.wrong("steps are a list", where)
        if place.deep > MOST_DEEP:
            raise self.setting.wrong("steps inside steps go too deep", where)
        return [self._step(step, place, (*where, number)) for number, step in enumerate(steps)]

    def _step(self, step: object, outside: Place, where: Path) -> Parsed:
        if not isinstance(step, Mapping):
            raise self.setting.wrong("a step is a mapping, such as roll: {die: 1d6}", where)
        self._keys(step, where)
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise self.setting.wrong(f"a sequence has at most {MOST_STEPS} steps", where)
        parsed = Parsed(where)
        place = outside.inside() if {"when", "each", "use"} & step.keys() else outside
        if "each" in step:
            self._each(parsed, step, outside, place)
        if "when" in step:
            parsed.when = self._formula(step["when"], place, (*where, "when"))
        self._doing(parsed, step, place)
        self._telling(parsed, step, place)
        if "use" in step:
            self._block(parsed, step, place, outside)
        elif step.get("steps"):
            parsed.inner = self.steps(step["steps"], _same(place), (*where, "steps"))
        if "stop" in step:
            parsed.stop = self._formula(step["stop"], place, (*where, "stop"))
        if "else" in step:
            parsed.other = self.steps(step["else"], place.inside(), (*where, "else"))
        if parsed.each is not None:
            self._keep_own(parsed.each, step, place)
        return parsed

    def _keys(self, step: Mapping[str, Any], where: Path) -> None:
        """Raise TableError for a key that steps do not have, or that needs another."""
        for key in step:
            if key not in KEYS:
                raise self.setting.wrong(f"a step has no key {key}", (*where, str(key)), str(key), KEYS)
            if (needed := GOES_WITH.get(key, key)) not in step:
                raise self.setting.wrong(f"{key} goes with {needed}, which is not here", (*where, key))

    def _block(self, parsed: Parsed, step: Mapping[str, Any], place: Place, outside: Place) -> None:
        """The block's steps, and the names that it gives back."""
        inside = self._use(parsed, step, place)
        parsed.inner = self.steps(self.blocks[step["use"]]["steps"], inside, ("blocks", step["use"], "steps"))
        self._using.pop()
        place.names |= {name: known for name, known in inside.names.items() if self._of_items(name, place)}
        for outer, inner in self._mapping(step, "gives", parsed.where).items():
            value = self._formula(inner, inside, (*parsed.where, "gives", outer))
            place.put(outer, value.type)
            parsed.gives.append((outside.put(outer, value.type), value))

    def _of_items(self, name: str, place: Place) -> bool:
        """Whether a block set it on an item of the list that is gone through outside."""
        owner, dot, _ = name.partition(".")
        return bool(dot) and owner in place.names and name not in place.names

    def _each(self, parsed: Parsed, step: Mapping[str, Any], outside: Place, place: Place) -> None:
        where = parsed.where
        if outside.loops >= MOST_LOOPS:
            raise self.setting.wrong(f"an each inside {MOST_LOOPS} others", (*where, "each"))
        items, name = self._formula(step["each"], outside, (*where, "each")), str(step.get("as", "unit"))
        if items.type not in ("units", "list", "parts", "any"):
            raise self.setting.wrong(f"each goes through a list, not {spoken(items.type)}", (*where, "each"))
        only = self._formula(step["only"], outside, (*where, "only")) if "only" in step else None
        into = str(step.get("into", step["each"]))
        key, at = name + place.own, f"at{place.own}"
        seen = {known.key for known in outside.names.values()}
        place.names[name], place.names["at"] = Name(key, "unit" if items.type == "units" else "any"), Name(at, "number")
        own = self.own.setdefault(items.source, {})
        place.names |= {f"{name}.{mine}": Name(f"{key}.{mine}", known.type) for mine, known in own.items()}
        place.into, place.loops = into, outside.loops + 1
        row = None
        if "row" in step:
            said = step["row"] if isinstance(step["row"], Mapping) else {"name": step["row"]}
            self._closed("row", said, ROW_KEYS, (*where, "row"))
            named = self._text(said.get("name", "{unit}"), place, (*where, "row"))
            alike = self._formula(said["alike"], outside, (*where, "row")) if "alike" in said else None
            row = (named, self._row_by(said, into, where), alike)
        parsed.each = Each(items, key, at, into, only, row, own, tuple(k for k in (key, at) if k in seen))

    def _row_by(self, said: Mapping[str, Any], into: str, where: Path) -> str:
        """The output of each item that its odds are by: the one that is named, that of `odds_by`, or `result`."""
        items = self.items.get(into, {})
        if self._plain(into):
            return ""
        by = said.get("by") or (self.odds_by if self.odds_by in items else "result")
        if by not in items:
            raise self.setting.wrong(f"there is no output {by} of {into}", (*where, "row"), str(by), items)
        return str(by)

    def _keep_own(self, each: Each, step: Mapping[str, Any], place: Place) -> None:
        start = f"{step.get('as', 'unit')}."
        each.own |= {name[len(start) :]: known for name, known in place.names.items() if name.startswith(start)}

    def _use(self, parsed: Parsed, step: Mapping[str, Any], place: Place) -> Place:
        """The names that the block sees: those it needs, and those of `with`; all others are its own."""
        name, where = str(step["use"]), (*parsed.where, "use")
        block = self.blocks.get(name)
        if not isinstance(block, Mapping) or "steps" not in block:
            raise self.setting.wrong(f"there is no block {name}", where, name, self.blocks)
        self._closed("a block", block, BLOCK_KEYS, ("blocks", name))
        if name in self._using:
            raise self.setting.wrong(f"block {name} uses itself", where)
        self._using.append(name)
        self._uses += 1
        given = {**self._mapping(block, "with", ("blocks", name)), **self._mapping(step, "with", parsed.where)}
        needs, seen = block.get("needs", []), dict[str, Name]()
        for need in needs:
            if need not in place.names and need not in given:
                raise self.setting.wrong(f"block {name} needs {need} set before it", where, str(need), place.names)
            seen |= {known: key for known, key in place.names.items() if known.split(".")[0].rstrip(FACES) == need}
        inside = replace(place.inside(), names=seen, own=f"/{self._uses}")
        for inner, source in given.items():
            value = self._formula(source, place, (*parsed.where, "with", inner))
            inside.names.pop(inner, None)
            parsed.lets.append((inside.put(inner, value.type), value))
        return inside

    def _doing(self, parsed: Parsed, step: Mapping[str, Any], place: Place) -> None:
        where = parsed.where
        if "refuse" in step:
            parsed.refuse = self._refusal(step["refuse"], place, (*where, "refuse"))
        for name, written in self._mapping(step, "roll", where).items():
            self._named(name, (*where, "roll", name))
            parsed.rolls.append(self._roll(str(name), written, place, (*where, "roll", name)))
        for name, source in self._mapping(step, "let", where).items():
            self._named(name, (*where, "let", name))
            value = self._formula(source, place, (*where, "let", name))
            parsed.values.append((place.put(str(name), value.type), value))
        for name, named in self._mapping(step, "add", where).items():
            self._named(name, (*where, "add", name))
            for label, source in self._mapping(step["add"], name, (*where, "add")).items():
                at, fresh = (*where, "add", name, label), name not in place.names
                word, value = self._text(label, place, at), self._formula(source, place, at)
                parsed.adds.append((place.put(str(name), "parts"), word, value, fresh))
            if not named:
                raise self.setting.wrong(f"add needs the parts of {name}", where)

    def _named(self, name: object, where: Path) -> None:
        """Raise TableError for what no formula could read as a name."""
        if not NAME.fullmatch(str(name)):
            raise self.setting.wrong(f"{name} is no name: letters, digits and _ make one", where)
        if any(map(iskeyword, str(name).split("."))):
            raise self.setting.wrong(f"{name} is a word of formulas, not a name", where)

    def _refusal(self, said: object, place: Place, where: Path) -> Refusal:
        said = said if isinstance(said, Mapping) else {"say": said}
        self._closed("refuse", said, REFUSE_KEYS, where)
        if "say" not in said:
            raise self.setting.wrong("refuse needs what it says", where)
        code = said.get("code", "card-refuses")
        if code not in CODES:
            raise self.setting.wrong(f"there is no code {code}", where, str(code), CODES)
        hint = self._pieces(said.get("hint", ""), place, where)
        say, option = (self._text(said.get(key, ""), place, (*where, key)) for key in ("say", "option"))
        return Refusal(say, hint, option, str(code))

    def _pieces(self, template: object, place: Place, where: Path) -> list[Formula]:
        """A text with its commands in backticks: every second piece is one."""
        return [self._text(piece, place, where) for piece in str(template).split("`")]

    def _roll(self, name: str, written: object, place: Place, where: Path) -> tuple[str, Formula, Formula, Formula]:
        found = DICE.fullmatch(str(written))
        if found is None:
            raise self.setting.wrong(f'"{written}" must be dice, such as "2d6: morale check"', where)
        count, sides, label = found.groups()
        labels = (label or name.replace("_", " ")).split(" | ")
        if len(labels) > 1 and (str(len(labels)) != count or "{" in label):
            raise self.setting.wrong(
                f'"{written}" needs as many dice as labels between |, written without formulas', where
            )
        texts = [self._text(text, place, where) for text in (count or "1", sides)]
        texts.append(constant(tuple(labels)) if len(labels) > 1 else self._text(labels[0], place, where))
        key = place.put(name, "number")
        place.names[name + FACES] = Name(key + FACES, "list")
        return key, texts[0], texts[1], texts[2]

    def _telling(self, parsed: Parsed, step: Mapping[str, Any], place: Place) -> None:
        where = parsed.where
        for name, source in self._mapping(step, "tell", where).items():
            at = (*where, "tell", name)
            value = self._formula(source, place, at)
            if value.type in ("unit", "units"):
                raise self.setting.wrong(
                    f"{name} is a word or number, and this is {spoken(value.type)}: quote a word", at
                )
            of_item = self._output(str(name), place.into, value, at)
            key = "" if name in place.names else place.put(str(name), value.type)
            stated = (self.items.get(place.into, {}) if of_item else self.outputs).get(str(name), "")
            plain, null = of_item and self._plain(str(name)), "null" in re.findall(r"\w+", stated)
            self.by_item |= {str(name)} if plain else set()
            parsed.tells.append(Told(of_item, str(name), value, key, at, plain, null))
        for line, at in _each_of(step, "say", where):
            parsed.lines.append(self._line(line, place, at))
        for kind in (*WORDED, "change", *SAID):
            for said, at in _each_of(step, kind, where):
                parsed.notes.append((kind, self._note(kind, said, place, at)))

    def _plain(self, into: str) -> bool:
        """Whether it is an output that lists single values."""
        return into not in self.items and self.outputs.get(into, "").startswith("list")

    def _output(self, name: str, into: str, told: Formula, where: Path) -> bool:
        """Whether the output is one of the item at hand. Raises TableError for one that the sequence has not."""
        items = self.items.get(into, {})
        if name not in items and name not in self.outputs:
            raise self.setting.wrong(f"there is no output {name}", where, name, [*items, *self.outputs])
        said = items[name] if name in items else self.outputs[name]
        want = stated(said)
        if want != "any" and told.type not in (want, "any", "none"):
            raise self.setting.wrong(f"output {name} is {said}, but {spoken(told.type)} is told", where)
        if name in self.items and told.type in ("number", "bool", "text"):
            raise self.setting.wrong(f"{name} is a list; go through one with each, into: {name}", where)
        return name in items or (name == into and self._plain(into))

    def _line(self, line: object, place: Place, where: Path) -> dict[str, Any]:
        if not isinstance(line, Mapping) or "label" not in line:
            raise self.setting.wrong("say needs a label", where)
        self._closed("say", line, LINE_KEYS, where)
        ready: dict[str, Any] = {
            key: self._text(line.get(key, ""), place, (*where, key)) for key in ("label", "result", "unit")
        }
        ready["dice"] = [
            self._formula(f"faces({name})", place, (*where, "dice")) for name in listed(line.get("dice", []))
        ]
        for key in ("parts", "contributors"):
            ready[key] = [one for item in listed(line.get(key, [])) for one in self._parts(item, place, (*where, key))]
        for key in ("total", "when"):
            ready[key] = self._formula(line[key], place, (*where, key)) if key in line else None
        return ready

    def _parts(self, item: object, place: Place, where: Path) -> Iterable[tuple[Formula | None, Formula]]:
        if not isinstance(item, Mapping):
            yield None, self._formula(item, place, where)
            return
        for label, value in item.items():
            yield self._text(label, place, where), self._formula(value, place, where)

    def _note(self, kind: str, said: object, place: Place, where: Path) -> dict[str, Any]:
        main = "is" if kind in WORDED else "set" if kind == "change" else "say"
        one = said if isinstance(said, Mapping) else {main: said}
        self._closed(kind, one, NOTE_KEYS[main], where)
        ready: dict[str, Any] = {}
        if "when" in one:
            ready["when"] = self._formula(one["when"], place, where)
        if main != "say":
            ready["unit"] = self._formula(one.get("unit", "unit"), place, where)
        for key in ("is", "more"):
            if key in one:
                ready[key] = self._text(one[key], place, (*where, key))
        if "say" in one:
            ready["say"] = self._pieces(one["say"], place, where)
        if kind == "change":
            self._change(ready, one, place, where)
        return ready

    def _change(self, ready: dict[str, Any], one: Mapping[str, Any], place: Place, where: Path) -> None:
        """What becomes of the unit."""
        for key in ("drop", "turn"):
            if key in one:
                ready[key] = self._formula(one[key], place, (*where, key))
        for key in ("set", "add", "give", "take"):
            if key in one:
                ready[key] = {
                    n: self._formula(f, place, (*where, key, n)) for n, f in self._mapping(one, key, where).items()
                }
        for key in ("mark", "unmark"):
            if key in one:
                ready[key] = [self._text(word, place, (*where, key)) for word in listed(one[key])]
        if "of" in one:
            ready["of"] = constant(str(one["of"]))

    def _closed(self, what: str, part: Mapping[str, Any], known: tuple[str, ...], where: Path) -> None:
        if strange := [key for key in part if key not in known]:
            raise self.setting.wrong(f"{what} has no {strange[0]}", (*where, str(strange[0])), str(strange[0]), known)

    def _formula(self, source: object, place: Place, where: Path) -> Formula:
        return self.formulas.formula(source, place.names, where)

    def _text(self, template: object, place: Place, where: Path) -> Formula:
        return self.formulas.text(template, place.names, where)

    def _mapping(self, step: Mapping[str, Any], key: str, where: Path) -> Mapping[str, Any]:
        found = step.get(key) or {}
        if not isinstance(found, Mapping):
            raise self.setting.wrong(f"{key} is a mapping of names", (*where, key))
        return found


def _same(place: Place) -> Place:
    """The place of steps below a step: they set names where it does."""
    return Place(place.names, place.into, place.loops, place.deep + 1, place.own)


def _each_of(step: Mapping[str, Any], key: str, where: Path) -> list[tuple[Any, Path]]:
    """The items under a key, which may stand alone, each with where it is."""
    found = step.get(key, [])
    if not isinstance(found, list):
        return [(found, (*where, key))]
    return [(item, (*where, key, number)) for number, item in enumerate(found)]


def listed(items: Any) -> list[Any]:
    """A list of what may stand alone."""
    return items if isinstance(items, list) else [items]


def outputs_of(outputs: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The outputs of a sequence by name, and those of the items of each list."""
    items = {name: found for name, said in outputs.items() if (found := items_in(said))}
    return {name: str(said) for name, said in outputs.items()}, items
