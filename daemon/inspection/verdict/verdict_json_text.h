// JSON text without a document in between: the bytes are those that nlohmann::ordered_json dumps (a verdict of 58 components has
// 124 KB, and a document of them takes four times as long). Included by verdict_json.cpp only.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace datum {

inline void append_json(std::string& to, double v) {
  if (!std::isfinite(v)) {
    to += "null";
    return;
  }
  std::array<char, 64> text;
  // Its digits are not always std::to_chars' own, and a stored verdict keeps its bytes.
  to.append(text.data(), nlohmann::detail::to_chars(text.data(), text.data() + text.size(), v));
}

inline void append_json(std::string& to, bool v) { to += v ? "true" : "false"; }

template <class Whole, std::enable_if_t<std::is_integral_v<Whole> && !std::is_same_v<Whole, bool>, int> = 0>
void append_json(std::string& to, Whole v) {
  std::array<char, 24> text;
  to.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), v).ptr);
}

/// Invalid UTF-8 is replaced.
inline void append_json(std::string& to, const std::string& v) {
  const bool plain =
      std::all_of(v.begin(), v.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (plain)
    to.append(1, '"').append(v).append(1, '"');
  else
    to += nlohmann::ordered_json(v).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// An array; put(to, element) appends each.
template <class Values, class Put>
void append_elements(std::string& to, const Values& values, const Put& put) {
  const char* before = "";
  to += '[';
  for (const auto& v : values) {
    to += std::exchange(before, ",");
    put(to, v);
  }
  to += ']';
}

/// An object whose members are named by themselves. Of equal names the last value counts, in the place of the first.
template <class Values, class Name, class Put>
void append_members(std::string& to, const Values& values, Name name, const Put& put) {
  const char* before = "";
  to += '{';
  for (auto v = values.begin(); v != values.end(); ++v) {
    const auto has_name = [&](const auto& other) {
      return std::invoke(name, other) == std::invoke(name, *v);
    };
    if (std::any_of(values.begin(), v, has_name)) continue;
    to += std::exchange(before, ",");
    append_json(to, std::invoke(name, *v));
    to += ':';
    put(to, *std::find_if(values.rbegin(), values.rend(), has_name));
  }
  to += '}';
}

}  // namespace datum
