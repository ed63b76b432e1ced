"""Lines in a game that are no command, without a slash: the words are tried as a sequence of the
game, a command of `/game`, one of its tables and, at last, as something to find.
"""

from collections.abc import Collection, Sequence

from bot.rules.errors import UserError, find_near, suggest_names
from bot.rules.inputs.options import is_yes_or_no
from bot.rules.text.normalize import comparison_key, word_key
from bot.rulesets.system import FIRES, System
from bot.rulesets.table_names import fold_name, read_name
from bot.ui.finding import STARTS, search
from bot.ui.registry import TABLE, Registry
from bot.ui.typing.command_text import ParsedCommand, Token, is_dice, parse_text, tokenize
from bot.ui.typing.corrections import check_values

FIND = ("find",)
MOST_WORDS = 5
"""Words of a line without a command that may be the name of something; more are a sentence."""
DONE = "game pass done"
CUTOFF = 0.7
"""Minimum similarity (0 to 1) of a bare word to the name of a sequence to be corrected."""


def read_sequence(text: str, registry: Registry, played: str) -> ParsedCommand | None:
    """Return the sequence of the game `played` that a line names without the game, or None.

    A table with a longer name goes first, if the rest of the line fits it: `melee odds 7 4`. Raises
    UserError for options that the sequence does not take.
    """
    tokens = _read_tokens(text)
    game = registry.games.get(played)
    if not tokens or game is None or not game.has_sequences:
        return None
    id, count = _read_id(tokens, list(game.sequences))
    if not id:
        return None
    names = [_get_token_name(token) for token in tokens]
    _, table_word_count = read_name(names, game.table_names)
    table = read_table(text, registry, played) if table_word_count > count else None
    if table is not None:
        return table
    options_text = text[tokens[count].start :] if len(tokens) > count else ""
    return parse_text(f"{played} {id} {options_text}", registry)


def names_command(text: str, registry: Registry) -> bool:
    """Return whether a line begins with a top-level command, so that it is meant as one."""
    tokens = _read_tokens(text)
    return bool(tokens) and word_key(tokens[0].value) in registry.top_names


def read_command(text: str, registry: Registry) -> ParsedCommand | None:
    """Return the command of `/game` that a line names without `game`, such as `next`, or None if
    there is none or it is refused. `done` stands for `game pass done`.
    """
    if not _read_tokens(text):
        return None
    line = DONE if comparison_key(text) == "done" else f"game {text}"
    return _parse_or_none(line, registry)


def _parse_or_none(line: str, registry: Registry) -> ParsedCommand | None:
    """Return the command of a line, or None if it is refused."""
    try:
        parsed = parse_text(line, registry)
        check_values(parsed, registry)
    except UserError:
        return None
    return parsed


def read_table(text: str, registry: Registry, played: str) -> ParsedCommand | None:
    """Return the table of the game `played` that a line names without the game, or None if there is
    none or its values are refused. Without values it is shown whole, so that nothing is rolled.
    """
    if not _read_tokens(text) or played not in registry.games:
        return None
    parsed = _parse_or_none(f"{played}{TABLE} {text}", registry)
    if parsed is None or parsed.spec.family != "lookup":
        return None
    return ParsedCommand(parsed.spec, parsed.options or {"whole": True})


def hint_sequence(error: UserError, text: str, registry: Registry, played: str) -> None:
    """Suggest in the hint of `error` the sequence of the game `played` that a line probably means.

    It has a name similar to the first word, or it is the shot of this game if the word is that of
    another game. The hint stays as it is if there is none, or if the word is a command.
    """
    game = registry.games.get(played)
    tokens = _read_tokens(text)
    if game is None or not tokens:
        return
    word = word_key(tokens[0].value)
    near = find_near(word, list(game.sequences), CUTOFF)
    near = near or _find_shot(word, registry, game)
    if near and word not in registry.top_names:
        error.hint = suggest_names(word, [f"{played} {near[0]}"])


def _find_shot(word: str, registry: Registry, game: System) -> list[str]:
    """Return the id of a game's first firing sequence, in a list, if the word names the firing
    sequence of any game; else [].
    """
    others = [other.sequences[word] for other in registry.games.values() if word in other.sequences]
    if not any(other.verb in FIRES for other in others):
        return []
    return [id for id, sequence in game.sequences.items() if sequence.verb in FIRES][:1]


def read_find(
    text: str, registry: Registry, played: str, games: Collection[str]
) -> ParsedCommand | None:
    """Return `/find` for a line of at most MOST_WORDS words that begin words of a name in `games`
    or in help, without any correction; else None. A number, `yes` and `no` are not looked for: they
    are meant as an answer.
    """
    tokens = _read_tokens(text)
    spec = registry.get(FIND)
    if not tokens or len(tokens) > MOST_WORDS or spec is None:
        return None
    if is_yes_or_no(text) or text.strip().isdecimal():
        return None
    finding = search(text, registry, games, played)
    if not finding.hits or finding.corrected or finding.hits[0].rank > STARTS:
        return None
    return ParsedCommand(spec, {"words": text})


def _read_tokens(text: str) -> list[Token]:
    """Return the tokens of a line that may begin with a bare word, else none."""
    text = text.strip()
    if text.startswith("/") or is_dice(text):
        return []
    try:
        tokens = tokenize(text)
    except UserError:
        return []
    return [] if not tokens or tokens[0].key else tokens


def _get_token_name(token: Token) -> str:
    """Return the value of a token without a key, or ""."""
    return "" if token.key else token.value


def _read_id(tokens: Sequence[Token], ids: Collection[str]) -> tuple[str, int]:
    """Return the sequence that a line begins with, and how many words name it; "" and 0 for none.

    Its words may be apart: `morale check`.
    """
    for count in (3, 2, 1):
        words = tokens[:count]
        if len(words) < count or any(token.key or token.quoted for token in words):
            continue
        id = fold_name(" ".join(token.value for token in words))
        if id in ids:
            return id, count
    return "", 0
