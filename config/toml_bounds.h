// Bounds of a TOML text, looked at before a parser sees it: the parser follows a nested key by recursion, and so does the
// destruction of what it made.
#pragma once

#include <string>
#include <string_view>

namespace datum::config {

/// Files above are refused unread. The largest that datumd writes, a calibration, has some 10 kB.
constexpr std::size_t max_toml_bytes = std::size_t{4} << 20;
constexpr std::size_t max_toml_line_bytes = std::size_t{64} << 10;
/// Parts of a dotted key, and brackets within each other.
constexpr int max_toml_depth = 16;

/// Throws ConfigError at the first place that is out of bounds. `name` stands for the file.
void check_toml_bounds(std::string_view text, const std::string& name);

}  // namespace datum::config
