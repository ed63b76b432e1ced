"""The exact odds as an answer: what one decides by in the first line, then every unit's results,
worst first.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

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
from bot.rules.odds.odds import Distribution
from bot.rules.sequence.rounds import UNDECIDED, FightOdds
from bot.rules.sequence.sequence import OddsRow
from bot.rules.tables.answer_words import format_output_name
from bot.rules.text.names import LETTERS, find_stem, join_names
from bot.rules.text.phrase import Phrase, Typed, capitalize_first
from bot.rulesets.system import Sequence
from bot.ui.reply.bars import CAME, format_percent
from bot.ui.reply.parts import Odds, Part, Small
from bot.ui.reply.reply import GAME, SHAKEN, Reply

EXACT, WHATEVER = "Exact; nothing is rolled.", "Exact, whatever is chosen; nothing is rolled."
_TOLD = 2
_SAYING_NOTHING = ("outcome", "result")
MOST_ROWS = 12
RARE = Fraction(1, 100)
"""Beyond so many rows of numbers those at the ends are one row as long as they come to less than
this.
"""
LIKELIEST = 3
"""So many results are in the first line where no question decides."""


@dataclass(frozen=True, slots=True)
class SharedOdds:
    """The odds of those who share them: their names, and each result with its words, worst
    first.
    """

    names: tuple[str, ...]
    chances: tuple[tuple[str, str, Fraction], ...]
    scale: ResultScale
    noun: str = ""
    """What its numbers are of: `hits`; empty where results are words."""

    @property
    def result_chances(self) -> frozenset[tuple[str, Fraction]]:
        """Each result in words with its chance: who has the same is told together."""
        return frozenset((word, chance) for _, word, chance in self.chances)

    def get_chance_of_this_or_worse(self, at: int) -> Fraction:
        """The chance of the result at this place or a worse one."""
        return sum((chance for _, _, chance in self.chances[: at + 1]), Fraction(0))

    def get_chance_of_any(self, tokens: Iterable[str]) -> Fraction:
        """The chance of one of these results."""
        wanted = set(tokens)
        return sum((chance for token, _, chance in self.chances if token in wanted), Fraction(0))

    @property
    def is_hit(self) -> bool:
        """Return whether this is about a shot, which hits or misses and cannot be hurt."""
        return any(self.scale.get_tone(token) == GAME for token, _, _ in self.chances)

    @property
    def harmful_results(self) -> tuple[str, ...]:
        """The results that do harm, worst first."""
        return tuple(token for token, _, _ in self.chances if self.scale.get_tone(token) in HARM)


def group_odds(
    sequence: Sequence, rows: Mapping[str, OddsRow], counted: Mapping[str, Distribution]
) -> list[SharedOdds]:
    """The odds of every row under its name, alike ones together, in the order of the rows;
    nothing is to be chosen.
    """
    return [
        one
        for options in _group_odds_by_choice(sequence, rows, counted)
        for one in options.values()
    ]


Picks = tuple[str, ...]
"""What is chosen, of each choice that the odds leave open."""


def _group_odds_by_choice(
    sequence: Sequence, rows: Mapping[str, OddsRow], counted: Mapping[str, Distribution]
) -> list[dict[Picks, SharedOdds]]:
    """Each unit's odds by what is chosen, units alike in all of them together."""
    units: dict[str, dict[Picks, SharedOdds]] = {}
    for path, row in rows.items():
        units.setdefault(path.removeprefix("/".join(row.under)), {})[row.under] = (
            _build_shared_odds(sequence, row, counted[path])
        )
    alike: dict[frozenset[object], dict[Picks, SharedOdds]] = {}
    for options in units.values():
        key = frozenset((picks, one.result_chances) for picks, one in options.items())
        same = alike.get(key)
        joint = {
            picks: replace(one, names=(*same[picks].names, *one.names))
            for picks, one in options.items()
            if same
        }
        alike[key] = joint or options
    return list(alike.values())


