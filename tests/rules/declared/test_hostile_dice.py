"""Packs that mean harm with dice: each is refused in one sentence, or what it does stays within
bounds.
"""

from __future__ import annotations

import re
from time import process_time

import pytest

from bot.rules.errors import TableError, UserError
from bot.rules.inputs.input_values import Given
from bot.rules.odds.odds import compute_marginals
from bot.rules.sequence.sequence import MOST_ROLLED, play
from tests.rules.declared.dice_helpers import declared
from tests.rules.declared.dice_words_helpers import Seeded

SECONDS = 6
"""Of work for each, on a machine that others use; alone it is a third of that at most."""
HOSTILE = {
    "1,600 dice": "- each: numbers(40)\n  as: a\n  steps:\n  - each: numbers(40)\n    as: b\n    roll: {x: 1d6}\n",
    "a roll that feeds itself": '- let: {n: 9}\n- each: numbers(40)\n  as: a\n  roll: {n: "{n}d6, at most 200"}\n',
    "without the most": '- let: {n: 9}\n- each: numbers(40)\n  as: a\n  roll: {n: "{n}d6"}\n',
    "the most is none": '- roll: {a: 1d6}\n- roll: {x: "{a}d6, at most 0"}\n',
    "the most is huge": '- roll: {a: 1d6}\n- roll: {x: "{a}d6, at most 999"}\n',
    "the most is a formula": '- roll: {a: 1d6}\n- roll: {x: "{a}d6, at most {a}"}\n',
    "less than none": '- roll: {a: 1d6}\n- roll: {x: "{a - 1000}d6"}\n',
    "as many as a word": "- roll: {a: 1d6}\n- roll: {x: \"{'many' if a > 2 else 3}d6\"}\n",
    "as many as a word, at most": "- roll: {a: 1d6}\n- roll: {x: \"{'many' if a > 2 else 3}d6, at most 9\"}\n",
    "half a die": '- roll: {a: 1d6}\n- roll: {x: "{a / 4}d6, at most 9"}\n',
    "as many as infinity": '- roll: {a: 1d6}\n- roll: {x: "{a * 1e9 * 1e9}d6"}\n',
    "sides of nothing": '- roll: {a: 1d6}\n- roll: {x: "1d{a - 6}"}\n',
    "sides of a billion": '- roll: {a: 1d6}\n- roll: {x: "1d{a * 100000000}"}\n',
    "a tower of sides": "- roll: {x0: 1d6}\n" + "".join(f'- roll: {{x{n}: "1d{{x{n - 1}}}"}}\n' for n in range(1, 60)),
    "a tower of dice": "\n".join(f'- roll: {{x{n}: "{{x{n - 1}}}d6"}}' if n else "- roll: {x0: 1d6}" for n in range(8)),
    "a tower, at most": "\n".join(
        f'- roll: {{x{n}: "{{x{n - 1}}}d100, at most 100"}}' if n else "- roll: {x0: 9d9}" for n in range(30)
    ),
    "explodes for ever": "- roll: {x: '9d6!>=1'}\n",
    "rerolls for ever": "- roll: {x: 9d6r<7}\n",
    "a die of one side": "- roll: {x: 9d1!}\n",
    "a die of one side, by a name": '- let: {s: 1}\n- roll: {x: "9d{s}!"}\n',
    "two hundred that explode": '- roll: {x: "{199 + 1}d6!"}\n- let: {n: "how_many(x, face > 2)"}\n  tell: {lost: n}\n',
    "many that explode, each read": "- roll: {x: 99d6!}\n- let: {n: 'sum(faces(x))'}\n  tell: {lost: n}\n",
    "words of a book": f"- roll: {{x: 9d6{'kh8dl1' * 40}}}\n",
    "thirteen words": f"- roll: {{x: 99d6{'dl1' * 13}}}\n",
    "keeps more than all": "- roll: {x: 2d6kh999999999999999999}\n",
    "drops all that come": '- roll: {a: 1d2}\n- roll: {x: "{a}d6dl1dl1dl1"}\n  tell: {lost: x}\n',
    "words that break out": "- roll: {x: '2d6d6'}\n",
    "a text as long as a book": "- roll: {x: 1d6}\n- headline: \"" + "{x} hit{|s} " * 120 + "\"\n",
    "plurals in plurals": '- roll: {x: 1d6}\n- headline: "{x} {a|b|c}"\n',
    "each of sixty dice": "- roll: {x: 60d6}\n- each: faces(x)\n  as: f\n  let: {b: f}\n",
    "each of dice that hang on dice": '- roll: {a: 9d6}\n- roll: {x: "{a}d6"}\n- {each: faces(x), let: {b: 1}}\n',
    "a list of a million": "- roll: {a: 1d6}\n- each: numbers(a * 1000000)\n  as: f\n  let: {b: f}\n",
    "spread within spread": "- each: numbers(2)\n  as: a\n  steps:\n  - each: numbers(2)\n    as: b\n"
    "    spread: {loss: 1, over: '[1]', from: men, lost: gone}\n",
    "spread over no units": "- spread: {loss: 1, over: shooters, from: men, lost: gone}\n",
    "a test without end": "- test: {dice: 1d6, at_most: " + "(" * 60 + "3" + ")" * 60 + "}\n",
    "a hundred tests": "\n".join(f"- test: {{dice: 2d6, at_most: 7, as: t{n}}}" for n in range(150)),
}  # fmt: skip
PYTHON = re.compile(
    r"Traceback|object has|supported between|NoneType|unhashable|Error\(|__|lambda|argument"
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_sequence_is_refused_or_bounded(name: str) -> None:
    since, said = process_time(), ""
    try:
        sequence = declared(HOSTILE[name], shooters=3)
        sequence.check_odds()
        for seed in range(3):
            source = Seeded(seed)
            play(sequence.plan(Given({"shooters": 3})), source)
            assert len(source.drawn) <= MOST_ROLLED
        compute_marginals(
            sequence.plan(Given({"shooters": 3})), ["lost"], budget=20_000, rolls=200_000
        )
    except (TableError, UserError) as error:
        said = str(error)
    assert process_time() - since < SECONDS
    assert len(said) < 400
    assert not PYTHON.search(said), said
    assert said.count(". ") <= 1, said


def test_there_are_enough_of_them() -> None:
    assert len(HOSTILE) > 30
