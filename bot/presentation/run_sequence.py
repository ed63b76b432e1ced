"""The answer to a sequence: who, what, result; then dice, modifiers, totals; then each unit; as
much as a phone shows, and every die for whoever asks."""

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Sequence as Many
from itertools import zip_longest
from typing import Any

from bot.game.events import UNIT
from bot.game.tracks import fill_track_inputs, get_track_key, get_track_keys
from bot.presentation.headline import (
    FOLDED,
    ResultSummary,
    affects_its_own_unit,
    build_headline,
    build_result_groups,
    format_cause,
    format_cause_without_roll,
    get_result_headline,
    get_result_word,
    list_actors,
    list_type_names,
    load_result_words,
    replace_type_codes,
    summarize_results,
)
from bot.presentation.multi_unit_play import (
    FinishedPlay,
    join_results,
    merge_outputs,
    plan_plays,
    play_all,
)
from bot.presentation.play_record import PlayRecord, ReplyWithRecord, play_with_dice
from bot.rules.copies import replace
from bot.rules.dice import Die, Script, Source
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import Option, is_flag_on
from bot.rules.inputs.relations import list_source_units
from bot.rules.inputs.units import Roster
from bot.rules.sequence.sequence import Play, Resolution, UnitResult
from bot.rules.text.line import Line
from bot.rules.text.names import find_stem, join_names
from bot.rules.text.phrase import Phrase, capitalize_first, split_pieces
from bot.rulesets.system import Sequence
from bot.ui.reply.parts import Grid, Group, Part, Small, Thrown, format_part
from bot.ui.reply.reply import OPEN_FORM, WAITING, Button, Reply
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import format_command

EXTRA = ("odds", "compare", "rounds", "secret", "hand")


_NONE: Mapping[str, Any] = {}


def run_sequence(
    sequence: Sequence,
    spec: CommandSpec,
    options: Mapping[str, object],
    who: str,
    source: Source,
    roster: Roster,
    read: Mapping[str, Any] = _NONE,
    fell: Many[object] = (),
    piles: Mapping[str, Any] = _NONE,
    check: Callable[[Many[Given]], None] | None = None,
) -> ReplyWithRecord:
    """Play a sequence with the tracks that it `read`.

    `fell` are dice that fell before, if it is carried on with what a side chose (among the `options`):
    what was said with them is not said again. `piles` with closed cards are as they are, which only its
    dice read. `check` is called with the inputs of each play before the first die, and may refuse them.

    Raises UserError before the first die; real dice that are too few name the die owed next.
    """
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    plays = plan_plays(
        sequence,
        {**raw, **fill_track_inputs(read, sequence.system.tracks), **piles} if read else raw,
        roster,
    )
    hand = options.get("hand")

    def write_command(given: str) -> str:
        return format_command(spec, {**raw, "secret": is_flag_on(options, "secret"), "hand": given})

    if sequence.choices and len(plays) > 1:
        what = f"{sequence.title} asks a side for a choice partway through, so play it for one unit at a time."
        raise UserError(what, hint="Name one.", option=UNIT, code="too-many")
    givens = [one.given for one in plays]
    if check is not None:
        check(givens)
    singles = play_with_dice(
        lambda dice: play_all(sequence, plays, ResumedDice(fell, dice) if fell else dice, roster, read),
        source, hand, write_command, cards=bool(sequence.decks),
    )  # fmt: skip
    if sequence.choices:  # what was said with the question is not said again
        new = [one.played._replace(lines=one.played.lines[one.played.before :]) for one in singles]
        singles = tuple(
            [one._replace(played=played) for one, played in zip(singles, new, strict=True)]
        )
    singles = tuple([name_lenders(sequence, one) for one in singles])
    first = singles[0]
    changes = tuple(change for one in singles for change in one.changes)
    asks = first.played.settlement.asks
    if asks:
        changes = ()
        reply = build_choice_reply(sequence, first, who)
    elif first.unit:
        reply = build_multi_unit_reply(who, sequence, singles)
    else:
        reply = build_play_reply(who, sequence, first.played, list_actors(sequence, first.given))
    played = [one.given for one in singles]
    if counted := format_unit_inputs(sequence, played):
        reply = replace(reply, lines=(*reply.lines, Small(counted)))
    sources = (name for given in played for name in list_source_units(given.sources))
    called = (
        *(name for given in givens for name in list_named_units(given)),
        *(change.unit for change in changes),
    )
    happening = PlayRecord(
        "sequence",
        inputs=raw,
        dice=tuple(die for one in singles for die in one.played.dice)[len(fell) :],
        out=merge_outputs(singles),
        changes=changes,
        system=sequence.system.id,
        target=sequence.id,
        by_hand=hand not in (None, ""),
        units=tuple(dict.fromkeys(called)),
        sources=tuple(dict.fromkeys(sources)),
        acting=()
        if affects_its_own_unit(sequence)
        else tuple(name for given in givens for name in list_acting_units(given)),
        result=asks[0].ask if asks else join_results(singles),
        joins=()
        if asks
        else tuple(join for one in singles for join in one.played.settlement.joins),
        asks=asks,
        held=get_track_keys(sequence.effects.held[asks[0].name], read) if asks else (),
        read=read,
        tracks={}
        if asks
        else {
            get_track_key(name, read): value
            for name, value in singles[-1].tracks.items()
            if value != read.get(name)
        },
    )
    return ReplyWithRecord(reply, happening)


