"""One unit of a roster that was sent as text, and the errors that name its line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.game.counter_faces import REDUCED
from bot.game.roster import edit_unit
from bot.rules.errors import UserError
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.phrase import Phrase
from bot.rulesets.system import System

NEEDED = ("name", "type")
FIRST_LINE = "First line: name,type,side,morale; then one line per unit."


@dataclass(frozen=True, slots=True)
class RosterLine:
    """One unit of a roster text: its values by column name, and the place of each.

    A place is (line, column number), with 0 for an unknown column.
    """

    line: int
    values: Mapping[str, str]
    places: Mapping[str, tuple[int, int]]

    def get_value(self, column: str) -> str:
        """Return the value of a column. Raise UserError if it is needed and empty."""
        value = self.values.get(column, "").strip()
        if not value and column in NEEDED:
            raise UserError(f"{column} is missing.", option=column, code="missing")
        return value

    @property
    def other_columns(self) -> tuple[str, ...]:
        """Return the columns that are not empty, apart from name, type and side."""
        return tuple(
            key
            for key, value in self.values.items()
            if key not in (*NEEDED, "side") and value.strip()
        )

    def apply_column(self, column: str, unit: RosterUnit, system: System) -> RosterUnit:
        """Return the unit with the stats of a column set. Raise UserError naming the column."""
        value = self.values[column].strip()
        text = value if column in ("stats", "markers", "flags") else f"{column}={value}"
        if column == REDUCED:
            text = f"{REDUCED}: {value}"
        elif column in ("markers", "flags"):
            text = " ".join(re.split(r"[\s,;]+", value))
        try:
            return edit_unit(unit, text, system)
        except UserError as error:
            error.option = column
            raise

    def explain_error(self, error: UserError) -> UserError:
        """Return the error with the line and column at fault."""
        line, column = self.places.get(error.option or "", (self.line, 0))
        place = f"Line {line}"
        if column:
            place += f", column {column} ({error.option})"
        return UserError(
            f"{place}: {error.message}",
            hint=Phrase(error.hint, " " if error.hint else "", "Nothing was added."),
            option="text",
            code=error.code,
        )


@dataclass(slots=True)
class RosterText:
    """The units of a text in order, notes for the player, and the line of its headings."""

    rows: list[RosterLine] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    heading_line: int = 0


def make_roster_error(
    problem: str, line: int = 0, column: int = 0, *, hint: str = "", code: str = ""
) -> UserError:
    """Build the error for a roster text, with the place of the problem. No unit is added."""
    place = ""
    if line and column:
        place = f"Line {line}, column {column}: "
    elif line:
        place = f"Line {line}: "
    return UserError(f"{place}{problem}. Nothing was added.", hint=hint, code=code or "bad-roster")
