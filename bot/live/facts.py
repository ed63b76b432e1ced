"""The facts of a watched game's events, worked out beside the bot a few at a time, and kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from bot.rules.errors import UserError

AT_ONCE = 20
KEPT = 20_000
NOTHING = "{}"
Apart = Callable[..., Awaitable[Any]]


class Facts:
    """Facts by what was asked for; of equal questions one answer."""

    def __init__(self, apart: Apart) -> None:
        self._apart = apart
        self._known: OrderedDict[str, str] = OrderedDict()

    def known(self, asks: Mapping[int, str]) -> dict[int, str]:
        """Those that are known by now, by the number of the event."""
        return {number: told for number, ask in asks.items() if (told := self._known.get(ask, NOTHING)) != NOTHING}

    async def learn(self, asks: Mapping[int, str]) -> None:
        """Work out what is not known yet, the newest events first."""
        missing = [ask for ask in dict.fromkeys(reversed(list(asks.values()))) if ask not in self._known]
        for start in range(0, len(missing), AT_ONCE):
            for ask, told in zip(some := missing[start : start + AT_ONCE], await self._told(some), strict=True):
                self._known[ask] = told
        while len(self._known) > KEPT:
            self._known.popitem(last=False)

    async def _told(self, asks: list[str]) -> list[str]:
        from bot.report.facts import many_facts

        try:
            return list(await self._apart(many_facts, asks))
        except UserError:  # one of them takes too long: the others are told without it
            return [NOTHING] if len(asks) == 1 else [told for ask in asks for told in await self._told([ask])]
