"""Replies with exact odds: the chance that decides in the title, then each unit's results, worst
first.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

from bot.game.state import Game
from bot.presentation.firers_and_targets import uses_side_names
from bot.presentation.headline import (
    HARM,
    NO_EFFECT,
    ROOM,
    ResultScale,
    get_decision_question,
    has_one_party,
    list_unit_result_words,
)
from bot.presentation.run_sequence import format_token
from bot.rules.inputs.options import Option
from bot.rules.odds.odds import Distribution
from bot.rules.sequence.rounds import UNDECIDED, FightOdds
from bot.rules.sequence.sequence import Choice, OddsRow
from bot.rules.tables.answer_words import format_output_name
from bot.rules.text.names import LETTERS, find_stem, join_names
from bot.rules.text.phrase import Phrase, Typed, capitalize_first
from bot.rulesets.system import Sequence
from bot.ui.reply.bars import CAME
from bot.ui.reply.parts import Odds, Part, Small
from bot.ui.reply.percents import format_percent
from bot.ui.reply.reply import GAME, SHAKEN, Reply

EXACT, WHATEVER = (
    "Exact odds. Nothing was rolled.",
    "Exact odds, whatever is chosen. Nothing was rolled.",
)
_MOST_SUMMED = 2
"""The maximum number of results whose chances the last line repeats."""
_SAYING_NOTHING = ("outcome", "result")
MOST_ROWS = 12
RARE = Fraction(1, 100)
"""The chance below which rows at the ends are joined, if there are more than MOST_ROWS numbers."""
LIKELIEST = 3
"""The number of results in the title if no question decides."""


@dataclass(frozen=True, slots=True)
class SharedOdds:
    """The odds of units that share them: their names, and each result as token, word and chance.

    Results are sorted worst first if they have an order.
    """

    names: tuple[str, ...]
    chances: tuple[tuple[str, str, Fraction], ...]
    scale: ResultScale
    noun: str = ""
    """The noun for results that are numbers, such as `hits`; "" if they are words."""

    @property
    def result_chances(self) -> frozenset[tuple[str, Fraction]]:
        """Each result in words with its chance. Units with the same are shown together."""
        return frozenset((word, chance) for _, word, chance in self.chances)

    def get_chance_of_this_or_worse(self, index: int) -> Fraction:
        """Return the chance of the result at this index or a worse one."""
        return sum((chance for _, _, chance in self.chances[: index + 1]), Fraction(0))

    def get_chance_of_any(self, tokens: Iterable[str]) -> Fraction:
        """Return the chance of any of these results."""
        wanted_tokens = set(tokens)
        return sum(
            (chance for token, _, chance in self.chances if token in wanted_tokens), Fraction(0)
        )

    @property
    def is_hit(self) -> bool:
        """True if this is about a shot, which hits or misses and cannot be hurt."""
        return any(self.scale.get_tone(token) == GAME for token, _, _ in self.chances)

    @property
    def harmful_results(self) -> tuple[str, ...]:
        """The tokens of the results that hurt or shake, worst first."""
        return tuple(token for token, _, _ in self.chances if self.scale.get_tone(token) in HARM)


def group_odds(
    sequence: Sequence, rows: Mapping[str, OddsRow], counted: Mapping[str, Distribution]
) -> list[SharedOdds]:
    """Return the odds of all rows in their order, with identical ones together.

    The odds must leave no choice open.
    """
    groups = _group_odds_by_choice(sequence, rows, counted)
    return [shared for options in groups for shared in options.values()]


Picks = tuple[str, ...]
"""The chosen option of each choice that the odds leave open."""


def _group_odds_by_choice(
    sequence: Sequence, rows: Mapping[str, OddsRow], counted: Mapping[str, Distribution]
) -> list[dict[Picks, SharedOdds]]:
    """Return the odds of the units, with units whose odds are identical in one group.

    A group is {options chosen: odds of its units}, with the key () if the odds leave no choice
    open. Groups are in the order of their first units.
    """
    units: dict[str, dict[Picks, SharedOdds]] = {}
    for path, row in rows.items():
        unit_path = path.removeprefix("/".join(row.assumed_choices))
        shared = _build_shared_odds(sequence, row, counted[path])
        units.setdefault(unit_path, {})[row.assumed_choices] = shared
    grouped: dict[frozenset[object], dict[Picks, SharedOdds]] = {}
    for options in units.values():
        key = frozenset((picks, shared.result_chances) for picks, shared in options.items())
        earlier = grouped.get(key)
        if earlier:
            grouped[key] = {
                picks: replace(shared, names=(*earlier[picks].names, *shared.names))
                for picks, shared in options.items()
            }
        else:
            grouped[key] = options
    return list(grouped.values())


def _label_choices(
    sequence: Sequence, options: Mapping[Picks, SharedOdds]
) -> tuple[str, dict[str, SharedOdds]]:
    """Return (subject, odds by label) of one group of units. A label is what must be chosen for
    these odds, `retreat or zone`; "" if the choice changes nothing.

    The subject is that of the choice, such as `the targets choose `, if a single choice changes the
    odds; with several it is in the labels.
    """
    count = len(next(iter(options)))
    choices = [*sequence.choices.values()] if count > 1 else []
    indexes = [index for index in range(count) if _changes_odds(choices, options, index)]
    subjects = [choice.subject for choice in choices]
    if len(set(subjects)) <= 1:
        subjects = [""] * count
    words_by_chances: dict[frozenset[tuple[str, Fraction]], list[str]] = {}
    for picks, shared in options.items():
        labeled = indexes
        if len(indexes) >= 2 and picks[0] != choices[0].default:
            labeled = indexes[:1]
        words = []
        for index in labeled:
            subject = subjects[index] if len(indexes) > 1 else ""
            words.append(f"{subject}{picks[index].replace('-', ' ')}")
        words_by_chances.setdefault(shared.result_chances, []).append(" and ".join(words))
    subject = subjects[indexes[0]] if len(indexes) == 1 else ""
    labels = {}
    for shared in options.values():
        label = " or ".join(dict.fromkeys(words_by_chances[shared.result_chances]))
        labels[label] = shared
    return subject, labels


def _changes_odds(choices: list[Choice], options: Mapping[Picks, SharedOdds], index: int) -> bool:
    """Return whether the choice at `index` changes the odds if the others take their default."""
    defaults = [choice.default for choice in choices if choice is not choices[index]]
    different = set()
    for picks, shared in options.items():
        if [*picks[:index], *picks[index + 1 :]] == defaults:
            different.add(shared.result_chances)
    return len(different) > 1


def _build_shared_odds(sequence: Sequence, row: OddsRow, counted: Distribution) -> SharedOdds:
    """Return the odds of a single row: the chance of each result in words, worst first, or
    likeliest first if the results have no order. Results with the same words are added up.
    """
    scale = ResultScale(sequence, map(str, counted))
    words = list_unit_result_words(sequence)
    merged: dict[str, tuple[str, Fraction]] = {}
    for value, chance in sorted(counted.items(), key=lambda item: scale.get_severity(str(item[0]))):
        word = str(value)
        if not scale.are_numbers:
            word = get_row_result_word(row, word, words)
        token, earlier_chance = merged.get(word, (str(value), Fraction(0)))
        merged[word] = (token, earlier_chance + chance)
    chances = [(token, word, chance) for word, (token, chance) in merged.items()]
    if not scale.is_ordered:
        chances.sort(key=lambda item: -item[2])
    noun = _get_result_noun(sequence, row) if scale.are_numbers else ""
    return SharedOdds((row.name,), tuple(chances), scale, noun)


def _get_result_noun(sequence: Sequence, row: OddsRow) -> str:
    """Return the noun for a row's numbers in the words of the game: `hits`."""
    output = row.paths[0].rpartition(".")[2].partition("[")[0]
    if output in _SAYING_NOTHING:
        return sequence.title
    words: Mapping[str, str] = sequence.system.game.get("words") or {}
    return format_output_name(output, words)


