"""Deferred signals: Ctrl-C waits until the search pauses and has written its checkpoint."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class WaitingSignals:
    """Defers the first signal until `act` or the end of the `with` block; a second one acts at once.

    Outside the main thread, which alone receives signals, it does nothing.
    """

    def __init__(self) -> None:
        self._noted: tuple[int, FrameType | None] | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> WaitingSignals:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                # A signal that the user's environment ignores stays ignored.
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._as_before()
        if kind is None:
            self.act()

    def _note(self, number: int, frame: FrameType | None) -> None:
        # The handlers from before are back at once, so a second signal acts.
        self._noted = (number, frame)
        self._as_before()

    def _as_before(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    @property
    def is_pending(self) -> bool:
        """True if a signal was received and has not acted yet."""
        return self._noted is not None

    def act(self) -> None:
        """Deliver the pending signal, if there is one, to the handler that was installed before."""
        if self._noted is None:
            return
        (number, frame), self._noted = self._noted, None
        self._as_before()
        handler = signal.getsignal(number)
        if callable(handler):
            handler(number, frame)
        else:
            os.kill(os.getpid(), number)
