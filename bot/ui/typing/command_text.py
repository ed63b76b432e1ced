"""The text form of commands: `/lnlt fire attackers="squad fp=4" tm=2 adjacent`. One parser for
all platforms.

`key=value` sets an option; a bare word is a flag or the next positional option; a value may be
quoted with "…", '…' or “…”, opening only at its start, and the other kinds of quotes may stand
inside. `key:value`, as Discord writes it, is read as well: `/lnlt fire attackers:us3; us4 tm:1`.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import islice, takewhile, zip_longest
from typing import NamedTuple

from bot.rules.errors import Hint, UserError, did_you_mean, suggest_names
from bot.rules.inputs.options import (
    MAX_TEXT,
    BareValue,
    Option,
    clean,
    is_yes_or_no,
    make_unknown_option_error,
)
from bot.rules.text.normalize import normalize_text, plain_signs, word_key
from bot.rules.text.phrase import Phrase, Typed, phrase
from bot.ui.registry import ALL_COMMANDS, TABLE, Registry, list_commands
from bot.ui.spec import CommandSpec

MAX_LENGTH = MAX_TEXT
"""Maximum number of characters of a line."""
MAX_TOKENS = 400
MOST_COMMANDS = 10
"""Maximum words of a sentence that are tried as the name of a command: each miss is slow, as it
looks for near spellings.
"""
MOST_TABLES = 3
"""Maximum number of tables that a refusal names."""
_QUOTES = {
    '"': '"',
    "'": "'",
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019",
    "\u00ab": "\u00bb",
}
"""Opening marks, and the marks that close them: the plain ones, and those that phones and word
processors make of them.
"""
_SLASHES = ("/", "\uff0f")
_MARKS = re.compile(rf"[\s{''.join(_QUOTES)}]")
_KEY_BY_OTHER = re.compile(r"-{0,2}([A-Za-z][A-Za-z0-9_-]{0,40})[:=]")
_COLON = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,40}):(.*)", re.DOTALL)
_COLON_QUOTE = re.compile(rf"[A-Za-z][A-Za-z0-9_-]{{0,40}}:(?=[{''.join(_QUOTES)}])")
"""The beginning of a word that gives an option its value in quotation marks: `name:"Rifle 9"`."""
_ONE_WORD = ("int", "number", "bool")
"""Types of options with a value of one word."""
_HELP = ("?", "-help", "-h")
"""Words that ask for help, as `word_key` writes them: phones make one dash of `--`."""
_GREETINGS = ("hello", "hi", "hey", "hallo", "greetings", "moin")
_QUESTIONS = ("what now", "what next", "now what")
"""Questions of players that `/game status` answers."""
_DICE = re.compile(
    r"(?:\d+\s*[x#]\s*)?[(+-]*(?:\d*d(?:\d|%|[fa](?![a-z])|\[)|\d+w\d)", re.IGNORECASE
)
"""The beginning of a line that is dice and nothing else: `2d6+3 >= 8`."""
_WORDED_DICE = re.compile(
    r"(?:\d+\s*x\s*)?[(+-]*(?:DR|[Dd]r)(?=\s*(?:$|[-+*/<>=)\[]|\w+=|odds\b|compare\b|secret\b))"
)
"""The same for dice that have a word (`DR`), with nothing after it that could be a sentence."""
_DICE_WITHIN = re.compile(r"(?<!\w)\d*d(?:\d+|%)(?:\s*[+-]\s*\d+)?(?!\w)", re.IGNORECASE)
_WORD_WITHIN = re.compile(r"(?<!\w)DR(?!\w)")
_TOKEN = re.compile(
    rf"(\s*)(?=\S)(?:([A-Za-z][A-Za-z0-9_-]{{0,40}})=)?([^\s{''.join(_QUOTES)}]\S*)?"
)
"""A piece of a line: the space before it, its key, and its value if that is not quoted."""
_HOW_FAR = ("range", "distance", "hexes", "inches")
"""The words that games use for a distance."""
_THROWN = ("roll", "rolled", "dice", "die", "result", "sum", "dr")
HAND = "hand"
"""The option for real dice, which people separate by commas or spaces."""
_DIE = re.compile(r"[\d,;?]{1,12}")
_TOTALS = ("total", HAND)
"""Words that players try for the number that was rolled, and the options that take it."""
ACTING = (
    "attackers",
    "shooters",
    "unit",
    "units",
    "who",
    "firers",
    "element",
    "attacker",
    "shooter",
    "firer",
)
WHO = (*ACTING, "target", "targets")
"""Options for the units that act, and for their targets. A key of another game is translated."""
GREEDY = ("dice", "topic", "stats", "systems", "command", "values", "find")
"""Options that take all bare words that follow: `roll 2d6 + 3`, `help lnlt fire`, `unit edit us1
shaken moved`, `find melee odds`.
"""
_TARGETS = ("target", "targets")
_BEFORE_TARGETS = ("at", "vs", "vs.", "v", "v.", "versus", "against", "->", "=>", "\u2192")
"""Words and arrows that people write between those who fire and their targets."""
_BETWEEN_UNITS = ("and", "&", "+", ",")
"""Words and signs that people write between two units of a list."""
_LOOSE = ("stats", "command", "values", "find")
"""The greedy options that take names with values, too: `unit edit us1 fp=2`, `macro run h n=3`."""


_UNITS = ("unit", "units")
_LEFT_OUT = re.compile(r"-[A-Za-z][A-Za-z_-]{0,40}")


class Token(NamedTuple):
    """One piece of a command: its key ("" if it has none), its value, whether the value was
    quoted, and the index of its first character in the line.
    """

    key: str
    value: str
    quoted: bool
    start: int

    @property
    def value_start(self) -> int:
        """The index of the first character after its key and the equals sign."""
        if not self.key:
            return self.start
        return self.start + len(self.key) + 1


class ParsedCommand(NamedTuple):
    """A parsed command: its spec, and its options as typed (flags as True)."""

    spec: CommandSpec
    options: Mapping[str, object]


def parse_text(text: str, registry: Registry) -> ParsedCommand:
    """Parse a line of text into a command.

    A line of dice alone becomes `/roll`. A command with `help` or `?` after it, a group alone and a
    greeting become `/help`. Raises UserError that says what was wrong and what to type.
    """
    if len(text) > MAX_LENGTH:
        raise UserError(f"That line is too long: at most {MAX_LENGTH} characters.", code="too-long")
    text = without_slash(text)
    is_help_word = word_key(text) in _HELP
    tokens = tokenize("help" if is_help_word else text)
    if not tokens:
        raise UserError("There is no command here.", hint=ALL_COMMANDS, code="unknown-command")
    roll = _find_roll_command(text, tokens[0], registry)
    if roll is not None:
        return ParsedCommand(roll, read_tokens(roll, tokens))
    _check_begins_with_name(text, tokens[0])
    topic = _find_help_topic(tokens, registry)
    help_spec = registry.get(("help",)) if topic else None
    if help_spec is not None:
        return ParsedCommand(help_spec, {"topic": topic})
    status_spec = registry.get(("game", "status"))
    if status_spec is not None and _is_question(tokens, registry):
        return ParsedCommand(status_spec, {})
    words = list_command_words(tokens)
    spec, word_count = _find_command(text, words, registry)
    options = read_tokens(spec, tokens[word_count:])
    has_no_input = options.keys() <= {"private", "picture"}
    if has_no_input and _is_printed_name(spec, words[:word_count]):
        options["whole"] = True
    return ParsedCommand(spec, options)


def _find_roll_command(text: str, first_token: Token, registry: Registry) -> CommandSpec | None:
    """Return the spec of `/roll` for a line that is dice and begins with no command, or None."""
    if not is_dice(text) and not _WORDED_DICE.match(text):
        return None
    if word_key(first_token.value) in registry.top_names:
        return None
    return registry.get(("roll",))


def _check_begins_with_name(text: str, first_token: Token) -> None:
    """Raise UserError if a line begins with an option or a quotation mark."""
    if not first_token.key and not first_token.quoted:
        return
    opening = "with an option" if first_token.key else "with a quotation mark"
    raise UserError(
        f"A command begins with its name, not {opening}: {text[:30]}",
        hint=phrase("For example: `/roll 2d6+3`. For all commands: `/help`"),
        code="unknown-command",
    )


def _find_command(text: str, words: list[str], registry: Registry) -> tuple[CommandSpec, int]:
    """Return the command that `words` begin with, and how many words name it.

    Raises UserError if there is none. If the sentence holds dice or a command further on, the hint
    suggests that.
    """
    try:
        return registry.find(words)
    except UserError as error:
        if word_key(words[0]) not in registry.top_names:
            command = _find_command_within(text, words, registry)
            if command:
                error.hint = suggest_names(text, [command])
        raise


def without_slash(text: str) -> str:
    """Return a line without spaces around it and without the slash at its beginning.

    Look-alike characters become plain ones, unless all are plain already.
    """
    is_plain = text.isascii() and text.isprintable()
    line = (text if is_plain else normalize_text(text)).strip()
    return line[1:] if line.startswith(_SLASHES) else line


def is_dice(text: str) -> bool:
    """Return whether a line is dice and nothing else: `2d6+3 >= 8`."""
    return _DICE.match(plain_signs(text)) is not None


def name_other_tables(
    error: UserError, spec: CommandSpec, options: Mapping[str, object], registry: Registry
) -> None:
    """Change the hint of `error` to name the tables of the game that take the refused word.

    A table takes it if it has exactly one required input, and that is an enum with the word. The
    hint stays as it is if there is no such table, or if there are more than MOST_TABLES.
    """
    word = str(options.get(error.option or "") or "")
    if not word:
        return
    commands: list[Typed] = []
    for other in registry.list_below(spec.path[:1]):
        required = [option for option in other.options if option.is_required]
        if len(required) == 1 and required[0].type == "enum" and _has_word(required[0], word):
            commands.append(Typed(f"/{other.path[0]} {other.path[-1]} {quote_value(word)}"))
    if 0 < len(commands) <= MOST_TABLES:
        error.hint = Phrase("Another table has it: ", *list_commands(commands), ".")


def list_command_words(tokens: Sequence[Token]) -> list[str]:
    """Return the words that may name a command: one per token, "" for a token that cannot be one.

    A token with a key never can. A quoted one can only be the printed name of a table.
    """
    is_table = word_key(tokens[0].value).endswith(TABLE)
    words = []
    for token in tokens:
        may_name = not token.key and (is_table or not token.quoted)
        words.append(token.value if may_name else "")
    return words


def _is_printed_name(spec: CommandSpec, words: Sequence[str]) -> bool:
    """Return whether a table was named as the card prints it, not by its id."""
    return spec.family == "lookup" and word_key(words[-1]) != spec.path[-1]


def _find_command_within(text: str, words: Sequence[str], registry: Registry) -> str:
    """Return the dice or the command that a sentence holds, without its slash, or "".

    For example `roll 2d6` for `can you roll 2d6 please`.
    """
    dice = _DICE_WITHIN.search(text) or _WORD_WITHIN.search(text)
    if dice:
        return f"roll {dice[0]}"
    starts = (
        index for index in range(1, len(words)) if word_key(words[index]) in registry.top_names
    )
    for start in islice(starts, MOST_COMMANDS):
        try:
            spec, _ = registry.find(words[start:])
        except UserError:
            continue
        return spec.name.removeprefix("/")
    return ""


def _find_help_topic(tokens: list[Token], registry: Registry) -> str:
    """Return the help topic that a line asks for, or "" if it is no request for help.

    A group alone (`lnlt`), a command with `help`, `?` or `--help` after it, `version` and a
    greeting ask for help.
    """
    words = [word_key(token.value) for token in tokens if not token.key and not token.quoted]
    if len(words) == len(tokens) and names_group(words, registry):
        return " ".join(words)
    if words in (["version"], ["-version"]):
        return "version"
    if words and words[0].strip(",.!") in _GREETINGS and words[0] not in registry.top_names:
        return "hello"
    is_last_bare = not tokens[-1].key and not tokens[-1].quoted
    if not is_last_bare or words[-1] not in (*_HELP, "help"):
        return ""
    return _find_topic_before_help(words, len(tokens), registry)


def _is_question(tokens: list[Token], registry: Registry) -> bool:
    """Return whether a line asks what to do next, and begins with no command."""
    words = [word_key(token.value).rstrip("?!.") for token in tokens if not token.key]
    return " ".join(filter(None, words)) in _QUESTIONS and words[0] not in registry.top_names


def _find_topic_before_help(words: list[str], token_count: int, registry: Registry) -> str:
    """Return the command or group that is named before the word `help`, the last of `words`, or "".

    The word `help` after other input may be a name; then it is no request for help.
    """
    name = words[:-1]
    if not name or name[0] not in registry.top_names or name[0] == "help":
        return ""
    try:
        spec, used = registry.find(name)
    except UserError:
        return " ".join(name) if registry.list_children(tuple(name)) else ""
    if words[-1] == "help" and used < token_count - 1:
        return ""
    return " ".join(spec.path)


def names_group(words: Sequence[str], registry: Registry) -> bool:
    """Return whether words are the beginning of several commands, and no command: `game`."""
    path = tuple(words)
    if not path or path[0] not in registry.top_names or not registry.list_children(path):
        return False
    try:
        registry.find(path)
    except UserError:
        return True
    return False  # a table may have the name of its group


def tokenize(text: str) -> list[Token]:
    """Split a line into tokens, with their keys in lower case.

    Raises UserError for a quotation mark that is not closed, or closed within a word, and for more
    than MAX_TOKENS tokens.
    """
    tokens = list[Token]()
    index = 0
    plain = plain_signs(text)  # as long as the text: values are taken from that
    while match := _TOKEN.match(plain, index):
        space, key, value = match.groups("")
        start = index + len(space)
        index = match.end()
        value = text[index - len(value) : index]
        colon_key = None if key else _COLON_QUOTE.match(plain[start:index])
        if colon_key:
            index = _find_end_of_quotes(text, start + colon_key.end()) or index
            value = text[start:index]
        quoted = not value and plain[index : index + 1] in _QUOTES
        if quoted:
            value, index = _read_quoted(text, index)
        tokens.append(Token(key and key.replace("-", "_").casefold(), value, quoted, start))
        if quoted and text[index : index + 1] == ",":
            tokens.append(Token("", ",", False, index))
            index += 1
        if len(tokens) > MAX_TOKENS:
            raise UserError("That line has too many words.", code="too-many")
    return tokens


def _find_end_of_quotes(text: str, start: int) -> int:
    """Return the position after the quoted value that begins at `start`, or 0 if it is not closed."""
    try:
        return _read_quoted(text, start)[1]
    except UserError:
        return 0


def _read_quoted(text: str, start: int) -> tuple[str, int]:
    """Return the value between the quotation mark at `start` and the one that closes it, and the
    index after that. Raises UserError if it is not closed, or closed within a word.
    """
    closing = _QUOTES[plain_signs(text[start])]
    end = _find_first(text, _add_full_width_marks(closing), start + 1)
    if end < 0 and closing != "'":  # opened by a phone, closed on a keyboard
        end = _find_first(text, '"', start + 1)
    if end < 0:
        message = (
            f"The quotation mark at character {start + 1} is not closed: {text[start : start + 20]}"
        )
        raise UserError(message, hint=f"End it with {closing[0]}", code="bad-quotes")
    if end + 1 < len(text) and not (text[end + 1].isspace() or text[end + 1] == ","):
        raise UserError(
            f"The quotation mark at character {end + 1} closes a value in the middle of a word: "
            f"{text[max(start, end - 16) : end + 12]}",
            hint='Close each value with the mark that opened it, then a space. Inside use the other kind: "O\'Brien".',
            code="bad-quotes",
        )
    return text[start + 1 : end], end + 1


def _find_first(text: str, marks: str, start: int) -> int:
    """Return the index of the first of `marks` in a text from `start` on, or -1."""
    ends = (text.find(mark, start) for mark in marks)
    return min((end for end in ends if end >= 0), default=-1)


def _add_full_width_marks(marks: str) -> str:
    """Return closing marks with those of full width, which some keyboards type."""
    return marks + "".join(chr(ord(mark) + 0xFEE0) for mark in marks if mark.isascii())


def read_tokens(spec: CommandSpec, tokens: list[Token]) -> dict[str, object]:
    """Return the options that the tokens after a command's name set, as typed (flags as True).

    Raises UserError for a token that does not fit.
    """
    return _TokenReader(spec, tokens).read()


class _TokenReader:
    """Reads the tokens after a command's name into its options.

    `loose_option` is the option that takes words and `key=value` alike, if the command has one
    (see _LOOSE), and `loose_words` are its words so far. `placed` are the options that bare values
    set. `unit_option` is the option that the last unit went into: `-moved` belongs to it.
    `last_key` is the key of the last token, "" for a bare word. `joins_unit`: the last token was a
    word such as "and", or ended with a comma, so the next one is another unit of the same list.
    `open_by_comma`: it was the comma. `joined_by_comma` is the list whose last unit followed a comma.
    """

    def __init__(self, spec: CommandSpec, tokens: list[Token]) -> None:
        self.spec = spec
        self.options = {option.name: option for option in spec.options}
        self.tokens = [
            token
            for token in read_colons(spec, tokens)
            if not _leads_to_targets(token, self.options)
        ]
        self.positional = spec.positional
        self.loose_option = next(
            (option for option in spec.options if option.complete in _LOOSE), None
        )
        self.values: dict[str, object] = {}
        self.modifiers: list[str] = []
        self.loose_words: list[str] = []
        self.placed: set[str] = set()
        self.unit_option = ""
        self.last_key = ""
        self.joins_unit = False
        self.open_by_comma = False
        self.joined_by_comma = ""

    def read(self) -> dict[str, object]:
        """Return the options that all tokens set. Raises UserError for one that does not fit."""
        for token, following in zip_longest(self.tokens, self.tokens[1:]):
            self._read_token(token, following)
        if self.joined_by_comma:
            self._move_last_unit_to_target()
        if self.modifiers:
            self.values["mods"] = " ".join(self.modifiers)
        loose_option = self.loose_option
        if loose_option is not None and self.loose_words:
            text = _join_loose_words(loose_option, self.loose_words, self.tokens)
            name = loose_option.name
            self.values[name] = f"{self.values[name]} {text}" if name in self.values else text
        return self.values

    def _read_token(self, token: Token, following: Token | None) -> None:
        """Read one token: one more die of `hand=4 3 2`, more of a list of units, a named option, a
        flag, a modifier or a bare value. `following` is the next token, or None after the last one.
        """
        if self.last_key == HAND and _is_die(token):
            self.values[HAND] = f"{self.values[HAND]} {token.value}"
            return
        self.last_key = token.key
        if self.unit_option and not token.key and self._continues_list(token, following):
            return
        if token.key in self.options and not self._renames_unit(token):
            _check_value(token, following, self.options)
            self._read_named_option(token)
        elif token.key:
            self._read_unknown_key(token)
        elif not token.quoted and (flag := _find_flag(token.value, self.options)):
            _add_option(self.values, flag, True)
        elif not token.quoted and _is_modifier(token.value, self.options):
            self.modifiers.append(token.value)
        else:
            self._read_bare_value(token)

    def _continues_list(self, token: Token, following: Token | None) -> bool:
        """Read a bare word after a unit, if it belongs to the same units: another unit after "and" or
        a comma, that word itself, or a part left out of the unit. Return whether it does.
        """
        if self.joins_unit and not self._is_flag_or_modifier(token):
            self._add_to_list(token)
        elif self._takes_another_unit() and _joins_units(token) and following is not None:
            self.joins_unit = True
            self.open_by_comma = token.value == ","
        elif _is_left_out(token):
            self.values[self.unit_option] = f"{self.values[self.unit_option]} {token.value}"
        else:
            return False
        return True

    def _is_flag_or_modifier(self, token: Token) -> bool:
        """Return whether a token is a flag or a modifier of the command."""
        return not token.quoted and (
            bool(_find_flag(token.value, self.options)) or _is_modifier(token.value, self.options)
        )

    def _add_to_list(self, token: Token) -> None:
        """Add a bare word to the list of units that the last tokens began."""
        self.joined_by_comma = ""
        if self.open_by_comma:
            self.joined_by_comma = self.unit_option
        self._set_list(self.unit_option, f"{self.values[self.unit_option]}; {token.value}")
        self._note_comma(token)

    def _note_comma(self, token: Token) -> None:
        """Note whether a list of units goes on after a token, because the token ends with a comma."""
        is_open = token.value.endswith(",") and not token.quoted
        self.joins_unit = self.open_by_comma = is_open and self._takes_another_unit()
        if self.joins_unit:
            value = str(self.values[self.unit_option])
            self._set_list(self.unit_option, value.removesuffix(","))

    def _set_list(self, name: str, units: str) -> None:
        """Set an option to a list of units; one that was a bare value stays one."""
        if isinstance(self.values[name], BareValue):
            units = BareValue(units)
        self.values[name] = units

    def _move_last_unit_to_target(self) -> None:
        """Move the last unit of a list to the next option for units, if that has none: a comma before
        a target separates it from those who fire, as in `fire us1, vc2`.
        """
        target = next(
            (
                option
                for option in self.positional
                if option.type in _UNITS and option.name != self.joined_by_comma
            ),
            None,
        )
        if target is None or target.optional or target.name in self.values:
            return
        units, _, last_unit = str(self.values[self.joined_by_comma]).rpartition("; ")
        self._set_list(self.joined_by_comma, units)
        self.values[target.name] = BareValue(last_unit)

    def _takes_another_unit(self) -> bool:
        """Return whether the last token was a unit of a list."""
        return bool(self.unit_option) and self.options[self.unit_option].type == "units"

    def _renames_unit(self, token: Token) -> bool:
        """Return whether `name=...` gives a new name to the unit that a bare word named."""
        edits_unit = self.loose_option is not None and self.loose_option.complete == "stats"
        return edits_unit and token.key in self.placed

    def _read_named_option(self, token: Token) -> None:
        """Set the option that a token names. Raises UserError if it is set already."""
        name = token.key
        if name == "mods":
            self.modifiers.append(token.value)
            return
        if name in self.placed:
            bare_value = str(self.values.get(name) or self.loose_words[0])
            raise UserError(
                f'"{bare_value}" was read as {name}, which you also gave.',
                hint=_hint_quotes(self.tokens, self.options, bare_value),
                option=name,
                code="given-twice",
            )
        _add_option(self.values, name, token.value)
        self.unit_option = name if self.options[name].type in _UNITS else ""
        if self.unit_option:
            self._note_comma(token)

    def _read_unknown_key(self, token: Token) -> None:
        """Add a `key=value` that is not an option to the loose words.

        Raises UserError if the command has no loose option, or if the option takes a whole command,
        which has to begin with a name.
        """
        option = self.loose_option
        if option is None or (option.complete == "command" and not self.loose_words):
            raise _build_unknown_key_error(self.spec, token, self.options, self.tokens)
        self.loose_words.append(f"{token.key}={_keep_quotes(option, token, token.value)}")

    def _read_bare_value(self, token: Token) -> None:
        """Set the option that a bare value belongs to; a value of the loose option is added to the
        loose words instead.
        """
        name = _place_bare_value(self.spec, self.positional, self.values, token)
        self.placed.add(name)
        self.unit_option = name if self.options[name].type in _UNITS else ""
        if self.unit_option:
            self._note_comma(token)
        if self.loose_option is not None and name == self.loose_option.name:
            value = str(self.values.pop(name))
            self.loose_words.append(_keep_quotes(self.loose_option, token, value))


def _is_die(token: Token) -> bool:
    """Return whether a bare word is one more die, or the `?` for the next one: `hand=4 3 ?`."""
    return not token.key and not token.quoted and _DIE.fullmatch(token.value) is not None


def _is_left_out(token: Token) -> bool:
    """Return whether a word leaves something out of the unit before it: `fire us1 vc2 -moved`."""
    word = plain_signs(token.value)
    return not token.quoted and not token.key and _LEFT_OUT.fullmatch(word) is not None


def read_colons(spec: CommandSpec, tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with `name:value` of an option read as `name=value`.

    A value goes on up to the next option that is named, or to a flag: `attackers:us3; us4 tm:1`.
    """
    options = {option.name: option for option in spec.options}
    names = [_find_colon_key(token, options) for token in tokens]
    if not any(names):
        return list(tokens)
    has_loose = any(option.name not in names for option in spec.positional)
    last_name = max(index for index, name in enumerate(names) if name)
    read: list[Token] = []
    open_option: Option | None = None
    for index, (token, name) in enumerate(zip(tokens, names, strict=True)):
        if name:
            read.append(_split_at_colon(token, name))
            open_option = options[name]
        elif open_option is None or _ends_value(token, open_option, options):
            read.append(token)
            open_option = None
            continue
        else:
            read[-1] = read[-1]._replace(value=_join_word(read[-1].value, token))
        is_open_ended = has_loose and index >= last_name
        if not _takes_more_words(open_option, read[-1], is_open_ended):
            open_option = None
    return [piece for token in read for piece in _split_modifiers(token)]


