"""Options: what a command, table or sequence asks for, and how what was typed becomes a value.

One definition serves the console, Discord, Slack, batch, help and the docs.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from bot.rules.errors import Slip, UserError, did_you_mean
from bot.rules.text.normalize import (
    comparison_key,
    normalize_text,
    normalize_value,
    plain_signs,
    word_key,
)
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import has_control

OptionType = Literal[
    "int", "number", "bool", "enum", "str", "units", "unit", "mods", "dice", "file"
]
MAX_TEXT = 4000
OWN, CHOSEN = "own", "chosen"
OF_TARGET, OF_HEX = "target", "target-hex"
"""Whose an option is that belongs to the target, or to the hex in which the target is."""
TURN = "turn"
"""What the phases of a whole number fill in: the number of the turn."""
MOST_DIGITS = 12
MOST_LISTED = 40
_WHOLE = re.compile(rf"[+-]?[0-9]{{1,{MOST_DIGITS}}}")
_NUMBER = re.compile(rf"[+-]?[0-9]{{1,{MOST_DIGITS}}}(\.[0-9]{{1,6}})?")
_BETWEEN_WORDS = re.compile(r"(?:-?[^\w+-]+-?)+|_")
_LETTER_DOT = re.compile(r"(?<=[^\W\d_])\.")
"""The dot behind a letter, as in `O.K.`"""
_BOOL = {"yes": True, "true": True, "on": True, "1": True, "y": True, "x": True}
_BOOL |= {"no": False, "false": False, "off": False, "0": False, "n": False}


ACTS, HELPS, TARGETS = ROLES = ("acts", "helps", "targets")
"""What the units of an input do: they act, they help those who act, or it is done to them."""
ACTING = ("attackers", "shooters", "unit", "units", "attacker", "shooter", "firers", "firer")
"""Inputs that name who acts; docs/packs.md says so."""
AIMED = ("targets", "target", "defenders")
"""Inputs that name whom it is done to."""


def get_role_of_name(name: str) -> str:
    """Return the role of an input by its name; "" for a name that says nothing."""
    if name in ACTING:
        return ACTS
    return TARGETS if name in AIMED else ""


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its name, type, limits, default and help.

    `values` are the words of an enum, or of a `mods` list; of a file, the ends of names that are
    taken. `clamp` says which edge is read instead of refused ("high", "low", "both"). `brings`
    names where a roster unit supplies a missing value, as `unit.morale`. `units` names the unit
    list of the game that the text is read with. `complete` names what to offer while typing. `free`
    lets an option of type unit take a name that no roster knows, as words for the report only, or a
    unit type with its numbers. `most` is how many units a list takes; 0 for as many as any. `many`:
    an option of type unit takes several of the roster, one after the other. `meanings` explains
    words of `values`, `labels` are their names for people, as `label` is the option's own. `worths`
    says what a flag, by its name, or a word of `values` adds: `{"night": "-3"}`. `brief` is the
    help in a few words, for screens with little room. `likely` are the states, markers and types of
    the units that it is mostly about, which are offered first; OWN among them where it is about
    one's own side. `lends` says which unit of which list fills it in where nothing is typed:
    `{"from": "attackers", "type": "leader", "not": "shaken", "beside": "others"}`; or how many of a
    weapon a unit carries, at most one each: `{"from": "unit", "carried": "smg", "most":
    "attackers"}`; or the rating of a leader of their squad who is not among them: `{"from":
    "attackers", "type": "leader", "through": "squad", "group": "squad", "number": "lr", "not":
    "killed", "says": "leader rating"}`; or who has the unit of another option in a list of names:
    `{"from": "weapon", "holder": "holds"}`, or a unit of a type that is in the list of that unit:
    `{"from": "unit", "held": "holds", "type": "gun"}`. `through` is the attribute in which a unit names another
    one, which brings the value if the unit itself does not; `reads` translates its words into those
    of the option: `{"broken": "bad"}`. `phases` are the values that the phase of a started game fills
    in: `{"rally": "rally", "own movement": "friendly-mph", "*": "other"}`; "own" where it is the
    turn of the side of who acts. `counts` says by which flags of the units of a list a flag counts by
    itself, so that a form has its box ticked: `{"from": "targets", "flags": ["moved"], "types":
    ["mmc"]}`, with classes or types of units. Of `phases`, a whole number takes `turn`, the number
    of the turn. `form_only`: forms and typed commands have it, slash commands have no room for it.
    `of` says whose it is if it belongs to who is acted on: `target`, or `target-hex` for what all
    units in that hex share; it is not carried over to the next target.
    `in_play` are the decks of its game of which it takes a card that is in play, where a game is
    played; `used` is where that card goes then, "" if it stays.
    `role` is what its units do where the name does not say it: acts, helps or targets.
    `ruled` are the optional rules of its game that set it. `also` are further
    words of the card for a word of `values`. `when` is what other inputs must be for it to count,
    and `matters` tells by their values whether they are; None
    where it always counts.
    """

    name: str
    type: OptionType = "str"
    help: str = ""
    min: float | None = None
    max: float | None = None
    values: tuple[str, ...] = ()
    default: Any = None
    optional: bool = False
    clamp: str = ""
    brings: str = ""
    units: str = ""
    complete: str = ""
    free: bool = False
    many: bool = False
    most: int = 0
    meanings: Mapping[str, str] = field(default_factory=dict, hash=False)
    brief: str = ""
    label: str = ""
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    worths: Mapping[str, str] = field(default_factory=dict, hash=False)
    likely: tuple[str, ...] = ()
    lends: Mapping[str, str] = field(default_factory=dict, hash=False)
    through: str = ""
    reads: Mapping[str, str] = field(default_factory=dict, hash=False)
    phases: Mapping[str, str] = field(default_factory=dict, hash=False)
    counts: Mapping[str, Any] = field(default_factory=dict, hash=False)
    form_only: bool = False
    of: str = ""
    in_play: tuple[str, ...] = ()
    used: str = ""
    role: str = ""
    ruled: tuple[str, ...] = ()
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    when: str = ""
    matters: Callable[[Mapping[str, Any]], bool] | None = field(
        default=None, compare=False, hash=False
    )

    @property
    def part(self) -> str:
        """What its units do: one of `ROLES`, as its role or its name says it; "" for neither."""
        return self.role or get_role_of_name(self.name)

    @property
    def display_name(self) -> str:
        """Its name for people: `Who fires`."""
        return self.label or format_code_word(self.name)

    def format_word(self, word: str) -> str:
        """A flag, by its name, or a word of `values` for people, with what it adds: `Night −3`."""
        label = (
            self.display_name
            if word == self.name
            else self.labels.get(word) or format_code_word(word)
        )
        worth = self.worths.get(word, "").replace("-", "\u2212")
        return f"{label} {worth}".strip()

    @property
    def is_required(self) -> bool:
        """Return whether the command cannot run without it."""
        return not self.when and self._is_needed

    @property
    def _is_needed(self) -> bool:
        return self.default is None and not self.optional and self.type not in ("bool", "mods")

    def check(self, values: Mapping[str, Any], what: str) -> None:
        """Raise UserError where it was typed and does not count, or counts and is lacking."""
        counts = self.matters is None or self.matters(values)
        is_given = values[self.name] not in (self.default, False)
        if is_given and not counts:
            problem = f"{self.name} counts only if {self.when}."
            raise UserError(
                problem, hint=f"Leave out {self.name}.", option=self.name, code="not-together"
            )
        if counts and self._is_needed and not is_given:
            raise make_missing_option_error(self, what)

    @property
    def expectation(self) -> str:
        """What to type, for errors and help: `a whole number from 1 to 12`."""
        if self.type in ("int", "number"):
            kind = "a whole number" if self.type == "int" else "a number"
            low = _format_limit(self.min)
            high = _format_limit(self.max)
            if low and high:
                return f"{kind} from {low} to {high}"
            return f"{kind} of at least {low}" if low else kind
        if self.type == "bool":
            return "yes or no"
        if self.values:
            return (
                "one of " + ", ".join(self.values)
                if self.type == "enum"
                else "words of " + ", ".join(self.values)
            )
        if self.most == 1:
            return "a unit, of the roster or with its numbers"
        if self.free:
            return "a unit of the roster, or any name"
        if self.many:
            return "a unit of the roster, or several"
        return {
            "units": "a list of units",
            "unit": "a unit of the roster",
            "dice": "dice such as 2d6+1",
        }.get(self.type, "text")


