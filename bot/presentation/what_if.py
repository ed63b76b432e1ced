"""What single changes of a shot are worth: the same inputs with and without each flag, and with
each firer leading.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass, replace
from fractions import Fraction
from time import thread_time

from bot.presentation.headline import HARM, NONE, ResultScale, get_decision_question, has_one_party
from bot.presentation.odds import EXACT, SharedOdds, format_odds_names, group_odds
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import ACTS, Option, is_flag_on, split_words
from bot.rules.inputs.tracks import OWNERS
from bot.rules.inputs.units import Roster, Unit
from bot.rules.odds.odds import Distribution
from bot.rules.odds.rolls import TooManyStates
from bot.rules.sequence.sequence import OddsRow
from bot.rules.text.names import number_repeated
from bot.rulesets.bears import find_unborne
from bot.rulesets.catalog import find_system
from bot.rulesets.play_once import compute_each_odds
from bot.rulesets.system import Sequence
from bot.ui.reply.bars import format_percent
from bot.ui.reply.parts import Compared, Small
from bot.ui.reply.reply import Reply

PLAN = "as planned"
ROWS = 12
"""So many rows fit a phone; changes that matter less are left out."""
SURE = 7
"""So many changes of what is planned have a row before all others."""

Inputs = Mapping[str, object]
Counted = Many[Mapping[str, Distribution] | None]
"""The odds with each change; None where the rules do not allow it."""


@dataclass(frozen=True, slots=True)
class InputChange:
    """The inputs with one thing changed, and what that is: of what is `planned`, or a modifier
    that is `common`.
    """

    label: str
    raw: Inputs
    planned: bool = False
    common: bool = False


@dataclass(frozen=True, slots=True)
class ComparedLevel:
    """What is compared: `at least shaken`, and the results that count for it."""

    label: str
    tokens: frozenset[str]

    def get_chance(self, counted: Distribution) -> Fraction:
        """How likely one of them is."""
        return sum(
            (chance for token, chance in counted.items() if str(token) in self.tokens), Fraction(0)
        )


@dataclass(frozen=True, slots=True)
class ChangeComparison:
    """The answer, and what else can be asked: the levels, the units, and the places of those
    that are shown.
    """

    reply: Reply
    levels: tuple[ComparedLevel, ...]
    names: tuple[str, ...]
    group: int
    level: int


def compare_changes(
    sequence: Sequence,
    rows: Mapping[str, OddsRow],
    planned: Mapping[str, Distribution],
    tried: Many[InputChange],
    counted: Counted,
    *,
    group: int = 0,
    level: int | ComparedLevel = 0,
) -> ChangeComparison:
    """What the changes are worth for the units and the level at these places, or for a level as
    other odds have it. Raises UserError where no result is better than another."""
    groups = group_odds(sequence, rows, planned)
    group = min(group, len(groups) - 1)
    path = next(path for path, row in rows.items() if row.name == groups[group].names[0])
    tokens = {str(token) for found in (planned, *counted) if found for token in found[path]}
    known = list_levels(sequence, groups[group], tokens)
    if not known:
        raise UserError(
            "Nothing can be compared here: one result is as good as another.", code="no-odds"
        )
    if isinstance(level, ComparedLevel):
        fits = [at for at, one in enumerate(known) if one.tokens >= level.tokens]
        level = min(fits, key=lambda at: len(known[at].tokens), default=0)
    level = min(level, len(known) - 1)
    names = tuple(format_odds_names(one.names, "") for one in groups)
    worth = _rank_changes(known[level], path, planned, tried, counted)
    reply = _build_comparison_reply(
        known[level], names[group], known[level].get_chance(planned[path]), worth
    )
    return ChangeComparison(reply, tuple(known), names, group, level)


def _rank_changes(
    level: ComparedLevel,
    path: str,
    planned: Mapping[str, Distribution],
    tried: Many[InputChange],
    counted: Counted,
) -> list[tuple[str, Fraction]]:
    """The changes that make a difference, with the chance that they bring; of too many those of
    what is planned, then the sequence's commonest modifiers, then those that matter most."""
    now = level.get_chance(planned[path])
    found = [
        (one, level.get_chance(odds[path]))
        for one, odds in zip(tried, counted, strict=True)
        if odds
    ]
    ranked = sorted(
        (pair for pair in found if pair[1] != now), key=lambda pair: -abs(pair[1] - now)
    )
    sure = [pair for pair in ranked if pair[0].planned][:SURE]
    common = [pair for pair in ranked if pair[0].common]
    shown = [*sure, *common, *(pair for pair in ranked if pair not in sure and pair not in common)]
    return [(one.label, chance) for one, chance in shown[: ROWS - 1]]


