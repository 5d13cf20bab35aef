"""Decisions without I/O: nothing here awaits, opens a socket or reads a clock."""
