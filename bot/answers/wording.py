"""How the plays of a sequence are told: what its files say of that, read once for all its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bot.answers.actors import has_one_party
from bot.answers.typed import types_of
from bot.interface.reply.tone import GRAVITY, NOTHING
from bot.rules.text.names import plural
from bot.systems.catalog import ROLL, Sequence

NO_EFFECT = "no effect"
BOLD = "bold"


@dataclass(frozen=True, slots=True)
class Result:
    """A result in words: `says` of one unit (`{} is shaken`), `many` of several, `word` where units are counted.

    `bold`: what to look out for, though nobody is hurt."""

    word: str
    says: str
    many: str
    tone: str
    bold: bool = False

    @property
    def one(self) -> str:
        """The word of one unit: `goes berserk` where that of several is `go berserk`."""
        bare = [said.partition("{more}")[0].rstrip(" :,").removeprefix("{} ") for said in (self.says, self.many)]
        return bare[0] if bare[1] == self.word else self.word.replace("{more}", "")


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of a sequence: its `results` by token, worst first, with the `rank` of each, and the `types` of units
    as one says them.

    `verbs` are what one unit does and what several do (`fires`, `fire`), None where it is the player who does
    something. `has_one_party`: those who act are the only units that it takes.
    """

    results: Mapping[str, Result]
    rank: Mapping[str, int]
    types: Mapping[str, str]
    verbs: tuple[str, str] | None
    has_one_party: bool

    def tone(self, token: str) -> str:
        """How grave a result is."""
        found = self.results.get(token)
        return NOTHING if found is None else found.tone


@lru_cache(maxsize=256)
def wording_of(sequence: Sequence) -> Wording:
    """The words of a sequence; its files do not change while it is there."""
    results, verb = _results_of(sequence), sequence.verb.lower()
    return Wording(
        results,
        {token: at for at, token in enumerate(results)},
        types_of(sequence.system),
        None if sequence.verb == ROLL else (plural(verb), verb),
        has_one_party(sequence),
    )


def results_of(sequence: Sequence) -> Mapping[str, Result]:
    """The results of a sequence by their tokens, worst first, as `results` of the game.yaml has them."""
    return wording_of(sequence).results


def _results_of(sequence: Sequence) -> Mapping[str, Result]:
    data: Mapping[str, Any] = sequence.system.game.get("results") or {}
    own = data.get(sequence.id) or {}
    found = {**{token: said for token, said in (data.get("*") or {}).items() if token not in own}, **own}
    made = {token: _result(token, spec) for token, spec in found.items()}
    return dict(sorted(made.items(), key=lambda item: GRAVITY.index(item[1].tone)))


def _result(token: str, spec: Mapping[str, str]) -> Result:
    word = spec.get("word", NO_EFFECT if token == "none" else token.replace("-", " "))
    says = spec.get("says", f"{{}}: {word}")
    return Result(word, says, spec.get("many", says), spec.get("tone", NOTHING), spec.get("weight") == BOLD)
