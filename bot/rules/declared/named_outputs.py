"""Outputs that are told by name: what no step tells, and is in sight under that name where the steps end."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from bot.rules.declared.branches import If
from bot.rules.declared.program import Block, Statement
from bot.rules.declared.setting import Names, Path, stated
from bot.rules.declared.step_reader import Place
from bot.rules.declared.values import read_tell


@dataclass(frozen=True, eq=False)
class End(Statement):
    """Where the steps of a sequence end, or those for an item, or (it `stops`) where either may stop."""

    place: Place
    where: Path
    of_item: bool = False
    stops: bool = False

    def tells_now(self, told: set[tuple[str, str]]) -> Iterator[Statement]:
        """The statements that tell what nothing else tells; `told` takes them."""
        place, sheet = self.place, self.place.sheet
        known = sheet.told | told
        if self.of_item or self.stops:
            for name, kind in sheet.items.get(place.into, {}).items():
                at, source = (place.into, name), self._of_item(name)
                if at in told and source and name != place.item:
                    sheet.untold[f"{place.into}.{name}"] = "is set in two places; tell the one that counts"
                elif at not in known and source and self._fits(source, kind):
                    told.add(at)
                    yield from self._tell(name, f"{name}.word" if place.names[source].type == "unit" else source)
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
        """Whether it is in sight, and was set since these were."""
        found = self.place.names.get(name)
        return found is not None and found is not before.get(name)

    def _of_item(self, name: str) -> str:
        """The name that says an output of the item at hand; "" where none is in sight."""
        own, before = f"{self.place.item}.{name}", self.place.entered
        if self._is_set(own, before):
            return own
        return name if self._is_set(name, before) or name == self.place.item else ""

    def _fits(self, source: str, kind: str) -> bool:
        found, want = self.place.names[source].type, stated(kind)
        if kind.startswith("list"):
            return found == "list" and source not in self.place.sheet.items
        return found != "units" and (want == "any" or found in (want, "any", "none") or found == "unit")

    def _tell(self, name: str, source: str) -> Iterator[Statement]:
        """As a step would; it is not known as told by a step."""
        sheet, before = self.place.sheet, set(self.place.sheet.told)
        yield from read_tell({name: source}, self.place, (*self.where, "tell"))
        sheet.told = before


def told_by_name(block: Block) -> Block:
    """The program in which its ends tell what no step tells."""
    told: set[tuple[str, str]] = set()
    made = _made(block, told)
    for one in block:
        if isinstance(one, End):
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


def _made(block: Block, told: set[tuple[str, str]]) -> Block:
    made: list[Statement] = []
    for one in block:
        if isinstance(one, End):
            made += one.tells_now(told)
        elif isinstance(one, If):
            ways = set(told), set(told)
            then, other = (_made(way, seen) for way, seen in zip(one.blocks(), ways, strict=True))
            stops = any(isinstance(below, End) and below.stops for below in one.then)
            told |= set() if stops else ways[0] | ways[1]
            if then or other or not stops:
                made.append(If(one.when, then, other))
        else:
            made.append(one.below(partial(_made, told=told)))
    return tuple(made)
