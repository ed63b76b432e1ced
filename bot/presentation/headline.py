"""Headlines of answers: what happened to whom, who did it, and how grave it is."""

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
"""The name of the player on the command line."""
COUNTED = 3
"""The maximum number of results that a headline counts."""


class Headline(NamedTuple):
    """The title in bold, its cause in plain letters, and its tone."""

    title: str
    cause: str
    tone: str


def build_headline(
    summary: ResultSummary, headline: str, actors: Iterable[str], player: str
) -> Headline:
    """Build the first line of what `actors` did, or `player` if no unit acted or the title names
    the actors.

    The title is about the units in `summary`; `headline` is the title if the summary has none.
    """
    sequence = summary.sequence
    acting = tuple(actors)
    units = {unit_result.unit for unit_result in summary.unit_results}
    named_units = {unit for unit in units if unit not in summary.types}
    is_about_actors = has_one_party(sequence) and units.issuperset(acting)
    if named_units == {*acting} or is_about_actors:
        acting = ()  # the title names them
    title = headline
    token = headline
    if summary.unit_results:
        title = _format_result_counts(summary) if summary.is_counted else summary.sentence
        token = summary.groups[0][0].token
    tone = summary.results[token].tone if token in summary.results else NOTHING
    cause = format_cause(sequence, acting, player)
    return Headline(title[:1].upper() + title[1:], cause, tone)


def get_result_headline(resolution: Resolution, out: Mapping[str, Any], system: System) -> str:
    """Return the result in a few words: its headline, else the word for the output `result`. ""
    without a headline if that output is missing, no text, or none.
    """
    result = out.get("result")
    if resolution.headline or not isinstance(result, str) or result == NONE:
        return resolution.headline
    return system.word_texts.get(result) or result.replace("-", " ")


def format_cause(
    sequence: Sequence, actors: tuple[str, ...], player: str, *, many: bool = False
) -> str:
    """Return who did it: `US Squads 3 + 4 fire`. Without units, and for a plain roll, it is the
    player: `Alice rolls random orders`.

    `many` takes the plural form of the player's action.
    """
    if not actors or sequence.verb == ROLL:
        return format_player_action(player, get_player_action(sequence, many=many))
    types = list_type_names(sequence.system)
    verb = sequence.verb.lower()
    if len(actors) == 1 and not takes_plural_verb(types, actors[0]):
        verb = get_singular_verb(verb)
    return f"{join_names(add_indefinite_articles(types, actors))} {verb}"


def format_player_action(player: str, action: str) -> str:
    """Return what a player does. The player on the command line is the reader: `you check morale`."""
    if player != YOU:
        return f"{player} {action}"
    verb, blank, object_text = action.partition(" ")
    return f"you {get_plural_verb(verb)}{blank}{object_text}"


def get_player_action(sequence: Sequence, *, many: bool = False) -> str:
    """Return the player's action: `rolls a random order`, or `rolls random orders` for `many`
    units.
    """
    single_action, _, plural_action = sequence.cause.partition("|")
    return plural_action or single_action if many else single_action


def format_cause_without_roll(cause: str, player: str) -> str:
    """Return the cause of a result for which no die was needed: `Alice, without a roll`."""
    return f"{player}, without a roll" if cause.startswith(f"{player} rolls ") else cause


def build_result_groups(summary: ResultSummary) -> list[Group]:
    """Return a line for each result with its units, worst first; [] if no unit was affected."""
    words = [_format_group_result(summary.results, unit_results) for unit_results in summary.groups]
    if words == [NO_EFFECT]:
        return []
    groups = []
    for word, unit_results in zip(words, summary.groups, strict=True):
        result = summary.results.get(unit_results[0].token)
        names = join_names(
            format_type_names(summary.types, [unit_result.unit for unit_result in unit_results])
        )
        is_grave = result is not None and (result.tone == HURT or result.bold)
        groups.append(Group(word[:1].upper() + word[1:], names, is_grave))
    return groups