def _split_at_colon(token: Token, name: str) -> Token:
    """Return `name:value` as a token with the key `name`."""
    value = token.value[plain_signs(token.value).index(":") + 1 :]
    if value[:1] in _QUOTES and _find_end_of_quotes(value, 0) == len(value):
        return Token(name, _read_quoted(value, 0)[0], quoted=True, start=token.start)
    return Token(name, value, quoted=False, start=token.start)


def _join_word(value: str, token: Token) -> str:
    """Return a value with one more word of the line."""
    word = quote_value(token.value) if token.quoted else token.value
    word = f"{token.key}={word}" if token.key else word
    return f"{value} {word}".strip()


def _split_modifiers(token: Token) -> list[Token]:
    """Return a token for each of several modifiers in one `mods` value; any other token alone."""
    if token.key != "mods" or " " not in token.value:
        return [token]
    return [Token("", word, quoted=False, start=token.start) for word in token.value.split()]


def _find_colon_key(token: Token, options: Mapping[str, Option]) -> str:
    """Return the name of the option that a bare token such as `tm:1` sets; "" for any other token."""
    if token.key or token.quoted:
        return ""
    match = _COLON.match(plain_signs(token.value))
    name = match[1].replace("-", "_").casefold() if match else ""
    return name if name in options else ""


