"""The file of sentences: what is taken from code, YAML and pages, and what nobody reads."""

import pytest

from tools.sentences import collect_sentences, get_screen, read_python, read_template, read_yaml

CODE = '''
"""Nobody reads a docstring."""
log.info("nobody reads the log")
raise UserError(f"{name} has no morale.", hint="Type it after the unit.")
QUERY = "SELECT name FROM games"
WORD = "morale"
'''


def test_texts_of_code_with_what_is_filled_in() -> None:
    assert [sentence.text for sentence in read_python("bot/x.py", CODE)] == [
        "{name} has no morale.",
        "Type it after the unit.",
    ]


def test_words_of_a_game_with_their_line() -> None:
    sentences = list(
        read_yaml("tables/x.yaml", "title: Rally\nhelp: Roll two dice.\ndice: 2d6 or 3d6\n")
    )
    assert [(sentence.line, sentence.text) for sentence in sentences] == [(2, "Roll two dice.")]


def test_only_texts_in_quotes_are_read_in_formulas() -> None:
    steps = """
    steps:
    - let: {worse: state is none or unit is lost, deed: "'moves ' if far else 'stays in place'"}
      then: {when: far, say: It may go on.}
    """
    table = "then: {cost: first if second else third}"
    assert [sentence.text for sentence in read_yaml("tables/x.yaml", steps)] == [
        "stays in place",
        "It may go on.",
    ]
    assert list(read_yaml("tables/x.yaml", table)) == []


def test_texts_of_a_page_and_of_its_script() -> None:
    page = list(read_template("x.j2", "<p>\nWho won here</p><b>no</b>"))
    script = list(read_template("x.js", 'say("All dice fit."); say("dice")'))
    assert [sentence.text for sentence in page + script] == ["Who won here", "All dice fit."]


@pytest.mark.slow
def test_every_sentence_has_a_screen() -> None:
    sentences = collect_sentences()
    assert len(sentences) > 5_000
    assert all(get_screen(sentence.path) for sentence in sentences)
    assert {"bot", "adapters", "tables", "packs"} == {
        sentence.path.split("/")[0] for sentence in sentences
    }
