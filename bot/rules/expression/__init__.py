"""Dice expressions, such as `2d6+3` or `10d10>=8`: first parsed and checked for limits, then rolled
with any source of dice.

Numbers are whole; `/` drops the fraction, so 7/2 is 3 and -7/2 is -3. On one die a reroll comes
before an explosion; when all dice lie, keep and drop follow in the order written, and counting
comes last. Rerolls and explosions of a pool draw at most 20 further dice, plus two for each die
written.
"""
