"""One evening at the console: reads lines, runs them, shows the answers, keeps the channel's game.
A letter and Enter do what is done most, the same at any time; a number what else is under the last
answer. A tutorial plays a real fire attack step by step."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from rich.console import Console
from rich.style import Style
from rich.text import Text

from adapters.console.screen import BOARD, LOGGED, Screen, render_graphics
from adapters.console.tutorial import LESSONS
from bot.app import App
from bot.cli.cli import Arguments
from bot.cli.terminal import print_reply, print_text, save_files
from bot.commands.context import UNDO_LABEL
from bot.preferences.forms import Draft
from bot.rules.errors import UserError
from bot.rules.text.plain import remove_control
from bot.rulesets.catalog import PACKS, load_shared_systems
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.system import SCENARIOS
from bot.runtime.file_rights import keep_files_private, tighten
from bot.runtime.settings import Settings, load_settings
from bot.ui.form.unit_menu import keep_roster_items
from bot.ui.reply.packing import MOST_BYTES, build_too_large_error, check_utf8, read_file_text
from bot.ui.reply.parts import Entry, Grid
from bot.ui.reply.reply import Button, Menu, Reply, build_entry_button, build_error_reply
from bot.ui.spec import Person, Place
from bot.ui.typing.command_text import MAX_LENGTH, format_command
from bot.ui.typing.command_writer import CommandReader, write_commands
from bot.ui.typing.complete import CompletionContext

PLACE = Place("console:main", "console", "console")
GREETING = (
    'Grognard. Type "tutorial" for a two-minute tour, "help" for everything, "quit" to leave.'
)
CONSOLE = "console"
OWN_HELP = {
    "tutorial": "tutorial plays a first firefight with you.",
    "as": "as NAME switches player: as Anna. Each person joins a side of their own.",
    "quit": "quit or q leaves, as Ctrl-D does. The game is kept.",
    "source": "source FILE types the lines of a file for you and stops at the first that fails; # begins a remark.",
    CONSOLE: "n next phase, p pass, u undo, a again, o odds, c change, t other target: at any time. F2 to F9 in the "
    "bar below do the same, in the middle of a line, too. "
    "What has no letter has a number. Tab completes, board shows the board, clear empties the screen, q leaves.",
}

MOST_SOURCED = 1_000
"""A file may hold so many commands."""
FORM = "form:"
"""How actions begin that open a form, and that ask for the next die by hand."""

Request = Callable[[str], Awaitable[str]]


class Session:
    """Who types, where, and what answers."""

    def __init__(
        self, app: App, console: Console, name: str, folder: Path, *, terminal: bool = False
    ) -> None:
        self.app = app
        self.console = console
        self.folder = folder
        self.owner = self.who = replace(
            _build_person(name), manager=True
        )  # it is their own machine
        self.terminal = terminal
        self.keys = Keys()
        self.kept = Keys()  # what letters did under earlier answers, where the last one has none
        self.draft = ""  # what the next line begins with
        self.failed = False  # whether a command was refused, the tutorial's own mistakes aside
        self.sourcing = False

    async def show_news(self) -> None:
        """Show what was played elsewhere since the last look, in a game that this one is linked
        with.
        """
        while found := await self.app.answers.claim_due(PLACE.key):
            for due in found:
                if not due.reply.quiet:  # the bottom line says what a board says
                    await self._show(due.reply)
                await self.app.answers.mark_delivered(due.id)

    async def run_line(self, text: str, request: Request | None = None) -> bool:
        """Run one line; False when it asks to leave. `ask` waits for the player between lessons."""
        text = text.strip()
        word, _, rest = text.removeprefix("/").partition(" ")
        if not text or text.startswith("#"):
            return True
        if word in ("quit", "exit", "q") and not rest:
            return False
        if word == "clear" and not rest:
            self.console.clear()
            return True
        if word == "as":
            self._switch(rest)
        elif word == "tutorial":
            await self._run_tutorial(request)
        elif word == "source":
            return await self._run_script(rest.strip())
        elif word == CONSOLE and not rest:
            print_reply(self.console, Reply(OWN_HELP[CONSOLE], private=True))
        elif word == "help" and rest.strip() in OWN_HELP:
            print_reply(self.console, Reply(OWN_HELP[rest.strip()], private=True))
        elif word == "press":
            await self._press(rest.strip())
        elif (meant := self.keys.find_action(text) or self.kept.find_action(text)) is not None:
            await self._use_key(meant, text)
        elif text.casefold() in SHOTS:
            system = (await self.app.get_completion_context(PLACE, self.who)).system
            self.draft = (
                f"{system} fire attackers=" if self.app.registry.get((system, "fire")) else ""
            )
            hint = "Fire first."
            if self.draft and self.terminal:
                hint = "The line below begins one; Tab names the units."
            elif self.draft:
                hint = f"Type: {self.draft}"
            self._refuse(
                UserError("There is no shot before this one.", hint=hint, code="nothing-to-repeat")
            )
        else:
            text = LINES.get(text.casefold(), text)
            text = "game board" if text == "board" else text
            await self._run_text(text)
            if word in ("help", "?") and not rest:
                also = f"  Here also: {', '.join(OWN_HELP)}, board, clear."
                keys = " Tab completes what you type." if self.terminal else ""
                print_text(self.console, Text(also + keys))
        return True

    async def _run_text(self, text: str) -> None:
        try:
            typed = await self.app.parse_line(text, PLACE, self.who)
            options = {**typed.options}
            for option in typed.spec.options:
                if option.type == "file" and isinstance(path := options.get(option.name), str):
                    options[option.name] = read_file(path)
        except UserError as error:
            self._refuse(error, text)
            return
        if self.terminal and (
            invitation := await self.app.invite_to_form(typed.spec, options, self.who, PLACE)
        ):
            await self._show(invitation)
            return
        reply = await self.app.run_parsed(typed.spec, options, self.who, PLACE, uuid4().hex)
        if self.terminal and reply.error:
            reply = await self.app.forms.offer_correction(
                reply, typed.spec, typed.options, self.who
            )
        await self._show(reply)

    async def _use_key(self, meant: str | Menu, key: str) -> None:
        """Do what a letter stands for: press a button, or list a menu by numbers."""
        if isinstance(meant, str):
            await self._press(meant)
            return
        listed = ((str(at), entry.label, entry.about) for at, entry in enumerate(meant.entries, 1))
        print_reply(
            self.console,
            Reply(meant.label, (Grid(tuple(listed)),)),
            f"{key} and a number chooses: {key} 1",
        )

    async def _press(self, action: str) -> None:
        if action.startswith(FORM):
            await self._fill_in(action.removeprefix(FORM))
            return
        await self._show(await self.app.press(action, self.who, PLACE, uuid4().hex))

    async def _fill_in(self, what: str) -> None:
        """Put a command on the line: the console's form is the line itself."""
        try:
            draft = await self.app.forms.open_draft(what, self.who, PLACE) if ":" in what else None
            if draft is None:
                await self._check_seat(what)
        except UserError as error:
            await self._show(build_error_reply(error))
            return
        self.draft = f"{what} " if draft is None else await self._write_draft_line(draft)
        hint = "Go on with the line below; Tab shows what fits."
        if not self.terminal:
            hint = f"Type: {self.draft}"
        print_text(self.console, Text(f"  {hint}", style="dim"))

    async def _check_seat(self, text: str) -> None:
        """Raise UserError if this player could not send the command that a button begins."""
        typed = await self.app.parse_line(text, PLACE, self.who)
        await self.app.forms.check_seat(typed.spec, typed.options, self.who, PLACE)

    async def _write_draft_line(self, draft: Draft) -> str:
        """A draft as a line. What was refused comes last: of units those that are there, nothing of
        any other choice, so that Enter alone does not ask for it once more."""
        spec = await self.app.get_form_spec(draft, PLACE)
        options = dict(draft.options)
        option = spec.find_option(draft.wrong)
        wrong = options.pop(draft.wrong, None)
        if option is None or not wrong:
            return f"{format_command(spec, draft.options)} "
        if option.type == "units":
            wrong = keep_roster_items(
                str(wrong), (await self.app.get_completion_context(PLACE, self.who)).roster
            )
        if wrong and option.type in ("units", "str", "dice", "mods", "bool"):
            return f"{format_command(spec, options | {option.name: wrong})} "
        return f"{format_command(spec, options)} {option.name}="

    def prefill_line(self, text: str) -> None:
        """What the next line begins with, after what a key of the bar does."""
        self.draft = text

    def _refuse(self, error: UserError, text: str = "") -> None:
        self.failed = True
        self._print(build_error_reply(error, text))

    def _print(self, reply: Reply, keys: str = "") -> None:
        """Print a reply with its commands as the console takes them, and the `keys` that stand for
        its buttons.
        """
        commands = self.app.get_server_registry(PLACE.server)
        print_reply(self.console, write_commands(reply, CommandReader.CONSOLE, commands), keys)

    async def _show(self, reply: Reply) -> None:
        self.failed |= reply.error
        self.keys = assign_keys(reply)
        self.kept = Keys(
            {
                **self.kept.buttons,
                **{key: one for key, one in self.keys.buttons.items() if key in SHOTS},
            },
            {
                **self.kept.menus,
                **{key: one for key, one in self.keys.menus.items() if key in SHOTS},
            },
        )
        self._print(reply, self.keys.format_keys() if self.terminal else "")
        for path, file in zip(save_files(reply, self.folder / "files"), reply.files, strict=True):
            if (
                self.terminal
                and (picture := render_graphics(file.data, self.console.width)) is not None
            ):
                self.console.print(picture)
            link = Style(link=path.absolute().as_uri()) if self.terminal else ""
            self.console.print(Text("  saved as ").append(str(path), link), soft_wrap=True)
        if reply.announce is not None and reply.announce.buttons:
            # a story, beside a word to who ended the game
            await self._show(reply.announce)
        if reply.after and not reply.seen:
            await self._press(reply.after)

    def _switch(self, name: str) -> None:
        name = " ".join(name.strip().strip("\"'").split())
        if not name or len(name) > 32 or not name.isprintable():
            self._refuse(
                UserError(
                    "as needs a name of at most 32 letters.", hint="Type: as Anna", code="bad-name"
                )
            )
            return
        self.who = replace(_build_person(name), manager=self.owner.key == _build_person(name).key)
        self.console.print(f"You're now playing as {name}.", markup=False, highlight=False)

    async def _run_tutorial(self, request: Request | None) -> None:
        for said, command in LESSONS:
            self.console.print()
            print_text(self.console, Text(said))
            if not command:
                return
            print_text(self.console, Text(f"> {command}", style="green"))
            typed = (
                await request("Enter runs it, q leaves the tutorial: ")
                if request is not None
                else ""
            )
            if typed.strip().casefold() == "q":
                return
            failed = self.failed
            await self.run_line(command)
            self.failed = failed

    async def _run_script(self, name: str) -> bool:
        """Type the lines of a file; stops at the first that fails. False when one of them asks
        to leave.
        """
        try:
            lines = read_script(name.strip("\"'"), inside=self.sourcing)
        except UserError as error:
            self._refuse(error)
            return True
        failed = self.failed
        self.failed = False
        self.sourcing = True
        try:
            for number, line in lines:
                print_text(self.console, Text(f"> {line}", style="green"))
                if not await self.run_line(line):
                    return False
                if self.failed:
                    said = f"{name}, line {number}: stopped there; what came before was played."
                    print_text(self.console, Text(said, style="bold red"))
                    return True
        finally:
            self.failed = self.failed or failed
            self.sourcing = False
        return True


