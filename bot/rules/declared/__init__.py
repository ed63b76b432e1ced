"""Sequences written as data: steps in YAML, made into the `Plan` that plays and counts every other sequence.

`compile_sequences` reads and checks them all, `Declared.plan` makes the plan for given inputs. On the way: `formulas`
makes functions of what is written in formulas and texts, checked and typed; `load` reads the steps and makes a program
of them. A kind of statement is a class (`program.Statement`) that says how it is read, checked, played and counted:
`values`, `answer_lines`, `rolls`, `draws`, `choices`, `branches`. Who goes through a program asks them: `Slicer` keeps
what is needed, `Walk` plays it, `Early` refuses inputs before any die falls, `pools` find what is looked at of dice,
and `odds_limits` say how many states the odds have.
"""

from collections.abc import Mapping
from typing import Any

from bot.rules.declared.declared import KEYS as KEYS
from bot.rules.declared.declared import Declared as Declared
from bot.rules.declared.declared import Library
from bot.rules.declared.setting import Head as Head
from bot.rules.declared.setting import Setting as Setting


def compile_sequences(source: Mapping[str, Any], setting: Setting, heads: Mapping[str, Head]) -> Mapping[str, Declared]:
    """The sequences of `source` by id, all checked: `{lists, formulas, blocks, sequences: {id: {steps: [...]}}}`.

    `heads` are the inputs and outputs of each. Raises TableError with file, sequence, step and place in the file.
    """
    library = Library(source, setting, heads)
    return {id: library.declared(id) for id in library.ids}
