"""`python -m strandline.cli`, and the entry point of the installed command."""

from __future__ import annotations

from strandline.cli.main import guarded_main

__all__ = ["guarded_main"]

if __name__ == "__main__":
    guarded_main()
