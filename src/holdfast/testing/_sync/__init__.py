# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""The faulty engine and the contract."""
