"""Replies to sequences: the headline, then dice, modifiers and totals, then the result of each
unit.

A reply shows as much as fits a phone; all dice can be asked for.
"""

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
    """Play a sequence with the tracks that it `read`, and return the reply with its record.

    `fell` are dice from before a side's choice (which is among the `options`); their lines are not
    shown once more. `piles` with closed cards are read only by its dice. `check` is called with the
    inputs of each play before the first die, and may refuse them.

    Raises UserError before the first die; real dice that are too few name the next die.
    """
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    inputs = raw
    if read:
        inputs = {**raw, **fill_track_inputs(read, sequence.system.tracks), **piles}
    plays = plan_plays(sequence, inputs, roster)
    hand = options.get("hand")

    def write_command(given: str) -> str:
        return format_command(spec, {**raw, "secret": is_flag_on(options, "secret"), "hand": given})

    if sequence.choices and len(plays) > 1:
        message = f"{sequence.title} asks a side for a choice partway through, so play it for one unit at a time."
        raise UserError(message, hint="Name one.", option=UNIT, code="too-many")
    givens = [play.given for play in plays]
    if check is not None:
        check(givens)
    singles = play_with_dice(
        lambda dice: play_all(sequence, plays, ResumedDice(fell, dice) if fell else dice, roster, read),
        source, hand, write_command, cards=bool(sequence.decks),
    )  # fmt: skip
    if sequence.choices:  # what was said with the question is not said again
        singles = tuple(_drop_earlier_lines(single) for single in singles)
    singles = tuple(name_lenders(sequence, single) for single in singles)
    first = singles[0]
    changes = tuple(change for single in singles for change in single.changes)
    asks = first.played.settlement.asks
    if asks:
        changes = ()
        reply = build_choice_reply(sequence, first, who)
    elif first.unit:
        reply = build_multi_unit_reply(who, sequence, singles)
    else:
        reply = build_play_reply(who, sequence, first.played, list_actors(sequence, first.given))
    played = [single.given for single in singles]
    unit_inputs = format_unit_inputs(sequence, played)
    if unit_inputs:
        reply = replace(reply, lines=(*reply.lines, Small(unit_inputs)))
    sources = (name for given in played for name in list_source_units(given.sources))
    called = (
        *(name for given in givens for name in list_named_units(given)),
        *(change.unit for change in changes),
    )
    acting: tuple[str, ...] = ()
    if not affects_its_own_unit(sequence):
        acting = tuple(name for given in givens for name in list_acting_units(given))
    record = PlayRecord(
        "sequence",
        inputs=raw,
        dice=tuple(die for single in singles for die in single.played.dice)[len(fell) :],
        out=merge_outputs(singles),
        changes=changes,
        system=sequence.system.id,
        target=sequence.id,
        by_hand=hand not in (None, ""),
        units=tuple(dict.fromkeys(called)),
        sources=tuple(dict.fromkeys(sources)),
        acting=acting,
        read=read,
    )
    if asks:  # nothing is changed before the side has chosen
        held = get_track_keys(sequence.effects.held[asks[0].name], read)
        record = record._replace(result=asks[0].ask, asks=asks, held=held)
    else:
        tracks = {
            get_track_key(name, read): value
            for name, value in singles[-1].tracks.items()
            if value != read.get(name)
        }
        joins = tuple(join for single in singles for join in single.played.settlement.joins)
        record = record._replace(result=join_results(singles), joins=joins, tracks=tracks)
    return ReplyWithRecord(reply, record)


def _drop_earlier_lines(single: FinishedPlay) -> FinishedPlay:
    """Return the play without the lines that were shown with the question."""
    played = single.played
    return single._replace(played=played._replace(lines=played.lines[played.before :]))


def name_lenders(sequence: Sequence, play: FinishedPlay) -> FinishedPlay:
    """Return the play with the leader's name at the rating that the leader lends."""
    names = {
        option.lends["says"]: play.given.sources[option.name].unit
        for option in sequence.inputs
        if "through" in option.lends and option.name in play.given.sources
    }
    if not names:
        return play
    lines = tuple(
        line._replace(parts=tuple((names.get(name, name), value) for name, value in line.parts))
        for line in play.played.lines
    )
    return play._replace(played=play.played._replace(lines=lines))


