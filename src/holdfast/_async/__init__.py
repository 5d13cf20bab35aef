# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""The client, its locks and leases, and the engines."""
