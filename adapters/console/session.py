"""The console session: it reads lines, runs them and shows the answers. The game is stored.

Letters stand for the most common actions, the same at any time; numbers for the other buttons of
the last answer. A tutorial plays a real fire attack step by step.
"""

import asyncio
import os
import re
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
from bot.cli.terminal import KEY_GAP, print_reply, print_text, save_files
from bot.commands.context import UNDO_LABEL
from bot.forms.drafts import Draft
from bot.packs.check import check_path
from bot.rules.errors import UserError
from bot.rules.text.names import format_count
from bot.rules.text.phrase import Phrase
from bot.rules.text.plain import remove_control
from bot.rulesets.catalog import PACKS, load_shared_systems
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.system import SCENARIOS
from bot.runtime.file_rights import keep_files_private, tighten
from bot.runtime.settings import Settings, load_settings
from bot.ui.form.unit_menu import keep_roster_items
from bot.ui.reply.packing import MOST_BYTES, build_too_large_error, check_utf8, read_file_text
from bot.ui.reply.parts import Entry, Grid, Part
from bot.ui.reply.reply import WAITING, Button, Menu, Reply, build_entry_button, build_error_reply
from bot.ui.spec import Person, Place
from bot.ui.typing.command_text import MAX_LENGTH, format_command
from bot.ui.typing.command_writer import CommandReader, write_commands
from bot.ui.typing.complete import CompletionContext
from bot.ui.typing.several_commands import list_typed_lines

PLACE = Place("console:main", "console", "console")
GREETING = (
    'Grognard. Type "tutorial" for a two-minute tour, "solo lnlt" to fight alone, "help" for '
    'everything, "quit" to leave.'
)
CONSOLE = "console"
OWN_HELP = {
    "tutorial": "tutorial plays a first firefight with you.",
    "as": "as NAME switches player: as Anna. Each person joins a side of their own.",
    "quit": "quit, q or Ctrl-D leaves. The game is saved.",
    "source": "source FILE types the lines of a file and stops at the first one that fails; # starts a comment.",
    CONSOLE: "n next phase, p pass, u undo, a again, o odds, c change, t other target: at any time. F2 to F9 in the "
    "bar below do the same, even while you are typing. "
    "Buttons without a letter have a number. Tab completes, board shows the board, clear empties the screen, q leaves.",
}

MOST_SOURCED = 1_000
"""Maximum number of commands in a file."""
FORM = "form:"
"""Prefix of actions that open a form, or ask for the next die by hand."""

Request = Callable[[str], Awaitable[str]]
"""Shows a text and returns the line that the player types."""


