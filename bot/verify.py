"""Checks the file of an exported game."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from bot.rules.errors import UserError
from bot.rules.verify import MOST_FAULTS, Findings, verify

_MOST_BYTES = 200_000_000


def check_file(path: Path, head: str = "") -> Findings:
    """What a check of the export in `path` found. Raises UserError for a file that is no export."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UserError(f"The file {path} is too large for an exported game.")
        data = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise UserError(f"The file {path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise UserError(
            f"The file {path} is no JSON.", hint="/game export writes a file that can be checked."
        ) from None
    from bot.rerun import outcome_again, unit_faults  # knows all games

    findings = verify(data, head, outcome_again)
    if findings.faults:
        return findings
    bodies = [event["body"] for event in data["events"]]
    if not all("behind" in body for body in bodies):
        return findings  # a log that only has the chain, not what a game needs to go on
    return replace(findings, faults=tuple(unit_faults(bodies, data["game"])[:MOST_FAULTS]))


def verify_file(path: Path | str, head: str = "") -> list[str]:
    """The faults of the export in `path`, one line each; none: chain and dice are honest. Raises UserError."""
    return list(check_file(Path(path), head).faults)


def summary(findings: Findings) -> list[str]:
    """What was checked, as lines to print."""
    lines = [
        f"{findings.events} events, {findings.dice} dice computed again, {findings.played} outcomes played again, "
        f"{len(findings.faults)} faults."
    ]
    if findings.waiting:
        lines.append(f"{findings.waiting} dice cannot be checked before /fair reveal publishes their seed.")
    if findings.by_hand:
        lines.append(f"{findings.by_hand} dice were thrown by hand: nobody can check them.")
    if findings.sealed:
        lines.append(
            f"{findings.sealed} sealed events hold nothing to check: still closed, or their content was deleted."
        )
    return lines
