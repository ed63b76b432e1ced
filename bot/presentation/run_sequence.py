"""Replies to sequences: the headline, then dice, modifiers and totals, then the result of each
unit.

A reply shows as much as fits a phone; all dice can be asked for.
"""

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Sequence as Many
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from bot.game.events import UNIT
from bot.game.tracks import fill_track_inputs, get_track_key, get_track_keys
from bot.presentation.headline import (
    FOLDED,
    ResultSummary,
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
from bot.presentation.multi_unit_play import plan_plays, play_all
from bot.presentation.play_record import PlayRecord, play_with_dice
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
"""Options of a sequence's command that are no inputs of the sequence."""


_NONE: Mapping[str, Any] = {}


def run_sequence(
    sequence: Sequence,
    spec: CommandSpec,
    options: Mapping[str, object],
    player: str,
    source: Source,
    roster: Roster,
    tracks: Mapping[str, Any] = _NONE,
    earlier_dice: Many[object] = (),
    piles: Mapping[str, Any] = _NONE,
    check: Callable[[Many[Given]], None] | None = None,
) -> tuple[Reply, PlayRecord]:
    """Play a sequence, and return the reply and the record of the play. If the rules ask a side for
    a choice, the reply asks for it and the record changes nothing.

    `tracks` are the game's tracks that it reads. `earlier_dice` are the dice from before a side's
    choice (which is among the `options`); their lines are not shown again. `piles` with closed cards
    are read only by its dice. `check` is called with the inputs of each play before the first die,
    and may raise an error to refuse them.

    Raises UserError before the first die; if real dice are too few, it names the next die.
    """
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    inputs = raw
    if tracks:
        inputs = {**raw, **fill_track_inputs(tracks, sequence.system.tracks), **piles}
    planned_plays = plan_plays(sequence, inputs, roster)
    hand = options.get("hand")

    def write_command(hand_dice: str) -> str:
        is_secret = is_flag_on(options, "secret")
        return format_command(spec, {**raw, "secret": is_secret, "hand": hand_dice})

    def play_planned(dice: Source) -> Play:
        if earlier_dice:
            dice = ResumedDice(earlier_dice, dice)
        return play_all(sequence, planned_plays, dice, roster, tracks)

    if sequence.choices and len(planned_plays) > 1:
        message = f"{sequence.title} asks a side for a choice partway through, so play it for one unit at a time."
        raise UserError(message, hint="Name one.", option=UNIT, code="too-many")
    planned_inputs = [planned.given for planned in planned_plays]
    if check is not None:
        check(planned_inputs)
    play = play_with_dice(play_planned, source, hand, write_command, cards=bool(sequence.decks))
    if sequence.choices:
        play = _drop_earlier_lines(play)
    play = name_lenders(sequence, play)
    record = _build_record(sequence, planned_inputs, play, tracks)
    record = record._replace(
        inputs=raw,
        dice=record.dice[len(earlier_dice) :],
        by_hand=hand not in (None, ""),
    )
    return _build_reply(player, sequence, play), record


def _build_reply(player: str, sequence: Sequence, play: Play) -> Reply:
    """Build the public reply to a play, with the values that squads gave their men."""
    if play.resolution.choice_requests:
        reply = build_choice_reply(sequence, play, player)
    elif play.unit_plays:
        reply = build_multi_unit_reply(player, sequence, play)
    else:
        reply = build_play_reply(player, sequence, play, list_actors(sequence, play.given))
    all_inputs = [single_play.given for single_play in play.single_plays]
    unit_inputs = format_unit_inputs(sequence, all_inputs)
    if unit_inputs:
        reply = replace(reply, lines=(*reply.lines, Small(unit_inputs)))
    return reply


def _build_record(
    sequence: Sequence, planned_inputs: Many[Given], play: Play, tracks: Mapping[str, Any]
) -> PlayRecord:
    """Build the record of a play. The inputs as they were typed are still missing.

    `planned_inputs` are those of each unit's play before the first die, `tracks` those that it
    read. If a side must choose first, the record asks for that and changes nothing.
    """
    resolution = play.resolution
    requests = resolution.choice_requests
    changes = () if requests else resolution.changes
    units = [name for inputs in planned_inputs for name in list_named_units(inputs)]
    units += [change.unit for change in changes]
    acting: tuple[str, ...] = ()
    if not sequence.hits_unit:
        acting = tuple(name for inputs in planned_inputs for name in list_acting_units(inputs))
    sources = [
        name
        for single_play in play.single_plays
        for name in list_source_units(single_play.given.sources)
    ]
    record = PlayRecord(
        "sequence",
        dice=play.dice,
        out=play.out,
        changes=changes,
        system=sequence.system.id,
        target=sequence.id,
        units=tuple(dict.fromkeys(units)),
        sources=tuple(dict.fromkeys(sources)),
        acting=acting,
        tracks_read=tracks,
    )
    if requests:
        waiting_tracks = get_track_keys(sequence.effects.held[requests[0].name], tracks)
        return record._replace(
            result=requests[0].question, choice_requests=requests, held_tracks=waiting_tracks
        )
    changed_tracks = {
        get_track_key(name, tracks): value
        for name, value in play.tracks.items()
        if value != tracks.get(name)
    }
    return record._replace(
        result=resolution.headline, arrivals=resolution.arrivals, tracks=changed_tracks
    )


def _drop_earlier_lines(play: Play) -> Play:
    """Return the play without the lines that were shown with the question."""
    return play._replace(lines=play.lines[play.lines_before_choice :])


def name_lenders(sequence: Sequence, play: Play) -> Play:
    """Return the play with the leader's name at the rating that the leader lends."""
    if play.unit_plays:
        unit_plays = tuple(name_lenders(sequence, unit_play) for unit_play in play.unit_plays)
        return play._replace(unit_plays=unit_plays)
    names = {
        option.lends["says"]: play.given.sources[option.name].unit
        for option in sequence.inputs
        if "through" in option.lends and option.name in play.given.sources
    }
    if not names:
        return play
    lines = tuple(
        line._replace(parts=tuple((names.get(name, name), value) for name, value in line.parts))
        for line in play.lines
    )
    return play._replace(lines=lines)


def format_unit_inputs(
    sequence: Sequence, all_inputs: Iterable[Given], *, for_odds: bool = False
) -> str:
    """Return the values that squads gave their men: `From Alpha: morale bad, grade elite.`

    `all_inputs` are those of each play. Empty if squads gave nothing that counts. `for_odds`
    includes the values that leaders lend, which no line names there.
    """
    words_by_unit: dict[str, list[str]] = {}
    options = {
        option.name: option
        for option in sequence.inputs
        if option.through or (for_odds and "through" in option.lends)
    }
    for inputs in all_inputs:
        for name, source in inputs.sources.items():
            if name not in options or source.value in (None, options[name].default):
                continue
            word = _replace_separators(f"{name} {source.value}")
            words = words_by_unit.setdefault(source.unit, [])
            if word not in words:
                words.append(word)
    return " ".join(f"From {unit}: {', '.join(words)}." for unit, words in words_by_unit.items())


def _replace_separators(word: str) -> str:
    return word.replace("-", " ").replace("_", " ")


class ResumedDice:
    """A source of dice that first repeats those from before a side's choice, then draws from another
    source.
    """

    def __init__(self, earlier_dice: Many[object], source: Source) -> None:
        self._earlier_dice = Script(earlier_dice)
        self._remaining = len(earlier_dice)
        self._source = source

    def draw(self, die: Die) -> int | str:
        """Return the value of the die."""
        self._remaining -= 1
        if self._remaining >= 0:
            return self._earlier_dice.draw(die)
        return self._source.draw(die)


def build_choice_reply(sequence: Sequence, play: Play, player: str) -> Reply:
    """Build the reply that asks a side for a choice, with the dice that led to it.

    If several units must choose, each has a line.
    """
    requests = play.resolution.choice_requests
    summary = summarize_results(sequence, ())
    title = requests[0].question
    if len(requests) > 1:
        title = f"{join_names(request.item for request in requests)} must choose"
    headline = build_headline(summary, title, list_actors(sequence, play.given), player)
    lines: list[Part] = [*shorten_lines(play.lines, play.resolution, summary)]
    if len(requests) > 1:
        lines += [request.question for request in requests]
    return Reply(headline.title, tuple(lines), by=headline.cause, tone=WAITING)


def list_acting_units(inputs: Given) -> tuple[str, ...]:
    """Return the names of the roster units that act by these inputs."""
    return tuple(dict.fromkeys(unit.name for unit in inputs.list_acting_units() if unit.name))


def list_named_units(inputs: Given) -> tuple[str, ...]:
    """Return the names of the roster units in the inputs, each once, in order."""
    names = [unit.name for unit in inputs.roster.values()]
    for units in inputs.lists.values():
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


def build_play_reply(player: str, sequence: Sequence, played: Play, actors: Iterable[str]) -> Reply:
    """Build the public reply to a sequence: headline, dice and modifiers, then other changes.

    Many units are shown by their results, without the dice of each (these are in the log). `actors`
    are the units that act.
    """
    resolution = played.resolution
    summary = summarize_results(sequence, resolution.unit_results)
    types = summary.types
    result_headline = get_result_headline(resolution, played.out, sequence.system)
    headline = build_headline(summary, result_headline, actors, player)
    if resolution.cause:
        cause = replace_type_codes(types, resolution.cause)
    elif played.dice:
        cause = headline.cause
    else:
        cause = format_cause_without_roll(headline.cause, player)
    lines: list[Part] = [*shorten_lines(played.lines, resolution, summary)]
    ammunition = _take_ammunition_line(lines, resolution)
    if summary.is_counted:
        lines += build_result_groups(summary)
    lines += ammunition
    if resolution.unit_words and not resolution.unit_results:
        lines += map(capitalize_first, format_unit_results(resolution.unit_words))
    for text in resolution.next_steps:
        lines.append(capitalize_first(replace_type_codes(types, text)))
    if resolution.state_changes:
        changes = [replace_type_codes(types, text) for text in resolution.state_changes]
        lines.append(Small(f"{NOW}{' · '.join(changes)}"))
    notes = [capitalize_first(replace_type_codes(types, text)) for text in resolution.notes]
    note = " ".join(notes)
    if note:
        lines.append(Small(note))
    buttons = tuple(
        [Button(f"{OPEN_FORM}{command}", label) for label, command in resolution.form_buttons]
    )
    return Reply(
        title=headline.title, lines=tuple(lines), by=cause, tone=headline.tone, buttons=buttons
    )


def _take_ammunition_line(lines: list[Part], resolution: Resolution) -> list[str]:
    """Return the line about weapons that fail in this roll, in a list; [] if none fails.

    The line that sums up the checks goes into it, and is removed from `lines`.
    """
    if not resolution.unarmed_units:
        return []
    checks = next((line for line in lines if line in resolution.sum_lines), None)
    if checks is not None:
        lines.remove(checks)
    return [_format_ammunition(resolution.unarmed_units, checks)]


def _format_ammunition(out: Many[str], checks: Part | None) -> str:
    """Return whose weapon fails in this roll: `Ammunition: 12 checks after a 1; GI 3 jams or runs
    out`.
    """
    failure = f"{join_names(out)} jams or runs out of ammo"
    if len(out) > 1:
        failure = f"{join_names(out)} jam or run out of ammo"
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


def build_multi_unit_reply(player: str, sequence: Sequence, play: Play) -> Reply:
    """Build the public reply to a play for several units: a headline, then the dice of a few units, or
    a line for each result of many. Next steps, changes and notes follow.
    """
    plays = play.unit_plays
    results = [result for unit_play in plays for result in list_unit_results(sequence, unit_play)]
    summary = summarize_results(sequence, results)
    headline = build_headline(summary, "", (), player)
    is_many = len(plays) >= FOLDED
    lines: list[Part] = []
    if is_many:
        lines += build_result_groups(summary)
    else:
        for unit_play in plays:
            lines += [_prefix_unit(unit_play.unit, line) for line in unit_play.lines]
    resolutions = [(unit_play.unit, unit_play.resolution) for unit_play in plays]
    next_steps = _format_notes(
        (unit, text) for unit, resolution in resolutions for text in resolution.next_steps
    )
    lines += map(Small, next_steps) if is_many else next_steps
    changes = _format_notes(
        (unit, text) for unit, resolution in resolutions for text in resolution.state_changes
    )
    changes += play.resolution.state_changes
    if changes:
        lines.append(Small(f"Now: {' · '.join(changes)}"))
    notes = _format_notes(
        (unit, text) for unit, resolution in resolutions for text in resolution.notes
    )
    lines += map(Small, notes)
    units = tuple(unit_play.unit for unit_play in plays)
    cause = format_cause(sequence, units, player, many=True)
    return Reply(headline.title, tuple(lines), by=cause, tone=headline.tone)


def list_unit_results(sequence: Sequence, play: Play) -> tuple[UnitResult, ...]:
    """Return the results by unit; without any, the main output is the result of the play's unit."""
    unit_results = tuple(
        unit_result for unit_result in play.resolution.unit_results if unit_result.unit
    )
    token = play.out.get(sequence.odds_by)
    return unit_results or (UnitResult(play.unit, play.result if token is None else str(token)),)


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


def shorten_lines(
    lines: tuple[Line, ...], resolution: Resolution, summary: ResultSummary
) -> list[Line]:
    """Return the lines to show: many lines of single units are replaced by their sums, and type codes
    by names. If each unit of a type has a line labeled with the type, they are numbered.
    """
    shortened = _fold_unit_lines(lines, resolution)
    types = summary.types
    labels = [line.label for line in shortened]
    counted = {
        type: 0 for type, count in summary.mixed_types.items() if labels.count(type) == count
    }
    for index, line in enumerate(shortened):
        head, blank, suffix = line.label.partition(" ")
        number = ""
        if head in counted:
            counted[head] += not suffix
            number = f" {counted[head]}" if counted[head] else ""
        label = f"{types[head]}{number}{blank}{suffix}" if head in types else line.label
        result = replace_type_codes(types, line.result)
        if label != line.label or result != line.result:
            shortened[index] = line._replace(label=label, result=result)
    return shortened


def _fold_unit_lines(lines: tuple[Line, ...], resolution: Resolution) -> list[Line]:
    """Return the lines with many lines of single units replaced by their sums, with few dice in
    each.
    """
    prefixes = (
        tuple(f"{unit_result.unit} " for unit_result in resolution.unit_results)
        if len(resolution.unit_results) >= FOLDED
        else ()
    )
    is_summed = len(lines) >= FOLDED and len({line.unit for line in lines if line.unit}) >= FOLDED
    sums = resolution.sum_lines if is_summed else ()
    folded: list[Line] = []
    dropped: list[object] = []
    for line in lines:
        if _is_of_unit(line, prefixes) and not (is_summed and line.unit):
            dropped += line.dice
            continue
        _add_dropped(folded, dropped)
        dropped = []
        if is_summed and line.unit:
            _add_sums(folded, sums, lines)
            sums = ()
        else:
            folded.append(_merge_bare_dice(folded, line))
    _add_dropped(folded, dropped)
    return folded


def _add_sums(folded: list[Line], sums: Iterable[Line], lines: tuple[Line, ...]) -> None:
    """Append the sums of the lines of single units with their dice, each once. `lines` are all lines
    of the play.
    """
    for line in sums:
        if line not in folded:
            folded.append(_limit_dice(_add_folded_dice(line, lines), DOZEN))


def _is_of_unit(line: Line, prefixes: tuple[str, ...]) -> bool:
    """Return whether the label of a line begins with the name of a unit.

    `prefixes` are the names, each with a space after it.
    """
    return bool(prefixes) and f"{line.label} ".startswith(prefixes)


def _add_dropped(lines: list[Line], dice: Many[object]) -> None:
    """Add the dice of units whose lines are left out to the last line, if that has a result but no
    dice, and so says how they are read. If several lines do so, append a line with these dice.

    If the last line is of another kind, the dice are only in the list of all dice.
    """
    if not dice or not lines:
        return
    last = lines[-1]
    is_free = bool(last.result) and not last.dice and not last.parts and last.total is None
    is_alone = sum(line.result != "" and not line.dice for line in lines) == 1
    if is_free and is_alone:
        lines[-1] = last._replace(dice=_group_dice(dice))
    elif is_free:  # several such lines, and all units are rolled for together
        lines.append(Line("rolled", _group_dice(dice)))


def _group_dice(dice: Many[object]) -> tuple[str, ...]:
    """Return the dice with equal faces together, lowest first: `6 ×3`."""
    counts = sorted(Counter(dice).items(), key=lambda item: (len(str(item[0])), str(item[0])))
    return tuple(f"{face}\u00a0×{count}" if count > 1 else str(face) for face, count in counts)


def _add_folded_dice(line: Line, folded: Iterable[Line]) -> Line:
    """Return a line with the dice of the folded lines that join it."""
    dice = [*line.dice]
    for folded_line in folded:
        if folded_line.joins == line.label:
            dice += folded_line.dice
    return line._replace(dice=tuple(dice))


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
    total = _measure_lines([reply.first_line]) + sum(
        height for index, height in enumerate(heights) if index not in folded
    )
    for index in lightest:
        if total <= limit:
            break
        if index not in folded:
            folded.add(index)
            total -= heights[index]
    return replace(reply, trace=tuple(sorted(folded)))


def _list_foldable_parts(parts: tuple[Part, ...], *, is_many: bool) -> Iterator[int]:
    """Yield the indexes of parts that may be folded, least important first.

    With few units every line of the roll stays.
    """
    numbered = list(enumerate(parts))
    from_end = numbered[::-1]
    yield from (index for index, part in from_end if _is_small_print(part))
    if is_many:
        yield from (index for index, part in from_end if _is_text(part))
        lines = [(index, part) for index, part in from_end if isinstance(part, Line)]
        yield from (index for index, line in lines if not line.dice)
        yield from (index for index, line in lines if line.dice)
        yield from (index for index, part in numbered if _is_state_change(part))


def _is_small_print(part: Part) -> bool:
    """Return whether a part is small print other than the new state of units."""
    return isinstance(part, Small) and not _is_state_change(part)


def _is_text(part: Part) -> bool:
    """Return whether a part is plain text, but not about weapons that fail."""
    return isinstance(part, str) and not _is_of_weapons(part)


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
"""The number of units with one die each in a row of the table of dice."""


def list_all_dice(sequence: Sequence, play: Play) -> tuple[Part, ...]:
    """Return all dice of a play: the lines that belong to no unit, then a table with each unit's
    dice and result in a row, then a table for each other kind of die that units rolled.
    """
    shared_lines: list[Part] = []
    tables: dict[str, dict[str, list[object]]]
    results: list[UnitResult] = []
    if play.unit_plays:
        tables = {"": {}}
        for unit_play in play.unit_plays:
            results += list_unit_results(sequence, unit_play)
            tables[""][unit_play.unit] = [die.display_value for die in unit_play.dice]
    else:
        results += play.resolution.unit_results
        shared_lines, tables = _sort_dice_by_unit(play)
    result_words = load_result_words(sequence)
    words = {result.unit: get_result_word(result_words, result.token) for result in results}
    if not words:
        words = {unit: format_token(word) for unit, word in play.resolution.unit_words}
    parts = shared_lines
    for kind, rows in tables.items():
        if kind:
            parts.append(f"{kind[:1].upper()}{kind[1:]}:")
            parts.append(_build_dice_grid(_pack_single_dice(rows), {}))
        else:
            parts.append(_build_dice_grid(rows, words))
    return tuple(part for part in parts if not isinstance(part, Grid) or part.rows)


def _sort_dice_by_unit(
    play: Play,
) -> tuple[list[Part], dict[str, dict[str, list[object]]]]:
    """Return the lines with dice that belong to no unit, and the dice of units by kind and unit.

    The kind "" is a unit's own result; it has a row for each unit with a result.
    """
    shared_lines: list[Part] = []
    result_units = [result.unit for result in play.resolution.unit_results]
    tables: dict[str, dict[str, list[object]]] = {"": {unit: [] for unit in result_units}}
    names = {*result_units}
    for units in play.given.lists.values():
        names.update(unit.word for unit in units)
    for line in play.lines:
        kind, unit = _split_label(line, names)
        if unit:
            tables.setdefault(kind, {}).setdefault(unit, []).extend(line.dice)
        elif line.dice:
            shared_lines.append(line)
    return shared_lines, tables


def list_follow_up_parts(sequence: Sequence, play: Play) -> Iterator[Part]:
    """Yield the next steps, notes and other changes, which a short reply leaves out."""
    resolutions = [single_play.resolution for single_play in play.single_plays]
    types = list_type_names(sequence.system)
    next_steps = [text for resolution in resolutions for text in resolution.next_steps]
    notes = [text for resolution in resolutions for text in resolution.notes]
    for text in dict.fromkeys((*next_steps, *notes)):
        yield Small(replace_type_codes(types, text))
    changes = dict.fromkeys(text for resolution in resolutions for text in resolution.state_changes)
    if changes:
        yield Small(f"Now: {' · '.join(replace_type_codes(types, text) for text in changes)}")


def list_dice_by_label(dice: Iterable[Mapping[str, Any]]) -> tuple[Part, ...]:
    """Return the dice of the log by their labels, if the play cannot be shown otherwise."""
    rows: dict[str, list[object]] = {}
    for die in dice:
        rows.setdefault(str(die.get("label") or "dice"), []).append(die["value"])
    return (_build_dice_grid(rows, {}),)


def _split_label(line: Line, names: Iterable[str]) -> tuple[str, str]:
    """Return (what was rolled, the unit that it is for) of a line with a label such as `ammunition
    GI 1`.

    It is ("", unit) for a unit's own result, and ("", "") if the label is about none of `names`.
    """
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
        dice_texts = [
            " ".join(f"{die!s:>{die_width}}" for die in values[start : start + room])
            for start in range(0, len(values), room)
        ]
        first_text, *more_texts = dice_texts or [""]
        row = f"{name[:name_width]:<{name_width}}  {first_text}".rstrip()
        word = words.get(name, "")
        if column + 1 + len(word) > WIDTH:
            word = word.replace(" and ", ", ")
        if word and column + 1 + len(word) <= WIDTH and not more_texts:
            yield f"{row:<{column + 1}} {word}"
            continue
        yield row
        for text in more_texts:
            yield " " * (name_width + 2) + text
        if word:
            yield from textwrap.wrap(word, WIDTH, initial_indent="  ", subsequent_indent="  ")
