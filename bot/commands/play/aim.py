"""The question before a shot at one's own side, or at nobody: asked privately, before any die."""

from __future__ import annotations

from collections.abc import Mapping

from bot.answers.aim import aim_of, at_nobody, own_targets
from bot.commands.context import Context
from bot.interface.reply.reply import Button, Reply
from bot.interface.typing.text import command_text
from bot.places.forms import new_draft
from bot.rules.inputs.units import Roster
from bot.rules.text.names import joined
from bot.rules.text.phrase import Phrase, Typed
from bot.stores.base import DAY
from bot.systems.system import Sequence


def asked(
    context: Context, sequence: Sequence, options: Mapping[str, object], roster: Roster, side: str
) -> Reply | None:
    """What whoever fires so, for `side`, is asked first; None where nothing needs asking, or they were asked.

    Who rolls real dice has been asked before the first of them.
    """
    if context.sure or not roster or any(map(str.isdigit, str(options.get("hand") or ""))):
        return None
    aim, verb = aim_of(sequence, options, roster), context.spec.verb
    button = ""
    if own := own_targets(sequence, aim, side):
        whose = "your" if not side or own[0].side == side else f"{own[0].side}'s"
        button = f"{verb} at {whose} own {joined(unit.name for unit in own)}"
    elif at_nobody(sequence, options, aim):
        button = f"{verb} at nobody"
    if not button:
        return None
    game = context.ledger.row if context.ledger.exists else ""
    draft = new_draft(context.spec.path, options, context.command.who.key, game)
    context.docs.append(draft.doc(context.now, DAY))
    return Reply(
        f"{button}?",
        (Phrase("Nothing is rolled yet: ", Typed(command_text(context.spec, options))),),
        private=True,
        buttons=(
            Button(
                f"anyway:{draft.key}",
                button if len(button) <= LONGEST else f"{verb} at them",
                "primary" if own else "plain",
            ),
            Button(f"form:draft:{draft.key}", *(("Change…",) if own else ("Choose a target", "primary"))),
            Button(f"cancel:{draft.key}", "Cancel"),
        ),
    )


LONGEST = 60
"""Characters of a button that names whom a shot is at."""
