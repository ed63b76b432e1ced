"""The Combat Resolution Table at work: cells read once, rows beyond its edges, and what the dice do to a man."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Any

from bot.rules.dice import Die, d6, d20
from bot.rules.inputs.units import Unit
from bot.rules.names import joined
from bot.rules.odds import Weighted
from bot.rules.sequence import Change, Fate, Roll, minus
from bot.rules.tables.table import Tables
from bot.systems.baps.men import wounds_of

LOWEST_ROW, HIGHEST_ROW = -6, 9
MOST_MEN = 10
FATAL = 3
NAMED = 2
WOUNDED = {
    "1 wound": "wounded",
    "2 wounds": "wounded twice",
    "1 wound, suppressed": "wounded and suppressed",
    "2 wounds, suppressed": "wounded twice and suppressed",
}
KINDS = ("killed", "wounded", "wounded and suppressed", "suppressed")
LIMITS = {1: "no sprinting with 1 wound", 2: "no rushing or sprinting with 2 wounds"}
_WOUNDS = {"wound-1": 1, "wound-2": 2}
_SHARED = frozenset({"roll-2-k", "roll-1-2-k", "roll-note-1", "roll-note-2", "roll-note-3", "roll-note-4"})

Cell = tuple[str, ...]
"""What each roll from 1 to 20 gives."""


def printed_row(difference: int) -> tuple[int, int]:
    """The row -6..9 for attack minus defense, and how many times each man is rolled for.

    Above row 9 the row is halved, fractions dropped, and the rolls double, until a printed row is reached.
    Source: Infantry Charts, note on large attack factors (the rest of the note is lost; our reading).
    """
    row, passes = max(difference, LOWEST_ROW), 1
    while row > HIGHEST_ROW:
        row, passes = row // 2, passes * 2
    return row, passes


def row_said(difference: int) -> str:
    """The row for the story: `row 4`, or `row 8, 2 dice a man` beyond the printed ones."""
    row, passes = printed_row(difference)
    return f"row {minus(row)}" + (f", {passes} dice a man" if passes > 1 else "")


@dataclass(frozen=True, slots=True)
class Hurt:
    """What the dice of this attack have done to a man so far, and the shared entry that owes one more d6.

    `one` says whether a d20 that counts for ammunition showed a 1.
    """

    rolled: int = 0
    wounds: int = 0
    suppressed: bool = False
    killed: bool = False
    entry: str = ""
    one: bool = False

    @property
    def result(self) -> str:
        """The result of this attack alone: none, suppressed, wound-1, wound-2 or killed."""
        if self.killed or self.wounds >= FATAL:
            return "killed"
        if self.wounds:
            return f"wound-{self.wounds}"
        return "suppressed" if self.suppressed else "none"


UNHURT = Hurt()


@dataclass(frozen=True, slots=True)
class Man:
    """One man under attack: the cell that each d20 is read in, where the outputs are, what is known of them.

    `where` names row and column for the story; `facts` are the outputs that go with the result;
    `counts_ones` says whether a natural 1 matters to the attackers' ammunition, `rides` whether they are in a vehicle.
    """

    unit: Unit
    name: str
    cells: tuple[Cell, ...]
    path: str
    where: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)
    counts_ones: bool = False
    rides: bool = False

    def dead(self, hurt: Hurt) -> bool:
        """Whether a die or a third wound killed this man, old ones counted."""
        return hurt.killed or wounds_of(self.unit) + hurt.wounds >= FATAL

    def finished(self, hurt: Hurt) -> bool:
        """Whether no more dice are rolled for this man."""
        return not hurt.entry and (hurt.rolled == len(self.cells) or self.dead(hurt))

    def fate(self, hurt: Hurt) -> dict[str, Any]:
        """Result, wounds in all (3 when killed) and state afterwards.

        A wound does not suppress, but it does not lift what another die of this attack did either.
        """
        dead = self.dead(hurt)
        down = hurt.suppressed or self.unit.has("suppressed")
        return {
            "result": hurt.result,
            "wounds": FATAL if dead else wounds_of(self.unit) + hurt.wounds,
            "after": "killed" if dead else "suppressed" if down else "ready",
        }

    def told(self, hurt: Hurt) -> dict[str, Any]:
        """The outputs once the last die is rolled."""
        return {f"{self.path}.{name}": value for name, value in {**self.facts, **self.fate(hurt)}.items()}


class Resolution:
    """The table and its shared results for one plan: each cell is read from the charts once."""

    def __init__(self, tables: Tables) -> None:
        self._crt = tables["crt"]
        split = tables["crt-split"]
        self._shared = {
            entry: tuple(str(split(entry=entry, roll=roll)["result"]) for roll in range(1, 7)) for entry in _SHARED
        }
        self._cells: dict[tuple[int, int], Cell] = {}
        self._fates: dict[tuple[tuple[Cell, ...], int, bool], Weighted] = {}

    def cell(self, row: int, men: int) -> Cell:
        """The results of rolls 1 to 20 in a printed row, in the column of `men` (more than 10 read 10)."""
        key = (row, min(men, MOST_MEN))
        if key not in self._cells:
            self._cells[key] = tuple(str(self._crt(row=row, men=key[1], roll=roll)["result"]) for roll in range(1, 21))
        return self._cells[key]

    def owed(self, man: Man, hurt: Hurt) -> tuple[Die, ...]:
        """The die that is rolled next."""
        return (d6(f"shared result {man.name}") if hurt.entry else d20(f"resolution {man.name}"),)

    def strike(self, man: Man, hurt: Hurt, die: int) -> Hurt:
        """The man after one more die."""
        word = self.word(man, hurt, die)
        if hurt.entry:
            return _after(hurt, word, hurt.rolled, hurt.one)
        return _after(hurt, word, hurt.rolled + 1, hurt.one or (man.counts_ones and die == 1))

    def strikes(self, man: Man, hurt: Hurt, roll: Roll) -> Hurt:
        """The man after several dice."""
        return reduce(lambda so_far, die: self.strike(man, so_far, die), roll, hurt)

    def word(self, man: Man, hurt: Hurt, die: int) -> str:
        """The entry of the table that a die finds."""
        return self._shared[hurt.entry][die - 1] if hurt.entry else man.cells[hurt.rolled][die - 1]

    def fates(self, man: Man) -> Weighted:
        """All that can happen to an unhurt man, as whole rolls: the dice from first to last, weighted.

        Rolls that end in the same result, wounds and state are one. This is what makes the odds of many men cheap.
        """
        key = (man.cells, wounds_of(man.unit), man.counts_ones)
        if key not in self._fates:
            self._fates[key] = self._count(man)
        return self._fates[key]

    def _count(self, man: Man) -> Weighted:
        live: dict[Hurt, tuple[Fraction, Roll]] = {UNHURT: (Fraction(1), ())}
        ends: dict[tuple[object, ...], tuple[Fraction, Roll]] = {}
        while live:
            further: dict[Hurt, tuple[Fraction, Roll]] = {}
            for hurt, (chance, roll) in live.items():
                for share, die in self._faces(man, hurt):
                    new = self.strike(man, hurt, die)
                    here = chance * share, (*roll, die)
                    if man.finished(new):
                        key = (new.result, man.dead(new), new.suppressed, new.one)
                        ends[key] = (here[0] + ends[key][0], ends[key][1]) if key in ends else here
                    else:
                        further[new] = (here[0] + further[new][0], further[new][1]) if new in further else here
            live = further
        over = lcm(*(chance.denominator for chance, _ in ends.values()))
        return tuple((int(chance * over), roll) for chance, roll in ends.values())

    def _faces(self, man: Man, hurt: Hurt) -> list[tuple[Fraction, int]]:
        """Faces of the next die, those that do the same counted together."""
        sides = 6 if hurt.entry else 20
        groups: dict[tuple[str, bool], list[int]] = {}
        for die in range(1, sides + 1):
            one = sides == 20 and die == 1 and man.counts_ones
            groups.setdefault((self.word(man, hurt, die), one), []).append(die)
        return [(Fraction(len(dice), sides), dice[0]) for dice in groups.values()]


def _after(hurt: Hurt, word: str, rolled: int, one: bool) -> Hurt:
    """The man after an entry of the table; each field by name would cost the odds most of their time."""
    return Hurt(
        rolled,
        min(FATAL, hurt.wounds + _WOUNDS.get(word, 0)),
        hurt.suppressed or word == "suppressed",
        hurt.killed or word == "killed",
        word if word in _SHARED else "",
        one,
    )


def change_of(man: Unit, fate: Mapping[str, Any]) -> tuple[Change, ...]:
    """What this fate writes to the roster: wounds and state, and one man less in the squad."""
    dead = fate["after"] == "killed"
    new: dict[str, Any] = {}
    if dead:
        new["state"] = "killed"
    elif fate["wounds"] != wounds_of(man):
        new["wounds"] = fate["wounds"]
    if fate["after"] == "suppressed" and man.state != "suppressed":
        new["state"] = "suppressed"
    own = (Change(man.name, set=new),) if man.name and new else ()
    return (*own, *((Change(str(man.get("squad")), add={"men": -1}),) if dead and man.get("squad") else ()))


def changes_of(men: tuple[Unit, ...], fates: list[Mapping[str, Any]]) -> tuple[Change, ...]:
    """The roster changes of men, in the order of their answers."""
    return tuple(change for man, fate in zip(men, fates, strict=False) for change in change_of(man, fate))


def words_of(fates: list[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    """Each man and what happened, for the public answer: killed whenever dead afterwards."""
    return tuple((fate["unit"], said(fate)) for fate in fates)


def said(fate: Mapping[str, Any]) -> str:
    """A man's fate in a few words: `killed`, `2 wounds`, `1 wound, suppressed`."""
    if fate["after"] == "killed":
        return "killed"
    wounds = {"wound-1": "1 wound", "wound-2": "2 wounds"}.get(fate["result"])
    if wounds is None:
        return str(fate["result"])
    return f"{wounds}, suppressed" if fate["after"] == "suppressed" else wounds


