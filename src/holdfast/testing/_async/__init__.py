# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""The faulty engine and the contract."""