def get_row_result_word(row: OddsRow, token: str, words: Mapping[str, str]) -> str:
    """Return a result in words: the row's own, or those of the game for this sequence."""
    text = row.format_result(token)
    return words.get(text) or format_token(text).replace("-", " ")


def build_odds_reply(
    sequence: Sequence,
    raw: Mapping[str, object],
    rows: Mapping[str, OddsRow],
    counted: Mapping[str, Distribution],
    *,
    cause: str = "",
    target_names: str = "",
    came: Mapping[str, str] | None = None,
    typed: str = "",
) -> Reply:
    """Build the private reply with the exact odds of every unit, identical ones together.

    `rows` are those of `odds_rows`; `counted` are their odds and `came` the actual results, both by
    the same paths. `cause` names who acts, `target_names` the units without a name of their own.
    `typed` is the line that rolls it, if no button does.
    """
    groups = [
        _label_choices(sequence, options)
        for options in _group_odds_by_choice(sequence, rows, counted)
    ]
    open_groups = [(subject, options) for subject, options in groups if "" not in options]
    if open_groups:
        subject, options = open_groups[0]
        title, chance = _format_decision_by_option(sequence, subject, options, target_names)
    else:
        units = [shared for _, options in groups for shared in options.values()]
        title, chance = format_decision(sequence, units, target_names)
    came_by_name: dict[str, list[str]] = {}
    if came:
        result_words = list_unit_result_words(sequence)
        for path, token in came.items():
            word = get_row_result_word(rows[path], token, result_words)
            came_by_name.setdefault(rows[path].name, []).append(word)
    bars = []
    for subject, options in groups:
        for index, (label, shared) in enumerate(options.items()):
            is_first = index == 0
            choice = f"{subject}{label}" if is_first else label
            bars.append(
                _build_bars(
                    sequence, shared, target_names, came_by_name, choice, goes_on=not is_first
                )
            )
    has_hidden_choice = not open_groups and any(row.assumed_choices for row in rows.values())
    exact = WHATEVER if has_hidden_choice else EXACT
    footer = _format_actual_results(bars)
    if not footer:
        footer = " ".join(filter(None, (format_inputs(sequence, raw), exact)))
    lines: list[Part] = [Phrase("Roll it: ", Typed(typed))] if typed else []
    lines += [*bars, Small(footer)]
    return Reply(title, tuple(lines), by=cause, tone=_get_tone(chance), private=True)


