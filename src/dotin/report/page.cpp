#include "dotin/report/page.h"

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "dotin/core/error.h"
#include "dotin/report/assets.h"

namespace dotin::report {

namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result;
}

/// JSON that may stand in a script element: no '<' could end it. Bytes that are no UTF-8 become U+FFFD.
std::string embedded(const nlohmann::json& data) {
  std::string result;
  for (const char c : data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string result;
  for (const std::string_view part : parts) result += part;
  return result;
}

/// The shell with its marks, e.g. @title@, filled in.
std::string page(const std::string& title, std::initializer_list<std::string_view> styles, std::string_view d3,
                 std::initializer_list<std::string_view> scripts, const nlohmann::json& data) {
  std::string result;
  std::string_view rest = assets::shell_html;
  const auto fill = [&](std::string_view mark, std::string_view content) {
    const std::size_t at = rest.find(mark);
    DOTIN_ASSERT(at != std::string_view::npos);
    result.append(rest.substr(0, at)).append(content);
    rest.remove_prefix(at + mark.size());
  };
  fill("@title@", escaped(title));
  fill("@style@", joined(styles));
  fill("@data@", embedded(data));
  fill("@d3@", d3);
  fill("@script@", joined(scripts));
  return result.append(rest);
}

/// With D3, for the pages that draw with it.
std::string d3_page(const std::string& title, std::initializer_list<std::string_view> scripts,
                    const nlohmann::json& data) {
  return page(title, {assets::style_css}, assets::d3_min_js, scripts, data);
}

std::string dataset_name(const nlohmann::json& data) { return data["model"]["dataset"].get<std::string>(); }

}  // namespace

std::string graphs_page(const nlohmann::json& data) {
  return d3_page("Which nodes mattered: " + dataset_name(data),
                 {assets::common_js, assets::layout_js, assets::drawing_js, assets::scatter_js, assets::graphs_js},
                 data);
}

std::string dataset_page(const nlohmann::json& data) {
  return d3_page("What is kept: " + dataset_name(data), {assets::common_js, assets::charts_js, assets::dataset_js},
                 data);
}

std::string run_page(const nlohmann::json& data) {
  return d3_page("Run: " + dataset_name(data), {assets::common_js, assets::charts_js, assets::run_js}, data);
}

std::string reproduce_page(const std::string& title, const nlohmann::json& data) {
  return page(title, {assets::style_css, assets::chart_css}, "", {assets::common_js, assets::reproduce_js}, data);
}

}  // namespace dotin::report
