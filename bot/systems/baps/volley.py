"""Men rolled for one after the other, each to the end; and the ammunition of those who fired."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import or_
from typing import Any, NamedTuple

from bot.rules.dice import d6
from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    Line,
    Part,
    Parts,
    Plan,
    Roll,
    Ruled,
    Ruling,
    Settlement,
    never,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.rules.text.names import joined
from bot.rules.text.phrase import phrase
from bot.systems.baps.resolution import UNHURT, Hurt, Man, Resolution


class Volley(NamedTuple):
    """Which man (or which step besides) is owed a die, and whether any d20 showed a 1."""

    owes: str | None
    at: int = 0
    hurt: Hurt = UNHURT
    one: bool = False


def men_step(
    men: Sequence[Man],
    crt: Resolution,
    *,
    name: str = "man",
    then: Callable[[bool], Volley] = lambda _one: Volley(None),
) -> Ruled[Volley]:
    """The step called `name` that rolls for each man of `men`, die by die; `then` is the state
    after the last one.
    """

    def rule(now: Volley, roll: Roll) -> Ruling[Volley]:
        (_, at, before, one), (die,) = now, roll
        man = men[at]
        hurt = crt.strike(man, before, die)
        after = Volley(name, at, hurt, one)
        told = dict[str, Any]()
        if man.finished(hurt):
            one = one or hurt.one
            told = man.told(hurt)
            after = Volley(name, at + 1, UNHURT, one) if at + 1 < len(men) else then(one)
        if not before.entry:  # the d6 of a shared entry is not told
            told[f"{man.path}.rolls[{before.rolled}]"] = die
        return Ruling(after, told, lambda: (man.line(before, die, hurt),))

    return ruled(lambda now: crt.owed(men[now.at], now.hurt), rule)


def men_apart(
    men: Sequence[Man], crt: Resolution, *, then: Callable[[bool], Volley]
) -> Callable[[Any], Parts[Any] | None]:
    """For odds: each man is a part of its own; afterwards it counts whether a 1 came up."""

    @cache
    def parts() -> Parts[Any]:
        each = [man_apart(man, crt) for man in men]
        return Parts(each, {"one": or_}, lambda one: Ruling(then(one)), {"one": ()})

    return lambda now: parts() if now.owes == "man" else None


def man_apart(man: Man, crt: Resolution) -> Part[Any]:
    """For odds: all dice of a man, first to last; it also tells whether a 1 came up."""
    bare = man._replace(facts={})

    def plan() -> Plan[Volley]:
        step = men_step([bare], crt, then=lambda one: Volley(None, one=one))
        return Plan(Volley("man"), {"man": step}, never, closing=lambda end: {"one": end.one})

    key = man.cells, man.before, "suppressed" in man.unit.flags, man.counts_ones
    return Part(
        (man.path,), plan, key, {f"{man.path}.{name}": value for name, value in man.facts.items()}
    )


# -- ammunition: 1d6 for each soldier who fired, when a 1 came up

JAMMED = "out-or-jammed"


class Checker(NamedTuple):
    """A soldier whose weapon is checked: names for outputs and dice, the weapon's kind, the name
    on the roster.
    """

    unit: str
    name: str
    kind: str
    rostered: str = ""


def kind_of(tables: Tables, weapon: str) -> str:
    """The kind of a weapon for table ammo-check: automatic or other."""
    return "automatic" if weapon in tables["ammo-check"].constants["automatic"] else "other"


def ammo_step(tables: Tables, checkers: Sequence[Checker]) -> Ruled[Volley]:
    """The step `ammo`, one soldier after the other. Source: Infantry Charts, Normal Fires,
    ammunition.
    """

    def check(now: Volley, roll: Roll) -> Ruling[Volley]:
        checker = checkers[now.at]
        here = f"ammo[{now.at}]"
        result = tables["ammo-check"](kind=checker.kind, roll=roll[0])["result"]
        fails = "fails on 1 or 2" if checker.kind == "automatic" else "fails on 1"
        return Ruling(
            Volley("ammo" if now.at + 1 < len(checkers) else None, now.at + 1),
            {f"{here}.unit": checker.unit, f"{here}.roll": roll[0], f"{here}.result": result},
            lambda: (Line(f"ammunition of {checker.name}", roll, result=fails, unit=checker.name),),
        )

    return ruled(lambda now: (d6(f"ammunition {checkers[now.at].name}"),), check)


def with_checks(
    settled: Settlement, checkers: Sequence[Checker], checks: Sequence[Mapping[str, Any]]
) -> Settlement:
    """The settlement with the weapons that were checked: who cannot fire on is said, and marked on
    the roster.

    The charts name reloading and unjamming as orders, without a roll.
    """
    count = f"{len(checks)} {'check' if len(checks) == 1 else 'checks'} after a 1"
    settled = settled._replace(sums=(Line("ammunition", result=count),))
    bad = [
        checker for checker, check in zip(checkers, checks, strict=False) if check["result"] != "ok"
    ]
    if not bad:
        return settled
    marked = [checker.rostered for checker in bad if checker.rostered]
    order = phrase(
        "An order to reload or unjam puts it right: `/unit edit {names} -{mark}`.",
        names=_typed(marked),
        mark=JAMMED,
    )
    return settled._replace(
        units=(*settled.units, *((checker.unit, "out of ammunition or jammed") for checker in bad)),
        then=(*settled.then, *([order] if marked else ())),
        changes=(*settled.changes, *(Change(name, mark=frozenset({JAMMED})) for name in marked)),
        out=tuple(checker.name for checker in bad),
    )


def refuse_jammed(soldiers: Sequence[Unit]) -> None:
    """Raises UserError that names the roster soldiers whose weapons are out of ammunition or
    jammed, if any.
    """
    bad = [soldier.word for soldier in soldiers if JAMMED in soldier.marks]
    if not bad:
        return
    hint = phrase(
        "After an order to reload or unjam: `/unit edit {name} -{mark}`.",
        name=_typed(bad),
        mark=JAMMED,
    )
    raise UserError(
        f"{joined(bad)} cannot fire: out of ammunition or jammed.",
        hint=hint,
        option="attackers",
        code="unit-unfit",
    )


def _typed(names: Sequence[str]) -> str:
    """Units as they are typed behind a command."""
    text = "; ".join(names)
    return f'"{text}"' if " " in text else text
