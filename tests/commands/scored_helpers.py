"""A pack whose only scenario has a score, and a game of it that counts."""

from __future__ import annotations

from tests.commands.result_helpers import ANNA, BEN, Server

GAME = """
groups: {combat: Combat}
units: {types: [unit]}
tracks:
  points: {min: 0, max: 99, of: side, title: Points, wins: highest}
"""
DUEL = """
title: "The Duel"
sides: [Duke, League]
about: "One turn."
turns: 1
wins: "The side with more points wins."
units:
  - {name: "Foot", type: unit, side: Duke}
  - {name: "Pikes", type: unit, side: League}
"""


async def start_duel(league: int = 9) -> Server:
    """A game that counts; in its only turn the Duke has three points, and the League so many."""
    server = await Server.fresh()
    for who, line in (
        (ANNA, "game start few scenario=duel"),
        (ANNA, "game join Duke"),
        (BEN, "game join League"),
        (BEN, "result count"),
        (ANNA, "result count"),
        (ANNA, "track set points 3 side=Duke"),
        (BEN, f"track set points {league} side=League"),
    ):
        await server.do(who, line)
    return server