class Session:
    """The state of one console: the player who types, the keys of the last answer, and the draft of
    the next line.
    """

    def __init__(
        self, app: App, console: Console, name: str, folder: Path, *, terminal: bool = False
    ) -> None:
        self.app = app
        self.console = console
        self.folder = folder
        self.owner = replace(_build_person(name), manager=True)  # it is their own machine
        self.player = self.owner
        self.terminal = terminal
        self.keys = Keys()
        self.shot_keys = Keys()  # letters about the last shot that the last answer does not have
        self.draft = ""  # the beginning of the next line
        self.failed = False  # a command was refused, other than in the tutorial
        self.sourcing = False

    async def show_news(self) -> None:
        """Show the waiting messages for the console, such as news of a linked game, and mark them
        as delivered.

        A message that no longer holds, such as a request that was answered, leaves the keys of the
        last answer as they are.
        """
        while due_answers := await self.app.answers.claim_due(PLACE.key):
            for due in due_answers:
                if due.reply.over:
                    self._print(due.reply)
                elif not due.reply.quiet:  # a board, which the bottom line replaces
                    await self._show(due.reply)
                await self.app.answers.mark_delivered(due.id)

    async def run_line(self, text: str, request: Request | None = None) -> bool:
        """Run one line: a word or key of the console, or a command.

        Return False if it leaves the console. `request` waits for the player between the lessons of
        the tutorial.
        """
        text = text.strip()
        text = _strip_prompt(text, self.player.name)
        word, _, arguments = text.removeprefix("/").partition(" ")
        if not text or text.startswith("#"):
            return True
        if word in ("quit", "exit", "q") and arguments in ("", "now"):
            return False
        if word == "source":
            return await self._run_script(arguments.strip())
        is_own_word = await self._run_own_word(word, arguments, request)
        if not is_own_word:
            await self._run_key_or_command(text, word, arguments)
        return True

    async def run_block(self, text: str, request: Request | None = None) -> bool:
        """Run the lines of a text in order, as a pasted block has several, each shown before its
        answer. After one that fails, the others become the draft of the next line.

        Return False if one of them leaves the console. See `run_line` for `request`.
        """
        name = self.player.name
        lines = [_strip_prompt(line.strip(), name) for line in list_typed_lines(text, name)]
        if len(lines) < 2:
            return await self.run_line(text, request)
        failed = self.failed
        for index, line in enumerate(lines, 1):
            print_text(self.console, Text(f"> {line}", style="green"))
            self.failed = False
            if not await self.run_line(line, request):
                return False
            if self.failed and index < len(lines):
                self.draft = "\n".join(lines[index:])
                count = format_count(len(lines) - index, "line")
                note = f"Stopped there; Enter runs the other {count}, below."
                print_text(self.console, Text(note, style="bold red"))
                return True
        self.failed |= failed
        return True

    async def _run_own_word(self, word: str, arguments: str, request: Request | None) -> bool:
        """Run a line that begins with a word of the console, such as `as`. Return False for any
        other.
        """
        help_topic = CONSOLE if word == CONSOLE and not arguments else ""
        if word == "help" and arguments.strip() in OWN_HELP:
            help_topic = arguments.strip()
        if help_topic:
            print_reply(self.console, Reply(OWN_HELP[help_topic], private=True))
        elif word in SAVING and not arguments and await self._is_free(word):
            note = "Every step is saved by itself. quit leaves; the game is here again next time."
            print_reply(self.console, Reply(note, private=True))
        elif word == "clear" and not arguments:
            self.console.clear()
        elif word == "as":
            self._switch(arguments)
        elif word == "tutorial":
            await self._run_tutorial(request)
        elif word == "press":
            await self._press(arguments.strip())
        else:
            return False
        return True

    async def _is_free(self, word: str) -> bool:
        """Return whether the game in progress has no sequence that is called by this word alone."""
        context = await self.app.get_completion_context(PLACE, self.player)
        return self.app.registry.get((context.system, word)) is None

    async def _run_key_or_command(self, text: str, word: str, arguments: str) -> None:
        """Run a key of the last answer or a letter of the console, or else a command."""
        action = self.keys.find_action(text) or self.shot_keys.find_action(text)
        if action is not None:
            await self._use_key(action, text)
            return
        if text.casefold() in SHOTS:
            await self._begin_first_shot()
            return
        if word.casefold() == OTHER_TARGET and arguments:
            await self._refuse_target(arguments.strip())
            return
        command = LINES.get(text.casefold(), text)
        if word.casefold() == "u" and arguments.strip().removeprefix("#").isdecimal():
            command = f"{LINES['u']} {arguments}"
        await self._run_text("game board" if command == "board" else command)
        if word in ("help", "?") and not arguments:
            own_words = f"  Also here: {', '.join(OWN_HELP)}, board, clear."
            completion = " Tab completes what you type." if self.terminal else ""
            print_text(self.console, Text(own_words + completion))

    async def _begin_first_shot(self) -> None:
        """Refuse a letter about the last shot, because there was none, and draft the first one."""
        context = await self.app.get_completion_context(PLACE, self.player)
        can_fire = self.app.registry.get((context.system, "fire")) is not None
        self.draft = f"{context.system} fire attackers=" if can_fire else ""
        hint = "Fire first."
        if self.draft and self.terminal:
            hint = "The line below starts one; press Tab to see the units."
        elif self.draft:
            hint = f"Type: {self.draft}"
        self._refuse(
            UserError("There is no shot to repeat yet.", hint=hint, code="nothing-to-repeat")
        )

    async def _refuse_target(self, typed: str) -> None:
        """Refuse a target that the list of other targets does not have, or say that there is no
        shot yet.
        """
        if OTHER_TARGET not in self.shot_keys.menus:
            await self._begin_first_shot()
            return
        message = f'The list of other targets has no "{typed[:40]}".'
        hint = f"{OTHER_TARGET} shows the list."
        self._refuse(UserError(message, hint=hint, code="nothing-to-repeat"))

    async def _run_text(self, text: str) -> None:
        """Parse and run a command, with the text of the files that it names, and show the reply.

        In a terminal, a command that lacks what it needs is answered with an invitation to its
        form, and a refusal with a correction.
        """
        try:
            parsed = await self.app.parse_line(text, PLACE, self.player)
            options = {**parsed.options}
            for option in parsed.spec.options:
                path = options.get(option.name)
                if option.type == "file" and isinstance(path, str):
                    options[option.name] = read_file(path)
        except UserError as error:
            self._refuse(error, text)
            return
        spec = parsed.spec
        if self.terminal:
            invitation = await self.app.invite_to_form(spec, options, self.player, PLACE)
            if invitation:
                await self._show(invitation)
                return
        reply = await self.app.run_parsed(spec, options, self.player, PLACE, uuid4().hex)
        if spec.path == ("help",):
            reply = replace(reply, lines=tuple(map(_write_letters, reply.lines)))
        if self.terminal and reply.error:
            reply = await self.app.corrections.offer_correction(
                reply, spec, parsed.options, self.player
            )
        await self._show(reply)

    async def _use_key(self, action: str | Menu, key: str) -> None:
        """Run what a key stands for: press a button, or list the entries of a menu by number."""
        if isinstance(action, str):
            await self._press(action)
            return
        rows = [
            (str(number), entry.label, entry.about)
            for number, entry in enumerate(action.entries, 1)
        ]
        print_reply(
            self.console,
            Reply(action.label, (Grid(tuple(rows)),)),
            f"Type {key} and a number to choose: {key} 1",
        )

    async def _press(self, action: str) -> None:
        """Run the action of a button and show the reply, or draft the command of a form."""
        if action.startswith(FORM):
            await self._fill_in(action.removeprefix(FORM))
            return
        await self._show(await self.app.press(action, self.player, PLACE, uuid4().hex))

    async def _fill_in(self, target: str) -> None:
        """Draft the next line with the command of a form, which the console has instead of forms.

        `target` is a command, or with a colon the key of a stored draft. If the player could not
        send the command, show the refusal.
        """
        try:
            draft = None
            if ":" in target:
                draft = await self.app.forms.open_draft(target, self.player, PLACE)
            else:
                await self._check_seat(target)
        except UserError as error:
            await self._show(build_error_reply(error))
            return
        line = f"{target} " if draft is None else await self._write_draft_line(draft)
        self.draft = line.removeprefix("/")
        hint = "Continue with the line below; Tab shows what fits."
        if not self.terminal:
            hint = f"Type: {self.draft}"
        print_text(self.console, Text(f"  {hint}", style="dim"))

    async def _check_seat(self, text: str) -> None:
        """Raise UserError if the command that a button begins cannot be parsed, or if this player
        has no right to send it, as they play no side of the game.
        """
        typed = await self.app.parse_line(text, PLACE, self.player)
        await self.app.forms.check_seat(typed.spec, typed.options, self.player, PLACE)

    async def _write_draft_line(self, draft: Draft) -> str:
        """Return the line for a stored draft, with the option that was refused at its end.

        Refused units are reduced to those of the roster, and a refused choice is left out, so that
        Enter alone does not send the same again.
        """
        spec = await self.app.get_form_spec(draft, PLACE)
        options = dict(draft.options)
        option = spec.find_option(draft.wrong)
        wrong_value = options.pop(draft.wrong, None)
        if option is None or not wrong_value:
            return f"{format_command(spec, draft.options)} "
        if option.type == "units":
            context = await self.app.get_completion_context(PLACE, self.player)
            wrong_value = keep_roster_items(str(wrong_value), context.roster)
        if wrong_value and option.type in ("units", "str", "dice", "mods", "bool"):
            return f"{format_command(spec, options | {option.name: wrong_value})} "
        return f"{format_command(spec, options)} {option.name}="

    def prefill_line(self, text: str) -> None:
        """Set the beginning of the next line: what was typed before a key of the bar."""
        self.draft = text

    def _refuse(self, error: UserError, text: str = "") -> None:
        """Show a refusal of the command `text` and count it as a failure."""
        self.failed = True
        self._print(build_error_reply(error, text))

    def _print(self, reply: Reply, keys: str = "") -> None:
        """Print a reply with its commands as the console takes them, and the `keys` that stand for
        its buttons.
        """
        commands = self.app.get_server_registry(PLACE.server)
        print_reply(self.console, write_commands(reply, CommandReader.CONSOLE, commands), keys)

    async def _show(self, reply: Reply) -> None:
        """Print a reply with its keys, save its files, and draw its pictures if the terminal can.

        The keys of the reply replace those of the last one, except letters about the last shot. A
        picture that comes after the reply is shown as well.
        """
        self.failed |= reply.error
        self.keys = assign_keys(reply)
        self.shot_keys = self.shot_keys.add_shot_keys(self.keys)
        shows_keys = self.terminal or _asks(reply)
        self._print(reply, self.keys.format_keys() if shows_keys else "")
        if reply.code in ("not-master", "not-manager"):
            self._name_owner()
        paths = save_files(reply, self.folder / "files")
        for path, file in zip(paths, reply.files, strict=True):
            if self.terminal:
                picture = render_graphics(file.data, self.console.width)
                if picture is not None:
                    self.console.print(picture)
            link = Style(link=path.absolute().as_uri()) if self.terminal else ""
            self.console.print(Text("  saved as ").append(str(path), link), soft_wrap=True)
        if reply.announce is not None and reply.announce.buttons:
            # the story of a game, which comes with a note to the player who ended it
            await self._show(reply.announce)
        if reply.after and not reply.seen:
            await self._press(reply.after)

    def _name_owner(self) -> None:
        """Say how to become the owner of the console, who may direct its games."""
        if self.player.manager:
            return
        note = Text(f"  Type: as {self.owner.name}")
        print_text(self.console, note)

    def _switch(self, name: str) -> None:
        """Let another player type. Only the session's owner is a manager."""
        name = " ".join(name.strip().strip("\"'").split())
        if not name or len(name) > 32 or not name.isprintable():
            sentence = "The name for as can have at most 32 letters."
            self._refuse(UserError(sentence, hint="Type: as Anna", code="bad-name"))
            return
        person = _build_person(name)
        self.player = replace(person, manager=self.owner.key == person.key)
        self.console.print(f"You're now playing as {name}.", markup=False, highlight=False)

    async def _run_tutorial(self, request: Request | None) -> None:
        """Show the lessons and run their commands, until the player types q.

        Without `request` the lessons follow each other. Refusals in them are no failures.
        """
        for lesson, command in LESSONS:
            self.console.print()
            print_text(self.console, Text(lesson))
            if not command:
                return
            print_text(self.console, Text(f"> {command}", style="green"))
            line = ""
            if request is not None:
                line = await request("Enter runs it, q leaves the tutorial: ")
            if line.strip().casefold() == "q":
                return
            failed = self.failed
            await self.run_line(command)
            self.failed = failed

    async def _run_script(self, name: str) -> bool:
        """Run the lines of a file, and stop at the first that fails.

        Return False if one of them leaves the console. A file that cannot be read is refused.
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
                    note = f"Stopped at line {number} of {name}. Everything before it was played."
                    print_text(self.console, Text(note, style="bold red"))
                    return True
        finally:
            self.failed = self.failed or failed
            self.sourcing = False
        return True


def read_script(name: str, *, inside: bool) -> list[tuple[int, str]]:
    """Return the commands of a file with their line numbers, without comments and empty lines.

    Raises UserError if the file cannot be read, is no UTF-8 text, has too many commands, or is
    named `inside` another one.
    """
    if not name:
        raise UserError("source needs a file.", hint="Type: source evening.txt", code="missing")
    if inside:
        raise UserError("A sourced file cannot source another one.", code="not-together")
    script = read_file(name)
    check_utf8(script)
    lines = []
    for number, line in enumerate(script.splitlines(), 1):
        text = remove_control(line).strip()
        if text and not text.startswith("#"):
            lines.append((number, text))
    if len(lines) > MOST_SOURCED:
        raise UserError(
            f"{len(lines):,} commands are too many: the limit is {MOST_SOURCED:,}.", code="too-many"
        )
    return lines


def read_file(path: str) -> str:
    """Read the text of a file that a player named.

    Raises UserError if it is missing, too large or no text.
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
    """Build a player of the console. Names that differ only in case are the same player."""
    return Person(f"console:{name.casefold()}", name)