def format_code_word(word: str) -> str:
    """A code word as people say it: `Hit and run`."""
    said = word.replace("_", " ").replace("-", " ")
    return said[:1].upper() + said[1:]


def format_number(value: object) -> str:
    """A number of a unit as people read it: `3 + 2` for several."""
    return " + ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def clean(option: Option, raw: object) -> Any:
    """The value of `option` for what was typed (or came typed as JSON).

    Raises UserError naming the option, what was wrong and what was expected.
    """
    return CLEANERS[option.type](option, raw)


_IN_PLAIN_SIGNS = ("int", "number", "bool", "enum", "mods", "units", "unit")
"""Types whose values are figures, words and names that the bot knows already."""


def normalize_typed(option: Option | None, raw: object) -> object:
    """Return what was typed for an option as it is stored: a text keeps its signs, all else is in
    plain ones. A file is the business of who reads it.
    """
    if not isinstance(raw, str) or raw.isascii() or (option is not None and option.type == "file"):
        return raw
    text = normalize_text(raw)
    is_plain = option is not None and option.type in _IN_PLAIN_SIGNS and not option.free
    return plain_signs(text) if is_plain else text


def is_left_out(option: Option, raw: object) -> bool:
    """Return whether nothing was typed: platforms and forms hand over an empty text for it, which
    only a text can be.
    """
    return raw is None or (raw == "" and option.type != "str")


