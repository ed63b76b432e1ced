"""`/macro`: saved commands with gaps, a person's own and the server's.

What a macro comes to is run by the app as if it had been typed (`App.called`).
"""

import asyncio
from collections.abc import Sequence

from bot.commands.context import Context
from bot.commands.declare import declare_command
from bot.preferences.macros import (
    MACRO,
    MOST_OWN,
    MOST_SHARED,
    build_macro_doc,
    find_macro,
    load_macros,
    load_visible_macros,
)
from bot.preferences.platform_words import get_manager_word, get_server_word
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rules.text.names import format_count
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import Phrase, Typed, phrase
from bot.ui.common_options import build_flag, build_optional
from bot.ui.registry import Registry
from bot.ui.reply.packing import check_utf8
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import Button, File, Reply
from bot.ui.typing.command_text import quote_value
from bot.ui.typing.macro import Macro, clean_macro_name, clean_macro_text

MACRO_NAME = Option("name", "str", "what the macro is called", complete="macro")
FOR_SERVER = build_flag("server", "everybody's here rather than your own; managers only")

CONSOLE = ("as", "tutorial", "quit", "exit", "press")
"""Words of the console's own."""
FILE = "macros.txt"
LONGEST_FILE = 200_000
"""Characters of a file of macros: every one that a server may have, and as much again for
remarks.
"""
FORM = "form:"


@declare_command(
    "macro add",
    "Save a command under a name, with gaps to fill when it runs",
    Option("name", "str", "a short name: h", max=24),
    Option("text", "str", "the command, a gap as {name} or {name=default}", complete="command"),
    FOR_SERVER,
    example='h "roll {n=1}d10>=8"',
    private=True,
)
async def add_macro(context: Context) -> Reply:
    """Save a macro, in place of one of the same name."""
    options = context.clean_options()
    shared = options["server"]
    owner = _get_owner(context, shared=options["server"])
    macro = _create_macro(context.registry, options["name"], options["text"], shared=shared)
    before = await load_macros(context.store, owner)
    _need_room({*before, macro.name}, shared=shared)
    context.commit.docs.append(build_macro_doc(macro, owner))
    was = before.get(macro.name)
    lines: list[Part] = [Typed(macro.text)]
    if was is not None and was.text != macro.text:
        lines.append(Phrase("Before: ", Typed(was.text)))
    lines.append(Phrase("Run it: ", Typed(macro.example)))
    buttons = (Button(f"{FORM}macro run {macro.name}", "Run…"),) if macro.gaps else ()
    title = f"Macro {macro.name} is {'changed' if was is not None else 'saved'}"
    return Reply(
        title, tuple(lines), by=_format_owner(shared=shared), private=True, buttons=buttons
    )


@declare_command(
    "macro run",
    "Run a macro; what it asks for is filled in order, or by name",
    MACRO_NAME,
    build_optional("values", "what fills its gaps: 3, or n=3", complete="values"),
    example="h n=3",
    private=True,
)
async def explain_failed_run(context: Context) -> Reply:
    """What is wrong with a macro that could not be run: the app runs all others. Raises
    UserError.
    """
    options = context.command.options
    where = context.command.where
    name = str(options.get("name") or "").strip()
    macro = await find_macro(context.store, name, context.command.who.key, where)
    if not name:
        raise UserError(
            "Which macro?",
            hint=phrase("`/macro list` shows what there is."),
            option="name",
            code="missing",
        )
    if macro is None:
        raise await _build_unknown_macro_error(context, name)
    macro.build_command(macro.read_gap_values(options), context.registry)
    raise UserError("This macro was changed just now.", hint="Run it again.", code="busy")


@declare_command("macro list", "Your macros and the server's", private=True)
async def list_macros(context: Context) -> Reply:
    """Return a private list of the macros that one can run here: one's own, then the server's. If
    there are none, say how to save one.
    """
    own = await load_macros(context.store, context.command.who.key)
    shared = await load_macros(context.store, context.command.where.server, shared=True)
    lines: list[Part] = [_format_macro(macro) for macro in own.values()]
    if own and shared:
        lines.append("The server's:")
    lines += [
        _format_macro(macro, " (yours goes first)" if name in own else "")
        for name, macro in shared.items()
    ]
    if not lines:
        first = phrase('Save one: `/macro add h "roll {{n=1}}d10>=8"`')
        return Reply(
            "No macros yet", (first, phrase("Then run it: `/macro run h n=3`")), private=True
        )
    example = next(iter((own or shared).values())).example
    lines.append(Phrase("Run one: ", Typed(example)))
    counts = {"of your own": len(own), "of the server's": len(shared)}
    told = ", ".join(f"{count} {whose}" for whose, count in counts.items() if count)
    return Reply(f"Macros: {told}", tuple(lines), private=True)


@declare_command(
    "macro remove", "Delete a macro", MACRO_NAME, FOR_SERVER, example="h", private=True
)
async def remove_macro(context: Context) -> Reply:
    """Delete one. Raises UserError."""
    options = context.clean_options()
    owner = _get_owner(context, shared=options["server"])
    name = comparison_key(options["name"])
    macro = (await load_macros(context.store, owner)).get(name)
    if macro is None:
        other = await find_macro(
            context.store, name, context.command.who.key, context.command.where
        )
        if other is None:
            raise await _build_unknown_macro_error(context, name)
        if other.shared:
            hint = phrase("A manager deletes it: `/macro remove {name} server`", name=name)
            raise UserError(
                f"{name} is the server's.", hint=hint, option="server", code="not-yours"
            )
        hint = phrase("Delete it: `/macro remove {name}`", name=name)
        raise UserError(
            f"{name} is your own, not the server's.",
            hint=hint,
            option="server",
            code="unknown-macro",
        )
    context.commit.drop_docs.append((MACRO, build_macro_doc(macro, owner).key))
    server = " server" if options["server"] else ""
    again = Typed(f"/macro add {name}{server} text={quote_value(macro.text)}")
    lines = (Typed(macro.text), Small(Phrase("To have it back: ", again)))
    return Reply(
        f"Macro {name} is deleted", lines, by=_format_owner(shared=options["server"]), private=True
    )


