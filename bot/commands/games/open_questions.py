"""The open questions that wait for the reader of `/game status`, each with the buttons that answer it."""

from collections import Counter

from bot.commands.by_post.choose import list_own_questions
from bot.commands.context import Context
from bot.commands.games.end_together import find_end_question
from bot.commands.games.result.confirm import find_confirm_question
from bot.commands.games.result.count import find_count_question
from bot.commands.games.result.series import find_return_question
from bot.commands.games.result.strike import find_strike_question
from bot.commands.solo.self_play import find_open_question
from bot.commands.turns.last_turn import find_winner_question
from bot.commands.turns.turn_card import build_phase_buttons
from bot.commands.undo.undo import find_undo_question
from bot.game.phases import describe_whose_go, is_undecided
from bot.game.self_play import find_self_played_side
from bot.game.state import is_stranger
from bot.rules.text.phrase import capitalize_first
from bot.ui.reply.reply import Button, Reply

MOST_BUTTONS = 15
"""Maximum number of buttons of all questions together; Discord has room for 25, and ten others may
follow.
"""
_REQUESTS = (
    find_undo_question,
    find_count_question,
    find_end_question,
    find_confirm_question,
    find_strike_question,
    find_return_question,
)


async def list_open_questions(context: Context) -> list[Reply]:
    """Return the questions that wait for the user: choices, the order of a side that plays itself,
    requests of other players, who won, and which side goes first.
    """
    questions = list_own_questions(context)
    if not is_stranger(context.game, context.actor):
        winner_question = find_winner_question(context)
        if winner_question is not None:
            questions.append(winner_question)
        questions += await _list_questions_of_phase(context)
    for find_question in _REQUESTS:
        question = await find_question(context)
        if question is not None:
            questions.append(question)
    return questions


async def _list_questions_of_phase(context: Context) -> list[Reply]:
    """Return the question of an order, or which side goes first; without an order the move of a
    side that plays itself.
    """
    game = context.game
    if find_self_played_side(game):
        question = await find_open_question(context)
        if question is not None:
            return [question]
        title = capitalize_first(describe_whose_go(game))
        return [Reply(title, buttons=build_phase_buttons(context, without=("next",)))]
    if is_undecided(game, context.system):
        title = "Who has the initiative?"
        words = {"first", "initiative"}
        buttons = tuple(
            button
            for button in build_phase_buttons(context)
            if button.action.partition(":")[0] in words
        )
        return [Reply(title, buttons=buttons)] if buttons else []
    return []


def collect_buttons(questions: list[Reply]) -> tuple[Button, ...]:
    """Return the buttons of all questions, at most MOST_BUTTONS.

    If two questions have a button with the same label, it is followed by the number of its
    question.
    """
    labels = Counter(button.label for question in questions for button in question.buttons)
    buttons = list[Button]()
    for number, question in enumerate(questions, 1):
        for button in question.buttons:
            label = button.label
            if labels[label] > 1:
                label = f"{label} ({number})"
            buttons.append(button._replace(label=label))
    return tuple(buttons[:MOST_BUTTONS])
