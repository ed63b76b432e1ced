"""Macros in the store, and the commands that `/macro run` stands for.

The command is run by the user who runs the macro. Each macro is a document of its own, so that two
users who save at once lose nothing. It belongs to a person or to a server; both can use the same
name for different commands.
"""

from collections.abc import Mapping

from bot.rules.errors import UserError
from bot.rules.text.normalize import comparison_key, normalize_text
from bot.storage.records import Doc
from bot.storage.store import Store
from bot.ui.registry import Registry
from bot.ui.spec import RUN_MACRO, CommandSpec, Path, Place
from bot.ui.typing.command_text import ParsedCommand, parse_text
from bot.ui.typing.macro import Macro

MACRO = "macro"
"""Documents with a macro each, by owner and name."""
MOST_OWN, MOST_SHARED = 50, 100


def build_macro_doc(macro: Macro, owner: str) -> Doc:
    """Build the document that stores a macro."""
    data = {"name": macro.name, "text": macro.text}
    return Doc(MACRO, _build_key(owner, macro.name), data, None, owner)


def _build_key(owner: str, name: str) -> str:
    return f"{owner}/{name}"


async def load_macros(store: Store, owner: str, *, shared: bool = False) -> dict[str, Macro]:
    """Return all macros of a person or a server, by name."""
    if not owner:
        return {}
    macros = [
        Macro(doc.data["name"], doc.data["text"], shared)
        for doc in await store.load_docs(MACRO, owner)
    ]
    return {macro.name: macro for macro in sorted(macros, key=lambda macro: macro.name)}


async def load_visible_macros(store: Store, user: str, where: Place) -> dict[str, Macro]:
    """Return all macros that a user can run in a place, by name. Their own come first."""
    own = await load_macros(store, user)
    shared = await load_macros(store, where.server, shared=True)
    return {**own, **{name: macro for name, macro in shared.items() if name not in own}}


async def find_macro(store: Store, name: str, user: str, where: Place) -> Macro | None:
    """Return the macro of this name for a user in a place: their own, else the server's."""
    for owner in (user, where.server):
        if not owner:
            continue
        doc = await store.load_doc(MACRO, _build_key(owner, comparison_key(name)))
        if doc is not None:
            return Macro(doc.data["name"], doc.data["text"], owner != user)
    return None


async def resolve_macro_run(
    store: Store,
    registry: Registry,
    spec: CommandSpec,
    options: Mapping[str, object],
    user: str,
    where: Place,
) -> ParsedCommand:
    """Return the command that `/macro run` stands for.

    While a gap has no value, return `/macro run` itself with an option for each gap. A macro that
    cannot be run is left as it is: its run reports why.
    """
    macro = await find_macro(store, str(options.get("name") or ""), user, where)
    if macro is None:
        return ParsedCommand(spec, options)
    try:
        gap_values = macro.read_gap_values(options)
        if not macro.list_missing_gaps(gap_values):
            return macro.build_command(gap_values, registry)
        return ParsedCommand(
            macro.build_form_spec(spec, registry), {"name": macro.name, **gap_values}
        )
    except UserError:
        return ParsedCommand(spec, options)


async def build_macro_form(
    store: Store,
    registry: Registry,
    path: Path,
    options: Mapping[str, object],
    user: str,
    where: Place,
) -> CommandSpec | None:
    """Build the spec of `/macro run` with an option for each gap of its macro.

    Return None for any other form.
    """
    if path != RUN_MACRO:
        return None
    name = str(options.get("name") or "")
    macro = await find_macro(store, name, user, where)
    run_spec = registry.get(RUN_MACRO)
    if macro is None or not macro.gaps or run_spec is None:
        return None
    return macro.build_form_spec(run_spec, registry)


async def parse_macro_line(
    store: Store, registry: Registry, text: str, user: str, where: Place
) -> ParsedCommand | None:
    """Parse `h 3` or `macro h 3` for a user who has a macro `h` in this place, else return None."""
    words = normalize_text(text).strip().removeprefix("/").split(maxsplit=1)
    if words[:1] == [RUN_MACRO[0]]:
        words = words[1].split(maxsplit=1) if len(words) > 1 else []
    if not words or await find_macro(store, words[0], user, where) is None:
        return None
    return parse_text(" ".join([*RUN_MACRO, *words]), registry)
