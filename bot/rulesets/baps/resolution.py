"""The Combat Resolution Table: its rows and cells, the effect of the dice on one man, and the
rows of the odds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from bot.rules.dice import Die
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Line, OddsRow, Outputs, format_minus
from bot.rules.tables.table import Tables
from bot.rulesets.baps.men import ANSWER_WORDS, get_result_token

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
"""The results of the rolls 1 to 20."""


def find_printed_row(difference: int) -> tuple[int, int]:
    """Return the row (-6 to 9) for attack minus defense, and how many d20 are rolled for each man.

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
    """Format the row of attack minus defense: `row 4`, or `row 8, 2 dice a man` if the difference
    is beyond the printed rows.
    """
    row, passes = find_printed_row(difference)
    text = f"row {format_minus(row)}"
    if passes > 1:
        text += f", {passes} dice a man"
    return text


class Hurt(NamedTuple):
    """The effect of this attack's dice on a man so far.

    `rolled` counts the d20, `wounds` only those of this attack. `entry` is the shared entry of the
    table for which one more d6 is due, or "". `has_one`: a d20 that counts for ammunition showed a
    1.
    """

    rolled: int = 0
    wounds: int = 0
    suppressed: bool = False
    killed: bool = False
    entry: str = ""
    has_one: bool = False

    def apply_entry(self, word: str, d20s: int, has_one: bool) -> Hurt:
        """Return the effect with the entry `word` of the table added.

        `d20s` is the number of d20 rolled for it (0 after the d6 of a shared entry).
        """
        wounds = self.wounds
        if word in _WOUNDS:
            wounds = min(FATAL, wounds + _WOUNDS[word])
        entry = word if word in _SHARED else ""
        # By position: `_replace` with each field by name would cost the odds most of their time.
        return Hurt(
            self.rolled + d20s,
            wounds,
            self.suppressed or word == "suppressed",
            self.killed or word == "killed",
            entry,
            self.has_one or has_one,
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
    """One man under attack: the cells in which their d20 are read, and the path of the outputs.

    - `before`: the wounds before this attack.
    - `facts`: the outputs that are set together with the result.
    - `row_names`: the row of each d20 for the line of the answer, if the man has rows of their own.
    - `counts_ones`: a natural 1 matters to the attackers' ammunition.
    - `rides`: the man is in a vehicle.
    """

    unit: Unit
    name: str
    cells: tuple[Cell, ...]
    path: str
    before: int
    facts: Mapping[str, Any]
    row_names: tuple[str, ...] = ()
    counts_ones: bool = False
    rides: bool = False

    def is_dead(self, hurt: Hurt) -> bool:
        """Return whether a die or a third wound killed this man, old wounds included."""
        return hurt.killed or self.before + hurt.wounds >= FATAL

    def is_finished(self, hurt: Hurt) -> bool:
        """Return whether no more dice are rolled for this man: all d20 are rolled or the man is dead,
        and no shared entry is due.
        """
        return not hurt.entry and (hurt.rolled == len(self.cells) or self.is_dead(hurt))

    def build_outputs(self, hurt: Hurt) -> dict[str, Any]:
        """Return the outputs after the last die: facts, result of this attack, wounds in all (3
        if killed) and state `after`.

        A wound does not suppress, but it does not lift what another die of this attack did either.
        """
        is_dead = self.is_dead(hurt)
        path = self.path
        if is_dead:
            state = "killed"
        elif hurt.suppressed or "suppressed" in self.unit.flags:
            state = "suppressed"
        else:
            state = "ready"
        outputs = {f"{path}.{name}": value for name, value in self.facts.items()}
        outputs[f"{path}.result"] = hurt.result
        outputs[f"{path}.wounds"] = FATAL if is_dead else self.before + hurt.wounds
        outputs[f"{path}.after"] = state
        return outputs

    def build_line(self, before: Hurt, die: int, after: Hurt) -> Line:
        """Return the line of one die: the man, the table row if it is the man's own, and `third
        wound` if that killed the man.
        """
        if before.entry:
            remark = "shared result"
        elif self.row_names:
            remark = self.row_names[before.rolled]
        else:
            remark = ""
        if not after.killed and self.is_dead(after):
            remark = f"{remark}, third wound" if remark else "third wound"
        return Line(self.name, (die,), (), None, remark, (), self.name if self.rides else "")


class ResolutionTable:
    """The Combat Resolution Table and the table of its shared results."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def get_cell(self, row: int, men: int) -> Cell:
        """Return the results of rolls 1 to 20 in a printed row, in the column for `men` men (at
        most 10).
        """
        return self._tables["crt"].get_column("result", row=row, men=min(men, MOST_MEN), roll=D20)

    def list_owed_dice(self, man: Man, hurt: Hurt) -> tuple[Die, ...]:
        """Return the one die that is rolled next: a d6 for a shared entry, else a d20."""
        if hurt.entry:
            return (Die(f"shared result {man.name}", 6),)
        return (Die(f"resolution {man.name}", 20),)

    def strike(self, man: Man, hurt: Hurt, die: int) -> Hurt:
        """Return the effect on the man after `die`: a d6 for a shared entry, else their next d20."""
        if hurt.entry:
            shared = self._tables["crt-split"].get_column("result", entry=hurt.entry, roll=D6)
            return hurt.apply_entry(shared[die - 1], 0, False)
        return hurt.apply_entry(man.cells[hurt.rolled][die - 1], 1, die == 1 and man.counts_ones)


# -- the rows of the odds

SUPPRESSED = ", suppressed"


def build_rows(men: Iterable[Man], *leading_rows: OddsRow) -> Callable[[], tuple[OddsRow, ...]]:
    """Return a function that returns the odds rows: `leading_rows`, then one for each man.

    Old wounds count: a man who is dead afterwards is killed, whatever the result of this attack.
    """
    return lambda: (*leading_rows, *map(_build_row, men))


def _build_row(man: Man) -> OddsRow:
    result = f"{man.path}.result"
    after = f"{man.path}.after"

    def read(outputs: Outputs) -> str | None:
        if result not in outputs:
            return None
        if outputs[after] == "killed":
            return "killed"
        is_wounded = outputs[result].startswith("wound")
        if is_wounded and outputs[after] == "suppressed":
            return f"{outputs[result]}{SUPPRESSED}"
        return str(outputs[result])

    return OddsRow(man.name, (result, after), read, _format_result)


def _format_result(value: str) -> str:
    """Return a result of the odds in the words of answers."""
    result = value.removesuffix(SUPPRESSED)
    state = "suppressed" if result != value else "ready"
    token = get_result_token({"result": result, "after": state})
    return ANSWER_WORDS.get(token, token)
