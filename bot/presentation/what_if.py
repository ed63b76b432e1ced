"""A comparison of single changes to a shot: each flag switched, each firer leading, each left out."""

from collections.abc import Container, Iterable, Mapping
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
from bot.rulesets.play_once import compute_each_odds
from bot.rulesets.system import Sequence
from bot.ui.reply.parts import Compared, Small
from bot.ui.reply.percents import format_percent
from bot.ui.reply.reply import Reply

PLAN = "as planned"
ROWS = 12
"""The maximum number of rows, which fit a phone. Changes that matter less are left out."""
SURE = 7
"""The number of rows reserved for changes of the plan itself."""

Inputs = Mapping[str, object]
Counted = Many[Mapping[str, Distribution] | None]
"""The odds with each change; None if the rules do not allow it."""


@dataclass(frozen=True, slots=True)
class InputChange:
    """Inputs with one change, and its label.

    `planned`: it changes what the plan has. `common`: it is one of the sequence's common modifiers.
    """

    label: str
    raw: Inputs
    planned: bool = False
    common: bool = False


@dataclass(frozen=True, slots=True)
class ComparedLevel:
    """A level to compare, such as `at least shaken`, and the results that count for it."""

    label: str
    tokens: frozenset[str]

    def get_chance(self, counted: Distribution) -> Fraction:
        """Return the chance of any of its results."""
        chances = (chance for token, chance in counted.items() if str(token) in self.tokens)
        return sum(chances, Fraction(0))


