"""Every regular expression of the bot, found in the code itself, and texts made of pieces of its
own syntax.

A pattern that somebody adds to `bot/` or `adapters/` is found by itself. One that is put together
inside a function needs an example in `EXAMPLES` of the values that it is made of.
"""

import ast
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("bot", "adapters")
METHODS = ("search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split")
SIGNS = "a1 \n-.,;:=()[]{}<>\"'#@&*_~`+/\\|xdA%\u201c\u2013"
"""Signs from which the members of a class such as `[^\\s,]` are taken."""
MOST_SIGNS = 3
MOST_CHOICES = 6
NOWHERE = "\0"
"""A sign that no text of a pattern ends with."""

EXAMPLES: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("adapters/console/screen.py", '"  " + pattern'): {"pattern": r"(?<!\w)US(?!\w)"},
    ("adapters/slack/tables_and_charts.py", r'rf"unsupported type:? {kind}\b"'): {"kind": "table"},
    ("adapters/slack/text.py", r'rf"<@{re.escape(bot)}(?:\|[^<>]*)?>"'): {"bot": "U123"},
    ("adapters/web_server.py", "signature_form"): {"signature_form": "v0=[0-9a-f]{64}"},
    ("bot/verification/check_page.py", "expected.build_sentence_pattern()"): {
        "expected": SimpleNamespace(build_sentence_pattern=lambda: r"Turn 3, [^.]*\. US\.")
    },
    ("bot/commands/log/log.py", r'rf"{stem}\d+"'): {"stem": "us"},
    ("bot/verification/follows/rolls.py", '"; ".join(patterns)'): {
        "patterns": [r"#3 [^\n]{1,100}: hit", r"#4 [^\n]{1,100}: miss"]
    },
    ("bot/verification/follows/rolls.py", "pattern"): {"pattern": "lnlt-table [a-z0-9-]+ melee"},
    ("bot/verification/follows/turn.py", 'rf"turn {turn}(, .{{1,100}})?"'): {"turn": 3},
    ("bot/game/roster.py", r'prefix + r"\d+"'): {"prefix": "us"},
    ("bot/cli/completion.py", 'rf"{re.escape(last)} [A-Z]"'): {"last": "--every"},
    ("bot/ui/typing/command_text.py", r"""rf'\b{unit_list}="[^"]*"'"""): {"unit_list": "targets"},
    (
        "bot/packs/check.py",
        r"""rf"(?m)(?:^|[\s{{,\"'-]|id: )({key})[\"']?(?=\s*:|\s*,\s*(?:name|count):)" """.strip(),
    ): {"key": "aa"},
    ("bot/runtime/settings.py", "pattern"): {"pattern": "[0-9]+"},
    ("bot/rules/declared/formulas.py", r"""rf"'gives': \[[^\[\]]*'{node.id}'" """.strip()): {
        "node": SimpleNamespace(id="aa")
    },
    ("bot/rules/errors.py", r'rf"(?<![\w-]){re.escape(hint.wrong)}(?![\w-])"'): {
        "hint": SimpleNamespace(wrong="aa")
    },
    ("bot/rules/text/plain.py", 'f"[{signs}]"'): {"signs": "\\t\\n\u200b-\u200f"},
    ("bot/storage/struck_texts.py", r'rf"(?<!\w)(?:{words_of_names})(?!\w)"'): {
        "words_of_names": "Anna|Ann"
    },
    (
        "bot/storage/statements.py",
        r"""rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)" """.strip(),
    ): {"words": ["Anna", "Ann"]},
}
"""Patterns that are made inside a function, by file and code: the values of its names there."""


class Pattern(NamedTuple):
    """A regular expression: where it is (file and name or code), and the methods that it is used
    with.
    """

    place: str
    compiled: re.Pattern[str]
    methods: tuple[str, ...]


@cache
def all_patterns() -> tuple[Pattern, ...]:
    """Return the patterns of the bot and its adapters, each once."""
    found: dict[tuple[str, int], str] = {}
    uses: dict[tuple[str, int], set[str]] = {}
    for file, module, tree in modules():
        for name, value in vars(module).items():
            for pattern in _patterns_in(value):
                found.setdefault((pattern.pattern, pattern.flags), f"{file}:{name}")
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                for pattern in _named_in(node.value, module):
                    uses.setdefault((pattern.pattern, pattern.flags), set()).add(node.attr)
            if (made := _inline(node, file, module)) is not None:
                key = (made.compiled.pattern, made.compiled.flags)
                found.setdefault(key, made.place)
                uses.setdefault(key, set()).update(made.methods)
    return tuple(
        Pattern(place, re.compile(*key), tuple(sorted(uses.get(key) or {"search", "fullmatch"})))
        for key, place in found.items()
    )


