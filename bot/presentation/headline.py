"""The first line of an answer: what happened to whom, and who did it; with how grave it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Sequence as Many
from functools import lru_cache
from typing import Any, NamedTuple

from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import ACTS, HELPS, TARGETS, Option
from bot.rules.sequence.sequence import Resolution, UnitResult
from bot.rules.text.names import (
    add_article,
    find_stem,
    format_group_name,
    format_plural,
    get_plural_verb,
    get_singular_verb,
    join_names,
)
from bot.rules.text.phrase import Phrase, Typed
from bot.rulesets.system import ROLL, Sequence, System
from bot.ui.reply.parts import Group
from bot.ui.reply.reply import GAME, GRAVITY, HURT, NOTHING, SHAKEN

YOU = "you"
"""Who does what the command line is asked for."""
COUNTED = 3
"""So many results are counted."""


class Headline(NamedTuple):
    """The first line, in bold and in plain letters, and its tone."""

    title: str
    by: str
    tone: str


def build_headline(came: ResultSummary, headline: str, actors: Iterable[str], who: str) -> Headline:
    """The first line of what `actors` did, or `who` where nobody acts; the `headline` where no
    fates are known.
    """
    sequence = came.sequence
    acting = tuple(actors)
    units = {fate.unit for fate in came.fates}
    if {unit for unit in units if unit not in came.types} == {*acting} or (
        has_one_party(sequence) and units.issuperset(acting)
    ):
        acting = ()  # the title names them
    by = format_cause(sequence, acting, who)
    title = (
        (_format_result_counts(came) if came.is_counted else came.named) if came.fates else headline
    )
    token = came.alike[0][0].token if came.fates else headline
    tone = came.results[token].tone if token in came.results else NOTHING
    return Headline(title[:1].upper() + title[1:], by, tone)


def get_result_headline(settled: Resolution, out: Mapping[str, Any], system: System) -> str:
    """The result in a few words: without a headline the word of the output `result`, as the game
    says it.
    """
    result = out.get("result")
    if settled.headline or not isinstance(result, str) or result == NONE:
        return settled.headline
    return system.word_texts.get(result) or result.replace("-", " ")


def format_cause(
    sequence: Sequence, actors: tuple[str, ...], who: str, *, many: bool = False
) -> str:
    """Who did it: `US Squads 3 + 4 fire`; where nobody on the map does, the player: `Alice rolls
    random orders`.
    """
    if not actors or sequence.verb == ROLL:
        return format_player_action(who, get_player_action(sequence, many=many))
    verb = sequence.verb.lower()
    types = list_type_names(sequence.system)
    return (
        f"{join_names(add_indefinite_articles(types, actors))} "
        f"{verb if len(actors) > 1 or takes_plural_verb(types, actors[0]) else get_singular_verb(verb)}"
    )


def format_player_action(who: str, did: str) -> str:
    """What a player does; on the command line it is the reader: `you check morale`."""
    if who != YOU:
        return f"{who} {did}"
    verb, blank, rest = did.partition(" ")
    return f"you {get_plural_verb(verb)}{blank}{rest}"


def get_player_action(sequence: Sequence, *, many: bool = False) -> str:
    """What the player does: `rolls a random order`, or for `many` units at once `rolls random
    orders`.
    """
    once, _, often = sequence.cause.partition("|")
    return often or once if many else once


def format_cause_without_roll(by: str, who: str) -> str:
    """Return the cause of a result for which no die was needed: `Alice, without a roll`."""
    return f"{who}, without a roll" if by.startswith(f"{who} rolls ") else by


def build_result_groups(came: ResultSummary) -> list[Group]:
    """A line for each result, worst first, with the units that it came to; none where it came to
    nothing for all.
    """
    words = [_format_group_result(came.results, alike) for alike in came.alike]
    if words == [NO_EFFECT]:
        return []
    made = []
    for word, alike in zip(words, came.alike, strict=True):
        result = came.results.get(alike[0].token)
        names = join_names(format_type_names(came.types, [fate.unit for fate in alike]))
        is_grave = result is not None and (result.tone == HURT or result.bold)
        made.append(Group(word[:1].upper() + word[1:], names, is_grave))
    return made


def _format_group_result(results: Results, alike: list[UnitResult]) -> str:
    """What came to these: an order as it is given, `rush the enemy`; with what is added it goes
    by their number.
    """
    first = alike[0]
    return ", ".join(
        [
            _format_single_result(results, alike, *one)
            for one in ((first.token, first.more), *first.also)
        ]
    )


def _format_single_result(results: Results, alike: list[UnitResult], token: str, more: str) -> str:
    result = results.get(token)
    if result is None or not more or "{more}" not in result.many:
        return add_result_details(get_result_word(results, token), more)
    many = len(alike) > 1
    said = result.many if many else result.says
    if said.startswith("{} ") and result.word == token.replace("-", " "):
        return add_result_details(said.removeprefix("{} "), more)
    verb, blank, rest = more.partition(" ")
    return add_result_details(
        _format_counted_result(len(alike), results, token),
        f"{get_plural_verb(verb) if many else verb}{blank}{rest}",
    )


def get_result_word(results: Results, token: str) -> str:
    """What a result is called by itself; a token that has no words is read as it is."""
    return results[token].word if token in results else token.replace("-", " ")


def _format_result_counts(came: ResultSummary) -> str:
    """`5 of 9 VC killed, 2 wounded`: at most three results. Beyond that harm is summed by severity,
    of the rest those that one looks out for are named; units without effect are not counted where
    others suffered."""
    size = len(came.fates)
    stem = format_group_name(came.stem) if came.stem else "units"
    told = _count_results(came)
    if not told:
        return f"{NO_EFFECT} on {f'{size} {stem}' if stem else join_names(fate.unit for fate in came.fates)}"
    (number, first), *others = told
    if stem:
        line = (
            f"{number} of {size} {stem} {first}"
            if number < size
            else f"All {number} {stem} {first}"
        )
    else:
        line = f"{came.stem}: {f'{number} of {size}' if number < size else f'all {number}'} {first}"
    return "".join([line, *(f", {count} {word}" for count, word in others)])


def _count_results(came: ResultSummary) -> list[tuple[int, str]]:
    """Return how many came to which result, worst first, at most three."""
    results = came.results
    tokens = [fate.token for alike in came.alike for fate in alike]
    if len({get_result_word(results, token) for token in tokens} - {NO_EFFECT}) > COUNTED:
        tokens = [_get_base_result(results, token) for token in tokens]
    counts = Counter(token for token in tokens if get_result_word(results, token) != NO_EFFECT)
    order = [*counts]
    if len(order) > COUNTED and order[0] in results and results[order[0]].tone == GAME:
        order = sorted(
            order,
            key=lambda token: (
                not results[token].is_first,
                not results[token].bold,
                token != NONE,
                -counts[token] * (not results[token].is_first),
            ),
        )[:COUNTED]
    told = [
        (counts[token], _format_counted_result(counts[token], results, token)) for token in order
    ]
    while len(told) > COUNTED:
        (more, mild), (most, mildest) = told[-2:]
        told[-2:] = [(more + most, f"{mild} or {mildest}")]
    return told


def _get_base_result(results: Results, token: str) -> str:
    """A result as grave without what is added: wounded of `wounded-twice-suppressed`."""
    alike = (
        part
        for part in token.split("-")
        if part in results and results[part].tone == results[token].tone
    )
    return next(alike, token)


def _format_counted_result(count: int, results: Results, token: str) -> str:
    """The word behind a number: behind 1 `rushes the enemy` where that of several is `rush the
    enemy`.
    """
    is_one = count == 1 and token in results
    return (
        results[token].singular
        if is_one
        else add_result_details(get_result_word(results, token), "")
    )


FOLDED = 4
"""From so many units on, those of one result share a line, without the dice of each, and the
first line counts them.
"""
NAMED = 2
"""So many units are named in the first line; more only if they are few, have no name in common,
and fit in `ROOM`.
"""
ROOM = 78  # two lines of a phone


class ResultSummary(NamedTuple):
    """The `fates` in their order, and those `alike` together, worst first. Units of one type
    without a name that fare differently are numbered, `squad 1`, `squad 2`; `mixed` says how many
    there are of each such type. `results` and `types` are what those of the sequence are called.

    `is_counted`: the first line counts the units, so that lines of their own must name them; where
    it does not, it is `named`. `stem` is what the names of three or more have in common.
    """

    sequence: Sequence
    results: Results
    types: Mapping[str, str]
    fates: list[UnitResult]
    alike: list[list[UnitResult]]
    mixed: Mapping[str, int]
    stem: str
    named: str
    is_counted: bool


def summarize_results(sequence: Sequence, fates: Iterable[UnitResult]) -> ResultSummary:
    """What came of the units of one play, or of several plays together."""
    results = load_result_words(sequence)
    types = list_type_names(sequence.system)
    known = [_drop_no_effect(results, fate) for fate in fates if fate.unit]
    mixed = _count_mixed_types(types, known) if len(known) > 1 else {}
    known = _number_units(types, mixed, known) if mixed else known
    alike = _group_identical_results(results, known)
    stem = find_stem([fate.unit for fate in known]) if len(known) > NAMED else ""
    named = (
        ""
        if stem or len(known) >= FOLDED
        else ", ".join([_format_results(results, types, some) for some in alike])
    )
    is_counted = bool(stem) or len(known) >= FOLDED or (len(known) > NAMED and len(named) > ROOM)
    return ResultSummary(sequence, results, types, known, alike, mixed, stem, named, is_counted)


def add_result_details(words: str, more: str) -> str:
    """The words of a result with what is to be added."""
    if "{more}" in words:
        return words.replace("{more}", more)
    return f"{words}, {more}" if more else words


def _count_mixed_types(types: Mapping[str, str], fates: list[UnitResult]) -> dict[str, int]:
    """Return how many units there are of each type whose units fare differently."""
    found: dict[str, list[UnitResult]] = {}
    for fate in fates:
        if fate.unit in types:
            found.setdefault(fate.unit, []).append(fate)
    return {type: len(alike) for type, alike in found.items() if len({*alike}) > 1}


def _number_units(
    types: Mapping[str, str], mixed: Mapping[str, int], fates: list[UnitResult]
) -> list[UnitResult]:
    at = Counter[str]()
    made = []
    for fate in fates:
        at[fate.unit] += 1
        made.append(
            fate._replace(unit=f"{types[fate.unit]} {at[fate.unit]}")
            if fate.unit in mixed
            else fate
        )
    return made


def _group_identical_results(results: Results, fates: list[UnitResult]) -> list[list[UnitResult]]:
    """Fates of the same words together, worst first, else in their order."""
    found: dict[tuple[object, ...], list[UnitResult]] = {}
    for fate in fates:
        found.setdefault(fate[1:], []).append(fate)
    if len(found) == 1:
        return [*found.values()]
    rank = {token: at for at, token in enumerate(results)}
    return sorted(found.values(), key=lambda alike: rank.get(alike[0].token, len(rank)))


def _drop_no_effect(results: Results, fate: UnitResult) -> UnitResult:
    """The fate, without that nothing came of a unit of which something did."""
    came = [
        one
        for one in ((fate.token, fate.more), *fate.also)
        if get_result_word(results, one[0]) != NO_EFFECT
    ]
    return UnitResult(fate.unit, *came[0], tuple(came[1:])) if came and fate.also else fate


def _format_results(results: Results, types: Mapping[str, str], alike: list[UnitResult]) -> str:
    """What came of some units alike, in a sentence."""
    first = alike[0]
    names = join_names(add_definite_articles(types, [fate.unit for fate in alike]))
    told = []
    for token, more in ((first.token, first.more), *first.also):
        result = results.get(token)
        says = (
            f"{{}}: {token.replace('-', ' ')}"
            if result is None
            else result.many
            if alike[1:]
            else result.says
        )
        if result is not None and not alike[1:] and takes_plural_verb(types, first.unit):
            says = result.many.removesuffix(" each")
        told.append((says, more))
    once = add_result_details(told[0][0].replace("{}", names), told[0][1])
    if len(told) == 1:
        return once
    last = [
        add_result_details(says.removeprefix("{}").lstrip(": ").replace("{}", names), more)
        for says, more in told[1:]
    ]
    *between, end = [once, *last]
    return ("{} and {}" if between else "{}{}").format(", ".join(between), end)


NO_EFFECT = "no effect"
BOLD, FIRST = "bold", "first"


class ResultWords(NamedTuple):
    """A result in words: `says` of one unit (`{} is shaken`), `many` of several, `word` where units
    are counted.

    `bold`: what to look out for, though nobody is hurt; `is_first`: named before all others."""

    word: str
    says: str
    many: str
    tone: str
    bold: bool = False
    is_first: bool = False

    @property
    def singular(self) -> str:
        """The word of one unit: `goes berserk` where that of several is `go berserk`."""
        bare = [
            said.partition("{more}")[0].rstrip(" :,").removeprefix("{} ")
            for said in (self.says, self.many)
        ]
        return bare[0] if bare[1] == self.word else self.word.replace("{more}", "")


Results = Mapping[str, ResultWords]
"""What the results of a sequence are called, by their tokens, worst first."""


@lru_cache(maxsize=256)
def load_result_words(sequence: Sequence) -> Results:
    """The results of a sequence as `results` of the game.yaml has them; its files do not change
    while it is there.
    """
    data: Mapping[str, Any] = sequence.system.game.get("results") or {}
    own = data.get(sequence.id) or {}
    found = {
        **{token: said for token, said in (data.get("*") or {}).items() if token not in own},
        **own,
    }
    made = {token: _build_result_words(token, spec) for token, spec in found.items()}
    return dict(sorted(made.items(), key=lambda item: GRAVITY.index(item[1].tone)))


def _build_result_words(token: str, spec: Mapping[str, str]) -> ResultWords:
    word = spec.get("word", NO_EFFECT if token == "none" else token.replace("-", " "))
    says = spec.get("says", f"{{}}: {word}")
    weight = spec.get("weight")
    return ResultWords(
        word,
        says,
        spec.get("many", says),
        spec.get("tone", NOTHING),
        weight in (BOLD, FIRST),
        weight == FIRST,
    )


NONE = "none"
HARM = (HURT, SHAKEN)
_MUCH = 2
"""A score that is as much as a wound or a loss."""


class ResultScale:
    """The results of a sequence, worst first; by its scores where game.yaml has no words for
    them.
    """

    def __init__(self, sequence: Sequence, tokens: Iterable[str]) -> None:
        tokens = tuple(tokens)
        self._results = load_result_words(sequence)
        if not judges_units(sequence):
            own = (sequence.system.game.get("results") or {}).get(sequence.id) or {}
            self._results = {token: said for token, said in self._results.items() if token in own}
        self._scores = sequence.system.get_scores(sequence.id)
        heads = {_get_main_token(token) for token in tokens} - {NONE}
        unknown = heads - self._results.keys()
        self._by_results = bool(heads - unknown) and not (unknown and heads <= self._scores.keys())
        self._is_against = not has_one_party(sequence)
        self.are_numbers = all(_is_number(token) for token in tokens) and len(tokens) > 1

    @property
    def is_ordered(self) -> bool:
        """Return whether one result is worse than another at all."""
        return self._by_results or bool(self._scores) or self.are_numbers

    def get_severity(self, token: str) -> tuple[float, float]:
        """Where a result belongs: the smaller, the worse; numbers from the highest down, nothing
        last.
        """
        if self.are_numbers:
            return (-float(token), 0)
        if self._by_results:
            order = list(self._results)
            known = (
                order.index(_get_main_token(token))
                if _get_main_token(token) in order
                else len(order)
            )
            return (known + 2 if token == NONE else known, -len(token))
        return (-self._scores.get(_get_main_token(token), 0), -len(token) if token != NONE else 1)

    def get_tone(self, token: str) -> str:
        """How grave a result is."""
        if self._by_results:
            return (
                self._results[_get_main_token(token)].tone
                if _get_main_token(token) in self._results
                else NOTHING
            )
        score = self._scores.get(_get_main_token(token), 0)
        if score <= 0 or token == NONE or self.are_numbers:
            return NOTHING
        return (HURT if score >= _MUCH else SHAKEN) if self._is_against else GAME

    def get_sentence(self, token: str) -> str:
        """The sentence about one unit with this result: `{} rallies`; empty without one of its
        own.
        """
        found = self._results.get(_get_main_token(token))
        return (
            found.says.partition("{more}")[0].rstrip(" ,")
            if found is not None and ":" not in found.says
            else ""
        )


def list_unit_result_words(sequence: Sequence) -> dict[str, str]:
    """The words that the game.yaml has for one unit's results of this very sequence, by their
    tokens; of those that all have in common where a token is no word by itself."""
    data: Mapping[str, Any] = sequence.system.game.get("results") or {}
    common = data.get("*") or {}
    own = data.get(sequence.id) or {}
    results = load_result_words(sequence)
    coded = (token for token, said in common.items() if "word" in said and "-" in token)
    words = {
        token: results[token].singular
        for token in (*coded, *(token for token, said in own.items() if "word" in said))
    }
    return {**sequence.system.word_texts, **words} if sequence.system.bounded else words


def get_decision_question(sequence: Sequence) -> str | dict[str, Any]:
    """What one decides by, as `odds` of the game.yaml has it: "to shake or hurt {}" where several
    results do harm, or the results that count for each of several questions; empty where it says
    nothing."""
    found: Mapping[str, Any] = sequence.system.game.get("odds") or {}
    own = found.get(sequence.id, found.get("*", ""))
    return own if isinstance(own, str) else dict(own)


def _get_main_token(token: str) -> str:
    return token.partition(",")[0]  # `wound-1, suppressed` is a wound first


def _is_number(token: str) -> bool:
    return token.lstrip("-").isdecimal()


_CODE = re.compile(r"(?<![\w=-])[A-Za-z]+-[a-z]+(?![\w=-])")
_SPELLED = {
    "afv": "AFV",
    "mg": "MG",
    "smc": "SMC",
    "half-squad": "half-squad",
    "half-track": "half-track",
}
"""Types that are not said as they are typed, without their hyphen."""


@lru_cache(maxsize=16)
def list_type_names(system: System) -> Mapping[str, str]:
    """The types of a game's units, each as one says it: `armored-vehicle` is an armored vehicle."""
    types = {type for words in system.words.values() for type in words.types}
    return {type: _SPELLED.get(type, type.replace("-", " ")) for type in types}


