"""A misspelt value of any option with a list of words is met with the word that is meant."""

from __future__ import annotations

from bot.commands.dispatch import load_shared_registry
from bot.rules.errors import Hint, UserError
from bot.rules.inputs.options import clean
from tests.playing import Channel


def _misspell(word: str) -> str:
    """Return the word without its third letter."""
    return word[:2] + word[3:]


def test_every_word_of_every_list_is_found_when_it_is_misspelt() -> None:
    silent = []
    count = 0
    for spec in load_shared_registry():
        for option in spec.options:
            if option.type != "enum":
                continue
            words = [str(value) for value in option.values if len(str(value)) > 5]
            for word in words[:2]:
                slip = _misspell(word)
                if not slip.isascii() or slip in option.values:
                    continue
                count += 1
                try:
                    clean(option, slip)
                except UserError as error:
                    if not isinstance(error.hint, Hint) or not error.hint:
                        silent.append(f"{spec.name} {option.name}={slip}")
    assert count > 200
    assert silent == []


SLIPS = {
    "game start scenario=frod": "ford",
    "game start lnlt scenario=frod": "ford",
    "game join VCC": "VC",
    "game join U": "US",
    "game initiative USS": "US",
    "game end winner=VCC": "VC",
    'unit add "New 1" squad USS': "US",
    'unit add "New 1" sqaud US': "squad",
    "unit edit us1 firepower=3": "fp, sw or mg",
    "unit edit us1 morle=3": "morale",
    "unit edit us1 shakn": "shaken",
    "unit list shakn": "shaken",
    "unit list side=USS": "US",
    "unit show Rifel1": "Rifle 1",
    "log side=USS": "US",
    "deck draw stndard-52": "standard-52",
    "me ping zone=Europe/Berln": "Europe/Berlin",
    "macro run shto": "shot",
    "help frod": "ford",
}


async def test_slips_in_what_a_game_has_are_met_with_what_is_meant() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "macro add shot lnlt fire us1 vc1")
    for typed, meant in SLIPS.items():
        refused = await channel.say("Anna", typed)
        assert refused.error, typed
        assert f"Did you mean {meant}?" in refused.format_body(), (
            f"{typed}: {refused.format_text()}"
        )
    await channel.app.close()
