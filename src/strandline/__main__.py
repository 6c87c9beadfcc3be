"""The entry point of `python -m strandline`."""

from __future__ import annotations

from strandline.cli.main import guarded_main

if __name__ == "__main__":
    guarded_main()