def _takes_more_words(option: Option, token: Token, is_open_ended: bool) -> bool:
    """Return whether the next bare word can belong to the value of an option written with a colon.

    `is_open_ended`: no further option is named, and the command has another one for bare words.
    """
    if token.quoted:
        return False
    if not token.value or option.name == "mods":
        return True
    if option.type in _ONE_WORD or token.value in option.values:
        return False
    return not (option.complete == "side" and is_open_ended)


def _ends_value(token: Token, option: Option, options: Mapping[str, Option]) -> bool:
    """Return whether a token is an option of its own, after a value written with a colon."""
    if _is_greedy(option) or option.name == "mods":
        return token.key in options
    if token.key in options:
        return option.type not in ("units", "unit")
    is_word = not token.quoted and not token.key
    return is_word and (
        bool(_find_flag(token.value, options)) or _is_modifier(token.value, options)
    )


def _join_loose_words(option: Option, loose_words: list[str], tokens: list[Token]) -> str:
    """Return the value of an option that takes loose words.

    A whole command that was quoted as one value loses its quotation marks.
    """
    if option.complete == "command" and len(loose_words) == 1:
        for token in tokens:
            if token.quoted and quote_value(token.value) == loose_words[0]:
                return token.value
    return " ".join(loose_words)


def _keep_quotes(option: Option, token: Token, value: str) -> str:
    """Return a value for an option with a text that is split into words again later.

    A value that was quoted is quoted again, except in numbers and states of a unit other than its
    name, and except if more words were added to it.
    """
    is_plain = option.complete == "stats" and token.key != "name"
    needs_quotes = token.quoted and not is_plain and value == token.value
    return quote_value(value) if needs_quotes else value


