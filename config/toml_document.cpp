#include "config/toml_document.h"

#include <toml++/toml.h>

#include <algorithm>

#include "config/toml_bounds.h"
#include "config/toml_reader.h"

namespace datum::config {
namespace {

TomlNode node_of(const toml::node& from);

void take_table(const toml::table& from, TomlNode& to) {
  to.kind = TomlNode::Kind::table;
  for (const auto& [key, value] : from) {
    const auto at = key.source().begin;
    to.entries.push_back(
        {std::string(key.str()), static_cast<int>(at.line), static_cast<int>(at.column), node_of(value)});
  }
  std::sort(to.entries.begin(), to.entries.end(),
            [](const TomlEntry& a, const TomlEntry& b) { return a.key < b.key; });
}

void take_value(const toml::node& from, TomlNode& to) {
  using enum TomlNode::Kind;
  if (const auto* value = from.as_string()) {
    to.kind = text;
    to.text = value->get();
  } else if (const auto* number = from.as_integer()) {
    to.kind = whole;
    to.whole = number->get();
  } else if (const auto* decimal = from.as_floating_point()) {
    to.kind = real;
    to.real = decimal->get();
  } else if (const auto* flag = from.as_boolean()) {
    to.kind = truth;
    to.whole = flag->get();
  }
}

/// check_toml_bounds limits the recursion's depth.
TomlNode node_of(const toml::node& from) {
  TomlNode to;
  to.line = static_cast<int>(from.source().begin.line);
  to.column = static_cast<int>(from.source().begin.column);
  if (const toml::table* table = from.as_table()) {
    take_table(*table, to);
  } else if (const toml::array* array = from.as_array()) {
    to.kind = TomlNode::Kind::array;
    for (const toml::node& element : *array) to.elements.push_back(node_of(element));
  } else {
    take_value(from, to);
  }
  return to;
}

}  // namespace

const TomlNode* TomlNode::find(std::string_view key) const {
  const auto at = std::lower_bound(entries.begin(), entries.end(), key,
                                   [](const TomlEntry& e, std::string_view k) { return e.key < k; });
  return at != entries.end() && at->key == key ? &at->value : nullptr;
}

TomlNode parse_toml(std::string_view text, const std::string& name) {
  check_toml_bounds(text, name);
  try {
    return node_of(toml::parse(text, name));
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    throw ConfigError({name, static_cast<int>(at.line), static_cast<int>(at.column)}, "",
                      "not valid TOML: " + std::string(error.description()).substr(0, 256),
                      "texts in quotes, numbers with a decimal point and without a unit, each key once");
  }
}

}  // namespace datum::config
