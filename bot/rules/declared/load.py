"""Steps of a declared sequence, read and checked once: every key, name, type and output,
straight to a program.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bot.rules.declared.choices import BESIDE, Choose, Pause, read_choose
from bot.rules.declared.compile_context import (
    FACES,
    Name,
    Names,
    Path,
    describe_type,
    get_answer_type,
    get_stated_type,
)
from bot.rules.declared.draws import read_draw
from bot.rules.declared.formula import Formula, build_constant, build_name
from bot.rules.declared.formula_functions import NONE
from bot.rules.declared.interpreter import Keys, Loop
from bot.rules.declared.let_tell import Let, Stop, Tell, read_add, read_let, read_refuse, read_tell
from bot.rules.declared.macros import IDIOMS, WrittenStep, expand_macro, read_chain, shows_dice
from bot.rules.declared.output_steps import MADE, read_note, read_say
from bot.rules.declared.program import Block, Statement, walk_statements
from bot.rules.declared.rolls import read_roll
from bot.rules.declared.step_parser import StepCompiler, StepScope, as_list
from bot.rules.declared.when_each import For, If, build_item_value

READERS: Mapping[str, Callable[[object, StepScope, Path], Iterator[Statement]] | None] = {
    "refuse": read_refuse, "draw": read_draw, "roll": read_roll, **dict.fromkeys(IDIOMS), "choose": read_choose,
    "let": read_let, "add": read_add, "tell": read_tell, "say": read_say, **dict.fromkeys(MADE, read_note),
}  # fmt: skip
"""What a step does, in the order in which it does it, and how each key is read; idioms are written
out first. New words go here."""
KEYS = (
    "each",
    "as",
    "into",
    "only",
    "row",
    "when",
    *READERS,
    "use",
    "with",
    "steps",
    "gives",
    "stop",
    "else",
)
"""The keys of a step."""
GOES_WITH = {
    "as": "each", "into": "each", "only": "each", "row": "each", "else": "when", "with": "use", "gives": "use",
}  # fmt: skip
"""Keys that say nothing without another."""
BLOCK_KEYS = ("needs", "with", "steps")
ROW_KEYS = ("name", "by", "alike")
MOST_LOOPS, MOST_DEEP, MOST_STEPS = 2, 12, 400


class Loader:
    """Reads the steps of one sequence; `blocks` are those of its file."""

    def __init__(self, sheet: StepCompiler, blocks: Mapping[str, Any]) -> None:
        self.sheet = sheet
        self.blocks = blocks
        self._steps = 0
        self._ahead: list[Any] = []
        """The steps behind the one at hand."""
        self._owed: list[tuple[Any, Mapping[str, Any], Path]] = []
        """Lines of tables that were rolled on, each with the step behind which it is said."""

    def program(self, steps: object, inputs: Names, where: Path) -> Block:
        """The program of the steps of a sequence. Raises TableError for what is wrong, and
        where.
        """
        self.sheet.given = inputs
        place = StepScope(self.sheet, dict(inputs))
        body = tell_named_outputs((*self.steps(steps, place, where), SequenceEnd(place, where)))
        self._tell_once(body, frozenset())
        return (
            *(Let(key, build_constant(value)) for key, value in self.sheet.begins.items()),
            *body,
        )

    def steps(self, steps: object, place: StepScope, where: Path) -> Block:
        """The steps in their order; what they set is seen by those after them. Raises
        TableError.
        """
        if not isinstance(steps, list):
            raise place.make_error("steps are a list", where)
        if place.deep > MOST_DEEP:
            raise place.make_error("steps inside steps go too deep", where)
        found = list[Statement]()
        before = self._ahead
        for at, step in enumerate(steps):
            self._ahead = steps[at + 1 :]
            found += self._step(step, place, (*where, at))
            for due, one, path in [*self._owed]:
                if due is step:
                    self._owed.remove((due, one, path))
                    found += self._step(one, place, path)
        self._ahead = before
        return tuple(found)

    def _step(self, step: object, outside: StepScope, where: Path) -> list[Statement]:
        if not isinstance(step, Mapping):
            raise outside.make_error("a step is a mapping, such as roll: {die: 1d6}", where)
        for key in step:
            if key not in KEYS:
                raise outside.make_error(
                    f"a step has no key {key}", (*where, str(key)), str(key), KEYS
                )
            if (needed := GOES_WITH.get(key, key)) not in step:
                raise outside.make_error(
                    f"{key} goes with {needed}, which is not here", (*where, key)
                )
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise outside.make_error(f"a sequence has at most {MOST_STEPS} steps", where)
        below = next((key for key in ("each", "when", "use") if key in step), "")
        place = outside.enter(below) if below else outside
        way = self._read_each if "each" in step else self._read_when
        found = way(step, outside, place, where)
        outside.names |= {
            known: key
            for known, key in place.names.items()
            if "." in known and known in outside.names
        }
        outside.take_types(place)
        outside.names.update(self.sheet.chosen)
        return found

    def _read_when(
        self, step: Mapping[str, Any], outside: StepScope, place: StepScope, where: Path
    ) -> list[Statement]:
        """What a step does, if it holds, and otherwise."""
        when = place.test(step["when"], (*where, "when")) if "when" in step else None
        body: list[Statement] = []
        for key, read in READERS.items():
            if key not in step:
                continue
            at = (*where, key)
            if read is not None:
                body += read(step[key], place, at)
                continue
            for one in expand_macro(key, step[key], place, at):
                body += self._step(one, place, at)
        body += self._read_chain(step, place, where)
        if "use" in step:
            body += self._read_use(step, outside, place, where)
        elif step.get("steps"):
            body += self.steps(
                step["steps"], replace(place, deep=place.deep + 1), (*where, "steps")
            )
        if "each" in step and "choose" not in step:
            body.append(SequenceEnd(place.copy(), where, of_item=True))
        if "stop" in step:
            stop = place.test(step["stop"], (*where, "stop"))
            body += [
                If(stop, (SequenceEnd((place.around or place).copy(), where, stops=True),), ()),
                Stop(stop),
            ]
        other: Block = ()
        if "else" in step:
            otherwise = place.enter("when")
            other = self.steps(step["else"], otherwise, (*where, "else"))
            place.take_types(otherwise)
        return body if when is None else [If(when, tuple(body), other)]

    def _read_chain(
        self, step: Mapping[str, Any], place: StepScope, where: Path
    ) -> list[Statement]:
        """Return what rolls on the tables that cells name, where a `let` of the step calls one.

        The lines of these tables come after the line that shows the dice of the first.
        """
        if "let" not in step or isinstance(step, WrittenStep):
            return []
        at = (*where, "let")
        chain = read_chain(step["let"] or {}, place, at)
        body: list[Statement] = []
        for one in chain.steps:
            body += self._step(one, place, at)
        for name, ids in chain.answers.items():
            key = place.names[name].key
            place.names[name] = Name(key, get_answer_type(ids, follows=True))
        lines = chain.lines
        if not any(
            shows_dice({"say": line}, chain.dice) for line in as_list(step.get("say") or [])
        ):
            later = as_list(step.get("steps") or []) if "use" not in step else []
            if "when" not in step and "each" not in step:
                later = [*later, *self._ahead]
            due = next((one for one in later if shows_dice(one, chain.dice)), None)
            if due is not None:
                self._owed += [(due, line, at) for line in lines]
                lines = []
        for one in lines:
            body += self._step(one, place, at)
        return body

    # -- each

    def _read_each(
        self, step: Mapping[str, Any], outside: StepScope, place: StepScope, where: Path
    ) -> list[Statement]:
        """What a step does for each item of a list."""
        if outside.loops >= MOST_LOOPS:
            raise place.make_error(f"an each inside {MOST_LOOPS} others", (*where, "each"))
        if "choose" in step and (outside.loops or step.keys() - BESIDE):
            raise place.make_error(
                "an each that asks does nothing else: roll before it, and read the answers after it",
                where,
            )
        items = outside.formula(step["each"], (*where, "each"))
        name = str(step.get("as", "unit"))
        if items.type not in ("units", "list", "parts", "any"):
            raise place.make_error(
                f"each goes through a list, not {describe_type(items.type)}", (*where, "each")
            )
        only = outside.formula(step["only"], (*where, "only")) if "only" in step else None
        id = next(self.sheet.loops)
        seen = {known.key for known in outside.names.values()}
        chosen = "" if only is None else f"only {id}"
        loop = Loop(f"items {id}", f"number {id}", name + place.own, f"at{place.own}", chosen)
        own = self._enter_items(step, place, name, loop, items)
        place.entered = dict(place.names)
        row = (
            self._read_row(step["row"], outside, place, (*where, "row")) if "row" in step else None
        )
        body = self._read_when(step, outside, place, where)
        own |= {
            key[len(name) + 1 :]: known
            for key, known in place.names.items()
            if key.startswith(f"{name}.")
        }
        before = list[Let]()
        after = list[Let]()
        for mine in own:
            key = f"{loop.key}.{mine}"
            kept = f"own {items.source} {mine}"
            shown = f"{items.source} {mine}"
            self.sheet.begins[kept] = ()
            first, last = build_item_value(kept, loop, key, shown)
            before += first
            before += [
                Let(key, build_constant(NONE))
                for one in walk_statements(body)
                if isinstance(one, Choose) and one.key == key
            ]
            after += [last] if any(key in one.assigns for one in body) else []
        through = For(
            items,
            only,
            loop,
            (*before, *body, *after),
            place.within,
            row if self.sheet.is_list(place.into) else None,
        )
        held = {key: f"held {id} {key}" for key in (loop.key, loop.at) if key in seen}
        return [
            *(Let(aside, build_name(key)) for key, aside in held.items()), through,
            *(Pause(one.choice, one.count) for one in walk_statements(body) if isinstance(one, Choose)),
            *(Let(key, build_name(aside)) for key, aside in held.items()),
        ]  # fmt: skip

    def _enter_items(
        self, step: Mapping[str, Any], place: StepScope, name: str, loop: Loop, items: Formula
    ) -> dict[str, Name]:
        """What is in sight of each item, and where it is; returns the values that items have of
        their own.
        """
        place.names[name] = Name(loop.key, "unit" if items.type == "units" else "any")
        place.names["at"] = Name(loop.at, "number")
        own = self.sheet.own.setdefault(items.source, {})
        place.names |= {
            f"{name}.{mine}": Name(f"{loop.key}.{mine}", known.type) for mine, known in own.items()
        }
        place.into = str(step.get("into", step["each"]))
        place.loops = place.loops + 1
        place.item = name
        if self.sheet.is_list(place.into):
            place.within = (*place.within, (place.into, "" if loop.chosen else loop.number))
        place.asks = name if "choose" in step else ""
        return own

    def _read_row(
        self, said: object, outside: StepScope, place: StepScope, where: Path
    ) -> tuple[Formula, str, Formula | None]:
        """How odds show an item: its name, the output that they are by, and how many alike the
        first stands for.
        """
        said = said if isinstance(said, Mapping) else {"name": said}
        place.check_keys("row", said, ROW_KEYS, where)
        named = place.text(said.get("name", "{unit}"), where)
        alike = outside.formula(said["alike"], where) if "alike" in said else None
        into = place.into
        items = self.sheet.items.get(place.into, {})
        if self.sheet.plain(into):
            return named, "", alike
        by = str(
            said.get("by") or (self.sheet.odds_by if self.sheet.odds_by in items else "result")
        )
        if by not in items:
            raise place.make_error(f"there is no output {by} of {into}", where, by, items)
        return named, by, alike

    # -- use

    def _read_use(
        self, step: Mapping[str, Any], outside: StepScope, place: StepScope, where: Path
    ) -> list[Statement]:
        """The block's steps; they see the names that it needs, and those of `with`; all others
        are its own.
        """
        name = str(step["use"])
        at = (*where, "use")
        block = self.blocks.get(name)
        if not isinstance(block, Mapping) or "steps" not in block:
            raise place.make_error(f"there is no block {name}", at, name, self.blocks)
        place.check_keys("a block", block, BLOCK_KEYS, ("blocks", name))
        if name in place.uses:
            raise place.make_error(f"block {name} uses itself", at)
        given = {
            **place.mapping(block.get("with"), ("blocks", name, "with")),
            **place.mapping(step.get("with"), (*where, "with")),
        }
        seen: Names = {}
        for need in block.get("needs", []):
            if need not in place.names and need not in given:
                raise place.make_error(
                    f"block {name} needs {need} set before it", at, str(need), place.names
                )
            seen |= {
                known: key
                for known, key in place.names.items()
                if _belongs(known.split(".")[0].rstrip(FACES), str(need))
            }
        inside = replace(
            place,
            names=seen,
            deep=place.deep + 1,
            own=f"/{next(self.sheet.uses)}",
            uses=(*place.uses, name),
            around=place.around or place,
        )
        body: list[Statement] = []
        for inner, source in given.items():
            found = place.formula(source, (*where, "with", inner))
            inside.names.pop(inner, None)
            body.append(Let(inside.set_name(inner, found.type), found))
        body += self.steps(block["steps"], inside, ("blocks", name, "steps"))
        place.take_types(inside)
        place.names |= {
            known: key for known, key in inside.names.items() if _is_set_on_items(known, place)
        }
        for outer, inner in place.mapping(step.get("gives"), (*where, "gives")).items():
            found = inside.formula(inner, (*where, "gives", outer))
            place.set_name(outer, found.type)
            body.append(Let(outside.set_name(outer, found.type), found))
        return body

    # -- once

    def _tell_once(self, block: Block, surely: Keys) -> tuple[Keys, bool]:
        """What is told for sure after the block, and whether it ends there. Raises TableError
        for a second time.
        """
        for one in block:
            if isinstance(one, Stop) and one.always:
                return surely, True
            if isinstance(one, Tell):
                if one.path in surely:
                    raise self.sheet.formulas.setting.make_error(
                        f"{one.path} is told twice", one.where
                    )
                surely |= {one.path}
            elif isinstance(one, If):
                goes_on = [
                    told
                    for told, ended in map(partial(self._tell_once, surely=surely), one.blocks())
                    if not ended
                ]
                if not goes_on:
                    return surely, True
                surely = frozenset.intersection(*goes_on)
            elif isinstance(one, For):
                self._tell_once(one.body, surely)
        return surely, False


def _is_set_on_items(name: str, place: StepScope) -> bool:
    """Return whether a block may have set it on an item of the list that is gone through outside."""
    owner, dot, _ = name.partition(".")
    return bool(dot) and owner in place.names


def _belongs(name: str, need: str) -> bool:
    """Return whether a name is the one needed, or that of a table rolled after it."""
    return name == need or (
        name.startswith(f"{need}_next") and not name.removeprefix(need).replace("_next", "")
    )


# -- outputs that are told by name: what no step tells, and is in sight under that name where the
# steps end


@dataclass(frozen=True, eq=False)
class SequenceEnd(Statement):
    """Where the steps of a sequence end, or those for an item, or (it `stops`) where either may
    stop.
    """

    place: StepScope
    where: Path
    of_item: bool = False
    stops: bool = False

    def tells_now(self, told: set[tuple[str, str]]) -> Iterator[Statement]:
        """The statements that tell what nothing else tells; `told` takes them."""
        place = self.place
        sheet = self.place.sheet
        known = sheet.told | told
        if self.of_item or self.stops:
            for name, kind in sheet.items.get(place.into, {}).items():
                at = (place.into, name)
                source = self._of_item(name)
                if at in told and source and name != place.item:
                    sheet.untold[f"{place.into}.{name}"] = (
                        "is set in two places; tell the one that counts"
                    )
                elif at not in known and source and self._fits(source, kind):
                    told.add(at)
                    yield from self._tell(
                        name, f"{name}.word" if place.names[source].type == "unit" else source
                    )
        if not self.of_item:
            for name, kind in sheet.outputs.items():
                if (
                    self._is_set(name, sheet.given)
                    and not {("", name), (name, name)} & known
                    and self._fits(name, kind)
                ):
                    told.add(("", name))
                    yield from self._tell(name, name)

    def _is_set(self, name: str, before: Names) -> bool:
        """Return whether it is in sight, and was set since these were."""
        found = self.place.names.get(name)
        return found is not None and found is not before.get(name)

    def _of_item(self, name: str) -> str:
        """The name that says an output of the item at hand; "" where none is in sight."""
        own = f"{self.place.item}.{name}"
        before = self.place.entered
        if self._is_set(own, before):
            return own
        return name if self._is_set(name, before) or name == self.place.item else ""

    def _fits(self, source: str, kind: str) -> bool:
        found = self.place.names[source].type
        want = get_stated_type(kind)
        if kind.startswith("list"):
            return found == "list" and source not in self.place.sheet.items
        return found != "units" and (
            want == "any" or found in (want, "any", "none") or found == "unit"
        )

    def _tell(self, name: str, source: str) -> Iterator[Statement]:
        """As a step would; it is not known as told by a step."""
        sheet = self.place.sheet
        before = set(self.place.sheet.told)
        yield from read_tell({name: source}, self.place, (*self.where, "tell"))
        sheet.told = before


def tell_named_outputs(block: Block) -> Block:
    """The program in which its ends tell what no step tells."""
    told: set[tuple[str, str]] = set()
    made = _tell_ends(block, told)
    for one in block:
        if isinstance(one, SequenceEnd):
            sheet = one.place.sheet
            sheet.by_name = told
            known = sheet.told | told
            outputs = [("", name) for name in sheet.outputs if name not in sheet.items]
            outputs += [(into, name) for into, items in sheet.items.items() for name in items]
            for into, name in outputs:
                if not {(into, name), (name, name)} & known:
                    why = sheet.formulas.is_hidden(name) if name in sheet.formulas.hidden else ""
                    why = f"is told by no step{why and '; '}{why}"
                    sheet.untold[".".join(filter(None, (into, name)))] = why
    return made


def _tell_ends(block: Block, told: set[tuple[str, str]]) -> Block:
    made: list[Statement] = []
    for one in block:
        if isinstance(one, SequenceEnd):
            made += one.tells_now(told)
        elif isinstance(one, If):
            ways = set(told), set(told)
            then, other = (
                _tell_ends(way, seen) for way, seen in zip(one.blocks(), ways, strict=True)
            )
            stops = any(isinstance(below, SequenceEnd) and below.stops for below in one.then)
            told |= set() if stops else ways[0] | ways[1]
            if then or other or not stops:
                made.append(If(one.when, then, other))
        else:
            made.append(one.map_blocks(partial(_tell_ends, told=told)))
    return tuple(made)
