"""Sequences written as data: steps in YAML, made into the `Plan` that plays and counts every other
sequence.

`Library` reads and checks them, `Declared.plan` makes the plan for given inputs. On the way:
`formulas` makes functions of what is written in formulas and texts, checked and typed; `load` reads
the steps and makes a program of them. A kind of statement is a class (`program.Statement`) that
says how it is read, checked, played and counted: `values`, `answer_lines`, `rolls`, `draws`,
`choices`, `branches`. Who goes through a program asks them: `Slicer` keeps what is needed, `walk`
plays it, `Early` refuses inputs before any die falls, `pools` find what is looked at of dice, and
`odds_limits` say how many states the odds have.
"""
