"""Completion while typing: commands, options, enumerations, units and modifier words from the
registry; and the prompt of the terminal.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, is_done
from prompt_toolkit.formatted_text import ANSI, FormattedText
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import ConditionalContainer, FormattedTextControl, HSplit, VSplit, Window

from adapters.console.screen import BAR, BOARD, WIDE, Screen, build_key_bar, format_bottom_line
from bot.rules.errors import UserError
from bot.ui.registry import Registry
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import Token, tokenize
from bot.ui.typing.complete import CompletionContext, complete_option

_VALUE = re.compile(
    r"([^\s=]{0,40})=(?:\"([^\"]*)(\"?)|'([^']*)('?)|\u201c([^\u201d]*)(\u201d?)|(\S*))"
)
"""An option with its value: the text in each kind of quotes followed by the closing quote, or a
value without quotes.
"""
_QUOTES = ('"', "'", "\u201c")
FIND = ("find",)
OWN_WORDS = ("as", "tutorial", "source", "board", "clear", "quit")
"""Words that only the console knows."""


class ConsoleCompleter(Completer):
    """Completes the line that is being typed.

    The session replaces `registry` and `context` after each line.
    """

    def __init__(self, registry: Registry, context: CompletionContext) -> None:
        self.registry = registry
        self.context = context

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Yield completions for the text before the cursor, none if it cannot be parsed."""
        del complete_event
        try:
            yield from self._list_completions(document.text_before_cursor)
        except UserError:
            return

    def _list_completions(self, text: str) -> Iterable[Completion]:
        """Yield completions for a line: of a command's options, of a macro, or of a command's
        words.
        """
        slash = "/" if text.startswith("/") else ""
        body = text.removeprefix("/")
        words = body.split(" ")
        folded_words = [word.casefold() for word in words]
        for name_length in range(len(words) - 1, 0, -1):
            spec = self.registry.get(tuple(folded_words[:name_length]))
            if spec is not None:
                yield from self._list_options(spec, " ".join(words[name_length:]))
                return
        macro_line = self._expand_macro_line(folded_words, body)
        if macro_line is not None:
            yield from self._list_completions(macro_line)
            return
        if len(words) == 1:
            for word in self._list_first_words():
                if word.startswith(folded_words[0]):
                    start_position = -len(words[0]) - len(slash)
                    yield Completion(slash + word, start_position=start_position)
        elif folded_words[0] in self.registry.top_names:
            yield from self._list_next_words(words)

    def _list_first_words(self) -> tuple[str, ...]:
        """List everything with which a line can begin."""
        macros = [macro.name for macro in self.context.macros]
        sequences = self.context.game.sequences if self.context.game is not None else ()
        return (*self.registry.top_names, *sequences, *OWN_WORDS, *macros)

    def _list_next_words(self, words: list[str]) -> Iterable[Completion]:
        """Yield completions for the last of two or more words, of which the first is a top-level
        name.
        """
        path = tuple(word.casefold() for word in words[:-1])
        part = words[-1].casefold()
        children = self.registry.list_children(path)
        if not children:  # a table without its group: lnlt-table dct
            spec, name_length = self.registry.find(list(path))
            yield from self._list_options(spec, " ".join(words[name_length:]))
            return
        if len(path) == 1 and part:
            deeper_names = [
                spec.path[-1] for spec in self.registry.list_below(path) if len(spec.path) > 2
            ]
            printed_names = self.registry.list_printed_names(path[0])
            children = tuple(dict.fromkeys((*children, *deeper_names, *printed_names)))
        for word in children:
            if word.startswith(part):
                yield Completion(word, start_position=-len(words[-1]))

    def _expand_macro_line(self, words: list[str], body: str) -> str | None:
        """Return a line that uses a macro as `macro run NAME ...`, or None for any other line.

        A macro is used by its name alone or after `macro`. `words` are those of `body` in lower
        case.
        """
        call = body.partition(" ")[2] if words[0] == "macro" else body
        if words[0] != "macro" and words[0] in self.registry.top_names:
            return None
        macros = {macro.name for macro in self.context.macros}
        if " " not in call or call.split(" ")[0].casefold() not in macros:
            return None
        return f"macro run {call}"

    def _list_options(self, spec: CommandSpec, arguments: str) -> Iterable[Completion]:
        """Yield completions for the arguments of a command: a value that is being typed, options,
        and modifiers.
        """
        name, value, _ = find_open_value(arguments)
        if name:
            yield from self._list_values(spec, arguments, name, value)
            return
        if spec.path == FIND:
            for choice in complete_option(
                spec, "words", arguments, self.registry, self.context, {}
            ):
                yield Completion(choice.value, start_position=-len(arguments), display=choice.name)
            return
        part = arguments.rpartition(" ")[2].casefold()
        yield from self._list_bare_values(spec, arguments, part)
        tokens = _tokenize_leniently(arguments[: len(arguments) - len(part)])
        typed_words = {token.key or token.value for token in tokens}
        for option in spec.options:
            if option.name in typed_words or not option.name.startswith(part):
                continue
            text = option.name if option.type == "bool" else option.name + "="
            yield Completion(text, start_position=-len(part), display_meta=option.help[:60])
        mods = spec.find_option("mods")
        if mods is None or not part:
            return
        for word in mods.values:
            if word not in typed_words and word.startswith(part):
                yield Completion(word, start_position=-len(part), display_meta="modifier")

    def _list_values(
        self, spec: CommandSpec, arguments: str, name: str, value: str
    ) -> Iterable[Completion]:
        """Yield values of the option `name`, of which `value` is typed at the end of `arguments`.

        A value with a space is put in quotes unless a quote is open.
        """
        options = _read_typed_options(arguments)
        is_quoted = arguments[len(arguments) - len(value) - 1 :][:1] in _QUOTES
        for choice in complete_option(spec, name, value, self.registry, self.context, options):
            text = choice.value
            if " " in text and not is_quoted:
                text = f'"{text}"'
            yield Completion(text, start_position=-len(value), display=choice.name)

    def _list_bare_values(
        self, spec: CommandSpec, arguments: str, part: str
    ) -> Iterable[Completion]:
        """Yield values of one word for the option that takes the next word without an option name.

        `part` is the word being typed at the end of `arguments`.
        """
        tokens = _tokenize_leniently(arguments[: len(arguments) - len(part)])
        named_options = {token.key for token in tokens if token.key}
        bare_tokens = [
            token for token in tokens if not token.key and spec.find_option(token.value) is None
        ]
        free_options = [option for option in spec.positional if option.name not in named_options]
        if len(bare_tokens) >= len(free_options):
            return
        option = free_options[len(bare_tokens)]
        if option.type not in ("enum", "str", "unit") or option.complete == "stats":
            return
        values = {}
        for free_option, token in zip(free_options, bare_tokens, strict=False):
            values[free_option.name] = token.value
        choices = complete_option(spec, option.name, part, self.registry, self.context, values)
        for choice in choices:
            if " " not in choice.value:
                yield Completion(choice.value, start_position=-len(part), display_meta=option.name)


