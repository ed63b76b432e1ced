"""One line of an answer: a roll, what is added to it, and what it comes to."""

from collections.abc import Callable
from typing import NamedTuple


class Line(NamedTuple):
    """A line of the story: `Attack: [5] + 2 + 1 firepower - 1 degrading = 7, beaten by 3`.

    `dice` are the raw values, `parts` each modifier with its name and value (one without a name is
    a bare number: what several units bring is named with the last of them), `total` the final
    number, `result` why it means what the first line of the answer says (the column, what it was
    compared with). `contributors` are weapons, units and skills that a sum is made of, said before
    the modifiers and name first: `rifles 27 + LMG 8`. `unit` is whose roll it is where each of
    several units rolls: lines of many single units are left out of a short answer. `joins` is
    the label of the line that shows its dice there.
    """

    label: str
    dice: tuple[object, ...] = ()
    parts: tuple[tuple[str, int | float], ...] = ()
    total: int | float | None = None
    result: str = ""
    contributors: tuple[tuple[str, int | float], ...] = ()
    unit: str = ""
    joins: str = ""

    def render(
        self, die: Callable[[str], str], strong: Callable[[str], str], plain: Callable[[str], str]
    ) -> str:
        """The label, then raw dice, each modifier with its name, the total, what it means; drawn
        by these three.
        """
        parts = self.parts
        total = self.total
        pieces = [die(str(value)) for value in self.dice] if self.dice else []
        for name, value in self.contributors:
            sign = ("− " if value < 0 else "+ ") if pieces else "−" if value < 0 else ""
            pieces.append(plain(f"{sign}{name} {abs(value):g}"))
        if parts:
            # columns are shifted, without a sum
            plus = "" if pieces or total is not None or "" in dict(parts) else "+"
            for name, value in parts:
                sign = (
                    ("− " if value < 0 else "+ ")
                    if pieces
                    else "−"
                    if value < 0
                    else plus
                    if value
                    else ""
                )
                pieces.append(plain(f"{sign}{abs(value):g} {name}".rstrip()))
        # A die, a contributor or a bare number that is all of the total is not said twice.
        if total is not None and not (len(pieces) == 1 and (not parts or parts[0] == ("", total))):
            shown = strong(format_minus(total))
            pieces.append(f"= {shown}" if pieces else shown)
        label = self.label
        heading = label[:1].upper() + label[1:]
        if not self.result:
            return f"{plain(f'{heading}:')} {' '.join(pieces)}" if pieces else plain(heading)
        result = plain(self.result)
        return (
            f"{plain(f'{heading}:')} {' '.join(pieces)}, {result}"
            if pieces
            else f"{plain(f'{heading}:')} {result}"
        )

    @property
    def heading(self) -> str:
        """The label as it begins a line."""
        return self.label[:1].upper() + self.label[1:]

    def text(self) -> str:
        """The line in plain words, its dice in brackets."""
        return self.render("[{}]".format, str, str)


def format_minus(value: float) -> str:
    """A number with the true minus sign, which a screen reader says."""
    return f"{value:g}".replace("-", "−")