def name_lenders(sequence: Sequence, one: FinishedPlay) -> FinishedPlay:
    """Return the play with the leader's name at the rating that the leader lends."""
    names = {
        option.lends["says"]: one.given.sources[option.name].unit
        for option in sequence.inputs
        if "through" in option.lends and option.name in one.given.sources
    }
    if not names:
        return one
    lines = tuple(
        line._replace(parts=tuple((names.get(name, name), value) for name, value in line.parts))
        for line in one.played.lines
    )
    return one._replace(played=one.played._replace(lines=lines))


def format_unit_inputs(
    sequence: Sequence, givens: Iterable[Given], *, for_odds: bool = False
) -> str:
    """Return what squads brought to their men: `From Alpha: morale bad, grade elite.`

    Empty if they brought nothing that counts. `for_odds`: also what leaders lend, which no line
    names there.
    """
    brought: dict[str, list[str]] = {}
    options = {
        option.name: option
        for option in sequence.inputs
        if option.through or (for_odds and "through" in option.lends)
    }
    for given in givens:
        for name, source in given.sources.items():
            if name not in options or source.value in (None, options[name].default):
                continue
            word = _replace_separators(f"{name} {source.value}")
            words = brought.setdefault(source.unit, [])
            if word not in words:
                words.append(word)
    return " ".join(f"From {unit}: {', '.join(words)}." for unit, words in brought.items())


def _replace_separators(word: str) -> str:
    return word.replace("-", " ").replace("_", " ")


class ResumedDice:
    """Dice that fell before, then those of a source."""

    def __init__(self, fell: Many[object], source: Source) -> None:
        self._fell, self._left, self._source = Script(fell), len(fell), source

    def draw(self, die: Die) -> int | str:
        """The value of the die."""
        self._left -= 1
        return self._fell.draw(die) if self._left >= 0 else self._source.draw(die)


def build_choice_reply(sequence: Sequence, one: FinishedPlay, who: str) -> Reply:
    """What a side is asked for, with the dice that led to it; each of several units has a line."""
    asks = one.played.settlement.asks
    settled = one.played.settlement
    came = summarize_results(sequence, ())
    items = [ask.item for ask in asks]
    title = asks[0].ask if len(asks) == 1 else f"{join_names(items)} must choose"
    told = build_headline(came, title, list_actors(sequence, one.given), who)
    lines: list[Part] = [*shorten_lines(one.played.lines, settled, came)]
    lines += [ask.ask for ask in asks if len(asks) > 1]
    return Reply(told.title, tuple(lines), by=told.by, tone=WAITING)


