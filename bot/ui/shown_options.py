"""The options of a command that Discord has room for. A command may have 25 of them."""

from bot.rules.inputs.options import Option
from bot.ui.spec import CommandSpec

MAX_OPTIONS = 25
_KEPT_FLAGS = ("odds", "compare", "secret", "all", "confirm", "carry")


def list_shown_options(spec: CommandSpec) -> tuple[Option, ...]:
    """Return the options that Discord shows, required ones first, without those that only forms
    have.

    If there are more than 25, the last flags are replaced by the option `mods`, in which they can
    be typed.
    """
    options = [option for option in spec.options if not option.form_only]
    folded = list[str]()
    room = MAX_OPTIONS if spec.find_option("mods") is not None else MAX_OPTIONS - 1
    while len(options) > (room if folded else MAX_OPTIONS):
        last_flag = max(index for index, option in enumerate(options) if _may_fold(option))
        folded.insert(0, options.pop(last_flag).name)
    if folded and spec.find_option("mods") is None:
        options.append(Option("mods", "mods", help=f"further modifiers: {', '.join(folded)}"))
    return tuple(sorted(options, key=lambda option: not is_required(option, spec)))


def _may_fold(option: Option) -> bool:
    return option.type == "bool" and option.name not in _KEPT_FLAGS


def is_required(option: Option, spec: CommandSpec) -> bool:
    """Return whether Discord refuses to send the command without this option.

    Never for a sequence, a table or a seek: a missing option opens the guided form, and the flag
    `whole` needs no other option.
    """
    return option.is_required and spec.family not in ("sequence", "lookup", "seek")
