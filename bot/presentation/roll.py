"""Dice of any kind, `/roll 2d6+3`, and those of a table: a roll that is left out is rolled."""

import re
from collections.abc import Mapping
from collections.abc import Sequence as Many
from fractions import Fraction
from itertools import accumulate, product
from math import prod
from typing import Any

from bot.presentation.multi_unit_play import format_no_result
from bot.presentation.play_record import PlayRecord, ReplyWithRecord, play_with_dice
from bot.presentation.tables import build_lookup_reply
from bot.rules.copies import replace
from bot.rules.dice import Die, RolledDie, Script, Source
from bot.rules.errors import UserError
from bot.rules.expression.chances import Chances, compute_odds
from bot.rules.expression.model import Expression
from bot.rules.expression.rolling import Rolling, RollResult, roll
from bot.rules.expression.sum_parser import parse
from bot.rules.inputs.options import Option, clean, is_flag_on
from bot.rules.tables.answer_words import NEXT, select_outputs
from bot.rules.tables.table import CHAIN, Answer, Table
from bot.rules.text.line import Line
from bot.rules.text.phrase import phrase
from bot.ui.reply.bars import format_percent
from bot.ui.reply.parts import Odds, Small, Thrown
from bot.ui.reply.reply import Reply
from bot.ui.typing.command_text import quote_value

MAX_LABEL = 100
MOST_ROWS = 20
"""So many rows the odds of dice have at most."""
MOST_TRIED = 2_000
"""So many totals of a table with blank cells are looked at before its dice fall."""
_LABEL = Option("label", "str")


def roll_dice(
    options: Mapping[str, object], who: str, source: Source, *, is_early: bool = False
) -> ReplyWithRecord:
    """Roll an expression. Raises ExpressionError pointing at the place, UserError for real dice
    that do not fit.

    `is_early` reads it as early logs do, see `parse`.
    """
    text = options.get("dice")
    if not isinstance(text, str) or not text.strip():
        hint = phrase("Type `/roll 2d6+3`. `/help dice` shows everything that you can write.")
        raise UserError("/roll needs dice.", hint=hint, option="dice", code="missing")
    text = _without_quotes(text)
    expression = parse(text, is_early=is_early)
    label = read_label(options.get("label"))
    hand = options.get("hand")

    def write_command(given: str) -> str:
        again = {"dice": text.replace(" ", ""), "label": label, "hand": given}
        words = " ".join(f"{key}={quote_value(value)}" for key, value in again.items() if value)
        return f"/roll {words}{' secret' if is_flag_on(options, 'secret') else ''}"

    rolling = play_with_dice(
        lambda dice: roll(expression, dice), source, _split_digits(expression, hand), write_command
    )
    inputs = {"dice": text} | ({"label": label} if label else {})
    by_hand = hand not in (None, "")
    answer = rolling.answer
    happening = PlayRecord(
        "roll",
        inputs=inputs,
        dice=rolling.dice,
        out=rolling.to_output(),
        by_hand=by_hand,
        result=answer,
    )
    return ReplyWithRecord(build_roll_reply(rolling, who, label), happening)


_QUOTED = re.compile(r"\s*[\"\u201c\u201d\u201e\u00ab](.+)[\"\u201c\u201d\u201f\u00bb]\s*")


def _without_quotes(text: str) -> str:
    """Return dice without the quotation marks around all of them, as phones type them."""
    quoted = _QUOTED.fullmatch(text)
    return quoted[1] if quoted else text


def _split_digits(expression: Expression, hand: object) -> object:
    """Return real dice typed as the numbers that they are read as, 36 for 3 and 6, one by one.

    Other dice, and those of an expression with further dice, are returned as typed.
    """
    pools = expression.pools
    if not pools or not all(pool.as_digits for pool in pools):
        return hand
    numbers = re.split(r"[\s,;]+", str(hand or "").strip())
    if not all(number.isdecimal() and len(number) == pools[0].count for number in numbers):
        return hand
    return ",".join(digit for number in numbers for digit in number)


def read_label(raw: object) -> str:
    """What a roll is for, in one line. Raises UserError for one that is too long."""
    label = " ".join(clean(_LABEL, raw).split()) if raw else ""
    if len(label) > MAX_LABEL:
        raise UserError(
            f"A label has at most {MAX_LABEL} characters.", option="label", code="too-long"
        )
    return label


def build_roll_reply(rolling: Rolling, who: str, label: str = "") -> Reply:
    """The public answer: the result and what it is for, who rolled what; the dice below."""
    title = rolling.answer
    if label:
        title += f" {label}" if label.casefold().startswith("for ") else f" for {label}"
    told = tuple(
        Small(f"Every die counts so. For their sum: {pool.count}{pool.die_name} sum{test}")
        for pool in (rolling.expression.pools if rolling.expression.is_count else ())
        if (test := pool.count_if) and test.fits(pool.lowest) and test.fits(pool.highest)
    )
    return Reply(
        title, (*_build_roll_lines(rolling), *told), by=f"{who} rolls {rolling.notation}", bare=True
    )