@declare_command(
    "macro export", "Your macros as a file, to keep or to bring elsewhere", FOR_SERVER, private=True
)
async def export_macros(context: Context) -> Reply:
    """A person's own macros, or the server's, as a file that people can read and change. Raises
    UserError.
    """
    shared = context.clean_options()["server"]
    owner = context.command.where.server if shared else context.command.who.key
    macros = await load_macros(context.store, owner)
    if not macros:
        raise UserError("There are no macros to export.", code="unknown-macro")
    text = "".join(f"{macro.name}: {macro.text}\n" for macro in macros.values())
    first = phrase("Bring them back, or elsewhere: `/macro import`")
    return Reply(
        format_count(len(macros), "macro"),
        (first,),
        by=_format_owner(shared=shared),
        private=True,
        files=(File(FILE, text),),
    )


@declare_command(
    "macro import",
    "Macros from such a file: each line a name, a colon and a command",
    Option("file", "file", "a file of exported macros", values=(".txt",)),
    FOR_SERVER,
    example="file=macros.txt",
    private=True,
)
async def import_macros(context: Context) -> Reply:
    """All macros of a file, or none where one of them cannot be. Raises UserError."""
    options = context.clean_options()
    shared = options["server"]
    owner = _get_owner(context, shared=options["server"])
    check_utf8(options["file"])
    if len(options["file"]) > LONGEST_FILE:
        what = f"A file of macros has at most {LONGEST_FILE:,} characters."
        raise UserError(what, option="file", code="file-too-large")
    found = await asyncio.to_thread(read_macros, options["file"], context.registry, shared=shared)
    before = await load_macros(context.store, owner)
    _need_room({*before, *found}, shared=shared)
    context.commit.docs += [build_macro_doc(macro, owner) for macro in found.values()]
    changed = sorted(
        name for name in found if name in before and before[name].text != found[name].text
    )
    lines = [", ".join(found), *([f"Changed: {', '.join(changed)}"] if changed else [])]
    return Reply(
        f"{format_count(len(found), 'macro')} saved",
        tuple(lines),
        by=_format_owner(shared=shared),
        private=True,
    )


def read_macros(text: str, registry: Registry, *, shared: bool) -> dict[str, Macro]:
    """Return the macros of a file by name, checked against the commands of the registry.

    Raises UserError with the line at fault, for a file of too many lines, and for one without a
    macro.
    """
    found: dict[str, Macro] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if number > 10 * MOST_SHARED:
            raise UserError("The file has too many lines.", option="file", code="too-many")
        name, colon, command = line.partition(":")
        try:
            if not colon:
                raise UserError("Each line is a name, a colon and a command.", code="bad-value")
            macro = _create_macro(registry, name, command, shared=shared)
        except UserError as error:
            what = f"Line {number}: {error.message}"
            raise UserError(what, hint=error.hint, option="file", code=error.code) from None
        found[macro.name] = macro
    if not found:
        hint = "Each line is a name, a colon and a command."
        raise UserError("There is no macro in the file.", hint=hint, code="bad-value")
    return found


def _format_macro(macro: Macro, more: str = "") -> Part:
    return Phrase(f"{macro.name}: ", Typed(macro.text), more)


def _create_macro(registry: Registry, name: str, text: str, *, shared: bool) -> Macro:
    """The macro, once it is known to be one. Raises UserError."""
    taken = (*registry.top_names, *registry.list_children(("macro",)), *registry.games, *CONSOLE)
    macro = Macro(clean_macro_name(name, taken), clean_macro_text(text), shared)
    macro.check(registry)
    return macro


def _get_owner(context: Context, *, shared: bool) -> str:
    """Whose macros are meant. Raises UserError for the server's where there is none, or for who
    may not change them.
    """
    if not shared:
        return context.command.who.key
    server = context.command.where.server
    if not server:
        raise UserError(
            "There is no server here; your own macros go with you.",
            option="server",
            code="no-server",
        )
    if not context.command.who.manager:
        where = context.command.where.key
        what = f"Only a {get_manager_word(where)} can change the macros of the {get_server_word(where)}."
        raise UserError(
            what, hint="Leave out server for one of your own.", option="server", code="not-manager"
        )
    return server


def _need_room(names: set[str], *, shared: bool) -> None:
    most = MOST_SHARED if shared else MOST_OWN
    if len(names) > most:
        whose = "A server has" if shared else "You have room for"
        raise UserError(
            f"{whose} at most {most} macros.",
            hint=phrase("Delete one first: `/macro remove`"),
            code="too-many",
        )


async def _build_unknown_macro_error(context: Context, name: str) -> UserError:
    seen: Sequence[str] = list(
        await load_visible_macros(context.store, context.command.who.key, context.command.where)
    )
    hint = did_you_mean(name, seen) or phrase("`/macro list` shows what there is.")
    return UserError(
        f'There is no macro "{name[:40]}".', hint=hint, option="name", code="unknown-macro"
    )


def _format_owner(*, shared: bool) -> str:
    return "for everybody here" if shared else "for you alone"