async def run_console(
    name: str, *, interactive: bool, data: Path | None = None, first_lines: Sequence[str] = ()
) -> int:
    """Run the console as the player `name` until `quit` or the end of input.

    `first_lines` are run before anything else. With a folder `data` everything is stored in it
    instead of in the settings' places. Return the exit status: 1 if a command of a script failed.
    """
    settings = load_settings()
    if data is not None:
        settings = replace(settings, data=data, database=data / "try.db", postgres="")
    keep_files_private()
    tighten(settings.data)
    app = await App.open(settings)
    try:
        console = Screen(highlight=False, soft_wrap=True)
        session = Session(app, console, name, settings.data, terminal=interactive)
        for line in first_lines:
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
    """Yield the lines of standard input that are not empty.

    A line that is too long is cut, but stays too long, so that the parser refuses it.
    """
    loop = asyncio.get_running_loop()
    read_line = sys.stdin.buffer.readline
    while line := await loop.run_in_executor(None, read_line, 64_000):
        while len(line) == 64_000 and not line.endswith(b"\n"):
            continuation = await loop.run_in_executor(None, read_line, 56_000)
            line = line[: MAX_LENGTH + 10] + continuation
        text = remove_control(line.decode("utf-8", "replace")).strip()
        if text:
            yield text


