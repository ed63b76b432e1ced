"""Rolls of dice, `/roll 2d6+3`, and look-ups in tables, which roll the dice that were not given."""

import re
from collections.abc import Mapping
from collections.abc import Sequence as Many
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, product
from math import prod
from typing import Any, NamedTuple

from bot.presentation.multi_unit_play import format_no_result
from bot.presentation.play_record import PlayRecord, play_with_dice
from bot.presentation.tables import build_lookup_reply
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
from bot.ui.reply.parts import Odds, Part, Small, Thrown
from bot.ui.reply.percents import format_percent
from bot.ui.reply.reply import Reply
from bot.ui.typing.command_text import quote_value

MAX_LABEL = 100
MOST_ROWS = 20
"""The maximum number of rows in the odds of dice."""
MOST_TRIED = 2_000
"""The maximum number of totals of a table with blank cells that are tried before dice fall."""
_LABEL = Option("label", "str")


def roll_dice(
    options: Mapping[str, object], who: str, source: Source, *, is_early: bool = False
) -> tuple[Reply, PlayRecord]:
    """Roll an expression for the player `who`, and return the reply and the record of the roll.

    `is_early` reads it as early logs do, see `parse`. Raises ExpressionError with the position of
    the fault, and UserError for real dice that do not fit.
    """
    text = options.get("dice")
    if not isinstance(text, str) or not text.strip():
        hint = phrase("Type `/roll 2d6+3`. `/help dice` shows everything you can write.")
        raise UserError("/roll needs dice.", hint=hint, option="dice", code="missing")
    text = _without_quotes(text)
    expression = parse(text, is_early=is_early)
    label = read_label(options.get("label"))
    hand = options.get("hand")

    def write_command(given: str) -> str:
        values = {"dice": text.replace(" ", ""), "label": label, "hand": given}
        words = " ".join(f"{key}={quote_value(value)}" for key, value in values.items() if value)
        secret = " secret" if is_flag_on(options, "secret") else ""
        return f"/roll {words}{secret}"

    hand_dice = _split_digits(expression, hand)
    rolling = play_with_dice(lambda dice: roll(expression, dice), source, hand_dice, write_command)
    inputs = {"dice": text}
    if label:
        inputs["label"] = label
    record = PlayRecord(
        "roll",
        inputs=inputs,
        dice=rolling.dice,
        out=rolling.to_output(),
        by_hand=hand not in (None, ""),
        result=rolling.answer,
    )
    return build_roll_reply(rolling, who, label), record


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
    """Return the label of a roll in one line; "" for none. Raises UserError if it is too long."""
    label = " ".join(clean(_LABEL, raw).split()) if raw else ""
    if len(label) > MAX_LABEL:
        raise UserError(
            f"A label can have at most {MAX_LABEL} characters.", option="label", code="too-long"
        )
    return label


def build_roll_reply(rolling: Rolling, who: str, label: str = "") -> Reply:
    """Build the public answer: the result with its label, the player and notation, the dice below."""
    title = rolling.answer
    if label:
        title += f" {label}" if label.casefold().startswith("for ") else f" for {label}"
    lines: list[Part] = [*_build_roll_lines(rolling)]
    pools = rolling.expression.pools if rolling.expression.is_count else ()
    for pool in pools:
        test = pool.count_if
        if test and test.fits(pool.lowest) and test.fits(pool.highest):
            sum_notation = f"{pool.count}{pool.die_name} sum{test}"
            lines.append(Small(f"Every die passes that test. To test their sum: {sum_notation}"))
    return Reply(title, tuple(lines), by=f"{who} rolls {rolling.notation}", bare=True)


def _build_roll_lines(rolling: Rolling) -> list[Line]:
    """Return the dice of the roll as a line; of a repeat one numbered line for each roll."""
    if rolling.expression.repeat is None:
        result = rolling.results[0]
        line = _build_sum_line(result)
        if line is not None:
            return [line]
        against = result.expression.against
        sum_ = "" if against is None else f" = {result.total}, the sum against {against.words()}"
        return [Line("dice", result=result.format_work() + sum_)]
    return [
        Line(f"{number}", result=f"{result.format_work()} = {result.answer}")
        for number, result in enumerate(rolling.results, 1)
    ]


def build_dice_odds_reply(options: Mapping[str, object]) -> Reply:
    """Build the private reply with the exact odds of an expression, highest first.

    Nothing is rolled. Raises UserError for dice that cannot be read.
    """
    expression = parse(str(options.get("dice") or ""))
    chances = compute_odds(expression)
    against = expression.against
    if against is not None:
        success = sum(
            (chances[value] for value in chances if against.fits(int(value))), Fraction(0)
        )
        title = f"{format_percent(float(success))} for a sum of {against.words()}"
        rows = [("success", success), ("failure", 1 - success)]
    elif expression.is_text:
        title = "Each face"
        rows = [(str(face), chance) for face, chance in chances.items()]
    else:
        mean = sum((int(value) * chance for value, chance in chances.items()), Fraction(0))
        title = f"{float(mean):.4g} on average"
        rows = _group_numbers_in_bands(chances)
    least: list[Fraction] = []
    if len(rows) > 2 and not expression.is_text:
        least = list(accumulate(chance for _, chance in rows))[:-1]
    heading = "Face" if expression.is_text else "Sum"
    if expression.is_count:
        heading = "Successes"
    bars = Odds(
        heading,
        tuple((word, float(chance)) for word, chance in rows),
        least=tuple(map(float, least)),
        exact=tuple(str(chance) for _, chance in rows),
    )
    exact = Small("Exact odds. Nothing was rolled.")
    return Reply(title, (bars, exact), by=expression.notation, private=True)


