"""The line that is typed, with what is below it and beside it; apart, as it takes 0.1 s that a script does without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.filters import Condition, is_done
from prompt_toolkit.formatted_text import ANSI, FormattedText
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import ConditionalContainer, FormattedTextControl, HSplit, VSplit, Window

from adapters.console.completer import ConsoleCompleter
from adapters.console.screen import BAR, BOARD, WIDE, Screen, bar, bottom_line


def prompt_at(
    console: Screen, completer: ConsoleCompleter, history: Path, who: Callable[[], str], begun: Callable[[str], None]
) -> PromptSession[str]:
    """The prompt of a terminal for whoever `who` says; a key of the bar tells `begun` what was typed before it."""
    keys = KeyBindings()

    def press(event: KeyPressEvent) -> None:
        begun(event.current_buffer.text)
        line = BAR[event.key_sequence[0].key.upper()][1]
        event.current_buffer.text = line
        event.app.exit(result=line)

    def toolbar() -> FormattedText:
        known = completer.known
        said = bottom_line(known, who(), console.width, console.sign(known.own_side))
        return FormattedText([("", said + "\n"), *bar(console.width)])

    for key in BAR:
        keys.add(key.lower())(press)
    prompt: PromptSession[str] = PromptSession(
        history=FileHistory(str(history)),
        completer=completer,
        complete_while_typing=True,
        bottom_toolbar=toolbar,
        key_bindings=keys,
    )
    board = FormattedTextControl(lambda: ANSI(console.board))
    beside = ConditionalContainer(
        VSplit([Window(char="│", width=1), Window(board, width=BOARD, dont_extend_height=True)]),
        Condition(lambda: bool(console.board) and console.width >= WIDE) & ~is_done,
    )
    rows = prompt.layout.container
    assert isinstance(rows, HSplit)  # the line, then what is below it
    log = FormattedTextControl(lambda: ANSI("\n" + console.log_lines))
    below = ConditionalContainer(Window(log, dont_extend_height=True), beside.filter)
    rows.children[0] = VSplit([HSplit([rows.children[0], below]), beside])
    return prompt
