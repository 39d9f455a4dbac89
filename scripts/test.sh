#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/test.sh [--no-install] [--matrix] [ctest arguments...]

  --no-install  do not install missing Debian packages
  --matrix      then run the tests as other machines would (scripts/test_matrix.sh)

Examples:
  scripts/test.sh
  scripts/test.sh --no-install -R '^io\.'
  scripts/test.sh --matrix
END
}

install=1
matrix=0
ctest_arguments=()
for argument in "$@"; do
  case $argument in
    --no-install) install=0 ;;
    --matrix) matrix=1 ;;
    -h | --help) usage; exit 0 ;;
    *) ctest_arguments+=("$argument") ;;
  esac
done

if [ $install = 1 ]; then scripts/setup.sh; fi
cmake --preset release -DDOTIN_TESTS=ON -DDOTIN_BENCH=ON --log-level=WARNING >/dev/null
cmake --build --preset release
ctest --preset release -j"$(nproc)" "${ctest_arguments[@]}"
if [ $matrix = 1 ]; then scripts/test_matrix.sh; fi