def read_script(name: str, *, inside: bool) -> list[tuple[int, str]]:
    """The commands of a file, each with its line. Raises UserError for a file in a file, and for
    what is no script.
    """
    if not name:
        raise UserError("source needs a file.", hint="Type: source evening.txt", code="missing")
    if inside:
        raise UserError("A file that is sourced cannot source another.", code="not-together")
    script = read_file(name)
    check_utf8(script)
    lines = [
        (number, text)
        for number, line in enumerate(script.splitlines(), 1)
        if (text := remove_control(line).strip()) and not text.startswith("#")
    ]
    if len(lines) > MOST_SOURCED:
        raise UserError(
            f"{len(lines):,} commands are more than {MOST_SOURCED:,} at a time.", code="too-many"
        )
    return lines


def read_file(path: str) -> str:
    """The text of a file that a player names. Raises UserError for one that is missing, too
    large or no text.
    """
    try:
        file = Path(path).expanduser()
        if file.stat().st_size > MOST_BYTES:
            raise build_too_large_error(file.name)
        return read_file_text(file.read_bytes(), file.name)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UserError(
            f"{path[:60]} cannot be read: {reason}.", option="file", code="unreadable-file"
        ) from None


def _build_person(name: str) -> Person:
    return Person(f"console:{name.casefold()}", name)