def find_open_value(arguments: str) -> tuple[str, str, int]:
    """Return the option whose value is being typed, the value so far, and its length.

    `targets="squad mo` is open until the quote is closed. Return ("", "", 0) if no value is open.
    """
    for option_match in _VALUE.finditer(arguments):
        name, *groups = option_match.groups(default="")
        closing_quotes = groups[1:6:2]
        if option_match.end() == len(arguments) and not any(closing_quotes):
            value = "".join(groups)
            return name, value, len(value)
    return "", "", 0


def _tokenize_leniently(text: str) -> list[Token]:
    """Return the tokens of a text, or none if it cannot be parsed."""
    try:
        return tokenize(text)
    except UserError:
        return []


def _read_typed_options(arguments: str) -> dict[str, object]:
    """Return the values of the options before the last word, by option name. A word without an
    option name stands for itself.
    """
    tokens = _tokenize_leniently(arguments.rpartition(" ")[0])
    return {token.key or token.value: token.value for token in tokens}


# -- The prompt, with what is below and next to it. It is in this module, which a script does not
# import, because the library takes 0.1 s to load.


def create_prompt(
    console: Screen,
    completer: ConsoleCompleter,
    history: Path,
    get_name: Callable[[], str],
    prefill_line: Callable[[str], None],
) -> PromptSession[str]:
    """Create the prompt of a terminal, with a bar of keys below it and the board next to it.

    `history` is the file with earlier lines. `get_name` returns the player's name. A key of the bar
    runs its line and passes what was typed before it to `prefill_line`.
    """
    keys = KeyBindings()

    def press(event: KeyPressEvent) -> None:
        prefill_line(event.current_buffer.text)
        line = BAR[event.key_sequence[0].key.upper()][1]
        event.current_buffer.text = line
        event.app.exit(result=line)

    def toolbar() -> FormattedText:
        context = completer.context
        sign = console.get_sign(context.own_side)
        bottom_line = format_bottom_line(context, get_name(), console.width, sign)
        return FormattedText([("", bottom_line + "\n"), *build_key_bar(console.width)])

    for key in BAR:
        keys.add(key.lower())(press)
    prompt: PromptSession[str] = PromptSession(
        history=FileHistory(str(history)),
        completer=completer,
        complete_while_typing=True,
        bottom_toolbar=toolbar,
        key_bindings=keys,
    )
    _add_board(prompt, console)
    return prompt


def _add_board(prompt: PromptSession[str], console: Screen) -> None:
    """Show the board to the right of the prompt, and events below it, if the terminal is wide."""
    is_visible = Condition(lambda: bool(console.board) and console.width >= WIDE) & ~is_done
    board = FormattedTextControl(lambda: ANSI(console.board))
    board_window = Window(board, width=BOARD, dont_extend_height=True)
    right = ConditionalContainer(VSplit([Window(char="│", width=1), board_window]), is_visible)
    events = FormattedTextControl(lambda: ANSI("\n" + console.draw_events()))
    below = ConditionalContainer(Window(events, dont_extend_height=True), is_visible)
    rows = prompt.layout.container
    assert isinstance(rows, HSplit)  # the line first, then the bar
    rows.children[0] = VSplit([HSplit([rows.children[0], below]), right])
