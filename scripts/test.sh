#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/test.sh [--no-install] [ctest arguments...]

  --no-install  do not install missing Debian packages

Examples:
  scripts/test.sh
  scripts/test.sh --no-install -R '^io\.'
END
}

install=1
ctest_arguments=()
for argument in "$@"; do
  case $argument in
    --no-install) install=0 ;;
    -h | --help) usage; exit 0 ;;
    *) ctest_arguments+=("$argument") ;;
  esac
done

if [ $install = 1 ]; then scripts/setup.sh; fi
cmake --preset release -DDOTIN_TESTS=ON -DDOTIN_BENCH=ON --log-level=WARNING >/dev/null
cmake --build --preset release
ctest --preset release -j"$(nproc)" "${ctest_arguments[@]}"
