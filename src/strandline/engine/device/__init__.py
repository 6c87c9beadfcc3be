"""A search on a device: many threads expand the states of a round at once.

In: a Kernel with its model as PTX (`strandline.compile.device`). Out: what the other searches of the engine give.
`search.py` is the search, `order.py` decides what is expanded next, `store.py` where states lie and when they are
forgotten, `retracing.py` finds traces without a log. All of that is plain Python over an interface (`layout.py`) that
has two implementations: `cuda.py`, with the kernels of `search.cu`, and `fake.py`, which says in Python what these do.
"""
