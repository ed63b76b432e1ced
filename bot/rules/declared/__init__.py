"""Sequences written as data: steps in YAML, compiled to the same `Plan` that plays and counts every
other sequence.

`Library` reads and checks them, and `Declared.plan` makes the plan for given inputs. `formulas`
compiles, checks and types formulas and texts. `load` reads the steps into a program of statements.
Each kind of statement is a class (`program.Statement`) that defines how it is read, checked, played
and counted: see `let_tell`, `output_steps`, `rolls`, `draws`, `choices` and `when_each`. Several
passes go through a program: `Slicer` keeps what some outputs need, `interpreter` plays it, `Early`
refuses inputs before the first die, `pools` finds which dice are looked at, and `odds_limits`
bounds the number of states of its odds.
"""