async def run_console(
    name: str, *, interactive: bool, data: Path | None = None, first: Sequence[str] = ()
) -> int:
    """Run the console until `quit` or the end of input, after the lines `first`, all that it keeps
    in the folder `data` where there is one; the exit status: 1 for a script of which a command
    failed."""
    settings = load_settings()
    if data is not None:
        settings = replace(settings, data=data, database=data / "try.db", postgres="")
    keep_files_private()
    tighten(settings.data)
    app = await App.open(settings)
    try:
        console = Screen(highlight=False, soft_wrap=True)
        session = Session(app, console, name, settings.data, terminal=interactive)
        for line in first:
            print_text(console, Text(f"> {line}", style="green"))
            await session.run_line(line)
        if interactive:
            await _run_prompt(session, console, settings)
        else:
            async for line in _read_input_lines():
                await session.show_news()
                print_text(console, Text(f"> {line}", style="green"))
                if not await session.run_line(line):
                    break
    finally:
        await app.close()
    return int(session.failed and not interactive)


async def _read_input_lines() -> AsyncIterator[str]:
    """Lines of standard input; one that is too long is cut so that the parser can refuse it."""
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.buffer.readline, 64_000):
        while len(line) == 64_000 and not line.endswith(b"\n"):
            line = line[: MAX_LENGTH + 10] + await loop.run_in_executor(
                None, sys.stdin.buffer.readline, 56_000
            )
        text = remove_control(line.decode("utf-8", "replace")).strip()
        if text:
            yield text


