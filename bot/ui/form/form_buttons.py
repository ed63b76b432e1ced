"""The buttons around a form: those that open it, and those that run its draft.

The action of a button that opens a form is `form:draft:KEY`, `form:event:ROW:34`, or
`form:lnlt fire us3`.
"""

from collections.abc import Mapping

from bot.rules.inputs.options import split_words
from bot.ui.form.form import HAND, ODDS
from bot.ui.registry import Registry
from bot.ui.reply.reply import OPEN_FORM, Button
from bot.ui.spec import Path
from bot.ui.typing.command_text import format_command

DRAFTED = "draft:"
OF_EVENT = "event:"
LONGEST = 90
"""Maximum number of characters of a command in such a button."""
DRAFT_FAMILIES = ("sequence", "lookup", "roll")
"""Families of commands whose draft a button can run."""


def build_form_button(
    path: Path, options: Mapping[str, object], label: str, registry: Registry
) -> Button:
    """Build a button that opens the form of a command with these options filled in.

    Anybody may press it. For a unit's card: `build_form_button(("lnlt", "fire"), {"attackers":
    unit.handle}, "Fire with it", context.registry)`. It holds the command as text. Options that do
    not fit into a button are left out, from the end. To keep those, write a draft
    (`create_draft(...)` into `context.commit.docs`) and use
    `Button(f"form:draft:{draft.key}", label)`.
    """
    spec = registry.get(path)
    assert spec is not None, path
    kept_options = dict(options)
    text = format_command(spec, kept_options)
    while len(text) > LONGEST:
        removable = [name for name in kept_options if name != ODDS]
        if not removable:
            break
        kept_options.pop(removable[-1])
        text = format_command(spec, kept_options)
    return Button(OPEN_FORM + text.removeprefix("/"), label)


def get_draft_action(roll_mode: str, key: str, options: Mapping[str, object]) -> str:
    """Return the action of the draft `key` for the roll mode chosen in its form.

    It rolls, counts the odds, or asks for the next of the player's dice.
    """
    if roll_mode == HAND:
        dice = [word for word in split_words(options.get(HAND) or ()) if word != "?"]
        return f"die:{key}:{','.join(dice)}"
    return f"count:{key}" if roll_mode == ODDS else f"roll:{key}"
