"""The odds of a fight of several rounds, as they are asked for in a channel with `rounds`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.answers.headline import cause
from bot.answers.inputs import by_rules, loans, told_by_rule, with_loans, with_rules
from bot.answers.odds import rounds_reply
from bot.answers.plays import EXTRA
from bot.answers.several import in_names
from bot.commands.context import Context
from bot.commands.play.odds import parties
from bot.commands.play.playing import roster_for
from bot.commands.play.sharing import boxed
from bot.interface.reply.reply import Button, Reply
from bot.interface.spec import CommandSpec
from bot.places.drafts import new_draft
from bot.rules.inputs.options import clean
from bot.stores.base import DAY
from bot.systems.catalog import system
from bot.systems.rounds import count_rounds


async def answer_rounds(context: Context, spec: CommandSpec, options: Mapping[str, object]) -> Reply:
    """The exact odds after so many rounds and to the end, privately, with a button that fights the first of them."""
    sequence = system(spec.system).sequence(spec.target)
    roster = roster_for(context, spec)
    options = in_names(sequence, options, roster, context.actor.side)
    given = {name: value for name, value in options.items() if name not in EXTRA}
    ruled = by_rules(sequence, given, context.game)
    raw = with_rules(given, ruled)
    option = spec.option("rounds")
    assert option is not None
    rounds = int(clean(option, options["rounds"]))
    lent = loans(sequence, raw, roster)
    fought = await context.apart(
        count_rounds, sequence.system.id, sequence.id, with_loans(raw, lent), rounds, dict(roster)
    )
    acting, _ = parties(sequence, raw, roster)
    reply = rounds_reply(sequence, raw, fought, rounds, by=cause(sequence, acting, context.who))
    reply = told_by_rule(reply, ruled)
    game = context.ledger.row if context.ledger.exists else ""
    draft = new_draft(spec.path, given, context.command.who.key, game)
    context.docs.append(draft.doc(context.now, DAY))
    buttons = (Button(f"roll:{draft.key}", "Roll it", "primary"), Button(f"form:draft:{draft.key}", "Change…"))
    return boxed(context, replace(reply, buttons=buttons))
