"""Sequences written as data: steps in YAML, made into the `Plan` that plays and counts every other sequence.

`compile_sequences` reads and checks them all, `Declared.plan` makes the plan for given inputs. On the way: `formulas`
and `types` check what is written in formulas and texts, `closures` makes functions of it; `load` reads the steps and
`program` makes a small program of them; `needed` keeps what is asked for and finds what each roll must remember; `walk`
goes through it with dice, `checks` before any fall, to refuse inputs, and `looking` finds what is looked at of pools
of dice; `rolls` are the steps of the plan, and `bounds` says how many states its odds have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.declared.declared import Declared as Declared
from bot.rules.declared.declared import Library
from bot.rules.declared.setting import Head as Head
from bot.rules.declared.setting import Setting as Setting

KEYS = ("lists", "formulas", "blocks", "sequences")
"""What a file of declared sequences may hold."""


def compile_sequences(source: Mapping[str, Any], setting: Setting, heads: Mapping[str, Head]) -> Mapping[str, Declared]:
    """The sequences of `source` by id, all checked: `{lists, formulas, blocks, sequences: {id: {steps: [...]}}}`.

    `heads` are the inputs and outputs of each. Raises TableError with file, sequence, step and place in the file.
    """
    library = Library(source, setting, heads)
    return {id: library.declared(id) for id in library.ids}
