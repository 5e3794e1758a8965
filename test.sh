#!/usr/bin/env bash
# Builds what changed and runs all tests: lit over the IR tests, then pytest.
#   ./test.sh                     everything
#   ./test.sh ARGUMENTS...        pytest with these arguments instead, for example: ./test.sh -m "not slow" python/test
set -euo pipefail
cd "$(dirname "$0")"
. tools/prepare.sh
prepare --group test
export PATH="$PWD/.venv/bin:$PATH"
status=0
if [ $# -eq 0 ]; then
  tree="$(python -m setup_tools tree)"
  TRITON_OPT="$tree/bin/triton-opt/triton-opt" FILECHECK="$tree/bin/FileCheck/FileCheck" \
    lit -v test $(dirname third_party/*/test/lit.cfg.py) || status=$?
fi
python -m pytest "$@" || status=$?
exit $status
