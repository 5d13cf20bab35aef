"""How fast holdfast is, against the bare engine: ``python -m bench --help``."""
