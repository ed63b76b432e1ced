"""Rolls, lookups and procedures in a channel: played with the game's dice and roster, recorded in its log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.commands.context import Desk
from bot.commands.lookup import read_table
from bot.commands.record import is_of_game, record
from bot.commands.roll import roll_dice
from bot.commands.sequence import EXTRA, is_set, odds_reply, run_sequence
from bot.entropy import new_id
from bot.game.state import roster_of
from bot.interface.reply import Button, Reply
from bot.interface.spec import Command, CommandSpec
from bot.rules.inputs.units import Roster
from bot.stores.base import DRAFTS_KEPT, Doc
from bot.systems.catalog import system
from bot.systems.resolve import odds_rows

DRAFT = "draft"


async def handle_roll(desk: Desk) -> Reply:
    """`/roll`."""
    options = _plain(desk.command.options)
    dice = desk.dice()
    outcome = roll_dice(options, desk.who, dice)
    return record(desk, outcome, dice.dice, secret=is_set(options.get("secret")))


async def handle_lookup(desk: Desk) -> Reply:
    """A table; one of kind roll rolls its own dice when its roll is left out."""
    game = system(desk.spec.system)
    dice = desk.dice()
    outcome = read_table(game.table(desk.spec.target), _plain(desk.command.options), desk.who, dice, game.title)
    return record(desk, outcome, dice.dice, secret=False)


async def handle_sequence(desk: Desk) -> Reply:
    """A procedure: played and recorded, or its odds answered privately."""
    sequence = system(desk.spec.system).sequence(desk.spec.target)
    options, roster = _plain(desk.command.options), roster_for(desk, desk.spec)
    if sequence.odds_by and is_set(options.get("odds")):
        return await answer_odds(desk, desk.spec, options)
    dice = desk.dice()
    outcome = run_sequence(sequence, desk.spec, options, desk.who, dice, roster)
    return record(desk, outcome, dice.dice, secret=is_set(options.get("secret")))


async def answer_odds(desk: Desk, spec: CommandSpec, options: Mapping[str, object]) -> Reply:
    """The exact odds, privately, with a button that rolls just this: the draft is stored.

    What is to be sealed or rolled with real dice must be typed: a button's roll is open to all.
    """
    sequence = system(spec.system).sequence(spec.target)
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    roster = roster_for(desk, spec)
    rows = odds_rows(sequence, raw, roster)
    counted = await desk.count_odds(sequence, raw, tuple(rows), roster)
    if is_set(options.get("secret")) or options.get("hand"):
        more = {name: options[name] for name in ("secret", "hand") if options.get(name)}
        return odds_reply(sequence, spec, raw | more, rows, counted)
    key = new_id()
    desk.docs.append(
        Doc(DRAFT, key, {"path": list(spec.path), "options": raw}, desk.now + DRAFTS_KEPT, desk.command.who.key)
    )
    return replace(
        odds_reply(sequence, spec, raw, rows, counted), buttons=(Button(f"roll:{key}", "Roll it", "primary"),)
    )


def roster_for(desk: Desk, spec: CommandSpec) -> Roster:
    """The roster that a command may name units of: the game's own rule set's, else none."""
    return roster_of(desk.game) if desk.ledger.exists and is_of_game(desk.game, spec.system) else {}


def repeated(desk: Desk, path: tuple[str, ...], options: Mapping[str, object]) -> Desk:
    """The same desk with another command on it: by the same person, here and now, for the same request."""
    spec = desk.registry.get(path)
    if spec is None:
        spec, _ = desk.registry.find(path)
    command = desk.command
    desk.command = Command(spec.path, options, command.who, command.where, command.request_id, command.delivery)
    desk.spec = spec
    return desk


async def play(desk: Desk) -> Reply:
    """Run the roll, table or procedure on the desk, as if it had been typed."""
    await desk.check_enabled(desk.spec)
    handlers = {"roll": handle_roll, "lookup": handle_lookup, "sequence": handle_sequence}
    return await handlers[desk.spec.family](desk)


def _plain(options: Mapping[str, object]) -> dict[str, object]:
    """Options as an event can hold them: what was left empty is left out."""
    return {name: value for name, value in options.items() if value is not None and value != "" and value != ()}
