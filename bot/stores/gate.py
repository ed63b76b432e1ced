"""The last moment at which a command may still be called off: before its commit writes."""

from __future__ import annotations

import threading


class CalledOff(Exception):
    """The command was called off before it was stored: nothing of it is."""


class Gate:
    """What a commit passes before it writes. Until then it may be called off, also from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._passed = self._closed = False

    def enter(self) -> None:
        """Pass, also more than once. Raises CalledOff."""
        with self._lock:
            if self._closed:
                raise CalledOff
            self._passed = True

    def call_off(self) -> bool:
        """Whether nothing was written, and nothing will be."""
        with self._lock:
            self._closed = not self._passed
            return self._closed
