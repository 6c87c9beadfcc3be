"""Searches on a device such as a GPU: many threads expand the states of a round in parallel.

Input: a Kernel with its model as PTX (`strandline.compile.device`). Output: the same as from the other searches of the
engine. `search.py` is the search, `order.py` selects the states to be expanded, `store.py` manages memory and deletes
states, `retracing.py` finds traces without a log. All of that is plain Python over an interface (`layout.py`) that has
two implementations: `cuda.py`, with the kernels of `search.cu`, and for tests, `tests/support/fake_device.py`, which
defines in Python what these do.
"""
