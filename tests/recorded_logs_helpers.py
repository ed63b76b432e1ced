"""Helpers of tests/test_recorded_logs.py, which other tests use as well."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"

LOGS = sorted((DATA / "logs").glob("*.json"))