async def _load_completion_context(session: Session) -> CompletionContext:
    """Load what can be completed, with the player's macros."""
    context = await session.app.get_completion_context(PLACE, session.player)
    macros = await session.app.load_macros(session.player, PLACE)
    return context._replace(macros=macros)


async def _draw_board(session: Session, sides: tuple[str, ...]) -> str:
    """Draw the board of the game for the space next to the prompt, or return "" without a game."""
    reply = await session.app.press("look:", session.player, PLACE, uuid4().hex)
    output = StringIO()
    screen = Screen(file=output, width=BOARD - 1, force_terminal=True)
    screen.sides = sides
    print_reply(screen, replace(reply, private=False))
    return "" if reply.error else output.getvalue()


async def _list_events(session: Session) -> tuple[str, ...]:
    """List the last LOGGED events, newest first, for the space below the prompt."""
    reply = await session.app.run_text(f"log {LOGGED}", session.player, PLACE, uuid4().hex)
    return tuple(line for line in reply.format_body() if line.startswith("#"))


async def _run_prompt(session: Session, console: Screen, settings: Settings) -> None:
    """Read lines from a terminal and run them until the player leaves."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.patch_stdout import patch_stdout

    # takes 0.1 s, which a script need not spend
    from adapters.console.completer import ConsoleCompleter, create_prompt

    settings.data.mkdir(parents=True, exist_ok=True)
    context = await _load_completion_context(session)
    completer = ConsoleCompleter(await session.app.load_registry(PLACE), context)
    prompt = create_prompt(
        console,
        completer,
        settings.data / "history",
        lambda: session.player.name,
        session.prefill_line,
    )

    async def request(text: str) -> str:
        return await PromptSession[str]().prompt_async(text)

    print_text(session.console, Text(GREETING))
    if context.status:
        print_text(session.console, Text(f"In progress here: {context.status}.", style="bold"))
    while True:
        console.sides = completer.context.sides
        try:
            await session.show_news()
            # drawn on a narrow terminal too, because it may be made wider while somebody types
            console.board = await _draw_board(session, console.sides) if context.status else ""
            console.events = await _list_events(session) if context.status else ()
            with patch_stdout():
                draft = session.draft
                session.draft = ""
                line = await prompt.prompt_async(f"{session.player.name}> ", default=draft)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            if not await session.run_block(line, request):
                return
        except (EOFError, KeyboardInterrupt):
            session.console.print("(stopped)")
        context = await _load_completion_context(session)
        completer.context = context
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
"""The letters of buttons and menus, by their labels."""
SHOTS = ("o", "c", "w", "t")
"""Letters about the last shot, which stay valid after later answers."""
SAVING = ("save", "load")
"""Words with which other programs keep a game. Here it is always kept."""
OTHER_TARGET = "t"
"""The letter for the same shot at another target."""
LINES = {"n": "game next", "p": "game pass", "u": "game undo", "a": "again"}
"""Commands of letters that no button of the last answer has."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys (letters and numbers) that can be typed for the buttons and menus of an answer."""

    buttons: Mapping[str, Button] = field(default_factory=dict)
    menus: Mapping[str, Menu] = field(default_factory=dict)

    def find_action(self, text: str) -> str | Menu | None:
        """Return the action of a typed key: of a button for `a`, of the second entry of a menu for
        `t 2` or, by its name, `t local 2`. For `t` return the menu itself.

        Return None for any other text, and for *Undo*: the last answer may be another player's, so
        the command runs instead, which is about the player who types.
        """
        key, _, number = text.casefold().partition(" ")
        button = self.buttons.get(text.casefold())
        if button is not None:
            return None if button.label == UNDO_LABEL else button.action
        menu = self.menus.get(key)
        if menu is None or not number:
            return menu
        for entry in menu.entries:
            if entry.label.casefold() == number.strip():
                return entry.action
        index = int(number) if number.isdecimal() and len(number) < 4 else 0
        if not 0 < index <= len(menu.entries):
            return None
        return menu.entries[index - 1].action

    def add_shot_keys(self, keys: "Keys") -> "Keys":
        """Return these keys with the letters about the last shot (SHOTS) that `keys` has.

        If both have a button with the same letter, or both a menu, that of `keys` counts.
        """
        buttons = {key: button for key, button in keys.buttons.items() if key in SHOTS}
        menus = {key: menu for key, menu in keys.menus.items() if key in SHOTS}
        return Keys({**self.buttons, **buttons}, {**self.menus, **menus})

    def format_keys(self) -> str:
        """Format the keys with their labels, numbers first: `1 join US   a again   t other target`.

        The faces of a die are one range: `1-6 the die`.
        """
        labels = {}
        faces = []
        for key, button in self.buttons.items():
            if key == button.label:
                faces.append(key)
            else:
                labels[key] = _format_button_label(button)
        for key, menu in self.menus.items():
            labels[key] = _format_key_label(menu.short or menu.label)
        numbers_first = sorted(labels.items(), key=lambda item: not item[0].isdecimal())
        texts = [f"{key} {label}" for key, label in numbers_first]
        if faces:
            texts.insert(0, f"{faces[0]}-{faces[-1]} the die")
        return KEY_GAP.join(texts)


