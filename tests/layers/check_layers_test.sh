#!/usr/bin/env bash
# check_layers_test.sh CHECK: the layer check accepts a good tree and catches each kind of violation.
set -euo pipefail
check=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
failures=0

# expect STATUS TEXT FILE LINE: a tree whose FILE holds LINE makes the check end with STATUS and print TEXT.
expect() {
  local status=$1 text=$2 file=$3 line=$4 output actual=0
  rm -rf "$root/src"
  mkdir -p "$root/$(dirname "$file")"
  printf '#pragma once\n%s\n' "$line" >"$root/$file"
  output=$("$check" "$root") || actual=$?
  if [ "$actual" != "$status" ] || [[ $output != *"$text"* ]]; then
    printf 'FAILED: %s with %s\n  expected %s and "%s"\n  got %s and "%s"\n' \
      "$file" "$line" "$status" "$text" "$actual" "$output"
    failures=$((failures + 1))
  fi
}

expect 0 "1 files" src/dotin/io/a.h '#include "dotin/core/error.h"'
expect 0 "1 files" src/dotin/io/a.h '#include "dotin/io/b.h"'
expect 0 "1 files" src/dotin/io/a.h '#include <vector>'
expect 0 "1 files" src/dotin/io/a.h '// #include "dotin/data/dataset.h"'
expect 1 "src/dotin/io/a.h:2: io includes dotin/data/dataset.h, which comes later" \
  src/dotin/io/a.h '#include "dotin/data/dataset.h"'
expect 1 "which comes later" src/dotin/ops/reference/a.cpp '  #  include <dotin/models/model.h>'
expect 0 "1 files" src/dotin/io/a.h '#include "dotin/error.h"'
expect 0 "1 files" src/dotin/api/a.cpp '#include "dotin/predictor.h"'
expect 1 "which comes later" src/dotin/explain/a.cpp '#include "dotin/predictor.h"'
expect 1 "has no place in the order" src/dotin/io/a.h '#include "dotin/none.h"'
expect 1 "has no place in the order" src/dotin/io/a.h '#include "dotin/misc/a.h"'
expect 1 "folder src/dotin/misc has no place" src/dotin/misc/a.h '#include <vector>'
expect 1 "nothing outside src" src/dotin/io/a.h '#include "app/context.h"'
expect 1 "nothing outside src" src/dotin/io/a.h '#include "tests/support/a.h"'
expect 1 "nothing outside src" src/dotin/io/a.h '#include "../data/dataset.h"'
expect 1 "named from src" src/dotin/io/a.h '#include "support/a.h"'

[ $failures = 0 ]
