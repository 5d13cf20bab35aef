"""The examples in the documentation, found and run.

Every fenced ``python`` block is an example, run in a process, a home folder and a namespace of its
own, with ``HOLDFAST_URL`` naming a new SQLite file. `await`, `async with` and `async for` may stand
at the top level. Every ``console`` block whose first command is ``$ holdfast …`` is one too: its
commands are run by the shell, one after another, and must succeed; output shown below a command
must be its output, where ``...`` stands for anything.

What is out of the ordinary is said in an HTML comment in front of the block, unseen by readers:

    <!-- example: continue -->              goes on where the last example of this page ended
    <!-- example: skip, REASON -->          is not run
    <!-- example: exit 3 -->                its last command (or the program) ends with this status

By hand: ``python tests/docs/examples.py README.md`` runs a whole page, ``… README.md 15`` the one
example whose fence opens at line 15.
"""

from __future__ import annotations

import ast
import asyncio
import doctest
import inspect
import linecache
import os
import re
import subprocess
import sys
import tempfile
import types
from dataclasses import dataclass, field
from pathlib import Path

TIMEOUT = 60.0

_OPEN = re.compile(r"^(?P<indent>\s*)(?P<fence>`{3,}|~{3,})\s*(?P<language>[\w+-]*)")
_DIRECTIVE = re.compile(r"^\s*<!--\s*example:\s*(?P<text>.*?)\s*-->\s*$")


class BadExample(Exception):
    """A block is marked in a way that nobody understands."""


class ExampleFailed(Exception):
    """An example did not do what the page says."""


@dataclass
class Example:
    """A block, or several that continue one another; `lines` has its text by line number."""

    page: Path
    line: int
    language: str
    lines: dict[int, str] = field(default_factory=dict[int, str])
    skip: str | None = None
    exit_status: int = 0

    @property
    def source(self) -> str:
        """The text, on the lines where the page has it: so an error names the page's line."""
        last = max(self.lines, default=0)
        return "".join(self.lines.get(number, "") + "\n" for number in range(1, last + 1))

    def run(self) -> None:
        """Run it all; raises ExampleFailed."""
        with tempfile.TemporaryDirectory(prefix="holdfast-docs-") as home:
            scripts = str(Path(sys.executable).parent)
            environment = {
                **os.environ,
                "HOME": home,
                "HOLDFAST_URL": f"sqlite:///{home}/holdfast.db",
                "PATH": os.pathsep.join([scripts, os.environ.get("PATH", os.defpath)]),
                "PYTHONWARNINGS": "error",
            }
            if self.language == "python":
                command = [sys.executable, __file__, "--here", str(self.page), str(self.line)]
                self._run(command, home, environment, self.exit_status)
            else:
                commands = self._commands()
                for number, (shell, expected) in enumerate(commands, 1):
                    status = self.exit_status if number == len(commands) else 0
                    output = self._run(["sh", "-c", shell], home, environment, status)
                    if expected and not _matches(expected, output):
                        raise ExampleFailed(
                            f"{self.page}:{self.line}\n$ {shell}\n"
                            f"should print\n{expected}but printed\n{output}"
                        )

    def _run(self, command: list[str], home: str, environment: dict[str, str], status: int) -> str:
        try:
            done = subprocess.run(
                command,
                cwd=home,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            raise ExampleFailed(f"{self.page}:{self.line} ran for more than {TIMEOUT} s") from late
        if done.returncode != status:
            raise ExampleFailed(
                f"{self.page}:{self.line} ended with {done.returncode}, not {status}\n{done.stdout}"
            )
        return done.stdout

    def _commands(self) -> list[tuple[str, str]]:
        """Each command with the output that is shown for it, which may be none."""
        commands: list[tuple[str, str]] = []
        for text in self.lines.values():
            if commands and commands[-1][0].endswith("\\"):
                commands[-1] = (commands[-1][0][:-1] + text.strip(), "")
            elif text.startswith("$ "):
                commands.append((text[2:], ""))
            elif commands:
                commands[-1] = (commands[-1][0], commands[-1][1] + text + "\n")
        return commands


def find(page: Path) -> list[Example]:
    """The examples of a page, in order; raises BadExample."""
    found: list[Example] = []
    directive = ""
    fence = indent = ""
    block: Example | None = None
    for number, text in enumerate(page.read_text("utf-8").splitlines(), 1):
        if fence:
            if text.strip().startswith(fence) and not text.strip().strip(fence[0]):
                if block is not None:
                    _keep(found, block, directive)
                fence, directive = "", ""
            elif block is not None:
                block.lines[number] = text.removeprefix(indent)
        elif opened := _OPEN.match(text):
            indent, fence, language = opened.group("indent", "fence", "language")
            block = Example(page, number, language) if language in ("python", "console") else None
        elif said := _DIRECTIVE.match(text):
            directive = said["text"]
        elif text.strip():
            if directive:
                raise BadExample(f"{page}:{number}: no block follows <!-- example: {directive} -->")
    if fence:
        raise BadExample(f"{page}: a block is never closed")
    return found


def _keep(found: list[Example], block: Example, directive: str) -> None:
    """Add the block to the examples as the directive in front of it says."""
    where = f"{block.page}:{block.line}"
    if block.language == "console" and not directive:
        first = next((text for text in block.lines.values() if text.startswith("$ ")), "")
        if not first.startswith("$ holdfast"):
            return
    word, _, rest = directive.partition(" ")
    if word == "continue":
        if not found or found[-1].language != block.language or found[-1].skip:
            raise BadExample(f"{where}: there is nothing to continue")
        found[-1].lines |= block.lines
        return
    if word == "skip,":
        if not rest:
            raise BadExample(f"{where}: say why it is not run: <!-- example: skip, REASON -->")
        block.skip = rest
    elif word == "exit" and rest.isdigit():
        block.exit_status = int(rest)
    elif directive:
        raise BadExample(f"{where}: <!-- example: {directive} --> is not understood")
    found.append(block)


def _matches(expected: str, output: str) -> bool:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(expected, output, flags)


def execute(example: Example) -> None:
    """Run a Python example in this very process, as the module ``__main__``."""
    source, name = example.source, str(example.page)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    code = compile(source, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    if code.co_flags & inspect.CO_COROUTINE:
        asyncio.run(types.FunctionType(code, vars(module))())
    else:
        exec(code, vars(module))


def main(arguments: list[str]) -> None:
    """Run what the command line asks for."""
    here = arguments[:1] == ["--here"]
    page, *lines = arguments[here:]
    for example in find(Path(page).resolve()):
        if example.skip is None and (not lines or str(example.line) in lines):
            if here:
                execute(example)
            else:
                example.run()
                print(f"{page}:{example.line} ok")


if __name__ == "__main__":
    main(sys.argv[1:])
