"""What is offered instead of a slip is never what was typed, and would be taken if it were typed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rules.errors import UserError
from bot.rules.inputs.options import InputReader
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.system import list_builtin_systems
from bot.ui.registry import TABLE
from bot.ui.reply.reply import build_error_reply
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import parse_text, quote_value
from bot.ui.typing.corrections import (
    check_correction,
    check_values,
    find_refusal,
    offer_word_for_unit,
)
from tests.playing import Channel

FAMILIES = [*list_builtin_systems(), *(game + TABLE for game in list_builtin_systems()), "of all"]
OFFER = re.compile(r"Did you mean (.*)\?")


def misspell(word: str) -> str:
    """Return a word with two letters in its middle in the wrong order."""
    middle = len(word) // 2
    return word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]


def specs_of(family: str) -> list[CommandSpec]:
    fixed = [name for name in load_shared_registry().top_names if name not in FAMILIES]
    return [
        spec
        for name in (fixed if family == "of all" else [family])
        for spec in load_shared_registry().list_below((name,))
    ]


def list_slips(family: str) -> Iterator[str]:
    """Yield lines with one slip each: in the name of a command, an option or a value, and printed
    names without their last words, or with a word too many.
    """
    for name in load_shared_registry().list_printed_names(family) if family.endswith(TABLE) else ():
        words = name.split("-")
        yield from (f"{family} {' '.join(words[:count])}" for count in range(1, len(words)))
        yield f"{family} {' '.join(words)} there"
        yield f"{family} {' '.join([misspell(words[0]), *words[1:]])}"
        yield f"{family} {' '.join([*words[:-1], misspell(words[-1])])}"
    for spec in specs_of(family):
        path = " ".join(spec.path)
        yield f"{' '.join(spec.path[:-1])} {misspell(spec.path[-1])}"
        yield misspell(path)
        yield f"{spec.path[-1]} x"
        yield f"help {misspell(spec.path[-1])}"
        for option in spec.options:
            yield f"{path} {misspell(option.name)}=1"
            yield from (
                f"{path} {option.name}={quote_value(misspell(value))}"
                for value in option.values[:6]
            )
            yield from (f"{path} {misspell(value)}" for value in option.values[:3])


def refuse(line: str) -> UserError | None:
    """Return the refusal of a line with what is offered instead, as the app gives it."""
    try:
        check_values(parse_text(line, load_shared_registry()), load_shared_registry())
    except UserError as error:
        check_correction(error, line, load_shared_registry())
        return error
    return None


def check_offer(line: str, error: UserError) -> bool:
    """Check what is offered instead of a line; return whether there is a whole line."""
    reply = build_error_reply(error, line)
    for name in re.split(r", | or ", (OFFER.match(error.hint) or ["", ""])[1]):
        assert not name or name != line.removeprefix("/"), (line, error.hint)
        assert name != getattr(error.hint, "wrong", None), (line, error.hint)
    if not reply.better:
        return False
    assert reply.better != line, line
    assert find_refusal(reply.better, load_shared_registry()) is None, (line, reply.better)
    return True


@pytest.mark.sample(2)
@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_offered_instead_of_a_slip_is_taken(family: str) -> None:
    slips = list(list_slips(family))
    refused = [(line, error) for line in slips if (error := refuse(line)) is not None]
    offered = [line for line, error in refused if check_offer(line, error)]
    assert len(offered) * 4 > len(refused) > 40, (len(slips), len(refused), len(offered))


@pytest.mark.parametrize(
    ("line", "better"),
    [
        ("nhis-table movement", "nhis-table movement-cost"),
        ("lnlt-table melee ods 7 4", "lnlt-table melee-odds 7 4"),
        ("lntl-table melee-ods 7 4", "lnlt-table melee-odds 7 4"),
        ("start a game", ""),
        ("help your own dices", "/help Your own dice"),
        ("help sealed dices", ""),
    ],
)
async def test_a_line_is_corrected_whole_or_not_at_all(line: str, better: str) -> None:
    channel = await Channel.fresh()
    reply = await channel.say("Anna", line)
    assert reply.error
    assert reply.better == better
    assert not better or not (await channel.say("Anna", better)).error


async def test_a_unit_where_a_word_is_needed_is_answered_with_the_word() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US")
    for unit in ("us5", '"Lt Brooks"'):
        refused = await channel.refused("Anna", f"rally us1 rallier={unit}", "bad-value rallier")
        assert "Lt Brooks is a leader" in refused.format_text()
        assert refused.better == "/lnlt rally units=us1 rallier=leader lm=1"
    refused = await channel.refused("Anna", "rally us1 rallier=us6", "bad-value rallier")
    assert refused.better == "/lnlt rally units=us1 rallier=other"
    await channel.do("Anna", "unit edit us1 shaken", "lnlt rally units=us1 rallier=leader lm=1")


@pytest.mark.parametrize("family", list_builtin_systems())
def test_every_option_with_words_names_the_type_of_a_unit(family: str) -> None:
    """The line that is offered has a word in place of the unit."""
    for spec in specs_of(family):
        for option in spec.options:
            if option.type != "enum":
                continue
            types = [*option.values, "sentinel"]
            for type_ in types:
                unit = RosterUnit("Old Guard", "xx1", type_)
                with pytest.raises(UserError) as caught:
                    InputReader([option]).read({option.name: "xx1"}, spec.name)
                error = caught.value
                offer_word_for_unit(error, spec, {option.name: "xx1"}, {"xx1": unit})
                assert "Old Guard is a" in error.hint, (spec.name, option.name)
                is_offered = type_ in option.values or "other" in option.values
                assert bool(error.better) == is_offered, (spec.name, option.name)
                if is_offered:
                    value = parse_text(error.better, load_shared_registry()).options[option.name]
                    assert value in option.values, (spec.name, option.name)
