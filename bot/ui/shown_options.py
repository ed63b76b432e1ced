"""The options of a command that Discord has room for. A command may have 25 of them."""

from bot.rules.inputs.options import Option
from bot.ui.spec import CommandSpec

MAX_OPTIONS = 25
_KEPT_FLAGS = ("odds", "compare", "secret", "all", "confirm", "carry")


def list_shown_options(spec: CommandSpec) -> tuple[Option, ...]:
    """The options that Discord shows, required ones first; flags beyond 25 fold, from the end,
    into `mods`. Those that only forms have are left out.
    """
    options = [option for option in spec.options if not option.form_only]
    folded = list[str]()
    room = MAX_OPTIONS if spec.find_option("mods") is not None else MAX_OPTIONS - 1
    while len(options) > (room if folded else MAX_OPTIONS):
        last = max(
            at
            for at, option in enumerate(options)
            if option.type == "bool" and option.name not in _KEPT_FLAGS
        )
        folded.insert(0, options.pop(last).name)
    if folded and spec.find_option("mods") is None:
        options.append(Option("mods", "mods", help=f"further modifiers: {', '.join(folded)}"))
    return tuple(sorted(options, key=lambda option: not is_required(option, spec)))


def is_required(option: Option, spec: CommandSpec) -> bool:
    """Return whether Discord refuses to send the command without this option.

    Never for a sequence or a table: what is missing opens the guided form, and `whole` needs
    nothing else.
    """
    return option.is_required and spec.family not in ("sequence", "lookup")
