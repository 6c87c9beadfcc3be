"""A lock service with leases, as asyncio tasks: a server, a storage, and clients that may pause.

Each part writes its actions to one log, as JSON lines. `fault` plants one of four mistakes that are easily made.
"""
import asyncio
import json
from pathlib import Path

TICK = 0.002
LENGTH = 5
FAULTS = ("late renewal", "lost fencing token", "reordered reply", "wrong time-out")


class Log:
    def __init__(self, path: Path) -> None:
        self.file = path.open("w")

    def write(self, event: str, client: int, **values: int) -> None:
        self.file.write(json.dumps({"event": event, "client": client, **values}) + "\n")


class Server:
    """Grants the lease. Its clock counts ticks, whatever the clocks of the clients say."""

    def __init__(self, log: Log, fault: str | None) -> None:
        self.log, self.fault = log, fault
        self.now = self.issued = self.expires = 0
        self.holder: int | None = None

    async def run(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self.now += 1

    async def until(self, now: int) -> None:
        while self.now < now:
            await asyncio.sleep(TICK / 4)

    def acquire(self, client: int) -> int | None:
        over = self.now >= self.expires
        if self.fault == "wrong time-out":
            # The time since the lease was granted, compared with one that is too short by a tick.
            over = self.now - (self.expires - LENGTH) > LENGTH - 2
        if self.holder not in (None, client) and not over:
            return None
        self.holder = client
        self.issued += 1
        self.expires = self.now + LENGTH
        self.log.write("grant", client, token=self.issued, now=self.now, until=self.expires)
        return self.issued

    def renew(self, client: int) -> bool:
        if self.holder != client or (self.now >= self.expires and self.fault != "late renewal"):
            return False
        self.expires = self.now + LENGTH
        self.log.write("renew", client, now=self.now, until=self.expires)
        return True

    def release(self, client: int) -> None:
        if self.holder == client:
            self.holder = None
        self.log.write("release", client)


class Storage:
    """Accepts a write with a fencing token at least as new as the newest that it has seen."""

    def __init__(self, log: Log, fault: str | None) -> None:
        self.log, self.fault, self.newest = log, fault, 0

    def write(self, client: int, token: int) -> bool:
        if token < self.newest and self.fault != "lost fencing token":
            return False
        self.newest = max(token, self.newest)
        self.log.write("write", client, token=token)
        return True


class Client:
    def __init__(self, number: int, server: Server, storage: Storage, log: Log) -> None:
        self.number, self.server, self.storage, self.log = number, server, storage, log
        self.token: int | None = None
        self.seen = 0
        self.inbox: asyncio.Queue[int] = asyncio.Queue()

    async def ask(self, delay: float = 0.0) -> None:
        """Ask for the lease until it is granted; the reply arrives after a delay."""
        while (token := self.server.acquire(self.number)) is None:
            await asyncio.sleep(TICK / 2)
        asyncio.get_running_loop().call_later(delay, self.inbox.put_nowait, token)

    async def hear(self) -> None:
        token = await self.inbox.get()
        if token <= self.seen and self.server.fault != "reordered reply":
            self.log.write("discard", self.number, token=token)
            return
        self.token = self.seen = token
        self.log.write("receive", self.number, token=token)

    def write(self) -> bool:
        return self.token is not None and self.storage.write(self.number, self.token)

    def release(self) -> None:
        self.token = None
        self.server.release(self.number)


async def session(log: Log, fault: str | None) -> None:
    """Two clients: one asks twice, pauses longer than its lease, and comes back when the other one is at work."""
    server = Server(log, fault)
    storage = Storage(log, fault)
    first, second = (Client(number, server, storage, log) for number in range(2))
    clock = asyncio.create_task(server.run())
    await first.ask(delay=4 * TICK)
    await first.ask()
    await first.hear()
    first.write()
    await first.hear()
    server.renew(0)
    # The first client pauses while its lease runs out; the second one waits for the lease.
    await second.ask()
    await second.hear()
    second.write()
    first.write()
    second.release()
    await first.ask()
    await first.hear()
    await server.until(server.expires + 2)
    server.renew(0)
    first.write()
    first.release()
    clock.cancel()


def run(path: Path, fault: str | None = None) -> None:
    """Run a session, and write its log."""
    log = Log(path)
    asyncio.run(session(log, fault))
    log.file.close()


if __name__ == "__main__":
    import sys

    run(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
