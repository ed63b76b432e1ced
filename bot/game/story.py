"""How a game went, for its end: losses by side, the best shot, the worst luck."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.game.counter import is_hurt, is_lost
from bot.game.roster import in_order
from bot.game.state import Game, Json
from bot.game.stats import ENOUGH, SAME, Luck, Worth
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.names import joined
from bot.systems.catalog import systems
from bot.systems.system import System

MOST_NAMES = 12
LONG_ODDS = 0.5
"""A chance below which a good result is worth telling, and above which a bad one is."""


class Rolled(Protocol):
    """A roll that counts: its event, and the side whose luck it is."""

    @property
    def number(self) -> int: ...
    @property
    def side(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Moment:
    """A roll worth telling: what it was, and the chance (0 to 1) of at least that much, or of more than that."""

    roll: Rolled
    chance: float
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class Losses:
    """What a side lost: how many of how many units, with their names, and which of those left are weakened."""

    side: str
    lost: tuple[str, ...]
    units: int
    weakened: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """`US lost 2 of 7`; `US lost none of 7, 2 weakened`."""
        told = f"{self.side} lost {len(self.lost) or 'none'} of {self.units}"
        return f"{told}, {len(self.weakened)} weakened" if self.weakened else told

    @property
    def names(self) -> str:
        """Whom it lost, as far as they fit a line, then those that are weakened."""
        if not self.lost:
            return _few(self.weakened)
        return "; ".join([_few(self.lost), *([f"weakened {_few(self.weakened)}"] if self.weakened else [])])


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return joined(names[:MOST_NAMES]) + more


def first_types(events: Iterable[Json]) -> dict[str, str]:
    """The type that each unit had when it came, by its folded name, from the events of a log in order."""
    found: dict[str, str] = {}
    for event in events:
        for key, unit in ((event.get("after") or {}).get("units") or {}).items():
            if unit:
                found.setdefault(key, unit["type"])
    return found


def losses(game: Game, side: str, types: Mapping[str, str] | None = None) -> Losses:
    """What a side lost of all that were on its roster, and who of the others is weaker than at the start: hurt, or of
    a lesser type than the one in `types`."""
    system = systems().get(game.system)
    units = in_order(unit for unit in game.units.values() if unit.side == side)
    lost = tuple(unit.name for unit in units if is_lost(unit, system))
    weaker = (unit for unit in units if unit.name not in lost and _is_weaker(unit, system, types or {}))
    return Losses(side, lost, len(units), tuple(unit.name for unit in weaker))


def _is_weaker(unit: RosterUnit, system: System | None, types: Mapping[str, str]) -> bool:
    if system is None or is_hurt(unit, system):
        return is_hurt(unit, system)
    was = types.get(unit.name.casefold(), unit.type)
    return unit.type != was and unit.type == system.words["units"].reduced.get(was)


def best_shot(rolls: Iterable[tuple[Rolled, Worth]]) -> Moment | None:
    """The roll that did so well although it was so unlikely; None where none did better than was to be expected."""
    good = [Moment(roll, worth.at_least) for roll, worth in rolls if worth.got > worth.mean + SAME]
    found = min(good, key=lambda moment: moment.chance, default=None)
    return found if found is not None and found.chance < LONG_ODDS else None


def worst_luck(rolls: Iterable[tuple[Rolled, Worth]]) -> Moment | None:
    """The roll that failed although more was so likely; None where none did worse than was to be expected."""
    bad = [Moment(roll, worth.more, is_bad=True) for roll, worth in rolls if worth.got < worth.mean - SAME]
    found = max(bad, key=lambda moment: moment.chance, default=None)
    return found if found is not None and found.chance > LONG_ODDS else None


def points(by_side: Mapping[str, Luck]) -> str:
    """`US 21.5 points, 19.8 expected · VC 16, 17.1 expected`: what came of the rolls, and what was likely."""
    told = [
        f"{name} {luck.worth:g}{_unit(luck.worth) if not at else ''}, {luck.mean:.1f} expected"
        for at, (name, luck) in enumerate(by_side.items())
    ]
    return " · ".join(told)


def _unit(worth: float) -> str:
    return " point" if worth == 1 else " points"


def judgement(by_side: Mapping[str, Luck]) -> str:
    """Whether that was luck, in one sentence."""
    count = sum(luck.count for luck in by_side.values())
    rolls = "1 roll" if count == 1 else f"{count} rolls"
    judged = {name: luck for name, luck in by_side.items() if luck.count >= ENOUGH and luck.variance > 0}
    if not judged:
        return f"{rolls}: too few to judge"
    name, luck = max(judged.items(), key=lambda item: abs(item[1].z))
    share = 100 * luck.below
    if 20 <= share <= 80:
        return f"{rolls}: nothing out of the ordinary"
    word, of = ("luckier", share) if share > 80 else ("unluckier", 100 - share)
    return f"{rolls}: {name} was {word} than in {min(99.9, of):.3g} of 100 such games"
