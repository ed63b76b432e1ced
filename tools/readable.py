"""Measure how hard the code is to read, package by package, and hold each package to its limits.

    python -m tools.readable            print the figures of each package
    python -m tools.readable --check    print only what got worse, and fail then
    python -m tools.readable --update   lower the limits to the figures of today

The figures show where to look; they do not judge a line. A reader does (docs/contributors.md).

- nodes a statement: size of the syntax tree without annotations, divided by the number of
  statements. A dense line has many nodes.
- participle names: functions whose name begins with a participle (`found`, `told`, `named`), in
  percent.
- function-word names: local variables, parameters and attributes that are named by a function word
  or a participle (`one`, `at`), in percent.
- position names: the same for `first`, `last` and `next`, which are often fine. Not limited.
- wh-docstrings: docstrings that open with What, Whether, Who, Where and so on, in percent.
- ternaries, tuple assignments (`a, b = x, y`): how many there are in 1,000 statements.
- complex functions: functions with more than 15 decisions. `if`, loops, `except`, ternaries,
  `and`, `or` and comprehensions all count.
- repeated class names: class names that another file of `bot` or `adapters` uses as well.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMITS_FILE = Path(__file__).with_name("readable_limits.json")
TREES = ("bot", "adapters")
MAX_DECISIONS = 15

PARTICIPLES = frozenset(
    """
    said told made found kept left begun drawn shown seen given taken lent laid held spoken written
    known gone done meant brought thrown chosen fallen grown come spent built fared
    """.split()
)
FUNCTION_WORDS = PARTICIPLES | frozenset(
    """
    one some other others more rest own at by here what where who whom whose when why how way ways
    end ends most many few alike each every all both it that this then now before after behind
    beside new old read asked named called wanted
    """.split()
)
POSITION_WORDS = frozenset(("first", "last", "next"))
NO_PARTICIPLES = frozenset(
    """
    need seed feed speed embed exceed proceed succeed red bed shed weed hundred indeed
    """.split()
)
WH_OPENING = re.compile(r"(What|Whether|Who|Whom|Whose|Which|Where|When|Why|How)\b")
DECISIONS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.IfExp, ast.ExceptHandler)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

UNLIMITED = ("nodes", "statements", "position names")


@dataclass(slots=True)
class Counts:
    """The raw counts of one package."""

    nodes: int = 0
    statements: int = 0
    functions: int = 0
    participle_functions: int = 0
    docstrings: int = 0
    wh_docstrings: int = 0
    names: int = 0
    function_word_names: int = 0
    position_names: int = 0
    ternaries: int = 0
    tuple_assignments: int = 0
    complex_functions: int = 0
    class_names: list[str] = field(default_factory=list)

    def compute_figures(self, repeated_class_names: frozenset[str]) -> dict[str, float]:
        """Return the figures of the package by name, rounded to one decimal."""
        statements = max(self.statements, 1)
        figures = {
            "nodes": self.nodes,
            "statements": self.statements,
            "nodes a statement": self.nodes / statements,
            "participle names": 100 * self.participle_functions / max(self.functions, 1),
            "function-word names": 100 * self.function_word_names / max(self.names, 1),
            "position names": 100 * self.position_names / max(self.names, 1),
            "wh-docstrings": 100 * self.wh_docstrings / max(self.docstrings, 1),
            "ternaries": 1000 * self.ternaries / statements,
            "tuple assignments": 1000 * self.tuple_assignments / statements,
            "complex functions": self.complex_functions,
            "repeated class names": len(repeated_class_names.intersection(self.class_names)),
        }
        return {name: round(figure, 1) for name, figure in figures.items()}


def list_packages(root: Path) -> Iterator[tuple[str, list[Path]]]:
    """Yield (name, files) of each package: a folder of `bot` or `adapters`, or the loose files
    of one.
    """
    for tree in TREES:
        yield tree, sorted((root / tree).glob("*.py"))
        for folder in sorted((root / tree).iterdir()):
            files = sorted(folder.rglob("*.py")) if folder.is_dir() else []
            if files:
                yield f"{tree}/{folder.name}", files


def measure_packages(root: Path = ROOT) -> dict[str, dict[str, float]]:
    """Return the figures of each package below `root`."""
    counts_by_package: dict[str, Counts] = {}
    class_names = Counter[str]()
    for package, files in list_packages(root):
        counts = Counts()
        for file in files:
            tree = ast.parse(file.read_text("utf-8"))
            class_names.update(count_tree(tree, counts))
        counts_by_package[package] = counts
    repeated = frozenset(name for name, count in class_names.items() if count > 1)
    return {
        package: counts.compute_figures(repeated) for package, counts in counts_by_package.items()
    }


def count_tree(tree: ast.Module, counts: Counts) -> set[str]:
    """Add the counts of one file to those of its package. Return the class names in it."""
    remove_annotations(tree)
    class_names: set[str] = set()
    for node in ast.walk(tree):
        counts.nodes += 1
        counts.statements += isinstance(node, ast.stmt)
        counts.ternaries += isinstance(node, ast.IfExp)
        if isinstance(node, ast.Assign):
            is_tuple = isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple)
            counts.tuple_assignments += is_tuple
        elif isinstance(node, FUNCTIONS):
            count_function(node, counts)
        elif isinstance(node, ast.ClassDef):
            class_names.add(node.name)
        name = get_assigned_name(node)
        if name and not name.isupper():
            counts.names += 1
            counts.function_word_names += name.strip("_") in FUNCTION_WORDS
            counts.position_names += name.strip("_") in POSITION_WORDS
    counts.class_names += sorted(class_names)
    return class_names


def count_function(function: ast.FunctionDef | ast.AsyncFunctionDef, counts: Counts) -> None:
    """Add one function to the counts of its package."""
    if not function.name.startswith("__"):
        counts.functions += 1
        counts.participle_functions += is_participle(function.name)
    docstring = ast.get_docstring(function)
    if docstring:
        counts.docstrings += 1
        counts.wh_docstrings += WH_OPENING.match(docstring) is not None
    counts.complex_functions += count_decisions(function) > MAX_DECISIONS


def get_assigned_name(node: ast.AST) -> str:
    """Return the variable, parameter or attribute that a node gives a value to, or ""."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return node.attr
    if isinstance(node, ast.arg):
        return node.arg
    return ""


