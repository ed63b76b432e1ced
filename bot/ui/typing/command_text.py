"""The text form of commands: `/lnlt fire attackers="squad fp=4" tm=2 adjacent`. One parser for
every place.

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
"""Characters of a line."""
MAX_TOKENS = 400
MOST_COMMANDS = 10
"""Words of a sentence that are tried as the name of a command: each miss looks for its spelling."""
MOST_TABLES = 3
"""Tables that a refusal names at once."""
_QUOTES = {
    '"': '"',
    "'": "'",
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019",
    "\u00ab": "\u00bb",
}
"""Opening marks and what closes them; beside the plain ones those that phones and word
processors make of them.
"""
_SLASHES = ("/", "\uff0f")
_MARKS = re.compile(rf"[\s{''.join(_QUOTES)}]")
_KEY_BY_OTHER = re.compile(r"-{0,2}([A-Za-z][A-Za-z0-9_-]{0,40})[:=]")
_COLON = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,40}):(.*)", re.DOTALL)
_COLON_QUOTE = re.compile(rf"[A-Za-z][A-Za-z0-9_-]{{0,40}}:(?=[{''.join(_QUOTES)}])")
"""How a word begins that gives an option its value in quotation marks: `name:"Rifle 9"`."""
_ONE_WORD = ("int", "number", "bool")
"""Types of options whose value is one word."""
_HELP = ("?", "-help", "-h")
"""Words that ask for help, as `word_key` writes them: phones make one dash of `--`."""
_GREETINGS = ("hello", "hi", "hey", "hallo", "greetings", "moin")
_DICE = re.compile(
    r"(?:\d+\s*[x#]\s*)?[(+-]*(?:\d*d(?:\d|%|[fa](?![a-z])|\[)|\d+w\d)", re.IGNORECASE
)
"""How a line begins that is dice and nothing else: `2d6+3 >= 8`."""
_WORDED_DICE = re.compile(
    r"(?:\d+\s*x\s*)?[(+-]*(?:DR|[Dd]r)(?=\s*(?:$|[-+*/<>=)\[]|\w+=|odds\b|compare\b|secret\b))"
)
"""The same of dice that go by a word, with nothing behind it that could be a sentence."""
_DICE_WITHIN = re.compile(r"(?<!\w)\d*d(?:\d+|%)(?:\s*[+-]\s*\d+)?(?!\w)", re.IGNORECASE)
_WORD_WITHIN = re.compile(r"(?<!\w)DR(?!\w)")
_TOKEN = re.compile(
    rf"(\s*)(?=\S)(?:([A-Za-z][A-Za-z0-9_-]{{0,40}})=)?([^\s{''.join(_QUOTES)}]\S*)?"
)
"""A piece of a line: the space before it, a key, and a value that is not quoted."""
_HOW_FAR = ("range", "distance", "hexes", "inches")
"""How far it is, which games call by different words."""
_THROWN = ("roll", "rolled", "dice", "die", "result", "sum", "dr")
_TOTALS = ("total", "hand")
"""What somebody may call the number that was rolled, and what it is called."""
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
"""What games call who acts, and who is acted upon: the word of another game is put right."""
GREEDY = ("dice", "topic", "stats", "systems", "command", "values", "find")
"""Options that take all bare words that follow: `roll 2d6 + 3`, `help lnlt fire`, `unit edit us1
shaken moved`, `find melee odds`.
"""
_TARGETS = ("target", "targets")
_LOOSE = ("stats", "command", "values", "find")
"""Those of them that take names with values, too: `unit edit us1 fp=2`, `macro run h n=3`."""


_UNITS = ("unit", "units")
_LEFT_OUT = re.compile(r"-[A-Za-z][A-Za-z_-]{0,40}")


class Token(NamedTuple):
    """One piece of a command: an optional key, its value, whether the value was quoted, and its
    text.
    """

    key: str
    value: str
    quoted: bool
    at: int


class ParsedCommand(NamedTuple):
    """A command as typed: what it is, and its options as text (flags as True)."""

    spec: CommandSpec
    options: Mapping[str, object]


def parse_text(text: str, registry: Registry) -> ParsedCommand:
    """The command that a line of text asks for. Raises UserError with what was wrong and what to
    type.
    """
    if len(text) > MAX_LENGTH:
        raise UserError(f"That line is too long: at most {MAX_LENGTH} characters.", code="too-long")
    text = _without_slash(text)
    tokens = tokenize("help" if word_key(text) in _HELP else text)
    if not tokens:
        raise UserError(
            "There is no command here.",
            hint=ALL_COMMANDS,
            code="unknown-command",
        )
    first = tokens[0]
    if (
        (is_dice(text) or _WORDED_DICE.match(text))
        and word_key(first.value) not in registry.top_names
        and (rolls := registry.get(("roll",)))
    ):
        return ParsedCommand(rolls, read_tokens(rolls, tokens))
    if first.key or first.quoted:
        shown = "with an option" if first.key else "with a quotation mark"
        hint = phrase("For example: `/roll 2d6+3`. For all commands: `/help`")
        raise UserError(
            f"A command begins with its name, not {shown}: {text[:30]}",
            hint=hint,
            code="unknown-command",
        )
    if (topic := _find_help_topic(tokens, registry)) and (helping := registry.get(("help",))):
        return ParsedCommand(helping, {"topic": topic})
    words = list_command_words(tokens)
    try:
        spec, used = registry.find(words)
    except UserError as error:
        if word_key(words[0]) not in registry.top_names and (
            command := _find_command_within(text, words, registry)
        ):
            error.hint = suggest_names(text, [command])
        raise
    options = read_tokens(spec, tokens[used:])
    if _is_printed_name(spec, words[:used]) and options.keys() <= {"private", "picture"}:
        options["whole"] = True
    return ParsedCommand(spec, options)


def _without_slash(text: str) -> str:
    """Return a line as it is read, without the slash at its beginning."""
    line = (text if text.isascii() and text.isprintable() else normalize_text(text)).strip()
    return line[1:] if line.startswith(_SLASHES) else line


def is_dice(text: str) -> bool:
    """Return whether a line is dice and nothing else: `2d6+3 >= 8`."""
    return _DICE.match(plain_signs(text)) is not None


def name_other_tables(
    error: UserError, spec: CommandSpec, options: Mapping[str, object], registry: Registry
) -> None:
    """Put the tables that have the refused word, as their only needed input, into the hint."""
    word = str(options.get(error.option or "") or "")
    commands: list[Typed] = []
    for other in registry.list_below(spec.path[:1]):
        needed = [option for option in other.options if option.is_required]
        if word and len(needed) == 1 and needed[0].type == "enum" and _has_word(needed[0], word):
            commands.append(Typed(f"/{other.path[0]} {other.path[-1]} {quote_value(word)}"))
    if 0 < len(commands) <= MOST_TABLES:
        error.hint = Phrase("Another table has it: ", *list_commands(commands), ".")


def list_command_words(tokens: Sequence[Token]) -> list[str]:
    """Return the words that may name a command: a key ends them; only the printed name of a table
    may be quoted.
    """
    of_table = word_key(tokens[0].value).endswith(TABLE)
    return [
        token.value if not token.key and (of_table or not token.quoted) else "" for token in tokens
    ]


def _is_printed_name(spec: CommandSpec, words: Sequence[str]) -> bool:
    """Return whether a table was named as the card prints it, not by its id."""
    return spec.family == "lookup" and word_key(words[-1]) != spec.path[-1]


def _find_command_within(text: str, words: Sequence[str], registry: Registry) -> str:
    """The dice or the command that a sentence holds: `can you roll 2d6 please`; "" where there
    is none.
    """
    if dice := _DICE_WITHIN.search(text) or _WORD_WITHIN.search(text):
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
    """Return the topic of help on a command with `help`, `?` or `--help` after it, on a group such
    as `lnlt` alone, and for whoever says hello; "" for all else."""
    words = [word_key(token.value) for token in tokens if not token.key and not token.quoted]
    if len(words) == len(tokens) and names_group(words, registry):
        return " ".join(words)
    *before, last = words
    if words in (["version"], ["-version"]):
        return "version"
    if words and words[0].strip(",.!") in _GREETINGS and words[0] not in registry.top_names:
        return "hello"
    ends = not (tokens[-1].key or tokens[-1].quoted) and last in (*_HELP, "help")
    if not ends or not before or before[0] not in registry.top_names or before[0] == "help":
        return ""
    try:
        spec, used = registry.find(before)
    except UserError:
        return " ".join(before) if registry.list_children(tuple(before)) else ""
    if last == "help" and used < len(tokens) - 1:  # a word among others may be a name
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
    """Split a line into tokens. Raises UserError for an unclosed quotation mark."""
    tokens = list[Token]()
    at = 0
    plain = plain_signs(text)  # as long as the text: values are taken from that
    while found := _TOKEN.match(plain, at):
        space, key, value = found.groups("")
        start = at + len(space)
        at = found.end()
        value = text[at - len(value) : at]
        if not key and (named := _COLON_QUOTE.match(plain[start:at])):
            at = _find_end_of_quotes(text, start + named.end()) or at
            value = text[start:at]
        quoted = not value and plain[at : at + 1] in _QUOTES
        if quoted:
            value, at = _read_quoted(text, at)
        tokens.append(Token(key and key.replace("-", "_").casefold(), value, quoted, start))
        if len(tokens) > MAX_TOKENS:
            raise UserError("That line has too many words.", code="too-many")
    return tokens


def _find_end_of_quotes(text: str, start: int) -> int:
    """Return the position after the quoted value that begins at `start`, or 0 if it is not closed."""
    try:
        return _read_quoted(text, start)[1]
    except UserError:
        return 0


def _read_quoted(text: str, at: int) -> tuple[str, int]:
    """The value between the quotation mark there and the one that closes it, and where it ends.
    Raises UserError.
    """
    closing = _QUOTES[plain_signs(text[at])]
    ends = (text.find(mark, at + 1) for mark in _add_full_width_marks(closing))
    end = min((end for end in ends if end >= 0), default=-1)
    if end < 0:
        what = f"The quotation mark at character {at + 1} is not closed: {text[at : at + 20]}"
        raise UserError(what, hint=f"End it with {closing[0]}", code="bad-quotes")
    if end + 1 < len(text) and not text[end + 1].isspace():
        raise UserError(
            f"The quotation mark at character {end + 1} closes a value in the middle of a word: "
            f"{text[max(at, end - 16) : end + 12]}",
            hint='Close each value with the mark that opened it, then a space. Inside use the other kind: "O\'Brien".',
            code="bad-quotes",
        )
    return text[at + 1 : end], end + 1


def _add_full_width_marks(marks: str) -> str:
    """Return closing marks with those of full width, which some keyboards type."""
    return marks + "".join(chr(ord(mark) + 0xFEE0) for mark in marks if mark.isascii())


def read_tokens(spec: CommandSpec, tokens: list[Token]) -> dict[str, object]:
    """The options that `tokens` give to `spec`, as typed. Raises UserError for what does not
    fit.
    """
    options = {option.name: option for option in spec.options}
    tokens = read_colons(spec, tokens)
    tokens = [token for token in tokens if not _is_leading_at(token, options)]
    given: dict[str, object] = {}
    mods: list[str] = []
    positional = spec.positional
    stats = next((option for option in spec.options if option.complete in _LOOSE), None)
    edits = stats is not None and stats.complete == "stats"  # who was named gets another name
    loose: list[str] = []
    placed: set[str] = set()
    unit_option = ""
    for token, following in zip_longest(tokens, tokens[1:]):
        if unit_option and _is_left_out(token):
            given[unit_option] = f"{given[unit_option]} {token.value}"
        elif token.key in options and not (token.key in placed and edits):
            _check_value(token, following, options)
            if token.key == "mods":
                mods.append(token.value)
            elif token.key in placed:
                what = f'"{given.get(token.key) or loose[0]}" was read as {token.key}, which is given as well.'
                hint = _hint_quotes(tokens, options, str(given.get(token.key) or loose[0]))
                raise UserError(what, hint=hint, option=token.key, code="given-twice")
            else:
                _add_option(given, token.key, token.value)
                unit_option = token.key if options[token.key].type in _UNITS else ""
        elif token.key:
            if stats is None or (stats.complete == "command" and not loose):
                # a command begins with its name
                raise _build_unknown_key_error(spec, token, options, tokens)
            loose.append(f"{token.key}={_keep_quotes(stats, token, token.value)}")
        elif not token.quoted and (flag := _find_flag(token.value, options)):
            _add_option(given, flag, True)
        elif not token.quoted and _is_modifier(token.value, options):
            mods.append(token.value)
        else:
            name = _place_bare_value(spec, positional, given, token)
            placed.add(name)
            unit_option = name if options[name].type in _UNITS else ""
            if stats is not None and name == stats.name:
                loose.append(_keep_quotes(stats, token, str(given.pop(name))))
    if mods:
        given["mods"] = " ".join(mods)
    if stats is not None and loose:
        whole = _join_loose_words(stats, loose, tokens)
        given[stats.name] = f"{given[stats.name]} {whole}" if stats.name in given else whole
    return given


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
    """Return `name:value` as a token with its key."""
    value = token.value[plain_signs(token.value).index(":") + 1 :]
    if value[:1] in _QUOTES and _find_end_of_quotes(value, 0) == len(value):
        return Token(name, _read_quoted(value, 0)[0], quoted=True, at=token.at)
    return Token(name, value, quoted=False, at=token.at)


def _join_word(value: str, token: Token) -> str:
    """Return a value with one more word of the line."""
    word = quote_value(token.value) if token.quoted else token.value
    word = f"{token.key}={word}" if token.key else word
    return f"{value} {word}".strip()


def _split_modifiers(token: Token) -> list[Token]:
    """Return a word for each of several modifiers in one value, and any other token as it is."""
    if token.key != "mods" or " " not in token.value:
        return [token]
    return [Token("", word, quoted=False, at=token.at) for word in token.value.split()]


def _find_colon_key(token: Token, options: Mapping[str, Option]) -> str:
    """Return the option that a token such as `tm:1` names, or ""."""
    found = None if token.key or token.quoted else _COLON.match(plain_signs(token.value))
    name = found[1].replace("-", "_").casefold() if found else ""
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


def _join_loose_words(option: Option, loose: list[str], tokens: list[Token]) -> str:
    """All that was typed for such an option; a command that was quoted as one has no quotation
    marks of its own.
    """
    if option.complete == "command" and len(loose) == 1:
        return next(
            (one.value for one in tokens if one.quoted and quote_value(one.value) == loose[0]),
            loose[0],
        )
    return " ".join(loose)


def _keep_quotes(option: Option, token: Token, value: str) -> str:
    """A value as it goes into an option that is read once more: with its quotation marks, where
    that needs them.
    """
    plain = option.complete == "stats" and token.key != "name"
    return quote_value(value) if token.quoted and not plain and value == token.value else value


def _add_option(given: dict[str, object], name: str, value: object) -> None:
    if name in given:
        raise UserError(
            f"{name} is given twice.", hint="Give it once.", option=name, code="given-twice"
        )
    given[name] = value


def _is_leading_at(token: Token, options: Mapping[str, Option]) -> bool:
    """Return whether a word only leads on to the target, as one says it: `fire us4 at vc2`."""
    return (
        token.value == "at"
        and not token.quoted
        and not token.key
        and not options.keys().isdisjoint(_TARGETS)
    )


def _find_flag(word: str, options: Mapping[str, Option]) -> str:
    name = word_key(word).replace("-", "_")
    option = options.get(name)
    return name if option is not None and option.type == "bool" else ""


def _is_modifier(word: str, options: Mapping[str, Option]) -> bool:
    mods = options.get("mods")
    return (
        mods is not None and mods.type == "mods" and word_key(word).replace("-", "_") in mods.values
    )


def _check_value(token: Token, following: Token | None, options: Mapping[str, Option]) -> None:
    """Raise UserError for `tm= 2`: read as typed, the 2 would land in another option."""
    if token.value or token.quoted or following is None or following.key or following.quoted:
        return
    if not _find_flag(following.value, options) and not _is_modifier(following.value, options):
        hint = f"Write it without a space: {token.key}={following.value[:40]}"
        raise UserError(f"{token.key}= has no value.", hint=hint, option=token.key, code="no-value")


def _place_bare_value(
    spec: CommandSpec, positional: list[Option], given: dict[str, object], token: Token
) -> str:
    """Put a bare value where it belongs, the next positional option, and return its name."""
    option = next(
        (option for option in positional if _is_greedy(option) or option.name not in given), None
    )
    if option is not None and _is_greedy(option):
        before = given.get(option.name)
        given[option.name] = token.value if before is None else f"{before} {token.value}"
        return option.name
    if (
        option is not None
        and (unit := _find_other_option(option, positional, given, token, spec)) is not None
    ):
        option = unit
    elif not token.quoted:
        _check_word(spec, option, token.value)
    if option is None:
        raise UserError(
            f'{spec.name} does not know what to do with "{token.value[:40]}".',
            hint="A value that holds spaces needs quotation marks."
            if given and spec.family not in ("lookup", "sequence")
            else Typed(f"/help {' '.join(spec.path)}"),
            code="unknown-option",
        )
    given[option.name] = token.value
    if spec.family == "sequence":
        given[option.name] = BareValue(token.value)
    return option.name


def _find_other_option(
    option: Option,
    positional: list[Option],
    given: dict[str, object],
    token: Token,
    spec: CommandSpec,
) -> Option | None:
    """The option for a unit, where the next one is a choice of words and this is none of them:
    `random-order us1..us4`, or a number, and this is a handle or a quoted name: `fire us3 germ3`; a
    deck likewise: `deck draw 3 cup`, and a word of one choice alone: `deck draw cup me`.

    Without a number in it, something that is nearly one of the words, or the name of an option, is
    asked about."""
    folded = word_key(token.value)
    if spec.family == "lookup" and option.type in ("int", "number", "enum"):
        return _find_named_edge(option, positional, given, token.value)
    if option.type in ("int", "number"):
        if not token.value[:1].isalpha():
            return None
        says = [other for other in positional if folded in other.values and other.name not in given]
        if len(says) == 1:
            return says[0]
        deck = next((other for other in positional if other.complete == "deck"), None)
        if deck is not None:
            if str(given.get(deck.name)).isdecimal():
                given[option.name] = given.pop(deck.name)
            return deck if deck.name not in given else None
        named = token.quoted or any(map(str.isdecimal, token.value))
        units = [
            other
            for other in positional
            if other.type in ("unit", "units") and other.name not in given
        ]
        return min(units, key=lambda other: other.type == "units", default=None) if named else None
    if option.type == "enum" and (
        named_by_word := _find_named_edge(option, positional, given, token.value)
    ):
        return named_by_word
    if option.type != "enum" or option.is_required:
        return None
    near = [*option.values, *(known.name.replace("_", "-") for known in spec.options)]
    if folded in near or (not any(map(str.isdecimal, folded)) and did_you_mean(folded, near)):
        return None
    return next(
        (other for other in positional if other.type == "unit" and other.name not in given), None
    )


def _find_named_edge(
    option: Option, positional: list[Option], given: Mapping[str, object], word: str
) -> Option | None:
    """Return the one other input that has this word, if the next one cannot read it."""
    if _has_word(option, word):
        return None
    others = [
        other
        for other in positional
        if other.type == "enum" and other.name not in given and _has_word(other, word)
    ]
    return others[0] if len(others) == 1 else None


def _has_word(option: Option, word: str) -> bool:
    """Return whether an option takes this word: a number is any that begins with a digit."""
    if option.type != "enum":
        return plain_signs(word).lstrip("(+-")[:1].isdecimal()
    try:
        clean(option, word)
    except UserError:
        return False
    return True


def _is_greedy(option: Option) -> bool:
    return option.type in GREEDY or option.complete in GREEDY


def _check_word(spec: CommandSpec, option: Option | None, word: str) -> None:
    """Raise UserError for a bare word that is a misspelt flag, or the name of an option without its
    value.

    It would otherwise be taken for the next positional option, whose name the player never typed.
    """
    options = {known.name: known for known in spec.options}
    mods = spec.find_option("mods")
    if plain_signs(word).startswith("="):
        hint = "Write key=value without spaces around the =."
        raise UserError(f'"{word[:40]}" is on its own.', hint=hint, code="loose-word")
    sided = option is not None and option.complete == "side"  # side:US says what side=US does
    if (
        not sided
        and (found := _KEY_BY_OTHER.match(plain_signs(word)))
        and (name := found[1].replace("-", "_").casefold()) in options
    ):
        hint = f'Write {name}=..., or {name}="..." for several words.'
        raise UserError(f'"{word[:40]}" cannot be read.', hint=hint, code="loose-word")
    kind = option.type if option is not None else ""
    folded = word_key(word).replace("-", "_")
    if kind not in ("", "int", "number", "units", "enum"):
        return
    if option is not None and folded in (value.replace("-", "_") for value in option.values):
        return
    if folded in options:
        hint = f"Write {folded}=..., without spaces around the =."
        raise UserError(f"{folded} has no value.", hint=hint, option=folded, code="no-value")
    if kind not in ("", "int", "number") or any(mark.isdecimal() for mark in word):
        return
    flags = [name for name, known in options.items() if known.type == "bool"]
    if near := did_you_mean(folded, [*flags, *(mods.values if mods else ())]):
        near.wrong = word
        raise UserError(
            f'{spec.name} does not know what to do with "{word[:40]}".',
            hint=near,
            code="unknown-option",
        )
    if option is not None:
        clean(option, word)  # no number: better said now than after the words that follow


def _hint_quotes(
    tokens: Sequence[Token],
    options: Mapping[str, Option],
    loose: str,
    said: str = "A value that holds spaces needs quotation marks.",
) -> Hint:
    """That a value with spaces needs quotation marks, with those around what was probably meant:
    the option before `loose`, with all behind it up to the next option."""
    hint = Hint(said)
    texts = [f"{token.key}={token.value}" if token.key else token.value for token in tokens]
    at = texts.index(loose) if loose in texts else 0
    first = next(
        (before for before in range(at - 1, -1, -1) if tokens[before].key in options), None
    )
    if first is None or tokens[first].quoted:
        return hint
    end = at + 1
    while (
        end < len(tokens)
        and tokens[end].key not in options
        and not _find_flag(tokens[end].value, options)
    ):
        end += 1
    option = tokens[first].key
    value = " ".join([tokens[first].value, *texts[first + 1 : end]])
    if '"' not in value:
        right = f'{option}="{value}"'
        hint = Hint(said.replace("{}", right))
        hint.wrong = f"{option}={value}"
        hint.right = right
    return hint


def _build_unknown_key_error(
    spec: CommandSpec, token: Token, options: Mapping[str, Option], tokens: Sequence[Token]
) -> UserError:
    said = not token.value or is_yes_or_no(token.value)
    near: Hint = did_you_mean(
        token.key, [name for name, option in options.items() if said or option.type != "bool"]
    )
    if (
        not near
        and token.key in _THROWN
        and (total := next((name for name in _TOTALS if name in options), ""))
    ):
        near = suggest_names(token.key, [total])
    lists = [name for name, option in options.items() if option.type == "units"]
    if token.key in _HOW_FAR:
        near = suggest_names(token.key, [name for name in _HOW_FAR if name in options]) or near
    if token.key in WHO and (
        who := [name for name, one in options.items() if one.type in ("unit", "units")]
    ):
        same = [name for name in who if (name in ACTING) == (token.key in ACTING)]
        near = suggest_names(token.key, (same or who)[:1])
    if not near and lists:
        near = _hint_quotes(
            tokens,
            options,
            f"{token.key}={token.value}",
            "Is it a unit's number? Quote the whole list: {}",
        )
        shown = re.search(rf'\b{lists[0]}="[^"]*"', spec.example)
        if not near.right:
            example = f"Is it a unit's number? Quote the whole list: {shown[0]}." if shown else ""
            near = Hint(example)
        near.unit_number, near.game = token.key, spec.system
        near.otherwise = Typed(f"/help {' '.join(spec.path)}")
    return make_unknown_option_error(
        token.key, spec.name, hint=near or Typed(f"/help {' '.join(spec.path)}")
    )


def quote_value(value: object) -> str:
    """A value as it must be typed: quoted if it holds spaces or quotation marks."""
    text = str(value)
    if text and not _MARKS.search(text):
        return text
    for opening, closing in _QUOTES.items():
        if opening not in text and closing[0] not in text:
            return f"{opening}{text}{closing[0]}"
    return "\u201c" + text.replace("\u201d", "'") + "\u201d"


def _counts_by_itself(option: Option) -> bool:
    """Return whether a flag may be on though nobody typed it, so that no has to be typed."""
    return bool(option.default or option.ruled or option.brings or option.counts)


def format_command(spec: CommandSpec, options: Mapping[str, object]) -> str:
    """Return the command ready to copy: `/lnlt fire attackers="squad fp=4" adjacent`.

    Commands other than sequences and tables begin with bare values, as people type them:
    `/unit edit us1 shaken`.
    """
    named = _write_options(spec, options, ())
    if spec.family in ("sequence", "lookup"):
        return named
    bare = tuple(
        option.name for option in takewhile(lambda one: _goes_bare(one, options), spec.positional)
    )
    short = _write_options(spec, options, bare)
    return short if _reads_alike(spec, short, named) else named


def format_named_command(spec: CommandSpec, options: Mapping[str, object]) -> str:
    """Return the command with the name of each option, in which single words can be replaced."""
    return _write_options(spec, options, ())


def _goes_bare(option: Option, options: Mapping[str, object]) -> bool:
    """Return whether an option is given, and reads well without its name."""
    given = options.get(option.name)
    is_number = option.type in _ONE_WORD or option.name == "hand"
    return not is_number and given not in (None, False, True, "", ())


def _reads_alike(spec: CommandSpec, short: str, named: str) -> bool:
    """Return whether two texts of a command are read as the same options."""
    start = len(spec.name)
    try:
        return read_tokens(spec, tokenize(short[start:])) == read_tokens(
            spec, tokenize(named[start:])
        )
    except UserError:
        return False


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
    if value is False and (option is None or not _counts_by_itself(option)):
        return []
    if option is not None and option.type == "bool":
        return [name if value is not False else f"{name}=no"]
    if name == "mods":
        return [*map(str, value if isinstance(value, list | tuple) else str(value).split())]
    return [f"{name}={quote_value(value)}"]


MOST = 60
"""Words that are looked at; who types more has pasted something else."""
_CLOSING = ("", '"', "'", "\u201d", "\u2019")


def salvage_command(text: str, registry: Registry) -> ParsedCommand:
    """The command with all its words that fit, in order: one that is misspelt or given twice is
    left out, a mark that is not closed is closed at the end. Raises UserError where no command is
    named."""
    tokens = _tokenize_leniently(_without_slash(text))[:MOST]
    spec, used = registry.find(list_command_words(tokens) if tokens else [])
    kept: list[Token] = []
    options: dict[str, object] = {}
    for token in read_colons(spec, tokens[used:]):
        try:
            options = read_tokens(spec, [*kept, token])
        except UserError:
            continue
        kept.append(token)
    return ParsedCommand(spec, options)


def _tokenize_leniently(text: str) -> list[Token]:
    for mark in _CLOSING:
        try:
            return tokenize(text + mark)
        except UserError as error:
            if error.code != "bad-quotes":
                raise
    return tokenize(text.replace('"', " ").replace("'", " "))
