"""Counts as Prometheus reads them."""

from glassformer.serving.metrics import Counts


def test_requests_are_counted_by_path_and_status() -> None:
    counts = Counts()
    counts.add("/a", 200, 0.004)
    counts.add("/a", 200, 0.3)
    counts.add("/a", 503, 99.0)
    text = counts.text([("waiting", "gauge", "Jobs.", {(("model", 'a "b"'),): 3.0}), ("plain", "gauge", "P.", {(): 1})])
    lines = text.splitlines()
    assert 'glassformer_requests_total{path="/a",status="200"} 2' in lines
    assert 'glassformer_requests_total{path="/a",status="503"} 1' in lines
    assert 'glassformer_request_seconds_bucket{path="/a",le="0.005"} 1' in lines
    assert 'glassformer_request_seconds_bucket{path="/a",le="0.5"} 2' in lines
    assert 'glassformer_request_seconds_bucket{path="/a",le="60.0"} 2' in lines
    assert 'glassformer_request_seconds_bucket{path="/a",le="+Inf"} 3' in lines
    assert 'glassformer_request_seconds_count{path="/a"} 3' in lines
    assert 'waiting{model="a \\"b\\""} 3' in lines
    assert "plain 1" in lines
    assert text.endswith("\n")
