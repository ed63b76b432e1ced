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
    IndependentPart,
    IndependentParts,
    Line,
    Plan,
    Resolution,
    Roll,
    RuledStep,
    Ruling,
    resolve_never,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.rulesets.baps.resolution import UNHURT, Hurt, Man, ResolutionTable


class Volley(NamedTuple):
    """Which man (or which step besides) is owed a die, and whether any d20 showed a 1."""

    owes: str | None
    at: int = 0
    hurt: Hurt = UNHURT
    one: bool = False


def build_men_step(
    men: Sequence[Man],
    crt: ResolutionTable,
    *,
    name: str = "man",
    then: Callable[[bool], Volley] = lambda _one: Volley(None),
) -> RuledStep[Volley]:
    """The step called `name` that rolls for each man of `men`, die by die; `then` is the state
    after the last one.
    """

    def rule(now: Volley, roll: Roll) -> Ruling[Volley]:
        (_, at, before, one), (die,) = now, roll
        man = men[at]
        hurt = crt.strike(man, before, die)
        after = Volley(name, at, hurt, one)
        told = dict[str, Any]()
        if man.is_finished(hurt):
            one = one or hurt.one
            told = man.build_outputs(hurt)
            after = Volley(name, at + 1, UNHURT, one) if at + 1 < len(men) else then(one)
        if not before.entry:  # the d6 of a shared entry is not told
            told[f"{man.path}.rolls[{before.rolled}]"] = die
        return Ruling(after, told, lambda: (man.build_line(before, die, hurt),))

    return ruled(lambda now: crt.list_owed_dice(men[now.at], now.hurt), rule)


def split_men(
    men: Sequence[Man], crt: ResolutionTable, *, then: Callable[[bool], Volley]
) -> Callable[[Any], IndependentParts[Any] | None]:
    """For odds: each man is a part of its own; afterwards it counts whether a 1 came up."""

    @cache
    def parts() -> IndependentParts[Any]:
        each = [build_man_part(man, crt) for man in men]
        return IndependentParts(each, {"one": or_}, lambda one: Ruling(then(one)), {"one": ()})

    return lambda now: parts() if now.owes == "man" else None


def build_man_part(man: Man, crt: ResolutionTable) -> IndependentPart[Any]:
    """For odds: all dice of a man, first to last; it also tells whether a 1 came up."""
    bare = man._replace(facts={})

    def plan() -> Plan[Volley]:
        step = build_men_step([bare], crt, then=lambda one: Volley(None, one=one))
        return Plan(
            Volley("man"), {"man": step}, resolve_never, closing=lambda end: {"one": end.one}
        )

    key = man.cells, man.before, "suppressed" in man.unit.flags, man.counts_ones
    return IndependentPart(
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


def get_weapon_kind(tables: Tables, weapon: str) -> str:
    """The kind of a weapon for table ammo-check: automatic or other."""
    return "automatic" if weapon in tables["ammo-check"].constants["automatic"] else "other"


def build_ammo_step(tables: Tables, checkers: Sequence[Checker]) -> RuledStep[Volley]:
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


def add_checks(
    settled: Resolution, checkers: Sequence[Checker], checks: Sequence[Mapping[str, Any]]
) -> Resolution:
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
        names=_quote_units(marked),
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
        name=_quote_units(bad),
        mark=JAMMED,
    )
    raise UserError(
        f"{join_names(bad)} cannot fire: out of ammunition or jammed.",
        hint=hint,
        option="attackers",
        code="unit-unfit",
    )


def _quote_units(names: Sequence[str]) -> str:
    """Units as they are typed behind a command."""
    text = "; ".join(names)
    return f'"{text}"' if " " in text else text
