"""A real cluster on this machine: a master, two workers, and one of them killed in the middle."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from .conftest import SMALL


def free_port():
    """Find a port from which on three are most probably free."""
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1] - 150


def test_counts_on_a_cluster_and_with_a_worker_killed(tmp_path):
    environment = os.environ | {"SMALL": json.dumps(SMALL)}
    command = [sys.executable, str(Path(__file__).with_name("cluster.py")), str(tmp_path), str(free_port())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told == {"executors": 2, "both": True, "answers": True, "killed": True, "left": told["left"]}
    assert told["left"] == 1
