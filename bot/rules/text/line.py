"""One line of an answer: a roll, its modifiers and its result."""

from collections.abc import Callable
from typing import NamedTuple


class Line(NamedTuple):
    """A line of the explanation: `Attack: [5] + 2 + 1 firepower - 1 degrading = 7, beaten by 3`."""

    label: str
    dice: tuple[object, ...] = ()
    """The values of the dice as they fell."""
    parts: tuple[tuple[str, int | float], ...] = ()
    """The name and value of each modifier. Without a name it is a bare number: of several units
    that add the same, only the last has the name."""
    total: int | float | None = None
    """The final number, None if there is none."""
    result: str = ""
    """The reason for the result in the first line of the answer, such as the column or the number
    that the total was compared with."""
    contributors: tuple[tuple[str, int | float], ...] = ()
    """The name and value of each weapon, unit or skill that a sum is made of. They stand before the
    modifiers, name first: `rifles 27 + LMG 8`."""
    unit: str = ""
    """The unit that rolled, if each of several units rolls. A short answer leaves out the lines of
    many single units."""
    joins: str = ""
    """The label of another line, which shows the dice of this one if this one is left out."""

    def render(
        self, die: Callable[[str], str], strong: Callable[[str], str], plain: Callable[[str], str]
    ) -> str:
        """Render the label, dice, contributors, modifiers, total and result in one line.

        `die` marks up the value of a die, `strong` the total, and `plain` all other text.
        """
        pieces = self._render_terms(die, plain)
        if self.total is not None and not self._is_total_evident(pieces):
            total = strong(format_minus(self.total))
            pieces.append(f"= {total}" if pieces else total)
        if not pieces and not self.result:
            return plain(self.heading)
        body = " ".join(pieces)
        if self.result:
            result = plain(self.result)
            body = f"{body}, {result}" if pieces else result
        return f"{plain(f'{self.heading}:')} {body}"

    def _render_terms(self, die: Callable[[str], str], plain: Callable[[str], str]) -> list[str]:
        """Render each die, contributor and modifier, with the sign that joins it to the one
        before it.
        """
        terms = [die(str(value)) for value in self.dice]
        for name, value in self.contributors:
            sign = _format_sign(value, is_first=not terms)
            terms.append(plain(f"{sign}{name} {abs(value):g}"))
        is_shift = not terms and self.total is None and "" not in dict(self.parts)
        for name, value in self.parts:
            sign = _format_sign(value, is_first=not terms)
            if is_shift and not terms and value > 0:  # a shift of columns, which has no sum
                sign = "+"
            terms.append(plain(f"{sign}{abs(value):g} {name}".rstrip()))
        return terms

    def _is_total_evident(self, pieces: list[str]) -> bool:
        """Return whether a die, a contributor or a bare number is the whole total, which is then
        not repeated.
        """
        if len(pieces) != 1:
            return False
        return not self.parts or self.parts[0] == ("", self.total)

    @property
    def heading(self) -> str:
        """The label with a capital."""
        return self.label[:1].upper() + self.label[1:]

    def text(self) -> str:
        """Return the line in plain text, with its dice in brackets."""
        return self.render("[{}]".format, str, str)


def _format_sign(value: float, *, is_first: bool) -> str:
    """Return the sign before a term of a sum; the first has only a minus sign, without a space."""
    if is_first:
        return "−" if value < 0 else ""
    return "− " if value < 0 else "+ "


def format_minus(value: float) -> str:
    """Return a number with the true minus sign, which screen readers speak."""
    return f"{value:g}".replace("-", "−")
