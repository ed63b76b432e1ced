"""The errors that a player or an author of tables can mend, and nothing else."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

from bot.rules.text.normalize import comparison_key, normalize_value
from bot.rules.text.phrase import Phrase, Typed
from bot.rules.text.plain import make_one_line


def _hint_safely(hint: str) -> str:
    """`make_one_line`, of each piece of a hint."""
    if isinstance(hint, Hint):
        return hint
    if isinstance(hint, Phrase):
        return Phrase(*map(_hint_safely, hint.pieces))
    return Typed(make_one_line(hint)) if isinstance(hint, Typed) else make_one_line(hint)


class UserError(Exception):
    """Something a player typed cannot be done; the text is shown as it is.

    `message` says what was wrong and what was expected, in one line. `hint` is what to do next: the
    corrected command ready to copy, or where to look; commands in it are `Typed`. `option` names
    the option at fault, so that a form can show the error at its field. `code` names the kind of
    error for programs and tests (`codes.py` has them all). `about` is the unit at fault, from which
    the option follows where it is read, or the die that is owed. `typed` is the command, where it
    is not the one that was pressed; `better` the one that goes through, and `right` what is
    different in it. `buttons` are those of the refusal.
    """

    of_store: ClassVar[bool] = False
    """The database is at fault, not what was asked of it."""
    is_passing: ClassVar[bool] = False
    """It is over by itself, or once the host has seen to the machine: whoever starts waits for
    it.
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

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class DieOwed(UserError):
    """A script of dice (or real dice) ran out; `label` and `sides` say which die is owed next."""

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


class TableError(Exception):
    """A table or game file is wrong; found when it is loaded. Names file, row and column."""

    def __init__(
        self, file: str, problem: str, *, row: object = None, column: object = None
    ) -> None:
        problem = make_one_line(problem)
        problem = problem if len(problem) <= LONGEST else f"{problem[: LONGEST - 3]}..."
        self.file = file
        self.problem = problem
        self.row = row
        self.column = column
        place = file
        if row is not None:
            place += f", row {make_one_line(str(row))[:60]}"
        if column is not None:
            place += f", column {column}"
        super().__init__(f"{place}: {problem}")


class Slip(ValueError):
    """What an author wrote cannot be; the text says what and, where it can, what to write
    instead.
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

    If blocks are nested, the innermost row is named.
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
        problem = (
            f"{str(error)[:60]} is missing"
            if isinstance(error, KeyError)
            else "is not laid out as it must be"
        )
        raise TableError(
            file, f"{problem}: docs/pack-keys.md explains every key", row=row
        ) from error


def check_keys(
    part: Any, allowed: Iterable[str], needed: Iterable[str], file: str, row: str | None = None
) -> None:
    """Raise TableError for a part of a file that is no mapping, has a key of its own making or
    lacks one.
    """
    if not isinstance(part, Mapping):
        raise TableError(file, f"must be a mapping with {', '.join(needed)}", row=row)
    check_known(part, allowed, file, row)
    if missing := [key for key in needed if not part.get(key)]:
        raise TableError(file, f"{missing[0]} is missing", row=row)


def check_known(
    words: Iterable[Any], known: Iterable[str], file: str, row: str | None = None
) -> None:
    """Raise TableError for the first of the words that is none of those known."""
    for word in words:
        if word not in known:
            hint = (
                did_you_mean(str(word), known) or f"It may be {', '.join(known) or 'nothing here'}."
            )
            raise TableError(file, f'"{str(word)[:40]}" is not known here. {hint}', row=row)


class Hint(str):
    """A hint that knows which word was wrong and which is meant, so that the whole command can
    be corrected. If it takes a word for a number of a unit, `unit_number` is that word, `game` the
    game of the unit, and `otherwise` the hint if its units have no such number.
    """

    wrong: str = ""
    right: str = ""
    unit_number: str = ""
    game: str = ""
    otherwise: str = ""


def did_you_mean(word: str, known: Iterable[str]) -> Hint:
    """`Did you mean melee-odds?` for the nearest of `known`, or an empty hint.

    Case does not count. Of two that are equally near, the one with the same letters is meant. Where none is near, those
    of which the word is a part: `rifle` is part of `battle-rifle`.
    """
    folded = comparison_key(word[:64])
    by_folded = {comparison_key(name): name for name in sorted(set(known), reverse=True)}
    names = sorted(key for key, name in by_folded.items() if name != word)
    near = find_near(folded, names, 0.8)
    near = (
        near
        or [name for name in names if len(folded) > 2 and folded in re.split(_PIECES, name)][:3]
    )
    near = near or find_near(folded, names, 0.6)
    return suggest_names(word, [by_folded[name] for name in near])


def with_sign_of(word: str, hint: Hint) -> Hint:
    """Return the hint for `-shakn` with the sign that was typed: without it, it would offer the
    opposite.
    """
    sign = normalize_value(word)[:1]
    if sign not in ("-", "+") or not hint.right or hint.right.startswith(sign):
        return hint
    return suggest_names(word, [f"{sign}{hint.right}"])


def suggest_names(word: str, names: list[str]) -> Hint:
    """`Did you mean fire or fair?`: the hint that names these, empty for none; one name corrects
    the command.
    """
    hint = Hint(f"Did you mean {_either(names)}?" if names else "")
    hint.wrong, hint.right = word, names[0] if len(names) == 1 else ""
    return hint


def find_near(word: str, names: list[str], cutoff: float) -> list[str]:
    """Return the nearest of the names, as a list of at most one; `cutoff` is from 0 to 1."""
    if len(word) < 3:  # half the letters of so short a word are anything
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


def _either(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def correct_typed(typed: str, error: UserError) -> str:
    """What was typed with the wrong word put right, ready to copy; empty where that is not
    known.
    """
    hint = error.hint
    if not isinstance(hint, Hint) or not hint.right or len(typed) > 1_000:
        return ""
    found = re.search(rf"(?<![\w-]){re.escape(hint.wrong)}(?![\w-])", typed, re.IGNORECASE)
    if found is None:
        return ""
    begin, end = found.span()
    while begin > 0 and not (typed[begin - 1].isspace() or typed[begin - 1] in '="'):
        begin -= 1
    while end < len(typed) and not (typed[end].isspace() or typed[end] == '"'):
        end += 1
    right = typed[begin : found.start()] + hint.right + typed[found.end() : end]
    before = typed[:begin]
    is_value = error.code == "unknown-unit" or before.endswith("=")
    if is_value and " " in right and before.count('"') % 2 == 0:
        right = f'"{right}"'  # words with a blank, where no quotes are open
    return before + right + typed[end:]