def _add_option(values: dict[str, object], name: str, value: object) -> None:
    """Set an option in `values`. Raises UserError if it is set already."""
    if name in values:
        raise UserError(
            f"{name} is given twice.", hint="Give it once.", option=name, code="given-twice"
        )
    values[name] = value


def _leads_to_targets(token: Token, options: Mapping[str, Option]) -> bool:
    """Return whether a token is a word or arrow before a target, as in `fire us4 at vc2`."""
    return (
        token.value.casefold() in _BEFORE_TARGETS
        and not token.quoted
        and not token.key
        and not options.keys().isdisjoint(_TARGETS)
    )


def _joins_units(token: Token) -> bool:
    """Return whether a token is between two units of a list, as in `fire us1 and us2 vc2`."""
    return token.value.casefold() in _BETWEEN_UNITS and not token.quoted and not token.key


def _find_flag(word: str, options: Mapping[str, Option]) -> str:
    """Return the name of the flag that a word names, in any case, with - or _ in it; else ""."""
    name = word_key(word).replace("-", "_")
    option = options.get(name)
    return name if option is not None and option.type == "bool" else ""


def _is_modifier(word: str, options: Mapping[str, Option]) -> bool:
    """Return whether a word is one of the command's modifiers, in any case, with - or _ in it.

    False for a command without modifiers, an option `mods` of the type "mods".
    """
    mods = options.get("mods")
    if mods is None or mods.type != "mods":
        return False
    return word_key(word).replace("-", "_") in mods.values


