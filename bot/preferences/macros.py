"""Macros in the store, and what `/macro run` comes to: the command that it stands for, run by
whoever runs it.

Each is a document of its own, so that two who save at once lose nothing: of a person, who may have
the same name for another command than the server has, or of a server.
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
    """A macro as the store keeps it."""
    return Doc(
        MACRO, _build_key(owner, macro.name), {"name": macro.name, "text": macro.text}, None, owner
    )


def _build_key(owner: str, name: str) -> str:
    return f"{owner}/{name}"


async def load_macros(store: Store, owner: str, *, shared: bool = False) -> dict[str, Macro]:
    """All macros of a person or a server, by name."""
    if not owner:
        return {}
    found = [
        Macro(doc.data["name"], doc.data["text"], shared)
        for doc in await store.load_docs(MACRO, owner)
    ]
    return {macro.name: macro for macro in sorted(found, key=lambda macro: macro.name)}


async def load_visible_macros(store: Store, user: str, where: Place) -> dict[str, Macro]:
    """All that somebody can run in a place, by name: their own first."""
    own = await load_macros(store, user)
    shared = await load_macros(store, where.server, shared=True)
    return {**own, **{name: macro for name, macro in shared.items() if name not in own}}


async def find_macro(store: Store, name: str, user: str, where: Place) -> Macro | None:
    """The macro of this name that somebody runs in a place: their own, else the server's."""
    for owner in (user, where.server):
        if (
            owner
            and (doc := await store.load_doc(MACRO, _build_key(owner, comparison_key(name))))
            is not None
        ):
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
    """The command that `/macro run` stands for; itself, with an option for each gap, while one is
    left to be filled.

    One that cannot be run is left as it is: when it runs it says why.
    """
    macro = await find_macro(store, str(options.get("name") or ""), user, where)
    if macro is None:
        return ParsedCommand(spec, options)
    try:
        given = macro.read_gap_values(options)
        if not macro.list_missing_gaps(given):
            return macro.build_command(given, registry)
        return ParsedCommand(macro.build_form_spec(spec, registry), {"name": macro.name, **given})
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
    """`/macro run` with an option for each gap of the macro that a form is of; None for any
    other form.
    """
    name = str(options.get("name") or "")
    macro = await find_macro(store, name, user, where) if path == RUN_MACRO else None
    run = registry.get(RUN_MACRO)
    return (
        macro.build_form_spec(run, registry)
        if macro is not None and macro.gaps and run is not None
        else None
    )


async def parse_macro_line(
    store: Store, registry: Registry, text: str, user: str, where: Place
) -> ParsedCommand | None:
    """What `h 3` or `macro h 3` means, where somebody has a macro `h` there; None where they
    have none.
    """
    words = normalize_text(text).strip().removeprefix("/").split(maxsplit=1)
    if words[:1] == [RUN_MACRO[0]]:
        words = words[1].split(maxsplit=1) if len(words) > 1 else []
    if not words or await find_macro(store, words[0], user, where) is None:
        return None
    return parse_text(" ".join([*RUN_MACRO, *words]), registry)
