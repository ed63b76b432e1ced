"""The hours in which two players are both awake, from their time zones and quiet hours.

Nobody is shown the hours of another player, only how many there are.
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from bot.commands.by_post.reminders import ReminderSettings

DAYS = 7
"""Days that are looked at, from now on."""
BLOCK = 15
"""Minutes in which no clock is put forward or back: clocks change at a quarter of an hour."""
_DAY_MINUTES = 24 * 60


def count_shared_minutes(
    first: ReminderSettings, second: ReminderSettings, start: float
) -> int | None:
    """Return the minutes of the next DAYS days in which neither player has quiet hours.

    `start` is in Unix seconds. None if one of them has not set a time zone.
    """
    if not (first.has_zone and second.has_zone):
        return None
    both = int.from_bytes(_map_waking_minutes(first, start)) & int.from_bytes(
        _map_waking_minutes(second, start)
    )
    return both.bit_count()


def format_shared_hours(minutes: int | None) -> str:
    """Return the minutes of DAYS days as hours a day: `about 9 hours a day`."""
    if minutes is None:
        return "hours unknown"
    if not minutes:
        return "no shared hours"
    hours = round(minutes / DAYS / 60)
    if hours == 0:
        return "less than an hour a day"
    return "about an hour a day" if hours == 1 else f"about {hours} hours a day"


def _map_waking_minutes(settings: ReminderSettings, start: float) -> bytes:
    """Return a byte for each minute from the quarter of an hour of `start` on: 1 for a waking one."""
    day = _map_day(settings.quiet) * 2  # a block may begin just before midnight
    zone = ZoneInfo(settings.zone)
    block_seconds = BLOCK * 60
    block_start = datetime.fromtimestamp(start - start % block_seconds, UTC)
    blocks = []
    for _ in range(DAYS * _DAY_MINUTES // BLOCK):
        local_time = block_start.astimezone(zone)
        minute = local_time.hour * 60 + local_time.minute
        blocks.append(day[minute : minute + BLOCK])
        block_start += timedelta(minutes=BLOCK)
    return b"".join(blocks)


def _map_day(quiet: tuple[int, ...]) -> bytes:
    """Return a byte for each minute of the clock's day: 0 in the quiet hours, else 1."""
    if not quiet or quiet[0] == quiet[1]:
        return b"\1" * _DAY_MINUTES
    start, end = quiet
    if start < end:
        return b"\1" * start + b"\0" * (end - start) + b"\1" * (_DAY_MINUTES - end)
    return b"\0" * end + b"\1" * (start - end) + b"\0" * (_DAY_MINUTES - start)