def _format_group_result(results: Results, group: list[UnitResult]) -> str:
    """Return the result of these units in words: an order as it is given, `rush the enemy`.

    Details that are added to it agree with the number of units.
    """
    first_result = group[0]
    parts = ((first_result.token, first_result.detail), *first_result.earlier_results)
    return ", ".join([_format_single_result(results, group, *part) for part in parts])


def _format_single_result(
    results: Results, group: list[UnitResult], token: str, details: str
) -> str:
    """Return one result of these units in words, with details such as the order that they got."""
    result = results.get(token)
    if result is None or not details or "{more}" not in result.many:
        return add_result_details(get_result_word(results, token), details)
    is_plural = len(group) > 1
    pattern = result.many if is_plural else result.says
    if pattern.startswith("{} ") and result.word == token.replace("-", " "):
        return add_result_details(pattern.removeprefix("{} "), details)
    if is_plural:
        verb, blank, object_text = details.partition(" ")
        details = f"{get_plural_verb(verb)}{blank}{object_text}"
    return add_result_details(_format_counted_result(len(group), results, token), details)


def get_result_word(results: Results, token: str) -> str:
    """Return the word for a result; a token without words is its own word, without hyphens."""
    return results[token].word if token in results else token.replace("-", " ")


def _format_result_counts(summary: ResultSummary) -> str:
    """Return the number of units with each result: `5 of 9 VC killed, 2 wounded`.

    At most three results are counted. Beyond that harm is summed by severity, and of other results
    the conspicuous ones are named. Units without effect are not counted if others were affected.
    """
    size = len(summary.unit_results)
    stem = format_group_name(summary.stem) if summary.stem else "units"
    counts = _count_results(summary)
    if not counts:
        names = (
            f"{size} {stem}"
            if stem
            else join_names(unit_result.unit for unit_result in summary.unit_results)
        )
        return f"{NO_EFFECT} on {names}"
    (number, word), *further_counts = counts
    if stem and number < size:
        line = f"{number} of {size} {stem} {word}"
    elif stem:
        line = f"All {number} {stem} {word}"
    else:
        share = f"{number} of {size}" if number < size else f"all {number}"
        line = f"{summary.stem}: {share} {word}"
    return "".join([line, *(f", {count} {word}" for count, word in further_counts)])


def _count_results(summary: ResultSummary) -> list[tuple[int, str]]:
    """Return the number of units with each result, worst first; at most three results."""
    results = summary.results
    tokens = [unit_result.token for unit_results in summary.groups for unit_result in unit_results]
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
    counted = [
        (counts[token], _format_counted_result(counts[token], results, token)) for token in order
    ]
    while len(counted) > COUNTED:
        (count, word), (next_count, next_word) = counted[-2:]
        counted[-2:] = [(count + next_count, f"{word} or {next_word}")]
    return counted


def _get_base_result(results: Results, token: str) -> str:
    """Return the first part of a result that is as grave as the whole: `wounded` of
    `wounded-twice-suppressed`. The result itself if it has no such part.
    """
    parts = (
        part
        for part in token.split("-")
        if part in results and results[part].tone == results[token].tone
    )
    return next(parts, token)


def _format_counted_result(count: int, results: Results, token: str) -> str:
    """Return the word after a number: `rushes the enemy` after 1, else `rush the enemy`."""
    if count == 1 and token in results:
        return results[token].singular
    return add_result_details(get_result_word(results, token), "")


FOLDED = 4
"""The number of units from which those of one result share a line without dice and are counted."""
NAMED = 2
"""The number of units that the headline always names.

It names more only if they are few, have no name in common, and fit in `ROOM`.
"""
ROOM = 78  # two lines of a phone