def _build_roll_lines(rolling: Rolling) -> list[Line]:
    """The dice of each roll; those of a repeat by their number."""
    if rolling.expression.repeat is None:
        result = rolling.results[0]
        against = result.expression.against
        sum_ = "" if against is None else f" = {result.total}, the sum against {against.words()}"
        return [_build_sum_line(result) or Line("dice", result=result.format_work() + sum_)]
    return [
        Line(f"{place}", result=f"{one.format_work()} = {one.answer}")
        for place, one in enumerate(rolling.results, 1)
    ]


def build_dice_odds_reply(options: Mapping[str, object]) -> Reply:
    """The exact odds of what dice come to, highest first, privately; nothing is rolled. Raises
    UserError.
    """
    expression = parse(str(options.get("dice") or ""))
    chances = compute_odds(expression)
    against = expression.against
    if against is not None:
        yes = sum((chances[value] for value in chances if against.fits(int(value))), Fraction(0))
        title = f"{format_percent(float(yes))} for a sum of {against.words()}"
        rows = [("success", yes), ("failure", 1 - yes)]
    elif expression.is_text:
        title = "Each face"
        rows = [(str(face), chance) for face, chance in chances.items()]
    else:
        mean = sum((int(value) * chance for value, chance in chances.items()), Fraction(0))
        title = f"{float(mean):.4g} on average"
        rows = _group_numbers_in_bands(chances)
    least = (
        list(accumulate(chance for _, chance in rows))[:-1]
        if len(rows) > 2 and not expression.is_text
        else []
    )
    bars = Odds(
        "Successes" if expression.is_count else "Face" if expression.is_text else "Sum",
        tuple((word, float(chance)) for word, chance in rows),
        least=tuple(map(float, least)),
        exact=tuple(str(chance) for _, chance in rows),
    )
    return Reply(
        title, (bars, Small("Exact; nothing is rolled.")), by=expression.notation, private=True
    )


