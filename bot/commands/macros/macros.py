"""`/macro`: saved commands with gaps, of a user and of a server.

The app runs the command of a macro as if it had been typed.
"""

import asyncio

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

MACRO_NAME = Option("name", "str", "the name of the macro: h", complete="macro")
FOR_SERVER = build_flag("server", "for everybody here, not only you; managers only")

CONSOLE = ("as", "tutorial", "quit", "exit", "press")
"""Words of the console, which cannot name a macro."""
FILE = "macros.txt"
LONGEST_FILE = 200_000
"""Maximum number of characters of a file of macros: all that a server may have, and as much again
for comments.
"""
FORM = "form:"


@declare_command(
    "macro add",
    "Save a command under a name, with gaps to fill in when you run it",
    Option("name", "str", "a short name: h", max=24),
    Option("text", "str", "the command, with gaps as {name} or {name=default}", complete="command"),
    FOR_SERVER,
    example='h "roll {n=1}d10>=8"',
    private=True,
)
async def add_macro(context: Context) -> Reply:
    """Save a macro of the user, or with the option `server` of the server, in place of one with the
    same name.

    Raises UserError for a name or text that cannot be one, and if there are too many macros.
    """
    options = context.clean_options()
    shared = options["server"]
    owner = _get_owner(context, shared=options["server"])
    macro = _create_macro(context.registry, options["name"], options["text"], shared=shared)
    macros = await load_macros(context.store, owner)
    _need_room({*macros, macro.name}, shared=shared)
    context.commit.docs.append(build_macro_doc(macro, owner))
    replaced = macros.get(macro.name)
    lines: list[Part] = [Typed(macro.text)]
    if replaced is not None and replaced.text != macro.text:
        lines.append(Phrase("Before: ", Typed(replaced.text)))
    lines.append(Phrase("Run it: ", Typed(macro.example)))
    buttons = (Button(f"{FORM}macro run {macro.name}", "Run…"),) if macro.gaps else ()
    verb = "changed" if replaced is not None else "saved"
    return Reply(
        f"Macro {macro.name} is {verb}",
        tuple(lines),
        by=_format_owner(shared=shared),
        private=True,
        buttons=buttons,
    )


@declare_command(
    "macro run",
    "Run a macro; its gaps are filled in order, or by name",
    MACRO_NAME,
    build_optional("values", "what fills its gaps: 3, or n=3", complete="values"),
    example="h n=3",
    private=True,
)
async def explain_failed_run(context: Context) -> Reply:
    """Raise the UserError that says why a macro could not be run. It never returns.

    The app runs a macro itself, so a command reaches this handler only if that failed.
    """
    options = context.command.options
    channel = context.command.where
    name = str(options.get("name") or "").strip()
    macro = await find_macro(context.store, name, context.command.who.key, channel)
    if not name:
        raise UserError(
            "Which macro?",
            hint=phrase("`/macro list` lists them all."),
            option="name",
            code="missing",
        )
    if macro is None:
        raise await _build_unknown_macro_error(context, name)
    macro.build_command(macro.read_gap_values(options), context.registry)
    raise UserError("This macro has just been changed.", hint="Run it again.", code="busy")


@declare_command("macro list", "List your macros and the server's", private=True)
async def list_macros(context: Context) -> Reply:
    """List the macros that the user can run here to the user alone: their own, then the server's.

    Without any, the reply shows how to save one.
    """
    own_macros = await load_macros(context.store, context.command.who.key)
    server_macros = await load_macros(context.store, context.command.where.server, shared=True)
    lines: list[Part] = [_format_macro(macro) for macro in own_macros.values()]
    if own_macros and server_macros:
        lines.append("The server's:")
    for name, macro in server_macros.items():
        lines.append(_format_macro(macro, " (yours is run instead)" if name in own_macros else ""))
    if not lines:
        how_to_save = phrase('Save one: `/macro add h "roll {{n=1}}d10>=8"`')
        how_to_run = phrase("Then run it: `/macro run h n=3`")
        return Reply("No macros yet", (how_to_save, how_to_run), private=True)
    first_macro = next(iter((own_macros or server_macros).values()))
    lines.append(Phrase("Run one: ", Typed(first_macro.example)))
    counts = []
    if own_macros:
        counts.append(f"{len(own_macros)} of your own")
    if server_macros:
        counts.append(f"{len(server_macros)} of the server's")
    return Reply(f"Macros: {', '.join(counts)}", tuple(lines), private=True)