def _label_choices(
    sequence: Sequence, options: Mapping[Picks, SharedOdds]
) -> tuple[str, dict[str, SharedOdds]]:
    """A unit's different odds, each under what must be chosen for it: `retreat or zone`; of two
    choices also by whom, first where that is the same in all: `the targets choose `. Under "" where
    it changes nothing."""
    count = len(next(iter(options)))
    choices = [*sequence.choices.values()] if count > 1 else []

    def changes_odds(at: int) -> bool:
        rest = [choice.otherwise for choice in choices if choice is not choices[at]]
        return (
            len(
                {
                    one.result_chances
                    for picks, one in options.items()
                    if [*picks[:at], *picks[at + 1 :]] == rest
                }
            )
            > 1
        )

    places = [at for at in range(count) if changes_odds(at)]
    whose = (
        [one.subject for one in choices]
        if len({one.subject for one in choices}) > 1
        else [""] * count
    )
    labels: dict[frozenset[tuple[str, Fraction]], list[str]] = {}
    for picks, one in options.items():
        told = places if len(places) < 2 or picks[0] == choices[0].otherwise else places[:1]
        said = [
            f"{whose[at] if len(places) > 1 else ''}{picks[at].replace('-', ' ')}" for at in told
        ]
        labels.setdefault(one.result_chances, []).append(" and ".join(said))
    by = whose[places[0]] if len(places) == 1 else ""
    return by, {
        " or ".join(dict.fromkeys(labels[one.result_chances])): one for one in options.values()
    }


def _build_shared_odds(sequence: Sequence, row: OddsRow, counted: Distribution) -> SharedOdds:
    scale = ResultScale(sequence, map(str, counted))
    words = list_unit_result_words(sequence)
    merged: dict[str, tuple[str, Fraction]] = {}
    for value, chance in sorted(counted.items(), key=lambda item: scale.get_severity(str(item[0]))):
        word = get_row_result_word(row, str(value), words) if not scale.are_numbers else str(value)
        token, before = merged.get(word, (str(value), Fraction(0)))
        merged[word] = (token, before + chance)
    chances = [(token, word, chance) for word, (token, chance) in merged.items()]
    if not scale.is_ordered:
        chances.sort(key=lambda item: -item[2])
    noun = _get_result_noun(sequence, row) if scale.are_numbers else ""
    return SharedOdds((row.name,), tuple(chances), scale, noun)


def _get_result_noun(sequence: Sequence, row: OddsRow) -> str:
    """Return what the numbers of a row are of, in the words of the game: `hits`."""
    output = row.paths[0].rpartition(".")[2].partition("[")[0]
    if output in _SAYING_NOTHING:
        return sequence.title
    words: Mapping[str, str] = sequence.system.game.get("words") or {}
    return format_output_name(output, words)


def get_row_result_word(row: OddsRow, token: str, words: Mapping[str, str]) -> str:
    """A result in words: the row's own, or those of the game for this sequence."""
    said = row.said(token)
    return words.get(said) or format_token(said).replace("-", " ")


