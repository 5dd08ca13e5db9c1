"""Two hosts in network namespaces train one model, where there is root and iproute2; the script says so where not."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(900)  # several processes at once, on a machine that may be busy

SCRIPT = Path(__file__).parents[3] / "scripts" / "two_hosts.sh"
POSSIBLE = hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("ip") is not None
LEFT_OUT = 77  # as test programs say that something is missing here


@pytest.mark.slow
def test_two_hosts_have_the_losses_of_one_process() -> None:
    done = subprocess.run([str(SCRIPT)], capture_output=True, text=True, timeout=280, check=False)
    if POSSIBLE and "Operation not permitted" not in done.stderr:
        assert done.returncode == 0, done.stderr
        assert "validation losses: at most" in done.stdout
    else:
        assert done.returncode in (LEFT_OUT, 1)
        assert "two hosts need root and iproute2" in done.stderr or "not permitted" in done.stderr


def test_without_the_means_it_says_what_is_missing(tmp_path: Path) -> None:
    """With no `ip` to be found; the rest of the tools are there."""
    for tool in ("bash", "dirname", "id", "env"):
        (tmp_path / tool).symlink_to(str(shutil.which(tool)))
    done = subprocess.run([str(SCRIPT)], capture_output=True, text=True, env={"PATH": str(tmp_path)}, check=False)
    assert done.returncode == LEFT_OUT
    assert "two hosts need root and iproute2" in done.stderr
