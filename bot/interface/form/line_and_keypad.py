"""The line of a form for whatever has no field of its own, and the keypad for a die that
somebody throws themselves.
"""

import re
from collections.abc import Collection, Iterable, Mapping

from bot.interface.reply.parts import Small, Thrown
from bot.interface.reply.reply import Button, Menu, MenuEntry, Reply
from bot.interface.spec import CommandSpec
from bot.rules.errors import DieOwed, UserError, did_you_mean
from bot.rules.inputs.options import Option, words_of
from bot.rules.text.normalize import comparison_key, plain_signs

REST = "?rest"
"""The field for all that has no field of its own. No option can have this name."""

_PIECE = re.compile(r"[,\n]")
_NOISE = re.compile(r"[^\w#+\s]")
_NUMBER = re.compile(r"[+-]?[\d.]+")
_OFF = ("no", "off", "without")
ONE_WORD = ("int", "number", "enum", "bool")


def short(label: str) -> str:
    """A label without what is in brackets: `Terrain (TM)` is `Terrain`."""
    return label.partition(" (")[0]


def rest_text(
    spec: CommandSpec,
    options: Mapping[str, object],
    covers: Iterable[str],
    needed: Collection[str] = (),
) -> str:
    """What the line holds of the options. A needed one that is missing is asked for: `range ?`."""
    words = words_of(options.get("mods") or ())
    pieces = []
    owed = []
    for name in covers:
        option = spec.option(name)
        if option is None:
            pieces += [_label(spec, name)] if name in words else []
            continue
        value = options.get(name)
        called = short(option.shown).casefold()
        if option.type == "bool":
            pieces += _flag_pieces(option, options, name in words)
        elif value not in (None, "") and str(value) != str(option.default):
            pieces.append(f"{called} {value}")
        elif name in needed:
            owed.append(f"{called} ?")
    return ", ".join([*owed, *pieces])


def _flag_pieces(option: Option, options: Mapping[str, object], is_worded: bool) -> list[str]:
    """Return the words for a flag that is not at its default, or that is off against the roster."""
    label = short(option.shown).casefold()
    if options.get(option.name, option.default) or is_worded:
        return [] if option.default else [label]
    is_said = bool(option.default) or (bool(option.brings) and option.name in options)
    return [f"{label} no"] if is_said else []


def rest_example(spec: CommandSpec, names: Iterable[str], flags: Iterable[str]) -> str:
    """What could be in the line, of at most 100 characters."""
    options = [option for name in names if (option := spec.option(name)) is not None]
    numbers = [
        f"{short(one.shown).casefold()} 1" for one in options if one.type in ("int", "number")
    ][:2]
    words = [
        f"{short(one.shown).casefold()} {one.values[-1]}"
        for one in options
        if one.type == "enum" and one.values
    ]
    flags = [_label(spec, flag) for flag in flags][-1:]
    pieces = [*numbers, *words[: 2 - len(numbers)], *flags]
    while len(", ".join(pieces)) > 100:
        pieces.pop(0)
    return ", ".join(pieces)


def read_rest(spec: CommandSpec, text: str, bare: str = "") -> dict[str, object]:
    """The options that the line gives, as typed; a number without a name is that of `bare`. Raises
    UserError for a piece that names nothing of the command."""
    names = _names(spec)
    found: dict[str, object] = {}
    for piece in _PIECE.split(text):
        words = piece.split()
        while words:
            words[:1] = [part for part in words[0].split("=", 1) if part]
            name, used = _named(words, names)
            if not name and bare and bare not in found and _NUMBER.fullmatch(words[0]):
                name = bare
                used = 0
            if not name:
                raise _unknown(spec, piece.strip() if used else " ".join(words), names)
            words = words[used:]
            option = spec.option(name)
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


def _label(spec: CommandSpec, word: str) -> str:
    """What a flag or modifier word is called in the line."""
    option = spec.option(word)
    mods = spec.option("mods")
    if option is not None:
        return short(option.shown).casefold()
    label = mods.labels.get(word, "") if mods is not None else ""
    return (label or word.replace("_", " ")).casefold()


def _names(spec: CommandSpec) -> dict[str, str]:
    """All names that the line understands, folded, with the code word of each."""
    found: dict[str, str] = {}
    for option in spec.options:
        for word in option.values if option.type == "mods" else ():
            found |= {_folded(option.labels.get(word, word)): word, _folded(word): word}
    for option in spec.options:
        if option.type != "mods":
            found |= {_folded(option.shown): option.name, _folded(short(option.shown)): option.name}
            found[_folded(option.name)] = option.name
    return found


def _folded(text: str) -> str:
    return comparison_key(_NOISE.sub("", plain_signs(text).replace("_", " ").replace("-", " ")))


def _named(words: list[str], names: Mapping[str, str]) -> tuple[str, int]:
    """The option that the first words name, and how many words that took; a beginning will do if
    it is the only one.
    """
    for length in range(min(len(words), 8), 0, -1):
        said = _folded(" ".join(words[:length]))
        if said in names:
            return names[said], length
    said = _folded(words[0])
    near = {name for known, name in names.items() if len(said) > 2 and known.startswith(said)}
    return (near.pop(), 1) if len(near) == 1 else ("", 0)


def _unknown(spec: CommandSpec, piece: str, names: Mapping[str, str]) -> UserError:
    hint = (
        did_you_mean(_folded(piece), names)
        or "Write a number after its name, and a comma between two."
    )
    what = f'There is nothing called "{piece[:40]}" in {(spec.title or spec.name)}.'
    return UserError(what, hint=hint, option=REST, code="unknown-option")


KEYPAD, LISTED = 10, 25
"""Faces that a keypad has at most, and a menu; larger dice are typed."""
LONGEST_ACTION = 90


def keypad(owed: DieOwed, key: str) -> Reply | None:
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