def format_unit_inputs(
    sequence: Sequence, givens: Iterable[Given], *, for_odds: bool = False
) -> str:
    """Return the values that squads gave their men: `From Alpha: morale bad, grade elite.`

    Empty if they gave nothing that counts. `for_odds` includes what leaders lend, which no line
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
    """The dice that fell before, then those of a source."""

    def __init__(self, fell: Many[object], source: Source) -> None:
        self._fell = Script(fell)
        self._left = len(fell)
        self._source = source

    def draw(self, die: Die) -> int | str:
        """Return the value of the die."""
        self._left -= 1
        return self._fell.draw(die) if self._left >= 0 else self._source.draw(die)


def build_choice_reply(sequence: Sequence, play: FinishedPlay, who: str) -> Reply:
    """Build the reply that asks a side for a choice, with the dice that led to it.

    If several units must choose, each has a line.
    """
    asks = play.played.settlement.asks
    settled = play.played.settlement
    came = summarize_results(sequence, ())
    items = [ask.item for ask in asks]
    title = asks[0].ask if len(asks) == 1 else f"{join_names(items)} must choose"
    told = build_headline(came, title, list_actors(sequence, play.given), who)
    lines: list[Part] = [*shorten_lines(play.played.lines, settled, came)]
    lines += [ask.ask for ask in asks if len(asks) > 1]
    return Reply(told.title, tuple(lines), by=told.by, tone=WAITING)


def list_acting_units(given: Given) -> tuple[str, ...]:
    """Return the names of the roster units that act by these inputs."""
    return tuple(dict.fromkeys(unit.name for unit in given.list_acting_units() if unit.name))


def list_named_units(given: Given) -> tuple[str, ...]:
    """Return the names of the roster units in the inputs, each once, in order."""
    names = [unit.name for unit in given.roster.values()]
    for units in given.lists.values():
        names += [unit.name for unit in units]
    return tuple(dict.fromkeys(filter(None, names)))


def format_unit_results(units: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the results of units, identical ones together: `squad: casualties`, `3 x squad: no
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
    """Return a token as players say it: `none` is no effect."""
    return "no effect" if word == "none" else word


def build_play_reply(who: str, sequence: Sequence, played: Play, actors: Iterable[str]) -> Reply:
    """Build the public reply to a sequence: headline, dice and modifiers, then other changes.

    Many units are shown by their results, without the dice of each (these are in the log).
    """
    settled = played.settlement
    summary = summarize_results(sequence, settled.fates)
    types = summary.types
    headline = build_headline(
        summary, get_result_headline(settled, played.out, sequence.system), actors, who
    )
    if settled.by:
        by = replace_type_codes(types, settled.by)
    elif played.dice:
        by = headline.by
    else:
        by = format_cause_without_roll(headline.by, who)
    lines: list[Part] = [*shorten_lines(played.lines, settled, summary)]
    ammunition = _take_ammunition_line(lines, settled)
    if summary.is_counted:
        lines += build_result_groups(summary)
    lines += ammunition
    if settled.units and not settled.fates:
        lines += map(capitalize_first, format_unit_results(settled.units))
    for text in settled.then:
        lines.append(capitalize_first(replace_type_codes(types, text)))
    if settled.now:
        changes = [replace_type_codes(types, text) for text in settled.now]
        lines.append(Small(f"{NOW}{' · '.join(changes)}"))
    notes = [capitalize_first(replace_type_codes(types, text)) for text in settled.notes]
    note = " ".join(notes)
    if note:
        lines.append(Small(note))
    buttons = tuple([Button(f"{OPEN_FORM}{command}", label) for label, command in settled.forms])
    return Reply(
        title=headline.title, lines=tuple(lines), by=by, tone=headline.tone, buttons=buttons
    )


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
    """Return a short form of a reply: all dice in one line, no single rolls, the results of units."""
    lines: list[Part] = [Thrown(dice)] if dice else []
    lines += [part for part in reply.lines if not isinstance(part, Line | Thrown)]
    return replace(reply, lines=tuple(lines))


MOST_SAID = 6
"""The maximum number of different notes. The number of further notes is shown."""


def build_multi_unit_reply(
    who: str, sequence: Sequence, singles: tuple[FinishedPlay, ...]
) -> Reply:
    """Build the public reply for several units: headline, then a line for each result, or a few's
    dice.
    """
    summary = summarize_results(
        sequence, (fate for one in singles for fate in list_unit_results(sequence, one))
    )
    headline = build_headline(summary, "", (), who)
    lines: list[Part] = []
    if len(singles) >= FOLDED:
        lines += build_result_groups(summary)
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
    return Reply(headline.title, tuple(lines), by=by, tone=headline.tone)


def list_unit_results(sequence: Sequence, play: FinishedPlay) -> tuple[UnitResult, ...]:
    """Return the results by unit; without any, the main output is the result of the play's unit."""
    fates = tuple(fate for fate in play.played.settlement.fates if fate.unit)
    token = play.played.out.get(sequence.odds_by)
    return fates or (UnitResult(play.unit, play.result if token is None else str(token)),)


