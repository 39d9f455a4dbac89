// The files of page/ and D3, as the build has put them into the library. Named after the files.
#pragma once

#include <string_view>

namespace dotin::report::assets {

extern const std::string_view shell_html, style_css, chart_css, chart_theme_css, d3_min_js;
extern const std::string_view common_js, charts_js, layout_js, drawing_js, scatter_js, graphs_js, dataset_js, run_js;
extern const std::string_view reproduce_js;

}  // namespace dotin::report::assets
