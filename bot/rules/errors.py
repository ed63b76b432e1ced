"""Errors that a player or the author of a table can fix, and the hints in them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

from bot.rules.text.normalize import comparison_key, normalize_value
from bot.rules.text.phrase import Phrase, Typed
from bot.rules.text.plain import make_one_line


def _hint_safely(hint: str) -> str:
    """Return a hint with each of its pieces made safe to display by `make_one_line`.

    A `Hint` is returned unchanged.
    """
    if isinstance(hint, Hint):
        return hint
    if isinstance(hint, Phrase):
        return Phrase(*map(_hint_safely, hint.pieces))
    safe_hint = make_one_line(hint)
    return Typed(safe_hint) if isinstance(hint, Typed) else safe_hint


class UserError(Exception):
    """An error in a player's command; its text is displayed as it is.

    - `message`: the problem and the expected input, in one line.
    - `hint`: the next thing to do: the corrected command to copy, or a place to look. Commands in
      it are `Typed`.
    - `code`: the kind of error for programs and tests, one of `codes.py`.
    - `option`: the option at fault, so that a form can show the error at its field.
    - `about`: the unit, number or other value at fault, or the die that is needed next. The reader
      of the options may find the option by it.
    - `typed`: the command at fault, if it is not the one that was sent.
    - `better`: the command that works, and `right` the part of it that is different.
    - `buttons`: the buttons of the refusal.
    """

    of_store: ClassVar[bool] = False
    """True if the database is at fault, and not the command."""
    is_passing: ClassVar[bool] = False
    """True if the error ends by itself or by work of the host, so that a starting process waits for
    its end.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        code: str,
        option: str | None = None,
        about: object = None,
    ) -> None:
        message = make_one_line(message)  # it quotes what was typed
        hint = _hint_safely(hint)
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.option = option
        self.about = about
        self.typed = self.better = self.right = ""
        self.buttons: tuple[Any, ...] = ()
        self.position = ""
        """The file, line and step of a pack that it comes from, for the check of the pack."""

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class DieOwed(UserError):
    """The error of a script of dice, or of real dice, that ran out. `label` and `sides` describe
    the die that is needed next, `given` are all values of the script.
    """

    def __init__(self, label: str, sides: str, given: tuple[object, ...]) -> None:
        super().__init__(
            f"The dice ran out: the next die owed is {label} ({sides}).",
            hint=f"Given so far: {', '.join(map(str, given)) or 'none'}.",
            option="hand",
            code="die-owed",
        )
        self.label = label
        self.sides = sides
        self.given = given


LONGEST = 400
"""Maximum number of characters of a problem in a `TableError`."""


class TableError(Exception):
    """An error in a table or game file, raised when it is loaded. Names file, row and column."""

    def __init__(
        self, file: str, problem: str, *, row: object = None, column: object = None
    ) -> None:
        problem = make_one_line(problem)
        problem = problem if len(problem) <= LONGEST else f"{problem[: LONGEST - 3]}..."
        self.file = file
        self.problem = problem
        self.row = row
        self.column = column
        location = file
        if row is not None:
            location += f", row {make_one_line(str(row))[:60]}"
        if column is not None:
            location += f", column {column}"
        super().__init__(f"{location}: {problem}")


class Slip(ValueError):
    """An error in a part of a file, raised by code that does not know the file. The text names the
    problem and if possible the correction. `name_row_of_errors` turns it into a `TableError`.
    """


_MISSHAPEN = (
    TypeError,
    AttributeError,
    NameError,
    LookupError,
    ValueError,
    ArithmeticError,
    RecursionError,
)


@contextmanager
def name_row_of_errors(file: str, row: object = None) -> Iterator[None]:
    """Turn errors raised in this block into TableErrors that name the file and row.

    Slips and the errors of Python that a file of the wrong shape leads to are turned. If blocks are
    nested, the innermost row is named.
    """
    try:
        yield
    except TableError as error:
        if error.row is not None or row is None:
            raise
        raise TableError(error.file, error.problem, row=row, column=error.column) from None
    except Slip as error:
        raise TableError(file, str(error), row=row) from None
    except _MISSHAPEN as error:
        problem = "is not laid out correctly"
        if isinstance(error, KeyError):
            problem = f"{str(error)[:60]} is missing"
        problem += ": docs/pack-keys.md explains every key"
        raise TableError(file, problem, row=row) from error


def check_keys(
    part: Any, allowed: Iterable[str], needed: Iterable[str], file: str, row: str | None = None
) -> None:
    """Raise TableError for a part of a file that is no mapping, has a key that is not allowed, or
    lacks one of the `needed` keys.
    """
    if not isinstance(part, Mapping):
        raise TableError(file, f"must be a mapping with {', '.join(needed)}", row=row)
    check_known(part, allowed, file, row)
    missing_keys = [key for key in needed if not part.get(key)]
    if missing_keys:
        raise TableError(file, f"{missing_keys[0]} is missing", row=row)


