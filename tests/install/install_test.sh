#!/usr/bin/env bash
# install_test.sh CMAKE BUILD CONSUMER COMPILER PREFIX_PATH FLAGS
# Installs BUILD into a temporary prefix, then builds and runs CONSUMER against it.
set -euo pipefail
cmake=$1 build=$2 consumer=$3 compiler=$4 prefix_path=$5 flags=$6
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$cmake" --install "$build" --prefix "$folder/installed" >"$folder/install.log"
"$folder/installed/bin/dotin" --version

# Nothing of the build may be needed: the prefix is moved before it is used.
mv "$folder/installed" "$folder/moved"
if grep -rl -e "$build" "$folder/moved" --include='*.cmake'; then
  echo "the installed CMake files above name the build folder" >&2
  exit 1
fi

"$folder/moved/bin/dotin" train --help >"$folder/help.txt"
"$cmake" -S "$consumer" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$folder/moved;$prefix_path" -DCMAKE_CXX_FLAGS="$flags"
"$cmake" --build "$folder/build"
"$folder/build/batches"
"$folder/build/everything"
