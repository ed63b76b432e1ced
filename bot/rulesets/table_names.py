"""The printed names of tables: titles, numbers on the card and what a file lists under `also`."""

import re
from collections.abc import Iterable, Iterator, Mapping

from bot.rules.tables.table import Table
from bot.rules.text.normalize import comparison_key

MAX_WORDS = 8
"""Words of the longest printed name that is looked for."""
_NOT_LETTERS = re.compile(r"[\W_]+")
_NUMBER = r"\d+[a-z]?"
_NUMBERED = re.compile(rf"([A-Za-z]+) ({_NUMBER}(?:(?:, | and ){_NUMBER})*)\b(.*)")
_NOTES = re.compile(r",[^(]*\bnotes?\b")


def fold_name(text: str) -> str:
    """Return a printed name in the form in which names are compared.

    >>> fold_name("Damage check: Calculation")
    'damage-check-calculation'
    """
    return _NOT_LETTERS.sub("-", comparison_key(text)).strip("-")


def get_card_numbers(source: str) -> tuple[str, ...]:
    """Return the folded names of the tables or pages that a source begins with.

    >>> get_card_numbers("Tables 6a and 6b, note 2 (D3.2)")
    ('table-6a', '6a', 'table-6b', '6b')
    >>> get_card_numbers("PAC 07 (8.0)")
    ('pac-07', 'pac-7')
    """
    numbered = _NUMBERED.match(source)
    if numbered is None:
        return ()
    word = numbered[1].casefold()
    names: list[str] = []
    for number in re.findall(_NUMBER, numbered[2]):
        if word in ("table", "tables"):
            names += [f"table-{number}", number]
        else:
            names += [f"{word}-{number}", f"{word}-{number.lstrip('0')}"]
    return tuple(dict.fromkeys(names))


def _is_note(table: Table) -> bool:
    """Return whether the table holds notes to a table of the card, not that table itself."""
    numbered = _NUMBERED.match(table.source)
    return numbered is not None and _NOTES.match(numbered[3]) is not None


def list_names(tables: Iterable[Table]) -> Mapping[str, tuple[str, ...]]:
    """Return the ids of the tables by each folded name that the card prints for them.

    An id goes before a title or a name under `also`, and these before a number. A number names the
    tables themselves; those with only its notes are named if there are no others.
    """
    tables = list(tables)
    names: dict[str, list[str]] = {}
    for table in tables:
        for name in dict.fromkeys(map(fold_name, (table.title, *table.also))):
            names.setdefault(name, []).append(table.id)
    numbers: dict[str, list[Table]] = {}
    for table in tables:
        for number in get_card_numbers(table.source):
            numbers.setdefault(number, []).append(table)
    for number, numbered in numbers.items():
        themselves = [table for table in numbered if not _is_note(table)]
        names.setdefault(number, [table.id for table in themselves or numbered])
    names |= {fold_name(table.id): [table.id] for table in tables}
    return {name: tuple(ids) for name, ids in names.items() if name}


def read_name(
    words: Iterable[str], names: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], int]:
    """Return the ids that the longest printed name at the start of `words` stands for, and how many
    words it takes; no ids and 0 if there is none.
    """
    longest: tuple[tuple[str, ...], int] = ((), 0)
    for count, name in enumerate(_list_starts(words), 1):
        if name in names:
            longest = names[name], count
    return longest


def _list_starts(words: Iterable[str]) -> Iterator[str]:
    """Yield the folded first word, the first two words, and so on, up to MAX_WORDS.

    A word without letters and digits, such as a dagger, ends the list.
    """
    name = ""
    for word in list(words)[:MAX_WORDS]:
        if not fold_name(word):  # a sign such as a dagger is no part of a name
            return
        name = fold_name(f"{name} {word}")
        yield name