def _check_value(token: Token, following: Token | None, options: Mapping[str, Option]) -> None:
    """Raise UserError for `tm= 2`: read as typed, the 2 would land in another option."""
    if token.value or token.quoted or following is None or following.key or following.quoted:
        return
    if not _find_flag(following.value, options) and not _is_modifier(following.value, options):
        hint = f"Write it without a space: {token.key}={following.value[:40]}"
        raise UserError(f"{token.key}= has no value.", hint=hint, option=token.key, code="no-value")


def _place_bare_value(
    spec: CommandSpec, positional: list[Option], values: dict[str, object], token: Token
) -> str:
    """Set the positional option that a bare value belongs to, and return the option's name.

    That is the next one without a value, or another one that fits better (_find_other_option).
    Raises UserError if the value looks like a mistake, or if no option is left.
    """
    option = next(
        (option for option in positional if _is_greedy(option) or option.name not in values), None
    )
    if option is not None and _is_greedy(option):
        text = values.get(option.name)
        values[option.name] = token.value if text is None else f"{text} {token.value}"
        return option.name
    other = None
    if option is not None:
        other = _find_other_option(option, positional, values, token, spec)
    if other is not None:
        option = other
    elif not token.quoted:
        _check_word(spec, option, token.value)
    if option is None:
        raise _build_surplus_error(spec, values, token)
    is_sequence = spec.family == "sequence"
    values[option.name] = BareValue(token.value) if is_sequence else token.value
    return option.name


