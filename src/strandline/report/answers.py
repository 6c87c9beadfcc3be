"""Render answers to the formulas and questions of the Model Checking Contest, as text or plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strandline.checker.contest.answers import Answered
from strandline.report.envelope import head
from strandline.report.exit_codes import HOLDS, INTERRUPTED, UNKNOWN


def answer_text(answer: Answered, width: int) -> str:
    """Return a line of text: the id, padded to `width`, the answer, and the reason if it is unknown."""
    reason = f"  {answer.reason}" if answer.reason else ""
    return f"{answer.id:{width}}  {answer.text}{reason}"


def answers_data(model: str, answers: Sequence[Answered], exit_code: int) -> dict[str, Any]:
    """Return the JSON object of a command that answers questions about a model."""
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
    """Return the exit code: HOLDS if every question was answered, with true or false; else UNKNOWN or INTERRUPTED."""
    if any(one.reason == "interrupted" for one in answers):
        return INTERRUPTED
    return UNKNOWN if any(one.value is None for one in answers) else HOLDS
