"""The blocking half of the ``sqlite`` engine, which its sync and its async face share."""