def assign_keys(reply: Reply) -> Keys:
    """Assign a key to each button, menu and list entry of a reply.

    A label of FIXED has its letter, any other the next number. If the reply has the faces of a die,
    which are their own numbers, other labels have the first of their own letters that is free. A
    label for which no key is left has none.
    """
    buttons: dict[str, Button] = {}
    menus: dict[str, Menu] = {}
    has_faces = _has_faces(reply)
    entries = [part for part in reply.lines if isinstance(part, Entry) and part.label]
    entry_buttons = [build_entry_button(entry)._replace(label=entry.title) for entry in entries]
    for button in (*entry_buttons, *reply.buttons):
        key = _find_free_key(button.label, {*buttons, *menus}, has_faces=has_faces)
        if key:
            buttons[key] = button
    for menu in reply.menus:
        if all(entry.label.isdecimal() for entry in menu.entries):  # the faces of a large die
            buttons |= {entry.label: Button(entry.action, entry.label) for entry in menu.entries}
            continue
        label = menu.short or menu.label
        key = _find_free_key(label, {*buttons, *menus}, has_faces=has_faces)
        if key:
            menus[key] = menu
    return Keys(buttons, menus)


def _strip_prompt(text: str, name: str) -> str:
    """Return a line without the prompt before it, as pages print it (`> `) or this console
    (`NAME> `).
    """
    text = text.removeprefix(f"{name}> ")
    text = text.removeprefix("> ")
    return text.lstrip()


