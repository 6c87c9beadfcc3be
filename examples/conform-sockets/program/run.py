"""Start the three processes, and wait for them: `python run.py FOLDER [hasty]` writes three logs to the folder."""
import json
import socket
import subprocess
import sys
from pathlib import Path


def run(folder: Path, fault: str = "") -> list[Path]:
    """Run the program once, and return the logs of its processes. With `hasty` it decides when one worker is ready."""
    folder.mkdir(exist_ok=True)
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(3)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    logs = [folder / f"node{number}.log" for number in range(3)]
    program = str(Path(__file__).parent / "node.py")
    nodes = [
        subprocess.Popen(
            [sys.executable, program, json.dumps([number, one.fileno(), ports, str(logs[number]), fault])],
            pass_fds=[one.fileno()],
        )
        for number, one in enumerate(sockets)
    ]
    for node in nodes:
        node.wait()
    for one in sockets:
        one.close()
    return logs


if __name__ == "__main__":
    run(Path(sys.argv[1]), *sys.argv[2:])
