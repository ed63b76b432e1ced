"""One line of an answer: a roll, what is added to it, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.rules.quick import quick


@quick
@dataclass(frozen=True, slots=True)
class Line:
    """A line of the story: `Attack: [5] + 2 + 1 firepower - 1 degrading = 7, beaten by 3`.

    `dice` are the raw values, `parts` each modifier with its name and value (one without a name is a bare number: what
    several units bring is named with the last of them), `total` the final number, `result` why it means what the first
    line of the answer says (the column, what it was compared with). `contributors` are weapons, units and skills that a
    sum is made of, said before the modifiers and name first: `rifles 27 + LMG 8`. `unit` is whose roll it is where each
    of several units rolls: lines of many single units are left out of a short answer.
    """

    label: str
    dice: tuple[object, ...] = ()
    parts: tuple[tuple[str, int | float], ...] = ()
    total: int | float | None = None
    result: str = ""
    contributors: tuple[tuple[str, int | float], ...] = ()
    unit: str = ""

    def said(self, die: Callable[[str], str], strong: Callable[[str], str], plain: Callable[[str], str]) -> str:
        """The label, then raw dice, each modifier with its name, the total, what it means; drawn by these three."""
        pieces = [die(str(value)) for value in self.dice]
        for name, value in self.contributors:
            pieces.append(plain(f"{_sign(value, pieces)}{name} {abs(value):g}"))
        if self.parts:
            shifts = not pieces and self.total is None and all(name for name, _ in self.parts)  # columns, and no sum
            for name, value in self.parts:
                sign = "+" if shifts and not pieces and value > 0 else _sign(value, pieces)
                pieces.append(plain(f"{sign}{abs(value):g} {name}".rstrip()))
        if self.total is not None and not (len(pieces) == 1 and self._is_the_total()):
            total = strong(minus(self.total))
            pieces.append(f"= {total}" if pieces else total)
        if self.result:
            result = plain(self.result)
            pieces[-1:] = [f"{pieces[-1]}, {result}" if pieces else result]
        return f"{plain(f'{self.heading}:')} {' '.join(pieces)}" if pieces else plain(self.heading)

    def _is_the_total(self) -> bool:
        """Whether the one thing that is said before the total is the total: a die, a contributor, a bare number."""
        return not self.parts or self.parts[0] == ("", self.total)

    @property
    def heading(self) -> str:
        """The label as it begins a line."""
        return self.label[:1].upper() + self.label[1:]

    def text(self) -> str:
        """The line in plain words, its dice in brackets."""
        return self.said("[{}]".format, str, str)


def _sign(value: float, before: list[str]) -> str:
    if not before:
        return "−" if value < 0 else ""
    return "− " if value < 0 else "+ "


def minus(value: float) -> str:
    """A number with the true minus sign, which a screen reader says."""
    return f"{value:g}".replace("-", "−")
