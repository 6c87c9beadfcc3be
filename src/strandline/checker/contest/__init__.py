"""The Model Checking Contest's questions: files of formulas, named examinations, its protocol.

In: a System and a file of formulas (`reading`), or the name of a question (`questions`). Out: an answer for each, TRUE,
FALSE or a number (`deciding`); `protocol` prints them as the contest wants them. Places are the variables of a System
and transitions its actions, so that nothing here is about nets alone.
"""