def _prefix_unit(unit: str, line: Line) -> Line:
    """Return a line with the unit that it is about in its label."""
    return line if line.label.startswith(unit) else line._replace(label=f"{unit}, {line.label}")


def _format_notes(texts: Iterable[tuple[str, str]]) -> list[str]:
    """Return each text once, after the units that it is for unless it names them; at most a few."""
    units: dict[str, list[str]] = {}
    for unit, text in texts:
        units.setdefault(text, []).append(unit)
    notes: list[str] = []
    for text, names in units.items():
        if all(name in text for name in names):
            notes.append(text)
        else:
            notes.append(Phrase(f"{join_names(names)}: ", *split_pieces(text)))
    left_out = len(notes) - MOST_SAID
    if left_out > 1:
        return [*notes[:MOST_SAID], f"{left_out} more notes of this kind are left out."]
    return notes


HANDFUL = 8
"""The maximum number of dice in a line with their sum or result."""
DOZEN = 12
"""The maximum number of dice in the sum of several units."""


def shorten_lines(lines: tuple[Line, ...], settled: Resolution, came: ResultSummary) -> list[Line]:
    """Return the lines to show: many lines of single units are replaced by their sums."""
    kept = _fold_unit_lines(lines, settled)
    types = came.types
    labels = [line.label for line in kept]
    # a line for each unit
    counted = {type: 0 for type, count in came.mixed.items() if labels.count(type) == count}
    for index, line in enumerate(kept):
        head, blank, suffix = line.label.partition(" ")
        number = ""
        if head in counted:
            counted[head] += not suffix
            number = f" {counted[head]}" if counted[head] else ""
        label = f"{types[head]}{number}{blank}{suffix}" if head in types else line.label
        result = replace_type_codes(types, line.result)
        if label != line.label or result != line.result:
            kept[index] = line._replace(label=label, result=result)
    return kept


def _fold_unit_lines(lines: tuple[Line, ...], settled: Resolution) -> list[Line]:
    """Return the lines with many lines of single units replaced by their sums, with few dice in
    each.
    """
    prefixes = (
        tuple(f"{fate.unit} " for fate in settled.fates) if len(settled.fates) >= FOLDED else ()
    )
    is_summed = len(lines) >= FOLDED and len({line.unit for line in lines if line.unit}) >= FOLDED
    sums = settled.sums if is_summed else ()
    kept: list[Line] = []
    dropped: list[object] = []
    for line in lines:
        if _is_of_unit(line, prefixes) and not (is_summed and line.unit):
            dropped += line.dice
            continue
        _add_dropped(kept, dropped)
        dropped = []
        if is_summed and line.unit:
            _add_sums(kept, sums, lines)
            sums = ()
        else:
            kept.append(_merge_bare_dice(kept, line))
    _add_dropped(kept, dropped)
    return kept


def _add_sums(kept: list[Line], sums: Iterable[Line], lines: tuple[Line, ...]) -> None:
    """Add the sums of the lines of single units with their dice, each once."""
    for line in sums:
        if line not in kept:
            kept.append(_limit_dice(_add_folded_dice(line, lines), DOZEN))


def _is_of_unit(line: Line, prefixes: tuple[str, ...]) -> bool:
    """Return whether the label of a line begins with the name of a unit.

    `prefixes` are the names, each with a space behind it.
    """
    return bool(prefixes) and f"{line.label} ".startswith(prefixes)


