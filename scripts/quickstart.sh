#!/usr/bin/env bash
# From a fresh machine to a first result: installs what is missing, builds a release, runs the main job.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/quickstart.sh [--no-install]

Builds dotin, then generates a dataset with planted relevant nodes, packs it and checks it.
Everything goes to build/ and runs/quickstart/. Needs no network beyond apt.

  --no-install  do not install missing Debian packages
END
}

install=1
for argument in "$@"; do
  case $argument in
    --no-install) install=0 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "quickstart.sh: unknown argument '$argument' (see --help)" >&2; exit 2 ;;
  esac
done

step() { printf '\n== %s\n' "$*"; }

if [ $install = 1 ]; then scripts/setup.sh --build-only; fi

step "Building (build/release)"
cmake --preset release -DDOTIN_TESTS=OFF -DDOTIN_BENCH=OFF --log-level=WARNING >/dev/null
cmake --build --preset release --target dotin

dotin=build/release/app/dotin
run=runs/quickstart
mkdir -p "$run"
SECONDS=0

step "Generating 1,000 graphs whose class hides in a few planted nodes"
"$dotin" data generate motif --graphs 1000 --nodes 60 --tasks 2 --seed 0 --force -o "$run/motif.jsonl"

step "Packing them into a file that opens in milliseconds"
"$dotin" data pack "$run/motif.jsonl" --force -o "$run/motif.safetensors"

step "Checking them: every graph as a batch, and copies among them"
"$dotin" data check "$run/motif.safetensors"

step "What is in the file"
"$dotin" data info "$run/motif.safetensors"

step "Done in ${SECONDS} s after the build"
cat <<END
data       $run/motif.jsonl, $run/motif.safetensors
program    $dotin
try next   $dotin data --help
END
