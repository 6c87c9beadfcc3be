"""The Model Checking Contest: files of formulas, named examinations, and its protocol.

Input: a System and a file of formulas (`reader`), or the name of a question (`questions`). Output: an answer for each,
TRUE, FALSE or a number (`answers`); `protocol` prints them in the contest's format. The places of a net are the
variables of a System and its transitions the actions, so that nothing here is about nets alone.
"""