def _build_surplus_error(
    spec: CommandSpec, values: Mapping[str, object], token: Token
) -> UserError:
    """Return the error for a bare value after all options have one."""
    hint: str | Typed = Typed(f"/help {' '.join(spec.path)}")
    if values and spec.family not in ("lookup", "sequence"):
        hint = "A value with spaces needs quotation marks."
    return UserError(
        f'{spec.name} does not know what to do with "{token.value[:40]}".',
        hint=hint,
        code="unknown-option",
    )


def _find_other_option(
    option: Option,
    positional: list[Option],
    values: dict[str, object],
    token: Token,
    spec: CommandSpec,
) -> Option | None:
    """Return the option that a bare value fits better than `option`, the next in order, or None.

    - A choice of words that lacks the word gives way to the only other choice that has it.
    - A number gives way to a word, a deck or a unit (_find_option_of_word).
    - An optional choice of words gives way to a unit: `random-order us1..us4`. Not if the value
      has no digit and is nearly one of the words or the name of an option: it may be misspelt.
    """
    word = word_key(token.value)
    if spec.family == "lookup" and option.type in ("int", "number", "enum"):
        return _find_other_choice(option, positional, values, token.value)
    if option.type in ("int", "number"):
        is_word = token.value[:1].isalpha()
        return _find_option_of_word(option, positional, values, token) if is_word else None
    if option.type != "enum":
        return None
    choice = _find_other_choice(option, positional, values, token.value)
    if choice is not None or option.is_required:
        return choice
    names = [*option.values, *(other.name.replace("_", "-") for other in spec.options)]
    if _may_mean_name(word, names):
        return None
    unset = (other for other in positional if other.name not in values)
    return next((other for other in unset if other.type == "unit"), None)


def _may_mean_name(word: str, names: Sequence[str]) -> bool:
    """Return whether a word is one of the names, or nearly one and without a digit."""
    if word in names:
        return True
    has_digit = any(map(str.isdecimal, word))
    return not has_digit and bool(did_you_mean(word, names))


def _find_option_of_word(
    option: Option, positional: list[Option], values: dict[str, object], token: Token
) -> Option | None:
    """Return the option that a bare value fits if the next option, `option`, is a number, or None.

    The value begins with a letter. A word of one choice alone goes there: `deck draw cup me`. In a
    command about decks it is the deck: `deck draw 3 cup`; a number that was read as the deck is
    moved to `option`. Else a quoted name or a word with a digit is a unit: `fire us3 germ3`.
    """
    word = word_key(token.value)
    unset = [other for other in positional if other.name not in values]
    choices = [other for other in unset if word in other.values]
    if len(choices) == 1:
        return choices[0]
    deck = next((other for other in positional if other.complete == "deck"), None)
    if deck is not None:
        if str(values.get(deck.name)).isdecimal():
            values[option.name] = values.pop(deck.name)
        return deck if deck.name not in values else None
    if not token.quoted and not any(map(str.isdecimal, token.value)):
        return None
    units = [other for other in unset if other.type in _UNITS]
    return min(units, key=lambda other: other.type == "units", default=None)


def _find_other_choice(
    option: Option, positional: list[Option], values: Mapping[str, object], word: str
) -> Option | None:
    """Return the only other enum without a value that takes this word; None if `option` takes it."""
    if _has_word(option, word):
        return None
    unset = [other for other in positional if other.name not in values]
    choices = [other for other in unset if other.type == "enum" and _has_word(other, word)]
    return choices[0] if len(choices) == 1 else None


