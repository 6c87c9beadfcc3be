"""Render answers to formulas and questions of the Model Checking Contest, as text or plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strandline.checker.contest.answers import Answered
from strandline.report.envelope import head
from strandline.report.exit_codes import HOLDS, INTERRUPTED, UNKNOWN


def answer_text(answer: Answered, width: int) -> str:
    """Return `id  TRUE`, and the reason if the answer is unknown."""
    reason = f"  {answer.reason}" if answer.reason else ""
    return f"{answer.id:{width}}  {answer.text}{reason}"


def answers_data(model: str, answers: Sequence[Answered], exit_code: int) -> dict[str, Any]:
    """Return the JSON object of a command that answers questions."""
    return {
        **head("check", exit_code),
        "model": model,
        "answers": [
            {
                "id": one.id,
                "answer": one.text,
                "reason": one.reason,
                "method": one.method,
                "seconds": round(one.seconds, 6),
            }
            for one in answers
        ],
        "error": None,
    }


def answers_code(answers: Sequence[Answered]) -> int:
    """Return the exit code: 0 if every question was answered, whether with true or with false."""
    if any(one.reason == "interrupted" for one in answers):
        return INTERRUPTED
    return UNKNOWN if any(one.value is None for one in answers) else HOLDS
