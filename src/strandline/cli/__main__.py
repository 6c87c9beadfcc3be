"""The entry point of the installed command and of `python -m strandline.cli`."""

from __future__ import annotations

from strandline.cli.main import guarded_main

__all__ = ["guarded_main"]

if __name__ == "__main__":
    guarded_main()