def _format_decision_by_option(
    sequence: Sequence, subject: str, options: Mapping[str, SharedOdds], target_names: str
) -> tuple[str, Fraction]:
    """Return the chance that decides for each option of a choice, and the highest of them.

    `58% that the squad falls back if retreat or zone, 8% if hold`. If that chance is the same for
    all options, the likeliest results of each are shown. `subject` is that of the choice.
    """
    groups = [*options.values()]
    first_group = groups[0]
    question, chances = _find_decision_chances(sequence, groups)
    percents = [format_percent(float(chance)) for chance in chances]
    single_results = [_format_likeliest_results(shared, 1) for shared in groups]
    likeliest_results = [_format_likeliest_results(shared, LIKELIEST) for shared in groups]
    if len(set(percents)) > 1:
        texts = percents
    elif len(set(single_results)) > 1:
        texts = single_results
    else:
        texts = likeliest_results
    labels: dict[str, list[str]] = {}
    for label, text in zip(options, texts, strict=True):
        labels.setdefault(text, []).append(label)
    asked_question = ""
    if texts is percents:
        question = question.replace(": {}", " for {}")
        asked_question = f" {question.replace('{}', format_each(first_group, target_names))}"
    pieces: list[str] = []
    for text, text_labels in labels.items():
        condition = " or ".join(text_labels)
        if not pieces:  # the first one says what is asked and who chooses
            pieces.append(f"{text}{asked_question} if {subject}{condition}")
        else:
            pieces.append(f"{text} if {condition}")
    heading = first_group.noun
    if not heading and (first_group.names[0] or target_names):
        heading = format_odds_names(first_group.names, target_names)
    prefix = f"{heading}: " if heading and not asked_question else ""
    separator = "; " if texts is likeliest_results else ", "
    title = capitalize_first(prefix + separator.join(pieces))
    return title, max(chances, default=Fraction(0))


