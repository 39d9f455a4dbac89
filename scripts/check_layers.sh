#!/usr/bin/env bash
# Fails if a folder of src/dotin includes a later one, or libtorch where it must not: data flows in one direction
# (docs/architecture.md).
set -euo pipefail

usage() {
  cat <<'END'
Usage: scripts/check_layers.sh [ROOT]

Checks every #include in ROOT/src/dotin (default: this checkout).
END
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
esac
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

order="core kernels io data batch network runtime explain api report ops layers drop readout models tasks training learn"
first_with_libtorch=ops
# Headers of include/dotin, each with the first folder that may include it.
public="error.h core options.h core dataset.h api predictor.h api train.h learn dotin.h learn"

find src/dotin -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.inc' \) -print0 | sort -z |
  xargs -0 --no-run-if-empty awk -v order="$order" -v public="$public" -v line="$first_with_libtorch" '
  BEGIN { count = split(order, names, " "); for (i = 1; i <= count; ++i) rank[names[i]] = i
          count = split(public, names, " "); for (i = 1; i <= count; i += 2) first[names[i]] = names[i + 1] }
  function violation(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; ++bad }
  FNR == 1 {
    ++files
    split(FILENAME, parts, "/")
    folder = parts[3]
    if (!(folder in rank)) violation("folder src/dotin/" folder " has no place in the order: " order)
  }
  /^[ \t]*#[ \t]*include[ \t]*["<]/ {
    path = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*["<]/, "", path)
    sub(/[">].*/, "", path)
    quoted = $0 ~ /include[ \t]*"/
    if (path ~ /^dotin\//) {
      split(path, parts, "/")
      if (path !~ /^dotin\/.*\//) parts[2] = parts[2] in first ? first[parts[2]] : parts[2]
      if (!(parts[2] in rank)) violation("includes " path ", whose folder has no place in the order")
      else if (rank[parts[2]] > rank[folder]) violation(folder " includes " path ", which comes later")
    } else if (path ~ /^(ATen|torch|c10)\// && rank[folder] < rank[line]) {
      violation(folder " includes <" path ">: nothing before " line " knows libtorch")
    } else if (path ~ /^(app|tests|bench)\// || path ~ /^\.\.?\//) {
      violation("includes " path "; write \"dotin/<folder>/<file>\", and nothing outside src")
    } else if (quoted) {
      violation("includes \"" path "\"; headers of the project are named from src: \"dotin/...\"")
    }
  }
  END {
    if (bad) { printf "layers: %d violations\n", bad; exit 1 }
    printf "layers: %d files, all include earlier folders only\n", files
  }' || exit 1  # xargs says 123