def _group_numbers_in_bands(chances: Chances) -> list[tuple[str, Fraction]]:
    """Each number with its chance, highest first; of many numbers several together: `21-25`."""
    numbers = list(chances)[::-1]
    step = -(-len(numbers) // MOST_ROWS)
    bands = (numbers[at : at + step] for at in range(0, len(numbers), step))
    return [
        (
            "-".join(map(str, dict.fromkeys((band[-1], band[0])))),
            sum(map(chances.__getitem__, band), Fraction(0)),
        )
        for band in bands
    ]


def _build_sum_line(result: RollResult) -> Line | None:
    """Dice and constants that are only added up, as a line; None for anything else."""
    added = result.added
    if added is None or not result.is_plain:
        return None
    against = result.expression.against
    label = result.expression.pools[0].line_name
    if against is None:
        return Line(label, tuple(result.thrown[0][0]), added)
    return Line(
        label, tuple(result.thrown[0][0]), added, result.total, f"the sum against {against.words()}"
    )


def look_up_table(
    table: Table, options: Mapping[str, object], who: str, source: Source
) -> ReplyWithRecord:
    """Return the answer of a table; one that rolls begins with "Rolled:".

    A roll that is missing is rolled with `source` and is a happening; a cell that names another
    table rolls on that one, too. If what was rolled leads to no answer, that is the answer, so that a
    refusal shows no dice. Raises UserError before the first die, for inputs that the table refuses.
    """
    outcome = _look_up_chain(table, options, who, source)
    if outcome.happening is None:
        return outcome
    title = f"{_ROLLED}{outcome.reply.title}"
    return outcome._replace(reply=replace(outcome.reply, title=title))


_ROLLED = "Rolled: "


def retell_look_up(table: Table, event: Mapping[str, Any]) -> str:
    """Return the headline of a look-up that rolled, as it was answered then.

    "" if the table of today answers those dice otherwise.
    """
    script = Script([die["value"] for die in event.get("dice") or ()])
    try:
        outcome = look_up_table(table, event.get("inputs") or {}, "", script)
    except UserError:
        return ""
    happening = outcome.happening
    if happening is None or happening.result != event.get("result"):
        return ""
    return outcome.reply.title.removeprefix(_ROLLED)


def _look_up_chain(
    table: Table, options: Mapping[str, object], who: str, source: Source
) -> ReplyWithRecord:
    """Return the answer of a table together with that of each table rolled after it."""
    given = {name: value for name, value in options.items() if value is not None}
    rolled: list[RolledDie] = []
    owed = table.owes(given)
    if (table.blank or table.chain) and (owed or table.chain):
        check_reach(table, given, owed)
    for option, dice in owed:
        values = [source.draw(die) for die in dice]
        rolled += [die.with_value(value) for die, value in zip(dice, values, strict=True)]
        given[option] = sum(value for value in values if isinstance(value, int))
    try:
        answer = table.read(given)
        behind = table.chain.get(str(answer.out.get(CHAIN)))
        further = (
            _look_up_chain(behind, behind.select_handed_inputs(given), who, source)
            if behind is not None
            else None
        )
    except UserError as error:
        if not rolled:
            raise
        return _build_unanswered_lookup(table, options, rolled, who, error)
    reply = build_lookup_reply(table, given, answer, who if rolled else "", rolled)
    reply = (
        reply
        if further is None or behind is None
        else _join_table_replies(reply, answer, behind, further.reply)
    )
    after = None if further is None else further.happening
    if not rolled and after is None:
        return ReplyWithRecord(reply, given=given)
    inputs = {name: value for name, value in options.items() if value is not None}
    happening = PlayRecord(
        "table",
        inputs=inputs,
        dice=(*rolled, *(after.dice if after is not None else ())),
        out={**answer.out, **({NEXT: dict(after.out)} if after is not None else {})},
        system=table.system,
        target=table.id,
        result="; ".join(
            filter(
                None, (_format_for_log(table, answer), after.result if after is not None else "")
            )
        ),
    )
    return ReplyWithRecord(reply, happening, given)


_DIGITS = (("tens", "ones"), ("hundreds", "tens", "ones"))


def split_digits_of_row(table: Table, options: Mapping[str, object]) -> dict[str, object]:
    """Return the options of a look-up, with the number of a row in place of the first of dice that
    are read as digits (36) as these dice (3 and 6).
    """
    places = tuple(roll.option for roll in table.rolls)
    given = dict(options)
    number = str(given.get(places[0], "")) if places in _DIGITS else ""
    has_more = any(given.get(place) is not None for place in places[1:])
    if has_more or not number.isdecimal() or len(number) != len(places):
        return given
    return given | dict(zip(places, number, strict=True))


def _build_unanswered_lookup(
    table: Table, options: Mapping[str, object], rolled: Many[RolledDie], who: str, error: UserError
) -> ReplyWithRecord:
    """Return the dice of a table that has no answer for them, with the sentence that says why."""
    result = format_no_result(error)
    reply = Reply(result, (Thrown(tuple(die.value for die in rolled)),), by=f"{who}, {table.title}")
    inputs = {name: value for name, value in options.items() if value is not None}
    happening = PlayRecord(
        "table",
        inputs=inputs,
        dice=tuple(rolled),
        system=table.system,
        target=table.id,
        result=result,
    )
    return ReplyWithRecord(reply, happening, inputs)


def _join_table_replies(reply: Reply, answer: Answer, behind: Table, further: Reply) -> Reply:
    """The answer of a table with that of the one behind it, as a line of its own and the words
    of both on top.
    """
    title = (
        f"{reply.title}; {further.title}"
        if select_outputs(answer) or answer.text
        else further.title
    )
    return replace(
        reply,
        title=title,
        lines=(*reply.lines, Small(f"{behind.title}: {further.title}"), *further.lines),
    )


def check_reach(
    table: Table, given: Mapping[str, object], owed: Many[tuple[str, tuple[Die, ...]]]
) -> None:
    """Raise UserError, before a die falls, where the dice that are owed could come to a blank cell,
    or to a table with one."""
    for behind in table.chain.values():
        behind.check_filled()
        check_reach(behind, behind.select_handed_inputs(given), ())
    if not (table.blank and owed):
        return
    totals = [range(len(dice), sum(die.sides for die in dice) + 1) for _, dice in owed]
    for values in product(*totals) if prod(map(len, totals)) <= MOST_TRIED else ():
        try:
            table.read({**given, **dict(zip((option for option, _ in owed), values, strict=True))})
        except UserError as error:
            if error.code == "blank-cell":
                raise
    if prod(map(len, totals)) > MOST_TRIED:
        table.check_filled()


def _format_for_log(table: Table, answer: Answer) -> str:
    """The answer in the words that the log keeps: verify compares them, so they never change."""
    said = select_outputs(answer)
    words = (
        ", ".join(_format_logged_value(name, value, len(said)) for name, value in said.items())
        or answer.text
        or "no effect"
    )
    return f"{table.title}: {words}".rpartition(f"{table.title}: ")[2]


def _format_logged_value(name: str, value: object, count: int) -> str:
    shown = _format_value(value)
    return (
        shown
        if count == 1 and not isinstance(value, bool | int | float)
        else f"{name.replace('_', ' ')} {shown}"
    )


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join(map(_format_value, value))
    return str(value)