class ResultSummary(NamedTuple):
    """The results of units of one or several plays."""

    sequence: Sequence
    results: Results
    """The words for results."""
    types: Mapping[str, str]
    """The words for types of units."""
    unit_results: list[UnitResult]
    """The results of the units, in their order."""
    groups: list[list[UnitResult]]
    """The same with identical results together, worst first."""
    mixed_types: Mapping[str, int]
    """The number of units of each type of which unnamed units have different results. They are
    numbered: `squad 1`, `squad 2`."""
    stem: str
    """The common part of the names of three or more units."""
    sentence: str
    """The headline that names the units; used unless `is_counted`."""
    is_counted: bool
    """Whether the headline counts the units, so that other lines must name them."""


def summarize_results(sequence: Sequence, unit_results: Iterable[UnitResult]) -> ResultSummary:
    """Summarize the results of the units of one play, or of several plays together."""
    results = load_result_words(sequence)
    types = list_type_names(sequence.system)
    named_results = [
        _drop_no_effect(results, unit_result) for unit_result in unit_results if unit_result.unit
    ]
    count = len(named_results)
    mixed = _count_mixed_types(types, named_results) if count > 1 else {}
    if mixed:
        named_results = _number_units(types, mixed, named_results)
    groups = _group_identical_results(results, named_results)
    stem = find_stem([unit_result.unit for unit_result in named_results]) if count > NAMED else ""
    sentence = ""
    if not stem and count < FOLDED:
        sentence = ", ".join([_format_results(results, types, group) for group in groups])
    is_counted = bool(stem) or count >= FOLDED or (count > NAMED and len(sentence) > ROOM)
    return ResultSummary(
        sequence, results, types, named_results, groups, mixed, stem, sentence, is_counted
    )


def add_result_details(words: str, details: str) -> str:
    """Return the words of a result with its details."""
    if "{more}" in words:
        return words.replace("{more}", details)
    return f"{words}, {details}" if details else words


def _count_mixed_types(types: Mapping[str, str], unit_results: list[UnitResult]) -> dict[str, int]:
    """Return the number of unnamed units of each type, for types with different results.

    `types` are the words for the types. An unnamed unit is called by its type.
    """
    results_by_type: dict[str, list[UnitResult]] = {}
    for unit_result in unit_results:
        if unit_result.unit in types:
            results_by_type.setdefault(unit_result.unit, []).append(unit_result)
    return {
        type: len(type_results)
        for type, type_results in results_by_type.items()
        if len({*type_results}) > 1
    }


def _number_units(
    types: Mapping[str, str], mixed: Mapping[str, int], unit_results: list[UnitResult]
) -> list[UnitResult]:
    """Return the results with the units of the types in `mixed` numbered: `squad 1`, `squad 2`."""
    numbers = Counter[str]()
    numbered = []
    for unit_result in unit_results:
        numbers[unit_result.unit] += 1
        numbered.append(
            unit_result._replace(unit=f"{types[unit_result.unit]} {numbers[unit_result.unit]}")
            if unit_result.unit in mixed
            else unit_result
        )
    return numbered


def _group_identical_results(
    results: Results, unit_results: list[UnitResult]
) -> list[list[UnitResult]]:
    """Return identical results together, worst first, else in their order."""
    groups: dict[tuple[object, ...], list[UnitResult]] = {}
    for unit_result in unit_results:
        groups.setdefault(unit_result[1:], []).append(unit_result)
    if len(groups) == 1:
        return [*groups.values()]
    rank = {token: position for position, token in enumerate(results)}
    return sorted(groups.values(), key=lambda group: rank.get(group[0].token, len(rank)))


def _drop_no_effect(results: Results, unit_result: UnitResult) -> UnitResult:
    """Return a unit's result without its parts that have no effect, if another part has one."""
    if not unit_result.earlier_results:
        return unit_result
    parts = ((unit_result.token, unit_result.detail), *unit_result.earlier_results)
    effects = [part for part in parts if get_result_word(results, part[0]) != NO_EFFECT]
    return UnitResult(unit_result.unit, *effects[0], tuple(effects[1:])) if effects else unit_result


