#!/usr/bin/env bash
# install_test.sh CMAKE BUILD EXAMPLE COMPILER PREFIX_PATH FLAGS
# Installs BUILD into a temporary prefix, then builds and runs EXAMPLE (examples/cpp) against it.
set -euo pipefail
cmake=$1 build=$2 example=$3 compiler=$4 prefix_path=$5 flags=$6
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "install_test.sh: $1" >&2
  exit 1
}

"$cmake" --install "$build" --prefix "$folder/installed" >"$folder/install.log"
"$folder/installed/bin/dotin" --version

# Nothing of the build may be needed: the prefix is moved before it is used.
mv "$folder/installed" "$folder/moved"
if grep -rl -e "$build" "$folder/moved" --include='*.cmake'; then fail "the installed CMake files above name the build folder"; fi
headers=$(cd "$folder/moved/include" && find . -name '*.h' | sort | paste -sd' ')
[ "$headers" = "./dotin/dataset.h ./dotin/dotin.h ./dotin/error.h ./dotin/options.h ./dotin/predictor.h ./dotin/train.h" ] ||
  fail "installed headers: $headers"

"$folder/moved/bin/dotin" train --help >"$folder/help.txt"
"$cmake" -S "$example" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$folder/moved;$prefix_path" -DCMAKE_CXX_FLAGS="$flags"
"$cmake" --build "$folder/build"

"$folder/moved/bin/dotin" data generate motif --graphs 60 --quiet -o "$folder/motif.jsonl" >/dev/null
"$folder/build/train" "$folder/motif.jsonl" "$folder/model.safetensors" >"$folder/trained.txt"
grep -q '^classify accuracy ' "$folder/trained.txt" || fail "no accuracy: $(cat "$folder/trained.txt")"
[ "$(grep -cE '^[0-9]+ [01] [0-9.]+$' "$folder/trained.txt")" = 6 ] || fail "not 6 predictions"
grep -q '^graph 0 keeps [0-9]' "$folder/trained.txt" || fail "no explanation"
"$folder/build/predict" "$folder/model.safetensors" >"$folder/predicted.txt"
grep -qE '^[01] 0\.[0-9]+$' "$folder/predicted.txt" || fail "no prediction: $(cat "$folder/predicted.txt")"
grep -q '^graph 0: edge (3, 9) names a node that it does not have' "$folder/predicted.txt" || fail "no refusal"

# The line that parts prediction from training: neither the example nor the program may load libtorch for it.
for program in "$folder/build/predict" "$folder/moved/libexec/dotin/dotin-predict"; do
  if ldd "$program" | grep -E 'libtorch|libc10|libcurl'; then fail "$program loads the libraries above"; fi
done