def add_definite_articles(types: Mapping[str, str], names: Many[str]) -> list[str]:
    """The names as one speaks of who was just named: `the squad`; two squads stay `squad` twice,
    to be counted.
    """
    return _add_articles(types, names, lambda type: f"the {type}")


def add_indefinite_articles(types: Mapping[str, str], names: Many[str]) -> list[str]:
    """The names as one speaks of who was not named before: `a squad`, `an armored vehicle`."""
    return _add_articles(
        types,
        names,
        lambda type: type if takes_plural_verb({type: type}, type) else add_article(type),
    )


def takes_plural_verb(types: Mapping[str, str], name: str) -> bool:
    """Return whether one unit is called as several men are: gunmen shoot, and so do the rifles of a
    game with such a type.
    """
    word = types.get(name, name)
    return format_plural(word) == word and (
        name.endswith("men") or (name in types and word.endswith("s"))
    )


def _add_articles(
    types: Mapping[str, str], names: Many[str], article: Callable[[str], str]
) -> list[str]:
    said = [(name, types.get(name, name)) for name in names]
    return [
        article(type) if name in types and names.count(name) == 1 else type for name, type in said
    ]


def format_type_names(types: Mapping[str, str], names: Many[str]) -> list[str]:
    """The names without an article, types as one says them."""
    return [types.get(name, name) for name in names]


