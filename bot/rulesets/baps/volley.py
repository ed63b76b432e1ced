"""The dice of several men, one man after the other, and the ammunition checks of the firers."""

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
    """The state of a fire: the step that is due, and how far its men are.

    `position` is the index of the man or checker whose die is due, `hurt` the effect on that man so
    far. `has_one`: a d20 that counts for ammunition showed a 1.
    """

    next_step: str | None
    position: int = 0
    hurt: Hurt = UNHURT
    has_one: bool = False


def _end_after_men(_has_one: bool) -> Volley:
    return Volley(None)


def build_men_step(
    men: Sequence[Man],
    crt: ResolutionTable,
    *,
    name: str = "man",
    build_next_state: Callable[[bool], Volley] = _end_after_men,
) -> RuledStep[Volley]:
    """Return the step `name` that rolls for each man of `men`, die by die.

    After the last man, `build_next_state` returns the next state; its argument says whether a d20
    that counts for ammunition showed a 1.
    """

    def rule(state: Volley, roll: Roll) -> Ruling[Volley]:
        _, index, before, has_one = state
        (die,) = roll
        man = men[index]
        hurt = crt.strike(man, before, die)
        outputs = dict[str, Any]()
        if not man.is_finished(hurt):
            next_state = Volley(name, index, hurt, has_one)
        else:
            has_one = has_one or hurt.has_one
            outputs = man.build_outputs(hurt)
            if index + 1 < len(men):
                next_state = Volley(name, index + 1, UNHURT, has_one)
            else:
                next_state = build_next_state(has_one)
        if not before.entry:  # the d6 of a shared entry is no output
            outputs[f"{man.path}.rolls[{before.rolled}]"] = die
        return Ruling(next_state, outputs, lambda: (man.build_line(before, die, hurt),))

    return ruled(lambda state: crt.list_owed_dice(men[state.position], state.hurt), rule)


def split_men(
    men: Sequence[Man], crt: ResolutionTable, *, build_next_state: Callable[[bool], Volley]
) -> Callable[[Any], IndependentParts[Any] | None]:
    """Return, for odds, a function from a state to its independent parts: one for each man.

    That function returns None if no die of a man is due. All parts together end in
    `build_next_state(has_one)`, as in `build_men_step`.
    """

    @cache
    def build_parts() -> IndependentParts[Any]:
        man_parts = [build_man_part(man, crt) for man in men]
        return IndependentParts(
            man_parts,
            {"has_one": or_},
            lambda has_one: Ruling(build_next_state(has_one)),
            {"has_one": ()},
        )

    return lambda state: build_parts() if state.next_step == "man" else None


def build_man_part(man: Man, crt: ResolutionTable) -> IndependentPart[Any]:
    """Return, for odds, all dice of one man as an independent part.

    Its total `has_one` is whether a d20 that counts for ammunition showed a 1.
    """
    bare_man = man._replace(facts={})

    def build_state_after(has_one: bool) -> Volley:
        return Volley(None, has_one=has_one)

    def plan() -> Plan[Volley]:
        step = build_men_step([bare_man], crt, build_next_state=build_state_after)
        return Plan(
            Volley("man"),
            {"man": step},
            resolve_never,
            closing=lambda state: {"has_one": state.has_one},
        )

    key = (man.cells, man.before, "suppressed" in man.unit.flags, man.counts_ones)
    facts = {f"{man.path}.{name}": value for name, value in man.facts.items()}
    return IndependentPart((man.path,), plan, key, facts)


# -- ammunition: 1d6 for each soldier who fired, when a 1 came up

JAMMED = "out-or-jammed"


class Checker(NamedTuple):
    """A soldier whose weapon is checked for ammunition.

    `unit` is the name in the outputs, `name` that on the dice, `kind` the kind of the weapon.
    `rostered` is the name on the roster, or "" for a soldier who is not on it.
    """

    unit: str
    name: str
    kind: str
    rostered: str = ""


def get_weapon_kind(tables: Tables, weapon: str) -> str:
    """Return the kind of the weapon in table ammo-check: `automatic` or `other`."""
    return "automatic" if weapon in tables["ammo-check"].constants["automatic"] else "other"


def build_ammo_step(tables: Tables, checkers: Sequence[Checker]) -> RuledStep[Volley]:
    """Return the step `ammo`: 1d6 for each checker in turn, then the end.

    Source: Infantry Charts, Normal Fires, ammunition.
    """

    def check(state: Volley, roll: Roll) -> Ruling[Volley]:
        checker = checkers[state.position]
        path = f"ammo[{state.position}]"
        result = tables["ammo-check"](kind=checker.kind, roll=roll[0])["result"]
        remark = "fails on 1 or 2" if checker.kind == "automatic" else "fails on 1"
        is_last = state.position + 1 >= len(checkers)
        outputs = {
            f"{path}.unit": checker.unit,
            f"{path}.roll": roll[0],
            f"{path}.result": result,
        }

        def build_lines() -> tuple[Line]:
            label = f"{checker.name}'s ammunition"
            return (Line(label, roll, result=remark, unit=checker.name),)

        next_state = Volley(None if is_last else "ammo", state.position + 1)
        return Ruling(next_state, outputs, build_lines)

    return ruled(lambda state: (d6(f"ammunition {checkers[state.position].name}"),), check)


def add_checks(
    resolution: Resolution, checkers: Sequence[Checker], checks: Sequence[Mapping[str, Any]]
) -> Resolution:
    """Return the result of a fire with its ammunition checks added.

    `checks` holds the outputs of the checkers in the same order. A soldier whose check failed is
    listed, and marked if on the roster, with the order that puts it right. The charts name
    reloading and unjamming as orders, without a roll.
    """
    noun = "check" if len(checks) == 1 else "checks"
    summary = Line("ammunition", result=f"{len(checks)} {noun} after a 1")
    resolution = resolution._replace(sum_lines=(summary,))
    failed = [
        checker for checker, check in zip(checkers, checks, strict=False) if check["result"] != "ok"
    ]
    if not failed:
        return resolution
    roster_names = [checker.rostered for checker in failed if checker.rostered]
    order = phrase(
        "A reload or unjam order clears it: `/unit edit {names} -{mark}`.",
        names=_quote_units(roster_names),
        mark=JAMMED,
    )
    unit_words = [(checker.unit, "out of ammunition or jammed") for checker in failed]
    changes = [Change(name, mark=frozenset({JAMMED})) for name in roster_names]
    next_steps = (*resolution.next_steps, order) if roster_names else resolution.next_steps
    return resolution._replace(
        unit_words=(*resolution.unit_words, *unit_words),
        next_steps=next_steps,
        changes=(*resolution.changes, *changes),
        unarmed_units=tuple(checker.name for checker in failed),
    )


def refuse_jammed(soldiers: Sequence[Unit]) -> None:
    """Raise UserError if a roster soldier's weapon is out of ammunition or jammed. It names all
    of them.
    """
    jammed = [soldier.word for soldier in soldiers if JAMMED in soldier.marks]
    if not jammed:
        return
    hint = phrase(
        "After a reload or unjam order: `/unit edit {name} -{mark}`.",
        name=_quote_units(jammed),
        mark=JAMMED,
    )
    raise UserError(
        f"{join_names(jammed)} cannot fire: out of ammunition or jammed.",
        hint=hint,
        option="attackers",
        code="unit-unfit",
    )


def _quote_units(names: Sequence[str]) -> str:
    """Format units as they are typed after a command: `A; B`, in quotes if there is a blank."""
    text = "; ".join(names)
    return f'"{text}"' if " " in text else text
