// Arbitrary records for round trips.
#pragma once

#include <rapidcheck.h>

#include "dotin/io/records.h"

namespace dotin::io {

struct RecordsShape {
  bool text = false;     // text labels, class names, missing values, ids: what JSON Lines can hold and TU files cannot
  bool any_edge = true;  // at least one edge in all
};

/// Records with any number of columns and targets, as a reader would give them: only values in use, sorted.
Records random_records(const RecordsShape& shape);

/// Equal in everything; NaN equals NaN.
void assert_equal(const Records& actual, const Records& expected);

}  // namespace dotin::io