def summed_up(fates: list[Mapping[str, Any]]) -> str:
    """A headline: `2 of 5 killed, 1 wounded, 1 suppressed`, or what became of the only one."""
    if len(fates) == 1 and said(fates[0]) != "none":
        return f"{fates[0]['unit']}: {said(fates[0])}"
    found = Counter(_kind(said(fate)) for fate in fates)
    shown = [(found[kind], kind) for kind in KINDS if found[kind]]
    if not shown:
        return "no effect"
    (count, kind), *rest = shown
    return ", ".join([f"{count} of {len(fates)} {kind}", *(f"{count} {kind}" for count, kind in rest)])


def _kind(words: str) -> str:
    """What a fate counts as in a headline."""
    wounds, _, more = words.partition(", ")
    if "wound" not in wounds:
        return words
    return "wounded and suppressed" if more else "wounded"


def fates_of(names: Iterable[str], fates: Iterable[Mapping[str, Any]]) -> tuple[Fate, ...]:
    """What came of each man, by the names that the dice have for them."""
    return tuple(Fate(name, token_of(fate)) for name, fate in zip(names, fates, strict=False))


def token_of(fate: Mapping[str, Any]) -> str:
    """A man's fate as `results` of the game.yaml has it; whoever is suppressed now as well is said to be."""
    if fate["after"] == "killed":
        return "killed"
    wounds = {"wound-1": "wounded", "wound-2": "wounded-twice"}.get(fate["result"])
    if wounds is None:
        return str(fate["result"])
    return f"{wounds}-suppressed" if fate["after"] == "suppressed" else wounds


