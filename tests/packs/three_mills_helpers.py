"""Helpers of tests/packs/test_three_mills.py, which other tests use as well."""

from __future__ import annotations

import re

from tests.packs.evening import (
    Say,
    agree_to_undo,
)

PLAYERS = {"Crown": "Anna", "Republic": "Ben"}

FORMATIONS = {
    "Guards": ("Grenadiers", "Fusiliers", "Guard guns"),
    "Line": ("Line 1", "Line 2", "Line 3"),
    "Cavalry": ("Hussars", "Dragoons"),
    "Vanguard": ("Chasseurs 1", "Chasseurs 2", "Lancers"),
    "Volunteers": ("Volunteers 1", "Volunteers 2", "Volunteers 3", "Volunteers 4"),
    "Reserve": ("Veterans", "Field guns"),
}


class Field:
    """Where everybody is, as whoever plays knows it, and what they type in a go."""

    def __init__(self, say: Say) -> None:
        self.say, self.turn, self.drawn = say, 1, list[str]()
        self.places = {
            unit: f"{self.lane(unit)}{1 if formation in ('Guards', 'Line', 'Cavalry') else 5}"
            for formation, units in FORMATIONS.items()
            for unit in units
        }

    @staticmethod
    def lane(unit: str) -> str:
        north = ("Line 1", "Line 2", "Chasseurs 1", "Chasseurs 2", "Lancers")
        south = ("Line 3", "Hussars", "Dragoons", "Volunteers 3", "Volunteers 4")
        return "n" if unit in north else "s" if unit in south else "c"

    async def evening(self, turns: int = 2) -> None:
        """Two turns or one: a chit is drawn until the lull, one is undone and drawn anew; each
        formation moves ahead, and who meets somebody shoots; then last orders."""
        await self.say("Anna", 'game start three-mills "Sorrel" scenario=sorrel')
        await self.say("Anna", "game settings hand_dice=yes")
        await self.say("Anna", "game join Crown")
        await self.say("Ben", "game join Republic")
        for self.turn in (1, 2)[:turns]:
            await self.draws()
            await self.say("Anna", "game next")

    async def draws(self) -> None:
        for number in range(1, 30):
            told = await self.say(("Anna", "Ben")[number % 2], "deck draw cup")
            told = re.sub(r"[*_]", "", told)
            if "Last orders" in told:
                return
            chit = next(
                chit
                for chit in (*FORMATIONS, "Crown staff", "Republic staff")
                if f"{chit}: " in told
            )
            self.drawn.append(chit)
            if number == 2 and self.turn == 1:
                await self.say("Anna", "game undo")
                await agree_to_undo(self.say, "Ben")
                await self.say("Ben", "game redo")
                again = await self.say("Anna", "game redo")
                side = "Crown" if "Crown" in told else "Republic"
                assert f"Now: {side} to play" in again, (
                    "the same chit comes again, and nothing is thrown"
                )
                await self.say("Anna", "game undo")
                await agree_to_undo(self.say, "Ben")
                continue
            side = "Crown" if "Crown" in told else "Republic"
            await self.go(PLAYERS[side], chit)
            await self.say(PLAYERS[side], "game pass")
        raise AssertionError("the lull never came")

    async def go(self, who: str, chit: str) -> None:
        """What the units of a formation do; a staff chit does nothing."""
        for place in dict.fromkeys(self.places[unit] for unit in FORMATIONS.get(chit, ())):
            units = [unit for unit in FORMATIONS[chit] if self.places[unit] == place]
            lane, rank = place[0], int(place[1])
            there = f"{lane}{rank + (1 if who == 'Anna' else -1)}"
            met = [unit for unit, at in self.places.items() if at == there and self.of(unit) != who]
            named = "; ".join(units)
            if (
                met
                and len(units) < 3
                and not {"Hussars", "Dragoons", "Lancers", "Guard guns"} & {*units}
            ):
                await self.say(who, f'three-mills fire "{named}" "{met[0]}" hand=1,1')
            elif not met and there[1] in "234":
                await self.say(who, f'three-mills move "{named}" {there}')
                self.places |= dict.fromkeys(units, there)

    @staticmethod
    def of(unit: str) -> str:
        crown = (*FORMATIONS["Guards"], *FORMATIONS["Line"], *FORMATIONS["Cavalry"])
        return "Anna" if unit in crown else "Ben"
