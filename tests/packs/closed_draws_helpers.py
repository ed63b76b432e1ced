"""Helpers of tests/packs/test_closed_draws.py, which other tests use as well."""

from __future__ import annotations

CAMP = """\
camp:
  title: Camp
  source: "ours"
  summary: A card that nobody rolls for.
  outputs: {result: text}
  odds_by: result
  steps:
  - draw: {card: chances}
  - let: {result: card.id}
    headline: "{result}"
"""
