"""Names of units as one says them together: `US Squads 3 + 4`, `VC 3, 5, 6`, `Lt Dan and M60
team`; and of sides.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

_DIGITS = 6
"""A number of more digits belongs to the name."""
_FORCES = {
    "ANZAC",
    "ARVN",
    "IDF",
    "NLF",
    "NVA",
    "PAVN",
    "PLA",
    "RAF",
    "SAS",
    "SS",
    "UK",
    "US",
    "USMC",
    "USSR",
    "VC",
}
_NOUNS = "squad team crew section platoon tank gun soldier rifle vehicle element character gi"
_NUMBERED = {*_NOUNS.split()}
"""Nouns by which units are numbered: `Squads 3 + 4`. Any other name is somebody's own and stays:
`Cavalry 1 + 2`.
"""
_HISSING = ("s", "x", "z", "ch", "sh")
_ONE_ALONE = ("ss", "us", "is", "as")
"""Names of one thing end so: cross, bus, gas. Others in -s are of several already: Rifles,
Marines, Guns.
"""


def format_count(count: int, one: str, many: str = "") -> str:
    """`1 game`, `3 games`; `many` is for what takes more than an s."""
    return f"1 {one}" if count == 1 else f"{count} {many or f'{one}s'}"


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number_in_words(number: int) -> str:
    """Return `five`; from eleven on the digits."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def number_repeated(words: Sequence[str]) -> tuple[str, ...]:
    """The words, each with its number where several are alike: `rifle 1`, `SMG`, `rifle 2`."""
    nth = [words[:at].count(word) for at, word in enumerate(words, 1)]
    return tuple(
        [
            f"{word} {at}" if words.count(word) > 1 else word
            for at, word in zip(nth, words, strict=True)
        ]
    )


def join_names(names: Iterable[str]) -> str:
    """Names in order, those that differ in their number alone together; the last two joined by
    "and".
    """
    names = [*names]
    if len(names) == 1:
        return names[0]
    groups: dict[str, list[str]] = {}
    for name in names:
        stem, number = _split_number(name)
        if not stem:
            stem = f"\0{name}"
            number = name
        if stem in groups:
            groups[stem].append(number)
        else:
            groups[stem] = [number]
    said = [_format_group(stem, numbers) for stem, numbers in groups.items()]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}" if said else ""


def _format_group(stem: str, found: list[str]) -> str:
    if stem.startswith("\0"):
        name = found[0]
        alike = len(found)
        return (
            name
            if alike == 1
            else f"{alike} {format_plural(name) if name.islower() else format_group_name(name) or name}"
        )
    if len(found) == 1:
        return f"{stem} {found[0]}"
    men = stem if stem.rpartition(" ")[2].isupper() else format_group_name(stem) or stem
    return f"{men} {' + '.join(sorted(found, key=int)) if len(found) == 2 else ', '.join(_format_runs(found))}"


def _format_runs(numbers: Iterable[str]) -> list[str]:
    """Numbers in order, three or more that follow each other as `3-6`."""
    runs: list[list[int]] = []
    for number in sorted(map(int, numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [
        said
        for run in runs
        for said in (map(str, run) if len(run) < 3 else [f"{run[0]}-{run[-1]}"])
    ]


def format_group_name(stem: str) -> str:
    """Several units that are numbered under this name, to be counted: US Squads, GIs, VC; empty for
    a name that is somebody's own, which has no plural."""
    last = stem.rpartition(" ")[2]
    return format_plural(stem) if last.casefold() in _NUMBERED or last.isupper() else ""


@lru_cache(maxsize=512)
def format_plural(word: str) -> str:
    """More than one of it: squads, crosses, GIs; whole forces (VC, US), names of several
    (Rifles) and of men stay.
    """
    last = word.rpartition(" ")[2]
    if last in _FORCES or len(last) == 1 or last.endswith("men") or not last[-1:].isalpha():
        return word
    if last.endswith("s") and not last.endswith(_ONE_ALONE):
        return word
    if last.isupper():
        return f"{word}s"
    if last.endswith("man"):
        return f"{word[:-3]}men"
    if last.endswith("y") and last[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if last.endswith(_HISSING) else f"{word}s"


def get_plural_verb(verb: str) -> str:
    """A verb of the third person as of the second: checks, tries and passes are check, try and
    pass.
    """
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return (
        verb[:-2]
        if verb.endswith(tuple(f"{end}es" for end in (*_HISSING, "o")))
        else verb.removesuffix("s")
    )


@lru_cache(maxsize=512)
def get_singular_verb(verb: str) -> str:
    """A verb as it is of one: checks, tries, passes, goes, lays smoke."""
    first, blank, rest = verb.partition(" ")
    return (
        f"{first}es{blank}{rest}" if first.endswith("o") else f"{format_plural(first)}{blank}{rest}"
    )


def add_article(word: str) -> str:
    """One of it, of which nothing was said before: a squad, an armored vehicle, an LMG."""
    vowels = "AEFHILMNORSX" if word.partition(" ")[0].isupper() else "aeioAEIO"
    return f"{'an' if word[:1] in vowels else 'a'} {word}"


def find_stem(names: Iterable[str]) -> str:
    """What names that differ in their number have in common (`VC Squad`), or empty."""
    stems = {_split_number(name)[0] for name in names}
    return stems.pop() if len(stems) == 1 else ""


# an answer says the same names several times, and those of a game come again and again
@lru_cache(maxsize=1024)
def _split_number(name: str) -> tuple[str, str]:
    """A name without its number, and that number; nothing where it has none."""
    stem, _, number = name.rpartition(" ")
    is_numbered = (
        number.isdecimal() and len(number) <= _DIGITS and stem[-1:].strip() and "\n" not in stem
    )
    return (stem, number) if is_numbered else ("", "")


LETTERS = ("a", "b")
"""What a card calls two sides."""
_SIDE = re.compile(r"\b[Ss]ide ([ab])\b")


def insert_sides(text: str, sides: tuple[str, ...]) -> str:
    """A text with the names of a game's two sides for side a and side b; as it is in any other
    game.
    """
    return (
        _SIDE.sub(lambda found: sides[LETTERS.index(found[1])], text) if len(sides) == 2 else text
    )


def number_alike(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names, each that several share with its number among them.

    >>> number_alike(["squad", "leader", "squad"])
    ('squad 1', 'leader', 'squad 2')
    """
    listed = tuple(names)
    counts = Counter[str]()
    numbered = []
    for name in listed:
        counts[name] += 1
        numbered.append(f"{name} {counts[name]}" if listed.count(name) > 1 else name)
    return tuple(numbered)