def _format_actual_results(bars: Iterable[Odds]) -> str:
    """Return the note about actual results; "" if these are not known.

    `◀ this roll; this or worse: 16% and 38%`
    """
    rows = [row for bar in bars for row in bar.rows if row.came]
    if not rows:
        return ""
    percents = [format_percent(row.least) for row in rows if row.least is not None]
    worse = ""
    if percents and len(percents) == len(rows) <= _MOST_SUMMED:
        worse = f"; this or worse: {' and '.join(percents)}"
    return f"{CAME} this roll{worse}"


def _build_bars(
    sequence: Sequence,
    odds: SharedOdds,
    target_names: str,
    came: Mapping[str, list[str]],
    chosen: str = "",
    *,
    goes_on: bool = False,
) -> Odds:
    """Build the bars of units with the same odds.

    `came` are the actual results by name. `chosen` must be chosen for these odds. If it `goes_on`
    from the bars above, the units are not named once more.
    """
    questions = get_decision_question(sequence)
    shared, folded_words = _fold_rare_numbers(odds)
    heading = _format_bars_heading(sequence, shared, target_names)
    if chosen:
        heading = f"If {chosen}" if goes_on else f"{heading}, if {chosen}"
    came_words = [
        folded_words.get(word, word) for name in shared.names for word in came.get(name, ())
    ]
    last_index = len(shared.chances) - 1
    least: list[float] = []
    if shared.scale.is_ordered and not isinstance(questions, dict):
        count = last_index if shared.scale.are_numbers else len(shared.harmful_results)
        for index in range(min(count, last_index)):
            least.append(float(shared.get_chance_of_this_or_worse(index)))
    return Odds(
        heading,
        tuple((word, float(chance)) for _, word, chance in shared.chances),
        came=tuple(came_words),
        least=tuple(least),
        exact=tuple(str(chance) for _, _, chance in shared.chances),
        tones=tuple(shared.scale.get_tone(token) for token, _, _ in shared.chances),
    )


def _format_bars_heading(sequence: Sequence, shared: SharedOdds, target_names: str) -> str:
    """Return the units that bars are about, with the noun of their numbers: `Squad 1, men lost`."""
    fallback = target_names or _format_odds_cause(sequence)
    if isinstance(get_decision_question(sequence), dict):
        fallback = sequence.title
    names = format_odds_names(shared.names, fallback)
    if shared.noun and (shared.names[0] or target_names):
        return f"{names}, {shared.noun}"
    return names


def _fold_rare_numbers(shared: SharedOdds) -> tuple[SharedOdds, Mapping[str, str]]:
    """Return the odds with rare numbers at either end joined into one row, `20 or more`.

    Also return the word of that row for each number in it. Odds with few rows stay as they are.
    """
    chances = [*shared.chances]
    folded_words = dict[str, str]()
    if shared.scale.are_numbers and len(chances) > MOST_ROWS:
        for suffix in ("or more", "or less"):
            sums = accumulate(chance for _, _, chance in chances)
            rare_count = sum(total < RARE for total in sums)
            if rare_count > 1:
                rare = chances[:rare_count]
                token, word, _ = rare[-1]
                row_word = f"{word} {suffix}"
                folded_words |= {number: row_word for _, number, _ in rare}
                rare_chance = sum((chance for _, _, chance in rare), Fraction(0))
                chances[:rare_count] = [(token, row_word, rare_chance)]
            chances.reverse()
    return replace(shared, chances=tuple(chances)), folded_words