_PRESS = re.compile(rf"\b([Pp])ress ({'|'.join(FIXED)})\b", re.IGNORECASE)


def _write_letters(part: Part) -> Part:
    """Return a text of help with `Type r` for `Press Roll it`. Any other part stays as it is."""
    if isinstance(part, Phrase):
        return Phrase(*map(_write_letters_in, part.pieces))
    return _write_letters_in(part) if isinstance(part, str) else part


def _write_letters_in(text: str) -> str:
    """Return a plain text with the letters of buttons. A command stays as it is."""
    if type(text) is not str:
        return text
    return _PRESS.sub(_write_letter, text)


def _write_letter(match: re.Match[str]) -> str:
    """Return `Type r` for a match of _PRESS."""
    verb = "Type" if match[1] == "P" else "type"
    return f"{verb} {FIXED[match[2].casefold()]}"


def _asks(reply: Reply) -> bool:
    """Return whether a reply is a question, or waits for a player."""
    return reply.tone == WAITING or reply.title.endswith("?")


def _has_faces(reply: Reply) -> bool:
    """Return whether a button or menu entry of a reply is a number, as the faces of a die are."""
    labels = [button.label for button in reply.buttons]
    for menu in reply.menus:
        labels += [entry.label for entry in menu.entries]
    return any(label.isdecimal() for label in labels)


