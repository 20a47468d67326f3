// Limits of a TOML text, checked before parsing: the parser handles a nested key by recursion, and so does
// the destructor of its result.
#pragma once

#include <string>
#include <string_view>

namespace datum::config {

/// Larger files are refused unread. The largest file of datumd, a calibration, has some 10 kB.
constexpr std::size_t max_toml_bytes = std::size_t{4} << 20;
constexpr std::size_t max_toml_line_bytes = std::size_t{64} << 10;
/// Limit of the parts of a dotted key and of nested brackets.
constexpr int max_toml_depth = 16;

/// Throws ConfigError at the first place beyond a limit. `name` is the file's name in messages.
void check_toml_bounds(std::string_view text, const std::string& name);

}  // namespace datum::config
