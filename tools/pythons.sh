#!/bin/sh
# Lists the Python interpreters that the tests can use, one "VERSION PATH" a line, oldest first.
#
#   tools/pythons.sh            all of them
#   tools/pythons.sh path 3.12  the path for one version
#   tools/pythons.sh main       the path of the main one: $PYTHON if set, else the oldest
#   tools/pythons.sh others     the versions besides the main one, and a word on what is missing
#
# A name on the PATH is no proof: a version manager's shim may refuse to run, and a distribution
# may leave out venv. So every candidate is run and must import what the tests need. For the same
# reason this is plain sh: no particular Python can be taken for granted yet.
set -eu

SUPPORTED="3.11 3.12 3.13"

# Prints "VERSION PATH" of a working interpreter >= 3.11; of its base, if it belongs to a venv.
probe() {
    "$1" -c '
import ensurepip, sqlite3, ssl, sys, venv
if sys.version_info < (3, 11):
    sys.exit(1)
print("%d.%d" % sys.version_info[:2], getattr(sys, "_base_executable", None) or sys.executable)
' 2>/dev/null
}

# Every place where a command of this name, or pyenv's interpreter of this version, may be.
candidates() {
    (
        IFS=:
        for folder in $PATH; do
            if [ -x "$folder/python$1" ]; then echo "$folder/python$1"; fi
        done
    )
    root=${PYENV_ROOT:-$(pyenv root 2>/dev/null || echo "${HOME:-}/.pyenv")}
    for found in "$root"/versions/"$1".*/bin/python; do
        if [ -x "$found" ]; then echo "$found"; fi
    done
}

find_version() {
    candidates "$1" | while read -r candidate; do
        found=$(probe "$candidate") || continue
        [ "${found%% *}" = "$1" ] || continue
        echo "$found"
        break
    done
}

list() {
    listed=$(for version in $SUPPORTED; do find_version "$version"; done)
    # None under its full name: a plain python3 that is new enough will do.
    if [ -z "$listed" ]; then
        listed=$(for name in python3 python; do probe "$name" && break || :; done)
    fi
    if [ -z "$listed" ]; then
        echo "holdfast needs Python 3.11 or newer, with venv and sqlite3; none was found." >&2
        exit 1
    fi
    echo "$listed"
}

main() {
    if [ -n "${PYTHON:-}" ]; then
        probe "$PYTHON" || { echo "$PYTHON is no working Python 3.11 or newer." >&2; exit 1; }
    else
        list | head -n 1
    fi
}

case ${1:-list} in
    list) list ;;
    path) found=$(list | grep "^$2 "); echo "${found#* }" ;;
    main) found=$(main); echo "${found#* }" ;;
    others)
        chosen=$(main)
        listed=$(list)
        for version in $SUPPORTED; do
            [ "$version" != "${chosen%% *}" ] || continue
            if echo "$listed" | grep -q "^$version "; then
                echo "$version"
            else
                echo "==> Python $version: not installed, its tests are left out" >&2
            fi
        done
        ;;
    *) echo "usage: $0 [list | path VERSION | main | others]" >&2; exit 2 ;;
esac
