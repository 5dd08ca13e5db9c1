"""Lets what was compiled run as it was written while somebody watches: torch's compiler is told to stand aside.

Without it the compiler would meet our modes, give up, and remember that for good. It knows nothing of attention.
"""

import importlib
import sys
import threading
from typing import Any, ClassVar


class Eagerly:
    """Keeps the compiler aside until the last watch closes. Its stance is one for the process, so is the count."""

    _lock: ClassVar[threading.Lock] = threading.Lock()
    _open: ClassVar[int] = 0
    _stance: ClassVar[Any] = None

    def __init__(self) -> None:
        self._counted = False

    def __enter__(self) -> "Eagerly":
        if "torch.nn.attention.flex_attention" in sys.modules:  # it calls the compiler by itself
            importlib.import_module("torch._dynamo.decorators")
        compiler = sys.modules.get("torch._dynamo.decorators")
        if compiler is None:  # nothing can have been compiled
            return self
        with Eagerly._lock:
            if not Eagerly._open:
                Eagerly._stance = compiler.set_stance("force_eager")
            Eagerly._open += 1
            self._counted = True
        return self

    def __exit__(self, *error: object) -> None:
        if not self._counted:
            return
        with Eagerly._lock:
            Eagerly._open -= 1
            if not Eagerly._open:
                Eagerly._stance.__exit__(None, None, None)
