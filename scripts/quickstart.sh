#!/usr/bin/env bash
# From a fresh machine to a first result: installs what is missing, builds a release, runs the main job.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/quickstart.sh [--no-install]

Builds dotin, then trains it on generated graphs whose relevant nodes are known, and says how well it did and how many
of those nodes it kept. Everything goes to build/ and runs/. Needs no network beyond apt, and no dataset.

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
data=runs/quickstart-motif.safetensors
run=runs/quickstart-$(date +%Y%m%d-%H%M%S)
mkdir -p runs

step "Generating 1,000 graphs: four hidden nodes decide the class of each"
"$dotin" data generate motif --graphs 1000 --seed 0 --force -o "$data"

step "Training DOTIN: half of the nodes leave after each layer"
"$dotin" train "$data" --drop-ratio 0.5 --epochs 30 --out "$run"

cat <<END

Which nodes each layer kept:  $dotin predict $run/model.safetensors $data --explain | head -1
What else there is:           $dotin --help
END