def _build_comparison_reply(
    level: ComparedLevel, whom: str, now: Fraction, worth: list[tuple[str, Fraction]]
) -> Reply:
    rows = sorted([*worth, (PLAN, now)], key=lambda one: (-one[1], one[0] != PLAN))
    best, chance = rows[0]
    title = (
        f"{best[:1].upper()}{best[1:]} is worth most: {format_percent(float(chance))} instead of "
        f"{format_percent(float(now))}"
    )
    if best == PLAN:
        title = f"No single change helps: {format_percent(float(now))} {PLAN}"
    drawn = Compared(tuple((label, float(chance), float(chance - now)) for label, chance in rows))
    small = Small(f"Each row changes one thing. {EXACT}")
    about = f"{level.label}, {whom}" if whom else level.label
    return Reply(title, (drawn, small), by=about, private=True)


SECONDS = 4.0
"""What all changes of a shot may take together."""
_FIXED = "night adjacent_a tis target_flying attacker_flying extreme_winter jungle dark no_hero"
FIXED = tuple(_FIXED.split())
"""Conditions that nobody chooses: they are as they are."""
FIRERS = 6
"""So many firers are tried one by one."""


def list_changes(sequence: Sequence, raw: Inputs, given: Given) -> list[InputChange]:
    """The inputs with one thing changed each: the commonest modifiers first, then who fires. Not
    all of them apply.
    """
    common = {name: at for at, name in enumerate(sequence.common)}
    options = sorted(
        (*sequence.inputs, *sequence.tracks),
        key=lambda option: common.get(option.name, len(common)),
    )
    unborne = _find_unborne(sequence, given) - {*raw, *split_words(raw.get("mods") or ())}
    options = [
        replace(option, values=tuple(word for word in option.values if word not in unborne))
        if option.type == "mods"
        else option
        for option in options
        if option.name not in unborne
    ]
    found = [one for option in options for one in _list_option_changes(option, raw, common)]
    return found if has_one_party(sequence) else [*found, *_list_firer_changes(raw, given)]


def _find_unborne(sequence: Sequence, given: Given) -> frozenset[str]:
    """Return the modifiers that no unit of these inputs can bear."""
    units: dict[str, tuple[Unit, ...]] = {}
    for bearers in sequence.bears.values():
        single = given.roster.get(bearers.option)
        listed = given.lists.get(bearers.option, ())
        units[bearers.option] = (single,) if single is not None else tuple(listed)
    return find_unborne(sequence.bears, units, sequence.system.game["units"].get("classes") or {})


def _list_option_changes(option: Option, raw: Inputs, common: Iterable[str]) -> list[InputChange]:
    value = raw.get(option.name)
    label = _lowercase_first(option.label or option.name.replace("_", " "))
    without = {name: given for name, given in raw.items() if name != option.name}
    if option.name in FIXED and not value:
        return []
    if option.type == "bool":
        is_set = is_flag_on(raw, option.name) or (option.default is True and value in (None, ""))
        return [
            _toggle_input(
                label,
                {**raw, option.name: not is_set},
                is_set=is_set,
                is_common=option.name in common,
            )
        ]
    if option.type == "mods" and option.values:
        given = split_words(value or ())
        found = []
        for word in option.values:
            words = [one for one in given if one != word] if word in given else [*given, word]
            said = _lowercase_first(option.labels.get(word, word.replace("_", " ")))
            changed = {**raw, option.name: " ".join(words)}
            if word not in FIXED:
                found.append(
                    _toggle_input(said, changed, is_set=word in given, is_common=word in common)
                )
        return found
    if option.name.partition(".")[0] in OWNERS and option.type == "enum" and "." in option.name:
        return [
            InputChange(f"{label}: {one}", {**raw, option.name: one})
            for one in option.values
            if one != value
        ]
    if option.type == "int" and value and option.default == 0 and str(value) != "0":
        return [InputChange(f"no {label}", without, planned=True)]
    return []


