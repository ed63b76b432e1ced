"""What the seams take from the other folders."""

from __future__ import annotations

from tests.packs.conftest import use_packs as use_packs