def is_flag_on(options: Mapping[str, object], name: str) -> bool:
    """Return whether this flag, as typed, is on. A word that is neither yes nor no is not; `clean`
    refuses it.
    """
    value = options.get(name)
    return value is not None and _BOOL.get(comparison_key(str(value)), False)


def is_yes_or_no(typed: str) -> bool:
    """Return whether a flag could be given so."""
    return comparison_key(typed) in _BOOL


def list_counting_options(
    options: Iterable[Option], raw: Mapping[str, object]
) -> tuple[Option, ...]:
    """Those of the options that count by what has been typed so far, as options that always
    count.
    """
    options = tuple(options)
    values = dict[str, Any]()
    for option in options:
        value = raw.get(option.name)
        try:
            values[option.name] = (
                clean(option, value) if not is_left_out(option, value) else _get_default(option)
            )
        except UserError:
            values[option.name] = _get_default(option)
    return tuple(
        replace(option, when="", matters=None, help=option.help.rpartition(" (if ")[0])
        if option.when
        else option
        for option in options
        if option.matters is None or option.matters(values)
    )


def is_of_target(option: Option, target: str) -> bool:
    """Return whether the value of an option belongs to the units of the option `target`, or to
    their hex.
    """
    is_brought = bool(option.brings) and option.brings.partition(".")[0] == target
    return bool(option.of) or is_brought or option.counts.get("from") == target


def make_missing_option_error(option: Option, what: str) -> UserError:
    """The error for a required option that was left out."""
    about = f": {option.help}" if option.help else ""
    lacks = f"{what} needs {option.name} ({option.expectation}){about}."
    if option.type == "units" and option.label.startswith(("Who", "At whom")):
        lacks = f"{option.label}? {what} needs at least one unit in {option.name}."
    return UserError(lacks, hint=_make_example(option), option=option.name, code="missing")