def _format_results(results: Results, types: Mapping[str, str], group: list[UnitResult]) -> str:
    """Return the identical results of some units as a sentence."""
    first_result = group[0]
    names = join_names(add_definite_articles(types, [unit_result.unit for unit_result in group]))
    is_plural = len(group) > 1
    clauses: list[str] = []
    for token, details in (
        (first_result.token, first_result.detail),
        *first_result.earlier_results,
    ):
        result = results.get(token)
        if result is None:
            pattern = f"{{}}: {token.replace('-', ' ')}"
        elif is_plural:
            pattern = result.many
        elif takes_plural_verb(types, first_result.unit):
            pattern = result.many.removesuffix(" each")
        else:
            pattern = result.says
        if clauses:  # the first clause has the subject of all
            pattern = pattern.removeprefix("{}").lstrip(": ")
        clauses.append(add_result_details(pattern.replace("{}", names), details))
    *between, final = clauses
    return f"{', '.join(between)} and {final}" if between else final


NO_EFFECT = "no effect"
BOLD_WEIGHT, FIRST_WEIGHT = "bold", "first"


class ResultWords(NamedTuple):
    """The words for a result."""

    word: str
    """The word in counts."""
    says: str
    """The sentence for one unit: `{} is shaken`."""
    many: str
    """The sentence for several units."""
    tone: str
    bold: bool = False
    """Whether the result is conspicuous, though nobody is hurt."""
    is_first: bool = False
    """Whether it is named before all others."""

    @property
    def singular(self) -> str:
        """The word after the number 1: `goes berserk` if `word` is `go berserk`.

        It is from `says` if `word` is the verb of `many`, else it is `word`.
        """
        bare = [
            pattern.partition("{more}")[0].rstrip(" :,").removeprefix("{} ")
            for pattern in (self.says, self.many)
        ]
        return bare[0] if bare[1] == self.word else self.word.replace("{more}", "")


Results = Mapping[str, ResultWords]
"""The words for the results of a sequence, by token, worst first."""


@lru_cache(maxsize=256)
def load_result_words(sequence: Sequence) -> Results:
    """Return the words for the results of a sequence, the gravest first. They are cached.

    They are those that `results` of game.yaml has for this sequence, and for all sequences (`*`)
    where it has none of its own.
    """
    data: Mapping[str, Any] = sequence.system.game.get("results") or {}
    own_specs = data.get(sequence.id) or {}
    common = data.get("*") or {}
    specs = {token: spec for token, spec in common.items() if token not in own_specs}
    specs.update(own_specs)
    words = {token: _build_result_words(token, spec) for token, spec in specs.items()}
    return dict(sorted(words.items(), key=lambda item: GRAVITY.index(item[1].tone)))


def _build_result_words(token: str, spec: Mapping[str, str]) -> ResultWords:
    """Return the words for the result `token`, from its entry in game.yaml. What the entry lacks is
    made from the token: its word without hyphens (`no effect` for `none`), `{}: WORD` for one unit,
    and the same for several.
    """
    word = spec.get("word", NO_EFFECT if token == "none" else token.replace("-", " "))
    says = spec.get("says", f"{{}}: {word}")
    weight = spec.get("weight")
    return ResultWords(
        word,
        says,
        spec.get("many", says),
        spec.get("tone", NOTHING),
        weight in (BOLD_WEIGHT, FIRST_WEIGHT),
        weight == FIRST_WEIGHT,
    )


NONE = "none"
HARM = (HURT, SHAKEN)
_MUCH = 2
"""The score of a wound or a loss."""