def without_example() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the patterns made inside functions that have no example, and the examples of which
    there is no pattern.
    """
    made = {
        (file, _source(file, node.args[0]))
        for file, module, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and _is_of_re(node, module)
        and not _is_constant(node.args[0], module)
    }
    return sorted(made - EXAMPLES.keys()), sorted(EXAMPLES.keys() - made)


@cache
def modules() -> tuple[tuple[str, ModuleType, ast.Module], ...]:
    """Return file, module and syntax tree of each module."""
    found = []
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        if "template" in path.parts or path.name == "__main__.py":
            continue
        file = path.relative_to(ROOT)
        name = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
        module, text = importlib.import_module(name), path.read_text()
        tree = ast.parse(text if _may_use_patterns(text, module) else "")
        found.append((str(file), module, tree))
    return tuple(found)


def _may_use_patterns(text: str, module: ModuleType) -> bool:
    """Return whether a module may use a pattern; parsing the others would take most of the time.

    Most calls of `split` are those of texts, so that name alone says nothing.
    """
    return (
        re.search(r"\bre\.[a-z]", text) is not None
        or any(f".{method}(" in text for method in METHODS if method != "split")
        or any(True for value in vars(module).values() for _ in _patterns_in(value))
    )


def _patterns_in(value: object) -> Iterator[re.Pattern[str]]:
    """Yield the pattern that a value is, or those that it holds."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (one for one in value.values() if isinstance(one, re.Pattern))
    elif isinstance(value, tuple | list):
        yield from (one for one in value if isinstance(one, re.Pattern))


def _named_in(node: ast.expr, module: ModuleType) -> Iterator[re.Pattern[str]]:
    """Yield the patterns of a module that a piece of code names, as `(_A if is_b else _B)` names
    two.
    """
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute):
            try:
                value = _value(part, module, {})
            except (NameError, AttributeError):
                continue
            yield from _patterns_in(value)


def _is_of_re(node: ast.Call, module: ModuleType) -> bool:
    """Return whether code calls a function of `re` that takes a pattern."""
    function = node.func
    if not (
        isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and node.args
    ):
        return False
    return (
        function.value.id == "re"
        and function.attr in (*METHODS, "compile")
        and getattr(module, "re", None) is re
    )


@cache
def _read_lines(file: str) -> list[bytes]:
    return (ROOT / file).read_bytes().split(b"\n")


def _source(file: str, node: ast.expr) -> str:
    """Return a piece of code as it is written."""
    assert node.end_lineno is not None
    lines = _read_lines(file)[node.lineno - 1 : node.end_lineno]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    return b"\n".join(lines).decode()


def _is_constant(node: ast.expr, module: ModuleType) -> bool:
    try:
        _value(node, module, {})
    except NameError:
        return False
    return True


def _inline(node: ast.AST, file: str, module: ModuleType) -> Pattern | None:
    """Return the pattern that a call such as `re.fullmatch(r"[a-z]+", text)` holds."""
    if not (isinstance(node, ast.Call) and _is_of_re(node, module)):
        return None
    code = _source(file, node.args[0])
    given = EXAMPLES.get((file, code))
    if given is None and not _is_constant(node.args[0], module):
        return None
    pattern = _value(node.args[0], module, given or {})
    assert isinstance(node.func, ast.Attribute)
    method = node.func.attr
    flags = 0
    at = {"compile": 1, "split": 3, "sub": 4, "subn": 4}.get(method, 2)
    places = [word.value for word in node.keywords if word.arg == "flags"] + node.args[at : at + 1]
    for place in places:
        flags |= int(_value(place, module, given or {}))
    compiled = pattern if isinstance(pattern, re.Pattern) else re.compile(pattern, flags)
    return Pattern(f"{file}: {code}", compiled, () if method == "compile" else (method,))


def _value(node: ast.expr, module: ModuleType, names: Mapping[str, Any]) -> Any:
    code = compile(ast.Expression(node), "<pattern>", "eval")
    return eval(code, {**vars(module), **names})  # our own source


# Texts of a pattern


def pieces_of(pattern: re.Pattern[str]) -> list[str]:
    """Return short texts out of a pattern: each part of it alone, with its neighbour, and from
    the beginning on.
    """
    whole = parser.parse(pattern.pattern, pattern.flags)
    found: dict[str, None] = {}
    for part in _sequences(whole):
        for begin, end in _windows(len(part)):
            found.update(dict.fromkeys(islice(_texts(part[begin:end]), MOST_CHOICES)))
    return [text for text in found if text]