def _format_odds_cause(sequence: Sequence) -> str:
    cause = sequence.odds_by.partition("[")[0].replace("_", " ")
    return sequence.title if cause in _SAYING_NOTHING else cause[:1].upper() + cause[1:]


def format_odds_names(names: Iterable[str], target_names: str) -> str:
    """Return the names of units with the same odds: `VC Squads 5 + 6`. `target_names` stands for
    units without a name.
    """
    return join_names(name or target_names for name in names)


def format_decision(
    sequence: Sequence, found: Iterable[SharedOdds], target_names: str
) -> tuple[str, Fraction]:
    """Return the chance that decides for each group as a title, and the highest of these chances.

    `61% to shake or hurt each VC squad, 70% Nguyen`. If no question decides, the title has the
    likeliest results, and the chance is 0.
    """
    groups = list(found)
    questions = get_decision_question(sequence)
    if isinstance(questions, dict):
        return _answer_questions(questions, groups)
    if any(shared.harmful_results for shared in groups):
        groups = [shared for shared in groups if shared.harmful_results or not shared.is_hit]
    question, chances = _find_decision_chances(sequence, groups)
    if chances:
        return _format_answers(question, groups, chances, target_names), max(chances)
    first_group = groups[0]
    words = {word for shared in groups for _, word, _ in shared.chances}
    if first_group.names[0] and words == {NO_EFFECT}:
        names = join_names(name for shared in groups for name in shared.names)
        return f"No effect on {names}: 100%", Fraction(0)
    name = format_odds_names(first_group.names, target_names) if len(groups) > 1 else ""
    heading = ", ".join(filter(None, (name, first_group.noun)))
    title = _format_likeliest_results(first_group, LIKELIEST)
    if heading:
        title = f"{heading}: {title}"
    return title[:1].upper() + title[1:], Fraction(0)


def _answer_questions(
    questions: Mapping[str, Iterable[str]], groups: Iterable[SharedOdds]
) -> tuple[str, Fraction]:
    """Return the chance of each question for each group as a title, and the highest of them."""
    texts = []
    chances = []
    for shared in groups:
        for question, tokens in questions.items():
            chance = shared.get_chance_of_any(tokens)
            chances.append(chance)
            texts.append(f"{format_percent(float(chance))} {question}")
    return ", ".join(texts), max(chances)


def _find_decision_chances(
    sequence: Sequence, groups: list[SharedOdds]
) -> tuple[str, list[Fraction]]:
    """Return the question that decides, with {} for the units, and its chance for each group.

    Return no chances if there is no such question.
    """
    questions = get_decision_question(sequence)
    if isinstance(questions, dict):
        question, tokens = next(iter(questions.items()))
        return question, [shared.get_chance_of_any(tokens) for shared in groups]
    harms = dict.fromkeys(token for shared in groups for token in shared.harmful_results)
    if harms:
        question = _build_question(groups, questions)
        return question, [shared.get_chance_of_any(harms) for shared in groups]
    good = set()
    for shared in groups:
        for token, _, _ in shared.chances:
            if shared.scale.get_tone(token) == GAME:
                good.add(token)
    if len(good) == 1 and (groups[0].names[0] or has_one_party(sequence)):
        question = _build_that_clause(groups, min(good))
        return question, [shared.get_chance_of_any(good) for shared in groups]
    return "", []


def _format_likeliest_results(shared: SharedOdds, count: int) -> str:
    """Return the likeliest results with their chances, likeliest first.

    `miss 60%, hit 40%`; numbers are shown as `7 (17%), 6 (14%)`.
    """
    is_number = shared.scale.are_numbers or shared.chances[0][1].isdecimal()
    likeliest = sorted(shared.chances, key=lambda item: -item[2])[:count]
    pattern = "{} ({})" if is_number else "{} {}"
    return ", ".join(
        pattern.format(word, format_percent(float(chance))) for _, word, chance in likeliest
    )


