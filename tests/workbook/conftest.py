"""A shell of IPython's, as a kernel has one, whose displays a test reads."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config


@pytest.fixture
def shell(tmp_path_factory, monkeypatch):
    """Yield what captures displays: ``with shell() as said: ...``, then ``said.outputs``."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
    InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    yield capture_output
    InteractiveShell.clear_instance()