class ResultScale:
    """The order of a sequence's results, worst first, by the words of game.yaml or else by its
    scores.
    """

    def __init__(self, sequence: Sequence, tokens: Iterable[str]) -> None:
        tokens = tuple(tokens)
        self._results = load_result_words(sequence)
        if not judges_units(sequence):
            own_specs = (sequence.system.game.get("results") or {}).get(sequence.id) or {}
            self._results = {
                token: words for token, words in self._results.items() if token in own_specs
            }
        self._scores = sequence.system.get_scores(sequence.id)
        heads = {_get_main_token(token) for token in tokens} - {NONE}
        unknown = heads - self._results.keys()
        self._by_results = bool(heads - unknown) and not (unknown and heads <= self._scores.keys())
        self._is_against = not has_one_party(sequence)
        self.are_numbers = all(_is_number(token) for token in tokens) and len(tokens) > 1

    @property
    def is_ordered(self) -> bool:
        """True if some result is worse than another."""
        return self._by_results or bool(self._scores) or self.are_numbers

    def get_severity(self, token: str) -> tuple[float, float]:
        """Return the sort key of a result: the smaller, the worse.

        Numbers are ordered from the highest down; no effect comes last.
        """
        if self.are_numbers:
            return (-float(token), 0)
        main_token = _get_main_token(token)
        if self._by_results:
            order = list(self._results)
            position = order.index(main_token) if main_token in order else len(order)
            return (position + 2 if token == NONE else position, -len(token))
        return (-self._scores.get(main_token, 0), -len(token) if token != NONE else 1)

    def get_tone(self, token: str) -> str:
        """Return how grave a result is."""
        main_token = _get_main_token(token)
        if self._by_results:
            words = self._results.get(main_token)
            return words.tone if words is not None else NOTHING
        score = self._scores.get(main_token, 0)
        if score <= 0 or token == NONE or self.are_numbers:
            return NOTHING
        if not self._is_against:
            return GAME
        return HURT if score >= _MUCH else SHAKEN

    def get_sentence(self, token: str) -> str:
        """Return the sentence about one unit with this result, `{} rallies`; "" if it has none."""
        words = self._results.get(_get_main_token(token))
        if words is None or ":" in words.says:
            return ""
        return words.says.partition("{more}")[0].rstrip(" ,")


def list_unit_result_words(sequence: Sequence) -> dict[str, str]:
    """Return {token: words} of one unit's results, as game.yaml has them for this sequence.

    Of the results that all sequences share only those are included whose token is no word.
    """
    data: Mapping[str, Any] = sequence.system.game.get("results") or {}
    common = data.get("*") or {}
    own_specs = data.get(sequence.id) or {}
    tokens = [token for token, spec in common.items() if "word" in spec and "-" in token]
    tokens += [token for token, spec in own_specs.items() if "word" in spec]
    results = load_result_words(sequence)
    words = {token: results[token].singular for token in tokens}
    return {**sequence.system.word_texts, **words} if sequence.system.bounded else words


def get_decision_question(sequence: Sequence) -> str | dict[str, Any]:
    """Return the question that decides, from `odds` of game.yaml; "" if it has none.

    It is a phrase such as "to shake or hurt {}" if several results do harm, or the results that
    count for each of several questions.
    """
    questions: Mapping[str, Any] = sequence.system.game.get("odds") or {}
    question = questions.get(sequence.id, questions.get("*", ""))
    return question if isinstance(question, str) else dict(question)


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
"""Types that are not simply written without their hyphen."""


@lru_cache(maxsize=16)
def list_type_names(system: System) -> Mapping[str, str]:
    """Return the types of a game's units as players say them: `armored-vehicle` is an armored
    vehicle, and `lmg` an LMG.
    """
    types = {type for words in system.words.values() for type in words.types}
    texts: Mapping[str, str] = system.game.get("words") or {}
    abbreviations = {type: texts[type] for type in types if texts.get(type, "").isupper()}
    return {
        type: _SPELLED.get(type) or abbreviations.get(type) or type.replace("-", " ")
        for type in types
    }


def add_definite_articles(types: Mapping[str, str], names: Many[str]) -> list[str]:
    """Return the names with articles for units just mentioned: `the squad`.

    Two squads stay `squad` twice, to be counted.
    """
    return _add_articles(types, names, lambda type: f"the {type}")