def _build_question(groups: list[SharedOdds], phrase: str) -> str:
    """Return the question about harm: `to shake or hurt {}`, or `that {} fails` for a single harm."""
    harms = {token for shared in groups for token in shared.harmful_results}
    if len(harms) == 1:
        return _build_that_clause(groups, harms.pop())
    if phrase:
        return phrase
    mildest = max(harms, key=groups[0].scale.get_severity)
    words = {token: word for shared in groups for token, word, _ in shared.chances}
    return f"{words[mildest]} or worse: {{}}"


def _build_that_clause(groups: list[SharedOdds], token: str) -> str:
    """Return the question about a single result: `that {} rallies`, or `hit: {}` without a
    sentence.
    """
    sentence = groups[0].scale.get_sentence(token)
    word = next(word for shared in groups for other, word, _ in shared.chances if other == token)
    return f"that {sentence}" if sentence else f"{word}: {{}}"


def _format_answers(
    question: str, found: list[SharedOdds], chances: list[Fraction], target_names: str
) -> str:
    """Return the question about the first group with its chance, then the others' chances.

    If that is too long, only the highest and the lowest chance are shown.
    """
    groups_by_percent: dict[str, list[SharedOdds]] = {}
    chance_by_percent: dict[str, Fraction] = {}
    for shared, chance in zip(found, chances, strict=True):
        percent = format_percent(float(chance))
        groups_by_percent.setdefault(percent, []).append(shared)
        chance_by_percent.setdefault(percent, chance)
    merged = []
    for groups in groups_by_percent.values():
        names = tuple(name for shared in groups for name in shared.names)
        merged.append(replace(groups[0], names=names))
    short_names = [format_each(shared, target_names) for shared in merged]
    answers = []
    for percent, name, shared in zip(groups_by_percent, short_names, merged, strict=True):
        is_unique = short_names.count(name) == 1
        answers.append(
            (percent, name if is_unique else format_odds_names(shared.names, target_names))
        )
    whole = _join_chances(question, answers)
    if len(whole) <= ROOM:
        return whole
    if len(answers) == 1:
        return _join_chances(question, [(answers[0][0], f"each of {len(merged[0].names)}")])
    ordered = sorted(answers, key=lambda answer: -chance_by_percent[answer[0]])
    bounds = _join_chances(question, [ordered[0], ordered[-1]])
    between = len(answers) - 2
    return f"{bounds}, {between} more between" if between > 0 else bounds


def _join_chances(question: str, answers: list[tuple[str, str]]) -> str:
    """Return the question about the first (percent, name), then the other percents with names.

    The question `{} is killed` becomes `30% A is killed, 40% B`. It must hold {} for the name.
    """
    (percent, name), *others = answers
    first_answer = f"{percent} {question.replace('{}', name)}".rstrip(": ")
    return ", ".join([first_answer, *(f"{percent} {name}" for percent, name in others)])


def format_each(shared: SharedOdds, target_names: str) -> str:
    """Return units with the same odds in a sentence: `each VC squad`, `each of Nguyen and Tran`."""
    if len(shared.names) != 1:
        stem = find_stem(shared.names)
        return f"each {stem}" if stem else f"each of {join_names(shared.names)}"
    name = shared.names[0] or target_names or "the unit"
    if not name.islower() or name.startswith(("the ", "each ")):
        return name
    return f"the {name}"


def format_inputs(sequence: Sequence, raw: Mapping[str, object]) -> str:
    """Return the inputs besides the units in the words of the forms.

    `Target modifier 1, target adjacent.` Tracks that the steps read are included, but not tracks
    that they only change.
    """
    texts = []
    for option in (*sequence.inputs, *_list_read_tracks(sequence)):
        value = raw.get(option.name)
        is_of_phase = option.form_only and option.phases
        if is_of_phase or option.type in ("unit", "units", "str", "dice"):
            continue
        if value not in (None, "", False, (), []):
            texts += _format_input(option, value)
    words = [text[:1].lower() + text[1:] if text[1:2].islower() else text for text in texts]
    whole = ", ".join(words)
    return f"{whole[:1].upper()}{whole[1:]}." if whole else ""