def _toggle_input(label: str, raw: Inputs, *, is_set: bool, is_common: bool) -> InputChange:
    """The inputs with a flag or word the other way round."""
    return (
        InputChange(f"not {label}", raw, planned=True)
        if is_set
        else InputChange(label, raw, common=is_common)
    )


def _list_firer_changes(raw: Inputs, given: Given) -> list[InputChange]:
    """Each firer in the lead, and the shot without each of them."""
    found: list[InputChange] = []
    for name, units in given.lists.items():
        pieces = [piece.strip() for piece in str(raw.get(name) or "").split(";") if piece.strip()]
        if (
            given.get_role(name) != ACTS
            or len(pieces) != len(units)
            or not 1 < len(units) <= FIRERS
        ):
            continue
        names = number_repeated([unit.word for unit in units])
        for at, piece in enumerate(pieces):
            others = [other for place, other in enumerate(pieces) if place != at]
            if at:
                found.append(
                    InputChange(
                        f"{names[at]} leads",
                        {**raw, name: "; ".join([piece, *others])},
                        planned=True,
                    )
                )
            found.append(
                InputChange(f"no {names[at]}", {**raw, name: "; ".join(others)}, planned=True)
            )
    return found


def _lowercase_first(label: str) -> str:
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def count_change_odds(
    system_id: str,
    sequence_id: str,
    raws: Many[Inputs],
    paths: Many[str],
    roster: Roster,
    seconds: float = SECONDS,
) -> list[dict[str, Distribution] | None]:
    """The odds with each of these inputs; None for those that the rules do not allow. Raises
    TooManyStates where there was time for none of them."""
    sequence = find_system(system_id).find_sequence(sequence_id)
    until = thread_time() + seconds
    found: list[dict[str, Distribution] | None] = []
    for raw in raws:
        try:
            found.append(
                compute_each_odds(
                    sequence, raw, paths, roster, seconds=max(0.0, until - thread_time())
                )
            )
        except TooManyStates:
            if not any(found):
                raise
            found.append(None)
        except UserError:
            found.append(None)
    return found


def _list_number_levels(noun: str, numbers: Many[int]) -> list[ComparedLevel]:
    """Return a level for each number but the lowest: `hits 2 or more`."""
    found = []
    for place, number in enumerate(numbers[1:], 1):
        more = " or more" if place < len(numbers) - 1 else ""
        label = f"{noun} {number}{more}".strip()
        found.append(ComparedLevel(label, frozenset(map(str, numbers[place:]))))
    return found


def list_levels(sequence: Sequence, plan: SharedOdds, tokens: Iterable[str]) -> list[ComparedLevel]:
    """What can be compared, what one decides by first: at least the mildest harm, then what is
    worse.
    """
    tokens = tuple(dict.fromkeys(tokens))
    questions = get_decision_question(sequence)
    if isinstance(questions, dict):
        return [ComparedLevel(text, frozenset(found)) for text, found in questions.items()]
    scale = ResultScale(sequence, tokens)
    words = {token: word for token, word, _ in plan.chances}
    if scale.are_numbers:
        return _list_number_levels(plan.noun, sorted(map(int, tokens)))
    harms = sorted(
        (token for token in tokens if scale.get_tone(token) in HARM),
        key=scale.get_severity,
        reverse=True,
    )
    if harms:
        return [
            ComparedLevel(
                f"at least {words[token]}" if place < len(harms) - 1 else words[token],
                frozenset(
                    other
                    for other in harms
                    if scale.get_severity(other) <= scale.get_severity(token)
                ),
            )
            for place, token in enumerate(harms)
            if token in words
        ]
    return [
        ComparedLevel(word, frozenset([token])) for token, word in words.items() if token != NONE
    ]