def build_odds_reply(
    sequence: Sequence,
    raw: Mapping[str, object],
    rows: Mapping[str, OddsRow],
    counted: Mapping[str, Distribution],
    *,
    by: str = "",
    whom: str = "",
    came: Mapping[str, str] | None = None,
    typed: str = "",
) -> Reply:
    """A private reply with the exact odds of every unit: those of the same odds together, none left
    out.

    `rows` are those of `odds_rows`, `counted` their odds by the same paths, `came` what came up,
    also by them. `by` is who acts, `whom` those without a name of their own. `typed` is the line
    that rolls it, where no button does.
    """
    found = [
        _label_choices(sequence, options)
        for options in _group_odds_by_choice(sequence, rows, counted)
    ]
    open_ones = [(by, options) for by, options in found if "" not in options]
    units = [one for _, options in found for one in options.values()]
    title, chance = (
        _format_decision_by_option(sequence, *open_ones[0], whom)
        if open_ones
        else format_decision(sequence, units, whom)
    )
    came_to: dict[str, list[str]] = {}
    for path, token in (came or {}).items():
        came_to.setdefault(rows[path].name, []).append(
            get_row_result_word(rows[path], token, list_unit_result_words(sequence))
        )
    bars = [
        _build_bars(sequence, one, whom, came_to, f"{'' if at else by}{label}", goes_on=at > 0)
        for by, options in found
        for at, (label, one) in enumerate(options.items())
    ]
    exact = EXACT if open_ones or not any(row.under for row in rows.values()) else WHATEVER
    lines: list[Part] = [Phrase("Roll it: ", Typed(typed))] if typed else []
    return Reply(
        title,
        (
            *lines,
            *bars,
            Small(
                _format_actual_results(bars)
                or " ".join(filter(None, (format_inputs(sequence, raw), exact)))
            ),
        ),
        by=by,
        tone=_get_tone(chance),
        private=True,
    )


def _format_decision_by_option(
    sequence: Sequence, by: str, options: Mapping[str, SharedOdds], whom: str
) -> tuple[str, Fraction]:
    """What one decides by for each option of a choice (`by` whom), and the highest of these
    chances: `58% that the squad falls back if retreat or zone, 8% if hold`; where that is the same,
    the likeliest results of each."""
    found = [*options.values()]
    question, chances = _find_decision_chances(sequence, found)
    ways = [
        [format_percent(float(one)) for one in chances],
        *([_format_likeliest_results(one, n) for one in found] for n in (1, LIKELIEST)),
    ]
    said = next((way for way in ways if len({*way}) > 1), ways[-1])
    name = format_odds_names(found[0].names, whom) if found[0].names[0] or whom else ""
    asked = (
        f" {question.replace(': {}', ' for {}').replace('{}', format_each(found[0], whom))}"
        if said is ways[0]
        else ""
    )
    labels: dict[str, list[str]] = {}
    for label, text in zip(options, said, strict=True):
        labels.setdefault(text, []).append(label)
    told = [
        f"{text}{'' if at else asked} if {'' if at else by}{' or '.join(labels[text])}"
        for at, text in enumerate(labels)
    ]
    noun = found[0].noun
    named = f"{noun or name}: " if (noun or name) and not asked else ""
    return capitalize_first(named + ("; " if said is ways[-1] else ", ").join(told)), max(
        chances, default=Fraction(0)
    )


def _format_actual_results(bars: Iterable[Odds]) -> str:
    """`\u25c0 what came up: this or worse had 16% and 38%`; empty where that is not known."""
    marked = [(bar, row) for bar in bars for row in bar.rows if row.came]
    said = [format_percent(row.least) for _, row in marked if row.least is not None]
    worse = (
        f": this or worse had {' and '.join(said)}"
        if said and len(said) == len(marked) <= _TOLD
        else ""
    )
    return f"{CAME} what came up{worse}." if marked else ""


def _build_bars(
    sequence: Sequence,
    one: SharedOdds,
    whom: str,
    came: Mapping[str, list[str]],
    chosen: str = "",
    *,
    goes_on: bool = False,
) -> Odds:
    """`chosen` is what must be chosen for it; where it `goes_on` from the bars above it, who it is
    about is not said again."""
    questions, (one, said) = get_decision_question(sequence), _fold_rare_numbers(one)
    ordered = one.scale.is_ordered and not isinstance(questions, dict)
    worst = len(one.chances) - 1 if one.scale.are_numbers else len(one.harmful_results)
    named = _format_bars_heading(sequence, one, whom)
    if chosen:
        named = f"If {chosen}" if goes_on else f"{named}, if {chosen}"
    return Odds(
        named,
        tuple((word, float(chance)) for _, word, chance in one.chances),
        came=tuple(said.get(word, word) for name in one.names for word in came.get(name, ())),
        least=tuple(
            float(one.get_chance_of_this_or_worse(at))
            for at in range(min(worst, len(one.chances) - 1))
        )
        if ordered
        else (),
        exact=tuple(str(chance) for _, _, chance in one.chances),
        tones=tuple(one.scale.get_tone(token) for token, _, _ in one.chances),
    )


