"""A signal's handler that raises, wherever the program is, leaves the file free for all others."""

from pathlib import Path

from tests.engines.sqlite.support import assert_sound, run


def test_interrupts_leave_no_transaction_open(url: str, path: Path) -> None:
    # Coverage has locks of its own, which do not survive what is done here.
    unmeasured = {"COVERAGE_PROCESS_CONFIG": "", "COVERAGE_PROCESS_START": ""}
    assert run("interrupted", url, 2000, env=unmeasured).splitlines() == ["sound"]
    assert_sound(path)
