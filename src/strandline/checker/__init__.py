"""From a System, properties and options to a `Verdict` (or an `Exploration`), with replayed traces and exact counts.

`api.py` has the calls `check`, `explore`, `load` and `graph`. The rooms of this package, in the order of their imports,
which a test enforces at type level too:

    options      what a user asks for
    limits       of time, memory and disk
    checkpoints  the folder of a run that can be resumed
    measures     progress measures: read, found, chosen
    properties   claims, read in the language of a model
    diagnosis    coverage and regress edges
    verdicts     the result of a check
    reductions   which reductions are sound for which questions
    tasks        what one search is to decide
    driver       runs one search
    ctl, ltl     evidence for formulas
    strategies   ways to decide a task, and the choice among them
    decisions    from properties to a verdict

Imports `traces` and everything before it, never `report` or `cli`.
"""