def list_acting_units(given: Given) -> tuple[str, ...]:
    """The roster units that act by these inputs, as opposed to those that are acted on."""
    return tuple(dict.fromkeys(unit.name for unit in given.list_acting_units() if unit.name))


def list_named_units(given: Given) -> tuple[str, ...]:
    """The roster units that the inputs call, each once, in order."""
    listed = [unit.name for units in given.lists.values() for unit in units]
    return tuple(
        dict.fromkeys(
            name for name in (*(unit.name for unit in given.roster.values()), *listed) if name
        )
    )


def format_unit_results(units: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """What each unit suffers, alike ones counted together: `squad: casualties`, `3 x squad: no
    effect`.
    """
    counted: dict[tuple[str, str], int] = {}
    for unit, word in units:
        key = (unit, format_token(word))
        counted[key] = counted.get(key, 0) + 1
    return tuple(
        f"{unit}: {word}" if count == 1 else f"{count} x {unit}: {word}"
        for (unit, word), count in counted.items()
    )


def format_token(word: str) -> str:
    """A token as it is read aloud: none is no effect."""
    return "no effect" if word == "none" else word


def build_play_reply(who: str, sequence: Sequence, played: Play, actors: Iterable[str]) -> Reply:
    """The public answer to a sequence: the news, then dice and modifiers, then what changed
    besides.

    Many units are shown by their results, without the dice of each (these are in the log)."""
    settled = played.settlement
    came = summarize_results(sequence, settled.fates)
    types = came.types
    told = build_headline(
        came, get_result_headline(settled, played.out, sequence.system), actors, who
    )
    by = (
        replace_type_codes(types, settled.by)
        if settled.by
        else told.by
        if played.dice
        else format_cause_without_roll(told.by, who)
    )
    lines: list[Part] = [*shorten_lines(played.lines, settled, came)]
    ammunition = _take_ammunition_line(lines, settled)
    if came.is_counted:
        lines += build_result_groups(came)
    lines += ammunition
    if settled.units and not settled.fates:
        lines += map(capitalize_first, format_unit_results(settled.units))
    for text in settled.then:
        lines.append(capitalize_first(replace_type_codes(types, text)))
    if settled.now:
        lines.append(
            Small(f"{NOW}{' · '.join([replace_type_codes(types, text) for text in settled.now])}")
        )
    if settled.notes and (
        notes := " ".join(
            [capitalize_first(replace_type_codes(types, text)) for text in settled.notes]
        )
    ):
        lines.append(Small(notes))
    buttons = tuple([Button(f"{OPEN_FORM}{command}", label) for label, command in settled.forms])
    return Reply(title=told.title, lines=tuple(lines), by=by, tone=told.tone, buttons=buttons)


def _take_ammunition_line(lines: list[Part], settled: Resolution) -> list[str]:
    """Return the line about weapons that fail in this roll, if any; the checks leave `lines`."""
    if not settled.out:
        return []
    checks = next((line for line in lines if line in settled.sums), None)
    if checks is not None:
        lines.remove(checks)
    return [_format_ammunition(settled.out, checks)]


def _format_ammunition(out: Many[str], checks: Part | None) -> str:
    """Return whose weapon fails in this roll: `Ammunition: 12 checks after a 1; GI 3 jams or runs
    out`.
    """
    failure = f"{join_names(out)} jams or runs out"
    if len(out) > 1:
        failure = f"{join_names(out)} jam or run out"
    if isinstance(checks, Line):
        return f"{AMMUNITION}{checks.result}; {failure}"
    return f"{AMMUNITION}{failure}"


def shorten_reply(reply: Reply, dice: tuple[object, ...]) -> Reply:
    """The same answer in short: all dice in one line, no single rolls, and what it means for
    each unit.
    """
    kept = (part for part in reply.lines if not isinstance(part, Line | Thrown))
    return replace(reply, lines=(*((Thrown(dice),) if dice else ()), *kept))


MOST_SAID = 6
"""So many different notes are shown; how many more there are is said."""


def build_multi_unit_reply(
    who: str, sequence: Sequence, singles: tuple[FinishedPlay, ...]
) -> Reply:
    """The public answer: the news of all, then a line for each result with its units, or the
    dice of a few.
    """
    came = summarize_results(
        sequence, (fate for one in singles for fate in list_unit_results(sequence, one))
    )
    told = build_headline(came, "", (), who)
    lines: list[Part] = []
    if len(singles) >= FOLDED:
        lines += build_result_groups(came)
    else:
        lines += [_prefix_unit(one.unit, line) for one in singles for line in one.played.lines]
    settled = [(one.unit, one.played.settlement) for one in singles]
    then = _format_notes((unit, text) for unit, what in settled for text in what.then)
    lines += map(Small, then) if len(singles) >= FOLDED else then
    if now := [
        *_format_notes((unit, text) for unit, what in settled for text in what.now),
        *singles[-1].said.values(),
    ]:
        lines.append(Small(f"Now: {' · '.join(now)}"))
    lines += map(
        Small, _format_notes((unit, text) for unit, what in settled for text in what.notes)
    )
    by = format_cause(sequence, tuple(one.unit for one in singles), who, many=True)
    return Reply(told.title, tuple(lines), by=by, tone=told.tone)


def list_unit_results(sequence: Sequence, one: FinishedPlay) -> tuple[UnitResult, ...]:
    """What came of it, by unit; where the sequence does not say, its main output is what came of
    the unit.
    """
    fates = tuple(fate for fate in one.played.settlement.fates if fate.unit)
    token = one.played.out.get(sequence.odds_by)
    return fates or (UnitResult(one.unit, one.result if token is None else str(token)),)


def _prefix_unit(unit: str, line: Line) -> Line:
    """A line of the story with the unit that it is about."""
    return line if line.label.startswith(unit) else line._replace(label=f"{unit}, {line.label}")


def _format_notes(texts: Iterable[tuple[str, str]]) -> list[str]:
    """Each text once, behind the units that it is for where it does not name them; at most a
    few.
    """
    units: dict[str, list[str]] = {}
    for unit, text in texts:
        units.setdefault(text, []).append(unit)
    said: list[str] = [
        text
        if all(name in text for name in names)
        else Phrase(f"{join_names(names)}: ", *split_pieces(text))
        for text, names in units.items()
    ]
    more = len(said) - MOST_SAID
    return (
        said if more <= 1 else [*said[:MOST_SAID], f"{more} more notes of this kind are left out."]
    )


HANDFUL = 8
"""So many dice are shown in a line that says what they come to."""
DOZEN = 12
"""So many in the sum of several units."""


def shorten_lines(lines: tuple[Line, ...], settled: Resolution, came: ResultSummary) -> list[Line]:
    """The lines to show: those of many single units are left out, and in their place are their
    sums.
    """
    kept = _fold_unit_lines(lines, settled)
    types = came.types
    labels = [line.label for line in kept]
    # a line for each unit
    counted = {type: 0 for type, count in came.mixed.items() if labels.count(type) == count}
    for place, line in enumerate(kept):
        head, blank, rest = line.label.partition(" ")
        number = ""
        if head in counted:
            counted[head] += not rest
            number = f" {counted[head]}" if counted[head] else ""
        label = f"{types[head]}{number}{blank}{rest}" if head in types else line.label
        if (label, result := replace_type_codes(types, line.result)) != (line.label, line.result):
            kept[place] = line._replace(label=label, result=result)
    return kept


def _fold_unit_lines(lines: tuple[Line, ...], settled: Resolution) -> list[Line]:
    """The lines without those of many single units, in whose place their sums come; few dice in
    each.
    """
    begins = (
        tuple(f"{fate.unit} " for fate in settled.fates) if len(settled.fates) >= FOLDED else ()
    )
    is_summed = len(lines) >= FOLDED and len({line.unit for line in lines if line.unit}) >= FOLDED
    owed = settled.sums if is_summed else ()
    kept: list[Line] = []
    dropped: list[object] = []
    for line in lines:
        if _is_of_unit(line, begins) and not (is_summed and line.unit):
            dropped += line.dice
            continue
        _add_dropped(kept, dropped)
        dropped = []
        if is_summed and line.unit:
            _add_sums(kept, owed, lines)
            owed = ()
        else:
            kept.append(_merge_bare_dice(kept, line))
    _add_dropped(kept, dropped)
    return kept


def _add_sums(kept: list[Line], sums: Iterable[Line], lines: tuple[Line, ...]) -> None:
    """Add what the lines of single units come to, with their dice, each once."""
    for line in sums:
        if line not in kept:
            kept.append(_limit_dice(_add_folded_dice(line, lines), DOZEN))


def _is_of_unit(line: Line, begins: tuple[str, ...]) -> bool:
    """Return whether a line is about one of the units whose names these are."""
    return bool(begins) and f"{line.label} ".startswith(begins)


def _add_dropped(kept: list[Line], dice: Many[object]) -> None:
    """Add the dice of units whose lines are left out to the line that says where they are read.

    If the line before them says something else, they stay with the other dice.
    """
    if not dice or not kept:
        return
    line = kept[-1]
    is_free = bool(line.result) and not line.dice and not line.parts and line.total is None
    is_alone = sum(other.result != "" and not other.dice for other in kept) == 1
    if is_free and is_alone:
        kept[-1] = line._replace(dice=_group_dice(dice))
    elif is_free:  # several such lines, and all units are rolled for together
        kept.append(Line("rolled", _group_dice(dice)))


def _group_dice(dice: Many[object]) -> tuple[str, ...]:
    """Return the dice with alike ones together, lowest first: `6 ×3`."""
    alike = sorted(Counter(dice).items(), key=lambda one: (len(str(one[0])), str(one[0])))
    return tuple(f"{face}\u00a0×{count}" if count > 1 else str(face) for face, count in alike)


def _add_folded_dice(line: Line, folded: Iterable[Line]) -> Line:
    """Return a line with the dice of the folded lines that join it."""
    dice = [die for other in folded if other.joins == line.label for die in other.dice]
    return line._replace(dice=(*line.dice, *dice))


def _merge_bare_dice(before: list[Line], line: Line) -> Line:
    """The line, with the bare dice of the one before where they are the same unit's; without
    dice that are many.
    """
    if not line.dice:
        return line
    line = _limit_dice(line, HANDFUL)
    if before and not line.parts and before[-1].label == line.label and _is_bare(before[-1]):
        return line._replace(dice=(*before.pop().dice, *line.dice))
    return line


def _limit_dice(line: Line, most: int) -> Line:
    """The line with alike dice together, `[6 ×3]`, where they are more than so many and something
    says what they come to; without them where even so they are too many."""
    if len(line.dice) <= most or not line.result:
        return line
    grouped = _group_dice(line.dice)
    return line._replace(dice=grouped if len(grouped) <= DOZEN else ())


def _is_bare(line: Line) -> bool:
    """Return whether a line has dice and says nothing of them."""
    more = line.parts or line.result or line.contributors or line.unit
    return bool(line.dice) and line.total is None and not more


PHONE = 39
"""Columns of a phone."""
NOW, AMMUNITION = "Now: ", "Ammunition: "
"""How lines begin that say what became of the units: beside the dice, and of their weapons."""
CANNOT_FIRE = "cannot fire (jammed or out of ammo)"
"""How the line ends that names the units whose weapons failed before."""
FEW, MANY = 7, 12
"""Lines of a phone that an answer about a unit or two takes at most, and one that counts its
units.
"""


def fold_for_phone(reply: Reply, options: Iterable[Option]) -> Reply:
    """The answer with what a phone need not show at once put into its trace: first notes, then lines
    without dice, then single rolls, then what that means; never the news itself, nor what each unit
    came to or is to do, nor whom nothing happened. Of a unit or two that is small print beside
    the lines that count.

    By the `options` of its command one about no list of targets stays as it is, unless it counts
    its units: a shot at a vehicle has its steps.
    """
    is_many = any(isinstance(part, Group) for part in reply.lines)
    if not is_many and not any(option.name == "targets" or option.many for option in options):
        return reply
    lightest = [*_list_foldable_parts(reply.lines, is_many=is_many)]
    if not lightest:
        return reply
    most = MANY if is_many else FEW
    folded = set(reply.trace)
    heights = _measure_parts(reply.lines)
    left = _measure_lines([reply.first_line]) + sum(
        height for at, height in enumerate(heights) if at not in folded
    )
    for at in lightest:
        if left <= most:
            break
        if at not in folded:
            folded.add(at)
            left -= heights[at]
    return replace(reply, trace=tuple(sorted(folded)))


def _list_foldable_parts(parts: tuple[Part, ...], *, is_many: bool) -> Iterator[int]:
    """The places of the parts that may go, lightest first; with few units every line of the roll
    stays.
    """
    numbered = list(enumerate(parts))
    yield from (
        at
        for at, part in reversed(numbered)
        if isinstance(part, Small) and not _is_state_change(part)
    )
    if is_many:
        yield from (
            at
            for at, part in reversed(numbered)
            if isinstance(part, str) and not _is_of_weapons(part)
        )
        yield from (
            at for at, part in reversed(numbered) if isinstance(part, Line) and not part.dice
        )
        yield from (at for at, part in reversed(numbered) if isinstance(part, Line) and part.dice)
        yield from (at for at, part in numbered if _is_state_change(part))


def _measure_parts(parts: tuple[Part, ...]) -> list[int]:
    """The lines that each part takes; what became of a unit or two is small print that is not
    counted.
    """
    is_many = any(isinstance(part, Group) for part in parts)
    return [
        0 if _is_state_change(part) and not is_many else _measure_lines(format_part(part))
        for part in parts
    ]


def _is_state_change(part: Part) -> bool:
    """Return whether a part says what became of the units, by which players act."""
    return isinstance(part, Small) and part.text.startswith(NOW)


def _is_of_weapons(text: str) -> bool:
    """Return whether a line says whose weapon fails now or failed before."""
    return text.startswith(AMMUNITION) or text.endswith(CANNOT_FIRE)


def _measure_lines(lines: Iterable[str]) -> int:
    """Return how many lines of a phone these take; it shows dice without brackets."""
    return sum(
        max(1, len(textwrap.wrap(re.sub(r"\[(\w+)\]", r"\1", line), PHONE))) for line in lines
    )


WIDTH = 32
"""Columns of the table of dice, which a phone shows whole."""
IN_A_ROW = 6


def list_all_dice(sequence: Sequence, singles: tuple[FinishedPlay, ...]) -> tuple[Part, ...]:
    """All dice: lines of the shot itself as they are, then each unit's dice in a row, with its
    result.
    """
    first = singles[0]
    shared = list[Part]()
    tables = dict[str, dict[str, list[object]]]()
    if first.unit:
        fates = {fate.unit: fate for one in singles for fate in list_unit_results(sequence, one)}
        tables[""] = {one.unit: [die.display_value for die in one.played.dice] for one in singles}
    else:
        fates = {fate.unit: fate for fate in first.played.settlement.fates}
        tables[""] = {unit: [] for unit in fates}
        names = {*fates, *(unit.word for units in first.given.lists.values() for unit in units)}
        for line in first.played.lines:
            kind, unit = _split_label(line, names)
            if unit:
                tables.setdefault(kind, {}).setdefault(unit, []).extend(line.dice)
            elif line.dice:
                shared.append(line)
    results = load_result_words(sequence)
    units = first.played.settlement.units
    words = {unit: get_result_word(results, fate.token) for unit, fate in fates.items()}
    words = words or {unit: format_token(word) for unit, word in units}
    parts = [*shared]
    for kind, rows in tables.items():
        parts += [f"{kind[:1].upper()}{kind[1:]}:"] if kind else []
        parts.append(
            _build_dice_grid(_pack_single_dice(rows) if kind else rows, {} if kind else words)
        )
    return tuple(part for part in parts if not isinstance(part, Grid) or part.rows)


def list_follow_up_parts(sequence: Sequence, singles: tuple[FinishedPlay, ...]) -> Iterator[Part]:
    """What comes next, what changed besides and what else is worth knowing: all that a short
    answer leaves out.
    """
    settled = [one.played.settlement for one in singles]
    types = list_type_names(sequence.system)
    texts = [
        *(text for one in settled for text in one.then),
        *(text for one in settled for text in one.notes),
    ]
    yield from (Small(replace_type_codes(types, text)) for text in dict.fromkeys(texts))
    now = dict.fromkeys(text for one in settled for text in one.now)
    if now:
        yield Small(f"Now: {' · '.join(replace_type_codes(types, text) for text in now)}")


def list_dice_by_label(dice: Iterable[Mapping[str, Any]]) -> tuple[Part, ...]:
    """The dice as the log has them, where nothing more can be said of them."""
    rows: dict[str, list[object]] = {}
    for die in dice:
        rows.setdefault(str(die.get("label") or "dice"), []).append(die["value"])
    return (_build_dice_grid(rows, {}),)


def _split_label(line: Line, names: Iterable[str]) -> tuple[str, str]:
    """What is rolled for which unit, by the label: "" and the unit for its own result."""
    for unit in sorted(names, key=len, reverse=True):
        if line.label == unit or line.label.startswith(f"{unit} "):
            return "", unit
        if line.label.endswith(f" {unit}") and line.dice:  # `ammunition GI 1`
            return line.label.removesuffix(f" {unit}").removesuffix(" of"), unit
    return "", ""


def _pack_single_dice(rows: Mapping[str, list[object]]) -> dict[str, list[object]]:
    """Units of one die each, six in a row: `GI 1-6`."""
    if any(len(dice) != 1 for dice in rows.values()) or not find_stem(rows):
        return dict(rows)
    found: dict[str, list[object]] = {}
    for some in zip_longest(*[iter(rows)] * IN_A_ROW):
        names = [name for name in some if name is not None]
        last = f"-{names[-1].rpartition(' ')[2]}" if names[1:] else ""
        found[f"{names[0]}{last}"] = [die for name in names for die in rows[name]]
    return found


def _build_dice_grid(dice: Mapping[str, Many[object]], words: Mapping[str, str]) -> Grid:
    return Grid(tuple((row,) for row in _format_dice_rows(dice, words)))


def _format_dice_rows(dice: Mapping[str, Many[object]], words: Mapping[str, str]) -> Iterable[str]:
    """Name, dice, result; what is too long goes on below, one step in."""
    name_width = min(max(map(len, dice), default=0), WIDTH // 2)
    die_width = max((len(str(die)) for values in dice.values() for die in values), default=1)
    most = max(map(len, dice.values()), default=0)
    room = max(1, (WIDTH - name_width - 1) // (die_width + 1))
    column = name_width + 1 + min(most, room) * (die_width + 1)
    for name, values in dice.items():
        thrown = [
            " ".join(f"{die!s:>{die_width}}" for die in values[at : at + room])
            for at in range(0, len(values), room)
        ]
        first, *others = thrown or [""]
        row = f"{name[:name_width]:<{name_width}}  {first}".rstrip()
        word = words.get(name, "")
        if column + 1 + len(word) > WIDTH:
            word = word.replace(" and ", ", ")
        if word and column + 1 + len(word) <= WIDTH and not others:
            yield f"{row:<{column + 1}} {word}"
            continue
        yield row
        yield from (" " * (name_width + 2) + other for other in others)
        yield from (
            textwrap.wrap(word, WIDTH, initial_indent="  ", subsequent_indent="  ") if word else ()
        )
