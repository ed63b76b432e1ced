"""The cards that damage checks and hits on vehicles read."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from bot.rules.inputs.units import Unit
from bot.rules.tables.table import Answer, Tables
from bot.systems.lnlt import kinds
from bot.systems.lnlt.reasons import one_of


class Sort(NamedTuple):
    """What the type and flags of a unit come to on the cards: its state, its row of table state-change (none where it
    cannot be in that state), its column of the damage check table."""

    state: str
    row: str
    column: str


class Readings:
    """The cards that damage checks and hits on vehicles read, each cell once as long as it is remembered."""

    def __init__(self, tables: Tables) -> None:
        dct, change, fate = tables["dct"], tables["state-change"], tables["crew-fate"]
        hero, bail = tables["hero-creation"], tables["bail-out-roll"]

        @lru_cache(CELLS)
        def result(column: str, morale: int, total: int) -> str:
            return str(dct(unit=column, morale=morale, total=max(-20, min(99, total)))["result"])

        @lru_cache(CELLS)
        def becomes(row: str, state: str, what: str) -> str:
            return str(change(unit=row, state=state, result=what)["becomes"])

        @lru_cache(CELLS)
        def sort(type: str, flags: frozenset[str]) -> Sort:
            unit = Unit("", type, flags=flags)
            state, row = kinds.state_of(unit), kinds.change_row(unit)
            can_be = becomes(row, state, "none") != "not-applicable"
            return Sort(state, row if can_be else "", kinds.check_column(unit))

        self.sort: Callable[[str, frozenset[str]], Sort] = sort
        self.result: Callable[[str, int, int], str] = result
        self.becomes: Callable[[str, str, str], str] = becomes
        self.fate: Callable[[str, str, str], str] = lru_cache(CELLS)(
            lambda cause, row, who: str(fate(cause=cause, vehicle=row, who=who)["result"])
        )
        self.hero: Callable[[int], bool] = lru_cache(CELLS)(lambda roll: bool(hero(roll=roll)["hero"]))
        self.burns: Callable[[int], bool] = lru_cache(CELLS)(lambda roll: bool(tables["fire-start"](roll=roll)["fire"]))
        self.bail_out: Callable[[str, int], str] = lru_cache(CELLS)(
            lambda who, roll: str(bail(who=who, roll=roll)["result"])
        )
        self.gets_out: Callable[[str], str] = lru_cache(CELLS)(
            lambda who: one_of(lambda face: self.bail_out(who, face) != "eliminated")
        )
        """What `crew` or `passengers` need to get out of a destroyed vehicle."""
        self.penetration: Callable[[str, bool], Answer] = lru_cache(CELLS)(
            lambda case, flies: tables["penetration"](case=case, target="aircraft" if flies else "vehicle")
        )

    def shaken(self, row: str, state: str) -> str:
        """What the result shaken makes of a man: a hero and one who is shaken already stay as they are."""
        return state if row == "hero" or state in kinds.SHAKEN_STATES else self.becomes(row, state, "shaken")


_MADE: OrderedDict[int, tuple[Tables, Readings]] = OrderedDict()
CELLS, _GAMES = 4_096, 8


def readings_of(tables: Tables) -> Readings:
    """The readings of these tables, made once: a play reads few of their cells. A pack may have tables of its own."""
    of, readings = _MADE.get(id(tables), (None, None))
    if of is not tables or readings is None:
        readings = Readings(tables)
        _MADE[id(tables)] = (tables, readings)
        if len(_MADE) > _GAMES:
            _MADE.popitem(last=False)
    return readings
