"""Helpers of tests/adapters/discord/test_command_payload.py, which other tests use as well."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
