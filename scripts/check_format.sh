#!/usr/bin/env bash
# Fails if a C++ file is not formatted as .clang-format says.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Versions of clang-format differ in details, so one of them decides: that of Debian 12.
version=14

usage() {
  cat <<END
Usage: scripts/check_format.sh [--fix]

Checks the C++ files that git tracks with clang-format $version; skips, and says so, where there is another version only.

  --fix  rewrite the files instead
END
}

mode=(--dry-run -Werror)
for argument in "$@"; do
  case $argument in
    --fix) mode=(-i) ;;
    -h | --help) usage; exit 0 ;;
    *) echo "check_format.sh: unknown argument '$argument' (see --help)" >&2; exit 2 ;;
  esac
done

formatter=
for candidate in "clang-format-$version" clang-format; do
  if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q "version $version\."; then
    formatter=$candidate
    break
  fi
done
if [ -z "$formatter" ]; then
  echo "format: skipped, there is no clang-format $version here"
  exit 0
fi

git ls-files -z '*.h' '*.cpp' | xargs -0 --no-run-if-empty "$formatter" "${mode[@]}" --style=file
echo "format: $(git ls-files '*.h' '*.cpp' | wc -l) files, all as .clang-format says"
