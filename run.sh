#!/usr/bin/env bash
# Builds FlagTree for this machine's CPU where that has not been done, then runs a Python file with it.
#   ./run.sh                      runs examples/vector_add.py
#   ./run.sh FILE [ARGUMENTS...]  runs FILE
set -euo pipefail
root="$(cd "$(dirname "$0")" && pwd)"
if ! "$root/.venv/bin/python" -c "import triton._C.libtriton, numpy" 2>/dev/null; then
  (cd "$root" && . tools/prepare.sh && prepare numpy)
fi
[ $# -gt 0 ] || set -- "$root/examples/vector_add.py"
exec "$root/.venv/bin/python" "$@"