def _has_word(option: Option, word: str) -> bool:
    """Return whether an option takes this word. Only an enum is checked in full; any other option
    takes what begins with a digit, after signs and brackets.
    """
    if option.type != "enum":
        return plain_signs(word).lstrip("(+-")[:1].isdecimal()
    try:
        clean(option, word)
    except UserError:
        return False
    return True


def _is_greedy(option: Option) -> bool:
    """Return whether an option takes all bare words that follow."""
    return option.type in GREEDY or option.complete in GREEDY


def _check_word(spec: CommandSpec, option: Option | None, word: str) -> None:
    """Raise UserError for a bare word that is a misspelt flag, the name of an option without its
    value, or no number if `option`, the next positional one, is a number.

    Otherwise the error would name the next positional option, which the player never typed.
    """
    options = {other.name: other for other in spec.options}
    _check_equals_sign(option, word, options)
    kind = option.type if option is not None else ""
    if kind not in ("", "int", "number", "units", "enum"):
        return
    name = word_key(word).replace("-", "_")
    if option is not None and name in (value.replace("-", "_") for value in option.values):
        return
    if name in options:
        hint = f"Write {name}=..., without spaces around the =."
        raise UserError(f"{name} has no value.", hint=hint, option=name, code="no-value")
    if kind in ("units", "enum") or any(mark.isdecimal() for mark in word):
        return
    _check_misspelt_flag(spec, word, options)
    if option is not None:
        clean(option, word)  # no number: better refused now than after the words that follow


def _check_equals_sign(option: Option | None, word: str, options: Mapping[str, Option]) -> None:
    """Raise UserError for a word that begins with "=", or that joins an option's name and a value
    in another way, such as `--tm=1`. `side:US` is left alone if the next option is a side.
    """
    if plain_signs(word).startswith("="):
        hint = "Write key=value without spaces around the =."
        raise UserError(f'"{word[:40]}" is on its own.', hint=hint, code="loose-word")
    if option is not None and option.complete == "side":
        return
    match = _KEY_BY_OTHER.match(plain_signs(word))
    name = match[1].replace("-", "_").casefold() if match else ""
    if name in options:
        hint = f'Write {name}=..., or {name}="..." for several words.'
        raise UserError(f'"{word[:40]}" cannot be read.', hint=hint, code="loose-word")


def _check_misspelt_flag(spec: CommandSpec, word: str, options: Mapping[str, Option]) -> None:
    """Raise UserError if a word is nearly a flag or a modifier of the command."""
    mods = spec.find_option("mods")
    flags = [name for name, option in options.items() if option.type == "bool"]
    if mods is not None:
        flags += mods.values
    near = did_you_mean(word_key(word).replace("-", "_"), flags)
    if near:
        near.wrong = word
        raise UserError(
            f'{spec.name} does not know what to do with "{word[:40]}".',
            hint=near,
            code="unknown-option",
        )


def _hint_quotes(
    tokens: Sequence[Token],
    options: Mapping[str, Option],
    loose_text: str,
    sentence: str = "A value with spaces needs quotation marks.",
) -> Hint:
    """Return a hint that a value with spaces needs quotation marks.

    The token with the text `loose_text` was read apart from its value. If an option is named before
    it, the hint holds the correction: that option with all words up to the next option in quotation
    marks, also in place of {} in `sentence`.
    """
    texts = [f"{token.key}={token.value}" if token.key else token.value for token in tokens]
    loose_index = texts.index(loose_text) if loose_text in texts else 0
    start = next(
        (index for index in range(loose_index - 1, -1, -1) if tokens[index].key in options), None
    )
    if start is None or tokens[start].quoted:
        return Hint(sentence)
    end = loose_index + 1
    while end < len(tokens) and not _sets_option(tokens[end], options):
        end += 1
    option = tokens[start].key
    value = " ".join([tokens[start].value, *texts[start + 1 : end]])
    if '"' in value:
        return Hint(sentence)
    right = f'{option}="{value}"'
    hint = Hint(sentence.replace("{}", right))
    hint.wrong = f"{option}={value}"
    hint.right = right
    return hint


def _sets_option(token: Token, options: Mapping[str, Option]) -> bool:
    """Return whether a token names an option or is a flag."""
    return token.key in options or bool(_find_flag(token.value, options))


def _build_unknown_key_error(
    spec: CommandSpec, token: Token, options: Mapping[str, Option], tokens: Sequence[Token]
) -> UserError:
    """Return the error for `key=value` with a key that is not an option of the command.

    Its hint names the option that is probably meant. Else, if the command has a list of units, the
    key is probably a unit's number, and the hint shows how to quote the list.
    """
    help_command = Typed(f"/help {' '.join(spec.path)}")
    hint = _suggest_option(token, options)
    unit_lists = [name for name, option in options.items() if option.type == "units"]
    if not hint and unit_lists:
        hint = _hint_unit_number(spec, token, options, tokens, unit_lists[0])
        hint.unit_number = token.key
        hint.game = spec.system
        hint.otherwise = help_command
    return make_unknown_option_error(token.key, spec.name, hint=hint or help_command)


def _suggest_option(token: Token, options: Mapping[str, Option]) -> Hint:
    """Return a hint with the option that an unknown key probably means; empty if none is near.

    A word of another game for the units, the range or the rolled total is translated.
    """
    key = token.key
    unit_options = [name for name, option in options.items() if option.type in _UNITS]
    if key in WHO and unit_options:
        same_role = [name for name in unit_options if (name in ACTING) == (key in ACTING)]
        return suggest_names(key, (same_role or unit_options)[:1])
    if key in _HOW_FAR:
        distance = suggest_names(key, [name for name in _HOW_FAR if name in options])
        if distance:
            return distance
    return _suggest_similar_option(token, options)


