# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""The client, its locks and leases, and the engines."""
