"""One declared sequence as code: for play, for the odds of what is asked, and for what is refused before the dice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from bot.rules.declared.calls import said
from bot.rules.declared.checks import early_checks, early_rows
from bot.rules.declared.formulas import Formulas
from bot.rules.declared.load import Parsed
from bot.rules.declared.needed import Slicer, asked_key, dice_decide
from bot.rules.declared.planning import odds_plan, plan_of
from bot.rules.declared.program import NOTHING, Block, Builder, Keys, all_formulas, before_dice
from bot.rules.declared.running import SCOPE, UNWORKABLE, Now, unworkable
from bot.rules.declared.segments import Code, Emitter
from bot.rules.sequence.sequence import Plan, Row, row_of

if TYPE_CHECKING:
    from bot.rules.declared.bounds import Bound
    from bot.rules.inputs.options import Option

_INDEX, _PLACE = re.compile(r"\[\d+\]"), re.compile(r"([^.\[\]]+)\[(\d+)\]")
MOST_ASKED = 32
"""For how many sets of outputs the code of their odds is kept."""
Values = Sequence[Any]
Take = Callable[[Values], Values]


class Coded:
    """The code of a sequence, each part written when it is first needed."""

    def __init__(
        self,
        id: str,
        steps: list[Parsed],
        lists: tuple[str, ...],
        listed: frozenset[str],
        by_item: frozenset[str],
        formulas: Formulas,
        inputs: tuple[str, ...],
    ) -> None:
        self._file, self._scope = f"{formulas.setting.file} {id}", {**formulas.scope, **SCOPE}
        self._lists, self._by_item, self._inputs = lists, by_item, inputs
        self.program: Block = Builder(listed, formulas.setting).program(steps)
        read = {key for one in all_formulas(self.program) for key in one.reads}
        self.reads = tuple(sorted(read & set(inputs)))
        """The inputs that any formula reads; what comes in are their values in this order."""
        self._asked: dict[frozenset[str], Code] = {}
        self._lately: dict[tuple[str, ...], Code] = {}

    @cached_property
    def dice(self) -> Keys:
        """The keys that dice decide, always or on some way."""
        return dice_decide(self.program)

    @cached_property
    def _check(self) -> tuple[Callable[..., None], Take] | None:
        found = early_checks(self.program, self._file, self._scope)
        return None if found is None else (found[0], taking(found[1], self.reads))

    @cached_property
    def _row_code(self) -> tuple[Callable[..., Any], Take] | None:
        found = early_rows(self.program, self._file, self._scope)
        return None if found is None else (found[0], taking(found[1], self.reads))

    @cached_property
    def _play(self) -> Code:
        return self._code(None)

    def _kept(self, asked: frozenset[str] | None) -> tuple[Block, Keys]:
        """What of the program is needed, and the inputs that it reads."""
        slicer = Slicer(asked, self.dice, refuses=self._check is None)
        kept, live, _ = slicer.block(self.program, NOTHING, False)
        return kept, live

    def bound(self, path: str, options: tuple[Option, ...], units: int) -> Bound:
        """How many states the odds of an output have, with at most so many `units` in a list."""
        from bot.rules.declared.bounds import bound_of

        return bound_of(self._kept(frozenset((_INDEX.sub("", path),)))[0], options, self._scope, units)

    def _code(self, asked: frozenset[str] | None) -> Code:
        kept, live = self._kept(asked)
        return Emitter(self._file, self._scope, before_dice(kept, (*self._inputs, *live)), asked is not None).code(
            kept, live
        )

    @cached_property
    def _take(self) -> Take:
        return taking(self._play.inputs, self.reads)

    def plan(self, values: Values) -> Plan[Now]:
        """The plan for these inputs. Raises UserError for what the steps refuse."""
        if self._check is not None:
            check, take = self._check
            try:
                check(*take(values))
            except UNWORKABLE as error:
                raise unworkable(error) from None
        rows = () if self._row_code is None else partial(self._rows, values)
        focus = partial(self._focus, values)
        return plan_of(self._play, self._take(values), self._lists, self._by_item, rows, focus)

    def _rows(self, values: Values) -> tuple[Row, ...]:
        assert self._row_code is not None
        find, take = self._row_code
        found = find(*take(values))
        return tuple(replace(row_of(path, said(name)), alike=alike) for path, name, alike in found)

    def _focus(self, values: Values, paths: tuple[str, ...]) -> Plan[Now]:
        """The plan of the odds of some outputs, which remembers no more than these need."""
        code = self._lately.get(paths)
        if code is None:
            if len(self._lately) >= MOST_ASKED:
                self._lately.clear()
            code = self._lately[paths] = self._asked_for(frozenset(_INDEX.sub("", path) for path in paths))
        known = dict(zip(self.reads, values, strict=True))
        if code.places:
            known |= places_in(paths)
        return odds_plan(code, [known[key] for key in code.inputs])

    def _asked_for(self, asked: frozenset[str]) -> Code:
        code = self._asked.get(asked)
        if code is None:
            if len(self._asked) >= MOST_ASKED:
                self._asked.clear()
            code = self._asked[asked] = self._code(asked)
        return code


def taking(wanted: tuple[str, ...], known: tuple[str, ...]) -> Take:
    """How the values of `wanted` are taken from those of all `known` names."""
    if wanted == known:
        return _all_of
    places = [known.index(name) for name in wanted]
    return itemgetter(*places) if len(places) > 1 else lambda values: [values[place] for place in places]


def _all_of(values: Values) -> Values:
    return values


def places_in(paths: Iterable[str]) -> dict[str, frozenset[int]]:
    """The places that are asked for in each list: `targets[0].men[2].fate` has one in `targets` and one in `men`."""
    found: dict[str, set[int]] = {}
    for path in paths:
        for deep, (listed, at) in enumerate(_PLACE.findall(path)):
            found.setdefault(asked_key(deep, listed), set()).add(int(at))
    return {key: frozenset(places) for key, places in found.items()}
