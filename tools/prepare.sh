# Sourced by run.sh and test.sh: makes .venv hold an up-to-date editable install of this checkout.
# Environment: PYTHON, the interpreter to start from (default python3); FLAGTREE_BACKEND as for every build.

llvm=22
packages="g++ git ccache lld-$llvm llvm-$llvm-dev libmlir-$llvm-dev mlir-$llvm-tools llvm-$llvm-tools libzstd-dev zlib1g-dev"
[ -n "${PYTHON:-}" ] || packages="$packages python3-dev python3-venv"

# Installs what is missing of $packages, where this machine has apt-get and we may use it.
install_packages() {
  missing=""
  for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "install ok installed" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" = 0 ]; then sudo=""; elif command -v sudo >/dev/null; then sudo="sudo"; else
    echo "error: these packages are missing, ask the administrator to install them: apt-get install$missing" >&2
    return 1
  fi
  echo "installing:$missing"
  $sudo apt-get update -q
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -q -y --no-install-recommends $missing
}

# Creates .venv with the build's requirements and the given further ones, and builds into it.
prepare() {
  if command -v apt-get >/dev/null; then install_packages; fi
  [ -x .venv/bin/python ] || "${PYTHON:-python3}" -m venv .venv
  .venv/bin/python -m pip install -q --disable-pip-version-check --upgrade "pip>=25.1"
  .venv/bin/python -m pip install -q --disable-pip-version-check -r requirements-build.txt "$@"
  .venv/bin/python -m pip install --disable-pip-version-check --no-build-isolation -e .
}
