#!/bin/sh
# Install the system packages that some tests need: in CI, where their absence is a failure. On a
# contributor's machine those tests are skipped, and say what is missing.
set -eu
[ -n "${CI:-}" ] || exit 0
missing=""
ls /usr/lib/*/faketime/libfaketimeMT.so.1 >/dev/null 2>&1 || missing="$missing libfaketime"
command -v unshare >/dev/null 2>&1 || missing="$missing util-linux"
[ -n "$missing" ] || exit 0
printf 'installing:%s\n' "$missing"
apt-get update -qq
# shellcheck disable=SC2086 - one word per package
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null
