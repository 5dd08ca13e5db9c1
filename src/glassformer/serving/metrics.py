"""What the server counts, as Prometheus reads it: requests, seconds, what the workshops hold. It knows no request."""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # seconds
Labels = tuple[tuple[str, str], ...]
Gauge = tuple[str, str, str, Mapping[Labels, float]]  # name, kind, words, values by their labels


class Counts:
    """Requests by path and status, and how long they took."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[str] = Counter()

    def add(self, path: str, status: int, seconds: float) -> None:
        """One request that was answered."""
        with self._lock:
            self._requests[path, status] += 1
            self._buckets[path, bisect_left(BUCKETS, seconds)] += 1
            self._seconds[path] += seconds  # type: ignore[assignment]  # a Counter adds up any number

    def text(self, gauges: Iterable[Gauge]) -> str:
        """All of it in Prometheus' text format."""
        with self._lock:
            requests, buckets, seconds = self._requests.copy(), self._buckets.copy(), dict(self._seconds)
        answered: dict[Labels, float] = {
            (("path", path), ("status", str(status))): count for (path, status), count in sorted(requests.items())
        }
        lines = _metric("glassformer_requests_total", "counter", "Requests that were answered.", answered)
        lines += ["# HELP glassformer_request_seconds Seconds from a request to the end of its answer."]
        lines += ["# TYPE glassformer_request_seconds histogram"]
        for path in sorted(seconds):
            total = 0
            for i, upper in enumerate((*map(str, BUCKETS), "+Inf")):
                total += buckets[path, i]
                lines.append(f'glassformer_request_seconds_bucket{{path="{path}",le="{upper}"}} {total}')
            lines.append(f'glassformer_request_seconds_sum{{path="{path}"}} {seconds[path]:.6f}')
            lines.append(f'glassformer_request_seconds_count{{path="{path}"}} {total}')
        for gauge in gauges:
            lines += _metric(*gauge)
        return "\n".join(lines) + "\n"


def _metric(name: str, kind: str, words: str, values: Mapping[Labels, float]) -> list[str]:
    lines = [f"# HELP {name} {words}", f"# TYPE {name} {kind}"]
    for labels, value in values.items():
        inner = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
        lines.append(f"{name}{{{inner}}} {value:g}" if inner else f"{name} {value:g}")
    return lines


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
