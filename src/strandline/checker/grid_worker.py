"""The process that runs combinations of a grid: tasks on stdin, their results on stdout, both pickled."""

from __future__ import annotations

import pickle
import sys

from strandline.checker.grids import check_combination


def main() -> None:
    """Run tasks until there are no more."""
    output = sys.stdout.buffer
    # The output of a model must not mix with the results.
    sys.stdout = sys.stderr
    while True:
        try:
            task, parameters = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        output.write(pickle.dumps(check_combination(task, parameters)))
        output.flush()


if __name__ == "__main__":
    main()
