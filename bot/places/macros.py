"""Macros in the store, and what `/macro run` comes to: the command that it stands for, run by
whoever runs it.

Each is a document of its own, so that two who save at once lose nothing: of a person, who may have
the same name for another command than the server has, or of a server.
"""

from collections.abc import Mapping

from bot.interface.registry import Registry
from bot.interface.spec import RUN_MACRO, CommandSpec, Path, Place
from bot.interface.typing.command_text import Parsed, parse_text
from bot.interface.typing.macro import Macro
from bot.rules.errors import UserError
from bot.rules.text.normalize import comparison_key, normalize_text
from bot.stores.records import Doc
from bot.stores.store import Store

MACRO = "macro"
"""Documents with a macro each, by owner and name."""
MOST_OWN, MOST_SHARED = 50, 100


def macro_doc(macro: Macro, owner: str) -> Doc:
    """A macro as the store keeps it."""
    return Doc(
        MACRO, _key(owner, macro.name), {"name": macro.name, "text": macro.text}, None, owner
    )


def _key(owner: str, name: str) -> str:
    return f"{owner}/{name}"


async def macros_of(store: Store, owner: str, *, shared: bool = False) -> dict[str, Macro]:
    """All macros of a person or a server, by name."""
    if not owner:
        return {}
    found = [
        Macro(doc.data["name"], doc.data["text"], shared) for doc in await store.docs(MACRO, owner)
    ]
    return {macro.name: macro for macro in sorted(found, key=lambda macro: macro.name)}


async def macros_seen(store: Store, user: str, where: Place) -> dict[str, Macro]:
    """All that somebody can run in a place, by name: their own first."""
    own = await macros_of(store, user)
    shared = await macros_of(store, where.server, shared=True)
    return {**own, **{name: macro for name, macro in shared.items() if name not in own}}


async def find_macro(store: Store, name: str, user: str, where: Place) -> Macro | None:
    """The macro of this name that somebody runs in a place: their own, else the server's."""
    for owner in (user, where.server):
        if owner and (doc := await store.doc(MACRO, _key(owner, comparison_key(name)))) is not None:
            return Macro(doc.data["name"], doc.data["text"], owner != user)
    return None


async def called(
    store: Store,
    registry: Registry,
    spec: CommandSpec,
    options: Mapping[str, object],
    user: str,
    where: Place,
) -> Parsed:
    """The command that `/macro run` stands for; itself, with an option for each gap, while one is
    left to be filled.

    One that cannot be run is left as it is: when it runs it says why.
    """
    macro = await find_macro(store, str(options.get("name") or ""), user, where)
    if macro is None:
        return Parsed(spec, options)
    try:
        given = macro.given(options)
        if not macro.lacks(given):
            return macro.command(given, registry)
        return Parsed(macro.form(spec, registry), {"name": macro.name, **given})
    except UserError:
        return Parsed(spec, options)


async def form_at(
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
        macro.form(run, registry) if macro is not None and macro.gaps and run is not None else None
    )


async def by_name(
    store: Store, registry: Registry, text: str, user: str, where: Place
) -> Parsed | None:
    """What `h 3` or `macro h 3` means, where somebody has a macro `h` there; None where they
    have none.
    """
    words = normalize_text(text).strip().removeprefix("/").split(maxsplit=1)
    if words[:1] == [RUN_MACRO[0]]:
        words = words[1].split(maxsplit=1) if len(words) > 1 else []
    if not words or await find_macro(store, words[0], user, where) is None:
        return None
    return parse_text(" ".join([*RUN_MACRO, *words]), registry)