def _list_read_tracks(sequence: Sequence) -> list[Option]:
    """Return the tracks that the declared steps of a sequence read; [] for a sequence that is not
    declared.
    """
    declared = sequence.declaration if sequence.tracks else None
    if declared is None:
        return []
    return [option for option in sequence.tracks if option.name in declared.read_tracks]


def _format_input(option: Option, value: object) -> list[str]:
    """Return the words of one input: none for a no, one for each modifier."""
    name = option.label or option.name.replace("_", " ")
    text = option.labels.get(str(value), str(value))
    if option.type == "bool":
        yes_words = ("true", "yes", "1", "on", name.casefold(), option.name)
        return [name] if text.casefold() in yes_words else []
    if option.type == "mods":
        words = " ".join(map(str, value)) if isinstance(value, list | tuple) else text
        return [
            option.labels.get(word, word.replace("_", " "))
            for word in words.replace(",", " ").split()
        ]
    return [option.format_value(value)]


STILL = "still fighting"


def build_rounds_reply(
    sequence: Sequence, raw: Mapping[str, object], fight: FightOdds, rounds: int, *, cause: str
) -> Reply:
    """Build the private reply with the odds of a fight after some rounds and at its end.

    The title has the chance that decides after these rounds; the last line the average length.
    `cause` says who fights.
    """
    unit = "round" if rounds == 1 else "rounds"
    condition = f"after {rounds} {unit}"
    groups = []
    for head, counted in ((condition.capitalize(), fight.after), ("To the end", fight.decided)):
        row = OddsRow(
            head, (), lambda _: None, lambda token: STILL if token == UNDECIDED else token
        )
        groups.append(_build_shared_odds(sequence, row, counted))
    title, chance = format_decision(sequence, groups[:1], "")
    notes = (format_inputs(sequence, raw), _format_average_rounds(fight), EXACT)
    bars = (_build_bars(sequence, shared, "", {}) for shared in groups)
    return Reply(
        title,
        (*bars, Small(" ".join(filter(None, notes)))),
        by=", ".join(filter(None, (condition, cause))),
        tone=_get_tone(chance),
        private=True,
    )


def _get_tone(chance: Fraction) -> str:
    """Return the tone of a reply for the chance of the likeliest harm."""
    return SHAKEN if chance > Fraction(1, 2) else GAME


def _format_average_rounds(fought: FightOdds) -> str:
    """Return in a sentence how long a fight lasts on average, or that it may never end."""
    if fought.average is None:
        return "It may go on forever."
    return f"It takes {float(fought.average):.1f} rounds on average."


_LAST = re.compile(r"(?<=had it last turn )([ab])\b")
_ALONE = re.compile(r"\b([abAB])(?= [<>\d])")


def name_sides_in_odds(reply: Reply, sequence: Sequence, game: Game) -> Reply:
    """Return the odds of the initiative with the names of the sides; other odds unchanged."""
    if not any(option.complete == "side" for option in sequence.inputs):
        return reply
    sides = tuple(f"side {letter}" for letter in LETTERS)
    if uses_side_names(sequence, game):
        sides = game.sides
    names = dict(zip(LETTERS, sides, strict=True))

    def rename_part(part: Part) -> Part:
        if isinstance(part, Odds):
            chances = [(names.get(word, word), chance) for word, chance in part.chances]
            return part._replace(chances=tuple(chances))
        if isinstance(part, Small):
            return part._replace(text=_LAST.sub(lambda match: names[match[1]], part.text))
        return part

    named_title = _ALONE.sub(lambda match: names[match[1].lower()], reply.title)
    lines = tuple(map(rename_part, reply.lines))
    return replace(reply, title=capitalize_first(named_title), lines=lines)
