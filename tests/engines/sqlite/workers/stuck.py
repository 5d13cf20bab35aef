"""Takes the lock file for itself and keeps it until its input ends."""

import sqlite3
import sys

connection = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
connection.execute(f"BEGIN {sys.argv[2]}")
print("stuck", flush=True)
sys.stdin.read()
connection.execute("ROLLBACK")
connection.close()
