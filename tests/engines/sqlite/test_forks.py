"""Forks: a child has nothing of its parent's, and takes nothing from it by whatever it does."""

from pathlib import Path

import pytest

from tests.engines.sqlite.support import assert_sound, run


@pytest.mark.parametrize(
    "case",
    [
        "exit_at_once",
        "exit_through_the_interpreter",
        "child_does_nothing",
        "child_closes_the_client",
        "child_leaves_the_block",
        "grandchildren",
        "parent_ends_first",
        "fork_under_load",
        "async_parent",
        "async_child",
    ],
)
def test_fork(url: str, path: Path, case: str) -> None:
    run("forking", case, url)
    assert_sound(path)
