"""The command `grognard` and `python -m grognard`: finds bot and adapters beside itself, before any
other of that name.

In the wheel (setup.py) this is the only package, and bot/, adapters/, tables/ and packs/ are inside
it.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def process() -> NoReturn:
    """A process of its own for one command line."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from bot.__main__ import process

    process()


if __name__ == "__main__":
    process()