def replace_type_codes(types: Mapping[str, str], text: str) -> str:
    """A text with types as one says them; a command to type keeps them as they are typed."""
    if "-" not in text or isinstance(text, Phrase | Typed):
        return text
    return _CODE.sub(lambda found: types.get(found[0], types.get(found[0].lower(), found[0])), text)


HEX = "the target hex"
UNIT_IS_HIT = (("asl", "flame-attack"),)
"""Sequences whose `unit` is the one that is attacked."""


def affects_its_own_unit(sequence: Sequence) -> bool:
    """Return whether the unit that it names suffers instead of acting."""
    return (sequence.system.id, sequence.id) in UNIT_IS_HIT


@lru_cache(maxsize=256)
def judges_units(sequence: Sequence) -> bool:
    """Return whether its results may be those of units.

    Those of an extension's sequence are not if no step says or changes what becomes of a unit:
    `damaged` is a bridge then, whatever a damaged squad is in the game.
    """
    if sequence.system.base is None or sequence.declaration is None:
        return True
    return sequence.declaration.judges_units


@lru_cache(maxsize=256)
def has_one_party(sequence: Sequence) -> bool:
    """Return whether those who act are the only units that it takes: they rally, check morale,
    spot.
    """
    return all(
        option.part in (ACTS, HELPS)
        for option in sequence.inputs
        if option.type in ("unit", "units")
    )


