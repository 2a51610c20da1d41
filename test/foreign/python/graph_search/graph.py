from collections import deque
from heapq import heappop, heappush


class Graph:
    def __init__(self, edges=()):
        self.edges = {}
        for a, b, *weight in edges:
            self.connect(a, b, *weight)

    def connect(self, a, b, weight=1):
        self.edges.setdefault(a, {})[b] = weight
        self.edges.setdefault(b, {})[a] = weight
        return self

    def __contains__(self, node):
        return node in self.edges

    def __len__(self):
        return len(self.edges)

    def reach(self, start):
        seen, waiting = {start}, deque([start])
        while waiting:
            for node in self.edges.get(waiting.popleft(), ()):
                if node not in seen:
                    seen.add(node)
                    waiting.append(node)
        return seen

    def shortest(self, start, end):
        waiting, done = [(0, start, (start,))], set()
        while waiting:
            length, node, path = heappop(waiting)
            if node == end:
                return length, path
            if node in done:
                continue
            done.add(node)
            for other, weight in self.edges.get(node, {}).items():
                heappush(waiting, (length + weight, other, (*path, other)))
        raise ValueError('no path')
