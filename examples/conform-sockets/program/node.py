"""One of three processes that commit together over UDP on the loopback: `python node.py`, started by `run.py`."""
import json
import socket
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

WAIT = 0.05
"""Seconds after which a message is taken to be lost, and sent again."""


class Node:
    """A process: its socket, the addresses of all three, and its log. Node 2 is the coordinator."""

    def __init__(self, number: int, file: int, ports: list[int], log: Path, loses: bool) -> None:
        self.number, self.ports, self.loses = number, ports, loses
        self.socket = socket.socket(fileno=file)
        self.socket.settimeout(WAIT)
        self.log = log.open("w")
        self.numbers = count()

    def write(self, event: str, **values: Any) -> None:
        self.log.write(json.dumps({"event": event, "node": self.number, **values}) + "\n")
        self.log.flush()

    def send(self, target: int, event: str, kind: str, **values: Any) -> None:
        number = next(self.numbers)
        message = f"{self.number}-{number}"
        self.write(event, id=message, **values)
        # The link between the coordinator and worker 1 loses every other message.
        if not (self.loses and 1 in (target, self.number) and number % 2 == 0):
            self.socket.sendto(json.dumps([message, kind, self.number]).encode(), ("127.0.0.1", self.ports[target]))

    def received(self) -> Iterator[tuple[str, str, int]]:
        """Yield the messages that arrive until none arrives for a while."""
        while True:
            try:
                message, kind, sender = json.loads(self.socket.recv(1000))
            except TimeoutError:
                return
            yield message, kind, sender


def coordinate(node: Node, hasty: bool) -> None:
    """Ask until both workers are ready, decide, and publish until both have answered again."""
    ready: set[int] = set()
    while len(ready) < (1 if hasty else 2):
        for worker in {0, 1} - ready:
            node.send(worker, "ask", "prepare", to=worker)
            for message, _, sender in node.received():
                node.write("heard", id=message, worker=sender)
                ready.add(sender)
    node.write("decide")
    for _ in range(4):
        for worker in (0, 1):
            node.send(worker, "publish", "commit", to=worker)


def work(node: Node) -> None:
    """Answer whatever arrives, until the decision is known."""
    state = "idle"
    for _ in range(40):
        for message, kind, _ in node.received():
            state = "committed" if kind == "commit" else "prepared" if state == "idle" else state
            node.write("hear", id=message, worker=node.number, kind=kind, state=state)
            if state == "prepared":
                node.send(2, "answer", "ready", worker=node.number)
        if state == "committed":
            return


if __name__ == "__main__":
    number, file, ports, log, fault = json.loads(sys.argv[1])
    node = Node(number, file, ports, Path(log), loses=True)
    if number == 2:
        coordinate(node, hasty=fault == "hasty")
    else:
        work(node)
