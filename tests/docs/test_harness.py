"""The harness that runs the examples notices when one is wrong."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from tests.docs import examples
from tests.docs.examples import BadExample, Example, ExampleFailed, find

Page = Callable[[str], list[Example]]


@pytest.fixture
def page(tmp_path: Path) -> Page:
    """Writes a page; `'''` stands for a fence."""

    def write(text: str) -> list[Example]:
        path = tmp_path / "page.md"
        path.write_text(dedent(text).replace("'''", "```"), "utf-8")
        return find(path)

    return write


def run(page: Page, text: str) -> None:
    for example in page(text):
        example.run()


def test_a_failing_block_fails_and_names_its_line(page: Page) -> None:
    with pytest.raises(ExampleFailed, match=r'page\.md", line 4(?s:.*)ZeroDivisionError'):
        run(
            page,
            """
            '''python
            x = 1
            x / 0
            '''
            """,
        )


def test_a_block_runs_as_main_with_a_home_and_a_url_of_its_own(page: Page) -> None:
    run(
        page,
        """
        '''python
        import os
        assert __name__ == "__main__"
        assert os.environ["HOLDFAST_URL"] == f"sqlite:///{os.environ['HOME']}/holdfast.db"
        assert os.listdir(os.environ["HOME"]) == []
        '''
        """,
    )


def test_await_at_the_top_level(page: Page) -> None:
    with pytest.raises(ExampleFailed, match="KeyError: 'inside'"):
        run(
            page,
            """
            '''python
            import asyncio
            await asyncio.sleep(0)
            raise KeyError("inside")
            '''
            """,
        )


def test_blocks_share_nothing(page: Page) -> None:
    with pytest.raises(ExampleFailed, match="NameError"):
        run(
            page,
            """
            '''python
            x = 1
            '''
            '''python
            print(x)
            '''
            """,
        )


def test_unless_one_continues_the_other(page: Page) -> None:
    text = """
        '''python
        x = 1
        '''

        and then

        <!-- example: continue -->
        '''python
        assert x == 1
        '''
        """
    assert len(page(text)) == 1
    run(page, text)


def test_an_indented_block(page: Page) -> None:
    (example,) = page(
        """
        - item

            '''python
            if True:
                pass
            '''
        """
    )
    assert example.source.strip() == "if True:\n    pass"


def test_a_warning_is_an_error(page: Page) -> None:
    with pytest.raises(ExampleFailed, match="UserWarning"):
        run(
            page,
            """
            '''python
            import warnings
            warnings.warn("old")
            '''
            """,
        )


def test_a_block_that_hangs(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "TIMEOUT", 0.5)
    with pytest.raises(ExampleFailed, match=r"more than 0\.5 s"):
        run(
            page,
            """
            '''python
            import time
            time.sleep(30)
            '''
            """,
        )


def test_skip_needs_a_reason(page: Page) -> None:
    text = """
        <!-- example: skip,{reason} -->
        '''python
        nonsense(
        '''
        """
    (skipped,) = page(text.format(reason=" it shows a mistake"))
    assert skipped.skip == "it shows a mistake"
    with pytest.raises(BadExample, match="say why"):
        page(text.format(reason=""))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- example: notest -->\n'''python\n'''", "not understood"),
        ("<!-- example: continue -->\n'''python\n'''", "nothing to continue"),
        ("<!-- example: exit 1 -->\nprose", "no block follows"),
        ("'''python\n", "never closed"),
    ],
)
def test_marks_that_make_no_sense(page: Page, text: str, message: str) -> None:
    with pytest.raises(BadExample, match=message):
        page(text)


def console(page: Page, text: str) -> None:
    """Runs a console block of any commands: the mark in front makes it an example."""
    run(page, f"<!-- example: exit 0 -->\n'''console\n{text}\n'''")


def test_console_output_is_compared(page: Page) -> None:
    console(page, "$ echo a b c\na ... c\n$ echo d \\\n    e\nd e\n$ echo unchecked")
    with pytest.raises(ExampleFailed, match="should print\nb\nbut printed\na"):
        console(page, "$ echo a\nb")


def test_console_commands_must_succeed(page: Page) -> None:
    with pytest.raises(ExampleFailed, match="ended with 3, not 0"):
        console(page, "$ exit 3")
    run(page, "<!-- example: exit 3 -->\n'''console\n$ true\n$ exit 3\n'''")


def test_console_blocks_of_other_commands_are_left_alone(page: Page) -> None:
    assert page("'''console\n$ pip install holdfast\n'''") == []
    assert len(page("'''console\n$ holdfast --help\n'''")) == 1


def test_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "page.md"
    path.write_text("```python\npass\n```\n", "utf-8")
    examples.main([str(path)])
    assert capsys.readouterr().out == f"{path}:1 ok\n"
