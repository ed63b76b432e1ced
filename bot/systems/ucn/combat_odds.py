"""The odds of melee, fast: the dice of each side by successes, natural 1s only where they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.rules.sequence.sequence import Plan
from bot.systems.ucn.combat import Combat, Fight
from bot.systems.ucn.speed import Asked, apart, succeeding

ROLLS = ("attacker_rolls", "defender_rolls")


def focused(plan: Plan[Fight], made: Callable[..., Combat], asked: Asked) -> Plan[Fight]:
    """The plan with what is asked for alone; `made` gives its fight for `told` and `attacker_ones`, see Combat."""
    attacker_ones, defender_ones = asked.keeps("defender_casualties"), asked.keeps("attacker_casualties")
    fight = made(told=[name for name in ROLLS if asked.keeps(name)], attacker_ones=attacker_ones)
    steps = fight.steps()
    attackers = replace(
        steps["attackers"],
        groups=lambda state: apart(
            fight.attackers,
            succeeding(fight.checks(state.left)[0], one=attacker_ones),
            asked.items("attacker_rolls"),
        ),
    )
    defenders = replace(
        steps["defenders"],
        groups=lambda state: apart(
            state.left, succeeding(fight.checks(state.left)[1], one=defender_ones), asked.items("defender_rolls")
        ),
    )
    return replace(plan, steps={**plan.steps, "attackers": attackers, "defenders": defenders}, focus=None)
