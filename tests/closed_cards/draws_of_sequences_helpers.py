"""Helpers of tests/closed_cards/test_draws_of_sequences.py, which other tests use as well."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from bot.verification.check_file import check
from tests.forging import Json, rechained
from tests.packs.draws_helpers import sound
from tests.playing import Channel

CARDS = ("quiet",) * 4 + ("rain",) * 2 + ("guide",)


async def opened(channel: Channel, folder: Path) -> Json:
    """The game ended, hands and seed open: the exported log, which all three verifiers find
    sound.
    """
    await channel.say("Bob", "hand agree")
    await channel.do("Anna", "game end confirm", "fair reveal")
    return await sound(channel, folder)


def assert_seen(honest: Json, bends: Sequence[Callable[[Json], None]]) -> None:
    """Assert that `grognard verify` names every forgery of an honest log."""
    assert check(honest).faults == ()
    for bend in bends:
        log = json.loads(json.dumps(honest))
        bend(log)
        rechained(log)
        assert check(log).faults, bend.__name__
