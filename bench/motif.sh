#!/usr/bin/env bash
# Does training find the nodes that decide? Seeds beside one another, on generated graphs whose truth is known.
set -euo pipefail

usage() {
  cat <<'END'
Usage: bench/motif.sh [--dotin PROGRAM] [--seeds FIRST-LAST] [--graphs N] [--hidden D]

Generates motif data and trains on it with each seed: one task at drop 0.5 and 0.9, the latter also without merging and
for random drop, and two tasks that need different nodes at 0.5. Prints test accuracy and the share of the planted nodes that survive the first drop,
in percent. A run takes some seconds of one core.

  --dotin PROGRAM      default: build/release/app/dotin of this checkout
  --seeds FIRST-LAST   default: 0-9
  --graphs N           graphs to generate, default: 1000
  --hidden D           hidden dimension, default: 64
END
}

dotin=$(dirname "${BASH_SOURCE[0]}")/../build/release/app/dotin
seeds=0-9
graphs=1000
hidden=64
while [ $# -gt 0 ]; do
  case $1 in
    --dotin) dotin=$2; shift 2 ;;
    --seeds) seeds=$2; shift 2 ;;
    --graphs) graphs=$2; shift 2 ;;
    --hidden) hidden=$2; shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "motif.sh: unknown argument '$1' (see --help)" >&2; exit 2 ;;
  esac
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$dotin" data generate motif --graphs "$graphs" --seed 0 --quiet -o "$folder/one.jsonl" >/dev/null
"$dotin" data generate motif --graphs "$graphs" --seed 0 --tasks 2 --quiet -o "$folder/two.jsonl" >/dev/null

# SEED DATA OPTIONS...: one run, as "accuracy/survived" of each task
trained() {
  local seed=$1 data=$2
  shift 2
  "$dotin" train "$folder/$data.jsonl" "$@" --hidden "$hidden" --seed "$seed" --threads 1 --quiet --out "$folder/run" --json >"$folder/told"
  rm -rf "$folder/run"
  python3 - "$folder/told" <<'END'
import json, sys
told = json.load(open(sys.argv[1]))
planted = list(told["planted"].values())
print(" ".join("%.0f/%.0f" % (100 * scores["accuracy"], 100 * nodes["after_layer"][0] / nodes["planted"])
               for scores, nodes in zip(told["test"].values(), planted)))
END
}

row() { printf '%-5s %9s %9s %16s %11s %18s %17s\n' "$@"; }

row seed 'drop 0.5' 'drop 0.9' '0.9, no merge' 'random 0.9' 'random, no merge' 'two tasks, 0.5'
for seed in $(seq "${seeds%-*}" "${seeds#*-}"); do
  row "$seed" "$(trained "$seed" one --drop-ratio 0.5)" "$(trained "$seed" one --drop-ratio 0.9)" \
    "$(trained "$seed" one --drop-ratio 0.9 --no-merge)" "$(trained "$seed" one --drop-ratio 0.9 --drop random)" \
    "$(trained "$seed" one --drop-ratio 0.9 --drop random --no-merge)" \
    "$(trained "$seed" two --tasks a=classify:label,b=classify:label2 --drop-ratio 0.5)"
done
