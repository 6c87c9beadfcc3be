"""`python -m strandline`."""

from __future__ import annotations

import sys

from strandline.cli.main import guarded_main

if __name__ == "__main__":
    sys.exit(guarded_main())
