"""From a System, properties and options to a `Verdict` (or an `Exploration`), with replayed traces and exact counts.

`api.py` has the calls `check`, `explore`, `load` and `graph`. The packages inside this one, in the order of their
imports, which a test enforces at type level too:

    options      the options and claims of a user, validated
    limits       of time, memory and disk
    checkpoints  the folder of a run that can be resumed
    measures     progress measures: parsed, found, chosen
    properties   claims, parsed in the language of a model
    diagnosis    coverage and regress edges
    verdicts     the result of a check
    reductions   which reductions are sound for which questions
    tasks        the questions that one search decides
    driver       runs one search
    ctl, ltl     evidence for formulas
    strategies   methods of deciding a task, and the choice among them
    decisions    from properties to a verdict

This package imports `traces` and everything before it, never `report` or `cli`.
"""
