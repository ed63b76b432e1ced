"""The line of a form for whatever has no field of its own, and the keypad for a die that
somebody throws themselves.
"""

import re
from collections.abc import Collection, Iterable, Mapping

from bot.rules.errors import DieOwed, UserError, did_you_mean
from bot.rules.inputs.options import Option, split_words
from bot.rules.text.normalize import comparison_key, plain_signs
from bot.ui.reply.parts import Small, Thrown
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
    """A label without what is in brackets: `Terrain (TM)` is `Terrain`."""
    return label.partition(" (")[0]


def format_rest(
    spec: CommandSpec,
    options: Mapping[str, object],
    covers: Iterable[str],
    needed: Collection[str] = (),
) -> str:
    """What the line holds of the options. A needed one that is missing is asked for: `range ?`."""
    words = split_words(options.get("mods") or ())
    pieces = []
    owed = []
    for name in covers:
        option = spec.find_option(name)
        if option is None:
            pieces += [_get_label(spec, name)] if name in words else []
            continue
        value = options.get(name)
        called = shorten_label(option.display_name).casefold()
        if option.type == "bool":
            pieces += _format_flag(option, options, name in words)
        elif value not in (None, "") and str(value) != str(option.default):
            pieces.append(f"{called} {value}")
        elif name in needed:
            owed.append(f"{called} ?")
    return ", ".join([*owed, *pieces])


def _format_flag(option: Option, options: Mapping[str, object], is_worded: bool) -> list[str]:
    """Return the words for a flag that is not at its default, or that is off against the roster."""
    label = shorten_label(option.display_name).casefold()
    if options.get(option.name, option.default) or is_worded:
        return [] if option.default else [label]
    is_said = bool(option.default) or (bool(option.brings) and option.name in options)
    return [f"{label} no"] if is_said else []


def build_rest_example(spec: CommandSpec, names: Iterable[str], flags: Iterable[str]) -> str:
    """What could be in the line, of at most 100 characters."""
    options = [option for name in names if (option := spec.find_option(name)) is not None]
    numbers = [
        f"{shorten_label(one.display_name).casefold()} 1"
        for one in options
        if one.type in ("int", "number")
    ][:2]
    words = [
        f"{shorten_label(one.display_name).casefold()} {one.values[-1]}"
        for one in options
        if one.type == "enum" and one.values
    ]
    flags = [_get_label(spec, flag) for flag in flags][-1:]
    pieces = [*numbers, *words[: 2 - len(numbers)], *flags]
    while len(", ".join(pieces)) > 100:
        pieces.pop(0)
    return ", ".join(pieces)


def read_rest(spec: CommandSpec, text: str, bare: str = "") -> dict[str, object]:
    """The options that the line gives, as typed; a number without a name is that of `bare`. Raises
    UserError for a piece that names nothing of the command."""
    names = _list_names(spec)
    found: dict[str, object] = {}
    for piece in _PIECE.split(text):
        words = piece.split()
        while words:
            words[:1] = [part for part in words[0].split("=", 1) if part]
            name, used = _find_named_option(words, names)
            if not name and bare and bare not in found and _NUMBER.fullmatch(words[0]):
                name = bare
                used = 0
            if not name:
                raise _build_unknown_error(spec, piece.strip() if used else " ".join(words), names)
            words = words[used:]
            option = spec.find_option(name)
            if option is None:
                found["mods"] = f"{found.get('mods', '')} {name}".strip()
            elif option.type == "bool":
                off = bool(words) and words[0].casefold() in _OFF
                words = words[1:] if off or (words and words[0].casefold() == "yes") else words
                found[name] = not off
            else:
                count = 1 if option.type in ONE_WORD else len(words)
                if (value := " ".join(words[:count])) not in ("", "?"):
                    before = f"{found[name]}; " if option.type == "units" and name in found else ""
                    found[name] = before + value
                words = words[count:]
    return found


def _get_label(spec: CommandSpec, word: str) -> str:
    """What a flag or modifier word is called in the line."""
    option = spec.find_option(word)
    mods = spec.find_option("mods")
    if option is not None:
        return shorten_label(option.display_name).casefold()
    label = mods.labels.get(word, "") if mods is not None else ""
    return (label or word.replace("_", " ")).casefold()


def _list_names(spec: CommandSpec) -> dict[str, str]:
    """All names that the line understands, folded, with the code word of each."""
    found: dict[str, str] = {}
    for option in spec.options:
        for word in option.values if option.type == "mods" else ():
            found |= {_fold_text(option.labels.get(word, word)): word, _fold_text(word): word}
    for option in spec.options:
        if option.type != "mods":
            found |= {
                _fold_text(option.display_name): option.name,
                _fold_text(shorten_label(option.display_name)): option.name,
            }
            found[_fold_text(option.name)] = option.name
    return found


def _fold_text(text: str) -> str:
    return comparison_key(_NOISE.sub("", plain_signs(text).replace("_", " ").replace("-", " ")))


def _find_named_option(words: list[str], names: Mapping[str, str]) -> tuple[str, int]:
    """The option that the first words name, and how many words that took; a beginning will do if
    it is the only one.
    """
    for length in range(min(len(words), 8), 0, -1):
        said = _fold_text(" ".join(words[:length]))
        if said in names:
            return names[said], length
    said = _fold_text(words[0])
    near = {name for known, name in names.items() if len(said) > 2 and known.startswith(said)}
    return (near.pop(), 1) if len(near) == 1 else ("", 0)


def _build_unknown_error(spec: CommandSpec, piece: str, names: Mapping[str, str]) -> UserError:
    hint = (
        did_you_mean(_fold_text(piece), names)
        or "Write a number after its name, and a comma between two."
    )
    what = f'There is nothing called "{piece[:40]}" in {(spec.title or spec.name)}.'
    return UserError(what, hint=hint, option=REST, code="unknown-option")


KEYPAD, LISTED = 10, 25
"""Faces that a keypad has at most, and a menu; larger dice are typed."""
LONGEST_ACTION = 90


def build_keypad(owed: DieOwed, key: str) -> Reply | None:
    """The keypad for the die that the draft `key` owes next; None for one that can only be typed.

    What was entered so far is in the buttons, `die:KEY:6,1`.
    """
    sides = owed.sides.removeprefix("d")
    hand = ",".join(map(str, owed.given))
    faces = range(1, int(sides) + 1) if sides.isdecimal() and int(sides) <= LISTED else range(0)
    if not faces or len(f"die:{key}:{hand},{len(faces)}") > LONGEST_ACTION:
        return None
    dice = len(owed.given)
    count = f"{dice} {'die' if dice == 1 else 'dice'} in. " if dice else ""
    actions = {
        str(face): f"die:{key}:{hand},{face}" if hand else f"die:{key}:{face}" for face in faces
    }
    listed = len(faces) > KEYPAD
    entries = tuple(MenuEntry(action, face) for face, action in actions.items())
    buttons = [] if listed else [Button(action, face) for face, action in actions.items()]
    if hand:
        buttons.append(Button(f"die:{key}:", "Start over"))
    so_far = (Thrown((*owed.given, "?")),) if dice else ()
    return Reply(
        f"{count}Next: {owed.label or 'a die'} ({owed.sides})",
        (*so_far, Small("Nothing is saved until all dice are in.")),
        private=True,
        buttons=tuple(buttons),
        menus=(Menu(f"What the {owed.sides} shows", entries, owed.sides),) if listed else (),
        across=3,
    )
