"""`strandline.check(model, "G F done")`, `strandline.check(model, invariants="x < 3")`: decide properties of a model.
`help(strandline.check.api.check)` tells all that can be given.

Task -> Verdict: which properties to decide, the search that decides them, and what it may claim afterwards.

What comes in: a System, properties, options. What goes out: a `Verdict` (or an `Exploration`) with replayed
traces and counts that are exact or null. Imports `traces` and everything before it, never `report` or `cli`.

`strandline.check` names both this package and the function that users call, so the package can be called:
`strandline.check(model)` is `strandline.check.api.check(model)`, whatever was imported before.
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strandline.check.verdict import Verdict


class _CallablePackage(ModuleType):
    @property
    def __signature__(self) -> inspect.Signature:
        from strandline.check.api import check

        return inspect.signature(check)

    def __call__(self, *arguments: Any, **keywords: Any) -> Verdict:
        """Decide properties of a model; see `strandline.check.api.check`."""
        from strandline.check.api import check

        return check(*arguments, **keywords)


sys.modules[__name__].__class__ = _CallablePackage
