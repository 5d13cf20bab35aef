"""What holds for every test: a home folder and a URL of nobody's, and Hypothesis's profiles."""

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# No deadline: on a busy machine a slow example is no failure. In CI the same examples every time.
hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(autouse=True, scope="session")
def nobodys_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """No test may touch the files of the person who runs it, nor depend on their settings."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("HOLDFAST_", "XDG_"))]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        yield home
