"""Leases: this process holds what it is at work on, and renews its claim until it is done."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

from bot.runtime.logs import get_seldom_logger, log_failure

often = get_seldom_logger(f"{__name__}.often")

K = TypeVar("K")

LEASE = 10.0
"""Seconds after which another process may take over a lease that was not renewed, since its process
is dead.
"""


class Leases(Generic[K]):
    """The keys that this process holds. `renew` is called with all of them every few seconds."""

    def __init__(self, renew: Callable[[Sequence[K]], Awaitable[None]]) -> None:
        self._renew = renew
        self._held: dict[K, int] = {}
        self._task: asyncio.Task[None] | None = None

    def __contains__(self, key: object) -> bool:
        return key in self._held

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, *keys: K) -> None:
        """Hold these keys until `let_go` was called as often as `hold`."""
        for key in keys:
            self._held[key] = self._held.get(key, 0) + 1
        if self._held and self._task is None:
            self._task = asyncio.create_task(self._keep())

    def let_go(self, *keys: K) -> None:
        """Let go of these keys."""
        for key in keys:
            count = self._held.get(key, 0) - 1
            if count > 0:
                self._held[key] = count
            else:
                self._held.pop(key, None)

    @contextmanager
    def hold_during(self, *keys: K) -> Iterator[None]:
        """Hold these keys for the block."""
        self.hold(*keys)
        try:
            yield
        finally:
            self.let_go(*keys)

    def close(self) -> None:
        """Stop renewing."""
        if self._task is not None:
            self._task.cancel()

    async def _keep(self) -> None:
        """Renew all leases every LEASE / 3 seconds, as long as any key is held."""
        try:
            while self._held:
                await asyncio.sleep(LEASE / 3)
                if self._held:
                    await self._renew_all()
        finally:
            self._task = None

    async def _renew_all(self) -> None:
        """Renew all leases once. A failure is only logged: the next round tries again."""
        try:
            await self._renew(list(self._held))
        except Exception as error:  # the next round tries again; meanwhile others may be faster, which does no harm
            log_failure(often, "could not renew leases", error)
