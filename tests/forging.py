"""What a cheat would do with an exported log: change it, and make hashes, salts and head fit
again.
"""

from __future__ import annotations

import json
import pickle
from typing import Any

from bot.rules.proof.chain import compute_event_hash, compute_genesis, hash_salted, to_canonical
from bot.rules.proof.fair import Stream, compute_commitment
from bot.verification.export_format import read_export
from bot.verification.proof import Findings, check_proof

Json = dict[str, Any]


def copied(log: Json) -> Json:
    """The log, to be changed."""
    made: Json = pickle.loads(pickle.dumps(log))  # ten times as quick as deepcopy
    return made


def bodies(log: Json, kind: str = "") -> list[Json]:
    """The events of a kind, or all."""
    return [event["body"] for event in log["events"] if kind in ("", event["body"].get("kind"))]


def rechained(log: Json) -> Json:
    """The log with all hashes and the head made to fit its events."""
    previous = compute_genesis(log["game"])
    for event in log["events"]:
        event["hash"] = previous = compute_event_hash(previous, to_canonical(event["body"]))
    log["head"] = previous
    return log


def renumbered(log: Json) -> Json:
    """The log with its events numbered anew, and nothing else."""
    for number, event in enumerate(log["events"], 1):
        event["number"] = event["body"]["number"] = number
    return rechained(log)


def retold(log: Json, number: int, key: str, text: str) -> None:
    """Another text in place of one of an event, with its salted hash."""
    row = next(row for row in log["texts"] if (row["event"], row["key"]) == (number, key))
    row["text"] = text
    body = log["events"][number - 1]["body"]
    if key == "sealed":
        body["sealed"] = hash_salted(row["salt"], text)
    else:
        body["texts"][key] = hash_salted(row["salt"], text)


def resealed(log: Json, number: int, **fields: Any) -> None:
    """What was sealed in an event, changed; fields that are None go."""
    row = next(row for row in log["texts"] if (row["event"], row["key"]) == (number, "sealed"))
    content = {**json.loads(row["text"]), **fields}
    retold(
        log,
        number,
        "sealed",
        to_canonical({key: value for key, value in content.items() if value is not None}),
    )


def reseeded(log: Json, epoch: int, seed: bytes) -> None:
    """Another seed of that number, promised and published as if it had always been so; dice stay
    as they are.
    """
    for body in bodies(log):
        if body.get("secret", {}).get("epoch") == epoch:
            body["secret"]["commitment"] = compute_commitment(seed)
        if body.get("revealed", {}).get("epoch") == epoch:
            body["revealed"]["seed"] = seed.hex()
    for row in log["seeds"]:
        if row["epoch"] == epoch:
            row |= {"commitment": compute_commitment(seed), "seed": seed.hex()}


class Dice:
    """The dice that the promised seed gives in an event, for a cheat who knows it."""

    def __init__(self, log: Json, number: int, digest: str = "") -> None:
        promised = [body["secret"] for body in bodies(log)[: number - 1] if "secret" in body]
        begun = next(secret for secret in reversed(promised) if "epoch" in secret)
        seed = bytes.fromhex(
            next(row["seed"] for row in log["seeds"] if row["epoch"] == begun["epoch"])
        )
        self._dice = Stream(seed, log["game"], number, digest or promised[-1]["digest"])

    def draw(self, die: Any) -> int | str:
        """The next die, as the seed has it."""
        return self._dice.draw(die)


def verify(data: object, head: str = "") -> Findings:
    """What a check of chain, dice and texts finds in an export, also against a head known from
    elsewhere.
    """
    return check_proof(read_export(data), [head] if head else ())
