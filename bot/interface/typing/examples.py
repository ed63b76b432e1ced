"""Examples in the words of the game that a channel plays."""

from __future__ import annotations

from bot.interface.spec import CommandSpec
from bot.systems.catalog import systems
from bot.systems.system import System

ADD, EDIT = ("unit", "add"), ("unit", "edit")
MOST = 2
"""Numbers of a unit that an example shows."""


def example_in(spec: CommandSpec, played: str) -> str:
    """The example of a command, with a unit of the system that is played; its own where none is."""
    game = systems().get(played)
    if game is None or spec.path not in (ADD, EDIT) or spec.system:
        return spec.example
    kind = game.words["units"].types[0]
    name = f"{kind.replace('-', ' ').capitalize()} 1"
    if spec.path == ADD:
        return " ".join([f'/unit add "{name}" {kind}', *_numbers(game)])
    state = next(iter(game.game["units"].get("states") or ()), "")
    return f'/unit edit "{name}" {f"state={state}" if state else " ".join(_numbers(game))}'


def _numbers(game: System) -> list[str]:
    """Numbers of a unit, as the examples of its sequences have them."""
    keys, found = game.words["units"].keys, dict[str, str]()
    for sequence in game.sequences.values():
        for option in sequence.inputs:
            if option.type != "units":
                continue
            for word in str(sequence.example.get(option.name) or "").replace(";", " ").split():
                key, _, value = word.partition("=")
                if value and key in keys:
                    found.setdefault(key, word)
    return list(found.values())[:MOST]
