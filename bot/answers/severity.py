"""How grave results are beside each other: which is worse, and which do harm at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bot.answers.actors import has_one_party
from bot.answers.wording import Result, results_of
from bot.game.stats import scores_of
from bot.interface.reply.tone import GAME, HURT, NOTHING, SHAKEN
from bot.systems.catalog import Sequence

NONE = "none"
HARM = (HURT, SHAKEN)
_MUCH = 2
"""A score that is as much as a wound or a loss."""


class Scale:
    """The results of a sequence, worst first; by its scores where game.yaml has no words for them."""

    def __init__(self, sequence: Sequence, tokens: Iterable[str]) -> None:
        tokens = tuple(tokens)
        self._results: Mapping[str, Result] = results_of(sequence)
        self._scores = scores_of(sequence.system.key, sequence.id)
        heads = {_head(token) for token in tokens} - {NONE}
        unknown = heads - self._results.keys()
        self._by_results = bool(heads - unknown) and not (unknown and heads <= self._scores.keys())
        self._is_against = not has_one_party(sequence)
        self.are_numbers = all(_is_number(token) for token in tokens) and len(tokens) > 1

    @property
    def is_known(self) -> bool:
        """Whether one result is worse than another at all."""
        return self._by_results or bool(self._scores) or self.are_numbers

    def place(self, token: str) -> tuple[float, float]:
        """Where a result belongs: the smaller, the worse; numbers from the highest down, nothing last."""
        if self.are_numbers:
            return (-float(token), 0)
        if self._by_results:
            order = list(self._results)
            known = order.index(_head(token)) if _head(token) in order else len(order)
            return (known + 2 if token == NONE else known, -len(token))
        return (-self._scores.get(_head(token), 0), -len(token) if token != NONE else 1)

    def tone(self, token: str) -> str:
        """How grave a result is."""
        if self._by_results:
            found = self._results.get(_head(token))
            return found.tone if found is not None else NOTHING
        score = self._scores.get(_head(token), 0)
        if score <= 0 or token == NONE or self.are_numbers:
            return NOTHING
        return (HURT if score >= _MUCH else SHAKEN) if self._is_against else GAME

    def says(self, token: str) -> str:
        """The sentence about one unit with this result: `{} rallies`; empty without one of its own."""
        found = self._results.get(_head(token))
        return found.says.partition("{more}")[0].rstrip(" ,") if found is not None and ":" not in found.says else ""


def words_of(sequence: Sequence) -> dict[str, str]:
    """The words that the game.yaml has for one unit's results of this very sequence, by their tokens; of those that all
    have in common where a token is no word by itself."""
    data: Mapping[str, Any] = sequence.system.game.get("results") or {}
    common, own, results = data.get("*") or {}, data.get(sequence.id) or {}, results_of(sequence)
    coded = (token for token, said in common.items() if "word" in said and "-" in token)
    return {token: results[token].one for token in (*coded, *(token for token, said in own.items() if "word" in said))}


def deciding(sequence: Sequence) -> str | dict[str, Any]:
    """What one decides by, as `odds` of the game.yaml has it: "to shake or hurt {}" where several results do harm, or
    the results that count for each of several questions; empty where it says nothing."""
    found: Mapping[str, Any] = sequence.system.game.get("odds") or {}
    own = found.get(sequence.id, found.get("*", ""))
    return own if isinstance(own, str) else dict(own)


def _head(token: str) -> str:
    return token.partition(",")[0]  # `wound-1, suppressed` is a wound first


def _is_number(token: str) -> bool:
    return token.lstrip("-").isdecimal()