def list_actors(sequence: Sequence, given: Given) -> tuple[str, ...]:
    """Those who act by these inputs as they were called, with or without a roster."""
    if affects_its_own_unit(sequence):
        return ()
    single = [unit.word for key, unit in given.roster.items() if given.get_role(key) == ACTS]
    first: dict[object, str] = {}  # with several weapons a unit is there for each
    for at, unit in enumerate(given.list_acting_units()[len(single) :]):
        first.setdefault(unit.name or at, unit.word)
    return (*single, *first.values())


def list_affected_units(sequence: Sequence, given: Given) -> tuple[str, ...]:
    """Those who are acted on by these inputs, as they were called. Where nobody is named, what a
    shot is at; those who act only where they alone take part."""
    own_side = (ACTS, HELPS)
    single = [
        unit.word for key, unit in given.roster.items() if given.get_role(key) not in own_side
    ]
    listed = [
        unit.word
        for key, units in given.lists.items()
        if given.get_role(key) not in own_side
        for unit in units
    ]
    if single or listed:
        return (*single, *listed)
    aimed = find_target_option(sequence.inputs)
    return (
        list_actors(sequence, given)
        if aimed is None
        else (HEX if aimed.type == "units" else "the target",)
    )


def find_target_option(options: Iterable[Option]) -> Option | None:
    """The option that names whom the sequence is done to, as units; None where it has none."""
    return next(
        (
            option
            for option in options
            if option.part == TARGETS and option.type in ("unit", "units")
        ),
        None,
    )