@declare_command(
    "macro remove", "Delete a macro", MACRO_NAME, FOR_SERVER, example="h", private=True
)
async def remove_macro(context: Context) -> Reply:
    """Delete a macro of the user, or with the option `server` of the server.

    The reply has the command that restores it. Raises UserError if there is no such macro.
    """
    options = context.clean_options()
    owner = _get_owner(context, shared=options["server"])
    name = comparison_key(options["name"])
    macros = await load_macros(context.store, owner)
    macro = macros.get(name)
    if macro is None:
        raise await _build_missing_macro_error(context, name)
    context.commit.drop_docs.append((MACRO, build_macro_doc(macro, owner).key))
    server = " server" if options["server"] else ""
    restoring_command = Typed(f"/macro add {name}{server} text={quote_value(macro.text)}")
    lines = (Typed(macro.text), Small(Phrase("To get it back: ", restoring_command)))
    return Reply(
        f"Macro {name} is deleted", lines, by=_format_owner(shared=options["server"]), private=True
    )


async def _build_missing_macro_error(context: Context, name: str) -> UserError:
    """Return the error for a macro that the user and the server do not have, or that belongs to the
    other of the two.
    """
    other = await find_macro(context.store, name, context.command.who.key, context.command.where)
    if other is None:
        return await _build_unknown_macro_error(context, name)
    if other.shared:
        hint = phrase("A manager can delete it: `/macro remove {name} server`", name=name)
        return UserError(f"{name} is the server's.", hint=hint, option="server", code="not-yours")
    return UserError(
        f"{name} is your own, not the server's.",
        hint=phrase("Delete it: `/macro remove {name}`", name=name),
        option="server",
        code="unknown-macro",
    )


@declare_command(
    "macro export",
    "Save your macros as a file, to keep or to use elsewhere",
    FOR_SERVER,
    private=True,
)
async def export_macros(context: Context) -> Reply:
    """Return the user's own macros, or the server's, as a text file that `/macro import` reads.

    Raises UserError if there are none.
    """
    shared = context.clean_options()["server"]
    owner = context.command.where.server if shared else context.command.who.key
    macros = await load_macros(context.store, owner)
    if not macros:
        raise UserError("There are no macros to export.", code="unknown-macro")
    text = "".join(f"{macro.name}: {macro.text}\n" for macro in macros.values())
    advice = phrase("Import them again, here or elsewhere: `/macro import`")
    return Reply(
        format_count(len(macros), "macro"),
        (advice,),
        by=_format_owner(shared=shared),
        private=True,
        files=(File(FILE, text),),
    )


