"""Sequences written as data: steps in YAML, compiled to the same `Plan` that plays and counts every
other sequence.

Four steps of a pack, from YAML to dice:

    rally:
      steps:
        - roll: {check: "1d6: rally"}
        - let: {held: check + leader >= 5}
        - tell: {rallied: held}
        - headline: "rolled {check}"

1. `Library` holds the file, `SequenceHead` the inputs and outputs that the game declares for it.
   `load_sequence` compiles each formula (`formulas`) and reads each step into statements. What a
   step may name is in its `StepScope`.
2. The result is a `Declared` with a program: a tuple of `Statement`s. Each knows the keys that it
   reads and sets. A kind of statement defines how it is read, checked, played and counted: see
   `let_tell`, `output_steps`, `rolls`, `draws`, `choices` and `when_each`.
3. `Slicer` goes backward and keeps what some outputs need. Odds of `rallied` need no headline.
4. `Early`, a `KnownValuesPass`, goes forward before the first die and refuses inputs that cannot
   work. `StateCounter` bounds the states that the odds can have, and `pools` finds which dice of a
   roll are looked at.
5. `Declared.plan` takes the values of the inputs. `interpreter` runs the program to the next roll
   and stops in a state (`Now`): the name of the roll, and the values that are read after it.
6. `play` throws the dice and goes on from there. Odds do the same for every possible roll.

>>> from bot.rules.declared.compile_context import Setting
>>> from bot.rules.declared.declared import Library, SequenceHead
>>> from bot.rules.declared.program import Slicer
>>> from bot.rules.dice import Script
>>> from bot.rules.inputs.input_values import Given
>>> from bot.rules.inputs.options import Option
>>> from bot.rules.odds.odds import compute_joint_odds
>>> from bot.rules.sequence.sequence import play
>>> steps = [
...     {"roll": {"check": "1d6: rally"}},
...     {"let": {"held": "check + leader >= 5"}},
...     {"tell": {"rallied": "held"}},
...     {"headline": "rolled {check}"},
... ]
>>> head = SequenceHead((Option("leader", "int"),), {"rallied": "bool"})
>>> library = Library({"sequences": {"rally": {"steps": steps}}}, Setting("rally.yaml"), {"rally": head})
>>> rally = library.load_sequence("rally")
>>> [type(statement).__name__ for statement in rally.program]
['Let', 'RollStatement', 'Let', 'Let', 'Tell', 'OutputStatement']
>>> [type(statement).__name__ for statement in Slicer(frozenset(("rallied",))).block(rally.program)]
['Let', 'RollStatement', 'Let', 'Let', 'Tell']
>>> plan = rally.plan(Given({"leader": 1}))
>>> played = play(plan, Script((4,)))
>>> played.out, played.resolution.headline
({'rallied': True}, 'rolled 4')
>>> compute_joint_odds(plan, ["rallied"])
{('false',): Fraction(1, 2), ('true',): Fraction(1, 2)}

The first `Let` notes that `rallied` is not set yet; the third prepares its value for `Tell`.
"""
