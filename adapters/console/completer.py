"""Completion while typing: commands, options, enumerations, units and modifier words, from the
registry; and the line that is typed."""

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
"""An option with its value: what is in each kind of quotes, and whether these are closed; or
what has none.
"""
_QUOTES = ('"', "'", "\u201c")
FIND = ("find",)
OWN_WORDS = ("as", "tutorial", "source", "board", "clear", "quit")


class ConsoleCompleter(Completer):
    """Offers what can come next in the line."""

    def __init__(self, registry: Registry, known: CompletionContext) -> None:
        self.registry = registry
        self.known = known

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Completions for the text before the cursor; none where it cannot be read."""
        del complete_event
        try:
            yield from self._list_completions(document.text_before_cursor)
        except UserError:
            return

    def _list_completions(self, text: str) -> Iterable[Completion]:
        slash = "/" if text.startswith("/") else ""
        body = text.removeprefix("/")
        words = body.split(" ")
        folded = [word.casefold() for word in words]
        for used in range(len(words) - 1, 0, -1):
            if (spec := self.registry.get(tuple(folded[:used]))) is not None:
                yield from self._list_options(spec, " ".join(words[used:]))
                return
        if (line := self._expand_macro_line(folded, body)) is not None:
            yield from self._list_completions(line)
            return
        before = tuple(folded[:-1])
        part = folded[-1]
        if before and before[0] not in self.registry.top_names:
            return
        named = [macro.name for macro in self.known.macros]
        sequences = self.known.game.sequences if self.known.game is not None else ()
        first_words = (*self.registry.top_names, *sequences, *OWN_WORDS, *named)
        children = self.registry.list_children(before) if before else first_words
        if before and not children:  # a table without its group: lnlt-table dct
            spec, used = self.registry.find(list(before))
            yield from self._list_options(spec, " ".join(words[used:]))
            return
        if len(before) == 1 and part:
            children = (
                *children,
                *(spec.path[-1] for spec in self.registry.list_below(before) if len(spec.path) > 2),
                *self.registry.list_printed_names(before[0]),
            )
            children = tuple(dict.fromkeys(children))
        for word in children:
            if word.startswith(part):
                start = slash if len(words) == 1 else ""
                yield Completion(start + word, start_position=-len(words[-1]) - len(start))

    def _expand_macro_line(self, words: list[str], body: str) -> str | None:
        """The line as `macro run h ...` where it is a macro's, by its name alone or behind
        `macro`.
        """
        named = {macro.name for macro in self.known.macros}
        rest = body.partition(" ")[2] if words[0] == "macro" else body
        is_free = words[0] == "macro" or words[0] not in self.registry.top_names
        return (
            f"macro run {rest}"
            if " " in rest and is_free and rest.split(" ")[0].casefold() in named
            else None
        )

    def _list_options(self, spec: CommandSpec, rest: str) -> Iterable[Completion]:
        name, value, offset = find_open_value(rest)
        if name:
            given = _read_given_options(rest)
            quoted = rest[len(rest) - offset - 1 :][:1] in _QUOTES
            for choice in complete_option(spec, name, value, self.registry, self.known, given):
                bare = quoted or " " not in choice.value
                text = choice.value if bare else f'"{choice.value}"'
                yield Completion(text, start_position=-offset, display=choice.name)
            return
        if spec.path == FIND:
            for choice in complete_option(spec, "words", rest, self.registry, self.known, {}):
                yield Completion(choice.value, start_position=-len(rest), display=choice.name)
            return
        part = rest.rpartition(" ")[2].casefold()
        yield from self._list_bare_values(spec, rest, part)
        typed = {
            token.key or token.value for token in _tokenize_leniently(rest[: len(rest) - len(part)])
        }
        for option in spec.options:
            if option.name in typed or not option.name.startswith(part):
                continue
            shown = option.name if option.type == "bool" else option.name + "="
            yield Completion(shown, start_position=-len(part), display_meta=option.help[:60])
        mods = spec.find_option("mods")
        for word in mods.values if mods is not None else ():
            if word not in typed and word.startswith(part) and part:
                yield Completion(word, start_position=-len(part), display_meta="modifier")

    def _list_bare_values(self, spec: CommandSpec, rest: str, part: str) -> Iterable[Completion]:
        """Values of the option that a word without its name would go to, where that is a single
        word.
        """
        tokens = _tokenize_leniently(rest[: len(rest) - len(part)])
        given = {token.key for token in tokens if token.key}
        bare = [
            token for token in tokens if not token.key and spec.find_option(token.value) is None
        ]
        free = [option for option in spec.positional if option.name not in given]
        option = free[len(bare)] if len(bare) < len(free) else None
        if (
            option is None
            or option.type not in ("enum", "str", "unit")
            or option.complete == "stats"
        ):
            return
        before = {one.name: token.value for one, token in zip(free, bare, strict=False)}
        for choice in complete_option(spec, option.name, part, self.registry, self.known, before):
            if " " not in choice.value:
                yield Completion(choice.value, start_position=-len(part), display_meta=option.name)


def find_open_value(rest: str) -> tuple[str, str, int]:
    """The option whose value is being typed, the value so far, and its length: `targets="squad
    mo` is open.
    """
    for found in _VALUE.finditer(rest):
        name, *values = found.groups(default="")
        if found.end() == len(rest) and not any(values[1:6:2]):
            value = "".join(values)
            return name, value, len(value)
    return "", "", 0


def _tokenize_leniently(text: str) -> list[Token]:
    try:
        return tokenize(text)
    except UserError:
        return []


def _read_given_options(rest: str) -> dict[str, object]:
    return {
        token.key or token.value: token.value
        for token in _tokenize_leniently(rest.rpartition(" ")[0])
    }


# -- the line that is typed, with what is below it and beside it; apart, as it takes 0.1 s that a
# script does without


def create_prompt(
    console: Screen,
    completer: ConsoleCompleter,
    history: Path,
    who: Callable[[], str],
    begun: Callable[[str], None],
) -> PromptSession[str]:
    """The prompt of a terminal for whoever `who` says; a key of the bar tells `begun` what was
    typed before it.
    """
    keys = KeyBindings()

    def press(event: KeyPressEvent) -> None:
        begun(event.current_buffer.text)
        line = BAR[event.key_sequence[0].key.upper()][1]
        event.current_buffer.text = line
        event.app.exit(result=line)

    def toolbar() -> FormattedText:
        known = completer.known
        said = format_bottom_line(known, who(), console.width, console.get_sign(known.own_side))
        return FormattedText([("", said + "\n"), *build_key_bar(console.width)])

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
    log = FormattedTextControl(lambda: ANSI("\n" + console.draw_events()))
    below = ConditionalContainer(Window(log, dont_extend_height=True), beside.filter)
    rows.children[0] = VSplit([HSplit([rows.children[0], below]), beside])
    return prompt
