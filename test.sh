#!/usr/bin/env bash
# Builds what changed and runs tests: lit over the IR tests, then pytest.
#   ./test.sh                     everything
#   ./test.sh ARGUMENTS...        pytest with these arguments instead, for example: ./test.sh -m "not slow" python/test
#   FLAGTREE_BACKEND=acme ./test.sh third_party/acme    what one backend's folder holds, lit tests too
#   ./test.sh python/torch_fl/test    the flagos device for PyTorch, with its sweeps of all operators, which take an hour;
#                                     with no arguments its other tests run, too, where torch is installed
set -euo pipefail
cd "$(dirname "$0")"
. tools/prepare.sh
prepare --group test
export PATH="$PWD/.venv/bin:$PATH"
status=0

# Builds torch_fl into a folder beside .venv: inside it, flagos would be the device of the trunk's own tests, too.
torch_fl="$PWD/build/torch_fl"
build_torch_fl() {
  python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps --upgrade --target "$torch_fl" python/torch_fl
}

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

case "${*:-}" in
*python/torch_fl*)
  build_torch_fl
  export PYTHONPATH="$torch_fl${PYTHONPATH:+:$PYTHONPATH}"
  ;;
"")
  if python -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"; then
    build_torch_fl
    PYTHONPATH="$torch_fl${PYTHONPATH:+:$PYTHONPATH}" python -m pytest -m "not slow" python/torch_fl/test || status=$?
  else
    echo "torch is not installed: the tests of torch_fl are not run"
  fi
  ;;
esac
python -m pytest "$@" || status=$?
exit $status
