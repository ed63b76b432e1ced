"""Helpers of tests/closed_cards/test_two_worlds_of_sequences.py, which other tests use as well."""

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