@dataclass(frozen=True, slots=True)
class ChangeComparison:
    """The reply, and the other questions that can be asked.

    `levels` and `names` are all levels and groups of units; `level` and `group` are the positions
    of those in the reply.
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
    """Compare the changes for one group of units and one level.

    `group` and `level` are positions; `level` may also be the level of another comparison. Raises
    UserError if no result is better than another.
    """
    groups = group_odds(sequence, rows, planned)
    group = min(group, len(groups) - 1)
    path = next(path for path, row in rows.items() if row.name == groups[group].names[0])
    tokens = {str(token) for odds in (planned, *counted) if odds for token in odds[path]}
    levels = list_levels(sequence, groups[group], tokens)
    if not levels:
        raise UserError(
            "There's nothing to compare here, because no result is better than another.",
            code="no-odds",
        )
    if isinstance(level, ComparedLevel):
        wider = [
            index for index, candidate in enumerate(levels) if candidate.tokens >= level.tokens
        ]
        level = min(wider, key=lambda index: len(levels[index].tokens), default=0)
    level = min(level, len(levels) - 1)
    names = tuple(format_odds_names(shared.names, "") for shared in groups)
    chances = _rank_changes(levels[level], path, planned, tried, counted)
    planned_chance = levels[level].get_chance(planned[path])
    reply = _build_comparison_reply(levels[level], names[group], planned_chance, chances)
    return ChangeComparison(reply, tuple(levels), names, group, level)


def _rank_changes(
    level: ComparedLevel,
    path: str,
    planned: Mapping[str, Distribution],
    tried: Many[InputChange],
    counted: Counted,
) -> list[tuple[str, Fraction]]:
    """Return the labels of the changes that make a difference, each with its chance.

    If there are too many, changes of the plan come first, then the sequence's common modifiers,
    then those with the largest difference.
    """
    planned_chance = level.get_chance(planned[path])
    different = []
    for change, odds in zip(tried, counted, strict=True):
        chance = level.get_chance(odds[path]) if odds else planned_chance
        if chance != planned_chance:
            different.append((change, chance))
    ranked = sorted(different, key=lambda pair: -abs(pair[1] - planned_chance))
    of_plan = [pair for pair in ranked if pair[0].planned][:SURE]
    common = [pair for pair in ranked if pair[0].common]
    others = [pair for pair in ranked if pair not in of_plan and pair not in common]
    chosen = [*of_plan, *common, *others][: ROWS - 1]
    return [(change.label, chance) for change, chance in chosen]


def _build_comparison_reply(
    level: ComparedLevel,
    target_names: str,
    planned_chance: Fraction,
    chances: list[tuple[str, Fraction]],
) -> Reply:
    """Build the private reply that compares the chances of the plan and of the changes, the best
    first; the title says which is worth most. `chances` are (change, chance).
    """
    rows = sorted([*chances, (PLAN, planned_chance)], key=lambda row: (-row[1], row[0] != PLAN))
    best, chance = rows[0]
    title = (
        f"Biggest help: {best}, {format_percent(float(planned_chance))} to "
        f"{format_percent(float(chance))}"
    )
    if best == PLAN:
        title = f"No single change helps: {format_percent(float(planned_chance))} {PLAN}"
    drawn = Compared(
        tuple((label, float(chance), float(chance - planned_chance)) for label, chance in rows)
    )
    small = Small(f"Each row changes one thing. {EXACT}")
    about = f"{level.label}, {target_names}" if target_names else level.label
    return Reply(title, (drawn, small), by=about, private=True)


SECONDS = 4.0
"""The time limit for all changes of a shot together."""
FIRERS = 6
"""The maximum number of firers that are tried one by one."""


def list_changes(sequence: Sequence, raw: Inputs, given: Given) -> list[InputChange]:
    """Return the inputs with one change each: common modifiers first, then changes of firers.

    The rules may refuse some of them.
    """
    common = {name: position for position, name in enumerate(sequence.common)}
    fixed = frozenset(sequence.system.game.get("fixed") or ())
    options = sorted(
        (*sequence.inputs, *sequence.tracks),
        key=lambda option: common.get(option.name, len(common)),
    )
    unborne = _find_unborne(sequence, given) - {*raw, *split_words(raw.get("mods") or ())}
    changes = []
    for option in options:
        if option.name in unborne:
            continue
        if option.type == "mods":
            words = tuple(word for word in option.values if word not in unborne)
            option = replace(option, values=words)
        changes += _list_option_changes(option, raw, common, fixed)
    if not has_one_party(sequence):
        changes += _list_firer_changes(raw, given)
    return changes


def _find_unborne(sequence: Sequence, given: Given) -> frozenset[str]:
    """Return the modifiers that no unit of these inputs can have."""
    units: dict[str, tuple[Unit, ...]] = {}
    for bearers in sequence.bears.values():
        single = given.roster.get(bearers.option)
        listed = given.lists.get(bearers.option, ())
        units[bearers.option] = (single,) if single is not None else tuple(listed)
    return find_unborne(sequence.bears, units, sequence.system.game["units"].get("classes") or {})


def _list_option_changes(
    option: Option, raw: Inputs, common: Iterable[str], fixed: Container[str]
) -> list[InputChange]:
    """Return the changes of one option: a flag turned on or off, single modifiers, each other word
    of a track, or no number instead of one that is set. [] for any other option, and for a
    condition that players cannot choose (`fixed`) unless it is set.
    """
    value = raw.get(option.name)
    label = _lowercase_first(option.label or option.name.replace("_", " "))
    if option.name in fixed and not value:
        return []
    if option.type == "bool":
        is_set = is_flag_on(raw, option.name) or (option.default is True and value in (None, ""))
        changed = {**raw, option.name: not is_set}
        is_common = option.name in common
        return [_toggle_input(label, changed, is_set=is_set, is_common=is_common)]
    if option.type == "mods" and option.values:
        return _list_modifier_changes(option, raw, common, fixed)
    if _is_track_of_owner(option):
        words = [word for word in option.values if word != value]
        return [InputChange(f"{label}: {word}", {**raw, option.name: word}) for word in words]
    if option.type == "int" and value and option.default == 0 and str(value) != "0":
        remaining = {name: raw[name] for name in raw if name != option.name}
        return [InputChange(f"no {label}", remaining, planned=True)]
    return []


def _is_track_of_owner(option: Option) -> bool:
    """Return whether an option is a track, of the game, a side or its foe, with words as values."""
    owner, dot, _ = option.name.partition(".")
    return owner in OWNERS and option.type == "enum" and bool(dot)


def _list_modifier_changes(
    option: Option, raw: Inputs, common: Iterable[str], fixed: Container[str]
) -> list[InputChange]:
    """Return the inputs with each modifier word of an option added or removed, except `fixed` ones."""
    current_words = split_words(raw.get(option.name) or ())
    changes = []
    for word in option.values:
        if word in fixed:
            continue
        is_set = word in current_words
        if is_set:
            words = [current for current in current_words if current != word]
        else:
            words = [*current_words, word]
        label = _lowercase_first(option.labels.get(word, word.replace("_", " ")))
        changed = {**raw, option.name: " ".join(words)}
        changes.append(_toggle_input(label, changed, is_set=is_set, is_common=word in common))
    return changes


def _toggle_input(label: str, raw: Inputs, *, is_set: bool, is_common: bool) -> InputChange:
    """Return the change of a flag or word that was set, or was not. `raw` has it changed."""
    if is_set:
        return InputChange(f"not {label}", raw, planned=True)
    return InputChange(label, raw, common=is_common)


def _list_firer_changes(raw: Inputs, given: Given) -> list[InputChange]:
    """Return the inputs with each firer but the first in the lead, and without each firer; [] for a
    single firer, more than FIRERS, and units that were not typed one by one.
    """
    changes: list[InputChange] = []
    for name, units in given.lists.items():
        pieces = [piece.strip() for piece in str(raw.get(name) or "").split(";") if piece.strip()]
        is_acting = given.get_role(name) == ACTS and len(pieces) == len(units)
        if not is_acting or not 1 < len(units) <= FIRERS:
            continue
        unit_names = number_repeated([unit.word for unit in units])
        for index, piece in enumerate(pieces):
            other_pieces = [*pieces[:index], *pieces[index + 1 :]]
            if index:
                leading = {**raw, name: "; ".join([piece, *other_pieces])}
                changes.append(InputChange(f"{unit_names[index]} leads", leading, planned=True))
            remaining = {**raw, name: "; ".join(other_pieces)}
            changes.append(InputChange(f"no {unit_names[index]}", remaining, planned=True))
    return changes


def _lowercase_first(label: str) -> str:
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def count_change_odds(
    sequence: Sequence,
    raws: Many[Inputs],
    paths: Many[str],
    roster: Roster,
    seconds: float = SECONDS,
) -> list[dict[str, Distribution] | None]:
    """Return the odds with each of these inputs; None for those that the rules do not allow.

    All must be done within `seconds`. Raises TooManyStates if there was time for none of them.
    """
    deadline = thread_time() + seconds
    counted: list[dict[str, Distribution] | None] = []
    for raw in raws:
        remaining = max(0.0, deadline - thread_time())
        odds: dict[str, Distribution] | None = None
        try:
            odds = compute_each_odds(sequence, raw, paths, roster, seconds=remaining)
        except TooManyStates:
            if not any(counted):
                raise
        except UserError:
            pass
        counted.append(odds)
    return counted


def _list_number_levels(noun: str, numbers: Many[int]) -> list[ComparedLevel]:
    """Return a level for each number but the lowest: `hits 2 or more`."""
    levels = []
    for index, number in enumerate(numbers[1:], 1):
        suffix = " or more" if index < len(numbers) - 1 else ""
        label = f"{noun} {number}{suffix}".strip()
        levels.append(ComparedLevel(label, frozenset(map(str, numbers[index:]))))
    return levels


def list_levels(sequence: Sequence, plan: SharedOdds, tokens: Iterable[str]) -> list[ComparedLevel]:
    """Return the levels that can be compared, with the one that decides first.

    That is at least the mildest harm; worse results follow. `tokens` are all possible results.
    """
    tokens = tuple(dict.fromkeys(tokens))
    questions = get_decision_question(sequence)
    if isinstance(questions, dict):
        return [ComparedLevel(text, frozenset(results)) for text, results in questions.items()]
    scale = ResultScale(sequence, tokens)
    words = {token: word for token, word, _ in plan.chances}
    if scale.are_numbers:
        return _list_number_levels(plan.noun, sorted(map(int, tokens)))
    harms = [token for token in tokens if scale.get_tone(token) in HARM]
    if harms:
        return _list_harm_levels(scale, harms, words)
    return [
        ComparedLevel(word, frozenset([token])) for token, word in words.items() if token != NONE
    ]


def _list_harm_levels(
    scale: ResultScale, harms: Many[str], words: Mapping[str, str]
) -> list[ComparedLevel]:
    """Return a level for each harm that has a word, mildest first: `at least shaken`."""
    severities = {token: scale.get_severity(token) for token in harms}
    ordered = sorted(harms, key=lambda token: severities[token], reverse=True)
    levels = []
    for index, token in enumerate(ordered):
        if token not in words:
            continue
        is_worst = index == len(ordered) - 1
        label = words[token] if is_worst else f"at least {words[token]}"
        results = frozenset(other for other in ordered if severities[other] <= severities[token])
        levels.append(ComparedLevel(label, results))
    return levels