def _group_numbers_in_bands(chances: Chances) -> list[tuple[str, Fraction]]:
    """Return (number, chance) of each number, the highest number first. If there are more than
    MOST_ROWS, several share a band such as `21-25`, with the sum of their chances.
    """
    numbers = list(chances)[::-1]
    size = -(-len(numbers) // MOST_ROWS)
    rows = []
    for start in range(0, len(numbers), size):
        band = numbers[start : start + size]
        bounds = dict.fromkeys((band[-1], band[0]))
        chance = sum((chances[number] for number in band), Fraction(0))
        rows.append(("-".join(map(str, bounds)), chance))
    return rows


def _build_sum_line(result: RollResult) -> Line | None:
    """Return dice and constants that are only added up as a line; None for anything else."""
    added = result.added
    if added is None or not result.is_plain:
        return None
    against = result.expression.against
    label = result.expression.pools[0].line_name
    dice = tuple(result.thrown[0][0])
    if against is None:
        return Line(label, dice, added)
    return Line(label, dice, added, result.total, f"the sum against {against.words()}")


class TableLookUp(NamedTuple):
    """The answer of a table, and the record of its dice if it rolled any."""

    reply: Reply
    inputs: Mapping[str, Any]
    """The inputs that it answers, including the rolled ones."""
    record: PlayRecord | None = None
    """None if nothing was rolled. Then the log keeps nothing of the look-up."""


def look_up_table(
    table: Table, options: Mapping[str, object], who: str, source: Source
) -> TableLookUp:
    """Return the answer of a table; one that rolls begins with "Rolled:".

    A roll that is missing is rolled with `source` and recorded for the log. A cell that names
    another table rolls on that one, too. If the dice lead to no answer, the reply says so and shows
    them, so that a refusal never shows dice. Raises UserError before the first die, for inputs that
    the table refuses.
    """
    look_up = _look_up_chain(table, options, who, source)
    if look_up.record is None:
        return look_up
    title = f"{_ROLLED}{look_up.reply.title}"
    return look_up._replace(reply=replace(look_up.reply, title=title))


_ROLLED = "Rolled: "


def retell_look_up(table: Table, event: Mapping[str, Any]) -> str:
    """Return the headline of a look-up that rolled, as it was shown then.

    "" if today's table gives another answer for those dice.
    """
    script = Script([die["value"] for die in event.get("dice") or ()])
    try:
        look_up = look_up_table(table, event.get("inputs") or {}, "", script)
    except UserError:
        return ""
    record = look_up.record
    if record is None or record.result != event.get("result"):
        return ""
    return look_up.reply.title.removeprefix(_ROLLED)


def _look_up_chain(
    table: Table, options: Mapping[str, object], player: str, source: Source
) -> TableLookUp:
    """Return the answer of a table together with that of each table rolled after it."""
    inputs = {name: value for name, value in options.items() if value is not None}
    complete_inputs, rolled = _roll_missing_inputs(table, inputs, source)
    try:
        answer = table.read(complete_inputs)
        chained = _look_up_chained_table(table, answer, complete_inputs, player, source)
    except UserError as error:
        if not rolled:
            raise
        return _build_unanswered_lookup(table, options, rolled, player, error)
    reply = build_lookup_reply(table, complete_inputs, answer, player if rolled else "", rolled)
    chained_record: PlayRecord | None = None
    if chained is not None:
        reply = _join_table_replies(reply, answer, chained.table, chained.look_up.reply)
        chained_record = chained.look_up.record
    if not rolled and chained_record is None:
        return TableLookUp(reply, complete_inputs)
    record = _build_table_record(table, inputs, rolled, answer, chained_record)
    return TableLookUp(reply, complete_inputs, record)


def _roll_missing_inputs(
    table: Table, inputs: Mapping[str, object], source: Source
) -> tuple[dict[str, object], list[RolledDie]]:
    """Roll the dice of the inputs that are missing. Return all inputs, and these dice in order.

    Raises UserError before the first die if some dice would lead to a blank cell.
    """
    complete_inputs = dict(inputs)
    rolled: list[RolledDie] = []
    pending = table.list_needed_rolls(complete_inputs)
    if (table.blank or table.chain) and (pending or table.chain):
        check_reach(table, complete_inputs, pending)
    for option, dice in pending:
        values = [source.draw(die) for die in dice]
        rolled += [die.with_value(value) for die, value in zip(dice, values, strict=True)]
        complete_inputs[option] = sum(value for value in values if isinstance(value, int))
    return complete_inputs, rolled


class _ChainedLookup(NamedTuple):
    """The table that a cell of another one names, and its answer."""

    table: Table
    look_up: TableLookUp


def _look_up_chained_table(
    table: Table, answer: Answer, inputs: Mapping[str, object], player: str, source: Source
) -> _ChainedLookup | None:
    """Look up the table that an answer names, with the inputs handed on. None if it names none."""
    chained_table = table.chain.get(str(answer.out.get(CHAIN)))
    if chained_table is None:
        return None
    chained_inputs = chained_table.select_handed_inputs(inputs)
    look_up = _look_up_chain(chained_table, chained_inputs, player, source)
    return _ChainedLookup(chained_table, look_up)


def _build_table_record(
    table: Table,
    inputs: Mapping[str, object],
    rolled: Many[RolledDie],
    answer: Answer,
    chained: PlayRecord | None,
) -> PlayRecord:
    """Build the record of a table that rolled, with the record of the table rolled after it."""
    out = dict(answer.out)
    dice = tuple(rolled)
    result = _format_for_log(table, answer)
    if chained is not None:
        dice += chained.dice
        out[NEXT] = dict(chained.out)
        result = "; ".join(filter(None, (result, chained.result)))
    return PlayRecord(
        "table",
        inputs=inputs,
        dice=dice,
        out=out,
        system=table.system,
        target=table.id,
        result=result,
    )


_DIGITS = (("tens", "ones"), ("hundreds", "tens", "ones"))


def split_digits_of_row(table: Table, options: Mapping[str, object]) -> dict[str, object]:
    """Return the options of a look-up with a row number split into the dice of that table.

    If the dice are read as digits, 36 in place of the first die becomes 3 and 6. Other options are
    returned as they are.
    """
    names = tuple(roll.option for roll in table.rolls)
    inputs = dict(options)
    number = str(inputs.get(names[0], "")) if names in _DIGITS else ""
    has_more = any(inputs.get(name) is not None for name in names[1:])
    if has_more or not number.isdecimal() or len(number) != len(names):
        return inputs
    return inputs | dict(zip(names, number, strict=True))


def _build_unanswered_lookup(
    table: Table,
    options: Mapping[str, object],
    rolled: Many[RolledDie],
    player: str,
    error: UserError,
) -> TableLookUp:
    """Return the reply and record of dice for which a table has no answer, with the reason."""
    result = format_no_result(error)
    dice = Thrown(tuple(die.value for die in rolled))
    reply = Reply(result, (dice,), by=f"{player}, {table.title}")
    inputs = {name: value for name, value in options.items() if value is not None}
    record = PlayRecord(
        "table",
        inputs=inputs,
        dice=tuple(rolled),
        system=table.system,
        target=table.id,
        result=result,
    )
    return TableLookUp(reply, inputs, record)


def _join_table_replies(reply: Reply, answer: Answer, chained: Table, following: Reply) -> Reply:
    """Return the answer of a table joined with that of the table rolled after it.

    The title has the words of both. The second answer also has a line of its own.
    """
    title = following.title
    if select_outputs(answer) or answer.text:
        title = f"{reply.title}; {following.title}"
    chained_line = Small(f"{chained.title}: {following.title}")
    return replace(reply, title=title, lines=(*reply.lines, chained_line, *following.lines))


def check_reach(
    table: Table, given: Mapping[str, object], owed: Many[tuple[str, tuple[Die, ...]]]
) -> None:
    """Check, before a die falls, that no dice lead to a blank cell of this table or of one after it.

    `owed` are the dice still to be rolled, by option. Raises UserError for a blank cell.
    """
    for chained in table.chain.values():
        chained.check_filled()
        check_reach(chained, chained.select_handed_inputs(given), ())
    if not (table.blank and owed):
        return
    names = [option for option, _ in owed]
    totals = [range(len(dice), sum(die.sides for die in dice) + 1) for _, dice in owed]
    if prod(map(len, totals)) > MOST_TRIED:
        table.check_filled()
        return
    for values in product(*totals):
        inputs = {**given, **dict(zip(names, values, strict=True))}
        try:
            table.read(inputs)
        except UserError as error:
            if error.code == "blank-cell":
                raise


def _format_for_log(table: Table, answer: Answer) -> str:
    """Return the answer in the words that the log keeps: verify compares them, so they never change."""
    outputs = select_outputs(answer)
    texts = [_format_logged_value(name, value, len(outputs)) for name, value in outputs.items()]
    words = ", ".join(texts) or answer.text or "no effect"
    return f"{table.title}: {words}".rpartition(f"{table.title}: ")[2]


def _format_logged_value(name: str, value: object, count: int) -> str:
    """Format an output for the log: `hits 3`.

    The name is left out if `count` is 1 and the value is a word or a list.
    """
    text = _format_value(value)
    if count == 1 and not isinstance(value, bool | int | float):
        return text
    return f"{name.replace('_', ' ')} {text}"


def _format_value(value: object) -> str:
    """Return a value in words: yes or no, the items of a list with blanks between, else as it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join(map(_format_value, value))
    return str(value)
