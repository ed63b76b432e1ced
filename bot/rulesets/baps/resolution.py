"""The Combat Resolution Table at work: its rows and cells, what the dice do to one man, and the
odds of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from bot.rules.dice import Die
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Line, OddsRow, Outputs, format_minus
from bot.rules.tables.table import Tables
from bot.rulesets.baps.men import SAID, get_result_token

D6 = range(1, 7)
D20 = range(1, 21)
LOWEST_ROW = -6
HIGHEST_ROW = 9
MOST_MEN = 10
FATAL = 3
_WOUNDS = {"wound-1": 1, "wound-2": 2}
_SHARED = frozenset(
    {"roll-2-k", "roll-1-2-k", "roll-note-1", "roll-note-2", "roll-note-3", "roll-note-4"}
)

Cell = tuple[str, ...]
"""What each roll from 1 to 20 gives."""


def find_printed_row(difference: int) -> tuple[int, int]:
    """The row -6..9 for attack minus defense, and how many times each man is rolled for.

    Above row 9 the row is halved, fractions dropped, and the rolls double, until a printed row is
    reached. Source: Infantry Charts, note on large attack factors (the rest of the note is lost;
    our reading).
    """
    row = max(difference, LOWEST_ROW)
    passes = 1
    while row > HIGHEST_ROW:
        row = row // 2
        passes = passes * 2
    return row, passes


def format_row(difference: int) -> str:
    """The row for the story: `row 4`, or `row 8, 2 dice a man` beyond the printed ones."""
    row, passes = find_printed_row(difference)
    return f"row {format_minus(row)}" + (f", {passes} dice a man" if passes > 1 else "")


class Hurt(NamedTuple):
    """What the dice of this attack have done to a man so far, and the shared entry that owes one
    more d6.

    `one` says whether a d20 that counts for ammunition showed a 1.
    """

    rolled: int = 0
    wounds: int = 0
    suppressed: bool = False
    killed: bool = False
    entry: str = ""
    one: bool = False

    def apply_entry(self, word: str, d20s: int, one: bool) -> Hurt:
        """The man after an entry of the table; each field by name would cost the odds most of
        their time.
        """
        return Hurt(
            self.rolled + d20s,
            min(FATAL, self.wounds + _WOUNDS[word]) if word in _WOUNDS else self.wounds,
            self.suppressed or word == "suppressed",
            self.killed or word == "killed",
            word if word in _SHARED else "",
            self.one or one,
        )

    @property
    def result(self) -> str:
        """The result of this attack alone: none, suppressed, wound-1, wound-2 or killed."""
        if self.killed or self.wounds >= FATAL:
            return "killed"
        if self.wounds:
            return f"wound-{self.wounds}"
        return "suppressed" if self.suppressed else "none"


UNHURT = Hurt()


class Man(NamedTuple):
    """One man under attack: the cell that each d20 is read in, where the outputs are, what is known
    of them.

    `before` are the wounds of before this attack; `where` names the row of each d20 for the story,
    where that is the man's own; `facts` are the outputs that go with the result; `counts_ones` says
    whether a natural 1 matters to the attackers' ammunition, `rides` whether they are in a vehicle.
    """

    unit: Unit
    name: str
    cells: tuple[Cell, ...]
    path: str
    before: int
    facts: Mapping[str, Any]
    where: tuple[str, ...] = ()
    counts_ones: bool = False
    rides: bool = False

    def is_dead(self, hurt: Hurt) -> bool:
        """Return whether a die or a third wound killed this man, old ones counted."""
        return hurt.killed or self.before + hurt.wounds >= FATAL

    def is_finished(self, hurt: Hurt) -> bool:
        """Return whether no more dice are rolled for this man."""
        return not hurt.entry and (hurt.rolled == len(self.cells) or self.is_dead(hurt))

    def build_outputs(self, hurt: Hurt) -> dict[str, Any]:
        """The outputs once the last die is rolled: result, wounds in all (3 when killed) and state
        afterwards.

        A wound does not suppress, but it does not lift what another die of this attack did either.
        """
        dead = self.is_dead(hurt)
        path = self.path
        down = hurt.suppressed or "suppressed" in self.unit.flags
        told = {f"{path}.{name}": value for name, value in self.facts.items()}
        told[f"{path}.result"] = hurt.result
        told[f"{path}.wounds"] = FATAL if dead else self.before + hurt.wounds
        told[f"{path}.after"] = "killed" if dead else "suppressed" if down else "ready"
        return told

    def build_line(self, before: Hurt, die: int, after: Hurt) -> Line:
        """The line of one die: the man, where it is read if that is the man's own, and why it
        kills if it does not.
        """
        where = "shared result" if before.entry else self.where[before.rolled] if self.where else ""
        if not after.killed and self.is_dead(after):
            where = f"{where}, third wound" if where else "third wound"
        return Line(self.name, (die,), (), None, where, (), self.name if self.rides else "")


class ResolutionTable:
    """The table and its shared results for one plan."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def get_cell(self, row: int, men: int) -> Cell:
        """The results of rolls 1 to 20 in a printed row, in the column of `men` (more than 10
        read 10).
        """
        return self._tables["crt"].get_column("result", row=row, men=min(men, MOST_MEN), roll=D20)

    def list_owed_dice(self, man: Man, hurt: Hurt) -> tuple[Die, ...]:
        """The die that is rolled next."""
        return (
            Die(f"shared result {man.name}", 6)
            if hurt.entry
            else Die(f"resolution {man.name}", 20),
        )

    def strike(self, man: Man, hurt: Hurt, die: int) -> Hurt:
        """The man after one more die."""
        if hurt.entry:
            shared = self._tables["crt-split"].get_column("result", entry=hurt.entry, roll=D6)
            return hurt.apply_entry(shared[die - 1], 0, False)
        return hurt.apply_entry(man.cells[hurt.rolled][die - 1], 1, die == 1 and man.counts_ones)


# -- the rows of the odds

SUPPRESSED = ", suppressed"


def build_rows(men: Iterable[Man], *first: OddsRow) -> Callable[[], tuple[OddsRow, ...]]:
    """What makes the odds of each man, behind those `first`. Old wounds count: whoever is dead
    afterwards is killed.
    """
    return lambda: (*first, *map(_build_row, men))


def _build_row(man: Man) -> OddsRow:
    result = f"{man.path}.result"
    after = f"{man.path}.after"

    def read(told: Outputs) -> str | None:
        if result not in told:
            return None
        if told[after] == "killed":
            return "killed"
        also = told[result].startswith("wound") and told[after] == "suppressed"
        return f"{told[result]}{SUPPRESSED if also else ''}"

    return OddsRow(man.name, (result, after), read, _format_result)


def _format_result(value: str) -> str:
    result = value.removesuffix(SUPPRESSED)
    token = get_result_token(
        {"result": result, "after": "suppressed" if result != value else "ready"}
    )
    return SAID.get(token, token)
