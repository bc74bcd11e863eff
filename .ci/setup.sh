# Sourced by ./quickstart and ./check in the root of the checkout: the packages, and the Release build.
# docs/reference/dependencies.md gives the use of each package.
# shellcheck shell=sh disable=SC2034

# Catch2 is here, not below, so that both scripts configure build/release alike and neither undoes what the other did.
build_packages="g++ cmake ninja-build ccache libcaf-dev libeigen3-dev libfmt-dev libspdlog-dev
  libyaml-cpp-dev libcli11-dev nlohmann-json3-dev libdnnl-dev libxxhash-dev libssl-dev zlib1g-dev libpng-dev libsqlite3-dev
  libcairo2-dev libcpp-httplib-dev libjs-dygraphs pkg-config catch2"
# Formats and findings differ between versions of clang, so all use Debian bookworm's.
check_packages="clang-14 libclang-rt-14-dev libomp-14-dev lld-14 clang-format-14 clang-tidy-14 python3
  python3-numpy python3-onnx python3-protobuf python3-yaml faketime nodejs chromium doxygen graphviz mkdocs mkdocs-material
  pybind11-dev python3-dev python3-pip lintian man-db"
# What drives Chromium, and the schemas of Kubernetes: npm's registry has them, and Debian does not.
npm_packages="playwright-core@1.65.1 kubernetes-models@4.5.1"

program=${0##*/}
jobs=${TROUPE_JOBS:-$(nproc)}
batches=${TROUPE_BATCHES:-2}
# Without a terminal, ninja prints only errors.
quiet=--quiet
[ -t 1 ] && quiet=
(: <&0) 2>/dev/null || exec </dev/null # started with stdin closed

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s: %s\n' "$program" "$*" >&2
  exit 1
}

# Installs the missing ones of the given packages, unless TROUPE_SETUP=off.
install_missing() {
  [ "${TROUPE_SETUP:-on}" = off ] && return
  command -v dpkg-query >/dev/null || fail "this is not Debian or Ubuntu. Install the contents of these packages:" \
    "$* -- then run: TROUPE_SETUP=off ./$program"
  missing=
  for package in "$@"; do
    case "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" in
      installed*) ;;
      *) missing="$missing $package" ;;
    esac
  done
  [ -n "$missing" ] || return 0

  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "packages are missing, and sudo is not available to install them." \
      "As root: apt-get install --no-install-recommends$missing"
    as_root=sudo
  fi
  mkdir -p build
  say "installing:$missing"
  say "  (apt-get${as_root:+ by sudo}, with their dependencies; log: build/setup.log)"
  # A package source that cannot be updated does not matter yet: the installation decides.
  apt_get update >build/setup.log 2>&1 || true
  # shellcheck disable=SC2086 # a list of words
  if ! apt_get install -y --no-install-recommends $missing >>build/setup.log 2>&1; then
    grep '^E:' build/setup.log | tail -n 3 >&2
    fail "apt-get could not install the packages (errors above; full log: build/setup.log)." \
      "Is the network reachable, and is this Debian bookworm or an Ubuntu that has CAF 0.17.6?"
  fi
}

# Installs them into build/npm. Without the network the tests that need them are skipped with a line.
install_npm_packages() {
  [ "${TROUPE_SETUP:-on}" = off ] && return
  [ "$(cat build/npm/version 2>/dev/null)" = "$npm_packages" ] && return
  command -v npm >/dev/null || install_missing npm
  mkdir -p build/npm
  # shellcheck disable=SC2086 # a list of words
  if npm install --prefix build/npm --no-save --no-audit --no-fund --ignore-scripts $npm_packages \
      >build/npm/npm.log 2>&1; then
    echo "$npm_packages" >build/npm/version
  else
    say "npm could not install $npm_packages (build/npm/npm.log): tests in a browser are skipped, and manifests are not checked by their schemas"
  fi
}

apt_get() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
    "$@" </dev/null
}

# Configures build/release. Warnings are errors only for the supported compiler, since a newer one may have more of them.
# Both scripts make the same choice, or each would rebuild everything after the other.
configure_release() {
  case "$(${CXX:-c++} -dumpversion 2>/dev/null)" in
    12 | 12.*) configure release -DTROUPE_WERROR=ON ;;
    *) configure release -DTROUPE_WERROR=OFF ;;
  esac
}

# Builds targets (`all`: everything) in build/release.
build_release() {
  # shellcheck disable=SC2086 # nothing, or one option
  configure_release && cmake --build build/release --parallel "$jobs" --target "$@" -- $quiet
}

# Configures a preset; prints output only on failure.
configure() {
  mkdir -p build
  preset=$1
  shift
  if ! cmake --preset "$preset" -DTROUPE_BATCHES="$batches" "$@" >"build/configure-$preset.log" 2>&1; then
    cat "build/configure-$preset.log" >&2
    return 1
  fi
}
