import subprocess
import sys
from pathlib import Path

import pytest
from help import BODIES


@pytest.fixture(scope="session")
def provider():
    """The URL of a provider that answers with the golden bodies."""
    script = Path(__file__).with_name("provider.py")
    with subprocess.Popen([sys.executable, script, BODIES], stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip()
        process.terminate()
