"""`glassformer studio`: a port that cannot be had is told before anything is opened."""

import socket

import pytest

from glassformer.commands.see_inside.studio import studio
from glassformer.errors import InputError


@pytest.mark.parametrize("port", [-1, 65536])
def test_there_is_no_such_port(port: int) -> None:
    with pytest.raises(InputError, match=f"There is no port {port}; choose one from 1 to 65535"):
        studio(port=port, no_browser=True)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(InputError, match=f"{port}"):
            studio(port=port, no_browser=True)
