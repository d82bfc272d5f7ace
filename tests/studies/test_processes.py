"""Worker processes of a study: one that is killed is an error."""

from __future__ import annotations

import os
import signal
import time

import pytest

from causalbandits.errors import InputError
from causalbandits.studies.processes import processes


def test_a_killed_process_is_reported_as_an_error() -> None:
    def kill_one() -> None:
        with processes(2) as pool:
            assert pool is not None
            pool.submit(os.kill, pool.submit(os.getpid).result(), signal.SIGKILL).result(timeout=60)
            pool.submit(time.sleep, 0).result(timeout=60)

    with pytest.raises(InputError, match="killed"):
        kill_one()
