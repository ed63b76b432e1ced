"""Every outcome of the stored games once more under the tables of today, whatever edition it was rolled under: what a
changed table would have changed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.audit.packs import packs_of, with_packs
from bot.audit.replay import UNREADABLE, alike, play_again
from bot.game.events import ROLLS
from bot.game.follows.past import Past, sealed_contents
from bot.game.state import Game
from bot.rules.errors import UserError
from bot.rules.proof.export_format import SEALED
from bot.stores.store import Store
from bot.systems.catalog import everywhere, using
from bot.systems.packs.pack import PackSystem
from bot.systems.packs.shelf import Shelf
from bot.systems.system import System

LONGEST = 60


@dataclass(frozen=True, slots=True)
class Again:
    """An outcome that was played once more: `what` it was, and what is `other` about it now ("" where nothing is)."""

    game: str
    number: int
    what: str
    other: str


async def rerun(store: Store, games: tuple[str, ...] = ()) -> AsyncIterator[Again]:
    """Each outcome of these games, or of all, in order. Raises UserError for a game that is not there."""
    for game in games:
        async for one in _of_game(store, game):
            yield one
    after = ""
    while not games and (page := await store.games(after=after, limit=200)):
        for game in page:
            async for one in _of_game(store, game):
                yield one
        after = page[-1]


async def _of_game(store: Store, game: str) -> AsyncIterator[Again]:
    saved = await store.load_game_by_id(game)
    if saved is None:
        raise UserError(f"There is no game {game[:40]}.", hint="`/game list` shows their ids.", code="unknown-game")
    events, texts = await store.events(game), await store.texts(game)
    sealed = {text.event: text.text for text in texts if text.key == SEALED}
    systems = _todays(await packs_of(store, events, texts))
    past = Past(Game(game), sealed_contents(sealed)[0])
    for row in events:
        event = row.data
        roll = event if event["kind"] in ROLLS else past.contents.get(event["number"])
        if roll is not None and roll.get("system"):
            with using(systems):
                other = "; ".join(_differences(past.now, roll))
            hidden = roll is not event and event["number"] in past.now.sealed
            other = "another outcome (sealed)" if hidden and other else other
            yield Again(game, event["number"], f"{roll['system']} {roll['target']}", other)
        past.add(event)


def _todays(packs: Mapping[str, Mapping[str, str]]) -> Mapping[str, System]:
    """The systems that the host has, and beside them those packs of the game of which the host has no other version."""
    own, theirs = everywhere(), with_packs(packs)
    return Shelf(own, [one for id, one in theirs.items() if id not in own and isinstance(one, PackSystem)])


def _differences(now: Game, roll: Mapping[str, Any]) -> Iterator[str]:
    """What would be other: the words of the result, else outputs by name."""
    try:
        again = play_again(now, roll)
    except UNREADABLE as error:
        yield f"cannot be played any more: {str(error)[:LONGEST]}"
        return
    before, after = dict(roll.get("out") or {}), dict(again.out)
    changed = [name for name in {**before, **after} if not alike(before.get(name), after.get(name))]
    if changed and roll.get("result", "") != again.result:
        yield f"{_cut(roll.get('result'))} would be {_cut(again.result)}"
        return
    for name in changed[:3]:
        yield f"{name} {_cut(before.get(name))} would be {_cut(after.get(name))}"


def _cut(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