def aftermath(men: Sequence[Unit], fates: Sequence[Mapping[str, Any]], names: Sequence[str] = ()) -> tuple[str, ...]:
    """What changed besides: old wounds counted with the new ones, men that a squad lost, and what is barred now.

    Source: Infantry Charts, notes under moves. How suppression ends is not on the charts.
    """
    called = names or [man.word for man in men]
    both = list(zip(men, called, fates, strict=False))
    told = [
        f"{name} has {fate['wounds']} wounds"
        for man, name, fate in both
        if wounds_of(man) and fate["result"] != "none" and fate["after"] != "killed" and fate["wounds"] > wounds_of(man)
    ]
    lost = Counter(str(man.get("squad")) for man, _, fate in both if man.get("squad") and fate["after"] == "killed")
    told += [f"{squad} is {count} {'man' if count == 1 else 'men'} fewer" for squad, count in lost.items()]
    wounds = {fate["wounds"] for man, _, fate in both if fate["after"] != "killed" and fate["wounds"] != wounds_of(man)}
    return (*told, *(LIMITS[count] for count in (1, 2) if count in wounds))


def counted(names: Sequence[str], fates: Sequence[Mapping[str, Any]]) -> str:
    """The men of a vehicle in a few words: `2 of 4 crew killed, 1 wounded`; empty where nobody is hurt."""
    if len(fates) <= NAMED:
        return ", ".join(named(names, fates))
    found = Counter(_kind(said(fate)) for fate in fates)
    (first, *rest) = [(found[kind], kind) for kind in KINDS if found[kind]] or [(0, "")]
    if not first[0]:
        return ""
    return ", ".join([f"{first[0]} of {len(fates)} crew {first[1]}", *(f"{count} {kind}" for count, kind in rest)])


def named(names: Iterable[str], fates: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Who was hurt, those of one result together: `crewman 1 + 3 killed`."""
    found: dict[str, list[str]] = {}
    for name, fate in zip(names, fates, strict=False):
        if said(fate) != "none":
            found.setdefault(said(fate), []).append(name)
    return tuple(f"{joined(hurt)} {WOUNDED.get(word, word)}" for word, hurt in found.items())