def _add_dropped(kept: list[Line], dice: Many[object]) -> None:
    """Add the dice of units whose lines are left out to the line that says how they are read.

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
    """Return the dice with equal faces together, lowest first: `6 ×3`."""
    counts = sorted(Counter(dice).items(), key=lambda item: (len(str(item[0])), str(item[0])))
    return tuple(f"{face}\u00a0×{count}" if count > 1 else str(face) for face, count in counts)


def _add_folded_dice(line: Line, folded: Iterable[Line]) -> Line:
    """Return a line with the dice of the folded lines that join it."""
    dice = [die for other in folded if other.joins == line.label for die in other.dice]
    return line._replace(dice=(*line.dice, *dice))


def _merge_bare_dice(earlier: list[Line], line: Line) -> Line:
    """Return the line with the bare dice of the line before it if both are the same unit's.

    Too many dice are grouped or left out, see `_limit_dice`.
    """
    if not line.dice:
        return line
    line = _limit_dice(line, HANDFUL)
    if earlier and not line.parts and earlier[-1].label == line.label and _is_bare(earlier[-1]):
        return line._replace(dice=(*earlier.pop().dice, *line.dice))
    return line


def _limit_dice(line: Line, limit: int) -> Line:
    """Return the line with equal dice together, `[6 ×3]`, if there are more than `limit` and it has
    a result.

    If there are too many even so, they are left out.
    """
    if len(line.dice) <= limit or not line.result:
        return line
    grouped = _group_dice(line.dice)
    return line._replace(dice=grouped if len(grouped) <= DOZEN else ())


def _is_bare(line: Line) -> bool:
    """Return whether a line has nothing but a label and dice."""
    content = line.parts or line.result or line.contributors or line.unit
    return bool(line.dice) and line.total is None and not content


PHONE = 39
"""The columns of a phone."""
NOW, AMMUNITION = "Now: ", "Ammunition: "
"""The beginnings of lines with the new state of units, and with weapons that fail."""
CANNOT_FIRE = "cannot fire (jammed or out of ammo)"
"""The end of the line that names the units whose weapons failed before."""
FEW, MANY = 7, 12
"""The maximum lines on a phone of a reply about one or two units, and of one that counts its units.
"""


def fold_for_phone(reply: Reply, options: Iterable[Option]) -> Reply:
    """Return the reply with what a phone need not show at once folded into its trace.

    Notes go first, then lines without dice, then single rolls, then what these mean; never the
    headline, the results and orders of units, or units without effect. With one or two units only
    small print is folded.

    `options` are those of the command. If none is a list of targets the reply stays as it is,
    unless it counts its units: a shot at a vehicle has its steps.
    """
    is_many = any(isinstance(part, Group) for part in reply.lines)
    if not is_many and not any(option.name == "targets" or option.many for option in options):
        return reply
    lightest = [*_list_foldable_parts(reply.lines, is_many=is_many)]
    if not lightest:
        return reply
    limit = MANY if is_many else FEW
    folded = set(reply.trace)
    heights = _measure_parts(reply.lines)
    left = _measure_lines([reply.first_line]) + sum(
        height for index, height in enumerate(heights) if index not in folded
    )
    for index in lightest:
        if left <= limit:
            break
        if index not in folded:
            folded.add(index)
            left -= heights[index]
    return replace(reply, trace=tuple(sorted(folded)))


def _list_foldable_parts(parts: tuple[Part, ...], *, is_many: bool) -> Iterator[int]:
    """Yield the indexes of parts that may be folded, least important first.

    With few units every line of the roll stays.
    """
    numbered = list(enumerate(parts))
    yield from (
        index
        for index, part in reversed(numbered)
        if isinstance(part, Small) and not _is_state_change(part)
    )
    if is_many:
        yield from (
            index
            for index, part in reversed(numbered)
            if isinstance(part, str) and not _is_of_weapons(part)
        )
        yield from (
            index for index, part in reversed(numbered) if isinstance(part, Line) and not part.dice
        )
        yield from (
            index for index, part in reversed(numbered) if isinstance(part, Line) and part.dice
        )
        yield from (index for index, part in numbered if _is_state_change(part))


def _measure_parts(parts: tuple[Part, ...]) -> list[int]:
    """Return the phone lines of each part. The new state of one or two units is not counted."""
    is_many = any(isinstance(part, Group) for part in parts)
    return [
        0 if _is_state_change(part) and not is_many else _measure_lines(format_part(part))
        for part in parts
    ]


def _is_state_change(part: Part) -> bool:
    """Return whether a part has the new state of the units, which players act on."""
    return isinstance(part, Small) and part.text.startswith(NOW)


def _is_of_weapons(text: str) -> bool:
    """Return whether a line says whose weapon fails now or failed before."""
    return text.startswith(AMMUNITION) or text.endswith(CANNOT_FIRE)


def _measure_lines(lines: Iterable[str]) -> int:
    """Return how many lines of a phone these texts take; it shows dice without brackets."""
    return sum(
        max(1, len(textwrap.wrap(re.sub(r"\[(\w+)\]", r"\1", line), PHONE))) for line in lines
    )


WIDTH = 32
"""The columns of the table of dice, which a phone shows whole."""
IN_A_ROW = 6


def list_all_dice(sequence: Sequence, singles: tuple[FinishedPlay, ...]) -> tuple[Part, ...]:
    """Return all dice: lines of the shot itself as they are, then each unit's dice and result in a
    row.
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
    """Yield the next steps, other changes and notes, which a short reply leaves out."""
    settled = [settlement.played.settlement for settlement in singles]
    types = list_type_names(sequence.system)
    texts = [
        *(text for settlement in settled for text in settlement.then),
        *(text for settlement in settled for text in settlement.notes),
    ]
    yield from (Small(replace_type_codes(types, text)) for text in dict.fromkeys(texts))
    now = dict.fromkeys(text for settlement in settled for text in settlement.now)
    if now:
        yield Small(f"Now: {' · '.join(replace_type_codes(types, text) for text in now)}")


