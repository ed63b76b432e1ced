"""Every sequence that acts with a unit, of every game and pack: acting out of turn, in the wrong
phase or for another chit's formation is remarked on in one grey line, and refused in a strict game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.game.state import Game
from bot.rules.inputs.options import ACTS
from bot.rulesets.catalog import PACKS, load_shared_systems
from bot.rulesets.system import ATTACKS, Sequence, System
from bot.ui.registry import build_sequence_spec
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import Reply
from bot.ui.typing.command_text import format_command
from tests.playing import Channel
from tests.seams.outcomes import Ready, ready

ROOT = Path(__file__).parents[2]
REMARK = "Out of turn: B to play"
FIRST = {("lnlt", "rally"): [f'unit edit "Zebra {n}" state=shaken' for n in (1, 2)]}
"""What has to happen before an example can be played."""


def acts() -> Iterator[tuple[str, str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PACKS, str(ROOT / "packs"))
        load_shared_systems.cache_clear()
        found = [
            (game.id, name)
            for game in load_shared_systems().values()
            if game.base is None and not is_led(game)
            for name, sequence in game.sequences.items()
            if sequence.is_act and acting(sequence)
        ]
    load_shared_systems.cache_clear()
    yield from found


def acting(sequence: Sequence) -> set[str]:
    """The inputs that say who acts."""
    units = [option for option in sequence.inputs if option.type in ("unit", "units")]
    return {option.name for option in units if option.part == ACTS}


def is_led(game: System) -> bool:
    """Whether a cup of sides that it names leads a phase: it is tried below."""
    return any("led_by" in phase for phase in game.game.get("phases") or ())


def grey(reply: Reply) -> str:
    """The small print of an answer."""
    return "\n".join(str(part.text) for part in reply.lines if isinstance(part, Small))


async def change(channel: Channel, **fields: Any) -> Game:
    """Let the game in memory be as it would be in the midst of a turn."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    game = replace(loaded.game, **fields)
    channel.app.games.keep(loaded._replace(game=game))
    return game


def wrong_phase(sequence: Sequence) -> tuple[str, str]:
    """A phase without a place for this, and what is said there; "" if each one has a place."""
    phases = sequence.system.game.get("phases") or []
    attacks = {name for name, one in sequence.system.sequences.items() if one.verb in ATTACKS}
    wanted = attacks if sequence.verb in ATTACKS else {sequence.id}
    with_it = [phase for phase in phases if wanted & {*(phase.get("buttons") or ())}]
    without = [phase for phase in phases if phase not in with_it and "led_by" not in phase]
    if not with_it or not without:
        return "", ""
    title = str(without[0]["title"])
    is_named = title.lower().endswith("phase")
    return without[0]["name"], f"his is the {title}" if is_named else f"he phase is {title}"


async def typed(one: Ready) -> str:
    spec = build_sequence_spec(one.sequence)
    return format_command(spec, {**one.raw}).removeprefix("/")


@pytest.mark.sample(6)
@pytest.mark.parametrize(("game", "name"), [*acts()])
async def test_an_act_out_of_turn_or_phase_is_remarked_on(
    game: str, name: str, use_packs: Callable[[Path], None]
) -> None:
    use_packs(ROOT / "packs")
    one = await ready(load_shared_systems()[game].find_sequence(name))
    channel, line = one.channel, await typed(one)
    if first := FIRST.get((game, name)):
        await channel.do("Anna", *first)
    phase, says = wrong_phase(one.sequence)
    now = await channel.game()
    fields = {"phase": phase} if phase else {"phase": now.phase}
    await change(channel, go=("B",), led="", **fields)
    reply = await channel.say("Anna", line)
    if reply.error or not acting(one.sequence) & one.raw.keys():
        pytest.skip(f"its example cannot be played here: {reply.format_text()}")
    assert REMARK in grey(reply), reply.format_text()
    assert says in grey(reply), reply.format_text()


async def test_a_chit_limits_play_to_its_formation(use_packs: Callable[[Path], None]) -> None:
    use_packs(ROOT / "packs")
    channel = await Channel.fresh()
    await channel.do("Sam", "game start three-mills scenario=sorrel")
    undrawn = await channel.do("Sam", 'three-mills move "Line 1" n2')
    assert "The next chit has not been drawn yet." in grey(undrawn)
    await channel.do("Sam", "game undo", "deck draw cup hand=line")
    other = await channel.do("Sam", "three-mills move Grenadiers c2")
    assert "The chit in play is Line." in grey(other)
    own = await channel.do("Sam", 'three-mills move "Line 1" n2')
    assert "chit" not in grey(own)
    await channel.do("Sam", "game settings strict=yes")
    refused = await channel.say("Sam", "three-mills move Hussars s2")
    assert (refused.code, refused.title) == ("strict-game", "The chit in play is Line.")


async def test_an_element_without_its_card_is_remarked_on_whatever_it_does() -> None:
    channel = await Channel.fresh()
    await channel.do("Sam", "game start ucn scenario=causeway", 'game settings rule="element-deck"')
    await channel.do("Sam", "deck draw elements hand=us1")
    for line in ("ucn spot us2 germ1", "ucn act us2 climb-low", "ucn act germ1 climb-low"):
        assert "It's 1st Squad's activation." in grey(await channel.do("Sam", line)), line
