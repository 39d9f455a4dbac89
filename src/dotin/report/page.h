// Self-contained HTML pages: one file with style, script, D3 and data in it, which asks the network for nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dotin::report {

/// The page of some graphs. data: {"model": model_json, "graphs": [graph_json, ...]}.
std::string graphs_page(const nlohmann::json& data);

/// The page of a dataset. data: {"model": model_json, "summary": summary_json, "verification": verification_json or
/// absent}.
std::string dataset_page(const nlohmann::json& data);

/// The report of a run. data: what TestRecord::to_json has, and "command" (train or cv), "result" (result.json),
/// "history" (history_json) and "config" (config.toml).
std::string run_page(const nlohmann::json& data);

/// Tables and figures of the paper. data: {"items": [an outcome of reproduce/outcome.h as JSON, each chart with its
/// "svg"]}.
std::string reproduce_page(const std::string& title, const nlohmann::json& data);

}  // namespace dotin::report
