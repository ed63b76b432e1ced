"""How fast an app may go: about one message a second and channel, and a method's calls in a
minute.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .api import Call, Refused

if TYPE_CHECKING:
    from .standin import SlackStandIn


class Pace:
    """Allowances that refill with time; an empty one answers 429 with Retry-After in whole
    seconds.
    """

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack
        self._left: dict[tuple[str, ...], tuple[float, float]] = {}
        self.refused = 0

    def check_message(self, team: str, channel: str) -> None:
        """Count one chat.postMessage in this channel. Raises Refused."""
        limits = self._slack.limits
        if limits.message_interval:
            self._take((team, channel), limits.message_burst, limits.message_interval)

    def check_method(self, call: Call) -> None:
        """Count one call of this method in this workspace. Raises Refused."""
        most = self._slack.limits.per_minute.get(call.method)
        if most and call.owner is not None:
            self._take((call.method, call.workspace.id), most, 60 / most)

    def _take(self, key: tuple[str, ...], burst: int, interval: float) -> None:
        now = self._slack.clock.now()
        left, since = self._left.get(key, (float(burst), now))
        left = min(float(burst), left + (now - since) / interval)
        if left < 1 - 1e-6:
            self._left[key] = (left, now)
            self.refused += 1
            wait = max(1, math.ceil((1 - left) * interval))
            raise Refused("ratelimited", status=429, headers={"Retry-After": str(wait)})
        self._left[key] = (left - 1, now)