def _format_bars_heading(sequence: Sequence, one: SharedOdds, whom: str) -> str:
    """Return whom bars are about, and what their numbers are of: `Squad 1, men lost`."""
    questions = get_decision_question(sequence)
    named = format_odds_names(
        one.names,
        sequence.title if isinstance(questions, dict) else whom or _format_odds_cause(sequence),
    )
    return f"{named}, {one.noun}" if one.noun and (one.names[0] or whom) else named


def _fold_rare_numbers(one: SharedOdds) -> tuple[SharedOdds, Mapping[str, str]]:
    """Of many numbers those at either end that have less than 1 % together as one row, `20 or
    more`; and how a number in it is said."""
    chances = [*one.chances]
    said = dict[str, str]()
    if one.scale.are_numbers and len(chances) > MOST_ROWS:
        for end in ("or more", "or less"):
            rare = sum(
                sum(chance for _, _, chance in chances[: at + 1]) < RARE
                for at in range(len(chances))
            )
            if rare > 1:
                token, word, _ = chances[rare - 1]
                said |= {folded: f"{word} {end}" for _, folded, _ in chances[:rare]}
                chances[:rare] = [
                    (token, f"{word} {end}", sum((c for _, _, c in chances[:rare]), Fraction(0)))
                ]
            chances.reverse()
    return replace(one, chances=tuple(chances)), said


def _format_odds_cause(sequence: Sequence) -> str:
    by = sequence.odds_by.partition("[")[0].replace("_", " ")
    return sequence.title if by in _SAYING_NOTHING else by[:1].upper() + by[1:]


def format_odds_names(names: Iterable[str], whom: str) -> str:
    """What those with the same odds are called: `VC Squads 5 + 6`, or `whom` where they have no
    name.
    """
    return join_names(name or whom for name in names)


def format_decision(
    sequence: Sequence, found: Iterable[SharedOdds], whom: str
) -> tuple[str, Fraction]:
    """What one decides by: `61% to shake or hurt each VC squad, 70% Nguyen`; with the highest of
    these chances.
    """
    found = list(found)
    questions = get_decision_question(sequence)
    if isinstance(questions, dict):
        said = [
            (one.get_chance_of_any(tokens), text)
            for one in found
            for text, tokens in questions.items()
        ]
        return ", ".join(f"{format_percent(float(chance))} {text}" for chance, text in said), max(
            c for c, _ in said
        )
    if any(one.harmful_results for one in found):
        found = [one for one in found if one.harmful_results or not one.is_hit]
    question, chances = _find_decision_chances(sequence, found)
    if chances:
        return _format_answers(question, found, chances, whom), max(chances)
    first = found[0]
    if first.names[0] and {word for one in found for _, word, _ in one.chances} == {NO_EFFECT}:
        return (
            f"No effect on {join_names(name for one in found for name in one.names)}: 100%",
            Fraction(0),
        )
    name = format_odds_names(first.names, whom) if len(found) > 1 else ""
    named = ", ".join(filter(None, (name, first.noun)))
    told = f"{named}{': ' if named else ''}{_format_likeliest_results(first, LIKELIEST)}"
    return told[:1].upper() + told[1:], Fraction(0)