def _make_example(option: Option) -> str:
    """What could be typed for an option, where that can be told."""
    if option.type == "enum" and option.values:
        return f"Add {option.name}={option.values[0]}, or another of these."
    if option.type == "int":
        return f"Add {option.name}={min(max(5, option.min or 0), option.max or 5):g}, or another number."
    return (
        phrase("Add {name}=NAME; `/unit list` shows all.", name=option.name)
        if option.type == "unit"
        else ""
    )


def make_unknown_option_error(
    name: str, what: str, known: Iterable[str] = (), hint: str = ""
) -> UserError:
    """The error for an option that `what` does not have, with the hint, or with the one meant
    among those `known`.
    """
    names = list(known)
    others = f"It takes {', '.join(names)}." if names else "It takes no options."
    near = hint or did_you_mean(name, names) or others
    return UserError(
        f'{what} has no option "{name[:40]}".', hint=near, option=name[:40], code="unknown-option"
    )


def unfold_mods(
    known: Mapping[str, Option], raw: Mapping[str, object], what: str
) -> dict[str, object]:
    """What was given, with the words of `mods` that are flags as flags. Raises UserError for
    words that are neither.
    """
    given = {name: value for name, value in raw.items() if value is not None}
    own = known.get("mods")
    further = own.values if own is not None and own.type == "mods" else ()
    for name in [name for name in given if name not in known and name in further]:
        # typed as an option of its own: tis=yes, "tis": true
        word = str(given.pop(name)).strip().casefold()
        on = None if word.isdigit() else _BOOL.get(word)
        if word and on is not False:
            given["mods"] = [
                *split_words(given.get("mods") or ()),
                name if on else f"{name}={word}",
            ]
    if "mods" not in given:
        return given
    flags = {name for name, option in known.items() if option.type == "bool"}
    if own is not None and own.type != "mods":
        return given
    kept: list[str] = []
    for word in split_words(given.pop("mods")):
        word = word.replace("-", "_")
        if word in kept or (word in flags and given.get(word) is not None):
            raise UserError(
                f'The flag "{word[:40]}" is given twice.',
                hint="Give it once.",
                option="mods",
                code="given-twice",
            )
        if word in flags:
            given[word] = True
        elif word.split("=")[0] not in further:
            takes = ", ".join([*further, *sorted(flags)]) or "none"
            hint = did_you_mean(word, [*further, *flags]) or f"It knows {takes}."
            raise UserError(
                f'{what} has no modifier "{word[:40]}".',
                hint=hint,
                option="mods",
                code="unknown-modifier",
            )
        kept.append(word)
    if own is not None:
        given["mods"] = tuple(word for word in kept if word.split("=")[0] in further)
    return given


def split_words(raw: object) -> list[str]:
    """The words of a list typed with spaces or commas (or given as a JSON list)."""
    if isinstance(raw, list | tuple):
        return [str(word) for word in raw]
    return plain_signs(str(raw)).replace(",", " ").split()


class InputReader:
    """Options that are asked for together, with what reading them needs worked out once."""

    def __init__(self, options: Iterable[Option]) -> None:
        self.known = {option.name: option for option in options}
        self._defaults = {name: _get_default(option) for name, option in self.known.items()}
        self._needed = {
            name for name, option in self.known.items() if option.is_required and not option.brings
        }
        self.units = tuple(
            option for option in self.known.values() if option.type in ("units", "unit")
        )
        """Those that take units, and those that a unit may supply."""
        self.brought = tuple(option for option in self.known.values() if option.brings)
        self.lent = tuple(option for option in self.known.values() if "through" in option.lends)
        """Those that a leader of the units' squad supplies."""
        self._sometimes = tuple(option for option in self.known.values() if option.when)

    def read(self, raw: Mapping[str, object], what: str) -> dict[str, Any]:
        """Values for all options: typed ones cleaned, the others by default (None where optional,
        False for a bool).

        `what` is the name of the table or command for messages. Booleans may also come as words of
        `mods`; the same flag twice is an error. A required option left out stays out of the answer
        only if it `brings` its value from a roster unit; otherwise it is an error. Raises
        UserError.
        """
        given: Mapping[str, object] = raw
        if "mods" in raw or not self.known.keys() >= raw.keys():
            given = unfold_mods(self.known, raw, what)
            if strange := [name for name in given if name not in self.known]:
                raise make_unknown_option_error(strange[0], what, self.known)
        values = self._defaults.copy()
        for name, option in self.known.items():
            value = given.get(name)
            if value is not None and not _stays_out(option, value):
                values[name] = clean(option, value)
            elif name in self._needed:
                raise make_missing_option_error(option, what)
        for option in self._sometimes:
            option.check(values, what)
        return values


