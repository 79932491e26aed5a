"""The search written out plainly, from what is known of kknn: slow, short, and on its own."""

from __future__ import annotations

from typing import Any

from pycvstat.learners.knn.distances import Metric

UNREACHED = 1e300


def sums(points: Any, row: Any, metric: Metric) -> list[float]:
    """Distances to the power p, terms added one after the other."""
    found = []
    weights = metric.weights.tolist()
    for point in points.tolist():
        total = 0.0
        for a, b, weight in zip(point, row.tolist(), weights, strict=True):
            if metric.p == 2:
                total += (a - b) * (a - b) * weight
            else:
                total += abs(a - b) ** metric.p * weight
        found.append(total)
    return found


def shell_sort(pairs: list[tuple[float, int]], count: int) -> None:
    gaps = [1]
    while gaps[-1] <= count // 9:
        gaps.append(3 * gaps[-1] + 1)
    for gap in reversed(gaps):
        for i in range(gap, count):
            pair, j = pairs[i], i
            while j >= gap and pairs[j - gap][0] > pair[0]:
                pairs[j] = pairs[j - gap]
                j -= gap
            pairs[j] = pair


def scan(distances: list[float], size: int, euclidean: bool) -> list[tuple[float, int]]:
    """kknn's buffer: the `size` nearest in its order."""
    n = len(distances)
    room = min(2 * min(max(10, size), n), n)
    buffer = [(UNREACHED, 0)] * (room + 1)
    filled, bound = 0, UNREACHED
    for row, distance in enumerate(distances):
        if distance < bound:
            buffer[filled] = (distance, row)
            filled += 1
        if filled == room - 1:
            shell_sort(buffer, room)
            filled, bound = size - 1, buffer[size - 1][0]
    shell_sort(buffer, room + 1 if euclidean else room)
    return buffer[:size]


def by_row(distances: list[float], size: int) -> list[tuple[float, int]]:
    """The nearest, the lowest row first among rows at equal distances."""
    return sorted((distance, row) for row, distance in enumerate(distances))[:size]
