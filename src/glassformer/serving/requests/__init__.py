"""What may be asked, and by whom: limits, strict JSON, the gate, and the fields of a request."""
