"""The line of text in a form for all that has no field of its own, and the keypad for real dice
that a player rolls at the table.
"""

import re
from collections.abc import Collection, Iterable, Mapping

from bot.rules.errors import DieOwed, UserError, did_you_mean
from bot.rules.inputs.options import Option, split_words
from bot.rules.text.normalize import comparison_key, plain_signs
from bot.ui.reply.parts import Part, Small, Thrown
from bot.ui.reply.reply import Button, Menu, MenuEntry, Reply
from bot.ui.spec import CommandSpec

REST = "?rest"
"""The field for all that has no field of its own. No option can have this name."""

_PIECE = re.compile(r"[,\n]")
_NOISE = re.compile(r"[^\w#+\s]")
_NUMBER = re.compile(r"[+-]?[\d.]+")
_OFF = ("no", "off", "without")
ONE_WORD = ("int", "number", "enum", "bool")


def shorten_label(label: str) -> str:
    """Return a label without what is in brackets: `Terrain` for `Terrain (TM)`."""
    return label.partition(" (")[0]


def format_rest(
    spec: CommandSpec,
    options: Mapping[str, object],
    names: Iterable[str],
    needed: Collection[str] = (),
) -> str:
    """Return the line with those of the options and modifiers `names` that are set.

    Needed options that are missing come first, as questions: `range ?`.
    """
    words = split_words(options.get("mods") or ())
    pieces = []
    questions = []
    for name in names:
        option = spec.find_option(name)
        if option is None:
            pieces += [_get_label(spec, name)] if name in words else []
            continue
        value = options.get(name)
        label = shorten_label(option.display_name).casefold()
        if option.type == "bool":
            pieces += _format_flag(option, options, is_worded=name in words)
        elif value not in (None, "") and str(value) != str(option.default):
            pieces.append(f"{label} {value}")
        elif name in needed:
            questions.append(f"{label} ?")
    return ", ".join([*questions, *pieces])


def _format_flag(option: Option, options: Mapping[str, object], *, is_worded: bool) -> list[str]:
    """Return [label] for a flag that is on, [`label no`] for one that is off against its default or
    its unit, and [] for one at its default.

    `is_worded`: the flag is on because it is among the modifiers.
    """
    label = shorten_label(option.display_name).casefold()
    if options.get(option.name, option.default) or is_worded:
        return [] if option.default else [label]
    is_off_against_unit = bool(option.brings) and option.name in options
    return [f"{label} no"] if option.default or is_off_against_unit else []


def build_rest_example(spec: CommandSpec, names: Iterable[str], flags: Iterable[str]) -> str:
    """Return an example of the line, of at most 100 characters: up to two of the options `names`
    with values, and the last flag.
    """
    options = [option for name in names if (option := spec.find_option(name)) is not None]
    numbers = []
    words = []
    for option in options:
        label = shorten_label(option.display_name).casefold()
        if option.type in ("int", "number"):
            numbers.append(f"{label} 1")
        elif option.type == "enum" and option.values:
            words.append(f"{label} {option.values[-1]}")
    labels = [_get_label(spec, flag) for flag in flags]
    pieces = [*[*numbers[:2], *words][:2], *labels[-1:]]
    while len(", ".join(pieces)) > 100:
        pieces.pop(0)
    return ", ".join(pieces)


def read_rest(spec: CommandSpec, text: str, bare: str = "") -> dict[str, object]:
    """Parse the line into options, as typed (flags as True or False).

    A number without a name is the value of the option `bare`. Raises UserError for a piece that
    names nothing of the command.
    """
    names = _list_names(spec)
    values: dict[str, object] = {}
    for piece in _PIECE.split(text):
        words = piece.split()
        while words:
            words[:1] = [part for part in words[0].split("=", 1) if part]
            if not words:  # the piece ended with a lone equals sign
                break
            name, used = _find_named_option(words, names)
            is_bare = not name and bool(bare) and bare not in values
            if is_bare and _NUMBER.fullmatch(words[0]):
                name = bare
                used = 0
            if not name:
                raise _build_unknown_error(spec, piece.strip() if used else " ".join(words), names)
            words = _read_value(spec, name, words[used:], values)
    return values


def _read_value(
    spec: CommandSpec, name: str, words: list[str], values: dict[str, object]
) -> list[str]:
    """Set the option or modifier `name` in `values` from the words after its name, and return the
    words that are left over.

    A `?` is no value. Units join those already set.
    """
    option = spec.find_option(name)
    if option is None:
        values["mods"] = f"{values.get('mods', '')} {name}".strip()
        return words
    if option.type == "bool":
        word = words[0].casefold() if words else ""
        values[name] = word not in _OFF
        return words[1:] if word in (*_OFF, "yes") else words
    count = 1 if option.type in ONE_WORD else len(words)
    value = " ".join(words[:count])
    if value not in ("", "?"):
        is_joined = option.type == "units" and name in values
        values[name] = f"{values[name]}; {value}" if is_joined else value
    return words[count:]