async def _load_completion_context(session: Session) -> CompletionContext:
    """What can be completed, the macros of who types among it."""
    known = await session.app.get_completion_context(PLACE, session.who)
    return known._replace(macros=await session.app.load_macros(session.who, PLACE))


async def _draw_board(session: Session, sides: tuple[str, ...]) -> str:
    """How the game is, drawn for the space beside the prompt; nothing where none is played."""
    reply = await session.app.press("look:", session.who, PLACE, uuid4().hex)
    drawn = Screen(file=(written := StringIO()), width=BOARD - 1, force_terminal=True)
    drawn.sides = sides
    print_reply(drawn, replace(reply, private=False))
    return "" if reply.error else written.getvalue()


async def _list_events(session: Session) -> tuple[str, ...]:
    """Return the last events, newest first, for the space that the board leaves below the
    prompt.
    """
    reply = await session.app.run_text(f"log {LOGGED}", session.who, PLACE, uuid4().hex)
    return tuple(line for line in reply.format_body() if line.startswith("#"))


async def _run_prompt(session: Session, console: Screen, settings: Settings) -> None:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.patch_stdout import patch_stdout

    from adapters.console.completer import (
        ConsoleCompleter,
        create_prompt,
    )  # 0.1 s that a script does without

    settings.data.mkdir(parents=True, exist_ok=True)
    known = await _load_completion_context(session)
    completer = ConsoleCompleter(await session.app.load_registry(PLACE), known)
    prompt = create_prompt(
        console,
        completer,
        settings.data / "history",
        lambda: session.who.name,
        session.prefill_line,
    )

    async def request(text: str) -> str:
        return await PromptSession[str]().prompt_async(text)

    print_text(session.console, Text(GREETING))
    if known.status:
        print_text(session.console, Text(f"Here goes on: {known.status}.", style="bold"))
    while True:
        console.sides = completer.known.sides
        try:
            await session.show_news()
            # drawn on a narrow terminal too, which may be made wider while somebody types
            console.board = await _draw_board(session, console.sides) if known.status else ""
            console.events = await _list_events(session) if known.status else ()
            with patch_stdout():
                draft = session.draft
                session.draft = ""
                line = await prompt.prompt_async(f"{session.who.name}> ", default=draft)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            if not await session.run_line(line, request):
                return
        except (EOFError, KeyboardInterrupt):
            session.console.print("(stopped)")
        completer.known = known = await _load_completion_context(session)
        completer.registry = await session.app.load_registry(PLACE)