def _stays_out(option: Option, value: object) -> bool:
    """Return whether the default stays: players and programs write out what the card calls none."""
    is_none = value == "none" and (
        (option.optional and option.type in ("int", "number")) or _brings_a_word(option)
    )
    return is_none or is_left_out(option, value)


def _brings_a_word(option: Option) -> bool:
    """Return whether `none` leaves out what a unit brings to this option."""
    has_default = option.type == "enum" and option.default is not None
    return bool(option.brings) and has_default and "none" not in option.values


def _get_default(option: Option) -> Any:
    if option.type == "bool":
        return bool(option.default)
    return () if option.type == "mods" else option.default


def _format_limit(number: float | None) -> str:
    if number is None:
        return ""
    return f"{int(number)}" if number == int(number) else f"{number:g}"


def _make_refusal(option: Option, raw: object, hint: str = "") -> UserError:
    shown = str(raw)
    shown = shown if len(shown) <= 40 else shown[:39] + "…"
    return UserError(
        f'{option.name} must be {option.expectation}, not "{shown}".',
        hint=hint,
        option=option.name,
        code="bad-value",
    )


def _check_range(option: Option, value: float, raw: object) -> float:
    low = option.min
    high = option.max
    if low is not None and value < low:
        if option.clamp in ("low", "both"):
            return low
    elif high is None or value <= high:
        return value
    elif option.clamp in ("high", "both"):
        return high
    # What it means is said as well: its help often says why there is a limit.
    raise _make_refusal(option, raw, f"{option.name}: {option.help}." if option.help else "")


def clean_whole(option: Option, raw: object) -> int:
    """What `clean` does with a whole number: one typed, with a sign or blanks around it, or a float
    that is one. Raises UserError."""
    if isinstance(raw, str) and _WHOLE.fullmatch(text := normalize_value(raw)):
        value = int(text)
    elif (isinstance(raw, int) and not isinstance(raw, bool)) or (
        isinstance(raw, float) and raw.is_integer()
    ):
        value = int(raw)
    else:
        raise _make_refusal(option, raw)
    return int(_check_range(option, value, value))


def _clean_number(option: Option, raw: object) -> float:
    if isinstance(raw, str):
        text = normalize_value(raw)
        if not _NUMBER.fullmatch(text):
            raise _make_refusal(option, raw)
        raw = float(text)
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise _make_refusal(option, raw)
    if isinstance(raw, float) and not _is_writable(raw):
        raise _make_refusal(option, raw)
    value = _check_range(option, raw, raw)
    return int(value) if value == int(value) else value


def _is_writable(number: float) -> bool:
    """Return whether a log can hold the number: written in plain digits, not as nan, inf or 1e-07."""
    return repr(number).replace(".", "").removeprefix("-").isdecimal()