def _get_label(spec: CommandSpec, word: str) -> str:
    """Return the label of a flag or modifier in the line, in lower case."""
    option = spec.find_option(word)
    mods = spec.find_option("mods")
    if option is not None:
        return shorten_label(option.display_name).casefold()
    label = mods.labels.get(word, "") if mods is not None else ""
    return (label or word.replace("_", " ")).casefold()


def _list_names(spec: CommandSpec) -> dict[str, str]:
    """Return {name, folded: option or modifier} for all names that the line understands.

    The name of an option goes before that of a modifier.
    """
    names: dict[str, str] = {}
    for option in spec.options:
        if option.type == "mods":
            for word in option.values:
                names[_fold_text(option.labels.get(word, word))] = word
                names[_fold_text(word)] = word
    for option in spec.options:
        if option.type != "mods":
            label = option.display_name
            for name in (label, shorten_label(label), option.name):
                names[_fold_text(name)] = option.name
    return names


def _fold_text(text: str) -> str:
    """Return a text in the form in which names are compared.

    Letters, digits, `#` and `+` stay, hyphens and underscores become spaces, and other signs are
    removed. A fraction sign is written out: `½` becomes `1/2`.
    """
    spaced = plain_signs(text).replace("_", " ").replace("-", " ")
    return comparison_key(_NOISE.sub("", spaced))


def _find_named_option(words: list[str], names: Mapping[str, str]) -> tuple[str, int]:
    """Return the option that the first words name, and how many words that took; ("", 0) if none.

    The beginning of a name, of at least three letters, is enough if no other option begins so.
    """
    for length in range(min(len(words), 8), 0, -1):
        folded = _fold_text(" ".join(words[:length]))
        if folded in names:
            return names[folded], length
    start = _fold_text(words[0])
    if len(start) <= 2:
        return "", 0
    options = {option for name, option in names.items() if name.startswith(start)}
    return (options.pop(), 1) if len(options) == 1 else ("", 0)


def _build_unknown_error(spec: CommandSpec, piece: str, names: Mapping[str, str]) -> UserError:
    """Return the error for a piece of the line that names nothing of the command."""
    near = did_you_mean(_fold_text(piece), names)
    hint = near or "Write each number after its name, separated by commas."
    message = f'There is nothing called "{piece[:40]}" in {(spec.title or spec.name)}.'
    return UserError(message, hint=hint, option=REST, code="unknown-option")


KEYPAD, LISTED = 10, 25
"""Maximum number of faces of a die on a keypad, and in a menu. Larger dice are typed."""
LONGEST_ACTION = 90


def build_keypad(owed: DieOwed, key: str) -> Reply | None:
    """Return the keypad for the die that the draft `key` needs next, or None if the die has too
    many faces for a menu or the dice so far are too many for a button.

    The dice entered so far are in the buttons, `die:KEY:6,1`.
    """
    faces = _list_faces(owed)
    hand = ",".join(map(str, owed.given))
    if not faces or len(f"die:{key}:{hand},{len(faces)}") > LONGEST_ACTION:
        return None
    start = f"die:{key}:{hand}," if hand else f"die:{key}:"
    dice = len(owed.given)
    progress = ""
    parts: list[Part] = [Small("Nothing counts until every die is in.")]
    if dice:
        progress = f"Got {dice} {'die' if dice == 1 else 'dice'}. "
        parts.insert(0, Thrown((*owed.given, "?")))
    buttons: list[Button] = []
    menus: tuple[Menu, ...] = ()
    if len(faces) > KEYPAD:
        entries = tuple(MenuEntry(f"{start}{face}", face) for face in faces)
        menus = (Menu(f"What the {owed.sides} shows", entries, owed.sides),)
    else:
        buttons = [Button(f"{start}{face}", face) for face in faces]
    if hand:
        buttons.append(Button(f"die:{key}:", "Start over"))
    return Reply(
        f"{progress}Next: {owed.label or 'a die'} ({owed.sides})",
        tuple(parts),
        private=True,
        buttons=tuple(buttons),
        menus=menus,
        across=3,
    )


def _list_faces(owed: DieOwed) -> list[str]:
    """Return the faces of the die that is needed next; [] for one with more than LISTED faces, or
    without numbers.
    """
    sides = owed.sides.removeprefix("d")
    if not sides.isdecimal() or int(sides) > LISTED:
        return []
    return [str(face) for face in range(1, int(sides) + 1)]