def _find_decision_chances(
    sequence: Sequence, found: list[SharedOdds]
) -> tuple[str, list[Fraction]]:
    """The question by which one decides, with {} for whom it is about, and its chance for each;
    else no chances.
    """
    questions = get_decision_question(sequence)
    if isinstance(questions, dict):
        text, tokens = next(iter(questions.items()))
        return text, [one.get_chance_of_any(tokens) for one in found]
    if harms := dict.fromkeys(token for one in found for token in one.harmful_results):
        return _build_question(found, questions), [one.get_chance_of_any(harms) for one in found]
    good = {
        token for one in found for token, _, _ in one.chances if one.scale.get_tone(token) == GAME
    }
    if len(good) == 1 and (found[0].names[0] or has_one_party(sequence)):
        return _build_that_clause(found, min(good)), [one.get_chance_of_any(good) for one in found]
    return "", []


def _format_likeliest_results(one: SharedOdds, count: int) -> str:
    """So many results, the likeliest first: `miss 60%, hit 40%`; of numbers `7 (17%), 6 (14%)`."""
    is_number = one.scale.are_numbers or one.chances[0][1].isdecimal()
    likeliest = sorted(one.chances, key=lambda item: -item[2])[:count]
    pattern = "{} ({})" if is_number else "{} {}"
    return ", ".join(
        pattern.format(word, format_percent(float(chance))) for _, word, chance in likeliest
    )


def _build_question(found: list[SharedOdds], phrase: str) -> str:
    """`to shake or hurt {}`; of a single harm its own sentence, `that {} fails`."""
    harms = {token for one in found for token in one.harmful_results}
    if len(harms) == 1:
        return _build_that_clause(found, harms.pop())
    if phrase:
        return phrase
    mildest = max(harms, key=found[0].scale.get_severity)
    words = {token: word for one in found for token, word, _ in one.chances}
    return f"{words[mildest]} or worse: {{}}"


def _build_that_clause(found: list[SharedOdds], token: str) -> str:
    says = found[0].scale.get_sentence(token)
    word = next(word for one in found for other, word, _ in one.chances if other == token)
    return f"that {says}" if says else f"{word}: {{}}"


def _format_answers(
    question: str, found: list[SharedOdds], chances: list[Fraction], whom: str
) -> str:
    """The question about the first, and the chances of the others; of the best and the worst
    where that is too long.
    """
    alike: dict[str, list[SharedOdds]] = {}
    for one, chance in zip(found, chances, strict=True):
        alike.setdefault(format_percent(float(chance)), []).append(one)
    chances = [chances[found.index(some[0])] for some in alike.values()]
    found = [
        replace(some[0], names=tuple(name for one in some for name in one.names))
        for some in alike.values()
    ]
    names = [format_each(one, whom) for one in found]
    names = [
        name if names.count(name) == 1 else format_odds_names(one.names, whom)
        for name, one in zip(names, found, strict=True)
    ]
    said = [*zip(alike, names, strict=True)]
    whole = _join_chances(question, said)
    if len(whole) <= ROOM or len(said) == 1:
        return (
            whole
            if len(whole) <= ROOM
            else _join_chances(question, [(said[0][0], f"each of {len(found[0].names)}")])
        )
    order = sorted(range(len(found)), key=lambda at: -chances[at])
    best = said[order[0]]
    worst = said[order[-1]]
    shown = _join_chances(question, [best, worst])
    return f"{shown}, {len(said) - 2} more between" if len(said) > 2 else shown


def _join_chances(question: str, said: list[tuple[str, str]]) -> str:
    (chance, name), *others = said
    first = f"{chance} {question.replace('{}', name)}".rstrip(": ")
    return ", ".join([first, *(f"{chance} {name}" for chance, name in others)])


def format_each(one: SharedOdds, whom: str) -> str:
    """Those who share their odds in a sentence: `each VC squad`, `each of Nguyen and Tran`."""
    if len(one.names) == 1:
        name = one.names[0] or whom or "the unit"
        return name if not name.islower() or name.startswith(("the ", "each ")) else f"the {name}"
    stem = find_stem(one.names)
    return f"each {stem}" if stem else f"each of {join_names(one.names)}"


