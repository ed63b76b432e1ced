"""A watch on live play: a command that has seen a die and is refused all the same is a fault.

Whoever is refused after a die could try it out, and spend it where it suits.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import pytest

import bot.presentation.play_record
from bot.execution.executor import CommandExecutor
from bot.rules.dice import Die, Script
from bot.rules.proof.fair import Stream
from bot.storage.base import Conflict, Gate
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command

MISTYPED = ("die-owed", "dice-left-over", "bad-face")
"""Codes of real dice that do not fit, which only who rolled them knows.

Nor does a store at fault show a die: the next command of the game gets the same dice.
"""
FALLEN: ContextVar[list[str]] = ContextVar("FALLEN", default=[])  # noqa: B039
"""Whose dice fell for the command at work; outside of one nobody looks."""


def watch_dice(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets each command that is refused after its first die, with the code."""
    faults = list[str]()
    face, answer = Stream._draw_face, CommandExecutor.answer
    attempt = CommandExecutor._run_attempt

    def watched_face(stream: Stream, sides: int) -> int:
        FALLEN.get().append("the game's")
        return face(stream, sides)

    class WatchedScript(Script):
        """Real dice; those that only try out what would follow are not of this class."""

        def draw(self, die: Die) -> int | str:
            FALLEN.get().append("by hand")
            return super().draw(die)

    async def watched_answer(handling: CommandExecutor, command: Command, gate: Gate) -> Reply:
        fallen = list[str]()
        token = FALLEN.set(fallen)
        try:
            reply = await answer(handling, command, gate)
        finally:
            FALLEN.reset(token)
        is_mistyped = set(fallen) == {"by hand"} and reply.code in MISTYPED
        falls_again = reply.code.startswith("store-")
        if reply.error and fallen and not (is_mistyped or falls_again):
            faults.append(f"{' '.join(command.path)} {dict(command.options)}: {reply.code}")
        return reply

    async def watched_attempt(handling: CommandExecutor, *args: Any) -> Reply:
        """What fell for an attempt that another command overtook was neither stored nor shown."""
        try:
            return await attempt(handling, *args)
        except Conflict:
            FALLEN.get().clear()
            raise

    monkeypatch.setattr(Stream, "_draw_face", watched_face)
    monkeypatch.setattr(CommandExecutor, "_run_attempt", watched_attempt)
    monkeypatch.setattr(bot.presentation.play_record, "Script", WatchedScript)
    monkeypatch.setattr(CommandExecutor, "answer", watched_answer)
    return faults
