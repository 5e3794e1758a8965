#!/usr/bin/env bash
# Builds what changed and runs tests: lit over the IR tests, then pytest.
#   ./test.sh                     everything
#   ./test.sh ARGUMENTS...        pytest with these arguments instead, for example: ./test.sh -m "not slow" python/test
#   FLAGTREE_BACKEND=acme ./test.sh third_party/acme    what one backend's folder holds, lit tests too
set -euo pipefail
cd "$(dirname "$0")"
. tools/prepare.sh
prepare --group test
export PATH="$PWD/.venv/bin:$PATH"
status=0
if [ $# -eq 0 ]; then
  suites="test $(dirname third_party/*/test/lit.cfg.py)"
else
  suites=""
  for argument in "$@"; do [ ! -f "$argument/test/lit.cfg.py" ] || suites="$suites $argument/test"; done
fi
if [ -n "$suites" ]; then
  tree="$(python -m setup_tools tree)"
  TRITON_OPT="$tree/bin/triton-opt/triton-opt" FILECHECK="$tree/bin/FileCheck/FileCheck" lit -v $suites || status=$?
fi
python -m pytest "$@" || status=$?
exit $status
