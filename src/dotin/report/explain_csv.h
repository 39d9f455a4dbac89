// Explanations as CSV, for spreadsheets and data frames (docs/formats.md).
#pragma once

#include <string>

#include "dotin/explain/summary.h"

namespace dotin::report {

/// The header of node_rows.
std::string node_header(const network::Description& about, const data::Dataset& dataset);

/// A row per node of the graph; what a layer says of a node that never entered it is empty.
std::string node_rows(const explain::Prediction& prediction, const data::Dataset& dataset);

/// A row per label value or number and task, with header.
std::string retention_csv(const explain::DatasetSummary& summary);

}  // namespace dotin::report