def list_dice_by_label(dice: Iterable[Mapping[str, Any]]) -> tuple[Part, ...]:
    """Return the dice of the log by their labels, if the play cannot be shown otherwise."""
    rows: dict[str, list[object]] = {}
    for die in dice:
        rows.setdefault(str(die.get("label") or "dice"), []).append(die["value"])
    return (_build_dice_grid(rows, {}),)


def _split_label(line: Line, names: Iterable[str]) -> tuple[str, str]:
    """Return what is rolled and for which unit, from a label: "" and the unit for its own result."""
    for unit in sorted(names, key=len, reverse=True):
        if line.label == unit or line.label.startswith(f"{unit} "):
            return "", unit
        if line.label.endswith(f" {unit}") and line.dice:  # `ammunition GI 1`
            return line.label.removesuffix(f" {unit}").removesuffix(" of"), unit
    return "", ""


def _pack_single_dice(rows: Mapping[str, list[object]]) -> dict[str, list[object]]:
    """Return units of one die each with six units to a row: `GI 1-6`."""
    if any(len(dice) != 1 for dice in rows.values()) or not find_stem(rows):
        return dict(rows)
    packed: dict[str, list[object]] = {}
    for row_names in zip_longest(*[iter(rows)] * IN_A_ROW):
        names = [name for name in row_names if name is not None]
        last = f"-{names[-1].rpartition(' ')[2]}" if names[1:] else ""
        packed[f"{names[0]}{last}"] = [die for name in names for die in rows[name]]
    return packed


def _build_dice_grid(dice: Mapping[str, Many[object]], words: Mapping[str, str]) -> Grid:
    return Grid(tuple((row,) for row in _format_dice_rows(dice, words)))


def _format_dice_rows(dice: Mapping[str, Many[object]], words: Mapping[str, str]) -> Iterable[str]:
    """Yield rows with name, dice and result. What is too long goes on in the next row, indented."""
    name_width = min(max(map(len, dice), default=0), WIDTH // 2)
    die_width = max((len(str(die)) for values in dice.values() for die in values), default=1)
    most_dice = max(map(len, dice.values()), default=0)
    room = max(1, (WIDTH - name_width - 1) // (die_width + 1))
    column = name_width + 1 + min(most_dice, room) * (die_width + 1)
    for name, values in dice.items():
        thrown = [
            " ".join(f"{die!s:>{die_width}}" for die in values[start : start + room])
            for start in range(0, len(values), room)
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
