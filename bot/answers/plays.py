"""A combat sequence played, and a shot of the log played again with the dice that fell."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from bot.answers.headline import ACTING, actors, bare_word, hits_its_unit, results_of, said, types_of
from bot.answers.outcome import Happening, Outcome
from bot.answers.several import Single, path_of, planned, play_all, whole_out, whole_result
from bot.answers.shot import each_reply, fates_of, plain_word, played_reply
from bot.game.state import unit_from_json
from bot.interface.reply.parts import Grid, Part, Small
from bot.interface.spec import CommandSpec
from bot.interface.typing.text import command_text
from bot.rules.dice import Script, Source
from bot.rules.errors import DieOwed, UserError
from bot.rules.inputs.given import Given, hand_dice
from bot.rules.inputs.options import flag
from bot.rules.inputs.units import Roster
from bot.rules.odds.rows import came_to, row_path, rows_of
from bot.rules.sequence.sequence import Line
from bot.rules.text.names import stem_of
from bot.rules.text.phrase import Phrase, Typed
from bot.systems.system import Sequence

EXTRA = ("odds", "compare", "rounds", "secret", "hand")


def run_sequence(
    sequence: Sequence, spec: CommandSpec, options: Mapping[str, object], who: str, source: Source, roster: Roster
) -> Outcome:
    """Play a sequence. Raises UserError; real dice that are too few name the die owed next."""
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    plays = planned(sequence, raw, roster)
    hand = options.get("hand")
    by_hand = hand not in (None, "")
    if by_hand:
        script = Script(hand_dice(hand))
        try:
            singles = play_all(sequence, plays, script, roster)
        except DieOwed as owed:
            raise _owed(owed, spec, {**raw, "secret": flag(options, "secret")}) from None
        script.finish()
    else:
        singles = play_all(sequence, plays, source, roster)
    first, changes = singles[0], tuple(change for one in singles for change in one.changes)
    if first.unit:
        reply = each_reply(who, sequence, singles)
    else:
        reply = played_reply(who, sequence, first.played, actors(sequence, first.given))
    givens = [one.given for one in singles]
    called = (*(name for given in givens for name in named_units(given)), *(change.unit for change in changes))
    happening = Happening(
        "sequence",
        inputs=raw,
        dice=tuple(die for one in singles for die in one.played.dice),
        out=whole_out(singles),
        changes=changes,
        system=sequence.system.id,
        target=sequence.id,
        by_hand=by_hand,
        units=tuple(dict.fromkeys(called)),
        acting=() if hits_its_unit(sequence) else tuple(name for given in givens for name in acting_units(given)),
        result=whole_result(singles),
        joins=tuple(join for one in singles for join in one.played.settlement.joins),
    )
    return Outcome(reply, happening)


def acting_units(given: Given) -> tuple[str, ...]:
    """The roster units that act by these inputs, as opposed to those that are acted on."""
    single = [unit.name for key, unit in given.roster.items() if key in ACTING]
    listed = [unit.name for key, units in given.lists.items() if key in ACTING for unit in units]
    return tuple(dict.fromkeys(name for name in (*single, *listed) if name))


def named_units(given: Given) -> tuple[str, ...]:
    """The roster units that the inputs call, each once, in order."""
    listed = [unit.name for units in given.lists.values() for unit in units]
    return tuple(dict.fromkeys(name for name in (*(unit.name for unit in given.roster.values()), *listed) if name))


def _owed(owed: DieOwed, spec: CommandSpec, raw: Mapping[str, object]) -> UserError:
    given = ",".join(map(str, owed.given))
    again = command_text(spec, {**raw, "hand": f"{given},?" if given else "?"})
    return UserError(
        f"Nothing is recorded yet. Next die: {owed.label} ({owed.sides}).",
        hint=Phrase("Roll it and type: ", Typed(again)),
        option="hand",
        code="die-owed",
        about=owed,
    )


NOTHING = "none"
"""The result of a row that no roll told."""
WIDTH = 32
"""Columns of the table of dice, which a phone shows whole."""
IN_A_ROW = 6


@dataclass(frozen=True, slots=True)
class Shot:
    """What was played: its inputs, and the units that they name as they were."""

    sequence: Sequence
    raw: Mapping[str, object]
    roster: Roster
    dice: tuple[object, ...]
    edition: int | str


def shot_of(event: Mapping[str, Any], sequence: Sequence, today: Roster) -> Shot:
    """The shot behind an event of the log; `today` is the roster for whatever the event does not hold."""
    used = [unit_from_json(unit) for unit in event.get("used") or ()]
    roster = {
        **today,
        **{unit.handle.casefold(): unit for unit in used},
        **{unit.name.casefold(): unit for unit in used},
    }
    dice = tuple(die["value"] for die in event.get("dice") or ())
    return Shot(sequence, event.get("inputs") or {}, roster, dice, event.get("edition", 0))


def came_up(shot: Shot) -> dict[str, str]:
    """The result of each row of its odds, by the paths of `odds_rows`; {} where today's rules take other dice."""
    by, worse, found = shot.sequence.odds_by, shot.sequence.odds_row, dict[str, str]()
    script = Script(shot.dice)
    try:
        for one in planned(shot.sequence, shot.raw, shot.roster):
            for at, token in enumerate(came_to(one.plan, rows_of(one.plan, by, worse), script)):
                found[path_of(one.unit, row_path(at))] = NOTHING if token is None else str(token)
        script.finish()
    except UserError:
        return {}
    return found


