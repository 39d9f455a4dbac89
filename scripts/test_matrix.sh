#!/usr/bin/env bash
# Runs the tests as other machines would: other instruction sets, BLAS kernels, numbers of threads and surroundings.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/test_matrix.sh [--quick] [--list] [ROW...]

Runs tests of build/release, which scripts/test.sh builds, once for each row of a table, and says which rows this machine
cannot run. Takes about an hour on two idle cores. Logs go to build/release/matrix. Rows "cpu-..." run under an emulator
(Debian's qemu-user) where it is installed: some tests, and the main job of scripts/quickstart.sh with fewer graphs.

  --quick  two rows that are least like this machine, and of those the tests of kernels and engines alone
  --list   print the rows and stop
  ROW      run these rows only

Examples:
  scripts/test_matrix.sh
  scripts/test_matrix.sh avx2-Haswell threads-8
END
}

numbers='^(kernels|ops|backbones|drop|readout|models|tasks|training|explain)\.'
engines='^(kernels|ops|models)\.'
surroundings='^(core|io|data|batch|cli|report|explain|training)\.'

quick=0 list=0 wanted=()
for argument in "$@"; do
  case $argument in
    --quick) quick=1 ;;
    --list) list=1 ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "test_matrix.sh: unknown argument '$argument' (see --help)" >&2; exit 2 ;;
    *) wanted+=("$argument") ;;
  esac
done

isas=(baseline) cores=()
case $(uname -m) in
  x86_64)
    isas+=(avx2 avx512)
    cores=(Prescott Haswell Zen SkylakeX Cooperlake) ;;
esac

# NAME TESTS COMMAND...: what comes before ctest
rows=()
row() { rows+=("$(printf '%q ' "$@")"); }
for isa in "${isas[@]}"; do
  for core in "${cores[@]:-default}"; do row "$isa-$core" "$numbers" env "DOTIN_ISA=$isa" "OPENBLAS_CORETYPE=$core"; done
done
for threads in 1 2 3 8; do row "threads-$threads" "$numbers" env "OMP_NUM_THREADS=$threads"; done
row one-core "$numbers" taskset -c 0
row address-space-8GiB "$numbers" bash -c 'ulimit -v 8388608; exec "$@"' limited
row locale-C "$surroundings" env LC_ALL=C LANG=C
row locale-UTF-8 "$surroundings" env LC_ALL=C.UTF-8 LANG=C.UTF-8
row home-read-only "$surroundings" env HOME=/proc XDG_CACHE_HOME= XDG_DATA_HOME=
row no-terminal "$surroundings" setsid --wait
for cpu in Nehalem Haswell; do row "cpu-$cpu" emulated qemu-x86_64 -cpu "$cpu"; done
if [ $quick = 1 ]; then
  rows=()
  row baseline-Prescott "$engines" env DOTIN_ISA=baseline OPENBLAS_CORETYPE=Prescott
  row avx2-Haswell "$engines" env DOTIN_ISA=avx2 OPENBLAS_CORETYPE=Haswell
fi

if [ $list = 1 ]; then
  for text in "${rows[@]}"; do eval "set -- $text"; echo "$1"; done
  exit 0
fi

program=build/release/tests/kernels/test_kernels
if [ ! -x $program ]; then
  echo "test_matrix.sh: there is no $program: run scripts/test.sh first" >&2
  exit 1
fi
logs=build/release/matrix
mkdir -p $logs

# Why this machine cannot run what follows: empty where it can. OpenBLAS takes other kernels, and says so, where the CPU
# or its own build does not have those that it is asked for.
obstacle() {
  local told taken core
  if ! command -v "$1" >/dev/null; then
    echo "there is no $1 here"
    return 0
  fi
  if ! told=$(OPENBLAS_VERBOSE=2 "$@" $program --gtest_filter='*OfThisMachineIsListed*' 2>&1 </dev/null); then
    if grep -q 'no instruction set that this CPU can run' <<<"$told"; then
      grep -o 'no instruction set that this CPU can run' <<<"$told" | head -1
    fi
    return 0
  fi
  core=$(printf '%s\n' "$@" | sed -n 's/^OPENBLAS_CORETYPE=//p')
  taken=$(sed -n 's/^Core: //p' <<<"$told" | head -1)
  if [ -n "$core" ] && [ "${taken,,}" != "${core,,}" ]; then echo "OpenBLAS takes ${taken:-other kernels} here"; fi
}

# COMMAND...: tests and a short training run under an emulator that ctest cannot put before its programs
run_emulated() {
  local folder
  "$@" $program --gtest_brief=1
  "$@" build/release/tests/models/test_models --gtest_brief=1 --gtest_filter='*FusedEngine.*drop5*K1:*PooledEngines*gpool*'
  folder=$(mktemp -d)
  "$@" build/release/app/dotin data generate motif --graphs 60 -o "$folder/motif.jsonl"
  "$@" build/release/app/dotin-learn train "$folder/motif.jsonl" --epochs 2 --threads 1 --out "$folder/run"
  rm -r "$folder"
}

# TESTS COMMAND...
run_row() {
  local tests=$1
  shift
  if [ "$tests" = emulated ]; then
    (set -e; run_emulated "$@")
  else
    "$@" ctest --preset release -j"$(nproc)" -R "$tests"
  fi
}

failed=0 passed=0 impossible=0
printf '%-22s %-10s %s\n' row result ''
for text in "${rows[@]}"; do
  eval "set -- $text"
  name=$1 tests=$2
  shift 2
  if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then continue; fi
  reason=$(obstacle "$@")
  if [ -n "$reason" ]; then
    printf '%-22s %-10s %s\n' "$name" 'cannot run' "$reason"
    impossible=$((impossible + 1))
    continue
  fi
  start=$SECONDS
  # Not as a condition, in which a failure inside of it would be passed over.
  set +e
  run_row "$tests" "$@" >"$logs/$name.log" 2>&1 </dev/null
  code=$?
  set -e
  if [ $code = 0 ]; then result=passed passed=$((passed + 1)); else result=FAILED failed=$((failed + 1)); fi
  counts=$(grep -oE '[0-9]+ tests failed out of [0-9]+|PASSED  \] [0-9]+ tests' "$logs/$name.log" | sed 's, *PASSED  \] ,,' | paste -sd, || true)
  printf '%-22s %-10s %s, %d s\n' "$name" "$result" "$counts" $((SECONDS - start))
done
echo "matrix: $passed rows passed, $failed failed, $impossible cannot be run here (logs: $logs)"
[ $failed = 0 ] && [ $((passed + impossible)) -gt 0 ]
