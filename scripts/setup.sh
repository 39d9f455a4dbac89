#!/usr/bin/env bash
# Installs the Debian packages that dotin needs and that are missing. The one place where they are listed.
set -euo pipefail

build_packages=(
  g++ cmake ninja-build ccache git ca-certificates
  libtorch-dev libopenblas-openmp-dev                                # tensors, and the BLAS that makes them fast
  libcli11-dev libfmt-dev libspdlog-dev libtomlplusplus-dev       # command line, text, log, configuration
  nlohmann-json3-dev libfast-float-dev libzip-dev                 # file formats
  libcurl4-openssl-dev libssl-dev                                 # downloads and checksums
  node-d3                                                         # drawings and charts of the HTML pages
)
test_packages=(
  libgtest-dev librapidcheck-dev libbenchmark-dev                 # tests and benchmarks
  zip unzip                                                       # make the zips that tests read
  chromium chromium-driver python3-selenium                       # drive the HTML pages
  zsh fish                                                        # read the completion scripts
  clang-format                                                    # scripts/check_format.sh
)
# The tests of pages talk to a browser on this machine by the name localhost, which a bare system does not know.
getent hosts localhost >/dev/null || test_packages+=(libnss-myhostname)

usage() {
  cat <<'END'
Usage: scripts/setup.sh [--build-only] [--list]

Installs what is missing with apt-get, as root or through sudo. Does nothing where all is there.

  --build-only  leave out what only the tests need
  --list        print the packages and stop
END
}

packages=("${build_packages[@]}" "${test_packages[@]}")
list=0
for argument in "$@"; do
  case $argument in
    --build-only) packages=("${build_packages[@]}") ;;
    --list) list=1 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "setup.sh: unknown argument '$argument' (see --help)" >&2; exit 2 ;;
  esac
done
if [ $list = 1 ]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup.sh: this is not a Debian system. Install what these packages hold, then use --no-install:" >&2
  echo "  ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: these packages are missing, and neither root nor sudo is at hand. As root, run:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"
}
echo "Installing ${#missing[@]} packages with apt-get: ${missing[*]}" >&2
apt update >&2 || echo "setup.sh: apt-get update failed; trying with the package lists that are there" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! apt install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "setup.sh: apt-get could not install the packages (see above)" >&2
  exit 1
fi