def _find_free_key(label: str, used_keys: set[str], *, has_faces: bool) -> str:
    """Return the key for a label that is not among `used_keys`, or "" if none is left."""
    fixed_key = label if label.isdecimal() else FIXED.get(label.rstrip("….").casefold(), "")
    if fixed_key and fixed_key not in used_keys:
        return fixed_key
    unavailable = {*used_keys, *FIXED.values()}
    candidates = label.casefold() if has_faces else map(str, range(1, 100))
    for key in candidates:
        if key.isalnum() and key not in unavailable:
            return key
    return ""


def _format_button_label(button: Button) -> str:
    """Return the label of a button with a small first letter; that of a unit that a question about
    an order offers stays as it is.
    """
    if button.action.startswith("order:"):
        return button.label
    return _format_key_label(button.label)


def _format_key_label(label: str) -> str:
    """Return a label without dots, and with a small first letter unless it is an abbreviation."""
    word = label.rstrip("….")
    return word if word[1:2].isupper() else word[:1].lower() + word[1:]


def main(words: Sequence[str]) -> int:
    """Run the console (`grognard play [--as NAME]`) and return the exit status.

    Raises UserError for unknown words.
    """
    arguments = Arguments(words, flags={"as": True})
    if arguments.words or arguments.pairs:
        raise UserError("play takes only --as NAME.", code="bad-arguments")
    name = arguments.flags.get("as", ["Player"])[-1]
    return asyncio.run(run_console(name, interactive=sys.stdin.isatty() and sys.stdout.isatty()))


def _print_faults(path: str) -> None:
    """Print the faults that the check finds in a pack, and that they may spoil its commands."""
    faults = check_path(Path(path)).faults
    if not faults:
        return
    for fault in faults:
        print(f"fault     {fault}")
    count = format_count(len(faults), "fault")
    print(f"The check of this pack finds {count}, so some of its commands may be refused.\n")


def try_pack(words: Sequence[str]) -> int:
    """Run the console with a new game of a pack (`grognard try PACK [--as NAME]`), and store
    nothing. If the check of the pack finds faults, print them first. Return the exit status.

    Raises UserError or TableError if the path is no valid pack.
    """
    arguments = Arguments(words, flags={"as": True})
    (path,) = arguments.take_words("PACK")
    pack = load_pack(Path(path))
    pack.check_whole()
    _print_faults(path)
    os.environ[PACKS] = os.path.abspath(path)
    load_shared_systems.cache_clear()
    scenario = next((f" scenario={name}" for name in pack.list_files(SCENARIOS)), "")
    lines = [f'game start {pack.home} "{pack.title}"{scenario}']
    if scenario:
        lines.append("unit list")
    lines.append(f"help {pack.id}")
    name = arguments.flags.get("as", ["Player"])[-1]
    with TemporaryDirectory(prefix="grognard-") as folder:
        interactive = sys.stdin.isatty() and sys.stdout.isatty()
        return asyncio.run(
            run_console(name, interactive=interactive, data=Path(folder), first_lines=lines)
        )