def format_inputs(sequence: Sequence, raw: Mapping[str, object]) -> str:
    """What was given besides the units, in the words of the forms: `Target modifier 1, target
    adjacent.`

    Tracks are among it that the steps read, not those that they only change.
    """
    said = []
    declared = sequence.declaration if sequence.tracks else None
    read = declared.read_tracks if declared is not None else frozenset()
    tracks = [option for option in sequence.tracks if option.name in read]
    for option in (*sequence.inputs, *tracks):
        value = raw.get(option.name)
        is_of_phase = option.form_only and option.phases
        if (
            is_of_phase
            or option.type in ("unit", "units", "str", "dice")
            or value in (None, "", False, (), [])
        ):
            continue
        name = option.label or option.name.replace("_", " ")
        text = option.labels.get(str(value), str(value))
        if option.type == "bool":
            if text.casefold() in ("true", "yes", "1", "on", name.casefold(), option.name):
                said.append(name)
        elif option.type == "mods":
            words = " ".join(map(str, value)) if isinstance(value, list | tuple) else text
            said += [
                option.labels.get(word, word.replace("_", " "))
                for word in words.replace(",", " ").split()
            ]
        else:
            said.append(f"{name} {text}")
    whole = ", ".join(name[:1].lower() + name[1:] if name[1:2].islower() else name for name in said)
    return f"{whole[:1].upper()}{whole[1:]}." if whole else ""


STILL = "still fighting"


def build_rounds_reply(
    sequence: Sequence, raw: Mapping[str, object], fought: FightOdds, rounds: int, *, by: str
) -> Reply:
    """The private answer: what one decides by after these rounds, then both counts, and how long
    it takes.
    """
    after = f"after {rounds} {'round' if rounds == 1 else 'rounds'}"
    found = [
        _build_shared_odds(
            sequence,
            OddsRow(head, (), lambda _: None, lambda token: STILL if token == UNDECIDED else token),
            counted,
        )
        for head, counted in ((after.capitalize(), fought.after), ("To the end", fought.decided))
    ]
    title, chance = format_decision(sequence, found[:1], "")
    small = " ".join(
        filter(None, (format_inputs(sequence, raw), _format_average_rounds(fought), EXACT))
    )
    bars = (_build_bars(sequence, one, "", {}) for one in found)
    by = ", ".join(filter(None, (after, by)))
    return Reply(title, (*bars, Small(small)), by=by, tone=_get_tone(chance), private=True)


def _get_tone(chance: Fraction) -> str:
    """How an answer looks whose likeliest harm has this chance."""
    return SHAKEN if chance > Fraction(1, 2) else GAME


def _format_average_rounds(fought: FightOdds) -> str:
    if fought.average is None:
        return "It may go on for ever."
    return f"It takes {float(fought.average):.1f} rounds on average."


_LAST = re.compile(r"(?<=had it last turn )([ab])\b")
_ALONE = re.compile(r"\b([abAB])(?= [<>\d])")


def name_sides_in_odds(reply: Reply, sequence: Sequence, game: Game) -> Reply:
    """The odds of the initiative with the names of the sides; those of anything else as they
    are.
    """
    if not any(option.complete == "side" for option in sequence.inputs):
        return reply
    sides = (
        game.sides
        if uses_side_names(sequence, game)
        else tuple(f"side {letter}" for letter in LETTERS)
    )
    names = dict(zip(LETTERS, sides, strict=True))

    def rename_part(part: Part) -> Part:
        if isinstance(part, Odds):
            return part._replace(
                chances=tuple((names.get(word, word), chance) for word, chance in part.chances)
            )
        if isinstance(part, Small):
            return part._replace(text=_LAST.sub(lambda found: names[found[1]], part.text))
        return part

    title = capitalize_first(_ALONE.sub(lambda found: names[found[1].lower()], reply.title))
    return replace(reply, title=title, lines=tuple(map(rename_part, reply.lines)))
