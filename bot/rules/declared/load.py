"""The loader of declared steps: it checks every key, name, type and output once and builds a
program.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
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
from bot.rules.declared.interpreter import Keys, Loop, OuterList
from bot.rules.declared.let_tell import Let, Stop, Tell, read_add, read_let, read_refuse, read_tell
from bot.rules.declared.macros import IDIOMS, WrittenStep, expand_macro, read_chain, shows_dice
from bot.rules.declared.output_steps import MADE, read_note, read_say
from bot.rules.declared.program import Block, Statement, walk_statements
from bot.rules.declared.rolls import read_roll
from bot.rules.declared.step_parser import StepCompiler, StepScope, as_list
from bot.rules.declared.when_each import For, If, ItemRow, build_item_value

READERS: Mapping[str, Callable[[object, StepScope, Path], Iterator[Statement]] | None] = {
    "refuse": read_refuse, "draw": read_draw, "roll": read_roll, **dict.fromkeys(IDIOMS), "choose": read_choose,
    "let": read_let, "add": read_add, "tell": read_tell, "say": read_say, **dict.fromkeys(MADE, read_note),
}  # fmt: skip
"""The keys of what a step does, in the order in which it does it, with the function that reads
each; short forms are expanded first. Add new keys here.
"""
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
"""Keys that need another key in the same step."""
BLOCK_KEYS = ("needs", "with", "steps")
ROW_KEYS = ("name", "by", "alike")
MOST_LOOPS, MAX_DEPTH, MOST_STEPS = 2, 12, 400


class Loader:
    """The loader of the steps of one sequence. `blocks` are those of its file."""

    def __init__(self, sheet: StepCompiler, blocks: Mapping[str, Any]) -> None:
        self.sheet = sheet
        self.blocks = blocks
        self._steps = 0
        self._ahead: list[Any] = []
        """The steps after the current one."""
        self._owed: list[tuple[Any, Mapping[str, Any], Path]] = []
        """Lines of chained tables that wait for a later step, as (step, line, path of the line)."""

    def program(self, steps: object, inputs: Names, path: Path) -> Block:
        """Return the program of the steps of a sequence. Raises TableError with the position of the
        fault.
        """
        self.sheet.given = inputs
        scope = StepScope(self.sheet, dict(inputs))
        body = tell_named_outputs((*self.steps(steps, scope, path), SequenceEnd(scope, path)))
        self._tell_once(body, frozenset())
        return (
            *(Let(key, build_constant(value)) for key, value in self.sheet.begins.items()),
            *body,
        )

    def steps(self, steps: object, scope: StepScope, file_path: Path) -> Block:
        """Return the statements of the steps in order. A step sees the names set before it.

        Lines that a step leaves for later (see `_read_chain`) follow the step that shows its dice.
        Raises TableError for a fault in a step, for steps that are no list, and if steps are nested
        too deep.
        """
        if not isinstance(steps, list):
            raise scope.make_error("steps are a list", file_path)
        if scope.depth > MAX_DEPTH:
            raise scope.make_error("steps are nested too deep", file_path)
        statements = list[Statement]()
        steps_before = self._ahead
        for index, step in enumerate(steps):
            self._ahead = steps[index + 1 :]
            statements += self._step(step, scope, (*file_path, index))
            for due, line, path in [*self._owed]:
                if due is step:
                    self._owed.remove((due, line, path))
                    statements += self._step(line, scope, path)
        self._ahead = steps_before
        return tuple(statements)

    def _step(self, step: object, outside: StepScope, path: Path) -> list[Statement]:
        """Read one step into statements.

        Raises TableError, also for an unknown key and for a key without the one that it goes with.
        """
        if not isinstance(step, Mapping):
            raise outside.make_error("a step is a mapping, such as roll: {die: 1d6}", path)
        for key in step:
            if key not in KEYS:
                raise outside.make_error(
                    f"a step has no key {key}", (*path, str(key)), str(key), KEYS
                )
            needed_key = GOES_WITH.get(key, key)
            if needed_key not in step:
                problem = f"{key} goes with {needed_key}, which is not here"
                raise outside.make_error(problem, (*path, key))
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise outside.make_error(f"a sequence has at most {MOST_STEPS} steps", path)
        below = next((key for key in ("each", "when", "use") if key in step), "")
        scope = outside.enter(below) if below else outside
        read = self._read_each if "each" in step else self._read_when
        statements = read(step, outside, scope, path)
        outside.names |= {
            name: key for name, key in scope.names.items() if "." in name and name in outside.names
        }
        outside.take_types(scope)
        outside.names.update(self.sheet.chosen)
        return statements

    def _read_when(
        self, step: Mapping[str, Any], outside: StepScope, scope: StepScope, path: Path
    ) -> list[Statement]:
        """Read what a step does, and the condition and `else` around it."""
        when = scope.test(step["when"], (*path, "when")) if "when" in step else None
        body: list[Statement] = []
        for key, read_key in READERS.items():
            if key not in step:
                continue
            item_path = (*path, key)
            if read_key is not None:
                body += read_key(step[key], scope, item_path)
                continue
            for macro_step in expand_macro(key, step[key], scope, item_path):
                body += self._step(macro_step, scope, item_path)
        body += self._read_chain(step, scope, path)
        if "use" in step:
            body += self._read_use(step, outside, scope, path)
        elif step.get("steps"):
            body += self.steps(
                step["steps"], replace(scope, depth=scope.depth + 1), (*path, "steps")
            )
        if "each" in step and "choose" not in step:
            body.append(SequenceEnd(scope.copy(), path, of_item=True))
        if "stop" in step:
            stop = scope.test(step["stop"], (*path, "stop"))
            body += [
                If(stop, (SequenceEnd((scope.outer_scope or scope).copy(), path, stops=True),), ()),
                Stop(stop),
            ]
        otherwise_body: Block = ()
        if "else" in step:
            otherwise = scope.enter("when")
            otherwise_body = self.steps(step["else"], otherwise, (*path, "else"))
            scope.take_types(otherwise)
        return body if when is None else [If(when, tuple(body), otherwise_body)]

    def _read_chain(self, step: Mapping[str, Any], scope: StepScope, path: Path) -> list[Statement]:
        """Return what rolls on the tables that cells name, where a `let` of the step calls one.

        The lines of these tables come after the line that shows the dice of the first.
        """
        if "let" not in step or isinstance(step, WrittenStep):
            return []
        item_path = (*path, "let")
        chain = read_chain(step["let"] or {}, scope, item_path)
        body: list[Statement] = []
        for chain_step in chain.steps:
            body += self._step(chain_step, scope, item_path)
        for name, ids in chain.answers.items():
            key = scope.names[name].key
            scope.names[name] = Name(key, get_answer_type(ids, follows=True))
        showing_step = self._find_later_step(step, chain.dice)
        if showing_step is not None:
            self._owed += [(showing_step, line, item_path) for line in chain.lines]
            return body
        for line in chain.lines:
            body += self._step(line, scope, item_path)
        return body

    def _find_later_step(self, step: Mapping[str, Any], dice: Any) -> Any:
        """Return the first step after this one that shows these dice; None if this one shows them
        itself, or none does.
        """
        for line in as_list(step.get("say") or []):
            if shows_dice({"say": line}, dice):
                return None
        later_steps = as_list(step.get("steps") or []) if "use" not in step else []
        if "when" not in step and "each" not in step:
            later_steps = [*later_steps, *self._ahead]
        for later_step in later_steps:
            if shows_dice(later_step, dice):
                return later_step
        return None

    # -- each

    def _read_each(
        self, step: Mapping[str, Any], outside: StepScope, scope: StepScope, path: Path
    ) -> list[Statement]:
        """Read a step that is repeated for each item of a list.

        `outside` is the scope around the loop and `scope` the scope in it. Around the loop, the
        statements save the variables of an outer loop that it would overwrite.

        Raises TableError for a fault in a step, and for a list or `row` that cannot be read.
        """
        items = self._read_loop_list(step, outside, scope, path)
        name = str(step.get("as", "unit"))
        only = outside.formula(step["only"], (*path, "only")) if "only" in step else None
        id = next(self.sheet.loops)
        outer_keys = {name_info.key for name_info in outside.names.values()}
        chosen_key = "" if only is None else f"only {id}"
        loop = Loop(
            f"items {id}",
            f"number {id}",
            name + scope.key_suffix,
            f"at{scope.key_suffix}",
            chosen_key,
        )
        item_names = self._enter_items(step, scope, name, loop, items)
        scope.entered = dict(scope.names)
        row = self._read_row(step["row"], outside, scope, (*path, "row")) if "row" in step else None
        body = self._read_when(step, outside, scope, path)
        item_names |= {
            key[len(name) + 1 :]: name_info
            for key, name_info in scope.names.items()
            if key.startswith(f"{name}.")
        }
        choices = [
            statement for statement in walk_statements(body) if isinstance(statement, Choose)
        ]
        first_lets, last_lets = self._build_item_values(item_names, items, loop, body, choices)
        through = For(
            items,
            only,
            loop,
            (*first_lets, *body, *last_lets),
            scope.outer_lists,
            row if self.sheet.is_list(scope.into) else None,
        )
        saved = {key: f"held {id} {key}" for key in (loop.key, loop.at) if key in outer_keys}
        saves = [Let(saved_key, build_name(key)) for key, saved_key in saved.items()]
        pauses = [Pause(choice.choice, choice.count) for choice in choices]
        restores = [Let(key, build_name(saved_key)) for key, saved_key in saved.items()]
        return [*saves, through, *pauses, *restores]

    def _read_loop_list(
        self, step: Mapping[str, Any], outside: StepScope, scope: StepScope, path: Path
    ) -> Formula:
        """Return the formula of the list that an `each` goes through.

        Raises TableError if it cannot be a list, for too many loops inside each other, and for a
        loop that asks and does something else as well.
        """
        if outside.loops >= MOST_LOOPS:
            raise scope.make_error(f"an each inside {MOST_LOOPS} others", (*path, "each"))
        if "choose" in step and (outside.loops or step.keys() - BESIDE):
            raise scope.make_error(
                "an each that asks does nothing else: roll before it, and read the answers after it",
                path,
            )
        items = outside.formula(step["each"], (*path, "each"))
        if items.type not in ("units", "list", "parts", "any"):
            problem = f"each goes through a list, not {describe_type(items.type)}"
            raise scope.make_error(problem, (*path, "each"))
        return items

    def _build_item_values(
        self,
        item_names: Iterable[str],
        items: Formula,
        loop: Loop,
        body: Sequence[Statement],
        choices: Iterable[Choose],
    ) -> tuple[list[Let], list[Let]]:
        """Return the statements before and after the body of a loop that load and keep the values
        that each item has of its own.

        A value that a choice of the body asks for is none before the answer. A value is kept only
        if the body assigns it.
        """
        first_lets = list[Let]()
        last_lets = list[Let]()
        for item_name in item_names:
            key = f"{loop.key}.{item_name}"
            kept_key = f"own {items.source} {item_name}"
            display_name = f"{items.source} {item_name}"
            self.sheet.begins[kept_key] = ()
            load_lets, keep_let = build_item_value(kept_key, loop, key, display_name)
            first_lets += load_lets
            first_lets += [
                Let(key, build_constant(NONE)) for choice in choices if choice.key == key
            ]
            if any(key in statement.assigns for statement in body):
                last_lets.append(keep_let)
        return first_lets, last_lets

    def _enter_items(
        self, step: Mapping[str, Any], scope: StepScope, name: str, loop: Loop, items: Formula
    ) -> dict[str, Name]:
        """Add the names of an item to the scope of the loop. Return the names that each item has of
        its own.
        """
        scope.names[name] = Name(loop.key, "unit" if items.type == "units" else "any")
        scope.names["at"] = Name(loop.at, "number")
        item_names = self.sheet.own.setdefault(items.source, {})
        scope.names |= {
            f"{name}.{mine}": Name(f"{loop.key}.{mine}", name_info.type)
            for mine, name_info in item_names.items()
        }
        scope.into = str(step.get("into", step["each"]))
        scope.loops = scope.loops + 1
        scope.item = name
        if self.sheet.is_list(scope.into):
            outer_list = OuterList(scope.into, "" if loop.chosen else loop.number)
            scope.outer_lists = (*scope.outer_lists, outer_list)
        scope.asking_item = name if "choose" in step else ""
        return item_names

    def _read_row(self, spec: object, outside: StepScope, scope: StepScope, path: Path) -> ItemRow:
        """Read the `row` of an `each`: how odds show each item of the list.

        `outside` is the scope around the loop.

        Raises TableError for an unknown key or output, and for a formula that cannot be read.
        """
        spec = spec if isinstance(spec, Mapping) else {"name": spec}
        scope.check_keys("row", spec, ROW_KEYS, path)
        name_formula = scope.text(spec.get("name", "{unit}"), path)
        count = outside.formula(spec["alike"], path) if "alike" in spec else None
        into = scope.into
        items = self.sheet.items.get(scope.into, {})
        if self.sheet.plain(into):
            return ItemRow(name_formula, "", count)
        output = str(
            spec.get("by") or (self.sheet.odds_by if self.sheet.odds_by in items else "result")
        )
        if output not in items:
            raise scope.make_error(f"{into} has no output {output}", path, output, items)
        return ItemRow(name_formula, output, count)

    # -- use

    def _read_use(
        self, step: Mapping[str, Any], outside: StepScope, scope: StepScope, path: Path
    ) -> list[Statement]:
        """Read the steps of a block. They see the names that the block needs and those of `with`;
        other names are its own.
        """
        name = str(step["use"])
        item_path = (*path, "use")
        block = self.blocks.get(name)
        if not isinstance(block, Mapping) or "steps" not in block:
            raise scope.make_error(f"there is no block {name}", item_path, name, self.blocks)
        scope.check_keys("a block", block, BLOCK_KEYS, ("blocks", name))
        if name in scope.uses:
            raise scope.make_error(f"block {name} uses itself", item_path)
        values = {
            **scope.mapping(block.get("with"), ("blocks", name, "with")),
            **scope.mapping(step.get("with"), (*path, "with")),
        }
        visible: Names = {}
        for need in block.get("needs", []):
            if need not in scope.names and need not in values:
                raise scope.make_error(
                    f"block {name} needs {need} set before it", item_path, str(need), scope.names
                )
            visible |= {
                scope_name: key
                for scope_name, key in scope.names.items()
                if _belongs(scope_name.split(".")[0].rstrip(FACES), str(need))
            }
        inside = replace(
            scope,
            names=visible,
            depth=scope.depth + 1,
            key_suffix=f"/{next(self.sheet.uses)}",
            uses=(*scope.uses, name),
            outer_scope=scope.outer_scope or scope,
        )
        body: list[Statement] = []
        for inner, source in values.items():
            formula = scope.formula(source, (*path, "with", inner))
            inside.names.pop(inner, None)
            body.append(Let(inside.set_name(inner, formula.type), formula))
        body += self.steps(block["steps"], inside, ("blocks", name, "steps"))
        scope.take_types(inside)
        scope.names |= {
            scope_name: key
            for scope_name, key in inside.names.items()
            if _is_set_on_items(scope_name, scope)
        }
        for outer, inner in scope.mapping(step.get("gives"), (*path, "gives")).items():
            formula = inside.formula(inner, (*path, "gives", outer))
            scope.set_name(outer, formula.type)
            body.append(Let(outside.set_name(outer, formula.type), formula))
        return body

    # -- once

    def _tell_once(self, block: Block, surely: Keys) -> tuple[Keys, bool]:
        """Return the outputs that are certainly set after the block, and whether it certainly ends
        the sequence. Raises TableError for an output that is set twice.
        """
        for statement in block:
            if isinstance(statement, Stop) and statement.always:
                return surely, True
            if isinstance(statement, Tell):
                if statement.path in surely:
                    raise self.sheet.formulas.setting.make_error(
                        f"{statement.path} is told twice", statement.where
                    )
                surely |= {statement.path}
            elif isinstance(statement, If):
                goes_on = [
                    outputs
                    for outputs, ended in map(
                        partial(self._tell_once, surely=surely), statement.blocks()
                    )
                    if not ended
                ]
                if not goes_on:
                    return surely, True
                surely = frozenset.intersection(*goes_on)
            elif isinstance(statement, For):
                self._tell_once(statement.body, surely)
        return surely, False


def _is_set_on_items(name: str, scope: StepScope) -> bool:
    """Return whether a name in a block belongs to an item of a loop around the block."""
    owner, dot, _ = name.partition(".")
    return bool(dot) and owner in scope.names


def _belongs(name: str, need: str) -> bool:
    """Return whether a name is the one needed, or that of a table rolled after it."""
    return name == need or (
        name.startswith(f"{need}_next") and not name.removeprefix(need).replace("_next", "")
    )


# -- outputs that are told by name: what no step tells, and is in sight under that name where the
# steps end


@dataclass(frozen=True, eq=False)
class SequenceEnd(Statement):
    """The end of the steps of a sequence or of an item, or (if `stops`) a point at which either may
    stop.
    """

    scope: StepScope
    where: Path
    of_item: bool = False
    stops: bool = False

    def tells_now(self, new_outputs: set[tuple[str, str]]) -> Iterator[Statement]:
        """Yield the statements that set the outputs which no step sets, from names in scope that
        are the same. Adds the outputs to `new_outputs`.
        """
        told_outputs = self.scope.sheet.told | new_outputs
        if self.of_item or self.stops:
            yield from self._tell_item_outputs(told_outputs, new_outputs)
        if not self.of_item:
            yield from self._tell_outputs(told_outputs, new_outputs)

    def _tell_item_outputs(
        self, told_outputs: Set[tuple[str, str]], new_outputs: set[tuple[str, str]]
    ) -> Iterator[Statement]:
        """Yield the statements that set outputs of the current item. Note an output that could be
        set in two places as an error of the sheet.
        """
        scope = self.scope
        sheet = scope.sheet
        for name, kind in sheet.items.get(scope.into, {}).items():
            output = (scope.into, name)
            source = self._of_item(name)
            if not source:
                continue
            if output in new_outputs and name != scope.item:
                problem = "is set in two places; say which one counts"
                sheet.untold[f"{scope.into}.{name}"] = problem
            elif output not in told_outputs and self._fits(source, kind):
                new_outputs.add(output)
                is_unit = scope.names[source].type == "unit"
                yield from self._tell(name, f"{name}.word" if is_unit else source)

    def _tell_outputs(
        self, told_outputs: Set[tuple[str, str]], new_outputs: set[tuple[str, str]]
    ) -> Iterator[Statement]:
        """Yield the statements that set outputs of the whole sequence."""
        sheet = self.scope.sheet
        for name, kind in sheet.outputs.items():
            is_told = ("", name) in told_outputs or (name, name) in told_outputs
            if not is_told and self._is_set(name, sheet.given) and self._fits(name, kind):
                new_outputs.add(("", name))
                yield from self._tell(name, name)

    def _is_set(self, name: str, names_before: Names) -> bool:
        """Return whether a name exists now and was set since `names_before`."""
        name_info = self.scope.names.get(name)
        return name_info is not None and name_info is not names_before.get(name)

    def _of_item(self, name: str) -> str:
        """Return the name that holds an output of the current item, or ""."""
        item_name = f"{self.scope.item}.{name}"
        names_before = self.scope.entered
        if self._is_set(item_name, names_before):
            return item_name
        return name if self._is_set(name, names_before) or name == self.scope.item else ""

    def _fits(self, source: str, kind: str) -> bool:
        """Return whether the type of a name fits the declared kind of an output."""
        type_ = self.scope.names[source].type
        want = get_stated_type(kind)
        if kind.startswith("list"):
            return type_ == "list" and source not in self.scope.sheet.items
        return type_ != "units" and (
            want == "any" or type_ in (want, "any", "none") or type_ == "unit"
        )

    def _tell(self, name: str, source: str) -> Iterator[Statement]:
        """Yield the statements that set an output, without counting it as set by a step."""
        sheet = self.scope.sheet
        told_before = set(self.scope.sheet.told)
        yield from read_tell({name: source}, self.scope, (*self.where, "tell"))
        sheet.told = told_before


def tell_named_outputs(block: Block) -> Block:
    """Return the program with statements at its ends for the outputs that no step sets. Record the
    problems of those that stay unset.
    """
    new_outputs: set[tuple[str, str]] = set()
    program = _tell_ends(block, new_outputs)
    for statement in block:
        if isinstance(statement, SequenceEnd):
            sheet = statement.scope.sheet
            sheet.by_name = new_outputs
            told_outputs = sheet.told | new_outputs
            outputs = [("", name) for name in sheet.outputs if name not in sheet.items]
            outputs += [(into, name) for into, items in sheet.items.items() for name in items]
            for into, name in outputs:
                if not {(into, name), (name, name)} & told_outputs:
                    problem = (
                        sheet.formulas.is_hidden(name) if name in sheet.formulas.hidden else ""
                    )
                    problem = f"has no value: no step tells it{problem and '; '}{problem}"
                    sheet.untold[".".join(filter(None, (into, name)))] = problem
    return program


def _tell_ends(block: Block, new_outputs: set[tuple[str, str]]) -> Block:
    """Return the block, inner blocks too, with each `SequenceEnd` replaced by what it sets.

    That is each output that no step sets, if a name of the same spelling is in sight. Add these
    outputs to `new_outputs`, except those of an `if` that stops the sequence.
    """
    statements: list[Statement] = []
    for statement in block:
        if isinstance(statement, SequenceEnd):
            statements += statement.tells_now(new_outputs)
        elif isinstance(statement, If):
            outputs_by_way = set(new_outputs), set(new_outputs)
            then_body, otherwise = (
                _tell_ends(way_block, way_outputs)
                for way_block, way_outputs in zip(statement.blocks(), outputs_by_way, strict=True)
            )
            stops = any(isinstance(below, SequenceEnd) and below.stops for below in statement.then)
            new_outputs |= set() if stops else outputs_by_way[0] | outputs_by_way[1]
            if then_body or otherwise or not stops:
                statements.append(If(statement.when, then_body, otherwise))
        else:
            statements.append(statement.map_blocks(partial(_tell_ends, new_outputs=new_outputs)))
    return tuple(statements)