def _suggest_similar_option(token: Token, options: Mapping[str, Option]) -> Hint:
    """Return a hint with the option spelled most like an unknown key, or that takes a rolled total
    if the key means one; empty if there is none. Flags only count if the value is yes, no or empty.
    """
    may_be_flag = not token.value or is_yes_or_no(token.value)
    names = [name for name, option in options.items() if may_be_flag or option.type != "bool"]
    near = did_you_mean(token.key, names)
    total = next((name for name in _TOTALS if name in options), "")
    if not near and total and token.key in _THROWN:
        return suggest_names(token.key, [total])
    return near


def _hint_unit_number(
    spec: CommandSpec,
    token: Token,
    options: Mapping[str, Option],
    tokens: Sequence[Token],
    unit_list: str,
) -> Hint:
    """Return a hint to quote a list of units with numbers, such as `attackers="squad fp=4"`.

    It shows what was typed, or else the list in the command's example; it is empty if there is
    neither.
    """
    hint = _hint_quotes(
        tokens,
        options,
        f"{token.key}={token.value}",
        "Is it a unit's number? Quote the whole list: {}",
    )
    if hint.right:
        return hint
    example = re.search(rf'\b{unit_list}="[^"]*"', spec.example)
    if not example:
        return Hint("")
    return Hint(f"Is it a unit's number? Quote the whole list: {example[0]}.")


def quote_value(value: object) -> str:
    """Return a value as it must be typed: quoted if it is empty or holds spaces or quotation marks.

    A value with all kinds of quotation marks loses one kind.
    """
    text = str(value)
    if text and not _MARKS.search(text):
        return text
    for opening, closing in _QUOTES.items():
        if opening not in text and closing[0] not in text:
            return f"{opening}{text}{closing[0]}"
    return "\u201c" + text.replace("\u201d", "'") + "\u201d"


def _may_be_on_untyped(option: Option) -> bool:
    """Return whether a flag may be on although nobody typed it, so that `no` has to be typed."""
    return bool(option.default or option.ruled or option.brings or option.counts)


def format_command(spec: CommandSpec, options: Mapping[str, object]) -> str:
    """Return the command ready to copy: `/lnlt fire attackers="squad fp=4" adjacent`.

    Commands other than sequences and tables begin with bare values, as people type them, unless
    that would be read in another way: `/unit edit us1 shaken`.
    """
    named = _write_options(spec, options, ())
    if spec.family in ("sequence", "lookup"):
        return named
    bare_options = takewhile(lambda option: _goes_bare(option, options), spec.positional)
    short = _write_options(spec, options, tuple(option.name for option in bare_options))
    return short if _reads_alike(spec, short, named) else named


def format_named_command(spec: CommandSpec, options: Mapping[str, object]) -> str:
    """Return the command with every option named, so that single values can be replaced."""
    return _write_options(spec, options, ())


def _goes_bare(option: Option, options: Mapping[str, object]) -> bool:
    """Return whether an option is given, and reads well without its name."""
    value = options.get(option.name)
    is_number = option.type in _ONE_WORD or option.name == "hand"
    return not is_number and value not in (None, False, True, "", ())


def _reads_alike(spec: CommandSpec, short: str, named: str) -> bool:
    """Return whether two texts of a command are read as the same options."""
    start = len(spec.name)
    try:
        short_options = read_tokens(spec, tokenize(short[start:]))
        named_options = read_tokens(spec, tokenize(named[start:]))
    except UserError:
        return False
    return short_options == named_options


def _write_options(spec: CommandSpec, options: Mapping[str, object], bare: Sequence[str]) -> str:
    """Return the command with its options, those that are `bare` first and without their names."""
    pieces = [spec.name]
    for name in bare:
        option = spec.find_option(name)
        is_loose = option is not None and _is_greedy(option)
        pieces.append(str(options[name]) if is_loose else quote_value(options[name]))
    for name, value in options.items():
        if name not in bare and value not in (None, "", ()):
            pieces += _write_option(name, value, spec.find_option(name))
    return " ".join(pieces)


def _write_option(name: str, value: object, option: Option | None) -> list[str]:
    """Return the words that set an option; none for a flag that is off anyway."""
    if value is False and (option is None or not _may_be_on_untyped(option)):
        return []
    if option is not None and option.type == "bool":
        return [name if value is not False else f"{name}=no"]
    if name == "mods":
        words = value if isinstance(value, list | tuple) else str(value).split()
        return list(map(str, words))
    return [f"{name}={quote_value(value)}"]


MOST = 60
"""Maximum number of tokens that are salvaged; a longer line is pasted text."""
_CLOSING = ("", '"', "'", "\u201d", "\u2019")


def salvage_command(text: str, registry: Registry) -> ParsedCommand:
    """Parse the first MOST tokens of a line, and leave out each that does not fit.

    A quotation mark that is not closed is closed at the end. Raises UserError if the line does not
    begin with a command.
    """
    tokens = _tokenize_leniently(without_slash(text))[:MOST]
    spec, word_count = registry.find(list_command_words(tokens) if tokens else [])
    fitting: list[Token] = []
    options: dict[str, object] = {}
    for token in read_colons(spec, tokens[word_count:]):
        try:
            options = read_tokens(spec, [*fitting, token])
        except UserError:
            continue
        fitting.append(token)
    return ParsedCommand(spec, options)


def _tokenize_leniently(text: str) -> list[Token]:
    """Split a line into tokens. An unclosed quotation mark is closed; if that does not help,
    quotation marks are read as spaces.
    """
    for mark in _CLOSING:
        try:
            return tokenize(text + mark)
        except UserError as error:
            if error.code != "bad-quotes":
                raise
    return tokenize(text.replace('"', " ").replace("'", " "))
