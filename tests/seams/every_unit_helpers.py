"""Helpers of tests/seams/test_every_unit.py, which other tests use as well."""

from __future__ import annotations

import os
from pathlib import Path

from bot.rulesets.packs.pack import is_pack

ROOT = Path(__file__).parents[2]

FOLDER = Path(os.environ.get("GROGNARD_PACKS") or ROOT / "packs")

PACKS = [FOLDER] if is_pack(FOLDER) else sorted(filter(is_pack, FOLDER.iterdir()))
