"""Names of units and sides in sentences: lists such as `US Squads 3 + 4` or `Lt Dan and M60 team`,
plurals, articles and verbs.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

_DIGITS = 6
"""Maximum number of digits in the number of a unit; a longer number is part of the name."""
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
"""Nouns that get a plural before several numbers: `Squads 3 + 4`. Any other name is a unit's own
and stays as it is: `Cavalry 1 + 2`.
"""
_HISSING = ("s", "x", "z", "ch", "sh")
_SINGULAR_ENDINGS = ("ss", "us", "is", "as")
"""Endings of singular nouns: cross, bus, gas. Other nouns in -s are plurals already: Rifles,
Marines, Guns.
"""


def format_count(count: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun: `1 game`, `3 games`.

    `plural` is needed only if it is more than the singular with an s.
    """
    if count == 1:
        return f"1 {singular}"
    return f"{count} {plural or f'{singular}s'}"


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number_in_words(number: int) -> str:
    """Return a number from 0 (`no`) to 10 (`ten`) as a word, any other in digits."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def number_repeated(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words, with a number after each that occurs more than once.

    >>> number_repeated(["squad", "leader", "squad"])
    ('squad 1', 'leader', 'squad 2')
    """
    counts = Counter[str]()
    numbered = []
    for word in words:
        counts[word] += 1
        numbered.append(f"{word} {counts[word]}" if words.count(word) > 1 else word)
    return tuple(numbered)


def join_names(names: Iterable[str]) -> str:
    """Join names of units for a sentence: `US Squads 3 + 4, Lt Dan and M60 team`; "" for none.

    Names that differ only in their number form one group at the place of the first of them, and
    equal names a count: `2 squads`.
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
    texts = [_format_group(stem, numbers) for stem, numbers in groups.items()]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def _format_group(stem: str, numbers: list[str]) -> str:
    r"""Return the text for units that share a stem, by their numbers: `US Squads 3 + 4`.

    For units without a number the stem begins with `\0`, and `numbers` has their name, once for
    each unit.
    """
    if stem.startswith("\0"):
        name = numbers[0]
        count = len(numbers)
        if count == 1:
            return name
        plural = format_plural(name) if name.islower() else format_group_name(name)
        return f"{count} {plural or name}"
    if len(numbers) == 1:
        return f"{stem} {numbers[0]}"
    group_name = stem
    if not stem.rpartition(" ")[2].isupper():
        group_name = format_group_name(stem) or stem
    if len(numbers) == 2:
        listed = " + ".join(sorted(numbers, key=int))
    else:
        listed = ", ".join(_format_runs(numbers))
    return f"{group_name} {listed}"


def _format_runs(numbers: Iterable[str]) -> list[str]:
    """Return numbers in rising order, with three or more successive ones as a range `3-6`."""
    runs: list[list[int]] = []
    for number in sorted(map(int, numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts: list[str] = []
    for run in runs:
        if len(run) < 3:
            texts += map(str, run)
        else:
            texts.append(f"{run[0]}-{run[-1]}")
    return texts


def format_group_name(stem: str) -> str:
    """Return the plural of a name that several units share: `US Squads`, `GIs`, `VC`.

    Return "" for a unit's own name, which has no plural: one that ends neither in a common noun for
    units nor in capitals.
    """
    last_word = stem.rpartition(" ")[2]
    if last_word.casefold() in _NUMBERED or last_word.isupper():
        return format_plural(stem)
    return ""


@lru_cache(maxsize=512)
def format_plural(word: str) -> str:
    """Return the plural of a noun or name: `squads`, `crosses`, `GIs`.

    Names of forces (VC, US), nouns that are plurals already (Rifles, men), single letters, and
    names that end in a digit or sign are returned unchanged.
    """
    last = word.rpartition(" ")[2]
    if last in _FORCES or len(last) == 1 or last.endswith("men") or not last[-1:].isalpha():
        return word
    if last.endswith("s") and not last.endswith(_SINGULAR_ENDINGS):
        return word
    if last.isupper():
        return f"{word}s"
    if last.endswith("man"):
        return f"{word[:-3]}men"
    if last.endswith("y") and last[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if last.endswith(_HISSING) else f"{word}s"


def get_plural_verb(verb: str) -> str:
    """Return the plural of a verb in the third person: `check` for `checks`, `try` for `tries`."""
    return _remove_ending(verb)


def format_singular(noun: str) -> str:
    """Return the singular of a plural noun: `casualty` for `casualties`, `wound` for `wounds`."""
    return _remove_ending(noun)


def _remove_ending(word: str) -> str:
    """Return a word without its ending -s or -es, and with -y in place of -ies."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(tuple(f"{ending}es" for ending in (*_HISSING, "o"))):
        return word[:-2]
    return word.removesuffix("s")


@lru_cache(maxsize=512)
def get_singular_verb(verb: str) -> str:
    """Return the third person singular of a verb, with its object if it has one: `checks`, `goes`,
    `lays smoke`.
    """
    first_word, space, objects = verb.partition(" ")
    singular = f"{first_word}es" if first_word.endswith("o") else format_plural(first_word)
    return f"{singular}{space}{objects}"


def add_article(word: str) -> str:
    """Return a noun with its indefinite article: `a squad`, `an armored vehicle`, `an LMG`."""
    vowels = "AEFHILMNORSX" if word.partition(" ")[0].isupper() else "aeioAEIO"
    article = "an" if word[:1] in vowels else "a"
    return f"{article} {word}"


def find_stem(names: Iterable[str]) -> str:
    """Return the part before the number (`VC Squad`) that all names share; "" if they do not."""
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
"""The letters by which a card names the two sides: side a and side b."""
_SIDE = re.compile(r"\b[Ss]ide ([ab])\b")


def insert_sides(text: str, sides: tuple[str, ...]) -> str:
    """Return a text with the names of the sides in place of `side a` and `side b`.

    It stays unchanged unless there are exactly two sides.
    """
    if len(sides) != 2:
        return text
    return _SIDE.sub(lambda match: sides[LETTERS.index(match[1])], text)
