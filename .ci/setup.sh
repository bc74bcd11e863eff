# Sourced by ./quickstart and ./check, in the root of the checkout: the packages, and the Release build.
# docs/reference/dependencies.md says what each package is for.
# shellcheck shell=sh disable=SC2034

# Catch2 is here, not below, so that both scripts configure build/release alike and neither undoes what the other did.
build_packages="g++ cmake ninja-build ccache libcaf-dev libeigen3-dev libcereal-dev libspdlog-dev
  libyaml-cpp-dev libcli11-dev nlohmann-json3-dev libdnnl-dev libxxhash-dev libssl-dev zlib1g-dev libpng-dev libsqlite3-dev
  libcairo2-dev pkg-config catch2"
# Formats and findings differ between versions of clang, so it is one version: Debian bookworm's.
check_packages="clang-14 libclang-rt-14-dev libomp-14-dev lld-14 clang-format-14 clang-tidy-14 python3
  python3-numpy python3-onnx python3-protobuf faketime"

program=${0##*/}
jobs=${TROUPE_JOBS:-$(nproc)}
batches=${TROUPE_BATCHES:-2}
# Without a terminal, ninja says only what goes wrong instead of a line for each file.
quiet=--quiet
[ -t 1 ] && quiet=
(: <&0) 2>/dev/null || exec </dev/null # started with stdin closed

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s: %s\n' "$program" "$*" >&2
  exit 1
}

# Installs those of the packages that are not there; TROUPE_SETUP=off leaves that to you.
install_missing() {
  [ "${TROUPE_SETUP:-on}" = off ] && return
  command -v dpkg-query >/dev/null || fail "this is not Debian or Ubuntu. Install what these packages contain:" \
    "$* -- then say so: TROUPE_SETUP=off ./$program"
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
    command -v sudo >/dev/null || fail "packages are missing, and there is no sudo to install them with." \
      "As root: apt-get install --no-install-recommends$missing"
    as_root=sudo
  fi
  mkdir -p build
  say "installing:$missing"
  say "  (apt-get${as_root:+ by sudo}, with what they need; build/setup.log tells all)"
  # Not being able to update one of several sources is no reason to stop: installing decides.
  apt_get update >build/setup.log 2>&1 || true
  # shellcheck disable=SC2086 # a list of words
  if ! apt_get install -y --no-install-recommends $missing >>build/setup.log 2>&1; then
    grep '^E:' build/setup.log | tail -n 3 >&2
    fail "apt-get could not install the packages (above; all of it in build/setup.log)." \
      "Is the network reachable, and is this Debian bookworm or an Ubuntu that has CAF 0.17.6?"
  fi
}

apt_get() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
    "$@" </dev/null
}

# Configures build/release. Warnings are errors for the compiler that ./check is held to; a newer one may have more to say,
# which is no reason not to start. The same choice in both scripts, or each would compile everything again after the other.
configure_release() {
  case "$(${CXX:-c++} -dumpversion 2>/dev/null)" in
    12 | 12.*) configure release -DTROUPE_WERROR=ON ;;
    *) configure release -DTROUPE_WERROR=OFF ;;
  esac
}

# Builds targets (`all`: everything) in build/release. CMakeLists.txt finds ccache.
build_release() {
  # shellcheck disable=SC2086 # nothing, or one option
  configure_release && cmake --build build/release --parallel "$jobs" --target "$@" -- $quiet
}

# Configures a preset; says something only where that fails.
configure() {
  mkdir -p build
  preset=$1
  shift
  if ! cmake --preset "$preset" -DTROUPE_BATCHES="$batches" "$@" >"build/configure-$preset.log" 2>&1; then
    cat "build/configure-$preset.log" >&2
    return 1
  fi
}
