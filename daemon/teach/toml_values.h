// Values as TOML writes them.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "config/toml_document.h"

namespace datum::teach {

/// A basic string of UTF-8; control characters are escaped, so that it is read back as it is.
std::string toml_text(const std::string& value);
/// A float with at most `decimals` decimals, at least one.
std::string toml_number(double value, int decimals = 4);
std::string toml_numbers(const std::vector<double>& values, int decimals = 4);
std::string toml_pair(const Eigen::Vector2d& value);
std::string toml_texts(const std::vector<std::string>& values);

/// A parsed value on one line; tables in the compact form.
std::string toml_of(const config::TomlNode& value);

}  // namespace datum::teach