def _clean_bool(option: Option, raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    word = comparison_key(str(raw))
    if word not in _BOOL:
        raise _make_refusal(option, raw)
    return _BOOL[word]


def fold_word(word: str) -> str:
    """Return a word in the form in which words of the card are compared; signs count.

    >>> fold_word("Rifle (bolt-action)"), fold_word("Path/Road"), fold_word("-1"), fold_word("O.K.")
    ('rifle-bolt-action', 'path-road', '-1', 'ok')
    """
    word = _LETTER_DOT.sub("", comparison_key(word))
    return _BETWEEN_WORDS.sub("-", word.strip(" ()")).strip()


def _clean_enum(option: Option, raw: object) -> str:
    word = str(raw).strip()
    if isinstance(raw, bool):  # a JSON or YAML true where the card's word is yes
        word = "yes" if raw else "no"
    if word in option.values:
        return word
    folded = word_key(word).replace(" ", "-")
    for value in option.values:
        if folded == comparison_key(value).replace("_", "-"):
            return value
    printed = fold_word(word)
    for value in option.values:
        if printed in (fold_word(value), *map(fold_word, option.also.get(value, ()))):
            return value
    for value in option.values:
        if option.in_play and comparison_key(word) == comparison_key(option.labels[value]):
            return value
    raise _make_refusal(option, raw, did_you_mean(folded, option.values))


def _clean_text(option: Option, raw: object) -> str:
    if not isinstance(raw, str | int | float) or isinstance(raw, bool):
        raise _make_refusal(option, raw)
    if isinstance(raw, float) and not _is_writable(raw):
        raise _make_refusal(option, raw)
    text = str(raw)
    if len(text) > MAX_TEXT:
        raise UserError(
            f"{option.name} is too long: at most {MAX_TEXT} characters.",
            option=option.name,
            code="too-long",
        )
    if has_control(text):
        raise UserError(
            f"{option.name} holds control or invisible characters.",
            option=option.name,
            code="bad-characters",
        )
    return text


def _clean_file(option: Option, raw: object) -> str:
    """A file's text; adapters read it from where their platform keeps it."""
    if not isinstance(raw, str):
        raise _make_refusal(option, raw)
    return raw


CLEANERS: Mapping[str, Callable[[Option, object], Any]] = {
    "int": clean_whole,
    "number": _clean_number,
    "bool": _clean_bool,
    "enum": _clean_enum,
    "str": _clean_text,
    "units": _clean_text,
    "unit": _clean_text,
    "dice": _clean_text,
    "file": _clean_file,
    "mods": lambda _, raw: tuple(split_words(raw)),
}


_KINDS: Mapping[str, tuple[Any, str]] = {
    **dict.fromkeys(("min", "max"), (int | float, "a number")),
    "most": (int, "how many units"),
    **dict.fromkeys(
        ("help", "brief", "brings", "through", "units", "complete", "label", "of", "role"),
        (str, "a text"),
    ),
    **dict.fromkeys(("optional", "free", "form_only"), (bool, "true or false")),
    "meanings": (Mapping, "word: what it means"),
    "likely": (list, "a list of states, markers and types"),
    "lends": (
        Mapping,
        "{from: a unit or a list, type: who lends it, not: a flag, beside: others; carried: weapon, most: who; "
        "riders: vehicles; acquired: who is shot at; holder or held: a list of names; "
        "through: squad, group: squad, number: lr, says: a line's word}",
    ),
    "reads": (Mapping, "word of the related unit: word of the option"),
    "counts": (Mapping, "{from: a list of units, flags: any of these, types: classes or types}"),
    "phases": (
        Mapping,
        "phase: value of the option; own PHASE in the turn of who acts, * for others; of a number: turn",
    ),
}


FIELDS = (
    "help", "brief", "min", "max", "default", "optional", "brings", "units", "complete", "free", "meanings", "label",
    "likely", "lends", "most", "through", "reads", "phases", "counts",
    "form_only", "of", "role",
)  # fmt: skip
"""Keys of an entry that are the fields of an Option."""
FURTHER = ("type", "values", "clamp")


class TokenLists(dict[str, tuple[str, ...]]):
    """The token lists of a game by name, and in `also` further words of the card for a token."""

    also: Mapping[str, tuple[str, ...]] = {}


def build_option(name: str, spec: Mapping[str, Any], lists: Mapping[str, Iterable[str]]) -> Option:
    """An Option from its entry in a YAML file; `values` may name one of the game's token lists.

    Raises Slip with what is wrong with the entry.
    """
    if not isinstance(name, str):  # a bare no is false
        raise Slip(f"YAML reads the name of option {name} as no text; quote it")
    if not isinstance(spec, Mapping):
        raise Slip(f"option {name} must be {{type: ..., help: ...}}")
    if unknown := set(spec) - {*FIELDS, *FURTHER}:
        wrong = sorted(map(str, unknown))[0]
        raise Slip(
            f'an option has no key "{wrong[:40]}". {did_you_mean(wrong, (*FIELDS, *FURTHER))}'.rstrip()
        )
    values = _list_values(name, spec.get("values", ()), lists)
    kind: Any = spec.get("type", "str")
    kind = "str" if kind == "string" else kind
    if kind not in list(CLEANERS):
        hint = did_you_mean(str(kind), CLEANERS) or f"It may be {', '.join(CLEANERS)}."
        raise Slip(f'there is no type "{str(kind)[:40]}". {hint}')
    for key, (allowed, what) in _KINDS.items():
        value = spec.get(key)
        if value is not None and (
            not isinstance(value, allowed) or (allowed is not bool and isinstance(value, bool))
        ):
            raise Slip(f"option {name}: {key} must be {what}, not {value!r}")
    if "most" in spec and (kind != "units" or not 1 <= spec["most"] <= MOST_LISTED):
        raise Slip(f"option {name}: most is how many units a list takes, 1 to {MOST_LISTED}")
    if spec.get("of") not in (None, OF_TARGET, OF_HEX):
        raise Slip(f"option {name}: of is {OF_TARGET} or {OF_HEX}, not {spec['of']!r}")
    if strange := [word for word in spec.get("meanings") or () if word not in values]:
        raise Slip(f"option {name} explains {strange[0]}, which is not among its values")
    fields = {key: spec[key] for key in FIELDS if key in spec}
    if isinstance(lists, TokenLists):
        fields["also"] = {value: lists.also[value] for value in values if value in lists.also}
    _check_limits(fields.get("min"), fields.get("max"))
    fields |= {"likely": tuple(map(str, spec["likely"]))} if "likely" in spec else {}
    clamp = spec.get("clamp") or ""
    if clamp not in (True, "", "high", "low", "both"):
        raise Slip(f"option {name}: clamp is true, high or low, not {clamp!r}")
    option = Option(
        name=name, type=kind, values=values, clamp="both" if clamp is True else clamp, **fields
    )
    _check_phases(option)
    if option.role and (option.role not in ROLES or option.type not in ("unit", "units")):
        raise Slip(f"option {name}: role is acts, helps or targets, of type unit or units")
    if option.default is not None and option.type not in ("mods",):
        try:
            clean(option, option.default)
        except UserError as error:
            raise Slip(f"option {name}: its default does not fit: {error.message}") from None
    return option


def _check_phases(option: Option) -> None:
    """Raise Slip if a phase fills in a word that the option does not know."""
    fillings = option.values if option.type == "enum" else (TURN,)
    for word in option.phases.values():
        if word not in fillings:
            raise Slip(f"option {option.name}: phases has {word}, which is not among its values")


def _check_limits(low: float | None, high: float | None) -> None:
    if low is not None and high is not None and low > high:
        raise Slip(f"its min, {low}, is above its max, {high}")


def _list_values(name: str, values: Any, lists: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """The tokens of an entry, or those of the list that it names. Raises Slip for what is not
    text.
    """
    if isinstance(values, str):
        if values not in lists:
            raise Slip(
                f"game.yaml has no list {values[:40]}. {did_you_mean(values, lists)}".rstrip()
            )
        values = lists[values]
    if not isinstance(values, list | tuple) or any(not isinstance(value, str) for value in values):
        raise Slip(f"option {name} has values that are not text; quote them")
    return tuple(values)
