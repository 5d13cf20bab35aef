# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""One file per engine; ``_core.registry`` says which URL scheme it serves."""
