"""Men as the sequences take them: alive, and not a squad or a vehicle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.text.names import joined

MEN = ("soldier", "leader", "crewman")


def living(men: Iterable[Unit], option: str) -> tuple[Unit, ...]:
    """The men of a list. Raises UserError for a squad or vehicle and for a man who is dead."""
    found = tuple(men)
    for man in found:
        if man.type not in MEN:
            raise UserError(
                f"{man.word} is a {man.type}; each item of {option} is one man.",
                hint=f"Type the men one by one or with count=, as in {option}: soldier count=3.",
                option=option,
                code="wrong-type",
            )
    if dead := [man.word for man in found if man.state == "killed"]:
        said = f"{joined(dead)} {'is' if len(dead) == 1 else 'are'} dead."
        raise UserError(said, hint=f"Leave {joined(dead)} out.", option=option, code="unit-gone")
    return found


def wounds_of(man: Unit) -> int:
    """Wounds that the man had before, 0 to 2."""
    return man.number("wounds", 0)


def called(men: Sequence[Unit]) -> tuple[str, ...]:
    """What the dice and the story call each man: the name, numbered where several share it."""
    words = [man.word for man in men]
    return tuple([f"{word} {at}" if words.count(word) > 1 else word for at, word in enumerate(words, 1)])


def whom(man: Unit | None, otherwise: str) -> str:
    """The unit that an answer is about, or what it is called where none was named."""
    return otherwise if man is None else man.word


def about(man: Unit | None, said: str) -> str:
    """A headline with the unit that it is about, where one was named."""
    return said if man is None else f"{man.word}: {said}"