def check_known(
    words: Iterable[Any], allowed: Iterable[str], file: str, row: str | None = None
) -> None:
    """Raise TableError for the first of the words that is not allowed."""
    for word in words:
        if word not in allowed:
            allowed_list = ", ".join(allowed) or "nothing here"
            hint = did_you_mean(str(word), allowed) or f"It can be {allowed_list}."
            raise TableError(file, f'"{str(word)[:40]}" is not known here. {hint}', row=row)


class Hint(str):
    """A hint with the `wrong` word and the `right` one, so that the whole command can be corrected.

    If the right word is a number of a unit, `unit_number` is that word, `game` the game of the
    unit, and `otherwise` the hint if the units of the game have no such number.
    """

    wrong: str = ""
    right: str = ""
    unit_number: str = ""
    game: str = ""
    otherwise: str = ""


def did_you_mean(word: str, names: Iterable[str]) -> Hint:
    """Return the hint `Did you mean melee-odds?` with the most similar of `names`; an empty hint if
    none is similar.

    Case does not count. Of two names that are equally near, the one with the same letters is taken.
    If no name is very near, up to three names of which the word is a part go before distant ones:
    `rifle` is part of `battle-rifle`.
    """
    word_key = comparison_key(word[:64])
    names_by_key = {comparison_key(name): name for name in sorted(set(names), reverse=True)}
    keys = sorted(key for key, name in names_by_key.items() if name != word)
    near = find_near(word_key, keys, 0.8)
    if not near and len(word_key) > 2:
        near = [key for key in keys if word_key in re.split(_PIECES, key)][:3]
    if not near:
        near = find_near(word_key, keys, 0.6)
    return suggest_names(word, [names_by_key[key] for key in near])


def with_sign_of(word: str, hint: Hint) -> Hint:
    """Return a hint for a word such as `-shakn` with the sign of that word.

    Without the sign the hint would offer the opposite.
    """
    sign = normalize_value(word)[:1]
    if sign not in ("-", "+") or not hint.right or hint.right.startswith(sign):
        return hint
    return suggest_names(word, [f"{sign}{hint.right}"])


def suggest_names(word: str, names: list[str]) -> Hint:
    """Return the hint `Did you mean fire or fair?`, an empty one without names.

    A single name is also the right word, by which the command can be corrected.
    """
    hint = Hint()
    if names:
        hint = Hint(f"Did you mean {_join_with_or(names)}?")
    hint.wrong = word
    if len(names) == 1:
        hint.right = names[0]
    return hint


def find_near(word: str, names: list[str], cutoff: float) -> list[str]:
    """Return the name that is most similar to a word, as a list of at most one.

    `cutoff` is the least similarity, from 0 to 1. For words of less than three letters only the
    same word counts, and of three letters at most one may be wrong, unless they are in another
    order or the name is longer.
    """
    if len(word) < 3:
        return [word] if word in names else []
    from difflib import get_close_matches

    near = get_close_matches(word, names, n=3, cutoff=cutoff)
    if len(word) == 3:  # two other letters of three are another word: can, not ucn
        near = [
            name
            for name in near
            if len(name) > 3 or sum(map(str.__ne__, word, name)) < 2 or sorted(name) == sorted(word)
        ]
    near.sort(key=lambda name: sorted(name) != sorted(word))
    return near[:1]


_PIECES = r"[-_ ]"


def _join_with_or(names: list[str]) -> str:
    """Return `a, b or c`."""
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def correct_typed(typed: str, error: UserError) -> str:
    """Return a typed command with the wrong word corrected, ready to copy.

    Return "" if the error's hint has no right word, or if the wrong word does not occur. A value
    with a space is put in quotes, unless it is in quotes already.
    """
    hint = error.hint
    if not isinstance(hint, Hint) or not hint.right or len(typed) > 1_000:
        return ""
    wrong = re.search(rf"(?<![\w-]){re.escape(hint.wrong)}(?![\w-])", typed, re.IGNORECASE)
    if wrong is None:
        return ""
    start, stop = wrong.span()
    while start > 0 and not (typed[start - 1].isspace() or typed[start - 1] in '="'):
        start -= 1
    while stop < len(typed) and not (typed[stop].isspace() or typed[stop] == '"'):
        stop += 1
    value = typed[start : wrong.start()] + hint.right + typed[wrong.end() : stop]
    prefix = typed[:start]
    is_value = error.code == "unknown-unit" or prefix.endswith("=")
    in_quotes = prefix.count('"') % 2 == 1
    if is_value and " " in value and not in_quotes:
        value = f'"{value}"'
    return prefix + value + typed[stop:]
