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
    """One unit of the text: its values by column name, and where each is (line, column number or
    0).
    """

    line: int
    values: Mapping[str, str]
    places: Mapping[str, tuple[int, int]]

    def get_value(self, column: str) -> str:
        """The value of a column. Raises UserError naming the line where one that is needed is
        empty.
        """
        value = self.values.get(column, "").strip()
        if not value and column in NEEDED:
            raise UserError(f"{column} is missing.", option=column, code="missing")
        return value

    @property
    def other_columns(self) -> tuple[str, ...]:
        """The columns beside name, type and side that are not empty."""
        return tuple(
            key
            for key, value in self.values.items()
            if key not in (*NEEDED, "side") and value.strip()
        )

    def apply_column(self, column: str, unit: RosterUnit, system: System) -> RosterUnit:
        """The unit with the stats of a column set. Raises UserError naming the column."""
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
        """The error with the line and column at fault."""
        line, column = self.places.get(error.option or "", (self.line, 0))
        place = f"Line {line}" + (f", column {column} ({error.option})" if column else "")
        return UserError(
            f"{place}: {error.message}",
            hint=Phrase(error.hint, " " if error.hint else "", "Nothing was added."),
            option="text",
            code=error.code,
        )


@dataclass(slots=True)
class RosterText:
    """The units of a text in order, what is to be said about it, and the line of its headings."""

    rows: list[RosterLine] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    heading_line: int = 0


def make_roster_error(
    what: str, line: int = 0, column: int = 0, *, hint: str = "", code: str = ""
) -> UserError:
    """What is wrong with the text, and where; none of its units is added."""
    place = (f"Line {line}, column {column}: " if column else f"Line {line}: ") if line else ""
    return UserError(f"{place}{what}. Nothing was added.", hint=hint, code=code or "bad-roster")