@declare_command(
    "macro import",
    "Import macros from a file: each line is a name, a colon and a command",
    Option("file", "file", "a file of exported macros", values=(".txt",)),
    FOR_SERVER,
    example="file=macros.txt",
    private=True,
)
async def import_macros(context: Context) -> Reply:
    """Save all macros of a file in place of those with the same names.

    Raises UserError, and saves none, if one of them is wrong or if there would be too many.
    """
    options = context.clean_options()
    shared = options["server"]
    owner = _get_owner(context, shared=options["server"])
    check_utf8(options["file"])
    if len(options["file"]) > LONGEST_FILE:
        message = f"A macro file can have at most {LONGEST_FILE:,} characters."
        raise UserError(message, option="file", code="file-too-large")
    new_macros = await asyncio.to_thread(
        read_macros, options["file"], context.registry, shared=shared
    )
    macros = await load_macros(context.store, owner)
    _need_room({*macros, *new_macros}, shared=shared)
    context.commit.docs += [build_macro_doc(macro, owner) for macro in new_macros.values()]
    common_names = macros.keys() & new_macros.keys()
    changed = [name for name in common_names if macros[name].text != new_macros[name].text]
    lines = [", ".join(new_macros)]
    if changed:
        lines.append(f"Changed: {', '.join(sorted(changed))}")
    return Reply(
        f"{format_count(len(new_macros), 'macro')} saved",
        tuple(lines),
        by=_format_owner(shared=shared),
        private=True,
    )


def read_macros(text: str, registry: Registry, *, shared: bool) -> dict[str, Macro]:
    """Return the macros in the text of a file by name, checked against the commands of the registry.

    Empty lines and lines that begin with # are skipped. Raises UserError with the line at fault,
    for a file of too many lines, and for one without a macro.
    """
    macros: dict[str, Macro] = {}
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
            message = f"Line {number}: {error.message}"
            raise UserError(message, hint=error.hint, option="file", code=error.code) from None
        macros[macro.name] = macro
    if not macros:
        hint = "Each line is a name, a colon and a command."
        raise UserError("There are no macros in the file.", hint=hint, code="bad-value")
    return macros


def _format_macro(macro: Macro, note: str = "") -> Part:
    """Return the line of a macro in a list, with a note after it."""
    return Phrase(f"{macro.name}: ", Typed(macro.text), note)


def _create_macro(registry: Registry, name: str, text: str, *, shared: bool) -> Macro:
    """Return a checked macro. Raises UserError if its name is taken or its text cannot be run."""
    taken_names = (
        *registry.top_names,
        *registry.list_children(("macro",)),
        *registry.games,
        *CONSOLE,
    )
    macro = Macro(clean_macro_name(name, taken_names), clean_macro_text(text), shared)
    macro.check(registry)
    return macro


def _get_owner(context: Context, *, shared: bool) -> str:
    """Return the key of the user, or that of the server for `shared` macros.

    Raises UserError if there is no server, and for a user who may not change its macros.
    """
    if not shared:
        return context.command.who.key
    server = context.command.where.server
    if not server:
        raise UserError(
            "There's no server here, but your own macros work everywhere.",
            option="server",
            code="no-server",
        )
    if not context.command.who.manager:
        channel = context.command.where.key
        manager_word = get_manager_word(channel)
        server_word = get_server_word(channel)
        raise UserError(
            f"Only a {manager_word} can change the macros of the {server_word}.",
            hint="To change one of your own, leave out server.",
            option="server",
            code="not-manager",
        )
    return server


def _need_room(names: set[str], *, shared: bool) -> None:
    """Raise UserError if an owner with macros of these names would have too many."""
    limit = MOST_SHARED if shared else MOST_OWN
    if len(names) > limit:
        subject = "A server can have" if shared else "You have room for"
        raise UserError(
            f"{subject} at most {limit} macros.",
            hint=phrase("Delete one first: `/macro remove`"),
            code="too-many",
        )


async def _build_unknown_macro_error(context: Context, name: str) -> UserError:
    """Return the error for a macro that the user cannot run here, with the nearest name as a
    hint.
    """
    user = context.command.who.key
    macros = await load_visible_macros(context.store, user, context.command.where)
    hint = did_you_mean(name, list(macros)) or phrase("`/macro list` lists them all.")
    return UserError(
        f'There is no macro "{name[:40]}".', hint=hint, option="name", code="unknown-macro"
    )


def _format_owner(*, shared: bool) -> str:
    """Return a note on who can run the macros of this owner."""
    return "for everybody here" if shared else "for you alone"
