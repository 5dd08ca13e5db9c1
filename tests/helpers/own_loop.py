"""Runs a coroutine in a thread of its own: a browser test may have left a loop running in this one."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def awaited(coroutine: Coroutine[object, object, T]) -> T:
    """What the coroutine gives, or its error."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
