"""`/macro`: saved commands with gaps, a person's own and the server's.

What a macro comes to is run by the app as if it had been typed (`App.called`).
"""

from collections.abc import Sequence

from bot.commands.context import Context
from bot.commands.untrusted_text import parse_untrusted
from bot.interface.registry import Registry, registry
from bot.interface.reply.packing import check_utf8
from bot.interface.reply.parts import Part, Small
from bot.interface.reply.reply import Button, File, Reply
from bot.interface.typing.command_text import quoted
from bot.interface.typing.macro import Macro, macro_name, macro_text
from bot.places.macros import (
    MACRO,
    MOST_OWN,
    MOST_SHARED,
    find_macro,
    macro_doc,
    macros_of,
    macros_seen,
)
from bot.places.platform_words import manager_word, server_word
from bot.rules.errors import UserError, did_you_mean
from bot.rules.text.names import counted
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import Phrase, Typed, phrase

CONSOLE = ("as", "tutorial", "quit", "exit", "press")
"""Words of the console's own."""
FILE = "macros.txt"
LONGEST_FILE = 200_000
"""Characters of a file of macros: every one that a server may have, and as much again for
remarks.
"""
FORM = "form:"


async def add(context: Context) -> Reply:
    """Save a macro, in place of one of the same name."""
    options = context.options()
    shared = options["server"]
    owner = _owner(context, shared=options["server"])
    macro = _checked(context.registry, options["name"], options["text"], shared=shared)
    before = await macros_of(context.store, owner)
    _need_room({*before, macro.name}, shared=shared)
    context.commit.docs.append(macro_doc(macro, owner))
    was = before.get(macro.name)
    lines: list[Part] = [Typed(macro.text)]
    if was is not None and was.text != macro.text:
        lines.append(Phrase("Before: ", Typed(was.text)))
    lines.append(Phrase("Run it: ", Typed(macro.example)))
    buttons = (Button(f"{FORM}macro run {macro.name}", "Run…"),) if macro.gaps else ()
    title = f"Macro {macro.name} is {'changed' if was is not None else 'saved'}"
    return Reply(title, tuple(lines), by=_whose(shared=shared), private=True, buttons=buttons)


async def run(context: Context) -> Reply:
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
        raise await _unknown(context, name)
    macro.command(macro.given(options), context.registry)
    raise UserError("This macro was changed just now.", hint="Run it again.", code="busy")


async def listing(context: Context) -> Reply:
    """Return a private list of the macros that one can run here: one's own, then the server's. If
    there are none, say how to save one.
    """
    own = await macros_of(context.store, context.command.who.key)
    shared = await macros_of(context.store, context.command.where.server, shared=True)
    lines: list[Part] = [_line(macro) for macro in own.values()]
    if own and shared:
        lines.append("The server's:")
    lines += [
        _line(macro, " (yours goes first)" if name in own else "") for name, macro in shared.items()
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


async def remove(context: Context) -> Reply:
    """Delete one. Raises UserError."""
    options = context.options()
    owner = _owner(context, shared=options["server"])
    name = comparison_key(options["name"])
    macro = (await macros_of(context.store, owner)).get(name)
    if macro is None:
        other = await find_macro(
            context.store, name, context.command.who.key, context.command.where
        )
        if other is None:
            raise await _unknown(context, name)
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
    context.commit.drop_docs.append((MACRO, macro_doc(macro, owner).key))
    server = " server" if options["server"] else ""
    again = Typed(f"/macro add {name}{server} text={quoted(macro.text)}")
    lines = (Typed(macro.text), Small(Phrase("To have it back: ", again)))
    return Reply(
        f"Macro {name} is deleted", lines, by=_whose(shared=options["server"]), private=True
    )


async def export(context: Context) -> Reply:
    """A person's own macros, or the server's, as a file that people can read and change. Raises
    UserError.
    """
    shared = context.options()["server"]
    owner = context.command.where.server if shared else context.command.who.key
    macros = await macros_of(context.store, owner)
    if not macros:
        raise UserError("There are no macros to export.", code="unknown-macro")
    text = "".join(f"{macro.name}: {macro.text}\n" for macro in macros.values())
    first = phrase("Bring them back, or elsewhere: `/macro import`")
    return Reply(
        counted(len(macros), "macro"),
        (first,),
        by=_whose(shared=shared),
        private=True,
        files=(File(FILE, text),),
    )


async def import_macros(context: Context) -> Reply:
    """All macros of a file, or none where one of them cannot be. Raises UserError."""
    options = context.options()
    shared = options["server"]
    owner = _owner(context, shared=options["server"])
    check_utf8(options["file"])
    if len(options["file"]) > LONGEST_FILE:
        what = f"A file of macros has at most {LONGEST_FILE:,} characters."
        raise UserError(what, option="file", code="file-too-large")
    found = await parse_untrusted(context, read_macros, options["file"], shared)
    before = await macros_of(context.store, owner)
    _need_room({*before, *found}, shared=shared)
    context.commit.docs += [macro_doc(macro, owner) for macro in found.values()]
    changed = sorted(
        name for name in found if name in before and before[name].text != found[name].text
    )
    lines = [", ".join(found), *([f"Changed: {', '.join(changed)}"] if changed else [])]
    return Reply(
        f"{counted(len(found), 'macro')} saved",
        tuple(lines),
        by=_whose(shared=shared),
        private=True,
    )


def read_macros(text: str, shared: bool) -> dict[str, Macro]:
    """Return the macros of a file by name, checked against the commands that are seen here.

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
            macro = _checked(registry(), name, command, shared=shared)
        except UserError as error:
            what = f"Line {number}: {error.message}"
            raise UserError(what, hint=error.hint, option="file", code=error.code) from None
        found[macro.name] = macro
    if not found:
        hint = "Each line is a name, a colon and a command."
        raise UserError("There is no macro in the file.", hint=hint, code="bad-value")
    return found


def _line(macro: Macro, more: str = "") -> Part:
    return Phrase(f"{macro.name}: ", Typed(macro.text), more)


def _checked(registry: Registry, name: str, text: str, *, shared: bool) -> Macro:
    """The macro, once it is known to be one. Raises UserError."""
    taken = (*registry.top, *registry.children(("macro",)), *registry.games, *CONSOLE)
    macro = Macro(macro_name(name, taken), macro_text(text), shared)
    macro.check(registry)
    return macro


def _owner(context: Context, *, shared: bool) -> str:
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
        what = f"Only a {manager_word(where)} can change the macros of the {server_word(where)}."
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


async def _unknown(context: Context, name: str) -> UserError:
    seen: Sequence[str] = list(
        await macros_seen(context.store, context.command.who.key, context.command.where)
    )
    hint = did_you_mean(name, seen) or phrase("`/macro list` shows what there is.")
    return UserError(
        f'There is no macro "{name[:40]}".', hint=hint, option="name", code="unknown-macro"
    )


def _whose(*, shared: bool) -> str:
    return "for everybody here" if shared else "for you alone"
