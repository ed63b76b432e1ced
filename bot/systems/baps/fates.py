"""What came of men under attack: in the words of the log and of the answer, and on the roster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from bot.rules.inputs.units import Unit
from bot.rules.names import joined
from bot.rules.sequence import Change, Fate, Settlement
from bot.systems.baps.men import wounds_of

Outcome = Mapping[str, Any]
"""What is told of a man: unit, result, wounds, after."""
NAMED = 2
LIMITS = {1: "no sprinting with 1 wound", 2: "no rushing or sprinting with 2 wounds"}
KINDS = ("killed", "wounded", "wounded and suppressed", "suppressed")
"""What men are counted as, the worst first."""
LOGGED = {
    "wounded": "1 wound",
    "wounded-twice": "2 wounds",
    "wounded-suppressed": "1 wound, suppressed",
    "wounded-twice-suppressed": "2 wounds, suppressed",
}
SAID = {
    "wounded-twice": "wounded twice",
    "wounded-suppressed": "wounded and suppressed",
    "wounded-twice-suppressed": "wounded twice and suppressed",
}


def settled(men: Sequence[Unit], names: Sequence[str], hit: Sequence[Outcome]) -> Settlement:
    """What is said and written once men were rolled for; `names` are those that the dice have for them."""
    fates = tuple(Fate(name, token_of(one)) for name, one in zip(names, hit, strict=False))
    return Settlement(
        summed_up(hit), words_of(hit), changes=changes_of(men, hit), fates=fates, now=aftermath(men, names, hit)
    )


def token_of(fate: Outcome) -> str:
    """A man's fate as `results` of the game.yaml has it; whoever is suppressed now as well is said to be."""
    if fate["after"] == "killed":
        return "killed"
    wounds = {"wound-1": "wounded", "wound-2": "wounded-twice"}.get(fate["result"])
    if wounds is None:
        return str(fate["result"])
    return f"{wounds}-suppressed" if fate["after"] == "suppressed" else wounds


def logged(fate: Outcome) -> str:
    """A man's fate as the log keeps it: `killed`, `2 wounds`, `1 wound, suppressed`."""
    return LOGGED.get(token_of(fate), token_of(fate))


def words_of(fates: Sequence[Outcome]) -> tuple[tuple[str, str], ...]:
    """Each man and what happened, for the public answer: killed whenever dead afterwards."""
    return tuple((fate["unit"], logged(fate)) for fate in fates)


def summed_up(fates: Sequence[Outcome]) -> str:
    """A headline: `2 of 5 killed, 1 wounded, 1 suppressed`, or what became of the only one."""
    if len(fates) == 1 and token_of(fates[0]) != "none":
        return f"{fates[0]['unit']}: {logged(fates[0])}"
    return _tally(fates) or "no effect"


def counted(names: Sequence[str], fates: Sequence[Outcome]) -> str:
    """The men of a vehicle in a few words: `2 of 4 crew killed, 1 wounded`; empty where nobody is hurt."""
    return _tally(fates, " crew") if len(fates) > NAMED else ", ".join(named(names, fates))


def _tally(fates: Sequence[Outcome], whom: str = "") -> str:
    kinds = [SAID.get(token_of(fate), token_of(fate)).replace(" twice", "") for fate in fates]
    found = Counter(kinds)
    counts = [(found[kind], kind) for kind in KINDS if found[kind]]
    return ", ".join(
        f"{count} {kind}" if at else f"{count} of {len(fates)}{whom} {kind}" for at, (count, kind) in enumerate(counts)
    )


def named(names: Sequence[str], fates: Sequence[Outcome]) -> tuple[str, ...]:
    """Who was hurt, those of one result together: `crewman 1 + 3 killed`."""
    found: dict[str, list[str]] = {}
    for name, fate in zip(names, fates, strict=False):
        if (token := token_of(fate)) != "none":
            found.setdefault(SAID.get(token, token), []).append(name)
    return tuple(f"{joined(hurt)} {word}" for word, hurt in found.items())


def aftermath(men: Sequence[Unit], names: Sequence[str], fates: Sequence[Outcome]) -> tuple[str, ...]:
    """What changed besides: old wounds counted with the new ones, men that a squad lost, and what is barred now.

    Source: Infantry Charts, notes under moves. How suppression ends is not on the charts.
    """
    all_of_them = list(zip(men, names, fates, strict=False))
    alive = [(man, name, fate["wounds"]) for man, name, fate in all_of_them if fate["after"] != "killed"]
    worse = [(man, name, wounds) for man, name, wounds in alive if wounds > wounds_of(man)]
    told = [f"{name} has {wounds} wounds" for man, name, wounds in worse if wounds_of(man)]
    lost = Counter(
        str(man.get("squad")) for man, _, fate in all_of_them if man.get("squad") and fate["after"] == "killed"
    )
    told += [f"{squad} is {count} {'man' if count == 1 else 'men'} fewer" for squad, count in lost.items()]
    barred = {wounds for _, _, wounds in worse}
    return (*told, *(limit for wounds, limit in LIMITS.items() if wounds in barred))


def changes_of(men: Sequence[Unit], fates: Sequence[Outcome]) -> tuple[Change, ...]:
    """The roster changes of men, in the order of their answers."""
    return tuple(change for man, fate in zip(men, fates, strict=False) for change in _change_of(man, fate))


def _change_of(man: Unit, fate: Outcome) -> tuple[Change, ...]:
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