def again(shot: Shot) -> tuple[Single, ...]:
    """The shot as it was told, with all its lines, once for each unit that it was played for; none where the rules have
    another edition now."""
    if shot.edition != shot.sequence.system.edition:
        return ()
    script = Script(shot.dice)
    try:
        singles = play_all(shot.sequence, planned(shot.sequence, shot.raw, shot.roster), script, shot.roster)
        script.finish()
    except UserError:
        return ()
    return singles


def every_die(sequence: Sequence, singles: tuple[Single, ...]) -> tuple[Part, ...]:
    """All dice: lines of the shot itself as they are, then each unit's dice in a row, with its result."""
    first, shared, tables = singles[0], list[Part](), dict[str, dict[str, list[object]]]()
    if first.unit:
        fates = {fate.unit: fate for one in singles for fate in fates_of(sequence, one)}
        tables[""] = {one.unit: [die.value for die in one.played.dice] for one in singles}
    else:
        fates = {fate.unit: fate for fate in first.played.settlement.fates}
        tables[""] = {unit: [] for unit in fates}
        names = {*fates, *(unit.word for units in first.given.lists.values() for unit in units)}
        for line in first.played.lines:
            kind, unit = _of_unit(line, names)
            if unit:
                tables.setdefault(kind, {}).setdefault(unit, []).extend(line.dice)
            elif line.dice:
                shared.append(line)
    results, units = results_of(sequence), first.played.settlement.units
    words = {unit: bare_word(results, fate.token) for unit, fate in fates.items()}
    words = words or {unit: plain_word(word) for unit, word in units}
    parts = [*shared]
    for kind, rows in tables.items():
        parts += [f"{kind[:1].upper()}{kind[1:]}:"] if kind else []
        parts.append(_grid(_packed(rows) if kind else rows, {} if kind else words))
    return tuple(part for part in parts if not isinstance(part, Grid) or part.rows)


def besides(sequence: Sequence, singles: tuple[Single, ...]) -> Iterator[Part]:
    """What comes next, what changed besides and what else is worth knowing: all that a short answer leaves out."""
    settled, types = [one.played.settlement for one in singles], types_of(sequence.system)
    texts = [*(text for one in settled for text in one.then), *(text for one in settled for text in one.notes)]
    yield from (Small(said(types, text)) for text in dict.fromkeys(texts))
    now = dict.fromkeys(text for one in settled for text in one.now)
    if now:
        yield Small(f"Now: {' · '.join(said(types, text) for text in now)}")


def by_label(dice: Iterable[Mapping[str, Any]]) -> tuple[Part, ...]:
    """The dice as the log has them, where nothing more can be said of them."""
    rows: dict[str, list[object]] = {}
    for die in dice:
        rows.setdefault(str(die.get("label") or "dice"), []).append(die["value"])
    return (_grid(rows, {}),)


def _of_unit(line: Line, names: Iterable[str]) -> tuple[str, str]:
    """What is rolled for which unit, by the label: "" and the unit for its own result."""
    for unit in sorted(names, key=len, reverse=True):
        if line.label == unit or line.label.startswith(f"{unit} "):
            return "", unit
        if line.label.endswith(f" {unit}") and line.dice:  # `ammunition GI 1`
            return line.label.removesuffix(f" {unit}").removesuffix(" of"), unit
    return "", ""


def _packed(rows: Mapping[str, list[object]]) -> dict[str, list[object]]:
    """Units of one die each, six in a row: `GI 1-6`."""
    if any(len(dice) != 1 for dice in rows.values()) or not stem_of(rows):
        return dict(rows)
    found: dict[str, list[object]] = {}
    for some in zip_longest(*[iter(rows)] * IN_A_ROW):
        names = [name for name in some if name is not None]
        last = f"-{names[-1].rpartition(' ')[2]}" if names[1:] else ""
        found[f"{names[0]}{last}"] = [die for name in names for die in rows[name]]
    return found


def _grid(dice: Mapping[str, Many[object]], words: Mapping[str, str]) -> Grid:
    return Grid(tuple((row,) for row in _rows(dice, words)))


def _rows(dice: Mapping[str, Many[object]], words: Mapping[str, str]) -> Iterable[str]:
    """Name, dice, result; what is too long goes on below, one step in."""
    name_width = min(max(map(len, dice), default=0), WIDTH // 2)
    die_width = max((len(str(die)) for values in dice.values() for die in values), default=1)
    most = max(map(len, dice.values()), default=0)
    room = max(1, (WIDTH - name_width - 1) // (die_width + 1))
    column = name_width + 1 + min(most, room) * (die_width + 1)
    for name, values in dice.items():
        thrown = [
            " ".join(f"{die!s:>{die_width}}" for die in values[at : at + room]) for at in range(0, len(values), room)
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
        yield from textwrap.wrap(word, WIDTH, initial_indent="  ", subsequent_indent="  ") if word else ()
