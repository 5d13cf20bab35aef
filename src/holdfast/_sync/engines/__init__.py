# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""One file per engine; ``_core.registry`` says which URL scheme it serves."""