def _windows(count: int) -> Iterator[tuple[int, int]]:
    yield from ((0, end) for end in range(1, count + 1))
    yield from ((begin, begin + 1) for begin in range(1, count))
    yield from ((begin, begin + 2) for begin in range(1, count - 1))


def _sequences(part: Iterable[Any]) -> Iterator[Sequence[Any]]:
    """Yield a parsed pattern, and each that is inside it."""
    items = list(part)
    yield items
    for op, value in items:
        for inner in _inside(op, value):
            yield from _sequences(inner)


def _inside(op: Any, value: Any) -> list[Any]:
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return [value[2]]
    if op is sre.SUBPATTERN:
        return [value[3]]
    if op is sre.BRANCH:
        return list(value[1])
    return [value[1]] if op in (sre.ASSERT, sre.ASSERT_NOT) else []


def _texts(part: Sequence[Any]) -> Iterator[str]:
    """Yield texts that a sequence takes: the first choice everywhere, then each other choice
    once.
    """
    choices = [_choices(op, value) for op, value in part]
    first = [some[0] for some in choices]
    yield "".join(first)
    for index, some in enumerate(choices):
        for other in some[1:]:
            yield "".join([*first[:index], other, *first[index + 1 :]])


def _choices(op: Any, value: Any) -> list[str]:
    """Return texts that one item of a sequence takes, at least one."""
    if op is sre.LITERAL:
        return [chr(value)]
    if op is sre.NOT_LITERAL:
        return [sign for sign in SIGNS if sign != chr(value)][:MOST_SIGNS]
    if op is sre.ANY:
        return ["a", " ", "1"]
    if op is sre.IN:
        return _members(value)
    if op is sre.BRANCH:
        return [text for inner in value[1] for text in islice(_texts(list(inner)), 2)] or [""]
    if op is sre.SUBPATTERN:
        return list(islice(_texts(list(value[3])), MOST_CHOICES))
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        least, _, inner = value
        texts = list(islice(_texts(list(inner)), MOST_CHOICES))
        return [text * max(1, least) for text in texts] + ([""] if not least else [])
    return [""]


def _members(items: Sequence[Any]) -> list[str]:
    """Return a few signs of a class."""
    literals = "".join(chr(value) for op, value in items if op is sre.LITERAL)
    ranges = "".join(chr(value[0]) for op, value in items if op is sre.RANGE)
    negated = any(op is sre.NEGATE for op, _ in items)
    found = [sign for sign in SIGNS + literals + ranges if _is_member(items, sign) != negated]
    return list(dict.fromkeys(found))[:MOST_SIGNS] or ["a"]


_CATEGORIES: Mapping[Any, Callable[[str], bool]] = {
    sre.CATEGORY_DIGIT: str.isdigit,
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_WORD: lambda sign: sign.isalnum() or sign == "_",
    sre.CATEGORY_NOT_DIGIT: lambda sign: not sign.isdigit(),
    sre.CATEGORY_NOT_SPACE: lambda sign: not sign.isspace(),
    sre.CATEGORY_NOT_WORD: lambda sign: not (sign.isalnum() or sign == "_"),
}


def _is_member(items: Sequence[Any], sign: str) -> bool:
    for op, value in items:
        if op is sre.LITERAL and ord(sign) == value:
            return True
        if op is sre.RANGE and value[0] <= ord(sign) <= value[1]:
            return True
        if op is sre.CATEGORY and _CATEGORIES[value](sign):
            return True
    return False


def heads_of(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Return how a text may begin before a piece is repeated: with nothing, and with the
    beginnings of the pattern.
    """
    whole = list(parser.parse(pattern.pattern, pattern.flags))
    heads = (next(_texts(whole[:end])) for end in range(1, min(len(whole), 4) + 1))
    return tuple(dict.fromkeys(["", *heads]))


def subject(piece: str, head: str, length: int, *, is_broken: bool) -> str:
    """Return a text of so many characters that repeats a piece behind a head; a broken one ends
    as nothing fits.
    """
    text = (head + piece * (length // len(piece) + 1))[:length]
    return text[:-1] + NOWHERE if is_broken else text


def run_method(pattern: re.Pattern[str], method: str, text: str) -> None:
    """Use a pattern on a text as the code does."""
    if method in ("sub", "subn"):
        getattr(pattern, method)("", text)
    elif method == "finditer":
        for _ in pattern.finditer(text):
            pass
    else:
        getattr(pattern, method)(text)
