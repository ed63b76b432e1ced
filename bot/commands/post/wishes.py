"""How somebody wants to be reminded when it is their go: how often, never at night, in which clock, and where."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bot.rules.errors import UserError, did_you_mean
from bot.stores.base import DAY
from bot.stores.records import Doc
from bot.stores.store import Store

WISHES = "wishes"
"""Documents with a person's own wishes, by their key."""
HOUR = 3600.0
CHANNEL, DIRECT = "channel", "dm"
MORNING = 9
"""The hour of tomorrow's reminder."""
_INTERVAL = re.compile(r"(\d{1,3})\s*h?(ours?)?", re.IGNORECASE)
_QUIET = re.compile(r"(\d{1,2})(?::(\d\d))?\s*(?:-|\u2013|to)\s*(\d{1,2})(?::(\d\d))?", re.IGNORECASE)
_MIDNIGHT = 24 * 60


@dataclass(frozen=True, slots=True)
class Wishes:
    """A person's own wishes. `interval` is in hours, 0 for no reminders; `quiet` is from and to in minutes of the day,
    empty for none; `zone` is theirs."""

    interval: int = 0
    quiet: tuple[int, ...] = (22 * 60, 7 * 60)
    zone: str = "UTC"
    where: str = CHANNEL

    def doc(self, user: str) -> Doc:
        """As the store keeps it."""
        return Doc(WISHES, user, asdict(self), None, user)

    def local(self, at: float) -> datetime:
        """A moment in the person's own clock."""
        return datetime.fromtimestamp(at, ZoneInfo(self.zone))

    def is_quiet(self, at: float) -> bool:
        """Whether that is in the quiet hours."""
        if not self.quiet:
            return False
        local, (first, last) = self.local(at), self.quiet
        minute = local.hour * 60 + local.minute
        return first <= minute < last if first < last else not last <= minute < first

    def awake(self, at: float) -> float:
        """That moment, or the end of the quiet hours in which it is."""
        while self.is_quiet(at):  # a clock that is put forward may leave out the very end
            at = min(self._next(at, self.quiet[1]), at + DAY)
        return at

    def quiet_from(self, at: float) -> float:
        """When the next quiet hours begin; a day on where there are none."""
        return self._next(at, self.quiet[0]) if self.quiet else at + DAY

    def tomorrow(self, at: float) -> float:
        """Tomorrow morning."""
        day = self.local(at).date() + timedelta(days=1)
        return self.awake(datetime.combine(day, time(MORNING), ZoneInfo(self.zone)).timestamp())

    def _next(self, at: float, minute: int) -> float:
        """When the person's clock next shows so many minutes of the day."""
        zone, day = ZoneInfo(self.zone), self.local(at).date()
        found = (
            datetime.combine(day + timedelta(days=more), time(minute // 60, minute % 60), zone).timestamp()
            for more in range(3)
        )
        return next(moment for moment in found if moment > at)

    def told(self) -> list[str]:
        """The wishes in words."""
        if not self.interval:
            return ["No reminders: you are called once for each go"]
        hours = "hour" if self.interval == 1 else f"{self.interval} hours"
        quiet = f"{clock(self.quiet[0])} to {clock(self.quiet[1])}, {self.zone}" if self.quiet else "none"
        where = "direct message" if self.where == DIRECT else "in the game's channel"
        return [
            f"After 5 minutes, or {hours} after your last move; then every {hours}, 3 times at most",
            f"Quiet hours: {quiet}",
            f"Where: {where}",
        ]


def clock(minute: int) -> str:
    """Minutes of the day as a clock shows them."""
    return f"{minute // 60:02}:{minute % 60:02}"


async def wishes_of(store: Store, user: str) -> Wishes:
    """What somebody wishes; no reminders where they never said."""
    doc = await store.doc(WISHES, user)
    if doc is None:
        return Wishes()
    return Wishes(**{**doc.data, "quiet": tuple(doc.data["quiet"])})


def changed(wishes: Wishes, options: Mapping[str, Any]) -> Wishes:
    """The wishes with what was typed. Raises UserError."""
    if options["interval"]:
        wishes = replace(wishes, interval=_interval(options["interval"]))
    elif not wishes.interval:
        wishes = replace(wishes, interval=4)
    if options["quiet"]:
        wishes = replace(wishes, quiet=_quiet(options["quiet"]))
    if options["zone"]:
        wishes = replace(wishes, zone=_zone(options["zone"]))
    return replace(wishes, where=options["where"]) if options["where"] else wishes


def _interval(typed: str) -> int:
    if typed.strip().casefold() in ("off", "0", "no", "never"):
        return 0
    found = _INTERVAL.fullmatch(typed.strip())
    if found is None or not 1 <= int(found[1]) <= 168:
        raise UserError(
            f'"{typed[:40]}" cannot be read as hours: 1 to 168.',
            hint="For example 4h; off for none.",
            option="interval",
            code="bad-value",
        )
    return int(found[1])


def _quiet(typed: str) -> tuple[int, ...]:
    if typed.strip().casefold() in ("off", "no", "none", "never"):
        return ()
    found = _QUIET.fullmatch(typed.strip())
    first, last = (int(found[at]) * 60 + int(found[at + 1] or 0) for at in (1, 3)) if found else (-1, -1)
    if found is None or first == last or not (0 <= first <= _MIDNIGHT and 0 <= last <= _MIDNIGHT):
        raise UserError(
            f'"{typed[:40]}" cannot be read as hours of the day.',
            hint="For example 22-7, or 22:30-6:45; off for none.",
            option="quiet",
            code="bad-value",
        )
    return first % _MIDNIGHT, last % _MIDNIGHT


def _zone(typed: str) -> str:
    from bot.interface.typing.zones import zone_named, zones

    name = zone_named(typed)
    if not name:
        raise UserError(
            f'There is no time zone "{typed[:40]}".',
            hint=did_you_mean(typed, zones()) or "For example Europe/Berlin or America/New_York.",
            option="zone",
            code="bad-value",
        )
    return name
