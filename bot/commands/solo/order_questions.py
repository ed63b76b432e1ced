"""The questions that an order of a side that plays itself asks, because only the map has the answer.

The answers are kept in the buttons alone, one after another, so nothing is stored between them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from bot.game.self_play import NOBODY, Rule
from bot.rules.errors import UserError
from bot.rules.inputs.units import RosterUnit


class Question(NamedTuple):
    """A question with its possible answers and their labels."""

    text: str
    choices: tuple[tuple[str, str], ...]


class OrderedUnit(NamedTuple):
    """The unit that has an order, and the units of its side without one, which may act with it."""

    name: str
    helpers: list[RosterUnit]


class OrderQuestions:
    """The questions of one order, read against the answers that a player has given.

    `unused` are the answers that belong to questions of later orders. `next_question` is the first
    question without an answer, with its answers and their labels.
    """

    def __init__(
        self, acts: OrderedUnit, rule: Rule, enemies: list[RosterUnit], answers: list[str]
    ) -> None:
        self._name = acts.name
        self._helpers = acts.helpers
        self._rule = rule
        self._enemies = enemies
        self.unused = list(answers)
        self.next_question: Question | None = None

    def read(self) -> dict[str, object] | None:
        """Return the inputs that the answers give, None if the order is impossible or an answer is
        missing.

        If one is missing, `next_question` is set. Raise UserError for an answer that no longer
        fits.
        """
        inputs: dict[str, object] = {}
        if "unit" in self._rule:
            inputs[self._rule["unit"]] = self._name
        for read_part in (self._read_enemy, self._read_helpers, self._read_circumstances):
            part = read_part()
            if part is None:
                return None
            inputs |= part
        return inputs

    def _take_answer(self, question: str, choices: list[tuple[str, str]]) -> str | None:
        """Return the next answer; None, with the question to ask, if there is none.

        Raise UserError if it is no longer among the choices.
        """
        if not self.unused:
            self.next_question = Question(question, tuple(choices))
            return None
        answer = self.unused.pop(0)
        if answer not in dict(choices):
            raise UserError("That answer no longer fits.", hint="Choose again.", code="used-up")
        return answer

    def _read_enemy(self) -> dict[str, object] | None:
        """Return the input that takes the enemies; None if there is none, or an answer is missing."""
        rule = self._rule
        if "against" not in rule:
            return {}
        if not self._enemies:
            return None
        names = {enemy.handle: enemy.name for enemy in self._enemies}
        nobody = str(rule.get("nobody") or "Nobody in sight")
        question = str(rule["asks"]).format(self._name)
        answer = self._take_answer(question, [*names.items(), (NOBODY, nobody)])
        if answer is None or answer == NOBODY:
            return None
        targets = [names.pop(answer)]
        if "also_against" in rule:
            further_targets = self._read_more_units(str(rule["also_against"]), names)
            if further_targets is None:
                return None
            targets += further_targets
        return {rule["against"]: "; ".join(targets)}

    def _read_more_units(self, question: str, names: dict[str, str]) -> list[str] | None:
        """Return the names of further units, one for each answer; None without an answer.

        `names` are the names of those that can be chosen, by handle. The last answer is nobody.
        """
        remaining = dict(names)
        chosen_names = list[str]()
        while remaining:
            last_label = "That's all" if chosen_names else "Nobody"
            choices = [*remaining.items(), (NOBODY, last_label)]
            answer = self._take_answer(question, choices)
            if answer is None:
                return None
            if answer == NOBODY:
                break
            chosen_names.append(remaining.pop(answer))
        return chosen_names

    def _read_helpers(self) -> dict[str, object] | None:
        """Return the input with the names of the unit and of those that act with it, separated by
        semicolons.

        Empty if nobody may act with the unit by this order, None if the question is not answered.
        """
        rule = self._rule
        if "together" not in rule:
            return {}
        names = {
            helper.handle: helper.name for helper in self._helpers if helper.name != self._name
        }
        helper_names = self._read_more_units(str(rule["together"]), names)
        if helper_names is None:
            return None
        return {rule["unit"]: "; ".join([self._name, *helper_names])}

    def _read_circumstances(self) -> dict[str, object] | None:
        """Return the inputs of the button that says how things stand; None without an answer."""
        ways: Mapping[str, dict[str, object]] = self._rule.get("how") or {}
        if not ways:
            return {}
        question = str(self._rule.get("how_asks") or "What's the situation?")
        answer = self._take_answer(
            question, [(str(index), label) for index, label in enumerate(ways)]
        )
        if answer is None:
            return None
        return list(ways.values())[int(answer)]
