"""Checks that a wheel holds every file of the package, and nothing that is not part of it.

Usage: python tools/check_wheel.py WHEEL
"""

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def package_files(root: Path) -> set[str]:
    """The files of the package in the source tree, as they should be named in the wheel."""
    source = root / "src"
    return {
        path.relative_to(source).as_posix()
        for path in (source / "holdfast").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def problems(wheel: Path, root: Path = ROOT) -> list[str]:
    """What is wrong with the wheel, a sentence each."""
    with zipfile.ZipFile(wheel) as archive:
        entries = {name for name in archive.namelist() if not name.endswith("/")}
    packed = {name for name in entries if ".dist-info/" not in name}
    expected = package_files(root)
    found = [f"missing from the wheel: {name}" for name in sorted(expected - packed)]
    found += [f"does not belong in the wheel: {name}" for name in sorted(packed - expected)]
    if "holdfast/py.typed" not in packed:
        found.append("the wheel has no holdfast/py.typed: its types would be ignored")
    if not any(name.endswith("/licenses/LICENSE") for name in entries):
        found.append("the wheel has no LICENSE")
    return found


def main() -> int:
    """Prints the problems; the exit status tells whether there are any."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = problems(Path(sys.argv[1]))
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
