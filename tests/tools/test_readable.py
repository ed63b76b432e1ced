"""The yardstick of `make readable`: what it counts, and that its limits only go down."""

import ast

from tools.readable import Counts, compute_mean_limits, count_tree, find_excesses, lower_limits

DENSE = '''
class Shot:
    def told(self, at, weapon):
        """What was told."""
        self.last = weapon
        one, total = at or 0, weapon if at else None
        return one

    def roll(self, weapon: str) -> int:
        """Roll the dice."""
        return 7
'''


def test_figures_of_a_small_class() -> None:
    counts = Counts()
    assert count_tree(ast.parse(DENSE), counts) == {"Shot"}
    assert (counts.functions, counts.participle_functions) == (2, 1)
    assert (counts.docstrings, counts.wh_docstrings) == (2, 1)
    assert (counts.ternaries, counts.tuple_assignments) == (1, 1)
    # self, at, weapon, last, one, total, self, weapon
    assert (counts.names, counts.function_word_names, counts.position_names) == (8, 2, 1)


def test_a_figure_above_its_limit_is_named_with_its_package() -> None:
    figures = {"bot/game": {"ternaries": 12.5, "nodes": 900.0}}
    limits = {"bot/game": {"ternaries": 12.0}}
    assert find_excesses(figures, limits) == ["bot/game: ternaries 12.5, at most 12"]


def test_a_new_package_is_held_to_the_mean_of_the_others() -> None:
    limits = {"bot/game": {"ternaries": 10.0}, "bot/rules": {"ternaries": 30.0}}
    assert compute_mean_limits(limits) == {"ternaries": 20.0}
    assert find_excesses({"bot/undo": {"ternaries": 21.0}}, limits) == [
        "bot/undo: ternaries 21, at most 20"
    ]


def test_limits_are_lowered_and_never_raised() -> None:
    limits = {"bot/game": {"ternaries": 12.0, "wh-docstrings": 30.0}}
    figures = {"bot/game": {"ternaries": 15.0, "wh-docstrings": 25.0, "nodes": 900.0}}
    assert lower_limits(figures, limits) == {"bot/game": {"ternaries": 12.0, "wh-docstrings": 25.0}}