def add_indefinite_articles(types: Mapping[str, str], names: Many[str]) -> list[str]:
    """Return the names with articles for units not yet mentioned: `a squad`, `an armored vehicle`."""
    return _add_articles(
        types,
        names,
        lambda type: type if takes_plural_verb({type: type}, type) else add_article(type),
    )


def takes_plural_verb(types: Mapping[str, str], name: str) -> bool:
    """Return whether a single unit takes a plural verb: one whose name ends in `men` (gunmen
    shoot), or is a type with a plural word (`rifles`).

    `types` are the words for the types, by type. A unit without a name is called by its type; the
    type of a unit with a name does not matter.
    """
    word = types.get(name, name)
    return format_plural(word) == word and (
        name.endswith("men") or (name in types and word.endswith("s"))
    )


def _add_articles(
    types: Mapping[str, str], names: Many[str], article: Callable[[str], str]
) -> list[str]:
    """Return the names with `article` added to each type that is named once. Other names stay; a
    type that is named several times goes without an article.
    """
    words = [(name, types.get(name, name)) for name in names]
    return [
        article(type) if name in types and names.count(name) == 1 else type for name, type in words
    ]


def format_type_names(types: Mapping[str, str], names: Many[str]) -> list[str]:
    """Return the names without articles, with types as players say them."""
    return [types.get(name, name) for name in names]


def replace_type_codes(types: Mapping[str, str], text: str) -> str:
    """Return a text with types as players say them. Commands to type keep the types as typed."""
    if "-" not in text or isinstance(text, Phrase | Typed):
        return text
    return _CODE.sub(lambda match: types.get(match[0], types.get(match[0].lower(), match[0])), text)


HEX = "the target hex"


@lru_cache(maxsize=256)
def judges_units(sequence: Sequence) -> bool:
    """Return whether the results of a sequence may be those of units.

    Those of an extension's sequence are not if no step reads or changes the state of a unit: then
    `damaged` is a bridge, whatever a damaged squad is in the game.
    """
    if sequence.system.base is None or sequence.declaration is None:
        return True
    return sequence.declaration.judges_units


@lru_cache(maxsize=256)
def has_one_party(sequence: Sequence) -> bool:
    """Return whether a sequence takes only the units that act: they rally, check morale, spot."""
    return all(
        option.part in (ACTS, HELPS)
        for option in sequence.inputs
        if option.type in ("unit", "units")
    )


def list_actors(sequence: Sequence, inputs: Given) -> tuple[str, ...]:
    """Return the units that act by these inputs as they were named, with or without a roster. A
    unit with several weapons is listed once. () if none acts, and for a sequence whose unit is its
    target.
    """
    if sequence.hits_unit:
        return ()
    single = [unit.word for key, unit in inputs.roster.items() if inputs.get_role(key) == ACTS]
    words: dict[object, str] = {}  # a unit with several weapons is listed once for each
    for index, unit in enumerate(inputs.list_acting_units()[len(single) :]):
        words.setdefault(unit.name or index, unit.word)
    return (*single, *words.values())


def list_affected_units(sequence: Sequence, inputs: Given) -> tuple[str, ...]:
    """Return the targets of these inputs, as they were named.

    Without a named target it is a word for it, such as `the target`. For a sequence that takes no
    targets it is the acting units.
    """
    own_side = (ACTS, HELPS)
    units = [
        unit.word for key, unit in inputs.roster.items() if inputs.get_role(key) not in own_side
    ]
    for key, listed_units in inputs.lists.items():
        if inputs.get_role(key) not in own_side:
            units += [unit.word for unit in listed_units]
    if units:
        return tuple(units)
    target_option = find_target_option(sequence.inputs)
    if target_option is None:
        return list_actors(sequence, inputs)
    return (HEX,) if target_option.type == "units" else ("the target",)


def find_target_option(options: Iterable[Option]) -> Option | None:
    """Return the option that names the targets as units; None if there is none."""
    for option in options:
        if option.part == TARGETS and option.type in ("unit", "units"):
            return option
    return None
