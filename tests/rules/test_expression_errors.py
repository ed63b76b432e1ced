"""What cannot be rolled, and the one line that says why and where."""

from __future__ import annotations

import time

import pytest

from bot.rules.expression.model import ExpressionError
from bot.rules.expression.sum_parser import find_fault, parse


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("2d6+", 5, 'At character 5, "2d6+": a number or dice must follow "+".'),
        ("2d6+*3", 5, 'At character 5, "2d6+*": a number or dice must follow "+", not "*".'),
        ("", 1, 'At character 1, "": a dice expression is missing. For example 2d6+3.'),
        (
            "fire",
            1,
            'At character 1, "fire": "fire" is neither a number nor dice. For example 2d6+3.',
        ),
        ("2d6 $ 3", 5, 'At character 5, "2d6 $": "$" is not part of a dice expression.'),
        ("2d6 3", 5, 'At character 5, "2d6 3": a sign (+ - * /) must come before "3".'),
        ("2d6x3", 4, 'At character 4, "2d6x3": "x" repeats a roll and comes first: 3x 2d6.'),
        ("3x", 3, 'At character 3, "3x": a number or dice must follow "x".'),
        ("21x d6", 1, 'At character 1, "21x": a roll can be repeated 1 to 20 times.'),
        ("(2d6", 5, 'At character 5, "(2d6": a ")" must follow.'),
        ("2d6)", 4, 'At character 4, "2d6)": there is no "(" for this ")".'),
        ("()", 2, 'At character 2, "()": a number or dice must follow "(", not ")".'),
        ("2d", 3, 'At character 3, "2d": sides must follow "d": a number, %, F, A or [faces].'),
        ("2d [hit]", 4, 'At character 4, "2d [": faces must follow "d" without a space.'),
        ("d[hit", 2, 'At character 2, "d[": a "]" is missing for this "[".'),
        ("d[hit,,miss]", 7, 'At character 7, "d[hit,,miss]": a face is empty.'),
        ("2d6 []", 5, 'At character 5, "2d6 []": this label is empty.'),
        ("2d6 [a] [b]", 9, 'At character 9, "2d6 [a] [b]": what comes before already has a label.'),
        ("0d6", 1, 'At character 1, "0": at least 1 die must be rolled.'),
        ("d0", 2, 'At character 2, "d0": a die must have 1 to 1,000,000 sides.'),
        ("d1000001", 2, 'At character 2, "d1000001": a die must have 1 to 1,000,000 sides.'),
        ("4d6kh5", 4, 'At character 4, "4d6kh5": 5 dice cannot be kept out of 4.'),
        ("4d6kh0", 4, 'At character 4, "4d6kh0": keep at least 1 die.'),
        ("4d6dl4", 4, 'At character 4, "4d6dl4": no die would be left: 4 dropped of 4.'),
        ("4d6d1", 4, 'At character 4, "4d6d1": "d" rolls dice; to drop dice write dl1 or dh1.'),
        (
            "(2d6)kh1",
            6,
            'At character 6, "(2d6)kh1": "kh" must come right after the dice, as in 4d6kh1.',
        ),
        ("2d6+3>=", 8, 'At character 8, "2d6+3>=": a number must follow ">=".'),
        ("2d6r", 5, 'At character 5, "2d6r": what to reroll must follow "r": r1 or r<3.'),
        ("2d6>=", 6, 'At character 6, "2d6>=": a number must follow ">=".'),
        ("2d6>=5>=5", 7, 'At character 7, "2d6>=5>=5": these dice are already counted.'),
        (
            "d6r<7",
            3,
            'At character 3, "d6r<7": this would never end: d6 is rerolled on every face.',
        ),
        (
            "d6r1r2r>2",
            7,
            'At character 7, "d6r1r2r>2": this would never end: d6 is rerolled on every face.',
        ),
        ("d1!", 3, 'At character 3, "d1!": this would never end: d1 explodes on every face.'),
        (
            "d[2,2]!",
            7,
            'At character 7, "d[2,2]!": this would never end: d[2,2] explodes on every face.',
        ),
        (
            "d6r<6!",
            6,
            'At character 6, "d6r<6!": this would never end: d6 is rerolled or explodes on every face.',
        ),
        ("d6!7", 3, 'At character 3, "d6!7": no d6 shows 7, so nothing can explode.'),
        ("2d6>=8", 4, 'At character 4, "2d6>=8": no d6 shows 8 or more, so none would count.'),
        ("d[hit,miss]+1", 12, "words can only be counted, not added or multiplied."),
        ("-d[hit,miss]", 1, "words can only be counted, not added or multiplied."),
        ("2d[hit,miss]kh1", 13, "the faces of d[hit,miss] are words and cannot be compared."),
        ("1/0", 2, 'At character 2, "1/": this divides by 0.'),
        ("6/(d3-2)", 2, 'At character 2, "6/": this could divide by 0.'),
        ("1001d6", 1, 'At character 1, "1001": at most 1,000 dice can be rolled, not 1,001.'),
        ("600d6+600d6", 7, "this could roll up to 1,200 dice, and at most 1,000 are allowed."),
        ("20x 51d6", 5, "this could roll up to 1,020 dice, and at most 1,000 are allowed."),
        ("400d6!", 1, "this could roll up to 1,220 dice, and at most 1,000 are allowed."),
        ("1000000001", 1, "numbers go up to 1,000,000,000."),
        ("d[1000000001]", 3, "numbers go up to 1,000,000,000."),
        ("1000000000*1000000*2", 19, "the result could pass 1,000,000,000,000,000."),
        ("2\x1bd6", 2, 'At character 2, "2?": a control character (U+001B) cannot be rolled.'),
        ("2d6 [\u202eabc]", 6, "a control character (U+202E) cannot be rolled."),
        ("²d6", 1, '"²d6" is neither a number nor dice.'),
        ("(" * 51 + "1" + ")" * 51, 51, "parentheses can be nested 50 deep."),
        (
            "1" * 1001,
            1001,
            "an expression can have at most 1,000 characters, but this one has 1,001.",
        ),
        ("d6" + "!6" * 13, 27, "at most 12 things may follow the dice."),
    ],
)
def test_an_error_names_the_place_and_what_is_wrong(text: str, at: int, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert caught.value.at == at
    assert caught.value.option == "dice"
    assert "\n" not in str(caught.value)
    assert 0 < len(find_fault(text)) <= 100


def test_while_typing_the_reason_is_short() -> None:
    assert find_fault("2d6+") == '2d6+ : a number or dice must follow "+"'
    assert find_fault("2d6+3") == ""
    assert find_fault(" ") == "a dice expression is missing"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000_000,
        "1" * 1000,
        "(" * 50 + "d6" + ")" * 50,
        "-" * 999 + "1",
        "1+" * 499 + "1",
        "1*" * 499 + "1",
        "d[" + "1," * 498 + "1]",
        "[a]" * 333,
        "d1000000!500000r>999999",
        "+".join(["d1000000r500000!500001"] * 40),
        "d6" + "!" * 998,
        "20x 16d6!",
    ],
)
def test_long_and_deep_text_is_answered_at_once(text: str) -> None:
    begin = time.process_time()
    find_fault(text)
    assert time.process_time() - begin < 5
