"""*What if* under odds, and `compare` typed: what each modifier and each firer is worth, one change a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.answers.aim import in_names
from bot.answers.headline import cause
from bot.answers.inputs import by_rules, loans, told_by_rule, with_filled
from bot.answers.plays import each_of
from bot.answers.shot import EXTRA
from bot.answers.what_if import Worth, changes, count_changes, worth_reply
from bot.commands.context import Context, own_draft, repeated, roster_for
from bot.commands.play.odds import count_rows, parties
from bot.commands.play.share import boxed
from bot.interface.reply.reply import Button, Menu, MenuEntry, Reply
from bot.interface.spec import CommandSpec
from bot.places.forms import Draft, new_draft
from bot.rules.errors import UserError
from bot.rules.text.phrase import begun
from bot.stores.base import DAY
from bot.systems.catalog import system


async def what_if(context: Context, rest: str) -> Reply:
    """What single changes of a draft are worth, privately; behind its key the places of the level and of the unit."""
    key, _, chosen = rest.partition(":")
    draft = await own_draft(context, key)
    desk = repeated(context, draft.path, draft.options)
    await desk.check_enabled(desk.spec)
    return await _compared(desk, desk.spec, draft, chosen)


async def answer_compared(context: Context, spec: CommandSpec, options: Mapping[str, object]) -> Reply:
    """The same for a command as it was typed; its draft is stored, so that its buttons work."""
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    game = context.ledger.row if context.ledger.exists else ""
    draft = new_draft(spec.path, {**raw, "odds": True}, context.command.who.key, game)
    reply = await _compared(context, spec, draft, "")
    context.docs.append(draft.doc(context.now, DAY))
    return reply


async def _compared(context: Context, spec: CommandSpec, draft: Draft, chosen: str) -> Reply:
    sequence = system(spec.system).sequence(spec.target)
    roster = roster_for(context, spec)
    options = in_names(sequence, draft.options, roster, context.actor.side)
    given = {name: value for name, value in options.items() if name not in EXTRA}
    ruled = by_rules(sequence, given, context.game)
    raw = with_filled(given, ruled)
    if each_of(sequence, raw, roster):
        raise UserError("What a change is worth is counted for one unit at a time.", hint="Name one.", code="too-many")
    tried = changes(sequence, raw, sequence.given(raw, roster))
    rows, planned = await count_rows(context, sequence, with_filled(raw, loans(sequence, raw, roster)), roster)
    raws = tuple(with_filled(one.raw, loans(sequence, one.raw, roster)) for one in tried)
    counted = await context.apart(count_changes, sequence.system.key, sequence.id, raws, tuple(rows), dict(roster))
    group, level = _chosen(chosen)
    worth = worth_reply(sequence, rows, planned, tried, counted, group=group, level=level)
    reply = told_by_rule(worth.reply, ruled)
    acting, _ = parties(sequence, raw, roster)
    reply = replace(reply, by=f"{reply.by} · {cause(sequence, acting, context.who)}")
    return boxed(context, replace(reply, buttons=_buttons(draft), menus=_menus(draft.key, worth)))


def _chosen(text: str) -> tuple[int, int]:
    """The places of the unit and of the level: `1.2`."""
    group, _, level = text.partition(".")
    return _place(group), _place(level)


def _place(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 4 else 0


def _buttons(draft: Draft) -> tuple[Button, ...]:
    return (
        Button(f"roll:{draft.key}", "Roll it", "primary"),
        Button(f"form:draft:{draft.key}", "Change…"),
        Button(f"back:{draft.key}", "Back"),
    )


def _menus(key: str, worth: Worth) -> tuple[Menu, ...]:
    """A menu of what is compared, and one of for whom."""
    made = []
    known, names = worth.levels, worth.names
    if len(known) > 1:
        entries = [MenuEntry(f"whatif:{key}:{worth.group}.{at}", begun(one.label)) for at, one in enumerate(known[:25])]
        made.append(Menu(begun(known[worth.level].label), tuple(entries), "Level"))
    if len(names) > 1:
        entries = [MenuEntry(f"whatif:{key}:{at}.0", name) for at, name in enumerate(names[:25])]
        made.append(Menu(names[worth.group], tuple(entries), "For whom"))
    return tuple(made)
