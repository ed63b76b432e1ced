"""The fixtures of packs, for sequences that draw closed cards."""

from __future__ import annotations

from tests.packs.conftest import make_pack, use_packs

__all__ = ["make_pack", "use_packs"]
