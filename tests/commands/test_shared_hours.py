"""Shared waking hours, against a count minute by minute of the quiet hours that reminders keep."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.commands.by_post.reminders import ReminderSettings
from bot.commands.seek.shared_hours import count_shared_minutes, format_shared_hours

MINUTES = 7 * 24 * 60
NIGHT = (22 * 60, 7 * 60)


def settings(zone: str, *quiet: int) -> ReminderSettings:
    return ReminderSettings(quiet=quiet, zone=zone, has_zone=True)


def at(year: int, month: int, day: int) -> float:
    return datetime(year, month, day, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("first", "second", "start"),
    [
        # Europe puts the clock back, and America a week later
        (settings("Europe/Berlin", *NIGHT), settings("America/New_York", *NIGHT), at(2026, 10, 22)),
        (settings("Europe/Berlin", *NIGHT), settings("America/New_York", *NIGHT), at(2026, 10, 29)),
        # it is put forward: 02:30 does not exist there
        (settings("Europe/Berlin", 150, 450), settings("Europe/London", *NIGHT), at(2026, 3, 26)),
        # zones of half hours and three quarters, one with a daylight saving of half an hour
        (settings("Asia/Kolkata", *NIGHT), settings("Asia/Kathmandu", 1395, 405), at(2026, 6, 1)),
        (settings("Australia/Lord_Howe", *NIGHT), settings("UTC", *NIGHT), at(2026, 4, 2)),
        # quiet hours that begin at noon, end at midnight, or are none
        (settings("Pacific/Auckland", 720, 0), settings("Europe/Paris", 0, 361), at(2026, 9, 24)),
        (settings("Asia/Tokyo"), settings("Europe/Madrid", *NIGHT), at(2026, 1, 1)),
        (settings("Asia/Tokyo"), settings("Europe/Madrid"), at(2026, 1, 1)),
    ],
)
@pytest.mark.parametrize("offset", [0, 900, 41 * 60])
def test_shared_minutes_are_those_of_neither_quiet_hours(
    first: ReminderSettings, second: ReminderSettings, start: float, offset: float
) -> None:
    begin = start + offset - (start + offset) % 900
    expected = sum(
        not first.is_quiet(time) and not second.is_quiet(time)
        for time in (begin + 60 * minute for minute in range(MINUTES))
    )
    assert count_shared_minutes(first, second, start + offset) == expected
    assert count_shared_minutes(second, first, start + offset) == expected


def test_nights_at_the_same_time_leave_fifteen_hours_a_day() -> None:
    berlin, vienna = settings("Europe/Berlin", *NIGHT), settings("Europe/Vienna", *NIGHT)
    minutes = count_shared_minutes(berlin, vienna, at(2026, 6, 1))
    assert minutes == 7 * 15 * 60
    assert format_shared_hours(minutes) == "about 15 hours a day"


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
def test_hours_are_unknown_unless_both_have_set_a_zone(*, first: bool, second: bool) -> None:
    one, other = (ReminderSettings(has_zone=has_zone) for has_zone in (first, second))
    assert (count_shared_minutes(one, other, 0.0) is None) == (not (first and second))


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (None, "hours unknown"),
        (0, "no shared hours"),
        (7 * 20, "less than an hour a day"),
        (7 * 60, "about an hour a day"),
        (7 * 60 * 9 + 70, "about 9 hours a day"),
        (MINUTES, "about 24 hours a day"),
    ],
)
def test_hours_in_words(minutes: int | None, words: str) -> None:
    assert format_shared_hours(minutes) == words