def is_participle(name: str) -> bool:
    """Return whether a function name begins with a participle."""
    first_word = name.strip("_").split("_")[0].lower()
    if first_word in PARTICIPLES:
        return True
    return first_word.endswith("ed") and len(first_word) > 3 and first_word not in NO_PARTICIPLES


def remove_annotations(tree: ast.Module) -> None:
    """Remove annotations from a tree in place, so that typed code does not look dense for its
    types.
    """
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(0)


def count_decisions(function: ast.AST) -> int:
    """Return how many ways lead through a function, with decisions inside expressions counted."""
    decisions = 1
    for node in ast.walk(function):
        if isinstance(node, DECISIONS):
            decisions += 1
        elif isinstance(node, ast.BoolOp):
            decisions += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            decisions += 1 + len(node.ifs)
    return decisions


def load_limits() -> dict[str, dict[str, float]]:
    """Load the limits of each package."""
    limits: dict[str, dict[str, float]] = json.loads(LIMITS_FILE.read_text("utf-8"))
    return limits


def find_excesses(
    figures: dict[str, dict[str, float]], limits: dict[str, dict[str, float]]
) -> list[str]:
    """Return a line for each figure above the limit of its package.

    A package without limits is a new one: it is held to the mean of the others.
    """
    lines = []
    for package, package_figures in figures.items():
        package_limits = limits.get(package) or compute_mean_limits(limits)
        for name, figure in package_figures.items():
            limit = package_limits.get(name)
            if limit is not None and figure > limit:
                lines.append(f"{package}: {name} {figure:g}, at most {limit:g}")
    return lines


def compute_mean_limits(limits: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return the mean of all packages' limits, for a package that has none yet."""
    names = {name for package_limits in limits.values() for name in package_limits}
    means = {}
    for name in names:
        values = [package_limits[name] for package_limits in limits.values()]
        means[name] = sum(values) / len(values)
    return means


def lower_limits(
    figures: dict[str, dict[str, float]], limits: dict[str, dict[str, float]]
) -> dict[str, dict[str, float]]:
    """Return limits no higher than the figures of today. A limit is never raised."""
    lowered = {}
    for package, package_figures in figures.items():
        current = limits.get(package, {})
        lowered[package] = {
            name: min(figure, current.get(name, figure))
            for name, figure in package_figures.items()
            if name not in UNLIMITED
        }
    return lowered


def format_table(figures: dict[str, dict[str, float]]) -> str:
    """Format the figures as a table, one line for each package."""
    names = next(iter(figures.values()))
    width = max(map(len, figures))
    lines = [" " * width + "".join(f"  {name}" for name in names)]
    for package, package_figures in figures.items():
        cells = (f"  {package_figures[name]:>{len(name)}g}" for name in names)
        lines.append(package.ljust(width) + "".join(cells))
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Print the figures, check them or lower the limits. Return the exit status."""
    parser = argparse.ArgumentParser(description="Measure how hard the code is to read.")
    parser.add_argument("--check", action="store_true", help="fail if a figure is above its limit")
    parser.add_argument("--update", action="store_true", help="lower the limits to today's figures")
    options = parser.parse_args(arguments)
    figures = measure_packages()
    if options.update:
        limits = load_limits() if LIMITS_FILE.exists() else {}
        text = json.dumps(lower_limits(figures, limits), indent=1)
        LIMITS_FILE.write_text(text + "\n", "utf-8")
    elif options.check:
        excesses = find_excesses(figures, load_limits())
        if excesses:
            print("Harder to read than before (make readable shows all figures):")
            print("\n".join(excesses))
            print("Simplify what you changed. If the figure misleads here, raise its limit in")
            print(f"{LIMITS_FILE.relative_to(ROOT)} and say why in the commit.")
            return 1
    else:
        print(format_table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