_WORDS = (
    "again",
    "change",
    "odds",
    "undo",
    "other target",
    "roll it",
    "what if",
    "next phase",
    "pass",
    "dice",
)
FIXED = dict(zip(_WORDS, "acoutrwnpd", strict=True))
"""The letters of buttons and menus, by what these say."""
SHOTS = ("o", "c", "w", "t")
"""Letters about the last shot, which are kept under later answers."""
LINES = {"n": "game next", "p": "game pass", "u": "game undo", "a": "again"}
"""What such a letter does where no button of the last answer has it."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What can be typed for the buttons and menus of an answer."""

    buttons: Mapping[str, Button] = field(default_factory=dict)
    menus: Mapping[str, Menu] = field(default_factory=dict)

    def find_action(self, text: str) -> str | Menu | None:
        """The action of what was typed: `a` a button, `t 2` the second entry of a menu. The menu
        itself for `t`.
        """
        word, _, number = text.casefold().partition(" ")
        button = self.buttons.get(text.casefold())
        if button is not None and button.label == UNDO_LABEL:
            return (
                None  # the last answer may be another player's: the command is about whoever types
            )
        if button is not None:
            return button.action
        menu = self.menus.get(word)
        if menu is None or not number:
            return menu
        at = int(number) if number.isdecimal() and len(number) < 4 else 0
        return menu.entries[at - 1].action if 0 < at <= len(menu.entries) else None

    def format_keys(self) -> str:
        """Return the keys with what they do, numbers first: `1 join US   a again   t other target`."""
        letters = {
            key: _format_key_label(button.label)
            for key, button in self.buttons.items()
            if key != button.label
        }
        letters |= {
            key: _format_key_label(menu.short or menu.label) for key, menu in self.menus.items()
        }
        faces = [key for key, button in self.buttons.items() if key == button.label]
        numbers_first = sorted(letters.items(), key=lambda item: not item[0].isdecimal())
        told = [f"{letter} {label}" for letter, label in numbers_first]
        return "   ".join([*([f"{faces[0]}-{faces[-1]} the die"] if faces else []), *told])


def assign_keys(reply: Reply) -> Keys:
    """The keys of an answer: its letter for what has one, for all else the next number; beside the
    faces of a die, which are their own numbers, the first letter that is free."""
    buttons: dict[str, Button] = {}
    menus: dict[str, Menu] = {}
    labels = [entry.label for menu in reply.menus for entry in menu.entries] + [
        one.label for one in reply.buttons
    ]
    has_faces = any(map(str.isdecimal, labels))

    def find_free_key(label: str) -> str:
        fixed = label if label.isdecimal() else FIXED.get(label.rstrip("….").casefold(), "")
        taken = {*buttons, *menus}
        if fixed and fixed not in taken:
            return fixed
        others = label.casefold() if has_faces else map(str, range(1, 100))
        return next(
            (key for key in others if key.isalnum() and key not in {*taken, *FIXED.values()}), ""
        )

    entries = [part for part in reply.lines if isinstance(part, Entry) and part.label]
    listed = [build_entry_button(entry)._replace(label=entry.title) for entry in entries]
    for button in (*listed, *reply.buttons):
        if key := find_free_key(button.label):
            buttons[key] = button
    for menu in reply.menus:
        if all(entry.label.isdecimal() for entry in menu.entries):  # the faces of a large die
            buttons |= {entry.label: Button(entry.action, entry.label) for entry in menu.entries}
        elif key := find_free_key(menu.short or menu.label):
            menus[key] = menu
    return Keys(buttons, menus)


def _format_key_label(label: str) -> str:
    word = label.rstrip("….")
    return word if word[1:2].isupper() else word[:1].lower() + word[1:]


def main(words: Sequence[str]) -> int:
    """`grognard play [--as NAME]`: the exit status; raises UserError for words it does not know."""
    arguments = Arguments(words, flags={"as": True})
    if arguments.words or arguments.pairs:
        raise UserError("play takes only --as NAME.", code="bad-arguments")
    name = arguments.flags.get("as", ["Player"])[-1]
    return asyncio.run(run_console(name, interactive=sys.stdin.isatty() and sys.stdout.isatty()))


def try_pack(words: Sequence[str]) -> int:
    """`grognard try PACK`: the console with a game of this pack begun, of which nothing is kept;
    the exit status. Raises UserError or TableError for what is no pack."""
    arguments = Arguments(words, flags={"as": True})
    (path,) = arguments.take_words("PACK")
    pack = load_pack(Path(path))
    pack.check_whole()
    os.environ[PACKS] = os.path.abspath(path)
    load_shared_systems.cache_clear()
    scenario = next((f" scenario={name}" for name in pack.list_files(SCENARIOS)), "")
    begin = f'game start {pack.home} "{pack.title}"{scenario}'
    first = (begin, *(["unit list"] if scenario else []), f"help {pack.id}")
    name = arguments.flags.get("as", ["Player"])[-1]
    with TemporaryDirectory(prefix="grognard-") as folder:
        interactive = sys.stdin.isatty() and sys.stdout.isatty()
        return asyncio.run(
            run_console(name, interactive=interactive, data=Path(folder), first=first)
        )
