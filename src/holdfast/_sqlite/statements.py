"""The engine's SQL, by name, from ``resources/sqlite.sql``."""

from __future__ import annotations

from importlib.resources import files


def load_statements() -> dict[str, str]:
    """Read the file once; comments go, so that SQLite has less to parse."""
    text = files("holdfast").joinpath("resources", "sqlite.sql").read_text(encoding="utf-8")
    statements: dict[str, str] = {}
    for section in text.split("-- name: ")[1:]:
        name, _, body = section.partition("\n")
        lines = [line for line in body.splitlines() if not line.startswith("--")]
        statements[name] = "\n".join(lines).strip()
    return statements


SQL = load_statements()
