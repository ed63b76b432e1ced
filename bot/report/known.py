"""Facts of events, worked out beside the bot a few at a time, and kept: for the next page, and for those who watch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from typing import Any

from bot.report.facts import many_facts
from bot.rules.errors import UserError

AT_ONCE = 20
KEPT = 20_000
"""So many events' facts are kept, about a kilobyte each."""
NOTHING = "{}"
Apart = Callable[..., Awaitable[Any]]


class Facts:
    """Facts as JSON by what was asked (bot/report/facts.py): of equal questions one answer, in whichever game."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, str] = OrderedDict()

    def known(self, asks: Mapping[int, str]) -> dict[int, str]:
        """Those that are known by now, by the number of the event."""
        return {
            number: told for number, ask in asks.items() if (told := self._known.get(_key(ask), NOTHING)) != NOTHING
        }

    async def learn(self, apart: Apart, asks: Mapping[int, str]) -> dict[int, str]:
        """All of them; what is not known yet is worked out `apart`, the newest events first. Raises UserError where
        that is too busy: what is known by then stays so."""
        keys = {number: _key(ask) for number, ask in asks.items()}
        found = {key: self._known[key] for key in keys.values() if key in self._known}
        missing = {keys[number]: ask for number, ask in sorted(asks.items(), reverse=True) if keys[number] not in found}
        waiting = list(missing.items())
        for start in range(0, len(waiting), AT_ONCE):
            some = waiting[start : start + AT_ONCE]
            told = await _told(apart, [ask for _, ask in some])
            fresh = dict(zip((key for key, _ in some), told, strict=True))
            found |= fresh
            self._known |= fresh  # a page that does not wait shows these at once
        for key, facts in found.items():
            self._known[key] = facts
            self._known.move_to_end(key)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return {number: found[key] for number, key in keys.items()}


FACTS = Facts()
"""Those of this process."""


def _key(ask: str) -> bytes:
    return sha256(ask.encode("utf-8", "replace")).digest()


async def _told(apart: Apart, asks: list[str]) -> list[str]:
    try:
        return list(await apart(many_facts, asks))
    except UserError as error:
        if error.code == "busy":
            raise
    if len(asks) == 1:  # it takes too long: it is told without
        return [NOTHING]
    return [told for ask in asks for told in await _told(apart, [ask])]
