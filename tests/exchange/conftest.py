"""Real weights are tried where the gate has fetched them; elsewhere that file is left out."""

import os

collect_ignore = [] if os.environ.get("GLASSFORMER_WEIGHTS") else ["test_real_weights.py"]
