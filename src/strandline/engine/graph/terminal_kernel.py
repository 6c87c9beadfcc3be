"""SCCs of a graph in arrays: the kernel of `strandline.engine.graph.terminal`."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from strandline.engine.runtime.jit import njit

OUTSIDE = -1


@njit
def components(offsets, targets, component, low, stack, path, edge):
    """Compute the SCC of each node by Tarjan's algorithm with explicit stacks; return the number of SCCs.

    `component` receives the SCC of each node; it is -1 at first, as is `low`. Targets outside of the graph are -1. The
    last three arrays are scratch, as long as there are nodes.
    """
    found, clock, waiting = 0, 0, 0
    for root in range(len(offsets) - 1):
        if low[root] != -1:
            continue
        depth = 1
        path[0], edge[0] = root, offsets[root]
        low[root] = clock
        stack[waiting] = root
        # While a node is on the stack, its index is stored as -2 - index; -1 means not visited.
        component[root] = -2 - clock
        clock, waiting = clock + 1, waiting + 1
        while depth > 0:
            node = path[depth - 1]
            if edge[depth - 1] < offsets[node + 1]:
                target = targets[edge[depth - 1]]
                edge[depth - 1] += 1
                if target == OUTSIDE:
                    continue
                if low[target] == -1:
                    path[depth], edge[depth] = target, offsets[target]
                    depth += 1
                    low[target] = clock
                    component[target] = -2 - clock
                    stack[waiting] = target
                    clock, waiting = clock + 1, waiting + 1
                elif component[target] < 0:
                    low[node] = min(low[node], -2 - component[target])
                continue
            depth -= 1
            if low[node] == -2 - component[node]:
                while True:
                    waiting -= 1
                    member = stack[waiting]
                    component[member] = found
                    if member == node:
                        break
                found += 1
            if depth > 0:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[node])
    return found
